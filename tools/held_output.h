/* held_output.h - an output that is written bit by bit during long work, of which nothing is seen
 * unless it is completed.
 *
 * A file has another name until then; standard output, pipes and devices get all of it at the end,
 * from a temporary file without a name. */
#ifndef STRATA_TOOLS_HELD_OUTPUT_H
#define STRATA_TOOLS_HELD_OUTPUT_H

#include "output.h"

/* Text that is held back. */
struct held_text {
    FILE *stream; /* write here; NULL: not opened */
    char *text;   /* where there is no temporary file to be had */
    size_t length;
};
strata_status held_text_open(struct held_text *h, struct strata_error *err);
/* Writes all of it there and closes it. Errors of `to` are left to who owns it. */
strata_status held_text_give(struct held_text *h, FILE *to, struct strata_error *err);
void held_text_discard(struct held_text *h); /* also of one that is not open */

struct held_output {
    const char *path;
    struct output file;    /* of a path that can be renamed */
    struct held_text text; /* of others */
};
/* `path` as for output_open; it is not copied. */
strata_status held_open(struct held_output *o, const char *path, struct strata_error *err);
strata_status held_write(struct held_output *o, const char *text, size_t length,
                         struct strata_error *err);
strata_status held_commit(struct held_output *o, struct strata_error *err);
void held_discard(struct held_output *o); /* also of one that was not opened, or is committed */

#endif
