/* bench_learn.c - the costs of the learned model: labels against the paper's 627 s, profiles
 * against plain stack distances in the same run, and a prediction from stored features. Processor
 * time. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <strata/learn.h>

#include "learn/features.h"
#include "learn/sequence.h"
#include "reuse/stack.h"

enum { N = LEARN_LENGTH, LONG = 1000000 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void fail(const struct strata_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* All thirty caches of the evaluation on a sequence of each cell of the largest distance. */
static double label_seconds(void)
{
    struct strata_error err;
    uint64_t *line = malloc(N * sizeof *line);
    size_t n, ranked;
    const struct strata_learn_cache *cache = strata_learn_caches(&n, &ranked);
    const struct strata_learn_timing timing = STRATA_LEARN_TIMING;
    double worst = 0;
    for (uint32_t peaks = 2; peaks <= 12; peaks++) {
        struct learn_random r = {.seed = peaks};
        struct learn_stream s;
        struct strata_learn_counts c;
        double start = seconds();
        if (!line || learn_sequence_make(line, N, peaks, 4096, 1, &r, &err) != STRATA_OK ||
            learn_stream_make(&s, line, N, &err) != STRATA_OK)
            fail(&err);
        for (size_t k = 0; k < n; k++)
            if (learn_label(&s, &cache[k], &timing, N, &c, &err) != STRATA_OK)
                fail(&err);
        learn_stream_release(&s);
        worst = seconds() - start > worst ? seconds() - start : worst;
    }
    free(line);
    return worst;
}

static void profile_rates(double *stack, double *profile)
{
    struct strata_error err;
    uint64_t *line = malloc(LONG * sizeof *line);
    uint32_t *distance = malloc(LONG * sizeof *distance);
    struct learn_random r = {.seed = 3};
    struct reuse_stack t;
    struct learn_stream s;
    struct strata_learn_interval interval;
    const struct learn_span span = {0, LONG};
    if (!line || !distance || reuse_stack_init(&t, &err) != STRATA_OK)
        exit(1);
    for (size_t i = 0; i < LONG; i++)
        line[i] = learn_random_below(&r, 65536);
    double start = seconds();
    if (reuse_stack_run(&t, line, LONG, distance, &err) != STRATA_OK)
        fail(&err);
    double middle = seconds();
    if (learn_stream_make(&s, line, LONG, &err) != STRATA_OK ||
        learn_profile(&s, &span, 1, 256, &interval, &err) != STRATA_OK)
        fail(&err);
    *stack = LONG / (middle - start);
    *profile = LONG / (seconds() - middle);
    learn_stream_release(&s);
    reuse_stack_release(&t);
    free(line);
    free(distance);
}

static double predict_seconds(void)
{
    enum { ROUNDS = 200 };
    struct strata_error err;
    struct strata_learn_model *m;
    struct strata_learn_rates rates;
    struct strata_learn_interval interval = {.accesses = N, .cold = 0.5f};
    size_t n, ranked;
    const struct strata_learn_cache *cache = strata_learn_caches(&n, &ranked);
    interval.share[12] = 0.5f;
    if (strata_learn_model_builtin("default", &m, &err) != STRATA_OK)
        fail(&err);
    double start = seconds();
    for (int i = 0; i < ROUNDS; i++)
        if (strata_learn_predict(m, &interval, &cache[(size_t)i % n], &rates, &err) != STRATA_OK)
            fail(&err);
    double each = (seconds() - start) / ROUNDS;
    strata_learn_model_destroy(m);
    return each;
}

int main(void)
{
    double label = label_seconds(), stack, profile, predict = predict_seconds();
    profile_rates(&stack, &profile);
    printf("labels    a sequence of %d accesses and its labels for 30 caches: %.4f s, limit 1 s "
           "(the paper: 627 s for one)\n",
           N, label);
    printf("profile   %.2f M accesses/s with time, %.2f plain stack distances, ratio %.2f\n",
           profile / 1e6, stack / 1e6, profile / stack);
    printf("predict   %.1f us from stored features, limit 1000\n", predict * 1e6);
    return label < 1 && predict < 1e-3 ? 0 : 1;
}
