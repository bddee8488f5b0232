/* access_counts.h - which of the profiler's rows an access to memory belongs to, for every model.
 *
 * Asynchronous copies are loads, those that go around the L1 too (example suite, sgemm_blocked: all
 * cp.async.cg, each counted as a request whose sectors miss). Textures are counted as loads. */
#ifndef STRATA_MEMORY_ACCESS_COUNTS_H
#define STRATA_MEMORY_ACCESS_COUNTS_H

#include <strata/trace.h>

#include "result/launch_counters.h"

static inline void count_load(struct launch_counters *c, const struct strata_inst *i,
                              uint32_t sectors, uint32_t hits)
{
    if (i->space == STRATA_SPACE_LOCAL) {
        c->local_ld_sectors += sectors;
        return;
    }
    c->ld_requests++;
    c->ld_sectors += sectors;
    c->ld_hits += hits;
}
static inline void count_store(struct launch_counters *c, const struct strata_inst *i,
                               uint32_t sectors, uint32_t hits)
{
    if (i->space == STRATA_SPACE_LOCAL) {
        c->local_st_sectors += sectors;
        return;
    }
    c->st_requests++;
    c->st_sectors += sectors;
    c->st_hits += hits;
}
static inline void count_atomic(struct launch_counters *c, const struct strata_inst *i,
                                uint32_t sectors)
{
    *(i->memop == STRATA_MEM_ATOMIC ? &c->atom_sectors : &c->red_sectors) += sectors;
}

#endif
