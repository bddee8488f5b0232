/* memory.c - builds the memory side from a GPU's description. */
#include "flow/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static strata_status no_memory(struct flow_memory *m, struct strata_error *err)
{
    flow_memory_release(m);
    return strata_no_memory(err, NULL,
                            "for the modelled caches; model fewer launches at once (-j)");
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
    return (double)g->dram.channels * g->dram.bus_bytes * g->dram.data_rate * g->dram.clock_mhz /
           g->sm.clock_mhz * g->dram.efficiency;
}

static strata_status init_sms(struct flow_memory *m, uint64_t l1_bytes, uint64_t seed,
                              struct strata_error *err)
{
    const struct strata_gpu *g = m->gpu;
    struct strata_cache_config l1 = memside_l1_config(g, l1_bytes);
    m->sm = calloc(m->n_sms, sizeof *m->sm);
    if (!m->sm)
        return no_memory(m, err);
    strata_status st = cache_pool_create(&l1, m->n_sms, &m->l1_pool, err);
    for (uint32_t s = 0; s < m->n_sms && st == STRATA_OK; s++) {
        struct flow_sm_port *p = &m->sm[s];
        st = cache_create_in(&m->l1_pool, &l1, seed + s, &p->l1, err);
        p->gpc = memside_gpc(&m->side, s);
        p->partition = memside_partition(&m->side, p->gpc);
        if (st == STRATA_OK && g->tlb.enabled)
            st = cache_create(&g->tlb.l1, seed + s, &p->tlb, err);
        if (st == STRATA_OK && g->l1.mshrs &&
            !(p->mshr_free = calloc(g->l1.mshrs, sizeof *p->mshr_free)))
            return no_memory(m, err);
    }
    return st;
}

static strata_status init_partition(struct flow_memory *m, uint32_t i, uint64_t seed,
                                    struct strata_error *err)
{
    const struct strata_gpu *g = m->gpu;
    struct flow_partition *p = &m->partition[i];
    struct strata_cache_config l2 = g->l2.cache;
    l2.size_bytes /= m->side.n_partitions;
    strata_status st = cache_create(&l2, seed + 1000 + i, &p->l2, err);
    if (st != STRATA_OK)
        return st;
    st = memside_dirty_init(&p->dirty, &m->side, &p->l2, err);
    if (st != STRATA_OK)
        return st;
    p->slice_free64 = calloc(m->slices, sizeof *p->slice_free64);
    p->atomic_word = calloc(m->slices, sizeof *p->atomic_word);
    p->channel_free64 = calloc(m->channels, sizeof *p->channel_free64);
    p->activate_free64 = calloc(m->channels, sizeof *p->activate_free64);
    p->bank_row =
        calloc((size_t)m->channels * (g->dram.banks ? g->dram.banks : 1), sizeof *p->bank_row);
    if (!p->slice_free64 || !p->atomic_word || !p->channel_free64 || !p->activate_free64 ||
        !p->bank_row)
        return no_memory(m, err);
    return STRATA_OK;
}

static void init_rates(struct flow_memory *m)
{
    const struct strata_gpu *g = m->gpu;
    m->slices = g->l2.slices / m->side.n_partitions ? g->l2.slices / m->side.n_partitions : 1;
    m->channels =
        g->dram.channels / m->side.n_partitions ? g->dram.channels / m->side.n_partitions : 1;
    uint32_t sector = g->l2.cache.sector_bytes;
    double l2_clock = g->l2.clock_mhz ? (double)g->l2.clock_mhz / g->sm.clock_mhz : 1;
    m->slice_64ths_per_sector = sector_cost(sector, g->l2.bytes_per_cycle_per_slice * l2_clock);
    m->channel_64ths_per_sector =
        sector_cost(sector, dram_bytes_per_cycle(g) / (m->channels * m->side.n_partitions));
    m->fabric_64ths_per_sector = sector_cost(sector, g->l2.fabric_bytes_per_cycle);
    m->out_64ths_per_sector = sector_cost(sector, g->xbar.request_bytes_per_cycle_per_sm);
    m->in_64ths_per_sector = sector_cost(sector, g->xbar.response_bytes_per_cycle_per_sm);
    m->xbar_64ths_per_sector = sector_cost(sector, g->xbar.total_bytes_per_cycle);
    m->slice_64ths_per_partial = (uint32_t)(g->l2.partial_write_cycles * 64 + 0.5);
    m->atomic_hot_64ths =
        (uint32_t)((g->l2.atomic_hot_cycles > 0 ? g->l2.atomic_hot_cycles : g->l2.atomic_cycles) *
                       64 +
                   0.5);
    m->slice_64ths_per_request = (uint32_t)(g->l2.request_cycles * 64 + 0.5);
    m->activate_64ths =
        g->dram.row_miss_cycles
            ? (uint32_t)(64.0 * g->dram.tRRD * g->sm.clock_mhz / g->dram.clock_mhz + 0.5)
            : 0;
    m->atomic_64ths = (uint32_t)(g->l2.atomic_cycles * 64 + 0.5);
    m->l1_sectors = g->l1.cache.line_bytes / g->l1.cache.sector_bytes;
    m->refresh_every = (uint64_t)g->dram.tREFI * g->sm.clock_mhz / g->dram.clock_mhz;
    m->refresh_cycles = (uint64_t)g->dram.tRFC * g->sm.clock_mhz / g->dram.clock_mhz;
}

strata_status flow_memory_init(struct flow_memory *m, const struct strata_gpu *gpu,
                               const struct strata_launch *launch, uint64_t l1_bytes, uint64_t seed,
                               struct strata_error *err)
{
    memset(m, 0, sizeof *m);
    m->gpu = gpu;
    m->n_sms = gpu->sm.count;
    m->ptx = launch->isa == STRATA_ISA_PTX;
    strata_coalescer_init(&m->coalescer, gpu, launch);
    memside_init(&m->side, gpu);
    init_rates(m);
    strata_status st = memside_coalescer_init(&m->requests, gpu, err);
    if (st == STRATA_OK)
        st = init_sms(m, l1_bytes, seed, err);
    if (st == STRATA_OK && gpu->tlb.enabled)
        st = cache_create(&gpu->tlb.l2, seed, &m->tlb2, err);
    for (uint32_t i = 0; i < m->side.n_partitions && st == STRATA_OK; i++)
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
    cache_pool_release(&m->l1_pool);
    memside_coalescer_release(&m->requests);
    free(m->sm);
    for (uint32_t i = 0; i < MEMSIDE_MAX_PARTITIONS; i++) {
        struct flow_partition *p = &m->partition[i];
        cache_release(&p->l2);
        free(p->slice_free64);
        free(p->atomic_word);
        free(p->channel_free64);
        free(p->activate_free64);
        free(p->bank_row);
        memside_dirty_release(&p->dirty);
    }
    memset(m, 0, sizeof *m);
}
