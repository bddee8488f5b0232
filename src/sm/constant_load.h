/* constant_load.h - a warp loads constants, as every timed model has it. */
#ifndef STRATA_SM_CONSTANT_LOAD_H
#define STRATA_SM_CONSTANT_LOAD_H

#include "memory/constant_cache.h"
#include "sm/scoreboard.h"

/* Issued at t; returns how long the warp is held besides. One whose constant is on its way to a
 * uniform register waits for it: the instructions that follow do not ask whether it is there. */
static inline uint64_t sm_load_constant(struct constant_cache *c, const struct strata_gpu *gpu,
                                        const struct sm_inst *i, const struct strata_winst *w,
                                        struct sm_scoreboard *s, uint64_t t)
{
    if (i->pipe != SM_PIPE_UNIFORM) {
        sm_scoreboard_set(s, i, constant_cache_load(c, gpu, w, i->latency, t));
        return 0;
    }
    uint64_t there = constant_cache_uniform(c, gpu, w, t);
    sm_scoreboard_set(s, i, there + i->latency);
    return there - t;
}

#endif
