/* hierarchy.c - builds the memory side from a GPU's description. */
#include "memory/hierarchy.h"

#include <stdlib.h>

#include "memory/memory_state.h"

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL,
                            "for the modelled caches; model fewer launches at once (-j)");
}

/* DRAM bytes per SM cycle that a stream reaches: pins, transfers per clock, and what refresh, row
 * changes and turn-arounds leave of it. */
static double dram_bytes_per_cycle(const struct strata_gpu *g)
{
    return (double)g->dram.channels * g->dram.bus_bytes * g->dram.data_rate * g->dram.clock_mhz /
           g->sm.clock_mhz * g->dram.efficiency;
}

static strata_status init_sms(struct hierarchy *m, uint64_t l1_bytes, uint64_t seed,
                              struct strata_error *err)
{
    const struct strata_gpu *g = m->gpu;
    struct strata_cache_config l1 = l1_config(g, l1_bytes);
    m->sm_memory = calloc(1, m->n_sms * sizeof *m->sm + HIERARCHY_LINE_BYTES);
    if (!m->sm_memory)
        return no_memory(err);
    m->sm = (struct hierarchy_sm *)round_up((uintptr_t)m->sm_memory, HIERARCHY_LINE_BYTES);
    strata_status st = cache_pool_create(&l1, m->n_sms, &m->l1_pool, err);
    for (uint32_t s = 0; s < m->n_sms && st == STRATA_OK; s++) {
        struct hierarchy_sm *p = &m->sm[s];
        st = cache_create_in(&m->l1_pool, &l1, seed + s, &p->l1, err);
        p->group = request_coalescer_group(&m->requests, g, s);
        p->partition = address_map_partition(&m->map, s);
        if (st == STRATA_OK && g->tlb.enabled)
            st = cache_create(&g->tlb.l1, seed + s, &p->tlb, err);
        for (int k = 0; k < LOAD_SIDES && st == STRATA_OK; k++)
            if (side_config(g, LOAD_READONLY + k))
                st = side_create(g, LOAD_READONLY + k, seed + s, &p->side[k], err);
        if (st == STRATA_OK && g->l1.mshrs &&
            !(p->mshr_free = calloc(g->l1.mshrs, sizeof *p->mshr_free)))
            return no_memory(err);
    }
    return st;
}

static strata_status init_partition(struct hierarchy *m, uint32_t i, uint64_t seed,
                                    struct strata_memory_state *state, struct strata_error *err)
{
    const struct strata_gpu *g = m->gpu;
    struct hierarchy_partition *p = &m->partition[i];
    struct strata_cache_config l2 = g->l2.cache;
    l2.size_bytes /= m->map.partitions;
    bool warm = state && memory_state_take(state, i, m->map.partitions, &p->l2, &p->dirty);
    strata_status st = warm ? STRATA_OK : cache_create(&l2, seed + 1000 + i, &p->l2, err);
    if (state && st == STRATA_OK && !warm)
        p->l2.clock = MEMORY_COPIED_AGES;
    if (st == STRATA_OK && !warm)
        st = write_back_init(&p->dirty, g, m->map.partitions, m->rules.line_sectors, &p->l2, err);
    if (st != STRATA_OK)
        return st;
    uint32_t slices = m->map.slices, channels = m->map.channels,
             banks = g->dram.banks ? g->dram.banks : 1;
    p->slice_free64 = calloc(slices, sizeof *p->slice_free64);
    p->slice_atomics = calloc(slices, sizeof *p->slice_atomics);
    p->way_in_free64 = calloc(slices, sizeof *p->way_in_free64);
    p->channel_free64 = calloc(channels, sizeof *p->channel_free64);
    p->activate_free64 = calloc(channels, sizeof *p->activate_free64);
    p->bank_row = calloc((size_t)channels * banks, sizeof *p->bank_row);
    p->timed = state ? calloc(p->l2.n_slots / HIERARCHY_MARK_SLOTS + 1, 1) : NULL;
    return (p->timed || !state) && p->slice_free64 && p->slice_atomics && p->way_in_free64 &&
                   p->channel_free64 && p->activate_free64 && p->bank_row &&
                   late_writes_init(&p->late)
               ? STRATA_OK
               : no_memory(err);
}

static void init_rates(struct hierarchy *m)
{
    const struct strata_gpu *g = m->gpu;
    double refreshing = g->dram.refresh_block_bytes && g->dram.tREFI
                            ? (double)g->dram.tRFC / g->dram.tREFI
                            : 0; /* of the time; else channels are closed for it */
    m->channel_64ths_per_sector =
        cost_64ths(g->l2.cache.sector_bytes, dram_bytes_per_cycle(g) * (1 - refreshing) /
                                                 (m->map.channels * m->map.partitions));
    m->out_64ths_per_packet =
        cost_64ths(PACKET_SECTOR_BYTES, g->xbar.request_bytes_per_cycle_per_sm);
    m->in_64ths_per_packet =
        cost_64ths(PACKET_SECTOR_BYTES, g->xbar.response_bytes_per_cycle_per_sm);
    m->xbar_64ths_per_packet = cost_64ths(PACKET_SECTOR_BYTES, g->xbar.total_bytes_per_cycle);
    m->bulk_64ths_per_packet = cost_64ths(PACKET_SECTOR_BYTES, g->sm.tma_bytes_per_cycle);
    m->activate_64ths =
        g->dram.row_miss_cycles
            ? (uint32_t)(64.0 * g->dram.tRRD * g->sm.clock_mhz / g->dram.clock_mhz + 0.5)
            : 0;
    m->write_activate_64ths = (uint32_t)(m->activate_64ths * g->dram.write_row + 0.5);
    m->l1_packets = g->l1.cache.sector_bytes > PACKET_SECTOR_BYTES
                        ? g->l1.cache.sector_bytes / PACKET_SECTOR_BYTES
                        : 1;
    m->refresh_every = (uint64_t)g->dram.tREFI * g->sm.clock_mhz / g->dram.clock_mhz;
    m->refresh_groups = g->dram.refresh_groups && g->dram.refresh_groups < m->map.channels
                            ? g->dram.refresh_groups
                            : m->map.channels;
    m->refresh_cycles = (uint64_t)g->dram.tRFC * g->sm.clock_mhz / g->dram.clock_mhz;
}

/* Bytes of a line are told apart, so lines are no longer than there are bits for. */
static strata_status check_lines(const struct strata_gpu *g, struct strata_error *err)
{
    uint32_t l1 = g->l1.cache.line_bytes, l2 = g->l2.cache.line_bytes;
    if (l1 <= LINE_BYTES_MOST && l2 <= LINE_BYTES_MOST)
        return STRATA_OK;
    return strata_fail(err, STRATA_EUNSUPPORTED, g->name, 0, 0,
                       "%s is %u bytes; the modelled memory has lines of up to %u bytes (try "
                       "--set %s=%u).",
                       l1 > LINE_BYTES_MOST ? "l1.line" : "l2.line", l1 > LINE_BYTES_MOST ? l1 : l2,
                       LINE_BYTES_MOST, l1 > LINE_BYTES_MOST ? "l1.line" : "l2.line",
                       LINE_BYTES_MOST);
}

strata_status hierarchy_init(struct hierarchy *m, const struct strata_gpu *gpu,
                             const struct strata_launch *launch, uint64_t l1_bytes, uint64_t seed,
                             struct strata_memory_state *state, struct strata_error *err)
{
    memset(m, 0, sizeof *m);
    m->gpu = gpu;
    m->n_sms = gpu->sm.count;
    m->ptx = launch->isa == STRATA_ISA_PTX;
    m->window = access_window_of(gpu, launch);
    strata_coalescer_init(&m->coalescer, gpu, launch);
    strata_status st = check_lines(gpu, err);
    if (st == STRATA_OK)
        st = address_map_init(&m->map, gpu, err);
    if (st != STRATA_OK)
        return st;
    l2_rules_init(&m->rules, gpu, gpu->l2.cache.sector_bytes);
    l2_costs_init(&m->cost, gpu, gpu->l2.cache.sector_bytes);
    init_rates(m);
    st = request_coalescer_init(&m->requests, gpu, err);
    if (st == STRATA_OK)
        st = init_sms(m, l1_bytes, seed, err);
    for (uint32_t s = 0; s < m->n_sms && st == STRATA_OK; s++)
        leaving_miss_begin(&m->sm[s].leaving, gpu, launch);
    if (st == STRATA_OK && gpu->tlb.enabled && !(state && memory_state_take_tlb(state, &m->tlb2)))
        st = cache_create(&gpu->tlb.l2, seed, &m->tlb2, err);
    for (uint32_t i = 0; i < m->map.partitions && st == STRATA_OK; i++)
        st = init_partition(m, i, seed, state, err);
    if (st != STRATA_OK)
        hierarchy_release(m);
    else if (state)
        hierarchy_begin(m, state);
    for (uint32_t i = 0; i < m->map.partitions && st == STRATA_OK; i++)
        access_window_begin(gpu, launch, &m->partition[i].l2);
    return st;
}

/* Times of what does not go slower with the SMs, in their longer cycles. */
static void at_clock(struct strata_gpu *g, uint32_t mhz)
{
    double share = (double)mhz / g->sm.clock_mhz;
    uint32_t *cycles[] = {&g->l2.hit_cycles,
                          &g->l2.far_extra_cycles,
                          &g->dram.access_cycles,
                          &g->dram.row_miss_cycles,
                          &g->dram.refresh_bank_cycles,
                          &g->dram.refresh_every_cycles,
                          &g->xbar.coalescer_return_cycles};
    double *busy[] = {
        &g->l2.request_cycles,       &g->l2.write_flit_cycles,       &g->l2.mask_flit_cycles,
        &g->l2.overtaken_cycles,     &g->l2.overtaken_sector_cycles, &g->l2.partial_fill_cycles,
        &g->l2.partial_write_cycles, &g->l2.atomic_whole_cycles,     &g->l2.atomic_float_cycles,
        &g->l2.atomic_cycles,        &g->l2.clean_hold_cycles};
    for (size_t k = 0; k < sizeof cycles / sizeof *cycles; k++)
        *cycles[k] = (uint32_t)(*cycles[k] * share + 0.5);
    for (size_t k = 0; k < sizeof busy / sizeof *busy; k++)
        *busy[k] *= share;
    g->l2.fabric_bytes_per_cycle = (uint32_t)(g->l2.fabric_bytes_per_cycle / share + 0.5);
    if (!g->l2.clock_mhz)
        g->l2.clock_mhz = g->sm.clock_mhz; /* its bytes a cycle are of those cycles */
    g->sm.clock_mhz = mhz;
}

strata_status hierarchy_slow_clock(struct hierarchy *m, uint32_t mhz, struct strata_error *err)
{
    struct strata_gpu *slowed = malloc(sizeof *slowed);
    if (!slowed)
        return no_memory(err);
    *slowed = *m->gpu;
    at_clock(slowed, mhz);
    free(m->slowed);
    m->gpu = m->slowed = slowed;
    l2_costs_init(&m->cost, slowed, slowed->l2.cache.sector_bytes);
    init_rates(m);
    return STRATA_OK;
}

void hierarchy_forget_times(struct hierarchy *m)
{
    uint32_t banks = m->gpu->dram.banks ? m->gpu->dram.banks : 1;
    for (uint32_t i = 0; i < m->map.partitions; i++) {
        struct hierarchy_partition *p = &m->partition[i];
        memset(p->slice_free64, 0, m->map.slices * sizeof *p->slice_free64);
        memset(p->slice_atomics, 0, m->map.slices * sizeof *p->slice_atomics);
        memset(p->way_in_free64, 0, m->map.slices * sizeof *p->way_in_free64);
        memset(p->channel_free64, 0, m->map.channels * sizeof *p->channel_free64);
        memset(p->activate_free64, 0, m->map.channels * sizeof *p->activate_free64);
        memset(p->bank_row, 0, (size_t)m->map.channels * banks * sizeof *p->bank_row);
        p->fabric_free64 = 0;
        p->late.n = 0;
    }
    memset(&m->host, 0, sizeof m->host);
}

void hierarchy_release(struct hierarchy *m)
{
    for (uint32_t s = 0; m->sm && s < m->n_sms; s++) {
        cache_release(&m->sm[s].l1);
        cache_release(&m->sm[s].tlb);
        for (int k = 0; k < LOAD_SIDES; k++)
            cache_release(&m->sm[s].side[k]);
        free(m->sm[s].mshr_free);
    }
    free(m->slowed);
    cache_release(&m->tlb2);
    page_walks_release(&m->walks);
    cache_pool_release(&m->l1_pool);
    request_coalescer_release(&m->requests);
    free(m->sm_memory);
    for (uint32_t i = 0; i < ADDRESS_MAP_PARTITIONS; i++) {
        struct hierarchy_partition *p = &m->partition[i];
        cache_release(&p->l2);
        free(p->slice_free64);
        free(p->slice_atomics);
        free(p->way_in_free64);
        free(p->channel_free64);
        free(p->activate_free64);
        free(p->bank_row);
        free(p->timed);
        late_writes_release(&p->late);
        write_back_release(&p->dirty);
    }
    memset(m, 0, sizeof *m);
}
