/* timed_l1.h - the timed L1 that labels: which accesses hit, merge and miss.
 *
 * The L1 takes at most one access a cycle, in order, each when it comes (learn_stream.time). A line
 * that is there is a hit. A line on its way is a merge: its miss status register (MSHR) answers
 * later. Any other access is a miss: it takes an MSHR and its line arrives `latency_cycles` later,
 * is put into its set then (allocation on fill) as the one used last, and drives out the set's
 * least recently used line. While no MSHR is free the L1 waits. Sets are chosen by the "mix" index
 * of src/cache.
 *
 * The same function labels training data and real traces. */
#ifndef STRATA_LEARN_TIMED_L1_H
#define STRATA_LEARN_TIMED_L1_H

#include <stddef.h>
#include <stdint.h>
#include <strata/learn.h>
#include <strata/status.h>

/* A sequence with its lines numbered 0 .. n_lines-1 in order of their first use: what all
 * configurations share. */
struct learn_stream {
    uint32_t *id; /* by access */
    size_t n;
    uint64_t *line; /* by id */
    uint32_t n_lines;
    const uint64_t *time; /* cycle of each access, rising; borrowed. NULL: one a cycle from 0 */
};
strata_status learn_stream_make(struct learn_stream *s, const uint64_t *line, size_t n,
                                struct strata_error *err);
void learn_stream_release(struct learn_stream *s);

/* Counts the outcomes of each interval of `interval` accesses; `out` has a place for each, the last
 * one may be shorter. About 10 ns an access whatever the geometry. */
strata_status learn_label(const struct learn_stream *s, const struct strata_learn_cache *cache,
                          const struct strata_learn_timing *timing, size_t interval,
                          struct strata_learn_counts *out, struct strata_error *err);
/* The same, and for each access whether it misses: what the next level sees. */
strata_status learn_label_misses(const struct learn_stream *s,
                                 const struct strata_learn_cache *cache,
                                 const struct strata_learn_timing *timing, size_t interval,
                                 struct strata_learn_counts *out, uint8_t *missed,
                                 struct strata_error *err);

#endif
