/* hierarchy_l2.c - request coalescers, partitions, write-back, and the set-up of it all. */
#include "reuse/hierarchy_l2.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static uint32_t home_of(const struct hierarchy *h, uint64_t line)
{
    uint64_t block = h->gpu->l2.home_bytes ? line / h->gpu->l2.home_bytes : line >> 12;
    return h->n_partitions == 1 ? 0 : (uint32_t)(mix64(block * 2 + 1) >> 40) % h->n_partitions;
}

void hierarchy_l2_expect(const struct hierarchy *h, uint32_t part, uint64_t line)
{
    uint32_t home = home_of(h, line);
    if (home != part)
        cache_expect(&h->partition[home].l2, line);
}

/* ---- write-back ---- */

static void write_back(struct hierarchy *h, struct hierarchy_partition *p, struct cache_slot *s)
{
    uint32_t n = popcount32(s->dirty);
    p->sectors -= n;
    h->n.dram_write += n;
    s->dirty = 0;
}

static void mark_dirty(struct hierarchy *h, struct hierarchy_partition *p, struct cache_slot *s,
                       uint32_t sectors)
{
    if (!s->dirty) {
        p->dirty[p->tail++ & p->mask] = s->line;
        if (p->tail - p->head > p->mask)
            p->head++;
    }
    p->sectors += popcount32(sectors & ~(uint32_t)s->dirty);
    s->dirty |= (uint8_t)sectors;
    while (h->dirty_limit && p->sectors > h->dirty_limit && p->head < p->tail) {
        uint32_t old = cache_find(&p->l2, p->dirty[p->head++ & p->mask]);
        if (old != CACHE_NONE && p->l2.slot[old].dirty)
            write_back(h, p, &p->l2.slot[old]);
    }
}

static struct cache_slot *slot_of(struct hierarchy *h, struct hierarchy_partition *p, uint64_t line)
{
    struct cache_slot evicted;
    uint32_t slot = cache_find(&p->l2, line);
    if (slot != CACHE_NONE) {
        cache_touch(&p->l2, slot);
        return &p->l2.slot[slot];
    }
    slot = cache_insert(&p->l2, line, &evicted);
    if (evicted.used && evicted.dirty)
        write_back(h, p, &evicted);
    return &p->l2.slot[slot];
}

/* ---- reads ---- */

struct answer {
    uint64_t ready;
    uint32_t hits, fetched;
};
static struct answer partition_read(struct hierarchy *h, uint32_t part, uint64_t line,
                                    uint32_t sectors, uint64_t t);

/* DRAM answers after its latency, and no faster than its rate: what is on its way when the memory
 * is the bottleneck depends on that and on nothing else with a clock. */
static uint64_t dram_read(struct hierarchy *h, uint32_t part, uint32_t n, uint64_t t)
{
    struct hierarchy_partition *p = &h->partition[part];
    uint64_t begin = p->dram_free64 > t * 64 ? p->dram_free64 : t * 64;
    p->dram_free64 = begin + (uint64_t)n * h->dram_64ths;
    h->n.dram_read += n;
    return begin / 64 + h->gpu->dram.access_cycles;
}

static uint64_t fetch(struct hierarchy *h, uint32_t part, uint64_t line, uint32_t sectors,
                      uint64_t t)
{
    uint32_t home = home_of(h, line), n = popcount32(sectors);
    if (home == part)
        return dram_read(h, part, n, t);
    struct answer far = partition_read(h, home, line, sectors, t);
    h->n.fabric += n;
    h->n.fabric_read += n;
    h->n.read += n;
    h->n.read_hit += far.hits;
    h->n.read_miss += far.fetched;
    return far.ready + h->gpu->l2.far_extra_cycles;
}

static uint32_t whole_fetches(const struct hierarchy *h, uint32_t missing, uint32_t held)
{
    uint32_t group = h->gpu->l2.fetch_bytes / h->gpu->l2.cache.sector_bytes, wide = 0;
    if (group <= 1)
        return missing;
    for (uint32_t at = 0; at < h->l2_sectors; at += group)
        if (missing >> at & ((1u << group) - 1))
            wide |= ((1u << group) - 1) << at;
    return wide & ~held & ((1u << h->l2_sectors) - 1);
}

static struct answer partition_read(struct hierarchy *h, uint32_t part, uint64_t line,
                                    uint32_t sectors, uint64_t t)
{
    struct cache_slot *s = slot_of(h, &h->partition[part], line);
    uint32_t held = s->valid & ~(uint32_t)s->partial, have = held & sectors;
    struct answer a = {.ready = t, .hits = popcount32(have)};
    for (uint32_t b = have; b; b &= b - 1)
        a.ready = s->ready[lowest_bit32(b)] > a.ready ? s->ready[lowest_bit32(b)] : a.ready;
    if (have == sectors)
        return a;
    uint32_t wide = whole_fetches(h, sectors & ~have, held);
    uint64_t ready = fetch(h, part, line, wide, t);
    a.fetched = popcount32(wide);
    s->valid |= (uint8_t)wide;
    s->partial &= (uint8_t)~wide;
    for (uint32_t b = wide; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = ready;
    a.ready = ready > a.ready ? ready : a.ready;
    return a;
}

static uint64_t near_read(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                          uint64_t t)
{
    struct answer a = partition_read(h, h->sm[sm].partition, line, sectors, t);
    uint32_t n = popcount32(sectors);
    h->n.l2_requests++;
    h->n.tex_read += n;
    h->n.read += n;
    h->n.tex_hit += a.hits;
    h->n.read_hit += a.hits;
    h->n.tex_miss += a.fetched;
    h->n.read_miss += a.fetched;
    return a.ready + h->gpu->l2.hit_cycles;
}

/* SMs of a GPC share the answer to equal requests until its data is about to come back. */
static uint64_t coalesced_read(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                               uint64_t t)
{
    if (!h->open)
        return near_read(h, sm, line, sectors, t);
    uint32_t scope = h->gpu->xbar.request_coalescer_scope,
             group = scope ? sm / scope % h->n_gpcs : h->sm[sm].gpc;
    uint64_t hash = mix64((line >> 7) * 16 + sectors) >> 20,
             back = h->gpu->xbar.coalescer_return_cycles;
    struct hierarchy_open *e = &h->open[(size_t)group * h->open_size + (hash & (h->open_size - 1))];
    if (e->line == line && e->sectors == sectors && t < e->until) {
        h->n.merged += popcount32(sectors);
        return e->arrival > t ? e->arrival : t + 1;
    }
    uint64_t arrival = near_read(h, sm, line, sectors, t),
             until = t + h->gpu->xbar.request_coalescer_window_cycles;
    if (back && arrival > back && arrival - back > until)
        until = arrival - back;
    *e = (struct hierarchy_open){
        .line = line, .sectors = sectors, .arrival = arrival, .until = until};
    return arrival;
}

/* The sectors of an L1 line that lie in the L2 line `at`, which is moved to its end. */
static uint32_t part_of(const struct hierarchy *h, uint64_t line, uint32_t sectors, uint64_t *at,
                        uint64_t *l2_line)
{
    const struct strata_cache_config *l1 = &h->gpu->l1.cache, *l2 = &h->gpu->l2.cache;
    uint64_t end = line + l1->line_bytes, l2_end;
    uint32_t mask = 0;
    *l2_line = *at & ~(uint64_t)(l2->line_bytes - 1);
    l2_end = *l2_line + l2->line_bytes;
    for (; *at < end && *at < l2_end; *at += l2->sector_bytes)
        if (sectors >> ((*at - line) / l1->sector_bytes) & 1)
            mask |= 1u << ((*at - *l2_line) / l2->sector_bytes);
    return mask;
}

uint64_t hierarchy_l2_read(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                           uint64_t t)
{
    if (h->same_geometry)
        return coalesced_read(h, sm, line, sectors, t);
    uint64_t done = t, l2_line;
    for (uint64_t at = line; at < line + h->gpu->l1.cache.line_bytes;) {
        uint32_t mask = part_of(h, line, sectors, &at, &l2_line);
        uint64_t ready = mask ? coalesced_read(h, sm, l2_line, mask, t) : t;
        done = ready > done ? ready : done;
    }
    return done;
}

/* ---- writes and atomics ---- */

static void put(struct hierarchy *h, uint32_t part, uint64_t line, uint32_t sectors, uint32_t full,
                bool home, uint64_t t)
{
    struct cache_slot *s = slot_of(h, &h->partition[part], line);
    uint32_t fresh = sectors & ~(uint32_t)s->valid;
    for (uint32_t b = fresh; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = t;
    s->partial = (uint8_t)((s->partial | (fresh & ~full)) & ~full);
    s->valid |= (uint8_t)sectors;
    h->n.write += popcount32(sectors);
    if (home)
        mark_dirty(h, &h->partition[part], s, sectors);
}

static void near_write(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                       uint32_t full, uint64_t t)
{
    uint32_t part = h->sm[sm].partition, home = home_of(h, line), n = popcount32(sectors);
    h->n.l2_requests++;
    h->n.tex_write += n;
    put(h, part, line, sectors, full, home == part, t);
    if (home == part)
        return;
    h->n.fabric += n;
    put(h, home, line, sectors, full, true, t);
}

void hierarchy_l2_write(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                        uint32_t full, uint64_t t)
{
    if (h->same_geometry) {
        near_write(h, sm, line, sectors, full, t);
        return;
    }
    for (uint64_t at = line, l2_line; at < line + h->gpu->l1.cache.line_bytes;) {
        uint64_t same = at;
        uint32_t mask = part_of(h, line, sectors, &at, &l2_line),
                 whole = part_of(h, line, full, &same, &l2_line);
        if (mask)
            near_write(h, sm, l2_line, mask, whole, t);
    }
}

/* Done at the home of the line, which fetches what it does not hold. */
uint64_t hierarchy_l2_atomic(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                             uint32_t packets, uint64_t t)
{
    uint32_t home = home_of(h, line);
    bool far = home != h->sm[sm].partition;
    h->n.l2_requests++;
    h->n.fabric += far ? packets : 0;
    if (!h->same_geometry)
        line &= ~(uint64_t)(h->gpu->l2.cache.line_bytes - 1), sectors = 1;
    struct cache_slot *s = slot_of(h, &h->partition[home], line);
    uint32_t missing = sectors & ~(s->valid & ~(uint32_t)s->partial);
    uint64_t ready = t;
    if (missing) {
        ready = dram_read(h, home, popcount32(missing), t);
        for (uint32_t b = missing; b; b &= b - 1)
            s->ready[lowest_bit32(b)] = ready;
        s->valid |= (uint8_t)missing;
        s->partial &= (uint8_t)~missing;
    }
    mark_dirty(h, &h->partition[home], s, sectors);
    return ready + h->gpu->l2.hit_cycles + (far ? h->gpu->l2.far_extra_cycles : 0);
}

/* ---- set-up ---- */

static strata_status init_sms(struct hierarchy *h, uint64_t l1_bytes, uint64_t seed,
                              struct strata_error *err)
{
    const struct strata_gpu *g = h->gpu;
    struct strata_cache_config l1 = g->l1.cache;
    uint64_t reserved = (uint64_t)g->l1.reserved_lines * l1.line_bytes;
    l1.size_bytes = l1_bytes > reserved + l1.line_bytes ? l1_bytes - reserved : l1.line_bytes;
    strata_status st = cache_pool_create(&l1, h->n_sms, &h->l1_pool, err);
    for (uint32_t s = 0; s < h->n_sms && st == STRATA_OK; s++) {
        struct hierarchy_sm *p = &h->sm[s];
        st = cache_create_in(&h->l1_pool, &l1, seed + s, &p->l1, err);
        p->gpc = s < g->launch.n_gpc_of_sm ? g->launch.gpc_of_sm[s] : 0;
        p->partition =
            (p->gpc < g->l2.n_partition_of_gpc ? g->l2.partition_of_gpc[p->gpc] : p->gpc) %
            h->n_partitions;
        h->n_gpcs = p->gpc >= h->n_gpcs ? p->gpc + 1 : h->n_gpcs;
    }
    return st;
}

static strata_status init_partition(struct hierarchy *h, uint32_t i, uint64_t seed,
                                    struct strata_error *err)
{
    struct hierarchy_partition *p = &h->partition[i];
    struct strata_cache_config l2 = h->gpu->l2.cache;
    uint64_t ring = 1024;
    l2.size_bytes /= h->n_partitions;
    strata_status st = cache_create(&l2, seed + 1000 + i, &p->l2, err);
    if (st != STRATA_OK)
        return st;
    while (ring < (uint64_t)p->l2.n_slots * 2)
        ring *= 2;
    p->mask = ring - 1;
    p->dirty = calloc(ring, sizeof *p->dirty);
    return p->dirty ? STRATA_OK
                    : strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                                  "There is no memory left for the modelled L2.");
}

static void init_rates(struct hierarchy *h)
{
    const struct strata_gpu *g = h->gpu;
    double rate = g->dram.clock_mhz && g->sm.clock_mhz
                      ? (double)g->dram.channels * g->dram.bus_bytes * g->dram.data_rate *
                            g->dram.clock_mhz / g->sm.clock_mhz * g->dram.efficiency
                      : 0;
    h->n_partitions = g->l2.partitions < 1                          ? 1
                      : g->l2.partitions > HIERARCHY_MAX_PARTITIONS ? HIERARCHY_MAX_PARTITIONS
                                                                    : g->l2.partitions;
    h->dram_64ths =
        rate > 0 ? (uint32_t)(64.0 * g->l2.cache.sector_bytes * h->n_partitions / rate + 0.5) : 0;
    h->l2_sectors = g->l2.cache.line_bytes / g->l2.cache.sector_bytes;
    h->same_geometry = g->l1.cache.line_bytes == g->l2.cache.line_bytes &&
                       g->l1.cache.sector_bytes == g->l2.cache.sector_bytes;
    h->dirty_limit = g->l2.dirty_bytes / g->l2.cache.sector_bytes / h->n_partitions;
    h->open_size = g->xbar.request_coalescer_lines ? 1 : 8192;
    while (h->open_size < g->xbar.request_coalescer_lines)
        h->open_size *= 2;
}

strata_status hierarchy_init(struct hierarchy *h, const struct strata_gpu *gpu,
                             const struct strata_launch *launch, uint64_t l1_bytes, uint64_t seed,
                             struct strata_error *err)
{
    memset(h, 0, sizeof *h);
    h->gpu = gpu;
    h->n_sms = gpu->sm.count;
    h->n_gpcs = gpu->launch.gpcs ? gpu->launch.gpcs : 1;
    strata_coalescer_init(&h->coalescer, gpu, launch);
    init_rates(h);
    h->sm = calloc(h->n_sms, sizeof *h->sm);
    strata_status st = h->sm ? init_sms(h, l1_bytes, seed, err)
                             : strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                                           "There is no memory left for the modelled L1s.");
    if (st == STRATA_OK &&
        (gpu->xbar.request_coalescer_window_cycles || gpu->xbar.coalescer_return_cycles) &&
        !(h->open = calloc((size_t)h->n_gpcs * h->open_size, sizeof *h->open)))
        st = strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                         "There is no memory left for the request coalescers.");
    for (uint32_t i = 0; i < h->n_partitions && st == STRATA_OK; i++)
        st = init_partition(h, i, seed, err);
    if (st != STRATA_OK)
        hierarchy_release(h);
    return st;
}

void hierarchy_release(struct hierarchy *h)
{
    for (uint32_t s = 0; h->sm && s < h->n_sms; s++)
        cache_release(&h->sm[s].l1);
    for (uint32_t i = 0; i < HIERARCHY_MAX_PARTITIONS; i++) {
        cache_release(&h->partition[i].l2);
        free(h->partition[i].dirty);
    }
    cache_pool_release(&h->l1_pool);
    free(h->sm);
    free(h->open);
    memset(h, 0, sizeof *h);
}
