/* bulk_lines.h - the lines of memory that a bulk or tensor copy asks for, in its order.
 *
 * A copy goes row by row through its box, innermost dimension first, and through each row line by
 * line; what lies outside the tensor is not asked for. One rule for every model. */
#ifndef STRATA_MEMORY_BULK_LINES_H
#define STRATA_MEMORY_BULK_LINES_H

#include <strata/trace.h>

struct bulk_lines {
    struct strata_bulk bulk;
    uint32_t line_bytes;
    uint64_t row, rows;              /* the next one, and how many there are */
    uint64_t at, end;                /* of the row at hand, still to come */
    int64_t pixel[STRATA_BULK_RANK]; /* im2col: of the next row */
};

void bulk_lines_begin(struct bulk_lines *l, const struct strata_bulk *bulk, uint32_t line_bytes);
/* False: that was all. Else bytes [*from, *to) of *line. */
bool bulk_lines_next(struct bulk_lines *l, uint64_t *line, uint32_t *from, uint32_t *to);

/* The copy of a record; false: it holds none (no lane was active). */
bool bulk_of_winst(const struct strata_winst *w, struct strata_bulk *out);

#endif
