/* number_table.c - open addressing, doubled when half full. */
#include "base/number_table.h"

#include <stdlib.h>

#include "base/bits.h"

enum { FIRST_PLACES = 64 };

/* The entry of a number, or the free one where it would be. */
static struct number_entry *entry_of(const struct number_table *t, uint64_t number)
{
    size_t i = (size_t)mix64(number) & (t->cap - 1);
    while (t->entry[i].number_plus_1 && t->entry[i].number_plus_1 != number + 1)
        i = (i + 1) & (t->cap - 1);
    return &t->entry[i];
}

static bool grow(struct number_table *t)
{
    struct number_table larger = {.cap = t->cap ? 2 * t->cap : FIRST_PLACES, .n = t->n};
    larger.entry = calloc(larger.cap, sizeof *larger.entry);
    if (!larger.entry)
        return false;
    for (size_t i = 0; i < t->cap; i++)
        if (t->entry[i].number_plus_1)
            *entry_of(&larger, t->entry[i].number_plus_1 - 1) = t->entry[i];
    free(t->entry);
    *t = larger;
    return true;
}

const uint64_t *number_table_find(const struct number_table *t, uint64_t number)
{
    if (!t->n)
        return NULL;
    const struct number_entry *e = entry_of(t, number);
    return e->number_plus_1 ? &e->value : NULL;
}

uint64_t *number_table_put(struct number_table *t, uint64_t number)
{
    if (2 * (t->n + 1) > t->cap && !grow(t))
        return NULL;
    struct number_entry *e = entry_of(t, number);
    t->n += !e->number_plus_1;
    e->number_plus_1 = number + 1;
    return &e->value;
}

void number_table_release(struct number_table *t)
{
    free(t->entry);
    *t = (struct number_table){0};
}
