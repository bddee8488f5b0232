/* sm_issue.c - which warp issues, and what each instruction does. */
#include "base/bits.h"
#include "base/bug.h"
#include "sim/sm.h"
#include "sm/constant_load.h"
#include "sm/warp_rules.h"

/* ---- when the next instruction can issue ---- */

static uint32_t groups_allowed(const struct sim_sm *s, const struct sim_warp *w)
{
    return sm_async_allowed(&w->async, w->next.inst, s->shared->launch->isa);
}

/* A memory barrier sends the stores that wait and waits until all writes so far are acknowledged.
 */
static void wait_for_writes(struct sim_sm *s, struct sim_warp *w)
{
    if (!w->at_membar) {
        sim_stores_flush(s, s->now);
        w->at_membar = true;
        w->membar_epoch = s->epoch++;
        s->membar_waiters++;
        while (s->oldest_epoch < s->epoch && !s->epoch_writes[s->oldest_epoch % SIM_EPOCHS])
            s->oldest_epoch++;
    }
    if (s->oldest_epoch <= w->membar_epoch) {
        sm_wait_for(&w->wait, SM_PENDING, SM_STALL_MEMBAR);
        return;
    }
    sm_wait_for(&w->wait, s->now, SM_STALL_MEMBAR);
    w->at_membar = false;
    s->membar_waiters--;
}

static void wait_for_code(struct sim_sm *s, struct sim_warp *w)
{
    if (w->next_line == w->fetch_line)
        return;
    s->fetch_used[w->next_line % FETCH_MAX_LINES] = 1;
    sm_wait_for(&w->wait,
                fetch_next(&s->shared->fetch, &s->fetch, w->scheduler, w->fetch_line, w->next_line,
                           w->wait.ready),
                SM_STALL_FETCH);
    w->fetch_line = w->next_line;
}

void sim_next_instruction(struct sim_sm *s, struct sim_warp *w)
{
    const struct sm_decoder *d = &s->shared->decoder;
    struct sm_step step;
    if (!s->shared->ordered) {
        w->has_next = strata_cursor_next(&w->cursor, &w->next);
        w->op = w->has_next ? &d->inst[w->next.inst_index] : NULL;
        w->next_line = w->has_next ? w->op->fetch_line : 0;
        return;
    }
    strata_status st;
    while ((st = sm_window_next(&w->window, &w->cursor, s->order, &step, &s->error)) == STRATA_OK &&
           step.gone) {
        s->count.n.instructions++;
        s->count.n.left_out++;
    }
    if (st != STRATA_OK && st != STRATA_END)
        s->status = st;
    w->has_next = st == STRATA_OK;
    if (!w->has_next)
        return;
    w->next = step.winst;
    w->op = step.op;
    w->next_line = d->inst[step.place].fetch_line;
}

void sim_next_ready(struct sim_sm *s, uint32_t index)
{
    struct sim_warp *w = &s->warp[index];
    const struct sm_inst *i = w->op;
    w->wait = (struct sm_wait){.ready = w->base, .stall = SM_STALL_NONE};
    sm_scoreboard_wait(&w->scoreboard, i, &w->wait);
    if (i->kind == SM_KIND_WAIT)
        sm_wait_for(&w->wait, sm_async_wait(&w->async, groups_allowed(s, w)), SM_STALL_LONG);
    if (w->wait.ready >= SM_PENDING)
        return;
    if (i->kind == SM_KIND_MEMBAR && sim_async_fenced(s, index))
        sm_wait_for(&w->wait, SM_PENDING, SM_STALL_MEMBAR);
    else if (i->kind == SM_KIND_MEMBAR)
        wait_for_writes(s, w);
    if (i->kind == SM_KIND_ASYNC)
        sim_async_ready(s, index);
    if (w->wait.ready < SM_PENDING)
        wait_for_code(s, w);
}

/* Into the wheel, or aside until something arrives. */
static void go_on(struct sim_sm *s, uint32_t index)
{
    struct sim_warp *w = &s->warp[index];
    w->parked = w->wait.ready >= SM_PENDING;
    if (!w->parked)
        sim_schedule(s, index, w->wait.ready);
}

void sim_wake(struct sim_sm *s, uint32_t index)
{
    if (!s->warp[index].parked)
        return;
    sim_next_ready(s, index);
    go_on(s, index);
}

/* ---- operations under way ---- */

uint32_t sim_op_new(struct sim_sm *s, uint32_t warp)
{
    struct sim_warp *w = &s->warp[warp];
    uint32_t i = s->free_op;
    if (i != L1_NONE)
        s->free_op = s->op[i].next;
    else if (sim_sm_grow(s, (void **)&s->op, s->n_ops, &s->cap_ops, sizeof *s->op))
        i = (uint32_t)s->n_ops++;
    else
        return 0; /* the SM has failed; the index is valid because an earlier one was */
    s->op[i] = (struct sim_op){.generation = w->generation,
                               .inst = w->op,
                               .remaining = 1,
                               .copy = SIM_NO_COPY,
                               .warp = (uint8_t)warp,
                               .async = w->next.inst->memop == STRATA_MEM_ASYNC_COPY};
    if (s->op[i].async) {
        s->op[i].group = sm_async_number(&w->async);
        w->async.open.pending++;
    }
    return i;
}

void sim_op_part(struct sim_sm *s, uint32_t index, uint64_t t)
{
    struct sim_op *op = &s->op[index];
    op->done = sim_max(op->done, t);
    if (--op->remaining)
        return;
    op->done += op->later;
    struct sim_warp *w = &s->warp[op->warp];
    if (op->copy != SIM_NO_COPY) {
        sim_copy_done(s, op->copy, op->done);
        op = &s->op[index];
    } else if (w->generation == op->generation && w->has_next) {
        if (op->async) {
            struct sm_async_group *g = sm_async_find(&w->async, op->group);
            g->pending--;
            sm_async_arrive(g, op->done);
        } else {
            sm_scoreboard_arrive(&w->scoreboard, op->inst, op->done);
        }
        sim_wake(s, op->warp);
    }
    op->next = s->free_op;
    s->free_op = index;
}

/* ---- barriers and the end of warps ---- */

/* All warps leave when the last may. One after another, as in flow, is what a probe of stores
 * shows, but took cycles here from 5.7 to 5.8 and 6.7 to 7.0 % off the example suite's, so
 * something else that sets warps apart is counted twice. */
static void release_barrier(struct sim_sm *s, struct sim_block *b)
{
    uint64_t t = b->barrier_time + (uint64_t)sm_barrier_cycles(s->shared->gpu, b->live_warps,
                                                               s->shared->decoder.controlled);
    b->waiting = 0;
    for (uint32_t k = 0; k < s->shared->warps_per_block; k++) {
        struct sim_warp *w = &s->warp[b->first_warp + k];
        if (!w->at_barrier)
            continue;
        w->at_barrier = false;
        w->base = t + s->shared->gpu->sm.min_issue_gap_cycles;
        sim_next_ready(s, b->first_warp + k);
        if (w->wait.ready < SM_PENDING)
            w->wait.stall = SM_STALL_BARRIER;
        go_on(s, b->first_warp + k);
    }
}

static void end_block(struct sim_sm *s, uint32_t block)
{
    const struct sim_block *b = &s->block[block];
    if (!b->live_warps && !b->writes)
        s->exit[s->n_exits++] =
            (struct sim_exit){.time = b->exit_time, .left = b->left, .block = block};
}

void sim_blocks_written(struct sim_sm *s, uint32_t blocks, uint64_t t)
{
    for (; blocks; blocks &= blocks - 1) {
        uint32_t block = lowest_bit32(blocks);
        struct sim_block *b = &s->block[block];
        b->writes--;
        if (b->live_warps)
            continue;
        b->exit_time = sim_max(b->exit_time, t);
        end_block(s, block);
    }
}

static void end_warp(struct sim_sm *s, uint32_t index, uint64_t t)
{
    struct sim_warp *w = &s->warp[index];
    struct sim_block *b = &s->block[w->block];
    w->has_next = false;
    w->generation++;
    b->exit_time = b->left = sim_max(b->exit_time, t);
    sim_async_warp_ends(s, index, t);
    if (!--b->live_warps)
        end_block(s, w->block);
    else if (b->waiting == b->live_warps)
        release_barrier(s, b);
}

/* ---- effects of one instruction ---- */

static void count_memory(struct sim_sm_counters *c, const struct strata_inst *i)
{
    count_memory_instruction(&c->n, i);
    c->async_copies += i->memop == STRATA_MEM_ASYNC_COPY;
    c->texture_accesses += is_texture_access(i);
}

/* The results are pending before the unit is told: it may answer at once. */
static void do_memory(struct sim_sm *s, uint32_t index, const struct sm_inst *i)
{
    struct sim_warp *w = &s->warp[index];
    const struct strata_inst *inst = w->next.inst;
    count_memory(&s->count, inst);
    bool silent = inst->memop == STRATA_MEM_STORE || inst->memop == STRATA_MEM_REDUCTION;
    if (inst->memop != STRATA_MEM_ASYNC_COPY && (!silent || i->kind == SM_KIND_SHARED))
        sm_scoreboard_hold(&w->scoreboard, i);
    else if (i->n_write && inst->memop != STRATA_MEM_ASYNC_COPY)
        sm_scoreboard_set(&w->scoreboard, i, s->now + 1);
    sim_lsu_issue(s, index, i);
}

static void execute(struct sim_sm *s, uint32_t index, const struct sm_inst *i)
{
    struct sim_warp *w = &s->warp[index];
    if (i->pipe == SM_PIPE_LSU)
        sm_operands_hold(&w->scoreboard, i);
    else
        sm_operands_set(&w->scoreboard, i, s->now + sm_operands_cycles(s->shared->gpu));
    switch (i->kind) {
    case SM_KIND_GLOBAL:
    case SM_KIND_SHARED:
        do_memory(s, index, i);
        break;
    case SM_KIND_CONSTANT:
        constants_note(&s->constants, s->shared->gpu, &w->next);
        s->constant_held = sm_load_constant(&s->constant_cache, s->shared->gpu, i, &w->next,
                                            &w->scoreboard, s->now);
        break;
    case SM_KIND_COMMIT:
        sm_async_commit(&w->async);
        break;
    case SM_KIND_WAIT:
        sm_async_drop(&w->async, groups_allowed(s, w));
        break;
    case SM_KIND_ASYNC:
        sim_async_execute(s, index, i);
        break;
    default:
        sm_scoreboard_set(&w->scoreboard, i, s->now + i->latency);
        if (i->pipe == SM_PIPE_LSU)
            sim_lsu_issue(s, index, i);
    }
}

static void arrive(struct sim_sm *s, uint32_t index)
{
    struct sim_warp *w = &s->warp[index];
    struct sim_block *b = &s->block[w->block];
    b->barrier_time = sim_max(b->barrier_time, s->now);
    if (!w->has_next) {
        end_warp(s, index, s->now + 1);
        return;
    }
    b->waiting++;
    w->at_barrier = true;
    if (b->waiting == b->live_warps)
        release_barrier(s, b);
}

static void issue(struct sim_sm *s, uint32_t index, enum sm_stall held_by)
{
    struct sim_warp *w = &s->warp[index];
    const struct sm_inst *i = w->op;
    sm_account_stalls(s->count.stall_cycles, &w->wait, w->last_issue, s->now, held_by);
    if (i->kind == SM_KIND_ASYNC)
        sm_async_waited(&s->async.totals, w->next.inst, s->now - w->last_issue);
    s->count.n.instructions++;
    sm_count_work(&s->count.n, i, w->next.mask);
    s->count.unknown_opcodes += w->next.inst->opclass == STRATA_OP_OTHER;
    w->last_issue = s->now;
    if (s->shared->clock)
        s->shared->clock->issued(s->shared->clock->context, s->block[w->block].data->index,
                                 index - s->block[w->block].first_warp, s->now);
    execute(s, index, i);
    bool barrier = i->kind == SM_KIND_BARRIER && w->next.mask;
    w->base = s->now + sm_issue_gap(s->shared->gpu, i, w->next.mask != 0);
    if (i->kind == SM_KIND_CONSTANT)
        w->base += s->constant_held;
    sim_next_instruction(s, w);
    if (barrier) {
        arrive(s, index);
    } else if (!w->has_next) {
        end_warp(s, index, s->now + 1);
    } else {
        sim_next_ready(s, index);
        go_on(s, index);
    }
}

/* ---- choosing a warp ---- */

/* Whether a pipe takes an instruction now; *when: if not, when it might. */
static bool pipe_free(const struct sim_sm *s, struct sim_scheduler *c, uint8_t pipe, uint64_t *when)
{
    if (c->pipe_free[pipe] > s->now) {
        *when = c->pipe_free[pipe];
        return false;
    }
    if (pipe != SM_PIPE_LSU || sim_lsu_room(s, when))
        return true;
    c->lsu_held = s->now;
    return false;
}

/* Slot of the warp to issue, or CACHE_NONE and the earliest time a pipe frees. */
static uint32_t choose(const struct sim_sm *s, struct sim_scheduler *c, uint64_t *earliest)
{
    uint32_t best = CACHE_NONE, policy = s->shared->gpu->sm.scheduler_policy;
    uint64_t best_rank = UINT64_MAX, when = 0;
    *earliest = UINT64_MAX;
    for (uint64_t m = c->ready_mask; m; m &= m - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(m);
        if (!pipe_free(s, c, c->slot_pipe[slot], &when)) {
            *earliest = when < *earliest ? when : *earliest;
            continue;
        }
        uint64_t rank = sm_rank(policy, slot, c->last_slot, c->slot_age[slot]);
        if (rank < best_rank) {
            best_rank = rank;
            best = slot;
        }
    }
    return best;
}

/* Lets one scheduler issue one instruction; returns when it might issue the next, s->now if nothing
 * hinders it. */
static uint64_t issue_one(struct sim_sm *s, uint32_t scheduler)
{
    struct sim_scheduler *c = &s->scheduler[scheduler];
    uint64_t earliest;
    if (c->held_until > s->now)
        return c->held_until;
    uint32_t slot = choose(s, c, &earliest);
    if (slot == CACHE_NONE)
        return sim_max(earliest, s->now + 1);
    uint32_t index = scheduler + slot * s->shared->schedulers;
    const struct sim_warp *w = &s->warp[index];
    const struct sm_inst *i = w->op;
    /* A warp whose pipe was busy since it became ready was held up by it, otherwise by other warps.
     */
    bool held = c->pipe_free[i->pipe] > w->wait.ready ||
                (i->pipe == SM_PIPE_LSU && c->lsu_held > w->wait.ready);
    c->ready_mask &= ~((uint64_t)1 << slot);
    c->last_slot = slot;
    c->pipe_free[i->pipe] = i->pipe == SM_PIPE_NONE ? 0 : s->now + i->interval;
    uint32_t keeps = i->hold;
    if (c->wgmma_free > s->now && c->wgmma_warp != index && wgmma_minds(i))
        keeps += wgmma_hold(&c->beside);
    c->held_until = s->now + keeps + (keeps != 0);
    issue(s, index, held ? sm_busy_stall(i) : SM_STALL_SELECTED);
    return c->ready_mask ? sim_max(c->held_until, s->now) : UINT64_MAX;
}

/* A scheduler's cycle: as many instructions as it issues in one, of different warps. */
static uint64_t issue_cycle(struct sim_sm *s, uint32_t scheduler)
{
    uint64_t next = s->now;
    for (uint32_t k = 0; k < s->shared->gpu->sm.issue_per_scheduler && next == s->now; k++)
        next = issue_one(s, scheduler);
    return next == s->now ? s->now + 1 : next;
}

uint64_t sim_issue_all(struct sim_sm *s)
{
    uint64_t next = UINT64_MAX;
    uint32_t n = s->shared->schedulers;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t scheduler = (s->rotate + k) % n;
        if (!s->scheduler[scheduler].ready_mask)
            continue;
        uint64_t t = issue_cycle(s, scheduler);
        next = t < next ? t : next;
    }
    s->rotate = (s->rotate + 1) % n;
    return next;
}
