/* leaving_stores.h - lines of stores that have left their buffer and are still read out of the L1.
 *
 * A line of stores leaves for the crossbar flit by flit, and the lines behind it wait. A store to
 * one that is not out yet can neither join it nor change what is read: the line begins anew with
 * what is stored, and all else of it, loaded or written before, is lost (again_probe.cu,
 * device/probe/results/h200-again.csv.xz: of 8 and 16 lines that a warp stores to twice 7 at a time
 * are lost, first the first ones, then the others, as long as they leave: two cycles for each with
 * a sector, five with four). l1.store_leaving lines are in front of the unit at most: where 16
 * others were stored to in between, or 32 of four warps, the line is lost, with 32 others or 64 of
 * eight warps it is out. Not thread-safe per object. */
#ifndef STRATA_MEMORY_LEAVING_STORES_H
#define STRATA_MEMORY_LEAVING_STORES_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>

#define LEAVING_STORES 32 /* a power of two, and the bound of l1.store_leaving */

struct leaving_stores {
    uint64_t free64; /* all are out then, in 64ths of a cycle */
    uint32_t n;      /* that have left so far */
    uint64_t line[LEAVING_STORES], out64[LEAVING_STORES];
};

/* A line leaves at t and takes so many 64ths of a cycle. */
static inline void leaving_stores_put(struct leaving_stores *l, uint64_t line, uint64_t t,
                                      uint32_t cost64)
{
    uint32_t i = l->n++ % LEAVING_STORES;
    l->free64 = (l->free64 > t * 64 ? l->free64 : t * 64) + cost64;
    l->line[i] = line;
    l->out64[i] = l->free64;
}
/* Whether a store at t finds the line on its way out. */
static inline bool leaving_stores_has(const struct leaving_stores *l, const struct strata_gpu *gpu,
                                      uint64_t line, uint64_t t)
{
    uint32_t most = gpu->l1.store_leaving_lines;
    if (l->free64 <= t * 64)
        return false;
    for (uint32_t k = 1; k <= most && k <= l->n; k++) {
        uint32_t i = (l->n - k) % LEAVING_STORES;
        if (l->line[i] == line || l->out64[i] <= t * 64)
            return l->line[i] == line && l->out64[i] > t * 64;
    }
    return false;
}

#endif
