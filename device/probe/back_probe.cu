/* back_probe.cu - does a warp that reads back what it has just written find it, while stores of all
 * warps fill the load/store unit's way out?
 *
 * A lane writes RECORDS records of 64 bytes, STRIDE bytes apart from its neighbours', in pieces of 16,
 * 8, 8 and 16 bytes; BACK reads 8 bytes of the first piece again behind the second one, and AFTER needs
 * them for the next record. MATH products stand between two pieces, as in programs that compute what
 * they write. The records of a warp are 16 to 128 lines, so that stores leave slower than they are
 * made. Where the load stands right behind its warp's stores its words are still in the L1, and
 * nothing is returned; where other warps' stores come between, their lines drive them out. To be run
 * under Nsight Compute: sectors returned (l1tex__m_xbar2l1tex_read_sectors), writes and cycles are the
 * result. Prints a line a launch: stride, back, after, math, blocks, warps, sectors written. */
#include <cstdio>
#include <cuda_runtime.h>

enum { RECORDS = 4, MOST_WARPS = 264 * 32 };

static __device__ void st4(char *p, unsigned v)
{
    asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(v) : "memory");
}
static __device__ void st2(char *p, unsigned v)
{
    asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(p), "r"(v) : "memory");
}
static __device__ unsigned ld2(const char *p)
{
    unsigned a, b;
    asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
    return a + b;
}
template <int MATH> static __device__ unsigned products(unsigned v)
{
#pragma unroll
    for (int k = 0; k < MATH; k++)
        asm volatile("mad.lo.u32 %0, %0, %0, 7;" : "+r"(v));
    return v;
}

template <int STRIDE, bool BACK, bool AFTER, int MATH> __global__ void records(char *data)
{
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, v = warp, sum = 0;
    char *p = data + ((size_t)warp * RECORDS * 32 + lane) * STRIDE;
#pragma unroll
    for (int k = 0; k < RECORDS; k++, p += 32 * STRIDE) {
        v = products<MATH>(v), st4(p, v);
        v = products<MATH>(v), st2(p + 16, v);
        if (BACK)
            sum += ld2(p + 8);
        if (AFTER)
            v += sum;
        v = products<MATH>(v), st2(p + 24, v);
        v = products<MATH>(v), st4(p + 32, v);
    }
    if (sum == 1)
        st2(data, sum);
}

static char *data;

template <int STRIDE, bool BACK, bool AFTER, int MATH> static void run()
{
    for (int warps : {4, 8, 32})
        for (int blocks : {132, 264}) {
            printf("%d,%d,%d,%d,%d,%d,%d\n", STRIDE, BACK, AFTER, MATH, blocks, warps, blocks * warps * 32 * RECORDS * 2);
            records<STRIDE, BACK, AFTER, MATH><<<blocks, warps * 32>>>(data);
        }
}
template <int STRIDE> static void all()
{
    run<STRIDE, false, false, 0>(), run<STRIDE, true, false, 0>(), run<STRIDE, true, true, 0>();
    run<STRIDE, false, false, 16>(), run<STRIDE, true, false, 16>(), run<STRIDE, true, true, 16>();
}

int main()
{
    size_t bytes = (size_t)MOST_WARPS * RECORDS * 32 * 256;
    cudaMalloc(&data, bytes);
    cudaMemset(data, 0, bytes);
    printf("stride,back,after,math,blocks,warps,sectors\n");
    all<64>(), all<128>(), all<256>();
    cudaError_t status = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
