/* timed.h - the extended reuse-distance model of paper 000, section 4, for one L1 cache.
 *
 * Time counts turns. An access is measured against the stack of its set as it
 * stands at its time; its own effect on the stack comes a latency later. At one
 * instant an access sees its own line if that has arrived, while effects of other
 * lines come after it (what tables 3, 4 and 5 agree on). Every extension is a
 * switch of its own. */
#ifndef STRATA_REUSE_TIMED_H
#define STRATA_REUSE_TIMED_H

#include <gsl/gsl_rng.h>
#include <strata/gpu.h>

#include "base/number_table.h"
#include "reuse/calendar.h"
#include "reuse/histogram.h"
#include "reuse/stack.h"

struct timed_options {
    struct strata_cache_config cache; /* size, line, ways, index */
    bool sectored; /* beyond the paper: a miss brings the sectors asked for, not the line */
    bool fully_associative;         /* one set of all lines: no associativity (section 6.1) */
    uint32_t hit_steps, miss_steps; /* section 4.2 */
    double miss_deviation_steps;    /* sigma of the half-normal part */
    bool clip;                      /* an access to a line on its way arrives with it */
    uint32_t mshrs;                 /* 0: unlimited */
    uint32_t mshrs_per_warp;        /* 0: no limit (section 5.2) */
    uint32_t mshr_merges;           /* accesses that may wait for one line, 0: any number */
    bool mshr_merge;                /* a line on its way needs no further register */
    bool mshr_piecewise; /* an instruction goes out as far as registers reach, the rest later */
    bool mshr_first_lane_only; /* the released code: only an instruction's first transaction is
                                  tested */
    bool batch; /* the released code: transactions of an instruction do not see each other */
    bool unit_per_transaction; /* time: one unit a transaction instead of one an instruction */
    bool warp_waits;           /* the warp queue delays a warp by its latency (section 4.5) */
    bool late_return;          /* the released code: a warp returns one turn after its data */
    bool miss_above_ways;      /* the released code's report: a miss is d > ways */
    uint64_t seed;
};

/* What became of one transaction. */
struct timed_access {
    uint32_t distance;      /* REUSE_COLD: infinite */
    bool there, on_its_way; /* the line, whichever sectors of it */
    bool hit, cancelled;
    uint8_t asked; /* sectors, or 1: the line */
    uint8_t held;  /* of those, in the cache or on their way */
    uint64_t latency, effect_at;
    uint32_t mshrs_before, mshrs_after;
};

enum timed_kind {
    TIMED_COMPULSORY = 0,
    TIMED_CAPACITY,
    TIMED_CONFLICT,
    TIMED_LATENCY,
    TIMED_MSHR,
    TIMED_N_KINDS
};

struct timed_flight {
    uint64_t line;    /* + 1; 0: free */
    uint64_t arrival; /* of the first request */
    uint32_t waiting, warp;
};

/* One cache. */
struct timed_cache {
    struct timed_options opt;
    uint32_t n_sets, ways;
    struct reuse_stack *set;     /* effects, per set */
    struct reuse_stack whole;    /* effects, all sets: what a fully associative cache would do */
    struct calendar effect;      /* lines, by when their accesses change the stacks */
    struct timed_flight *flight; /* lines on their way */
    size_t n_flight, cap_flight; /* registers in use; entries of the table, a power of two */
    struct calendar arrival;     /* of those lines */
    struct number_table sectors; /* masks, of all lines that were ever asked for, if sectored */
    uint32_t *per_warp;          /* registers each warp holds */
    size_t cap_per_warp;
    gsl_rng *random;
    /* results */
    uint64_t accesses, misses, infinite, cancelled, kind[TIMED_N_KINDS];
    struct reuse_histogram histogram;
};

strata_status timed_init(struct timed_cache *c, const struct timed_options *opt,
                         struct strata_error *err);
void timed_release(struct timed_cache *c);
/* The transactions of one warp instruction at time `now`. *made of them are done; the others, if
 * registers are short, are to be issued again. *delay is how long data of those done takes, at the
 * most. `sectors`: those of each line that are read, NULL for lines without. `trace` (may be NULL)
 * gets one entry per transaction. */
strata_status timed_issue(struct timed_cache *c, uint32_t warp, const uint64_t *line,
                          const uint8_t *sectors, unsigned n, uint64_t now, unsigned *made,
                          uint64_t *delay, struct timed_access *trace, struct strata_error *err);

#endif
