/* bench_reuse.c - exact stack distances against a plain Fenwick tree in the same run: 20 million
 * accesses over a million lines. Rates are of processor time; the parallel engine's is of the
 * longest thread and of the clock on the wall. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <strata/generate.h>
#include <strata/result.h>

#include "base/rng.h"
#include "reuse/model_reuse.h"
#include "reuse/parallel.h"
#include "reuse/stack.h"

enum { N_LINES = 1000000, FENWICK_TABLE_BITS = 22 };

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct answer {
    uint64_t cold, sum;
    double cpu, wall, own; /* own: processor time of the calling thread, which has the most to do */
};

/* The reference: one slot per access, a Fenwick tree over all of them, open addressing. */
static struct answer fenwick(const uint64_t *line, uint32_t n)
{
    struct answer a = {0};
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    uint32_t mask = (1u << FENWICK_TABLE_BITS) - 1, live = 0;
    uint32_t *tree = calloc((size_t)n + 1, sizeof *tree),
             *last = calloc((size_t)mask + 1, sizeof *last);
    uint64_t *key = calloc((size_t)mask + 1, sizeof *key);
    if (!tree || !last || !key)
        exit(2);
    for (uint32_t t = 1; t <= n; t++) {
        uint32_t h =
            (uint32_t)(((line[t - 1] + 1) * 0x9e3779b97f4a7c15ull) >> (64 - FENWICK_TABLE_BITS));
        while (key[h] && key[h] != line[t - 1] + 1)
            h = (h + 1) & mask;
        if (last[h]) {
            uint32_t upto = 0;
            for (uint32_t i = last[h]; i; i &= i - 1)
                upto += tree[i];
            a.sum += live - upto;
            for (uint32_t i = last[h]; i <= n; i += i & -i)
                tree[i]--;
        } else {
            a.cold++;
            live++;
            key[h] = line[t - 1] + 1;
        }
        last[h] = t;
        for (uint32_t i = t; i <= n; i += i & -i)
            tree[i]++;
    }
    free(tree);
    free(last);
    free(key);
    a.cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    a.wall = seconds(CLOCK_MONOTONIC) - wall;
    return a;
}

static struct answer exact(const uint64_t *line, uint32_t n, uint64_t *bytes)
{
    struct answer a = {0};
    struct reuse_stack s;
    struct strata_error err;
    static uint32_t distance[65536];
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC);
    if (reuse_stack_init(&s, &err) != STRATA_OK)
        exit(2);
    for (uint32_t at = 0; at < n; at += 65536) {
        uint32_t k = n - at < 65536 ? n - at : 65536;
        if (reuse_stack_run(&s, line + at, k, distance, &err) != STRATA_OK)
            exit(2);
        for (uint32_t i = 0; i < k; i++)
            if (distance[i] == REUSE_COLD)
                a.cold++;
            else
                a.sum += distance[i];
    }
    a.cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    a.wall = seconds(CLOCK_MONOTONIC) - wall;
    *bytes = reuse_stack_bytes(&s);
    reuse_stack_release(&s);
    return a;
}

static struct answer parallel(const uint64_t *line, uint32_t n, uint32_t threads)
{
    struct answer a = {0};
    struct reuse_stack s;
    struct reuse_histogram h = {0};
    struct strata_error err;
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID), wall = seconds(CLOCK_MONOTONIC),
           own = seconds(CLOCK_THREAD_CPUTIME_ID);
    if (reuse_stack_init(&s, &err) != STRATA_OK ||
        reuse_parallel_run(&s, line, n, threads, true, &h, &err) != STRATA_OK)
        exit(2);
    a.cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    a.wall = seconds(CLOCK_MONOTONIC) - wall;
    a.own = seconds(CLOCK_THREAD_CPUTIME_ID) - own;
    a.cold = h.cold;
    for (size_t d = 0; d < h.n; d++)
        a.sum += h.count[d] * d;
    reuse_histogram_release(&h);
    reuse_stack_release(&s);
    return a;
}

static void fill(uint64_t *line, uint32_t n, int mixed)
{
    for (uint32_t i = 0; i < n; i++) {
        double u = (double)(rng_at(2, i) >> 11) / 9007199254740992.0;
        if (!mixed)
            line[i] = rng_below(1, i, N_LINES);
        else
            line[i] = i & 1 ? i / 2 % N_LINES : (uint64_t)(u * u * u * u * N_LINES);
    }
}

static int bench(const char *name, uint64_t *line, uint32_t n, int mixed)
{
    uint64_t bytes;
    fill(line, n, mixed);
    struct answer f = fenwick(line, n), e = exact(line, n, &bytes), one = parallel(line, n, 1),
                  two = parallel(line, n, 2);
    printf("%-8s Fenwick %6.2f M/s   exact %6.2f M/s (%.2f times; at least 3)   %.1f MB held\n",
           name, n / f.cpu / 1e6, n / e.cpu / 1e6, f.cpu / e.cpu, (double)bytes / 1e6);
    printf("         with histogram: %6.2f M/s; two threads: %.2f times by the clock on the wall, "
           "%.2f times by the processor time of "
           "the longer thread (at least 1.7 on two free cores)\n",
           n / one.cpu / 1e6, one.wall / two.wall, one.own / two.own);
    if (f.sum != e.sum || f.cold != e.cold || f.sum != two.sum || f.cold != two.cold) {
        printf("         THE ENGINES DISAGREE: %llu %llu %llu\n", (unsigned long long)f.sum,
               (unsigned long long)e.sum, (unsigned long long)two.sum);
        return 1;
    }
    return 0;
}

/* Seconds that making the trace alone takes: no model's business. */
static double trace_seconds(struct strata_trace *trace)
{
    struct strata_reader *reader;
    struct strata_block *block;
    struct strata_error err;
    double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (strata_reader_open(trace, 0, &reader, &err) != STRATA_OK)
        return 0;
    while (strata_reader_next(reader, &block, &err) == STRATA_OK)
        strata_block_destroy(block);
    strata_reader_close(reader);
    return seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
}

/* The full model on a generated kernel: sector transactions (lines where there are no sectors) a
 * second of processor time, and what the process holds at its peak. */
static int bench_model(const char *gpu_name, const char *kind, const char *const *shape)
{
    static struct strata_gpu gpu;
    struct strata_error err;
    struct strata_trace *trace;
    struct strata_reader *reader;
    struct strata_result r;
    struct strata_model_options opt = {.seed = 1, .threads = 1};
    char path[128];
    double passes =
        strcmp(gpu_name, "gtx470") ? 1 : 2; /* a second one without MSHRs tells their misses */
    double loads = 0, stores = 0;
    snprintf(path, sizeof path, "gpus/%s.yaml", gpu_name);
    if (strata_gpu_load(path, &gpu, &err) != STRATA_OK ||
        strata_generate(kind, shape, &trace, &err) != STRATA_OK ||
        strata_reader_open(trace, 0, &reader, &err) != STRATA_OK ||
        strata_result_init(&r, strata_reader_launch(reader), &err) != STRATA_OK)
        return 2;
    double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (strata_model_reuse.run(&gpu, reader, &opt, &r, &err) != STRATA_OK)
        return 2;
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu - passes * trace_seconds(trace);
    strata_result_get(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &loads);
    strata_result_get(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", &stores);
    printf("model    %-10s %-12s %-16s %6.2f M transactions/s (at least 2)\n", gpu_name, kind,
           shape[0], passes * (loads + stores) / cpu / 1e6);
    strata_result_release(&r);
    strata_reader_close(reader);
    strata_trace_close(trace);
    return 0;
}

static int bench_models(void)
{
    const char *const copy[] = {"height=512", NULL}, *const stencil[] = {"ny=4096", NULL},
                      *const gather[] = {"elements=1048576", NULL},
                      *const stream[] = {"elements=8388608", NULL},
                      *const matmul[] = {"m=512", "n=512", NULL};
    return bench_model("gtx470", "column-copy", copy) | bench_model("h200", "stencil2d", stencil) |
           bench_model("h200", "gather", gather) | bench_model("h200", "stream", stream) |
           bench_model("h200", "matmul", matmul);
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20000000;
    uint64_t *line = malloc((size_t)n * sizeof *line);
    if (!line)
        return 2;
    int bad = bench("uniform", line, n, 0) | bench("mixed", line, n, 1);
    free(line);
    return bad | bench_models();
}
