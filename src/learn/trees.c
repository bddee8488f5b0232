/* trees.c - random forest and gradient boosting through XGBoost, one ensemble for each rate. */
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"

#ifdef STRATA_XGBOOST
#include <xgboost/c_api.h>

struct trees {
    BoosterHandle booster[LEARN_OUTPUTS];
};
struct setting {
    const char *name, *value;
};

/* Section V-A: 100 trees of any depth, each on a sample of the rows and a third of the features. */
static const struct setting forest_settings[] = {{"objective", "reg:squarederror"},
                                                 {"num_parallel_tree", "100"},
                                                 {"eta", "1"},
                                                 {"max_depth", "0"},
                                                 {"grow_policy", "lossguide"},
                                                 {"max_leaves", "0"},
                                                 {"subsample", "0.63"},
                                                 {"colsample_bynode", "0.33"},
                                                 {"min_child_weight", "1"},
                                                 {"lambda", "0"},
                                                 {"tree_method", "hist"},
                                                 {NULL, NULL}};
/* 100 stages of depth 3, rate 0.1. */
static const struct setting boosting_settings[] = {
    {"objective", "reg:squarederror"}, {"eta", "0.1"},          {"max_depth", "3"},
    {"min_child_weight", "1"},         {"tree_method", "hist"}, {NULL, NULL}};

static strata_status failed(struct strata_error *err)
{
    return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0, "XGBoost failed: %.500s",
                       XGBGetLastError());
}

static void trees_release(void *state)
{
    struct trees *t = state;
    for (int k = 0; t && k < LEARN_OUTPUTS; k++)
        if (t->booster[k])
            XGBoosterFree(t->booster[k]);
    free(t);
}

static strata_status trees_create(struct trees **out, struct strata_error *err)
{
    *out = calloc(1, sizeof **out);
    return *out ? STRATA_OK : strata_no_memory(err, NULL, "for trees");
}

static bool set_all(BoosterHandle b, const struct setting *s, uint64_t seed)
{
    char number[24];
    snprintf(number, sizeof number, "%u", (unsigned)(seed & 0x7fffffff));
    /* one thread: sums of several depend on how the rows were shared out */
    bool good = !XGBoosterSetParam(b, "verbosity", "0") && !XGBoosterSetParam(b, "nthread", "1") &&
                !XGBoosterSetParam(b, "seed", number);
    for (; good && s->name; s++)
        good = !XGBoosterSetParam(b, s->name, s->value);
    return good;
}

static bool train_one(const struct learn_matrix *d, int output, const struct setting *s, int rounds,
                      uint64_t seed, BoosterHandle *out)
{
    DMatrixHandle m = NULL;
    float *label = malloc(d->n * sizeof *label), *weight = malloc(d->n * sizeof *weight);
    bool good = label && weight && !XGDMatrixCreateFromMat(d->x, d->n, d->n_features, -1e30f, &m);
    for (size_t i = 0; good && i < d->n; i++)
        label[i] = d->y[i * LEARN_OUTPUTS + (size_t)output],
        weight[i] = d->band[i * LEARN_OUTPUTS + (size_t)output].width;
    good = good && !XGDMatrixSetFloatInfo(m, "label", label, d->n) &&
           !XGDMatrixSetFloatInfo(m, "weight", weight, d->n) && !XGBoosterCreate(&m, 1, out) &&
           set_all(*out, s, seed);
    for (int i = 0; good && i < rounds; i++)
        good = !XGBoosterUpdateOneIter(*out, i, m);
    if (m)
        XGDMatrixFree(m);
    free(label);
    free(weight);
    return good;
}

static strata_status train_trees(const struct learn_matrix *d,
                                 const struct strata_learn_train_options *opt,
                                 const struct setting *s, int rounds, void **state,
                                 struct strata_error *err)
{
    struct trees *t;
    strata_status st = trees_create(&t, err);
    for (int k = 0; k < LEARN_OUTPUTS && st == STRATA_OK; k++)
        if (!train_one(d, k, s, rounds, opt->seed, &t->booster[k]))
            st = failed(err);
    if (st == STRATA_OK)
        *state = t;
    else
        trees_release(t);
    return st;
}

static strata_status forest_train(const struct learn_matrix *d,
                                  const struct strata_learn_train_options *opt, void **state,
                                  struct strata_error *err)
{
    return train_trees(d, opt, forest_settings, 1, state, err);
}

static strata_status boosting_train(const struct learn_matrix *d,
                                    const struct strata_learn_train_options *opt, void **state,
                                    struct strata_error *err)
{
    return train_trees(d, opt, boosting_settings, 100, state, err);
}

static strata_status trees_predict(void *state, const float *x, size_t n, uint32_t n_features,
                                   float *y, struct strata_error *err)
{
    const struct trees *t = state;
    DMatrixHandle m = NULL;
    if (XGDMatrixCreateFromMat(x, n, n_features, -1e30f, &m))
        return failed(err);
    strata_status st = STRATA_OK;
    for (int k = 0; k < LEARN_OUTPUTS && st == STRATA_OK; k++) {
        bst_ulong length;
        const float *result;
        if (XGBoosterPredict(t->booster[k], m, 0, 0, 0, &length, &result) || length != n)
            st = failed(err);
        for (size_t i = 0; i < n && st == STRATA_OK; i++)
            y[i * LEARN_OUTPUTS + (size_t)k] = result[i] < 0 ? 0 : result[i] > 1 ? 1 : result[i];
    }
    XGDMatrixFree(m);
    return st;
}

static strata_status trees_save(void *state, struct learn_out *out, struct strata_error *err)
{
    const struct trees *t = state;
    for (int k = 0; k < LEARN_OUTPUTS; k++) {
        bst_ulong n;
        const char *bytes;
        if (XGBoosterSaveModelToBuffer(t->booster[k], "{\"format\": \"ubj\"}", &n, &bytes))
            return failed(err);
        learn_put_u32(out, (uint32_t)n);
        learn_put_bytes(out, bytes, n);
    }
    return STRATA_OK;
}

/* We save UBJSON. XGBoost also reads JSON, and does not return from a text that ends too early. */
static bool is_ubjson(const uint8_t *bytes, uint32_t n)
{
    return bytes && n > 2 && bytes[0] == '{' && bytes[1] == 'L';
}

static strata_status trees_load(struct learn_in *in, uint32_t n_features, const char *name,
                                void **state, struct strata_error *err)
{
    struct trees *t;
    strata_status st = trees_create(&t, err);
    for (int k = 0; k < LEARN_OUTPUTS && st == STRATA_OK; k++) {
        uint32_t n = learn_get_u32(in);
        const uint8_t *bytes = learn_get_bytes(in, n);
        bst_ulong features = 0;
        if (!is_ubjson(bytes, n) || XGBoosterCreate(NULL, 0, &t->booster[k]) ||
            XGBoosterSetParam(t->booster[k], "nthread", "1") ||
            XGBoosterLoadModelFromBuffer(t->booster[k], bytes, n) ||
            XGBoosterGetNumFeature(t->booster[k], &features) || features != n_features)
            st = learn_damaged(name, "its trees cannot be read", err);
    }
    if (st == STRATA_OK)
        *state = t;
    else
        trees_release(t);
    return st;
}
#define PACKAGE NULL
#else
static strata_status missing(struct strata_error *err)
{
    return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                       "This build has no trees; install libxgboost-dev and configure again.");
}
static strata_status forest_train(const struct learn_matrix *d,
                                  const struct strata_learn_train_options *opt, void **state,
                                  struct strata_error *err)
{
    (void)d, (void)opt, (void)state;
    return missing(err);
}
#define boosting_train forest_train
static strata_status trees_predict(void *state, const float *x, size_t n, uint32_t n_features,
                                   float *y, struct strata_error *err)
{
    (void)state, (void)x, (void)n, (void)n_features, (void)y;
    return missing(err);
}
static strata_status trees_save(void *state, struct learn_out *out, struct strata_error *err)
{
    (void)state, (void)out;
    return missing(err);
}
static strata_status trees_load(struct learn_in *in, uint32_t n_features, const char *name,
                                void **state, struct strata_error *err)
{
    (void)in, (void)n_features, (void)name, (void)state;
    return missing(err);
}
static void trees_release(void *state)
{
    (void)state;
}
#define PACKAGE        "libxgboost-dev"
#endif

const struct learn_learner learn_forest = {
    .about = {.name = "rf",
              .summary = "random forest of 100 trees, by XGBoost",
              .package = PACKAGE},
    .rows = 20000,
    .train = forest_train,
    .predict = trees_predict,
    .save = trees_save,
    .load = trees_load,
    .release = trees_release,
};
const struct learn_learner learn_boosting = {
    .about = {.name = "gb",
              .summary = "gradient boosting, 100 stages of depth 3, by XGBoost",
              .package = PACKAGE},
    .rows = 100000,
    .train = boosting_train,
    .predict = trees_predict,
    .save = trees_save,
    .load = trees_load,
    .release = trees_release,
};
