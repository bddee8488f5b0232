/* dataset.c - sets of series: building them, and their folder on disk (docs/probe-format.md). */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <strata/files.h>
#include <unistd.h>

#include <strata/probe.h>

#include "base/array.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "trace/stream.h"

enum { MANIFEST_LIMIT = 16 << 20, SERIES_LIMIT = 1 << 30 };

static strata_status no_memory(const char *file, struct strata_error *err)
{
    return strata_no_memory(err, file, "for this series");
}

void strata_probe_release(struct strata_probe_set *set)
{
    for (size_t i = 0; i < set->n_series; i++)
        free(set->series[i].value);
    free(set->series);
    memset(set, 0, sizeof *set);
}

static bool set_columns(struct strata_series *s, const char *names)
{
    s->n_columns = 0;
    while (*names) {
        size_t n = strcspn(names, ",");
        if (s->n_columns == STRATA_SERIES_MAX_COLUMNS || !n || n >= sizeof s->column[0])
            return false;
        memcpy(s->column[s->n_columns], names, n);
        s->column[s->n_columns++][n] = 0;
        names += n + (names[n] == ',');
    }
    return s->n_columns > 0;
}

struct strata_series *strata_probe_add(struct strata_probe_set *set, const char *name,
                                       const char *experiment, const char *path,
                                       const char *columns)
{
    if (!ARRAY_RESERVE(set->series, set->n_series, set->cap_series, 1))
        return NULL;
    struct strata_series *s = &set->series[set->n_series];
    memset(s, 0, sizeof *s);
    if (columns && !set_columns(s, columns))
        return NULL;
    snprintf(s->name, sizeof s->name, "%s", name);
    snprintf(s->file, sizeof s->file, "%s.csv.zst", s->name);
    snprintf(s->experiment, sizeof s->experiment, "%s", experiment);
    snprintf(s->path, sizeof s->path, "%s", path);
    set->n_series++;
    return s;
}

bool strata_series_set_parameter(struct strata_series *s, const char *key, double value)
{
    if (s->n_parameters == STRATA_SERIES_MAX_PARAMETERS)
        return false;
    snprintf(s->parameter[s->n_parameters].key, sizeof s->parameter[0].key, "%s", key);
    s->parameter[s->n_parameters++].value = value;
    return true;
}

bool strata_series_add_row(struct strata_series *s, const double *value)
{
    if (!ARRAY_RESERVE(s->value, s->n_rows * s->n_columns, s->cap_values, s->n_columns))
        return false;
    memcpy(s->value + s->n_rows * s->n_columns, value, s->n_columns * sizeof *value);
    s->n_rows++;
    return true;
}

const struct strata_series *strata_probe_find(const struct strata_probe_set *set, const char *name)
{
    for (size_t i = 0; i < set->n_series; i++)
        if (!strcmp(set->series[i].name, name))
            return &set->series[i];
    return NULL;
}

double strata_series_parameter(const struct strata_series *s, const char *key, double otherwise)
{
    for (uint32_t i = 0; i < s->n_parameters; i++)
        if (!strcmp(s->parameter[i].key, key))
            return s->parameter[i].value;
    return otherwise;
}

int strata_series_column(const struct strata_series *s, const char *name)
{
    for (uint32_t i = 0; i < s->n_columns; i++)
        if (!strcmp(s->column[i], name))
            return (int)i;
    return -1;
}

/* ---- series as CSV ---- */

static strata_status series_header(struct strata_csv *csv, struct strata_series *out,
                                   struct strata_error *err)
{
    strata_status st = strata_csv_next(csv, err);
    if (st == STRATA_END)
        return strata_fail(err, STRATA_EFORMAT, csv->file, 1, 0,
                           "the series is empty; its first line names the columns.");
    if (st != STRATA_OK)
        return st;
    if (csv->n_cells > STRATA_SERIES_MAX_COLUMNS)
        return strata_fail(err, STRATA_EFORMAT, csv->file, csv->line, 0,
                           "a series has at most %d columns, not %zu.", STRATA_SERIES_MAX_COLUMNS,
                           csv->n_cells);
    out->n_columns = 0;
    for (size_t i = 0; i < csv->n_cells; i++)
        snprintf(out->column[out->n_columns++], sizeof out->column[0], "%s", csv->cell[i]);
    return STRATA_OK;
}

strata_status strata_series_parse(const char *text, size_t length, const char *file,
                                  struct strata_series *out, struct strata_error *err)
{
    struct strata_csv csv;
    strata_csv_open(&csv, text, length, file);
    strata_status st = series_header(&csv, out, err);
    while (st == STRATA_OK && (st = strata_csv_next(&csv, err)) == STRATA_OK) {
        double row[STRATA_SERIES_MAX_COLUMNS];
        if (csv.n_cells != out->n_columns) {
            st = strata_fail(err, STRATA_EFORMAT, file, csv.line, 0,
                             "the row has %zu fields where the first line names %u.", csv.n_cells,
                             out->n_columns);
            break;
        }
        for (size_t i = 0; i < csv.n_cells && st == STRATA_OK; i++) {
            char *end;
            row[i] = strtod(csv.cell[i], &end);
            if (end == csv.cell[i] || *end || !isfinite(row[i]))
                st = strata_fail(err, STRATA_EFORMAT, file, csv.line, 0,
                                 "\"%.40s\" in column \"%s\" is not a number.", csv.cell[i],
                                 out->column[i]);
        }
        if (st == STRATA_OK && !strata_series_add_row(out, row))
            st = no_memory(file, err);
    }
    strata_csv_release(&csv);
    return st == STRATA_END ? STRATA_OK : st;
}

static strata_status read_stream(const char *path, char **text, size_t *length,
                                 struct strata_error *err)
{
    struct stream_source *in;
    size_t cap = 0, n = 0, got = 1;
    char *data = NULL;
    strata_status st = stream_source_open(path, &in, err);
    if (st != STRATA_OK)
        return st;
    while (st == STRATA_OK && got) {
        if (n > SERIES_LIMIT)
            st = strata_fail(err, STRATA_ELIMIT, path, 0, 0,
                             "the series is larger than %d MiB; record fewer steps.",
                             SERIES_LIMIT >> 20);
        else if (!ARRAY_RESERVE(data, n, cap, 65536))
            st = no_memory(path, err);
        else
            st = stream_source_read(in, data + n, 65536, &got, err);
        n += st == STRATA_OK ? got : 0;
    }
    stream_source_close(in);
    if (st != STRATA_OK)
        free(data);
    *text = st == STRATA_OK ? data : NULL;
    *length = n;
    return st;
}

/* ---- the manifest ---- */

static strata_status bad_manifest(const char *file, struct strata_error *err, const char *what)
{
    return strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                       "%s; docs/probe-format.md describes the manifest.", what);
}

static void copy_string(const json_t *object, const char *key, char *out, size_t size)
{
    const char *s = json_string_value(json_object_get(object, key));
    snprintf(out, size, "%s", s ? s : "");
}

static uint32_t small_number(const json_t *object, const char *key)
{
    double v = json_number_value(json_object_get(object, key));
    return v >= 1 && v < 1e6 ? (uint32_t)v : 0;
}

/* File names stay inside the folder: a manifest from elsewhere must not reach other files. */
static bool plain_name(const char *s)
{
    if (!*s || *s == '.')
        return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              strchr("._-+", *s)))
            return false;
    return true;
}

static strata_status parse_parameters(const json_t *object, struct strata_series *s,
                                      const char *file, struct strata_error *err)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (!json_is_number(value) && !json_is_boolean(value))
            continue; /* words are notes for people */
        double v = json_is_number(value) ? json_number_value(value) : json_is_true(value);
        if (!strata_series_set_parameter(s, key, v))
            return strata_fail(err, STRATA_ELIMIT, file, 0, 0,
                               "series \"%s\" has more than %d parameters.", s->name,
                               STRATA_SERIES_MAX_PARAMETERS);
    }
    return STRATA_OK;
}

static strata_status parse_entry(const json_t *entry, const char *file,
                                 struct strata_probe_set *out, struct strata_error *err)
{
    const char *name = json_string_value(json_object_get(entry, "name"));
    const char *csv = json_string_value(json_object_get(entry, "file"));
    if (!name || !csv || !plain_name(name) || !plain_name(csv) ||
        strlen(name) >= STRATA_SERIES_NAME || strlen(csv) >= sizeof out->series->file)
        return bad_manifest(
            file, err,
            "a series needs \"name\" and \"file\" of letters, digits, '.', '_', '+' and '-'");
    if (strata_probe_find(out, name))
        return strata_fail(err, STRATA_EFORMAT, file, 0, 0,
                           "there are two series called \"%s\"; names are unique.", name);
    struct strata_series *s = strata_probe_add(out, name, "", "", NULL);
    if (!s)
        return no_memory(file, err);
    snprintf(s->file, sizeof s->file, "%s", csv);
    copy_string(entry, "experiment", s->experiment, sizeof s->experiment);
    copy_string(entry, "path", s->path, sizeof s->path);
    return parse_parameters(json_object_get(entry, "parameters"), s, file, err);
}

static strata_status parse_root(const json_t *root, const char *file, struct strata_probe_set *out,
                                struct strata_error *err)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (!schema || strcmp(schema, "strata.probe/1"))
        return bad_manifest(file, err, "this is no manifest with the schema \"strata.probe/1\"");
    copy_string(root, "target", out->target, sizeof out->target);
    copy_string(root, "card", out->card, sizeof out->card);
    copy_string(root, "driver", out->driver, sizeof out->driver);
    copy_string(root, "date", out->date, sizeof out->date);
    out->clock_mhz = json_number_value(json_object_get(root, "clock_mhz"));
    out->memory_clock_mhz = json_number_value(json_object_get(root, "memory_clock_mhz"));
    out->sm_version = small_number(root, "sm_version");
    out->sms = small_number(root, "sms");
    const json_t *list = json_object_get(root, "series");
    if (!json_is_array(list))
        return bad_manifest(file, err, "the manifest has no list \"series\"");
    strata_status st = STRATA_OK;
    for (size_t i = 0; i < json_array_size(list) && st == STRATA_OK; i++)
        st = parse_entry(json_array_get(list, i), file, out, err);
    return st;
}

strata_status strata_probe_parse(const char *text, size_t length, const char *file,
                                 struct strata_probe_set *out, struct strata_error *err)
{
    json_error_t where;
    memset(out, 0, sizeof *out);
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
    if (!root)
        return strata_fail(err, STRATA_EFORMAT, file, (uint32_t)(where.line > 0 ? where.line : 0),
                           (uint32_t)(where.column > 0 ? where.column : 0),
                           "this is not JSON: %.200s.", where.text);
    strata_status st = parse_root(root, file, out, err);
    json_decref(root);
    return st;
}

strata_status strata_probe_load(const char *dir, struct strata_probe_set *out,
                                struct strata_error *err)
{
    char path[4096], *text;
    size_t length;
    memset(out, 0, sizeof *out);
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    strata_status st = strata_file_read(path, MANIFEST_LIMIT, &text, &length, err);
    if (st != STRATA_OK)
        return st;
    st = strata_probe_parse(text, length, path, out, err);
    free(text);
    for (size_t i = 0; i < out->n_series && st == STRATA_OK; i++) {
        text = NULL;
        snprintf(path, sizeof path, "%s/%s", dir, out->series[i].file);
        st = read_stream(path, &text, &length, err);
        if (st == STRATA_OK)
            st = strata_series_parse(text, length, path, &out->series[i], err);
        free(text);
    }
    return st;
}

/* ---- writing ---- */

static strata_status write_whole(const char *dir, const char *name, const struct strata_text *text,
                                 struct strata_error *err)
{
    char path[4096];
    struct stream_sink *sink;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    char *temporary = text->out_of_memory ? NULL : strata_temporary_name(path);
    if (!temporary)
        return no_memory(path, err);
    strata_status st = stream_sink_open(temporary, path, stream_kind_of_name(name), 0, &sink, err);
    if (st != STRATA_OK) {
        free(temporary);
        return st;
    }
    st = stream_sink_write(sink, text->data, text->length, err);
    if (st == STRATA_OK)
        st = stream_sink_finish(sink, err);
    else
        stream_sink_abort(sink);
    if (st == STRATA_OK && rename(temporary, path))
        st = strata_fail(err, STRATA_EIO, path, 0, 0, "the file cannot get its name: %s.",
                         strerror(errno));
    if (st != STRATA_OK)
        unlink(temporary);
    free(temporary);
    return st;
}

static strata_status save_series(const char *dir, const struct strata_series *s,
                                 struct strata_error *err)
{
    struct strata_text t = {0};
    for (uint32_t c = 0; c < s->n_columns; c++)
        strata_text_printf(&t, "%s%s", c ? "," : "", s->column[c]);
    strata_text_put(&t, "\n");
    for (size_t r = 0; r < s->n_rows; r++)
        for (uint32_t c = 0; c < s->n_columns; c++) {
            strata_text_put_number(&t, s->value[r * s->n_columns + c]);
            strata_text_put(&t, c + 1 < s->n_columns ? "," : "\n");
        }
    strata_status st = write_whole(dir, s->file, &t, err);
    strata_text_release(&t);
    return st;
}

static void manifest_entry(struct strata_text *t, const struct strata_series *s, bool first)
{
    strata_text_put(t, first ? "\n  {\"name\": " : ",\n  {\"name\": ");
    strata_text_put_json_string(t, s->name);
    strata_text_put(t, ", \"file\": ");
    strata_text_put_json_string(t, s->file);
    strata_text_put(t, ", \"experiment\": ");
    strata_text_put_json_string(t, s->experiment);
    strata_text_put(t, ", \"path\": ");
    strata_text_put_json_string(t, s->path);
    strata_text_put(t, ", \"parameters\": {");
    for (uint32_t i = 0; i < s->n_parameters; i++) {
        strata_text_put(t, i ? ", " : "");
        strata_text_put_json_string(t, s->parameter[i].key);
        strata_text_put(t, ": ");
        strata_text_put_number(t, s->parameter[i].value);
    }
    strata_text_put(t, "}}");
}

static void manifest_text(struct strata_text *t, const struct strata_probe_set *set)
{
    const char *const key[] = {"target", "card", "driver", "date"};
    const char *const value[] = {set->target, set->card, set->driver, set->date};
    strata_text_put(t, "{\"schema\": \"strata.probe/1\"");
    for (int i = 0; i < 4; i++) {
        strata_text_printf(t, ", \"%s\": ", key[i]);
        strata_text_put_json_string(t, value[i]);
    }
    strata_text_put(t, ",\n \"clock_mhz\": ");
    strata_text_put_number(t, set->clock_mhz);
    strata_text_put(t, ", \"memory_clock_mhz\": ");
    strata_text_put_number(t, set->memory_clock_mhz);
    strata_text_printf(t, ", \"sm_version\": %u, \"sms\": %u", set->sm_version, set->sms);
    strata_text_put(t, ", \"series\": [");
    for (size_t i = 0; i < set->n_series; i++)
        manifest_entry(t, &set->series[i], i == 0);
    strata_text_put(t, "\n]}\n");
}

strata_status strata_probe_save(const char *dir, const struct strata_probe_set *set,
                                struct strata_error *err)
{
    if (mkdir(dir, 0777) && errno != EEXIST)
        return strata_fail(err, STRATA_EIO, dir, 0, 0, "the folder cannot be made: %s.",
                           strerror(errno));
    strata_status st = STRATA_OK;
    for (size_t i = 0; i < set->n_series && st == STRATA_OK; i++)
        st = save_series(dir, &set->series[i], err);
    if (st != STRATA_OK)
        return st;
    struct strata_text t = {0};
    manifest_text(&t, set);
    st = write_whole(dir, "manifest.json", &t, err);
    strata_text_release(&t);
    return st;
}
