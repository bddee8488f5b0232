/* database.c - an SQLite file with statements that are compiled once. */
#include "base/database.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double COMMIT_SECONDS = 0.05;

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static strata_status refuse(const struct strata_database *d, int code, struct strata_error *err)
{
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return strata_fail(err, STRATA_EIO, d->path, 0, 0,
                           "another process is using this file of results; wait for it or name "
                           "another one with --db.");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return strata_fail(err, STRATA_EFORMAT, d->path, 0, 0,
                           "this is no file of results, or it is damaged (%s); name another one "
                           "with --db.",
                           sqlite3_errstr(code));
    case SQLITE_NOMEM:
        return strata_no_memory(err, d->path, "for the results");
    default:
        return strata_fail(err, STRATA_EIO, d->path, 0, 0,
                           "the results cannot be stored: %s; name another file with --db.",
                           d->handle ? sqlite3_errmsg(d->handle) : sqlite3_errstr(code));
    }
}

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

strata_status strata_database_next(struct strata_database *d, size_t which,
                                   struct strata_error *err)
{
    int code = sqlite3_step(d->statement[which]);
    if (code == SQLITE_ROW)
        return STRATA_OK;
    strata_status status = code == SQLITE_DONE ? STRATA_END : refuse(d, code, err);
    sqlite3_reset(d->statement[which]);
    return status;
}

strata_status strata_database_step(struct strata_database *d, size_t which,
                                   struct strata_error *err, const char *kinds, ...)
{
    va_list args;
    va_start(args, kinds);
    int code = SQLITE_OK;
    sqlite3_stmt *q = d->statement[which];
    if (!q)
        code =
            sqlite3_prepare_v3(d->handle, d->text[which], -1, SQLITE_PREPARE_PERSISTENT, &q, NULL);
    d->statement[which] = q;
    if (code == SQLITE_OK)
        code = bind(q, kinds, args);
    va_end(args);
    return code == SQLITE_OK ? strata_database_next(d, which, err) : refuse(d, code, err);
}

void strata_database_done(struct strata_database *d, size_t which)
{
    sqlite3_reset(d->statement[which]);
}

int64_t strata_database_int(struct strata_database *d, size_t which, int column)
{
    return sqlite3_column_int64(d->statement[which], column);
}

double strata_database_number(struct strata_database *d, size_t which, int column)
{
    return sqlite3_column_double(d->statement[which], column);
}

bool strata_database_is_number(struct strata_database *d, size_t which, int column)
{
    int type = sqlite3_column_type(d->statement[which], column);
    return type == SQLITE_INTEGER ||
           (type == SQLITE_FLOAT && isfinite(strata_database_number(d, which, column)));
}

const char *strata_database_words(struct strata_database *d, size_t which, int column)
{
    const char *words = (const char *)sqlite3_column_text(d->statement[which], column);
    return words ? words : "";
}

const void *strata_database_bytes(struct strata_database *d, size_t which, int column,
                                  size_t *length)
{
    const void *bytes = sqlite3_column_blob(d->statement[which], column);
    *length = (size_t)sqlite3_column_bytes(d->statement[which], column);
    return bytes;
}

int64_t strata_database_last_id(struct strata_database *d)
{
    return sqlite3_last_insert_rowid(d->handle);
}

/* ---- opening ---- */

static strata_status execute(struct strata_database *d, const char *sql, struct strata_error *err)
{
    int code = sqlite3_exec(d->handle, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? STRATA_OK : refuse(d, code, err);
}

struct word {
    char text[128];
};

static int keep_word(void *context, int n, char **value, char **name)
{
    struct word *w = context;
    (void)n;
    (void)name;
    snprintf(w->text, sizeof w->text, "%s", value[0] ? value[0] : "");
    return 0;
}

static strata_status make_tables(struct strata_database *d, const char *schema, const char *tables,
                                 struct strata_error *err)
{
    char words[256];
    snprintf(words, sizeof words,
             "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
             "INSERT INTO meta VALUES('schema', '%s');",
             schema);
    strata_status status = execute(d, words, err);
    return status == STRATA_OK ? execute(d, tables, err) : status;
}

static strata_status check_schema(struct strata_database *d, const char *schema, const char *tables,
                                  struct strata_error *err)
{
    struct word n = {""}, found = {""};
    int code = sqlite3_exec(d->handle, "SELECT count(*) FROM sqlite_master", keep_word, &n, NULL);
    if (code != SQLITE_OK)
        return refuse(d, code, err);
    if (!strcmp(n.text, "0"))
        return make_tables(d, schema, tables, err);
    code = sqlite3_exec(d->handle, "SELECT value FROM meta WHERE key = 'schema'", keep_word, &found,
                        NULL);
    if (code == SQLITE_OK && !strcmp(found.text, schema))
        return STRATA_OK;
    return strata_fail(err, STRATA_EFORMAT, d->path, 0, 0,
                       "this database holds %s%s instead of %s; name another file with --db.",
                       *found.text ? "" : "something else", found.text, schema);
}

/* Two processes that open a file at the same moment both read it before one asks for it alone, and
 * then SQLite refuses both. So they ask for a byte first that SQLite does not use (its own lie at
 * 1 GiB); the lock goes with the process, whatever ends it. */
enum { LOCK_BYTE = 0x7fff0000 };

static strata_status take_alone(struct strata_database *d, const char *path,
                                struct strata_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = 1};
    d->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    /* What cannot be opened SQLite tells better; a file system without locks has none to lose. */
    if (d->lock < 0 || !fcntl(d->lock, F_SETLK, &lock) || (errno != EAGAIN && errno != EACCES))
        return STRATA_OK;
    return refuse(d, SQLITE_BUSY, err);
}

strata_status strata_database_open(struct strata_database *d, const char *path, const char *schema,
                                   const char *tables, const char *const *text, size_t n_statements,
                                   struct strata_error *err)
{
    memset(d, 0, sizeof *d);
    d->lock = -1;
    d->text = text;
    d->n_statements = n_statements;
    d->path = strdup(path ? path : "(memory)");
    d->statement = calloc(n_statements + 1, sizeof *d->statement);
    if (!d->path || !d->statement) {
        strata_database_close(d);
        return strata_no_memory(err, path, "for the results");
    }
    strata_status status = path ? take_alone(d, path, err) : STRATA_OK;
    if (status != STRATA_OK) {
        strata_database_close(d);
        return status;
    }
    sqlite3 *handle = NULL;
    int code = sqlite3_open_v2(path ? path : ":memory:", &handle,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    d->handle = handle;
    status = code == SQLITE_OK ? STRATA_OK : refuse(d, code, err);
    if (status == STRATA_OK)
        status = execute(d,
                         "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA "
                         "synchronous = NORMAL;",
                         err);
    if (status == STRATA_OK)
        status = execute(d, "BEGIN EXCLUSIVE", err);
    if (status == STRATA_OK)
        status = check_schema(d, schema, tables, err);
    if (status == STRATA_OK)
        status = execute(d, "COMMIT", err);
    d->committed_seconds = now_seconds();
    if (status != STRATA_OK)
        strata_database_close(d);
    return status;
}

void strata_database_close(struct strata_database *d)
{
    for (size_t i = 0; d->statement && i < d->n_statements; i++)
        sqlite3_finalize(d->statement[i]);
    /* One plain file is left. */
    if (d->handle && !d->in_transaction)
        sqlite3_exec(d->handle, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    sqlite3_close(d->handle);
    /* Closing any descriptor of a file drops all of a process's locks on it: this one is last. */
    if (d->path && d->lock >= 0)
        close(d->lock);
    free(d->statement);
    free(d->path);
    memset(d, 0, sizeof *d);
}

strata_status strata_database_begin(struct strata_database *d, struct strata_error *err)
{
    if (d->in_transaction)
        return STRATA_OK;
    strata_status status = execute(d, "BEGIN IMMEDIATE", err);
    d->in_transaction = status == STRATA_OK;
    return status;
}

strata_status strata_database_commit(struct strata_database *d, struct strata_error *err)
{
    if (!d->in_transaction)
        return STRATA_OK;
    strata_status status = execute(d, "COMMIT", err);
    if (status == STRATA_OK)
        d->in_transaction = false;
    d->committed_seconds = now_seconds();
    return status;
}

strata_status strata_database_commit_sometimes(struct strata_database *d, struct strata_error *err)
{
    return now_seconds() - d->committed_seconds > COMMIT_SECONDS ? strata_database_commit(d, err)
                                                                 : STRATA_OK;
}
