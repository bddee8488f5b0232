/* around_probe.cu - what an access that goes around the L1 leaves of the line there: each warp
 * loads a line of its own, accesses it with some lanes around the L1 (its own, or that of the warp
 * beside it in step), and loads it again, each when the one before has been answered. To be run
 * under Nsight Compute; the counters are the result: hits of the last load are all that can hit. */
#include "check.h"

enum { PLAIN, CG, CV, VOLATILE, RELAXED_CTA, RELAXED_GPU, ACQUIRE_GPU, RED, ATOM, WAYS };
static const char *const way_name[] = {
    "plain", "cg", "cv", "volatile", "relaxed.cta", "relaxed.gpu", "acquire.gpu", "red", "atom"};

#define LOAD(how) asm volatile("ld." how ".u32 %0, [%1];" : "=r"(x) : "l"(at) : "memory")
template <int WAY> __device__ int access(int *at)
{
    int x = 0;
    if (WAY == PLAIN)
        LOAD("global");
    else if (WAY == CG)
        LOAD("global.cg");
    else if (WAY == CV)
        LOAD("global.cv");
    else if (WAY == VOLATILE)
        LOAD("volatile.global");
    else if (WAY == RELAXED_CTA)
        LOAD("relaxed.cta.global");
    else if (WAY == RELAXED_GPU)
        LOAD("relaxed.gpu.global");
    else if (WAY == ACQUIRE_GPU)
        LOAD("acquire.gpu.global");
    else if (WAY == RED)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(0) : "memory");
    else
        asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(at), "r"(0) : "memory");
    return x;
}

template <int WAY> __global__ void around(int *in, int *out, int lanes, int other)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = access<PLAIN>(in + i), b = 0;
    if (other)
        __syncthreads();
    if (threadIdx.x % 32 < lanes)
        b = access<WAY>(in + (i ^ other) + a);
    if (other)
        __syncthreads();
    b = __shfl_sync(~0u, b, 0);
    for (int k = 0; WAY == RED && k < 1000; k++) /* nothing tells when it is done */
        b = b * 3 + (k & b);
    out[i] = access<PLAIN>(in + i + b) + a;
}

typedef void (*kernel)(int *, int *, int, int);

int main(void)
{
    static const kernel kernels[] = {around<PLAIN>,       around<CG>,          around<CV>,
                                     around<VOLATILE>,    around<RELAXED_CTA>, around<RELAXED_GPU>,
                                     around<ACQUIRE_GPU>, around<RED>,         around<ATOM>};
    int *in, *out;
    CK(cudaMalloc(&in, 4 << 20));
    CK(cudaMalloc(&out, 4 << 20));
    CK(cudaMemset(in, 0, 4 << 20));
    for (int way = 0; way < WAYS; way++)
        for (int lanes = 1; lanes <= 32; lanes = lanes == 1 ? 8 : lanes * 2)
            for (int other = 0; other <= 32; other += 32) {
                printf("%s,%d,%d\n", way_name[way], lanes, other);
                kernels[way]<<<128, 256>>>(in, out, lanes, other);
                CK(cudaGetLastError());
            }
    CK(cudaDeviceSynchronize());
    return 0;
}
