/* window.h - what a warp executes next, in the order of sm/schedule.h.
 *
 * Holds one region of a warp; its instructions are read from the trace together
 * and handed out as they issue. Thousands of warps have one each, so it is kept
 * small. Not thread-safe per object. */
#ifndef STRATA_SM_WINDOW_H
#define STRATA_SM_WINDOW_H

#include "base/expect.h"
#include "sm/schedule.h"

struct sm_window {
    struct sm_entry *entry;
    uint64_t (*list)[STRATA_WARP_SIZE]; /* addresses that are no affine function of the lane */
    size_t cap, cap_lists;
    uint32_t n, at;           /* entries of the region, and those handed out */
    uint32_t n_read, n_lists; /* entries from n on are of regions to come */
    const struct sm_region *region;
};

/* A warp begins. */
static inline void sm_window_reset(struct sm_window *w)
{
    w->n = w->at = w->n_read = w->n_lists = 0;
}
void sm_window_release(struct sm_window *w);

/* One instruction to issue. */
struct sm_step {
    struct strata_winst winst; /* what it points to is valid until the next call */
    const struct sm_inst *op;  /* with the registers it has after the assembler's work */
    uint32_t place; /* static instruction that PTX has in its place: it is fetched from there */
    bool gone;      /* machine code does not have it: it takes no time */
};

/* The next instruction of the warp that `c` reads: STRATA_END after its last. */
strata_status sm_window_next(struct sm_window *w, struct strata_cursor *c, struct sm_scheduler *s,
                             struct sm_step *out, struct strata_error *err);
/* The next call will come: what it reads is asked for. */
static inline void sm_window_expect(const struct sm_window *w)
{
    if (w->at < w->n)
        expect_read(&w->entry[w->region->order[w->at]]);
}

#endif
