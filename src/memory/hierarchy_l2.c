/* l2.c - the request coalescer of a GPC, the L2's partitions and the link between them.
 *
 * Rules, each seen on the card (device/probe and the counters of the truth set):
 * - SMs of one GPC that ask for a line already on its way share the answer; the L2 does not see the
 *   later request (group merge).
 * - An SM looks up the partition its GPC is attached to. A line whose home is the other partition
 * is asked for over the link and kept here as a copy (reread, l2_gather).
 * - A miss fetches 64 bytes; the profiler counts every sector fetched as a miss and every requested
 *   sector that was there, or on its way, as a hit.
 * - Writes go to the near partition and on to the home; both hold the data, the home's copy is
 * dirty. */
#include "memory/hierarchy.h"

#include "base/bits.h"

static uint32_t slice_of(const struct hierarchy *m, uint64_t line)
{
    uint64_t n = line >> 7;
    if (m->gpu->l2.channel_hash == STRATA_CHANNEL_NONE)
        return (uint32_t)(n % m->slices);
    return (uint32_t)(((mix64(n) & 0xffffffff) * m->slices) >> 32);
}

/* Takes a slice for one request of some sectors: its tags take one at a time, its data so many
 * bytes a cycle (probe random_read, 1 MB: 81 requests of one sector a cycle from 96 slices). */
static uint64_t take_slice(struct hierarchy *m, uint32_t part, uint64_t line, uint32_t n_sectors,
                           uint64_t t)
{
    uint32_t cost = n_sectors * m->slice_64ths_per_sector;
    if (cost < m->slice_64ths_per_request)
        cost = m->slice_64ths_per_request;
    return hierarchy_take(m, &m->partition[part].slice_free64[slice_of(m, line)], t, cost);
}

/* ---- write-back ---- */

static void clean_line(struct hierarchy *m, uint32_t part, struct cache_slot *s, uint64_t t)
{
    uint32_t read, n = memside_dirty_clean(&m->partition[part].dirty, s, &read);
    if (read)
        hierarchy_dram_read(m, part, s->line, read, t);
    hierarchy_dram_write(m, part, s->line, n, t);
}

static void mark_dirty(struct hierarchy *m, uint32_t part, struct cache_slot *s, uint32_t sectors,
                       bool was_partial, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    memside_dirty_mark(&p->dirty, s, sectors, was_partial);
    for (struct cache_slot *old; (old = memside_dirty_overdue(&p->dirty, &p->l2));)
        clean_line(m, part, old, t);
}

static uint32_t l2_slot(struct hierarchy *m, uint32_t part, uint64_t line, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    uint32_t slot = cache_find(&p->l2, line);
    if (slot != CACHE_NONE) {
        cache_touch(&p->l2, slot);
        return slot;
    }
    struct cache_slot evicted;
    slot = cache_insert(&p->l2, line, &evicted);
    if (evicted.used && evicted.dirty)
        clean_line(m, part, &evicted, t);
    return slot;
}

/* ---- reads ---- */

/* Sectors of a line at one partition: when the last is there, and how many were held. */
struct l2_answer {
    uint64_t ready;
    uint32_t hits, fetched;
};

static struct l2_answer partition_read(struct hierarchy *m, uint32_t part, uint64_t line,
                                       uint32_t sectors, uint64_t t);

static uint64_t fetch(struct hierarchy *m, uint32_t part, uint64_t line, uint32_t sectors,
                      uint64_t t)
{
    uint32_t home = memside_home(&m->side, line), n = popcount32(sectors);
    if (home == part) {
        uint64_t ready = hierarchy_dram_read(m, part, line, n, t);
        m->count.lat_dram += ready - t;
        return ready;
    }
    uint64_t start =
        hierarchy_take(m, &m->partition[part].fabric_free64, t, n * m->fabric_64ths_per_sector);
    m->count.fabric += n;
    m->count.fabric_read += n;
    struct l2_answer far = partition_read(m, home, line, sectors, start);
    m->count.l2_read += n;
    m->count.l2_read_hit += far.hits;
    m->count.l2_read_miss += far.fetched;
    m->count.lat_fabric += m->gpu->l2.far_extra_cycles + (start - t);
    return hierarchy_max(far.ready, start) + m->gpu->l2.far_extra_cycles;
}

static struct l2_answer partition_read(struct hierarchy *m, uint32_t part, uint64_t line,
                                       uint32_t sectors, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    struct l2_answer a = {.ready = t};
    uint64_t start = take_slice(m, part, line, popcount32(sectors), t);
    m->count.lat_l2 += start - t;
    uint32_t slot = l2_slot(m, part, line, start);
    struct cache_slot *s = &p->l2.slot[slot];
    uint32_t held = memside_held(s), have = held & sectors;
    a.ready = memside_ready(s, have, start);
    a.hits = popcount32(have);
    uint32_t missing = sectors & ~have;
    if (!missing)
        return a;
    uint32_t wide = memside_fetch(&m->side, missing, held);
    a.fetched = popcount32(wide);
    uint64_t ready = fetch(m, part, line, wide, start);
    bool was_partial = s->partial;
    memside_fill(s, wide, ready);
    memside_dirty_filled(&p->dirty, s, was_partial);
    a.ready = hierarchy_max(a.ready, ready);
    return a;
}

static uint64_t near_read(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                          uint64_t t)
{
    uint32_t part = m->sm[sm].partition, n = popcount32(sectors);
    m->count.l2_requests++;
    struct l2_answer a = partition_read(m, part, line, sectors, t);
    m->count.l2_tex_read += n;
    m->count.l2_tex_read_hit += a.hits;
    m->count.l2_tex_read_miss += a.fetched;
    m->count.l2_read += n;
    m->count.l2_read_hit += a.hits;
    m->count.l2_read_miss += a.fetched;
    m->count.lat_xbar += m->gpu->l2.hit_cycles;
    return a.ready + m->gpu->l2.hit_cycles;
}

/* ---- the request coalescer ---- */

static uint64_t coalesced_read(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                               uint64_t t)
{
    if (!m->requests.open)
        return near_read(m, sm, line, sectors, t);
    struct memside_open *e =
        memside_coalescer_entry(&m->requests, m->gpu, sm, m->sm[sm].gpc, line, sectors);
    if (memside_coalescer_merges(e, line, sectors, t)) {
        m->count.merged_sectors += popcount32(sectors);
        return hierarchy_max(e->arrival, t + 1);
    }
    uint64_t arrival = near_read(m, sm, line, sectors, t);
    memside_coalescer_note(e, m->gpu, line, sectors, t, arrival);
    return arrival;
}

/* L1 lines and sectors in the L2's terms: the same on Volta and later, split or joined before. */
uint64_t hierarchy_l2_read(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                           uint64_t t)
{
    if (m->side.same_geometry)
        return coalesced_read(m, sm, line, sectors, t);
    uint64_t done = t, l2_line;
    for (uint64_t at = line; at < line + m->gpu->l1.cache.line_bytes;) {
        uint32_t mask = memside_part_of(&m->side, line, sectors, &at, &l2_line);
        if (mask)
            done = hierarchy_max(done, coalesced_read(m, sm, l2_line, mask, t));
    }
    return done;
}

/* ---- writes and atomics ---- */

static void put_sectors(struct hierarchy *m, uint32_t part, uint64_t line, uint32_t sectors,
                        uint32_t full, bool dirty, uint64_t t)
{
    struct hierarchy_partition *p = &m->partition[part];
    /* Sectors written in part take longer: their bytes are merged. */
    uint32_t partial = popcount32(sectors & ~full);
    uint64_t start = take_slice(m, part, line, popcount32(sectors), t);
    if (partial)
        hierarchy_take(m, &p->slice_free64[slice_of(m, line)], t,
                       partial * m->slice_64ths_per_partial);
    uint32_t slot = l2_slot(m, part, line, start);
    struct cache_slot *s = &p->l2.slot[slot];
    bool was_partial = s->partial;
    uint32_t fetched = memside_write(&m->side, s, sectors, full, dirty, start);
    if (fetched)
        memside_fill(s, fetched, hierarchy_dram_read(m, part, line, popcount32(fetched), start));
    m->count.l2_write += popcount32(sectors);
    m->count.l2_write_hit += popcount32(sectors); /* an allocating write counts as a hit */
    if (dirty)
        mark_dirty(m, part, s, sectors, was_partial, start);
}

static void near_write(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                       uint32_t full, uint64_t t)
{
    uint32_t part = m->sm[sm].partition, home = memside_home(&m->side, line),
             n = popcount32(sectors);
    m->count.l2_requests++;
    m->count.l2_tex_write += n;
    put_sectors(m, part, line, sectors, full, home == part, t);
    if (home == part)
        return;
    uint64_t start =
        hierarchy_take(m, &m->partition[part].fabric_free64, t, n * m->fabric_64ths_per_sector);
    m->count.fabric += n;
    put_sectors(m, home, line, sectors, full, true, start);
}

void hierarchy_l2_write(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                        uint32_t full, uint64_t t)
{
    if (m->side.same_geometry) {
        near_write(m, sm, line, sectors, full, t);
        return;
    }
    /* Unsectored L1s write through by line; what was written is not known more finely here. */
    for (uint64_t at = line, l2_line; at < line + m->gpu->l1.cache.line_bytes;) {
        uint64_t same = at;
        uint32_t mask = memside_part_of(&m->side, line, sectors, &at, &l2_line);
        uint32_t whole = memside_part_of(&m->side, line, full, &same, &l2_line);
        if (mask)
            near_write(m, sm, l2_line, mask, whole, t);
    }
}

/* Atomics are done at the home of the line, which fetches it if it is not there. */
uint64_t hierarchy_l2_atomic(struct hierarchy *m, uint32_t sm, uint64_t line, uint64_t word,
                             uint32_t sectors, uint32_t packets, uint64_t t)
{
    uint32_t part = m->sm[sm].partition, home = memside_home(&m->side, line);
    uint64_t at = t;
    m->count.l2_requests++;
    m->count.l2_atomic += packets;
    if (home != part) {
        at = hierarchy_take(m, &m->partition[part].slice_free64[slice_of(m, line)], t,
                            packets * m->slice_64ths_per_request);
        at = hierarchy_take(m, &m->partition[part].fabric_free64, at,
                            packets * m->fabric_64ths_per_sector) +
             m->gpu->l2.far_extra_cycles / 2;
        m->count.fabric += packets;
        m->count.l2_atomic += packets;
    }
    if (!m->side.same_geometry)
        line &= ~(uint64_t)(m->gpu->l2.cache.line_bytes - 1), sectors = 1;
    struct hierarchy_partition *p = &m->partition[home];
    /* Other words of the line just worked on wait for it; lanes on one word do not. */
    uint32_t slice = slice_of(m, line), n = popcount32(sectors), cost = packets * m->atomic_64ths;
    if (p->atomic_word[slice] != word &&
        (p->atomic_word[slice] ^ word) < m->gpu->l2.cache.line_bytes)
        cost = (n < packets ? n : packets) * m->atomic_hot_64ths +
               (n < packets ? packets - n : 0) * m->atomic_64ths;
    p->atomic_word[slice] = word;
    uint64_t start = hierarchy_take(m, &p->slice_free64[slice], at, cost);
    uint32_t slot = l2_slot(m, home, line, start);
    struct cache_slot *s = &p->l2.slot[slot];
    uint32_t held = memside_held(s), missing = sectors & ~held;
    uint64_t ready = memside_ready(s, sectors & held, start);
    bool was_partial = s->partial;
    if (missing) {
        /* From the near partition a miss fetches as a read does, over the link its sector alone
         * (probe writeback, atomic_pairs). */
        missing = home == part ? memside_fetch(&m->side, missing, held) : missing;
        uint64_t got = hierarchy_dram_read(m, home, line, popcount32(missing), start);
        memside_fill(s, missing, got);
        ready = hierarchy_max(ready, got);
    }
    mark_dirty(m, home, s, sectors, was_partial, start);
    return ready + m->gpu->l2.hit_cycles + (home != part ? m->gpu->l2.far_extra_cycles / 2 : 0);
}
