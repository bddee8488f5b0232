/* sm_async.c - see sm_async.h. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/sm.h"
#include "sm/cluster_rules.h"
#include "sm/wgmma_rules.h"

/* Lines asked for before the engine is looked at again: their times are those of its rate. */
#define LINES_AT_ONCE 8

void sim_async_release(struct sim_async *a)
{
    phase_barriers_release(&a->barriers);
    free(a->copy);
    free(a->queue);
    free(a->groups);
    free(a->note);
}

static void no_memory(struct sim_sm *s)
{
    s->status = strata_no_memory(&s->error, NULL, "for the asynchronous work of an SM");
}

static struct sim_groups *groups_of(struct sim_sm *s, uint32_t warp)
{
    struct sim_async *a = &s->async;
    if (!a->groups && !(a->groups = calloc(s->shared->slots_per_sm, sizeof *a->groups))) {
        no_memory(s);
        return NULL;
    }
    return &a->groups[warp];
}

void sim_async_start_warp(struct sim_sm *s, uint32_t warp)
{
    struct sim_warp *w = &s->warp[warp];
    w->waits_at = STRATA_NO_SHARED;
    w->at_fence = false;
    if (s->async.groups)
        s->async.groups[warp] = (struct sim_groups){0};
}

struct sim_block *sim_block_of(struct sim_sm *s, uint64_t index)
{
    for (uint32_t i = 0; i < s->shared->occupancy.blocks_per_sm; i++)
        if (s->block[i].data && s->block[i].data->index == index)
            return &s->block[i];
    return NULL;
}

static void tell(struct sim_sm *s, const struct sim_note *note)
{
    struct sim_async *a = &s->async;
    if (sim_sm_grow(s, (void **)&a->note, a->n_notes, &a->cap_notes, sizeof *a->note))
        a->note[a->n_notes++] = *note;
}

/* ---- barriers in shared memory ---- */

static void wake_at_barrier(struct sim_sm *s, const struct sim_block *b, uint32_t shared)
{
    for (uint32_t k = 0; k < s->shared->warps_per_block; k++)
        if (s->warp[b->first_warp + k].waits_at == shared)
            sim_wake(s, b->first_warp + k);
}

static void apply(struct sim_sm *s, struct sim_block *b, uint32_t offset, unsigned op,
                  uint32_t value, uint64_t t)
{
    struct phase_barrier *p =
        phase_barrier_at(&s->async.barriers, b->data->index, offset, &b->barriers);
    if (!p)
        no_memory(s);
    else if (phase_barrier_apply(p, op, value, t))
        wake_at_barrier(s, b, offset);
}

/* An operation on a barrier of any block of the cluster, seen from `from`. */
static void operate(struct sim_sm *s, uint64_t from, uint32_t shared, unsigned op, uint32_t value,
                    uint64_t t)
{
    uint32_t offset;
    uint64_t index = sm_shared_owner(s->shared->launch, from, shared, &offset);
    if (index != from && op != STRATA_BARRIER_COMPLETE) /* bytes have their own way */
        t += s->shared->gpu->sm.remote_latency_cycles;
    struct sim_block *b = sim_block_of(s, index);
    if (b)
        apply(s, b, offset, op, value, t);
    else if (index != from)
        tell(s, &(struct sim_note){t, index, offset, value, (uint8_t)op});
}

static void do_barrier(struct sim_sm *s, struct sim_warp *w)
{
    uint64_t words[STRATA_WARP_SIZE], t = s->now;
    if (w->next.addr_kind == STRATA_ADDR_NONE)
        return;
    strata_winst_addresses(&w->next, words);
    unsigned op = (unsigned)w->next.inst->imm;
    if (op == STRATA_BARRIER_ARRIVE_COPIES) /* when the thread's copies are there */
        t = sim_max(t, w->async.open.done);
    for (uint32_t rest = w->next.mask; rest; rest &= rest - 1) {
        struct strata_barrier_word b = strata_barrier_unpack(words[lowest_bit32(rest)]);
        operate(s, s->block[w->block].data->index, b.shared, op, b.value, t);
    }
}

/* Lanes wait for one barrier in practice; the first tells. */
static void barrier_ready(struct sim_sm *s, struct sim_warp *w)
{
    struct sim_block *b = &s->block[w->block];
    uint32_t shared;
    bool parity;
    w->waits_at = STRATA_NO_SHARED;
    if (!phase_barrier_waited(&w->next, &shared, &parity))
        return;
    struct phase_barrier *p =
        phase_barrier_at(&s->async.barriers, b->data->index, shared, &b->barriers);
    if (!p) {
        no_memory(s);
    } else if (phase_barrier_is_past(p, parity)) {
        sm_wait_for(&w->wait, p->ended + s->shared->gpu->sm.mbarrier_latency_cycles, SM_STALL_LONG);
    } else {
        w->waits_at = shared;
        sm_wait_for(&w->wait, SM_PENDING, SM_STALL_LONG);
    }
}

/* ---- the barrier of a cluster ---- */

static void cluster_arrive(struct sim_sm *s, struct sim_warp *w, unsigned op, uint64_t t)
{
    w->cluster_phase = s->block[w->block].cluster_phases;
    tell(s,
         &(struct sim_note){t, s->block[w->block].data->index, STRATA_NO_SHARED, 1, (uint8_t)op});
}

static void cluster_ready(struct sim_sm *s, struct sim_warp *w)
{
    const struct sim_block *b = &s->block[w->block];
    sm_wait_for(&w->wait, b->cluster_phases == w->cluster_phase ? SM_PENDING : b->cluster_opened,
                SM_STALL_BARRIER);
}

void sim_async_warp_ends(struct sim_sm *s, uint32_t warp, uint64_t t)
{
    if (sm_cluster_blocks(s->shared->launch) > 1)
        cluster_arrive(s, &s->warp[warp], STRATA_BARRIER_ARRIVE_DROP, t);
}

/* ---- what comes from other SMs ---- */

static uint64_t between_windows(struct sim_sm *s, uint64_t window, uint64_t t)
{
    s->now = s->wheel_from = sim_max(s->now, window);
    s->due = s->now < s->due ? s->now : s->due;
    return sim_max(t, window);
}

void sim_async_take_note(struct sim_sm *s, const struct sim_note *note, uint64_t window)
{
    struct sim_block *b = sim_block_of(s, note->block);
    uint64_t t = between_windows(s, window, note->time);
    if (b)
        apply(s, b, note->shared, note->op, note->value, t);
}

void sim_async_cluster_opens(struct sim_sm *s, uint64_t block, uint64_t t, uint64_t window)
{
    struct sim_block *b = sim_block_of(s, block);
    t = between_windows(s, window, t);
    if (!b)
        return;
    b->cluster_phases++;
    b->cluster_opened = t;
    for (uint32_t k = 0; k < s->shared->warps_per_block; k++) {
        const struct sim_warp *w = &s->warp[b->first_warp + k];
        if (w->has_next && w->next.inst->opclass == STRATA_OP_CLUSTER_WAIT)
            sim_wake(s, b->first_warp + k);
    }
}

/* ---- copies ---- */

static bool is_store(const struct sim_copy *c)
{
    return c->lines.bulk.kind == STRATA_BULK_STORE || c->lines.bulk.kind == STRATA_BULK_REDUCE;
}

static uint32_t new_copy(struct sim_sm *s)
{
    struct sim_async *a = &s->async;
    uint32_t i = a->free_copy;
    if (i)
        a->free_copy = a->copy[i - 1].next;
    else if (sim_sm_grow(s, (void **)&a->copy, a->n_copies, &a->cap_copies, sizeof *a->copy))
        i = (uint32_t)++a->n_copies;
    return i ? i - 1 : SIM_NO_COPY;
}

static bool enqueue(struct sim_sm *s, uint32_t copy)
{
    struct sim_async *a = &s->async;
    if (a->n == a->cap) { /* the ring grows: its oldest goes to the front */
        uint32_t cap = a->cap ? a->cap * 2 : 8;
        uint32_t *queue = malloc(cap * sizeof *queue);
        if (!queue) {
            no_memory(s);
            return false;
        }
        for (uint32_t i = 0; i < a->n; i++)
            queue[i] = a->queue[(a->first + i) % a->cap];
        free(a->queue);
        a->queue = queue;
        a->cap = cap;
        a->first = 0;
    }
    a->queue[(a->first + a->n++) % a->cap] = copy;
    return true;
}

static void start_copy(struct sim_sm *s, uint32_t warp)
{
    struct sim_async *a = &s->async;
    const struct sim_warp *w = &s->warp[warp];
    const struct strata_gpu *g = s->shared->gpu;
    struct strata_bulk bulk;
    struct sim_groups *groups = groups_of(s, warp);
    if (!groups || !bulk_of_winst(&w->next, &bulk))
        return;
    sm_async_copied(&a->totals, &bulk);
    uint32_t i = new_copy(s);
    if (i == SIM_NO_COPY || !enqueue(s, i))
        return;
    struct sim_copy *c = &a->copy[i];
    *c = (struct sim_copy){.block = s->block[w->block].data->index,
                           .place = w->block,
                           .ready = s->now + g->sm.tma_issue_cycles,
                           .left = s->now,
                           .warp = warp,
                           .generation = w->generation,
                           .group = sm_async_number(&groups->bulk),
                           .number = a->issued++,
                           .used = true};
    bulk_lines_begin(&c->lines, &bulk, g->l1.cache.line_bytes);
    c->op = sim_op_new(s, warp);
    s->op[c->op].copy = i;
    if (is_store(c)) {
        groups->bulk.open.pending++;
        groups->bulk_read.open.pending++;
        s->block[w->block].writes++; /* it keeps its place until they are written */
    }
    if (a->n == 1)
        a->next = sim_max(a->next, c->ready);
}

static void ask_line(struct sim_sm *s, const struct sim_copy *c, uint64_t line, uint32_t sectors,
                     uint64_t t)
{
    uint32_t flight = sim_flight_new(s, SIM_READ, line, c->op, t);
    if (flight == L1_NONE)
        return;
    uint32_t ranks = c->lines.bulk.multicast;
    struct sim_flight *f = &s->flight[flight];
    f->sectors = f->packet_sectors = (uint8_t)sectors;
    f->path = LOAD_AROUND;
    f->bulk_targets = (uint8_t)(ranks ? popcount32(ranks) : 1);
    s->op[c->op].remaining++;
    sim_send(s, flight, t, NULL);
}

static void put_line(struct sim_sm *s, struct sim_copy *c, uint64_t line, struct line_bytes bytes,
                     uint32_t sectors, uint64_t t)
{
    bool reduces = c->lines.bulk.kind == STRATA_BULK_REDUCE;
    struct store_line store = {.line = line, .bytes = bytes, .sectors = sectors};
    uint32_t n = popcount32(sectors);
    uint64_t start = sim_take_port(s, store_line_flits(&store, s->shared->gpu), t);
    uint32_t flight = sim_flight_new(s, reduces ? SIM_REDUCTION : SIM_WRITE, line, c->op, t);
    if (flight == L1_NONE)
        return;
    struct sim_lsu_line data = {.line = line, .bytes = bytes};
    if (reduces)
        data.atomics = (struct l2_atomics){(uint8_t)n, STRATA_ATOMIC_OTHER};
    s->flight[flight].packet_sectors = (uint8_t)sectors;
    s->flight[flight].atomics = data.atomics;
    s->op[c->op].remaining++;
    sim_send(s, flight, start, &data);
    s->count.n.from_l1_bytes += PACKET_SECTOR_BYTES * n;
    c->left = sim_max(c->left, start);
}

/* A group's copy has been read, or is done. */
static void finish_group(struct sim_sm *s, const struct sim_copy *c, bool read, uint64_t t)
{
    const struct sim_warp *w = &s->warp[c->warp];
    if (w->generation != c->generation || !w->has_next)
        return;
    struct sim_groups *all = &s->async.groups[c->warp];
    struct sm_async_group *g = sm_async_find(read ? &all->bulk_read : &all->bulk, c->group);
    g->pending -= g->pending > 0;
    sm_async_arrive(g, t);
    sim_wake(s, c->warp);
}

/* Bytes reach the barrier of every block the copy goes to. */
static void complete(struct sim_sm *s, const struct sim_copy *c, uint64_t t)
{
    const struct strata_bulk *b = &c->lines.bulk;
    uint32_t shared[32], n = sm_copy_barriers(b, shared);
    t += sm_copy_told_cycles(s->shared->gpu, b);
    for (uint32_t i = 0; i < n; i++)
        operate(s, c->block, shared[i], STRATA_BARRIER_COMPLETE, b->bytes, t);
}

void sim_copy_done(struct sim_sm *s, uint32_t copy, uint64_t t)
{
    struct sim_async *a = &s->async;
    struct sim_copy c = a->copy[copy];
    a->copy[copy].used = false;
    a->copy[copy].next = a->free_copy;
    a->free_copy = copy + 1;
    if (is_store(&c)) {
        finish_group(s, &c, false, t);
        sim_blocks_written(s, 1u << c.place, t);
    } else {
        complete(s, &c, t);
    }
    for (uint32_t w = 0; w < s->shared->slots_per_sm; w++)
        if (s->warp[w].at_fence)
            sim_wake(s, w);
}

/* ---- the copy engine ---- */

uint64_t sim_copies_next(const struct sim_sm *s)
{
    return s->async.n ? s->async.next : UINT64_MAX;
}

/* Asks for lines of a copy from s->now on; false: that was the last. */
static bool work_on(struct sim_sm *s, struct sim_copy *c)
{
    double rate = s->shared->gpu->sm.tma_lines_per_cycle;
    uint64_t line;
    uint32_t from, to, n = 0;
    bool more = true;
    while (n < LINES_AT_ONCE && (more = bulk_lines_next(&c->lines, &line, &from, &to))) {
        uint64_t t = s->now + (rate > 0 ? (uint64_t)(n / rate) : 0);
        struct line_bytes bytes = {0};
        line_bytes_set(&bytes, from, to);
        if (is_store(c))
            put_line(s, c, line, bytes, line_bytes_touched(&bytes), t);
        else
            ask_line(s, c, line, line_bytes_touched(&bytes), t);
        n++;
    }
    uint64_t cycles = rate > 0 ? (uint64_t)(n / rate + 0.5) : 0;
    s->async.next = s->now + (cycles ? cycles : 1);
    uint64_t room = s->shared->gpu->xbar.port_buffer_cycles, port = s->lsu.out_free64 / 64;
    if (is_store(c) && port > room)
        s->async.next = sim_max(s->async.next, port - room);
    return more;
}

void sim_copies_run(struct sim_sm *s)
{
    struct sim_async *a = &s->async;
    while (a->n && a->next <= s->now && s->status == STRATA_OK) {
        uint32_t copy = a->queue[a->first];
        struct sim_copy *c = &a->copy[copy];
        if (c->ready > s->now) {
            a->next = c->ready;
            return;
        }
        if (work_on(s, c))
            continue;
        a->first = (a->first + 1) % a->cap;
        a->n--;
        if (is_store(c))
            finish_group(s, c, true, c->left);
        sim_op_part(s, c->op, c->left);
    }
}

/* ---- fences ---- */

/* device/hopper/cluster.cu: a fence that other blocks can tell waits for the boxes that its SM has
 * under way. */
bool sim_async_fenced(struct sim_sm *s, uint32_t warp)
{
    struct sim_async *a = &s->async;
    struct sim_warp *w = &s->warp[warp];
    if (w->op->latency < 2 || !a->issued) /* a fence within the block */
        return false;
    if (!w->at_fence)
        w->fence_number = a->issued;
    w->at_fence = false;
    for (size_t i = 0; i < a->n_copies && !w->at_fence; i++)
        w->at_fence = a->copy[i].used && (int32_t)(a->copy[i].number - w->fence_number) < 0;
    return w->at_fence;
}

/* ---- products ---- */

/* The warps of its warpgroup, as indices of the SM. */
static struct wgmma_warps warpgroup(const struct sim_sm *s, uint32_t warp)
{
    uint32_t first = s->block[s->warp[warp].block].first_warp;
    struct wgmma_warps of = wgmma_warps_of(warp - first, s->shared->warps_per_block);
    return (struct wgmma_warps){first + of.from, first + of.to};
}

static uint64_t products_over(const struct sim_sm *s, uint32_t warp, uint32_t allowed)
{
    struct wgmma_warps of = warpgroup(s, warp);
    const struct sm_async *own = &s->async.groups[warp].wgmma;
    uint32_t number = sm_async_awaited(own, allowed);
    for (uint32_t w = of.from; w < of.to; w++)
        if (s->warp[w].has_next && !sm_async_has(&s->async.groups[w].wgmma, number))
            return SM_PENDING;
    return sm_async_wait(own, allowed);
}

/* A group of products is closed, and the others of the warpgroup may have waited for it. */
static void commit_products(struct sim_sm *s, uint32_t warp, struct sim_groups *groups)
{
    struct wgmma_warps of = warpgroup(s, warp);
    sm_async_commit(&groups->wgmma);
    for (uint32_t w = of.from; w < of.to; w++)
        if (w != warp && s->warp[w].has_next &&
            s->warp[w].next.inst->opclass == STRATA_OP_WGMMA_WAIT)
            sim_wake(s, w);
}

static void multiply(struct sim_sm *s, uint32_t warp)
{
    const struct sim_warp *w = &s->warp[warp];
    const struct strata_gpu *g = s->shared->gpu;
    struct sim_scheduler *c = &s->scheduler[w->scheduler];
    struct strata_wgmma_shape shape = strata_wgmma_unpack(w->next.inst->imm);
    struct sim_groups *groups = groups_of(s, warp);
    if (!groups)
        return;
    c->wgmma_free = sim_max(s->now, c->wgmma_free) + wgmma_cycles(g, shape);
    c->wgmma_warp = warp;
    c->beside.hold64 = wgmma_hold64(g, s->block[w->block].data->index);
    sm_async_arrive(&groups->wgmma.open, c->wgmma_free + g->sm.wgmma_latency_cycles);
    s->count.n.tensor_instructions++;
    s->count.n.tensor_cycles += wgmma_multiply_cycles(g, shape);
    if (shape.commits)
        commit_products(s, warp, groups);
}

/* ---- instructions ---- */

void sim_async_ready(struct sim_sm *s, uint32_t warp)
{
    struct sim_warp *w = &s->warp[warp];
    const struct strata_inst *inst = w->next.inst;
    uint32_t allowed = (uint32_t)inst->imm & (STRATA_BULK_WAIT_READ - 1);
    const struct sim_groups *groups = s->async.groups ? &s->async.groups[warp] : NULL;
    switch (inst->opclass) {
    case STRATA_OP_MBARRIER:
        barrier_ready(s, w);
        break;
    case STRATA_OP_CLUSTER_WAIT:
        cluster_ready(s, w);
        break;
    case STRATA_OP_BULK_WAIT:
        if (groups)
            sm_wait_for(&w->wait,
                        sm_async_wait(inst->imm & STRATA_BULK_WAIT_READ ? &groups->bulk_read
                                                                        : &groups->bulk,
                                      allowed),
                        SM_STALL_LONG);
        break;
    case STRATA_OP_WGMMA_WAIT:
        if (groups)
            sm_wait_for(&w->wait, products_over(s, warp, (uint32_t)inst->imm), SM_STALL_MATH);
        break;
    default:
        break;
    }
}

/* Groups that are closed, or have been waited for. */
static void close_groups(struct sim_sm *s, uint32_t warp)
{
    const struct strata_inst *inst = s->warp[warp].next.inst;
    struct sim_groups *groups = groups_of(s, warp);
    uint32_t allowed = (uint32_t)inst->imm & (STRATA_BULK_WAIT_READ - 1);
    if (!groups)
        return;
    if (inst->opclass == STRATA_OP_BULK_COMMIT) {
        s->count.n.tma_instructions += s->warp[warp].next.mask != 0;
        sm_async_commit(&groups->bulk);
        sm_async_commit(&groups->bulk_read);
    } else if (inst->opclass == STRATA_OP_BULK_WAIT && !(inst->imm & STRATA_BULK_WAIT_READ)) {
        sm_async_drop(&groups->bulk, allowed);
        sm_async_drop(&groups->bulk_read, allowed);
    } else if (inst->opclass == STRATA_OP_WGMMA_COMMIT) {
        commit_products(s, warp, groups);
    } else if (inst->opclass == STRATA_OP_WGMMA_WAIT) {
        sm_async_drop(&groups->wgmma, (uint32_t)inst->imm);
    }
}

void sim_async_execute(struct sim_sm *s, uint32_t warp, const struct sm_inst *i)
{
    struct sim_warp *w = &s->warp[warp];
    sm_scoreboard_set(&w->scoreboard, i, s->now + i->latency);
    switch (w->next.inst->opclass) {
    case STRATA_OP_MBARRIER:
        sim_lsu_issue(s, warp, i);
        do_barrier(s, w);
        break;
    case STRATA_OP_BULK:
        s->count.n.tma_instructions += s->warp[warp].next.mask != 0;
        start_copy(s, warp);
        break;
    case STRATA_OP_WGMMA:
        multiply(s, warp);
        break;
    case STRATA_OP_CLUSTER_ARRIVE:
        cluster_arrive(s, w, STRATA_BARRIER_ARRIVE, s->now);
        break;
    default:
        close_groups(s, warp);
    }
}
