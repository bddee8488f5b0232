/* launch.h - what the two ways of running a launch share. */
#ifndef STRATA_EMULATOR_LAUNCH_H
#define STRATA_EMULATOR_LAUNCH_H

#include "emulator/block.h"

/* A launch in progress: blocks are finished (recorded, printed, counted) in the order of their
 * index. */
struct emu_launch {
    struct emu_run run;
    struct strata_run_stats stats;
    struct strata_builder *builder;
    uint64_t next; /* block to be finished next */
    struct strata_error *err;
};

bool emu_launch_records(const struct emu_launch *l, uint64_t index);
/* Everything that happens when it is a finished block's turn: its text is printed, its trace given
 * to the sink, its instructions counted. `record` may be NULL (not recorded) and is handed over. */
strata_status emu_launch_finish(struct emu_launch *l, struct emu_block *block,
                                struct strata_block *record);

/* Blocks from l->next on, one thread: one after the other, interleaved where they wait for each
 * other (*spins: they did) or exchange answers through atomics. */
strata_status emu_run_interleaved(struct emu_launch *l, bool *spins);
/* Blocks ahead of their turn on several threads. *rest: blocks from l->next on are better run, or
 * (*spins) can only be run, interleaved. */
strata_status emu_run_parallel(struct emu_launch *l, uint32_t threads, bool *rest, bool *spins);

/* The allocation that starts at base, if blocks keep an overlay of it; NULL if not. */
uint32_t emu_mixed_count(struct emu_ahead *ahead);
const struct emu_mixed *emu_mixed_find(struct emu_ahead *ahead, uint64_t base);

#endif
