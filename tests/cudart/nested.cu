// nested.cu - kernels that launch kernels (nvcc -rdc=true -lcudadevrt): each runs after the one that
// launched it, with its own parameters, down to the last generation.
#include "check.h"

__global__ void leaf(int *x, int value)
{
    x[threadIdx.x] += value;
}
__global__ void generations(int *x, int depth)
{
    if (threadIdx.x == 0)
        atomicAdd(&x[32 + depth], 1);
    if (threadIdx.x < 2 && depth > 0)
        generations<<<1, 32>>>(x, depth - 1);
    if (threadIdx.x == 0 && depth == 0)
        leaf<<<1, 32>>>(x, 3);
}
__global__ void tail(int *x)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    leaf<<<1, 32, 0, s>>>(x, 1000);
    leaf<<<1, 32, 0, cudaStreamTailLaunch>>>(x, 2000);
    cudaStreamDestroy(s);
}

int main()
{
    int *d, x[40];
    OKAY(cudaMalloc(&d, sizeof x));
    OKAY(cudaMemset(d, 0, sizeof x));
    generations<<<2, 32>>>(d, 3);
    tail<<<1, 1>>>(d);
    OKAY(cudaDeviceSynchronize());
    OKAY(cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(x[i] == 16 * 3 + 3000);
    for (int depth = 0; depth < 4; depth++)
        CHECK(x[32 + depth] == 2 << (3 - depth));
    return finish("nested");
}
