/* control.cu - kernels whose interest is the flow of control and the odd spaces:
 * divergence, local arrays, constant tables, tiny blocks, a single block. */
#include "suite.h"
#include <string.h>

/* Steps of the 3 n + 1 walk to 1: every lane leaves the loop at its own time. */
__global__ void collatz(uint32_t *steps, int n)
{
    int i = SUITE_THREAD_X;
    if (i >= n)
        return;
    uint64_t v = i + 1;
    uint32_t count = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        count++;
    }
    steps[i] = count;
}

static double run_collatz(void)
{
    int n = suite_pick(1000, 34000);
    uint32_t *dsteps = (uint32_t *)suite_device_zeros(n * 4);
    collatz<<<suite_blocks(n, 256), 256>>>(dsteps, n);
    uint32_t *expected = (uint32_t *)suite_host(n * 4);
    for (int i = 0; i < n; i++)
        for (uint64_t v = i + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
            expected[i]++;
    return suite_mismatches((uint32_t *)suite_download(dsteps, n * 4), expected, n);
}

/* Loads in loops of different length and on both sides of a branch. */
__global__ void divergent_loads(const uint32_t *in, uint32_t *out, int n)
{
    int i = SUITE_THREAD_X;
    uint32_t s = 0;
    if (i % 3 == 0) {
        for (int k = 0; k < i % 8; k++)
            s += in[(i * 17 + k * 5) & (n - 1)];
    } else {
        for (int k = 0; k < i % 5; k++)
            s ^= in[(i + k * 1024) & (n - 1)];
    }
    out[i] = s;
}

static double run_divergent_loads(void)
{
    int n = suite_pick(1 << 13, 1 << 18);
    uint32_t *in = suite_uints(n, 1u << 30), *expected = (uint32_t *)suite_host(n * 4);
    uint32_t *dout = (uint32_t *)suite_device_zeros(n * 4);
    divergent_loads<<<n / 256, 256>>>((uint32_t *)suite_upload(in, n * 4), dout, n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < (i % 3 ? i % 5 : i % 8); k++) {
            if (i % 3)
                expected[i] ^= in[(i + k * 1024) & (n - 1)];
            else
                expected[i] += in[(i * 17 + k * 5) & (n - 1)];
        }
    return suite_mismatches((uint32_t *)suite_download(dout, n * 4), expected, n);
}

/* An array a thread indexes by data lives in local memory: a small histogram of
 * the thread's own words. */
__global__ void local_counts(const uint32_t *in, uint32_t *out, int n, int words)
{
    uint32_t count[16];
    int i = SUITE_THREAD_X;
    for (int k = 0; k < 16; k++)
        count[k] = 0;
    for (int k = 0; k < words; k++)
        count[in[k * n + i] % 16]++;
    uint32_t best = 0;
    for (uint32_t k = 1; k < 16; k++)
        best = count[k] > count[best] ? k : best;
    out[i] = best * 256 + count[best];
}

static double run_local_counts(void)
{
    int n = suite_pick(1024, 132 * 256), words = 20;
    uint32_t *in = suite_uints((size_t)n * words, 1u << 20);
    uint32_t *expected = (uint32_t *)suite_host(n * 4);
    uint32_t *dout = (uint32_t *)suite_device_zeros(n * 4);
    local_counts<<<n / 256, 256>>>((uint32_t *)suite_upload(in, (size_t)n * words * 4), dout, n,
                                   words);
    for (int i = 0; i < n; i++) {
        uint32_t count[16] = {0}, best = 0;
        for (int k = 0; k < words; k++)
            count[in[k * n + i] % 16]++;
        for (uint32_t k = 1; k < 16; k++)
            best = count[k] > count[best] ? k : best;
        expected[i] = best * 256 + count[best];
    }
    return suite_mismatches((uint32_t *)suite_download(dout, n * 4), expected, n);
}

/* Three quarters of an array kept per thread: reversed by permuted indices, so
 * that it cannot stay in registers. */
__global__ void local_shuffle(const float *in, const uint32_t *order, float *out, int n)
{
    float mine[24];
    int i = SUITE_THREAD_X;
    for (int k = 0; k < 24; k++)
        mine[order[k]] = in[k * n + i];
    float s = 0;
    for (int k = 0; k < 24; k++)
        s = s * 0.5f + mine[order[23 - k]];
    out[i] = s;
}

static double run_local_shuffle(void)
{
    int n = suite_pick(512, 132 * 128);
    float *in = suite_floats(24 * (size_t)n, -1, 1);
    uint32_t order[24];
    for (int k = 0; k < 24; k++)
        order[k] = k * 7 % 24;
    float *dout = (float *)suite_device_zeros(n * sizeof *dout);
    local_shuffle<<<n / 128, 128>>>((float *)suite_upload(in, 24 * (size_t)n * sizeof *in),
                                    (uint32_t *)suite_upload(order, sizeof order), dout, n);
    double *expected = (double *)suite_host(n * sizeof *expected);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 24; k++)
            expected[i] = expected[i] * 0.5 + in[(23 - k) * n + i];
    return suite_error_floats((float *)suite_download(dout, n * sizeof *dout), expected, n);
}

__constant__ uint32_t table[256];

/* A table in constant memory, by an index that differs between lanes. */
__global__ void constant_table(const unsigned char *in, uint32_t *out, int n)
{
    int i = SUITE_THREAD_X;
    if (i < n)
        out[i] = table[in[i]] ^ table[i / 32 % 256];
}

static double run_constant_table(void)
{
    int n = suite_pick(10000, 300000);
    uint32_t *values = suite_uints(256, 1u << 30), *words = suite_uints(n / 4 + 1, 0xffffffffu);
    unsigned char *in = (unsigned char *)words;
    suite_require(cudaMemcpyToSymbol(table, values, sizeof table), "cudaMemcpyToSymbol");
    uint32_t *dout = (uint32_t *)suite_device_zeros(n * 4);
    constant_table<<<suite_blocks(n, 256), 256>>>((unsigned char *)suite_upload(in, n), dout, n);
    uint32_t *expected = (uint32_t *)suite_host(n * 4);
    for (int i = 0; i < n; i++)
        expected[i] = values[in[i]] ^ values[i / 32 % 256];
    return suite_mismatches((uint32_t *)suite_download(dout, n * 4), expected, n);
}

/* Blocks of a single warp: more blocks than an SM has places for. */
__global__ void small_blocks(const float *in, float *out)
{
    float v = in[SUITE_THREAD_X];
    v = suite_warp_sum(v);
    if (threadIdx.x == 0)
        out[blockIdx.x] = v;
}

static double run_small_blocks(void)
{
    int blocks = suite_pick(200, 10000), n = blocks * 32;
    float *in = suite_floats(n, -1, 1);
    float *dout = (float *)suite_device_zeros(blocks * sizeof *dout);
    small_blocks<<<blocks, 32>>>((float *)suite_upload(in, n * sizeof *in), dout);
    double *expected = (double *)suite_host(blocks * sizeof *expected);
    for (int i = 0; i < n; i++)
        expected[i / 32] += in[i];
    return suite_error_floats((float *)suite_download(dout, blocks * sizeof *dout), expected,
                              blocks);
}

/* One block of 1024 threads sweeps an array several times. */
__global__ void single_block(float *data, int n, int sweeps)
{
    for (int s = 0; s < sweeps; s++) {
        for (int i = threadIdx.x + 1; i < n - 1; i += blockDim.x)
            data[n + i] = 0.25f * data[i - 1] + 0.5f * data[i] + 0.25f * data[i + 1];
        __syncthreads();
        for (int i = threadIdx.x + 1; i < n - 1; i += blockDim.x)
            data[i] = data[n + i];
        __syncthreads();
    }
}

static double run_single_block(void)
{
    int n = suite_pick(3000, 30000), sweeps = suite_pick(2, 4);
    float *data = suite_floats(2 * (size_t)n, -1, 1);
    float *ddata = (float *)suite_upload(data, 2 * (size_t)n * sizeof *data);
    single_block<<<1, 1024>>>(ddata, n, sweeps);
    double *now = (double *)suite_host(n * sizeof *now), *next = (double *)suite_host(n * 8);
    for (int i = 0; i < n; i++)
        next[i] = now[i] = data[i];
    for (int s = 0; s < sweeps; s++) {
        for (int i = 1; i < n - 1; i++)
            next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
        memcpy(now, next, n * sizeof *now);
    }
    return suite_error_floats((float *)suite_download(ddata, n * sizeof(float)), now, n);
}

/* Random walks from an integer generator: arithmetic, and hardly any memory. */
__global__ void monte_carlo(uint32_t *inside, int trials)
{
    uint32_t state = SUITE_THREAD_X * 2654435761u + 1, hits = 0;
    for (int t = 0; t < trials; t++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        uint32_t x = state & 0xffff, y = state >> 16;
        hits += x * x / 4 + y * y / 4 < 0x40000000u;
    }
    inside[SUITE_THREAD_X] = hits;
}

static double run_monte_carlo(void)
{
    int n = suite_pick(1024, 132 * 256), trials = suite_pick(16, 64);
    uint32_t *dinside = (uint32_t *)suite_device_zeros(n * 4);
    monte_carlo<<<n / 256, 256>>>(dinside, trials);
    uint32_t *expected = (uint32_t *)suite_host(n * 4);
    for (int i = 0; i < n; i++) {
        uint32_t state = i * 2654435761u + 1;
        for (int t = 0; t < trials; t++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            uint32_t x = state & 0xffff, y = state >> 16;
            expected[i] += x * x / 4 + y * y / 4 < 0x40000000u;
        }
    }
    return suite_mismatches((uint32_t *)suite_download(dinside, n * 4), expected, n);
}

static const struct suite_test tests[] = {
    {"collatz", "collatz", "loops of different length", 0, run_collatz},
    {"divergent_loads", "divergent_loads", "loads under divergence", 0, run_divergent_loads},
    {"local_counts", "local_counts", "an array in local memory, indexed by data", 0,
     run_local_counts},
    {"local_shuffle", "local_shuffle", "an array in local memory, permuted", 1e-5,
     run_local_shuffle},
    {"constant_table", "constant_table", "constant memory by a divergent index", 0,
     run_constant_table},
    {"small_blocks", "small_blocks", "blocks of 32 threads", 1e-5, run_small_blocks},
    {"single_block", "single_block", "one block of 1024 threads", 1e-5, run_single_block},
    {"monte_carlo", "monte_carlo", "arithmetic only", 0, run_monte_carlo},
};
SUITE_AREA(suite_control, "control", tests);
