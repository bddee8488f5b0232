/* table.c - one table, metric by model, beside published figures. */
#include <math.h>
#include <string.h>

#include <strata/correlate.h>

#include "correlate/print.h"

enum { MOST_PUBLISHED = 16 };

/* The rows of paper 004's Table I, and what belongs between them. */
static const struct {
    const char *label, *metric;
} rows[] = {
    {"instructions", "smsp__inst_executed.sum"},
    {"L1 load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"L1 load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"L1 load hit rate", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct"},
    {"L2 reads", "lts__t_sectors_srcunit_tex_op_read.sum"},
    {"L2 writes", "lts__t_sectors_srcunit_tex_op_write.sum"},
    {"L2 read hits", "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum"},
    {"L2 read hit rate", "lts__t_sector_srcunit_tex_op_read_hit_rate.pct"},
    {"DRAM reads", "dram__sectors_read.sum"},
    {"DRAM writes", "dram__sectors_write.sum"},
    {"cycles", "sm__cycles_elapsed.max"},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* The models of the published table, in its order. */
static size_t published_models(const struct strata_published **out)
{
    size_t n, n_models = 0;
    const struct strata_published *p = strata_published_table(&n);
    for (size_t i = 0; i < n; i++) {
        bool new = n_models < MOST_PUBLISHED;
        for (size_t k = 0; k < n_models; k++)
            new &= strcmp(out[k]->model, p[i].model) != 0;
        if (new)
            out[n_models++] = &p[i];
    }
    return n_models;
}

static const struct strata_published *published_of(const char *model, const char *metric)
{
    size_t n;
    const struct strata_published *p = strata_published_table(&n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(p[i].model, model) && !strcmp(p[i].metric, metric))
            return &p[i];
    return NULL;
}

static bool is_points(const char *metric)
{
    return strstr(metric, ".pct") != NULL;
}

/* ---- text ---- */

static void put_cell(struct strata_text *t, double error, double correlation)
{
    if (isnan(error))
        strata_text_printf(t, " %16s", "-");
    else if (isnan(correlation))
        strata_text_printf(t, " %8.2f  %6s", error, "");
    else
        strata_text_printf(t, " %8.2f (%5.3f)", error, correlation);
}

static void put_head(struct strata_text *t, const struct strata_correlation *c,
                     const struct strata_published **model, size_t n_models)
{
    strata_text_printf(t, "mean error (correlation) against %s\n\n%-17s %6s", c->measured->file, "",
                       "");
    for (size_t i = 0; i < c->n_models; i++)
        strata_text_printf(t, " %16s", c->model[i].label);
    strata_text_put(t, " |");
    for (size_t i = 0; i < n_models; i++)
        strata_text_printf(t, " %16s", model[i]->model);
    strata_text_printf(t, "\n%-17s %6s", "launches compared", "");
    for (size_t i = 0; i < c->n_models; i++)
        strata_text_printf(t, " %16zu", c->model[i].n_joined);
    strata_text_put(t, " |\n");
}

static void put_text(struct strata_text *t, const struct strata_correlation *c)
{
    const struct strata_published *model[MOST_PUBLISHED];
    size_t n_models = published_models(model);
    put_head(t, c, model, n_models);
    for (size_t r = 0; r < N_ROWS; r++) {
        strata_text_printf(t, "%-17s %6s", rows[r].label,
                           is_points(rows[r].metric) ? "points" : "%");
        for (size_t i = 0; i < c->n_models; i++) {
            const struct strata_metric_error *e =
                strata_model_errors_find(&c->model[i], rows[r].metric);
            put_cell(t, e && e->n ? strata_metric_error_mean(e) : NAN, e ? e->pearson : NAN);
        }
        strata_text_put(t, " |");
        for (size_t i = 0; i < n_models; i++) {
            const struct strata_published *p = published_of(model[i]->model, rows[r].metric);
            put_cell(t, p ? p->mean_error : NAN, p ? p->correlation : NAN);
        }
        strata_text_put(t, "\n");
    }
    strata_text_put(t, "\nPublished figures are of other programs and GPUs:\n");
    for (size_t i = 0; i < n_models; i++)
        strata_text_printf(t, "  %-9s %s; errors in %s\n", model[i]->model, model[i]->source,
                           model[i]->unit);
}

/* ---- CSV and JSON: one row a metric and model, ours and published ---- */

struct row {
    const char *metric, *model, *source, *unit;
    size_t n; /* launches; 0 if published */
    double error, correlation;
};

static void put_row(struct strata_text *t, const struct row *r, bool json, bool first)
{
    if (json) {
        strata_text_printf(t, "%s{\"metric\": \"%s\", \"model\": ", first ? "" : ",\n  ",
                           r->metric);
        strata_text_put_json_string(t, r->model);
        strata_text_printf(t, ", \"error_unit\": \"%s\", \"mean_error\": ", r->unit);
        strata_print_json_number(t, r->error);
        strata_text_put(t, ", \"correlation\": ");
        strata_print_json_number(t, r->correlation);
        if (r->source) {
            strata_text_put(t, ", \"source\": ");
            strata_text_put_json_string(t, r->source);
        } else {
            strata_text_printf(t, ", \"n\": %zu", r->n);
        }
        strata_text_put(t, "}");
        return;
    }
    strata_text_printf(t, "%s,", r->metric);
    strata_text_put_csv_field(t, r->model);
    strata_text_printf(t, ",%s,", r->unit);
    if (!r->source)
        strata_text_printf(t, "%zu", r->n);
    strata_text_put(t, ",");
    strata_print_csv_number(t, r->error);
    strata_text_put(t, ",");
    strata_print_csv_number(t, r->correlation);
    strata_text_put(t, ",");
    strata_text_put_csv_field(t, r->source ? r->source : "");
    strata_text_put(t, "\n");
}

static void put_rows(struct strata_text *t, const struct strata_correlation *c, bool json)
{
    const struct strata_published *model[MOST_PUBLISHED];
    size_t n_models = published_models(model);
    bool first = true;
    for (size_t r = 0; r < N_ROWS; r++) {
        for (size_t i = 0; i < c->n_models; i++) {
            const struct strata_metric_error *e =
                strata_model_errors_find(&c->model[i], rows[r].metric);
            if (!e || !e->n)
                continue;
            put_row(t,
                    &(struct row){rows[r].metric, c->model[i].label, NULL,
                                  e->in_points ? "points" : "%", e->n, strata_metric_error_mean(e),
                                  e->pearson},
                    json, first);
            first = false;
        }
        for (size_t i = 0; i < n_models; i++) {
            const struct strata_published *p = published_of(model[i]->model, rows[r].metric);
            if (!p)
                continue;
            put_row(t,
                    &(struct row){rows[r].metric, p->model, p->source, p->unit, 0, p->mean_error,
                                  p->correlation},
                    json, first);
            first = false;
        }
    }
}

strata_status strata_correlation_print_table(const struct strata_correlation *c,
                                             enum strata_format format, char **text, size_t *length,
                                             struct strata_error *err)
{
    struct strata_text t = {0};
    if (format == STRATA_FORMAT_TEXT) {
        put_text(&t, c);
    } else if (format == STRATA_FORMAT_CSV) {
        strata_text_put(&t, "metric,model,error_unit,n,mean_error,correlation,source\n");
        put_rows(&t, c, false);
    } else {
        strata_text_put(&t, "{\"schema\": \"strata.correlation-table/1\", \"measured\": ");
        strata_text_put_json_string(&t, c->measured->file);
        strata_print_json_warnings(&t, c);
        strata_text_put(&t, ",\n \"rows\": [");
        put_rows(&t, c, true);
        strata_text_put(&t, "]}\n");
    }
    return strata_print_finish(&t, text, length, err);
}
