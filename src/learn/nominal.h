/* nominal.h - a memory whose caches hold everything: when data would be there if it missed only the
 * first time.
 *
 * A stream of accesses must not depend on the cache it is put to later, but warps do wait for their
 * data, and how long decides the order in which they go on. This memory gives that wait: the first
 * access of an SM to a line takes as long as an L2 hit, the first one of all SMs as long as DRAM
 * and at DRAM's rate, one to a line on its way until that arrives, any other an L1 hit. */
#ifndef STRATA_LEARN_NOMINAL_H
#define STRATA_LEARN_NOMINAL_H

#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>

#include "base/number_table.h"

struct nominal_memory {
    const struct strata_gpu *gpu;
    struct number_table *l1, l2;   /* arrivals by line; 0: not asked for yet */
    double dram_free, dram_cycles; /* when DRAM is free again, and what a line takes of it */
};
strata_status nominal_init(struct nominal_memory *m, const struct strata_gpu *gpu,
                           uint32_t line_bytes, struct strata_error *err);
void nominal_release(struct nominal_memory *m);
/* When the line is there, asked for by an SM at a cycle; 0 if memory ran out. */
uint64_t nominal_load(struct nominal_memory *m, uint32_t sm, uint64_t line, uint64_t at);

#endif
