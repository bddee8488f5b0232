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

/* Blocks from l->next on, one thread, interleaved where they wait for each other. */
strata_status ptx_run_interleaved(struct ptx_launch *l);
/* Blocks ahead of their turn on several threads; stops at the first block that has to see what an
 * earlier one stored: *rest is then true, and l->next that block. */
strata_status ptx_run_parallel(struct ptx_launch *l, uint32_t threads, bool *rest);

#endif
