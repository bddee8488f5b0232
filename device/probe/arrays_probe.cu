/* arrays_probe.cu - what leaves the L2 of arrays that a launch reads and writes in place, by how many
 * they are and how they lie: in allocations of their own, or so far apart in one. To be run under
 * Nsight Compute; sectors written to DRAM are the result. */
#include "launched.h"

#include <cuda_runtime.h>

struct arrays {
    float *at[8];
};

// Element i of all: `reads` of them are read, the first `writes` written afterwards.
template <int READS, int WRITES> __global__ void step(struct arrays a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < READS; k++)
        v[k] = a.at[k][i];
    float sum = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
#pragma unroll
    for (int k = 0; k < WRITES; k++)
        a.at[k][i] = v[k] + sum;
    if (!WRITES && sum == 77)
        a.at[0][i] = sum;
}

template <int READS, int WRITES> static void run(struct arrays a, int n, const char *how)
{
    step<READS, WRITES><<<(n + 255) / 256, 256>>>(a, n);
    LAUNCHED("%s reads=%d writes=%d n=%d", how, READS, WRITES, n);
}

static void all(struct arrays a, int n, const char *how)
{
    run<6, 6>(a, n, how);
    run<7, 6>(a, n, how);
    run<0, 6>(a, n, how);
    run<7, 0>(a, n, how);
    run<6, 4>(a, n, how);
}

int main()
{
    for (int n : {1000000, 1 << 20}) {
        struct arrays a;
        for (int k = 0; k < 8; k++)
            CK(cudaMalloc(&a.at[k], n * 4));
        for (int k = 0; k < 8; k++)
            printf("at %d %p\n", k, (void *)a.at[k]);
        all(a, n, "own");
        all(a, n, "own again");
        for (int k = 0; k < 8; k++)
            CK(cudaFree(a.at[k]));
        char *one;
        CK(cudaMalloc(&one, (size_t)512 << 20));
        for (size_t pitch : {(size_t)4000256, (size_t)4 << 20, ((size_t)4 << 20) + 4096 + 128, (size_t)6 << 20,
                             (size_t)8 << 20, (size_t)32 << 20, (size_t)64 << 20}) {
            char how[64];
            if (pitch < (size_t)n * 4)
                continue;
            for (int k = 0; k < 8; k++)
                a.at[k] = (float *)(one + k * pitch);
            snprintf(how, sizeof how, "one pitch=%zu", pitch);
            all(a, n, how);
        }
        CK(cudaFree(one));
    }
    return 0;
}
