/* cmd_correlate.c - strata correlate: predictions against measured counters. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/kernel_name.h>
#include <strata/correlate.h>
#include <strata/predict.h>

#include "cmd.h"
#include "gpu_option.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "model_option.h"
#include "options.h"
#include "output.h"
#include "progress.h"

struct correlate_arguments {
    const char *measured, *format, *output, *explain, *min_time, *database, *label, *measurement,
        *gpu;
    struct option_list metric, max_error, min_value, exact, traces, model;
    struct launch_arguments launches;
    uint64_t jobs;
    bool summary, table, quiet, any_gpu;
    double same_code;
};

/* "METRIC=VALUE"; *name is a copy. */
static strata_status split_assignment(const char *option, const char *words, char **name,
                                      double *value, struct strata_error *err)
{
    const char *equals = strrchr(words, '=');
    char *end = NULL;
    if (equals)
        *value = strtod(equals + 1, &end);
    if (!equals || end == equals + 1 || *end || isnan(*value))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "--%s takes METRIC=VALUE, not \"%s\".",
                           option, words);
    *name = strndup(words, (size_t)(equals - words));
    if (!*name)
        return strata_no_memory(err, NULL, "for --%s", option);
    return STRATA_OK;
}

/* The METRIC=VALUE words of one option. */
struct assignments {
    struct strata_minimum *item;
    char **name; /* what the items' metrics point to */
    size_t n;
};

static void free_assignments(struct assignments *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->name[i]);
    free(a->name);
    free(a->item);
}

static strata_status parse_assignments(const char *option, const struct option_list *list,
                                       struct assignments *out, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    out->item = calloc(list->n + 1, sizeof *out->item);
    out->name = calloc(list->n + 1, sizeof *out->name);
    if (!out->item || !out->name)
        return strata_no_memory(err, NULL, "for --%s", option);
    while (status == STRATA_OK && out->n < list->n) {
        size_t i = out->n;
        status = split_assignment(option, list->item[i], &out->name[i], &out->item[i].above, err);
        out->item[i].metric = strata_metric_full_name(out->name[i] ? out->name[i] : "");
        out->n += status == STRATA_OK;
    }
    return status;
}

/* ---- gates: comparisons that decide the exit code ---- */

static strata_status refuse_ungated(const char *option, const char *metric,
                                    struct strata_error *err)
{
    return strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                       "--%s %s cannot be judged: no launch has it both predicted and measured.",
                       option, metric);
}

static strata_status check_exact(const struct strata_correlation *c, const char *metric,
                                 bool *failed, struct strata_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_models; i++) {
        const struct strata_metric_error *e = strata_model_errors_find(&c->model[i], metric);
        n += e ? e->n : 0;
        for (size_t k = 0; e && k < e->n; k++) {
            const struct strata_pair *p = &e->pair[k];
            const struct strata_result *r = &c->measured->launch[p->measured_launch];
            if (p->predicted == p->measured)
                continue;
            *failed = true;
            char name[STRATA_LAUNCH_NAME_SIZE];
            strata_launch_name(r->program, r->trace, r->id, r->kernel, name);
            fprintf(stderr, "strata: %s: %s is %.17g by %s and %.17g measured.\n", name, metric,
                    p->predicted, c->model[i].label, p->measured);
        }
    }
    return n ? STRATA_OK : refuse_ungated("exact", metric, err);
}

static strata_status check_max_error(const struct strata_correlation *c,
                                     const struct strata_minimum *gate, bool *failed,
                                     struct strata_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_models; i++) {
        const struct strata_metric_error *e = strata_model_errors_find(&c->model[i], gate->metric);
        double mean = e && e->n ? strata_metric_error_mean(e) : NAN;
        if (!e || !e->n)
            continue;
        n++;
        if (mean <= gate->above)
            continue;
        *failed = true;
        fprintf(stderr, "strata: the mean error of %s by %s is %.4g %s, above the %.4g allowed.\n",
                gate->metric, c->model[i].label, mean, e->in_points ? "points" : "%", gate->above);
    }
    return n ? STRATA_OK : refuse_ungated("max-error", gate->metric, err);
}

static strata_status check_gates(const struct correlate_arguments *a,
                                 const struct assignments *max_error,
                                 const struct strata_correlation *c, struct strata_error *err)
{
    bool failed = false;
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < a->exact.n; i++)
        status = check_exact(c, strata_metric_full_name(a->exact.item[i]), &failed, err);
    for (size_t i = 0; status == STRATA_OK && i < a->max_error.n; i++)
        status = check_max_error(c, &max_error->item[i], &failed, err);
    if (status == STRATA_OK && failed)
        status = strata_fail(err, STRATA_EMISMATCH, NULL, 0, 0,
                             "the predictions do not hold what was asked of them.");
    return status;
}

/* ---- the command ---- */

static strata_status print_result(const struct correlate_arguments *a,
                                  const struct strata_correlation *c, enum strata_format format,
                                  struct strata_error *err)
{
    char *text = NULL;
    size_t length = 0;
    strata_status status;
    if (a->explain)
        status = strata_correlation_explain(c, a->explain, format, &text, &length, err);
    else if (a->table)
        status = strata_correlation_print_table(c, format, &text, &length, err);
    else if (a->summary)
        status = strata_correlation_print_summary(c, format, &text, &length, err);
    else
        status = strata_correlation_print(c, format, &text, &length, err);
    if (status == STRATA_OK)
        return output_text(a->output, text, length, err);
    free(text);
    return status;
}

static void show_warnings(const struct strata_correlation *c)
{
    for (size_t i = 0; i < c->measured->n_warnings; i++)
        fprintf(stderr, "strata: %s\n", c->measured->warning[i]);
    for (size_t i = 0; i < c->n_warnings; i++)
        fprintf(stderr, "strata: %s\n", c->warning[i]);
}

/* --metric limits what is printed; metrics that only a gate names are needed too. */
static strata_status chosen_metrics(const struct correlate_arguments *a,
                                    const struct assignments *max_error, const char ***out,
                                    size_t *n, struct strata_error *err)
{
    *n = 0;
    *out = calloc(a->metric.n + a->exact.n + a->max_error.n + 1, sizeof **out);
    if (!*out)
        return strata_no_memory(err, NULL, "for --metric");
    if (!a->metric.n)
        return STRATA_OK;
    for (size_t i = 0; i < a->metric.n; i++)
        (*out)[(*n)++] = strata_metric_full_name(a->metric.item[i]);
    for (size_t i = 0; i < a->exact.n; i++)
        (*out)[(*n)++] = strata_metric_full_name(a->exact.item[i]);
    for (size_t i = 0; i < a->max_error.n; i++)
        (*out)[(*n)++] = max_error->item[i].metric;
    return STRATA_OK;
}

/* "10us": a number of nanoseconds, or with a unit. */
static strata_status parse_time(const char *words, double *ns, struct strata_error *err)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;
    double value = strtod(words, &end);
    for (size_t i = 0; end > words && value >= 0 && i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(end, units[i].unit)) {
            *ns = value * units[i].ns;
            return STRATA_OK;
        }
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "--min-time takes a time such as 10us or 1ms, not \"%s\".", words);
}

static strata_status compare(const struct correlate_arguments *a, struct strata_measured *measured,
                             struct strata_predictions *predictions, enum strata_format format,
                             struct strata_error *err)
{
    struct assignments minimum = {0}, max_error = {0};
    struct strata_correlate_options opt = {0};
    struct strata_correlation c = {0};
    const char **metric = NULL;
    strata_status status = parse_assignments("min-value", &a->min_value, &minimum, err);
    if (status == STRATA_OK)
        status = parse_assignments("max-error", &a->max_error, &max_error, err);
    if (status == STRATA_OK)
        status = chosen_metrics(a, &max_error, &metric, &opt.n_metrics, err);
    opt.metric = metric;
    opt.minimum = minimum.item;
    opt.n_minimums = minimum.n;
    opt.any_gpu = a->any_gpu;
    opt.same_code_pct = a->same_code;
    if (status == STRATA_OK && a->min_time)
        status = parse_time(a->min_time, &opt.min_time_ns, err);
    if (status == STRATA_OK)
        status = strata_correlate(measured, predictions, &opt, &c, err);
    if (status == STRATA_OK && !a->quiet)
        show_warnings(&c);
    if (status == STRATA_OK)
        status = print_result(a, &c, format, err);
    if (status == STRATA_OK)
        status = check_gates(a, &max_error, &c, err);
    strata_correlation_release(&c);
    free_assignments(&minimum);
    free_assignments(&max_error);
    free(metric);
    return status;
}

/* ---- predictions made here ---- */

static void on_progress(void *context, size_t n_done, size_t n_launches, uint64_t warp_instructions)
{
    progress_show(context, n_done, n_launches, warp_instructions);
}

static strata_status run_model(const struct correlate_arguments *a,
                               const struct strata_model *model, const struct strata_gpu *gpu,
                               const struct strata_launch_set *set, struct strata_predictions *out,
                               struct strata_error *err)
{
    struct progress progress;
    struct strata_prediction p;
    struct strata_predict_options opt = {.model = model,
                                         .model_options = {.seed = 1, .threads = 1},
                                         .jobs = (uint32_t)a->jobs,
                                         .progress = on_progress,
                                         .progress_context = &progress};
    struct strata_prediction *grown = realloc(out->item, (out->n + 1) * sizeof *grown);
    if (!grown)
        return strata_no_memory(err, NULL, "for predictions");
    out->item = grown;
    out->cap = out->n + 1;
    strata_status status = strata_prediction_init(&p, gpu->name, model->name, NULL, 1, err);
    if (status != STRATA_OK)
        return status;
    progress_start(&progress, model->name, a->quiet);
    status = strata_predict(set, gpu, &opt, &p, err);
    progress_end(&progress);
    if (status == STRATA_OK)
        out->item[out->n++] = p;
    else
        strata_prediction_release(&p);
    return status;
}

/* Of all models one that cannot run here (untrained, say) is told and passed over. */
static strata_status run_models(const struct correlate_arguments *a, const struct strata_gpu *gpu,
                                const struct strata_launch_set *set, struct strata_predictions *out,
                                struct strata_error *err)
{
    size_t n, n_run = 0;
    const struct strata_model *const *table = strata_model_table(&n);
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < a->model.n; i++) {
        const struct strata_model *model;
        status = find_model(a->model.item[i], &model, err);
        if (status == STRATA_OK)
            status = run_model(a, model, gpu, set, out, err);
        n_run++;
    }
    for (size_t i = 0; !a->model.n && i < n; i++) {
        char text[1400];
        status = run_model(a, table[i], gpu, set, out, err);
        n_run += status == STRATA_OK;
        if (status == STRATA_OK)
            continue;
        strata_error_text(err, text, sizeof text);
        fprintf(stderr, "strata: the model %s is left out: %s\n", table[i]->name, text);
    }
    return n_run ? (a->model.n ? status : STRATA_OK) : status;
}

static strata_status predict_here(const struct correlate_arguments *a,
                                  struct strata_predictions *out, struct strata_error *err)
{
    struct strata_launch_set set = {0};
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    char **paths = calloc(a->traces.n + 1, sizeof *paths);
    strata_status status =
        gpu && paths ? load_gpu(a->gpu, NULL, gpu, err) : strata_no_memory(err, NULL, NULL);
    for (size_t i = 0; status == STRATA_OK && i < a->traces.n; i++)
        if (!(paths[i] = strdup(a->traces.item[i])))
            status = strata_no_memory(err, NULL, NULL);
    if (status == STRATA_OK)
        status = load_launches(&a->launches, paths, (int)a->traces.n, &set, err);
    if (status == STRATA_OK)
        status = run_models(a, gpu, &set, out, err);
    strata_launch_set_release(&set);
    for (size_t i = 0; paths && i < a->traces.n; i++)
        free(paths[i]);
    free(paths);
    free(gpu);
    return status;
}

/* Adds what was given to the store, and takes all that is in it instead. */
static strata_status through_store(const struct correlate_arguments *a,
                                   struct strata_measured *measured,
                                   struct strata_predictions *predictions, struct strata_error *err)
{
    struct strata_result_store *store;
    strata_status status = strata_result_store_open(a->database, &store, err);
    if (status != STRATA_OK)
        return status;
    if (measured->n_launches)
        status = strata_result_store_add_measured(store, measured, err);
    if (status == STRATA_OK && predictions->n)
        status = strata_result_store_add_predictions(store, predictions, a->label, err);
    strata_measured_release(measured);
    strata_predictions_release(predictions);
    if (status == STRATA_OK)
        status = strata_result_store_load(store, a->measurement, measured, predictions, err);
    strata_result_store_close(store);
    return status;
}

static strata_status correlate(const struct correlate_arguments *a, char **paths, int n_paths,
                               struct strata_error *err)
{
    enum strata_format format;
    struct strata_measured measured = {0};
    struct strata_predictions predictions = {0};
    strata_status status = strata_format_parse(a->format, &format, err);
    if (status == STRATA_OK && a->measured)
        status = strata_measured_load(&measured, a->measured, err);
    for (int i = 0; status == STRATA_OK && i < n_paths; i++)
        status = strata_predictions_load(&predictions, paths[i], err);
    if (status == STRATA_OK && a->traces.n)
        status = predict_here(a, &predictions, err);
    if (status == STRATA_OK && a->database)
        status = through_store(a, &measured, &predictions, err);
    if (status == STRATA_OK)
        status = compare(a, &measured, &predictions, format, err);
    strata_measured_release(&measured);
    strata_predictions_release(&predictions);
    return status;
}

static strata_status check_usage(const struct correlate_arguments *a, int n_args,
                                 struct strata_error *err)
{
    if (!a->database && (!a->measured || (n_args < 1 && !a->traces.n)))
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "correlate needs --measured FILE and at least one prediction; see `strata correlate "
            "--help`.");
    if (a->traces.n && !a->gpu)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--traces needs --gpu, the GPU to predict for.");
    if ((a->label || a->measurement) && !a->database)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "--%s needs --db FILE.",
                           a->label ? "label" : "measurement");
    return STRATA_OK;
}

static strata_status check_and_correlate(void *context, char **words, int n_words,
                                         struct strata_error *err)
{
    strata_status status = check_usage(context, n_words, err);
    return status == STRATA_OK ? correlate(context, words, n_words, err) : status;
}

int cmd_correlate(int argc, char **argv)
{
    struct correlate_arguments a = {.format = "text", .jobs = 1};
    const struct option options[] = {
        {0, "measured", OPTION_STRING, &a.measured, "FILE",
         "measured counters: counters.csv or `ncu --csv` output"},
        {'s', "summary", OPTION_FLAG, &a.summary, NULL,
         "only the headline metrics: mean and median error"},
        {'t', "table", OPTION_FLAG, &a.table, NULL,
         "one table, metric by model, beside published figures"},
        {0, "metric", OPTION_LIST, &a.metric, "NAME",
         "compare only this metric; may be given again"},
        {0, "min-value", OPTION_LIST, &a.min_value, "METRIC=VALUE",
         "only launches measured above this"},
        {0, "min-time", OPTION_STRING, &a.min_time, "TIME",
         "only launches measured to take as long (10us, 1ms)"},
        {0, "max-error", OPTION_LIST, &a.max_error, "METRIC=VALUE",
         "exit 1 if the mean error (%, points) is above"},
        {0, "exact", OPTION_LIST, &a.exact, "METRIC",
         "exit 1 unless every launch has the measured value"},
        {0, "same-code", OPTION_DOUBLE, &a.same_code, "PERCENT",
         "only launches whose instructions differ by no more from the measured"},
        {0, "any-gpu", OPTION_FLAG, &a.any_gpu, NULL,
         "compare also predictions for another card than the one the counters name"},
        {0, "explain", OPTION_STRING, &a.explain, "LAUNCH",
         "one launch level by level, and where they part"},
        {0, "traces", OPTION_LIST, &a.traces, "TRACE",
         "predict these launches here, with every model or those of --model"},
        {'g', "gpu", OPTION_STRING, &a.gpu, "GPU", "the GPU to predict them for"},
        {'m', "model", OPTION_LIST, &a.model, "MODEL", "only this model; may be given again"},
        LAUNCH_OPTIONS(a.launches),
        {'j', "jobs", OPTION_UINT, &a.jobs, "N", "launches at a time (default 1)"},
        {0, "db", OPTION_STRING, &a.database, "FILE",
         "add what is given to this SQLite file, and compare all it holds"},
        {0, "label", OPTION_STRING, &a.label, "WORDS",
         "with --db: what to call these predictions, old and new say"},
        {0, "measurement", OPTION_STRING, &a.measurement, "NAME",
         "with --db: compare with this measurement only"},
        {'f', "format", OPTION_STRING, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no warnings"},
    };
    const struct option_rule rules[] = {
        JOBS_RULE(a.jobs),
    };
    const struct command_syntax syntax = {
        .name = "correlate",
        .arguments = "--measured FILE PREDICTION...",
        .summary = "Compares predictions with measured counters, metric by metric.",
        .text = "PREDICTION is what `strata predict --format json` or csv wrote; several models "
                "stand side by "
                "side.\nErrors of percentages are in points, all others in percent of the measured "
                "value. DRAM "
                "counters\nare compared only where more than 1000 sectors were measured; "
                "--min-value changes that.",
        .takes_results = true,
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .most_words = ANY_NUMBER,
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = check_and_correlate,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
