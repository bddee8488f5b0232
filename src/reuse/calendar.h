/* calendar.h - what is due when: times that lie close together, taken in their order.
 *
 * A ring of instants, each with a list in the order of entry. Latencies of a
 * model differ little, so the ring stays short, and neither an entry nor taking
 * one out depends on how many there are. Not thread-safe per object. */
#ifndef STRATA_REUSE_CALENDAR_H
#define STRATA_REUSE_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calendar_entry {
    uint64_t at, value;
    uint32_t next; /* + 1; 0: the last of its instant, or of the free ones */
};

struct calendar {
    struct calendar_entry *entry;
    size_t cap_entries;
    uint32_t *head, *tail; /* entries + 1 of each instant */
    uint64_t now;          /* all before it is taken */
    uint32_t size;         /* instants of the ring, a power of two */
    uint32_t n, n_used, free;
};

void calendar_release(struct calendar *c);
/* False without memory. `at` is not before the last instant taken from, nor before the last limit
 * - 1. */
bool calendar_add(struct calendar *c, uint64_t at, uint64_t value);
/* The first entry of instant `at`, before which all is taken, or NULL; calendar_following goes on.
 */
static inline const struct calendar_entry *calendar_first(const struct calendar *c, uint64_t at)
{
    uint32_t first = c->n && at - c->now < c->size ? c->head[at & (c->size - 1)] : 0;
    return first ? &c->entry[first - 1] : NULL;
}
static inline const struct calendar_entry *calendar_following(const struct calendar *c,
                                                              const struct calendar_entry *e)
{
    return e->next ? &c->entry[e->next - 1] : NULL;
}
/* Takes the earliest entry, if it lies before `limit`; among equals the one that came first. */
bool calendar_take(struct calendar *c, uint64_t limit, uint64_t *value);

#endif
