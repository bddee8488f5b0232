/* histogram.h - how often each distance occurred, and what a cache of any size makes of it. */
#ifndef STRATA_REUSE_HISTOGRAM_H
#define STRATA_REUSE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

struct reuse_histogram {
    uint64_t *count; /* by distance */
    size_t n, cap;   /* distances below n occurred */
    uint64_t cold;   /* first accesses */
    uint64_t total;  /* all accesses */
};

void reuse_histogram_release(struct reuse_histogram *h);
strata_status reuse_histogram_add(struct reuse_histogram *h, const uint32_t *distance, size_t n,
                                  struct strata_error *err);
strata_status reuse_histogram_merge(struct reuse_histogram *h, const struct reuse_histogram *other,
                                    struct strata_error *err);
/* Accesses that miss a fully associative LRU cache of so many lines: first ones and those at a
 * distance of `lines` or more (paper 000, section 3.3). */
uint64_t reuse_histogram_misses(const struct reuse_histogram *h, uint64_t lines);
/* Expected misses with `ways` of `lines` lines in a set when each line's set is drawn uniformly:
 * fewer than `ways` of the d lines in between share the set (Brehob and Enbody's binomial, exact).
 */
double reuse_histogram_misses_in_sets(const struct reuse_histogram *h, uint64_t lines,
                                      uint32_t ways);

#endif
