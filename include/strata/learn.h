/* strata/learn.h - the learned model: cache behaviour from reuse profiles (paper 003).
 *
 * A stream of line accesses is cut into intervals; each interval has a profile of
 * its reuse distances. A trained model says from a profile and a cache's geometry
 * which share of the accesses misses and which merges with a miss on its way.
 * Training data is synthetic; its labels come from a timed L1 that is defined in
 * docs/learn.md. */
#ifndef STRATA_LEARN_H
#define STRATA_LEARN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata/trace.h>

/* A cache with LRU replacement. */
struct strata_learn_cache {
    uint32_t lines, ways; /* ways divide lines */
};
/* STRATA_ECONFIG unless 1 <= ways <= lines <= 2^20 and ways divide lines. */
strata_status strata_learn_cache_check(const struct strata_learn_cache *cache, struct strata_error *err);

/* The timed L1: one access a cycle, misses take so long, at most so many lines on their way. */
struct strata_learn_timing {
    uint32_t latency_cycles; /* 256: an L2 hit of a recent GPU */
    uint32_t mshrs;          /* 256; 0: no limit */
};
#define STRATA_LEARN_TIMING {.latency_cycles = 256, .mshrs = 256}

/* What it did. Misses and merges are apart: an access is a hit, a merge or a miss. */
struct strata_learn_counts {
    uint64_t accesses, misses, merges;
};

#endif
