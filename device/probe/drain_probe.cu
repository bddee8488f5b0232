/* drain_probe.cu - do loads wait for stores that leave the L1?
 *
 * Each warp loads its own line, which the L1 holds, computes for a while and stores N lines of its own, again and again. Prints a line a launch: lines, steps
 * of arithmetic, warps, cycles a round by warp 0's clock; sectors written by the profiler. */
#include <cstdio>
template <int LINES, int STEPS> __global__ void drain(unsigned *data, unsigned *out, long long *took)
{
    unsigned *p = data + threadIdx.x, *q = out + threadIdx.x, x;
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
    __syncthreads();
    long long t = clock64();
#pragma unroll 4
    for (int i = 0; i < 400; i++) {
        asm volatile("ld.global.u32 %0,[%1];" : "=r"(x) : "l"(p) : "memory");
#pragma unroll
        for (int k = 0; k < STEPS; k++) asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
#pragma unroll
        for (int k = 0; k < LINES; k++) asm volatile("st.global.u32 [%0],%1;" ::"l"(q + k * 1024), "r"(x) : "memory");
    }
    t = clock64() - t;
    if (threadIdx.x == 0) *took = t;
}
static unsigned *data, *out;
static long long *took;
template <int LINES, int STEPS> void measure()
{
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        drain<LINES, STEPS><<<1, 32 * warps>>>(data, out, took);
        long long t; cudaMemcpy(&t, took, 8, cudaMemcpyDeviceToHost);
        printf("drain,%d,%d,%d,%.2f\n", LINES, STEPS, warps, t / 400.0);
    }
}
int main()
{
    cudaMalloc(&data, 1 << 16); cudaMalloc(&out, 1 << 18); cudaMalloc(&took, 8); cudaMemset(data, 1, 1 << 16);
    measure<0, 5>(); measure<1, 5>(); measure<2, 5>(); measure<4, 5>(); measure<0, 40>(); measure<1, 40>(); measure<2, 40>(); measure<4, 40>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
