// nested.cu - a kernel that launches a kernel (nvcc -rdc=true -lcudadevrt): not supported.
#include <cuda_runtime.h>

__global__ void inner(int *x)
{
    x[threadIdx.x] = 1;
}
__global__ void outer(int *x)
{
    inner<<<1, 32>>>(x);
}

int main()
{
    int *d;
    cudaMalloc(&d, 128);
    outer<<<1, 1>>>(d);
    return cudaDeviceSynchronize() != cudaSuccess;
}
