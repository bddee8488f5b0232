/* access_counts.h - under which of the profiler's counts an access to memory falls, for every
 * model.
 *
 * Asynchronous copies are loads, those that go around the L1 too (the suite's sgemm_blocked, all
 * cp.async.cg, counts 9216 requests and 147456 missed sectors on an H200: every one of its copies).
 * Textures, surfaces and prefetches are counted elsewhere. */
#ifndef STRATA_MEMORY_ACCESS_COUNTS_H
#define STRATA_MEMORY_ACCESS_COUNTS_H

#include <string.h>
#include <strata/trace.h>

#include "result/launch_counters.h"

/* The models treat it as a global load, and say so. */
static inline bool is_texture_access(const struct strata_inst *i)
{
    return i->space == STRATA_SPACE_TEXTURE;
}
/* One executed instruction, also with no lane active. The profiler has a counter of its own for
 * matrix loads, and counts generic loads and stores apart. */
static inline void count_memory_instruction(struct launch_counters *c, const struct strata_inst *i)
{
    bool load = i->memop == STRATA_MEM_LOAD, store = i->memop == STRATA_MEM_STORE;
    if (i->hints & STRATA_HINT_GENERIC)
        return;
    switch (i->space) {
    case STRATA_SPACE_GLOBAL:
        c->global_ld += load;
        c->global_st += store;
        c->global_atom += i->memop == STRATA_MEM_ATOMIC;
        c->global_red += i->memop == STRATA_MEM_REDUCTION;
        break;
    case STRATA_SPACE_LOCAL:
        c->local_ld += load;
        c->local_st += store;
        break;
    case STRATA_SPACE_SHARED:
        c->shared_ld += load && strncmp(i->opcode, "LDSM", 4);
        c->shared_st += store;
        break;
    default:
        break;
    }
}

/* Whether the L1's hits of an access are counted: of loads and stores of global memory. */
static inline bool counts_hits(const struct strata_inst *i)
{
    return i->space == STRATA_SPACE_GLOBAL;
}

/* One access that asks the L1 for sectors; hits: those of it that were found. */
static inline void count_access(struct launch_counters *c, const struct strata_inst *i,
                                uint32_t sectors, uint32_t hits)
{
    bool local = i->space == STRATA_SPACE_LOCAL;
    if (!local && i->space != STRATA_SPACE_GLOBAL)
        return;
    switch (i->memop) {
    case STRATA_MEM_LOAD:
    case STRATA_MEM_ASYNC_COPY:
        *(local ? &c->local_ld_requests : &c->ld_requests) += 1;
        *(local ? &c->local_ld_sectors : &c->ld_sectors) += sectors;
        c->ld_hits += local ? 0 : hits;
        break;
    case STRATA_MEM_STORE:
        *(local ? &c->local_st_requests : &c->st_requests) += 1;
        *(local ? &c->local_st_sectors : &c->st_sectors) += sectors;
        c->st_hits += local ? 0 : hits;
        break;
    case STRATA_MEM_ATOMIC:
        c->atom_requests++;
        c->atom_sectors += sectors;
        break;
    case STRATA_MEM_REDUCTION:
        c->red_requests++;
        c->red_sectors += sectors;
        break;
    default:
        break;
    }
}

#endif
