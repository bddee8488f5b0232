/* memside.h - rules of the memory side that the models share: where a line is at home, what a miss
 * fetches, what waits to be written back, which requests merge. The clocked model takes the home
 * and the write-back.
 *
 * The rules are those the H200's counters follow (docs/flow.md). Not thread-safe
 * per object. */
#ifndef STRATA_MEMORY_MEMSIDE_H
#define STRATA_MEMORY_MEMSIDE_H

#include "base/bits.h"
#include "cache/cache.h"

#define MEMSIDE_MAX_PARTITIONS 4
/* Lines from here on are not the launch's: what the L2 held before it. */
#define MEMSIDE_OTHERS (UINT64_C(1) << 62)

/* ---- geometry ---- */

struct memside {
    const struct strata_gpu *gpu;
    uint32_t n_partitions, l2_sectors; /* sectors of an L2 line */
    bool same_geometry;                /* L1 and L2 agree on lines and sectors */
    uint64_t home_mask; /* address bits whose parity is the home; 0: blocks are scattered */
};
void memside_init(struct memside *m, const struct strata_gpu *gpu);

/* The home of a line where it is the parity of some address bits. */
static inline uint32_t memside_home_by_bits(uint64_t home_mask, uint64_t line)
{
    uint64_t bits = line & home_mask;
    return popcount32((uint32_t)(bits ^ bits >> 32)) & 1;
}
/* The partition whose DRAM a line lies in. */
static inline uint32_t memside_home(const struct memside *m, uint64_t line)
{
    if (m->n_partitions == 1)
        return 0;
    if (m->home_mask)
        return memside_home_by_bits(m->home_mask, line);
    uint64_t block = m->gpu->l2.home_bytes ? line / m->gpu->l2.home_bytes : line >> 12;
    return (uint32_t)(mix64(block * 2 + 1) >> 40) % m->n_partitions;
}
/* The GPC of an SM, and the partition that a GPC is attached to. */
uint32_t memside_gpc(const struct memside *m, uint32_t sm);
uint32_t memside_partition(const struct memside *m, uint32_t gpc);
uint32_t memside_count_gpcs(const struct strata_gpu *gpu);
/* What the L1 of an SM holds, less the lines it keeps for itself. */
struct strata_cache_config memside_l1_config(const struct strata_gpu *gpu, uint64_t l1_bytes);
/* Missing sectors, widened to whole fetches, less what is held. */
uint32_t memside_fetch(const struct memside *m, uint32_t missing, uint32_t held);
/* The sectors of an L1 line that lie in the L2 line at *at, which is moved to its end. */
uint32_t memside_part_of(const struct memside *m, uint64_t line, uint32_t sectors, uint64_t *at,
                         uint64_t *l2_line);

/* The profiler's sectors have 32 bytes, whatever those of a cache have. */
static inline double memside_32_byte_sectors(uint64_t n, uint32_t sector_bytes)
{
    return (double)n * sector_bytes / 32;
}

/* ---- sectors of a slot ---- */

/* Sectors that can be read: of a sector written in part nobody knows the rest. */
static inline uint32_t memside_held(const struct cache_slot *s)
{
    return s->valid & ~(uint32_t)s->partial;
}
/* When the last of some sectors is there, t at the earliest. */
static inline uint64_t memside_ready(const struct cache_slot *s, uint32_t sectors, uint64_t t)
{
    for (uint32_t b = sectors; b; b &= b - 1)
        t = s->ready[lowest_bit32(b)] > t ? s->ready[lowest_bit32(b)] : t;
    return t;
}
/* Sectors come in from below. */
static inline void memside_fill(struct cache_slot *s, uint32_t sectors, uint64_t ready)
{
    for (uint32_t b = sectors; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = ready;
    s->valid |= (uint8_t)sectors;
    s->partial &= (uint8_t)~sectors;
}
/* Sectors are written from above, `full` of them whole. Returns what l2.write_miss has fetched for
 * it at the home (paper 004, section III-B); the caller fills it in. A copy in another partition
 * fetches nothing. */
static inline uint32_t memside_write(const struct memside *m, struct cache_slot *s,
                                     uint32_t sectors, uint32_t full, bool home, uint64_t t)
{
    uint32_t policy = m->gpu->l2.write_miss, fresh = sectors & ~(uint32_t)s->valid, fetched = 0;
    if (policy == STRATA_FETCH_ON_WRITE && home && fresh)
        fetched = memside_fetch(m, fresh, s->valid);
    if (policy != STRATA_LAZY_FETCH_ON_READ)
        full = sectors; /* what was written in part can be read: it is fetched, or taken as it is */
    for (uint32_t b = fresh; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = t;
    s->partial = (uint8_t)((s->partial | (fresh & ~full)) & ~full);
    s->valid |= (uint8_t)sectors;
    return fetched;
}

/* ---- dirty lines, in the order they became so; beyond a limit the oldest are written back ----
 *
 * Limits are in lines: a line of which one sector is written takes as much of them as a whole one
 * (probe writeback, write_sectors). Lines with sectors written in part have a limit of their own;
 * before they are written back the rest of these sectors is read (write_words: as many DRAM reads
 * as writes). */

struct memside_ring {
    uint64_t *line; /* NULL: no limit, lines are only counted */
    uint64_t head, tail, mask;
    uint64_t lines, limit; /* limit 0: none */
};
struct memside_dirty {
    struct memside_ring all, partial;
};
strata_status memside_dirty_init(struct memside_dirty *d, const struct memside *m, struct cache *l2,
                                 struct strata_error *err);
/* The same for one of n_shares equal parts of the L2 (slices, say), whose lines have l2_sectors. */
strata_status memside_dirty_init_share(struct memside_dirty *d, const struct strata_gpu *gpu,
                                       uint32_t n_shares, uint32_t l2_sectors, struct cache *l2,
                                       struct strata_error *err);
void memside_dirty_release(struct memside_dirty *d);
/* Sectors of a line were written (after memside_write), or a read brought what was missing of them.
 */
void memside_dirty_mark(struct memside_dirty *d, struct cache_slot *s, uint32_t sectors,
                        bool was_partial);
void memside_dirty_filled(struct memside_dirty *d, const struct cache_slot *s, bool was_partial);
/* A line that has to be written back now, or NULL. */
struct cache_slot *memside_dirty_overdue(struct memside_dirty *d, struct cache *l2);
/* A line is written back: its dirty sectors, and in *read those that have to be read before. */
uint32_t memside_dirty_clean(struct memside_dirty *d, struct cache_slot *s, uint32_t *read);

/* ---- request coalescers: SMs of a GPC share the answer to equal requests ---- */

struct memside_open { /* a line on its way to a GPC */
    uint64_t line, until, arrival;
    uint32_t sectors;
    uint32_t room; /* requests that may still share the answer */
};
struct memside_coalescer {
    struct memside_open *open; /* NULL: requests do not merge */
    uint32_t n_groups, size;
};
strata_status memside_coalescer_init(struct memside_coalescer *c, const struct strata_gpu *gpu,
                                     struct strata_error *err);
void memside_coalescer_release(struct memside_coalescer *c);
/* The entry that a request meets. Only equal ones merge: neighbours whose halos overlap in part of
 * a line never do. */
static inline struct memside_open *memside_coalescer_entry(const struct memside_coalescer *c,
                                                           const struct strata_gpu *gpu,
                                                           uint32_t sm, uint32_t gpc, uint64_t line,
                                                           uint32_t sectors)
{
    uint32_t scope = gpu->xbar.request_coalescer_scope,
             group = scope ? sm / scope % c->n_groups : gpc;
    uint64_t hash = mix64((line >> 7) * 16 + sectors) >> 20;
    return &c->open[(size_t)group * c->size + (hash & (c->size - 1))];
}
/* True if a request merges; it then takes its place. */
static inline bool memside_coalescer_merges(struct memside_open *e, uint64_t line, uint32_t sectors,
                                            uint64_t t)
{
    if (e->line != line || e->sectors != sectors || t >= e->until || !e->room)
        return false;
    e->room--;
    return true;
}
/* A request went on; those that come until its data is about to reach the SM share it. */
static inline void memside_coalescer_note(struct memside_open *e, const struct strata_gpu *gpu,
                                          uint64_t line, uint32_t sectors, uint64_t t,
                                          uint64_t arrival)
{
    uint64_t back = gpu->xbar.coalescer_return_cycles,
             until = t + gpu->xbar.request_coalescer_window_cycles;
    if (back && arrival > back && arrival - back > until)
        until = arrival - back;
    uint32_t requests = gpu->xbar.request_coalescer_requests;
    *e = (struct memside_open){.line = line,
                               .sectors = sectors,
                               .arrival = arrival,
                               .until = until,
                               .room = requests ? requests - 1 : UINT32_MAX};
}

#endif
