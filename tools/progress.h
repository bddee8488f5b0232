/* progress.h - one line on a terminal: how far, how fast, how long still. */
#ifndef STRATA_TOOLS_PROGRESS_H
#define STRATA_TOOLS_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    bool enabled, ticks, ended;
    double start_seconds, shown_seconds;
    double left_seconds, judged_seconds; /* what was left when work was last done, and when */
    uint64_t all_warp_instructions;      /* 0: pieces of work count alike */
    const char *what;                    /* "launches" */
    size_t n_done, n_all;
    uint64_t warp_instructions;
    pthread_t ticker;
    pthread_mutex_t lock; /* guards what is shown */
    pthread_cond_t end;
};

/* Shown only if standard error is a terminal and `quiet` is false. *p stays where it is until
 * progress_end, which may be called more than once. */
void progress_start(struct progress *p, const char *what, bool quiet);
/* Work is judged by warp instructions of so many in all; 0 if that is not known. */
void progress_weigh(struct progress *p, uint64_t all_warp_instructions);
void progress_show(struct progress *p, size_t n_done, size_t n_all, uint64_t warp_instructions);
/* Since the start. */
double progress_seconds(const struct progress *p);
/* Clears the line; the next show draws it again. */
void progress_clear(struct progress *p);
/* Clears it for good. */
void progress_end(struct progress *p);

#endif
