/* tlb.c - first-level TLBs of the SMs, the shared second level and page walks. */
#include "sim/tlb.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

strata_status sim_tlb_init(struct sim_tlb *t, const struct strata_gpu *gpu, uint64_t seed,
                           struct strata_error *err)
{
    memset(t, 0, sizeof *t);
    t->enabled = gpu->tlb.enabled;
    t->gpu = gpu;
    return t->enabled ? cache_create(&gpu->tlb.l1, seed, &t->first, err) : STRATA_OK;
}

void sim_tlb_release(struct sim_tlb *t)
{
    cache_release(&t->first);
    free(t->request);
    memset(t, 0, sizeof *t);
}

bool sim_tlb_lookup(struct sim_tlb *t, uint64_t line, uint64_t now, uint32_t *request)
{
    uint64_t page = tlb_page(t->gpu, line);
    if (tlb_holds(&t->first, page, false))
        return true;
    for (*request = 0; *request < t->n_requests; ++*request)
        if (t->request[*request].page == page)
            return false;
    if (t->n_requests == t->cap_requests) {
        uint32_t cap = t->cap_requests ? t->cap_requests * 2 : 16;
        struct sim_tlb_request *grown = realloc(t->request, cap * sizeof *grown);
        if (!grown) {
            *request = CACHE_NONE;
            return false;
        }
        t->request = grown;
        t->cap_requests = cap;
    }
    t->request[t->n_requests++] = (struct sim_tlb_request){
        .page = page, .asked = now, .ready = UINT64_MAX, .flight = CACHE_NONE};
    return false;
}

/* ---- the shared part ---- */

enum { WALKS = 1024 };

strata_status sim_tlb2_init(struct sim_tlb2 *t, const struct strata_gpu *gpu, uint64_t seed,
                            struct strata_error *err)
{
    memset(t, 0, sizeof *t);
    t->enabled = gpu->tlb.enabled;
    if (!t->enabled)
        return STRATA_OK;
    t->gpu = gpu;
    t->walk_mask = WALKS - 1;
    t->page = calloc(WALKS, sizeof *t->page);
    t->walk_done = calloc(WALKS, sizeof *t->walk_done);
    if (!t->page || !t->walk_done)
        return strata_no_memory(err, NULL, "for the page walks");
    return cache_create(&gpu->tlb.l2, seed, &t->second, err);
}

void sim_tlb2_release(struct sim_tlb2 *t)
{
    cache_release(&t->second);
    free(t->page);
    free(t->walk_done);
    page_walks_release(&t->walked);
    memset(t, 0, sizeof *t);
}

uint64_t sim_tlb2_ask(struct sim_tlb2 *t, uint64_t page, uint64_t asked)
{
    uint64_t found = asked + t->gpu->tlb.l1_miss_cycles;
    uint32_t row = (uint32_t)mix64(page) & t->walk_mask;
    if (tlb_holds(&t->second, page, true)) {
        /* A page whose walk is under way is there when the walk is done. */
        return t->page[row] == page && t->walk_done[row] > found ? t->walk_done[row] : found;
    }
    t->walks++;
    t->page[row] = page;
    t->walk_done[row] = found + page_walk_cycles(&t->walked, t->gpu, page);
    return t->walk_done[row];
}
