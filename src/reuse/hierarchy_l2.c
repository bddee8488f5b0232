/* hierarchy_l2.c - request coalescers, partitions, write-back, and the set-up of it all. */
#include "reuse/hierarchy_l2.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void hierarchy_l2_expect(const struct hierarchy *h, uint32_t part, uint64_t line)
{
    uint32_t home = memside_home(&h->side, line);
    if (home != part)
        cache_expect(&h->partition[home].l2, line);
}

/* A write-back has no time of its own: it leaves with what pushed it out. */
static void tell_dram(struct hierarchy *h, uint64_t line, uint32_t sectors, bool is_write,
                      uint64_t t)
{
    if (!h->dram || !sectors || line >= MEMSIDE_OTHERS)
        return;
    h->dram_told = t > h->dram_told ? t : h->dram_told;
    h->dram->access(h->dram->context,
                    &(struct strata_dram_access){line, sectors, is_write, h->dram_told});
}

/* ---- write-back ---- */

static void write_back(struct hierarchy *h, struct hierarchy_partition *p, struct cache_slot *s)
{
    uint32_t read;
    tell_dram(h, s->line, s->dirty & s->partial, false, 0);
    tell_dram(h, s->line, s->dirty, true, 0);
    h->n.dram_write += memside_dirty_clean(&p->dirty, s, &read);
    h->n.dram_read += read;
}

static void mark_dirty(struct hierarchy *h, struct hierarchy_partition *p, struct cache_slot *s,
                       uint32_t sectors, bool was_partial)
{
    memside_dirty_mark(&p->dirty, s, sectors, was_partial);
    for (struct cache_slot *old; (old = memside_dirty_overdue(&p->dirty, &p->l2));)
        write_back(h, p, old);
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
static uint64_t dram_read(struct hierarchy *h, uint32_t part, uint64_t line, uint32_t sectors,
                          uint64_t t)
{
    struct hierarchy_partition *p = &h->partition[part];
    uint32_t n = popcount32(sectors);
    uint64_t begin = p->dram_free64 > t * 64 ? p->dram_free64 : t * 64;
    p->dram_free64 = begin + (uint64_t)n * h->dram_64ths;
    tell_dram(h, line, sectors, false, begin / 64);
    h->n.dram_read += n;
    return begin / 64 + h->gpu->dram.access_cycles;
}

static uint64_t fetch(struct hierarchy *h, uint32_t part, uint64_t line, uint32_t sectors,
                      uint64_t t)
{
    uint32_t home = memside_home(&h->side, line), n = popcount32(sectors);
    if (home == part)
        return dram_read(h, part, line, sectors, t);
    struct answer far = partition_read(h, home, line, sectors, t);
    h->n.fabric += n;
    h->n.fabric_read += n;
    h->n.l2_read += n;
    h->n.l2_read_hit += far.hits;
    h->n.l2_read_miss += far.fetched;
    return far.ready + h->gpu->l2.far_extra_cycles;
}

static struct answer partition_read(struct hierarchy *h, uint32_t part, uint64_t line,
                                    uint32_t sectors, uint64_t t)
{
    struct cache_slot *s = slot_of(h, &h->partition[part], line);
    uint32_t held = memside_held(s), have = held & sectors;
    struct answer a = {.ready = memside_ready(s, have, t), .hits = popcount32(have)};
    if (have == sectors)
        return a;
    uint32_t wide = memside_fetch(&h->side, sectors & ~have, held);
    uint64_t ready = fetch(h, part, line, wide, t);
    a.fetched = popcount32(wide);
    bool was_partial = s->partial;
    memside_fill(s, wide, ready);
    memside_dirty_filled(&h->partition[part].dirty, s, was_partial);
    a.ready = ready > a.ready ? ready : a.ready;
    return a;
}

static uint64_t near_read(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                          uint64_t t)
{
    struct answer a = partition_read(h, h->sm[sm].partition, line, sectors, t);
    uint32_t n = popcount32(sectors);
    h->n.l2_requests++;
    h->n.l2_tex_read += n;
    h->n.l2_read += n;
    h->n.l2_tex_read_hit += a.hits;
    h->n.l2_read_hit += a.hits;
    h->n.l2_tex_read_miss += a.fetched;
    h->n.l2_read_miss += a.fetched;
    return a.ready + h->gpu->l2.hit_cycles;
}

static uint64_t coalesced_read(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                               uint64_t t)
{
    if (!h->requests.open)
        return near_read(h, sm, line, sectors, t);
    struct memside_open *e =
        memside_coalescer_entry(&h->requests, h->gpu, sm, h->sm[sm].gpc, line, sectors);
    if (memside_coalescer_merges(e, line, sectors, t)) {
        h->n.merged_sectors += popcount32(sectors);
        return e->arrival > t ? e->arrival : t + 1;
    }
    uint64_t arrival = near_read(h, sm, line, sectors, t);
    memside_coalescer_note(e, h->gpu, line, sectors, t, arrival);
    return arrival;
}

uint64_t hierarchy_l2_read(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                           uint64_t t)
{
    if (h->side.same_geometry)
        return coalesced_read(h, sm, line, sectors, t);
    uint64_t done = t, l2_line;
    for (uint64_t at = line; at < line + h->gpu->l1.cache.line_bytes;) {
        uint32_t mask = memside_part_of(&h->side, line, sectors, &at, &l2_line);
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
    bool was_partial = s->partial;
    uint32_t fetched = memside_write(&h->side, s, sectors, full, home, t);
    if (fetched)
        memside_fill(s, fetched, dram_read(h, part, line, fetched, t));
    h->n.l2_write += popcount32(sectors);
    h->n.l2_write_hit += popcount32(sectors); /* an allocating write counts as a hit */
    if (home)
        mark_dirty(h, &h->partition[part], s, sectors, was_partial);
}

static void near_write(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                       uint32_t full, uint64_t t)
{
    uint32_t part = h->sm[sm].partition, home = memside_home(&h->side, line),
             n = popcount32(sectors);
    h->n.l2_requests++;
    h->n.l2_tex_write += n;
    put(h, part, line, sectors, full, home == part, t);
    if (home == part)
        return;
    h->n.fabric += n;
    put(h, home, line, sectors, full, true, t);
}

void hierarchy_l2_write(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                        uint32_t full, uint64_t t)
{
    if (h->side.same_geometry) {
        near_write(h, sm, line, sectors, full, t);
        return;
    }
    for (uint64_t at = line, l2_line; at < line + h->gpu->l1.cache.line_bytes;) {
        uint64_t same = at;
        uint32_t mask = memside_part_of(&h->side, line, sectors, &at, &l2_line),
                 whole = memside_part_of(&h->side, line, full, &same, &l2_line);
        if (mask)
            near_write(h, sm, l2_line, mask, whole, t);
    }
}

/* Done at the home of the line, which fetches what it does not hold. */
uint64_t hierarchy_l2_atomic(struct hierarchy *h, uint32_t sm, uint64_t line, uint32_t sectors,
                             uint32_t packets, uint64_t t)
{
    uint32_t home = memside_home(&h->side, line);
    bool far = home != h->sm[sm].partition;
    h->n.l2_requests++;
    h->n.fabric += far ? packets : 0;
    if (!h->side.same_geometry)
        line &= ~(uint64_t)(h->gpu->l2.cache.line_bytes - 1), sectors = 1;
    struct cache_slot *s = slot_of(h, &h->partition[home], line);
    uint32_t held = memside_held(s), missing = sectors & ~held;
    uint64_t ready = t;
    bool was_partial = s->partial;
    if (missing) {
        missing = far ? missing : memside_fetch(&h->side, missing, held);
        ready = dram_read(h, home, line, missing, t);
        memside_fill(s, missing, ready);
    }
    mark_dirty(h, &h->partition[home], s, sectors, was_partial);
    return ready + h->gpu->l2.hit_cycles + (far ? h->gpu->l2.far_extra_cycles : 0);
}

/* ---- set-up ---- */

static strata_status init_sms(struct hierarchy *h, uint64_t l1_bytes, uint64_t seed,
                              struct strata_error *err)
{
    struct strata_cache_config l1 = memside_l1_config(h->gpu, l1_bytes);
    strata_status st = cache_pool_create(&l1, h->n_sms, &h->l1_pool, err);
    for (uint32_t s = 0; s < h->n_sms && st == STRATA_OK; s++) {
        struct hierarchy_sm *p = &h->sm[s];
        st = cache_create_in(&h->l1_pool, &l1, seed + s, &p->l1, err);
        p->gpc = memside_gpc(&h->side, s);
        p->partition = memside_partition(&h->side, p->gpc);
    }
    return st;
}

static strata_status init_partition(struct hierarchy *h, uint32_t i, uint64_t seed,
                                    struct strata_error *err)
{
    struct hierarchy_partition *p = &h->partition[i];
    struct strata_cache_config l2 = h->gpu->l2.cache;
    l2.size_bytes /= h->side.n_partitions;
    strata_status st = cache_create(&l2, seed + 1000 + i, &p->l2, err);
    return st == STRATA_OK ? memside_dirty_init(&p->dirty, &h->side, &p->l2, err) : st;
}

static void init_rates(struct hierarchy *h)
{
    const struct strata_gpu *g = h->gpu;
    double rate = 0;
    if (g->dram.clock_mhz && g->sm.clock_mhz)
        rate = (double)g->dram.channels * g->dram.bus_bytes * g->dram.data_rate *
               g->dram.clock_mhz / g->sm.clock_mhz * g->dram.efficiency;
    h->dram_64ths =
        rate > 0 ? (uint32_t)(64.0 * g->l2.cache.sector_bytes * h->side.n_partitions / rate + 0.5)
                 : 0;
}

strata_status hierarchy_init(struct hierarchy *h, const struct strata_gpu *gpu,
                             const struct strata_launch *launch, uint64_t l1_bytes, uint64_t seed,
                             struct strata_error *err)
{
    memset(h, 0, sizeof *h);
    h->gpu = gpu;
    h->n_sms = gpu->sm.count;
    strata_coalescer_init(&h->coalescer, gpu, launch);
    memside_init(&h->side, gpu);
    init_rates(h);
    h->sm = calloc(h->n_sms, sizeof *h->sm);
    strata_status st = h->sm ? init_sms(h, l1_bytes, seed, err)
                             : strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                                           "There is no memory left for the modelled L1s.");
    if (st == STRATA_OK)
        st = memside_coalescer_init(&h->requests, gpu, err);
    for (uint32_t i = 0; i < h->side.n_partitions && st == STRATA_OK; i++)
        st = init_partition(h, i, seed, err);
    if (st != STRATA_OK)
        hierarchy_release(h);
    return st;
}

void hierarchy_release(struct hierarchy *h)
{
    for (uint32_t s = 0; h->sm && s < h->n_sms; s++)
        cache_release(&h->sm[s].l1);
    for (uint32_t i = 0; i < MEMSIDE_MAX_PARTITIONS; i++) {
        cache_release(&h->partition[i].l2);
        memside_dirty_release(&h->partition[i].dirty);
    }
    memside_coalescer_release(&h->requests);
    cache_pool_release(&h->l1_pool);
    free(h->sm);
    memset(h, 0, sizeof *h);
}
