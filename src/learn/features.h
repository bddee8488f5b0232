/* features.h - from a stream of accesses to profiles, and from a profile and a cache to what a
 * learner reads. */
#ifndef STRATA_LEARN_FEATURES_H
#define STRATA_LEARN_FEATURES_H

#include <strata/learn.h>

#include "learn/timed_l1.h"

/* Profiles of the intervals [from[i], to[i]) of a stream, in order and apart; distances and lines
 * on their way are those of the whole stream. */
struct learn_span {
    size_t from, to;
};
strata_status learn_profile(const struct learn_stream *s, const struct learn_span *span,
                            size_t n_spans, uint32_t latency_cycles,
                            struct strata_learn_interval *out, struct strata_error *err);

/* Lines of the k-th size of the curves with time. */
uint32_t learn_size_lines(uint32_t k);
/* First distance of bucket b; of STRATA_LEARN_BUCKETS: UINT32_MAX. */
uint32_t learn_bucket_from(uint32_t b);
uint32_t learn_bucket_of(uint32_t distance);

/* What a cache is to a profile: computed once, used for any number of intervals. */
struct learn_geometry {
    struct strata_learn_cache cache;
    /* A cache with sets holds a line as long as some fully associative cache would whose size is
     * random: a line at distance d is there if fewer than `ways` of d lines fall into its set (a
     * binomial). The probabilities of those sizes; none but [from, to) matters. */
    float weight[STRATA_LEARN_SIZES];
    uint32_t from, to;
};
void learn_geometry_init(struct learn_geometry *g, const struct strata_learn_cache *cache);
/* A curve with time, averaged over that size. */
float learn_smoothed(const float curve[STRATA_LEARN_SIZES], const struct learn_geometry *g);

/* The rates that fully associative caches of those sizes have lie between `low` and `low + width`;
 * their average is at `place` (0 to 1) between the two. What is learned is a better place: where
 * the curve is flat, or the cache fully associative, there is nothing to learn and nothing to get
 * wrong. */
struct learn_band {
    float low, width, place;
};

enum learn_feature_set {
    LEARN_FEATURES_PAPER = 0, /* N, MaxRD, frequencies, geometry: section IV-C */
    LEARN_FEATURES_TIMED,     /* and curves relative to the cache's size, with time */
    LEARN_FEATURES_OPEN,      /* the same, for rates that may lie outside of the band */
    LEARN_N_FEATURE_SETS
};
const char *learn_feature_set_name(uint32_t set);
enum { LEARN_MAX_FEATURES = 128 };
uint32_t learn_feature_count(uint32_t set);
/* Of the miss and the merge rate. With the paper's features: 0 to 1, place 0.5; open: 0 to 1, the
 * place is the average over the cache's sizes. */
void learn_bands(const struct strata_learn_interval *p, const struct learn_geometry *g,
                 uint32_t set, struct learn_band out[2]);
void learn_features(const struct strata_learn_interval *p, const struct learn_geometry *g,
                    uint32_t set, float *out);

#endif
