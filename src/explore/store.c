/* store.c - the results of sweeps in an SQLite file. */
#include "explore/store.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

static const char schema[] =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "INSERT INTO meta VALUES('schema', '" STRATA_SWEEP_SCHEMA "');"
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
    BEGIN,
    COMMIT,
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
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
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
    [PART_STATE] = "SELECT status FROM part WHERE point_id = ? AND launch_id = ?",
    [POINT_ERROR] = "SELECT error FROM part WHERE point_id = ? AND status = 'failed' ORDER BY "
                    "launch_id LIMIT 1",
    [GET_RESULT] = "SELECT status, error FROM result WHERE point_id = ?",
    [EACH_VALUE] =
        "SELECT launch_id, name, value FROM value JOIN metric USING(metric_id) WHERE point_id = ?",
    [PUT_PROFILE] = "INSERT OR REPLACE INTO profile VALUES(?, ?, ?)",
    [GET_PROFILE] = "SELECT data FROM profile WHERE profile_hash = ? AND launch_id = ?",
};

struct store {
    sqlite3 *db;
    char *path; /* for messages */
    sqlite3_stmt *statement[N_STATEMENTS];
    bool in_transaction;
    double committed_seconds;
};

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static strata_status refuse(const struct store *s, int code, struct strata_error *err)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return strata_fail(err, STRATA_EIO, s->path, 0, 0,
                           "another process is using this file of results; wait for it or name "
                           "another one with --db.");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return strata_fail(
            err, STRATA_EFORMAT, s->path, 0, 0,
            "this is no file of sweep results, or it is damaged (%s); name another one with --db.",
            sqlite3_errstr(code));
    case SQLITE_NOMEM:
        return strata_fail(err, STRATA_ENOMEM, s->path, 0, 0,
                           "there is no memory left for the results.");
    default:
        return strata_fail(err, STRATA_EIO, s->path, 0, 0,
                           "the results cannot be stored: %s; name another file with --db.",
                           s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(code));
    }
}

/* ---- statements: arguments by a word of letters, i: int64_t, t: text, d: double, b: bytes and
 * length ---- */

static int bind(sqlite3_stmt *q, const char *kinds, va_list args)
{
    int code = SQLITE_OK;
    for (int i = 1; *kinds && code == SQLITE_OK; kinds++, i++)
        if (*kinds == 'i') {
            code = sqlite3_bind_int64(q, i, va_arg(args, int64_t));
        } else if (*kinds == 'd') {
            code = sqlite3_bind_double(q, i, va_arg(args, double));
        } else if (*kinds == 't') {
            code = sqlite3_bind_text(q, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
        } else {
            const char *bytes = va_arg(args, const char *);
            code = sqlite3_bind_blob64(q, i, bytes, va_arg(args, size_t), SQLITE_TRANSIENT);
        }
    return code;
}

/* STRATA_OK with a row (to be read from s->statement[which], then reset), STRATA_END without one.
 */
static strata_status step(struct store *s, enum statement which, struct strata_error *err,
                          const char *kinds, ...)
{
    va_list args;
    va_start(args, kinds);
    int code = SQLITE_OK;
    if (!s->statement[which])
        code = sqlite3_prepare_v3(s->db, text_of[which], -1, SQLITE_PREPARE_PERSISTENT,
                                  &s->statement[which], NULL);
    if (code == SQLITE_OK)
        code = bind(s->statement[which], kinds, args);
    va_end(args);
    if (code == SQLITE_OK)
        code = sqlite3_step(s->statement[which]);
    if (code == SQLITE_ROW)
        return STRATA_OK;
    strata_status status = code == SQLITE_DONE ? STRATA_END : refuse(s, code, err);
    sqlite3_reset(s->statement[which]);
    return status;
}

/* For statements that give no rows. */
#define DO(...) no_row(step(__VA_ARGS__))
static strata_status no_row(strata_status status)
{
    return status == STRATA_END ? STRATA_OK : status;
}

static void done(struct store *s, enum statement which)
{
    sqlite3_reset(s->statement[which]);
}

static strata_status copy_text(struct store *s, enum statement which, int column, char **out,
                               struct strata_error *err)
{
    const char *text = (const char *)sqlite3_column_text(s->statement[which], column);
    *out = strdup(text ? text : "");
    return *out ? STRATA_OK : refuse(s, SQLITE_NOMEM, err);
}

/* ---- opening ---- */

static strata_status execute(struct store *s, const char *sql, struct strata_error *err)
{
    int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? STRATA_OK : refuse(s, code, err);
}

static int count_rows(void *context, int n, char **value, char **name)
{
    (void)n;
    (void)name;
    snprintf(context, 64, "%s", value[0] ? value[0] : "");
    return 0;
}

static strata_status check_schema(struct store *s, struct strata_error *err)
{
    char tables[64] = "", found[64] = "";
    int code = sqlite3_exec(s->db, "SELECT count(*) FROM sqlite_master", count_rows, tables, NULL);
    if (code != SQLITE_OK)
        return refuse(s, code, err);
    if (!strcmp(tables, "0"))
        return execute(s, schema, err);
    code =
        sqlite3_exec(s->db, "SELECT value FROM meta WHERE key = 'schema'", count_rows, found, NULL);
    if (code == SQLITE_OK && !strcmp(found, STRATA_SWEEP_SCHEMA))
        return STRATA_OK;
    return strata_fail(err, STRATA_EFORMAT, s->path, 0, 0,
                       "this database holds something else than sweep results (" STRATA_SWEEP_SCHEMA
                       "); name another file with --db.");
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
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < n; i++)
        status =
            DO(s, ADD_METRIC, err, "itt", metric_id(table[i].name), table[i].name, table[i].unit);
    return status;
}

strata_status store_open(const char *path, struct store **out, struct strata_error *err)
{
    struct store *s = *out = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path ? path : "(memory)"))) {
        free(s);
        *out = NULL;
        return strata_fail(err, STRATA_ENOMEM, path, 0, 0,
                           "there is no memory left for the results.");
    }
    int code = sqlite3_open_v2(path ? path : ":memory:", &s->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    strata_status status = code == SQLITE_OK ? STRATA_OK : refuse(s, code, err);
    /* One process at a time; a killed one leaves its log, which the next reads. */
    if (status == STRATA_OK)
        status = execute(s,
                         "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA "
                         "synchronous = NORMAL;",
                         err);
    if (status == STRATA_OK)
        status = execute(s, "BEGIN EXCLUSIVE", err);
    if (status == STRATA_OK)
        status = check_schema(s, err);
    if (status == STRATA_OK)
        status = add_metrics(s, err);
    if (status == STRATA_OK)
        status = execute(s, "COMMIT", err);
    s->committed_seconds = now_seconds();
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
    for (int i = 0; i < N_STATEMENTS; i++)
        sqlite3_finalize(s->statement[i]);
    /* One plain file is left. */
    if (s->db && !s->in_transaction)
        sqlite3_exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}

strata_status store_begin(struct store *s, struct strata_error *err)
{
    if (s->in_transaction)
        return STRATA_OK;
    strata_status status = DO(s, BEGIN, err, "");
    s->in_transaction = status == STRATA_OK;
    return status;
}

strata_status store_commit(struct store *s, struct strata_error *err)
{
    if (!s->in_transaction)
        return STRATA_OK;
    strata_status status = DO(s, COMMIT, err, "");
    if (status == STRATA_OK)
        s->in_transaction = false;
    s->committed_seconds = now_seconds();
    return status;
}

strata_status store_commit_sometimes(struct store *s, struct strata_error *err)
{
    return now_seconds() - s->committed_seconds > 0.05 ? store_commit(s, err) : STRATA_OK;
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
    strata_status status = DO(s, ADD_LAUNCH, err, "tttittt", trace_hash, l->program, l->trace,
                              (int64_t)l->id, l->kernel, grid, block);
    if (status == STRATA_OK)
        status =
            step(s, FIND_LAUNCH, err, "ttti", trace_hash, l->program, l->trace, (int64_t)l->id);
    if (status == STRATA_OK) {
        *id = sqlite3_column_int64(s->statement[FIND_LAUNCH], 0);
        done(s, FIND_LAUNCH);
    }
    return status;
}

strata_status store_add_point(struct store *s, const struct store_point *p, int64_t *id,
                              bool *is_new, struct strata_error *err)
{
    strata_status status = step(s, FIND_POINT, err, "tt", p->config_hash, p->trace_hash);
    *is_new = status == STRATA_END;
    if (status == STRATA_END) {
        status = DO(s, ADD_POINT, err, "ttttttit", p->config_hash, p->trace_hash,
                    "strata " STRATA_VERSION, p->gpu, p->model, p->variant ? p->variant : "",
                    (int64_t)p->seed, p->settings);
        *id = sqlite3_last_insert_rowid(s->db);
    } else if (status == STRATA_OK) {
        *id = sqlite3_column_int64(s->statement[FIND_POINT], 0);
        done(s, FIND_POINT);
    }
    return status;
}

strata_status store_add_setting(struct store *s, int64_t point, const char *key, const char *value,
                                struct strata_error *err)
{
    return DO(s, ADD_SETTING, err, "itt", point, key, value);
}

/* ---- results ---- */

strata_status store_put_part(struct store *s, int64_t point, int64_t launch,
                             const struct part_outcome *o, struct strata_error *err)
{
    strata_status status = DO(s, PUT_PART, err, "iitt", point, launch,
                              o->failed ? "failed" : "done", o->error ? o->error : "");
    for (size_t i = 0; status == STRATA_OK && i < o->n; i++) {
        const char *name = o->counter[i].name;
        if (!strata_metric_find(name)) /* none of our table, where all others come from */
            status = DO(s, ADD_METRIC, err, "itt", metric_id(name), name, "");
        if (status == STRATA_OK)
            status =
                DO(s, PUT_VALUE, err, "iiid", point, launch, metric_id(name), o->counter[i].value);
    }
    return status;
}

strata_status store_put_result(struct store *s, int64_t point, const char *error,
                               struct strata_error *err)
{
    return DO(s, PUT_RESULT, err, "itt", point, error ? "failed" : "done", error ? error : "");
}

strata_status store_forget_failed(struct store *s, int64_t point, struct strata_error *err)
{
    strata_status status = DO(s, FORGET_PARTS, err, "i", point);
    return status == STRATA_OK ? DO(s, FORGET_RESULT, err, "i", point) : status;
}

strata_status store_part_state(struct store *s, int64_t point, int64_t launch, enum part_state *out,
                               struct strata_error *err)
{
    *out = PART_MISSING;
    strata_status status = step(s, PART_STATE, err, "ii", point, launch);
    if (status == STRATA_OK) {
        *out = strcmp((const char *)sqlite3_column_text(s->statement[PART_STATE], 0), "failed")
                   ? PART_DONE
                   : PART_FAILED;
        done(s, PART_STATE);
    }
    return no_row(status);
}

strata_status store_point_error(struct store *s, int64_t point, char **error,
                                struct strata_error *err)
{
    *error = NULL;
    strata_status status = step(s, POINT_ERROR, err, "i", point);
    if (status == STRATA_OK) {
        status = copy_text(s, POINT_ERROR, 0, error, err);
        done(s, POINT_ERROR);
    }
    return no_row(status);
}

strata_status store_get_result(struct store *s, int64_t point, char **error,
                               struct strata_error *err)
{
    *error = NULL;
    strata_status status = step(s, GET_RESULT, err, "i", point);
    if (status != STRATA_OK)
        return status;
    if (!strcmp((const char *)sqlite3_column_text(s->statement[GET_RESULT], 0), "failed"))
        status = copy_text(s, GET_RESULT, 1, error, err);
    done(s, GET_RESULT);
    return status;
}

strata_status store_each_value(struct store *s, int64_t point, store_visit_value *visit,
                               void *context, struct strata_error *err)
{
    strata_status status = step(s, EACH_VALUE, err, "i", point);
    sqlite3_stmt *q = s->statement[EACH_VALUE];
    while (status == STRATA_OK) {
        visit(context, sqlite3_column_int64(q, 0), (const char *)sqlite3_column_text(q, 1),
              sqlite3_column_double(q, 2));
        int code = sqlite3_step(q);
        status = code == SQLITE_ROW    ? STRATA_OK
                 : code == SQLITE_DONE ? STRATA_END
                                       : refuse(s, code, err);
    }
    done(s, EACH_VALUE);
    return no_row(status);
}

/* ---- profiles ---- */

strata_status store_put_profile(struct store *s, const char *hash, int64_t launch, const char *text,
                                size_t length, struct strata_error *err)
{
    return DO(s, PUT_PROFILE, err, "tib", hash, launch, text, length);
}

strata_status store_get_profile(struct store *s, const char *hash, int64_t launch, char **text,
                                size_t *length, struct strata_error *err)
{
    strata_status status = step(s, GET_PROFILE, err, "ti", hash, launch);
    if (status != STRATA_OK)
        return status;
    sqlite3_stmt *q = s->statement[GET_PROFILE];
    *length = (size_t)sqlite3_column_bytes(q, 0);
    *text = malloc(*length + 1);
    if (*text) {
        memcpy(*text, sqlite3_column_blob(q, 0), *length);
        (*text)[*length] = 0;
    }
    done(s, GET_PROFILE);
    return *text ? STRATA_OK : refuse(s, SQLITE_NOMEM, err);
}
