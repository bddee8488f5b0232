/* oracle.h - questions with a yes or a no, answered by visits whose latencies may lie now and then.
 */
#ifndef STRATA_DISSECT_ORACLE_H
#define STRATA_DISSECT_ORACLE_H

#include <strata/dissect.h>

enum outcome { OUTCOME_HIT = 0, OUTCOME_MISS, OUTCOME_STRANGE };

struct oracle {
    const struct strata_prober *prober;
    struct strata_error *err;
    strata_status
        status;     /* sticky: after a failure or the end of the budget all answers are "no" */
    bool exhausted; /* more visits than allowed */
    uint64_t visits, max_visits;
    uint64_t seed, draws; /* random order of visits */
    uint32_t hit_low, hit_high, miss_low, miss_high, hit_cycles, miss_cycles;
    double false_miss, false_hit; /* chance that a hit looks like a miss, and the other way round */
    bool loud;                    /* one line too many in a set makes most of its lines miss */
    /* scratch, grown as needed */
    uint64_t *offset;
    uint32_t *latency, *order, *count;
    size_t cap_offset, cap_latency, cap_order, cap_count;
};

void oracle_init(struct oracle *o, const struct strata_prober *prober,
                 const struct strata_dissect_options *opt, struct strata_error *err);
void oracle_release(struct oracle *o);
uint64_t oracle_random(struct oracle *o, uint64_t below);
/* Room for n visits in o->offset and o->latency. */
bool oracle_reserve(struct oracle *o, size_t n);
/* Runs o->offset[0..n); false after a failure. */
bool oracle_visit(struct oracle *o, size_t n);
enum outcome oracle_outcome(const struct oracle *o, uint32_t latency);
/* Finds what a hit and a miss look like; false if they cannot be told apart. */
bool oracle_calibrate(struct oracle *o);
/* Whether these lines, visited again and again in changing order, do not all stay: more of them
 * fall into some set than it has ways. Holds for every replacement policy that puts new lines in.
 */
bool oracle_overflows(struct oracle *o, const uint64_t *line, size_t n);
/* Misses of each line over `passes` visits in changing order after a first one; counts in o->count.
 */
bool oracle_count_misses(struct oracle *o, const uint64_t *line, size_t n, uint32_t passes);

#endif
