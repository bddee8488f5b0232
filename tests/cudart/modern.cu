// modern.cu - cooperative groups, grid-wide barriers, half precision and asynchronous copies as
// nvcc's headers write them.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

namespace cg = cooperative_groups;

__global__ void tiles(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0)
        out[tile.meta_group_rank()] = sum;
}

__global__ void two_phases(int *x, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        x[i] = (int)i;
    grid.sync();
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    grid.sync();
    if (grid.thread_rank() < n)
        x[grid.thread_rank()] = sum;
}

__global__ void halves(const float *in, float *out)
{
    __half2 a = __floats2half2_rn(in[threadIdx.x], 2.0f);
    __half2 b = __hfma2(a, a, __float2half2_rn(0.5f));
    out[threadIdx.x] = __low2float(b) + __high2float(b);
}

int main()
{
    int in[64], out[64], *d_in, *d_out;
    for (int i = 0; i < 64; i++)
        in[i] = i;
    OKAY(cudaMalloc(&d_in, sizeof in));
    OKAY(cudaMalloc(&d_out, sizeof out));
    OKAY(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    tiles<<<1, 64>>>(d_in, d_out);
    OKAY(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 28 && out[7] == 28 + 7 * 64);
    int n = 64;
    void *args[] = {&d_out, &n};
    OKAY(cudaLaunchCooperativeKernel((void *)two_phases, dim3(4), dim3(16), args, 0, 0));
    OKAY(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 2016 && out[63] == 2016);
    CHECK(cudaLaunchCooperativeKernel((void *)two_phases, dim3(1 << 20), dim3(1024), args, 0, 0) ==
          cudaErrorCooperativeLaunchTooLarge);
    cudaGetLastError();
    float f[32], *d_f, *d_g;
    for (int i = 0; i < 32; i++)
        f[i] = (float)i;
    OKAY(cudaMalloc(&d_f, sizeof f));
    OKAY(cudaMalloc(&d_g, sizeof f));
    OKAY(cudaMemcpy(d_f, f, sizeof f, cudaMemcpyHostToDevice));
    halves<<<1, 32>>>(d_f, d_g);
    OKAY(cudaMemcpy(f, d_g, sizeof f, cudaMemcpyDeviceToHost));
    CHECK(f[0] == 5.0f && f[10] == 105.0f && f[31] == 966.0f);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_f);
    cudaFree(d_g);
    return finish("modern");
}
