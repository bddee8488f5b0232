// Conjugate gradients on a five-point matrix in CSR: products with the matrix, dot products, vector updates.
#include "application.h"

__global__ void spmv(const int *row, const int *column, const float *value, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++)
        sum += value[k] * x[column[k]];
    y[i] = sum;
}

__global__ void dot(const float *a, const float *b, float *out, int n)
{
    __shared__ float part[8];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    for (int k = 16; k; k >>= 1)
        sum += __shfl_down_sync(~0u, sum, k);
    if (!(threadIdx.x & 31))
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = part[threadIdx.x];
        for (int k = 4; k; k >>= 1)
            sum += __shfl_down_sync(0xffu, sum, k);
        if (!threadIdx.x)
            atomicAdd(out, sum);
    }
}

__global__ void update(float *x, float *r, const float *p, const float *q, const float *rr, const float *pq, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float alpha = *rr / (*pq + 1e-20f);
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
}

__global__ void direction(float *p, const float *r, const float *now, const float *before, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = r[i] + *now / (*before + 1e-20f) * p[i];
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 512, 6);
    int w = app.size, n = w * w;
    std::vector<int> row{0}, column;
    std::vector<float> value;
    for (int i = 0; i < n; i++) {
        for (int d : {-w, -1, 0, 1, w})
            if (i + d >= 0 && i + d < n) {
                column.push_back(i + d);
                value.push_back(d ? -1.f : 4.01f);
            }
        row.push_back((int)column.size());
    }
    int *rows = on_device(row), *columns = on_device(column);
    float *values = on_device(value), *x = on_device(std::vector<float>(n, 0.f)), *r = on_device(std::vector<float>(n, 1.f)),
          *p = on_device(std::vector<float>(n, 1.f)), *q = on_device<float>(n), *scalar = on_device<float>(3 * 64);
    unsigned g = blocks_of(n);
    return run_rounds("gradient", app, 0, [&] {
        cudaMemsetAsync(scalar, 0, 3 * 64 * 4);
        for (int s = 0; s < app.steps; s++) {
            float *pq = scalar + 3 * (s % 64), *rr = pq + 1, *next = pq + 2;
            spmv<<<g, 256>>>(rows, columns, values, p, q, n);
            dot<<<132, 256>>>(p, q, pq, n);
            dot<<<132, 256>>>(r, r, rr, n);
            update<<<g, 256>>>(x, r, p, q, rr, pq, n);
            dot<<<132, 256>>>(r, r, next, n);
            direction<<<g, 256>>>(p, r, next, rr, n);
        }
    });
}
