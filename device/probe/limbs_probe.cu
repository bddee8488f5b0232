/* limbs_probe.cu - one warp's products of wide integers: what sums of 64-bit products with their carries take, by the length of the code.
 *
 * limbs<N>: a loop of N products of ten limbs of 26 bits, reduced, as straight code; mixes<K>: eight sums of products and one kind of instruction beside
 * the product. Prints nothing: cycles and instructions by the profiler,
 *     nvcc -arch=sm_90 -O3 -o limbs_probe limbs_probe.cu
 *     ncu --clock-control none --cache-control all --csv --page raw --metrics sm__cycles_elapsed.max,smsp__inst_executed.sum limbs_probe */
#include <cstdio>
#include <cstdint>
struct number { uint32_t v[10]; };
__device__ __forceinline__ number product(const number a, const number b)
{
    number r;
    uint64_t low[10], c = 0;
#pragma unroll
    for (int k = 0; k < 10; k++) {
#pragma unroll
        for (int i = 0; i <= k; i++)
            c += (uint64_t)a.v[i] * b.v[k - i];
        low[k] = c & 0x3ffffff;
        c >>= 26;
    }
    uint64_t d = 0;
#pragma unroll
    for (int k = 10; k < 20; k++) {
#pragma unroll
        for (int i = k - 9; i < 10; i++)
            c += (uint64_t)a.v[i] * b.v[k - i];
        d += low[k - 10] + (c & 0x3ffffff) * 0x3d10;
        c >>= 26;
        r.v[k - 10] = d & 0x3ffffff;
        d >>= 26;
    }
    return r;
}
template <int N> __global__ void limbs(uint32_t *data, int rounds)
{
    number a, b;
#pragma unroll
    for (int i = 0; i < 10; i++) { a.v[i] = data[threadIdx.x + i]; b.v[i] = data[threadIdx.x + 10 + i]; }
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int n = 0; n < N; n++) {
            number c = product(a, b);
            b = a;
            a = c;
        }
    }
#pragma unroll
    for (int i = 0; i < 10; i++) data[2048 + threadIdx.x * 10 + i] = a.v[i];
}
template <int K> __global__ void mixes(uint32_t *data, int rounds)
{
    uint64_t s[8]; uint32_t x = data[threadIdx.x], y = data[threadIdx.x + 1], z[8]; float f[8];
    for (int i = 0; i < 8; i++) { s[i] = data[threadIdx.x + i]; z[i] = data[threadIdx.x + i + 8]; f[i] = (float)z[i]; }
#pragma unroll 1
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int n = 0; n < 16; n++)
#pragma unroll
            for (int i = 0; i < 8; i++) {
                if (K != 6 && K != 5) asm volatile("mad.wide.u32 %0,%1,%2,%0;" : "+l"(s[i]) : "r"((uint32_t)s[(i + 1) & 7]), "r"(y));
                if (K == 5) asm volatile("mad.wide.u32 %0,%1,%2,%0;" : "+l"(s[i]) : "r"((uint32_t)(s[(i + 3) & 7] >> 32)), "r"((uint32_t)s[(i + 1) & 7]));
                if (K == 1) asm volatile("lop3.b32 %0,%0,%1,%2,0x96;" : "+r"(z[i]) : "r"(x), "r"(y));
                if (K == 2) asm volatile("mad.lo.u32 %0,%1,%2,%0;" : "+r"(z[i]) : "r"(x), "r"(y));
                if (K == 3) asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(f[i]));
                if (K == 4) asm volatile("add.cc.u32 %0,%0,%1; addc.u32 %1,%1,%2;" : "+r"(z[i]), "+r"(z[(i + 1) & 7]) : "r"(y));
                if (K == 6) asm volatile("add.cc.u32 %0,%0,%1; addc.u32 %1,%1,%2;" : "+r"(z[i]), "+r"(z[(i + 1) & 7]) : "r"(y));
            }
    uint64_t sum = 0;
    for (int i = 0; i < 8; i++) sum += s[i] + z[i] + (uint32_t)f[i];
    data[2048 + threadIdx.x] = (uint32_t)(sum ^ sum >> 32);
}
int main()
{
    uint32_t *data; cudaMalloc(&data, 1 << 16); cudaMemset(data, 1, 1 << 16);
    for (int threads : {32, 128, 512}) {
        limbs<1><<<1, threads>>>(data, 240); limbs<4><<<1, threads>>>(data, 60); limbs<8><<<1, threads>>>(data, 30); limbs<12><<<1, threads>>>(data, 20); limbs<24><<<1, threads>>>(data, 10);
        mixes<0><<<1, threads>>>(data, 50); mixes<1><<<1, threads>>>(data, 50); mixes<2><<<1, threads>>>(data, 50); mixes<3><<<1, threads>>>(data, 50);
        mixes<4><<<1, threads>>>(data, 50); mixes<5><<<1, threads>>>(data, 50); mixes<6><<<1, threads>>>(data, 50);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
