// Elimination without pivots, a column at a time: launches that shrink with every step.
#include "application.h"

__global__ void scale(float *a, int k, int n)
{
    int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n)
        a[row * n + k] /= a[k * n + k];
}

__global__ void subtract(float *a, int k, int n)
{
    int column = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, row = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n)
        a[row * n + column] -= a[row * n + k] * a[k * n + column];
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 512, 8);
    int n = app.size;
    Numbers numbers;
    std::vector<float> start((size_t)n * n);
    for (int i = 0; i < n * n; i++)
        start[i] = numbers.unit() + (i % (n + 1) ? 0 : n);
    float *matrix = on_device(start), *work = on_device<float>(start.size());
    return run_rounds("eliminate", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            cudaMemcpyAsync(work, matrix, start.size() * 4, cudaMemcpyDeviceToDevice);
            for (int k = 0; k < n - 1; k++) {
                unsigned left = n - 1 - k;
                scale<<<blocks_of(left, 128), 128>>>(work, k, n);
                subtract<<<dim3(blocks_of(left, 32), blocks_of(left, 8)), dim3(32, 8)>>>(work, k, n);
            }
        }
    });
}
