// transpose.cu - a matrix transposed in two ways: straight, where either the loads or the stores
// of a warp are scattered, and through a tile in shared memory.
//
//   scripts/strata-clang -o transpose examples/transpose.cu
//   strata trace -o transpose.strata -- ./transpose
//   strata predict transpose.strata --gpu h200
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

enum { TILE = 32, ROWS = 8 };

__global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        out[x * n + y + row] = in[(y + row) * n + x];
}

__global__ void transpose_tiled(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + 1]; // one more column: no two lanes in the same bank
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        out[(y + row) * n + x] = tile[threadIdx.x][threadIdx.y + row];
}

static void must(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "transpose: %s\n", cudaGetErrorString(status));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) / TILE * TILE : 512;
    size_t bytes = (size_t)n * n * sizeof(float);
    std::vector<float> in((size_t)n * n), out((size_t)n * n);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (float)i;
    float *d_in, *d_out;
    must(cudaMalloc(&d_in, bytes));
    must(cudaMalloc(&d_out, bytes));
    must(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    dim3 grid(n / TILE, n / TILE), block(TILE, ROWS);
    size_t wrong = 0;
    for (int version = 0; version < 2; version++) {
        must(cudaMemset(d_out, 0, bytes));
        if (version)
            transpose_tiled<<<grid, block>>>(d_in, d_out, n);
        else
            transpose_naive<<<grid, block>>>(d_in, d_out, n);
        must(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                wrong += out[(size_t)x * n + y] != in[(size_t)y * n + x];
    }
    printf("transpose: %d x %d in two ways, %zu elements wrong\n", n, n, wrong);
    cudaFree(d_in);
    cudaFree(d_out);
    return wrong != 0;
}
