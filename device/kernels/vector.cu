/* vector.cu - one-dimensional arithmetic and matrix-vector products. */
#include "suite.h"

__global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n)
        c[i] = a[i] + b[i];
}

static double run_vector_add(void)
{
    int n = suite_pick(12345, 1000001); /* a last block that is not full */
    float *a = suite_floats(n, -1, 1), *b = suite_floats(n, -1, 1);
    float *dc = (float *)suite_device_zeros(n * sizeof *dc);
    vector_add<<<suite_blocks(n, 256), 256>>>((float *)suite_upload(a, n * sizeof *a),
                                              (float *)suite_upload(b, n * sizeof *b), dc, n);
    float *c = (float *)suite_download(dc, n * sizeof *c);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (int i = 0; i < n; i++)
        expected[i] = (double)a[i] + b[i];
    return suite_error_floats(c, expected, n);
}

/* Sixteen bytes a lane: four sectors for every quarter of a warp. */
__global__ void axpy_wide(float factor, const float4 *x, float4 *y, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    float4 a = x[i], b = y[i];
    b.x += factor * a.x;
    b.y += factor * a.y;
    b.z += factor * a.z;
    b.w += factor * a.w;
    y[i] = b;
}

static double run_axpy_wide(void)
{
    int n = suite_pick(4096, 262144);
    float *x = suite_floats(4 * n, -1, 1), *y = suite_floats(4 * n, -1, 1);
    float4 *dy = (float4 *)suite_upload(y, n * sizeof *dy);
    axpy_wide<<<suite_blocks(n, 256), 256>>>(0.75f, (float4 *)suite_upload(x, n * sizeof *dy), dy,
                                             n);
    float *got = (float *)suite_download(dy, n * sizeof *dy);
    double *expected = (double *)suite_host(4 * n * sizeof *expected);
    for (int i = 0; i < 4 * n; i++)
        expected[i] = 0.75 * x[i] + y[i];
    return suite_error_floats(got, expected, 4 * n);
}

__global__ void axpy_double(double factor, const double *x, double *y, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = SUITE_THREAD_X; i < n; i += stride)
        y[i] = factor * x[i] + y[i];
}

static double run_axpy_double(void)
{
    int n = suite_pick(10000, 500000);
    double *x = suite_doubles(n, -1, 1), *y = suite_doubles(n, -1, 1);
    double *dy = (double *)suite_upload(y, n * sizeof *y);
    axpy_double<<<264, 128>>>(0.75, (double *)suite_upload(x, n * sizeof *x), dy, n);
    double *got = (double *)suite_download(dy, n * sizeof *y);
    for (int i = 0; i < n; i++)
        y[i] += 0.75 * x[i];
    return suite_error_doubles(got, y, n);
}

/* Each block folds its share in shared memory; one floating-point atomic a block. */
__global__ void dot(const float *a, const float *b, float *sum, int n)
{
    __shared__ float part[256];
    float s = 0;
    for (int i = SUITE_THREAD_X; i < n; i += gridDim.x * blockDim.x)
        s += a[i] * b[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, part[0]);
}

static double run_dot(void)
{
    int n = suite_pick(20000, 1000000);
    float *a = suite_floats(n, 0, 1), *b = suite_floats(n, 0, 1);
    float *dsum = (float *)suite_device_zeros(sizeof *dsum);
    dot<<<suite_pick(8, 264), 256>>>((float *)suite_upload(a, n * sizeof *a),
                                     (float *)suite_upload(b, n * sizeof *b), dsum, n);
    float *sum = (float *)suite_download(dsum, sizeof *sum);
    double expected = 0;
    for (int i = 0; i < n; i++)
        expected += (double)a[i] * b[i];
    return suite_error_floats(sum, &expected, 1);
}

/* y = A x with a thread for each row: a warp's lanes read 32 rows at once. */
__global__ void matvec_rows(const float *a, const float *x, float *y, int rows, int columns)
{
    int r = SUITE_THREAD_X;
    if (r >= rows)
        return;
    float s = 0;
    for (int c = 0; c < columns; c++)
        s += a[(size_t)r * columns + c] * x[c];
    y[r] = s;
}

/* y = A' x with a thread for each column: coalesced, x the same for all lanes. */
__global__ void matvec_columns(const float *a, const float *x, float *y, int rows, int columns)
{
    int c = SUITE_THREAD_X;
    if (c >= columns)
        return;
    float s = 0;
    for (int r = 0; r < rows; r++)
        s += a[(size_t)r * columns + c] * x[r];
    y[c] = s;
}

/* y = A x with a warp for each row, folded by shuffles. */
__global__ void matvec_warps(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = SUITE_THREAD_X / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float s = 0;
    for (int c = lane; c < columns; c += 32)
        s += a[(size_t)row * columns + c] * x[c];
    s = suite_warp_sum(s);
    if (lane == 0)
        y[row] = s;
}

static void matvec_reference(const float *a, const float *x, double *y, int rows, int columns,
                             int transposed)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            y[transposed ? c : r] += (double)a[(size_t)r * columns + c] * x[transposed ? r : c];
}

typedef void (*matvec_kernel)(const float *, const float *, float *, int, int);

static double matvec(matvec_kernel kernel, int rows, int columns, int transposed, int blocks,
                     int block)
{
    int n_in = transposed ? rows : columns, n_out = transposed ? columns : rows;
    size_t a_bytes = (size_t)rows * columns * sizeof(float);
    float *a = suite_floats((size_t)rows * columns, -1, 1), *x = suite_floats(n_in, -1, 1);
    float *dy = (float *)suite_device_zeros(n_out * sizeof *dy);
    kernel<<<blocks, block>>>((float *)suite_upload(a, a_bytes),
                              (float *)suite_upload(x, n_in * sizeof *x), dy, rows, columns);
    float *y = (float *)suite_download(dy, n_out * sizeof *y);
    double *expected = (double *)suite_host(n_out * sizeof *expected);
    matvec_reference(a, x, expected, rows, columns, transposed);
    return suite_error_floats(y, expected, n_out);
}

static double run_matvec_rows(void)
{
    int rows = suite_pick(500, 132 * 128), columns = suite_pick(48, 96);
    return matvec(matvec_rows, rows, columns, 0, suite_blocks(rows, 128), 128);
}

static double run_matvec_columns(void)
{
    int rows = suite_pick(40, 80), columns = suite_pick(600, 132 * 256);
    return matvec(matvec_columns, rows, columns, 1, suite_blocks(columns, 256), 256);
}

static double run_matvec_warps(void)
{
    int rows = suite_pick(50, 2112), columns = suite_pick(200, 1024);
    return matvec(matvec_warps, rows, columns, 0, suite_blocks(rows, 8), 256);
}

static const struct suite_test tests[] = {
    {"vector_add", "vector_add", "c = a + b", 1e-6, run_vector_add},
    {"axpy_wide", "axpy_wide", "y += f x, 16 bytes a lane", 1e-6, run_axpy_wide},
    {"axpy_double", "axpy_double", "y += f x in double, grid-stride loop", 1e-12, run_axpy_double},
    {"dot", "dot", "inner product, one atomic a block", 1e-5, run_dot},
    {"matvec_rows", "matvec_rows", "A x, a thread a row", 1e-5, run_matvec_rows},
    {"matvec_columns", "matvec_columns", "A' x, a thread a column", 1e-5, run_matvec_columns},
    {"matvec_warps", "matvec_warps", "A x, a warp a row", 1e-5, run_matvec_warps},
};
SUITE_AREA(suite_vector, "vector", tests);
