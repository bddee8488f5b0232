// units_b.cu - see units_a.cu.
#include <cuda_runtime.h>

__constant__ int scale_b = 10;
__device__ int scale = 0; // the same name as a constant of the other unit
static __global__ void apply(int *x)
{
    x[threadIdx.x] = x[threadIdx.x] * scale_b + scale;
}

void apply_b(int *x, int value)
{
    cudaMemcpyToSymbol(scale, &value, sizeof value);
    apply<<<1, 32>>>(x);
}
