// The source of matmul_clang.ptx and matmul_nvcc.ptx: a naive matrix product and a five-point stencil.
//   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib --cuda-path=/nonexistent
//         -S -O2 matmul.cu -o matmul_clang.ptx
//   nvcc -ptx -arch=sm_75 matmul.cu -o matmul_nvcc.ptx
#if defined __clang__ && !defined __NVCC__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; };
#include <__clang_cuda_builtin_vars.h>
#endif

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}

extern "C" __global__ void stencil(const float *in, float *out, int n)
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
        out[i * n + j] = 0.2f * (in[i * n + j] + in[i * n + j - 1] + in[i * n + j + 1] +
                                 in[(i - 1) * n + j] + in[(i + 1) * n + j]);
}
