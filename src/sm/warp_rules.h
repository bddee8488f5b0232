/* warp_rules.h - small rules of warps and blocks that every timed model follows. */
#ifndef STRATA_SM_WARP_RULES_H
#define STRATA_SM_WARP_RULES_H

#include <stdbool.h>
#include <strata/gpu.h>

/* From the last arrival at a barrier to its release; models with a clock take whole cycles.
 * `controlled`: the code has control codes. Without them the stall counts around a barrier are not
 * known and stand in its latency (device/probe/pipe_probe.cu, loop_with_barrier: beside its stall
 * counts a barrier takes one warp a cycle and 32 warps 61). */
static inline double sm_barrier_cycles(const struct strata_gpu *gpu, uint32_t warps,
                                       bool controlled)
{
    uint32_t fixed = controlled ? gpu->sm.min_issue_gap_cycles : gpu->sm.latency_barrier_cycles;
    return fixed + warps * gpu->sm.barrier_warp_cycles;
}

/* Where the local memory of the warp in a place of the GPU begins: places are far enough apart for
 * what their threads may have, and beyond all that programs allocate. */
static inline uint64_t sm_local_base(const struct strata_gpu *gpu, uint64_t place)
{
    return gpu->sm.local_base_bytes + place * gpu->sm.local_warp_bytes;
}

/* Warp slots of an SM, slot i at scheduler i mod their number. Blocks follow one another without a
 * gap, so that the warps of blocks of one, two or three reach every scheduler (blocks of 64 threads
 * keep the issue slots of an RTX 2080 Ti 79 % busy: KTT's pnpoly). */
static inline uint32_t sm_warp_slots(uint32_t warps_per_block, uint32_t blocks, uint32_t schedulers)
{
    return (warps_per_block * blocks + schedulers - 1) / schedulers * schedulers;
}

#endif
