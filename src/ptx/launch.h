/* launch.h - what the two ways of running a launch share. */
#ifndef STRATA_PTX_LAUNCH_H
#define STRATA_PTX_LAUNCH_H

#include "ptx/block.h"
#include "ptx/module.h"

/* A launch in progress: blocks are finished (recorded, printed, counted) in the order of their
 * index. */
struct ptx_launch {
    struct ptx_run run;
    struct strata_ptx_stats stats;
    struct strata_builder *builder;
    uint64_t next; /* block to be finished next */
    struct strata_error *err;
};

bool ptx_launch_records(const struct ptx_launch *l, uint64_t index);
/* Everything that happens when it is a finished block's turn: its text is printed, its trace given
 * to the sink, its instructions counted. `record` may be NULL (not recorded) and is handed over. */
strata_status ptx_launch_finish(struct ptx_launch *l, struct ptx_block *block,
                                struct strata_block *record);

/* Blocks from l->next on, one thread: one after the other, interleaved where they wait for each
 * other (*spins: they did) or exchange answers through atomics. */
strata_status ptx_run_interleaved(struct ptx_launch *l, bool *spins);
/* Blocks ahead of their turn on several threads. *rest: blocks from l->next on are better run, or
 * (*spins) can only be run, interleaved. */
strata_status ptx_run_parallel(struct ptx_launch *l, uint32_t threads, bool *rest, bool *spins);

/* The allocation that starts at base, if blocks keep an overlay of it; NULL if not. */
uint32_t ptx_mixed_count(struct ptx_ahead *ahead);
const struct ptx_mixed *ptx_mixed_find(struct ptx_ahead *ahead, uint64_t base);

#endif
