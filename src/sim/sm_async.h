/* sm_async.h - asynchronous work of an SM of the clocked model: copies by its copy engine, products
 * of warpgroups, and the barriers that warps sleep at until it is done.
 *
 * Rules are those of the flow model (memory/bulk_lines.h, sm/phase_barriers.h, sm/wgmma_rules.h);
 * lines travel as packets like all others. What concerns blocks on other SMs is told to the engine
 * as a note, and arrives with the next window. */
#ifndef STRATA_SIM_SM_ASYNC_H
#define STRATA_SIM_SM_ASYNC_H

#include "memory/bulk_lines.h"
#include "sm/async_groups.h"
#include "sm/phase_barriers.h"

struct sim_sm;
struct sm_inst;

#define SIM_NO_COPY UINT32_MAX

/* A bulk copy, from its instruction until its last data has arrived. */
struct sim_copy {
    struct bulk_lines lines;
    uint64_t block;       /* index of the block that issued it */
    uint64_t ready, left; /* it may begin; the last bytes that left the SM */
    uint32_t warp, generation, group, op;
    uint32_t number; /* of the SM's copies, in the order of issue */
    uint32_t next;   /* free list */
    uint8_t place;   /* of the block */
    bool used;
};

struct sim_groups {
    struct sm_async bulk, bulk_read, wgmma;
};

/* To a block on another SM, or to the barrier of a cluster (shared: STRATA_NO_SHARED). */
struct sim_note {
    uint64_t time, block;
    uint32_t shared, value;
    uint8_t op; /* enum strata_barrier_op */
};

struct sim_async {
    struct sim_copy *copy;
    size_t n_copies, cap_copies;
    uint32_t free_copy;
    uint32_t *queue; /* ring of the copies whose lines are still to be asked for */
    uint32_t first, n, cap;
    uint64_t next;   /* when the engine goes on with the first of them */
    uint32_t issued; /* copies so far */
    struct phase_barriers barriers;
    struct sim_groups *groups; /* of each warp; NULL: nobody has used any */
    struct sim_note *note;     /* of this window */
    size_t n_notes, cap_notes;
};

void sim_async_release(struct sim_async *a);
/* A warp or a block begins. */
void sim_async_start_warp(struct sim_sm *s, uint32_t warp);
/* Sets `wait` of a warp whose next instruction is of kind SM_KIND_ASYNC. */
void sim_async_ready(struct sim_sm *s, uint32_t warp);
void sim_async_execute(struct sim_sm *s, uint32_t warp, const struct sm_inst *i);
void sim_async_warp_ends(struct sim_sm *s, uint32_t warp, uint64_t t);
/* Whether copies that were issued before a warp's fence are still under way. */
bool sim_async_fenced(struct sim_sm *s, uint32_t warp);
/* The copy engine works on what is due at s->now, and when it goes on (UINT64_MAX: never). */
void sim_copies_run(struct sim_sm *s);
uint64_t sim_copies_next(const struct sim_sm *s);
/* The last data of a copy has arrived at t. */
void sim_copy_done(struct sim_sm *s, uint32_t copy, uint64_t t);
/* A note has reached the SM of its block; between windows. */
void sim_async_take_note(struct sim_sm *s, const struct sim_note *note, uint64_t window);
/* The barrier of a cluster opens for a block at t; likewise. */
void sim_async_cluster_opens(struct sim_sm *s, uint64_t block, uint64_t t, uint64_t window);
/* The place of a block; NULL: it is not on this SM. */
struct sim_block *sim_block_of(struct sim_sm *s, uint64_t index);

#endif
