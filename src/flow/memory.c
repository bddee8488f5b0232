/* memory.c - builds the memory side from a GPU's description. */
#include "flow/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static strata_status no_memory(struct flow_memory *m, struct strata_error *err)
{
    flow_memory_release(m);
    return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                       "There is no memory left for the modelled caches; model fewer launches at once (-j).");
}

/* 64ths of a cycle that one sector takes at so many bytes a cycle; 0 bytes = no limit. */
static uint32_t sector_cost(uint32_t sector_bytes, double bytes_per_cycle)
{
    return bytes_per_cycle > 0 ? (uint32_t)(64.0 * sector_bytes / bytes_per_cycle + 0.5) : 0;
}

/* DRAM bytes per SM cycle that a stream reaches: pins, transfers per clock, and what refresh, row
 * changes and turn-arounds leave of it. */
static double dram_bytes_per_cycle(const struct strata_gpu *g)
{
    return (double)g->dram.channels * g->dram.bus_bytes * g->dram.data_rate * g->dram.clock_mhz / g->sm.clock_mhz *
           g->dram.efficiency;
}

static strata_status init_sms(struct flow_memory *m, uint64_t l1_bytes, uint64_t seed, struct strata_error *err)
{
    const struct strata_gpu *g = m->gpu;
    struct strata_cache_config l1 = g->l1.cache;
    uint64_t reserved = (uint64_t)g->l1.reserved_lines * l1.line_bytes;
    l1.size_bytes = l1_bytes > reserved + l1.line_bytes ? l1_bytes - reserved : l1.line_bytes;
    m->sm = calloc(m->n_sms, sizeof *m->sm);
    if (!m->sm)
        return no_memory(m, err);
    for (uint32_t s = 0; s < m->n_sms; s++) {
        struct flow_sm_port *p = &m->sm[s];
        strata_status st = cache_create(&l1, seed + s, &p->l1, err);
        if (st != STRATA_OK)
            return st;
        p->gpc = s < g->launch.n_gpc_of_sm ? g->launch.gpc_of_sm[s] : 0;
        p->partition = p->gpc < g->l2.n_partition_of_gpc ? g->l2.partition_of_gpc[p->gpc] % m->n_partitions
                                                         : p->gpc % m->n_partitions;
        if (g->tlb.enabled && (st = cache_create(&g->tlb.l1, seed + s, &p->tlb, err)) != STRATA_OK)
            return st;
        if (g->l1.mshrs && !(p->mshr_free = calloc(g->l1.mshrs, sizeof *p->mshr_free)))
            return no_memory(m, err);
    }
    return STRATA_OK;
}

static strata_status init_partition(struct flow_memory *m, uint32_t i, uint64_t seed, struct strata_error *err)
{
    const struct strata_gpu *g = m->gpu;
    struct flow_partition *p = &m->partition[i];
    struct strata_cache_config l2 = g->l2.cache;
    l2.size_bytes /= m->n_partitions;
    strata_status st = cache_create(&l2, seed + 1000 + i, &p->l2, err);
    if (st != STRATA_OK)
        return st;
    uint64_t ring = 1024;
    while (ring < (uint64_t)p->l2.n_slots * 2)
        ring *= 2;
    p->dirty_mask = ring - 1;
    p->slice_free64 = calloc(m->slices, sizeof *p->slice_free64);
    p->atomic_word = calloc(m->slices, sizeof *p->atomic_word);
    p->channel_free64 = calloc(m->channels, sizeof *p->channel_free64);
    p->activate_free64 = calloc(m->channels, sizeof *p->activate_free64);
    p->bank_row = calloc((size_t)m->channels * (g->dram.banks ? g->dram.banks : 1), sizeof *p->bank_row);
    p->dirty_queue = calloc(ring, sizeof *p->dirty_queue);
    if (!p->slice_free64 || !p->atomic_word || !p->channel_free64 || !p->activate_free64 || !p->bank_row || !p->dirty_queue)
        return no_memory(m, err);
    return STRATA_OK;
}

static uint32_t count_gpcs(const struct strata_gpu *g)
{
    uint32_t n = g->launch.gpcs ? g->launch.gpcs : 1;
    for (uint32_t s = 0; s < g->launch.n_gpc_of_sm; s++)
        if (g->launch.gpc_of_sm[s] >= n)
            n = g->launch.gpc_of_sm[s] + 1;
    return n;
}

static void init_rates(struct flow_memory *m)
{
    const struct strata_gpu *g = m->gpu;
    m->n_partitions = g->l2.partitions < 1 ? 1 : g->l2.partitions > FLOW_MAX_PARTITIONS ? FLOW_MAX_PARTITIONS : g->l2.partitions;
    m->slices = g->l2.slices / m->n_partitions ? g->l2.slices / m->n_partitions : 1;
    m->channels = g->dram.channels / m->n_partitions ? g->dram.channels / m->n_partitions : 1;
    uint32_t sector = g->l2.cache.sector_bytes;
    double l2_clock = g->l2.clock_mhz ? (double)g->l2.clock_mhz / g->sm.clock_mhz : 1;
    m->slice_64ths_per_sector = sector_cost(sector, g->l2.bytes_per_cycle_per_slice * l2_clock);
    m->channel_64ths_per_sector = sector_cost(sector, dram_bytes_per_cycle(g) / (m->channels * m->n_partitions));
    m->fabric_64ths_per_sector = sector_cost(sector, g->l2.fabric_bytes_per_cycle);
    m->out_64ths_per_sector = sector_cost(sector, g->xbar.request_bytes_per_cycle_per_sm);
    m->in_64ths_per_sector = sector_cost(sector, g->xbar.response_bytes_per_cycle_per_sm);
    m->slice_64ths_per_partial = (uint32_t)(g->l2.partial_write_cycles * 64 + 0.5);
    m->atomic_hot_64ths = (uint32_t)((g->l2.atomic_hot_cycles > 0 ? g->l2.atomic_hot_cycles : g->l2.atomic_cycles) * 64 + 0.5);
    m->slice_64ths_per_request = (uint32_t)(g->l2.request_cycles * 64 + 0.5);
    m->activate_64ths = g->dram.row_miss_cycles ? (uint32_t)(64.0 * g->dram.tRRD * g->sm.clock_mhz / g->dram.clock_mhz + 0.5) : 0;
    m->atomic_64ths = (uint32_t)(g->l2.atomic_cycles * 64 + 0.5);
    m->l1_sectors = g->l1.cache.line_bytes / g->l1.cache.sector_bytes;
    m->l2_sectors = g->l2.cache.line_bytes / g->l2.cache.sector_bytes;
    m->same_geometry = g->l1.cache.line_bytes == g->l2.cache.line_bytes && g->l1.cache.sector_bytes == g->l2.cache.sector_bytes;
    m->refresh_every = (uint64_t)g->dram.tREFI * g->sm.clock_mhz / g->dram.clock_mhz;
    m->refresh_cycles = (uint64_t)g->dram.tRFC * g->sm.clock_mhz / g->dram.clock_mhz;
    m->dirty_limit_sectors = g->l2.dirty_bytes / sector / m->n_partitions;
}

strata_status flow_memory_init(struct flow_memory *m, const struct strata_gpu *gpu, const struct strata_launch *launch,
                               uint64_t l1_bytes, uint64_t seed, struct strata_error *err)
{
    memset(m, 0, sizeof *m);
    m->gpu = gpu;
    m->n_sms = gpu->sm.count;
    m->ptx = launch->isa == STRATA_ISA_PTX;
    strata_coalescer_init(&m->coalescer, gpu, launch);
    init_rates(m);
    m->n_gpcs = count_gpcs(gpu);
    m->open_size = 8192;
    if (gpu->xbar.request_coalescer_lines) {
        m->open_size = 1;
        while (m->open_size < gpu->xbar.request_coalescer_lines)
            m->open_size *= 2;
    }
    if (gpu->xbar.request_coalescer_window_cycles || gpu->xbar.coalescer_return_cycles) {
        m->open = calloc((size_t)m->n_gpcs * m->open_size, sizeof *m->open);
        if (!m->open)
            return no_memory(m, err);
    }
    strata_status st = init_sms(m, l1_bytes, seed, err);
    if (st == STRATA_OK && gpu->tlb.enabled)
        st = cache_create(&gpu->tlb.l2, seed, &m->tlb2, err);
    for (uint32_t i = 0; i < m->n_partitions && st == STRATA_OK; i++)
        st = init_partition(m, i, seed, err);
    if (st != STRATA_OK)
        flow_memory_release(m);
    return st;
}

void flow_memory_release(struct flow_memory *m)
{
    for (uint32_t s = 0; m->sm && s < m->n_sms; s++) {
        cache_release(&m->sm[s].l1);
        cache_release(&m->sm[s].tlb);
        free(m->sm[s].mshr_free);
    }
    cache_release(&m->tlb2);
    free(m->sm);
    free(m->open);
    for (uint32_t i = 0; i < FLOW_MAX_PARTITIONS; i++) {
        struct flow_partition *p = &m->partition[i];
        cache_release(&p->l2);
        free(p->slice_free64);
        free(p->atomic_word);
        free(p->channel_free64);
        free(p->activate_free64);
        free(p->bank_row);
        free(p->dirty_queue);
    }
    memset(m, 0, sizeof *m);
}
