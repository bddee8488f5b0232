/* mlp.c - the multi-layer perceptron of paper 003, section V-A: 1024, 128 and 32 ReLU units, two
 * sigmoid outputs, dropout, Adam, batches of 256.
 *
 * A batch is always worked on in SHARDS parts of its own whose gradients are added in order, so
 * that the number of threads changes nothing. The matrix products are CBLAS'. */
#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "learn/learner.h"

enum { LAYERS = 4, BATCH = 256, SHARDS = 2, PART = BATCH / SHARDS, CHUNK = 256, MOST_UNITS = 1024 };
static const uint32_t hidden[LAYERS] = {1024, 128, 32, LEARN_OUTPUTS};
static const double RATE = 0.001, BETA1 = 0.9, BETA2 = 0.999, EPSILON = 1e-8, DECAY = 0.01;

#ifdef STRATA_OPENBLAS
extern void
openblas_set_num_threads(int n); /* threads are ours; its own would only fight with them */
#endif

struct mlp {
    uint32_t n_in[LAYERS], n_out[LAYERS];
    size_t weight[LAYERS], bias[LAYERS]; /* offsets into p */
    size_t n_parameters;
    float *p; /* weights by output unit, then biases, layer by layer */
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for a neural network");
}

static void mlp_release(void *state)
{
    struct mlp *m = state;
    if (m)
        free(m->p);
    free(m);
}

static strata_status mlp_create(uint32_t n_features, struct mlp **out, struct strata_error *err)
{
    struct mlp *m = calloc(1, sizeof *m);
    if (!m)
        return no_memory(err);
    for (int l = 0; l < LAYERS; l++) {
        m->n_in[l] = l ? hidden[l - 1] : n_features;
        m->n_out[l] = hidden[l];
        m->weight[l] = m->n_parameters;
        m->bias[l] = m->weight[l] + (size_t)m->n_in[l] * m->n_out[l];
        m->n_parameters = m->bias[l] + m->n_out[l];
    }
    m->p = calloc(m->n_parameters, sizeof *m->p);
    if (!m->p) {
        mlp_release(m);
        return no_memory(err);
    }
#ifdef STRATA_OPENBLAS
    openblas_set_num_threads(1);
#endif
    *out = m;
    return STRATA_OK;
}

/* He's initialisation, with which ReLU units keep the variance; the outputs begin at nothing, so
 * that what training does not reach stays where it starts. */
static void initialise(struct mlp *m, uint64_t seed)
{
    uint64_t at = 0;
    for (int l = 0; l + 1 < LAYERS; l++) {
        double bound = sqrt(6.0 / m->n_in[l]);
        for (size_t i = 0; i < (size_t)m->n_in[l] * m->n_out[l]; i++)
            m->p[m->weight[l] + i] =
                (float)(bound * (2 * (double)(rng_at(seed, at++) >> 11) / 9007199254740992.0 - 1));
    }
}

/* ---- forward ---- */

/* Activations of one layer for n rows, before the nonlinearity. */
static void layer_forward(const struct mlp *m, int l, const float *in, size_t n, float *out)
{
    uint32_t n_out = m->n_out[l];
    for (size_t r = 0; r < n; r++)
        memcpy(out + r * n_out, m->p + m->bias[l], n_out * sizeof *out);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)n_out, (int)m->n_in[l], 1, in,
                (int)m->n_in[l], m->p + m->weight[l], (int)m->n_in[l], 1, out, (int)n_out);
}

static void rectify(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] > 0 ? x[i] : 0;
}

static float log_odds(float place)
{
    float least = 0.0001f, x = place < least ? least : place > 1 - least ? 1 - least : place;
    return logf(x / (1 - x));
}

/* The network says by how much the log-odds of the place differ from those it is given. */
static void squash(float *x, const float *place, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1 / (1 + expf(-x[i] - log_odds(place[i])));
}

static strata_status mlp_predict(void *state, const float *x, size_t n, uint32_t n_features,
                                 float *y, struct strata_error *err)
{
    const struct mlp *m = state;
    float *a = malloc(2 * (size_t)CHUNK * MOST_UNITS * sizeof *a),
          *b = a ? a + (size_t)CHUNK * MOST_UNITS : NULL;
    if (!a)
        return no_memory(err);
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t rows = n - at < CHUNK ? n - at : CHUNK;
        const float *in = x + at * n_features;
        for (int l = 0; l < LAYERS; l++) {
            float *out = l & 1 ? b : a;
            layer_forward(m, l, in, rows, out);
            if (l + 1 < LAYERS)
                rectify(out, rows * m->n_out[l]);
            else
                squash(out, y + at * LEARN_OUTPUTS, rows * m->n_out[l]);
            in = out;
        }
        memcpy(y + at * LEARN_OUTPUTS, in, rows * LEARN_OUTPUTS * sizeof *y);
    }
    free(a);
    return STRATA_OK;
}

/* ---- training ---- */

struct shard {
    float *in; /* PART rows */
    float *label, *place, *width;
    float *act[LAYERS]; /* after the nonlinearity and dropout */
    float *delta[LAYERS];
    float *gradient; /* as the parameters */
    size_t n;
    double loss;
};

struct training {
    struct mlp *m;
    const struct learn_matrix *data;
    const struct strata_learn_train_options *opt;
    uint32_t *order;
    float *first, *second; /* Adam's moments */
    struct shard shard[SHARDS];
    size_t step, steps, batch_at, batch_n;
    double rate;
    bool stop;
    pthread_barrier_t barrier;
};

/* Units of the widest layer are left out at random; what stays is scaled up. The narrow layers keep
 * all of theirs: with 32 units and half of them gone, two rates cannot be told to a percent. */
static void drop(const struct training *t, struct shard *s, uint64_t part)
{
    uint32_t n_out = t->m->n_out[0], threshold = (uint32_t)lround(t->opt->dropout * 256);
    float keep = 256.0f / (float)(256 - threshold);
    uint64_t seed = t->opt->seed * 7919 + 17,
             at = (t->step * SHARDS + part) * (PART * MOST_UNITS / 8);
    float *a = s->act[0];
    for (size_t i = 0; i < s->n * n_out; i += 8) {
        uint64_t bits = rng_at(seed, at++);
        for (int k = 0; k < 8; k++, bits >>= 8)
            a[i + (size_t)k] *= (bits & 255) < threshold ? 0 : keep;
    }
}

static void forward(const struct training *t, struct shard *s, uint64_t part)
{
    const struct mlp *m = t->m;
    const float *in = s->in;
    for (int l = 0; l < LAYERS; l++) {
        layer_forward(m, l, in, s->n, s->act[l]);
        if (l + 1 == LAYERS)
            squash(s->act[l], s->place, s->n * m->n_out[l]);
        else
            rectify(s->act[l], s->n * m->n_out[l]);
        if (!l && t->opt->dropout > 0)
            drop(t, s, part);
        in = s->act[l];
    }
}

/* Cross entropy: its slope is the error itself, also where the sigmoid is flat. An error counts by
 * the width of its band. */
static void output_delta(const struct training *t, struct shard *s)
{
    s->loss = 0;
    for (size_t i = 0; i < s->n * LEARN_OUTPUTS; i++) {
        float e = (s->act[LAYERS - 1][i] - s->label[i]) * s->width[i];
        s->loss += (double)e * e;
        s->delta[LAYERS - 1][i] = e / (float)t->batch_n;
    }
}

static void backward(const struct training *t, struct shard *s)
{
    const struct mlp *m = t->m;
    float keep =
        t->opt->dropout > 0 ? (float)(256 / (256 - (double)lround(t->opt->dropout * 256))) : 1;
    for (int l = LAYERS - 1; l >= 0; l--) {
        const float *in = l ? s->act[l - 1] : s->in;
        float *g = s->gradient + m->weight[l], *gb = s->gradient + m->bias[l];
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)m->n_out[l], (int)m->n_in[l],
                    (int)s->n, 1, s->delta[l], (int)m->n_out[l], in, (int)m->n_in[l], 0, g,
                    (int)m->n_in[l]);
        memset(gb, 0, m->n_out[l] * sizeof *gb);
        for (size_t r = 0; r < s->n; r++)
            cblas_saxpy((int)m->n_out[l], 1, s->delta[l] + r * m->n_out[l], 1, gb, 1);
        if (!l)
            break;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)s->n, (int)m->n_in[l],
                    (int)m->n_out[l], 1, s->delta[l], (int)m->n_out[l], m->p + m->weight[l],
                    (int)m->n_in[l], 0, s->delta[l - 1], (int)m->n_in[l]);
        float scale = l == 1 ? keep : 1; /* units that were dropped have no activation left */
        for (size_t i = 0; i < s->n * m->n_in[l]; i++)
            s->delta[l - 1][i] = s->act[l - 1][i] > 0 ? s->delta[l - 1][i] * scale : 0;
    }
}

static void work_on_shard(struct training *t, uint64_t part)
{
    struct shard *s = &t->shard[part];
    size_t from = part * t->batch_n / SHARDS, to = (part + 1) * t->batch_n / SHARDS;
    uint32_t nf = t->data->n_features;
    s->n = to - from;
    for (size_t r = 0; r < s->n; r++) {
        size_t row = t->order[t->batch_at + from + r];
        memcpy(s->in + r * nf, t->data->x + row * nf, nf * sizeof *s->in);
        memcpy(s->label + r * LEARN_OUTPUTS, t->data->y + row * LEARN_OUTPUTS,
               LEARN_OUTPUTS * sizeof *s->label);
        for (size_t k = 0; k < LEARN_OUTPUTS; k++) {
            const struct learn_band *band = &t->data->band[row * LEARN_OUTPUTS + k];
            s->place[r * LEARN_OUTPUTS + k] = band->place;
            s->width[r * LEARN_OUTPUTS + k] = band->width;
        }
    }
    forward(t, s, part);
    output_delta(t, s);
    backward(t, s);
}

/* Adam's step for one part of the parameters, with weights that decay: small corrections unless the
 * data asks for large ones. */
static void update(struct training *t, uint64_t part)
{
    size_t n = t->m->n_parameters, from = part * n / SHARDS, to = (part + 1) * n / SHARDS;
    double count = (double)t->step + 1;
    float rate = (float)(t->rate * sqrt(1 - pow(BETA2, count)) / (1 - pow(BETA1, count)));
    float b1 = (float)BETA1, b2 = (float)BETA2, tiny = (float)EPSILON,
          keep = (float)(1 - t->rate * DECAY);
    float *p = t->m->p, *m1 = t->first, *m2 = t->second;
    const float *g0 = t->shard[0].gradient, *g1 = t->shard[1].gradient;
    for (size_t i = from; i < to; i++) {
        float g = g0[i] + g1[i];
        m1[i] = b1 * m1[i] + (1 - b1) * g;
        m2[i] = b2 * m2[i] + (1 - b2) * g * g;
        p[i] = keep * p[i] - rate * m1[i] / (sqrtf(m2[i]) + tiny);
    }
}

/* The second thread: does the second half of everything. */
static void *help(void *context)
{
    struct training *t = context;
    for (;;) {
        pthread_barrier_wait(&t->barrier);
        if (t->stop)
            return NULL;
        work_on_shard(t, 1);
        pthread_barrier_wait(&t->barrier);
        update(t, 1);
        pthread_barrier_wait(&t->barrier);
    }
}

static double train_batch(struct training *t, bool helped)
{
    if (helped)
        pthread_barrier_wait(&t->barrier);
    work_on_shard(t, 0);
    if (helped)
        pthread_barrier_wait(&t->barrier);
    else
        work_on_shard(t, 1);
    update(t, 0);
    if (helped)
        pthread_barrier_wait(&t->barrier);
    else
        update(t, 1);
    return t->shard[0].loss + t->shard[1].loss;
}

static void shuffle(uint32_t *order, size_t n, uint64_t seed)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = rng_below(seed, i, i);
        uint32_t x = order[i - 1];
        order[i - 1] = order[k];
        order[k] = x;
    }
}

/* The rate falls from 0.001 to nothing along half a cosine: what the last percent needs. */
static void run_epochs(struct training *t, bool helped)
{
    size_t batches = (t->data->n + BATCH - 1) / BATCH;
    t->steps = batches * t->opt->epochs;
    for (uint32_t e = 0; e < t->opt->epochs; e++) {
        double loss = 0;
        shuffle(t->order, t->data->n, t->opt->seed * 1000 + e);
        for (size_t b = 0; b < batches; b++, t->step++) {
            t->batch_at = b * BATCH;
            t->batch_n = t->data->n - t->batch_at < BATCH ? t->data->n - t->batch_at : BATCH;
            t->rate = RATE * 0.5 * (1 + cos(3.14159265358979 * (double)t->step / (double)t->steps));
            loss += train_batch(t, helped);
        }
        if (t->opt->progress)
            t->opt->progress(t->opt->progress_context, e + 1, t->opt->epochs,
                             loss / (double)(t->data->n * LEARN_OUTPUTS));
    }
}

static bool shard_alloc(const struct mlp *m, struct shard *s)
{
    s->in = malloc((size_t)PART * m->n_in[0] * sizeof *s->in);
    s->label = malloc((size_t)PART * LEARN_OUTPUTS * sizeof *s->label);
    s->place = malloc((size_t)PART * LEARN_OUTPUTS * sizeof *s->place);
    s->width = malloc((size_t)PART * LEARN_OUTPUTS * sizeof *s->width);
    s->gradient = malloc(m->n_parameters * sizeof *s->gradient);
    bool good = s->in && s->label && s->place && s->width && s->gradient;
    for (int l = 0; l < LAYERS; l++) {
        s->act[l] = malloc((size_t)PART * m->n_out[l] * sizeof *s->act[l]);
        s->delta[l] = malloc((size_t)PART * m->n_out[l] * sizeof *s->delta[l]);
        good = good && s->act[l] && s->delta[l];
    }
    return good;
}

static void training_release(struct training *t)
{
    for (int k = 0; k < SHARDS; k++) {
        struct shard *s = &t->shard[k];
        free(s->in);
        free(s->label);
        free(s->place);
        free(s->width);
        free(s->gradient);
        for (int l = 0; l < LAYERS; l++) {
            free(s->act[l]);
            free(s->delta[l]);
        }
    }
    free(t->order);
    free(t->first);
    free(t->second);
}

static void run_threads(struct training *t)
{
    pthread_t thread;
    bool helped = t->opt->threads > 1 && !pthread_barrier_init(&t->barrier, NULL, 2);
    if (helped && pthread_create(&thread, NULL, help, t)) {
        pthread_barrier_destroy(&t->barrier);
        helped = false;
    }
    run_epochs(t, helped);
    if (!helped)
        return;
    t->stop = true;
    pthread_barrier_wait(&t->barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&t->barrier);
}

/* ---- files ---- */

/* Weights of a unit as 16-bit steps of a scale of their own: half the size, and an error far below
 * that of the training. */
static float unit_scale(const float *w, uint32_t n)
{
    float most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fabsf(w[i]) > most ? fabsf(w[i]) : most;
    return most > 0 ? most / 32767 : 1;
}

/* A trained model has the values that its file gives back: both predict the same. */
static void quantise(struct mlp *m)
{
    for (int l = 0; l < LAYERS; l++)
        for (uint32_t u = 0; u < m->n_out[l]; u++) {
            float *w = m->p + m->weight[l] + (size_t)u * m->n_in[l],
                  scale = unit_scale(w, m->n_in[l]);
            for (uint32_t i = 0; i < m->n_in[l]; i++)
                w[i] = scale * (float)lroundf(w[i] / scale);
        }
}

static strata_status mlp_train(const struct learn_matrix *data,
                               const struct strata_learn_train_options *opt, void **state,
                               struct strata_error *err)
{
    struct training t = {.data = data, .opt = opt};
    strata_status st = mlp_create(data->n_features, &t.m, err);
    if (st != STRATA_OK)
        return st;
    t.order = malloc((data->n + 1) * sizeof *t.order);
    t.first = calloc(t.m->n_parameters, sizeof *t.first);
    t.second = calloc(t.m->n_parameters, sizeof *t.second);
    bool good = t.order && t.first && t.second;
    for (int k = 0; k < SHARDS; k++)
        good = shard_alloc(t.m, &t.shard[k]) && good;
    if (good) {
        for (size_t i = 0; i < data->n; i++)
            t.order[i] = (uint32_t)i;
        initialise(t.m, opt->seed);
        run_threads(&t);
        quantise(t.m);
        *state = t.m;
    } else {
        mlp_release(t.m);
        st = no_memory(err);
    }
    training_release(&t);
    return st;
}

static strata_status mlp_save(void *state, struct learn_out *out, struct strata_error *err)
{
    const struct mlp *m = state;
    (void)err;
    learn_put_u32(out, LAYERS);
    for (int l = 0; l < LAYERS; l++) {
        learn_put_u32(out, m->n_in[l]);
        learn_put_u32(out, m->n_out[l]);
        for (uint32_t u = 0; u < m->n_out[l]; u++) {
            const float *w = m->p + m->weight[l] + (size_t)u * m->n_in[l];
            float scale = unit_scale(w, m->n_in[l]);
            learn_put_float(out, m->p[m->bias[l] + u]);
            learn_put_float(out, scale);
            for (uint32_t i = 0; i < m->n_in[l]; i++) {
                uint16_t q = (uint16_t)(int16_t)lroundf(w[i] / scale);
                uint8_t b[2] = {(uint8_t)q, (uint8_t)(q >> 8)};
                learn_put_bytes(out, b, 2);
            }
        }
    }
    return STRATA_OK;
}

static void load_unit(struct learn_in *in, struct mlp *m, int l, uint32_t u)
{
    float *w = m->p + m->weight[l] + (size_t)u * m->n_in[l];
    float bias = learn_get_float(in), scale = learn_get_float(in);
    const uint8_t *b = learn_get_bytes(in, 2 * (size_t)m->n_in[l]);
    in->failed |= !isfinite(bias) || !isfinite(scale) || fabsf(bias) > 1e6f || fabsf(scale) > 1e6f;
    if (in->failed)
        return;
    m->p[m->bias[l] + u] = bias;
    for (uint32_t i = 0; i < m->n_in[l]; i++)
        w[i] = scale * (float)(int16_t)(uint16_t)(b[2 * i] | b[2 * i + 1] << 8);
}

static strata_status mlp_load(struct learn_in *in, uint32_t n_features, const char *name,
                              void **state, struct strata_error *err)
{
    struct mlp *m;
    strata_status st = mlp_create(n_features, &m, err);
    if (st != STRATA_OK)
        return st;
    in->failed |= learn_get_u32(in) != LAYERS;
    for (int l = 0; l < LAYERS; l++) {
        in->failed |= learn_get_u32(in) != m->n_in[l];
        in->failed |= learn_get_u32(in) != m->n_out[l];
        for (uint32_t u = 0; u < m->n_out[l] && !in->failed; u++)
            load_unit(in, m, l, u);
    }
    if (in->failed) {
        mlp_release(m);
        return learn_damaged(name, "its network cannot be read", err);
    }
    *state = m;
    return STRATA_OK;
}

const struct learn_learner learn_mlp = {
    .about = {.name = "mlp", .summary = "multi-layer perceptron: 1024, 128 and 32 units, on CBLAS"},
    .rows = 400000,
    .train = mlp_train,
    .predict = mlp_predict,
    .save = mlp_save,
    .load = mlp_load,
    .release = mlp_release,
};
