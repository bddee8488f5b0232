/* train.c - from a folder of cells to a trained model. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "learn/launch_profile.h"
#include "learn/learner.h"
#include "learn/set.h"

void strata_learn_train_options_init(struct strata_learn_train_options *opt)
{
    *opt = (struct strata_learn_train_options){.learner = "mlp",
                                               .features = "timed",
                                               .epochs = 30,
                                               .dropout = 0.5,
                                               .seed = 1,
                                               .threads = 1};
}

/* ---- reading ---- */

static int is_cell(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 6 && !strcmp(e->d_name + n - 6, ".learn");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A cell of fewer samples is the beginning of one of more (training_data.c), so that trainings of
 * different sizes need the data of the largest only. */
static void keep_samples(struct strata_learn_set *set, size_t before, uint64_t most)
{
    while (most && set->n_samples - before > most)
        learn_sample_release(&set->sample[--set->n_samples]);
}

static strata_status load_cell(const char *folder, const char *name, uint64_t samples,
                               struct strata_learn_set *set, struct strata_error *err)
{
    size_t before = set->n_samples;
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return strata_no_memory(err, folder, "for training data");
    strata_status st = strata_learn_set_load(path, set, err);
    if (st == STRATA_OK && set->real)
        st = strata_fail(err, STRATA_EUSAGE, path, 0, 0,
                         "these are profiles of traces, which are kept for evaluation; train on "
                         "what `strata learn generate` writes.");
    if (st == STRATA_OK)
        keep_samples(set, before, samples);
    free(path);
    return st;
}

static strata_status load_folder(const char *folder, uint64_t samples, struct strata_learn_set *set,
                                 struct strata_error *err)
{
    struct dirent **entry = NULL;
    int n = scandir(folder, &entry, is_cell, by_bytes);
    strata_status st = STRATA_OK;
    if (n < 0)
        return strata_fail(err, STRATA_EIO, folder, 0, 0, "the folder cannot be read: %s.",
                           strerror(errno));
    for (int i = 0; i < n && st == STRATA_OK; i++)
        st = load_cell(folder, entry[i]->d_name, samples, set, err);
    for (int i = 0; i < n; i++)
        free(entry[i]);
    free(entry);
    if (st == STRATA_OK && !set->n_samples)
        st = strata_fail(
            err, STRATA_EFORMAT, folder, 0, 0,
            "there is no training data in this folder; `strata learn generate` makes it.");
    return st;
}

/* ---- rows ---- */

/* One sample in five is held back, all its rows together: rows of one sequence are alike. */
static bool held_back(uint64_t seed, size_t sample)
{
    return rng_below(seed ^ 0x5a5a5a5a, sample, 5) == 0;
}

static size_t count_rows(const struct strata_learn_set *set, uint64_t seed, bool test)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n_samples; i++)
        n += held_back(seed, i) == test ? set->sample[i].n_rows : 0;
    return n;
}

enum { REMEMBERED = 1024 };

/* Training draws the same caches again and again. */
static const struct learn_geometry *remembered(struct learn_geometry *memory,
                                               const struct strata_learn_cache *c)
{
    struct learn_geometry *g = &memory[(c->lines * 31 + c->ways * 7919) % REMEMBERED];
    if (g->cache.lines != c->lines || g->cache.ways != c->ways)
        learn_geometry_init(g, c);
    return g;
}

static float place_in(const struct learn_band *band, double rate)
{
    double place = band->width > 0 ? (rate - band->low) / band->width : band->place;
    return (float)(place < 0 ? 0 : place > 1 ? 1 : place);
}

static void put_row(const struct strata_learn_sample *s, const struct strata_learn_row *r,
                    struct learn_geometry *memory, uint32_t features, struct learn_matrix *out)
{
    const struct strata_learn_interval *p = &s->interval[r->interval];
    const struct learn_geometry *g = remembered(memory, &r->cache);
    learn_features(p, g, features, out->x + out->n * out->n_features);
    const double rate[LEARN_OUTPUTS] = {(double)r->misses / p->accesses,
                                        (double)r->merges / p->accesses};
    struct learn_band *band = out->band + out->n * LEARN_OUTPUTS;
    learn_bands(p, g, features, band);
    for (int k = 0; k < LEARN_OUTPUTS; k++) {
        out->rate[out->n * LEARN_OUTPUTS + (size_t)k] = (float)rate[k];
        out->y[out->n * LEARN_OUTPUTS + (size_t)k] = place_in(&band[k], rate[k]);
    }
    out->n++;
}

/* `most` rows at the most, chosen evenly at random. */
static strata_status fill_matrix(const struct strata_learn_set *set, uint32_t features,
                                 uint64_t seed, bool test, uint64_t most, struct learn_matrix *out,
                                 struct strata_error *err)
{
    size_t n = count_rows(set, seed, test), cap = most && most < n ? most : n;
    uint64_t at = 0, left = cap;
    out->n_features = learn_feature_count(features);
    out->x = malloc((cap + 1) * out->n_features * sizeof *out->x);
    out->y = malloc((cap + 1) * LEARN_OUTPUTS * sizeof *out->y);
    out->rate = malloc((cap + 1) * LEARN_OUTPUTS * sizeof *out->rate);
    out->band = malloc((cap + 1) * LEARN_OUTPUTS * sizeof *out->band);
    struct learn_geometry *memory = calloc(REMEMBERED, sizeof *memory);
    if (!out->x || !out->y || !out->rate || !out->band || !memory) {
        free(memory);
        return strata_no_memory(err, NULL, "for %zu rows of training data", cap);
    }
    for (size_t i = 0; i < set->n_samples; i++)
        for (size_t k = 0; held_back(seed, i) == test && k < set->sample[i].n_rows; k++, at++)
            if (rng_below(seed + 77, at, n - at) < left) {
                put_row(&set->sample[i], &set->sample[i].row[k], memory, features, out);
                left--;
            }
    free(memory);
    return STRATA_OK;
}

static void free_matrix(struct learn_matrix *d)
{
    free(d->x);
    free(d->y);
    free(d->rate);
    free(d->band);
}

/* All features lie around 0 to 1. One that hardly varies in training is not blown up: a trace where
 * it does would be far outside of all that was learned. */
static const double LEAST_VARIANCE = 0.04;

static void note_scales(struct strata_learn_model *m, const struct learn_matrix *d)
{
    for (uint32_t f = 0; f < d->n_features; f++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < d->n; i++) {
            double x = d->x[i * d->n_features + f];
            sum += x;
            squares += x * x;
        }
        double mean = sum / (double)d->n, variance = squares / (double)d->n - mean * mean;
        m->mean[f] = (float)mean;
        m->scale[f] = (float)(1 / sqrt(variance > LEAST_VARIANCE ? variance : LEAST_VARIANCE));
    }
}

static void note_range(struct strata_learn_model *m, const struct strata_learn_set *set)
{
    m->least_lines = UINT32_MAX;
    for (size_t i = 0; i < set->n_samples; i++)
        for (size_t k = 0; k < set->sample[i].n_rows; k++) {
            uint32_t lines = set->sample[i].row[k].cache.lines;
            m->least_lines = lines < m->least_lines ? lines : m->least_lines;
            m->most_lines = lines > m->most_lines ? lines : m->most_lines;
        }
}

static strata_status measure(struct strata_learn_model *m, struct learn_matrix *test,
                             struct strata_learn_fit *fit, struct strata_error *err)
{
    float *y = malloc((test->n + 1) * LEARN_OUTPUTS * sizeof *y);
    strata_status st = y ? STRATA_OK : strata_no_memory(err, NULL, "to test a model");
    if (st == STRATA_OK)
        st = learn_model_rows(m, test->x, test->band, test->n, y, err);
    double sum[LEARN_OUTPUTS] = {0};
    for (size_t i = 0; i < test->n * LEARN_OUTPUTS && st == STRATA_OK; i++)
        sum[i % LEARN_OUTPUTS] += fabs((double)y[i] - test->rate[i]);
    fit->test_rows = test->n;
    fit->miss_mae = test->n ? sum[0] / (double)test->n : NAN;
    fit->merge_mae = test->n ? sum[1] / (double)test->n : NAN;
    free(y);
    return st;
}

/* ---- the whole ---- */

static strata_status choose(const struct strata_learn_train_options *opt,
                            struct strata_learn_model *m, struct strata_error *err)
{
    m->learner = learn_find(opt->learner);
    if (!m->learner)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "There is no learner \"%s\"; there are mlp, svr, rf and gb.",
                           opt->learner);
    for (m->features = 0; m->features < LEARN_N_FEATURE_SETS; m->features++)
        if (!strcmp(learn_feature_set_name(m->features), opt->features))
            break;
    if (m->features == LEARN_N_FEATURE_SETS)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "There are no features \"%s\"; there are timed, open and paper.",
                           opt->features);
    if (opt->epochs < 1 || opt->epochs > 10000 || !(opt->dropout >= 0 && opt->dropout <= 0.9))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "A training has 1 to 10000 epochs, and drops a share of 0 to 0.9.");
    return STRATA_OK;
}

static strata_status describe(struct strata_learn_model *m, const struct strata_learn_set *set,
                              const struct strata_learn_train_options *opt,
                              const struct strata_learn_fit *fit, struct strata_error *err)
{
    if (asprintf(&m->provenance,
                 "{\"learner\": \"%s\", \"features\": \"%s\", \"seed\": %llu, \"epochs\": %u, "
                 "\"dropout\": %g, \"samples\": %zu, "
                 "\"train_rows\": %llu, \"test_rows\": %llu, \"test_miss_mae\": %.5f, "
                 "\"test_merge_mae\": %.5f, \"first_cell\": %s}",
                 opt->learner, opt->features, (unsigned long long)opt->seed, opt->epochs,
                 opt->dropout, set->n_samples, (unsigned long long)fit->train_rows,
                 (unsigned long long)fit->test_rows, fit->miss_mae, fit->merge_mae,
                 set->provenance) >= 0)
        return STRATA_OK;
    m->provenance = NULL;
    return strata_no_memory(err, NULL, "for a model");
}

static strata_status train(struct strata_learn_set *set,
                           const struct strata_learn_train_options *opt,
                           struct strata_learn_model *m, struct strata_learn_fit *fit,
                           struct strata_error *err)
{
    struct learn_matrix data = {0}, test = {0};
    uint64_t rows = opt->rows ? opt->rows : m->learner->rows;
    strata_status st = fill_matrix(set, m->features, opt->seed, false, rows, &data, err);
    if (st == STRATA_OK && data.n < 2)
        st = strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                         "There are too few samples to train on; generate more.");
    if (st == STRATA_OK) {
        note_scales(m, &data);
        note_range(m, set);
        for (size_t i = 0; i < data.n; i++)
            learn_standardise(m, data.x + i * data.n_features);
        st = m->learner->train(&data, opt, &m->state, err);
    }
    fit->train_rows = data.n;
    free_matrix(&data);
    if (st == STRATA_OK)
        st = fill_matrix(set, m->features, opt->seed, true, 50000, &test, err);
    if (st == STRATA_OK)
        st = measure(m, &test, fit, err);
    free_matrix(&test);
    return st;
}

strata_status strata_learn_train(const char *folder, const struct strata_learn_train_options *opt,
                                 struct strata_learn_model **out, struct strata_learn_fit *fit,
                                 struct strata_error *err)
{
    struct strata_learn_set set = {0};
    struct strata_learn_model *m = calloc(1, sizeof *m);
    *out = NULL;
    memset(fit, 0, sizeof *fit);
    if (!m)
        return strata_no_memory(err, NULL, "for a model");
    strata_status st = choose(opt, m, err);
    if (st == STRATA_OK && m->learner->about.package)
        st = strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                         "This build cannot train \"%s\"; install %s and configure again.",
                         opt->learner, m->learner->about.package);
    if (st == STRATA_OK)
        st = load_folder(folder, opt->samples, &set, err);
    if (st == STRATA_OK)
        st = train(&set, opt, m, fit, err);
    if (st == STRATA_OK)
        st = describe(m, &set, opt, fit, err);
    strata_learn_set_release(&set);
    if (st == STRATA_OK)
        *out = m;
    else
        strata_learn_model_destroy(m);
    return st;
}
