/* issue.c - which warp of a scheduler issues, and what its instruction does to time. */
#include "flow/issue.h"

#include <string.h>

#include "base/bits.h"
#include "base/expect.h"
#include "flow/flow_waits.h"
#include "sm/constant_load.h"
#include "sm/warp_rules.h"
#include "trace/cursor.h"

/* ---- when the next instruction can issue ---- */

/* The same where instructions are put in order. */
static __attribute__((noinline)) strata_status next_ordered(struct flow_engine *e,
                                                            struct flow_warp *w)
{
    struct sm_step step;
    strata_status st = STRATA_OK;
    struct sm_window *window = &e->window[w - e->warp];
    while ((st = sm_window_next(window, &w->cursor, &e->order, &step, e->err)) == STRATA_OK &&
           step.gone) {
        e->memory.count.instructions++;
        e->memory.count.left_out++;
    }
    w->has_next = st == STRATA_OK;
    if (w->has_next) {
        w->next = step.winst;
        w->op = step.op;
        w->next_line = e->decoder.inst[step.place].fetch_line;
    }
    return st == STRATA_END ? STRATA_OK : st;
}

static inline strata_status next_instruction(struct flow_engine *e, struct flow_warp *w)
{
    if (e->ordered)
        return next_ordered(e, w);
    w->has_next = cursor_step(&w->cursor, e->decoder.step, &w->next);
    w->op = w->has_next ? &e->decoder.inst[w->next.inst_index] : NULL;
    w->next_line = w->has_next ? w->op->fetch_line : 0;
    return STRATA_OK;
}

strata_status flow_next_instruction(struct flow_engine *e, struct flow_warp *w)
{
    return next_instruction(e, w);
}

/* Where a line of an SM will be looked for. */
static void expect_tables(const struct flow_engine *e, uint32_t sm, uint64_t line)
{
    const struct hierarchy_sm *p = &e->memory.sm[sm];
    cache_expect(&p->l1, line);
    cache_expect(&e->memory.partition[p->partition].l2, line);
}

/* An access to a line or two; a walk by column is kept with its places (memory/column_walk.h). */
static bool is_row(const struct strata_winst *w)
{
    enum { NEAR_BYTES = 32 };
    return w->addr_kind == STRATA_ADDR_STRIDE && w->stride <= NEAR_BYTES &&
           w->stride >= -NEAR_BYTES;
}

/* The warp's next instruction, which can issue at `ready`, is put into the wheel. Both are handed
 * over: bytes were written since they were, after which the compiler reads all memory again. */
static inline void schedule_warp(struct flow_engine *e, const struct flow_warp *w,
                                 struct flow_scheduler *s, const struct sm_inst *op, uint64_t ready)
{
    if (w->sleeps != FLOW_AWAKE)
        return;
    uint32_t slot = w->slot, after = w->cursor.next_index;
    uint64_t bit = (uint64_t)1 << slot;
    if (ready >= e->now + FLOW_WHEEL_SLOTS)
        s->far_mask |= bit;
    s->stores = (s->stores & ~bit) | (bit & bits_if(op->is_store));
    /* Times that do not fit are those of a launch that is given up (SM_TIME_MOST). */
    s->slot_due[slot] = cache_time(ready);
    s->next_due = ready < s->next_due ? ready : s->next_due;
    if (op->kind == SM_KIND_GLOBAL && is_row(&w->next))
        expect_tables(e, s->sm, w->next.base);
    flow_schedule(e, flow_warp_entity(e, w), ready);
    s->hint[slot] = (struct flow_hint){op->pipe, after < e->decoder.n ? e->decoder.step[after].lines
                                                                      : op->lines};
}

void flow_schedule_warp(struct flow_engine *e, uint32_t index)
{
    const struct flow_warp *w = &e->warp[index];
    schedule_warp(e, w, &e->scheduler[w->scheduler], w->op, w->wait.ready);
}

/* Waits of instructions that order others. */
static __attribute__((noinline)) void wait_for_others(struct flow_engine *e, uint32_t index)
{
    struct flow_warp *w = &e->warp[index];
    const struct sm_inst *i = w->op;
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
}

static __attribute__((noinline)) void wait_for_code(struct flow_engine *e, struct flow_warp *w)
{
    uint32_t sm = w->scheduler / e->schedulers_per_sm,
             scheduler = w->scheduler - sm * e->schedulers_per_sm;
    struct fetch_sm *fetch = &e->fetch[sm];
    fetch_note(&e->fetch_all, w->next_line);
    sm_wait_for(
        &w->wait,
        fetch_next(&e->fetch_all, fetch, scheduler, w->fetch_line, w->next_line, w->wait.ready),
        SM_STALL_FETCH);
    w->fetch_line = w->next_line;
    if (fetch->n_asked)
        fetch_publish(&e->fetch_all, fetch);
}

/* What few instructions wait for. */
static __attribute__((noinline)) void wait_for_more(struct flow_engine *e, struct flow_warp *w,
                                                    uint32_t index)
{
    if (w->op->kind > SM_KIND_BARRIER)
        wait_for_others(e, index);
    if (w->next_line != w->fetch_line)
        wait_for_code(e, w);
    if (e->waits)
        flow_waits_find(e->waits, e, index);
}

/* Sets `wait`; returns when the instruction can issue. */
static inline __attribute__((always_inline)) uint64_t next_ready(struct flow_engine *e,
                                                                 struct flow_warp *w,
                                                                 const struct sm_inst *op,
                                                                 uint32_t index, uint64_t t)
{
    struct sm_wait wait = {t, SM_STALL_NONE};
    sm_scoreboard_wait(&w->scoreboard, op, &wait);
    w->wait = wait;
    w->since_data = sm_since_data(w->since_data, op, wait.stall);
    if (op->kind <= SM_KIND_BARRIER && w->next_line == w->fetch_line && !e->waits)
        return wait.ready;
    wait_for_more(e, w, index);
    return w->wait.ready;
}

void flow_next_ready(struct flow_engine *e, uint32_t index, uint64_t t)
{
    next_ready(e, &e->warp[index], e->warp[index].op, index, t);
}

/* ---- barriers and the end of warps ---- */

static void release_barrier(struct flow_engine *e, struct flow_block *b)
{
    uint64_t *out64 = &e->barrier_out64[b->sm];
    uint64_t first =
        b->barrier_time + (uint64_t)sm_barrier_cycles(e->gpu, 0, e->decoder.controlled);
    *out64 = later_of(*out64 + e->barrier_block_64ths, first * 64);
    b->waiting = 0;
    hierarchy_in_step(&e->memory, b->sm, b->barrier_time);
    for (uint32_t k = 0; k < e->warps_per_block; k++) {
        struct flow_warp *w = &e->warp[b->first_warp + k];
        if (!w->at_barrier)
            continue;
        w->at_barrier = false;
        *out64 += e->barrier_64ths;
        uint64_t t = *out64 / 64;
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

/* Those whose compare-and-swaps the trace has already seen meet: a block's warps, of PTX each warp
 * alone. */
static uint64_t swap_group(const struct flow_engine *e, const struct flow_warp *w)
{
    uint64_t block = e->block[w->block].index;
    return e->memory.ptx ? block * e->warps_per_block + w->number : block;
}

/* The word of a warp's first lane tells for all. */
static uint64_t first_word(const struct flow_warp *w)
{
    uint64_t at[STRATA_WARP_SIZE];
    strata_winst_addresses(&w->next, at);
    return at[lowest_bit32(w->next.mask)];
}

/* A load in a launch that compares and swaps. */
static __attribute__((noinline)) void note_read(struct flow_engine *e, const struct flow_warp *w,
                                                uint64_t t)
{
    if (w->next.mask)
        flow_swap_reads(&e->swaps, (uint32_t)(w - e->warp), swap_group(e, w), first_word(w), t);
}

/* A compare-and-swap whose answer is there at `done`. */
static __attribute__((noinline)) void note_swap(struct flow_engine *e, const struct flow_warp *w,
                                                uint64_t t, uint64_t done)
{
    if (!w->next.mask)
        return;
    if (!flow_swaps_begin(&e->swaps, e->n_warps)) {
        e->status = strata_no_memory(e->err, NULL, "for the compare-and-swaps of a launch");
        return;
    }
    if (!flow_swap_takes(&e->swaps, (uint32_t)(w - e->warp), swap_group(e, w), first_word(w), t))
        e->swap_again = done;
}

/* The swap that failed is done again behind the comparison and the branch of its loop, which are
 * not counted. */
static __attribute__((noinline)) uint64_t swap_again(struct flow_engine *e, struct flow_warp *w)
{
    uint64_t at = e->swap_again + e->gpu->sm.latency_int_cycles + e->gpu->sm.latency_branch_cycles;
    e->swap_again = 0;
    sm_wait_for(&w->wait, at, SM_STALL_LONG);
    return at;
}

static void do_global(struct flow_engine *e, struct flow_warp *w, const struct sm_inst *i,
                      uint32_t sm, uint64_t t)
{
    count_memory(e, w->next.inst);
    /* It stands on a line of the warp that nothing else needs. */
    uint64_t local = w->next.inst->space == STRATA_SPACE_LOCAL ? w->local_base : 0;
    e->memory.warp = (uint32_t)(w - e->warp);
    uint64_t done = hierarchy_access(&e->memory, sm, &w->next, local, t);
    if (w->next.inst->memop == STRATA_MEM_STORE)
        e->block[w->block].stored = e->memory.sm[sm].unit.free;
    if (w->next.inst->memop == STRATA_MEM_ASYNC_COPY)
        sm_async_arrive(&flow_groups(w)->copies.open, done);
    else
        sm_scoreboard_set(&w->scoreboard, i, done);
    if (w->next.inst->atomic == STRATA_ATOMIC_COMPARE &&
        !(w->next.inst->hints & STRATA_HINT_AWAITS))
        note_swap(e, w, t, done);
    else if (e->swaps.warp && w->next.inst->memop == STRATA_MEM_LOAD)
        note_read(e, w, t);
}

/* When an instruction issued at t has read its operands: those for the load/store unit wait in its
 * queue with them. */
static uint64_t operands_read(const struct flow_engine *e, const struct sm_inst *i, uint32_t sm,
                              uint64_t t)
{
    uint32_t cycles = e->gpu->sm.operands_cycles;
    if (i->pipe != SM_PIPE_LSU)
        return t + sm_operands_cycles(e->gpu);
    return later_of(t, e->memory.sm[sm].unit.free) + (cycles ? cycles : sm_operands_cycles(e->gpu));
}

/* An instruction that concerns nobody but its warp (sm_inst.is_own). */
static void execute_own(const struct flow_engine *e, struct flow_warp *w, const struct sm_inst *i,
                        uint64_t t)
{
    sm_operands_set(&w->scoreboard, i, t + sm_operands_cycles(e->gpu));
    sm_scoreboard_set(&w->scoreboard, i, t + i->latency);
}

static void execute(struct flow_engine *e, struct flow_warp *w, const struct sm_inst *i,
                    uint32_t sm, uint64_t t)
{
    if (i->control.known)
        sm_operands_set(&w->scoreboard, i, operands_read(e, i, sm, t));
    switch (i->kind) {
    case SM_KIND_GLOBAL:
        do_global(e, w, i, sm, t);
        break;
    case SM_KIND_SHARED:
        count_memory(e, w->next.inst);
        sm_scoreboard_set(&w->scoreboard, i,
                          hierarchy_shared(&e->memory, sm, &w->next,
                                           sm_has_shared_port(&e->decoder)
                                               ? &e->scheduler[w->scheduler].shared_port
                                               : NULL,
                                           t));
        break;
    case SM_KIND_CONSTANT:
        constants_note(&e->constants, e->gpu, &w->next);
        e->constant_held =
            sm_load_constant(&e->memory.sm[sm].constants, e->gpu, i, &w->next, &w->scoreboard, t);
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

/* Whether another warp of the scheduler will be ready by t. The slots are not asked one by one:
 * which of them is first differs from time to time. */
static bool another_by(const struct flow_engine *e, struct flow_scheduler *s, uint64_t t)
{
    if (t < s->next_due)
        return false;
    uint32_t least = FLOW_NEVER;
    for (uint32_t k = 0; k < e->n_due; k += FLOW_DUE_TOGETHER)
        for (uint32_t i = 0; i < FLOW_DUE_TOGETHER; i++)
            least = s->slot_due[k + i] < least ? s->slot_due[k + i] : least;
    s->next_due = least;
    return least <= t;
}

/* Cycles besides its own for which an instruction that issues at t keeps its scheduler. */
static inline uint32_t keeps(const struct flow_engine *e, const struct flow_warp *w,
                             const struct sm_inst *i, uint64_t t)
{
    if (!e->has_products || !wgmma_minds(i))
        return i->hold;
    struct flow_tensor *x = &e->tensor[w->scheduler];
    bool beside = x->free > t && &e->warp[x->warp] != w;
    return i->hold + (beside ? wgmma_hold(&x->beside) : 0);
}

/* An instruction that issues at t keeps its pipe for a while. */
static inline void take_pipe(struct flow_scheduler *s, const struct sm_inst *i, uint64_t t)
{
    s->pipe[i->pipe].free = (t + i->interval) & bits_if(i->pipe != SM_PIPE_NONE);
}

/* A warp that has its scheduler to itself until its next issue goes on without a trip through the
 * wheel while its instructions concern nobody else: plain ones, a short time ahead. */
static bool runs_on(const struct flow_engine *e, const struct flow_warp *w,
                    struct flow_scheduler *s, const struct sm_inst *i, uint64_t ready, uint64_t *at)
{
    enum { AHEAD_CYCLES = 24 };
    if (s->ready_mask || !i->is_ahead)
        return false;
    uint64_t t = later_of(ready, later_of(s->free, s->pipe[i->pipe].free));
    if (t > e->now + AHEAD_CYCLES || another_by(e, s, t))
        return false;
    take_pipe(s, i, t);
    s->last_slot = w->slot;
    s->free = t + 1 + keeps(e, w, i, t);
    *at = t;
    return true;
}

/* Where tensor cores of many SMs work, the clock of all SMs falls (device/hopper/clock.cu). */
static __attribute__((noinline)) strata_status note_product(struct flow_engine *e, uint32_t sm,
                                                            uint64_t t)
{
    if (e->multiplies[sm])
        return STRATA_OK;
    e->multiplies[sm] = true;
    if (++e->n_multiplies != e->gpu->sm.tensor_clock_sms)
        return STRATA_OK;
    e->slow_since = t;
    return hierarchy_slow_clock(&e->memory, e->gpu->sm.tensor_clock_mhz, e->err);
}

/* What the step to the warp's next instruction will read, if it is the one that seems to follow. */
static void expect_step(const struct flow_engine *e, const struct flow_warp *w, uint32_t sm)
{
    uint32_t next = w->cursor.next_index;
    if (next >= e->decoder.n || e->ordered)
        return;
    expect_read(&e->decoder.inst[next]);
    const struct cursor_code *code = &e->decoder.step[next];
    if (code->code_line != (uint16_t)w->fetch_line)
        expect_write(&e->fetch[sm].known[code->code_line % FETCH_MAX_LINES]);
    uint32_t slot = code->slot;
    if (slot == CODE_NO_SLOT)
        return;
    if (!w->cursor.n_control_bytes)
        expect_read(w->cursor.controls);
    expect_write(&w->cursor.state[slot]);
}

/* What an instruction does that concerns more than its warp. */
static __attribute__((noinline)) strata_status execute_for_others(struct flow_engine *e,
                                                                  struct flow_warp *w,
                                                                  uint32_t index, uint32_t sm,
                                                                  uint64_t t)
{
    const struct sm_inst *i = w->op;
    e->unknown_opcodes += i->is_unknown;
    if (i->kind != SM_KIND_PLAIN || i->pipe == SM_PIPE_LSU)
        e->memory.now = t;
    if (i->pipe == SM_PIPE_TENSOR && e->gpu->sm.tensor_clock_mhz && w->next.mask) {
        strata_status slowed = note_product(e, sm, t);
        if (slowed != STRATA_OK)
            return slowed;
    }
    if (i->kind == SM_KIND_ASYNC)
        return flow_async_execute(e, index, t);
    execute(e, w, i, sm, t);
    return STRATA_OK;
}

/* The warp, which may have ended there, has come to its block's barrier at t. */
static __attribute__((noinline)) strata_status
reach_barrier(struct flow_engine *e, struct flow_warp *w, uint32_t index, uint64_t t)
{
    struct flow_block *b = &e->block[w->block];
    b->barrier_time = later_of(b->barrier_time, t);
    w->at_barrier = w->has_next;
    if (!w->has_next)
        return end_warp(e, index, t + 1);
    if (++b->waiting == b->live_warps)
        release_barrier(e, b);
    return STRATA_OK;
}

/* What is told to who watches the launch, before anything of the warp is changed. */
static __attribute__((noinline)) void tell_issue(struct flow_engine *e, const struct flow_warp *w,
                                                 uint32_t index, uint64_t t, enum sm_stall held_by)
{
    const struct flow_block *b = &e->block[w->block];
    if (e->waits)
        flow_waits_issue(e->waits, e, index, t, held_by);
    if (e->clock)
        e->clock->issued(e->clock->context, b->index, w->number, t);
}

/* The warp issues its next instruction at t; held_by: what kept it until then once it was ready.
 * Returns whether the one after it is to be scheduled: the warp neither ends nor waits for others
 * of its block. */
static inline __attribute__((always_inline)) bool
issue(struct flow_engine *e, struct flow_scheduler *s, struct flow_warp *w, const struct sm_inst *i,
      uint32_t index, uint64_t t, enum sm_stall held_by, uint64_t *ready, strata_status *st)
{
    const struct sm_wait waited = w->wait;
    bool barrier = false;
    expect_step(e, w, s->sm);
    sm_account_stalls(e->stall_cycles, &waited, w->last_issue, t, held_by);
    if (i->kind == SM_KIND_ASYNC)
        sm_async_waited(&e->async, w->next.inst, t - w->last_issue);
    if (e->is_watched)
        tell_issue(e, w, index, t, held_by);
    e->memory.count.instructions++;
    sm_count_work(&e->memory.count, i, w->next.mask);
    w->last_issue = t;
    uint64_t next = t + sm_issue_gap(e->gpu, i, w->next.mask != 0);
    if (i->is_own) {
        execute_own(e, w, i, t);
    } else {
        if ((*st = execute_for_others(e, w, index, s->sm, t)) != STRATA_OK)
            return false;
        barrier = i->kind == SM_KIND_BARRIER && w->next.mask;
        if (i->kind == SM_KIND_MEMBAR && w->next.mask)
            next = later_of(next, t + i->latency);
        if (i->kind == SM_KIND_CONSTANT)
            next += e->constant_held;
        if (e->swap_again) {
            *ready = swap_again(e, w);
            return true;
        }
    }
    if (e->waits)
        flow_waits_took(e->waits, e, index);
    if ((*st = next_instruction(e, w)) != STRATA_OK)
        return false;
    if (barrier || !w->has_next) {
        *st = barrier ? reach_barrier(e, w, index, t) : end_warp(e, index, t + 1);
        return false;
    }
    *ready = next_ready(e, w, w->op, index, next);
    return true;
}

/* ---- choosing a warp ---- */

/* Does nothing but stores wait for the load/store unit? */
static bool only_stores_wait(const struct flow_scheduler *s, const struct flow_scheduler *first,
                             uint32_t n)
{
    uint64_t others = s->pipe[SM_PIPE_LSU].ready & ~s->stores;
    for (uint32_t k = 0; !others && k < n; k++)
        others = first[k].pipe[SM_PIPE_LSU].ready & ~first[k].stores;
    return !others;
}

/* Did the way out of the SM hold the load/store unit up when it was last busy? */
static bool unit_stood_still(const struct flow_engine *e, const struct flow_scheduler *s)
{
    const struct load_store_unit *u = &e->memory.sm[s->sm].unit;
    return u->held && (uint32_t)u->free - u->goes_on < e->gpu->xbar.port_buffer_cycles;
}

/* The load/store unit takes instructions of its schedulers by turns: is it that of another one,
 * whose warps wait for it in this cycle? This holds for a while once the unit has stood still: else
 * schedulers that have other work meanwhile lose their places, and those of a block fall thousands
 * of cycles apart (beside_probe.cu, device/probe/results/h200-beside.csv: reads of a block whose
 * additions to memory fill its way out leave together, 4,286 of 32,768 hit, here 5,400, and 14,750
 * without turns). It also holds where only stores wait: else a scheduler that stores line after
 * line finds its own lines still in the buffer, where on the card those of the other three have
 * driven them out (records_probe.cu, blocked_probe.cu, the ends of device/hopper/attention.cu). Not
 * where loads wait and the unit works on: walks by column in step with one another would be set
 * apart, and sums that they store leave twice as often as counted. */
static bool is_turn_of_another(const struct flow_engine *e, const struct flow_scheduler *s)
{
    uint32_t n = e->schedulers_per_sm, self = (uint32_t)(s - e->scheduler);
    const struct flow_scheduler *other = s - self % n;
    if (!unit_stood_still(e, s) && !only_stores_wait(s, other, n))
        return false;
    for (uint32_t k = 0; k < n; k++, other++)
        if (other->pipe[SM_PIPE_LSU].ready && other->free <= e->now && other->queued &&
            other->pipe[SM_PIPE_LSU].free < s->pipe[SM_PIPE_LSU].free)
            return true;
    return false;
}

/* When the warp's next instruction would have come to the queue in front of the load/store unit.
 * What a warp issues without waiting for data or for other warps comes to the queue right behind
 * what it issued before, however long that stood there. */
static uint64_t came_to_queue(const struct flow_warp *w)
{
    bool starts_anew = w->wait.stall == SM_STALL_LONG || w->wait.stall == SM_STALL_BARRIER;
    return w->wait.ready - (starts_anew ? 0 : w->queued_cycles);
}

/* Of the warps that wait for the unit the one that came to its queue first. The queue is in order
 * (issue_order_probe.cu), and here an instruction issues when it leaves it. So a load that reads
 * what its warp has just stored finds it, and loads stand before stores whose data came later
 * (swap_probe.cu, own_probe.cu). The queue's 16 places a scheduler are not counted. */
static uint32_t first_in_queue(const struct flow_engine *e, const struct flow_scheduler *s)
{
    uint64_t least = UINT64_MAX;
    uint32_t first = CACHE_NONE;
    for (uint64_t rest = s->pipe[SM_PIPE_LSU].ready; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        uint64_t came = came_to_queue(&e->warp[s->first_warp + slot * e->schedulers_per_sm]);
        if (came < least) {
            least = came;
            first = slot;
        }
    }
    return first;
}

/* The slot of the first ready warp by the policy whose pipe is free. Returns CACHE_NONE and the
 * earliest time a pipe frees if none can issue. */
static uint32_t choose(const struct flow_engine *e, const struct flow_scheduler *s,
                       uint64_t *earliest)
{
    uint32_t unit = s->pipes & 1u << SM_PIPE_LSU;
    uint64_t now = e->now, free = unit ? flow_unit_time(e, s) : UINT64_MAX;
    if (unit && free <= now && is_turn_of_another(e, s))
        free = now + 1;
    uint64_t can = free <= now ? s->pipe[SM_PIPE_LSU].ready : 0, first = free;
    for (uint32_t pipes = s->pipes & ~unit; pipes; pipes &= pipes - 1) {
        const struct flow_pipe *p = &s->pipe[lowest_bit32(pipes)];
        can |= p->ready & bits_if(p->free <= now);
        first = p->free < first ? p->free : first;
    }
    *earliest = first;
    if (sm_stores_on(e->policy, can, s->stored, s->stores >> s->stored & 1) &&
        e->warp[s->first_warp + s->stored * e->schedulers_per_sm].since_data <= SM_SOON_AFTER_DATA)
        return s->stored;
    if (free <= now && s->pipe[SM_PIPE_LSU].ready && unit_stood_still(e, s))
        return first_in_queue(e, s);
    if (can && can == s->turn_mask)
        return s->turn;
    return can ? sm_first_in_rank(e->policy, can, s->stores, s->last_slot, &s->turns) : CACHE_NONE;
}

static void take_slot(struct flow_scheduler *s, uint32_t slot, uint8_t pipe)
{
    uint64_t bit = (uint64_t)1 << slot;
    s->ready_mask &= ~bit;
    s->pipe[pipe].ready &= ~bit;
    s->pipes &= (uint16_t) ~((uint32_t)!s->pipe[pipe].ready << pipe);
    s->last_slot = (uint8_t)slot;
    s->turn_mask = 0;
}

/* The scheduler has issued: it goes on in this cycle while it may issue more in one. */
static void note_issue(const struct flow_engine *e, struct flow_scheduler *s, uint32_t hold)
{
    s->free = e->now + 1 + hold;
    if (e->gpu->sm.issue_per_scheduler <= 1 || hold)
        return;
    s->issued = s->issue_cycle == e->now ? (uint8_t)(s->issued + 1) : 1;
    s->issue_cycle = e->now;
    if (s->issued < e->gpu->sm.issue_per_scheduler)
        s->free = e->now;
}

/* What kept a warp that is chosen now from issuing once it was ready. */
static enum sm_stall held_by(const struct flow_engine *e, const struct flow_scheduler *s,
                             const struct sm_inst *i, uint64_t ready)
{
    uint64_t free = i->pipe == SM_PIPE_LSU ? flow_unit_time(e, s) : s->pipe[i->pipe].free;
    return free > ready ? sm_busy_stall(i) : SM_STALL_SELECTED;
}

/* The warp that was chosen issues, and goes on while it runs on. */
static inline __attribute__((always_inline)) strata_status
issue_on(struct flow_engine *e, struct flow_scheduler *s, struct flow_warp *w,
         const struct sm_inst *i, uint32_t index, enum sm_stall why)
{
    strata_status st = STRATA_OK;
    uint64_t t = e->now, ready;
    while (issue(e, s, w, i, index, t, why, &ready, &st)) {
        i = w->op;
        if (!runs_on(e, w, s, i, ready, &t)) {
            schedule_warp(e, w, s, i, ready);
            return e->status;
        }
        why = sm_busy_stall(i);
    }
    return st;
}

strata_status flow_scheduler_due(struct flow_engine *e, struct flow_scheduler *s, uint32_t self)
{
    s->queued = false;
    if (!s->ready_mask)
        return STRATA_OK;
    uint64_t earliest = 0, now = e->now;
    uint32_t slot = s->free > now ? CACHE_NONE : choose(e, s, &earliest);
    if (slot == CACHE_NONE) {
        s->queued = true;
        flow_schedule(e, self, s->free > now ? s->free : earliest);
        return STRATA_OK;
    }
    uint32_t index = s->first_warp + slot * e->schedulers_per_sm;
    struct flow_warp *w = &e->warp[index];
    take_slot(s, slot, s->hint[slot].pipe);
    const struct sm_inst *i = w->op;
    note_issue(e, s, keeps(e, w, i, now));
    enum sm_stall why = held_by(e, s, i, w->wait.ready);
    take_pipe(s, i, now);
    if (i->pipe == SM_PIPE_LSU)
        w->queued_cycles = (uint32_t)(now - came_to_queue(w));
    if (i->is_store)
        s->stored = (uint8_t)slot;
    if (s->ready_mask) {
        s->queued = true;
        flow_schedule(e, self, s->free);
    }
    return issue_on(e, s, w, i, index, why);
}
