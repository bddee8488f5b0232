/* neural.cu - layers of neural networks. */
#include "suite.h"
#include <math.h>

enum { ROW_BLOCK = 128 };

/* Sum or largest of one value a thread, known to all threads of the block after. */
static __device__ inline float block_fold(float v, float *part, int largest)
{
    unsigned t = threadIdx.x;
    part[t] = v;
    __syncthreads();
    for (unsigned half = ROW_BLOCK / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] = largest ? fmaxf(part[t], part[t + half]) : part[t] + part[t + half];
        __syncthreads();
    }
    v = part[0];
    __syncthreads();
    return v;
}

/* A block a row. */
__global__ void softmax(const float *in, float *out, int columns)
{
    __shared__ float part[ROW_BLOCK];
    const float *row = in + (size_t)blockIdx.x * columns;
    float most = -3e38f, sum = 0;
    for (int c = threadIdx.x; c < columns; c += ROW_BLOCK)
        most = fmaxf(most, row[c]);
    most = block_fold(most, part, 1);
    for (int c = threadIdx.x; c < columns; c += ROW_BLOCK)
        sum += suite_exp(row[c] - most);
    sum = block_fold(sum, part, 0);
    for (int c = threadIdx.x; c < columns; c += ROW_BLOCK)
        out[(size_t)blockIdx.x * columns + c] = suite_exp(row[c] - most) / sum;
}

static void softmax_reference(double *row, int n)
{
    double most = row[0], sum = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, row[i]);
    for (int i = 0; i < n; i++)
        sum += row[i] = exp(row[i] - most);
    for (int i = 0; i < n; i++)
        row[i] /= sum;
}

static double run_softmax(void)
{
    int rows = suite_pick(10, 528), columns = suite_pick(300, 1000);
    size_t n = (size_t)rows * columns;
    float *in = suite_floats(n, -4, 4);
    float *dout = (float *)suite_device_zeros(n * sizeof *dout);
    softmax<<<rows, ROW_BLOCK>>>((float *)suite_upload(in, n * sizeof *in), dout, columns);
    float *got = (float *)suite_download(dout, n * sizeof *got);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (size_t i = 0; i < n; i++)
        expected[i] = in[i];
    for (int r = 0; r < rows; r++)
        softmax_reference(expected + (size_t)r * columns, columns);
    return suite_error_floats(got, expected, n);
}

enum { FEATURES = 256, FEATURES_A_LANE = FEATURES / 32 };

/* A warp a row of FEATURES, kept in registers between the passes. */
__global__ void layer_norm(const float *in, const float *scale, const float *shift, float *out,
                           int rows)
{
    int row = SUITE_THREAD_X / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float v[FEATURES_A_LANE], sum = 0, square = 0;
#pragma unroll
    for (int k = 0; k < FEATURES_A_LANE; k++) {
        v[k] = in[row * FEATURES + k * 32 + lane];
        sum += v[k];
    }
    float mean = suite_warp_sum(sum) / FEATURES;
#pragma unroll
    for (int k = 0; k < FEATURES_A_LANE; k++)
        square += (v[k] - mean) * (v[k] - mean);
    float inverse = suite_rsqrt(suite_warp_sum(square) / FEATURES + 1e-5f);
#pragma unroll
    for (int k = 0; k < FEATURES_A_LANE; k++) {
        int c = k * 32 + lane;
        out[row * FEATURES + c] = (v[k] - mean) * inverse * scale[c] + shift[c];
    }
}

static double run_layer_norm(void)
{
    int rows = suite_pick(60, 4224);
    size_t n = (size_t)rows * FEATURES;
    float *in = suite_floats(n, -2, 2), *scale = suite_floats(FEATURES, 0, 2);
    float *shift = suite_floats(FEATURES, -1, 1);
    float *dout = (float *)suite_device_zeros(n * sizeof *dout);
    layer_norm<<<suite_blocks(rows, 4), 128>>>(
        (float *)suite_upload(in, n * sizeof *in), (float *)suite_upload(scale, FEATURES * 4),
        (float *)suite_upload(shift, FEATURES * 4), dout, rows);
    float *got = (float *)suite_download(dout, n * sizeof *got);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (int r = 0; r < rows; r++) {
        const float *row = in + r * FEATURES;
        double mean = 0, square = 0;
        for (int c = 0; c < FEATURES; c++)
            mean += row[c] / FEATURES;
        for (int c = 0; c < FEATURES; c++)
            square += (row[c] - mean) * (row[c] - mean) / FEATURES;
        for (int c = 0; c < FEATURES; c++)
            expected[r * FEATURES + c] =
                (row[c] - mean) / sqrt(square + 1e-5) * scale[c] + shift[c];
    }
    return suite_error_floats(got, expected, n);
}

enum { KEYS = ROW_BLOCK, WIDTH = 64 };

/* Attention of one query (block x) of one head (block y): a thread a key for
 * the scores, then a thread a component of the answer. */
__global__ void attention(const float *queries, const float *keys, const float *values,
                          float *answers)
{
    __shared__ float query[WIDTH], weight[KEYS], part[ROW_BLOCK];
    int t = threadIdx.x, head = blockIdx.y * KEYS * WIDTH;
    int mine = (blockIdx.y * gridDim.x + blockIdx.x) * WIDTH;
    if (t < WIDTH)
        query[t] = queries[mine + t];
    __syncthreads();
    float score = 0;
    for (int d = 0; d < WIDTH; d++)
        score += query[d] * keys[head + t * WIDTH + d];
    score *= 0.125f;
    float most = block_fold(score, part, 1);
    weight[t] = suite_exp(score - most);
    float sum = block_fold(weight[t], part, 0);
    if (t < WIDTH) {
        float s = 0;
        for (int k = 0; k < KEYS; k++)
            s += weight[k] * values[head + k * WIDTH + t];
        answers[mine + t] = s / sum;
    }
}

static void attention_reference(const float *query, const float *keys, const float *values,
                                double *answer)
{
    double weight[KEYS] = {0};
    for (int k = 0; k < KEYS; k++)
        for (int d = 0; d < WIDTH; d++)
            weight[k] += 0.125 * query[d] * keys[k * WIDTH + d];
    softmax_reference(weight, KEYS);
    for (int d = 0; d < WIDTH; d++)
        for (int k = 0; k < KEYS; k++)
            answer[d] += weight[k] * values[k * WIDTH + d];
}

static double run_attention(void)
{
    int heads = suite_pick(1, 4), n_queries = suite_pick(8, 99);
    size_t n_keys = (size_t)heads * KEYS * WIDTH, n = (size_t)heads * n_queries * WIDTH;
    float *queries = suite_floats(n, -1, 1), *keys = suite_floats(n_keys, -1, 1);
    float *values = suite_floats(n_keys, -1, 1);
    float *danswers = (float *)suite_device_zeros(n * sizeof *danswers);
    attention<<<dim3(n_queries, heads), ROW_BLOCK>>>(
        (float *)suite_upload(queries, n * sizeof *queries),
        (float *)suite_upload(keys, n_keys * sizeof *keys),
        (float *)suite_upload(values, n_keys * sizeof *values), danswers);
    float *got = (float *)suite_download(danswers, n * sizeof *got);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (int h = 0; h < heads; h++)
        for (int q = 0; q < n_queries; q++) {
            size_t mine = ((size_t)h * n_queries + q) * WIDTH, head = (size_t)h * KEYS * WIDTH;
            attention_reference(queries + mine, keys + head, values + head, expected + mine);
        }
    return suite_error_floats(got, expected, n);
}

/* Rows of a table picked by token, 16 bytes a lane: 16 lanes a row. */
__global__ void embedding(const uint32_t *tokens, const float4 *table, float4 *out, int n_tokens)
{
    int i = SUITE_THREAD_X, token = i / 16, part = i % 16;
    if (token < n_tokens)
        out[i] = table[(size_t)tokens[token] * 16 + part];
}

static double run_embedding(void)
{
    int vocabulary = suite_pick(500, 30000), n_tokens = suite_pick(200, 16000);
    uint32_t *table = suite_uints((size_t)vocabulary * 64, 1u << 31);
    uint32_t *tokens = suite_uints(n_tokens, vocabulary);
    float4 *dout = (float4 *)suite_device_zeros((size_t)n_tokens * 256);
    embedding<<<suite_blocks((size_t)n_tokens * 16, 256), 256>>>(
        (uint32_t *)suite_upload(tokens, n_tokens * sizeof *tokens),
        (float4 *)suite_upload(table, (size_t)vocabulary * 256), dout, n_tokens);
    uint32_t *got = (uint32_t *)suite_download(dout, (size_t)n_tokens * 256);
    uint32_t *expected = (uint32_t *)suite_host((size_t)n_tokens * 256);
    for (size_t i = 0; i < (size_t)n_tokens * 64; i++)
        expected[i] = table[(size_t)tokens[i / 64] * 64 + i % 64];
    return suite_mismatches(got, expected, (size_t)n_tokens * 64);
}

/* Largest of 2x2, image after image along z. */
__global__ void max_pool(const float *in, float *out, int nx, int ny)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y;
    if (x >= nx / 2 || y >= ny / 2)
        return;
    const float *from = in + ((size_t)blockIdx.z * ny + 2 * y) * nx + 2 * x;
    out[((size_t)blockIdx.z * (ny / 2) + y) * (nx / 2) + x] =
        fmaxf(fmaxf(from[0], from[1]), fmaxf(from[nx], from[nx + 1]));
}

static double run_max_pool(void)
{
    int nx = suite_pick(60, 224), ny = suite_pick(40, 224), images = suite_pick(2, 16);
    size_t n_in = (size_t)nx * ny * images, n_out = n_in / 4;
    float *in = suite_floats(n_in, -1, 1);
    float *dout = (float *)suite_device_zeros(n_out * sizeof *dout);
    dim3 grid(suite_blocks(nx / 2, 16), suite_blocks(ny / 2, 8), images), block(16, 8);
    max_pool<<<grid, block>>>((float *)suite_upload(in, n_in * sizeof *in), dout, nx, ny);
    float *got = (float *)suite_download(dout, n_out * sizeof *got);
    double *expected = (double *)suite_host(n_out * sizeof *expected);
    for (size_t i = 0; i < n_out; i++) {
        size_t x = i % (nx / 2), y = i / (nx / 2); /* y runs on over the images */
        const float *from = in + 2 * y * nx + 2 * x;
        expected[i] = fmax(fmax(from[0], from[1]), fmax(from[nx], from[nx + 1]));
    }
    return suite_error_floats(got, expected, n_out);
}

/* One step of the Adam optimiser: four arrays in, three out. */
__global__ void adam_step(float *weight, float *mean, float *square, const float *gradient, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    float g = gradient[i];
    float m = 0.9f * mean[i] + 0.1f * g, s = 0.99f * square[i] + 0.01f * g * g;
    mean[i] = m;
    square[i] = s;
    weight[i] -= 0.01f * m / (sqrtf(s) + 1e-6f);
}

static double run_adam_step(void)
{
    int n = suite_pick(5000, 300000);
    float *start = suite_floats(4 * (size_t)n, 0.1f, 1);
    float *d = (float *)suite_upload(start, 4 * (size_t)n * sizeof *start);
    adam_step<<<suite_blocks(n, 256), 256>>>(d, d + n, d + 2 * n, d + 3 * n, n);
    float *got = (float *)suite_download(d, 3 * (size_t)n * sizeof *got);
    double *expected = (double *)suite_host(3 * (size_t)n * sizeof *expected);
    for (int i = 0; i < n; i++) {
        double g = start[3 * n + i], m = 0.9 * start[n + i] + 0.1 * g;
        double s = 0.99 * start[2 * n + i] + 0.01 * g * g;
        expected[i] = start[i] - 0.01 * m / (sqrt(s) + 1e-6);
        expected[n + i] = m;
        expected[2 * n + i] = s;
    }
    return suite_error_floats(got, expected, 3 * (size_t)n);
}

static const struct suite_test tests[] = {
    {"softmax", "softmax", "a block a row", 1e-5, run_softmax},
    {"layer_norm", "layer_norm", "a warp a row, in registers", 1e-5, run_layer_norm},
    {"attention", "attention", "a block a query, 128 keys", 1e-5, run_attention},
    {"embedding", "embedding", "256-byte rows picked by token", 0, run_embedding},
    {"max_pool", "max_pool", "largest of 2x2", 1e-6, run_max_pool},
    {"adam_step", "adam_step", "optimiser step, seven streams", 1e-5, run_adam_step},
};
SUITE_AREA(suite_neural, "neural", tests);
