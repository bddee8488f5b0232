/* block.h - running the warps of one block. */
#ifndef STRATA_PTX_BLOCK_H
#define STRATA_PTX_BLOCK_H

#include "ptx/exec.h"

enum ptx_progress {
    PTX_BLOCK_DONE,
    PTX_BLOCK_YIELDS, /* its share of instructions is used up */
    PTX_BLOCK_SPINS,  /* every warp waits for something outside the block */
    PTX_BLOCK_FAILED
};

/* Memory for one block of the launch; reused for many. NULL if memory is short. */
struct ptx_block *ptx_block_create(struct ptx_run *run);
void ptx_block_destroy(struct ptx_block *block);
/* Bytes ptx_block_create takes. */
uint64_t ptx_block_state_bytes(const struct ptx_run *run);
/* Puts the block with this index at the start of the kernel. */
void ptx_block_start(struct ptx_block *block, uint64_t index, bool recording);
/* Moves what a block leaves behind (stores kept back, text, counts, failure) into another object,
 * which needs no warps: `into` may be a zeroed struct with an overlay of its own. */
void ptx_block_hand_over(struct ptx_block *block, struct ptx_block *into);
enum ptx_progress ptx_block_run(struct ptx_block *block, uint64_t budget);

#endif
