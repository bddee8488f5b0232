/* science.cu - kernels of scientific programs: clusters, bodies, Fourier transforms. */
#include "suite.h"
#include <math.h>

/* Nearest of the centres for every point; points are stored one coordinate after the other. */
__global__ void kmeans_assign(const float *points, const float *centres, uint32_t *nearest, int n,
                              int dimensions, int n_centres)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    float best = 3e38f;
    uint32_t best_centre = 0;
    for (int c = 0; c < n_centres; c++) {
        float distance = 0;
        for (int d = 0; d < dimensions; d++) {
            float gap = points[d * n + i] - centres[c * dimensions + d];
            distance += gap * gap;
        }
        if (distance < best) {
            best = distance;
            best_centre = c;
        }
    }
    nearest[i] = best_centre;
}

static double squared_distance(const float *points, const float *centres, int n, int dimensions,
                               int i, int c)
{
    double distance = 0;
    for (int d = 0; d < dimensions; d++) {
        double gap = (double)points[d * n + i] - centres[c * dimensions + d];
        distance += gap * gap;
    }
    return distance;
}

/* Error: how much farther the chosen centre is than the best one. */
static double run_kmeans_assign(void)
{
    int n = suite_pick(2000, 132 * 256), dimensions = 8, n_centres = suite_pick(5, 12);
    float *points = suite_floats((size_t)n * dimensions, -1, 1);
    float *centres = suite_floats((size_t)n_centres * dimensions, -1, 1);
    uint32_t *dnearest = (uint32_t *)suite_device_zeros(n * sizeof *dnearest);
    kmeans_assign<<<suite_blocks(n, 256), 256>>>(
        (float *)suite_upload(points, (size_t)n * dimensions * sizeof *points),
        (float *)suite_upload(centres, (size_t)n_centres * dimensions * sizeof *centres), dnearest,
        n, dimensions, n_centres);
    uint32_t *got = (uint32_t *)suite_download(dnearest, n * sizeof *got);
    double worst = 0;
    for (int i = 0; i < n; i++) {
        if (got[i] >= (uint32_t)n_centres)
            return HUGE_VAL;
        double chosen = squared_distance(points, centres, n, dimensions, i, (int)got[i]);
        for (int c = 0; c < n_centres; c++) {
            double other = squared_distance(points, centres, n, dimensions, i, c);
            worst = chosen - other > worst ? chosen - other : worst;
        }
    }
    return worst;
}

enum { BODY_TILE = 64 };

/* Pull of the sources (x, y, z, mass) on each body; a tile of sources at a time
 * lies in shared memory. n_sources is a multiple of BODY_TILE. */
__global__ void nbody(const float4 *bodies, const float4 *sources, float4 *pulls, int n_sources)
{
    __shared__ float4 tile[BODY_TILE];
    int i = SUITE_THREAD_X;
    float4 me = bodies[i], pull = make_float4(0, 0, 0, 0);
    for (int start = 0; start < n_sources; start += BODY_TILE) {
        tile[threadIdx.x] = sources[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BODY_TILE; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = suite_rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            float strength = tile[k].w * inverse * inverse * inverse;
            pull.x += strength * dx;
            pull.y += strength * dy;
            pull.z += strength * dz;
        }
        __syncthreads();
    }
    pulls[i] = pull;
}

static void nbody_reference(const float *me, const float *sources, int n_sources, double *pull)
{
    for (int k = 0; k < n_sources; k++) {
        const float *s = sources + 4 * k;
        double d[3], square = 0.01;
        for (int a = 0; a < 3; a++) {
            d[a] = (double)s[a] - me[a];
            square += d[a] * d[a];
        }
        for (int a = 0; a < 3; a++)
            pull[a] += s[3] * d[a] / (square * sqrt(square));
    }
}

static double run_nbody(void)
{
    int n = suite_pick(2, 132) * BODY_TILE, n_sources = suite_pick(2, 5) * BODY_TILE;
    float *bodies = suite_floats(4 * n, -1, 1), *sources = suite_floats(4 * n_sources, 0, 1);
    float4 *dpulls = (float4 *)suite_device_zeros(n * sizeof *dpulls);
    nbody<<<n / BODY_TILE, BODY_TILE>>>((float4 *)suite_upload(bodies, n * sizeof(float4)),
                                        (float4 *)suite_upload(sources, n_sources * sizeof(float4)),
                                        dpulls, n_sources);
    float *got = (float *)suite_download(dpulls, n * sizeof(float4));
    double *expected = (double *)suite_host(4 * n * sizeof *expected);
    for (int i = 0; i < n; i++)
        nbody_reference(bodies + 4 * i, sources, n_sources, expected + 4 * i);
    return suite_error_floats(got, expected, 4 * n);
}

/* Turn of a butterfly: a becomes a + w b, b becomes a - w b. */
static __device__ inline void butterfly(float2 *a, float2 *b, float2 w)
{
    float2 turned = make_float2(w.x * b->x - w.y * b->y, w.x * b->y + w.y * b->x);
    *b = make_float2(a->x - turned.x, a->y - turned.y);
    *a = make_float2(a->x + turned.x, a->y + turned.y);
}

/* One radix-2 stage over a long array: pairs that lie `gap` apart. */
__global__ void fft_stage(float2 *data, const float2 *roots, int n, int gap)
{
    int t = SUITE_THREAD_X;
    if (t >= n / 2)
        return;
    int k = t % gap, low = t / gap * 2 * gap + k;
    float2 a = data[low], b = data[low + gap];
    butterfly(&a, &b, roots[k * (n / 2 / gap)]);
    data[low] = a;
    data[low + gap] = b;
}

/* exp(-2 pi i k / n) for half a turn, as pairs of floats. */
static float *make_roots(int n)
{
    float *roots = (float *)suite_host(n * sizeof *roots);
    for (int k = 0; k < n / 2; k++) {
        double angle = -2 * 3.14159265358979323846 * k / n;
        roots[2 * k] = (float)cos(angle);
        roots[2 * k + 1] = (float)sin(angle);
    }
    return roots;
}

static void fft_stage_reference(double *data, const float *roots, int n, int gap)
{
    for (int t = 0; t < n / 2; t++) {
        int k = t % gap, low = t / gap * 2 * gap + k;
        const float *w = roots + 2 * k * (n / 2 / gap);
        double *a = data + 2 * low, *b = a + 2 * gap;
        double re = w[0] * b[0] - w[1] * b[1], im = w[0] * b[1] + w[1] * b[0];
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
    }
}

static double run_fft_stage(void)
{
    int n = suite_pick(1 << 12, 1 << 18), gap = suite_pick(1 << 7, 1 << 12);
    float *data = suite_floats(2 * n, -1, 1), *roots = make_roots(n);
    float2 *ddata = (float2 *)suite_upload(data, n * sizeof *ddata);
    fft_stage<<<suite_blocks(n / 2, 128), 128>>>(
        ddata, (float2 *)suite_upload(roots, n * sizeof *roots), n, gap);
    float *got = (float *)suite_download(ddata, n * sizeof *ddata);
    double *expected = (double *)suite_host(2 * n * sizeof *expected);
    for (int i = 0; i < 2 * n; i++)
        expected[i] = data[i];
    fft_stage_reference(expected, roots, n, gap);
    return suite_error_floats(got, expected, 2 * n);
}

enum { POINTS = 512, POINT_BITS = 9 };

static __host__ __device__ inline int reversed(int i)
{
    int r = 0;
    for (int bit = 0; bit < POINT_BITS; bit++)
        r |= ((i >> bit) & 1) << (POINT_BITS - 1 - bit);
    return r;
}

/* A whole transform of POINTS points a block, in shared memory: the gaps of the
 * first stages and the reversed order make bank conflicts. */
__global__ void fft_block(float2 *data, const float2 *roots)
{
    __shared__ float2 points[POINTS];
    float2 *mine = data + blockIdx.x * POINTS;
    int t = threadIdx.x;
    points[reversed(t)] = mine[t];
    points[reversed(t + POINTS / 2)] = mine[t + POINTS / 2];
    for (int gap = 1; gap < POINTS; gap *= 2) {
        __syncthreads();
        int k = t % gap, low = t / gap * 2 * gap + k;
        butterfly(&points[low], &points[low + gap], roots[k * (POINTS / 2 / gap)]);
    }
    __syncthreads();
    mine[t] = points[t];
    mine[t + POINTS / 2] = points[t + POINTS / 2];
}

static double run_fft_block(void)
{
    int blocks = suite_pick(4, 132), n = blocks * POINTS;
    float *data = suite_floats(2 * n, -1, 1), *roots = make_roots(POINTS);
    float2 *ddata = (float2 *)suite_upload(data, n * sizeof *ddata);
    fft_block<<<blocks, POINTS / 2>>>(ddata, (float2 *)suite_upload(roots, POINTS * sizeof *roots));
    float *got = (float *)suite_download(ddata, n * sizeof *ddata);
    double *expected = (double *)suite_host(2 * n * sizeof *expected);
    for (int i = 0; i < n; i++) {
        int to = i / POINTS * POINTS + reversed(i % POINTS);
        expected[2 * to] = data[2 * i];
        expected[2 * to + 1] = data[2 * i + 1];
    }
    for (int b = 0; b < blocks; b++)
        for (int gap = 1; gap < POINTS; gap *= 2)
            fft_stage_reference(expected + 2 * b * POINTS, roots, POINTS, gap);
    return suite_error_floats(got, expected, 2 * n);
}

static const struct suite_test tests[] = {
    {"kmeans_assign", "kmeans_assign", "nearest of some centres", 1e-5, run_kmeans_assign},
    {"nbody", "nbody", "forces of bodies, sources in shared memory", 1e-4, run_nbody},
    {"fft_stage", "fft_stage", "one stage of a long transform", 1e-5, run_fft_stage},
    {"fft_block", "fft_block", "512-point transforms in shared memory", 2e-5, run_fft_block},
};
SUITE_AREA(suite_science, "science", tests);
