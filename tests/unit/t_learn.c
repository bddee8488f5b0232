/* Profiles, learners, files and evaluation of the learned model (paper 003). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <unistd.h>
#include <cmocka.h>

#include <gsl/gsl_statistics_double.h>

#include "base/file.h"
#include "learn/features.h"
#include "learn/learner.h"
#include "learn/sequence.h"
#include "learn/set.h"
#include "learn/trace_stream.h"
#include "reuse/histogram.h"
#include "reuse/stack.h"

static struct strata_error err;

static char folder[64];
static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A small training set, made once. */
static int make_folder(void **state)
{
    struct strata_learn_generate_options opt;
    size_t made, kept;
    (void)state;
    strcpy(folder, "/tmp/strata-learn-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    strata_learn_generate_options_init(&opt);
    opt.samples = 2;
    opt.threads = 2;
    return strata_learn_generate(in_folder("data"), &opt, &made, &kept, &err) == STRATA_OK &&
                   made == 92 && kept == 0
               ? 0
               : -1;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* ---- profiles ---- */

static void make_line(uint64_t *line, size_t n, uint32_t pattern, uint64_t seed)
{
    struct learn_random r = {.seed = seed};
    learn_pattern_make(pattern, line, n, &r);
}

static void every_distance_falls_into_the_bucket_that_begins_before_it(void **state)
{
    (void)state;
    for (uint32_t d = 0; d < 40000; d++) {
        uint32_t b = learn_bucket_of(d);
        assert_true(b < STRATA_LEARN_BUCKETS && learn_bucket_from(b) <= d &&
                    d < learn_bucket_from(b + 1));
    }
}

static void shares_are_those_of_the_exact_stack(void **state)
{
    (void)state;
    enum { N = 5000 };
    uint64_t line[N];
    uint32_t distance[N];
    for (uint32_t p = LEARN_STREAM; p < LEARN_N_PATTERNS; p++) {
        struct learn_stream s;
        struct reuse_stack stack;
        struct strata_learn_interval interval[2];
        const struct learn_span span[2] = {{0, 2000}, {3000, N}};
        double count[STRATA_LEARN_BUCKETS] = {0}, cold = 0;
        make_line(line, N, p, 4);
        assert_int_equal(reuse_stack_init(&stack, &err), STRATA_OK);
        assert_int_equal(reuse_stack_run(&stack, line, N, distance, &err), STRATA_OK);
        assert_int_equal(learn_stream_make(&s, line, N, &err), STRATA_OK);
        assert_int_equal(learn_profile(&s, span, 2, 256, interval, &err), STRATA_OK);
        for (size_t i = span[1].from; i < span[1].to; i++)
            if (distance[i] == REUSE_COLD)
                cold++;
            else
                count[learn_bucket_of(distance[i])]++;
        assert_true(fabs(interval[1].cold - cold / 2000) < 1e-6);
        for (int b = 0; b < STRATA_LEARN_BUCKETS; b++)
            assert_true(fabs(interval[1].share[b] - count[b] / 2000) < 1e-6);
        reuse_stack_release(&stack);
        learn_stream_release(&s);
    }
}

/* Without latency a fully associative cache is a matter of distances alone. */
static void curves_without_latency_are_exact(void **state)
{
    (void)state;
    enum { N = 4000 };
    uint64_t line[N];
    for (uint32_t p = LEARN_STREAM; p < LEARN_N_PATTERNS; p++) {
        struct learn_stream s;
        struct strata_learn_interval interval;
        const struct learn_span span = {0, N};
        make_line(line, N, p, 8);
        assert_int_equal(learn_stream_make(&s, line, N, &err), STRATA_OK);
        assert_int_equal(learn_profile(&s, &span, 1, 0, &interval, &err), STRATA_OK);
        for (uint32_t k = 6; k < 26; k += 2) {
            const struct strata_learn_cache cache = {learn_size_lines(k), learn_size_lines(k)};
            const struct strata_learn_timing timing = {0};
            struct strata_learn_counts c;
            assert_int_equal(learn_label(&s, &cache, &timing, N, &c, &err), STRATA_OK);
            assert_true(fabs(interval.miss[k] - (double)c.misses / N) < 1e-6);
            assert_true(interval.merge[k] == 0);
        }
        learn_stream_release(&s);
    }
}

/* The largest difference between the curve of misses and what the timed L1 does, over caches of 8
 * to 8192 lines; *sum and *n: all of them. */
static double curve_error(const uint64_t *line, size_t n_lines, double *sum, double *n)
{
    struct learn_stream s;
    struct strata_learn_interval interval;
    const struct learn_span span = {0, n_lines};
    const struct strata_learn_timing timing = STRATA_LEARN_TIMING;
    double worst = 0;
    assert_int_equal(learn_stream_make(&s, line, n_lines, &err), STRATA_OK);
    assert_int_equal(learn_profile(&s, &span, 1, timing.latency_cycles, &interval, &err),
                     STRATA_OK);
    for (uint32_t k = 6; k <= 26; k++, ++*n) {
        const struct strata_learn_cache cache = {learn_size_lines(k), learn_size_lines(k)};
        struct strata_learn_counts c;
        assert_int_equal(learn_label(&s, &cache, &timing, n_lines, &c, &err), STRATA_OK);
        double error = fabs(interval.miss[k] - (double)c.misses / (double)n_lines);
        worst = error > worst ? error : worst;
        *sum += error;
    }
    learn_stream_release(&s);
    return worst;
}

static void curves_with_latency_are_close_to_the_timed_l1(void **state)
{
    (void)state;
    enum { N = 10000 };
    uint64_t *line = malloc(N * sizeof *line);
    double sum = 0, n = 0;
    for (uint32_t p = LEARN_STREAM; p < LEARN_N_PATTERNS; p++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            make_line(line, N, p, seed);
            curve_error(line, N, &sum, &n);
        }
    assert_true(sum / n < 0.002);
    free(line);
}

/* Lines that nobody asks for while they are on their way: nothing is left to estimate. */
static void curves_with_latency_are_exact_where_nothing_merges(void **state)
{
    (void)state;
    enum { N = 20000, LATENCY = 256 };
    uint64_t *line = malloc(N * sizeof *line);
    double sum = 0, n = 0;
    for (uint64_t lines = 300; lines < 20000; lines *= 2) {
        struct learn_random r = {.seed = lines};
        for (size_t i = 0; i < N; i++) {
            bool again = true;
            while (again) {
                line[i] = learn_random_below(&r, lines);
                again = false;
                for (size_t k = i > LATENCY ? i - LATENCY : 0; k < i; k++)
                    again |= line[k] == line[i];
            }
        }
        assert_true(curve_error(line, N, &sum, &n) < 1e-6);
    }
    free(line);
}

static void peaks_are_counted(void **state)
{
    (void)state;
    uint64_t line[6000];
    struct learn_stream s;
    struct strata_learn_interval interval;
    const struct learn_span span = {3000, 6000};
    for (int i = 0; i < 6000; i++) /* a loop of 40 lines, each used twice: distances 0 and 39 */
        line[i] = (uint64_t)(i / 2 % 40);
    assert_int_equal(learn_stream_make(&s, line, 6000, &err), STRATA_OK);
    assert_int_equal(learn_profile(&s, &span, 1, 256, &interval, &err), STRATA_OK);
    assert_int_equal(interval.peaks, 2);
    assert_int_equal(interval.max_distance, 39);
    learn_stream_release(&s);
}

/* ---- analytic ---- */

/* Section 4 of the notes on the published tool: 4 ways of 128 lines. */
static void both_formulas_give_the_published_numbers(void **state)
{
    (void)state;
    static const struct {
        uint32_t d;
        double published, exact;
    } known[] = {{64, 0.764, 0.860},
                 {96, 0.500, 0.647},
                 {128, 0.694, 0.430},
                 {256, 0.964, 0.040},
                 {512, 0.9995, 0.0001}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_true(fabs(learn_hit_published(known[i].d, 128, 4) - known[i].published) < 0.0006);
        assert_true(fabs(learn_hit_exact(known[i].d, 128, 4) - known[i].exact) < 0.0006);
    }
    assert_true(learn_hit_exact(0, 128, 4) == 1 && learn_hit_exact(127, 128, 128) == 1 &&
                learn_hit_exact(128, 128, 128) == 0);
}

static void weights_of_a_geometry_add_up_and_a_full_one_reads_its_own_size(void **state)
{
    (void)state;
    static const struct strata_learn_cache caches[] = {{8, 1},      {64, 8},  {1024, 4},
                                                       {8192, 256}, {384, 6}, {256, 256}};
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        struct learn_geometry g;
        double sum = 0;
        learn_geometry_init(&g, &caches[i]);
        for (int k = 0; k < STRATA_LEARN_SIZES; k++)
            sum += g.weight[k];
        assert_true(fabs(sum - 1) < 1e-4);
        if (caches[i].lines == 256 && caches[i].ways == 256)
            assert_true(g.weight[16] == 1 && g.from == 16 && g.to == 17);
    }
}

/* What is learned is a place between the rates of the sizes that the binomial allows. */
static void
a_band_holds_the_curve_around_a_cache_and_is_nothing_where_the_curve_is_flat(void **state)
{
    (void)state;
    struct strata_learn_interval p = {.accesses = 1000};
    struct learn_geometry g, full;
    struct learn_band band[2];
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++)
        p.miss[k] = k < 16 ? 0.9f : 0.2f; /* a loop of 200 lines or so */
    learn_geometry_init(&g, &(struct strata_learn_cache){256, 8});
    learn_geometry_init(&full, &(struct strata_learn_cache){256, 256});
    learn_bands(&p, &g, LEARN_FEATURES_TIMED, band);
    assert_true(band[0].low == 0.2f && fabsf(band[0].width - 0.7f) < 1e-6f && band[0].place > 0 &&
                band[0].place < 1);
    assert_true(fabsf(band[0].low + band[0].width * band[0].place - learn_smoothed(p.miss, &g)) <
                1e-6f);
    assert_true(band[1].width == 0 && band[1].low == 0);
    learn_bands(&p, &full, LEARN_FEATURES_TIMED, band);
    assert_true(band[0].width == 0 && band[0].low == 0.2f);
    learn_bands(&p, &g, LEARN_FEATURES_PAPER, band);
    assert_true(band[0].low == 0 && band[0].width == 1);
    /* open: any rate, beginning with the average of the curve */
    learn_bands(&p, &g, LEARN_FEATURES_OPEN, band);
    assert_true(band[0].low == 0 && band[0].width == 1);
    assert_true(band[0].place == learn_smoothed(p.miss, &g) && band[1].place == 0);
}

static void caches_that_a_profile_does_not_tell_apart_are_predicted_alike(void **state)
{
    (void)state;
    enum { N = 8000 };
    uint64_t line[N];
    struct learn_stream s;
    struct strata_learn_interval interval;
    const struct learn_span span = {0, N};
    struct strata_learn_model *m;
    struct strata_learn_rates rates[3];
    const struct strata_learn_cache caches[] = {{1024, 1024}, {1024, 256}, {4096, 64}};
    for (size_t i = 0; i < N; i++) /* a loop of 50 lines: all three hold it */
        line[i] = i % 50;
    assert_int_equal(learn_stream_make(&s, line, N, &err), STRATA_OK);
    assert_int_equal(learn_profile(&s, &span, 1, 256, &interval, &err), STRATA_OK);
    assert_int_equal(strata_learn_model_builtin("default", &m, &err), STRATA_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(strata_learn_predict(m, &interval, &caches[i], &rates[i], &err),
                         STRATA_OK);
    assert_true(rates[0].miss == 50.0 / N && rates[1].miss == rates[0].miss &&
                rates[2].miss == rates[0].miss);
    strata_learn_model_destroy(m);
    learn_stream_release(&s);
}

/* ---- training ---- */

static strata_status train_as(const char *learner, uint32_t epochs, uint32_t threads,
                              struct strata_learn_model **m, struct strata_learn_fit *fit)
{
    struct strata_learn_train_options opt;
    strata_learn_train_options_init(&opt);
    opt.learner = learner;
    opt.epochs = epochs;
    opt.threads = threads;
    opt.rows = strcmp(learner, "mlp") ? 800 : 0;
    return strata_learn_train(in_folder("data"), &opt, m, fit, &err);
}

static void cells_that_are_there_are_kept_and_others_made_again(void **state)
{
    (void)state;
    struct strata_learn_generate_options opt;
    size_t made, kept;
    strata_learn_generate_options_init(&opt);
    opt.samples = 2;
    char *one, *again;
    size_t n, n_again;
    assert_int_equal(strata_file_read(in_folder("data/loop-3.learn"), 1 << 24, &one, &n, &err),
                     STRATA_OK);
    unlink(in_folder("data/loop-3.learn"));
    assert_int_equal(strata_learn_generate(in_folder("data"), &opt, &made, &kept, &err), STRATA_OK);
    assert_int_equal(made, 1);
    assert_int_equal(kept, 91);
    assert_int_equal(
        strata_file_read(in_folder("data/loop-3.learn"), 1 << 24, &again, &n_again, &err),
        STRATA_OK);
    assert_int_equal(n, n_again);
    assert_memory_equal(one, again, n); /* with one thread what two made before */
    free(one);
    free(again);
}

static void a_short_training_beats_the_published_formula_and_threads_change_nothing(void **state)
{
    (void)state;
    struct strata_learn_model *m, *twice;
    struct strata_learn_fit fit, same;
    assert_int_equal(train_as("mlp", 2, 1, &m, &fit), STRATA_OK);
    assert_int_equal(train_as("mlp", 2, 2, &twice, &same), STRATA_OK);
    assert_true(fit.miss_mae < 0.03 && fit.merge_mae < 0.04);
    assert_true(fit.miss_mae == same.miss_mae && fit.merge_mae == same.merge_mae);
    assert_int_equal(strata_learn_model_save(m, in_folder("one.learn"), &err), STRATA_OK);
    assert_int_equal(strata_learn_model_save(twice, in_folder("two.learn"), &err), STRATA_OK);
    char *a, *b;
    size_t n, n_b;
    assert_int_equal(strata_file_read(in_folder("one.learn"), 1 << 24, &a, &n, &err), STRATA_OK);
    assert_int_equal(strata_file_read(in_folder("two.learn"), 1 << 24, &b, &n_b, &err), STRATA_OK);
    assert_true(n == n_b && !memcmp(a, b, n));
    free(a);
    free(b);
    strata_learn_model_destroy(m);
    strata_learn_model_destroy(twice);
}

static void first_interval(struct strata_learn_set *set)
{
    memset(set, 0, sizeof *set);
    assert_int_equal(strata_learn_set_load(in_folder("data/warps-0.learn"), set, &err), STRATA_OK);
}

static void every_learner_learns_and_its_file_predicts_the_same(void **state)
{
    (void)state;
    size_t n;
    const struct strata_learn_learner *l = strata_learn_learners(&n);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        struct strata_learn_model *m, *read;
        struct strata_learn_fit fit;
        strata_status st = train_as(l[i].name, 1, 1, &m, &fit);
        if (l[i].package) { /* an optional library is not here */
            assert_int_equal(st, STRATA_EUNSUPPORTED);
            assert_non_null(strstr(err.message, l[i].package));
            print_message("%s needs %s\n", l[i].name, l[i].package);
            continue;
        }
        assert_int_equal(st, STRATA_OK);
        assert_true(fit.miss_mae < 0.12);
        assert_int_equal(strata_learn_model_save(m, in_folder("m.learn"), &err), STRATA_OK);
        assert_int_equal(strata_learn_model_load(in_folder("m.learn"), &read, &err), STRATA_OK);
        assert_string_equal(strata_learn_model_learner(read), l[i].name);
        assert_string_equal(strata_learn_model_provenance(read), strata_learn_model_provenance(m));
        struct strata_learn_set set;
        first_interval(&set);
        const struct strata_learn_cache cache = {256, 4};
        struct strata_learn_rates a, b;
        assert_int_equal(strata_learn_predict(m, &set.sample[0].interval[0], &cache, &a, &err),
                         STRATA_OK);
        assert_int_equal(strata_learn_predict(read, &set.sample[0].interval[0], &cache, &b, &err),
                         STRATA_OK);
        assert_true(fabs(a.miss - b.miss) < 1e-5 && fabs(a.merge - b.merge) < 1e-5);
        assert_true(a.miss >= 0 && a.miss + a.merge <= 1.00001);
        assert_true(strata_learn_in_range(read, &cache) &&
                    !strata_learn_in_range(read, &(struct strata_learn_cache){65536, 4}));
        strata_learn_set_release(&set);
        strata_learn_model_destroy(m);
        strata_learn_model_destroy(read);
    }
}

static void profiles_of_traces_are_no_training_data(void **state)
{
    (void)state;
    struct strata_learn_set set;
    struct strata_learn_model *m;
    struct strata_learn_fit fit;
    first_interval(&set);
    set.real = true;
    assert_int_equal(strata_learn_set_save(&set, in_folder("data/real.learn"), &err), STRATA_OK);
    assert_int_equal(train_as("mlp", 1, 1, &m, &fit), STRATA_EUSAGE);
    assert_non_null(strstr(err.message, "profiles of traces"));
    unlink(in_folder("data/real.learn"));
    strata_learn_set_release(&set);
}

/* ---- files ---- */

static void a_file_with_any_byte_changed_is_refused(void **state)
{
    (void)state;
    char *data;
    size_t n;
    assert_int_equal(strata_file_read(in_folder("data/warps-0.learn"), 1 << 24, &data, &n, &err),
                     STRATA_OK);
    for (size_t at = 0; at < n; at += at < 64 ? 1 : 397) {
        struct strata_learn_set set = {0};
        if (at >= 28 && at < 32)
            continue; /* not used */
        data[at] ^= 0x41;
        assert_int_equal(learn_set_parse((const uint8_t *)data, n, "x", &set, &err),
                         STRATA_EFORMAT);
        data[at] ^= 0x41;
        strata_learn_set_release(&set);
    }
    for (size_t cut = 0; cut < n; cut += 501) {
        struct strata_learn_set set = {0};
        assert_int_equal(learn_set_parse((const uint8_t *)data, cut, "x", &set, &err),
                         STRATA_EFORMAT);
        strata_learn_set_release(&set);
    }
    struct strata_learn_model *m;
    assert_int_equal(learn_model_parse((const uint8_t *)data, n, "x", &m, &err), STRATA_EFORMAT);
    assert_non_null(strstr(err.message, "not a model"));
    free(data);
}

static void sets_come_back_as_they_were_saved(void **state)
{
    (void)state;
    struct strata_learn_set a, b = {0};
    first_interval(&a);
    assert_int_equal(strata_learn_set_save(&a, in_folder("copy.learn"), &err), STRATA_OK);
    assert_int_equal(strata_learn_set_load(in_folder("copy.learn"), &b, &err), STRATA_OK);
    assert_int_equal(a.n_samples, b.n_samples);
    assert_string_equal(a.provenance, b.provenance);
    for (size_t i = 0; i < a.n_samples; i++) {
        assert_string_equal(a.sample[i].name, b.sample[i].name);
        assert_int_equal(a.sample[i].n_rows, b.sample[i].n_rows);
        assert_memory_equal(a.sample[i].interval, b.sample[i].interval,
                            a.sample[i].n_intervals * sizeof a.sample[i].interval[0]);
        assert_memory_equal(a.sample[i].row, b.sample[i].row,
                            a.sample[i].n_rows * sizeof a.sample[i].row[0]);
    }
    strata_learn_set_release(&a);
    strata_learn_set_release(&b);
}

/* ---- evaluation ---- */

/* Table 6: the ranks of two models against the simulator's, and the coefficients the paper prints.
 */
static void spearman_of_table_6_is_the_papers(void **state)
{
    (void)state;
    const double truth[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                 mlcrp[] = {1, 2, 3, 5, 7, 4, 6, 8, 9, 10}, ppt[] = {1, 2, 9, 3, 7, 4, 8, 10, 6, 5};
    double work[20];
    assert_int_equal(lround(1000 * gsl_stats_spearman(truth, 1, mlcrp, 1, 10, work)), 939);
    assert_true(fabs(gsl_stats_spearman(truth, 1, ppt, 1, 10, work) - 0.491) < 0.001);
}

static void a_set_with_its_own_predictions_for_truth_has_no_error(void **state)
{
    (void)state;
    size_t n, ranked;
    const struct strata_learn_cache *cache = strata_learn_caches(&n, &ranked);
    struct strata_learn_set set;
    struct strata_learn_model *m;
    struct strata_learn_evaluation e;
    assert_int_equal(n, 30);
    assert_int_equal(ranked, 10);
    first_interval(&set);
    assert_int_equal(strata_learn_model_builtin("timed", &m, &err), STRATA_OK);
    for (size_t i = 0; i < set.n_samples; i++) {
        struct strata_learn_sample *s = &set.sample[i];
        s->n_intervals = 1;
        s->interval[0].accesses = 1000000;
        free(s->row);
        s->row = calloc(n, sizeof *s->row);
        s->n_rows = n;
        for (size_t k = 0; k < n; k++) {
            struct strata_learn_rates r;
            assert_int_equal(strata_learn_predict(m, &s->interval[0], &cache[k], &r, &err),
                             STRATA_OK);
            s->row[k] = (struct strata_learn_row){.cache = cache[k],
                                                  .misses = (uint32_t)lround(1e6 * r.miss),
                                                  .merges = (uint32_t)lround(1e6 * r.merge)};
        }
    }
    assert_int_equal(strata_learn_evaluate(m, &set, &e, &err), STRATA_OK);
    assert_int_equal(e.n_launches, set.n_samples);
    assert_int_equal(e.n_caches, 30);
    assert_true(e.miss_mae < 1e-6 && e.merge_mae < 1e-6 && e.r2 > 0.999999);
    strata_learn_evaluation_release(&e);
    strata_learn_model_destroy(m);
    strata_learn_set_release(&set);
}

/* ---- traces ---- */

static void the_kernel_of_a_sample_visits_its_lines_in_order(void **state)
{
    (void)state;
    struct strata_trace *t;
    struct strata_reader *reader;
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    struct learn_sm_streams sms;
    char gpus[512];
    snprintf(gpus, sizeof gpus, "%s/gpus/h200.yaml", getenv("STRATA_SOURCE"));
    assert_int_equal(strata_gpu_load(gpus, gpu, &err), STRATA_OK);
    assert_int_equal(strata_learn_write_trace(4, 128, 0, 1, in_folder("visit.strata"), &err),
                     STRATA_OK);
    assert_int_equal(strata_trace_open(in_folder("visit.strata"), NULL, &t, &err), STRATA_OK);
    assert_int_equal(strata_reader_open(t, 0, &reader, &err), STRATA_OK);
    assert_int_equal(learn_streams_read(&sms, gpu, reader, false, 0, &err), STRATA_OK);
    assert_int_equal(sms.accesses, LEARN_LENGTH);
    /* the first interval of the sample in the training set has this stream's first access, a first
     * one */
    struct strata_learn_set set = {0};
    assert_int_equal(strata_learn_set_load(in_folder("data/grid-04-0128.learn"), &set, &err),
                     STRATA_OK);
    for (uint32_t k = 0; k < sms.n_sms; k++)
        if (sms.sm[k].n) {
            struct learn_stream s;
            struct strata_learn_interval interval;
            const struct learn_span span = {0, set.sample[0].interval[0].accesses};
            assert_int_equal(learn_stream_make(&s, sms.sm[k].line, sms.sm[k].n, &err), STRATA_OK);
            assert_int_equal(learn_profile(&s, &span, 1, 256, &interval, &err), STRATA_OK);
            assert_memory_equal(&interval, &set.sample[0].interval[0], sizeof interval);
            learn_stream_release(&s);
        }
    strata_learn_set_release(&set);
    learn_streams_release(&sms);
    strata_reader_close(reader);
    strata_trace_close(t);
    free(gpu);
    assert_int_equal(strata_learn_write_trace(13, 128, 0, 1, in_folder("x.strata"), &err),
                     STRATA_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_distance_falls_into_the_bucket_that_begins_before_it),
        cmocka_unit_test(shares_are_those_of_the_exact_stack),
        cmocka_unit_test(curves_without_latency_are_exact),
        cmocka_unit_test(curves_with_latency_are_close_to_the_timed_l1),
        cmocka_unit_test(curves_with_latency_are_exact_where_nothing_merges),
        cmocka_unit_test(peaks_are_counted),
        cmocka_unit_test(both_formulas_give_the_published_numbers),
        cmocka_unit_test(weights_of_a_geometry_add_up_and_a_full_one_reads_its_own_size),
        cmocka_unit_test(
            a_band_holds_the_curve_around_a_cache_and_is_nothing_where_the_curve_is_flat),
        cmocka_unit_test(caches_that_a_profile_does_not_tell_apart_are_predicted_alike),
        cmocka_unit_test(cells_that_are_there_are_kept_and_others_made_again),
        cmocka_unit_test(a_short_training_beats_the_published_formula_and_threads_change_nothing),
        cmocka_unit_test(every_learner_learns_and_its_file_predicts_the_same),
        cmocka_unit_test(profiles_of_traces_are_no_training_data),
        cmocka_unit_test(a_file_with_any_byte_changed_is_refused),
        cmocka_unit_test(sets_come_back_as_they_were_saved),
        cmocka_unit_test(spearman_of_table_6_is_the_papers),
        cmocka_unit_test(a_set_with_its_own_predictions_for_truth_has_no_error),
        cmocka_unit_test(the_kernel_of_a_sample_visits_its_lines_in_order),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
