/* sector_set.c - open addressing, doubled when half full. */
#include "advise/sector_set.h"

#include <stdlib.h>
#include <string.h>

static size_t place_of(const struct sector_set *s, uint64_t number)
{
    size_t at = (size_t)(number * 0x9e3779b97f4a7c15ull >> 20) & (s->size - 1);
    while (s->slot[at] && s->slot[at] != number + 1)
        at = (at + 1) & (s->size - 1);
    return at;
}

static bool grow(struct sector_set *s)
{
    struct sector_set bigger = {.size = s->size ? 2 * s->size : 1024, .n = s->n};
    bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
    if (!bigger.slot)
        return false;
    for (size_t i = 0; i < s->size; i++)
        if (s->slot[i])
            bigger.slot[place_of(&bigger, s->slot[i] - 1)] = s->slot[i];
    free(s->slot);
    *s = bigger;
    return true;
}

bool sector_set_add(struct sector_set *s, uint64_t number)
{
    if (2 * (s->n + 1) > s->size && !grow(s))
        return false;
    size_t at = place_of(s, number);
    s->n += !s->slot[at];
    s->slot[at] = number + 1;
    return true;
}

void sector_set_release(struct sector_set *s)
{
    free(s->slot);
    memset(s, 0, sizeof *s);
}
