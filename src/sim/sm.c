/* sm.c - an SM's time: a wheel of warps, packets that arrive, and the loop over busy cycles. */
#include "sim/sm.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/bug.h"
#include "base/expect.h"
#include "sm/warp_rules.h"

/* ---- memory ---- */

bool sim_sm_grow(struct sim_sm *s, void **array, size_t n, size_t *cap, size_t bytes)
{
    if (n < *cap)
        return true;
    size_t more = *cap ? *cap * 2 : 64;
    void *p = realloc(*array, more * bytes);
    if (!p) {
        s->status = strata_no_memory(&s->error, NULL, "for the requests of an SM");
        return false;
    }
    *array = p;
    *cap = more;
    return true;
}

static void init_slots(struct sim_sm *s)
{
    uint32_t n = s->shared->schedulers;
    for (uint32_t w = 0; w < s->shared->slots_per_sm; w++) {
        s->warp[w].scheduler = (uint8_t)(w % n);
        s->warp[w].slot = (uint8_t)(w / n);
    }
}

strata_status sim_sm_init(struct sim_sm *s, const struct sim_shared *shared, uint32_t index,
                          uint64_t seed, struct strata_error *err)
{
    memset(s, 0, sizeof *s);
    s->shared = shared;
    s->index = index;
    s->due = UINT64_MAX;
    s->free_op = s->free_flight = L1_NONE;
    s->lsu.refused_since = UINT64_MAX;
    leaving_miss_begin(&s->lsu.leaving, shared->gpu, shared->launch);
    s->scheduler = calloc(shared->schedulers, sizeof *s->scheduler);
    s->warp = calloc(shared->slots_per_sm, sizeof *s->warp);
    s->block = calloc(shared->occupancy.blocks_per_sm, sizeof *s->block);
    s->exit = calloc(shared->occupancy.blocks_per_sm, sizeof *s->exit);
    s->fetch_used = calloc(FETCH_MAX_LINES, 1);
    s->cap_ops = 64; /* never empty: an index handed out after a failure has to be valid */
    s->op = calloc(s->cap_ops, sizeof *s->op);
    if (!s->op || !s->scheduler || !s->warp || !s->block || !s->exit || !s->fetch_used)
        return strata_no_memory(err, NULL, "for the resident warps of a launch");
    init_slots(s);
    strata_status st = fetch_sm_init(&s->fetch, &shared->fetch, err);
    fetch_sm_place(&s->fetch, &shared->fetch, index);
    if (st == STRATA_OK)
        st = l1_init(&s->l1, shared->gpu, shared->l1_pool, shared->occupancy.l1_bytes, seed + index,
                     err);
    for (int k = 0; k < LOAD_SIDES && st == STRATA_OK; k++)
        if (side_config(shared->gpu, LOAD_READONLY + k))
            st = l1_init_side(&s->side[k], shared->gpu, LOAD_READONLY + k, seed + index, err);
    if (st == STRATA_OK)
        st = sim_tlb_init(&s->tlb, shared->gpu, seed + index, err);
    return st;
}

void sim_sm_release(struct sim_sm *s)
{
    for (uint32_t w = 0; s->warp && w < s->shared->slots_per_sm; w++) {
        strata_cursor_release(&s->warp[w].cursor);
        sm_window_release(&s->warp[w].window);
        free(s->warp[w].scoreboard.ready);
    }
    for (uint32_t b = 0; s->block && b < s->shared->occupancy.blocks_per_sm; b++)
        strata_block_destroy(s->block[b].data);
    fetch_sm_release(&s->fetch);
    l1_release(&s->l1);
    for (int k = 0; k < LOAD_SIDES; k++)
        l1_release(&s->side[k]);
    sim_tlb_release(&s->tlb);
    sim_async_release(&s->async);
    free(s->scheduler);
    free(s->warp);
    free(s->block);
    free(s->exit);
    free(s->fetch_used);
    free(s->op);
    free(s->flight);
    free(s->inbox);
    free(s->outbox);
    memset(s, 0, sizeof *s);
}

/* ---- the wheel ---- */

/* Times beyond the wheel's reach wait in its last slot and are looked at again there. */
void sim_schedule(struct sim_sm *s, uint32_t warp, uint64_t t)
{
    if (t < s->wheel_from)
        t = s->wheel_from;
    if (t >= s->now + SIM_WHEEL)
        t = s->now + SIM_WHEEL - 1;
    uint32_t slot = (uint32_t)(t % SIM_WHEEL);
    s->warp[warp].wheel_next = 0;
    if (s->wheel_tail[slot])
        s->warp[s->wheel_tail[slot] - 1].wheel_next = (uint16_t)(warp + 1);
    else
        s->wheel_head[slot] = (uint16_t)(warp + 1);
    s->wheel_tail[slot] = (uint16_t)(warp + 1);
    s->wheel_used[slot / 64] |= (uint64_t)1 << (slot % 64);
    s->in_wheel++;
}

static uint64_t wheel_next(const struct sim_sm *s)
{
    if (!s->in_wheel)
        return UINT64_MAX;
    uint32_t slot = (uint32_t)(s->now % SIM_WHEEL), word = slot / 64;
    uint64_t bits = s->wheel_used[word] & ~(uint64_t)0 << (slot % 64);
    for (uint32_t k = 0; !bits && k < SIM_WHEEL / 64; k++) {
        word = (word + 1) % (SIM_WHEEL / 64);
        bits = s->wheel_used[word];
    }
    uint32_t found = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return s->now + (found + SIM_WHEEL - slot) % SIM_WHEEL;
}

static void take_due(struct sim_sm *s)
{
    uint32_t slot = (uint32_t)(s->now % SIM_WHEEL), next = s->wheel_head[slot];
    s->wheel_from = s->now + 1;
    s->wheel_head[slot] = s->wheel_tail[slot] = 0;
    s->wheel_used[slot / 64] &= ~((uint64_t)1 << (slot % 64));
    while (next) {
        uint32_t index = next - 1;
        struct sim_warp *w = &s->warp[index];
        next = w->wheel_next;
        s->in_wheel--;
        if (w->wait.ready > s->now) {
            sim_schedule(s, index, w->wait.ready);
            continue;
        }
        struct sim_scheduler *c = &s->scheduler[w->scheduler];
        c->ready_mask |= (uint64_t)1 << w->slot;
        c->slot_pipe[w->slot] = w->op->pipe;
    }
}

/* ---- blocks ---- */

/* Registers are numbered by the trace: their table grows when a block brings a higher one. */
static strata_status size_registers(struct sim_sm *s, struct sim_warp *w, struct strata_error *err)
{
    uint32_t need =
        s->shared->ordered ? sm_scheduler_registers(s->order) : s->shared->decoder.max_register + 1;
    if (need > w->register_cap) {
        w->register_cap = need < 64 ? 64 : need;
        free(w->scoreboard.ready);
        w->scoreboard.ready =
            malloc(sm_register_words(w->register_cap) * sizeof *w->scoreboard.ready);
    }
    if (!w->scoreboard.ready)
        return strata_no_memory(err, NULL, "for the registers of a warp");
    memset(w->scoreboard.ready, 0,
           sm_register_words(w->register_cap) * sizeof *w->scoreboard.ready);
    w->scoreboard.predicate_ready = 0;
    w->scoreboard.barriers = (struct sm_barriers){0};
    return STRATA_OK;
}

static strata_status start_warp(struct sim_sm *s, uint32_t index, uint32_t block, uint32_t k,
                                uint64_t t, struct strata_error *err)
{
    struct sim_warp *w = &s->warp[index];
    strata_status st = strata_cursor_init(&w->cursor, s->block[block].data, k, err);
    if (st == STRATA_OK)
        st = size_registers(s, w, err);
    if (st != STRATA_OK)
        return st;
    w->block = (uint8_t)block;
    s->scheduler[w->scheduler].slot_age[w->slot] = ++s->next_age;
    w->at_barrier = w->at_membar = w->parked = false;
    w->last_issue = t;
    w->base = t + s->shared->gpu->sm.min_issue_gap_cycles;
    sm_async_reset(&w->async);
    sim_async_start_warp(s, index);
    w->fetch_line = UINT32_MAX;
    w->local_base = sm_local_base(s->shared->gpu, s->index, index);
    sm_window_reset(&w->window);
    sim_next_instruction(s, w);
    if (!w->has_next)
        return STRATA_OK;
    s->block[block].live_warps++;
    sim_next_ready(s, index);
    w->parked = w->wait.ready >= SM_PENDING;
    if (!w->parked)
        sim_schedule(s, index, w->wait.ready);
    return STRATA_OK;
}

strata_status sim_sm_start(struct sim_sm *s, struct strata_block *data, uint64_t window, uint64_t t,
                           struct strata_error *err)
{
    uint32_t place = 0, limit = s->shared->warps_per_block;
    while (place < s->shared->occupancy.blocks_per_sm && s->block[place].data)
        place++;
    STRATA_BUG_ON(place == s->shared->occupancy.blocks_per_sm);
    s->now = s->wheel_from = sim_max(s->now, window);
    struct sim_block *b = &s->block[place];
    *b = (struct sim_block){.data = data, .start = t, .first_warp = place * limit};
    strata_status st = STRATA_OK;
    for (uint32_t k = 0; k < data->n_warps && k < limit && st == STRATA_OK; k++)
        st = start_warp(s, b->first_warp + k, place, k, t + (uint64_t)s->warps_apart * k, err);
    if (st == STRATA_OK && !b->live_warps)
        s->exit[s->n_exits++] = (struct sim_exit){.time = t, .left = t, .block = place};
    uint64_t next = wheel_next(s);
    s->due = next < s->due ? next : s->due;
    return st;
}

/* ---- packets ---- */

/* Replies come nearly in order: each finds its place from the end. */
void sim_sm_deliver(struct sim_sm *s, const struct sim_packet *p)
{
    if (s->inbox_head == s->n_inbox)
        s->inbox_head = s->n_inbox = 0;
    if (s->inbox_head >= 4096) {
        memmove(s->inbox, s->inbox + s->inbox_head,
                (s->n_inbox - s->inbox_head) * sizeof *s->inbox);
        s->n_inbox -= s->inbox_head;
        s->inbox_head = 0;
    }
    if (!sim_sm_grow(s, (void **)&s->inbox, s->n_inbox, &s->cap_inbox, sizeof *s->inbox))
        return;
    size_t at = s->n_inbox++;
    while (at > s->inbox_head && s->inbox[at - 1].time > p->time) {
        s->inbox[at] = s->inbox[at - 1];
        at--;
    }
    s->inbox[at] = *p;
    s->due = p->time < s->due ? p->time : s->due;
}

/* ---- the loop over busy cycles ---- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t inbox_next(const struct sim_sm *s)
{
    return s->inbox_head < s->n_inbox ? s->inbox[s->inbox_head].time : UINT64_MAX;
}

/* With 132 SMs nothing an SM knows of a line is in the host's cache when its turn comes; what the
 * next replies will need is asked for some replies earlier. */
static void expect_replies(const struct sim_sm *s)
{
    const struct sim_packet *p = &s->inbox[s->inbox_head];
    size_t n = s->n_inbox - s->inbox_head;
    if (n > 8) {
        expect_write(&s->flight[p[8].token]);
        l1_expect_rows(&s->l1, p[8].line);
    }
    if (n > 4)
        l1_expect_entry(&s->l1, p[4].line);
    if (n > 2)
        l1_expect_waiter(&s->l1, p[2].line);
    uint32_t op = n > 1 ? l1_first_waiter(&s->l1, p[1].line) : L1_NONE;
    if (op != L1_NONE)
        expect_write(&s->op[op]);
}

static void busy_cycle(struct sim_sm *s)
{
    while (inbox_next(s) <= s->now) {
        expect_replies(s);
        struct sim_packet p = s->inbox[s->inbox_head++];
        sim_lsu_reply(s, &p);
    }
    if (s->tlb.n_requests)
        sim_lsu_translated(s);
    sim_lsu_run(s);
    if (s->async.n)
        sim_copies_run(s);
    take_due(s);
    uint64_t issue = sim_issue_all(s);
    s->due = earlier(earlier(issue, wheel_next(s)), earlier(sim_lsu_next(s), inbox_next(s)));
    s->due = earlier(s->due, sim_copies_next(s));
    s->due = sim_max(s->due, s->now + 1);
}

void sim_sm_run(struct sim_sm *s, uint64_t end)
{
    while (s->due < end && s->status == STRATA_OK) {
        s->now = s->wheel_from = s->due;
        busy_cycle(s);
    }
}
