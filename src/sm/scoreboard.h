/* scoreboard.h - what a warp's next instruction waits for, and which ready warp a scheduler takes.
 *
 * Inline: both timed models run this for every warp instruction. */
#ifndef STRATA_SM_SCOREBOARD_H
#define STRATA_SM_SCOREBOARD_H

#include <stdint.h>
#include <strata/gpu.h>

#include "sm/sm_inst.h"

#define SM_PENDING UINT32_MAX /* the value's time is not known yet: memory has to answer first */

struct sm_scoreboard {
    uint32_t *ready; /* when each register's value is there */
    uint8_t *stall;  /* what waiting for it is called */
    uint32_t predicate_ready;
};

/* The earliest issue of an instruction, and what it waits for until then. */
struct sm_wait {
    uint64_t ready;
    uint8_t stall; /* enum sm_stall */
};

static inline void sm_wait_for(struct sm_wait *w, uint64_t t, uint8_t why)
{
    if (t > w->ready) {
        w->ready = t;
        w->stall = why;
    }
}

/* Registers read and written, and the last predicate. A register in flight makes it SM_PENDING. */
static inline void sm_scoreboard_wait(const struct sm_scoreboard *s, const struct sm_inst *i,
                                      struct sm_wait *w)
{
    for (unsigned k = 0; k < i->n_read; k++)
        sm_wait_for(w, s->ready[i->read[k]], s->stall[i->read[k]]);
    for (unsigned k = 0; k < i->n_write; k++)
        sm_wait_for(w, s->ready[i->write[k]], s->stall[i->write[k]]);
    if (i->reads_predicate)
        sm_wait_for(w, s->predicate_ready, SM_STALL_WAIT);
}

static inline void sm_scoreboard_set(struct sm_scoreboard *s, const struct sm_inst *i,
                                     uint64_t ready)
{
    for (unsigned k = 0; k < i->n_write; k++) {
        s->ready[i->write[k]] = (uint32_t)ready;
        s->stall[i->write[k]] = i->result_stall;
    }
    if (i->writes_predicate)
        s->predicate_ready = (uint32_t)ready;
}

/* Rank of a ready warp under a policy; the smallest is taken. Greedy-then-oldest prefers the last
 * one taken, loose round robin the next in line. */
static inline uint64_t sm_rank(uint32_t policy, uint32_t slot, uint32_t last_slot, uint64_t age)
{
    if (policy == STRATA_SCHED_LRR)
        return (slot - last_slot - 1u) & 63u;
    return policy == STRATA_SCHED_GTO && slot == last_slot ? 0 : age;
}

/* What a warp is held up by while its pipe is busy. */
static inline enum sm_stall sm_busy_stall(const struct sm_inst *i)
{
    if (i->pipe != SM_PIPE_LSU)
        return SM_STALL_MATH;
    return i->kind == SM_KIND_GLOBAL ? SM_STALL_LG : SM_STALL_MIO;
}

#endif
