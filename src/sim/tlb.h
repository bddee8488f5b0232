/* tlb.h - address translation of the clocked model (paper 002, sections 4.4 and 5.2).
 *
 * Each SM has a first-level TLB; the second level and the page walks are shared.
 * What misses the first level is handed to the shared part at the end of a
 * window, in order of time and SM, and comes back in a later window. */
#ifndef STRATA_SIM_TLB_H
#define STRATA_SIM_TLB_H

#include "memory/tlb_rules.h"

struct sim_tlb_request {  /* a page an SM waits for */
    uint64_t page, asked; /* asked: when; UINT64_MAX once it is answered */
    uint64_t ready;       /* UINT64_MAX: not known yet */
    uint32_t flight;      /* first of those that wait, linked by sim_flight.next */
};

struct sim_tlb {
    bool enabled;
    const struct strata_gpu *gpu;
    struct cache first;
    struct sim_tlb_request *request;
    uint32_t n_requests, cap_requests;
};

/* The shared part. */
struct sim_tlb2 {
    bool enabled;
    struct cache second;
    uint64_t *page, *walk_done; /* walks under way, by hash of the page */
    uint32_t walk_mask;
    const struct strata_gpu *gpu;
    struct page_walks walked;
    uint64_t walks;
};

strata_status sim_tlb_init(struct sim_tlb *t, const struct strata_gpu *gpu, uint64_t seed,
                           struct strata_error *err);
void sim_tlb_release(struct sim_tlb *t);
/* True if the page is there. Otherwise *request is the one to wait on; CACHE_NONE: no memory. */
bool sim_tlb_lookup(struct sim_tlb *t, uint64_t line, uint64_t now, uint32_t *request);

strata_status sim_tlb2_init(struct sim_tlb2 *t, const struct strata_gpu *gpu, uint64_t seed,
                            struct strata_error *err);
void sim_tlb2_release(struct sim_tlb2 *t);
/* When a page asked for at `asked` is known to the SM. Calls come in order of `asked`. */
uint64_t sim_tlb2_ask(struct sim_tlb2 *t, uint64_t page, uint64_t asked);

#endif
