/* database.h - an SQLite file with statements that are compiled once.
 *
 * Only one process may have a file open. A killed one leaves a log beside the file, which the next
 * reads, so that what was committed is there and nothing else. */
#ifndef STRATA_BASE_DATABASE_H
#define STRATA_BASE_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

struct strata_database {
    int lock;                /* the file, locked for this process alone; -1: none */
    void *handle;            /* sqlite3 * */
    char *path;              /* for messages */
    const char *const *text; /* SQL of each statement */
    void **statement;
    size_t n_statements;
    bool in_transaction;
    double committed_seconds;
};

/* path NULL: in memory. A new file gets the tables of `tables`; an old one must have the word
 * `schema` in its table meta. */
strata_status strata_database_open(struct strata_database *d, const char *path, const char *schema,
                                   const char *tables, const char *const *text, size_t n_statements,
                                   struct strata_error *err);
void strata_database_close(struct strata_database *d); /* what is committed stays */

strata_status strata_database_begin(struct strata_database *d, struct strata_error *err);
strata_status strata_database_commit(struct strata_database *d, struct strata_error *err);
/* A commit if the last one is some time ago: many small changes share one. */
strata_status strata_database_commit_sometimes(struct strata_database *d, struct strata_error *err);

/* Runs a statement from its start; `kinds` has a letter for each argument, i: int64_t, t: const
 * char *, d: double, b: bytes and a size_t. STRATA_OK with a row, to be read and then ended by
 * _done; STRATA_END without one. */
strata_status strata_database_step(struct strata_database *d, size_t which,
                                   struct strata_error *err, const char *kinds, ...);
/* The next row of the same statement, likewise. */
strata_status strata_database_next(struct strata_database *d, size_t which,
                                   struct strata_error *err);
void strata_database_done(struct strata_database *d, size_t which);
int64_t strata_database_int(struct strata_database *d, size_t which, int column);
/* Whether the column holds a number that is finite; SQLite gives 0 for text. */
bool strata_database_is_number(struct strata_database *d, size_t which, int column);
double strata_database_number(struct strata_database *d, size_t which, int column);
const char *strata_database_words(struct strata_database *d, size_t which,
                                  int column); /* "" for NULL */
const void *strata_database_bytes(struct strata_database *d, size_t which, int column,
                                  size_t *length);
int64_t strata_database_last_id(struct strata_database *d);

/* For statements that give no rows. */
#define DATABASE_DO(...) strata_database_no_row(strata_database_step(__VA_ARGS__))
static inline strata_status strata_database_no_row(strata_status status)
{
    return status == STRATA_END ? STRATA_OK : status;
}

#endif
