// A seven-point stencil in three dimensions on arrays larger than the L2, and a sum of each result.
#include "application.h"

__global__ void smooth(const float *from, float *to, int w)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    size_t plane = (size_t)w * w, i = z * plane + (size_t)y * w + x;
    if (x > 0 && y > 0 && z > 0 && x < w - 1 && y < w - 1 && z < w - 1)
        to[i] = 0.4f * from[i] + 0.1f * (from[i - 1] + from[i + 1] + from[i - w] + from[i + w] + from[i - plane] + from[i + plane]);
}

__global__ void add_up(const float4 *x, float *out, size_t n)
{
    float sum = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int k = 16; k; k >>= 1)
        sum += __shfl_down_sync(~0u, sum, k);
    if (!(threadIdx.x & 31))
        atomicAdd(out, sum);
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 256, 10);
    int w = app.size;
    size_t n = (size_t)w * w * w;
    float *a = on_device<float>(n), *b = on_device<float>(n), *sum = on_device<float>(1);
    cudaMemset(a, 0, n * 4);
    cudaMemset(b, 0, n * 4);
    cudaMemset(sum, 0, 4);
    return run_rounds("volume", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            smooth<<<dim3(w / 32, w / 8, w), dim3(32, 8)>>>(s % 2 ? b : a, s % 2 ? a : b, w);
            add_up<<<528, 256>>>((const float4 *)(s % 2 ? a : b), sum, n / 4);
        }
    });
}
