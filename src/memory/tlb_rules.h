/* tlb_rules.h - pages and the caches of their translations (paper 002, sections 4.4 and 5.2). */
#ifndef STRATA_MEMORY_TLB_RULES_H
#define STRATA_MEMORY_TLB_RULES_H

#include "base/number_table.h"
#include "cache/cache.h"

static inline uint64_t tlb_page(const struct strata_gpu *gpu, uint64_t line)
{
    return line / gpu->tlb.page_bytes * gpu->tlb.page_bytes;
}
/* A use of a page; `learn`: one that is not held takes a place. */
static inline bool tlb_holds(struct cache *tlb, uint64_t page, bool learn)
{
    uint32_t slot = cache_find(tlb, page);
    if (slot != CACHE_NONE)
        cache_touch(tlb, slot);
    else if (learn)
        cache_insert(tlb, page, NULL);
    return slot != CACHE_NONE;
}

/* Pages whose walk has been made, since the GPU was last cold. */
struct page_walks {
    struct number_table walked; /* times, by page */
    uint64_t first_page;        /* the active ones lie from here on */
    bool begun;
};
void page_walks_release(struct page_walks *w);
/* What a walk takes. The entry of a page that was never walked is in no cache (paper 002, section
 * 5.2: P5), and a page beyond those that are active makes the hardware change its page table (P6).
 * Where memory runs out pages count as walked. */
uint32_t page_walk_cycles(struct page_walks *w, const struct strata_gpu *gpu, uint64_t page);

#endif
