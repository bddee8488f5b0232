/* constants_used.h - which constants a launch's loads name: they come from DRAM in blocks, once,
 * and from the L2 once for each cluster of SMs that runs some of its blocks.
 *
 * constant_reads.cu (device/probe/results/h200-constant-reads.csv): of a table of 32 KB every 4th
 * to 256th byte read brings in 1,024 sectors, every 512th, 1,024th, 4,096th 512, 256 and 64. */
#ifndef STRATA_SM_CONSTANTS_USED_H
#define STRATA_SM_CONSTANTS_USED_H

#include <strata/gpu.h>
#include <strata/trace.h>

#include "memory/constant_cache.h"

struct constants_used {
    uint32_t block[CONSTANT_BLOCKS / 32];
};

static inline void constants_note_one(struct constants_used *c, const struct strata_gpu *gpu,
                                      uint64_t address)
{
    uint32_t block = (uint32_t)(address / gpu->sm.const_fetch_bytes % CONSTANT_BLOCKS);
    c->block[block / 32] |= 1u << block % 32;
}

/* A warp loads constants. */
static inline void constants_note(struct constants_used *c, const struct strata_gpu *gpu,
                                  const struct strata_winst *w)
{
    uint64_t place[STRATA_WARP_SIZE];
    uint32_t n = gpu->sm.const_fetch_bytes && w->mask ? constants_named(w, place) : 0;
    for (uint32_t k = 0; k < n; k++)
        constants_note_one(c, gpu, place[k]);
}

static inline void constants_merge(struct constants_used *c, const struct constants_used *more)
{
    for (uint32_t i = 0; i < CONSTANT_BLOCKS / 32; i++)
        c->block[i] |= more->block[i];
}

#endif
