// vecadd.cu - adds two vectors and checks the sum on the host.
//
//   scripts/strata-clang -o vecadd examples/vecadd.cu     (or: nvcc -cudart shared -o vecadd examples/vecadd.cu)
//   strata trace -o vecadd.strata -- ./vecadd
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void vecadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

static void must(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "vecadd: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100000;
    size_t bytes = (size_t)n * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)i + 1.0f;
    }
    float *da, *db, *dc;
    must(cudaMalloc(&da, bytes));
    must(cudaMalloc(&db, bytes));
    must(cudaMalloc(&dc, bytes));
    must(cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice));
    vecadd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    must(cudaGetLastError());
    must(cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += c[i] != a[i] + b[i];
    printf("vecadd: %d elements, %d wrong\n", n, wrong);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    free(a);
    free(b);
    free(c);
    return wrong != 0;
}
