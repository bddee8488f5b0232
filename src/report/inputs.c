/* inputs.c - what goes into a report: predictions, results of other kinds as they are, and GPUs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <strata/report.h>

#include "base/array.h"
#include "base/file.h"
#include "base/text.h"

enum { LIMIT_BYTES = 1 << 30 };

/* The page has a view for each. */
static const char *const schemas[] = {"strata.reuse/1",    "strata.sweep/1",    "strata.advise/1",
                                      "strata.hotspots/1", "strata.timeline/1", NULL};

const char *const *strata_report_schemas(void)
{
    return schemas;
}

static strata_status no_memory(const char *file, struct strata_error *err)
{
    return strata_no_memory(err, file, "for the report");
}

static void document_release(struct strata_report_document *d)
{
    free(d->file);
    free(d->schema);
    free(d->gpu);
    free(d->json);
}

void strata_report_release(struct strata_report *r)
{
    strata_predictions_release(&r->predictions);
    strata_measured_release(&r->measured);
    for (size_t i = 0; i < r->n_documents; i++)
        document_release(&r->document[i]);
    for (size_t i = 0; i < r->n_gpus; i++)
        free(r->gpu_json[i]);
    free(r->document);
    free(r->gpu_json);
    *r = (struct strata_report){0};
}

/* ---- results of other kinds ---- */

static const char *known_schema(const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    for (const char *const *s = schemas; schema && *s; s++)
        if (!strcmp(schema, *s))
            return *s;
    return NULL;
}

/* What a file of another schema could have been. */
static strata_status refuse_schema(const json_t *root, const char *file, struct strata_error *err)
{
    char list[256] = STRATA_PREDICTION_SCHEMA;
    for (const char *const *s = schemas; *s; s++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", s[1] ? ", " : " or ", *s);
    return strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                       "a report shows results of the schema %s, not \"%.60s\".", list,
                       json_string_value(json_object_get(root, "schema")));
}

static strata_status add_document(struct strata_report *r, json_t *root, const char *schema,
                                  const char *file, struct strata_error *err)
{
    const char *gpu = json_string_value(json_object_get(root, "gpu"));
    struct strata_report_document d = {.file = strdup(file),
                                       .schema = strdup(schema),
                                       .gpu = gpu ? strdup(gpu) : NULL,
                                       .json = json_dumps(root, JSON_COMPACT)};
    if (!d.file || !d.schema || (gpu && !d.gpu) || !d.json ||
        !ARRAY_RESERVE(r->document, r->n_documents, r->cap_documents, 1)) {
        document_release(&d);
        return no_memory(file, err);
    }
    r->document[r->n_documents++] = d;
    return STRATA_OK;
}

strata_status strata_report_parse(struct strata_report *r, const char *data, size_t length,
                                  const char *file, struct strata_error *err)
{
    size_t start = 0;
    while (start < length && data[start] && strchr(" \t\r\n", data[start]))
        start++;
    if (start == length || data[start] != '{')
        return strata_predictions_parse(&r->predictions, data, length, file, err);
    json_error_t where;
    json_t *root = json_loadb(data, length, JSON_REJECT_DUPLICATES, &where);
    const char *schema = root ? known_schema(root) : NULL;
    const char *named = json_string_value(json_object_get(root, "schema"));
    strata_status status;
    if (schema)
        status = add_document(r, root, schema, file, err);
    else if (named && strcmp(named, STRATA_PREDICTION_SCHEMA))
        status = refuse_schema(root, file, err);
    else /* which also says what is wrong with it */
        status = strata_predictions_parse(&r->predictions, data, length, file, err);
    json_decref(root);
    return status;
}

strata_status strata_report_load(struct strata_report *r, const char *path,
                                 struct strata_error *err)
{
    char *data;
    size_t length;
    strata_status status = strata_file_read(path, LIMIT_BYTES, &data, &length, err);
    if (status != STRATA_OK)
        return status;
    status =
        strata_report_parse(r, data, length, !strcmp(path, "-") ? "standard input" : path, err);
    free(data);
    return status;
}

/* ---- GPUs ---- */

struct writing {
    struct strata_text text;
    const struct strata_gpu *gpu;
    const char *separator;
};

static bool is_number(const struct strata_gpu_key *key)
{
    switch (key->type) {
    case STRATA_GPU_BOOL:
    case STRATA_GPU_ENUM:
    case STRATA_GPU_STRING:
    case STRATA_GPU_UINTS:
    case STRATA_GPU_SIZES:
    case STRATA_GPU_DOUBLES:
        return false;
    default:
        return true;
    }
}

/* [key, text, unit, source, is set, number] */
static bool put_key(void *context, const struct strata_gpu_key *key, const char *value,
                    const char *source)
{
    struct writing *w = context;
    strata_text_put(&w->text, w->separator);
    strata_text_put(&w->text, "[");
    strata_text_put_json_string(&w->text, key->path);
    strata_text_put(&w->text, ",");
    strata_text_put_json_string(&w->text, value);
    strata_text_put(&w->text, ",");
    strata_text_put_json_string(&w->text, key->unit);
    strata_text_put(&w->text, ",");
    strata_text_put_json_string(&w->text, source);
    strata_text_put(&w->text, strata_gpu_is_set(w->gpu, key) ? ",true," : ",false,");
    double number = is_number(key) ? strata_gpu_number(w->gpu, key, 0) : NAN;
    if (isfinite(number))
        strata_text_put_number(&w->text, number);
    else
        strata_text_put(&w->text, "null");
    strata_text_put(&w->text, "]");
    w->separator = ",\n";
    return true;
}

/* [name, number, unit, how] */
static bool put_total(void *context, const char *name, double value, const char *unit,
                      const char *how)
{
    struct writing *w = context;
    strata_text_put(&w->text, w->separator);
    strata_text_put(&w->text, "[");
    strata_text_put_json_string(&w->text, name);
    strata_text_put(&w->text, ",");
    strata_text_put_number(&w->text, isfinite(value) ? value : 0);
    strata_text_put(&w->text, ",");
    strata_text_put_json_string(&w->text, unit);
    strata_text_put(&w->text, ",");
    strata_text_put_json_string(&w->text, how);
    strata_text_put(&w->text, "]");
    w->separator = ",\n";
    return true;
}

strata_status strata_report_add_gpu(struct strata_report *r, const struct strata_gpu *gpu,
                                    const char *name, char *const *override, size_t n_overrides,
                                    struct strata_error *err)
{
    struct writing w = {.gpu = gpu, .separator = ""};
    strata_text_put(&w.text, "{\"gpu\":");
    strata_text_put_json_string(&w.text, name);
    strata_text_put(&w.text, ",\"description\":");
    strata_text_put_json_string(&w.text, gpu->description);
    strata_text_put(&w.text, ",\"overrides\":[");
    for (size_t i = 0; i < n_overrides; i++) {
        strata_text_put(&w.text, i ? "," : "");
        strata_text_put_json_string(&w.text, override[i]);
    }
    strata_text_put(&w.text, "],\"keys\":[");
    strata_gpu_each(gpu, put_key, &w);
    strata_text_put(&w.text, "],\"totals\":[");
    w.separator = "";
    strata_gpu_totals(gpu, put_total, &w);
    strata_text_put(&w.text, "]}");
    if (w.text.out_of_memory || !ARRAY_RESERVE(r->gpu_json, r->n_gpus, r->cap_gpus, 1)) {
        strata_text_release(&w.text);
        return no_memory(name, err);
    }
    r->gpu_json[r->n_gpus++] = w.text.data;
    return STRATA_OK;
}
