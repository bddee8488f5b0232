/* cmd_correlate.c - strata correlate: predictions against measured counters. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/correlate.h>

#include "cmd.h"
#include "options.h"
#include "output.h"

struct correlate_arguments {
    const char *measured, *format, *output, *explain;
    struct option_list metric, max_error, min_value, exact;
    bool summary, quiet;
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
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "there is no memory left for --%s.",
                           option);
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
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "there is no memory left for --%s.",
                           option);
    while (status == STRATA_OK && out->n < list->n) {
        size_t i = out->n;
        status = split_assignment(option, list->item[i], &out->name[i], &out->item[i].above, err);
        out->item[i].metric = out->name[i];
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
            fprintf(stderr, "strata: %s of %s/%s (%s) is %.17g by %s and %.17g measured.\n", metric,
                    r->program, *r->trace ? r->trace : "?", r->kernel, p->predicted,
                    c->model[i].label, p->measured);
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
        status = check_exact(c, a->exact.item[i], &failed, err);
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
    struct output out;
    strata_status status;
    if (a->explain)
        status = strata_correlation_explain(c, a->explain, format, &text, &length, err);
    else if (a->summary)
        status = strata_correlation_print_summary(c, format, &text, &length, err);
    else
        status = strata_correlation_print(c, format, &text, &length, err);
    if (status == STRATA_OK)
        status = output_open(&out, a->output, err);
    if (status == STRATA_OK) {
        fwrite(text, 1, length, out.stream);
        status = output_commit(&out, err);
    }
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
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "there is no memory left for --metric.");
    if (!a->metric.n)
        return STRATA_OK;
    for (size_t i = 0; i < a->metric.n; i++)
        (*out)[(*n)++] = a->metric.item[i];
    for (size_t i = 0; i < a->exact.n; i++)
        (*out)[(*n)++] = a->exact.item[i];
    for (size_t i = 0; i < a->max_error.n; i++)
        (*out)[(*n)++] = max_error->item[i].metric;
    return STRATA_OK;
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

static strata_status correlate(const struct correlate_arguments *a, char **paths, int n_paths,
                               struct strata_error *err)
{
    enum strata_format format;
    struct strata_measured measured = {0};
    struct strata_predictions predictions = {0};
    strata_status status = strata_format_parse(a->format, &format, err);
    if (status == STRATA_OK)
        status = strata_measured_load(&measured, a->measured, err);
    for (int i = 0; status == STRATA_OK && i < n_paths; i++)
        status = strata_predictions_load(&predictions, paths[i], err);
    if (status == STRATA_OK)
        status = compare(a, &measured, &predictions, format, err);
    strata_measured_release(&measured);
    strata_predictions_release(&predictions);
    return status;
}

int cmd_correlate(int argc, char **argv)
{
    struct correlate_arguments a = {.format = "text"};
    const struct option options[] = {
        {0, "measured", OPTION_STRING, &a.measured, "FILE",
         "measured counters: counters.csv or `ncu --csv` output"},
        {'s', "summary", OPTION_FLAG, &a.summary, NULL,
         "only the headline metrics: mean and median error"},
        {0, "metric", OPTION_LIST, &a.metric, "NAME",
         "compare only this metric; may be given again"},
        {0, "min-value", OPTION_LIST, &a.min_value, "METRIC=VALUE",
         "only launches measured above this"},
        {0, "max-error", OPTION_LIST, &a.max_error, "METRIC=VALUE",
         "exit 1 if the mean error (%, points) is above"},
        {0, "exact", OPTION_LIST, &a.exact, "METRIC",
         "exit 1 unless every launch has the measured value"},
        {0, "explain", OPTION_STRING, &a.explain, "LAUNCH",
         "one launch level by level, and where they part"},
        {'f', "format", OPTION_STRING, &a.format, "FORMAT", "text (default), csv or json"},
        {'o', "output", OPTION_STRING, &a.output, "FILE", "write there instead of standard output"},
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no warnings"},
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
        .options = options,
        .n_options = sizeof options / sizeof options[0],
    };
    int n_args, code;
    struct strata_error err;
    if (!parse_options(&syntax, argc, argv, &n_args, &code))
        return code;
    strata_status status;
    if (!a.measured || n_args < 1)
        status = strata_fail(
            &err, STRATA_EUSAGE, NULL, 0, 0,
            "correlate needs --measured FILE and at least one prediction; see `strata correlate "
            "--help`.");
    else
        status = correlate(&a, argv + 1, n_args, &err);
    free(a.metric.item);
    free(a.max_error.item);
    free(a.min_value.item);
    free(a.exact.item);
    return status == STRATA_OK ? EXIT_DONE : report_error(&err);
}
