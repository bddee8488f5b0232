/* wgmma_rules.h - what a warpgroup multiplication costs.
 *
 * device/hopper/rates.cu on an H200: a product of 64 x N takes N / 2 cycles of the tensor cores
 * whatever the type, since K is always 32 bytes; but not less than its operands take to come out of
 * shared memory, 128 bytes a cycle: 24 cycles for N = 32 with A from there, 16 without. Nsight
 * Compute counts those passes as wavefronts of shared memory: (64 + N) * 32 / 128. */
#ifndef STRATA_SM_WGMMA_RULES_H
#define STRATA_SM_WGMMA_RULES_H

#include <strata/gpu.h>
#include <strata/trace.h>

#include "base/bits.h"
#include "sm/sm_inst.h"

#define WGMMA_ROWS    64
#define WGMMA_K_BYTES 32
#define WGMMA_WARPS   4

/* The warps of a block that multiply with one of its warps: [from, to). */
struct wgmma_warps {
    uint32_t from, to;
};
static inline struct wgmma_warps wgmma_warps_of(uint32_t warp_of_block, uint32_t warps_per_block)
{
    uint32_t from = warp_of_block / WGMMA_WARPS * WGMMA_WARPS, to = from + WGMMA_WARPS;
    return (struct wgmma_warps){from, to < warps_per_block ? to : warps_per_block};
}

/* Passes of shared memory, for the whole warpgroup. */
static inline uint32_t wgmma_wavefronts(const struct strata_gpu *g, struct strata_wgmma_shape s)
{
    uint32_t rows = s.n + (s.a_in_registers ? 0 : WGMMA_ROWS);
    uint32_t pass = g->shared.banks * (g->shared.bank_mode == STRATA_BANKS_8B ? 8 : 4);
    return pass ? (rows * WGMMA_K_BYTES + pass - 1) / pass : 0;
}

/* Cycles in which the tensor core of a scheduler multiplies one warp's part, as Nsight Compute
 * counts them (gemm.cu: N / 2 for each instruction of a warp). */
static inline uint32_t wgmma_multiply_cycles(const struct strata_gpu *g,
                                             struct strata_wgmma_shape s)
{
    double rate = g->sm.wgmma_columns_per_cycle;
    return rate > 0 ? (uint32_t)(s.n / rate + 0.5) : 0;
}

/* Cycles it is taken by it. */
static inline uint32_t wgmma_cycles(const struct strata_gpu *g, struct strata_wgmma_shape s)
{
    uint32_t multiply = wgmma_multiply_cycles(g, s), feed = multiply ? wgmma_wavefronts(g, s) : 0;
    return multiply > feed ? multiply : feed;
}

/* Sums of products stand in registers, and the tensor core reads and writes one a cycle. So an
 * instruction of another warp that works on registers keeps its scheduler longer
 * (device/hopper/drift.cu: softmax beside another warpgroup's products takes 1.6 times as long;
 * products keep their pace). Those of the uniform datapath and of the load/store unit do not. */
static inline bool wgmma_minds(const struct sm_inst *i)
{
    return i->pipe >= SM_PIPE_FMA && i->pipe <= SM_PIPE_XU;
}
/* By how much, in a block: the warpgroups of an SM fall into one of several orders and keep to it,
 * in which steps take a little more or less (drift.cu, products and softmax on 132 SMs). */
static inline uint32_t wgmma_hold64(const struct strata_gpu *g, uint64_t block)
{
    enum { DRAW_BITS = 24 };
    uint64_t mixed =
        mix64((block + 1) * 0x9e3779b97f4a7c15); /* neighbours have nothing in common */
    double draw = (double)(mixed >> (64 - DRAW_BITS)) / (1 << (DRAW_BITS - 1)) - 1;
    return (uint32_t)(g->sm.wgmma_hold_cycles * (1 + g->sm.wgmma_spread * draw) * 64);
}
struct wgmma_beside {
    uint32_t hold64; /* what an instruction beside the present product takes */
    uint32_t owed64;
};
/* One issues while the core multiplies: returns the cycles it keeps its scheduler besides its own.
 */
static inline uint32_t wgmma_hold(struct wgmma_beside *b)
{
    b->owed64 += b->hold64;
    uint32_t hold = b->owed64 / 64;
    b->owed64 %= 64;
    return hold;
}

#endif
