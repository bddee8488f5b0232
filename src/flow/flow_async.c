/* flow_async.c - asynchronous work: copies by the SM's copy engine, products of warpgroups, and the
 * barriers that warps sleep at until it is done.
 *
 * A warp whose next instruction waits for something whose time is not known yet is not in the
 * wheel; what it waits for puts it back. The copy engine of an SM is an entity of the wheel: it
 * asks for a few lines of the oldest copy at a time, so that SMs share the L2 as they do on the
 * card. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "flow/issue.h"
#include "sm/cluster_rules.h"
#include "sm/wgmma_rules.h"

/* Lines asked for before others get their turn: less is slower and no more exact. */
#define LINES_AT_ONCE 8

bool flow_async_init(struct flow_engine *e)
{
    uint32_t per_sm = e->gpu->sm.schedulers ? e->gpu->sm.schedulers : 1;
    e->tma = calloc(e->memory.n_sms, sizeof *e->tma);
    e->tensor = calloc((size_t)e->memory.n_sms * per_sm, sizeof *e->tensor);
    return e->tma && e->tensor;
}

void flow_async_release(struct flow_engine *e)
{
    for (uint32_t i = 0; e->tma && i < e->memory.n_sms; i++)
        free(e->tma[i].queue);
    free(e->tma);
    free(e->tensor);
    phase_barriers_release(&e->barriers);
}

static strata_status no_memory(struct flow_engine *e)
{
    return strata_no_memory(e->err, NULL, "for the asynchronous work of a launch");
}

/* The place of a resident block; NULL: it is not. */
static struct flow_block *resident(struct flow_engine *e, uint64_t block)
{
    for (uint32_t i = 0; i < e->memory.n_sms * e->occupancy.blocks_per_sm; i++)
        if (e->block[i].data && e->block[i].index == block)
            return &e->block[i];
    return NULL;
}

/* ---- barriers in shared memory ---- */

static void wake(struct flow_engine *e, uint32_t index, uint64_t t, enum sm_stall why)
{
    struct flow_warp *w = &e->warp[index];
    w->sleeps = FLOW_AWAKE;
    sm_wait_for(&w->wait, t, (uint8_t)why);
    flow_schedule_warp(e, index);
}

static void wake_at_barrier(struct flow_engine *e, const struct flow_block *owner, uint32_t shared,
                            const struct phase_barrier *b)
{
    uint64_t t = b->ended + e->gpu->sm.mbarrier_latency_cycles;
    for (uint32_t k = 0; owner && k < e->warps_per_block; k++) {
        const struct flow_warp *w = &e->warp[owner->first_warp + k];
        if (w->sleeps == FLOW_FOR_MBARRIER && w->barrier == shared &&
            phase_barrier_is_past(b, w->parity))
            wake(e, owner->first_warp + k, t, SM_STALL_LONG);
    }
}

static strata_status operate(struct flow_engine *e, uint64_t from, uint32_t shared, unsigned op,
                             uint32_t value, uint64_t t)
{
    uint32_t offset;
    uint64_t index = sm_shared_owner(e->launch, from, shared, &offset);
    struct flow_block *owner = resident(e, index);
    struct phase_barrier *b =
        phase_barrier_at(&e->barriers, index, offset, owner ? &owner->barriers : NULL);
    if (!b)
        return no_memory(e);
    if (index != from && op != STRATA_BARRIER_COMPLETE) /* bytes have their own way */
        t += e->gpu->sm.remote_latency_cycles;
    if (phase_barrier_apply(b, op, value, t))
        wake_at_barrier(e, owner, offset, b);
    return STRATA_OK;
}

/* Lanes operate one after the other, as the unit does. */
static strata_status do_barrier(struct flow_engine *e, struct flow_warp *w, uint64_t t)
{
    uint64_t words[STRATA_WARP_SIZE], block = e->block[w->block].index;
    strata_status st = STRATA_OK;
    if (w->next.addr_kind == STRATA_ADDR_NONE)
        return st;
    strata_winst_addresses(&w->next, words);
    unsigned op = (unsigned)w->next.inst->imm;
    if (op == STRATA_BARRIER_ARRIVE_COPIES) /* when the thread's copies are there */
        t = later_of(t, flow_groups(w)->copies.open.done);
    for (uint32_t rest = w->next.mask; rest && st == STRATA_OK; rest &= rest - 1) {
        struct strata_barrier_word b = strata_barrier_unpack(words[lowest_bit32(rest)]);
        st = operate(e, block, b.shared, op, b.value, t);
    }
    return st;
}

/* A wait whose phase has not ended yet sleeps. */
static strata_status barrier_ready(struct flow_engine *e, struct flow_warp *w)
{
    struct flow_block *block = &e->block[w->block];
    uint32_t shared;
    bool parity;
    if (!phase_barrier_waited(&w->next, &shared, &parity))
        return STRATA_OK;
    struct phase_barrier *b =
        phase_barrier_at(&e->barriers, block->index, shared, &block->barriers);
    if (!b)
        return no_memory(e);
    if (phase_barrier_is_past(b, parity)) {
        sm_wait_for(&w->wait, b->ended + e->gpu->sm.mbarrier_latency_cycles, SM_STALL_LONG);
        return STRATA_OK;
    }
    w->sleeps = FLOW_FOR_MBARRIER;
    w->barrier = shared;
    w->parity = parity;
    return STRATA_OK;
}

/* ---- the barrier of a cluster: one that counts warps ---- */

static struct phase_barrier *cluster_barrier(struct flow_engine *e, uint64_t block)
{
    struct sm_cluster c = sm_cluster_of(e->launch, block);
    struct phase_barrier *b = phase_barrier_at(&e->barriers, c.number, STRATA_NO_SHARED, NULL);
    if (b && !b->initialised)
        phase_barrier_apply(b, STRATA_BARRIER_INIT,
                            c.blocks * strata_launch_warps_per_block(e->launch), 0);
    return b;
}

static void wake_cluster(struct flow_engine *e, uint64_t block, uint64_t t)
{
    struct sm_cluster c = sm_cluster_of(e->launch, block);
    for (uint32_t rank = 0; rank < c.blocks; rank++) {
        const struct flow_block *b = resident(e, sm_cluster_mate(e->launch, block, rank));
        for (uint32_t k = 0; b && k < e->warps_per_block; k++)
            if (e->warp[b->first_warp + k].sleeps == FLOW_FOR_CLUSTER)
                wake(e, b->first_warp + k, t, SM_STALL_BARRIER);
    }
}

static strata_status cluster_arrive(struct flow_engine *e, struct flow_warp *w, unsigned op,
                                    uint64_t t)
{
    uint64_t block = e->block[w->block].index;
    struct phase_barrier *b = cluster_barrier(e, block);
    if (!b)
        return no_memory(e);
    w->cluster_phase = b->phase;
    if (phase_barrier_apply(b, op, 1, t))
        wake_cluster(e, block, b->ended + e->gpu->sm.cluster_latency_cycles);
    return STRATA_OK;
}

static strata_status cluster_ready(struct flow_engine *e, struct flow_warp *w)
{
    struct phase_barrier *b = cluster_barrier(e, e->block[w->block].index);
    if (!b)
        return no_memory(e);
    if (phase_barrier_is_past(b, w->cluster_phase))
        sm_wait_for(&w->wait, b->ended + e->gpu->sm.cluster_latency_cycles, SM_STALL_BARRIER);
    else
        w->sleeps = FLOW_FOR_CLUSTER;
    return STRATA_OK;
}

strata_status flow_async_warp_ends(struct flow_engine *e, uint32_t index, uint64_t t)
{
    if (sm_cluster_blocks(e->launch) < 2)
        return STRATA_OK;
    return cluster_arrive(e, &e->warp[index], STRATA_BARRIER_ARRIVE_DROP, t);
}

void flow_async_block_ends(struct flow_engine *e, struct flow_block *b)
{
    phase_barriers_forget(&e->barriers, &b->barriers);
}

/* ---- bulk groups ---- */

static const struct sm_async *bulk_groups(struct flow_warp *w)
{
    return w->next.inst->imm & STRATA_BULK_WAIT_READ ? &flow_groups(w)->bulk_read
                                                     : &flow_groups(w)->bulk;
}

static void bulk_ready(struct flow_engine *e, uint32_t index)
{
    struct flow_warp *w = &e->warp[index];
    uint32_t allowed = (uint32_t)w->next.inst->imm & (STRATA_BULK_WAIT_READ - 1);
    uint64_t t = sm_async_wait(bulk_groups(w), allowed);
    if (t == SM_PENDING)
        w->sleeps = FLOW_FOR_BULK;
    else
        sm_wait_for(&w->wait, t, SM_STALL_LONG);
}

static void finish_group(struct flow_engine *e, const struct flow_copy *c)
{
    struct flow_warp *w = &e->warp[c->warp];
    struct sm_async_group *read = sm_async_find(&flow_groups(w)->bulk_read, c->group);
    struct sm_async_group *full = sm_async_find(&flow_groups(w)->bulk, c->group);
    read->pending -= read->pending > 0;
    full->pending -= full->pending > 0;
    sm_async_arrive(read, c->left);
    sm_async_arrive(full, c->done);
    if (w->sleeps != FLOW_FOR_BULK)
        return;
    w->sleeps = FLOW_AWAKE;
    bulk_ready(e, c->warp);
    flow_schedule_warp(e, c->warp);
}

/* ---- the copy engine ---- */

static uint32_t tma_entity(const struct flow_engine *e, uint32_t sm)
{
    return flow_unit_entity(e, sm * e->schedulers_per_sm, FLOW_COPIES);
}

static strata_status enqueue(struct flow_engine *e, uint32_t index, const struct strata_bulk *bulk,
                             uint64_t t)
{
    struct flow_warp *w = &e->warp[index];
    const struct flow_block *b = &e->block[w->block];
    struct flow_tma *tma = &e->tma[b->sm];
    if (tma->n == tma->cap) { /* the ring grows: its oldest goes to the front */
        uint32_t cap = tma->cap ? tma->cap * 2 : 8;
        struct flow_copy *queue = malloc(cap * sizeof *queue);
        if (!queue)
            return no_memory(e);
        for (uint32_t i = 0; i < tma->n; i++)
            queue[i] = tma->queue[(tma->first + i) % tma->cap];
        free(tma->queue);
        tma->queue = queue;
        tma->cap = cap;
        tma->first = 0;
    }
    struct flow_copy *c = &tma->queue[(tma->first + tma->n++) % tma->cap];
    tma->issued++;
    c->block = b->index;
    c->warp = index;
    c->done = c->left = t;
    c->ready = t + e->gpu->sm.tma_issue_cycles;
    c->group = sm_async_number(&flow_groups(w)->bulk);
    bulk_lines_begin(&c->lines, bulk, e->gpu->l2.cache.line_bytes);
    if (bulk->kind == STRATA_BULK_STORE || bulk->kind == STRATA_BULK_REDUCE) {
        flow_groups(w)->bulk.open.pending++;
        flow_groups(w)->bulk_read.open.pending++;
    }
    if (!tma->queued) {
        tma->queued = true;
        flow_schedule(e, tma_entity(e, b->sm), c->ready);
    }
    return STRATA_OK;
}

/* ---- fences ---- */

/* device/hopper/cluster.cu: a block that has four boxes under way and arrives with a release at the
 * cluster's scope takes as long for each as one that has a single box under way (777 cycles for
 * 936, shared by two blocks 1105 for 1262): the fence before the arrival waits for the boxes. */
void flow_fence_ready(struct flow_engine *e, uint32_t index)
{
    struct flow_warp *w = &e->warp[index];
    struct flow_tma *tma = &e->tma[e->block[w->block].sm];
    if (w->op->latency < 2 || !tma->issued) /* a fence within the block */
        return;
    if (tma->asked == tma->issued) {
        sm_wait_for(&w->wait, tma->done, SM_STALL_MEMBAR);
        return;
    }
    w->sleeps = FLOW_FOR_LOADS;
    w->barrier = tma->issued;
    tma->fences++;
}

static void wake_fences(struct flow_engine *e, uint32_t sm)
{
    struct flow_tma *tma = &e->tma[sm];
    for (uint32_t k = 0; tma->fences && k < e->slots_per_sm; k++) {
        uint32_t index = sm * e->slots_per_sm + k;
        struct flow_warp *w = &e->warp[index];
        if (w->sleeps != FLOW_FOR_LOADS || (int32_t)(tma->asked - w->barrier) < 0)
            continue;
        tma->fences--;
        wake(e, index, tma->done, SM_STALL_MEMBAR);
    }
}

/* Another SM of the cluster gets what this one loads. */
static void deliver(struct flow_engine *e, struct flow_copy *c, uint32_t sectors, uint64_t t)
{
    for (uint32_t rest = c->lines.bulk.multicast; rest; rest &= rest - 1) {
        uint64_t block = sm_cluster_mate(e->launch, c->block, lowest_bit32(rest));
        const struct flow_block *b = block == c->block ? NULL : resident(e, block);
        if (b)
            c->done = later_of(c->done, hierarchy_bulk_deliver(&e->memory, b->sm, sectors, t));
    }
}

static void copy_line(struct flow_engine *e, struct flow_copy *c, uint32_t sm, uint64_t line,
                      uint32_t from, uint32_t to, uint64_t t)
{
    const struct strata_bulk *b = &c->lines.bulk;
    uint32_t sectors = hierarchy_bulk_sectors(from, to);
    e->memory.now = t;
    if (b->kind == STRATA_BULK_STORE || b->kind == STRATA_BULK_REDUCE) {
        uint64_t left =
            hierarchy_bulk_store(&e->memory, sm, line, from, to, b->kind == STRATA_BULK_REDUCE, t);
        c->left = later_of(c->left, left);
        c->done = later_of(c->done, e->memory.sm[sm].store_done);
        return;
    }
    uint32_t targets = b->multicast ? popcount32(b->multicast) : 1;
    uint64_t arrival = hierarchy_bulk_load(&e->memory, sm, line, sectors, targets, t);
    c->done = later_of(c->done, arrival);
    if (targets > 1)
        deliver(e, c, sectors, arrival);
}

/* Bytes reach the barrier of every block the copy goes to. */
static strata_status complete(struct flow_engine *e, const struct flow_copy *c)
{
    const struct strata_bulk *b = &c->lines.bulk;
    uint64_t t = c->done + sm_copy_told_cycles(e->gpu, b);
    uint32_t shared[32], n = sm_copy_barriers(b, shared);
    e->end_time = later_of(e->end_time, c->done);
    if (b->kind == STRATA_BULK_STORE || b->kind == STRATA_BULK_REDUCE)
        finish_group(e, c);
    strata_status st = STRATA_OK;
    for (uint32_t i = 0; i < n && st == STRATA_OK; i++)
        st = operate(e, c->block, shared[i], STRATA_BARRIER_COMPLETE, b->bytes, t);
    return st;
}

static strata_status tma_due(struct flow_engine *e, uint32_t sm)
{
    struct flow_tma *tma = &e->tma[sm];
    double rate = e->gpu->sm.tma_lines_per_cycle;
    uint64_t now = e->now, line;
    uint32_t from, to, n = 0;
    tma->queued = false;
    struct flow_copy *c = &tma->queue[tma->first];
    if (c->ready > now) {
        tma->queued = true;
        flow_schedule(e, tma_entity(e, sm), c->ready);
        return STRATA_OK;
    }
    bool more = true;
    while (n < LINES_AT_ONCE && (more = bulk_lines_next(&c->lines, &line, &from, &to)))
        copy_line(e, c, sm, line, from, to, now + (rate > 0 ? (uint64_t)(n / rate) : 0)), n++;
    uint64_t next = now + (rate > 0 ? (uint64_t)(n / rate + 0.5) : 0);
    if (!more) {
        struct flow_copy over = *c;
        tma->first = (tma->first + 1) % tma->cap;
        tma->n--;
        tma->asked++;
        tma->done = later_of(tma->done, over.done);
        strata_status st = complete(e, &over);
        if (st != STRATA_OK)
            return st;
        wake_fences(e, sm);
    }
    if (tma->n) {
        tma->queued = true;
        flow_schedule(e, tma_entity(e, sm), next > now ? next : now + 1);
    }
    return e->status;
}

/* ---- products ---- */

/* The warps of its warpgroup, by their numbers in the block. */
static struct wgmma_warps warpgroup(const struct flow_engine *e, uint32_t index)
{
    return wgmma_warps_of(e->warp[index].number, e->warps_per_block);
}

static uint64_t products_over(struct flow_engine *e, uint32_t index, uint32_t allowed)
{
    struct wgmma_warps of = warpgroup(e, index);
    const struct sm_async *own = &flow_groups(&e->warp[index])->wgmma;
    uint32_t number = sm_async_awaited(own, allowed);
    for (uint32_t k = of.from; k < of.to; k++) {
        struct flow_warp *w = &e->warp[flow_warp_index(e, &e->block[e->warp[index].block], k)];
        if (w->has_next && !sm_async_has(&flow_groups(w)->wgmma, number))
            return SM_PENDING;
    }
    return sm_async_wait(own, allowed);
}

static void products_ready(struct flow_engine *e, uint32_t index)
{
    struct flow_warp *w = &e->warp[index];
    uint64_t t = products_over(e, index, (uint32_t)w->next.inst->imm);
    if (t == SM_PENDING)
        w->sleeps = FLOW_FOR_PRODUCTS;
    else
        sm_wait_for(&w->wait, t, SM_STALL_MATH);
}

/* A group of products is closed or over: warps of its warpgroup that wait look again. */
static void wake_warpgroup(struct flow_engine *e, uint32_t index)
{
    struct wgmma_warps of = warpgroup(e, index);
    for (uint32_t k = of.from; k < of.to; k++) {
        uint32_t other = flow_warp_index(e, &e->block[e->warp[index].block], k);
        if (e->warp[other].sleeps != FLOW_FOR_PRODUCTS)
            continue;
        e->warp[other].sleeps = FLOW_AWAKE;
        products_ready(e, other);
        flow_schedule_warp(e, other);
    }
}

/* A product of the group is over at t. */
static void finish_product(struct flow_engine *e, const struct flow_product *p, uint64_t t)
{
    struct flow_warp *w = &e->warp[p->warp];
    struct sm_async_group *group = sm_async_find(&flow_groups(w)->wgmma, p->group);
    group->pending -= group->pending > 0;
    sm_async_arrive(group, t);
    if (!group->pending)
        wake_warpgroup(e, p->warp);
}

/* The tensor core begins what it can at t, the oldest product first (device/hopper/drift.cu: two
 * warpgroups that only multiply are 508 cycles apart, all the products of one). */
static void begin_product(struct flow_engine *e, uint32_t scheduler, uint64_t t)
{
    struct flow_tensor *x = &e->tensor[scheduler];
    if (x->n && x->free <= t) {
        struct flow_product p = x->waiting[0];
        memmove(&x->waiting[0], &x->waiting[1], --x->n * sizeof *x->waiting);
        x->beside.hold64 = wgmma_hold64(e->gpu, e->block[e->warp[p.warp].block].index);
        x->warp = p.warp;
        x->free = t + p.cycles;
        finish_product(e, &p, x->free + e->gpu->sm.wgmma_latency_cycles);
    }
    if (x->n && !x->queued) {
        x->queued = true;
        flow_schedule(e, flow_unit_entity(e, scheduler, FLOW_TENSOR), x->free);
    }
}

/* A product waits, and leaves the scheduler to others, until the tensor core has room for it. */
static void product_taken(struct flow_engine *e, struct flow_warp *w)
{
    const struct flow_tensor *x = &e->tensor[w->scheduler];
    uint32_t most = e->gpu->sm.wgmma_queue ? e->gpu->sm.wgmma_queue : FLOW_LONGEST_QUEUE;
    if (x->n + 1 >= most)
        sm_wait_for(&w->wait, x->free, SM_STALL_MATH);
}

static void multiply(struct flow_engine *e, uint32_t index, uint64_t t)
{
    struct flow_warp *w = &e->warp[index];
    struct flow_tensor *x = &e->tensor[w->scheduler];
    struct sm_async *groups = &flow_groups(w)->wgmma;
    struct strata_wgmma_shape shape = strata_wgmma_unpack(w->next.inst->imm);
    x->waiting[x->n++] =
        (struct flow_product){index, sm_async_number(groups), wgmma_cycles(e->gpu, shape)};
    groups->open.pending++;
    if (shape.commits)
        sm_async_commit(groups);
    begin_product(e, w->scheduler, t);
    e->has_products = true;
    e->scheduler[w->scheduler].pipe[SM_PIPE_TENSOR].free = t + 1; /* its time is x->free */
    e->memory.count.tensor_instructions++;
    e->memory.count.tensor_cycles += wgmma_multiply_cycles(e->gpu, shape);
}

/* ---- what the rest of the model calls ---- */

strata_status flow_async_ready(struct flow_engine *e, uint32_t index)
{
    struct flow_warp *w = &e->warp[index];
    switch (w->next.inst->opclass) {
    case STRATA_OP_MBARRIER:
        return barrier_ready(e, w);
    case STRATA_OP_CLUSTER_WAIT:
        return cluster_ready(e, w);
    case STRATA_OP_BULK_WAIT:
        bulk_ready(e, index);
        return STRATA_OK;
    case STRATA_OP_WGMMA:
        product_taken(e, w);
        return STRATA_OK;
    case STRATA_OP_WGMMA_WAIT:
        products_ready(e, index);
        return STRATA_OK;
    default:
        return STRATA_OK;
    }
}

strata_status flow_async_due(struct flow_engine *e, uint32_t scheduler, enum flow_unit unit)
{
    if (unit == FLOW_COPIES)
        return tma_due(e, scheduler / e->schedulers_per_sm);
    e->tensor[scheduler].queued = false;
    begin_product(e, scheduler, e->now);
    return e->status;
}

strata_status flow_async_execute(struct flow_engine *e, uint32_t index, uint64_t t)
{
    struct flow_warp *w = &e->warp[index];
    struct strata_bulk bulk;
    uint32_t allowed = (uint32_t)w->next.inst->imm & (STRATA_BULK_WAIT_READ - 1);
    switch (w->next.inst->opclass) {
    case STRATA_OP_MBARRIER:
        hierarchy_unit_take(&e->memory, e->block[w->block].sm, t, 1);
        sm_scoreboard_set(&w->scoreboard, w->op, t + w->op->latency);
        return do_barrier(e, w, t);
    case STRATA_OP_BULK:
        e->memory.count.tma_instructions += w->next.mask != 0;
        if (!bulk_of_winst(&w->next, &bulk))
            return STRATA_OK;
        sm_async_copied(&e->async, &bulk);
        return enqueue(e, index, &bulk, t);
    case STRATA_OP_BULK_COMMIT:
        e->memory.count.tma_instructions += w->next.mask != 0;
        sm_async_commit(&flow_groups(w)->bulk);
        sm_async_commit(&flow_groups(w)->bulk_read);
        return STRATA_OK;
    case STRATA_OP_BULK_WAIT:
        if (w->next.inst->imm & STRATA_BULK_WAIT_READ)
            return STRATA_OK; /* their writes may still be waited for */
        sm_async_drop(&flow_groups(w)->bulk, allowed);
        sm_async_drop(&flow_groups(w)->bulk_read, allowed);
        return STRATA_OK;
    case STRATA_OP_WGMMA:
        multiply(e, index, t);
        return STRATA_OK;
    case STRATA_OP_WGMMA_COMMIT:
        sm_async_commit(&flow_groups(w)->wgmma);
        wake_warpgroup(e, index);
        return STRATA_OK;
    case STRATA_OP_WGMMA_WAIT:
        sm_async_drop(&flow_groups(w)->wgmma, (uint32_t)w->next.inst->imm);
        return STRATA_OK;
    case STRATA_OP_CLUSTER_ARRIVE:
        return cluster_arrive(e, w, STRATA_BARRIER_ARRIVE, t);
    default:
        return STRATA_OK;
    }
}
