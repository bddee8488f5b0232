/* features.h - from a stream of accesses to profiles, and from a profile and a cache to what a learner
 * reads. */
#ifndef STRATA_LEARN_FEATURES_H
#define STRATA_LEARN_FEATURES_H

#include <strata/learn.h>

#include "learn/timed_l1.h"

/* Profiles of the intervals [from[i], to[i]) of a stream, in order and apart; distances and lines on
 * their way are those of the whole stream. */
struct learn_span {
    size_t from, to;
};
strata_status learn_profile(const struct learn_stream *s, const struct learn_span *span, size_t n_spans,
                            uint32_t latency_cycles, struct strata_learn_interval *out, struct strata_error *err);

/* Lines of the k-th size of the curves with time. */
uint32_t learn_size_lines(uint32_t k);
/* First distance of bucket b; of STRATA_LEARN_BUCKETS: UINT32_MAX. */
uint32_t learn_bucket_from(uint32_t b);
uint32_t learn_bucket_of(uint32_t distance);

/* What a cache is to a profile: computed once, used for any number of intervals. */
struct learn_geometry {
    struct strata_learn_cache cache;
    /* A cache with sets holds a line as long as some fully associative cache would whose size is random:
     * a line at distance d is there if fewer than `ways` of d lines fall into its set (a binomial). The
     * curves with time, averaged over that size. */
    float weight[STRATA_LEARN_SIZES];
};
float learn_smoothed(const float curve[STRATA_LEARN_SIZES], const struct learn_geometry *g);
void learn_geometry_init(struct learn_geometry *g, const struct strata_learn_cache *cache);

enum learn_feature_set {
    LEARN_FEATURES_PAPER = 0, /* N, MaxRD, frequencies, geometry: section IV-C */
    LEARN_FEATURES_TIMED,     /* and curves relative to the cache's size, with time */
    LEARN_N_FEATURE_SETS
};
const char *learn_feature_set_name(uint32_t set);
enum { LEARN_MAX_FEATURES = 128 };
uint32_t learn_feature_count(uint32_t set);
/* Where a network starts from: the log-odds of both rates as the curves with time give them; 0 with the
 * paper's features. */
void learn_start(const struct strata_learn_interval *p, const struct learn_geometry *g, uint32_t set, float out[2]);
void learn_features(const struct strata_learn_interval *p, const struct learn_geometry *g, uint32_t set, float *out);

#endif
