/* sector_set.h - a set of numbers, counted: the sectors an instruction touches. */
#ifndef STRATA_ADVISE_SECTOR_SET_H
#define STRATA_ADVISE_SECTOR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sector_set { /* start with {0} */
    uint64_t *slot; /* number + 1, 0: free */
    size_t size, n;
};
/* False without memory. */
bool sector_set_add(struct sector_set *s, uint64_t number);
void sector_set_release(struct sector_set *s);

#endif
