/* number_table.h - a value for each of a set of numbers (lines, sectors, pages), or the set alone.
 *
 * Every number may be put in but the largest. Memory grows with what was put in; nothing is ever
 * taken out. */
#ifndef STRATA_BASE_NUMBER_TABLE_H
#define STRATA_BASE_NUMBER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_entry {
    uint64_t number_plus_1; /* 0: free */
    uint64_t value;
};
struct number_table { /* start with {0} */
    struct number_entry *entry;
    size_t n, cap; /* numbers; places, a power of two */
};

/* The value of a number, NULL if it was never put in. */
const uint64_t *number_table_find(const struct number_table *t, uint64_t number);
/* The value of a number, which is put in with the value 0 if it was not there; NULL if memory ran
 * out. The pointer is good until the next number is put in. */
uint64_t *number_table_put(struct number_table *t, uint64_t number);
void number_table_release(struct number_table *t);

#endif
