/* l2.c - the request coalescer of a GPC, the L2's partitions and the link between them.
 *
 * Rules, each seen on the card (device/probe and the counters of the truth set):
 * - SMs of one GPC that ask for a line already on its way share the answer; the L2 does not see the
 *   later request (group merge).
 * - An SM looks up the partition its GPC is attached to. A line whose home is the other partition is
 *   asked for over the link and kept here as a copy (reread, l2_gather).
 * - A miss fetches 64 bytes; the profiler counts every sector fetched as a miss and every requested
 *   sector that was there, or on its way, as a hit.
 * - Writes go to the near partition and on to the home; both hold the data, the home's copy is dirty. */
#include "flow/memory.h"

#include "base/bits.h"

static uint32_t home_of(const struct flow_memory *m, uint64_t line)
{
    if (m->n_partitions == 1)
        return 0;
    uint64_t block = m->gpu->l2.home_bytes ? line / m->gpu->l2.home_bytes : line >> 12;
    return (uint32_t)(mix64(block * 2 + 1) >> 40) % m->n_partitions;
}

static uint32_t slice_of(const struct flow_memory *m, uint64_t line)
{
    uint64_t n = line >> 7;
    if (m->gpu->l2.channel_hash == STRATA_CHANNEL_NONE)
        return (uint32_t)(n % m->slices);
    return (uint32_t)(((mix64(n) & 0xffffffff) * m->slices) >> 32);
}

/* Takes a slice for one request of some sectors: its tags take one at a time, its data so many bytes
 * a cycle (probe random_read, 1 MB: 81 requests of one sector a cycle from 96 slices). */
static uint64_t take_slice(struct flow_memory *m, uint32_t part, uint64_t line, uint32_t n_sectors, uint64_t t)
{
    uint32_t cost = n_sectors * m->slice_64ths_per_sector;
    if (cost < m->slice_64ths_per_request)
        cost = m->slice_64ths_per_request;
    return flow_take(m, &m->partition[part].slice_free64[slice_of(m, line)], t, cost);
}

/* ---- write-back ---- */

static void clean_line(struct flow_memory *m, uint32_t part, struct cache_slot *s, uint64_t t)
{
    uint32_t n = popcount32(s->dirty);
    m->partition[part].dirty_sectors -= n;
    s->dirty = 0;
    flow_dram_write(m, part, s->line, n, t);
}

static void mark_dirty(struct flow_memory *m, uint32_t part, struct cache_slot *s, uint32_t sectors, uint64_t t)
{
    struct flow_partition *p = &m->partition[part];
    uint32_t fresh = sectors & ~(uint32_t)s->dirty;
    if (!s->dirty) {
        p->dirty_queue[p->dirty_tail++ & p->dirty_mask] = s->line;
        if (p->dirty_tail - p->dirty_head > p->dirty_mask)
            p->dirty_head++;
    }
    s->dirty |= (uint8_t)sectors;
    p->dirty_sectors += popcount32(fresh);
    while (m->dirty_limit_sectors && p->dirty_sectors > m->dirty_limit_sectors && p->dirty_head < p->dirty_tail) {
        uint32_t old = cache_find(&p->l2, p->dirty_queue[p->dirty_head++ & p->dirty_mask]);
        if (old != CACHE_NONE && p->l2.slot[old].dirty)
            clean_line(m, part, &p->l2.slot[old], t);
    }
}

static uint32_t l2_slot(struct flow_memory *m, uint32_t part, uint64_t line, uint64_t t)
{
    struct flow_partition *p = &m->partition[part];
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

static struct l2_answer partition_read(struct flow_memory *m, uint32_t part, uint64_t line, uint32_t sectors, uint64_t t);

/* The missing sectors, widened to whole fetches, less what is held. */
static uint32_t widen(const struct flow_memory *m, uint32_t missing, uint32_t held)
{
    uint32_t group = m->gpu->l2.fetch_bytes / m->gpu->l2.cache.sector_bytes;
    if (group <= 1)
        return missing;
    uint32_t wide = 0, unit = (1u << group) - 1;
    for (uint32_t at = 0; at < m->l2_sectors; at += group)
        if (missing >> at & unit)
            wide |= unit << at;
    return wide & ~held & ((1u << m->l2_sectors) - 1);
}

static uint64_t fetch(struct flow_memory *m, uint32_t part, uint64_t line, uint32_t sectors, uint64_t t)
{
    uint32_t home = home_of(m, line), n = popcount32(sectors);
    if (home == part) {
        uint64_t ready = flow_dram_read(m, part, line, n, t);
        m->count.lat_dram += ready - t;
        return ready;
    }
    uint64_t start = flow_take(m, &m->partition[part].fabric_free64, t, n * m->fabric_64ths_per_sector);
    m->count.fabric += n;
    m->count.fabric_read += n;
    struct l2_answer far = partition_read(m, home, line, sectors, start);
    m->count.l2_read += n;
    m->count.l2_read_hit += far.hits;
    m->count.l2_read_miss += far.fetched;
    m->count.lat_fabric += m->gpu->l2.far_extra_cycles + (start - t);
    return flow_max(far.ready, start) + m->gpu->l2.far_extra_cycles;
}

static struct l2_answer partition_read(struct flow_memory *m, uint32_t part, uint64_t line, uint32_t sectors, uint64_t t)
{
    struct flow_partition *p = &m->partition[part];
    struct l2_answer a = {.ready = t};
    uint64_t start = take_slice(m, part, line, popcount32(sectors), t);
    m->count.lat_l2 += start - t;
    uint32_t slot = l2_slot(m, part, line, start);
    struct cache_slot *s = &p->l2.slot[slot];
    uint32_t held = s->valid & ~(uint32_t)s->partial, have = held & sectors;
    a.ready = start;
    for (uint32_t b = have; b; b &= b - 1)
        a.ready = flow_max(a.ready, s->ready[lowest_bit32(b)]);
    a.hits = popcount32(have);
    uint32_t missing = sectors & ~have;
    if (!missing)
        return a;
    uint32_t wide = widen(m, missing, held);
    a.fetched = popcount32(wide);
    uint64_t ready = fetch(m, part, line, wide, start);
    s->valid |= (uint8_t)wide;
    s->partial &= (uint8_t)~wide;
    for (uint32_t b = wide; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = ready;
    a.ready = flow_max(a.ready, ready);
    return a;
}

static uint64_t near_read(struct flow_memory *m, uint32_t sm, uint64_t line, uint32_t sectors, uint64_t t)
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

static uint64_t open_until(const struct flow_memory *m, uint64_t t, uint64_t arrival)
{
    uint64_t window = m->gpu->xbar.request_coalescer_window_cycles, back = m->gpu->xbar.coalescer_return_cycles;
    uint64_t fixed = t + window;
    return back && arrival > back ? flow_max(fixed, arrival - back) : fixed;
}

static uint64_t coalesced_read(struct flow_memory *m, uint32_t sm, uint64_t line, uint32_t sectors, uint64_t t)
{
    if (!m->open)
        return near_read(m, sm, line, sectors, t);
    uint32_t scope = m->gpu->xbar.request_coalescer_scope;
    uint32_t group = scope ? sm / scope % m->n_gpcs : m->sm[sm].gpc;
    struct flow_open_line *e = &m->open[(size_t)group * m->open_size + ((mix64((line >> 7) * 16 + sectors) >> 20) & (m->open_size - 1))];
    /* Only equal requests merge: neighbours whose halos overlap in part of a line never do. */
    if (e->line == line && e->sectors == sectors && t < e->open_until) {
        m->count.merged_sectors += popcount32(sectors);
        return flow_max(e->arrival, t + 1);
    }
    uint64_t arrival = near_read(m, sm, line, sectors, t);
    *e = (struct flow_open_line){.line = line, .sectors = sectors, .arrival = arrival, .open_until = open_until(m, t, arrival)};
    return arrival;
}

/* L1 lines and sectors in the L2's terms: the same on Volta and later, split or joined before. */
uint64_t flow_l2_read(struct flow_memory *m, uint32_t sm, uint64_t line, uint32_t sectors, uint64_t t)
{
    if (m->same_geometry)
        return coalesced_read(m, sm, line, sectors, t);
    const struct strata_cache_config *l1 = &m->gpu->l1.cache, *l2 = &m->gpu->l2.cache;
    uint64_t done = t;
    for (uint64_t at = line, end = line + l1->line_bytes; at < end;) {
        uint64_t l2_line = at & ~(uint64_t)(l2->line_bytes - 1), l2_end = l2_line + l2->line_bytes;
        uint32_t mask = 0;
        for (; at < end && at < l2_end; at += l2->sector_bytes)
            if (sectors >> ((at - line) / l1->sector_bytes) & 1)
                mask |= 1u << ((at - l2_line) / l2->sector_bytes);
        if (mask)
            done = flow_max(done, coalesced_read(m, sm, l2_line, mask, t));
    }
    return done;
}

/* ---- writes and atomics ---- */

static void put_sectors(struct flow_memory *m, uint32_t part, uint64_t line, uint32_t sectors, uint32_t full, bool dirty, uint64_t t)
{
    struct flow_partition *p = &m->partition[part];
    /* Sectors written in part take longer: their bytes are merged. */
    uint32_t partial = popcount32(sectors & ~full);
    uint64_t start = take_slice(m, part, line, popcount32(sectors), t);
    if (partial)
        flow_take(m, &p->slice_free64[slice_of(m, line)], t, partial * m->slice_64ths_per_partial);
    uint32_t slot = l2_slot(m, part, line, start);
    struct cache_slot *s = &p->l2.slot[slot];
    uint32_t fresh = sectors & ~(uint32_t)s->valid;
    for (uint32_t b = fresh; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = start;
    s->partial |= (uint8_t)(fresh & ~full);
    s->partial &= (uint8_t)~full;
    s->valid |= (uint8_t)sectors;
    m->count.l2_write += popcount32(sectors);
    m->count.l2_write_hit += popcount32(sectors); /* an allocating write counts as a hit */
    if (dirty)
        mark_dirty(m, part, s, sectors, start);
}

static void near_write(struct flow_memory *m, uint32_t sm, uint64_t line, uint32_t sectors, uint32_t full, uint64_t t)
{
    uint32_t part = m->sm[sm].partition, home = home_of(m, line), n = popcount32(sectors);
    m->count.l2_requests++;
    m->count.l2_tex_write += n;
    put_sectors(m, part, line, sectors, full, home == part, t);
    if (home == part)
        return;
    uint64_t start = flow_take(m, &m->partition[part].fabric_free64, t, n * m->fabric_64ths_per_sector);
    m->count.fabric += n;
    put_sectors(m, home, line, sectors, full, true, start);
}

void flow_l2_write(struct flow_memory *m, uint32_t sm, uint64_t line, uint32_t sectors, uint32_t full, uint64_t t)
{
    if (m->same_geometry) {
        near_write(m, sm, line, sectors, full, t);
        return;
    }
    /* Unsectored L1s write through by line; what was written is not known more finely here. */
    const struct strata_cache_config *l1 = &m->gpu->l1.cache, *l2 = &m->gpu->l2.cache;
    for (uint64_t at = line, end = line + l1->line_bytes; at < end;) {
        uint64_t l2_line = at & ~(uint64_t)(l2->line_bytes - 1), l2_end = l2_line + l2->line_bytes;
        uint32_t mask = 0, whole = 0;
        for (; at < end && at < l2_end; at += l2->sector_bytes) {
            uint32_t k = (uint32_t)((at - line) / l1->sector_bytes), bit = 1u << ((at - l2_line) / l2->sector_bytes);
            mask |= sectors >> k & 1 ? bit : 0;
            whole |= full >> k & 1 ? bit : 0;
        }
        if (mask)
            near_write(m, sm, l2_line, mask, whole, t);
    }
}

/* Atomics are done at the home of the line, which fetches it if it is not there. */
uint64_t flow_l2_atomic(struct flow_memory *m, uint32_t sm, uint64_t line, uint64_t word, uint32_t sectors,
                        uint32_t packets, uint64_t t)
{
    uint32_t part = m->sm[sm].partition, home = home_of(m, line);
    uint64_t at = t;
    m->count.l2_requests++;
    m->count.l2_atomic += packets;
    if (home != part) {
        at = flow_take(m, &m->partition[part].slice_free64[slice_of(m, line)], t, packets * m->slice_64ths_per_request);
        at = flow_take(m, &m->partition[part].fabric_free64, at, packets * m->fabric_64ths_per_sector) +
             m->gpu->l2.far_extra_cycles / 2;
        m->count.fabric += packets;
        m->count.l2_atomic += packets;
    }
    if (!m->same_geometry)
        line &= ~(uint64_t)(m->gpu->l2.cache.line_bytes - 1), sectors = 1;
    struct flow_partition *p = &m->partition[home];
    /* Other words of the line just worked on wait for it; lanes on one word do not. */
    uint32_t slice = slice_of(m, line), n = popcount32(sectors), cost = packets * m->atomic_64ths;
    if (p->atomic_word[slice] != word && (p->atomic_word[slice] ^ word) < m->gpu->l2.cache.line_bytes)
        cost = (n < packets ? n : packets) * m->atomic_hot_64ths + (n < packets ? packets - n : 0) * m->atomic_64ths;
    p->atomic_word[slice] = word;
    uint64_t start = flow_take(m, &p->slice_free64[slice], at, cost);
    uint32_t slot = l2_slot(m, home, line, start);
    struct cache_slot *s = &p->l2.slot[slot];
    uint32_t held = s->valid & ~(uint32_t)s->partial, missing = sectors & ~held;
    uint64_t ready = start;
    for (uint32_t b = sectors & held; b; b &= b - 1)
        ready = flow_max(ready, s->ready[lowest_bit32(b)]);
    if (missing) {
        uint64_t got = flow_dram_read(m, home, line, popcount32(missing), start);
        for (uint32_t b = missing; b; b &= b - 1)
            s->ready[lowest_bit32(b)] = got;
        s->valid |= (uint8_t)missing;
        s->partial &= (uint8_t)~missing;
        ready = flow_max(ready, got);
    }
    mark_dirty(m, home, s, sectors, start);
    return ready + m->gpu->l2.hit_cycles + (home != part ? m->gpu->l2.far_extra_cycles / 2 : 0);
}
