// Training of a small network of dense layers: products in tiles, bias and ramp, the error and the step back.
#include "application.h"

// C[m][n] = A[m][k] B[k][n]; A or B may be read transposed.
template <bool TA, bool TB> __global__ void product(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float ta[16][17], tb[16][17];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += 16) {
        ta[threadIdx.y][threadIdx.x] = TA ? a[(t + threadIdx.x) * m + row] : a[row * k + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = TB ? b[column * k + t + threadIdx.y] : b[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void bias_ramp(float *x, const float *bias, int width, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = fmaxf(x[i] + bias[i % width], 0.f);
}

__global__ void difference(const float *x, const float *want, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (x[i] - want[i]) * 1e-3f;
}

__global__ void ramp_back(float *d, const float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] <= 0)
        d[i] = 0;
}

__global__ void descend(float *w, const float *d, float *speed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        speed[i] = 0.9f * speed[i] + d[i];
        w[i] -= 0.01f * speed[i];
    }
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 256, 2);
    int batch = 256, in = app.size, hidden = app.size, out = app.size;
    Numbers numbers;
    auto filled = [&](int n, float by) {
        std::vector<float> v(n);
        for (float &x : v)
            x = (numbers.unit() - 0.5f) * by;
        return on_device(v);
    };
    float *x = filled(batch * in, 1), *w1 = filled(in * hidden, 0.1f), *w2 = filled(hidden * out, 0.1f), *bias = filled(hidden, 0.1f),
          *want = filled(batch * out, 1), *s1 = filled(in * hidden, 0), *s2 = filled(hidden * out, 0), *h = on_device<float>(batch * hidden),
          *y = on_device<float>(batch * out), *dy = on_device<float>(batch * out), *dh = on_device<float>(batch * hidden),
          *d1 = on_device<float>(in * hidden), *d2 = on_device<float>(hidden * out);
    dim3 tile(16, 16);
    return run_rounds("layers", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            product<false, false><<<dim3(hidden / 16, batch / 16), tile>>>(x, w1, h, batch, hidden, in);
            bias_ramp<<<blocks_of(batch * hidden), 256>>>(h, bias, hidden, batch * hidden);
            product<false, false><<<dim3(out / 16, batch / 16), tile>>>(h, w2, y, batch, out, hidden);
            difference<<<blocks_of(batch * out), 256>>>(y, want, dy, batch * out);
            product<true, false><<<dim3(out / 16, hidden / 16), tile>>>(h, dy, d2, hidden, out, batch);
            product<false, true><<<dim3(hidden / 16, batch / 16), tile>>>(dy, w2, dh, batch, hidden, out);
            ramp_back<<<blocks_of(batch * hidden), 256>>>(dh, h, batch * hidden);
            product<true, false><<<dim3(hidden / 16, in / 16), tile>>>(x, dh, d1, in, hidden, batch);
            descend<<<blocks_of(in * hidden), 256>>>(w1, d1, s1, in * hidden);
            descend<<<blocks_of(hidden * out), 256>>>(w2, d2, s2, hidden * out);
        }
    });
}
