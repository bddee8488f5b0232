/* window.h - what a warp executes next, in the order of sm/schedule.h.
 *
 * Holds one region of a warp; its instructions are read from the trace together
 * and handed out as they issue. Not thread-safe per object. */
#ifndef STRATA_SM_WINDOW_H
#define STRATA_SM_WINDOW_H

#include "sm/schedule.h"

struct sm_window {
    struct strata_winst *entry;
    uint32_t *inst;                        /* of the entries */
    uint64_t (*list)[STRATA_WARP_SIZE];    /* addresses that are no affine function of the lane */
    uint32_t *list_of;                     /* of each entry: its list + 1 */
    size_t cap, cap_lists;
    uint32_t n, n_lists, at;               /* entries of the region, and those handed out */
    bool ahead;                            /* entry n is the first of the next region */
    const uint16_t *order;
};

/* A warp begins. */
static inline void sm_window_reset(struct sm_window *w)
{
    w->n = w->n_lists = w->at = 0;
    w->ahead = false;
}
void sm_window_release(struct sm_window *w);
/* The next instruction of the warp that `c` reads: STRATA_END after its last. *place is the static
 * instruction that PTX has in its place: that is where it is fetched from. What *out points to is
 * valid until the next call. */
strata_status sm_window_next(struct sm_window *w, struct strata_cursor *c, struct sm_scheduler *s, struct strata_winst *out,
                             uint32_t *place, struct strata_error *err);

#endif
