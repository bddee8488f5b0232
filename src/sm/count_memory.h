/* count_memory.h - under which of the profiler's counts an executed memory instruction falls. */
#ifndef STRATA_SM_COUNT_MEMORY_H
#define STRATA_SM_COUNT_MEMORY_H

#include "result/launch_counters.h"

static inline void sm_count_memory(struct launch_counters *c, const struct strata_inst *i)
{
    bool load = i->memop == STRATA_MEM_LOAD, store = i->memop == STRATA_MEM_STORE;
    if (i->space == STRATA_SPACE_SHARED) {
        c->shared_ld += load;
        c->shared_st += store;
    } else if (i->space == STRATA_SPACE_GLOBAL) {
        c->global_ld += load;
        c->global_st += store;
    }
}

#endif
