/* operators.cu - what a neural network's library launches: products with several tiles, norms,
 * reductions along either dimension, gathers, layout changes; float, half and double. */
#include "suite.h"
#include <math.h>
#include <string.h>

static double *zeros(size_t n)
{
    return (double *)suite_host(n * sizeof(double));
}

static float *device_floats(const float *host, size_t n)
{
    return (float *)suite_upload(host, n * sizeof *host);
}

/* ---- half precision: bits in memory, float in registers ---- */

static __device__ inline float from_half(uint16_t h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
}

static __device__ inline uint16_t to_half(float f)
{
    uint16_t h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
}

static float half_value(uint16_t h)
{
    int exponent = (h >> 10) & 31, fraction = h & 1023;
    float v = exponent ? ldexpf((float)(fraction + 1024), exponent - 25) : ldexpf((float)fraction, -24);
    return h & 0x8000 ? -v : v;
}

/* Random halves between -2 and 2, none of them denormal. */
static uint16_t *halves(size_t n)
{
    uint32_t *bits = suite_uints(n, 1u << 16);
    uint16_t *h = (uint16_t *)suite_host(n * sizeof *h);
    for (size_t i = 0; i < n; i++)
        h[i] = (uint16_t)((bits[i] & 0x83ff) | ((12 + (bits[i] >> 10) % 4) << 10));
    return h;
}

/* ---- sums of a block ---- */

enum { BLOCK = 256 };

static __device__ inline float block_sum(float v, float *part)
{
    v = suite_warp_sum(v);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (unsigned w = 0; w < blockDim.x / 32; w++)
        v += part[w];
    __syncthreads();
    return v;
}

/* ---- layer norm of half rows, a block a row ---- */

__global__ void layer_norm_half(const uint16_t *in, const float *scale, const float *shift, uint16_t *out, int columns)
{
    __shared__ float part[BLOCK / 32];
    const uint16_t *row = in + (size_t)blockIdx.x * columns;
    float sum = 0, square = 0;
    for (int c = threadIdx.x; c < columns; c += BLOCK) {
        float v = from_half(row[c]);
        sum += v;
        square += v * v;
    }
    float mean = block_sum(sum, part) / columns;
    float factor = suite_rsqrt(block_sum(square, part) / columns - mean * mean + 1e-5f);
    for (int c = threadIdx.x; c < columns; c += BLOCK)
        out[(size_t)blockIdx.x * columns + c] = to_half((from_half(row[c]) - mean) * factor * scale[c] + shift[c]);
}

static double run_layer_norm_half(void)
{
    int rows = suite_pick(6, 700), columns = suite_pick(320, 1280);
    size_t n = (size_t)rows * columns;
    uint16_t *in = halves(n), *out = (uint16_t *)suite_device_zeros(n * sizeof *out);
    float *scale = suite_floats(columns, 0.5f, 1), *shift = suite_floats(columns, -1, 1);
    layer_norm_half<<<rows, BLOCK>>>((uint16_t *)suite_upload(in, n * sizeof *in), device_floats(scale, columns),
                                     device_floats(shift, columns), out, columns);
    uint16_t *got = (uint16_t *)suite_download(out, n * sizeof *got);
    double worst = 0;
    for (int r = 0; r < rows; r++) {
        double sum = 0, square = 0;
        for (int c = 0; c < columns; c++) {
            double v = half_value(in[(size_t)r * columns + c]);
            sum += v / columns;
            square += v * v / columns;
        }
        for (int c = 0; c < columns; c++) {
            double v = half_value(in[(size_t)r * columns + c]);
            double e = (v - sum) / sqrt(square - sum * sum + 1e-5) * scale[c] + shift[c];
            worst = fmax(worst, fabs(half_value(got[(size_t)r * columns + c]) - e));
        }
    }
    return worst;
}

/* ---- direct convolution, 3x3, a thread an output ---- */

__global__ void convolve_direct(const float *in, const float *weight, float *out, int channels, int height, int width)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y, filter = blockIdx.z % channels, image = blockIdx.z / channels;
    if (x >= width || y >= height)
        return;
    float sum = 0;
    for (int c = 0; c < channels; c++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
                    sum += in[(((size_t)image * channels + c) * height + y + dy) * width + x + dx] *
                           weight[(filter * channels + c) * 9 + (dy + 1) * 3 + dx + 1];
    out[(((size_t)image * channels + filter) * height + y) * width + x] = sum;
}

static double convolve_reference(const float *in, const float *weight, int channels, int size, int y, int x)
{
    double sum = 0;
    for (int c = 0; c < channels; c++)
        for (int k = 0; k < 9; k++) {
            int at_y = y + k / 3 - 1, at_x = x + k % 3 - 1;
            if (at_x >= 0 && at_x < size && at_y >= 0 && at_y < size)
                sum += (double)in[((size_t)c * size + at_y) * size + at_x] * weight[c * 9 + k];
        }
    return sum;
}

static double run_convolve_direct(void)
{
    int images = suite_pick(1, 3), channels = suite_pick(3, 12), size = suite_pick(20, 56);
    size_t plane = (size_t)size * size, n = images * channels * plane;
    float *in = suite_floats(n, -1, 1), *weight = suite_floats(channels * channels * 9, -1, 1);
    float *out = (float *)suite_device_zeros(n * sizeof *out);
    convolve_direct<<<dim3(suite_blocks(size, 16), suite_blocks(size, 16), images * channels), dim3(16, 16)>>>(
        device_floats(in, n), device_floats(weight, channels * channels * 9), out, channels, size, size);
    float *got = (float *)suite_download(out, n * sizeof *got);
    double *expected = zeros(n);
    for (size_t i = 0; i < n; i++)
        expected[i] = convolve_reference(in + i / (channels * plane) * channels * plane,
                                         weight + i / plane % channels * channels * 9, channels, size,
                                         (int)(i % plane / size), (int)(i % size));
    return suite_error_floats(got, expected, n);
}

/* ---- softmax of the lower triangle, a warp a row ---- */

__global__ void causal_softmax(const float *in, float *out, int rows, int columns)
{
    int row = SUITE_THREAD_X / 32, lane = threadIdx.x % 32, live = row % columns + 1;
    if (row >= rows)
        return;
    const float *from = in + (size_t)row * columns;
    float most = -3e38f, sum = 0;
    for (int c = lane; c < live; c += 32)
        most = fmaxf(most, from[c]);
    for (int step = 16; step > 0; step /= 2)
        most = fmaxf(most, __shfl_xor_sync(SUITE_ALL_LANES, most, step));
    for (int c = lane; c < live; c += 32)
        sum += suite_exp(from[c] - most);
    sum = suite_warp_sum(sum);
    for (int c = lane; c < columns; c += 32)
        out[(size_t)row * columns + c] = c < live ? suite_exp(from[c] - most) / sum : 0;
}

static double run_causal_softmax(void)
{
    int columns = suite_pick(70, 512), rows = suite_pick(2, 6) * columns;
    size_t n = (size_t)rows * columns;
    float *in = suite_floats(n, -4, 4), *out = (float *)suite_device_zeros(n * sizeof *out);
    causal_softmax<<<suite_blocks(rows, 4), 128>>>(device_floats(in, n), out, rows, columns);
    float *got = (float *)suite_download(out, n * sizeof *got);
    double *expected = zeros(n);
    for (int r = 0; r < rows; r++) {
        double sum = 0;
        for (int c = 0; c <= r % columns; c++)
            sum += expected[(size_t)r * columns + c] = exp(in[(size_t)r * columns + c]);
        for (int c = 0; c <= r % columns; c++)
            expected[(size_t)r * columns + c] /= sum;
    }
    return suite_error_floats(got, expected, n);
}

/* ---- elementwise: activation of halves, eight a thread; residual with bias and mask ---- */

static __device__ inline float gelu(float x)
{
    float u = 1.5957692f * (x + 0.044715f * x * x * x);
    return x / (1 + suite_exp(-u));
}

__global__ void gelu_half(const uint4 *in, uint4 *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    uint4 v = in[i];
    uint32_t *w = &v.x;
#pragma unroll
    for (int k = 0; k < 4; k++)
        w[k] = to_half(gelu(from_half((uint16_t)w[k]))) | (uint32_t)to_half(gelu(from_half((uint16_t)(w[k] >> 16)))) << 16;
    out[i] = v;
}

static double run_gelu_half(void)
{
    int n = suite_pick(4000, 3 << 20);
    uint16_t *in = halves(n), *out = (uint16_t *)suite_device_zeros(n * sizeof *out);
    gelu_half<<<suite_blocks(n / 8, 128), 128>>>((uint4 *)suite_upload(in, n * sizeof *in), (uint4 *)out, n / 8);
    uint16_t *got = (uint16_t *)suite_download(out, n * sizeof *got);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double x = half_value(in[i]), e = x / (1 + exp(-1.5957692 * (x + 0.044715 * x * x * x)));
        worst = fmax(worst, fabs(half_value(got[i]) - e));
    }
    return worst;
}

__global__ void bias_residual(const float *x, const float *residual, const float *bias, const unsigned char *keep,
                              float *out, int rows, int columns)
{
    int step = (int)(gridDim.x * blockDim.x);
    for (int i = SUITE_THREAD_X; i < rows * columns; i += step) {
        float v = x[i] + bias[i % columns];
        out[i] = residual[i] + (keep[i] ? v * 1.25f : 0);
    }
}

static double run_bias_residual(void)
{
    int rows = suite_pick(20, 1600), columns = suite_pick(100, 768), n = rows * columns;
    float *x = suite_floats(n, -1, 1), *residual = suite_floats(n, -1, 1), *bias = suite_floats(columns, -1, 1);
    uint32_t *coin = suite_uints(n, 5);
    unsigned char *keep = (unsigned char *)suite_host(n);
    for (int i = 0; i < n; i++)
        keep[i] = coin[i] != 0;
    float *out = (float *)suite_device_zeros(n * sizeof *out);
    bias_residual<<<suite_pick(4, 528), 256>>>(device_floats(x, n), device_floats(residual, n), device_floats(bias, columns),
                                               (unsigned char *)suite_upload(keep, n), out, rows, columns);
    float *got = (float *)suite_download(out, n * sizeof *got);
    double *expected = zeros(n);
    for (int i = 0; i < n; i++)
        expected[i] = residual[i] + (keep[i] ? 1.25 * ((double)x[i] + bias[i % columns]) : 0);
    return suite_error_floats(got, expected, n);
}

/* ---- sums along columns, running sums along rows, largest of a row, statistics of a channel ---- */

__global__ void sum_columns(const float *in, float *out, int rows, int columns)
{
    __shared__ float part[16][33];
    int c = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    if (c < columns)
        for (int r = threadIdx.y; r < rows; r += 16)
            sum += in[(size_t)r * columns + c];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && c < columns) {
        for (int k = 1; k < 16; k++)
            sum += part[k][threadIdx.x];
        out[c] = sum;
    }
}

static double run_sum_columns(void)
{
    int rows = suite_pick(60, 3000), columns = suite_pick(70, 1000);
    size_t n = (size_t)rows * columns;
    float *in = suite_floats(n, 0, 1), *out = (float *)suite_device_zeros(columns * sizeof *out);
    sum_columns<<<suite_blocks(columns, 32), dim3(32, 16)>>>(device_floats(in, n), out, rows, columns);
    float *got = (float *)suite_download(out, columns * sizeof *got);
    double *expected = zeros(columns);
    for (size_t i = 0; i < n; i++)
        expected[i % columns] += in[i];
    return suite_error_floats(got, expected, columns);
}

__global__ void running_sum(const float *in, float *out, int columns)
{
    __shared__ float total[BLOCK / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float before = 0;
    for (int first = 0; first < columns; first += BLOCK) {
        int c = first + threadIdx.x;
        float v = c < columns ? in[(size_t)blockIdx.x * columns + c] : 0;
        for (int step = 1; step < 32; step *= 2) {
            float other = __shfl_up_sync(SUITE_ALL_LANES, v, step);
            v += lane >= step ? other : 0;
        }
        if (lane == 31)
            total[warp] = v;
        __syncthreads();
        for (int w = 0; w < BLOCK / 32; w++) {
            v += w < warp ? total[w] : 0;
        }
        if (c < columns)
            out[(size_t)blockIdx.x * columns + c] = before + v;
        for (int w = 0; w < BLOCK / 32; w++)
            before += total[w];
        __syncthreads();
    }
}

static double run_running_sum(void)
{
    int rows = suite_pick(5, 600), columns = suite_pick(400, 1500);
    size_t n = (size_t)rows * columns;
    float *in = suite_floats(n, 0, 1), *out = (float *)suite_device_zeros(n * sizeof *out);
    running_sum<<<rows, BLOCK>>>(device_floats(in, n), out, columns);
    float *got = (float *)suite_download(out, n * sizeof *got);
    double *expected = zeros(n);
    for (size_t i = 0; i < n; i++)
        expected[i] = in[i] + (i % columns ? expected[i - 1] : 0);
    return suite_error_floats(got, expected, n);
}

__global__ void largest_of_row(const float *in, int *out, int columns)
{
    __shared__ float value[128];
    __shared__ int where[128];
    int t = threadIdx.x, best = t;
    const float *row = in + (size_t)blockIdx.x * columns;
    for (int c = t; c < columns; c += 128)
        best = row[c] > row[best] ? c : best;
    value[t] = row[best];
    where[t] = best;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half && (value[t + half] > value[t] || (value[t + half] == value[t] && where[t + half] < where[t]))) {
            value[t] = value[t + half];
            where[t] = where[t + half];
        }
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = where[0];
}

static double run_largest_of_row(void)
{
    int rows = suite_pick(7, 300), columns = suite_pick(200, 5000);
    size_t n = (size_t)rows * columns;
    float *in = suite_floats(n, 0, 1);
    int *out = (int *)suite_device_zeros(rows * sizeof *out);
    largest_of_row<<<rows, 128>>>(device_floats(in, n), out, columns);
    int *got = (int *)suite_download(out, rows * sizeof *got);
    double wrong = 0;
    for (int r = 0; r < rows; r++) {
        const float *row = in + (size_t)r * columns;
        int best = 0;
        for (int c = 1; c < columns; c++)
            best = row[c] > row[best] ? c : best;
        wrong += got[r] != best;
    }
    return wrong;
}

__global__ void channel_statistics(const float *in, float *mean, float *variance, int images, int channels, int plane)
{
    __shared__ float part[512 / 32];
    float sum = 0, square = 0;
    for (int i = 0; i < images; i++)
        for (int p = threadIdx.x; p < plane; p += 512) {
            float v = in[((size_t)i * channels + blockIdx.x) * plane + p];
            sum += v;
            square += v * v;
        }
    float n = (float)images * plane, m = block_sum(sum, part) / n, s = block_sum(square, part) / n;
    if (threadIdx.x == 0) {
        mean[blockIdx.x] = m;
        variance[blockIdx.x] = s - m * m;
    }
}

static double run_channel_statistics(void)
{
    int images = suite_pick(2, 16), channels = suite_pick(5, 64), plane = suite_pick(600, 28 * 28);
    size_t n = (size_t)images * channels * plane;
    float *in = suite_floats(n, 0, 1), *out = (float *)suite_device_zeros(2 * channels * sizeof *out);
    channel_statistics<<<channels, 512>>>(device_floats(in, n), out, out + channels, images, channels, plane);
    float *got = (float *)suite_download(out, 2 * channels * sizeof *got);
    double *expected = zeros(2 * channels), count = (double)images * plane;
    for (size_t i = 0; i < n; i++)
        expected[i / plane % channels] += in[i] / count;
    for (size_t i = 0; i < n; i++)
        expected[channels + i / plane % channels] += pow(in[i] - expected[i / plane % channels], 2) / count;
    return suite_error_floats(got, expected, 2 * channels);
}

/* ---- gathers and scatters of rows; the loss of a row ---- */

__global__ void gather_batches(const float *in, const int *index, float *out, int kept, int rows, int columns)
{
    int c = SUITE_THREAD_X, k = blockIdx.y, batch = blockIdx.z;
    if (c < columns)
        out[((size_t)batch * kept + k) * columns + c] = in[((size_t)batch * rows + index[batch * kept + k]) * columns + c];
}

static double run_gather_batches(void)
{
    int batches = suite_pick(2, 16), rows = suite_pick(30, 512), kept = suite_pick(11, 100), columns = suite_pick(70, 300);
    size_t n = (size_t)batches * rows * columns, m = (size_t)batches * kept * columns;
    float *in = suite_floats(n, 0, 1), *out = (float *)suite_device_zeros(m * sizeof *out);
    int *index = (int *)suite_uints(batches * kept, rows);
    gather_batches<<<dim3(suite_blocks(columns, 64), kept, batches), 64>>>(
        device_floats(in, n), (int *)suite_upload(index, batches * kept * sizeof *index), out, kept, rows, columns);
    float *got = (float *)suite_download(out, m * sizeof *got);
    double wrong = 0;
    for (size_t i = 0; i < m; i++) {
        size_t row = i / columns, batch = row / kept;
        wrong += got[i] != in[(batch * rows + index[row]) * columns + i % columns];
    }
    return wrong;
}

__global__ void embedding_gradient(const float *gradient, const int *token, float *table, int n, int columns)
{
    int i = blockIdx.x * 4 + threadIdx.y;
    if (i < n)
        for (int c = threadIdx.x; c < columns; c += 32)
            atomicAdd(&table[(size_t)token[i] * columns + c], gradient[(size_t)i * columns + c]);
}

static double run_embedding_gradient(void)
{
    int n = suite_pick(50, 4096), columns = suite_pick(40, 128), words = suite_pick(20, 3000);
    size_t n_gradient = (size_t)n * columns, n_table = (size_t)words * columns;
    float *gradient = suite_floats(n_gradient, -1, 1), *table = (float *)suite_device_zeros(n_table * sizeof *table);
    int *token = (int *)suite_uints(n, words);
    embedding_gradient<<<suite_blocks(n, 4), dim3(32, 4)>>>(device_floats(gradient, n_gradient),
                                                           (int *)suite_upload(token, n * sizeof *token), table, n, columns);
    float *got = (float *)suite_download(table, n_table * sizeof *got);
    double *expected = zeros(n_table);
    for (size_t i = 0; i < n_gradient; i++)
        expected[(size_t)token[i / columns] * columns + i % columns] += gradient[i];
    return suite_error_floats(got, expected, n_table);
}

__global__ void cross_entropy(const float *logits, const int *target, float *loss, int columns)
{
    __shared__ float part[BLOCK / 32];
    const float *row = logits + (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += BLOCK)
        sum += suite_exp(row[c]);
    sum = block_sum(sum, part);
    if (threadIdx.x == 0)
        loss[blockIdx.x] = sum * suite_exp(-row[target[blockIdx.x]]);
}

static double run_cross_entropy(void)
{
    int rows = suite_pick(5, 256), columns = suite_pick(300, 8000);
    size_t n = (size_t)rows * columns;
    float *logits = suite_floats(n, -2, 2), *loss = (float *)suite_device_zeros(rows * sizeof *loss);
    int *target = (int *)suite_uints(rows, columns);
    cross_entropy<<<rows, BLOCK>>>(device_floats(logits, n), (int *)suite_upload(target, rows * sizeof *target), loss,
                                   columns);
    float *got = (float *)suite_download(loss, rows * sizeof *got);
    double *expected = zeros(rows);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++)
            expected[r] += exp(logits[(size_t)r * columns + c]);
        expected[r] *= exp(-logits[(size_t)r * columns + target[r]]);
    }
    return suite_error_floats(got, expected, rows);
}

/* ---- layout: heads brought forward, nearest neighbours enlarged, halves transposed ---- */

__global__ void heads_forward(const float *in, float *out, int length, int heads, int size)
{
    int i = SUITE_THREAD_X, d = i % size, s = i / size % length, h = i / (size * length) % heads;
    int batch = i / (size * length * heads), from = ((batch * length + s) * heads + h) * size + d;
    out[i] = in[from];
}

static double run_heads_forward(void)
{
    int batches = 2, length = suite_pick(16, 512), heads = suite_pick(3, 12), size = 64;
    int n = batches * length * heads * size;
    float *in = suite_floats(n, 0, 1), *out = (float *)suite_device_zeros(n * sizeof *out);
    heads_forward<<<n / 128, 128>>>(device_floats(in, n), out, length, heads, size);
    float *got = (float *)suite_download(out, n * sizeof *got);
    double wrong = 0;
    for (int b = 0; b < batches; b++)
        for (int s = 0; s < length; s++)
            for (int h = 0; h < heads; h++)
                for (int d = 0; d < size; d++)
                    wrong += got[((b * heads + h) * length + s) * size + d] != in[((b * length + s) * heads + h) * size + d];
    return wrong;
}

__global__ void enlarge(const float *in, float *out, int height, int width, int factor)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y, plane = blockIdx.z;
    if (x < width * factor && y < height * factor)
        out[((size_t)plane * height * factor + y) * width * factor + x] =
            in[((size_t)plane * height + y / factor) * width + x / factor];
}

static double run_enlarge(void)
{
    int planes = suite_pick(2, 24), height = suite_pick(9, 60), width = suite_pick(13, 90), factor = 3;
    size_t n = (size_t)planes * height * width, m = n * factor * factor;
    float *in = suite_floats(n, 0, 1), *out = (float *)suite_device_zeros(m * sizeof *out);
    enlarge<<<dim3(suite_blocks(width * factor, 32), suite_blocks(height * factor, 8), planes), dim3(32, 8)>>>(
        device_floats(in, n), out, height, width, factor);
    float *got = (float *)suite_download(out, m * sizeof *got);
    double wrong = 0;
    for (size_t i = 0; i < m; i++) {
        size_t x = i % (width * factor), row = i / (width * factor), plane = row / (height * factor);
        size_t y = row % (height * factor);
        wrong += got[i] != in[(plane * height + y / factor) * width + x / factor];
    }
    return wrong;
}

__global__ void transpose_half(const uint16_t *in, uint16_t *out, int rows, int columns)
{
    __shared__ uint16_t tile[64][66];
    int x = blockIdx.x * 64 + threadIdx.x * 2, y = blockIdx.y * 64;
    for (int k = threadIdx.y; k < 64; k += 8)
        if (x < columns && y + k < rows)
            *(uint32_t *)&tile[k][threadIdx.x * 2] = *(const uint32_t *)&in[(size_t)(y + k) * columns + x];
    __syncthreads();
    for (int k = threadIdx.y; k < 64; k += 8) {
        int to_row = blockIdx.x * 64 + k, to_column = y + threadIdx.x * 2;
        if (to_row < columns && to_column < rows)
            *(uint32_t *)&out[(size_t)to_row * rows + to_column] =
                tile[threadIdx.x * 2][k] | (uint32_t)tile[threadIdx.x * 2 + 1][k] << 16;
    }
}

static double run_transpose_half(void)
{
    int rows = suite_pick(96, 1536), columns = suite_pick(130, 2000);
    size_t n = (size_t)rows * columns;
    uint16_t *in = halves(n), *out = (uint16_t *)suite_device_zeros(n * sizeof *out);
    transpose_half<<<dim3(suite_blocks(columns, 64), suite_blocks(rows, 64)), dim3(32, 8)>>>(
        (uint16_t *)suite_upload(in, n * sizeof *in), out, rows, columns);
    uint16_t *got = (uint16_t *)suite_download(out, n * sizeof *got);
    double wrong = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            wrong += got[(size_t)c * rows + r] != in[(size_t)r * columns + c];
    return wrong;
}

/* ---- products of matrices with tiles of 32 and 64, of doubles, of halves ---- */

/* Tiles of TILE x TILE, blocks of 16x16 threads, PER x PER results a thread. */
template <typename T, int TILE>
static __device__ inline void tiled_product(const T *a, const T *b, T *c, int m, int n, int k)
{
    enum { PER = TILE / 16, DEPTH = 16 };
    __shared__ T left[DEPTH][TILE + 1], right[DEPTH][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    T sum[PER][PER] = {};
    for (int first = 0; first < k; first += DEPTH) {
        for (int p = 0; p < PER; p++) {
            left[x][y + 16 * p] = a[(size_t)(row + y + 16 * p) * k + first + x];
            right[y][x + 16 * p] = b[(size_t)(first + y) * n + column + x + 16 * p];
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++)
            for (int i = 0; i < PER; i++)
                for (int j = 0; j < PER; j++)
                    sum[i][j] += left[d][y + 16 * i] * right[d][x + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < PER; i++)
        for (int j = 0; j < PER; j++)
            c[(size_t)(row + y + 16 * i) * n + column + x + 16 * j] = sum[i][j];
}

__global__ void product_tile32(const float *a, const float *b, float *c, int m, int n, int k)
{
    tiled_product<float, 32>(a, b, c, m, n, k);
}

__global__ void product_tile64(const float *a, const float *b, float *c, int m, int n, int k)
{
    tiled_product<float, 64>(a, b, c, m, n, k);
}

__global__ void product_double(const double *a, const double *b, double *c, int m, int n, int k)
{
    tiled_product<double, 32>(a, b, c, m, n, k);
}

typedef void (*float_product)(const float *, const float *, float *, int, int, int);

static double product(float_product kernel, int tile, int m, int n, int k)
{
    float *a = suite_floats((size_t)m * k, -1, 1), *b = suite_floats((size_t)k * n, -1, 1);
    float *c = (float *)suite_device_zeros((size_t)m * n * sizeof *c);
    kernel<<<dim3(n / tile, m / tile), dim3(16, 16)>>>(device_floats(a, (size_t)m * k), device_floats(b, (size_t)k * n), c, m,
                                                       n, k);
    float *got = (float *)suite_download(c, (size_t)m * n * sizeof *got);
    double *expected = zeros((size_t)m * n);
    for (int i = 0; i < m; i++)
        for (int d = 0; d < k; d++)
            for (int j = 0; j < n; j++)
                expected[(size_t)i * n + j] += (double)a[(size_t)i * k + d] * b[(size_t)d * n + j];
    return suite_error_floats(got, expected, (size_t)m * n);
}

static double run_product_tile32(void)
{
    return product(product_tile32, 32, suite_pick(64, 384), suite_pick(32, 512), suite_pick(48, 256));
}

static double run_product_tile64(void)
{
    return product(product_tile64, 64, suite_pick(64, 768), suite_pick(128, 512), suite_pick(32, 384));
}

static double run_product_double(void)
{
    int m = suite_pick(32, 256), n = suite_pick(64, 320), k = suite_pick(16, 192);
    double *a = suite_doubles((size_t)m * k, -1, 1), *b = suite_doubles((size_t)k * n, -1, 1);
    double *c = (double *)suite_device_zeros((size_t)m * n * sizeof *c);
    product_double<<<dim3(n / 32, m / 32), dim3(16, 16)>>>((double *)suite_upload(a, (size_t)m * k * sizeof *a),
                                                           (double *)suite_upload(b, (size_t)k * n * sizeof *b), c, m, n, k);
    double *got = (double *)suite_download(c, (size_t)m * n * sizeof *got), *expected = zeros((size_t)m * n);
    for (int i = 0; i < m; i++)
        for (int d = 0; d < k; d++)
            for (int j = 0; j < n; j++)
                expected[(size_t)i * n + j] += a[(size_t)i * k + d] * b[(size_t)d * n + j];
    return suite_error_doubles(got, expected, (size_t)m * n);
}

/* Halves, a warp a row of the first matrix and eight columns at a time of the second, transposed. */
__global__ void product_half(const uint16_t *a, const uint16_t *bt, float *c, int m, int n, int k)
{
    int row = SUITE_THREAD_X / 32, lane = threadIdx.x % 32;
    if (row >= m)
        return;
    for (int j = 0; j < n; j++) {
        float sum = 0;
        for (int d = lane * 2; d < k; d += 64) {
            uint32_t l = *(const uint32_t *)&a[(size_t)row * k + d], r = *(const uint32_t *)&bt[(size_t)j * k + d];
            sum += from_half((uint16_t)l) * from_half((uint16_t)r);
            sum += from_half((uint16_t)(l >> 16)) * from_half((uint16_t)(r >> 16));
        }
        sum = suite_warp_sum(sum);
        if (lane == 0)
            c[(size_t)row * n + j] = sum;
    }
}

static double run_product_half(void)
{
    int m = suite_pick(9, 1200), n = suite_pick(12, 48), k = suite_pick(128, 512);
    uint16_t *a = halves((size_t)m * k), *bt = halves((size_t)n * k);
    float *c = (float *)suite_device_zeros((size_t)m * n * sizeof *c);
    product_half<<<suite_blocks(m, 2), 64>>>((uint16_t *)suite_upload(a, (size_t)m * k * sizeof *a),
                                             (uint16_t *)suite_upload(bt, (size_t)n * k * sizeof *bt), c, m, n, k);
    float *got = (float *)suite_download(c, (size_t)m * n * sizeof *got);
    double *expected = zeros((size_t)m * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int d = 0; d < k; d++)
                expected[(size_t)i * n + j] += (double)half_value(a[(size_t)i * k + d]) * half_value(bt[(size_t)j * k + d]);
    return suite_error_floats(got, expected, (size_t)m * n);
}

static const struct suite_test tests[] = {
    {"layer_norm_half", "layer_norm_half", "rows of halves, a block each", 2e-3, run_layer_norm_half},
    {"convolve_direct", "convolve_direct", "3x3 over channels, a thread an output", 1e-5, run_convolve_direct},
    {"causal_softmax", "causal_softmax", "lower triangle, a warp a row", 1e-5, run_causal_softmax},
    {"gelu_half", "gelu_half", "activation, 16 bytes a lane", 2e-3, run_gelu_half},
    {"bias_residual", "bias_residual", "bias, mask of bytes and residual", 1e-6, run_bias_residual},
    {"sum_columns", "sum_columns", "sums down the columns", 1e-4, run_sum_columns},
    {"running_sum", "running_sum", "running sums of rows", 1e-4, run_running_sum},
    {"largest_of_row", "largest_of_row", "index of the largest of a row", 0, run_largest_of_row},
    {"channel_statistics", "channel_statistics", "mean and variance of channels", 1e-4, run_channel_statistics},
    {"gather_batches", "gather_batches", "rows picked from each batch", 0, run_gather_batches},
    {"embedding_gradient", "embedding_gradient", "rows added by atomics", 1e-4, run_embedding_gradient},
    {"cross_entropy", "cross_entropy", "sum of exponentials of a row", 1e-4, run_cross_entropy},
    {"heads_forward", "heads_forward", "two middle dimensions exchanged", 0, run_heads_forward},
    {"enlarge", "enlarge", "nearest neighbours, three times the size", 0, run_enlarge},
    {"transpose_half", "transpose_half", "halves through tiles of 64x64", 0, run_transpose_half},
    {"product_tile32", "product_tile32", "A B, tiles of 32x32", 1e-4, run_product_tile32},
    {"product_tile64", "product_tile64", "A B, tiles of 64x64", 1e-4, run_product_tile64},
    {"product_double", "product_double", "A B in double, tiles of 32x32", 1e-10, run_product_double},
    {"product_half", "product_half", "A B' of halves, a warp a row", 1e-4, run_product_half},
};
SUITE_AREA(holdout_operators, "operators", tests);
