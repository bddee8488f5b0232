/* prediction_read.c - predictions back from JSON and CSV, also from other programs' files. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <strata/prediction.h>

#include "base/array.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"

enum { LARGEST_FILE_BYTES = 1000000000 };

static strata_status no_memory(const char *file, struct strata_error *err)
{
    return strata_no_memory(err, file, "for these predictions");
}

static strata_status add_prediction(struct strata_predictions *set, const char *file,
                                    const char *gpu, const char *model,
                                    struct strata_prediction **out, struct strata_error *err)
{
    if (!ARRAY_RESERVE(set->item, set->n, set->cap, 1))
        return no_memory(file, err);
    strata_status status = strata_prediction_init(&set->item[set->n], gpu, model, NULL, 1, err);
    if (status == STRATA_OK)
        *out = &set->item[set->n++];
    return status;
}

/* ---- JSON ---- */

struct json_reader {
    const char *file;
    size_t launch; /* index, for messages */
    struct strata_error *err;
};

static strata_status bad_member(struct json_reader *r, const char *name, const char *what)
{
    return strata_fail(r->err, STRATA_EFORMAT, r->file, 0, 0,
                       "\"%s\" of launches[%zu] %s; see docs/prediction-format.md.", name,
                       r->launch, what);
}

static bool read_dim3(json_t *list, struct strata_dim3 *out)
{
    json_int_t v[3];
    if (!list)
        return true;
    if (!json_is_array(list) || json_array_size(list) != 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        v[i] = json_integer_value(json_array_get(list, i));
        if (v[i] < 0 || v[i] > UINT32_MAX)
            return false;
    }
    *out = (struct strata_dim3){(uint32_t)v[0], (uint32_t)v[1], (uint32_t)v[2]};
    return true;
}

/* Nested objects become dotted paths again. */
static strata_status read_details(struct json_reader *r, json_t *object, const char *prefix,
                                  struct strata_result *out)
{
    const char *name;
    json_t *value;
    strata_status status = STRATA_OK;
    json_object_foreach(object, name, value)
    {
        char *path = NULL;
        if (asprintf(&path, "%s%s%s", prefix, *prefix ? "." : "", name) < 0)
            return no_memory(r->file, r->err);
        if (json_is_object(value))
            status = read_details(r, value, path, out);
        else if (json_is_string(value))
            strata_result_detail_text(out, path, json_string_value(value));
        else if (json_is_number(value))
            strata_result_detail(out, path, json_number_value(value));
        free(path);
        if (status != STRATA_OK)
            return status;
    }
    return STRATA_OK;
}

static strata_status read_metrics(struct json_reader *r, json_t *object, struct strata_result *out)
{
    const char *name;
    json_t *value;
    if (!json_is_object(object))
        return bad_member(r, "metrics", "is missing or is not an object");
    json_object_foreach(object, name, value)
    {
        if (json_is_null(value)) /* unknown */
            continue;
        if (!json_is_number(value))
            return bad_member(r, name, "is not a number");
        strata_result_set(out, name, json_number_value(value));
    }
    return STRATA_OK;
}

static const char *text_or(json_t *object, const char *name, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : otherwise;
}

static strata_status read_launch(struct json_reader *r, json_t *object, struct strata_prediction *p)
{
    struct strata_launch launch = {.program = text_or(object, "program", ""),
                                   .trace = text_or(object, "trace", ""),
                                   .kernel = text_or(object, "kernel", ""),
                                   .id =
                                       (uint64_t)json_integer_value(json_object_get(object, "id"))};
    struct strata_result result;
    size_t i;
    json_t *word;
    if (!json_is_object(object))
        return strata_fail(r->err, STRATA_EFORMAT, r->file, 0, 0,
                           "launches[%zu] is not an object; see docs/prediction-format.md.",
                           r->launch);
    if (json_integer_value(json_object_get(object, "id")) < 0)
        return bad_member(r, "id", "is negative");
    if (!read_dim3(json_object_get(object, "grid"), &launch.grid))
        return bad_member(r, "grid", "is not a list of three counts");
    if (!read_dim3(json_object_get(object, "block"), &launch.block))
        return bad_member(r, "block", "is not a list of three counts");
    strata_status status = strata_result_init(&result, &launch, r->err);
    if (status != STRATA_OK)
        return status;
    status = read_metrics(r, json_object_get(object, "metrics"), &result);
    if (status == STRATA_OK)
        status = read_details(r, json_object_get(object, "detail"), "", &result);
    json_array_foreach(json_object_get(object, "warnings"), i, word)
    {
        if (json_is_string(word))
            strata_result_warn(&result, "%s", json_string_value(word));
    }
    if (status == STRATA_OK && result.out_of_memory)
        status = no_memory(r->file, r->err);
    if (status == STRATA_OK)
        status = strata_prediction_add_result(p, &result, r->err);
    strata_result_release(&result);
    return status;
}

static strata_status read_header(struct json_reader *r, json_t *root,
                                 struct strata_predictions *set, struct strata_prediction **out)
{
    const char *variant = text_or(root, "variant", NULL);
    size_t i;
    json_t *word;
    strata_status status = add_prediction(set, r->file, text_or(root, "gpu", ""),
                                          text_or(root, "model", "unnamed"), out, r->err);
    if (status != STRATA_OK)
        return status;
    (*out)->seed = (uint64_t)json_integer_value(json_object_get(root, "seed"));
    if (variant && !((*out)->variant = strdup(variant)))
        return no_memory(r->file, r->err);
    json_array_foreach(json_object_get(root, "overrides"), i, word)
    {
        if (json_is_string(word) && (status = strata_prediction_add_override(
                                         *out, json_string_value(word), r->err)) != STRATA_OK)
            return status;
    }
    return STRATA_OK;
}

static strata_status read_json(struct strata_predictions *set, json_t *root, const char *file,
                               struct strata_error *err)
{
    struct json_reader r = {.file = file, .err = err};
    struct strata_prediction *p;
    json_t *launch;
    const char *schema = text_or(root, "schema", "");
    if (strcmp(schema, STRATA_PREDICTION_SCHEMA))
        return strata_fail(
            err, strncmp(schema, "strata.prediction/", 18) ? STRATA_EFORMAT : STRATA_EUNSUPPORTED,
            file, 0, 0,
            "the schema is \"%s\", not \"" STRATA_PREDICTION_SCHEMA
            "\"; make the file with `strata predict --format json`.",
            schema);
    if (json_integer_value(json_object_get(root, "seed")) < 0)
        return strata_fail(err, STRATA_EFORMAT, file, 0, 0, "the seed is negative.");
    if (!json_is_array(json_object_get(root, "launches")))
        return strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                           "there is no list of \"launches\"; see docs/prediction-format.md.");
    strata_status status = read_header(&r, root, set, &p);
    json_array_foreach(json_object_get(root, "launches"), r.launch, launch)
    {
        if (status == STRATA_OK)
            status = read_launch(&r, launch, p);
    }
    return status;
}

static strata_status parse_json(struct strata_predictions *set, const char *data, size_t length,
                                const char *file, struct strata_error *err)
{
    json_error_t where;
    json_t *root = json_loadb(data, length, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return strata_fail(err, STRATA_EFORMAT, file, where.line > 0 ? (uint32_t)where.line : 0,
                           where.column > 0 ? (uint32_t)where.column : 0,
                           "this is not complete JSON: %s.", where.text);
    strata_status status = read_json(set, root, file, err);
    json_decref(root);
    return status;
}

/* ---- CSV ---- */

enum csv_column { PROGRAM, TRACE, ID, KERNEL, METRIC, VALUE, MODEL, GPU, N_COLUMNS };
static const char *const column_name[N_COLUMNS] = {"program", "trace", "id",    "kernel",
                                                   "metric",  "value", "model", "gpu"};

struct csv_reader {
    struct strata_csv csv;
    size_t column[N_COLUMNS];
    struct strata_predictions *set;
    size_t first; /* predictions of this file begin here in the set */
    struct strata_error *err;
};

static const char *cell(const struct csv_reader *r, enum csv_column c)
{
    return r->column[c] < r->csv.n_cells ? r->csv.cell[r->column[c]] : "";
}

static strata_status find_columns(struct csv_reader *r)
{
    for (int c = 0; c < N_COLUMNS; c++) {
        r->column[c] = strata_csv_find(&r->csv, column_name[c]);
        if (r->column[c] == SIZE_MAX && (c == METRIC || c == VALUE || c == PROGRAM || c == TRACE))
            return strata_fail(r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
                               "there is no column \"%s\"; a prediction has the columns "
                               "program,trace,id,kernel,metric,unit,value,model,gpu.",
                               column_name[c]);
    }
    return STRATA_OK;
}

static strata_status prediction_of_row(struct csv_reader *r, struct strata_prediction **out)
{
    const char *model = r->column[MODEL] == SIZE_MAX ? "unnamed" : cell(r, MODEL);
    for (size_t i = r->set->n; i-- > r->first;) {
        struct strata_prediction *p = &r->set->item[i];
        if (!strcmp(p->model, model) && !strcmp(p->gpu, cell(r, GPU))) {
            *out = p;
            return STRATA_OK;
        }
    }
    return add_prediction(r->set, r->csv.file, cell(r, GPU), model, out, r->err);
}

static bool is_launch_of_row(const struct csv_reader *r, const struct strata_result *x, uint64_t id)
{
    return x->id == id && !strcmp(x->program, cell(r, PROGRAM)) &&
           !strcmp(x->trace, cell(r, TRACE)) && !strcmp(x->kernel, cell(r, KERNEL));
}

/* Rows of a launch are usually neighbours, so the search begins at the newest. */
static strata_status result_of_row(struct csv_reader *r, struct strata_prediction *p,
                                   struct strata_result **out)
{
    char *end;
    struct strata_launch launch = {
        .program = cell(r, PROGRAM), .trace = cell(r, TRACE), .kernel = cell(r, KERNEL)};
    struct strata_result made;
    errno = 0;
    long long id = strtoll(cell(r, ID), &end, 10);
    launch.id = (uint64_t)id;
    if (*end || errno || id < 0)
        return strata_fail(r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
                           "the id \"%s\" is not a number.", cell(r, ID));
    for (size_t i = p->n_results; i-- > 0;)
        if (is_launch_of_row(r, &p->result[i], launch.id)) {
            *out = &p->result[i];
            return STRATA_OK;
        }
    strata_status status = strata_result_init(&made, &launch, r->err);
    if (status == STRATA_OK)
        status = strata_prediction_add_result(p, &made, r->err);
    if (status == STRATA_OK)
        *out = &p->result[p->n_results - 1];
    else
        strata_result_release(&made);
    return status;
}

static strata_status read_row(struct csv_reader *r)
{
    struct strata_prediction *p = NULL;
    struct strata_result *result = NULL;
    char *end;
    const char *text = cell(r, VALUE), *metric = cell(r, METRIC);
    strata_status status = prediction_of_row(r, &p);
    if (status == STRATA_OK)
        status = result_of_row(r, p, &result);
    if (status != STRATA_OK || !*text || !strcmp(text, "n/a") || !strcmp(text, "nan")) /* unknown */
        return status;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return strata_fail(r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
                           "the value \"%s\" of %s is not a number.", text, metric);
    if (strata_result_get(result, metric, NULL))
        return strata_fail(r->err, STRATA_EFORMAT, r->csv.file, r->csv.line, 0,
                           "%s of %s/%s is given twice; keep one of the rows.", metric,
                           result->program, result->trace);
    strata_result_set(result, metric, value);
    return result->out_of_memory ? no_memory(r->csv.file, r->err) : STRATA_OK;
}

static strata_status parse_csv(struct strata_predictions *set, const char *data, size_t length,
                               const char *file, struct strata_error *err)
{
    struct csv_reader r = {.set = set, .first = set->n, .err = err};
    if (!strata_text_is_utf8(data, length))
        return strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                           "this is neither JSON nor CSV: it is not UTF-8 text.");
    strata_csv_open(&r.csv, data, length, file);
    strata_status status = strata_csv_next(&r.csv, err);
    if (status == STRATA_END)
        status = strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                             "the file is empty; make it with `strata predict`.");
    else if (status == STRATA_OK)
        status = find_columns(&r);
    while (status == STRATA_OK && (status = strata_csv_next(&r.csv, err)) == STRATA_OK)
        status = read_row(&r);
    strata_csv_release(&r.csv);
    return status == STRATA_END ? STRATA_OK : status;
}

strata_status strata_predictions_parse(struct strata_predictions *set, const char *data,
                                       size_t length, const char *file, struct strata_error *err)
{
    size_t i = 0;
    while (i < length && strchr(" \t\r\n", data[i]) && data[i])
        i++;
    if (i < length && (data[i] == '{' || data[i] == '['))
        return parse_json(set, data, length, file, err);
    return parse_csv(set, data, length, file, err);
}

strata_status strata_predictions_load(struct strata_predictions *set, const char *path,
                                      struct strata_error *err)
{
    char *data;
    size_t length;
    strata_status status = strata_file_read(path, LARGEST_FILE_BYTES, &data, &length, err);
    if (status != STRATA_OK)
        return status;
    status = strata_predictions_parse(set, data, length, path, err);
    free(data);
    return status;
}
