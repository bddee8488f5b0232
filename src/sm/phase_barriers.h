/* phase_barriers.h - barriers in shared memory (mbarrier) in models with a clock: when each phase
 * ends.
 *
 * Copies tell their bytes and when they arrive as soon as that is known, so a phase may end in the
 * future. Barriers of blocks that have not started yet may be told of arrivals by others of their
 * cluster. Not thread-safe per object. */
#ifndef STRATA_SM_PHASE_BARRIERS_H
#define STRATA_SM_PHASE_BARRIERS_H

#include <strata/trace.h>

struct phase_barrier {
    uint64_t block; /* linear index; or another number, where `shared` is STRATA_NO_SHARED */
    uint32_t shared;
    bool initialised, phase;
    int64_t pending, bytes; /* below 0: told before the barrier was initialised */
    int64_t expected;
    uint64_t reached;        /* the latest arrival of this phase */
    uint64_t ended;          /* when the last phase ended */
    uint32_t next, of_block; /* index + 1: chain of the table; next barrier of the block */
};

struct phase_barriers {
    struct phase_barrier *all;
    uint32_t n, cap, free; /* free: index + 1 */
    uint32_t *chain;       /* by hash: index + 1 */
    uint32_t n_chains;
};

void phase_barriers_release(struct phase_barriers *t);
/* Finds or makes it; NULL: memory is short. The pointer is good until the next call. `list` is the
 * head of the block's barriers (index + 1), NULL if another block asks. */
struct phase_barrier *phase_barrier_at(struct phase_barriers *t, uint64_t block, uint32_t shared,
                                       uint32_t *list);
/* The block has ended: its barriers are forgotten. */
void phase_barriers_forget(struct phase_barriers *t, uint32_t *list);

/* The barrier of its own block and the parity that a warp's next instruction waits for; false: it
 * waits at none. Lanes wait for one barrier in practice; the first tells. */
bool phase_barrier_waited(const struct strata_winst *w, uint32_t *shared, bool *parity);

/* An operation at t; true: a phase has ended, at b->ended. Operations: enum strata_barrier_op;
 * tests and waits change nothing. */
bool phase_barrier_apply(struct phase_barrier *b, unsigned op, uint32_t value, uint64_t t);
/* Has the phase of this parity ended, or will it at b->ended? */
static inline bool phase_barrier_is_past(const struct phase_barrier *b, bool parity)
{
    return b->initialised && b->phase != parity;
}

#endif
