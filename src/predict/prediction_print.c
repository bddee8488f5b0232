/* prediction_print.c - a prediction as JSON (the contract), long CSV, or a table for people. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <strata/kernel_name.h>
#include <strata/prediction.h>

#include "base/text.h"
#include "predict/prediction_tables.h"

static const char *unit_of(const char *metric)
{
    const struct strata_metric *m = strata_metric_find(metric);
    return m ? m->unit : "";
}

/* ---- JSON ---- */

static void put_member(struct strata_text *t, const char *name, const char *value)
{
    strata_text_printf(t, "\"%s\": ", name);
    strata_text_put_json_string(t, value);
}

static void put_dim3(struct strata_text *t, const char *name, const struct strata_dim3 *d)
{
    strata_text_printf(t, "\"%s\": [%u, %u, %u]", name, d->x, d->y, d->z);
}

/* The object under `name` in `parent`; a plain value that stands there moves to its "value". */
static json_t *object_at(json_t *parent, const char *name)
{
    json_t *old = json_object_get(parent, name);
    if (json_is_object(old))
        return old;
    json_t *made = json_object();
    if (old)
        json_object_set(made, "value", old);
    json_object_set_new(parent, name, made);
    return made;
}

static json_t *detail_value(const struct strata_detail *d)
{
    return d->is_text ? json_string_nocheck(d->text) : json_real(d->value);
}

/* Dotted paths as nested objects, in the order of first mention. NULL: out of memory. */
static json_t *detail_tree(const struct strata_result *r)
{
    json_t *root = json_object();
    for (size_t i = 0; root && i < r->n_details; i++) {
        const struct strata_detail *d = &r->detail[i];
        if (!d->is_text && !isfinite(d->value))
            continue;
        json_t *at = root;
        char *path = strdup(d->path), *name = path;
        if (!path) {
            json_decref(root);
            return NULL;
        }
        for (char *dot = strchr(name, '.'); dot; dot = strchr(name, '.')) {
            *dot = 0;
            at = object_at(at, name);
            name = dot + 1;
        }
        bool taken = json_is_object(json_object_get(at, name));
        if (taken)
            at = json_object_get(at, name);
        json_object_set_new_nocheck(at, taken ? "value" : name, detail_value(d));
        free(path);
    }
    return root;
}

/* Our own writer for the tree: whole numbers as such, the fewest digits for others. */
static void put_tree(struct strata_text *t, json_t *node)
{
    const char *name, *separator = "";
    json_t *value;
    if (json_is_string(node)) {
        strata_text_put_json_string(t, json_string_value(node));
    } else if (json_is_object(node)) {
        strata_text_put(t, "{");
        json_object_foreach(node, name, value)
        {
            strata_text_put(t, separator);
            strata_text_put_json_string(t, name);
            strata_text_put(t, ": ");
            put_tree(t, value);
            separator = ", ";
        }
        strata_text_put(t, "}");
    } else {
        strata_text_put_number(t, json_number_value(node));
    }
}

static void put_metrics(struct strata_text *t, const struct strata_result *r)
{
    const char *separator = "";
    strata_text_put(t, "\"metrics\": {");
    for (size_t i = 0; i < r->n_counters; i++) {
        if (!isfinite(r->counter[i].value)) /* unknown */
            continue;
        strata_text_put(t, separator);
        strata_text_put_json_string(t, r->counter[i].name);
        strata_text_put(t, ": ");
        strata_text_put_number(t, r->counter[i].value);
        separator = ", ";
    }
    strata_text_put(t, "}");
}

static void put_launch_json(struct strata_text *t, size_t number, const struct strata_result *r)
{
    strata_text_put(t, number ? ",\n  {" : "{");
    put_member(t, "program", r->program);
    strata_text_put(t, ", ");
    put_member(t, "trace", r->trace);
    strata_text_printf(t, ", \"id\": %llu, ", (unsigned long long)r->id);
    put_member(t, "kernel", r->kernel);
    strata_text_put(t, ",\n   ");
    put_dim3(t, "grid", &r->grid);
    strata_text_put(t, ", ");
    put_dim3(t, "block", &r->block);
    strata_text_put(t, ",\n   ");
    put_metrics(t, r);
    if (r->n_details) {
        json_t *tree = detail_tree(r);
        t->out_of_memory |= !tree;
        strata_text_put(t, ",\n   \"detail\": ");
        put_tree(t, tree);
        json_decref(tree);
    }
    if (r->n_warnings) {
        strata_text_put(t, ",\n   ");
        strata_text_put_json_strings(t, "warnings", r->warning, r->n_warnings);
    }
    strata_text_put(t, "}");
}

static void put_json_head(struct strata_text *t, const struct strata_prediction *p)
{
    strata_text_put(t, "{");
    put_member(t, "schema", STRATA_PREDICTION_SCHEMA);
    strata_text_put(t, ", ");
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
    if (p->n_overrides) {
        strata_text_put(t, ", ");
        strata_text_put_json_strings(t, "overrides", p->override, p->n_overrides);
    }
    if (p->gpu_digest)
        strata_text_printf(t, ", \"gpu_digest\": \"%016llx\"", (unsigned long long)p->gpu_digest);
    strata_text_put(t, ",\n \"launches\": [");
}

/* ---- CSV ---- */

/* The model's full name: what sets two predictions of one file apart. */
static void put_model_name(struct strata_text *t, const struct strata_prediction *p)
{
    strata_text_put(t, p->model);
    if (p->variant)
        strata_text_printf(t, ":%s", p->variant);
}

static void put_gpu_name(struct strata_text *t, const struct strata_prediction *p)
{
    strata_text_put(t, p->gpu);
    for (size_t i = 0; i < p->n_overrides; i++)
        strata_text_printf(t, " %s", p->override[i]);
}

static void put_launch_csv(struct strata_text *t, const struct strata_prediction *p,
                           const struct strata_result *r)
{
    struct strata_text model = {0}, gpu = {0};
    put_model_name(&model, p);
    put_gpu_name(&gpu, p);
    t->out_of_memory |= model.out_of_memory | gpu.out_of_memory;
    for (size_t j = 0; j < r->n_counters && !t->out_of_memory; j++) {
        if (!isfinite(r->counter[j].value))
            continue;
        strata_text_put_csv_field(t, r->program);
        strata_text_put(t, ",");
        strata_text_put_csv_field(t, r->trace);
        strata_text_printf(t, ",%llu,", (unsigned long long)r->id);
        strata_text_put_csv_field(t, r->kernel);
        strata_text_put(t, ",");
        strata_text_put_csv_field(t, r->counter[j].name);
        strata_text_printf(t, ",%s,", unit_of(r->counter[j].name));
        strata_text_put_number(t, r->counter[j].value);
        strata_text_put(t, ",");
        strata_text_put_csv_field(t, model.data);
        strata_text_put(t, ",");
        strata_text_put_csv_field(t, gpu.data);
        strata_text_put(t, "\n");
    }
    strata_text_release(&model);
    strata_text_release(&gpu);
}

/* ---- text ---- */

static size_t longest_metric(const struct strata_result *r)
{
    size_t longest = 0;
    for (size_t i = 0; i < r->n_counters; i++) {
        size_t n = strlen(r->counter[i].name);
        longest = n > longest ? n : longest;
    }
    return longest;
}

static void put_right(struct strata_text *t, double value, int width)
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

static void put_counter_text(struct strata_text *t, const struct strata_counter *c,
                             const struct strata_metric *m, size_t width)
{
    strata_text_printf(t, "  %-*s ", (int)width, c->name);
    put_right(t, c->value, 16);
    strata_text_printf(t, "%s%s\n", m ? " " : "", m ? m->unit : "");
}

/* In the order of the table of metrics, so that hit rates stand beside the hits they are made of;
 * metrics that the table does not know come last, in the model's order. */
static void put_counters_text(struct strata_text *t, const struct strata_result *r, size_t width)
{
    size_t n_known;
    const struct strata_metric *known = strata_metric_table(&n_known);
    size_t *place = malloc((r->n_counters + 1) * sizeof *place); /* in the table */
    t->out_of_memory |= !place;
    for (size_t i = 0; place && i < r->n_counters; i++) {
        const struct strata_metric *m = strata_metric_find(r->counter[i].name);
        place[i] = m ? (size_t)(m - known) : n_known;
    }
    for (size_t k = 0; place && k <= n_known; k++)
        for (size_t i = 0; i < r->n_counters; i++)
            if (place[i] == k)
                put_counter_text(t, &r->counter[i], k < n_known ? &known[k] : NULL, width);
    free(place);
}

static void put_launch_text(struct strata_text *t, const struct strata_result *r)
{
    size_t width = longest_metric(r);
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(r->program, r->trace, r->id, r->kernel, name);
    strata_text_printf(t, "\n%s  grid %ux%ux%u  block %ux%ux%u\n", name, r->grid.x, r->grid.y,
                       r->grid.z, r->block.x, r->block.y, r->block.z);
    put_counters_text(t, r, width);
    for (size_t i = 0; i < r->n_details; i++) {
        strata_text_printf(t, "  %-*s ", (int)width, r->detail[i].path);
        if (r->detail[i].is_text)
            strata_text_printf(t, "%16s", r->detail[i].text);
        else
            put_right(t, r->detail[i].value, 16);
        strata_text_put(t, "\n");
    }
    for (size_t i = 0; i < r->n_warnings; i++)
        strata_text_printf(t, "  warning: %s\n", r->warning[i]);
}

static void put_text_head(struct strata_text *t, const struct strata_prediction *p, size_t n)
{
    strata_text_put(t, "model ");
    put_model_name(t, p);
    strata_text_put(t, " on ");
    put_gpu_name(t, p);
    strata_text_printf(t, ", seed %llu, %zu launch%s\n", (unsigned long long)p->seed, n,
                       n == 1 ? "" : "es");
}

/* ---- all of them ---- */

static strata_status give(struct strata_text *t, char **text, size_t *length,
                          struct strata_error *err)
{
    if (t->out_of_memory) {
        strata_text_release(t);
        return strata_no_memory(err, NULL, "to print the predictions");
    }
    *text = t->data;
    *length = t->length;
    return STRATA_OK;
}

static void put_head(struct strata_text *t, const struct strata_prediction *p,
                     enum strata_layout layout, size_t n)
{
    switch (layout) {
    case STRATA_LAYOUT_TEXT:
        put_text_head(t, p, n);
        break;
    case STRATA_LAYOUT_CSV:
        strata_text_put(t, "program,trace,id,kernel,metric,unit,value,model,gpu\n");
        break;
    case STRATA_LAYOUT_JSON:
        put_json_head(t, p);
        break;
    case STRATA_LAYOUT_SUMMARY:
        put_summary_head(t, p);
        break;
    case STRATA_LAYOUT_NCU:
        put_ncu_head(t);
    }
}

static void put_launch(struct strata_text *t, const struct strata_prediction *p,
                       enum strata_layout layout, size_t number, const struct strata_result *r)
{
    switch (layout) {
    case STRATA_LAYOUT_TEXT:
        put_launch_text(t, r);
        break;
    case STRATA_LAYOUT_CSV:
        put_launch_csv(t, p, r);
        break;
    case STRATA_LAYOUT_JSON:
        put_launch_json(t, number, r);
        break;
    case STRATA_LAYOUT_SUMMARY:
        put_summary_row(t, r);
        break;
    case STRATA_LAYOUT_NCU:
        put_launch_ncu(t, p, number, r);
    }
}

static void put_tail(struct strata_text *t, enum strata_layout layout)
{
    strata_text_put(t, layout == STRATA_LAYOUT_JSON ? "]}\n" : "");
}

strata_status strata_prediction_head(const struct strata_prediction *p, enum strata_layout layout,
                                     size_t n_launches, char **text, size_t *length,
                                     struct strata_error *err)
{
    struct strata_text t = {0};
    put_head(&t, p, layout, n_launches);
    return give(&t, text, length, err);
}

strata_status strata_prediction_launch(const struct strata_prediction *p, enum strata_layout layout,
                                       size_t number, const struct strata_result *r, char **text,
                                       size_t *length, struct strata_error *err)
{
    struct strata_text t = {0};
    put_launch(&t, p, layout, number, r);
    return give(&t, text, length, err);
}

strata_status strata_prediction_tail(enum strata_layout layout, char **text, size_t *length,
                                     struct strata_error *err)
{
    struct strata_text t = {0};
    put_tail(&t, layout);
    return give(&t, text, length, err);
}

static strata_status print_all(const struct strata_prediction *p, enum strata_layout layout,
                               char **text, size_t *length, struct strata_error *err)
{
    struct strata_text t = {0};
    put_head(&t, p, layout, p->n_results);
    for (size_t i = 0; i < p->n_results && !t.out_of_memory; i++)
        put_launch(&t, p, layout, i, &p->result[i]);
    put_tail(&t, layout);
    return give(&t, text, length, err);
}

strata_status strata_prediction_print(const struct strata_prediction *p, enum strata_format format,
                                      char **text, size_t *length, struct strata_error *err)
{
    enum strata_layout layout = format == STRATA_FORMAT_JSON  ? STRATA_LAYOUT_JSON
                                : format == STRATA_FORMAT_CSV ? STRATA_LAYOUT_CSV
                                                              : STRATA_LAYOUT_TEXT;
    return print_all(p, layout, text, length, err);
}

strata_status strata_prediction_summary(const struct strata_prediction *p, char **text,
                                        size_t *length, struct strata_error *err)
{
    return print_all(p, STRATA_LAYOUT_SUMMARY, text, length, err);
}

strata_status strata_prediction_print_ncu(const struct strata_prediction *p, char **text,
                                          size_t *length, struct strata_error *err)
{
    return print_all(p, STRATA_LAYOUT_NCU, text, length, err);
}
