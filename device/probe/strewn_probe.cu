/* strewn_probe.cu - dirty lines of the L2 and tags of the L1 where what is written lies apart: every
 * warp of the GPU writes so many lines of its own, W lines from those of the next slot (as local
 * memory lies), and reads them in rounds; or lines are written at drawn places of a range, alone or
 * in runs of 16 and 256. To be run under Nsight Compute; the counters are the result. */
#include "check.h"
#include <cstdint>

__global__ void __launch_bounds__(1024, 2) slots(int *base, int *out, long long W, int words)
{
    unsigned s, w;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(w));
    int *a = base + (s * 64 + w) * W * 32 + (threadIdx.x & 31);
    for (int k = 0; k < words; k++)
        a[k * 32] = k;
    __syncthreads();
    int sum = 0;
    for (int r = 0; r < 8; r++) {
        for (int k = 0; k < words; k++)
            sum += a[k * 32];
        __syncthreads();
    }
    if (sum == -1)
        out[threadIdx.x] = sum;
}

__device__ inline uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}
__global__ void drawn(uint4 *a, unsigned n, int bits, unsigned lines)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
             warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x & 31;
    for (unsigned i = warp; i < n; i += warps) {
        uint64_t line = mix((uint64_t)(i >> bits) << 8 | 1) & (lines - 1);
        line ^= i & ((1u << bits) - 1);
        if (lane < 8)
            a[line * 8 + lane] = make_uint4(i, i, i, i);
    }
}

int main(void)
{
    int *base, *out;
    CK(cudaMalloc(&base, (size_t)4 << 30));
    CK(cudaMalloc(&out, 1 << 20));
    static const int apart[] = {20,  32,  64,  128, 256, 264, 276, 280,
                                288, 320, 384, 400, 444, 512, 2144},
                     words[] = {8, 16, 18};
    for (int w : apart)
        for (int k : words) {
            printf("slots %d lines apart, %d each\n", w, k);
            slots<<<264, 1024>>>(base, out, w, k);
        }
    for (unsigned mb = 32; mb <= 4096; mb *= 2)
        for (int bits = 0; bits <= 8; bits += 4) {
            printf("drawn from %u MB in runs of %d\n", mb, 1 << bits);
            drawn<<<264, 1024>>>((uint4 *)base, 152000, bits, mb * 8192u);
        }
    CK(cudaDeviceSynchronize());
    return 0;
}
