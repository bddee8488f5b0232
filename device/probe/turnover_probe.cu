/* turnover_probe.cu - how fast blocks that do little follow one another: kernels that do nothing,
 * that compare an index, that store one word a thread, that load one and that load and store, for
 * blocks of 1 to 32 warps and 2 to 32 blocks more than an SM holds. To be run under Nsight Compute;
 * the cycles are the result. */
#include "check.h"

__global__ void nothing(void) {}

__global__ void compares(float *out, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        out[i] = v;
}

__global__ void stores(float *out, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = v;
}

__global__ void stores_at_once(float *out, float v)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void stores_one(float *out, float v)
{
    if (threadIdx.x == 0)
        out[blockIdx.x * 32] = v;
}

__global__ void loads(float *out, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && out[i] == v)
        out[i] = 0;
}

__global__ void adds(float *out, float v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i + n] = out[i] + v;
}

int main(void)
{
    float *out;
    CK(cudaMalloc(&out, 512u << 20));
    CK(cudaMemset(out, 0, 512u << 20));
    const int blocks[] = {264, 1056, 2112, 4096, 8448, 16896};
    for (int warps = 1; warps <= 32; warps *= 2)
        for (int b = 0; b < 6; b++) {
            int n = blocks[b] * warps * 32;
            if (warps > 8 && blocks[b] > 8448)
                continue;
            printf("%d,%d\n", warps, blocks[b]);
            nothing<<<blocks[b], warps * 32>>>();
            compares<<<blocks[b], warps * 32>>>(out, 1.0f, n);
            stores<<<blocks[b], warps * 32>>>(out, 1.0f, n);
            stores_at_once<<<blocks[b], warps * 32>>>(out, 1.0f);
            stores_one<<<blocks[b], warps * 32>>>(out, 1.0f);
            loads<<<blocks[b], warps * 32>>>(out, 2.0f, n);
            adds<<<blocks[b], warps * 32>>>(out, 1.0f, n);
        }
    CK(cudaDeviceSynchronize());
    return 0;
}
