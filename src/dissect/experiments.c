/* experiments.c - the benchmarks that are no chases, on the model: MSHRs, coalescer, L2 writes,
 * latency spectrum, shared memory, throughputs. */
#include <stdlib.h>
#include <string.h>

#include <strata/coalesce.h>

#include "dissect/machine.h"
#include "memory/load_store.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for a series");
}

/* ---- MSHRs (paper 000, section 5.2) ---- */

enum { MAX_WARPS = 32, MAX_LOADS = 24 };

/* Loads in flight, as times of their return. */
struct flights {
    uint64_t back[MAX_WARPS * MAX_LOADS];
    uint32_t warp[MAX_WARPS * MAX_LOADS];
    size_t n;
};

static uint32_t in_flight(const struct flights *f, uint64_t now, int warp)
{
    uint32_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += f->back[i] > now && (warp < 0 || f->warp[i] == (uint32_t)warp);
    return n;
}

/* Warps take turns; a load leaves when the SM and the warp have a free MSHR. Cycles until all are
 * back. */
static uint64_t run_loads(const struct strata_model_target *t, uint32_t warps, uint32_t loads)
{
    uint32_t left[MAX_WARPS], total = warps * loads,
                              latency = t->gpu.l2.hit_cycles + t->gpu.dram.access_cycles;
    uint32_t sm = t->gpu.l1.mshrs, per_warp = t->gpu.l1.mshrs_per_warp;
    struct flights f = {.n = 0};
    uint64_t now = 0, end = 0;
    for (uint32_t w = 0; w < warps; w++)
        left[w] = loads;
    while (total) {
        bool left_now = false;
        for (uint32_t w = 0; w < warps && !left_now; w++) {
            uint32_t at = (uint32_t)((now + w) % warps);
            if (!left[at] || (per_warp && in_flight(&f, now, (int)at) >= per_warp) ||
                (sm && in_flight(&f, now, -1) >= sm))
                continue;
            f.warp[f.n] = at;
            f.back[f.n++] = end = now + latency;
            left[at]--;
            total--;
            left_now = true;
        }
        now++;
    }
    return end;
}

static strata_status mshr_series(struct strata_model_target *t, struct strata_probe_set *out,
                                 const char *experiment, uint32_t most_warps,
                                 struct strata_error *err)
{
    struct strata_series *s =
        strata_probe_add(out, experiment, experiment, "l1", "warps,loads,cycles");
    for (uint32_t w = 1; s && w <= most_warps; w++)
        for (uint32_t l = 1; l <= (most_warps == 1 ? MAX_LOADS : 12); l++) {
            double row[] = {w, l, (double)machine_noise(t, (uint32_t)run_loads(t, w, l))};
            if (!strata_series_add_row(s, row))
                return no_memory(err);
        }
    return s ? STRATA_OK : no_memory(err);
}

strata_status experiment_mshr(struct strata_model_target *t, struct strata_probe_set *out,
                              struct strata_error *err)
{
    if (!t->gpu.l1.enabled)
        return STRATA_OK;
    strata_status st = mshr_series(t, out, "mshr-warp", 1, err);
    return st == STRATA_OK ? mshr_series(t, out, "mshr", MAX_WARPS, err) : st;
}

/* ---- coalescer (paper 004, figure 3; stride 0 is one word for all lanes) ---- */

strata_status experiment_coalesce(struct strata_model_target *t, struct strata_probe_set *out,
                                  struct strata_error *err)
{
    static const struct strata_inst load = {.opcode = "LDG.E",
                                            .memop = STRATA_MEM_LOAD,
                                            .space = STRATA_SPACE_GLOBAL,
                                            .width_bytes = 4};
    struct strata_series *s =
        strata_probe_add(out, "coalesce", "coalesce", "l1", "stride,accesses");
    struct strata_coalescer c;
    strata_coalescer_init(&c, &t->gpu, NULL);
    if (!t->gpu.l1.enabled) /* loads go around the L1: the L2's sectors count */
        for (c.sector_shift = 0; 2u << c.sector_shift <= t->gpu.l2.cache.sector_bytes;)
            c.sector_shift++;
    for (uint32_t stride = 0; s && stride <= 32; stride = stride ? stride * 2 : 1) {
        uint64_t addr[STRATA_WARP_SIZE];
        struct strata_request request[STRATA_MAX_REQUESTS];
        for (uint32_t lane = 0; lane < STRATA_WARP_SIZE; lane++)
            addr[lane] = stride ? (lane / stride * 32ull + lane % stride) * 4 : 0;
        struct strata_winst w = {
            .inst = &load, .mask = UINT32_MAX, .addr_kind = STRATA_ADDR_LIST, .addr = addr};
        unsigned n = strata_coalesce(&c, &w, 0, request);
        double row[] = {stride, strata_count_sectors(request, n)};
        if (!strata_series_add_row(s, row))
            return no_memory(err);
    }
    return s ? STRATA_OK : no_memory(err);
}

/* ---- write misses of the L2 (paper 004, figure 5) ---- */

enum { NOT_THERE, PARTLY_WRITTEN, WHOLE };

struct l2_sector {
    uint32_t state, written; /* bit i: word i was written */
};

static void write_words(const struct strata_model_target *t, struct l2_sector *s, uint32_t words)
{
    s->written |= words;
    if (t->gpu.l2.write_miss == STRATA_FETCH_ON_WRITE || s->written == 0xff)
        s->state = WHOLE;
    else if (s->state == NOT_THERE)
        s->state = PARTLY_WRITTEN;
}

static uint32_t read_word(struct strata_model_target *t, struct l2_sector *s, uint32_t word)
{
    bool hit = s->state == WHOLE;
    if (t->gpu.l2.write_miss == STRATA_WRITE_VALIDATE && s->state == PARTLY_WRITTEN)
        hit = s->written >> word & 1;
    if (!hit)
        s->state = WHOLE;
    return machine_noise(t, t->gpu.l2.hit_cycles + (hit ? 0 : t->gpu.dram.access_cycles));
}

strata_status experiment_l2_write(struct strata_model_target *t, struct strata_probe_set *out,
                                  struct strata_error *err)
{
    struct strata_series *s =
        strata_probe_add(out, "l2-write", "l2-write", "l2", "case,repeat,latency");
    for (uint32_t repeat = 0; s && repeat < 25; repeat++)
        for (uint32_t i = 0; i < 6; i++) {
            struct l2_sector sector = {0};
            if (i == 1 || i == 5)
                write_words(t, &sector, i == 5 ? 1 : 0);
            if (i == 1 || i == 5)
                read_word(t, &sector, 0);
            if (i == 2 || i == 3)
                write_words(t, &sector, 1);
            if (i == 4)
                write_words(t, &sector, 0xff);
            double row[] = {i, repeat, read_word(t, &sector, i == 3 ? 1 : 0)};
            if (!strata_series_add_row(s, row))
                return no_memory(err);
        }
    return s ? STRATA_OK : no_memory(err);
}

/* ---- latency spectrum (paper 002, section 5.2) ---- */

struct spectrum {
    struct strata_model_target *t;
    struct strata_series *s;
    enum machine_path path;
    uint64_t step;
    bool failed;
};

static void load(struct spectrum *x, uint64_t address, uint32_t pattern)
{
    uint32_t latency = machine_noise(x->t, machine_load(x->t, x->path, address));
    double row[] = {(double)x->step++, (double)(address / 4), latency, pattern};
    if (pattern)
        x->failed = !strata_series_add_row(x->s, row) || x->failed;
}

/* Strides of 32 MB leave every TLB and cache cold, of 1 MB stay in a page, and lines that were
 * loaded are loaded again after their pages were pushed out. */
static void run_spectrum(struct spectrum *x)
{
    const struct strata_gpu *g = &x->t->gpu;
    uint64_t page = g->tlb.page_bytes, far = 32ull << 20, first = g->tlb.l1.size_bytes / page,
             second = g->tlb.l2.size_bytes / page;
    machine_clear(x->t);
    for (uint64_t i = 1; i <= 12; i++) /* P5, and P6 beyond the active pages */
        load(x, i * far + 4096 * i, 5);
    for (uint64_t i = 0; g->tlb.active_bytes && g->tlb.switch_cycles && i < 6; i++)
        load(x, g->tlb.active_bytes + (40 + i) * far, 6);
    for (uint64_t i = 1; i <= 12; i++) { /* P4: the page is known, the line is new */
        load(x, i * far, 0);
        load(x, i * far + (page / 2) + (1 << 15), 4);
    }
    for (uint64_t i = 1; i <= 8;
         i++) { /* P2: the line is known, the page was pushed out of the first TLB */
        load(x, i * page, 0);
        for (uint64_t k = 0; k < 8 * first; k++)
            machine_load(x->t, PATH_TLB, (64 + k % (2 * first)) * page + (k << 16) % page);
        load(x, i * page, 2);
    }
    for (uint64_t i = 1; i <= 8; i++) { /* P3: ... and of the second */
        load(x, i * page, 0);
        for (uint64_t k = 0; k < 3 * (second + first); k++)
            machine_load(x->t, PATH_TLB, (256 + k) * page);
        load(x, i * page, 3);
    }
    for (uint64_t i = 0; i < 12; i++) /* P1 */
        load(x, 8 * page + 4 * (i % 8), i ? 1 : 0);
}

static strata_status spectrum_of(struct strata_model_target *t, enum machine_path path,
                                 const char *name, struct strata_probe_set *out,
                                 struct strata_error *err)
{
    struct spectrum x = {.t = t, .path = path};
    x.s = strata_probe_add(out, name, "spectrum", machine_path_name(path),
                           "step,index,latency,pattern");
    if (!x.s)
        return no_memory(err);
    run_spectrum(&x);
    return x.failed ? no_memory(err) : STRATA_OK;
}

strata_status experiment_spectrum(struct strata_model_target *t, struct strata_probe_set *out,
                                  struct strata_error *err)
{
    strata_status st =
        t->has_data[PATH_L1] ? spectrum_of(t, PATH_L1, "spectrum-l1", out, err) : STRATA_OK;
    return st == STRATA_OK ? spectrum_of(t, PATH_L2, "spectrum-l2", out, err) : st;
}

/* ---- shared memory (paper 002, section 6) ---- */

static strata_status conflicts(struct strata_model_target *t, uint32_t mode,
                               struct strata_probe_set *out, struct strata_error *err)
{
    static const struct strata_inst load_shared = {
        .opcode = "LDS", .memop = STRATA_MEM_LOAD, .space = STRATA_SPACE_SHARED, .width_bytes = 4};
    struct strata_gpu *g = malloc(sizeof *g);
    struct strata_series *s =
        strata_probe_add(out, mode == STRATA_BANKS_8B ? "shared-conflict-8" : "shared-conflict-4",
                         "shared-conflict", "shared", "stride,latency");
    struct strata_coalescer c;
    if (!g || !s) {
        free(g);
        return no_memory(err);
    }
    *g = t->gpu;
    g->shared.bank_mode = mode;
    strata_coalescer_init(&c, g, NULL);
    strata_series_set_parameter(s, "element_bytes", 4);
    strata_series_set_parameter(s, "bank_bytes", mode == STRATA_BANKS_8B ? 8 : 4);
    bool ok = true;
    for (uint32_t stride = 0; stride <= 64 && ok; stride++)
        for (uint32_t repeat = 0; repeat < 25 && ok; repeat++) {
            struct strata_winst w = {.inst = &load_shared,
                                     .mask = UINT32_MAX,
                                     .addr_kind = STRATA_ADDR_STRIDE,
                                     .stride = (int32_t)stride * 4};
            struct strata_shared_cost cost = strata_shared_access(&c, &w);
            double row[] = {stride,
                            machine_noise(t, load_store_shared_latency(g, cost.wavefronts))};
            ok = strata_series_add_row(s, row);
        }
    free(g);
    return ok ? STRATA_OK : no_memory(err);
}

/* A warp copies `ilp` words a thread: loads, then stores, one pass each; passes of all warps share
 * the banks. Little's law with the latency of both. */
static strata_status shared_throughput(struct strata_model_target *t, struct strata_probe_set *out,
                                       struct strata_error *err)
{
    static const uint32_t ilps[] = {1, 2, 4, 6, 8};
    const struct strata_gpu *g = &t->gpu;
    struct strata_series *s = strata_probe_add(out, "shared-throughput", "shared-throughput",
                                               "shared", "warps,ilp,bytes_per_cycle");
    double peak = g->shared.bytes_per_cycle ? g->shared.bytes_per_cycle : 128;
    for (uint32_t warps = 1; s && warps <= g->sm.max_warps;
         warps = warps < 4 ? warps + 1 : warps + 4)
        for (int i = 0; i < 5; i++) {
            double bytes = 2.0 * 128 * warps * ilps[i],
                   alone = 2.0 * g->shared.latency_cycles + 2.0 * (ilps[i] - 1) * (128 / peak);
            double row[] = {warps, ilps[i], bytes / (alone > bytes / peak ? alone : bytes / peak)};
            if (8.0 * 32 * warps * ilps[i] <= (double)g->shared.per_sm_bytes &&
                !strata_series_add_row(s, row))
                return no_memory(err);
        }
    return s ? STRATA_OK : no_memory(err);
}

strata_status experiment_shared(struct strata_model_target *t, struct strata_probe_set *out,
                                struct strata_error *err)
{
    strata_status st = conflicts(t, STRATA_BANKS_4B, out, err);
    if (st == STRATA_OK && t->gpu.shared.bank_mode == STRATA_BANKS_8B)
        st = conflicts(t, STRATA_BANKS_8B, out, err);
    return st == STRATA_OK ? shared_throughput(t, out, err) : st;
}

/* ---- copies of global memory (paper 002, section 5.1) ---- */

static double copy_rate(const struct strata_gpu *g, uint32_t blocks, uint32_t threads, uint32_t ilp)
{
    double per_sm = g->sm.max_threads / threads < g->sm.max_blocks ? g->sm.max_threads / threads
                                                                   : g->sm.max_blocks;
    double active = blocks < per_sm * g->sm.count ? blocks : per_sm * g->sm.count;
    double in_flight = active * threads * ilp * 4,
           latency = g->l2.hit_cycles + g->dram.access_cycles;
    double peak = strata_gpu_dram_bytes_per_second(g) / (g->sm.clock_mhz * 1e6) *
                  (g->dram.efficiency > 0 ? g->dram.efficiency : 1);
    double rate = 2 * in_flight / (2 * latency);
    return rate < peak ? rate : peak;
}

strata_status experiment_throughput(struct strata_model_target *t, struct strata_probe_set *out,
                                    struct strata_error *err)
{
    static const uint32_t threads[] = {64, 128, 256, 512, 1024}, ilps[] = {1, 2, 4};
    struct strata_series *s = strata_probe_add(out, "copy-throughput", "copy-throughput", "dram",
                                               "blocks,threads,ilp,bytes_per_cycle");
    for (int i = 0; s && i < 5; i++)
        for (int k = 0; k < 3; k++)
            for (uint32_t blocks = t->gpu.sm.count; blocks <= 16 * t->gpu.sm.count;
                 blocks += t->gpu.sm.count) {
                double row[] = {blocks, threads[i], ilps[k],
                                copy_rate(&t->gpu, blocks, threads[i], ilps[k])};
                if (threads[i] <= t->gpu.sm.max_threads && !strata_series_add_row(s, row))
                    return no_memory(err);
            }
    return s ? STRATA_OK : no_memory(err);
}
