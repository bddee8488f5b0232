/* data.c - what the page shows, as one JSON object: predictions and comparison in the words of
 * their own schemas, the definitions of the metrics, and which measurement belongs to which launch.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

/* ---- definitions ---- */

static bool anyone_has(const struct strata_result *r, size_t n, const char *metric)
{
    for (size_t i = 0; i < n; i++)
        if (strata_result_get(&r[i], metric, NULL))
            return true;
    return false;
}

static bool is_used(const struct strata_predictions *p, const struct strata_measured *m,
                    const char *metric)
{
    for (size_t i = 0; i < p->n; i++)
        if (anyone_has(p->item[i].result, p->item[i].n_results, metric))
            return true;
    return m && anyone_has(m->launch, m->n_launches, metric);
}

static void put_definitions(struct strata_text *t, const struct strata_predictions *p,
                            const struct strata_measured *m)
{
    size_t n;
    const char *separator = "";
    const struct strata_metric *table = strata_metric_table(&n);
    strata_text_put(t, "\"metrics\": {");
    for (size_t i = 0; i < n; i++) {
        if (!is_used(p, m, table[i].name))
            continue;
        strata_text_put(t, separator);
        strata_text_put_json_string(t, table[i].name);
        strata_text_put(t, ": {\"unit\": ");
        strata_text_put_json_string(t, table[i].unit);
        strata_text_put(t, ", \"definition\": ");
        strata_text_put_json_string(t, table[i].definition);
        strata_text_put(t, ", \"aggregation\": ");
        strata_text_put_json_string(t, table[i].aggregation);
        strata_text_put(t, "}");
        separator = ",\n  ";
    }
    strata_text_put(t, "}");
}

/* ---- predictions ---- */

static strata_status put_predictions(struct strata_text *t, const struct strata_predictions *p,
                                     struct strata_error *err)
{
    strata_text_put(t, ",\n\"predictions\": [");
    for (size_t i = 0; i < p->n; i++) {
        char *text;
        size_t length;
        strata_status status =
            strata_prediction_print(&p->item[i], STRATA_FORMAT_JSON, &text, &length, err);
        if (status != STRATA_OK)
            return status;
        strata_text_put(t, i ? "," : "");
        strata_text_put_bytes(t, text, length);
        free(text);
    }
    strata_text_put(t, "]");
    return STRATA_OK;
}

/* ---- measurement ---- */

static void put_measured_launch(struct strata_text *t, const struct strata_result *r)
{
    const char *separator = "";
    strata_text_put(t, "{\"program\": ");
    strata_text_put_json_string(t, r->program);
    strata_text_put(t, ", \"trace\": ");
    strata_text_put_json_string(t, r->trace);
    strata_text_put(t, ", \"metrics\": {");
    for (size_t i = 0; i < r->n_counters; i++) {
        if (!isfinite(r->counter[i].value))
            continue;
        strata_text_put(t, separator);
        strata_text_put_json_string(t, r->counter[i].name);
        strata_text_put(t, ": ");
        strata_text_put_number(t, r->counter[i].value);
        separator = ", ";
    }
    strata_text_put(t, "}}");
}

static void put_measured(struct strata_text *t, const struct strata_measured *m)
{
    strata_text_put(t, ",\n\"measured\": {\"file\": ");
    strata_text_put_json_string(t, m->file ? m->file : "");
    strata_text_put(t, ", \"layout\": ");
    strata_text_put_json_string(t, m->layout ? m->layout : "");
    strata_text_put(t, ", \"launches\": [");
    for (size_t i = 0; i < m->n_launches; i++) {
        strata_text_put(t, i ? ",\n  " : "");
        put_measured_launch(t, &m->launch[i]);
    }
    strata_text_put(t, "]}");
}

struct joined {
    const struct strata_result *result;
    size_t measured;
};

static int by_result(const void *a, const void *b)
{
    const struct strata_result *x = ((const struct joined *)a)->result;
    const struct strata_result *y = ((const struct joined *)b)->result;
    return (x > y) - (x < y);
}

/* Every predicted launch that was measured, sorted for bsearch. NULL: out of memory. */
static struct joined *list_joined(const struct strata_correlation *c, size_t *n)
{
    struct joined *list = calloc(c->n_models * c->measured->n_launches + 1, sizeof *list);
    *n = 0;
    for (size_t k = 0; list && k < c->n_models; k++)
        for (size_t i = 0; i < c->measured->n_launches; i++)
            if (c->model[k].of_launch[i])
                list[(*n)++] = (struct joined){c->model[k].of_launch[i], i};
    if (list)
        qsort(list, *n, sizeof *list, by_result);
    return list;
}

/* "joined": for each prediction and launch the index of its measurement, or null. */
static void put_joined(struct strata_text *t, const struct strata_predictions *p,
                       const struct strata_correlation *c)
{
    size_t n;
    struct joined *list = list_joined(c, &n);
    t->out_of_memory |= !list;
    strata_text_put(t, ",\n\"joined\": [");
    for (size_t i = 0; list && i < p->n; i++) {
        strata_text_put(t, i ? ", [" : "[");
        for (size_t k = 0; k < p->item[i].n_results; k++) {
            struct joined key = {.result = &p->item[i].result[k]};
            const struct joined *found = bsearch(&key, list, n, sizeof *list, by_result);
            strata_text_put(t, k ? "," : "");
            if (found)
                strata_text_printf(t, "%zu", found->measured);
            else
                strata_text_put(t, "null");
        }
        strata_text_put(t, "]");
    }
    strata_text_put(t, "]");
    free(list);
}

static strata_status put_correlation(struct strata_text *t, const struct strata_correlation *c,
                                     struct strata_error *err)
{
    char *text;
    size_t length;
    strata_status status = strata_correlation_print(c, STRATA_FORMAT_JSON, &text, &length, err);
    if (status != STRATA_OK)
        return status;
    strata_text_put(t, ",\n\"correlation\": ");
    strata_text_put_bytes(t, text, length);
    free(text);
    return STRATA_OK;
}

strata_status strata_report_data(const struct strata_predictions *predictions,
                                 const struct strata_correlation *c, struct strata_text *t,
                                 struct strata_error *err)
{
    strata_text_put(t, "{\"schema\": \"" STRATA_REPORT_SCHEMA
                       "\", \"tool\": \"strata " STRATA_VERSION "\",\n");
    put_definitions(t, predictions, c ? c->measured : NULL);
    strata_status status = put_predictions(t, predictions, err);
    if (status == STRATA_OK && c) {
        put_measured(t, c->measured);
        put_joined(t, predictions, c);
        status = put_correlation(t, c, err);
    }
    strata_text_put(t, "}\n");
    if (status == STRATA_OK && t->out_of_memory)
        status = strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                             "there is no memory left for the report's data.");
    return status;
}
