/* sort.cu - steps of sorting: bitonic in shared and global memory, radix, merge. */
#include "suite.h"
#include <stdlib.h>
#include <string.h>

enum { RUN = 512 };

/* Each block sorts RUN words with RUN / 2 threads. */
__global__ void bitonic_block(uint32_t *keys)
{
    __shared__ uint32_t run[RUN];
    uint32_t *mine = keys + blockIdx.x * RUN;
    unsigned t = threadIdx.x;
    run[t] = mine[t];
    run[t + RUN / 2] = mine[t + RUN / 2];
    for (unsigned size = 2; size <= RUN; size *= 2)
        for (unsigned gap = size / 2; gap > 0; gap /= 2) {
            __syncthreads();
            unsigned low = 2 * t - (t & (gap - 1)), high = low + gap;
            int up = (low & size) == 0;
            uint32_t a = run[low], b = run[high];
            if ((a > b) == up) {
                run[low] = b;
                run[high] = a;
            }
        }
    __syncthreads();
    mine[t] = run[t];
    mine[t + RUN / 2] = run[t + RUN / 2];
}

static int compare_words(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static double run_bitonic_block(void)
{
    int blocks = suite_pick(4, 132), n = blocks * RUN;
    uint32_t *keys = suite_uints(n, 1u << 31);
    uint32_t *dkeys = (uint32_t *)suite_upload(keys, n * sizeof *keys);
    bitonic_block<<<blocks, RUN / 2>>>(dkeys);
    uint32_t *got = (uint32_t *)suite_download(dkeys, n * sizeof *got);
    for (int b = 0; b < blocks; b++)
        qsort(keys + b * RUN, RUN, sizeof *keys, compare_words);
    return suite_mismatches(got, keys, n);
}

/* One compare-exchange step of the whole array: half of the threads do nothing. */
__global__ void bitonic_step(uint32_t *keys, unsigned size, unsigned gap)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ gap;
    if (partner < i)
        return;
    uint32_t a = keys[i], b = keys[partner];
    if ((a > b) == ((i & size) == 0)) {
        keys[i] = b;
        keys[partner] = a;
    }
}

static double run_bitonic_step(void)
{
    int n = suite_pick(1 << 13, 1 << 18);
    unsigned size = n / 2, far_gap = n / 4, near_gap = 8;
    uint32_t *keys = suite_uints(n, 1u << 31);
    uint32_t *dkeys = (uint32_t *)suite_upload(keys, n * sizeof *keys);
    bitonic_step<<<n / 256, 256>>>(dkeys, size, far_gap);
    bitonic_step<<<n / 256, 256>>>(dkeys, size, near_gap);
    uint32_t *got = (uint32_t *)suite_download(dkeys, n * sizeof *got);
    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < (unsigned)n; i++) {
            unsigned partner = i ^ (pass ? near_gap : far_gap);
            if (partner > i && (keys[i] > keys[partner]) == ((i & size) == 0)) {
                uint32_t v = keys[i];
                keys[i] = keys[partner];
                keys[partner] = v;
            }
        }
    return suite_mismatches(got, keys, n);
}

enum { DIGITS = 16, RADIX_BLOCK = 256, RADIX_WARPS = RADIX_BLOCK / 32 };

/* Counts each block's digits; column-wise, so that a scan of counts gives places. */
__global__ void radix_count(const uint32_t *keys, uint32_t *counts, int shift)
{
    __shared__ uint32_t mine[DIGITS];
    if (threadIdx.x < DIGITS)
        mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[(keys[SUITE_THREAD_X] >> shift) % DIGITS], 1u);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

/* Lanes of the warp with the same digit, by one ballot a bit. */
static __device__ inline uint32_t lanes_with(uint32_t digit)
{
    uint32_t same = SUITE_ALL_LANES;
    for (int bit = 0; bit < 4; bit++) {
        uint32_t set = __ballot_sync(SUITE_ALL_LANES, (digit >> bit) & 1);
        same &= (digit >> bit) & 1 ? set : ~set;
    }
    return same;
}

/* Moves each key to its place, keys of one digit in their old order. */
__global__ void radix_scatter(const uint32_t *keys, const uint32_t *places, uint32_t *out,
                              int shift)
{
    __shared__ uint32_t in_warp[RADIX_WARPS][DIGITS];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x < RADIX_WARPS * DIGITS)
        in_warp[threadIdx.x / DIGITS][threadIdx.x % DIGITS] = 0;
    __syncthreads();
    uint32_t key = keys[SUITE_THREAD_X], digit = (key >> shift) % DIGITS;
    uint32_t same = lanes_with(digit), before = __popc(same & ((1u << lane) - 1));
    if (before == 0)
        in_warp[warp][digit] = __popc(same);
    __syncthreads();
    uint32_t place = places[digit * gridDim.x + blockIdx.x] + before;
    for (int w = 0; w < warp; w++)
        place += in_warp[w][digit];
    out[place] = key;
}

static double run_radix(void)
{
    int blocks = suite_pick(20, 600), n = blocks * RADIX_BLOCK, shift = 8;
    uint32_t *keys = suite_uints(n, 1u << 24), *dkeys = (uint32_t *)suite_upload(keys, n * 4);
    uint32_t *dcounts = (uint32_t *)suite_device_zeros(DIGITS * blocks * 4);
    uint32_t *dout = (uint32_t *)suite_device_zeros(n * 4);
    radix_count<<<blocks, RADIX_BLOCK>>>(dkeys, dcounts, shift);
    uint32_t *places = (uint32_t *)suite_download(dcounts, DIGITS * blocks * 4), sum = 0;
    for (int i = 0; i < DIGITS * blocks; i++) {
        uint32_t count = places[i];
        places[i] = sum;
        sum += count;
    }
    radix_scatter<<<blocks, RADIX_BLOCK>>>(
        dkeys, (uint32_t *)suite_upload(places, DIGITS * blocks * 4), dout, shift);
    uint32_t *got = (uint32_t *)suite_download(dout, n * 4);
    uint32_t *expected = (uint32_t *)suite_host(n * 4);
    for (uint32_t digit = 0, to = 0; digit < DIGITS; digit++)
        for (int i = 0; i < n; i++)
            if ((keys[i] >> shift) % DIGITS == digit)
                expected[to++] = keys[i];
    return suite_mismatches(got, expected, n);
}

/* Each thread finds by bisection where its word of one sorted run falls among
 * the other run's; equal words of the first run come first. */
__global__ void merge_runs(const uint32_t *a, const uint32_t *b, uint32_t *out, int n)
{
    int i = SUITE_THREAD_X, of_b = i >= n;
    if (i >= 2 * n)
        return;
    const uint32_t *other = of_b ? a : b;
    uint32_t key = of_b ? b[i - n] : a[i];
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        uint32_t v = other[middle];
        if (v < key || (of_b && v == key))
            low = middle + 1;
        else
            high = middle;
    }
    out[(of_b ? i - n : i) + low] = key;
}

static double run_merge_runs(void)
{
    int n = suite_pick(3000, 60000);
    uint32_t *keys = suite_uints(2 * n, 1u << 20);
    qsort(keys, n, sizeof *keys, compare_words);
    qsort(keys + n, n, sizeof *keys, compare_words);
    uint32_t *da = (uint32_t *)suite_upload(keys, n * 4);
    uint32_t *db = (uint32_t *)suite_upload(keys + n, n * 4);
    uint32_t *dout = (uint32_t *)suite_device_zeros(2 * n * 4);
    merge_runs<<<suite_blocks(2 * n, 256), 256>>>(da, db, dout, n);
    uint32_t *got = (uint32_t *)suite_download(dout, 2 * n * 4);
    qsort(keys, 2 * n, sizeof *keys, compare_words);
    return suite_mismatches(got, keys, 2 * n);
}

static const struct suite_test tests[] = {
    {"bitonic_block", "bitonic_block", "512 words sorted in shared memory", 0, run_bitonic_block},
    {"bitonic_step", "bitonic_step bitonic_step", "two steps on global memory, far and near", 0,
     run_bitonic_step},
    {"radix", "radix_count radix_scatter", "one stable pass over 4 bits", 0, run_radix},
    {"merge_runs", "merge_runs", "two sorted runs merged by bisection", 0, run_merge_runs},
};
SUITE_AREA(suite_sort, "sort", tests);
