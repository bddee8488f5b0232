/* async_groups.h - a warp's asynchronous copies: open ones, and committed groups not waited for.
 *
 * A model that learns of arrivals later counts copies under way in `pending`; one that is told the
 * time of arrival at once leaves that at 0. */
#ifndef STRATA_SM_ASYNC_GROUPS_H
#define STRATA_SM_ASYNC_GROUPS_H

#include <strata/trace.h>

#include "sm/scoreboard.h"

/* Not the hardware's, which counts groups without end: more than any program keeps open. Beyond,
 * the two oldest become one. */
#define SM_ASYNC_GROUPS 16

struct sm_async_group {
    uint64_t done;    /* the last arrival so far */
    uint32_t pending; /* copies under way */
};
struct sm_async {
    uint32_t first, n; /* committed groups not waited for yet; numbers ascend */
    struct sm_async_group open, group[SM_ASYNC_GROUPS];
};

static inline void sm_async_reset(struct sm_async *a)
{
    a->n = 0;
    a->open = (struct sm_async_group){0};
}
/* Number of the group that copies belong to until the next commit. */
static inline uint32_t sm_async_number(const struct sm_async *a)
{
    return a->first + a->n;
}
static inline struct sm_async_group *sm_async_find(struct sm_async *a, uint32_t number)
{
    if (number == sm_async_number(a))
        return &a->open;
    if ((int32_t)(number - a->first) < 0)
        number = a->first; /* joined with the next one for want of room */
    return &a->group[number % SM_ASYNC_GROUPS];
}
/* A copy of a group arrives at t. */
static inline void sm_async_arrive(struct sm_async_group *g, uint64_t t)
{
    if (t > g->done)
        g->done = t;
}
static inline void sm_async_commit(struct sm_async *a)
{
    if (a->n == SM_ASYNC_GROUPS) {
        const struct sm_async_group *old = &a->group[a->first % SM_ASYNC_GROUPS];
        struct sm_async_group *next = &a->group[(a->first + 1) % SM_ASYNC_GROUPS];
        next->pending += old->pending;
        sm_async_arrive(next, old->done);
        a->first++;
        a->n--;
    }
    a->group[(a->first + a->n++) % SM_ASYNC_GROUPS] = a->open;
    a->open = (struct sm_async_group){0};
}
/* Groups that may still be under way after a wait. Tracers before version 5 did not record the
 * number; a pipelined loop then waits for its oldest group. */
static inline uint32_t sm_async_allowed(const struct sm_async *a, const struct strata_inst *wait,
                                        uint32_t isa)
{
    if (wait->imm > 0 || wait->control.known) /* the code itself was read */
        return (uint32_t)wait->imm;
    return isa == STRATA_ISA_SASS && a->n > 1 ? a->n - 1 : 0;
}
/* When a wait that allows so many groups is over; SM_PENDING: not known yet. */
static inline uint64_t sm_async_wait(const struct sm_async *a, uint32_t allowed)
{
    uint64_t t = 0;
    for (uint32_t i = 0; i + allowed < a->n; i++) {
        const struct sm_async_group *g = &a->group[(a->first + i) % SM_ASYNC_GROUPS];
        uint64_t done = g->pending ? SM_PENDING : g->done;
        t = done > t ? done : t;
    }
    return t;
}
/* Products of a warpgroup are of its four warps together: a wait of one of them, which is for the
 * groups before a number, is not over before the others have given theirs of these groups. */
static inline uint32_t sm_async_awaited(const struct sm_async *a, uint32_t allowed)
{
    return a->first + (a->n > allowed ? a->n - allowed : 0);
}
static inline bool sm_async_has(const struct sm_async *a, uint32_t number)
{
    return (int32_t)(sm_async_number(a) - number) >= 0;
}
/* The wait is over: only the youngest `allowed` are left. */
static inline void sm_async_drop(struct sm_async *a, uint32_t allowed)
{
    if (a->n <= allowed)
        return;
    a->first += a->n - allowed;
    a->n = allowed;
}

#endif
