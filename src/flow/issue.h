/* issue.h - between flow_engine.c (blocks), flow_turns.c (time) and issue.c (instructions). */
#ifndef STRATA_FLOW_ISSUE_H
#define STRATA_FLOW_ISSUE_H

#include "base/bits.h"
#include "flow/flow_engine.h"

/* flow_async.c */
bool flow_async_init(struct flow_engine *e);
void flow_async_release(struct flow_engine *e);
/* When the next instruction, of kind SM_KIND_ASYNC, may issue; or the warp sleeps. */
strata_status flow_async_ready(struct flow_engine *e, uint32_t index);
/* A fence of a wider scope than the block waits for the SM's bulk copies under way, or the warp
 * sleeps. */
void flow_fence_ready(struct flow_engine *e, uint32_t index);
strata_status flow_async_execute(struct flow_engine *e, uint32_t index, uint64_t t);
/* A copy engine or a tensor core. */
strata_status flow_async_due(struct flow_engine *e, uint32_t scheduler, enum flow_unit unit);
strata_status flow_async_warp_ends(struct flow_engine *e, uint32_t index, uint64_t t);
void flow_async_block_ends(struct flow_engine *e, struct flow_block *b);
/* Puts the warp into the wheel, unless it sleeps. */
void flow_schedule_warp(struct flow_engine *e, uint32_t index);

/* flow_engine.c */
enum { FLOW_WHEEL_SLOTS = 8192 }; /* cycles that the wheel reaches ahead */
/* Behind all that is due in this cycle. */
static inline void flow_schedule_now(struct flow_engine *e, uint32_t entity)
{
    e->now_due[e->now_end++ & e->now_mask] = entity;
}
/* At t, which is not yet. Times beyond the wheel's reach wait in its last slot and are looked at
 * again there. */
static inline void flow_schedule_later(struct flow_engine *e, uint32_t entity, uint64_t t)
{
    uint64_t last = e->now + FLOW_WHEEL_SLOTS - 1;
    uint32_t at = (uint32_t)((t < last ? t : last) % FLOW_WHEEL_SLOTS), *next = e->wheel_next,
             *tail = &e->wheel_last[at];
    uint8_t *used = &e->wheel_used[at];
    next[entity] = e->first_cycle + at;
    next[*tail] = entity;
    *tail = entity;
    *used = 1;
}
static inline void flow_schedule(struct flow_engine *e, uint32_t entity, uint64_t t)
{
    if (t <= e->now)
        flow_schedule_now(e, entity);
    else
        flow_schedule_later(e, entity, t);
}
/* What a warp is in the wheel. */
static inline uint32_t flow_warp_entity(const struct flow_engine *e, const struct flow_warp *w)
{
    return w->scheduler << e->slot_bits | w->slot;
}
static inline uint32_t flow_unit_entity(const struct flow_engine *e, uint32_t scheduler,
                                        enum flow_unit unit)
{
    return (scheduler << e->slot_bits) + e->first_unit + unit;
}
strata_status flow_end_block(struct flow_engine *e, uint32_t place, uint64_t t);

/* issue.c */
/* Sets `next` and `has_next`. */
strata_status flow_next_instruction(struct flow_engine *e, struct flow_warp *w);
/* Sets `ready` and `stall` of a warp's next instruction, which issues at t at the earliest. */
void flow_next_ready(struct flow_engine *e, uint32_t warp, uint64_t t);
/* A scheduler, `self` in the wheel, looks for a warp that can issue, and issues. */
strata_status flow_scheduler_due(struct flow_engine *e, struct flow_scheduler *s, uint32_t self);

/* When the load/store unit takes the next instruction of a scheduler. */
static inline uint64_t flow_unit_time(const struct flow_engine *e, const struct flow_scheduler *s)
{
    uint64_t lsu = *s->unit;
    return later_of(s->pipe[SM_PIPE_LSU].free, lsu > e->unit_ahead ? lsu - e->unit_ahead : 0);
}

/* flow_turns.c */
/* Runs the wheel until nothing is due any more. */
strata_status flow_turns_run(struct flow_engine *e);

#endif
