/* late_writes.h - write-backs that wait for what is read of their lines.
 *
 * A line of which sectors were written in part is read before it is written back. The write goes to
 * DRAM when that has come, and by then others have opened rows of its bank: it opens its own again
 * (scatter_probe.cu, device/probe/results/h200-scatter.csv: of words strewn over 256 MB 16.3
 * sectors a cycle are read and written in all, of lines read at random 20). Not thread-safe per
 * object. */
#ifndef STRATA_MEMORY_LATE_WRITES_H
#define STRATA_MEMORY_LATE_WRITES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LATE_WRITES_MOST 8192 /* further ones make the first leave at once */

struct late_write {
    uint64_t line, due;
    uint32_t n_sectors;
};
struct late_writes { /* in the order in which they began */
    struct late_write *write;
    uint32_t first, n;
};

static inline bool late_writes_init(struct late_writes *l)
{
    l->write = calloc(LATE_WRITES_MOST, sizeof *l->write);
    return l->write;
}
static inline void late_writes_release(struct late_writes *l)
{
    free(l->write);
}
static inline void late_writes_put(struct late_writes *l, struct late_write w)
{
    l->write[(l->first + l->n++) % LATE_WRITES_MOST] = w;
}
/* Takes the first one out if it may leave at t. */
static inline bool late_writes_take(struct late_writes *l, uint64_t t, struct late_write *w)
{
    *w = l->write[l->first];
    if (!l->n || (w->due > t && l->n < LATE_WRITES_MOST))
        return false;
    l->first = (l->first + 1) % LATE_WRITES_MOST;
    l->n--;
    return true;
}

#endif
