/* blockset.c - which blocks of a grid were seen. */
#include "trace/blockset.h"

#include <stdlib.h>

#include "base/bits.h"

static struct blockset_page **find_slot(struct blockset_page **slot, size_t n_slots,
                                        uint64_t number)
{
    size_t i = mix64(number) & (n_slots - 1);
    while (slot[i] && slot[i]->number != number)
        i = (i + 1) & (n_slots - 1);
    return &slot[i];
}

static bool grow(struct blockset *set)
{
    size_t n = set->n_slots ? set->n_slots * 2 : 64;
    struct blockset_page **bigger = calloc(n, sizeof *bigger);
    if (!bigger)
        return false;
    for (size_t i = 0; i < set->n_slots; i++)
        if (set->slot[i])
            *find_slot(bigger, n, set->slot[i]->number) = set->slot[i];
    free(set->slot);
    set->slot = bigger;
    set->n_slots = n;
    return true;
}

static struct blockset_page *page_of(struct blockset *set, uint64_t number)
{
    if (set->last && set->last->number == number)
        return set->last;
    if (set->n_pages * 2 >= set->n_slots && !grow(set))
        return NULL;
    struct blockset_page **slot = find_slot(set->slot, set->n_slots, number);
    if (!*slot) {
        *slot = calloc(1, sizeof **slot);
        if (!*slot)
            return NULL;
        (*slot)->number = number;
        set->n_pages++;
    }
    return set->last = *slot;
}

bool blockset_add(struct blockset *set, uint64_t block, bool *was_there)
{
    struct blockset_page *page = page_of(set, block / BLOCKSET_PAGE_BLOCKS + 1);
    if (!page)
        return false;
    uint64_t *word = &page->bits[block % BLOCKSET_PAGE_BLOCKS / 64];
    uint64_t bit = 1ull << block % 64;
    *was_there = *word & bit;
    *word |= bit;
    return true;
}

void blockset_release(struct blockset *set)
{
    for (size_t i = 0; i < set->n_slots; i++)
        free(set->slot[i]);
    free(set->slot);
    *set = (struct blockset){0};
}
