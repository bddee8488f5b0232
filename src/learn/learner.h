/* learner.h - the one interface of all learners. */
#ifndef STRATA_LEARN_LEARNER_H
#define STRATA_LEARN_LEARNER_H

#include <strata/learn.h>

#include "learn/container.h"
#include "learn/features.h"

enum { LEARN_OUTPUTS = 2 }; /* miss rate, merge rate */

/* Rows of standardised features and their labels. */
struct learn_matrix {
    float *x; /* n * n_features */
    /* n * LEARN_OUTPUTS each: the band of the rate, the rate, and its place in the band, which is
     * what learners learn */
    struct learn_band *band;
    float *rate, *y;
    size_t n;
    uint32_t n_features;
};

struct learn_learner {
    struct strata_learn_learner about;
    uint64_t rows; /* as many as a training takes unless told otherwise */
    /* *state is the learner's own; release(NULL) is allowed. */
    strata_status (*train)(const struct learn_matrix *data,
                           const struct strata_learn_train_options *opt, void **state,
                           struct strata_error *err);
    /* n rows of features to n * LEARN_OUTPUTS places; y holds the places of the bands before. */
    strata_status (*predict)(void *state, const float *x, size_t n, uint32_t n_features, float *y,
                             struct strata_error *err);
    strata_status (*save)(void *state, struct learn_out *out, struct strata_error *err);
    strata_status (*load)(struct learn_in *in, uint32_t n_features, const char *name, void **state,
                          struct strata_error *err);
    void (*release)(void *state);
};
extern const struct learn_learner learn_mlp, learn_svr, learn_forest, learn_boosting;
const struct learn_learner *learn_find(const char *name);

struct strata_learn_model {
    const struct learn_learner *learner; /* NULL: analytic */
    void *state;
    uint32_t features; /* enum learn_feature_set */
    float mean[LEARN_MAX_FEATURES], scale[LEARN_MAX_FEATURES];
    uint32_t least_lines, most_lines; /* of the training */
    char *provenance;
    struct learn_analytic *analytic;
};
strata_status learn_model_parse(const uint8_t *data, size_t n, const char *name,
                                struct strata_learn_model **out, struct strata_error *err);
/* What follows the head; for the fuzzer. */
strata_status learn_model_read(struct learn_in *in, const char *name,
                               struct strata_learn_model **out, struct strata_error *err);
/* n rows of features, which are standardised on the way, and their bands to n * LEARN_OUTPUTS
 * rates. */
strata_status learn_model_rows(struct strata_learn_model *m, float *x,
                               const struct learn_band *band, size_t n, float *y,
                               struct strata_error *err);
void learn_standardise(const struct strata_learn_model *m, float *x);

/* ---- the analytic baseline (analytic.c) ---- */

struct learn_analytic;
strata_status learn_analytic_create(const char *name, struct learn_analytic **out,
                                    struct strata_error *err);
void learn_analytic_destroy(struct learn_analytic *a);
/* Probability that an access at distance `d` hits a cache of `lines` lines and `ways` ways. */
double learn_hit_exact(uint32_t d, uint32_t lines, uint32_t ways);
double learn_hit_published(uint32_t d, uint32_t lines, uint32_t ways);
/* The merge rate is NaN where the model does not know it. */
struct strata_learn_rates learn_analytic_rates(struct learn_analytic *a,
                                               const struct strata_learn_interval *p,
                                               const struct strata_learn_cache *cache);

#endif
