/* issue.c - which warp issues, and what each instruction does to time. */
#include "flow/issue.h"

#include "base/bits.h"
#include "flow/flow_waits.h"
#include "sm/warp_rules.h"

/* ---- when the next instruction can issue ---- */

strata_status flow_next_instruction(struct flow_engine *e, struct flow_warp *w)
{
    struct sm_step step;
    strata_status st = STRATA_OK;
    if (!e->ordered) {
        w->has_next = strata_cursor_next(&w->cursor, &w->next);
        w->op = w->has_next ? &e->decoder.inst[w->next.inst_index] : NULL;
        w->next_line = w->has_next ? w->op->fetch_line : 0;
        return STRATA_OK;
    }
    while ((st = sm_window_next(&w->window, &w->cursor, &e->order, &step, e->err)) == STRATA_OK &&
           step.gone)
        e->memory.count.instructions++;
    w->has_next = st == STRATA_OK;
    if (w->has_next) {
        w->next = step.winst;
        w->op = step.op;
        w->next_line = e->decoder.inst[step.place].fetch_line;
    }
    return st == STRATA_END ? STRATA_OK : st;
}

void flow_schedule_warp(struct flow_engine *e, uint32_t index)
{
    const struct flow_warp *w = &e->warp[index];
    if (w->sleeps != FLOW_AWAKE)
        return;
    struct flow_scheduler *s = &e->scheduler[w->scheduler];
    s->waiting_mask |= (uint64_t)1 << w->slot;
    s->slot_due[w->slot] = w->wait.ready;
    s->next_due = w->wait.ready < s->next_due ? w->wait.ready : s->next_due;
    flow_schedule(e, index, w->wait.ready);
}

void flow_next_ready(struct flow_engine *e, uint32_t index, uint64_t t)
{
    struct flow_warp *w = &e->warp[index];
    const struct sm_inst *i = w->op;
    w->wait.ready = t;
    w->wait.stall = SM_STALL_NONE;
    sm_scoreboard_wait(&w->scoreboard, i, &w->wait);
    if (i->kind == SM_KIND_WAIT)
        sm_wait_for(
            &w->wait,
            sm_async_wait(&flow_groups(w)->copies,
                          sm_async_allowed(&flow_groups(w)->copies, w->next.inst, e->launch->isa)),
            SM_STALL_LONG);
    if (i->kind == SM_KIND_MEMBAR && w->next.mask) {
        sm_wait_for(&w->wait, hierarchy_flush(&e->memory, e->block[w->block].sm, w->wait.ready),
                    SM_STALL_MEMBAR);
        flow_fence_ready(e, index);
    }
    if (i->kind == SM_KIND_ASYNC && e->status == STRATA_OK)
        e->status = flow_async_ready(e, index);
    if (w->next_line != w->fetch_line) {
        w->fetch_line = w->next_line;
        struct fetch_sm *fetch = &e->fetch[e->block[w->block].sm];
        fetch_note(&e->fetch_all, w->next_line);
        sm_wait_for(&w->wait, fetch_line(&e->fetch_all, fetch, w->next_line, w->wait.ready),
                    SM_STALL_FETCH);
        fetch_publish(&e->fetch_all, fetch);
    }
    if (e->waits)
        flow_waits_find(e->waits, e, index);
}

/* ---- barriers and the end of warps ---- */

static void release_barrier(struct flow_engine *e, struct flow_block *b)
{
    uint64_t t =
        b->barrier_time + (uint64_t)sm_barrier_cycles(e->gpu, b->live_warps, e->decoder.controlled);
    b->waiting = 0;
    for (uint32_t k = 0; k < e->warps_per_block; k++) {
        struct flow_warp *w = &e->warp[b->first_warp + k];
        if (!w->at_barrier)
            continue;
        w->at_barrier = false;
        flow_next_ready(e, b->first_warp + k, t + e->gpu->sm.min_issue_gap_cycles);
        sm_wait_for(&w->wait, t, SM_STALL_BARRIER);
        w->wait.stall = SM_STALL_BARRIER;
        flow_schedule_warp(e, b->first_warp + k);
    }
}

static strata_status end_warp(struct flow_engine *e, uint32_t index, uint64_t t)
{
    struct flow_warp *w = &e->warp[index];
    struct flow_block *b = &e->block[w->block];
    w->has_next = false;
    e->end_time = later_of(e->end_time, t);
    strata_status st = flow_async_warp_ends(e, index, t);
    if (st != STRATA_OK)
        return st;
    if (!--b->live_warps)
        return flow_end_block(e, w->block, t);
    if (b->waiting == b->live_warps)
        release_barrier(e, b);
    return STRATA_OK;
}

/* ---- effects of one instruction ---- */

static void count_memory(struct flow_engine *e, const struct strata_inst *i)
{
    count_memory_instruction(&e->memory.count, i);
    e->texture_accesses += is_texture_access(i);
}

static void do_global(struct flow_engine *e, struct flow_warp *w, const struct sm_inst *i,
                      uint32_t sm, uint64_t t)
{
    count_memory(e, w->next.inst);
    uint64_t done = hierarchy_access(&e->memory, sm, &w->next, w->local_base, t);
    if (w->next.inst->memop == STRATA_MEM_ASYNC_COPY)
        sm_async_arrive(&flow_groups(w)->copies.open, done);
    else
        sm_scoreboard_set(&w->scoreboard, i, done);
}

/* When an instruction issued at t has read its operands: those for the load/store unit wait in its
 * queue with them. */
static uint64_t operands_read(const struct flow_engine *e, const struct sm_inst *i, uint32_t sm,
                              uint64_t t)
{
    uint64_t start = i->pipe == SM_PIPE_LSU ? later_of(t, e->memory.sm[sm].unit.free) : t;
    return start + sm_operands_cycles(e->gpu);
}

static void execute(struct flow_engine *e, struct flow_warp *w, const struct sm_inst *i,
                    uint32_t sm, uint64_t t)
{
    sm_operands_set(&w->scoreboard, i, operands_read(e, i, sm, t));
    switch (i->kind) {
    case SM_KIND_GLOBAL:
        do_global(e, w, i, sm, t);
        break;
    case SM_KIND_SHARED:
        count_memory(e, w->next.inst);
        sm_scoreboard_set(
            &w->scoreboard, i,
            hierarchy_shared(&e->memory, sm, &w->next,
                             e->decoder.controlled ? &e->scheduler[w->scheduler].shared_port : NULL,
                             t));
        break;
    case SM_KIND_CONSTANT:
        sm_scoreboard_set(
            &w->scoreboard, i,
            sm_constants_ready(e->gpu, i, &w->next, &e->scheduler[w->scheduler].constant_port, t));
        break;
    case SM_KIND_COMMIT:
        sm_async_commit(&flow_groups(w)->copies);
        break;
    case SM_KIND_WAIT:
        sm_async_drop(&flow_groups(w)->copies,
                      sm_async_allowed(&flow_groups(w)->copies, w->next.inst, e->launch->isa));
        break;
    default:
        if (i->pipe == SM_PIPE_LSU)
            hierarchy_unit_take(&e->memory, sm, t, i->interval);
        sm_scoreboard_set(&w->scoreboard, i, t + i->latency);
    }
}

/* An instruction that issues at t keeps its pipe for a while. */
static void take_pipe(struct flow_scheduler *s, const struct sm_inst *i, uint64_t t)
{
    s->pipe_free[i->pipe] = i->pipe == SM_PIPE_NONE ? 0 : t + i->interval;
}

/* Whether another warp of the scheduler will be ready by t. */
static bool another_by(struct flow_scheduler *s, uint64_t t)
{
    if (t < s->next_due)
        return false;
    s->next_due = UINT64_MAX;
    for (uint64_t m = s->waiting_mask; m; m &= m - 1) {
        uint64_t due = s->slot_due[__builtin_ctzll(m)];
        s->next_due = due < s->next_due ? due : s->next_due;
    }
    return s->next_due <= t;
}

/* A warp that has its scheduler to itself until its next issue goes on without a trip through the
 * wheel while its instructions concern nobody else: plain ones, a short time ahead. */
static bool runs_on(const struct flow_engine *e, struct flow_warp *w)
{
    enum { AHEAD_CYCLES = 24 };
    struct flow_scheduler *s = &e->scheduler[w->scheduler];
    const struct sm_inst *i = w->op;
    if (i->kind != SM_KIND_PLAIN || i->pipe == SM_PIPE_LSU || s->ready_mask)
        return false;
    uint64_t t = later_of(w->wait.ready, later_of(s->free, s->pipe_free[i->pipe]));
    if (t > e->now + AHEAD_CYCLES || another_by(s, t))
        return false;
    take_pipe(s, i, t);
    s->last_slot = w->slot;
    s->free = t + 1;
    return true;
}

static strata_status issue(struct flow_engine *e, uint32_t index, uint64_t t, enum sm_stall held_by)
{
    struct flow_warp *w = &e->warp[index];
    struct flow_block *b = &e->block[w->block];
    const struct sm_inst *i = w->op;
    uint32_t sm = b->sm;
    sm_account_stalls(e->stall_cycles, &w->wait, w->last_issue, t, held_by);
    if (e->waits)
        flow_waits_issue(e->waits, e, index, t, held_by);
    e->memory.count.instructions++;
    sm_count_work(&e->memory.count, i, w->next.mask);
    e->unknown_opcodes += w->next.inst->opclass == STRATA_OP_OTHER;
    w->last_issue = t;
    if (e->clock)
        e->clock->issued(e->clock->context, b->index, index - b->first_warp, t);
    if (i->kind != SM_KIND_PLAIN || i->pipe == SM_PIPE_LSU)
        e->memory.now = t;
    if (i->kind == SM_KIND_ASYNC) {
        strata_status done = flow_async_execute(e, index, t);
        if (done != STRATA_OK)
            return done;
    } else {
        execute(e, w, i, sm, t);
    }
    if (e->waits)
        flow_waits_took(e->waits, e, index);
    bool barrier = i->kind == SM_KIND_BARRIER && w->next.mask;
    uint64_t next = t + sm_issue_gap(e->gpu, i, w->next.mask != 0);
    if (i->kind == SM_KIND_MEMBAR && w->next.mask)
        next = later_of(next, t + i->latency);
    strata_status st = flow_next_instruction(e, w);
    if (st != STRATA_OK)
        return st;
    if (barrier) {
        b->waiting++;
        b->barrier_time = later_of(b->barrier_time, t);
        w->at_barrier = w->has_next;
        if (!w->has_next) {
            b->waiting--;
            return end_warp(e, index, t + 1);
        }
        if (b->waiting == b->live_warps)
            release_barrier(e, b);
        return STRATA_OK;
    }
    if (!w->has_next)
        return end_warp(e, index, t + 1);
    flow_next_ready(e, index, next);
    if (runs_on(e, w))
        return issue(e, index, e->scheduler[w->scheduler].free - 1, sm_busy_stall(w->op));
    flow_schedule_warp(e, index);
    return e->status;
}

/* ---- choosing a warp ---- */

/* With thousands of warps nothing is in the cache when its turn comes: what the issue will need is
 * asked for when the warp becomes ready, some warps earlier. */
static void prefetch_warp(const struct flow_engine *e, const struct flow_warp *w)
{
    __builtin_prefetch(&w->cursor);
    __builtin_prefetch((const char *)&w->cursor + 64);
    __builtin_prefetch(w->scoreboard.ready);
    __builtin_prefetch((const char *)w->scoreboard.ready + 64);
    if (e->ordered)
        sm_window_expect(&w->window);
    if (w->next.addr_kind != STRATA_ADDR_STRIDE)
        return;
    const struct hierarchy_sm *p = &e->memory.sm[e->block[w->block].sm];
    const struct cache *l2 = &e->memory.partition[p->partition].l2;
    cache_expect(&p->l1, w->next.base);
    cache_expect(l2, w->next.base);
}

strata_status flow_warp_due(struct flow_engine *e, uint32_t index)
{
    struct flow_warp *w = &e->warp[index];
    prefetch_warp(e, w);
    if (w->wait.ready > e->now) { /* was beyond the wheel's reach */
        flow_schedule(e, index, w->wait.ready);
        return STRATA_OK;
    }
    struct flow_scheduler *s = &e->scheduler[w->scheduler];
    s->waiting_mask &= ~((uint64_t)1 << w->slot);
    s->ready_mask |= (uint64_t)1 << w->slot;
    s->slot_pipe[w->slot] = w->op->pipe;
    if (!s->queued) {
        s->queued = true;
        flow_schedule(e, e->memory.n_sms * e->slots_per_sm + w->scheduler, s->free);
    }
    return STRATA_OK;
}

/* When a pipe takes its next instruction. */
static uint64_t pipe_time(const struct flow_engine *e, const struct flow_scheduler *s, uint8_t pipe)
{
    uint64_t t = s->pipe_free[pipe];
    if (pipe != SM_PIPE_LSU)
        return t;
    const struct hierarchy_sm *p = &e->memory.sm[s->sm];
    uint32_t ahead = e->gpu->sm.lsu_queue_cycles;
    uint64_t lsu = ahead ? p->unit.free : p->mshr_wait_until;
    return lsu > ahead ? later_of(t, lsu - ahead) : t;
}

/* The first ready warp by the policy whose pipe is free. Returns CACHE_NONE and the earliest time a
 * pipe frees if none can issue. */
static uint32_t choose(struct flow_engine *e, struct flow_scheduler *s, uint64_t *earliest)
{
    uint32_t per_sm = e->gpu->sm.schedulers ? e->gpu->sm.schedulers : 1, best = CACHE_NONE,
             policy = e->gpu->sm.scheduler_policy;
    uint64_t best_key = UINT64_MAX;
    *earliest = UINT64_MAX;
    for (uint64_t m = s->ready_mask; m; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(m);
        uint64_t free = pipe_time(e, s, s->slot_pipe[slot]);
        if (free > e->now) {
            *earliest = free < *earliest ? free : *earliest;
            continue;
        }
        uint64_t key = sm_rank(policy, slot, s->last_slot, s->slot_age[slot]);
        if (key < best_key) {
            best_key = key;
            best = slot;
        }
    }
    return best == CACHE_NONE ? best : s->first_warp + best * per_sm;
}

/* The scheduler has issued: it goes on in this cycle while it may issue more in one. */
static void note_issue(const struct flow_engine *e, struct flow_scheduler *s)
{
    s->issued = s->issue_cycle == e->now ? s->issued + 1 : 1;
    s->issue_cycle = e->now;
    s->free = s->issued < e->gpu->sm.issue_per_scheduler ? e->now : e->now + 1;
}

strata_status flow_scheduler_due(struct flow_engine *e, uint32_t index)
{
    struct flow_scheduler *s = &e->scheduler[index];
    uint32_t self = e->memory.n_sms * e->slots_per_sm + index;
    s->queued = false;
    if (!s->ready_mask)
        return STRATA_OK;
    uint64_t earliest = 0;
    uint32_t warp = s->free > e->now ? CACHE_NONE : choose(e, s, &earliest);
    if (warp == CACHE_NONE) {
        s->queued = true;
        flow_schedule(e, self, s->free > e->now ? s->free : earliest);
        return STRATA_OK;
    }
    struct flow_warp *w = &e->warp[warp];
    const struct sm_inst *i = w->op;
    s->ready_mask &= ~((uint64_t)1 << w->slot);
    s->last_slot = w->slot;
    note_issue(e, s);
    enum sm_stall held_by =
        s->pipe_free[i->pipe] > w->wait.ready ||
                (i->pipe == SM_PIPE_LSU && pipe_time(e, s, i->pipe) > w->wait.ready)
            ? sm_busy_stall(i)
            : SM_STALL_SELECTED;
    take_pipe(s, i, e->now);
    if (s->ready_mask) {
        s->queued = true;
        flow_schedule(e, self, s->free);
    }
    return issue(e, warp, e->now, held_by);
}
