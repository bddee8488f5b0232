/* l2_rules.h - what reads, writes and atomics do to sectors of an L2 line, and what they cost.
 *
 * The rules are those the H200's counters follow (docs/flow.md). */
#ifndef STRATA_MEMORY_L2_RULES_H
#define STRATA_MEMORY_L2_RULES_H

#include "cache/cache.h"
#include "memory/line_bytes.h"

/* Lines from here on are not the launch's: what the L2 held before it. */
#define MEMORY_OTHERS (UINT64_C(1) << 62)

struct l2_rules {
    const struct strata_gpu *gpu;
    uint32_t sector_bytes, sector_shift;
    uint32_t line_sectors;     /* of a line */
    uint32_t together;         /* sectors that are there together or not at all */
    uint32_t fetched_together; /* sectors one DRAM fetch brings */
    bool same_geometry;        /* L1 and L2 agree on lines and sectors */
};
/* sector_bytes: of those the model counts; l2.sector, or smaller ones that l2.sector is made of. */
void l2_rules_init(struct l2_rules *r, const struct strata_gpu *gpu, uint32_t sector_bytes);

static inline uint32_t l2_widen(uint32_t sectors, uint32_t group, uint32_t line_sectors)
{
    uint32_t wide = 0, unit = group >= 32 ? UINT32_MAX : (1u << group) - 1;
    if (group <= 1)
        return sectors;
    for (uint32_t at = 0; at < line_sectors; at += group)
        if (sectors >> at & unit)
            wide |= unit << at;
    return wide & ((1u << line_sectors) - 1);
}
/* Missing sectors, widened to whole fetches, less what is held. */
static inline uint32_t l2_fetch(const struct l2_rules *r, uint32_t missing, uint32_t held)
{
    uint32_t wide = l2_widen(missing, r->together, r->line_sectors);
    return l2_widen(wide, r->fetched_together, r->line_sectors) & ~held;
}

/* The part of an L1 line that lies in the L2 line at *at, which is moved to its end: its sectors,
 * or (in_bytes) its written bytes. */
uint32_t l2_part_of(const struct l2_rules *r, uint64_t line, uint32_t sectors, uint64_t *at,
                    uint64_t *l2_line);
void l2_bytes_of(const struct l2_rules *r, uint64_t line, const struct line_bytes *bytes,
                 uint64_t l2_line, struct line_bytes *out);

/* ---- sectors of a slot ---- */

/* Sectors that can be read: of a sector written in part nobody knows the rest. */
static inline uint32_t l2_held(const struct cache_slot *s)
{
    return s->valid & ~(uint32_t)s->partial;
}
/* When the last of some sectors is there, t at the earliest. */
static inline uint64_t slot_ready(const struct cache_slot *s, uint32_t sectors, uint64_t t)
{
    for (uint32_t b = sectors; b; b &= b - 1)
        t = s->ready[lowest_bit32(b)] > t ? s->ready[lowest_bit32(b)] : t;
    return t;
}
/* How many of some sectors are on their way from below at t: what is written of them is put in when
 * they are there. */
static inline uint32_t l2_under_way(const struct cache_slot *s, uint32_t sectors, uint64_t t)
{
    uint32_t n = 0;
    for (uint32_t b = sectors & s->valid & ~(uint32_t)s->partial; b; b &= b - 1)
        n += s->ready[lowest_bit32(b)] > t;
    return n;
}
/* Sectors come in from below. */
static inline void slot_fill(struct cache_slot *s, uint32_t sectors, uint64_t ready)
{
    for (uint32_t b = sectors; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = cache_time(ready);
    s->valid |= (uint8_t)sectors;
    s->partial &= (uint8_t)~sectors;
}
/* Bytes are written to sectors of a slot: to those among `open`, of which not all is there. A
 * sector becomes whole when all its bytes were written. Returns the sectors that are whole now. */
static inline uint32_t slot_write_bytes(struct cache *c, uint32_t slot, uint32_t open,
                                        const struct line_bytes *bytes, uint32_t shift)
{
    struct cache_slot *s = &c->slot[slot];
    struct line_bytes *written = &c->written[slot];
    uint32_t whole = 0;
    for (uint32_t b = open; b; b &= b - 1) {
        uint32_t k = lowest_bit32(b), bit = 1u << k;
        if (line_bytes_whole(bytes, k, shift)) {
            whole |= bit;
            continue;
        }
        line_bytes_take(written, bytes, k, shift, s->partial & bit);
        if (line_bytes_whole(written, k, shift))
            whole |= bit;
        s->partial |= (uint8_t)bit;
    }
    s->partial &= (uint8_t)~whole;
    return whole;
}
/* Bytes of sectors are written from above. Returns what l2.write_miss has fetched for it at the
 * home (paper 004, section III-B); the caller fills it in. A copy in another partition fetches
 * nothing. */
static inline uint32_t l2_write(const struct l2_rules *r, struct cache *l2, uint32_t slot,
                                uint32_t sectors, const struct line_bytes *bytes, bool home,
                                uint64_t t)
{
    struct cache_slot *s = &l2->slot[slot];
    uint32_t policy = r->gpu->l2.write_miss, fetched = 0;
    sectors = l2_widen(sectors, r->together, r->line_sectors);
    uint32_t fresh = sectors & ~(uint32_t)s->valid;
    if (policy == STRATA_FETCH_ON_WRITE && home && fresh)
        fetched = l2_fetch(r, fresh, s->valid);
    /* By the other policies what was written in part can be read: it is fetched, or taken as it is
     */
    if (policy == STRATA_LAZY_FETCH_ON_READ)
        slot_write_bytes(l2, slot, fresh | (sectors & s->partial), bytes, r->sector_shift);
    else
        s->partial &= (uint8_t)~sectors;
    for (uint32_t b = fresh; b; b &= b - 1)
        s->ready[lowest_bit32(b)] = cache_time(t);
    s->valid |= (uint8_t)sectors;
    return fetched;
}

/* ---- costs ---- */

/* What the slices take, in 64ths of an SM cycle; 0: no limit. */
struct l2_costs {
    uint32_t sector, request, partial, write_flit, mask_flit, fill, overtaken, overtaken_sector,
        clean_hold, atomic, atomic_whole, atomic_float, link_sector, link_head;
};
void l2_costs_init(struct l2_costs *c, const struct strata_gpu *gpu, uint32_t sector_bytes);
/* 64ths of a cycle that so many bytes take; 0 bytes a cycle: no limit. */
static inline uint32_t cost_64ths(double bytes, double bytes_per_cycle)
{
    return bytes_per_cycle > 0 ? (uint32_t)(64.0 * bytes / bytes_per_cycle + 0.5) : 0;
}
/* One request of some sectors: a slice's tags take one at a time, its data so many bytes a cycle
 * (probe random_read, 1 MB: 81 requests of one sector a cycle from 96 slices). */
static inline uint32_t l2_access_cost(const struct l2_costs *c, uint32_t n_sectors)
{
    uint32_t cost = n_sectors * c->sector;
    return cost < c->request ? c->request : cost;
}
/* What a write of some sectors, `partial` of them in part, takes of the ways into the slices. Flits
 * of 32 bytes: its head, its sectors, one more if bytes are missing (device/hopper/traffic.cu: all
 * SMs together write 17.8 lines, 29.3 halves of a line, 44.7 sectors and 29.3 halves of a sector a
 * cycle, 89 flits each time); for single words that SMs store it is less than a flit
 * (write_probe.cu, l2.mask_flit). A read is a head alone: no sectors. */
static inline uint32_t l2_flits_cost(const struct l2_costs *c, uint32_t n_sectors, uint32_t partial)
{
    uint32_t mask = !partial ? 0 : n_sectors == 1 ? c->mask_flit : c->write_flit;
    return (1 + n_sectors) * c->write_flit + mask;
}
/* And of the slice itself: nothing where flits are counted, since a slice gives and takes at once
 * (mixed_probe.cu: three reads to a write pass as fast as reads alone, with the writes beside them;
 * half of each at 81 flits a cycle). */
static inline uint32_t l2_write_cost(const struct l2_costs *c, uint32_t n_sectors, uint32_t partial)
{
    return c->write_flit ? 0 : l2_access_cost(c, n_sectors) + partial * c->partial;
}
/* What its home takes besides where `n` of the sectors that it writes in part are on their way from
 * DRAM: a load overtook it in the L1 (fill_probe.cu: with one, two and four such sectors a line 16,
 * 19 and 23 cycles more than where a barrier keeps the load back). */
static inline uint32_t l2_overtaken_cost(const struct l2_costs *c, uint32_t n)
{
    return n ? c->overtaken + n * c->overtaken_sector : 0;
}
/* A read of so many sectors, or a write, over the link between the partitions (mixed_probe.cu:
 * whatever DRAM reads and writes and SMs write, the slices' link is busy 42 to 43 cycles of every
 * cycle of the L2). Times are in 4096ths: a 64th of a cycle is a third of what a sector takes. */
static inline uint32_t l2_link_cost(const struct l2_costs *c, uint32_t n_sectors)
{
    return (n_sectors * c->link_sector + c->link_head + 32) / 64;
}
/* The atomics of one request: what they send to the L2, and what they do there (enum
 * strata_atomic). */
struct l2_atomics {
    uint8_t packets, kind;
};
/* What the slice takes one by one: a packet that writes a sector whole takes a cycle of the L2,
 * another a quarter more, whichever words it meets in (probe atomic). Twice as long take those of
 * four numbers of 8 bytes, and those that compare (probe atomic_type). */
static inline uint32_t l2_atomic_turns(const struct l2_costs *c, struct l2_atomics a,
                                       uint32_t whole)
{
    whole = whole < a.packets ? whole : a.packets;
    if (a.kind == STRATA_ATOMIC_COMPARE)
        return a.packets * 2 * c->atomic_whole;
    return whole * c->atomic_whole * (a.kind == STRATA_ATOMIC_DOUBLE ? 2 : 1) +
           (a.packets - whole) * c->atomic;
}
/* Requests of a slice's floating-point additions one after another: as many as lanes meet in a
 * word, each with a packet for every sector. */
static inline uint32_t l2_atomic_rows(struct l2_atomics a, uint32_t n_sectors)
{
    return n_sectors ? (a.packets + n_sectors - 1) / n_sectors : 1;
}
static inline bool l2_atomic_is_float(const struct l2_costs *c, struct l2_atomics a)
{
    return c->atomic_float && (a.kind == STRATA_ATOMIC_FLOAT || a.kind == STRATA_ATOMIC_DOUBLE);
}
/* Atomics of a request on n sectors, `whole` of which are written whole. Floating-point additions
 * to one sector wait for each other, those to others pass meanwhile. meets: in how many of 256
 * cases what the slice does before is to the same sector (l2_atomic_meets); 0: it has nothing else
 * to do. */
static inline uint32_t l2_atomic_cost(const struct l2_costs *c, struct l2_atomics a, uint32_t n,
                                      uint32_t whole, uint32_t meets)
{
    uint32_t turns = l2_atomic_turns(c, a, whole);
    if (!l2_atomic_is_float(c, a))
        return turns;
    uint32_t rows = l2_atomic_rows(a, n),
             gap =
                 c->atomic_float + (a.kind == STRATA_ATOMIC_DOUBLE && whole ? c->atomic_whole : 0),
             more = rows * gap > turns ? rows * gap - turns : 0;
    return turns + (meets ? more * meets / 256 : more / rows * (rows - 1));
}
/* Which sectors a slice's floating-point additions were to of late, by a hash of them: of lanes
 * that meet in a word each is a request of its own, and those of several SMs take turns
 * (reds_probe.cu: warps that add to 1, 2, 3, 4, 6, 8 sectors of a slice
 * take 3.5, 2.6, 2.1, 2.0, 1.7, 1.6 cycles a lane, as chance has it that two in a row are to the
 * same). */
enum { L2_ATOMIC_PLACES = 64, L2_ATOMIC_ROWS_MOST = 1 << 18 };
struct l2_atomic_mix {
    uint32_t rows[L2_ATOMIC_PLACES], all;
};
static inline uint32_t l2_atomic_place(uint64_t line, uint32_t sector)
{
    uint64_t at = line / LINE_BYTES_MOST;
    return (uint32_t)((at ^ at >> 3 ^ at >> 6) * 4 + sector) % L2_ATOMIC_PLACES;
}
/* In how many of 256 cases an addition of another request is to one of these sectors, which have
 * come `rows` times. */
static inline uint32_t l2_atomic_meets(struct l2_atomic_mix *m, uint64_t line, uint32_t sectors,
                                       uint32_t rows)
{
    uint32_t same = 0, n = popcount32(sectors);
    for (uint32_t k = 0; m->all >= L2_ATOMIC_ROWS_MOST && k < L2_ATOMIC_PLACES; k++)
        m->rows[k] /= 2;
    m->all = (m->all >= L2_ATOMIC_ROWS_MOST ? m->all / 2 : m->all) + rows;
    for (uint32_t b = sectors; b; b &= b - 1)
        same += m->rows[l2_atomic_place(line, lowest_bit32(b))] += rows;
    return n ? (uint32_t)(256 * (uint64_t)same / (m->all * (uint64_t)n)) : 256;
}
/* On their way through the near partition the first packets of all sectors are one request; further
 * lanes on a word come in requests of their own (probe atomic: as many as lanes on one word). */
static inline uint32_t l2_atomic_pass_cost(const struct l2_costs *c, uint32_t n_sectors,
                                           uint32_t packets)
{
    uint32_t more = packets > n_sectors ? packets - n_sectors : 0;
    return l2_access_cost(c, n_sectors) + more * c->request;
}
/* Sectors an atomic has its home fetch: from the near partition as a read does, over the link its
 * own alone (probe writeback, atomic_pairs). */
static inline uint32_t l2_atomic_fetch(const struct l2_rules *r, uint32_t missing, uint32_t held,
                                       bool near)
{
    return near ? l2_fetch(r, missing, held) : missing;
}

/* What the atomics of a request send to the L2. Lanes that meet in one word go one after another,
 * lanes in other words of a sector together (device/probe, atomics): packets of a sector = the most
 * lanes on one word. alone: the access has no other request; from PTX (`ptx`) the assembler adds up
 * the lanes of a reduction of integers on one address first. */
struct l2_atomics l2_atomics_of(const struct strata_winst *w, const struct strata_request *request,
                                bool alone, bool ptx);
/* Sectors that the profiler counts of the `n` requests of one access: those of an atomic are its
 * packets (on an H200 the holdout's centre_gain counts 10,991, as this does, where it touches 4,096
 * sectors; histograms of 256 random bins count 211,865 and 2,966,108 where this gives 1.7 % less:
 * what else keeps lanes of several lines apart is not known). Others count each sector once. */
uint32_t l1_counted_sectors(const struct strata_winst *w, const struct strata_request *request,
                            unsigned n, bool ptx);

#endif
