// separate_b.cu - see separate_a.cu.
#include <cuda_runtime.h>

__device__ int offset = 0;
__constant__ int factor = 7;
__device__ __noinline__ int transform(int x)
{
    return x * x;
}
void set_offset(int value)
{
    cudaMemcpyToSymbol(offset, &value, sizeof value);
}
