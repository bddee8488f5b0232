/* async_totals.h - what a launch did with Hopper's asynchronous units, summed over its warps: how
 * long they stood at each kind of wait, and what copies moved. */
#ifndef STRATA_SM_ASYNC_TOTALS_H
#define STRATA_SM_ASYNC_TOTALS_H

#include <strata/trace.h>

struct sm_async_totals {
    uint64_t mbarrier_cycles, cluster_cycles, copies_cycles, products_cycles;
    uint64_t loads, stores, load_bytes, store_bytes; /* bulk copies */
};

/* A warp issues an instruction of SM_KIND_ASYNC so many cycles after its last one. */
static inline void sm_async_waited(struct sm_async_totals *t, const struct strata_inst *i,
                                   uint64_t cycles)
{
    switch (i->opclass) {
    case STRATA_OP_MBARRIER:
        t->mbarrier_cycles += i->imm == STRATA_BARRIER_WAIT ? cycles : 0;
        break;
    case STRATA_OP_CLUSTER_WAIT:
        t->cluster_cycles += cycles;
        break;
    case STRATA_OP_BULK_WAIT:
        t->copies_cycles += cycles;
        break;
    case STRATA_OP_WGMMA_WAIT:
        t->products_cycles += cycles;
        break;
    default:
        break;
    }
}

static inline void sm_async_copied(struct sm_async_totals *t, const struct strata_bulk *b)
{
    bool stores = b->kind == STRATA_BULK_STORE || b->kind == STRATA_BULK_REDUCE;
    t->loads += !stores;
    t->stores += stores;
    *(stores ? &t->store_bytes : &t->load_bytes) += b->bytes;
}

static inline void sm_async_totals_add(struct sm_async_totals *sum,
                                       const struct sm_async_totals *more)
{
    sum->mbarrier_cycles += more->mbarrier_cycles;
    sum->cluster_cycles += more->cluster_cycles;
    sum->copies_cycles += more->copies_cycles;
    sum->products_cycles += more->products_cycles;
    sum->loads += more->loads;
    sum->stores += more->stores;
    sum->load_bytes += more->load_bytes;
    sum->store_bytes += more->store_bytes;
}

#endif
