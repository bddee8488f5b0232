/* warp.h - how the lanes of a warp diverge and meet again.
 *
 * Lanes that run together are a path. A branch on which they disagree splits a
 * path in two and opens a scope: the place (the immediate post-dominator)
 * where its lanes will wait for each other. This is the classic reconvergence
 * stack, except that scopes form a tree and any runnable path may be chosen:
 * a path that spins on a lock gives way to its siblings, and lanes that wait
 * at a join are let go if those they wait for can only go on with their help
 * (as independent thread scheduling since Volta guarantees). */
#ifndef STRATA_PTX_WARP_H
#define STRATA_PTX_WARP_H

#include "ptx/exec.h"

extern const struct emu_executor ptx_executor;

/* Puts a warp at the start of the kernel. */
void ptx_warp_start(struct ptx_warp *w, uint32_t live);
/* Runs up to `budget` instructions. */
enum emu_turn ptx_warp_run(struct ptx_warp *w, uint64_t budget);
/* Lets lanes go that wait at a join or at a warp-wide .sync for others that cannot come. False if
 * there are none. */
bool ptx_warp_release(struct ptx_warp *w);

/* Frames of functions, kept by the block for reuse. */
struct ptx_frame *ptx_frame_open(struct ptx_warp *w, const struct ptx_code_function *function,
                                 struct ptx_frame *caller);
void ptx_frame_close(struct ptx_warp *w, struct ptx_frame *frame);

/* Calls and returns, see call.c. False after a failure. */
bool ptx_call_function(struct ptx_warp *w, struct emu_path *path, const struct ptx_inst *in,
                       uint32_t target);
void ptx_return(struct ptx_warp *w, struct emu_path *path);

/* A path arrives at a barrier of its block, see executor.c. True: it goes on at once. */
bool ptx_barrier_arrive(struct ptx_warp *w, struct emu_path *path, const struct ptx_inst *in);

#endif
