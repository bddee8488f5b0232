/* gpu_totals.c - what follows from a description, so that nobody multiplies by hand. */
#include <stdio.h>

#include "gpu/gpu_internal.h"

struct totals {
    const struct strata_gpu *gpu;
    strata_gpu_visit_total *visit;
    void *context;
    bool stop;
};

static void total(struct totals *t, const char *name, double value, const char *unit,
                  const char *how)
{
    if (!t->stop)
        t->stop = !t->visit(t->context, name, value, unit, how);
}

static uint64_t sets(const struct strata_cache_config *cache, uint64_t bytes)
{
    if (cache->n_set_ways)
        return cache->n_set_ways;
    uint64_t lines = cache->line_bytes ? bytes / cache->line_bytes : 0;
    return cache->ways ? lines / cache->ways : lines > 0;
}

double strata_gpu_dram_bytes_per_second(const struct strata_gpu *gpu)
{
    return (double)gpu->dram.channels * gpu->dram.bus_bytes * gpu->dram.data_rate *
           gpu->dram.clock_mhz * 1e6;
}

static void sm_totals(struct totals *t)
{
    const struct strata_gpu *g = t->gpu;
    total(t, "resident threads", (double)g->sm.count * g->sm.max_threads, "",
          "sm.count x sm.max_threads");
    total(t, "resident warps", (double)g->sm.count * g->sm.max_warps, "",
          "sm.count x sm.max_warps");
    total(t, "warps per scheduler", (double)g->sm.max_warps / g->sm.schedulers, "",
          "sm.max_warps / sm.schedulers");
    total(t, "register file of an SM", 4.0 * g->sm.registers, "bytes", "sm.registers x 4");
    total(t, "issue rate", (double)g->sm.count * g->sm.schedulers * g->sm.issue_per_scheduler,
          "instructions/cycle", "sm.count x sm.schedulers x sm.issue_per_scheduler");
    if (g->sm.interval_fp32_cycles)
        total(t, "FP32 peak",
              2e-3 * g->sm.count * g->sm.schedulers * g->sm.warp_size / g->sm.interval_fp32_cycles *
                  g->sm.clock_mhz,
              "GFLOP/s", "sm.count x sm.schedulers x warp / sm.interval.fp32 x 2 x sm.clock");
}

static void l1_totals(struct totals *t)
{
    const struct strata_gpu *g = t->gpu;
    char name[64], size[32];
    total(t, "L1 sets", (double)sets(&g->l1.cache, g->l1.cache.size_bytes), "",
          "l1.size / (l1.line x l1.ways)");
    total(t, "L1 of all SMs", (double)g->sm.count * (double)g->l1.cache.size_bytes, "bytes",
          "sm.count x l1.size");
    for (uint32_t i = 0; i < g->l1.n_carveout; i++) {
        snprintf(name, sizeof name, "L1 beside %s shared",
                 strata_gpu_size_text(g->l1.carveout_bytes[i], size, sizeof size));
        total(t, name, (double)(g->l1.unified_bytes - g->l1.carveout_bytes[i]), "bytes",
              "l1.unified - carve-out");
    }
}

static void l2_totals(struct totals *t)
{
    const struct strata_gpu *g = t->gpu;
    uint64_t slice = g->l2.cache.size_bytes / g->l2.slices;
    double clock = 1e6 * (g->l2.clock_mhz ? g->l2.clock_mhz : g->sm.clock_mhz);
    total(t, "L2 of a slice", (double)slice, "bytes", "l2.size / l2.slices");
    total(t, "L2 sets of a slice", (double)sets(&g->l2.cache, slice), "",
          "l2.size / (l2.slices x l2.line x l2.ways)");
    total(t, "L2 in all", (double)slice * g->l2.slices, "bytes", "slices x slice");
    if (g->l2.bytes_per_cycle_per_slice)
        total(t, "L2 bandwidth", 1e-9 * clock * g->l2.slices * g->l2.bytes_per_cycle_per_slice,
              "GB/s", "l2.slices x l2.bytes_per_cycle_per_slice x l2.clock");
    if (g->xbar.total_bytes_per_cycle)
        total(t, "crossbar bandwidth", 1e-3 * g->xbar.total_bytes_per_cycle * g->sm.clock_mhz,
              "GB/s", "xbar.total_bytes_per_cycle x sm.clock");
}

static void dram_totals(struct totals *t)
{
    const struct strata_gpu *g = t->gpu;
    double peak = strata_gpu_dram_bytes_per_second(g);
    total(t, "DRAM peak", 1e-9 * peak, "GB/s",
          "dram.channels x dram.bus x dram.data_rate x dram.clock");
    total(t, "DRAM reachable", 1e-9 * peak * g->dram.efficiency, "GB/s", "peak x dram.efficiency");
    total(t, "DRAM reachable per SM cycle", peak * g->dram.efficiency / (1e6 * g->sm.clock_mhz),
          "bytes/cycle", "reachable / sm.clock");
    total(t, "DRAM burst", (double)g->dram.bus_bytes * g->dram.burst_length, "bytes",
          "dram.bus x dram.burst_length");
    total(t, "load to use from DRAM", (double)g->l2.hit_cycles + g->dram.access_cycles, "cycles",
          "l2.hit + dram.access");
}

static void tlb_totals(struct totals *t)
{
    const struct strata_gpu *g = t->gpu;
    if (!g->tlb.enabled)
        return;
    total(t, "entries of the first TLB", (double)(g->tlb.l1.size_bytes / g->tlb.page_bytes), "",
          "tlb.l1.size / tlb.page");
    total(t, "entries of the second TLB", (double)(g->tlb.l2.size_bytes / g->tlb.page_bytes), "",
          "tlb.l2.size / tlb.page");
}

void strata_gpu_totals(const struct strata_gpu *gpu, strata_gpu_visit_total *visit, void *context)
{
    struct totals t = {gpu, visit, context, false};
    sm_totals(&t);
    l1_totals(&t);
    l2_totals(&t);
    dram_totals(&t);
    tlb_totals(&t);
}
