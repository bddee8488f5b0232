/* warp_rules.h - small rules of warps and blocks that every timed model follows. */
#ifndef STRATA_SM_WARP_RULES_H
#define STRATA_SM_WARP_RULES_H

#include <stdbool.h>
#include <strata/gpu.h>
#include <strata/trace.h>

#include "base/bits.h"
#include "sm/sm_inst.h"

/* From the last arrival at a barrier until so many of its warps have left it, one after another
 * (turn_probe.cu: stores of four warps of one scheduler meet as if each warp began about two
 * stores, eight cycles, after the one before); models with a clock take whole cycles. `controlled`:
 * the code has control codes. Without them the stall counts around a barrier are not known and
 * stand in its latency (device/probe/pipe_probe.cu, loop_with_barrier: beside its stall counts a
 * barrier takes one warp a cycle and 32 warps 61). */
static inline double sm_barrier_cycles(const struct strata_gpu *gpu, uint32_t warps,
                                       bool controlled)
{
    uint32_t fixed = controlled ? gpu->sm.min_issue_gap_cycles : gpu->sm.latency_barrier_cycles;
    return fixed + warps * gpu->sm.barrier_warp_cycles;
}

/* Where the local memory of the warp in a slot of an SM begins: every slot of the GPU has its own,
 * one behind the other, in which one block's warps follow another's (where_probe.cu). */
static inline uint64_t sm_local_base(const struct strata_gpu *gpu, uint64_t sm, uint64_t slot)
{
    return gpu->sm.local_base_bytes + (sm * gpu->sm.max_warps + slot) * gpu->sm.local_warp_bytes;
}

/* Warp slots of an SM, slot i at scheduler i mod their number. Blocks follow one another without a
 * gap, so that the warps of blocks of one, two or three reach every scheduler (blocks of 64 threads
 * keep the issue slots of an RTX 2080 Ti 79 % busy: KTT's pnpoly). */
static inline uint32_t sm_warp_slots(uint32_t warps_per_block, uint32_t blocks, uint32_t schedulers)
{
    return (warps_per_block * blocks + schedulers - 1) / schedulers * schedulers;
}

/* The slot of a block, counted from its first, that its warp k gets: where the warps of a block are
 * as many for each scheduler, those of the block in an SM's place `nth` begin some schedulers
 * further on than those of the place before (sm.block_step; warps_probe.cu: of an SM's second block
 * of 4 or 8 warps the last comes to its code first, as the first does of its first block; blocks of
 * two go on where the one before them ended). */
static inline uint32_t sm_slot_of_warp(const struct strata_gpu *gpu, uint32_t warps_per_block,
                                       uint32_t nth, uint32_t k)
{
    bool even = gpu->sm.schedulers && warps_per_block % gpu->sm.schedulers == 0;
    return even ? (k + nth * gpu->sm.block_step) % warps_per_block : k;
}

#endif
