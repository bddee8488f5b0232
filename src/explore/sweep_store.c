/* sweep_store.c - the results of sweeps in an SQLite file. */
#include "explore/sweep_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/database.h"

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

static const char tables[] =
    "CREATE TABLE metric(metric_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT "
    "NULL);"
    "CREATE TABLE launch(launch_id INTEGER PRIMARY KEY, trace_hash TEXT NOT NULL, program TEXT NOT "
    "NULL, trace TEXT NOT NULL,"
    " id INTEGER NOT NULL, kernel TEXT NOT NULL, grid TEXT NOT NULL, block TEXT NOT NULL,"
    " UNIQUE(trace_hash, program, trace, id));"
    "CREATE TABLE point(point_id INTEGER PRIMARY KEY, config_hash TEXT NOT NULL, trace_hash TEXT "
    "NOT NULL, tool TEXT NOT NULL,"
    " gpu TEXT NOT NULL, model TEXT NOT NULL, variant TEXT NOT NULL, seed INTEGER NOT NULL, "
    "settings TEXT NOT NULL,"
    " UNIQUE(config_hash, trace_hash));"
    "CREATE TABLE setting(point_id INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY(point_id, key)) WITHOUT ROWID;"
    "CREATE TABLE result(point_id INTEGER PRIMARY KEY, status TEXT NOT NULL, error TEXT NOT NULL);"
    "CREATE TABLE part(point_id INTEGER NOT NULL, launch_id INTEGER NOT NULL, status TEXT NOT "
    "NULL, error TEXT NOT NULL,"
    " PRIMARY KEY(point_id, launch_id)) WITHOUT ROWID;"
    "CREATE TABLE value(point_id INTEGER NOT NULL, launch_id INTEGER NOT NULL, metric_id INTEGER "
    "NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY(point_id, launch_id, metric_id)) WITHOUT ROWID;"
    "CREATE TABLE profile(profile_hash TEXT NOT NULL, launch_id INTEGER NOT NULL, data BLOB NOT "
    "NULL,"
    " PRIMARY KEY(profile_hash, launch_id)) WITHOUT ROWID;"
    "CREATE VIEW counter AS SELECT point_id, settings, gpu, model, variant, seed, program, "
    "launch.trace AS trace, id, kernel,"
    " metric.name AS metric, unit, value FROM value JOIN point USING(point_id) JOIN launch "
    "USING(launch_id)"
    " JOIN metric USING(metric_id);";

/* Every statement is compiled once. */
enum statement {
    ADD_METRIC,
    ADD_LAUNCH,
    FIND_LAUNCH,
    ADD_POINT,
    FIND_POINT,
    ADD_SETTING,
    PUT_PART,
    PUT_VALUE,
    PUT_RESULT,
    FORGET_PARTS,
    FORGET_RESULT,
    PART_STATE,
    POINT_ERROR,
    GET_RESULT,
    EACH_VALUE,
    PUT_PROFILE,
    GET_PROFILE,
    N_STATEMENTS
};
static const char *const text_of[N_STATEMENTS] = {
    [ADD_METRIC] = "INSERT OR IGNORE INTO metric VALUES(?, ?, ?)",
    [ADD_LAUNCH] = "INSERT OR IGNORE INTO launch VALUES(NULL, ?, ?, ?, ?, ?, ?, ?)",
    [FIND_LAUNCH] = "SELECT launch_id FROM launch WHERE trace_hash = ? AND program = ? AND trace = "
                    "? AND id = ?",
    [ADD_POINT] = "INSERT OR IGNORE INTO point VALUES(NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
    [FIND_POINT] = "SELECT point_id FROM point WHERE config_hash = ? AND trace_hash = ?",
    [ADD_SETTING] = "INSERT OR REPLACE INTO setting VALUES(?, ?, ?)",
    [PUT_PART] = "INSERT OR REPLACE INTO part VALUES(?, ?, ?, ?)",
    [PUT_VALUE] = "INSERT OR REPLACE INTO value VALUES(?, ?, ?, ?)",
    [PUT_RESULT] = "INSERT OR REPLACE INTO result VALUES(?, ?, ?)",
    [FORGET_PARTS] = "DELETE FROM part WHERE point_id = ? AND status = 'failed'",
    [FORGET_RESULT] = "DELETE FROM result WHERE point_id = ? AND status = 'failed'",
    /* A part without a value was not written by us: it is done again. */
    [PART_STATE] =
        "SELECT status FROM part WHERE point_id = ?1 AND launch_id = ?2 AND (status = "
        "'failed' OR EXISTS (SELECT 1 FROM value WHERE point_id = ?1 AND launch_id = ?2))",
    [POINT_ERROR] = "SELECT error FROM part WHERE point_id = ? AND status = 'failed' ORDER BY "
                    "launch_id LIMIT 1",
    [GET_RESULT] = "SELECT status, error FROM result WHERE point_id = ?1 AND (status = 'failed' OR "
                   "(EXISTS (SELECT 1 FROM part WHERE point_id = ?1) AND NOT EXISTS (SELECT 1 FROM "
                   "part WHERE point_id = ?1 AND status = 'done' AND NOT EXISTS (SELECT 1 FROM "
                   "value WHERE value.point_id = ?1 AND value.launch_id = part.launch_id))))",
    [EACH_VALUE] =
        "SELECT launch_id, name, value FROM value JOIN metric USING(metric_id) WHERE point_id = ?",
    [PUT_PROFILE] = "INSERT OR REPLACE INTO profile VALUES(?, ?, ?)",
    [GET_PROFILE] = "SELECT data FROM profile WHERE profile_hash = ? AND launch_id = ?",
};

struct store {
    struct strata_database db;
};

static strata_status no_memory(const struct store *s, struct strata_error *err)
{
    return strata_no_memory(err, s->db.path, "for the results");
}

static strata_status copy_text(struct store *s, enum statement which, int column, char **out,
                               struct strata_error *err)
{
    *out = strdup(strata_database_words(&s->db, which, column));
    return *out ? STRATA_OK : no_memory(s, err);
}

/* By its name, so that it does not depend on which result came first. */
static int64_t metric_id(const char *name)
{
    return (int64_t)crc32(0, (const Bytef *)name, (uInt)strlen(name));
}

static strata_status add_metrics(struct store *s, struct strata_error *err)
{
    size_t n;
    const struct strata_metric *table = strata_metric_table(&n);
    strata_status status = strata_database_begin(&s->db, err);
    for (size_t i = 0; status == STRATA_OK && i < n; i++)
        status = DATABASE_DO(&s->db, ADD_METRIC, err, "itt", metric_id(table[i].name),
                             table[i].name, table[i].unit);
    return status == STRATA_OK ? strata_database_commit(&s->db, err) : status;
}

strata_status store_open(const char *path, struct store **out, struct strata_error *err)
{
    struct store *s = *out = calloc(1, sizeof *s);
    if (!s)
        return strata_no_memory(err, path, "for the results");
    strata_status status =
        strata_database_open(&s->db, path, STRATA_SWEEP_SCHEMA, tables, text_of, N_STATEMENTS, err);
    if (status == STRATA_OK)
        status = add_metrics(s, err);
    if (status != STRATA_OK) {
        store_close(s);
        *out = NULL;
    }
    return status;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    strata_database_close(&s->db);
    free(s);
}

strata_status store_begin(struct store *s, struct strata_error *err)
{
    return strata_database_begin(&s->db, err);
}

strata_status store_commit(struct store *s, struct strata_error *err)
{
    return strata_database_commit(&s->db, err);
}

strata_status store_commit_sometimes(struct store *s, struct strata_error *err)
{
    return strata_database_commit_sometimes(&s->db, err);
}

/* ---- what is known before a run ---- */

static void spell_dim(const struct strata_dim3 *d, char out[64])
{
    snprintf(out, 64, "%ux%ux%u", d->x, d->y, d->z);
}

strata_status store_add_launch(struct store *s, const struct strata_launch *l,
                               const char *trace_hash, int64_t *id, struct strata_error *err)
{
    char grid[64], block[64];
    spell_dim(&l->grid, grid);
    spell_dim(&l->block, block);
    strata_status status = DATABASE_DO(&s->db, ADD_LAUNCH, err, "tttittt", trace_hash, l->program,
                                       l->trace, (int64_t)l->id, l->kernel, grid, block);
    if (status == STRATA_OK)
        status = strata_database_step(&s->db, FIND_LAUNCH, err, "ttti", trace_hash, l->program,
                                      l->trace, (int64_t)l->id);
    if (status == STRATA_OK) {
        *id = strata_database_int(&s->db, FIND_LAUNCH, 0);
        strata_database_done(&s->db, FIND_LAUNCH);
    }
    return status;
}

strata_status store_add_point(struct store *s, const struct store_point *p, int64_t *id,
                              bool *is_new, struct strata_error *err)
{
    strata_status status =
        strata_database_step(&s->db, FIND_POINT, err, "tt", p->config_hash, p->trace_hash);
    *is_new = status == STRATA_END;
    if (status == STRATA_END) {
        status = DATABASE_DO(&s->db, ADD_POINT, err, "ttttttit", p->config_hash, p->trace_hash,
                             "strata " STRATA_VERSION, p->gpu, p->model,
                             p->variant ? p->variant : "", (int64_t)p->seed, p->settings);
        *id = strata_database_last_id(&s->db);
    } else if (status == STRATA_OK) {
        *id = strata_database_int(&s->db, FIND_POINT, 0);
        strata_database_done(&s->db, FIND_POINT);
    }
    return status;
}

strata_status store_add_setting(struct store *s, int64_t point, const char *key, const char *value,
                                struct strata_error *err)
{
    return DATABASE_DO(&s->db, ADD_SETTING, err, "itt", point, key, value);
}

/* ---- results ---- */

strata_status store_put_part(struct store *s, int64_t point, int64_t launch,
                             const struct part_outcome *o, struct strata_error *err)
{
    strata_status status = DATABASE_DO(&s->db, PUT_PART, err, "iitt", point, launch,
                                       o->failed ? "failed" : "done", o->error ? o->error : "");
    for (size_t i = 0; status == STRATA_OK && i < o->n; i++) {
        const char *name = o->counter[i].name;
        if (!strata_metric_find(name)) /* none of our table, where all others come from */
            status = DATABASE_DO(&s->db, ADD_METRIC, err, "itt", metric_id(name), name, "");
        if (status == STRATA_OK)
            status = DATABASE_DO(&s->db, PUT_VALUE, err, "iiid", point, launch, metric_id(name),
                                 o->counter[i].value);
    }
    return status;
}

strata_status store_put_result(struct store *s, int64_t point, const char *error,
                               struct strata_error *err)
{
    return DATABASE_DO(&s->db, PUT_RESULT, err, "itt", point, error ? "failed" : "done",
                       error ? error : "");
}

strata_status store_forget_failed(struct store *s, int64_t point, struct strata_error *err)
{
    strata_status status = DATABASE_DO(&s->db, FORGET_PARTS, err, "i", point);
    return status == STRATA_OK ? DATABASE_DO(&s->db, FORGET_RESULT, err, "i", point) : status;
}

strata_status store_part_state(struct store *s, int64_t point, int64_t launch, enum part_state *out,
                               struct strata_error *err)
{
    *out = PART_MISSING;
    strata_status status = strata_database_step(&s->db, PART_STATE, err, "ii", point, launch);
    if (status == STRATA_OK) {
        *out = strcmp(strata_database_words(&s->db, PART_STATE, 0), "failed") ? PART_DONE
                                                                              : PART_FAILED;
        strata_database_done(&s->db, PART_STATE);
    }
    return strata_database_no_row(status);
}

strata_status store_point_error(struct store *s, int64_t point, char **error,
                                struct strata_error *err)
{
    *error = NULL;
    strata_status status = strata_database_step(&s->db, POINT_ERROR, err, "i", point);
    if (status == STRATA_OK) {
        status = copy_text(s, POINT_ERROR, 0, error, err);
        strata_database_done(&s->db, POINT_ERROR);
    }
    return strata_database_no_row(status);
}

strata_status store_get_result(struct store *s, int64_t point, char **error,
                               struct strata_error *err)
{
    *error = NULL;
    strata_status status = strata_database_step(&s->db, GET_RESULT, err, "i", point);
    if (status != STRATA_OK)
        return status;
    if (!strcmp(strata_database_words(&s->db, GET_RESULT, 0), "failed"))
        status = copy_text(s, GET_RESULT, 1, error, err);
    strata_database_done(&s->db, GET_RESULT);
    return status;
}

strata_status store_each_value(struct store *s, int64_t point, store_visit_value *visit,
                               void *context, struct strata_error *err)
{
    strata_status status = strata_database_step(&s->db, EACH_VALUE, err, "i", point);
    while (status == STRATA_OK) {
        if (!strata_database_is_number(&s->db, EACH_VALUE, 2)) {
            status = strata_fail(err, STRATA_EFORMAT, s->db.path, 0, 0,
                                 "the value of %s at point %lld is no number; the file was changed "
                                 "by something else, name another one with --db.",
                                 strata_database_words(&s->db, EACH_VALUE, 1), (long long)point);
            strata_database_done(&s->db, EACH_VALUE);
            return status;
        }
        visit(context, strata_database_int(&s->db, EACH_VALUE, 0),
              strata_database_words(&s->db, EACH_VALUE, 1),
              strata_database_number(&s->db, EACH_VALUE, 2));
        status = strata_database_next(&s->db, EACH_VALUE, err);
    }
    return strata_database_no_row(status);
}

/* ---- profiles ---- */

strata_status store_put_profile(struct store *s, const char *hash, int64_t launch, const char *text,
                                size_t length, struct strata_error *err)
{
    return DATABASE_DO(&s->db, PUT_PROFILE, err, "tib", hash, launch, text, length);
}

strata_status store_get_profile(struct store *s, const char *hash, int64_t launch, char **text,
                                size_t *length, struct strata_error *err)
{
    strata_status status = strata_database_step(&s->db, GET_PROFILE, err, "ti", hash, launch);
    if (status != STRATA_OK)
        return status;
    const void *bytes = strata_database_bytes(&s->db, GET_PROFILE, 0, length);
    *text = malloc(*length + 1);
    if (*text) {
        memcpy(*text, bytes, *length);
        (*text)[*length] = 0;
    }
    strata_database_done(&s->db, GET_PROFILE);
    return *text ? STRATA_OK : no_memory(s, err);
}
