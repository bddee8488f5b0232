/* tlb_rules.c - page walks: which are the first of their page, and which leave the active pages. */
#include "memory/tlb_rules.h"

#include <string.h>

void page_walks_release(struct page_walks *w)
{
    number_table_release(&w->walked);
    memset(w, 0, sizeof *w);
}

static bool first_walk(struct page_walks *w, uint64_t page)
{
    uint64_t *walked = number_table_put(&w->walked, page);
    return walked && !(*walked)++;
}

uint32_t page_walk_cycles(struct page_walks *w, const struct strata_gpu *gpu, uint64_t page)
{
    uint32_t cycles = gpu->tlb.l2_miss_cycles;
    if (!w->begun)
        w->first_page = page;
    w->begun = true;
    if (gpu->tlb.cold_cycles && first_walk(w, page))
        cycles += gpu->tlb.cold_cycles;
    if (gpu->tlb.active_bytes && page - w->first_page >= gpu->tlb.active_bytes)
        cycles += gpu->tlb.switch_cycles;
    return cycles;
}
