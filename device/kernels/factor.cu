/* factor.cu - factorisations and solves: LU, Gram-Schmidt, triangular systems. */
#include "suite.h"
#include <math.h>
#include <string.h>

enum { PANEL = 32 };

/* The first step of a blocked LU factorisation without pivots of an n x n
 * matrix: factor the leading PANEL x PANEL block ... */
__global__ void lu_diagonal(float *a, int n)
{
    __shared__ float block[PANEL][PANEL];
    int t = threadIdx.x;
    for (int r = 0; r < PANEL; r++)
        block[r][t] = a[r * n + t];
    __syncthreads();
    for (int k = 0; k < PANEL - 1; k++) {
        if (t > k) {
            block[t][k] /= block[k][k];
            for (int c = k + 1; c < PANEL; c++)
                block[t][c] -= block[t][k] * block[k][c];
        }
        __syncthreads();
    }
    for (int r = 0; r < PANEL; r++)
        a[r * n + t] = block[r][t];
}

/* ... solve for the blocks beside and below it (first half and second half of
 * each block's 2 PANEL threads) ... */
__global__ void lu_panels(float *a, int n)
{
    __shared__ float block[PANEL][PANEL];
    int t = threadIdx.x % PANEL, start = (blockIdx.x + 1) * PANEL;
    for (int r = threadIdx.x / PANEL; r < PANEL; r += 2)
        block[r][t] = a[r * n + t];
    __syncthreads();
    if (threadIdx.x < PANEL) { /* one column of the row panel: unit lower triangle */
        for (int r = 1; r < PANEL; r++) {
            float v = a[r * n + start + t];
            for (int k = 0; k < r; k++)
                v -= block[r][k] * a[k * n + start + t];
            a[r * n + start + t] = v;
        }
    } else { /* one row of the column panel: upper triangle from the right */
        float *row = a + (start + t) * n;
        for (int c = 0; c < PANEL; c++) {
            float v = row[c];
            for (int k = 0; k < c; k++)
                v -= row[k] * block[k][c];
            row[c] = v / block[c][c];
        }
    }
}

/* ... and subtract the product of the two panels from the rest. */
__global__ void lu_trailing(float *a, int n)
{
    __shared__ float left[PANEL][PANEL], above[PANEL][PANEL];
    int x = threadIdx.x, y = threadIdx.y;
    int row = (blockIdx.y + 1) * PANEL + y, column = (blockIdx.x + 1) * PANEL + x;
    left[y][x] = a[row * n + x];
    above[y][x] = a[y * n + column];
    __syncthreads();
    float s = 0;
    for (int k = 0; k < PANEL; k++)
        s += left[y][k] * above[k][x];
    a[row * n + column] -= s;
}

static double run_lu(void)
{
    int panels = suite_pick(2, 12), n = (panels + 1) * PANEL;
    size_t count = (size_t)n * n;
    float *a = suite_floats(count, -1, 1);
    for (int i = 0; i < n; i++)
        a[i * n + i] += n; /* a strong diagonal needs no pivots */
    float *da = (float *)suite_upload(a, count * sizeof *a);
    lu_diagonal<<<1, PANEL>>>(da, n);
    lu_panels<<<panels, 2 * PANEL>>>(da, n);
    lu_trailing<<<dim3(panels, panels), dim3(PANEL, PANEL)>>>(da, n);
    float *got = (float *)suite_download(da, count * sizeof *a);
    double *e = (double *)suite_host(count * sizeof *e);
    for (size_t i = 0; i < count; i++)
        e[i] = a[i];
    for (int k = 0; k < PANEL; k++)
        for (int r = k + 1; r < n; r++) {
            e[r * n + k] /= e[k * n + k];
            for (int c = k + 1; c < n; c++)
                e[r * n + c] -= e[r * n + k] * e[k * n + c];
        }
    return suite_error_floats(got, e, count);
}

/* One step of modified Gram-Schmidt on the columns of a rows x columns matrix:
 * the length of column 0, by one block ... */
__global__ void gram_norm(const float *a, float *norm, int rows, int columns)
{
    __shared__ float part[256];
    float s = 0;
    for (int r = threadIdx.x; r < rows; r += blockDim.x)
        s += a[r * columns] * a[r * columns];
    part[threadIdx.x] = s;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *norm = sqrtf(part[0]);
}

__global__ void gram_scale(const float *a, const float *norm, float *q, int rows, int columns)
{
    int r = SUITE_THREAD_X;
    if (r < rows)
        q[r] = a[r * columns] / *norm;
}

/* ... and the part along it taken out of every other column. */
__global__ void gram_project(float *a, const float *q, float *along, int rows, int columns)
{
    int c = SUITE_THREAD_X + 1;
    if (c >= columns)
        return;
    float s = 0;
    for (int r = 0; r < rows; r++)
        s += q[r] * a[r * columns + c];
    along[c] = s;
    for (int r = 0; r < rows; r++)
        a[r * columns + c] -= q[r] * s;
}

static void gram_reference(const float *a, double *e, int rows, int columns)
{
    double norm = 0;
    for (int r = 0; r < rows; r++)
        norm += (double)a[r * columns] * a[r * columns];
    norm = sqrt(norm);
    for (int i = 0; i < rows * columns; i++)
        e[i] = a[i];
    for (int c = 1; c < columns; c++) {
        double s = 0;
        for (int r = 0; r < rows; r++)
            s += a[r * columns] / norm * a[r * columns + c];
        for (int r = 0; r < rows; r++)
            e[r * columns + c] -= a[r * columns] / norm * s;
    }
}

static double run_gram_schmidt(void)
{
    int rows = suite_pick(64, 128), columns = suite_pick(200, 4224);
    size_t count = (size_t)rows * columns;
    float *a = suite_floats(count, -1, 1);
    float *da = (float *)suite_upload(a, count * sizeof *a);
    float *dnorm = (float *)suite_device_zeros(sizeof(float));
    float *dq = (float *)suite_device_zeros(rows * sizeof(float));
    float *dalong = (float *)suite_device_zeros(columns * sizeof(float));
    gram_norm<<<1, 256>>>(da, dnorm, rows, columns);
    gram_scale<<<suite_blocks(rows, 32), 32>>>(da, dnorm, dq, rows, columns);
    gram_project<<<suite_blocks(columns, 32), 32>>>(da, dq, dalong, rows, columns);
    float *got = (float *)suite_download(da, count * sizeof *a);
    double *expected = (double *)suite_host(count * sizeof *expected);
    gram_reference(a, expected, rows, columns);
    return suite_error_floats(got, expected, count);
}

/* L X = B in place, a thread a column of B. */
__global__ void triangular_solve(const float *lower, float *b, int n, int columns)
{
    int c = SUITE_THREAD_X;
    if (c >= columns)
        return;
    for (int r = 0; r < n; r++) {
        float v = b[r * columns + c];
        for (int k = 0; k < r; k++)
            v -= lower[r * n + k] * b[k * columns + c];
        b[r * columns + c] = v / lower[r * n + r];
    }
}

static double run_triangular_solve(void)
{
    int n = suite_pick(16, 32), columns = suite_pick(300, 132 * 96);
    size_t count = (size_t)n * columns;
    float *lower = suite_floats(n * n, -1, 1), *b = suite_floats(count, -1, 1);
    for (int i = 0; i < n; i++)
        lower[i * n + i] = 4 + lower[i * n + i];
    float *db = (float *)suite_upload(b, count * sizeof *b);
    triangular_solve<<<suite_blocks(columns, 96), 96>>>(
        (float *)suite_upload(lower, n * n * sizeof *lower), db, n, columns);
    float *got = (float *)suite_download(db, count * sizeof *b);
    double *e = (double *)suite_host(count * sizeof *e);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < columns; c++) {
            e[r * columns + c] = b[r * columns + c];
            for (int k = 0; k < r; k++)
                e[r * columns + c] -= (double)lower[r * n + k] * e[k * columns + c];
            e[r * columns + c] /= lower[r * n + r];
        }
    return suite_error_floats(got, e, count);
}

static const struct suite_test tests[] = {
    {"lu", "lu_diagonal lu_panels lu_trailing", "one step of blocked LU", 1e-5, run_lu},
    {"gram_schmidt", "gram_norm gram_scale gram_project", "one step of Gram-Schmidt", 1e-5,
     run_gram_schmidt},
    {"triangular_solve", "triangular_solve", "L X = B, a thread a column", 1e-5,
     run_triangular_solve},
};
SUITE_AREA(suite_factor, "factor", tests);
