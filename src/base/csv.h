/* csv.h - comma-separated values as Nsight Compute, spreadsheets and we ourselves write them.
 *
 * A row is read at a time. Fields may be quoted; a doubled quote inside quotes
 * is one quote; quoted fields may hold line breaks. Text after a closing quote
 * is kept as it stands. */
#ifndef STRATA_BASE_CSV_H
#define STRATA_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

struct strata_csv {
    const char *at, *end; /* what is still to be read */
    const char *file;     /* for messages */
    uint32_t next_line;   /* 1-based number of the line at `at` */

    uint32_t line; /* where the current row began */
    char **cell;   /* its fields, valid until the next row */
    size_t n_cells, cap_cells;

    char *store;
    size_t n_store, cap_store;
    size_t *offset;
    size_t cap_offset;
};

void strata_csv_open(struct strata_csv *c, const char *text, size_t length, const char *file);
void strata_csv_release(struct strata_csv *c);
/* STRATA_OK with a row, STRATA_END after the last. Empty lines are passed over. A quote that is
 * never closed is an error that names the line where it was opened. */
strata_status strata_csv_next(struct strata_csv *c, struct strata_error *err);
/* The same for a single line, whatever quotes it holds: for text that may not be CSV at all. */
strata_status strata_csv_next_line(struct strata_csv *c, struct strata_error *err);
/* Position of a field in the current row that equals `name`; SIZE_MAX if there is none. */
size_t strata_csv_find(const struct strata_csv *c, const char *name);

#endif
