/* svr.c - support vector regression with radial basis functions (libsvm), one machine for each
 * rate.
 *
 * libsvm trains; what it finds is kept as dense support vectors and evaluated with CBLAS, so that a
 * trained model needs no libsvm to be read. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"
#ifdef STRATA_LIBSVM
#include <libsvm/svm.h>
#endif

struct machine {
    uint32_t n; /* support vectors */
    float *vector, *coefficient, *norm;
    float offset;
};
struct svr {
    uint32_t n_features;
    float gamma;
    struct machine machine[LEARN_OUTPUTS];
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for support vectors");
}

static void svr_release(void *state)
{
    struct svr *s = state;
    for (int k = 0; s && k < LEARN_OUTPUTS; k++) {
        free(s->machine[k].vector);
        free(s->machine[k].coefficient);
        free(s->machine[k].norm);
    }
    free(s);
}

static bool machine_alloc(struct machine *m, uint32_t n, uint32_t n_features)
{
    m->n = n;
    m->vector = calloc((size_t)n * n_features + 1, sizeof *m->vector);
    m->coefficient = calloc(n + 1, sizeof *m->coefficient);
    m->norm = calloc(n + 1, sizeof *m->norm);
    return m->vector && m->coefficient && m->norm;
}

static void note_norms(struct machine *m, uint32_t n_features)
{
    for (uint32_t i = 0; i < m->n; i++) {
        const float *v = m->vector + (size_t)i * n_features;
        m->norm[i] = cblas_sdot((int)n_features, v, 1, v, 1);
    }
}

/* ---- training ---- */

#ifdef STRATA_LIBSVM
static void say_nothing(const char *text)
{
    (void)text;
}

static bool keep_machine(const struct svm_model *found, const struct svm_node *base, const float *x,
                         struct svr *s, struct machine *m)
{
    uint32_t nf = s->n_features;
    if (!machine_alloc(m, (uint32_t)found->l, nf))
        return false;
    m->offset = (float)found->rho[0];
    for (uint32_t i = 0; i < m->n; i++) {
        size_t row = (size_t)(found->SV[i] - base) / (nf + 1);
        memcpy(m->vector + (size_t)i * nf, x + row * nf, nf * sizeof *x);
        m->coefficient[i] = (float)found->sv_coef[0][i];
    }
    note_norms(m, nf);
    return true;
}

/* Section V-A: C = 1, an insensitive tube of 0.1; the width of the kernel is one over the features.
 */
static strata_status train_machine(const struct learn_matrix *d, struct svr *s, int output,
                                   struct svm_node *node, struct strata_error *err)
{
    struct svm_node **row = malloc(d->n * sizeof *row);
    double *y = malloc(d->n * sizeof *y);
    struct svm_problem problem = {.l = (int)d->n, .y = y, .x = row};
    const struct svm_parameter how = {.svm_type = EPSILON_SVR,
                                      .kernel_type = RBF,
                                      .gamma = s->gamma,
                                      .cache_size = 400,
                                      .eps = 1e-3,
                                      .C = 1,
                                      .p = 0.1,
                                      .shrinking = 1};
    bool good = row && y;
    for (size_t i = 0; good && i < d->n; i++) {
        row[i] = node + i * (d->n_features + 1);
        y[i] = d->y[i * LEARN_OUTPUTS + (size_t)output];
    }
    struct svm_model *found = good ? svm_train(&problem, &how) : NULL;
    good = found && keep_machine(found, node, d->x, s, &s->machine[output]);
    svm_free_and_destroy_model(&found);
    free(row);
    free(y);
    return good ? STRATA_OK : no_memory(err);
}

static strata_status svr_train(const struct learn_matrix *d,
                               const struct strata_learn_train_options *opt, void **state,
                               struct strata_error *err)
{
    uint32_t nf = d->n_features;
    struct svr *s = calloc(1, sizeof *s);
    struct svm_node *node = malloc(d->n * (nf + 1) * sizeof *node);
    strata_status st = s && node ? STRATA_OK : no_memory(err);
    (void)opt;
    for (size_t i = 0; st == STRATA_OK && i < d->n; i++) {
        for (uint32_t k = 0; k < nf; k++)
            node[i * (nf + 1) + k] =
                (struct svm_node){.index = (int)k + 1, .value = d->x[i * nf + k]};
        node[i * (nf + 1) + nf].index = -1;
    }
    svm_set_print_string_function(say_nothing);
    if (st == STRATA_OK) {
        s->n_features = nf;
        s->gamma = 1 / (float)nf;
    }
    for (int k = 0; k < LEARN_OUTPUTS && st == STRATA_OK; k++)
        st = train_machine(d, s, k, node, err);
    free(node);
    if (st == STRATA_OK)
        *state = s;
    else
        svr_release(s);
    return st;
}
#else
static strata_status svr_train(const struct learn_matrix *d,
                               const struct strata_learn_train_options *opt, void **state,
                               struct strata_error *err)
{
    (void)d, (void)opt, (void)state;
    return strata_fail(
        err, STRATA_EUNSUPPORTED, NULL, 0, 0,
        "This build cannot train support vector machines; install libsvm-dev and configure again.");
}
#endif

/* ---- use ---- */

/* Squared distances through one matrix product. */
static void evaluate(const struct svr *s, const struct machine *m, const float *x, size_t n,
                     float *product, float *y)
{
    uint32_t nf = s->n_features;
    if (m->n) /* some of the BLAS libraries end the process over an empty product */
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)m->n, (int)nf, -2, x,
                    (int)nf, m->vector, (int)nf, 0, product, (int)m->n);
    for (size_t r = 0; r < n; r++) {
        float own = cblas_sdot((int)nf, x + r * nf, 1, x + r * nf, 1), *p = product + r * m->n;
        double sum = -m->offset;
        for (uint32_t i = 0; i < m->n; i++)
            sum += m->coefficient[i] * expf(-s->gamma * (own + m->norm[i] + p[i]));
        y[r * LEARN_OUTPUTS] = (float)(sum < 0 ? 0 : sum > 1 ? 1 : sum);
    }
}

static strata_status svr_predict(void *state, const float *x, size_t n, uint32_t n_features,
                                 float *y, struct strata_error *err)
{
    enum { CHUNK = 64 };
    const struct svr *s = state;
    uint32_t most = 1;
    for (int k = 0; k < LEARN_OUTPUTS; k++)
        most = s->machine[k].n > most ? s->machine[k].n : most;
    float *product = malloc((size_t)CHUNK * most * sizeof *product);
    if (!product)
        return no_memory(err);
    for (size_t at = 0; at < n; at += CHUNK)
        for (int k = 0; k < LEARN_OUTPUTS; k++)
            evaluate(s, &s->machine[k], x + at * n_features, n - at < CHUNK ? n - at : CHUNK,
                     product, y + at * LEARN_OUTPUTS + k);
    free(product);
    return STRATA_OK;
}

static strata_status svr_save(void *state, struct learn_out *out, struct strata_error *err)
{
    const struct svr *s = state;
    (void)err;
    learn_put_float(out, s->gamma);
    for (int k = 0; k < LEARN_OUTPUTS; k++) {
        const struct machine *m = &s->machine[k];
        learn_put_u32(out, m->n);
        learn_put_float(out, m->offset);
        for (uint32_t i = 0; i < m->n; i++) {
            learn_put_float(out, m->coefficient[i]);
            for (uint32_t j = 0; j < s->n_features; j++)
                learn_put_float(out, m->vector[(size_t)i * s->n_features + j]);
        }
    }
    return STRATA_OK;
}

static float get_finite(struct learn_in *in)
{
    float x = learn_get_float(in);
    in->failed |= !(fabsf(x) < 1e9f);
    return x;
}

static void load_machine(struct learn_in *in, struct machine *m, uint32_t n_features)
{
    uint32_t n = learn_get_u32(in);
    m->offset = get_finite(in);
    if (!learn_can_hold(in, n, 4 * ((size_t)n_features + 1)) || !machine_alloc(m, n, n_features)) {
        in->failed = true;
        return;
    }
    for (uint32_t i = 0; i < n && !in->failed; i++) {
        m->coefficient[i] = get_finite(in);
        for (uint32_t j = 0; j < n_features; j++)
            m->vector[(size_t)i * n_features + j] = get_finite(in);
    }
    note_norms(m, n_features);
}

static strata_status svr_load(struct learn_in *in, uint32_t n_features, const char *name,
                              void **state, struct strata_error *err)
{
    struct svr *s = calloc(1, sizeof *s);
    if (!s)
        return no_memory(err);
    s->n_features = n_features;
    s->gamma = get_finite(in);
    for (int k = 0; k < LEARN_OUTPUTS && !in->failed; k++)
        load_machine(in, &s->machine[k], n_features);
    if (in->failed) {
        svr_release(s);
        return learn_damaged(name, "its support vectors cannot be read", err);
    }
    *state = s;
    return STRATA_OK;
}

const struct learn_learner learn_svr = {
    .about = {.name = "svr",
              .summary = "support vector regression with radial basis functions, by libsvm",
#ifndef STRATA_LIBSVM
              .package = "libsvm-dev"
#endif
    },
    .rows = 8000,
    .train = svr_train,
    .predict = svr_predict,
    .save = svr_save,
    .load = svr_load,
    .release = svr_release,
};
