/* queue.h - the warp queue of paper 000, section 4.5: which warp's access comes next.
 *
 * Each core has a queue, first in, first out, and a time of its own that counts
 * turns. A warp takes a turn with one access; then it goes to the back of the
 * queue, at once or after the delay its access asks for. A cancelled access is
 * tried again when the warp's turn comes back. Cores take turns in order of
 * their time. */
#ifndef STRATA_REUSE_QUEUE_H
#define STRATA_REUSE_QUEUE_H

#include "reuse/residents.h"

struct queue_outcome {
    bool cancelled; /* no resource was free: the same access comes again */
    uint64_t delay; /* turns until the warp may be chosen again; 0: it goes to the back at once */
    uint64_t units; /* turns that the access takes of the core's time, at least 1 */
};

typedef strata_status (*queue_visit)(void *context, uint32_t core, uint32_t warp,
                                     const struct strata_winst *w, uint64_t now,
                                     struct queue_outcome *out, struct strata_error *err);

/* Runs a launch. */
strata_status queue_run(struct residents *r, queue_visit visit, void *context,
                        struct strata_error *err);

#endif
