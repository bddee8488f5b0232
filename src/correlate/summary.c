/* summary.c - the metrics that tell how good a model is, one line each. */
#include <math.h>
#include <string.h>

#include <strata/correlate.h>

#include "correlate/print.h"

/* `instead` stands for the metric where only that was measured: the details page has no cycles of
 * the SMs. */
static const struct {
    const char *label, *metric, *instead;
} headline[] = {
    {"L1 load hit rate", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", NULL},
    {"sectors returned to L1", "l1tex__m_xbar2l1tex_read_sectors.sum", NULL},
    {"L2 read sectors", "lts__t_sectors_srcunit_tex_op_read.sum", NULL},
    {"L2 read hit rate", "lts__t_sector_srcunit_tex_op_read_hit_rate.pct", NULL},
    {"L2 write sectors", "lts__t_sectors_srcunit_tex_op_write.sum", NULL},
    {"DRAM read sectors", "dram__sectors_read.sum", NULL},
    {"cycles", "sm__cycles_elapsed.max", "gpc__cycles_elapsed.max"},
};
enum { N_HEADLINE = sizeof headline / sizeof headline[0] };

static const char *error_unit(const struct strata_metric_error *e)
{
    return e->in_points ? "points" : "%";
}

static const struct strata_metric_error *find_headline(const struct strata_model_errors *m,
                                                       size_t k)
{
    const struct strata_metric_error *e = strata_model_errors_find(m, headline[k].metric);
    return e || !headline[k].instead ? e : strata_model_errors_find(m, headline[k].instead);
}

static bool anything_compared(const struct strata_correlation *c)
{
    for (size_t i = 0; i < c->n_models; i++)
        for (size_t k = 0; k < N_HEADLINE; k++)
            if (find_headline(&c->model[i], k))
                return true;
    return false;
}

static void put_text(struct strata_text *t, const struct strata_correlation *c)
{
    for (size_t i = 0; i < c->n_models; i++) {
        const struct strata_model_errors *m = &c->model[i];
        strata_text_printf(t, "%s%s: %zu launches\n%-24s %4s %9s %9s %9s %9s\n", i ? "\n" : "",
                           m->label, m->n_joined, "", "n", "mean", "median", "worst", "bias");
        for (size_t k = 0; k < N_HEADLINE; k++) {
            const struct strata_metric_error *e = find_headline(m, k);
            if (!e) {
                strata_text_printf(t, "%-24s    -\n", headline[k].label);
                continue;
            }
            strata_text_printf(t, "%-24s %4zu", headline[k].label, e->n);
            strata_print_fixed(t, strata_metric_error_mean(e), 10, 2);
            strata_print_fixed(t, strata_metric_error_median(e), 10, 2);
            strata_print_fixed(t, e->in_points ? e->worst_absolute : e->worst_relative_pct, 10, 2);
            strata_print_fixed(t, e->bias, 10, 2);
            strata_text_printf(t, " %s", error_unit(e));
            if (!strcmp(e->unit, "cycle") && isfinite(e->log_pearson))
                strata_text_printf(t, "  correlation of logs %.4f", e->log_pearson);
            if (e->n_worst)
                strata_text_put(t, "  (");
            if (e->n_worst)
                strata_print_launch(t, &c->measured->launch[e->pair[e->worst[0]].measured_launch]);
            strata_text_put(t, e->n_worst ? ")\n" : "\n");
        }
    }
}

static void put_csv(struct strata_text *t, const struct strata_correlation *c)
{
    strata_text_put(t, "model,metric,error_unit,n,mean,median,bias,log_pearson\n");
    for (size_t i = 0; i < c->n_models; i++)
        for (size_t k = 0; k < N_HEADLINE; k++) {
            const struct strata_metric_error *e = find_headline(&c->model[i], k);
            if (!e)
                continue;
            const double numbers[] = {strata_metric_error_mean(e), strata_metric_error_median(e),
                                      e->bias, e->log_pearson};
            strata_text_put_csv_field(t, c->model[i].label);
            strata_text_printf(t, ",%s,%s,%zu", e->metric, error_unit(e), e->n);
            for (size_t v = 0; v < sizeof numbers / sizeof numbers[0]; v++) {
                strata_text_put(t, ",");
                strata_print_csv_number(t, numbers[v]);
            }
            strata_text_put(t, "\n");
        }
}

static void put_json(struct strata_text *t, const struct strata_correlation *c)
{
    strata_text_put(t, "{\"schema\": \"strata.correlation-summary/1\", \"measured\": ");
    strata_text_put_json_string(t, c->measured->file);
    strata_print_json_warnings(t, c);
    strata_text_put(t, ",\n \"models\": [");
    for (size_t i = 0; i < c->n_models; i++) {
        const char *separator = "";
        strata_text_put(t, i ? ",\n  {\"model\": " : "{\"model\": ");
        strata_text_put_json_string(t, c->model[i].label);
        strata_text_printf(t, ", \"n_joined\": %zu, \"metrics\": {", c->model[i].n_joined);
        for (size_t k = 0; k < N_HEADLINE; k++) {
            const struct strata_metric_error *e = find_headline(&c->model[i], k);
            if (!e)
                continue;
            strata_text_printf(t, "%s\n   \"%s\": {\"error_unit\": \"%s\", \"n\": %zu, \"mean\": ",
                               separator, e->metric, error_unit(e), e->n);
            strata_print_json_number(t, strata_metric_error_mean(e));
            strata_text_put(t, ", \"median\": ");
            strata_print_json_number(t, strata_metric_error_median(e));
            strata_text_put(t, ", \"bias\": ");
            strata_print_json_number(t, e->bias);
            strata_text_put(t, ", \"log_pearson\": ");
            strata_print_json_number(t, e->log_pearson);
            strata_text_put(t, "}");
            separator = ",";
        }
        strata_text_put(t, "}}");
    }
    strata_text_put(t, "]}\n");
}

strata_status strata_correlation_print_summary(const struct strata_correlation *c,
                                               enum strata_format format, char **text,
                                               size_t *length, struct strata_error *err)
{
    struct strata_text t = {0};
    if (!anything_compared(c))
        return strata_fail(err, STRATA_EFORMAT, c->measured->file, 0, 0,
                           "none of the headline metrics stands in this %s and in the prediction; "
                           "leave out --summary, or export with `ncu --csv --page raw`.",
                           c->measured->layout);
    if (format == STRATA_FORMAT_JSON)
        put_json(&t, c);
    else if (format == STRATA_FORMAT_CSV)
        put_csv(&t, c);
    else
        put_text(&t, c);
    return strata_print_finish(&t, text, length, err);
}
