/* reduce.cu - reductions, scans, histograms and compaction. */
#include "suite.h"
#include <string.h>

/* A block folds 512 words in shared memory. n is a multiple of 512. */
__global__ void reduce_tree(const uint32_t *in, uint32_t *out)
{
    __shared__ uint32_t part[256];
    unsigned t = threadIdx.x;
    const uint32_t *from = in + blockIdx.x * 512;
    part[t] = from[t] + from[t + 256];
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

static double run_reduce_tree(void)
{
    int blocks = suite_pick(20, 1500), n = blocks * 512;
    uint32_t *in = suite_uints(n, 1000000);
    uint32_t *dout = (uint32_t *)suite_device_zeros(blocks * sizeof *dout);
    reduce_tree<<<blocks, 256>>>((uint32_t *)suite_upload(in, n * sizeof *in), dout);
    uint32_t *got = (uint32_t *)suite_download(dout, blocks * sizeof *got);
    uint32_t *expected = (uint32_t *)suite_host(blocks * sizeof *expected);
    for (int i = 0; i < n; i++)
        expected[i / 512] += in[i];
    return suite_mismatches(got, expected, blocks);
}

/* Folding in registers: shuffles inside a warp, shared memory between warps. */
__global__ void reduce_shuffle(const float *in, float *out, int n)
{
    __shared__ float part[8];
    float s = 0;
    for (int i = SUITE_THREAD_X; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    s = suite_warp_sum(s);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = threadIdx.x < 8 ? part[threadIdx.x] : 0;
        s = suite_warp_sum(s);
        if (threadIdx.x == 0)
            out[blockIdx.x] = s;
    }
}

static double run_reduce_shuffle(void)
{
    int blocks = suite_pick(6, 264), n = suite_pick(15000, 900000);
    float *in = suite_floats(n, 0, 1);
    float *dout = (float *)suite_device_zeros(blocks * sizeof *dout);
    reduce_shuffle<<<blocks, 256>>>((float *)suite_upload(in, n * sizeof *in), dout, n);
    float *got = (float *)suite_download(dout, blocks * sizeof *got);
    double *expected = (double *)suite_host(blocks * sizeof *expected);
    for (int i = 0; i < n; i++)
        expected[i / 256 % blocks] += in[i];
    return suite_error_floats(got, expected, blocks);
}

/* Every thread adds to the same word, and to the largest and smallest of its block's slot. */
__global__ void reduce_atomic(const uint32_t *in, uint32_t *sum, uint32_t *largest,
                              uint32_t *smallest, int n, int slots)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    uint32_t v = in[i];
    atomicAdd(sum, v);
    atomicMax(&largest[i % slots], v);
    atomicMin(&smallest[i % slots], v);
}

static double run_reduce_atomic(void)
{
    int n = suite_pick(5000, 100000), slots = 1024;
    uint32_t *in = suite_uints(n, 1u << 30);
    uint32_t *expected = (uint32_t *)suite_host((1 + 2 * slots) * sizeof *expected);
    memset(expected + 1 + slots, 255, slots * sizeof *expected);
    uint32_t *d = (uint32_t *)suite_upload(expected, (1 + 2 * slots) * sizeof *d);
    reduce_atomic<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(in, n * sizeof *in), d,
                                                 d + 1, d + 1 + slots, n, slots);
    uint32_t *got = (uint32_t *)suite_download(d, (1 + 2 * slots) * sizeof *got);
    for (int i = 0; i < n; i++) {
        uint32_t *most = &expected[1 + i % slots], *least = &expected[1 + slots + i % slots];
        expected[0] += in[i];
        *most = in[i] > *most ? in[i] : *most;
        *least = in[i] < *least ? in[i] : *least;
    }
    return suite_mismatches(got, expected, 1 + 2 * slots);
}

enum { SCAN = 256 };

/* Running sums inside each block of SCAN words, and each block's total. */
__global__ void scan_blocks(const uint32_t *in, uint32_t *out, uint32_t *totals, int n)
{
    __shared__ uint32_t buffer[2][SCAN];
    int i = SUITE_THREAD_X, t = threadIdx.x, from = 0;
    buffer[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < SCAN; step *= 2, from ^= 1) {
        uint32_t v = buffer[from][t];
        buffer[from ^ 1][t] = t >= step ? v + buffer[from][t - step] : v;
        __syncthreads();
    }
    if (i < n)
        out[i] = buffer[from][t];
    if (t == SCAN - 1)
        totals[blockIdx.x] = buffer[from][t];
}

/* One block turns the totals into running sums, a stretch for each thread. */
__global__ void scan_totals(uint32_t *totals, int n)
{
    __shared__ uint32_t sums[SCAN];
    int t = threadIdx.x, stretch = (n + SCAN - 1) / SCAN;
    uint32_t s = 0;
    for (int i = t * stretch; i < (t + 1) * stretch && i < n; i++)
        s += totals[i];
    sums[t] = s;
    __syncthreads();
    uint32_t before = 0;
    for (int k = 0; k < t; k++)
        before += sums[k];
    for (int i = t * stretch; i < (t + 1) * stretch && i < n; i++) {
        before += totals[i];
        totals[i] = before;
    }
}

__global__ void scan_add(uint32_t *out, const uint32_t *totals, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n && blockIdx.x > 0)
        out[i] += totals[blockIdx.x - 1];
}

static double run_scan(void)
{
    int n = suite_pick(5000, 300000), blocks = suite_blocks(n, SCAN);
    uint32_t *in = suite_uints(n, 1000);
    uint32_t *dout = (uint32_t *)suite_device_zeros(n * sizeof *dout);
    uint32_t *dtotals = (uint32_t *)suite_device_zeros(blocks * sizeof *dtotals);
    scan_blocks<<<blocks, SCAN>>>((uint32_t *)suite_upload(in, n * sizeof *in), dout, dtotals, n);
    scan_totals<<<1, SCAN>>>(dtotals, blocks);
    scan_add<<<blocks, SCAN>>>(dout, dtotals, n);
    uint32_t *got = (uint32_t *)suite_download(dout, n * sizeof *got);
    for (int i = 1; i < n; i++)
        in[i] += in[i - 1];
    return suite_mismatches(got, in, n);
}

enum { BINS = 256 };

__global__ void histogram_global(const uint32_t *in, uint32_t *bins, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n)
        atomicAdd(&bins[in[i] % BINS], 1u);
}

/* A private histogram a block, added up at the end. */
__global__ void histogram_shared(const uint32_t *in, uint32_t *bins, int n)
{
    __shared__ uint32_t mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        mine[b] = 0;
    __syncthreads();
    for (int i = SUITE_THREAD_X; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i] % BINS], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x)
        if (mine[b])
            atomicAdd(&bins[b], mine[b]);
}

typedef void (*histogram_kernel)(const uint32_t *, uint32_t *, int);

static double histogram(histogram_kernel kernel, int n, int blocks)
{
    uint32_t *in = suite_uints(n, 1u << 20);
    uint32_t *dbins = (uint32_t *)suite_device_zeros(BINS * sizeof *dbins);
    kernel<<<blocks, 256>>>((uint32_t *)suite_upload(in, n * sizeof *in), dbins, n);
    uint32_t *got = (uint32_t *)suite_download(dbins, BINS * sizeof *got);
    uint32_t *expected = (uint32_t *)suite_host(BINS * sizeof *expected);
    for (int i = 0; i < n; i++)
        expected[in[i] % BINS]++;
    return suite_mismatches(got, expected, BINS);
}

static double run_histogram_global(void)
{
    int n = suite_pick(10000, 300000);
    return histogram(histogram_global, n, suite_blocks(n, 256));
}

static double run_histogram_shared(void)
{
    return histogram(histogram_shared, suite_pick(20000, 800000), suite_pick(8, 264));
}

/* Keeps the words below a limit; each warp reserves room with one atomic. */
__global__ void compact(const uint32_t *in, uint32_t *out, uint32_t *count, int n, uint32_t limit)
{
    int i = SUITE_THREAD_X, lane = threadIdx.x % 32;
    int keep = i < n && in[i] < limit;
    uint32_t kept = __ballot_sync(SUITE_ALL_LANES, keep), start = 0;
    if (lane == 0 && kept)
        start = atomicAdd(count, (uint32_t)__popc(kept));
    start = __shfl_sync(SUITE_ALL_LANES, start, 0);
    if (keep)
        out[start + __popc(kept & ((1u << lane) - 1))] = in[i];
}

/* The order of the warps is free: the check is that every word that should be
 * there is there once. */
static double run_compact(void)
{
    int n = suite_pick(10000, 400000);
    uint32_t limit = n / 3, *in = suite_uints(n, n);
    for (int i = 0; i < n; i++) /* a permutation of 0 .. n-1 */
        in[i] = i;
    uint32_t *swap = suite_uints(n, n);
    for (int i = 0; i < n; i++) {
        uint32_t v = in[i];
        in[i] = in[swap[i]];
        in[swap[i]] = v;
    }
    uint32_t *dout = (uint32_t *)suite_device_zeros(n * sizeof *dout);
    uint32_t *dcount = (uint32_t *)suite_device_zeros(sizeof *dcount);
    compact<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(in, n * sizeof *in), dout,
                                           dcount, n, limit);
    uint32_t count = *(uint32_t *)suite_download(dcount, sizeof *dcount);
    uint32_t *got = (uint32_t *)suite_download(dout, n * sizeof *got);
    unsigned char *seen = (unsigned char *)suite_host(n);
    double wrong = count != limit;
    for (uint32_t i = 0; i < limit; i++) {
        wrong += got[i] >= limit || seen[got[i]];
        seen[got[i] < limit ? got[i] : 0] = 1;
    }
    return wrong;
}

static const struct suite_test tests[] = {
    {"reduce_tree", "reduce_tree", "sums of 512 words in shared memory", 0, run_reduce_tree},
    {"reduce_shuffle", "reduce_shuffle", "sums by warp shuffles", 1e-5, run_reduce_shuffle},
    {"reduce_atomic", "reduce_atomic", "sum, largest and smallest by atomics", 0,
     run_reduce_atomic},
    {"scan", "scan_blocks scan_totals scan_add", "running sums in three launches", 0, run_scan},
    {"histogram_global", "histogram_global", "256 bins, atomics on global memory", 0,
     run_histogram_global},
    {"histogram_shared", "histogram_shared", "256 bins, private to a block", 0,
     run_histogram_shared},
    {"compact", "compact", "keep small words, ballots and one atomic a warp", 0, run_compact},
};
SUITE_AREA(suite_reduce, "reduce", tests);
