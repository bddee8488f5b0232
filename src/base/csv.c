/* csv.c - comma-separated values, a row at a time. */
#include "base/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void strata_csv_open(struct strata_csv *c, const char *text, size_t length, const char *file)
{
    memset(c, 0, sizeof *c);
    c->at = text;
    c->end = text + length;
    c->file = file;
    c->next_line = 1;
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* a byte-order mark, from a spreadsheet */
        c->at += 3;
}

void strata_csv_release(struct strata_csv *c)
{
    free(c->cell);
    free(c->store);
    free(c->offset);
    memset(c, 0, sizeof *c);
}

static bool put(struct strata_csv *c, char byte)
{
    if (!ARRAY_RESERVE(c->store, c->n_store, c->cap_store, 1))
        return false;
    c->store[c->n_store++] = byte;
    return true;
}

static bool begin_cell(struct strata_csv *c)
{
    if (!ARRAY_RESERVE(c->offset, c->n_cells, c->cap_offset, 1))
        return false;
    c->offset[c->n_cells++] = c->n_store;
    return true;
}

/* Offsets become pointers once the store no longer moves. */
static bool finish_row(struct strata_csv *c)
{
    if (!ARRAY_RESERVE(c->cell, 0, c->cap_cells, c->n_cells))
        return false;
    for (size_t i = 0; i < c->n_cells; i++)
        c->cell[i] = c->store + c->offset[i];
    return true;
}

static strata_status no_memory(const struct strata_csv *c, struct strata_error *err)
{
    return strata_no_memory(err, c->file, "for line %u", c->line);
}

/* One field up to its comma or line end. *open: a quote was never closed (at the end of the line
 * or, if quotes may span lines, of the text). */
static bool read_cell(struct strata_csv *c, bool one_line, bool *open)
{
    bool quoted = false;
    for (; c->at < c->end; c->at++) {
        char byte = *c->at;
        if (byte == '"') {
            if (quoted && c->at + 1 < c->end && c->at[1] == '"') {
                c->at++;
                if (!put(c, '"'))
                    return false;
                continue;
            }
            quoted = !quoted;
            continue;
        }
        if (byte == '\n' && (!quoted || one_line))
            break;
        if (byte == ',' && !quoted)
            break;
        c->next_line += byte == '\n';
        /* a 0 byte would cut the field short in C */
        if (!put(c, byte ? byte : '?'))
            return false;
    }
    *open = quoted;
    if (c->n_store && c->at < c->end && *c->at == '\n' && c->n_store > c->offset[c->n_cells - 1] &&
        c->store[c->n_store - 1] == '\r')
        c->n_store--;
    return put(c, 0);
}

static strata_status next_row(struct strata_csv *c, bool one_line, struct strata_error *err)
{
    bool open = false;
    c->n_cells = c->n_store = 0;
    c->line = c->next_line;
    for (;;) {
        if (!begin_cell(c) || !read_cell(c, one_line, &open))
            return no_memory(c, err);
        if (open && !one_line)
            return strata_fail(
                err, STRATA_EFORMAT, c->file, c->line, 0,
                "a quote opened in this row is never closed; the file was probably cut short.");
        if (c->at == c->end)
            break;
        if (*c->at++ == '\n') {
            c->next_line++;
            break;
        }
    }
    return finish_row(c) ? STRATA_OK : no_memory(c, err);
}

static strata_status next_filled_row(struct strata_csv *c, bool one_line, struct strata_error *err)
{
    while (c->at < c->end) {
        strata_status status = next_row(c, one_line, err);
        if (status != STRATA_OK || c->n_cells > 1 || c->cell[0][0])
            return status;
    }
    return STRATA_END;
}

strata_status strata_csv_next(struct strata_csv *c, struct strata_error *err)
{
    return next_filled_row(c, false, err);
}

strata_status strata_csv_next_line(struct strata_csv *c, struct strata_error *err)
{
    return next_filled_row(c, true, err);
}

size_t strata_csv_find(const struct strata_csv *c, const char *name)
{
    for (size_t i = 0; i < c->n_cells; i++)
        if (!strcmp(c->cell[i], name))
            return i;
    return SIZE_MAX;
}
