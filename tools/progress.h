/* progress.h - one line on a terminal: how far, how fast, how long still. */
#ifndef STRATA_TOOLS_PROGRESS_H
#define STRATA_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    bool enabled;
    double start_seconds, shown_seconds;
    const char *what; /* "launches" */
};

/* Shown only if standard error is a terminal and `quiet` is false. */
void progress_start(struct progress *p, const char *what, bool quiet);
void progress_show(struct progress *p, size_t n_done, size_t n_all, uint64_t warp_instructions);
/* Since the start. */
double progress_seconds(const struct progress *p);
/* Clears the line. */
void progress_end(struct progress *p);

#endif
