/* model.c - trained models: use, files, the one that comes with the build. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "learn/learner.h"

enum { LIMIT_BYTES = 1 << 30, CHUNK = 256 };

static const struct learn_learner *const learners[] = {&learn_mlp, &learn_svr, &learn_forest,
                                                       &learn_boosting};
enum { N_LEARNERS = sizeof learners / sizeof learners[0] };

const struct strata_learn_learner *strata_learn_learners(size_t *n)
{
    static struct strata_learn_learner table[N_LEARNERS];
    for (int i = 0; i < N_LEARNERS; i++)
        table[i] = learners[i]->about;
    *n = N_LEARNERS;
    return table;
}

const struct learn_learner *learn_find(const char *name)
{
    for (int i = 0; i < N_LEARNERS; i++)
        if (!strcmp(learners[i]->about.name, name))
            return learners[i];
    return NULL;
}

void strata_learn_model_destroy(struct strata_learn_model *m)
{
    if (!m)
        return;
    if (m->learner)
        m->learner->release(m->state);
    learn_analytic_destroy(m->analytic);
    free(m->provenance);
    free(m);
}

const char *strata_learn_model_learner(const struct strata_learn_model *m)
{
    return m->learner ? m->learner->about.name : m->provenance;
}

const char *strata_learn_model_provenance(const struct strata_learn_model *m)
{
    return m->provenance;
}

bool strata_learn_in_range(const struct strata_learn_model *m,
                           const struct strata_learn_cache *cache)
{
    return cache->lines >= m->least_lines && cache->lines <= m->most_lines;
}

/* ---- use ---- */

void learn_standardise(const struct strata_learn_model *m, float *x)
{
    for (uint32_t i = 0, n = learn_feature_count(m->features); i < n; i++)
        x[i] = (x[i] - m->mean[i]) * m->scale[i];
}

strata_status learn_model_rows(struct strata_learn_model *m, float *x,
                               const struct learn_band *band, size_t n, float *y,
                               struct strata_error *err)
{
    uint32_t nf = learn_feature_count(m->features);
    for (size_t i = 0; i < n; i++)
        learn_standardise(m, x + i * nf);
    for (size_t i = 0; i < n * LEARN_OUTPUTS; i++)
        y[i] = band[i].place;
    strata_status st = m->learner->predict(m->state, x, n, nf, y, err);
    for (size_t i = 0; i < n * LEARN_OUTPUTS && st == STRATA_OK; i++)
        y[i] = band[i].low + band[i].width * y[i];
    for (size_t i = 0; i < n && st == STRATA_OK; i++) { /* an access cannot both miss and merge */
        float *r = y + i * LEARN_OUTPUTS, sum = r[0] + r[1];
        if (sum > 1) {
            r[0] /= sum;
            r[1] /= sum;
        }
    }
    return st;
}

static strata_status predict_chunk(struct strata_learn_model *m,
                                   const struct strata_learn_interval *interval, size_t n,
                                   const struct learn_geometry *g, double sum[LEARN_OUTPUTS],
                                   struct strata_error *err)
{
    uint32_t nf = learn_feature_count(m->features);
    struct learn_band band[CHUNK * LEARN_OUTPUTS];
    float y[CHUNK * LEARN_OUTPUTS], *x = malloc(n * nf * sizeof *x);
    if (!x)
        return strata_no_memory(err, NULL, "for a prediction");
    for (size_t i = 0; i < n; i++) {
        learn_features(&interval[i], g, m->features, x + i * nf);
        learn_bands(&interval[i], g, m->features, band + i * LEARN_OUTPUTS);
    }
    strata_status st = learn_model_rows(m, x, band, n, y, err);
    for (size_t i = 0; i < n && st == STRATA_OK; i++)
        for (int k = 0; k < LEARN_OUTPUTS; k++)
            sum[k] += (double)y[i * LEARN_OUTPUTS + (size_t)k] * interval[i].accesses;
    free(x);
    return st;
}

static void analytic_sample(struct strata_learn_model *m,
                            const struct strata_learn_interval *interval, size_t n,
                            const struct strata_learn_cache *cache, double sum[LEARN_OUTPUTS])
{
    for (size_t i = 0; i < n; i++) {
        struct strata_learn_rates r = learn_analytic_rates(m->analytic, &interval[i], cache);
        sum[0] += r.miss * interval[i].accesses;
        sum[1] += r.merge * interval[i].accesses;
    }
}

strata_status strata_learn_predict_sample(struct strata_learn_model *m,
                                          const struct strata_learn_sample *sample,
                                          const struct strata_learn_cache *cache,
                                          struct strata_learn_rates *out, struct strata_error *err)
{
    double sum[LEARN_OUTPUTS] = {0}, accesses = 0;
    struct learn_geometry g;
    strata_status st = strata_learn_cache_check(cache, err);
    for (size_t i = 0; i < sample->n_intervals; i++)
        accesses += sample->interval[i].accesses;
    if (st == STRATA_OK && m->learner)
        learn_geometry_init(&g, cache);
    if (st == STRATA_OK && !m->learner)
        analytic_sample(m, sample->interval, sample->n_intervals, cache, sum);
    for (size_t at = 0; m->learner && at < sample->n_intervals && st == STRATA_OK; at += CHUNK)
        st = predict_chunk(m, sample->interval + at,
                           sample->n_intervals - at < CHUNK ? sample->n_intervals - at : CHUNK, &g,
                           sum, err);
    if (st != STRATA_OK)
        return st;
    /* whole accesses: what differs by less is the same */
    out->miss = accesses > 0 ? round(sum[0]) / accesses : NAN;
    out->merge = accesses > 0 ? round(sum[1]) / accesses : NAN;
    return STRATA_OK;
}

strata_status strata_learn_predict(struct strata_learn_model *m,
                                   const struct strata_learn_interval *interval,
                                   const struct strata_learn_cache *cache,
                                   struct strata_learn_rates *out, struct strata_error *err)
{
    struct strata_learn_interval copy = *interval;
    const struct strata_learn_sample one = {.interval = &copy, .n_intervals = 1};
    copy.accesses = copy.accesses ? copy.accesses : 1;
    return strata_learn_predict_sample(m, &one, cache, out, err);
}

/* ---- files ---- */

strata_status strata_learn_model_save(const struct strata_learn_model *m, const char *path,
                                      struct strata_error *err)
{
    struct learn_out o = {0};
    uint32_t n = learn_feature_count(m->features);
    if (!m->learner)
        return strata_fail(err, STRATA_EUSAGE, path, 0, 0,
                           "an analytic model has nothing to save.");
    learn_put_text(&o, m->provenance);
    learn_put_text(&o, m->learner->about.name);
    learn_put_u32(&o, m->features);
    learn_put_u32(&o, n);
    learn_put_u32(&o, m->least_lines);
    learn_put_u32(&o, m->most_lines);
    for (uint32_t i = 0; i < n; i++) {
        learn_put_float(&o, m->mean[i]);
        learn_put_float(&o, m->scale[i]);
    }
    strata_status st = m->learner->save(m->state, &o, err);
    if (st == STRATA_OK)
        st = learn_save(&o, LEARN_KIND_MODEL, path, err);
    learn_out_release(&o);
    return st;
}

static strata_status read_head(struct learn_in *in, const char *name, struct strata_learn_model *m,
                               struct strata_error *err)
{
    m->provenance = learn_get_text(in);
    char *learner = learn_get_text(in);
    m->learner = learner ? learn_find(learner) : NULL;
    m->features = learn_get_u32(in);
    uint32_t n = learn_get_u32(in);
    m->least_lines = learn_get_u32(in);
    m->most_lines = learn_get_u32(in);
    strata_status st = STRATA_OK;
    if (!in->failed && !m->learner)
        st = strata_fail(err, STRATA_EFORMAT, name, 0, 0,
                         "the model is of a learner \"%.40s\" that this build does not know.",
                         learner);
    free(learner);
    if (st == STRATA_OK && (in->failed || m->features >= LEARN_N_FEATURE_SETS ||
                            n != learn_feature_count(m->features)))
        st = learn_damaged(name, "its head cannot be read", err);
    for (uint32_t i = 0; i < n && st == STRATA_OK; i++) {
        m->mean[i] = learn_get_float(in);
        m->scale[i] = learn_get_float(in);
        if (in->failed || !isfinite(m->mean[i]) || !isfinite(m->scale[i]))
            st = learn_damaged(name, "its scales cannot be read", err);
    }
    if (st != STRATA_OK)
        m->learner = NULL; /* there is no state to release */
    return st;
}

strata_status learn_model_read(struct learn_in *in, const char *name,
                               struct strata_learn_model **out, struct strata_error *err)
{
    struct strata_learn_model *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return strata_no_memory(err, name, "for the model");
    strata_status st = read_head(in, name, m, err);
    if (st == STRATA_OK)
        st = m->learner->load(in, learn_feature_count(m->features), name, &m->state, err);
    if (st == STRATA_OK && in->at != in->end)
        st = learn_damaged(name, "something follows its end", err);
    if (st == STRATA_OK)
        *out = m;
    else
        strata_learn_model_destroy(m);
    return st;
}

strata_status learn_model_parse(const uint8_t *data, size_t n, const char *name,
                                struct strata_learn_model **out, struct strata_error *err)
{
    struct learn_in in;
    *out = NULL;
    strata_status st = learn_open(data, n, LEARN_KIND_MODEL, name, &in, err);
    return st == STRATA_OK ? learn_model_read(&in, name, out, err) : st;
}

strata_status strata_learn_model_load(const char *path, struct strata_learn_model **out,
                                      struct strata_error *err)
{
    char *data;
    size_t n;
    *out = NULL;
    strata_status st = strata_file_read(path, LIMIT_BYTES, &data, &n, err);
    if (st != STRATA_OK)
        return st;
    st = learn_model_parse((const uint8_t *)data, n, path, out, err);
    free(data);
    return st;
}

/* ---- built in ---- */

extern const unsigned char
    learn_default_model[]; /* made from models/default.learn when the library is built */
extern const unsigned long learn_default_model_bytes;

static strata_status make_analytic(const char *name, struct strata_learn_model **out,
                                   struct strata_error *err)
{
    struct strata_learn_model *m = calloc(1, sizeof *m);
    strata_status st = m ? learn_analytic_create(name, &m->analytic, err)
                         : strata_no_memory(err, NULL, "for the analytic model");
    if (st == STRATA_OK && !(m->provenance = strdup(name)))
        st = strata_no_memory(err, NULL, "for the analytic model");
    if (st != STRATA_OK) {
        strata_learn_model_destroy(m);
        return st;
    }
    m->least_lines = 1;
    m->most_lines = 32768;
    *out = m;
    return STRATA_OK;
}

strata_status strata_learn_model_builtin(const char *name, struct strata_learn_model **out,
                                         struct strata_error *err)
{
    *out = NULL;
    if (!strcmp(name, "sdcm") || !strcmp(name, "ppt") || !strcmp(name, "timed"))
        return make_analytic(name, out, err);
    if (strcmp(name, "default"))
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "There is no built-in model \"%s\"; there are default, sdcm, ppt and timed.", name);
    if (!learn_default_model_bytes)
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                           "This build has no default model; train one with `strata learn train` "
                           "and name its file.");
    return learn_model_parse(learn_default_model, learn_default_model_bytes, "default model", out,
                             err);
}
