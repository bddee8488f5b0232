/* block.h - running the warps of one block. */
#ifndef STRATA_EMULATOR_BLOCK_H
#define STRATA_EMULATOR_BLOCK_H

#include "emulator/emulator.h"

enum emu_progress {
    EMU_BLOCK_DONE,
    EMU_BLOCK_YIELDS, /* its share of instructions is used up */
    EMU_BLOCK_TAKES,  /* it is about to take work that other blocks want too */
    EMU_BLOCK_SPINS,  /* every warp waits for something outside the block */
    EMU_BLOCK_WAITS,  /* the same, for blocks of its cluster, without a loop */
    EMU_BLOCK_FAILED
};

/* Memory for one block of the launch; reused for many. NULL if memory is short. */
struct emu_block *emu_block_create(struct emu_run *run);
void emu_block_destroy(struct emu_block *block);
/* Bytes emu_block_create takes. */
uint64_t emu_block_state_bytes(const struct emu_run *run);
/* Puts the block with this index at the start of the kernel. */
void emu_block_start(struct emu_block *block, uint64_t index, bool recording);
/* Moves what a block leaves behind (stores kept back, text, counts, failure) into another object,
 * which needs no warps: `into` may be a zeroed struct with an overlay of its own. */
void emu_block_hand_over(struct emu_block *block, struct emu_block *into);
enum emu_progress emu_block_run(struct emu_block *block, uint64_t budget);
/* The warp that is behind the others runs for so many instructions. EMU_BLOCK_SPINS: it waits. */
enum emu_progress emu_block_step(struct emu_block *block, uint64_t instructions);
/* Fails the block: it waits for something that will never come. */
void emu_block_deadlock(struct emu_block *block);
/* Whether all that live of its cluster test barriers in vain or wait; the block has then failed. */
bool emu_tests_in_vain(struct emu_block *block);

#endif
