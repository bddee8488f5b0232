/* write_back.h - dirty lines of the L2, in the order they became so; beyond a limit the oldest are
 * written back.
 *
 * Limits are in lines: a line of which one sector is written takes as much of them as a whole one
 * (probe writeback, write_sectors). Lines with sectors written in part have a limit of their own;
 * before they are written back the rest of these sectors is read (write_words: as many DRAM reads
 * as writes). A set has a limit too (l2.dirty_ways): hashed sets fill unevenly, so that the first
 * lines leave long before the whole L2 is at its limit (probe writeback: of 20 MB written 0.4 %
 * leave, of 24 MB 2.6 %, of 28 MB 9.6 %, as 30 ways of 64 hashed ones give). A set that has given
 * up a dirty line goes on with its oldest ones where reads hit it, up to l2.dirty_ahead of them:
 * nothing comes in then, and yet they leave (ahead_probe.cu). Of lines with sectors written in part
 * a set has fewer (l2.partial_ways), copies beside those at home; one too many makes one of them
 * leave (partial_probe.cu: of 64, 96, 128, 256, 512 thousand lines of which a word is written
 * 2,744, 21,128, 48,200, 179,000, 451,900 sectors are read, as 16 of 64 hashed ways give if a line
 * whose home is far counts on both sides), and from a lower number on where a write finds its line
 * in part already (l2.partial_ways_hit; of 64, 96, 192 thousand lines of which four sectors are
 * written one after another 73,552, 222,512, 635,424 sectors, of 256 in one request each 16,640,
 * 109,488, 488,448). Small sets into which lines are dealt by their numbers have a limit besides
 * (l2.dirty_dealt): lines that lie far apart fill them unevenly (strewn_probe.cu). Not thread-safe
 * per object. */
#ifndef STRATA_MEMORY_WRITE_BACK_H
#define STRATA_MEMORY_WRITE_BACK_H

#include "memory/l2_rules.h"

struct dirty_ring {
    uint64_t *line; /* NULL: no limit, lines are only counted */
    uint64_t head, tail, mask;
    uint64_t lines, limit; /* limit 0: none */
};
/* Small sets of dirty lines, into which lines are dealt by their numbers; line 0 of a set is its
 * oldest. */
struct dirty_deal {
    uint64_t *line;      /* `limit` of each set, 0: none; NULL: there is no such limit */
    uint64_t sets, over; /* the line that a full set gives up; 0: none */
    uint64_t drawn;      /* how often */
    uint32_t limit, line_shift;
    uint32_t home_lines; /* that two partitions take by turns; 0: one has all */
};
struct write_back {
    struct dirty_ring all, partial;
    struct dirty_deal deal;
    uint32_t *set_lines; /* dirty lines of the program in each set; NULL: sets have no limit */
    uint32_t set_limit, crowded; /* the set that is over it, counted from 1; 0: none */
    uint8_t *set_due; /* lines of each set that its next read hits write back; NULL: never any */
    uint32_t ahead, sets_due; /* l2.dirty_ahead; sets that have such */
    uint8_t *set_partial;     /* of each set at least the lines in part; NULL: no limit */
    uint32_t partial_limit, partial_limit_hit; /* l2.partial_ways, l2.partial_ways_hit */
};
/* For one of n_shares equal parts of the L2 (partitions, slices), whose lines have line_sectors;
 * puts what was dirty before the launch into it. */
strata_status write_back_init(struct write_back *d, const struct strata_gpu *gpu, uint32_t n_shares,
                              uint32_t line_sectors, struct cache *l2, struct strata_error *err);
void write_back_release(struct write_back *d);
/* Sectors of a line were written (after l2_write), or a read brought what was missing of them. */
void write_back_mark(struct write_back *d, const struct cache *l2, struct cache_slot *s,
                     uint32_t sectors, bool was_partial);
void write_back_filled(struct write_back *d, const struct cache_slot *s, bool was_partial);
/* A line that has to be written back now, or NULL. */
struct cache_slot *write_back_overdue(struct write_back *d, struct cache *l2);
/* A set has given a dirty line up, for lack of room or of room for dirty ones; `line` is any of its
 * lines. */
void write_back_gave_up(struct write_back *d, const struct cache *l2, uint64_t line);
/* A read has hit the line of a slot: true if write_back_ahead is to be asked. Only the first such
 * read of a line counts (ahead_probe.cu, times: of 28 MB written 97,512, 98,208, 99,096 sectors
 * leave where the same 1 MB of them is read 2, 4, 16 times, here 85,400 each; 85,400, 109,300,
 * 124,600 if every read counts). */
static inline bool write_back_met(const struct write_back *d, struct cache_slot *s)
{
    bool first = !(s->used & CACHE_MET);
    s->used |= CACHE_MET;
    return first && d->sets_due;
}
/* A read has hit `line`: another of its set that is written back now, or NULL. Only while sets_due.
 */
struct cache_slot *write_back_ahead(struct write_back *d, struct cache *l2, uint64_t line);
/* A line has sectors written in part, at its home or in a copy, and had some before (hit) or none:
 * the line of its set that leaves, or NULL. A dirty one is to be written back; what is in part of a
 * copy is forgotten by write_back_drop. Only where partial_limit. */
struct cache_slot *write_back_in_part(struct write_back *d, struct cache *l2, uint64_t line,
                                      bool hit);
static inline void write_back_drop(struct cache_slot *s)
{
    s->valid &= (uint8_t)~s->partial;
    s->partial = 0;
}
/* A line is written back: its dirty sectors, and in *read those that have to be read before. */
uint32_t write_back_clean(struct write_back *d, const struct cache *l2, struct cache_slot *s,
                          uint32_t *read);

#endif
