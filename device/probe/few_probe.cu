// few_probe.cu - what the L2 is asked for by grids of a few blocks that read the same data.
//
// Blocks of `warps` warps read, warp by warp, the same lines (`same`), sectors of one line that are
// each block's own (`parts`: the sector is the block's number modulo 4), or rows and columns of two
// small matrices, word by word (`rows`).
#include "check.h"

__global__ void same(const int *data, int *out, int lines)
{
    int sum = 0;
    for (int i = threadIdx.x / 32; i < lines; i += blockDim.x / 32)
        sum += data[i * 32 + threadIdx.x % 32];
    if (sum == 12345)
        out[0] = sum;
}
__global__ void parts(const int *data, int *out, int lines)
{
    int sum = 0;
    if (threadIdx.x % 32 < 8)
        for (int i = threadIdx.x / 32; i < lines; i += blockDim.x / 32)
            sum += data[i * 32 + blockIdx.x % 4 * 8 + threadIdx.x % 32];
    if (sum == 12345)
        out[0] = sum;
}
__global__ void rows(const int *data, int *out, int n)
{
    int sum = 0, row = blockIdx.x / 2 % 2 * 2 + threadIdx.x / 2 % 2, col = blockIdx.x % 2 * 2 + threadIdx.x % 2;
    for (int k = 0; k < n; k++)
        sum += data[row * n + k] * data[4096 + k * n + col];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
int main()
{
    int *data, *out;
    CK(cudaMalloc(&data, 1 << 20));
    CK(cudaMalloc(&out, 1 << 20));
    CK(cudaMemset(data, 1, 1 << 20));
    for (int blocks : {1, 2, 3, 4, 6, 8, 12, 16, 32})
        for (int lines : {1, 8, 64})
            for (int warps : {1, 8}) {
                if (warps > lines)
                    continue;
                same<<<blocks, warps * 32>>>(data, out, lines);
                parts<<<blocks, warps * 32>>>(data, out, lines);
            }
    for (int blocks : {1, 2, 3, 4, 8, 16})
        for (int n : {4, 8, 32})
            rows<<<blocks, 4>>>(data, out, n);
    CK(cudaDeviceSynchronize());
    return 0;
}
