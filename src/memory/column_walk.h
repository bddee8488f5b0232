/* column_walk.h - a warp that walks by column: lanes a multiple of a line apart, step after step on
 * the same lines.
 *
 * What such an access is to the L1 depends on its lines alone, so that it is kept: which requests
 * it makes, the cycles of their tags, and where each line was last seen. Changes nothing but the
 * time the program takes: a line that is no longer there is looked for again. */
#ifndef STRATA_MEMORY_COLUMN_WALK_H
#define STRATA_MEMORY_COLUMN_WALK_H

#include <strata/coalesce.h>
#include <strata/trace.h>

#include "cache/cache.h"

enum { COLUMN_WALKS = 32, COLUMN_LEAST_LANES = 5 };
struct column_walk {
    uint64_t line; /* of the first lane */
    int64_t stride;
    uint32_t mask; /* 0: nothing is kept */
    uint32_t tag_cycles;
    uint32_t slot[STRATA_WARP_SIZE]; /* of the L1, by request; CACHE_NONE: not known */
};

/* The place where an access would be kept; NULL: it does not walk by column. */
struct column_walk *column_walk_of(struct column_walk walk[COLUMN_WALKS],
                                   const struct strata_coalescer *c, const struct strata_winst *w);
/* Whether the walk is this access's. */
static inline bool column_walk_fits(const struct column_walk *k, const struct strata_coalescer *c,
                                    const struct strata_winst *w)
{
    return k->mask == w->mask && k->stride == w->stride &&
           k->line == w->base >> c->line_shift << c->line_shift;
}
/* The sectors it asks for, of each line the same. */
uint32_t column_walk_sectors(const struct strata_coalescer *c, const struct strata_winst *w);
/* A cache in which a use of a line makes it younger, and does nothing else. */
static inline bool column_walk_may_run(const struct cache *c)
{
    return c->touch_on_hit && !c->tells_policy;
}
/* Goes on over lines of the walk that are where they were seen last with the sectors whole, until
 * one is not: how many there were, each a use, and *ready: when the last of them is there, if that
 * is later. */
unsigned column_walk_run(const struct column_walk *k, struct cache *c, uint32_t sectors,
                         uint64_t *ready);
/* Its requests, as strata_coalesce makes them; returns their number. */
unsigned column_walk_requests(const struct strata_coalescer *c, const struct strata_winst *w,
                              struct strata_request *out);
void column_walk_keep(struct column_walk *k, const struct strata_request *r, unsigned n,
                      const struct strata_winst *w, uint32_t tag_cycles, const uint32_t *slot);

#endif
