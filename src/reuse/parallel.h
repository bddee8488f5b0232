/* parallel.h - exact distances on several cores.
 *
 * The accesses are cut into one piece per thread (the partition of Niu et al.,
 * PARDA, 2012). The first piece goes on with the stack of all that came before;
 * the others start from nothing, so that only the first access of each line in a
 * piece is undecided. Those few are then put, in order, to the stack of what came
 * before the piece: between two of them it has seen exactly the distinct lines
 * that were used, so their distances are exact. The result does not depend on the
 * number of threads. */
#ifndef STRATA_REUSE_PARALLEL_H
#define STRATA_REUSE_PARALLEL_H

#include "reuse/histogram.h"
#include "reuse/stack.h"

#define REUSE_MAX_THREADS 64

/* Adds the distances of n accesses that follow those `s` has seen to `h`. `last`: no call follows,
 * and the stack may be left behind. */
strata_status reuse_parallel_run(struct reuse_stack *s, const uint64_t *line, size_t n,
                                 uint32_t threads, bool last, struct reuse_histogram *h,
                                 struct strata_error *err);

#endif
