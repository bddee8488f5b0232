/* strata/team.h - how processes that run the same command reach one another.
 *
 * Process 0 keeps the results and hands out work. The functions belong to one thread of each
 * process. */
#ifndef STRATA_TEAM_H
#define STRATA_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <strata/status.h>

struct strata_team {
    int rank, size;
    void *context;
    strata_status (*send)(void *context, int to, const void *data, size_t length,
                          struct strata_error *err);
    /* Waits for the next message of anyone; *data is freed by the caller. */
    strata_status (*receive)(void *context, int *from, void **data, size_t *length,
                             struct strata_error *err);
    /* Whether a message is there. */
    bool (*waiting)(void *context);
    bool lost; /* a process did not answer at the end: nobody waits for it */
};

#endif
