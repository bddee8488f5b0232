// skipped_probe.cu - what a launch reads of code that no warp runs, and which first reads of an SM
// leave it as one.
//
// `middle`: N steps of arithmetic that are jumped over, then 16 that are run. `turns`: N groups of
// RUN steps that are run and LEFT that are jumped over. The sectors that DRAM gives say how much of
// the code was brought in. `begin`: every thread of some blocks reads a byte, a sector a warp; each
// launch five times. To be run under Nsight Compute.
#include "check.h"

__device__ __forceinline__ unsigned step(unsigned v, unsigned i)
{
    asm volatile("mad.lo.u32 %0,%0,%1,%2;" : "+r"(v) : "r"(i * 1664525u + 77), "r"(v >> 7));
    return v;
}
template <int N> __global__ void middle(unsigned *to, unsigned never)
{
    unsigned v = threadIdx.x;
    if (never == v + 1) {
#pragma unroll
        for (int i = 0; i < N; i++)
            v = step(v, i);
    }
#pragma unroll
    for (int i = 0; i < 16; i++)
        v = step(v, 7777 + i);
    to[threadIdx.x] = v;
}
template <int N, int RUN, int LEFT> __global__ void turns(unsigned *to, unsigned never)
{
    unsigned v = threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; k++) {
#pragma unroll
        for (int i = 0; i < RUN; i++)
            v = step(v, k * 1000 + i);
        if (never == v + k + 1) {
#pragma unroll
            for (int i = 0; i < LEFT; i++)
                v = step(v, k * 1000 + 500 + i);
        }
    }
    to[threadIdx.x] = v;
}
__global__ void begin(const unsigned char *a, unsigned *to)
{
    if (a[blockIdx.x * blockDim.x + threadIdx.x] == 77)
        *to = 1;
}
static unsigned *to;
static void done(const char *what, int n, int run, int left)
{
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    printf("%s,%d,%d,%d\n", what, n, run, left);
}
template <int N> static void jump()
{
    middle<N><<<1, 32>>>(to, 1 << 30);
    done("middle", N, 16, N);
}
template <int N, int RUN, int LEFT> static void turn(int blocks)
{
    turns<N, RUN, LEFT><<<blocks, 32>>>(to, 1 << 30);
    done(blocks == 1 ? "turns" : "turns132", N, RUN, LEFT);
}
int main()
{
    unsigned char *a;
    CK(cudaMalloc(&to, 4096));
    CK(cudaMalloc(&a, 1 << 22));
    CK(cudaMemset(a, 0, 1 << 22));
    jump<1>(), jump<64>(), jump<256>(), jump<1024>(), jump<2048>(), jump<4096>(), jump<8192>();
    turn<16, 16, 16>(1), turn<64, 16, 16>(1), turn<256, 16, 16>(1), turn<64, 16, 64>(1);
    turn<32, 16, 256>(1), turn<16, 16, 500>(1), turn<128, 64, 16>(1), turn<256, 16, 16>(132);
    turn<32, 16, 256>(132);
    for (int blocks : {1, 2, 3, 4, 8, 16})
        for (int warps : {1, 2, 4, 8, 16})
            for (int k = 0; k < 4; k++) {
                begin<<<blocks, 32 * warps>>>(a, to);
                CK(cudaDeviceSynchronize());
                printf("begin,%d,%d,%d\n", blocks, warps, k);
            }
    return 0;
}
