/* strided_hits_probe.cu - how long a load that hits the L1 takes by the lines its lanes ask for.
 *
 * Warps on schedulers by turns load `times` words a lane, each from an address that hangs on the
 * load before. Of a warp's lanes the first `lanes` load, `stride` bytes apart; the lines are
 * brought in before. So stride and lanes say how many lines a load asks for and how many words of
 * them lie in one bank. kind: 0 loads of 4 bytes, 1 of 8, 2 of 16; 3 loads of shared memory. No
 * clock is read: models can run the same instructions. To be run under Nsight Compute. */
#include "launched.h"

template <int KIND> __device__ unsigned load(const char *p)
{
    unsigned v = 0, w;
    if (KIND == 0)
        asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    if (KIND == 1)
        asm volatile("ld.global.v2.u32 {%0,%1},[%2];" : "=r"(v), "=r"(w) : "l"(p) : "memory");
    if (KIND == 2)
        asm volatile("ld.global.v4.u32 {%0,%1,%1,%1},[%2];" : "=r"(v), "=r"(w) : "l"(p) : "memory");
    if (KIND == 3)
        asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"((unsigned)(size_t)p) : "memory");
    return v;
}

template <int KIND>
__global__ void hits(const char *data, unsigned *sums, int times, int lanes, int stride)
{
    extern __shared__ unsigned held[];
    unsigned lane = threadIdx.x % 32, v = 0;
    if (KIND == 3)
        for (int i = threadIdx.x; i < 1024; i += blockDim.x)
            held[i] = 0;
    __syncthreads();
    const char *p = KIND == 3 ? (const char *)(size_t)((unsigned)__cvta_generic_to_shared(held) +
                                                       lane * stride % 4096)
                              : data + (size_t)lane * stride;
    if (lane < lanes) {
        v = load<KIND>(p);
        __syncwarp(__activemask());
        for (int i = 0; i < times; i += 8) {
#pragma unroll
            for (int k = 0; k < 8; k++)
                v = load<KIND>(p + v);
        }
    }
    sums[threadIdx.x] = v;
}

static char *data;
static unsigned *sums;
template <int KIND> static void run(int warps, int lanes, int stride)
{
    const int times = 256;
    hits<KIND><<<1, warps * 32, 4096>>>(data, sums, times, lanes, stride);
    LAUNCHED("hits kind=%d warps=%d lanes=%d stride=%d times=%d", KIND, warps, lanes, stride, times);
}

int main()
{
    CK(cudaMalloc(&data, 4 << 20));
    CK(cudaMalloc(&sums, 1 << 16));
    CK(cudaMemset(data, 0, 4 << 20));
    for (int lanes : {1, 2, 4, 8, 16, 24, 32})
        for (int stride : {4, 8, 32, 64, 128, 132, 256, 1024, 4096, 16384, 16512, 16516})
            run<0>(1, lanes, stride);
    for (int warps : {2, 4, 8, 16})
        for (int lanes : {1, 8, 32})
            for (int stride : {128, 132, 4096, 16512})
                run<0>(warps, lanes, stride);
    for (int lanes : {1, 4, 8, 16, 32})
        for (int stride : {16, 128, 144}) {
            run<1>(1, lanes, stride);
            run<2>(1, lanes, stride);
        }
    for (int lanes : {1, 2, 8, 16, 32})
        for (int stride : {4, 8, 128})
            run<3>(1, lanes, stride);
    return 0;
}
