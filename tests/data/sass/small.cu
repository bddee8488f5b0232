// small.cu - what the tests of src/sass read. The cubins were made in /tmp/sass by
//   nvcc -arch=sm_75 -lineinfo -cubin -o small75.cubin small.cu, the same for sm_90 and sm_90a,
//   nvcc -arch=sm_90 -dc -cubin -o relocatable90.cubin small.cu, and
//   nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -fatbin -o small.fatbin small.cu
#include <cstdio>

__constant__ float table[4] = {1, 2, 3, 4};
__device__ int counter = 7;

struct pair {
    int a;
    double b;
};

__device__ __noinline__ int twice(int x)
{
    return x * counter;
}

extern "C" __global__ void __launch_bounds__(128) small(float *out, pair p, short s)
{
    __shared__ float shared[64];
    int i = threadIdx.x;
    shared[i & 63] = out[i] * table[i & 3];
    __syncthreads();
    out[i] = shared[63 - (i & 63)] + (float)p.b;
    if (i == 0)
        atomicAdd(&counter, twice(p.a + s));
}

extern "C" __global__ void says(int n)
{
    printf("%d\n", n);
}
