/* stencil.cu - stencils in one, two and three dimensions, and convolutions. */
#include "suite.h"

enum { RADIUS = 3, LINE_BLOCK = 256 };

/* Mean of 2 RADIUS + 1 neighbours; the outermost points are copied. */
__global__ void line_naive(const float *in, float *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    if (i < RADIUS || i >= n - RADIUS) {
        out[i] = in[i];
        return;
    }
    float s = 0;
    for (int d = -RADIUS; d <= RADIUS; d++)
        s += in[i + d];
    out[i] = s / (2 * RADIUS + 1);
}

__global__ void line_tiled(const float *in, float *out, int n)
{
    __shared__ float tile[LINE_BLOCK + 2 * RADIUS];
    int i = SUITE_THREAD_X, t = threadIdx.x + RADIUS;
    tile[t] = i < n ? in[i] : 0;
    if (threadIdx.x < RADIUS) {
        tile[t - RADIUS] = i >= RADIUS ? in[i - RADIUS] : 0;
        tile[t + LINE_BLOCK] = i + LINE_BLOCK < n ? in[i + LINE_BLOCK] : 0;
    }
    __syncthreads();
    if (i >= n)
        return;
    float s = 0;
    for (int d = -RADIUS; d <= RADIUS; d++)
        s += tile[t + d];
    out[i] = i < RADIUS || i >= n - RADIUS ? tile[t] : s / (2 * RADIUS + 1);
}

typedef void (*line_kernel)(const float *, float *, int);

static double line(line_kernel kernel)
{
    int n = suite_pick(10000, 500000);
    float *in = suite_floats(n, -1, 1);
    float *dout = (float *)suite_device_zeros(n * sizeof *dout);
    kernel<<<suite_blocks(n, LINE_BLOCK), LINE_BLOCK>>>((float *)suite_upload(in, n * sizeof *in),
                                                        dout, n);
    float *got = (float *)suite_download(dout, n * sizeof *got);
    double *e = (double *)suite_host(n * sizeof *e);
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int d = -RADIUS; d <= RADIUS && i >= RADIUS && i < n - RADIUS; d++)
            s += in[i + d];
        e[i] = i < RADIUS || i >= n - RADIUS ? in[i] : s / (2 * RADIUS + 1);
    }
    return suite_error_floats(got, e, n);
}

static double run_line_naive(void)
{
    return line(line_naive);
}

static double run_line_tiled(void)
{
    return line(line_tiled);
}

enum { PLANE_X = 32, PLANE_Y = 8 };

/* Five-point mean on the inner points of a plane. */
__global__ void plane_naive(const float *in, float *out, int nx, int ny)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int i = y * nx + x;
    out[i] = 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx]);
}

/* The same from a tile with a halo of one. */
__global__ void plane_tiled(const float *in, float *out, int nx, int ny)
{
    __shared__ float tile[PLANE_Y + 2][PLANE_X + 2];
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int i = y * nx + x;
    if (x < nx && y < ny) {
        tile[ty][tx] = in[i];
        if (tx == 1 && x > 0)
            tile[ty][0] = in[i - 1];
        if (tx == PLANE_X && x < nx - 1)
            tile[ty][PLANE_X + 1] = in[i + 1];
        if (ty == 1 && y > 0)
            tile[0][tx] = in[i - nx];
        if (ty == PLANE_Y && y < ny - 1)
            tile[PLANE_Y + 1][tx] = in[i + nx];
    }
    __syncthreads();
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    out[i] = 0.2f * (tile[ty][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] +
                     tile[ty + 1][tx]);
}

typedef void (*plane_kernel)(const float *, float *, int, int);

static double plane(plane_kernel kernel)
{
    int nx = suite_pick(100, 1000), ny = suite_pick(60, 600);
    size_t n = (size_t)nx * ny;
    float *in = suite_floats(n, -1, 1);
    float *dout = (float *)suite_device_zeros(n * sizeof *dout);
    dim3 grid(suite_blocks(nx, PLANE_X), suite_blocks(ny, PLANE_Y)), block(PLANE_X, PLANE_Y);
    kernel<<<grid, block>>>((float *)suite_upload(in, n * sizeof *in), dout, nx, ny);
    float *got = (float *)suite_download(dout, n * sizeof *got);
    double *e = (double *)suite_host(n * sizeof *e);
    for (int y = 1; y < ny - 1; y++)
        for (int x = 1; x < nx - 1; x++) {
            const float *p = in + y * nx + x;
            e[y * nx + x] = 0.2 * ((double)p[0] + p[-1] + p[1] + p[-nx] + p[nx]);
        }
    return suite_error_floats(got, e, n);
}

static double run_plane_naive(void)
{
    return plane(plane_naive);
}

static double run_plane_tiled(void)
{
    return plane(plane_tiled);
}

/* Nine points in double precision, a square of threads. */
__global__ void plane_double(const double *in, double *out, int n)
{
    int x = SUITE_THREAD_X + 1, y = SUITE_THREAD_Y + 1;
    if (x >= n - 1 || y >= n - 1)
        return;
    double s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            s += in[(y + dy) * n + x + dx];
    out[y * n + x] = s * (1.0 / 9.0);
}

static double run_plane_double(void)
{
    int n = suite_pick(50, 450);
    size_t count = (size_t)n * n;
    double *in = suite_doubles(count, -1, 1);
    double *dout = (double *)suite_device_zeros(count * sizeof *dout);
    plane_double<<<dim3(suite_blocks(n, 16), suite_blocks(n, 16)), dim3(16, 16)>>>(
        (double *)suite_upload(in, count * sizeof *in), dout, n);
    double *got = (double *)suite_download(dout, count * sizeof *got);
    double *e = (double *)suite_host(count * sizeof *e);
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            for (int k = 0; k < 9; k++)
                e[y * n + x] += in[(y + k / 3 - 1) * n + x + k % 3 - 1];
            e[y * n + x] *= 1.0 / 9.0;
        }
    return suite_error_doubles(got, e, count);
}

/* Seven points in space, a thread a point. */
__global__ void space_naive(const float *in, float *out, int nx, int ny, int nz)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y, z = SUITE_THREAD_Z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    int i = (z * ny + y) * nx + x;
    out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] +
                                    in[i - nx * ny] + in[i + nx * ny]);
}

/* A block walks up in z: the plane it is in lies in shared memory, the values
 * below and above in registers. nx and ny are multiples of the block. */
__global__ void space_marching(const float *in, float *out, int nx, int ny, int nz)
{
    __shared__ float tile[PLANE_Y + 2][PLANE_X + 2];
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int inner = x >= 1 && y >= 1 && x < nx - 1 && y < ny - 1, i = y * nx + x;
    float below = in[i], here = in[i + nx * ny];
    for (int z = 1; z < nz - 1; z++) {
        i += nx * ny;
        float above = in[i + nx * ny];
        tile[ty][tx] = here;
        if (tx == 1 && x > 0)
            tile[ty][0] = in[i - 1];
        if (tx == PLANE_X && x < nx - 1)
            tile[ty][PLANE_X + 1] = in[i + 1];
        if (ty == 1 && y > 0)
            tile[0][tx] = in[i - nx];
        if (ty == PLANE_Y && y < ny - 1)
            tile[PLANE_Y + 1][tx] = in[i + nx];
        __syncthreads();
        if (inner)
            out[i] = 0.4f * here + 0.1f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] +
                                           tile[ty + 1][tx] + below + above);
        __syncthreads();
        below = here;
        here = above;
    }
}

typedef void (*space_kernel)(const float *, float *, int, int, int);

static double space(space_kernel kernel, int nx, int ny, int nz, dim3 grid, dim3 block)
{
    size_t n = (size_t)nx * ny * nz;
    float *in = suite_floats(n, -1, 1);
    float *dout = (float *)suite_device_zeros(n * sizeof *dout);
    kernel<<<grid, block>>>((float *)suite_upload(in, n * sizeof *in), dout, nx, ny, nz);
    float *got = (float *)suite_download(dout, n * sizeof *got);
    double *e = (double *)suite_host(n * sizeof *e);
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                size_t i = ((size_t)z * ny + y) * nx + x;
                e[i] = 0.4 * in[i] + 0.1 * ((double)in[i - 1] + in[i + 1] + in[i - nx] +
                                            in[i + nx] + in[i - nx * ny] + in[i + nx * ny]);
            }
    return suite_error_floats(got, e, n);
}

static double run_space_naive(void)
{
    int nx = suite_pick(40, 120), ny = suite_pick(20, 90), nz = suite_pick(12, 48);
    dim3 block(32, 4, 2);
    dim3 grid(suite_blocks(nx, block.x), suite_blocks(ny, block.y), suite_blocks(nz, block.z));
    return space(space_naive, nx, ny, nz, grid, block);
}

static double run_space_marching(void)
{
    int nx = suite_pick(64, 192), ny = suite_pick(16, 192), nz = suite_pick(8, 14);
    return space(space_marching, nx, ny, nz, dim3(nx / PLANE_X, ny / PLANE_Y),
                 dim3(PLANE_X, PLANE_Y));
}

enum { FILTER = 5, HALF = FILTER / 2, SQUARE = 16 };
__constant__ float filter[FILTER * FILTER];

/* 5x5 convolution with zeros outside; the weights are in constant memory. */
__global__ void convolve_constant(const float *in, float *out, int nx, int ny)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y;
    if (x >= nx || y >= ny)
        return;
    float s = 0;
    for (int fy = 0; fy < FILTER; fy++)
        for (int fx = 0; fx < FILTER; fx++) {
            int sx = x + fx - HALF, sy = y + fy - HALF;
            if (sx >= 0 && sy >= 0 && sx < nx && sy < ny)
                s += filter[fy * FILTER + fx] * in[sy * nx + sx];
        }
    out[y * nx + x] = s;
}

/* The same from a shared tile that its threads fill in turns. */
__global__ void convolve_tiled(const float *in, float *out, int nx, int ny)
{
    enum { SIDE = SQUARE + 2 * HALF };
    __shared__ float tile[SIDE * SIDE];
    int left = blockIdx.x * SQUARE - HALF, top = blockIdx.y * SQUARE - HALF;
    for (int t = threadIdx.y * SQUARE + threadIdx.x; t < SIDE * SIDE; t += SQUARE * SQUARE) {
        int sx = left + t % SIDE, sy = top + t / SIDE;
        tile[t] = sx >= 0 && sy >= 0 && sx < nx && sy < ny ? in[sy * nx + sx] : 0;
    }
    __syncthreads();
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y;
    if (x >= nx || y >= ny)
        return;
    float s = 0;
    for (int fy = 0; fy < FILTER; fy++)
        for (int fx = 0; fx < FILTER; fx++)
            s += filter[fy * FILTER + fx] * tile[(threadIdx.y + fy) * SIDE + threadIdx.x + fx];
    out[y * nx + x] = s;
}

static double convolve(plane_kernel kernel)
{
    int nx = suite_pick(70, 400), ny = suite_pick(50, 300);
    size_t n = (size_t)nx * ny;
    float *in = suite_floats(n, -1, 1), *weights = suite_floats(FILTER * FILTER, -1, 1);
    suite_require(cudaMemcpyToSymbol(filter, weights, sizeof filter), "cudaMemcpyToSymbol");
    float *dout = (float *)suite_device_zeros(n * sizeof *dout);
    dim3 grid(suite_blocks(nx, SQUARE), suite_blocks(ny, SQUARE)), block(SQUARE, SQUARE);
    kernel<<<grid, block>>>((float *)suite_upload(in, n * sizeof *in), dout, nx, ny);
    float *got = (float *)suite_download(dout, n * sizeof *got);
    double *e = (double *)suite_host(n * sizeof *e);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < FILTER * FILTER; k++) {
            int x = (int)(i % nx) + k % FILTER - HALF, y = (int)(i / nx) + k / FILTER - HALF;
            if (x >= 0 && y >= 0 && x < nx && y < ny)
                e[i] += (double)weights[k] * in[y * nx + x];
        }
    return suite_error_floats(got, e, n);
}

static double run_convolve_constant(void)
{
    return convolve(convolve_constant);
}

static double run_convolve_tiled(void)
{
    return convolve(convolve_tiled);
}

static const struct suite_test tests[] = {
    {"line_naive", "line_naive", "7 points on a line", 1e-5, run_line_naive},
    {"line_tiled", "line_tiled", "7 points on a line from shared memory", 1e-5, run_line_tiled},
    {"plane_naive", "plane_naive", "5 points in a plane", 1e-5, run_plane_naive},
    {"plane_tiled", "plane_tiled", "5 points in a plane from shared memory", 1e-5, run_plane_tiled},
    {"plane_double", "plane_double", "9 points in a plane in double", 1e-12, run_plane_double},
    {"space_naive", "space_naive", "7 points in space", 1e-5, run_space_naive},
    {"space_marching", "space_marching", "7 points in space, walking in z", 1e-5,
     run_space_marching},
    {"convolve_constant", "convolve_constant", "5x5 convolution, weights in constant memory", 1e-5,
     run_convolve_constant},
    {"convolve_tiled", "convolve_tiled", "5x5 convolution from shared memory", 1e-5,
     run_convolve_tiled},
};
SUITE_AREA(suite_stencil, "stencil", tests);
