/* tlb_rules.c - page walks: which are the first of their page, and which leave the active pages. */
#include "memory/tlb_rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void page_walks_release(struct page_walks *w)
{
    free(w->page);
    memset(w, 0, sizeof *w);
}

static size_t place_of(const struct page_walks *w, uint64_t page)
{
    size_t i = (size_t)mix64(page) & (w->cap - 1);
    while (w->page[i] && w->page[i] != page + 1)
        i = (i + 1) & (w->cap - 1);
    return i;
}

static bool grow(struct page_walks *w)
{
    struct page_walks larger = *w;
    larger.cap = w->cap ? w->cap * 2 : 64;
    larger.page = calloc(larger.cap, sizeof *larger.page);
    if (!larger.page)
        return false;
    for (size_t i = 0; i < w->cap; i++)
        if (w->page[i])
            larger.page[place_of(&larger, w->page[i] - 1)] = w->page[i];
    free(w->page);
    *w = larger;
    return true;
}

static bool first_walk(struct page_walks *w, uint64_t page)
{
    if ((w->n + 1) * 2 > w->cap && !grow(w))
        return false;
    size_t i = place_of(w, page);
    bool first = !w->page[i];
    w->page[i] = page + 1;
    w->n += first;
    return first;
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
