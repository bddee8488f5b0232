/* data.c - what the page shows, as one JSON object: predictions and measurement as rows under their
 * metrics, the comparison and other results in the words of their own schemas, the definitions of
 * the metrics, and which measurement belongs to which launch.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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

/* ---- launches ---- */

/* Launches of one model have the same metrics, so names stand once, above rows of values: a report
 * of a thousand launches is a tenth as large as with names in each. */
struct columns {
    const char **name; /* borrowed from the results */
    size_t n, cap;
};

static bool has_column(const struct columns *c, size_t at, const char *name)
{
    if (at < c->n && !strcmp(c->name[at], name)) /* the usual order */
        return true;
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->name[i], name))
            return true;
    return false;
}

static bool find_columns(struct columns *c, const struct strata_result *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < r[i].n_counters; k++) {
            const char *name = r[i].counter[k].name;
            if (!isfinite(r[i].counter[k].value) || has_column(c, k, name))
                continue;
            if (!ARRAY_RESERVE(c->name, c->n, c->cap, 1))
                return false;
            c->name[c->n++] = name;
        }
    return true;
}

static void put_columns(struct strata_text *t, const struct columns *c)
{
    strata_text_put(t, "\"columns\": [");
    for (size_t i = 0; i < c->n; i++) {
        strata_text_put(t, i ? ",\n  " : "");
        strata_text_put_json_string(t, c->name[i]);
    }
    strata_text_put(t, "]");
}

/* null: unknown */
static void put_values(struct strata_text *t, const struct columns *c,
                       const struct strata_result *r)
{
    strata_text_put(t, "\"values\": [");
    for (size_t i = 0; i < c->n; i++) {
        double value = NAN;
        strata_text_put(t, i ? "," : "");
        if (strata_result_get(r, c->name[i], &value) && isfinite(value))
            strata_text_put_number(t, value);
        else
            strata_text_put(t, "null");
    }
    strata_text_put(t, "]");
}

static void put_member(struct strata_text *t, const char *name, const char *value)
{
    strata_text_printf(t, "\"%s\": ", name);
    strata_text_put_json_string(t, value ? value : "");
}

/* Under their dotted paths. */
static void put_details(struct strata_text *t, const struct strata_result *r)
{
    const char *separator = "";
    strata_text_put(t, ", \"detail\": {");
    for (size_t i = 0; i < r->n_details; i++) {
        const struct strata_detail *d = &r->detail[i];
        if (!d->is_text && !isfinite(d->value))
            continue;
        strata_text_put(t, separator);
        strata_text_put_json_string(t, d->path);
        strata_text_put(t, ":");
        if (d->is_text)
            strata_text_put_json_string(t, d->text);
        else
            strata_text_put_number(t, d->value);
        separator = ",";
    }
    strata_text_put(t, "}");
}

static void put_launch(struct strata_text *t, const struct columns *c,
                       const struct strata_result *r)
{
    strata_text_put(t, "{");
    put_member(t, "program", r->program);
    strata_text_put(t, ", ");
    put_member(t, "trace", r->trace);
    strata_text_printf(t, ", \"id\": %llu, ", (unsigned long long)r->id);
    put_member(t, "kernel", r->kernel);
    strata_text_printf(t, ", \"grid\": [%u,%u,%u], \"block\": [%u,%u,%u], ", r->grid.x, r->grid.y,
                       r->grid.z, r->block.x, r->block.y, r->block.z);
    put_values(t, c, r);
    if (r->n_details)
        put_details(t, r);
    if (r->n_warnings) {
        strata_text_put(t, ", ");
        strata_text_put_json_strings(t, "warnings", r->warning, r->n_warnings);
    }
    strata_text_put(t, "}");
}

/* "columns" and "launches" */
static void put_launches(struct strata_text *t, const struct strata_result *r, size_t n)
{
    struct columns c = {0};
    t->out_of_memory |= !find_columns(&c, r, n);
    put_columns(t, &c);
    strata_text_put(t, ", \"launches\": [");
    for (size_t i = 0; i < n; i++) {
        strata_text_put(t, i ? ",\n  " : "\n  ");
        put_launch(t, &c, &r[i]);
    }
    strata_text_put(t, "]");
    free(c.name);
}

static void put_prediction(struct strata_text *t, const struct strata_prediction *p)
{
    strata_text_put(t, "{");
    put_member(t, "tool", p->tool);
    strata_text_put(t, ", ");
    put_member(t, "gpu", p->gpu);
    strata_text_put(t, ", ");
    put_member(t, "model", p->model);
    if (p->variant) {
        strata_text_put(t, ", ");
        put_member(t, "variant", p->variant);
    }
    strata_text_printf(t, ", \"seed\": %llu", (unsigned long long)p->seed);
    strata_text_put(t, ", ");
    strata_text_put_json_strings(t, "overrides", p->override, p->n_overrides);
    strata_text_put(t, ", ");
    put_launches(t, p->result, p->n_results);
    strata_text_put(t, "}");
}

static void put_predictions(struct strata_text *t, const struct strata_predictions *p)
{
    strata_text_put(t, ",\n\"predictions\": [");
    for (size_t i = 0; i < p->n; i++) {
        strata_text_put(t, i ? ",\n" : "");
        put_prediction(t, &p->item[i]);
    }
    strata_text_put(t, "]");
}

/* ---- GPUs and results of other kinds ---- */

static void put_gpus(struct strata_text *t, const struct strata_report *r)
{
    strata_text_put(t, ",\n\"gpus\": [");
    for (size_t i = 0; i < r->n_gpus; i++) {
        strata_text_put(t, i ? ",\n" : "");
        strata_text_put(t, r->gpu_json[i]);
    }
    strata_text_put(t, "]");
}

static void put_documents(struct strata_text *t, const struct strata_report *r)
{
    strata_text_put(t, ",\n\"documents\": [");
    for (size_t i = 0; i < r->n_documents; i++) {
        strata_text_put(t, i ? ",\n{" : "{");
        put_member(t, "file", r->document[i].file);
        strata_text_put(t, ", \"content\": ");
        strata_text_put(t, r->document[i].json);
        strata_text_put(t, "}");
    }
    strata_text_put(t, "]");
}

/* ---- measurement ---- */

/* Of counters that differed from run to run: name, least, most. */
static void put_spread(struct strata_text *t, const struct strata_result *least,
                       const struct strata_result *most)
{
    const char *separator = "";
    strata_text_put(t, "{");
    for (size_t k = 0; k < least->n_counters; k++) {
        const char *name = least->counter[k].name;
        double high;
        if (!strata_result_get(most, name, &high) || !(least->counter[k].value < high))
            continue;
        strata_text_put(t, separator);
        strata_text_put_json_string(t, name);
        strata_text_put(t, ":[");
        strata_text_put_number(t, least->counter[k].value);
        strata_text_put(t, ",");
        strata_text_put_number(t, high);
        strata_text_put(t, "]");
        separator = ",";
    }
    strata_text_put(t, "}");
}

static void put_runs(struct strata_text *t, const struct strata_measured *m)
{
    strata_text_printf(t, ", \"runs\": %zu, \"spread\": [", m->n_runs);
    for (size_t i = 0; i < m->n_launches; i++) {
        strata_text_put(t, i ? ",\n  " : "\n  ");
        put_spread(t, &m->least[i], &m->most[i]);
    }
    strata_text_put(t, "]");
}

static void put_measured(struct strata_text *t, const struct strata_measured *m)
{
    strata_text_put(t, ",\n\"measured\": {");
    put_member(t, "file", m->file);
    strata_text_put(t, ", ");
    put_member(t, "layout", m->layout);
    strata_text_put(t, ", ");
    put_launches(t, m->launch, m->n_launches);
    if (m->n_runs)
        put_runs(t, m);
    strata_text_put(t, "}");
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

strata_status strata_report_data(const struct strata_report *r, const struct strata_correlation *c,
                                 struct strata_text *t, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    strata_text_put(t, "{\"schema\": \"" STRATA_REPORT_SCHEMA
                       "\", \"tool\": \"strata " STRATA_VERSION "\",\n");
    put_definitions(t, &r->predictions, c ? c->measured : NULL);
    put_predictions(t, &r->predictions);
    put_gpus(t, r);
    put_documents(t, r);
    if (c) {
        put_measured(t, c->measured);
        put_joined(t, &r->predictions, c);
        status = put_correlation(t, c, err);
    }
    strata_text_put(t, "}\n");
    if (status == STRATA_OK && t->out_of_memory)
        status = strata_no_memory(err, NULL, "for the report's data");
    return status;
}
