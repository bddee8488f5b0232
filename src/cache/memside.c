/* memside.c - geometry, write-back and request coalescers. */
#include "cache/memside.h"

#include <stdlib.h>
#include <string.h>

/* ---- geometry ---- */

void memside_init(struct memside *m, const struct strata_gpu *gpu)
{
    uint32_t n = gpu->l2.partitions;
    const struct strata_cache_config *l1 = &gpu->l1.cache, *l2 = &gpu->l2.cache;
    m->gpu = gpu;
    m->n_partitions = n < 1 ? 1 : n > MEMSIDE_MAX_PARTITIONS ? MEMSIDE_MAX_PARTITIONS : n;
    m->l2_sectors = l2->line_bytes / l2->sector_bytes;
    m->same_geometry = l1->line_bytes == l2->line_bytes && l1->sector_bytes == l2->sector_bytes;
    m->home_mask = 0;
    for (uint32_t i = 0; i < gpu->l2.n_home_bits && m->n_partitions == 2; i++)
        m->home_mask |= UINT64_C(1) << gpu->l2.home_bits[i];
}

uint32_t memside_gpc(const struct memside *m, uint32_t sm)
{
    return sm < m->gpu->launch.n_gpc_of_sm ? m->gpu->launch.gpc_of_sm[sm] : 0;
}

uint32_t memside_partition(const struct memside *m, uint32_t gpc)
{
    return (gpc < m->gpu->l2.n_partition_of_gpc ? m->gpu->l2.partition_of_gpc[gpc] : gpc) %
           m->n_partitions;
}

uint32_t memside_count_gpcs(const struct strata_gpu *gpu)
{
    uint32_t n = gpu->launch.gpcs ? gpu->launch.gpcs : 1;
    for (uint32_t s = 0; s < gpu->launch.n_gpc_of_sm; s++)
        if (gpu->launch.gpc_of_sm[s] >= n)
            n = gpu->launch.gpc_of_sm[s] + 1;
    return n;
}

struct strata_cache_config memside_l1_config(const struct strata_gpu *gpu, uint64_t l1_bytes)
{
    struct strata_cache_config l1 = gpu->l1.cache;
    uint64_t reserved = (uint64_t)gpu->l1.reserved_lines * l1.line_bytes;
    l1.size_bytes = l1_bytes > reserved + l1.line_bytes ? l1_bytes - reserved : l1.line_bytes;
    return l1;
}

uint32_t memside_fetch(const struct memside *m, uint32_t missing, uint32_t held)
{
    uint32_t group = m->gpu->l2.fetch_bytes / m->gpu->l2.cache.sector_bytes, wide = 0, unit;
    if (group <= 1)
        return missing;
    unit = (1u << group) - 1;
    for (uint32_t at = 0; at < m->l2_sectors; at += group)
        if (missing >> at & unit)
            wide |= unit << at;
    return wide & ~held & ((1u << m->l2_sectors) - 1);
}

uint32_t memside_part_of(const struct memside *m, uint64_t line, uint32_t sectors, uint64_t *at,
                         uint64_t *l2_line)
{
    const struct strata_cache_config *l1 = &m->gpu->l1.cache, *l2 = &m->gpu->l2.cache;
    uint64_t end = line + l1->line_bytes, l2_end;
    uint32_t mask = 0;
    *l2_line = *at & ~(uint64_t)(l2->line_bytes - 1);
    l2_end = *l2_line + l2->line_bytes;
    for (; *at < end && *at < l2_end; *at += l2->sector_bytes)
        if (sectors >> ((*at - line) / l1->sector_bytes) & 1)
            mask |= 1u << ((*at - *l2_line) / l2->sector_bytes);
    return mask;
}

/* ---- write-back ---- */

static void ring_push(struct memside_ring *r, uint64_t line)
{
    r->lines++;
    if (!r->line)
        return;
    r->line[r->tail++ & r->mask] = line;
    if (r->tail - r->head > r->mask)
        r->head++;
}

/* However small a share of the limit is, it is one. */
static bool ring_init(struct memside_ring *r, uint64_t slots, uint64_t limit_bytes,
                      uint64_t line_of_all_bytes)
{
    uint64_t size = 1024, limit = limit_bytes / line_of_all_bytes;
    while (size < slots * 2)
        size *= 2;
    *r = (struct memside_ring){.mask = size - 1, .limit = limit_bytes && !limit ? 1 : limit};
    if (!r->limit)
        return true;
    r->line = calloc(size, sizeof *r->line);
    return r->line;
}

/* What the caches hold of others' writes when a launch begins: dirty lines at no address of the
 * program, the first to be displaced (probes stream_read and reread: reads alone write 75,000
 * sectors to DRAM). They leave in proportion while the L2 fills from 62 % to all of it, so they
 * take a quarter of the sets they are in. */
static void begin_dirty(struct memside_dirty *d, uint64_t n, uint32_t sectors, struct cache *l2)
{
    uint32_t line_bytes = l2->config.line_bytes, in_a_set = l2->ways / 4 ? l2->ways / 4 : 1;
    uint64_t sets = (n + in_a_set - 1) / in_a_set;
    if (sets > l2->n_sets)
        sets = l2->n_sets, n = sets * in_a_set;
    /* A chosen index function may never lead to some sets. */
    uint64_t most = (uint64_t)l2->n_slots * 64;
    for (uint64_t i = 0; n && i < most; i++) {
        uint64_t line = MEMSIDE_OTHERS + i * line_bytes;
        uint32_t set = cache_set_of(l2, line);
        if (set >= sets || l2->fill[set] >= in_a_set)
            continue;
        uint32_t slot = cache_insert(l2, line, NULL);
        n--;
        l2->slot[slot].valid = (uint8_t)sectors;
        memside_dirty_mark(d, &l2->slot[slot], sectors, false);
    }
}

strata_status memside_dirty_init_share(struct memside_dirty *d, const struct strata_gpu *gpu,
                                       uint32_t n_shares, uint32_t l2_sectors, struct cache *l2,
                                       struct strata_error *err)
{
    uint64_t line_of_all = (uint64_t)gpu->l2.cache.line_bytes * n_shares;
    if (!ring_init(&d->all, l2->n_slots, gpu->l2.dirty_bytes, line_of_all) ||
        !ring_init(&d->partial, l2->n_slots, gpu->l2.dirty_partial_bytes, line_of_all))
        return strata_no_memory(err, NULL, "for the modelled L2");
    begin_dirty(d, gpu->l2.dirty_at_start_bytes / line_of_all, (1u << l2_sectors) - 1, l2);
    return STRATA_OK;
}

strata_status memside_dirty_init(struct memside_dirty *d, const struct memside *m, struct cache *l2,
                                 struct strata_error *err)
{
    return memside_dirty_init_share(d, m->gpu, m->n_partitions, m->l2_sectors, l2, err);
}

void memside_dirty_release(struct memside_dirty *d)
{
    free(d->all.line);
    free(d->partial.line);
    memset(d, 0, sizeof *d);
}

void memside_dirty_mark(struct memside_dirty *d, struct cache_slot *s, uint32_t sectors,
                        bool was_partial)
{
    if (!s->dirty)
        ring_push(&d->all, s->line);
    if (s->partial && !(was_partial && s->dirty))
        ring_push(&d->partial, s->line);
    else if (!s->partial && was_partial && s->dirty)
        d->partial.lines--;
    s->dirty |= (uint8_t)sectors;
}

void memside_dirty_filled(struct memside_dirty *d, const struct cache_slot *s, bool was_partial)
{
    if (was_partial && !s->partial && s->dirty)
        d->partial.lines--;
}

/* The oldest line of a ring that is still what it was put there for. */
static struct cache_slot *ring_overdue(struct memside_ring *r, struct cache *l2, bool partial)
{
    while (r->limit && r->lines > r->limit && r->head < r->tail) {
        uint32_t slot = cache_find(l2, r->line[r->head++ & r->mask]);
        if (slot != CACHE_NONE && l2->slot[slot].dirty && (!partial || l2->slot[slot].partial))
            return &l2->slot[slot];
    }
    return NULL;
}

struct cache_slot *memside_dirty_overdue(struct memside_dirty *d, struct cache *l2)
{
    struct cache_slot *s = ring_overdue(&d->partial, l2, true);
    return s ? s : ring_overdue(&d->all, l2, false);
}

uint32_t memside_dirty_clean(struct memside_dirty *d, struct cache_slot *s, uint32_t *read)
{
    uint32_t n = popcount32(s->dirty);
    *read = popcount32(s->dirty & s->partial);
    if (s->partial)
        d->partial.lines--;
    d->all.lines--;
    s->dirty = s->partial = 0;
    return n;
}

/* ---- request coalescers ---- */

strata_status memside_coalescer_init(struct memside_coalescer *c, const struct strata_gpu *gpu,
                                     struct strata_error *err)
{
    uint32_t scope = gpu->xbar.request_coalescer_scope;
    uint32_t groups = scope ? (gpu->sm.count + scope - 1) / scope : memside_count_gpcs(gpu);
    *c = (struct memside_coalescer){.n_groups = groups,
                                    .size = gpu->xbar.request_coalescer_lines ? 1 : 8192};
    while (c->size < gpu->xbar.request_coalescer_lines)
        c->size *= 2;
    if (!gpu->xbar.request_coalescer_window_cycles && !gpu->xbar.coalescer_return_cycles)
        return STRATA_OK;
    c->open = calloc((size_t)c->n_groups * c->size, sizeof *c->open);
    return c->open ? STRATA_OK : strata_no_memory(err, NULL, "for the request coalescers");
}

void memside_coalescer_release(struct memside_coalescer *c)
{
    free(c->open);
    memset(c, 0, sizeof *c);
}
