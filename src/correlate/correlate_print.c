/* correlate_print.c - a comparison as tables, CSV and JSON. */
#include "correlate/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strata/kernel_name.h>

void strata_print_fixed(struct strata_text *t, double value, int width, int decimals)
{
    if (isfinite(value))
        strata_text_printf(t, "%*.*f", width, decimals, value);
    else
        strata_text_printf(t, "%*s", width, "-");
}

void strata_print_grouped(struct strata_text *t, double value, int width)
{
    struct strata_text number = {0};
    if (isfinite(value))
        strata_text_put_grouped(&number, value);
    else
        strata_text_put(&number, "-");
    t->out_of_memory |= number.out_of_memory;
    strata_text_printf(t, "%*s", width, number.data ? number.data : "");
    strata_text_release(&number);
}

/* Statistics are sums of rounded numbers: their last digits differ between processors, so nine are
 * written. Whole numbers are kept. */
static void put_nine_digits(struct strata_text *t, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.9g", value);
    strata_text_put_number(t, value == floor(value) ? value : strtod(digits, NULL));
}

void strata_print_json_number(struct strata_text *t, double value)
{
    if (isfinite(value))
        put_nine_digits(t, value);
    else
        strata_text_put(t, "null");
}

void strata_print_csv_number(struct strata_text *t, double value)
{
    if (isfinite(value))
        put_nine_digits(t, value);
}

void strata_print_launch(struct strata_text *t, const struct strata_result *r)
{
    if (*r->trace)
        strata_text_printf(t, "%s/%s", r->program, r->trace);
    else
        strata_text_printf(t, "%llu:%s", (unsigned long long)r->id, r->kernel);
}

void strata_print_launch_name(struct strata_text *t, const struct strata_result *r)
{
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(r->program, r->trace, r->id, r->kernel, name);
    strata_text_put(t, name);
}

void strata_print_json_warnings(struct strata_text *t, const struct strata_correlation *c)
{
    const struct strata_measured *m = c->measured;
    strata_text_put(t, ",\n \"warnings\": [");
    for (size_t i = 0; i < m->n_warnings + c->n_warnings; i++) {
        strata_text_put(t, i ? ", " : "");
        strata_text_put_json_string(t, i < m->n_warnings ? m->warning[i]
                                                         : c->warning[i - m->n_warnings]);
    }
    strata_text_put(t, "]");
}

strata_status strata_print_finish(struct strata_text *t, char **text, size_t *length,
                                  struct strata_error *err)
{
    if (t->out_of_memory) {
        strata_text_release(t);
        return strata_no_memory(err, NULL, "to print the comparison");
    }
    *text = t->data;
    *length = t->length;
    return STRATA_OK;
}

/* ---- JSON ---- */

static void put_pair_json(struct strata_text *t, const struct strata_correlation *c,
                          const struct strata_metric_error *e, const struct strata_pair *p)
{
    const struct strata_result *r = &c->measured->launch[p->measured_launch];
    strata_text_put(t, "{\"program\": ");
    strata_text_put_json_string(t, r->program);
    strata_text_put(t, ", \"trace\": ");
    strata_text_put_json_string(t, r->trace);
    strata_text_put(t, ", \"kernel\": ");
    strata_text_put_json_string(t, r->kernel);
    strata_text_put(t, ", \"predicted\": ");
    strata_print_json_number(t, p->predicted);
    strata_text_put(t, ", \"measured\": ");
    strata_print_json_number(t, p->measured);
    strata_text_put(t, ", \"error\": ");
    strata_print_json_number(t, strata_pair_error(e, p));
    strata_text_put(t, "}");
}

static void put_metric_json(struct strata_text *t, const struct strata_correlation *c,
                            const struct strata_metric_error *e)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"mean_absolute", e->mean_absolute},
        {"median_absolute", e->median_absolute},
        {"worst_absolute", e->worst_absolute},
        {"mean_relative_pct", e->mean_relative_pct},
        {"median_relative_pct", e->median_relative_pct},
        {"worst_relative_pct", e->worst_relative_pct},
        {"bias", e->bias},
        {"pearson", e->pearson},
        {"log_pearson", e->log_pearson},
        {"above", e->above},
    };
    strata_text_put(t, "{\"metric\": ");
    strata_text_put_json_string(t, e->metric);
    strata_text_put(t, ", \"unit\": ");
    strata_text_put_json_string(t, e->unit);
    strata_text_printf(t,
                       ", \"error_unit\": \"%s\", \"n\": %zu, \"n_exact\": %zu, \"n_relative\": "
                       "%zu, \"n_below\": %zu",
                       e->in_points ? "points" : "%", e->n, e->n_exact, e->n_relative, e->n_below);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        strata_text_printf(t, ", \"%s\": ", numbers[i].name);
        strata_print_json_number(t, numbers[i].value);
    }
    strata_text_put(t, ",\n    \"worst\": [");
    for (size_t i = 0; i < e->n_worst; i++) {
        strata_text_put(t, i ? ",\n     " : "");
        put_pair_json(t, c, e, &e->pair[e->worst[i]]);
    }
    strata_text_put(t, "]}");
}

static void put_json(struct strata_text *t, const struct strata_correlation *c)
{
    strata_text_printf(t, "{\"schema\": \"" STRATA_CORRELATION_SCHEMA "\", \"measured\": ");
    strata_text_put_json_string(t, c->measured->file);
    strata_text_printf(t, ", \"n_measured\": %zu", c->measured->n_launches);
    strata_print_json_warnings(t, c);
    strata_text_put(t, ",\n \"models\": [");
    for (size_t i = 0; i < c->n_models; i++) {
        const struct strata_model_errors *m = &c->model[i];
        strata_text_put(t, i ? ",\n  {\"model\": " : "{\"model\": ");
        strata_text_put_json_string(t, m->label);
        strata_text_printf(t, ", \"n_predicted\": %zu, \"n_joined\": %zu,\n   \"metrics\": [",
                           m->n_predicted, m->n_joined);
        for (size_t k = 0; k < m->n_metrics; k++) {
            strata_text_put(t, k ? ",\n   " : "");
            put_metric_json(t, c, &m->metric[k]);
        }
        strata_text_put(t, "]}");
    }
    strata_text_put(t, "]}\n");
}

/* ---- CSV ---- */

static void put_worst_csv(struct strata_text *t, const struct strata_correlation *c,
                          const struct strata_metric_error *e)
{
    struct strata_text field = {0};
    strata_text_put(&field, "");
    for (size_t i = 0; i < e->n_worst; i++) {
        const struct strata_pair *p = &e->pair[e->worst[i]];
        strata_text_put(&field, i ? "; " : "");
        strata_print_launch(&field, &c->measured->launch[p->measured_launch]);
        strata_text_put(&field, "=");
        strata_print_csv_number(&field, strata_pair_error(e, p));
    }
    t->out_of_memory |= field.out_of_memory;
    strata_text_put_csv_field(t, field.data ? field.data : "");
    strata_text_release(&field);
}

static void put_csv(struct strata_text *t, const struct strata_correlation *c)
{
    strata_text_put(
        t, "model,metric,unit,error_unit,n,n_exact,mean_absolute,median_absolute,mean_relative_pct,"
           "median_relative_pct,bias,pearson,log_pearson,worst\n");
    for (size_t i = 0; i < c->n_models; i++)
        for (size_t k = 0; k < c->model[i].n_metrics; k++) {
            const struct strata_metric_error *e = &c->model[i].metric[k];
            const double numbers[] = {
                e->mean_absolute, e->median_absolute, e->mean_relative_pct, e->median_relative_pct,
                e->bias,          e->pearson,         e->log_pearson};
            strata_text_put_csv_field(t, c->model[i].label);
            strata_text_put(t, ",");
            strata_text_put_csv_field(t, e->metric);
            strata_text_printf(t, ",%s,%s,%zu,%zu", e->unit, e->in_points ? "points" : "%", e->n,
                               e->n_exact);
            for (size_t v = 0; v < sizeof numbers / sizeof numbers[0]; v++) {
                strata_text_put(t, ",");
                strata_print_csv_number(t, numbers[v]);
            }
            strata_text_put(t, ",");
            put_worst_csv(t, c, e);
            strata_text_put(t, "\n");
        }
}

/* ---- text ---- */

static int longest_name(const struct strata_correlation *c)
{
    size_t longest = 6;
    for (size_t i = 0; i < c->n_models; i++)
        for (size_t k = 0; k < c->model[i].n_metrics; k++) {
            size_t n = strlen(c->model[i].metric[k].metric);
            longest = n > longest ? n : longest;
        }
    return (int)longest;
}

/* One line per metric. The error is in points for percentages and in percent for all else. */
static void put_metric_line(struct strata_text *t, const struct strata_metric_error *e, int width)
{
    bool is_time = !strcmp(e->unit, "cycle") || !strcmp(e->unit, "ns");
    strata_text_printf(t, "%-*s %4zu %5zu ", width, e->metric, e->n, e->n_exact);
    strata_print_grouped(t, e->mean_absolute, 12);
    strata_print_fixed(t, strata_metric_error_mean(e), 9, 2);
    strata_print_fixed(t, strata_metric_error_median(e), 9, 2);
    strata_text_printf(t, " %-3s", e->in_points ? "pts" : "%");
    strata_print_fixed(t, e->pearson, 9, 4);
    strata_print_fixed(t, is_time ? e->log_pearson : NAN, 9, 4);
    strata_text_put(t, "\n");
}

static void put_worst(struct strata_text *t, const struct strata_correlation *c,
                      const struct strata_metric_error *e)
{
    const struct strata_metric *known = strata_metric_find(e->metric);
    strata_text_printf(t, "\n  %s%s%s\n", e->metric, known ? ": " : "",
                       known ? known->definition : "");
    for (size_t i = 0; i < e->n_worst; i++) {
        const struct strata_pair *p = &e->pair[e->worst[i]];
        const struct strata_result *r = &c->measured->launch[p->measured_launch];
        double error = strata_pair_error(e, p);
        strata_text_put(t, "   ");
        if (isfinite(error))
            strata_text_printf(t, "%+9.2f %-3s ", p->predicted < p->measured ? -error : error,
                               e->in_points ? "pts" : "%");
        else
            strata_text_printf(t, "%9s %-3s ", "-", "%");
        strata_text_put(t, " predicted ");
        strata_print_grouped(t, p->predicted, 13);
        strata_text_put(t, "  measured ");
        strata_print_grouped(t, p->measured, 13);
        strata_text_put(t, "  ");
        strata_print_launch_name(t, r);
        strata_text_put(t, "\n");
    }
}

/* What the columns do not show: launches that a mean leaves out. */
static void put_left_out(struct strata_text *t, const struct strata_metric_error *e)
{
    if (e->n_below)
        strata_text_printf(t, "  %s: without %zu launch%s measured at or below %g (--min-value)\n",
                           e->metric, e->n_below, e->n_below == 1 ? "" : "es", e->above);
    if (!e->in_points && e->n_relative < e->n)
        strata_text_printf(t, "  %s: without %zu launch%s measured as 0 and predicted otherwise\n",
                           e->metric, e->n - e->n_relative, e->n - e->n_relative == 1 ? "" : "es");
}

static void put_model_text(struct strata_text *t, const struct strata_correlation *c,
                           const struct strata_model_errors *m)
{
    int width = longest_name(c);
    bool any = false;
    strata_text_printf(t, "%s: %zu launches compared with %s\n\n", m->label, m->n_joined,
                       c->measured->file);
    strata_text_printf(t, "%-*s %4s %5s %12s %8s %8s %3s %9s %8s\n", width, "metric", "n", "exact",
                       "mean |err|", "mean", "median", "", "Pearson", "of logs");
    for (size_t k = 0; k < m->n_metrics; k++)
        put_metric_line(t, &m->metric[k], width);
    for (size_t k = 0; k < m->n_metrics; k++)
        put_left_out(t, &m->metric[k]);
    for (size_t k = 0; k < m->n_metrics; k++) {
        if (!m->metric[k].n_worst)
            continue;
        if (!any)
            strata_text_put(t, "\nworst launches\n");
        any = true;
        put_worst(t, c, &m->metric[k]);
    }
}

/* Several models: metric by model, mean (median) error. */
static void put_models_table(struct strata_text *t, const struct strata_correlation *c)
{
    int width = longest_name(c);
    strata_text_printf(
        t, "mean (median) error against %s; points for percentages, %% for all else\n\n%-*s",
        c->measured->file, width, "metric");
    for (size_t i = 0; i < c->n_models; i++)
        strata_text_printf(t, " %22s", c->model[i].label);
    strata_text_printf(t, "\n%-*s", width, "launches compared");
    for (size_t i = 0; i < c->n_models; i++)
        strata_text_printf(t, " %22zu", c->model[i].n_joined);
    strata_text_put(t, "\n");
    for (size_t i = 0; i < c->n_models; i++)
        for (size_t k = 0; k < c->model[i].n_metrics; k++) {
            const char *metric = c->model[i].metric[k].metric;
            bool shown = false;
            for (size_t j = 0; j < i; j++)
                shown |= strata_model_errors_find(&c->model[j], metric) != NULL;
            if (shown)
                continue;
            strata_text_printf(t, "%-*s", width, metric);
            for (size_t j = 0; j < c->n_models; j++) {
                const struct strata_metric_error *e =
                    strata_model_errors_find(&c->model[j], metric);
                if (!e || !e->n) {
                    strata_text_printf(t, " %22s", "-");
                    continue;
                }
                strata_print_fixed(t, strata_metric_error_mean(e), 11, 2);
                strata_text_put(t, " (");
                strata_print_fixed(t, strata_metric_error_median(e), 6, 2);
                strata_text_printf(t, ")%3s", e->in_points ? "pts" : "%");
            }
            strata_text_put(t, "\n");
        }
}

strata_status strata_correlation_print(const struct strata_correlation *c,
                                       enum strata_format format, char **text, size_t *length,
                                       struct strata_error *err)
{
    struct strata_text t = {0};
    if (format == STRATA_FORMAT_JSON)
        put_json(&t, c);
    else if (format == STRATA_FORMAT_CSV)
        put_csv(&t, c);
    else if (c->n_models == 1)
        put_model_text(&t, c, &c->model[0]);
    else
        put_models_table(&t, c);
    return strata_print_finish(&t, text, length, err);
}
