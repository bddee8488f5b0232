/* output.h - an output file that appears under its final name only when complete. */
#ifndef STRATA_TOOLS_OUTPUT_H
#define STRATA_TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <strata/status.h>

struct output {
    FILE *stream;     /* write here */
    char *final_path; /* NULL: standard output */
    char *temporary;
};

/* Whether output_open will succeed as far as that can be told, for use before long work. */
strata_status output_check(const char *path, struct strata_error *err);
/* path NULL or "-": standard output. */
strata_status output_open(struct output *o, const char *path, struct strata_error *err);
/* Flushes, checks for write errors (full disk, closed pipe) and renames. */
strata_status output_commit(struct output *o, struct strata_error *err);
void output_discard(struct output *o);
/* The whole of an output in one go; the text is freed, whatever happens. */
strata_status output_text(const char *path, char *text, size_t length, struct strata_error *err);
/* Whether what goes there is read on a terminal that shows colours: NO_COLOR is unset
 * (no-color.org) and TERM is not "dumb". */
bool output_is_coloured(const char *path);
/* After a failed write to standard output: if its reader is gone (`... | head -1`), ends the
 * process quietly as any filter does, by SIGPIPE. Otherwise returns. */
void end_if_pipe_closed(int why);

#endif
