/* capacity.cu - footprints from 4 to 120 MB against the L2: passes, writes, strides, random words. */
#include "suite.h"

static size_t megabytes(int small_kilobytes, int large)
{
    return suite_pick(0, 1) ? (size_t)large << 20 : (size_t)small_kilobytes << 10;
}

static uint32_t *words_of(const void *device, size_t bytes)
{
    return (uint32_t *)suite_download(device, bytes);
}

/* Reproducible contents that a kernel and a check can both compute. */
static __host__ __device__ inline uint32_t scramble(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    return x * 0x846ca68bu;
}

/* A place of n, picked by a random word. */
static __host__ __device__ inline uint32_t place(uint32_t word, uint32_t n)
{
    return (uint32_t)(((uint64_t)word * n) >> 32);
}

static uint32_t *scrambled(size_t n)
{
    uint32_t *v = (uint32_t *)suite_host(n * sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = scramble((uint32_t)i);
    return v;
}

/* ---- passes over an array; odd ones may go backwards ---- */

__global__ void sum_passes(const uint4 *in, size_t n, uint32_t *out, int passes, int turn)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    uint32_t sum = 0;
    for (int p = 0; p < passes; p++)
        for (size_t i = t; i < n; i += step) {
            uint4 v = in[turn && (p & 1) ? n - 1 - i : i];
            sum += v.x + v.y * 3 + v.z * 5 + v.w * 7;
        }
    out[t] = sum;
}

static double passes(size_t bytes, int blocks, int block, int n_passes, int turn)
{
    size_t n = bytes / sizeof(uint4), threads = (size_t)blocks * block;
    uint32_t *in = scrambled(n * 4), *out = (uint32_t *)suite_device_zeros(threads * sizeof *out);
    sum_passes<<<blocks, block>>>((uint4 *)suite_upload(in, bytes), n, out, n_passes, turn);
    uint32_t *got = words_of(out, threads * sizeof *out), all = 0, expected = 0;
    for (size_t i = 0; i < n; i++)
        expected += (in[4 * i] + in[4 * i + 1] * 3 + in[4 * i + 2] * 5 + in[4 * i + 3] * 7) * n_passes;
    for (size_t t = 0; t < threads; t++)
        all += got[t];
    return suite_mismatches(&all, &expected, 1);
}

static double run_passes_4(void)
{
    return passes(megabytes(64, 4), suite_pick(8, 132), 256, 3, 0);
}
static double run_passes_12(void)
{
    return passes(megabytes(64, 12), suite_pick(8, 66), 512, 4, 0);
}
static double run_passes_24(void)
{
    return passes(megabytes(64, 24), suite_pick(8, 528), 256, 2, 0);
}
static double run_passes_48(void)
{
    return passes(megabytes(64, 48), suite_pick(8, 264), 256, 2, 0);
}
static double run_passes_96(void)
{
    return passes(megabytes(64, 96), suite_pick(8, 1056), 128, 2, 0);
}
static double run_turn_64(void)
{
    return passes(megabytes(64, 64), suite_pick(8, 396), 256, 2, 1);
}

/* ---- what a thread wrote, read back by itself ---- */

__global__ void write_read(uint4 *a, size_t n, uint32_t *out)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    uint32_t sum = 0;
    for (size_t i = t; i < n; i += step)
        a[i] = make_uint4((uint32_t)i, (uint32_t)t, 1, 2);
    for (size_t i = t; i < n; i += step) {
        uint4 v = a[i];
        sum += v.x + v.y + v.w;
    }
    out[t] = sum;
}

static double written(size_t bytes, int blocks, int block)
{
    size_t n = bytes / sizeof(uint4), threads = (size_t)blocks * block;
    uint32_t *out = (uint32_t *)suite_device_zeros(threads * sizeof *out);
    write_read<<<blocks, block>>>((uint4 *)suite_device_zeros(bytes), n, out);
    uint32_t *got = words_of(out, threads * sizeof *out);
    uint32_t *expected = (uint32_t *)suite_host(threads * sizeof *expected);
    for (size_t i = 0; i < n; i++)
        expected[i % threads] += (uint32_t)(i + i % threads + 2);
    return suite_mismatches(got, expected, threads);
}

static double run_write_read_8(void)
{
    return written(megabytes(64, 8), suite_pick(8, 132), 512);
}
static double run_write_read_20(void)
{
    return written(megabytes(64, 20), suite_pick(8, 264), 256);
}
static double run_write_read_64(void)
{
    return written(megabytes(64, 64), suite_pick(8, 264), 256);
}
static double run_write_read_120(void)
{
    return written(megabytes(64, 120), suite_pick(8, 528), 256);
}

/* ---- writes alone, in place, and one word of each sector ---- */

__global__ void fill_doubles(double2 *a, size_t n)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = t; i < n; i += step)
        a[i] = make_double2((double)i, 2.0 * i);
}

static double run_fill_48(void)
{
    size_t bytes = megabytes(64, 48), n = bytes / sizeof(double2);
    double2 *a = (double2 *)suite_device_zeros(bytes);
    fill_doubles<<<suite_pick(8, 660), 192>>>(a, n);
    const double *got = (const double *)suite_download(a, bytes);
    double wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += got[2 * i] != (double)i || got[2 * i + 1] != 2.0 * i;
    return wrong;
}

__global__ void update(uint32_t *a, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = a[i] * 2 + 1;
}

static double run_update_40(void)
{
    size_t bytes = megabytes(64, 40), n = bytes / 4;
    uint32_t *a = scrambled(n), *d = (uint32_t *)suite_upload(a, bytes);
    update<<<suite_blocks(n, 1024), 1024>>>(d, n);
    uint32_t *got = words_of(d, bytes);
    for (size_t i = 0; i < n; i++)
        a[i] = a[i] * 2 + 1;
    return suite_mismatches(got, a, n);
}

__global__ void sparse_words(uint32_t *a, size_t n_sectors, uint32_t *out)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (t >= n_sectors)
        return;
    a[t * 8] = (uint32_t)t;
    __threadfence();
    out[t] = a[t * 8 + 5];
}

static double run_sparse_words_24(void)
{
    size_t bytes = megabytes(64, 24), n = bytes / 32;
    uint32_t *a = scrambled(bytes / 4), *out = (uint32_t *)suite_device_zeros(n * sizeof *out);
    sparse_words<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(a, bytes), n, out);
    uint32_t *got = words_of(out, n * sizeof *out);
    double wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += got[i] != a[i * 8 + 5];
    return wrong;
}

__global__ void copy_wide(const uint4 *a, uint4 *b, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = a[i];
}

static double run_copy_36(void)
{
    size_t bytes = megabytes(64, 36), n = bytes / sizeof(uint4);
    uint32_t *a = scrambled(bytes / 4);
    uint4 *b = (uint4 *)suite_device_zeros(bytes);
    copy_wide<<<suite_blocks(n, 256), 256>>>((uint4 *)suite_upload(a, bytes), b, n);
    return suite_mismatches(words_of(b, bytes), a, bytes / 4);
}

/* ---- one word of a line, of two lines, and rows read by single threads ---- */

__global__ void line_words(const uint32_t *a, size_t n, int stride, uint32_t *out)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    uint32_t sum = 0;
    for (size_t i = t; i * stride < n; i += step)
        sum += a[i * stride];
    out[t] = sum;
}

static double strided(size_t bytes, int stride, int blocks)
{
    size_t n = bytes / 4, threads = (size_t)blocks * 256;
    uint32_t *a = scrambled(n), *out = (uint32_t *)suite_device_zeros(threads * sizeof *out);
    line_words<<<blocks, 256>>>((uint32_t *)suite_upload(a, bytes), n, stride, out);
    uint32_t *got = words_of(out, threads * sizeof *out);
    uint32_t *expected = (uint32_t *)suite_host(threads * sizeof *expected);
    for (size_t i = 0; i * stride < n; i++)
        expected[i % threads] += a[i * stride];
    return suite_mismatches(got, expected, threads);
}

static double run_line_words_100(void)
{
    return strided(megabytes(64, 100), 32, suite_pick(2, 264));
}
static double run_two_line_words_80(void)
{
    return strided(megabytes(64, 80), 64, suite_pick(2, 132));
}

__global__ void row_by_thread(const uint32_t *a, int rows, int columns, uint32_t *out)
{
    int r = SUITE_THREAD_X;
    uint32_t sum = 0;
    if (r >= rows)
        return;
    for (int c = 0; c < columns; c++)
        sum += a[(size_t)r * columns + c];
    out[r] = sum;
}

static double run_row_by_thread_20(void)
{
    int columns = suite_pick(40, 320), rows = suite_pick(100, 16384);
    size_t n = (size_t)rows * columns;
    uint32_t *a = scrambled(n), *out = (uint32_t *)suite_device_zeros(rows * sizeof *out);
    row_by_thread<<<suite_blocks(rows, 128), 128>>>((uint32_t *)suite_upload(a, n * 4), rows, columns, out);
    uint32_t *got = words_of(out, rows * sizeof *out), *expected = (uint32_t *)suite_host(rows * sizeof *expected);
    for (size_t i = 0; i < n; i++)
        expected[i / columns] += a[i];
    return suite_mismatches(got, expected, rows);
}

/* ---- random words: read, written, counted ---- */

__global__ void gather_words(const uint32_t *table, uint32_t n_table, int n, int each, uint32_t *out)
{
    int t = SUITE_THREAD_X;
    uint32_t sum = 0;
    if (t >= n)
        return;
    for (int k = 0; k < each; k++)
        sum += table[place(scramble((uint32_t)(t * each + k)), n_table)];
    out[t] = sum;
}

static double gathered(size_t bytes, int n, int each)
{
    uint32_t n_table = (uint32_t)(bytes / 4), *table = scrambled(n_table);
    uint32_t *out = (uint32_t *)suite_device_zeros(n * sizeof *out);
    gather_words<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(table, bytes), n_table, n, each, out);
    uint32_t *got = words_of(out, n * sizeof *out), *expected = (uint32_t *)suite_host(n * sizeof *expected);
    for (int t = 0; t < n; t++)
        for (int k = 0; k < each; k++)
            expected[t] += table[place(scramble((uint32_t)(t * each + k)), n_table)];
    return suite_mismatches(got, expected, n);
}

static double run_gather_4(void)
{
    return gathered(megabytes(64, 4), suite_pick(1000, 1 << 17), 4);
}
static double run_gather_30(void)
{
    return gathered(megabytes(64, 30), suite_pick(1000, 1 << 18), 6);
}
static double run_gather_100(void)
{
    return gathered(megabytes(64, 100), suite_pick(1000, 1 << 18), 6);
}

__global__ void scatter_words(uint32_t *table, const uint32_t *where, int n)
{
    int t = SUITE_THREAD_X;
    if (t < n)
        table[where[t]] = (uint32_t)t;
}

static double run_scatter_32(void)
{
    size_t bytes = megabytes(64, 32), n_table = bytes / 4;
    int n = suite_pick(2000, 1 << 19);
    /* An odd multiplier of a power of two meets every word at most once. */
    uint32_t *where = (uint32_t *)suite_host(n * sizeof *where), *expected = (uint32_t *)suite_host(bytes);
    for (int i = 0; i < n; i++)
        expected[where[i] = (uint32_t)(i * 2654435761u) & (uint32_t)(n_table - 1)] = (uint32_t)i;
    uint32_t *table = (uint32_t *)suite_device_zeros(bytes);
    scatter_words<<<suite_blocks(n, 512), 512>>>(table, (uint32_t *)suite_upload(where, n * sizeof *where), n);
    return suite_mismatches(words_of(table, bytes), expected, n_table);
}

__global__ void count_words(const uint32_t *keys, int n, uint32_t *bins, uint32_t n_bins)
{
    int t = SUITE_THREAD_X;
    if (t < n)
        atomicAdd(&bins[place(keys[t], n_bins)], 1u);
}

static double counted(size_t bytes, int n)
{
    uint32_t n_bins = (uint32_t)(bytes / 4), *keys = scrambled(n);
    uint32_t *bins = (uint32_t *)suite_device_zeros(bytes), *expected = (uint32_t *)suite_host(bytes);
    count_words<<<suite_blocks(n, 256), 256>>>((uint32_t *)suite_upload(keys, n * sizeof *keys), n, bins, n_bins);
    for (int i = 0; i < n; i++)
        expected[place(keys[i], n_bins)]++;
    return suite_mismatches(words_of(bins, bytes), expected, n_bins);
}

static double run_count_64k(void)
{
    return counted((size_t)64 << 10, suite_pick(3000, 1 << 19));
}
static double run_count_16(void)
{
    return counted(megabytes(64, 16), suite_pick(3000, 1 << 20));
}
static double run_count_80(void)
{
    return counted(megabytes(64, 80), suite_pick(3000, 1 << 19));
}

/* ---- a small table read beside a stream, and a transpose larger than the L2 ---- */

__global__ void stream_table(const uint32_t *stream, const uint32_t *table, uint32_t n_table, size_t n, uint32_t *out)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    uint32_t sum = 0;
    for (size_t i = t; i < n; i += step)
        sum += table[place(stream[i], n_table)];
    out[t] = sum;
}

static double run_stream_table_16(void)
{
    size_t bytes = megabytes(64, 16), n = bytes / 4, threads = (size_t)suite_pick(4, 264) * 512;
    uint32_t n_table = suite_pick(1 << 10, 3 << 18), *stream = scrambled(n), *table = scrambled(n_table);
    uint32_t *out = (uint32_t *)suite_device_zeros(threads * sizeof *out);
    stream_table<<<(unsigned)(threads / 512), 512>>>((uint32_t *)suite_upload(stream, bytes),
                                                     (uint32_t *)suite_upload(table, (size_t)n_table * 4), n_table, n, out);
    uint32_t *got = words_of(out, threads * sizeof *out);
    uint32_t *expected = (uint32_t *)suite_host(threads * sizeof *expected);
    for (size_t i = 0; i < n; i++)
        expected[i % threads] += table[place(stream[i], n_table)];
    return suite_mismatches(got, expected, threads);
}

enum { SIDE = 32, STRIPE = 8 };

__global__ void turn_tiles(const uint32_t *in, uint32_t *out, int n)
{
    __shared__ uint32_t tile[SIDE][SIDE + 1];
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STRIPE)
        tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * SIDE + threadIdx.x;
    y = blockIdx.x * SIDE + threadIdx.y;
    for (int k = 0; k < SIDE; k += STRIPE)
        out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}

static double run_turn_tiles_36(void)
{
    int n = suite_pick(96, 3072);
    size_t count = (size_t)n * n;
    uint32_t *in = scrambled(count), *out = (uint32_t *)suite_device_zeros(count * 4);
    turn_tiles<<<dim3(n / SIDE, n / SIDE), dim3(SIDE, STRIPE)>>>((uint32_t *)suite_upload(in, count * 4), out, n);
    uint32_t *got = words_of(out, count * 4);
    double wrong = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++)
            wrong += got[(size_t)x * n + y] != in[(size_t)y * n + x];
    return wrong;
}

/* ---- 7 points in space, walking through the planes of a large volume ---- */

__global__ void planes(const float *a, float *b, int nx, int ny, int nz)
{
    int x = SUITE_THREAD_X, y = SUITE_THREAD_Y;
    size_t layer = (size_t)nx * ny;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    for (int z = 1; z < nz - 1; z++) {
        size_t i = z * layer + (size_t)y * nx + x;
        b[i] = 0.25f * a[i] + 0.125f * (a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - layer] + a[i + layer]);
    }
}

static double run_planes_32(void)
{
    int nx = suite_pick(40, 1024), ny = suite_pick(20, 512), nz = suite_pick(5, 16);
    size_t layer = (size_t)nx * ny, n = layer * nz;
    float *a = suite_floats(n, 0, 1), *b = (float *)suite_device_zeros(n * sizeof *b);
    planes<<<dim3(suite_blocks(nx, 64), suite_blocks(ny, 4)), dim3(64, 4)>>>((float *)suite_upload(a, n * sizeof *a), b,
                                                                            nx, ny, nz);
    float *got = (float *)suite_download(b, n * sizeof *got);
    double worst = 0;
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                size_t i = z * layer + (size_t)y * nx + x;
                double e = 0.25 * a[i] + 0.125 * ((double)a[i - 1] + a[i + 1] + a[i - nx] + a[i + nx] + a[i - layer] +
                                                  a[i + layer]);
                double off = suite_error_floats(got + i, &e, 1);
                worst = off > worst ? off : worst;
            }
    return worst;
}

static const struct suite_test tests[] = {
    {"passes_4", "sum_passes", "three passes over 4 MB", 0, run_passes_4},
    {"passes_12", "sum_passes", "four passes over 12 MB, half of the SMs", 0, run_passes_12},
    {"passes_24", "sum_passes", "two passes over 24 MB", 0, run_passes_24},
    {"passes_48", "sum_passes", "two passes over 48 MB", 0, run_passes_48},
    {"passes_96", "sum_passes", "two passes over 96 MB", 0, run_passes_96},
    {"turn_64", "sum_passes", "64 MB there and back", 0, run_turn_64},
    {"write_read_8", "write_read", "8 MB written and read back", 0, run_write_read_8},
    {"write_read_20", "write_read", "20 MB written and read back", 0, run_write_read_20},
    {"write_read_64", "write_read", "64 MB written and read back", 0, run_write_read_64},
    {"write_read_120", "write_read", "120 MB written and read back", 0, run_write_read_120},
    {"fill_48", "fill_doubles", "48 MB of doubles written", 0, run_fill_48},
    {"update_40", "update", "40 MB changed in place", 0, run_update_40},
    {"sparse_words_24", "sparse_words", "a word of each sector written, a neighbour read", 0, run_sparse_words_24},
    {"copy_36", "copy_wide", "36 MB copied", 0, run_copy_36},
    {"line_words_100", "line_words", "a word of each line of 100 MB", 0, run_line_words_100},
    {"two_line_words_80", "line_words", "a word of every second line of 80 MB", 0, run_two_line_words_80},
    {"row_by_thread_20", "row_by_thread", "20 MB, a thread a row", 0, run_row_by_thread_20},
    {"gather_4", "gather_words", "random words of 4 MB", 0, run_gather_4},
    {"gather_30", "gather_words", "random words of 30 MB", 0, run_gather_30},
    {"gather_100", "gather_words", "random words of 100 MB", 0, run_gather_100},
    {"scatter_32", "scatter_words", "words written all over 32 MB", 0, run_scatter_32},
    {"count_64k", "count_words", "atomics on 64 KB", 0, run_count_64k},
    {"count_16", "count_words", "atomics on 16 MB", 0, run_count_16},
    {"count_80", "count_words", "atomics on 80 MB", 0, run_count_80},
    {"stream_table_16", "stream_table", "a table of 3 MB beside a stream of 16 MB", 0, run_stream_table_16},
    {"turn_tiles_36", "turn_tiles", "36 MB transposed through shared memory", 0, run_turn_tiles_36},
    {"planes_32", "planes", "7 points in space, 32 MB", 1e-5, run_planes_32},
};
SUITE_AREA(holdout_capacity, "capacity", tests);
