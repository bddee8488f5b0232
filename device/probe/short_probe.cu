/* short_probe.cu - what a launch of a few thousand cycles is made of: nothing, a store, a copy, a
 * load behind a load, a barrier, some arithmetic, in grids from one block to several waves. Each
 * shape is launched three times, a round after the other, so that a stray time shows. To be run
 * under Nsight Compute; the counters are the result. */
#include "check.h"

__global__ void nothing(const int *in, int *out)
{
}

__global__ void store(const int *in, int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
}

__global__ void copy(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1;
}

// The second load's address comes from the first.
__global__ void chain(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[in[i] + i];
}

__global__ void chain4(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i;
    for (int k = 0; k < 4; k++)
        at = in[at + k * 65536] + i;
    out[i] = at;
}

__global__ void meet(const int *in, int *out)
{
    __shared__ int of[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    of[threadIdx.x] = i;
    __syncthreads();
    out[i] = of[blockDim.x - 1 - threadIdx.x];
}

// One thread of the block works, as the last step of a reduction does.
__global__ void first_thread(const int *in, int *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = in[blockIdx.x] + 1;
}

__global__ void arithmetic(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i * 0.001f;
#pragma unroll
    for (int k = 0; k < 16; k++)
        x = sqrtf(x * x + 1.0f);
    out[i] = (int)x;
}

// N instructions in a row, run once: what fetching them costs and how many sectors it reads.
template <int N> __global__ void straight(const int *in, int *out)
{
    int x = threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; k++)
        asm volatile("mad.lo.s32 %0, %0, %0, %1;" : "+r"(x) : "r"(k * 77 + 5));
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

typedef void (*kernel)(const int *, int *);

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        kernel run;
        int most_blocks;
    } kernels[] = {{"nothing", nothing, 4224},
                   {"store", store, 4224},
                   {"copy", copy, 4224},
                   {"chain", chain, 4224},
                   {"chain4", chain4, 4224},
                   {"meet", meet, 4224},
                   {"first", first_thread, 4224},
                   {"arithmetic", arithmetic, 4224},
                   {"straight256", straight<256>, 264},
                   {"straight2048", straight<2048>, 264},
                   {"straight8192", straight<8192>, 132}};
    static const int blocks[] = {1, 8, 32, 132, 264, 1056, 4224}, threads[] = {32, 256, 1024};
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    int *in, *out;
    CK(cudaMalloc(&in, 64 << 20));
    CK(cudaMalloc(&out, 64 << 20));
    CK(cudaMemset(in, 0, 64 << 20));
    for (int round = 0; round < rounds; round++)
        for (auto &k : kernels)
            for (int b : blocks)
                for (int t : threads) {
                    if (b > k.most_blocks)
                        continue;
                    printf("%s,%d,%d,%d\n", k.name, b, t, round);
                    k.run<<<b, t>>>(in, out);
                    CK(cudaGetLastError());
                }
    CK(cudaDeviceSynchronize());
    return 0;
}
