// What a launch reads from the L2 besides its data: kernels that do nothing, little, and have many parameters.
#include <cstdio>
struct Many { int word[240]; };
__global__ void empty() {}
__global__ void takes_one(int *p) { if (p == (int *)1) *p = 1; }
__global__ void takes_many(Many m, int *p) { if (m.word[threadIdx.x] == 12345) *p = 1; }
__global__ void stores(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void loads(const int *q, int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = q[blockIdx.x * blockDim.x + threadIdx.x] + 1; }
template <int N> __global__ void code(int *p) { int v = threadIdx.x;
#pragma unroll
    for (int i = 0; i < N; i++) v = v * 1664525 + (v >> 7) + i * 77;
    p[blockIdx.x * blockDim.x + threadIdx.x] = v; }
int main()
{
    int *p, *q; cudaMalloc(&p, 1 << 20); cudaMalloc(&q, 1 << 20); Many m = {};
    for (int k = 0; k < 3; k++)
        for (int grid : {1, 32, 264}) {
            empty<<<grid, 128>>>(); takes_one<<<grid, 128>>>(p); takes_many<<<grid, 128>>>(m, p);
            stores<<<grid, 128>>>(p); loads<<<grid, 128>>>(q, p); code<50><<<grid, 128>>>(p); code<400><<<grid, 128>>>(p);
        }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
