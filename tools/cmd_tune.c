/* cmd_tune.c - strata tune: runs a CUDA program in every configuration asked for, predicts the time
 * of each, and ranks them; a second model says how sure the order is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/predict.h>
#include <strata/prediction.h>

#include "cmd.h"
#include "gpu_option.h"
#include "model_option.h"
#include "options.h"
#include "trace_run.h"

#define TIME_METRIC "gpu__time_duration.sum"
#define MAX_NAMES   16
#define MAX_WORDS   256
#define MAX_RUNS    4096
#define LIMIT_BYTES ((uint64_t)2 << 30)

static const char help_text[] =
    "Words of the program may hold {NAME}; --vary NAME=VALUE,VALUE... says what to put there. "
    "Every "
    "combination is run\n"
    "in the emulator and predicted, and the fastest comes first. The second model gives its own "
    "order: how well the two\n"
    "agree (Kendall's tau, 1 is the same order) says how sure the ranking is. What the program "
    "prints is dropped.";

struct tune_arguments {
    const char *gpu, *model, *second;
    struct option_list vary;
    uint64_t sample_blocks;
    char **program;
};

/* One name that varies: pieces of its --vary word. */
struct dimension {
    char *name;
    char *value[64];
    size_t n;
};

struct run {
    size_t choice[MAX_NAMES];
    double us, second_us;
};

struct tuning {
    const struct tune_arguments *a;
    struct dimension dimension[MAX_NAMES];
    size_t n_dimensions, n_runs;
    struct run *run;
    struct strata_gpu *gpu;
    const struct strata_model *model, *second;
    char folder[32], trace[48];
};

/* ---- what varies ---- */

static strata_status add_dimension(struct tuning *t, const char *word, struct strata_error *err)
{
    struct dimension *d = &t->dimension[t->n_dimensions];
    const char *equals = strchr(word, '=');
    if (!equals || equals == word || !equals[1] || t->n_dimensions == MAX_NAMES)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--vary takes NAME=VALUE,VALUE..., at most %d of them, and not \"%s\".",
                           MAX_NAMES, word);
    d->name = strdup(word);
    if (!d->name)
        return strata_no_memory(err, NULL, NULL);
    t->n_dimensions++;
    char *rest = strchr(d->name, '=');
    *rest++ = 0;
    for (char *value; (value = strsep(&rest, ",")) && d->n < sizeof d->value / sizeof d->value[0];)
        d->value[d->n++] = value;
    return rest ? strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                              "--vary %s has more than 64 values; leave some out.", d->name)
                : STRATA_OK;
}

static strata_status read_dimensions(struct tuning *t, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < t->a->vary.n; i++)
        status = add_dimension(t, t->a->vary.item[i], err);
    t->n_runs = 1;
    for (size_t i = 0; status == STRATA_OK && i < t->n_dimensions; i++) {
        char mark[128];
        bool used = false;
        snprintf(mark, sizeof mark, "{%s}", t->dimension[i].name);
        for (char **w = t->a->program; *w; w++)
            used |= strstr(*w, mark) != NULL;
        if (!used)
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                               "the program's words have no %s; write it where the value goes.",
                               mark);
        t->n_runs *= t->dimension[i].n;
        if (t->n_runs > MAX_RUNS)
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                               "more than %d combinations; vary less at a time.", MAX_RUNS);
    }
    return status;
}

/* `word` with the values of this run in place of {NAME}; NULL: no memory. */
static char *fill(const struct tuning *t, const struct run *r, const char *word)
{
    char *out = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&out, &length);
    for (const char *p = word; f && *p;) {
        size_t i = 0, n = 0;
        for (; i < t->n_dimensions; i++) {
            n = strlen(t->dimension[i].name);
            if (*p == '{' && !strncmp(p + 1, t->dimension[i].name, n) && p[n + 1] == '}')
                break;
        }
        if (i == t->n_dimensions) {
            fputc(*p++, f);
        } else {
            fputs(t->dimension[i].value[r->choice[i]], f);
            p += n + 2;
        }
    }
    if (f)
        fclose(f);
    return out;
}

/* ---- one configuration ---- */

static strata_status time_of(const struct tuning *t, const struct strata_model *model, double *us,
                             struct strata_error *err)
{
    struct strata_launch_set set = {0};
    struct strata_prediction prediction = {0};
    struct strata_predict_options opt = {.model = model, .jobs = 1};
    opt.model_options = (struct strata_model_options){.seed = 1, .threads = 1};
    strata_status status = strata_launch_set_add(&set, t->trace, NULL, NULL, NULL, err);
    if (status == STRATA_OK)
        status = strata_prediction_init(&prediction, t->gpu->name, model->name, NULL, 1, err);
    if (status == STRATA_OK)
        status = strata_predict(&set, t->gpu, &opt, &prediction, err);
    *us = 0;
    for (size_t i = 0; status == STRATA_OK && i < prediction.n_results; i++) {
        double ns = 0;
        if (!strata_result_get(&prediction.result[i], TIME_METRIC, &ns))
            status = strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                                 "model %s predicts no time; choose flow, sim or interval.",
                                 model->name);
        *us += ns / 1000;
    }
    strata_prediction_release(&prediction);
    strata_launch_set_release(&set);
    return status;
}

static strata_status run_one(const struct tuning *t, struct run *r, struct strata_error *err)
{
    char *words[MAX_WORDS + 1] = {NULL};
    int code = 0;
    struct trace_request request = {.output = t->trace,
                                    .limit_bytes = LIMIT_BYTES,
                                    .sample_blocks = t->a->sample_blocks,
                                    .quiet = true,
                                    .drop_output = true,
                                    .gpu = t->gpu,
                                    .gpu_name = t->gpu->name};
    bool filled = true;
    for (size_t i = 0; t->a->program[i] && i < MAX_WORDS && filled; i++)
        filled = (words[i] = fill(t, r, t->a->program[i])) != NULL;
    strata_status status =
        filled ? trace_run(&request, words, &code, err) : strata_no_memory(err, NULL, NULL);
    if (status == STRATA_OK && (code || access(t->trace, R_OK)))
        status = strata_fail(err, STRATA_EFORMAT, words[0], 0, 0,
                             "the program ended with %d%s; every configuration has to run.", code,
                             code ? "" : " and launched no kernel");
    if (status == STRATA_OK)
        status = time_of(t, t->model, &r->us, err);
    if (status == STRATA_OK && t->second)
        status = time_of(t, t->second, &r->second_us, err);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
    unlink(t->trace);
    return status;
}

/* ---- the answer ---- */

static int compare(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    return x->us < y->us ? -1 : x->us > y->us;
}

static int sign(double x)
{
    return (x > 0) - (x < 0);
}

/* Kendall's tau: pairs in the same order less those in the other, by all pairs. */
static double agreement(const struct tuning *t)
{
    double sum = 0, pairs = 0;
    for (size_t i = 0; i < t->n_runs; i++)
        for (size_t k = 0; k < i; k++, pairs++)
            sum +=
                sign(t->run[i].us - t->run[k].us) * sign(t->run[i].second_us - t->run[k].second_us);
    return pairs ? sum / pairs : 1;
}

static void print_ranking(const struct tuning *t)
{
    printf("%12s%12s  configuration\n", t->model->name, t->second ? t->second->name : "");
    for (size_t i = 0; i < t->n_runs; i++) {
        const struct run *r = &t->run[i];
        printf("%9.2f us", r->us);
        if (t->second)
            printf("%9.2f us", r->second_us);
        else
            printf("%12s", "");
        printf(" ");
        for (size_t d = 0; d < t->n_dimensions; d++)
            printf(" %s=%s", t->dimension[d].name, t->dimension[d].value[r->choice[d]]);
        printf("\n");
    }
    if (!t->second || t->n_runs < 2)
        return;
    bool same = true;
    for (size_t i = 1; i < t->n_runs; i++)
        same &= t->run[0].second_us <= t->run[i].second_us;
    printf("agreement of the two orders: %.2f; %s\n", agreement(t),
           same ? "both name the same best" : "the second model prefers another");
}

static strata_status run_all(struct tuning *t, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < t->n_runs; i++) {
        size_t rest = i;
        for (size_t d = t->n_dimensions; d-- > 0; rest /= t->dimension[d].n)
            t->run[i].choice[d] = rest % t->dimension[d].n;
        status = run_one(t, &t->run[i], err);
    }
    return status;
}

static strata_status prepare(struct tuning *t, struct strata_error *err)
{
    strata_status status = read_dimensions(t, err);
    if (status == STRATA_OK)
        status = find_model(t->a->model, &t->model, err);
    if (status == STRATA_OK && strcmp(t->a->second, "none"))
        status = find_model(t->a->second, &t->second, err);
    t->gpu = calloc(1, sizeof *t->gpu);
    t->run = calloc(t->n_runs ? t->n_runs : 1, sizeof *t->run);
    if (status == STRATA_OK && (!t->gpu || !t->run))
        status = strata_no_memory(err, NULL, NULL);
    if (status == STRATA_OK)
        status = load_gpu(t->a->gpu, NULL, t->gpu, err);
    snprintf(t->folder, sizeof t->folder, "/tmp/strata-tune-XXXXXX");
    if (status == STRATA_OK && !mkdtemp(t->folder))
        status = strata_fail(err, STRATA_EIO, t->folder, 0, 0, "no folder for traces there.");
    snprintf(t->trace, sizeof t->trace, "%s/run.strata", t->folder);
    return status;
}

static strata_status tune(void *context, char **words, int n_words, struct strata_error *err)
{
    struct tune_arguments *a = context;
    (void)words;
    if (n_words || !a->program || !a->program[0])
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "tune needs a program after --, as in `strata tune --vary BLOCK=64,128 "
                           "-- ./app {BLOCK}`.");
    struct tuning t = {.a = a};
    strata_status status = prepare(&t, err);
    if (status == STRATA_OK)
        status = run_all(&t, err);
    if (status == STRATA_OK) {
        qsort(t.run, t.n_runs, sizeof *t.run, compare);
        print_ranking(&t);
    }
    rmdir(t.folder);
    for (size_t i = 0; i < t.n_dimensions; i++)
        free(t.dimension[i].name);
    free(t.gpu);
    free(t.run);
    return status;
}

int cmd_tune(int argc, char **argv)
{
    struct tune_arguments a = {.gpu = "h200", .model = "flow", .second = "interval"};
    const struct option options[] = {
        {0, "vary", OPTION_LIST, &a.vary, "NAME=VALUE,...",
         "values for {NAME} in the program's words"},
        {'g', "gpu", OPTION_STRING, &a.gpu, "GPU", "the GPU to predict for (default h200)"},
        {'m', "model", OPTION_STRING, &a.model, "MODEL", "whose times are ranked (default flow)"},
        {0, "second", OPTION_STRING, &a.second, "MODEL",
         "the model for the second opinion (default interval), or none"},
        {0, "sample-blocks", OPTION_UINT, &a.sample_blocks, "N",
         "record N thread blocks of a launch, evenly spread"},
    };
    const struct command_syntax syntax = {
        .name = "tune",
        .arguments = "-- PROGRAM [ARGUMENT...]",
        .summary = "Ranks the configurations of a CUDA program by predicted time.",
        .text = help_text,
        .takes_programs = true,
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .most_words = ANY_NUMBER,
        .run = tune,
        .context = &a,
    };
    a.program = split_program(&argc, argv);
    return run_command(&syntax, argc, argv);
}
