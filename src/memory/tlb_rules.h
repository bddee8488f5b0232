/* tlb_rules.h - pages and the caches of their translations (paper 002, sections 4.4 and 5.2). */
#ifndef STRATA_MEMORY_TLB_RULES_H
#define STRATA_MEMORY_TLB_RULES_H

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

#endif
