/* poly.cu - linear algebra in the manner of PolyBench: a thread an element or a row, sums in global
 * memory, no tiles. */
#include "suite.h"
#include <math.h>

enum { WIDE = 32, HIGH = 8, ROW = 256 };

static dim3 plane_grid(int columns, int rows)
{
    return dim3(suite_blocks(columns, WIDE), suite_blocks(rows, HIGH));
}

static double *zeros(size_t n)
{
    return (double *)suite_host(n * sizeof(double));
}

static float *device_floats(const float *host, size_t n)
{
    return (float *)suite_upload(host, n * sizeof *host);
}

/* ---- three matrix products in a row, the sum kept in the result ---- */

__global__ void product3(const float *a, const float *b, float *c, int rows, int columns, int depth)
{
    int j = SUITE_THREAD_X, i = SUITE_THREAD_Y;
    if (i >= rows || j >= columns)
        return;
    c[i * columns + j] = 0;
    for (int k = 0; k < depth; k++)
        c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
}

static void product_reference(const double *a, const double *b, double *c, int rows, int columns, int depth)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < depth; k++)
            for (int j = 0; j < columns; j++)
                c[i * columns + j] += a[i * depth + k] * b[k * columns + j];
}

static double *widen(const float *v, size_t n)
{
    double *w = zeros(n);
    for (size_t i = 0; i < n; i++)
        w[i] = v[i];
    return w;
}

static double run_product3(void)
{
    int ni = suite_pick(40, 192), nj = suite_pick(36, 224), nk = suite_pick(24, 160);
    int nl = suite_pick(33, 128), nm = suite_pick(20, 144);
    float *a = suite_floats(ni * nk, -1, 1), *b = suite_floats(nk * nj, -1, 1);
    float *c = suite_floats(nj * nm, -1, 1), *d = suite_floats(nm * nl, -1, 1);
    float *e = (float *)suite_device_zeros(ni * nj * sizeof *e);
    float *f = (float *)suite_device_zeros(nj * nl * sizeof *f);
    float *g = (float *)suite_device_zeros(ni * nl * sizeof *g);
    dim3 block(WIDE, HIGH);
    product3<<<plane_grid(nj, ni), block>>>(device_floats(a, ni * nk), device_floats(b, nk * nj), e, ni, nj, nk);
    product3<<<plane_grid(nl, nj), block>>>(device_floats(c, nj * nm), device_floats(d, nm * nl), f, nj, nl, nm);
    product3<<<plane_grid(nl, ni), block>>>(e, f, g, ni, nl, nj);
    float *got = (float *)suite_download(g, ni * nl * sizeof *got);
    double *he = zeros(ni * nj), *hf = zeros(nj * nl), *hg = zeros(ni * nl);
    product_reference(widen(a, ni * nk), widen(b, nk * nj), he, ni, nj, nk);
    product_reference(widen(c, nj * nm), widen(d, nm * nl), hf, nj, nl, nm);
    product_reference(he, hf, hg, ni, nl, nj);
    return suite_error_floats(got, hg, ni * nl);
}

/* ---- correlation matrix of columns ---- */

__global__ void column_mean(const float *data, float *mean, int rows, int columns)
{
    int j = SUITE_THREAD_X;
    if (j >= columns)
        return;
    mean[j] = 0;
    for (int i = 0; i < rows; i++)
        mean[j] += data[i * columns + j];
    mean[j] /= (float)rows;
}

__global__ void column_deviation(const float *data, const float *mean, float *deviation, int rows, int columns)
{
    int j = SUITE_THREAD_X;
    if (j >= columns)
        return;
    deviation[j] = 0;
    for (int i = 0; i < rows; i++)
        deviation[j] += (data[i * columns + j] - mean[j]) * (data[i * columns + j] - mean[j]);
    deviation[j] = sqrtf(deviation[j] / (float)rows);
}

__global__ void standardise(float *data, const float *mean, const float *deviation, int rows, int columns)
{
    int j = SUITE_THREAD_X, i = SUITE_THREAD_Y;
    if (i < rows && j < columns) {
        data[i * columns + j] -= mean[j];
        data[i * columns + j] /= sqrtf((float)rows) * deviation[j];
    }
}

__global__ void correlate_columns(const float *data, float *matrix, int rows, int columns)
{
    int j = SUITE_THREAD_X;
    if (j >= columns)
        return;
    matrix[j * columns + j] = 1;
    for (int other = j + 1; other < columns; other++) {
        float sum = 0;
        for (int i = 0; i < rows; i++)
            sum += data[i * columns + j] * data[i * columns + other];
        matrix[j * columns + other] = sum;
        matrix[other * columns + j] = sum;
    }
}

/* Columns of x to mean 0 and, if asked, to length 1. */
static void centre(double *x, int rows, int columns, int to_unit)
{
    for (int j = 0; j < columns; j++) {
        double mean = 0, square = 0;
        for (int i = 0; i < rows; i++)
            mean += x[i * columns + j] / rows;
        for (int i = 0; i < rows; i++)
            square += (x[i * columns + j] - mean) * (x[i * columns + j] - mean);
        for (int i = 0; i < rows; i++)
            x[i * columns + j] = (x[i * columns + j] - mean) / (to_unit ? sqrt(square) : 1);
    }
}

static double *gram(const double *x, int rows, int columns)
{
    double *m = zeros((size_t)columns * columns);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            for (int k = 0; k < columns; k++)
                m[j * columns + k] += x[i * columns + j] * x[i * columns + k];
    return m;
}

static double run_correlation(void)
{
    int rows = suite_pick(30, 96), columns = suite_pick(50, 320), n = rows * columns;
    float *data = suite_floats(n, 0, 1), *ddata = device_floats(data, n);
    float *mean = (float *)suite_device_zeros(columns * sizeof *mean);
    float *deviation = (float *)suite_device_zeros(columns * sizeof *deviation);
    float *matrix = (float *)suite_device_zeros((size_t)columns * columns * sizeof *matrix);
    column_mean<<<suite_blocks(columns, ROW), ROW>>>(ddata, mean, rows, columns);
    column_deviation<<<suite_blocks(columns, ROW), ROW>>>(ddata, mean, deviation, rows, columns);
    standardise<<<plane_grid(columns, rows), dim3(WIDE, HIGH)>>>(ddata, mean, deviation, rows, columns);
    correlate_columns<<<suite_blocks(columns, ROW), ROW>>>(ddata, matrix, rows, columns);
    float *got = (float *)suite_download(matrix, (size_t)columns * columns * sizeof *got);
    double *x = widen(data, n);
    centre(x, rows, columns, 1);
    return suite_error_floats(got, gram(x, rows, columns), (size_t)columns * columns);
}

/* ---- covariance, in double, a thread a pair ---- */

__global__ void covariance_mean(const double *data, double *mean, int rows, int columns)
{
    int j = SUITE_THREAD_X;
    double sum = 0;
    if (j >= columns)
        return;
    for (int i = 0; i < rows; i++)
        sum += data[(size_t)i * columns + j];
    mean[j] = sum / rows;
}

__global__ void covariance_pairs(const double *data, const double *mean, double *matrix, int rows, int columns)
{
    int j = SUITE_THREAD_X, i = SUITE_THREAD_Y;
    double sum = 0;
    if (i >= columns || j >= columns)
        return;
    for (int k = 0; k < rows; k++)
        sum += (data[(size_t)k * columns + i] - mean[i]) * (data[(size_t)k * columns + j] - mean[j]);
    matrix[(size_t)i * columns + j] = sum;
}

static double run_covariance(void)
{
    int rows = suite_pick(30, 256), columns = suite_pick(40, 400);
    size_t n = (size_t)rows * columns, pairs = (size_t)columns * columns;
    double *data = suite_doubles(n, 0, 1);
    double *ddata = (double *)suite_upload(data, n * sizeof *data);
    double *mean = (double *)suite_device_zeros(columns * sizeof *mean);
    double *matrix = (double *)suite_device_zeros(pairs * sizeof *matrix);
    covariance_mean<<<suite_blocks(columns, 64), 64>>>(ddata, mean, rows, columns);
    covariance_pairs<<<dim3(suite_blocks(columns, 16), suite_blocks(columns, 16)), dim3(16, 16)>>>(
        ddata, mean, matrix, rows, columns);
    double *got = (double *)suite_download(matrix, pairs * sizeof *got);
    centre(data, rows, columns, 0);
    return suite_error_doubles(got, gram(data, rows, columns), pairs);
}

/* ---- symmetric update of rank 2k ---- */

__global__ void syr2k(const float *a, const float *b, float *c, int n, int depth, float alpha, float beta)
{
    int j = SUITE_THREAD_X, i = SUITE_THREAD_Y;
    if (i >= n || j >= n)
        return;
    c[i * n + j] *= beta;
    for (int k = 0; k < depth; k++) {
        c[i * n + j] += alpha * a[i * depth + k] * b[j * depth + k];
        c[i * n + j] += alpha * b[i * depth + k] * a[j * depth + k];
    }
}

static double run_syr2k(void)
{
    int n = suite_pick(40, 224), depth = suite_pick(20, 96);
    float *a = suite_floats(n * depth, -1, 1), *b = suite_floats(n * depth, -1, 1), *c = suite_floats(n * n, -1, 1);
    float *dc = device_floats(c, n * n);
    syr2k<<<plane_grid(n, n), dim3(WIDE, HIGH)>>>(device_floats(a, n * depth), device_floats(b, n * depth), dc, n,
                                                  depth, 0.5f, 0.25f);
    float *got = (float *)suite_download(dc, n * n * sizeof *got);
    double *expected = zeros(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.25 * c[i * n + j];
            for (int k = 0; k < depth; k++)
                sum += 0.5 * ((double)a[i * depth + k] * b[j * depth + k] + (double)b[i * depth + k] * a[j * depth + k]);
            expected[i * n + j] = sum;
        }
    return suite_error_floats(got, expected, n * n);
}

/* ---- 3x3x3 convolution, walking through the slowest dimension ---- */

__global__ void convolve_space(const float *a, float *b, int nx, int ny, int nz)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    for (int z = 1; z < nz - 1; z++) {
        const float *p = a + ((size_t)z * ny + y) * nx + x;
        size_t layer = (size_t)nx * ny;
        b[((size_t)z * ny + y) * nx + x] = 2 * (p[-layer - nx - 1] + p[layer - nx - 1]) + 4 * p[-layer - nx] +
                                           5 * (p[-nx + 1] + p[nx + 1]) - 8 * p[-layer + nx] + 7 * p[layer + nx + 1] -
                                           9 * p[nx - 1] + 6 * p[layer - 1] + 10 * p[0];
    }
}

static double run_convolve_space(void)
{
    int nx = suite_pick(40, 192), ny = suite_pick(18, 160), nz = suite_pick(6, 48), layer = nx * ny;
    size_t n = (size_t)layer * nz;
    float *a = suite_floats(n, -1, 1), *db = (float *)suite_device_zeros(n * sizeof *db);
    convolve_space<<<plane_grid(nx, ny), dim3(WIDE, HIGH)>>>(device_floats(a, n), db, nx, ny, nz);
    float *got = (float *)suite_download(db, n * sizeof *got);
    double *expected = zeros(n);
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                const float *p = a + ((size_t)z * ny + y) * nx + x;
                expected[p - a] = 2. * (p[-layer - nx - 1] + (double)p[layer - nx - 1]) + 4. * p[-layer - nx] +
                                  5. * (p[-nx + 1] + (double)p[nx + 1]) - 8. * p[-layer + nx] +
                                  7. * p[layer + nx + 1] - 9. * p[nx - 1] + 6. * p[layer - 1] + 10. * p[0];
            }
    return suite_error_floats(got, expected, n);
}

/* ---- gemver: rank-2 update, transposed and plain product with a vector ---- */

__global__ void rank_two(float *a, const float *u1, const float *v1, const float *u2, const float *v2, int n)
{
    int j = SUITE_THREAD_X, i = SUITE_THREAD_Y;
    if (i < n && j < n)
        a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}

__global__ void transposed_vector(const float *a, float *x, const float *y, const float *z, int n, float beta)
{
    int j = SUITE_THREAD_X;
    if (j >= n)
        return;
    for (int i = 0; i < n; i++)
        x[j] += beta * a[i * n + j] * y[i];
    x[j] += z[j];
}

__global__ void plain_vector(const float *a, const float *x, float *w, int n, float alpha)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    for (int j = 0; j < n; j++)
        w[i] += alpha * a[i * n + j] * x[j];
}

static void gemver_reference(const float *a0, const float *v, double *w, int n)
{
    double *a = zeros((size_t)n * n), *x = zeros(n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            a[(size_t)i * n + j] = a0[(size_t)i * n + j] + (double)v[i] * v[n + j] + (double)v[2 * n + i] * v[3 * n + j];
            x[j] += 0.5 * a[(size_t)i * n + j] * v[4 * n + i];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            w[i] += 0.25 * a[(size_t)i * n + j] * (x[j] + v[5 * n + j]);
}

static double run_gemver(void)
{
    int n = suite_pick(70, 1056);
    float *a = suite_floats((size_t)n * n, -1, 1), *v = suite_floats(6 * (size_t)n, -1, 1);
    float *da = device_floats(a, (size_t)n * n), *dv = device_floats(v, 6 * (size_t)n);
    float *dx = (float *)suite_device_zeros(n * sizeof *dx), *dw = (float *)suite_device_zeros(n * sizeof *dw);
    rank_two<<<plane_grid(n, n), dim3(WIDE, HIGH)>>>(da, dv, dv + n, dv + 2 * n, dv + 3 * n, n);
    transposed_vector<<<suite_blocks(n, ROW), ROW>>>(da, dx, dv + 4 * n, dv + 5 * n, n, 0.5f);
    plain_vector<<<suite_blocks(n, ROW), ROW>>>(da, dx, dw, n, 0.25f);
    float *got = (float *)suite_download(dw, n * sizeof *got);
    double *expected = zeros(n);
    gemver_reference(a, v, expected, n);
    return suite_error_floats(got, expected, n);
}

/* ---- doitgen: a matrix applied along the last of three dimensions ---- */

__global__ void doitgen_sum(const float *a, const float *c4, float *sum, int np, int rq)
{
    int p = SUITE_THREAD_X, row = SUITE_THREAD_Y;
    if (p >= np || row >= rq)
        return;
    sum[row * np + p] = 0;
    for (int s = 0; s < np; s++)
        sum[row * np + p] += a[row * np + s] * c4[s * np + p];
}

__global__ void doitgen_copy(float *a, const float *sum, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n)
        a[i] = sum[i];
}

static double run_doitgen(void)
{
    int np = suite_pick(40, 96), rq = suite_pick(30, 1000), n = np * rq;
    float *a = suite_floats(n, -1, 1), *c4 = suite_floats(np * np, -1, 1);
    float *da = device_floats(a, n), *dsum = (float *)suite_device_zeros(n * sizeof *dsum);
    doitgen_sum<<<plane_grid(np, rq), dim3(WIDE, HIGH)>>>(da, device_floats(c4, np * np), dsum, np, rq);
    doitgen_copy<<<suite_blocks(n, 512), 512>>>(da, dsum, n);
    float *got = (float *)suite_download(da, n * sizeof *got);
    double *expected = zeros(n);
    product_reference(widen(a, n), widen(c4, np * np), expected, rq, np, np);
    return suite_error_floats(got, expected, n);
}

/* ---- alternating directions: recurrences along rows, then along columns ---- */

__global__ void sweep_rows(float *x, const float *a, float *b, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    for (int j = 1; j < n; j++) {
        x[i * n + j] -= x[i * n + j - 1] * a[i * n + j] / b[i * n + j - 1];
        b[i * n + j] -= a[i * n + j] * a[i * n + j] / b[i * n + j - 1];
    }
}

__global__ void sweep_columns(float *x, const float *a, float *b, int n)
{
    int j = SUITE_THREAD_X;
    if (j >= n)
        return;
    for (int i = 1; i < n; i++) {
        x[i * n + j] -= x[(i - 1) * n + j] * a[i * n + j] / b[(i - 1) * n + j];
        b[i * n + j] -= a[i * n + j] * a[i * n + j] / b[(i - 1) * n + j];
    }
}

static void sweep_reference(double *x, const float *a, double *b, int n, int across, int along)
{
    for (int l = 0; l < n; l++)
        for (int k = 1; k < n; k++) {
            size_t at = (size_t)l * across + (size_t)k * along, before = at - along;
            x[at] -= x[before] * a[at] / b[before];
            b[at] -= (double)a[at] * a[at] / b[before];
        }
}

static double run_alternating(void)
{
    int n = suite_pick(50, 448);
    size_t count = (size_t)n * n;
    float *x = suite_floats(count, -1, 1), *a = suite_floats(count, 0, 0.5f), *b = suite_floats(count, 2, 3);
    float *dx = device_floats(x, count), *da = device_floats(a, count), *db = device_floats(b, count);
    sweep_rows<<<suite_blocks(n, ROW), ROW>>>(dx, da, db, n);
    sweep_columns<<<suite_blocks(n, 64), 64>>>(dx, da, db, n);
    float *got = (float *)suite_download(dx, count * sizeof *got);
    double *hx = widen(x, count), *hb = widen(b, count);
    sweep_reference(hx, a, hb, n, n, 1);
    sweep_reference(hx, a, hb, n, 1, n);
    return suite_error_floats(got, hx, count);
}

static const struct suite_test tests[] = {
    {"product3", "product3 product3 product3", "(A B)(C D), sums in global memory", 1e-3, run_product3},
    {"correlation", "column_mean column_deviation standardise correlate_columns", "correlation of columns", 1e-4,
     run_correlation},
    {"covariance", "covariance_mean covariance_pairs", "covariance in double", 1e-10, run_covariance},
    {"syr2k", "syr2k", "A B' + B A', sums in global memory", 2e-5, run_syr2k},
    {"convolve_space", "convolve_space", "3x3x3 convolution, walking in z", 1e-4, run_convolve_space},
    {"gemver", "rank_two transposed_vector plain_vector", "rank-2 update and two products", 2e-3, run_gemver},
    {"doitgen", "doitgen_sum doitgen_copy", "a matrix along the last dimension", 1e-4, run_doitgen},
    {"alternating", "sweep_rows sweep_columns", "recurrences along rows and columns", 1e-4, run_alternating},
};
SUITE_AREA(holdout_poly, "poly", tests);
