/* kernel_experiments.c - the benchmarks that are no chases, as kernels through a model: latencies,
 * MSHRs, coalescer, shared memory, copies. */
#include "dissect/kernel_target.h"

#include <stdlib.h>

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for a series");
}

/* ---- L1, L2, DRAM (paper 002, section 5.2: P1 and P4) ---- */

struct latencies {
    uint32_t row; /* K_CHAIN or K_AROUND */
    bool again;   /* lines that were visited before */
};
enum { LINES = 64, LINE_STEP = 4096 };

static void latency_warp(struct emitter *e)
{
    const struct latencies *l = e->plan->context;
    uint64_t address[STRATA_WARP_SIZE] = {0};
    for (unsigned i = 0; i < LINES * (l->again ? 2u : 1u); i++) {
        address[0] = array_base(0) + (uint64_t)(i % LINES) * LINE_STEP;
        emit_access(e, l->row, 1, address);
    }
    emit(e, K_WAIT, 1);
    emit(e, K_EXIT, 1);
}

/* Rows of the spectrum: pattern 1 is a hit, 4 a miss with its translation at hand. */
static strata_status spectrum(struct kernel_target *t, const char *path, uint32_t row,
                              struct strata_probe_set *out, struct strata_error *err)
{
    struct latencies l = {.row = row, .again = true};
    const struct kernel k = {.warp = latency_warp, .context = &l, .blocks = 1, .warps = 1};
    char name[32];
    snprintf(name, sizeof name, "spectrum-%s", path);
    struct strata_series *s =
        strata_probe_add(out, name, "spectrum", path, "step,index,latency,pattern");
    strata_status st = s ? kernel_run(t, &k, NULL, err) : no_memory(err);
    for (unsigned i = 1; st == STRATA_OK && i < 2 * LINES; i++) {
        /* the first of a page waits for its translation */
        double row_of[] = {i, i % LINES * (LINE_STEP / 4.0), (double)(t->time[i + 1] - t->time[i]),
                           i < LINES ? 4 : 1};
        if (i % LINES && !strata_series_add_row(s, row_of))
            st = no_memory(err);
    }
    return st;
}

/* ---- MSHRs (paper 000, section 5.2) ---- */

/* FIRST_LOAD: what warp 0 issues after touching the page and the barrier. */
enum { MAX_WARPS = 32, MAX_LOADS = 24, TABLE_LOADS = 12, FIRST_LOAD = 3 };

static void mshr_warp(struct emitter *e)
{
    const uint32_t *loads = e->plan->context;
    uint64_t line = (uint64_t)e->warp * *loads + 1, address[STRATA_WARP_SIZE] = {array_base(0)};
    emit_access(e, K_AROUND, 1, address); /* the page's translation is at hand afterwards */
    emit(e, K_WAIT, UINT32_MAX);
    emit(e, K_BARRIER, UINT32_MAX);
    for (uint32_t i = 0; i < *loads; i++) {
        for (unsigned lane = 0; lane < STRATA_WARP_SIZE; lane++)
            address[lane] = array_base(0) + (line + i) * 128 + lane * 4;
        emit_access(e, K_LOAD + i, UINT32_MAX, address);
    }
    for (uint32_t i = 0; i < *loads; i += 3)
        emit(e, K_USE + i / 3, UINT32_MAX);
    emit(e, K_EXIT, UINT32_MAX);
}

static strata_status mshr_series(struct kernel_target *t, const char *experiment,
                                 uint32_t most_warps, struct strata_probe_set *out,
                                 struct strata_error *err)
{
    struct strata_series *s =
        strata_probe_add(out, experiment, experiment, "l1", "warps,loads,cycles");
    strata_status st = s ? STRATA_OK : no_memory(err);
    for (uint32_t w = 1; st == STRATA_OK && w <= most_warps; w++)
        for (uint32_t l = 1; st == STRATA_OK && l <= (most_warps == 1 ? MAX_LOADS : TABLE_LOADS);
             l++) {
            const struct kernel k = {.warp = mshr_warp, .context = &l, .blocks = 1, .warps = w};
            st = kernel_run(t, &k, NULL, err);
            double row[] = {w, l, st == STRATA_OK ? (double)(t->last - t->time[FIRST_LOAD]) : 0};
            if (st == STRATA_OK && !strata_series_add_row(s, row))
                st = no_memory(err);
        }
    return st;
}

static strata_status mshrs(struct kernel_target *t, struct strata_probe_set *out,
                           struct strata_error *err)
{
    uint32_t warps = t->gpu->sm.max_warps < MAX_WARPS ? t->gpu->sm.max_warps : MAX_WARPS;
    strata_status st = mshr_series(t, "mshr-warp", 1, out, err);
    return st == STRATA_OK ? mshr_series(t, "mshr", warps, out, err) : st;
}

/* ---- coalescer (paper 004, figure 3; stride 0 is one word for all lanes) ---- */

static void coalesce_warp(struct emitter *e)
{
    const uint32_t *stride = e->plan->context;
    uint64_t address[STRATA_WARP_SIZE];
    for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++)
        address[lane] =
            array_base(0) + (*stride ? (lane / *stride * 32ull + lane % *stride) * 4 : 0);
    emit_access(e, K_CHAIN, UINT32_MAX, address);
    emit(e, K_EXIT, UINT32_MAX);
}

static strata_status coalescer(struct kernel_target *t, struct strata_probe_set *out,
                               struct strata_error *err)
{
    struct strata_series *s =
        strata_probe_add(out, "coalesce", "coalesce", "l1", "stride,accesses");
    strata_status st = s ? STRATA_OK : no_memory(err);
    for (uint32_t stride = 0; st == STRATA_OK && stride <= 32; stride = stride ? stride * 2 : 1) {
        const struct kernel k = {
            .warp = coalesce_warp, .context = &stride, .blocks = 1, .warps = 1};
        struct strata_result r;
        double row[] = {stride, 0};
        st = kernel_run(t, &k, &r, err);
        if (st != STRATA_OK)
            break;
        strata_result_get(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &row[1]);
        strata_result_release(&r);
        if (!strata_series_add_row(s, row))
            st = no_memory(err);
    }
    return st;
}

/* ---- shared memory (paper 002, section 6) ---- */

enum { CONFLICT_LOADS = 4 };

static void conflict_warp(struct emitter *e)
{
    const uint32_t *stride = e->plan->context;
    uint64_t address[STRATA_WARP_SIZE];
    for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++)
        address[lane] = (uint64_t)lane * *stride * 4;
    for (unsigned i = 0; i < CONFLICT_LOADS; i++)
        emit_access(e, K_SHARED, UINT32_MAX, address);
    emit(e, K_WAIT, UINT32_MAX);
    emit(e, K_EXIT, UINT32_MAX);
}

static strata_status conflicts(struct kernel_target *t, uint32_t mode, struct strata_probe_set *out,
                               struct strata_error *err)
{
    const char *name = mode == STRATA_BANKS_8B ? "shared-conflict-8" : "shared-conflict-4";
    struct strata_series *s =
        strata_probe_add(out, name, "shared-conflict", "shared", "stride,latency");
    struct strata_gpu *g = malloc(sizeof *g);
    strata_status st = s && g ? STRATA_OK : no_memory(err);
    struct kernel_target in_mode = *t;
    if (st == STRATA_OK) {
        *g = *t->gpu;
        g->shared.bank_mode = mode;
        in_mode.gpu = g;
        strata_series_set_parameter(s, "element_bytes", 4);
        strata_series_set_parameter(s, "bank_bytes", mode == STRATA_BANKS_8B ? 8 : 4);
    }
    for (uint32_t stride = 0; st == STRATA_OK && stride <= 64; stride++) {
        const struct kernel k = {.warp = conflict_warp,
                                 .context = &stride,
                                 .blocks = 1,
                                 .warps = 1,
                                 .shared_bytes = 32 * 64 * 4};
        st = kernel_run(&in_mode, &k, NULL, err);
        for (unsigned i = 1; st == STRATA_OK && i < CONFLICT_LOADS; i++) {
            double row[] = {stride, (double)(in_mode.time[i + 1] - in_mode.time[i])};
            if (!strata_series_add_row(s, row))
                st = no_memory(err);
        }
    }
    t->runs = in_mode.runs;
    t->time = in_mode.time;
    t->cap_times = in_mode.cap_times;
    free(g);
    return st;
}

/* A thread copies `ilp` words; the time ends when a load behind all stores has its data. */
static void shared_copy_warp(struct emitter *e)
{
    const uint32_t *ilp = e->plan->context;
    uint64_t address[STRATA_WARP_SIZE];
    emit(e, K_BARRIER, UINT32_MAX);
    for (int put = 0; put < 2; put++)
        for (uint32_t i = 0; i < *ilp; i++) {
            for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++)
                address[lane] =
                    (((uint64_t)e->warp * *ilp + i) * 2 + (unsigned)put) * 128 + lane * 4;
            emit_access(e, (put ? K_PUT_SHARED : K_GET_SHARED) + i, UINT32_MAX, address);
        }
    emit(e, K_BARRIER, UINT32_MAX);
    emit_access(e, K_SHARED, UINT32_MAX, address);
    emit(e, K_WAIT, UINT32_MAX);
    emit(e, K_EXIT, UINT32_MAX);
}

static strata_status shared_copies(struct kernel_target *t, struct strata_probe_set *out,
                                   struct strata_error *err)
{
    static const uint32_t ilps[] = {1, 2, 4, 6, 8};
    struct strata_series *s = strata_probe_add(out, "shared-throughput", "shared-throughput",
                                               "shared", "warps,ilp,bytes_per_cycle");
    strata_status st = s ? STRATA_OK : no_memory(err);
    for (uint32_t warps = 1; warps <= 32; warps *= 2)
        for (unsigned i = 0; st == STRATA_OK && i < sizeof ilps / sizeof ilps[0]; i++) {
            uint32_t ilp = ilps[i], bytes = 256 * warps * ilp;
            const struct kernel k = {.warp = shared_copy_warp,
                                     .context = &ilp,
                                     .blocks = 1,
                                     .warps = warps,
                                     .shared_bytes = bytes};
            if (bytes > t->gpu->shared.per_block_bytes)
                continue;
            st = kernel_run(t, &k, NULL, err);
            double row[] = {warps, ilp, (double)bytes / (double)kernel_cycles(t)};
            if (st == STRATA_OK && !strata_series_add_row(s, row))
                st = no_memory(err);
        }
    return st;
}

/* ---- copies of global memory (paper 002, section 5.1) ---- */

/* So many times what the L2 holds, so that what stays in it hardly counts; not for an L2 so large
 * that a clocked model would take minutes. */
#define COPIES_OF_L2 12ull
#define MOST_COPIED  (64ull << 20)

struct copy {
    uint32_t ilp, rounds;
};

static void copy_warp(struct emitter *e)
{
    const struct copy *c = e->plan->context;
    uint64_t address[STRATA_WARP_SIZE],
        warps = strata_launch_blocks(&e->plan->launch) * e->plan->launch.block.x / 32,
        warp = e->block * (e->plan->launch.block.x / 32) + e->warp;
    for (uint32_t r = 0; r < c->rounds; r++)
        for (uint32_t put = 0; put < 2; put++)
            for (uint32_t i = 0; i < c->ilp; i++) {
                /* one array behind the other */
                uint64_t at =
                    ((uint64_t)(put * c->rounds * c->ilp + r * c->ilp + i) * warps + warp) * 128;
                for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++)
                    address[lane] = array_base(0) + at + lane * 4;
                emit_access(e, (put ? K_PUT : K_LOAD) + i, UINT32_MAX, address);
            }
    emit(e, K_EXIT, UINT32_MAX);
}

static strata_status copies(struct kernel_target *t, struct strata_probe_set *out,
                            struct strata_error *err)
{
    static const struct {
        uint32_t blocks, threads, ilp;
    } points[] = {{4, 128, 1}, {2, 512, 1}, {2, 512, 4}};
    uint64_t least = COPIES_OF_L2 * t->gpu->l2.cache.size_bytes;
    if (least > MOST_COPIED)
        return STRATA_OK;
    struct strata_series *s = strata_probe_add(out, "copy-throughput", "copy-throughput", "dram",
                                               "blocks,threads,ilp,bytes_per_cycle");
    strata_status st = s ? STRATA_OK : no_memory(err);
    for (unsigned i = 0; st == STRATA_OK && i < sizeof points / sizeof points[0]; i++) {
        struct copy c = {.ilp = points[i].ilp};
        const struct kernel k = {.warp = copy_warp,
                                 .context = &c,
                                 .blocks = points[i].blocks * t->gpu->sm.count,
                                 .warps = points[i].threads / 32};
        uint64_t round = 8ull * k.blocks * points[i].threads * c.ilp;
        c.rounds = (uint32_t)(least / round + 1);
        st = kernel_run(t, &k, NULL, err);
        double bytes = (double)round * c.rounds;
        double row[] = {k.blocks, points[i].threads, points[i].ilp,
                        bytes / (double)kernel_cycles(t)};
        if (st == STRATA_OK && !strata_series_add_row(s, row))
            st = no_memory(err);
    }
    return st;
}

strata_status kernel_experiments(struct kernel_target *t, struct strata_probe_set *out,
                                 struct strata_error *err)
{
    strata_status st = STRATA_OK;
    if (t->gpu->l1.enabled)
        st = mshrs(t, out, err);
    if (st == STRATA_OK && t->gpu->l1.enabled)
        st = coalescer(t, out, err);
    if (st == STRATA_OK && t->gpu->l1.enabled)
        st = spectrum(t, "l1", K_CHAIN, out, err);
    if (st == STRATA_OK)
        st = spectrum(t, "l2", K_AROUND, out, err);
    if (st == STRATA_OK)
        st = conflicts(t, STRATA_BANKS_4B, out, err);
    if (st == STRATA_OK && t->gpu->shared.bank_mode == STRATA_BANKS_8B)
        st = conflicts(t, STRATA_BANKS_8B, out, err);
    if (st == STRATA_OK)
        st = shared_copies(t, out, err);
    return st == STRATA_OK ? copies(t, out, err) : st;
}
