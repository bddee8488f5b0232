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
}

uint32_t memside_gpc(const struct memside *m, uint32_t sm)
{
    return sm < m->gpu->launch.n_gpc_of_sm ? m->gpu->launch.gpc_of_sm[sm] : 0;
}

uint32_t memside_partition(const struct memside *m, uint32_t gpc)
{
    return (gpc < m->gpu->l2.n_partition_of_gpc ? m->gpu->l2.partition_of_gpc[gpc] : gpc) % m->n_partitions;
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

uint32_t memside_part_of(const struct memside *m, uint64_t line, uint32_t sectors, uint64_t *at, uint64_t *l2_line)
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

strata_status memside_dirty_init(struct memside_dirty *d, const struct memside *m, const struct cache *l2, struct strata_error *err)
{
    uint64_t ring = 1024;
    while (ring < (uint64_t)l2->n_slots * 2)
        ring *= 2;
    *d = (struct memside_dirty){.mask = ring - 1, .limit = m->gpu->l2.dirty_bytes / m->gpu->l2.cache.sector_bytes / m->n_partitions};
    d->line = calloc(ring, sizeof *d->line);
    return d->line ? STRATA_OK : strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the modelled L2.");
}

void memside_dirty_release(struct memside_dirty *d)
{
    free(d->line);
    memset(d, 0, sizeof *d);
}

void memside_dirty_mark(struct memside_dirty *d, struct cache_slot *s, uint32_t sectors)
{
    if (!s->dirty) {
        d->line[d->tail++ & d->mask] = s->line;
        if (d->tail - d->head > d->mask)
            d->head++;
    }
    d->sectors += popcount32(sectors & ~(uint32_t)s->dirty);
    s->dirty |= (uint8_t)sectors;
}

struct cache_slot *memside_dirty_overdue(struct memside_dirty *d, struct cache *l2)
{
    while (d->limit && d->sectors > d->limit && d->head < d->tail) {
        uint32_t slot = cache_find(l2, d->line[d->head++ & d->mask]);
        if (slot != CACHE_NONE && l2->slot[slot].dirty)
            return &l2->slot[slot];
    }
    return NULL;
}

uint32_t memside_dirty_clean(struct memside_dirty *d, struct cache_slot *s)
{
    uint32_t n = popcount32(s->dirty);
    d->sectors -= n;
    s->dirty = 0;
    return n;
}

/* ---- request coalescers ---- */

strata_status memside_coalescer_init(struct memside_coalescer *c, const struct strata_gpu *gpu, struct strata_error *err)
{
    uint32_t scope = gpu->xbar.request_coalescer_scope;
    uint32_t groups = scope ? (gpu->sm.count + scope - 1) / scope : memside_count_gpcs(gpu);
    *c = (struct memside_coalescer){.n_groups = groups, .size = gpu->xbar.request_coalescer_lines ? 1 : 8192};
    while (c->size < gpu->xbar.request_coalescer_lines)
        c->size *= 2;
    if (!gpu->xbar.request_coalescer_window_cycles && !gpu->xbar.coalescer_return_cycles)
        return STRATA_OK;
    c->open = calloc((size_t)c->n_groups * c->size, sizeof *c->open);
    return c->open ? STRATA_OK : strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the request coalescers.");
}

void memside_coalescer_release(struct memside_coalescer *c)
{
    free(c->open);
    memset(c, 0, sizeof *c);
}
