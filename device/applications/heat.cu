// Heat on a plate: a five-point stencil between two arrays, and every fifth step the change.
#include "application.h"

__global__ void heat_step(const float *from, float *to, int w)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * w + x;
    if (x > 0 && y > 0 && x < w - 1 && y < w - 1)
        to[i] = from[i] + 0.2f * (from[i - 1] + from[i + 1] + from[i - w] + from[i + w] - 4 * from[i]);
}

__global__ void heat_change(const float *a, const float *b, float *change, int n)
{
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += fabsf(a[i] - b[i]);
    for (int k = 16; k; k >>= 1)
        sum += __shfl_down_sync(~0u, sum, k);
    if (!(threadIdx.x & 31))
        atomicAdd(change, sum);
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1024, 20);
    int w = app.size, n = w * w;
    Numbers numbers;
    std::vector<float> start(n);
    for (float &v : start)
        v = numbers.unit();
    float *a = on_device(start), *b = on_device(start), *change = on_device<float>(1);
    cudaMemset(change, 0, 4);
    return run_rounds("heat", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            heat_step<<<dim3(w / 32, w / 8), dim3(32, 8)>>>(s % 2 ? b : a, s % 2 ? a : b, w);
            if (s % 5 == 4)
                heat_change<<<264, 256>>>(a, b, change, n);
        }
    });
}
