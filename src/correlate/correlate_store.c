/* correlate_store.c - predictions and measurements of many programs and models in one SQLite file.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <strata/correlate.h>

#include "base/array.h"
#include "base/database.h"

#define SCHEMA "strata.results/1"

static const char tables[] =
    "CREATE TABLE measurement(measurement_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "
    "layout TEXT NOT NULL,"
    " names_traces INTEGER NOT NULL);"
    "CREATE TABLE measured_launch(measurement_id INTEGER NOT NULL, position INTEGER NOT NULL, "
    "program TEXT NOT NULL,"
    " trace TEXT NOT NULL, id INTEGER NOT NULL, kernel TEXT NOT NULL, grid TEXT NOT NULL, block "
    "TEXT NOT NULL,"
    " line INTEGER NOT NULL, PRIMARY KEY(measurement_id, position)) WITHOUT ROWID;"
    "CREATE TABLE measured_value(measurement_id INTEGER NOT NULL, position INTEGER NOT NULL, "
    "metric TEXT NOT NULL,"
    " value REAL NOT NULL, PRIMARY KEY(measurement_id, position, metric)) WITHOUT ROWID;"
    "CREATE TABLE prediction(prediction_id INTEGER PRIMARY KEY, label TEXT NOT NULL, tool TEXT NOT "
    "NULL, gpu TEXT NOT NULL,"
    " model TEXT NOT NULL, variant TEXT NOT NULL, seed INTEGER NOT NULL, overrides TEXT NOT NULL,"
    " UNIQUE(label, gpu, model, variant, seed, overrides));"
    "CREATE TABLE predicted_launch(prediction_id INTEGER NOT NULL, program TEXT NOT NULL, trace "
    "TEXT NOT NULL,"
    " id INTEGER NOT NULL, kernel TEXT NOT NULL, grid TEXT NOT NULL, block TEXT NOT NULL,"
    " PRIMARY KEY(prediction_id, program, trace, id)) WITHOUT ROWID;"
    "CREATE TABLE predicted_value(prediction_id INTEGER NOT NULL, program TEXT NOT NULL, trace "
    "TEXT NOT NULL, id INTEGER NOT NULL,"
    " metric TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY(prediction_id, program, trace, id, "
    "metric)) WITHOUT ROWID;"
    "CREATE TABLE predicted_detail(prediction_id INTEGER NOT NULL, program TEXT NOT NULL, trace "
    "TEXT NOT NULL, id INTEGER NOT NULL,"
    " path TEXT NOT NULL, value REAL, text TEXT, PRIMARY KEY(prediction_id, program, trace, id, "
    "path)) WITHOUT ROWID;";

enum statement {
    FIND_MEASUREMENT,
    ADD_MEASUREMENT,
    DROP_VALUES,
    DROP_LAUNCHES,
    DROP_MEASUREMENT,
    ADD_LAUNCH,
    ADD_VALUE,
    FIND_PREDICTION,
    ADD_PREDICTION,
    SET_TOOL,
    DROP_PREDICTED,
    DROP_PREDICTED_VALUES,
    DROP_DETAILS,
    ADD_PREDICTED,
    ADD_PREDICTED_VALUE,
    ADD_DETAIL_NUMBER,
    ADD_DETAIL_TEXT,
    EACH_MEASUREMENT,
    EACH_LAUNCH,
    EACH_VALUE,
    EACH_PREDICTION,
    EACH_PREDICTED,
    EACH_PREDICTED_VALUE,
    EACH_DETAIL,
    N_STATEMENTS
};
#define OF_LAUNCH " WHERE prediction_id = ? AND program = ? AND trace = ? AND id = ?"
static const char *const text_of[N_STATEMENTS] = {
    [FIND_MEASUREMENT] = "SELECT measurement_id FROM measurement WHERE name = ?",
    [ADD_MEASUREMENT] = "INSERT INTO measurement VALUES(NULL, ?, ?, ?)",
    [DROP_VALUES] = "DELETE FROM measured_value WHERE measurement_id = ?",
    [DROP_LAUNCHES] = "DELETE FROM measured_launch WHERE measurement_id = ?",
    [DROP_MEASUREMENT] = "DELETE FROM measurement WHERE measurement_id = ?",
    [ADD_LAUNCH] = "INSERT INTO measured_launch VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [ADD_VALUE] = "INSERT OR REPLACE INTO measured_value VALUES(?, ?, ?, ?)",
    [FIND_PREDICTION] = "SELECT prediction_id FROM prediction WHERE label = ? AND gpu = ? AND "
                        "model = ? AND variant = ?"
                        " AND seed = ? AND overrides = ?",
    [ADD_PREDICTION] = "INSERT INTO prediction VALUES(NULL, ?, ?, ?, ?, ?, ?, ?)",
    [SET_TOOL] = "UPDATE prediction SET tool = ? WHERE prediction_id = ?",
    [DROP_PREDICTED] = "DELETE FROM predicted_launch" OF_LAUNCH,
    [DROP_PREDICTED_VALUES] = "DELETE FROM predicted_value" OF_LAUNCH,
    [DROP_DETAILS] = "DELETE FROM predicted_detail" OF_LAUNCH,
    [ADD_PREDICTED] = "INSERT INTO predicted_launch VALUES(?, ?, ?, ?, ?, ?, ?)",
    [ADD_PREDICTED_VALUE] = "INSERT OR REPLACE INTO predicted_value VALUES(?, ?, ?, ?, ?, ?)",
    [ADD_DETAIL_NUMBER] = "INSERT OR REPLACE INTO predicted_detail VALUES(?, ?, ?, ?, ?, ?, NULL)",
    [ADD_DETAIL_TEXT] = "INSERT OR REPLACE INTO predicted_detail VALUES(?, ?, ?, ?, ?, NULL, ?)",
    [EACH_MEASUREMENT] = "SELECT measurement_id, name, layout, names_traces FROM measurement ORDER "
                         "BY measurement_id",
    [EACH_LAUNCH] =
        "SELECT position, program, trace, id, kernel, grid, block, line FROM measured_launch"
        " WHERE measurement_id = ? ORDER BY position",
    [EACH_VALUE] =
        "SELECT metric, value FROM measured_value WHERE measurement_id = ? AND position = ?",
    [EACH_PREDICTION] =
        "SELECT prediction_id, label, tool, gpu, model, variant, seed, overrides FROM prediction"
        " ORDER BY prediction_id",
    [EACH_PREDICTED] = "SELECT program, trace, id, kernel, grid, block FROM predicted_launch WHERE "
                       "prediction_id = ?",
    [EACH_PREDICTED_VALUE] = "SELECT metric, value FROM predicted_value" OF_LAUNCH,
    [EACH_DETAIL] = "SELECT path, value, text FROM predicted_detail" OF_LAUNCH,
};

struct strata_result_store {
    struct strata_database db;
};

static strata_status no_memory(const struct strata_result_store *s, struct strata_error *err)
{
    return strata_no_memory(err, s->db.path, "for stored results");
}

strata_status strata_result_store_open(const char *path, struct strata_result_store **out,
                                       struct strata_error *err)
{
    struct strata_result_store *s = *out = calloc(1, sizeof *s);
    if (!s)
        return strata_no_memory(err, path, "for stored results");
    strata_status status =
        strata_database_open(&s->db, path, SCHEMA, tables, text_of, N_STATEMENTS, err);
    if (status != STRATA_OK) {
        free(s);
        *out = NULL;
    }
    return status;
}

void strata_result_store_close(struct strata_result_store *s)
{
    if (!s)
        return;
    strata_database_close(&s->db);
    free(s);
}

static void spell_dim(const struct strata_dim3 *d, char out[64])
{
    snprintf(out, 64, "%ux%ux%u", d->x, d->y, d->z);
}

static void read_dim(const char *text, struct strata_dim3 *d)
{
    if (sscanf(text, "%ux%ux%u", &d->x, &d->y, &d->z) != 3)
        memset(d, 0, sizeof *d);
}

/* ---- measurements ---- */

static strata_status forget_measurement(struct strata_result_store *s, const char *name,
                                        struct strata_error *err)
{
    strata_status status = strata_database_step(&s->db, FIND_MEASUREMENT, err, "t", name);
    if (status != STRATA_OK)
        return strata_database_no_row(status);
    int64_t id = strata_database_int(&s->db, FIND_MEASUREMENT, 0);
    strata_database_done(&s->db, FIND_MEASUREMENT);
    static const enum statement drops[] = {DROP_VALUES, DROP_LAUNCHES, DROP_MEASUREMENT};
    for (size_t i = 0; status == STRATA_OK && i < sizeof drops / sizeof drops[0]; i++)
        status = DATABASE_DO(&s->db, drops[i], err, "i", id);
    return status;
}

static strata_status add_measured_launch(struct strata_result_store *s, int64_t measurement,
                                         const struct strata_measured *m, size_t i,
                                         struct strata_error *err)
{
    const struct strata_result *r = &m->launch[i];
    char grid[64], block[64];
    spell_dim(&r->grid, grid);
    spell_dim(&r->block, block);
    strata_status status =
        DATABASE_DO(&s->db, ADD_LAUNCH, err, "iittittti", measurement, (int64_t)i, r->program,
                    r->trace, (int64_t)r->id, r->kernel, grid, block, (int64_t)m->line[i]);
    for (size_t k = 0; status == STRATA_OK && k < r->n_counters; k++)
        status = DATABASE_DO(&s->db, ADD_VALUE, err, "iitd", measurement, (int64_t)i,
                             r->counter[k].name, r->counter[k].value);
    return status;
}

strata_status strata_result_store_add_measured(struct strata_result_store *s,
                                               const struct strata_measured *m,
                                               struct strata_error *err)
{
    strata_status status = strata_database_begin(&s->db, err);
    if (status == STRATA_OK)
        status = forget_measurement(s, m->file, err);
    if (status == STRATA_OK)
        status = DATABASE_DO(&s->db, ADD_MEASUREMENT, err, "tti", m->file, m->layout,
                             (int64_t)m->names_traces);
    int64_t id = strata_database_last_id(&s->db);
    for (size_t i = 0; status == STRATA_OK && i < m->n_launches; i++)
        status = add_measured_launch(s, id, m, i, err);
    return status == STRATA_OK ? strata_database_commit(&s->db, err) : status;
}

/* ---- predictions ---- */

static char *spell_overrides(const struct strata_prediction *p)
{
    json_t *list = json_array();
    for (size_t i = 0; i < p->n_overrides; i++)
        json_array_append_new(list, json_string(p->override[i]));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text;
}

static strata_status find_prediction(struct strata_result_store *s,
                                     const struct strata_prediction *p, const char *label,
                                     int64_t *id, struct strata_error *err)
{
    char *overrides = spell_overrides(p);
    const char *variant = p->variant ? p->variant : "";
    if (!overrides)
        return no_memory(s, err);
    strata_status status =
        strata_database_step(&s->db, FIND_PREDICTION, err, "ttttit", label, p->gpu, p->model,
                             variant, (int64_t)p->seed, overrides);
    if (status == STRATA_OK) {
        *id = strata_database_int(&s->db, FIND_PREDICTION, 0);
        strata_database_done(&s->db, FIND_PREDICTION);
        status = DATABASE_DO(&s->db, SET_TOOL, err, "ti", p->tool, *id);
    } else if (status == STRATA_END) {
        status = DATABASE_DO(&s->db, ADD_PREDICTION, err, "tttttit", label, p->tool, p->gpu,
                             p->model, variant, (int64_t)p->seed, overrides);
        *id = strata_database_last_id(&s->db);
    }
    free(overrides);
    return status;
}

static strata_status add_predicted(struct strata_result_store *s, int64_t p,
                                   const struct strata_result *r, struct strata_error *err)
{
    static const enum statement drops[] = {DROP_PREDICTED_VALUES, DROP_DETAILS, DROP_PREDICTED};
    int64_t id = (int64_t)r->id;
    strata_status status = STRATA_OK;
    char grid[64], block[64];
    spell_dim(&r->grid, grid);
    spell_dim(&r->block, block);
    for (size_t i = 0; status == STRATA_OK && i < sizeof drops / sizeof drops[0]; i++)
        status = DATABASE_DO(&s->db, drops[i], err, "itti", p, r->program, r->trace, id);
    if (status == STRATA_OK)
        status = DATABASE_DO(&s->db, ADD_PREDICTED, err, "ittittt", p, r->program, r->trace, id,
                             r->kernel, grid, block);
    for (size_t k = 0; status == STRATA_OK && k < r->n_counters; k++)
        status = DATABASE_DO(&s->db, ADD_PREDICTED_VALUE, err, "ittitd", p, r->program, r->trace,
                             id, r->counter[k].name, r->counter[k].value);
    for (size_t k = 0; status == STRATA_OK && k < r->n_details; k++) {
        const struct strata_detail *d = &r->detail[k];
        if (d->is_text)
            status = DATABASE_DO(&s->db, ADD_DETAIL_TEXT, err, "ittitt", p, r->program, r->trace,
                                 id, d->path, d->text);
        else
            status = DATABASE_DO(&s->db, ADD_DETAIL_NUMBER, err, "ittitd", p, r->program, r->trace,
                                 id, d->path, d->value);
    }
    return status;
}

strata_status strata_result_store_add_predictions(struct strata_result_store *s,
                                                  const struct strata_predictions *set,
                                                  const char *label, struct strata_error *err)
{
    strata_status status = strata_database_begin(&s->db, err);
    for (size_t i = 0; status == STRATA_OK && i < set->n; i++) {
        const struct strata_prediction *p = &set->item[i];
        int64_t id = 0;
        status = find_prediction(s, p, label ? label : p->label ? p->label : "", &id, err);
        for (size_t k = 0; status == STRATA_OK && k < p->n_results; k++)
            status = add_predicted(s, id, &p->result[k], err);
    }
    return status == STRATA_OK ? strata_database_commit(&s->db, err) : status;
}

/* ---- reading measurements ---- */

static strata_status read_values(struct strata_result_store *s, enum statement which,
                                 strata_status status, struct strata_result *r,
                                 struct strata_error *err)
{
    while (status == STRATA_OK) {
        strata_result_set(r, strata_database_words(&s->db, which, 0),
                          strata_database_number(&s->db, which, 1));
        status = strata_database_next(&s->db, which, err);
    }
    return status == STRATA_END ? (r->out_of_memory ? no_memory(s, err) : STRATA_OK) : status;
}

static strata_status read_measured_launch(struct strata_result_store *s, int64_t measurement,
                                          struct strata_measured *m, struct strata_error *err)
{
    int64_t position = strata_database_int(&s->db, EACH_LAUNCH, 0);
    struct strata_launch launch = {.program = strata_database_words(&s->db, EACH_LAUNCH, 1),
                                   .trace = strata_database_words(&s->db, EACH_LAUNCH, 2),
                                   .id = (uint64_t)strata_database_int(&s->db, EACH_LAUNCH, 3),
                                   .kernel = strata_database_words(&s->db, EACH_LAUNCH, 4)};
    read_dim(strata_database_words(&s->db, EACH_LAUNCH, 5), &launch.grid);
    read_dim(strata_database_words(&s->db, EACH_LAUNCH, 6), &launch.block);
    if (!ARRAY_RESERVE(m->launch, m->n_launches, m->cap_launches, 1) ||
        !ARRAY_RESERVE(m->line, m->n_launches, m->cap_lines, 1))
        return no_memory(s, err);
    struct strata_result *r = &m->launch[m->n_launches];
    strata_status status = strata_result_init(r, &launch, err);
    if (status != STRATA_OK)
        return status;
    m->line[m->n_launches++] = (uint32_t)strata_database_int(&s->db, EACH_LAUNCH, 7);
    return read_values(s, EACH_VALUE,
                       strata_database_step(&s->db, EACH_VALUE, err, "ii", measurement, position),
                       r, err);
}

static strata_status refuse_mixture(const struct strata_result_store *s, struct strata_error *err)
{
    return strata_fail(err, STRATA_EUSAGE, s->db.path, 0, 0,
                       "the store holds measurements that do not name traces beside others, and "
                       "they cannot be joined as one; choose one "
                       "with --measurement NAME.");
}

static strata_status read_measurement(struct strata_result_store *s, struct strata_measured *m,
                                      struct strata_error *err)
{
    int64_t id = strata_database_int(&s->db, EACH_MEASUREMENT, 0);
    bool names_traces = strata_database_int(&s->db, EACH_MEASUREMENT, 3);
    if (m->n_launches && (!names_traces || !m->names_traces))
        return refuse_mixture(s, err);
    m->names_traces = names_traces;
    m->layout = names_traces ? "table" : "Nsight Compute";
    char *file =
        strdup(m->n_launches ? s->db.path : strata_database_words(&s->db, EACH_MEASUREMENT, 1));
    if (!file)
        return no_memory(s, err);
    free(m->file);
    m->file = file;
    strata_status status = strata_database_step(&s->db, EACH_LAUNCH, err, "i", id);
    while (status == STRATA_OK) {
        status = read_measured_launch(s, id, m, err);
        if (status != STRATA_OK)
            strata_database_done(&s->db, EACH_LAUNCH);
        else
            status = strata_database_next(&s->db, EACH_LAUNCH, err);
    }
    return strata_database_no_row(status);
}

static strata_status read_measurements(struct strata_result_store *s, const char *name,
                                       struct strata_measured *m, struct strata_error *err)
{
    strata_status status = strata_database_step(&s->db, EACH_MEASUREMENT, err, "");
    while (status == STRATA_OK) {
        if (!name || !strcmp(strata_database_words(&s->db, EACH_MEASUREMENT, 1), name))
            status = read_measurement(s, m, err);
        if (status != STRATA_OK)
            strata_database_done(&s->db, EACH_MEASUREMENT);
        else
            status = strata_database_next(&s->db, EACH_MEASUREMENT, err);
    }
    status = strata_database_no_row(status);
    if (status == STRATA_OK && !m->n_launches)
        return strata_fail(err, STRATA_EFORMAT, s->db.path, 0, 0,
                           "the store has no measurement%s%s; add one with --measured FILE.",
                           name ? " called " : "", name ? name : "");
    return status;
}

/* ---- reading predictions ---- */

static strata_status read_details(struct strata_result_store *s, int64_t p, struct strata_result *r,
                                  struct strata_error *err)
{
    strata_status status = strata_database_step(&s->db, EACH_DETAIL, err, "itti", p, r->program,
                                                r->trace, (int64_t)r->id);
    while (status == STRATA_OK) {
        const char *text = strata_database_words(&s->db, EACH_DETAIL, 2),
                   *path = strata_database_words(&s->db, EACH_DETAIL, 0);
        if (*text)
            strata_result_detail_text(r, path, text);
        else
            strata_result_detail(r, path, strata_database_number(&s->db, EACH_DETAIL, 1));
        status = strata_database_next(&s->db, EACH_DETAIL, err);
    }
    return status == STRATA_END ? (r->out_of_memory ? no_memory(s, err) : STRATA_OK) : status;
}

static strata_status read_predicted(struct strata_result_store *s, int64_t id,
                                    struct strata_prediction *p, struct strata_error *err)
{
    struct strata_result r;
    struct strata_launch launch = {.program = strata_database_words(&s->db, EACH_PREDICTED, 0),
                                   .trace = strata_database_words(&s->db, EACH_PREDICTED, 1),
                                   .id = (uint64_t)strata_database_int(&s->db, EACH_PREDICTED, 2),
                                   .kernel = strata_database_words(&s->db, EACH_PREDICTED, 3)};
    read_dim(strata_database_words(&s->db, EACH_PREDICTED, 4), &launch.grid);
    read_dim(strata_database_words(&s->db, EACH_PREDICTED, 5), &launch.block);
    strata_status status = strata_result_init(&r, &launch, err);
    if (status != STRATA_OK)
        return status;
    status = read_values(s, EACH_PREDICTED_VALUE,
                         strata_database_step(&s->db, EACH_PREDICTED_VALUE, err, "itti", id,
                                              r.program, r.trace, (int64_t)r.id),
                         &r, err);
    if (status == STRATA_OK)
        status = read_details(s, id, &r, err);
    if (status == STRATA_OK)
        status = strata_prediction_add_result(p, &r, err);
    strata_result_release(&r);
    return status;
}

static strata_status read_overrides(struct strata_result_store *s, struct strata_prediction *p,
                                    struct strata_error *err)
{
    strata_status status = STRATA_OK;
    json_t *list = json_loads(strata_database_words(&s->db, EACH_PREDICTION, 7), 0, NULL);
    for (size_t i = 0; status == STRATA_OK && i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        status = strata_prediction_add_override(p, word ? word : "", err);
    }
    json_decref(list);
    return status;
}

static strata_status read_prediction(struct strata_result_store *s, struct strata_predictions *set,
                                     struct strata_error *err)
{
    int64_t id = strata_database_int(&s->db, EACH_PREDICTION, 0);
    const char *label = strata_database_words(&s->db, EACH_PREDICTION, 1),
               *variant = strata_database_words(&s->db, EACH_PREDICTION, 5);
    if (!ARRAY_RESERVE(set->item, set->n, set->cap, 1))
        return no_memory(s, err);
    struct strata_prediction *p = &set->item[set->n];
    strata_status status = strata_prediction_init(
        p, strata_database_words(&s->db, EACH_PREDICTION, 3),
        strata_database_words(&s->db, EACH_PREDICTION, 4), *variant ? variant : NULL,
        (uint64_t)strata_database_int(&s->db, EACH_PREDICTION, 6), err);
    if (status != STRATA_OK)
        return status;
    set->n++;
    free(p->tool);
    p->tool = strdup(strata_database_words(&s->db, EACH_PREDICTION, 2));
    p->label = *label ? strdup(label) : NULL;
    if (!p->tool || (*label && !p->label))
        return no_memory(s, err);
    status = read_overrides(s, p, err);
    if (status == STRATA_OK)
        status = strata_database_step(&s->db, EACH_PREDICTED, err, "i", id);
    while (status == STRATA_OK) {
        status = read_predicted(s, id, p, err);
        if (status != STRATA_OK)
            strata_database_done(&s->db, EACH_PREDICTED);
        else
            status = strata_database_next(&s->db, EACH_PREDICTED, err);
    }
    return strata_database_no_row(status);
}

static strata_status read_predictions(struct strata_result_store *s, struct strata_predictions *set,
                                      struct strata_error *err)
{
    strata_status status = strata_database_step(&s->db, EACH_PREDICTION, err, "");
    while (status == STRATA_OK) {
        status = read_prediction(s, set, err);
        if (status != STRATA_OK)
            strata_database_done(&s->db, EACH_PREDICTION);
        else
            status = strata_database_next(&s->db, EACH_PREDICTION, err);
    }
    status = strata_database_no_row(status);
    if (status == STRATA_OK && !set->n)
        return strata_fail(err, STRATA_EFORMAT, s->db.path, 0, 0,
                           "the store has no prediction; give some to add.");
    return status;
}

strata_status strata_result_store_load(struct strata_result_store *s, const char *name,
                                       struct strata_measured *m, struct strata_predictions *set,
                                       struct strata_error *err)
{
    memset(m, 0, sizeof *m);
    memset(set, 0, sizeof *set);
    strata_status status = read_measurements(s, name, m, err);
    return status == STRATA_OK ? read_predictions(s, set, err) : status;
}
