/* calendar.c - a ring of lists. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* as in stack.c */
#endif
#include "reuse/calendar.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void calendar_release(struct calendar *c)
{
    free(c->entry);
    free(c->head);
    free(c->tail);
    memset(c, 0, sizeof *c);
}

static void append(struct calendar *c, uint32_t index)
{
    uint32_t slot = (uint32_t)(c->entry[index].at & (c->size - 1));
    c->entry[index].next = 0;
    if (c->tail[slot])
        c->entry[c->tail[slot] - 1].next = index + 1;
    else
        c->head[slot] = index + 1;
    c->tail[slot] = index + 1;
}

/* A ring that reaches `span` instants ahead. Lists move as they are: in order. */
static bool widen(struct calendar *c, uint64_t span)
{
    struct calendar wider = *c;
    uint64_t size = c->size ? c->size : 256;
    while (size <= span && size < (uint64_t)1 << 31)
        size *= 2;
    wider.size = (uint32_t)size;
    wider.head = size > span ? calloc(size, sizeof *wider.head) : NULL;
    wider.tail = size > span ? calloc(size, sizeof *wider.tail) : NULL;
    if (!wider.head || !wider.tail) {
        free(wider.head);
        free(wider.tail);
        return false;
    }
    for (uint32_t s = 0; s < c->size; s++)
        for (uint32_t i = c->head[s], next; i; i = next) {
            next = c->entry[i - 1].next;
            append(&wider, i - 1);
        }
    free(c->head);
    free(c->tail);
    *c = wider;
    return true;
}

bool calendar_add(struct calendar *c, uint64_t at, uint64_t value)
{
    if (at - c->now >= c->size && !widen(c, at - c->now))
        return false;
    uint32_t index = c->free ? c->free - 1 : c->n_used;
    if (!c->free && !ARRAY_RESERVE(c->entry, c->n_used, c->cap_entries, 1))
        return false;
    if (c->free)
        c->free = c->entry[index].next;
    else
        c->n_used++;
    c->entry[index] = (struct calendar_entry){.at = at, .value = value};
    append(c, index);
    c->n++;
    return true;
}

/* Time stops at the last instant before the limit: entries for it may still come. */
static bool find_earliest(struct calendar *c, uint64_t limit)
{
    if (!c->n && limit > c->now + 1)
        c->now = limit - 1;
    while (c->now + 1 < limit && !c->head[c->now & (c->size - 1)])
        c->now++;
    return c->n && c->now < limit && c->head[c->now & (c->size - 1)];
}

bool calendar_take(struct calendar *c, uint64_t limit, uint64_t *value)
{
    if (!find_earliest(c, limit))
        return false;
    uint32_t slot = (uint32_t)(c->now & (c->size - 1)), index = c->head[slot] - 1;
    *value = c->entry[index].value;
    c->head[slot] = c->entry[index].next;
    if (!c->head[slot])
        c->tail[slot] = 0;
    c->entry[index].next = c->free;
    c->free = index + 1;
    c->n--;
    return true;
}
