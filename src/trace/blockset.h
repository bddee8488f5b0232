/* blockset.h - which blocks of a grid were seen; memory grows with the blocks seen, not the grid.
 */
#ifndef STRATA_TRACE_BLOCKSET_H
#define STRATA_TRACE_BLOCKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pages of 4096 blocks in an open-addressing table. */
enum { BLOCKSET_PAGE_BLOCKS = 4096 };
struct blockset_page {
    uint64_t number; /* of the page + 1; 0 = free */
    uint64_t bits[BLOCKSET_PAGE_BLOCKS / 64];
};
struct blockset {
    struct blockset_page **slot;
    size_t n_slots, n_pages; /* n_slots: 0 or a power of two */
    struct blockset_page *last;
};

/* Adds a block; *was_there tells whether it had been added before. False: out of memory. */
bool blockset_add(struct blockset *set, uint64_t block, bool *was_there);
void blockset_release(struct blockset *set);

#endif
