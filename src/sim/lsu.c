/* lsu.c - the load/store unit: a queue of memory instructions, worked on one after another. */
#include "sim/sm.h"

#include <string.h>

#include "base/bits.h"

/* ---- the queue ---- */

static uint64_t head_time(const struct sim_sm *s)
{
    const struct sim_lsu *u = &s->lsu;
    if (u->op_head == u->op_tail || u->refused_since != UINT64_MAX)
        return UINT64_MAX;
    const struct sim_lsu_op *q = &u->op[u->op_head % SIM_LSU_OPS];
    uint64_t t = sim_max(u->unit.free, q->issued);
    return q->kind == SIM_LSU_SHARED && sm_has_shared_port(&s->shared->decoder)
               ? sim_max(t, s->scheduler[s->warp[q->warp].scheduler].shared_port)
               : t;
}

bool sim_lsu_room(const struct sim_sm *s, uint64_t *when)
{
    const struct sim_lsu *u = &s->lsu;
    uint32_t limit = s->shared->gpu->sm.lsu_queue_cycles;
    if (u->op_tail - u->op_head >= SIM_LSU_OPS ||
        u->line_tail - u->line_head > SIM_LSU_LINES - STRATA_MAX_REQUESTS) {
        *when = sim_max(s->now + 1, u->unit.free);
        return false;
    }
    uint64_t end = sim_max(u->unit.free, s->now) + u->queued_cycles;
    if (!limit || end <= s->now + limit)
        return true;
    *when = end - limit;
    return false;
}

/* Loads, and atomics with a result, have an operation that collects what arrives. */
static void queue_global(struct sim_sm *s, const struct sim_warp *w, uint32_t warp,
                         struct sim_lsu_op *q)
{
    const struct strata_inst *i = w->next.inst;
    q->n_lines = (uint16_t)sim_lines(s, w, q);
    q->width_bytes = i->width_bytes;
    const struct strata_launch_texture *t =
        strata_coalescer_texture(&s->shared->coalescer, &w->next);
    struct load_store_texture read = load_store_texture_of(s->shared->gpu, i, t, q->cycles);
    q->texture = read.cycles;
    q->request_sectors = (uint8_t)load_request_sectors(s->shared->gpu, t);
    if (q->texture)
        q->cycles = 1;
    s->lsu.line_tail += q->n_lines;
    q->counts_hits = counts_hits(i);
    q->path = load_path_of(s->shared->gpu, i);
    q->returns = i->memop != STRATA_MEM_STORE && i->memop != STRATA_MEM_REDUCTION;
    q->kind = SIM_LSU_LOAD;
    if (i->memop == STRATA_MEM_LOAD && i->hints & STRATA_HINT_HOST)
        l1_lose_all_but_local(&s->l1.data, s->shared->gpu);
    if (!q->n_lines) {
        q->kind = SIM_LSU_OTHER;
    } else if (i->memop == STRATA_MEM_STORE) {
        q->kind = SIM_LSU_STORE;
    } else if (i->memop == STRATA_MEM_ATOMIC || i->memop == STRATA_MEM_REDUCTION) {
        q->kind = SIM_LSU_ATOMIC;
    }
    q->op = q->returns ? sim_op_new(s, warp) : L1_NONE;
    if (q->returns)
        s->op[q->op].later = read.later;
    if (q->n_lines && !q->returns)
        s->block[w->block].writes++;
}

/* Cycles so far in which the L1 refused what the unit had. */
static uint64_t refused_cycles(const struct sim_sm *s)
{
    const struct sim_lsu *u = &s->lsu;
    return u->refused_cycles + (u->refused_since < s->now ? s->now - u->refused_since : 0);
}

void sim_lsu_issue(struct sim_sm *s, uint32_t warp, const struct sm_inst *i)
{
    struct sim_lsu *u = &s->lsu;
    const struct sim_warp *w = &s->warp[warp];
    struct sim_lsu_op *q = &u->op[u->op_tail % SIM_LSU_OPS];
    *q = (struct sim_lsu_op){.issued = s->now,
                             .inst = i,
                             .generation = w->generation,
                             .refused_before = refused_cycles(s),
                             .new_line = UINT64_MAX,
                             .op = L1_NONE,
                             .cycles = i->interval,
                             .kind = SIM_LSU_OTHER,
                             .warp = (uint8_t)warp};
    if (i->kind == SM_KIND_GLOBAL) {
        queue_global(s, w, warp, q);
    } else if (i->kind == SM_KIND_SHARED) {
        struct strata_shared_cost cost = strata_shared_access(&s->shared->coalescer, &w->next);
        q->kind = SIM_LSU_SHARED;
        q->cycles = load_store_shared_cycles(s->shared->gpu, &cost);
        q->wavefronts = cost.wavefronts;
        q->op = sim_op_new(s, warp);
        s->count.n.shared_conflicts += cost.conflicts;
    }
    u->op_tail++;
    u->queued_cycles += q->cycles;
    sim_lsu_run(s);
}

/* The unit starts new work: stores that waited long enough leave. Returns the start. */
static uint64_t begin(struct sim_sm *s, uint32_t cycles)
{
    struct sim_lsu *u = &s->lsu;
    uint64_t start = load_store_begin(&u->unit, s->now);
    if (u->stores.n)
        sim_stores_drain(s, load_store_asked(&u->unit, s->now));
    load_store_take(&u->unit, start, cycles, cycles);
    return start;
}

/* ---- loads ---- */

/* Where a load looks first; NULL: nowhere on its SM. */
static struct l1 *sim_cache_of(struct sim_sm *s, enum load_path path)
{
    return path == LOAD_L1 ? &s->l1 : path == LOAD_AROUND ? NULL : &s->side[path - LOAD_READONLY];
}

/* A read leaves by the port of misses, so many line requests a cycle. */
static void leave_by_miss_port(struct sim_sm *s, uint32_t flight, uint64_t t)
{
    uint64_t *free = s->flight[flight].texture ? &s->lsu.texture_miss_free : &s->lsu.miss_free;
    if (s->shared->gpu->l1.miss_requests_per_cycle) { /* joined or not: see leaving_miss.h */
        t = sim_max(t, *free);
        *free = t + 1;
    }
    sim_send(s, flight, t, NULL);
}

/* Lets a flight go, or puts it on the list of those that wait for their page. */
static void translate_and_leave(struct sim_sm *s, uint32_t flight, uint64_t t)
{
    uint32_t request;
    struct sim_flight *f = &s->flight[flight];
    if (!s->tlb.enabled || sim_tlb_lookup(&s->tlb, f->line, t, &request)) {
        leave_by_miss_port(s, flight, t);
        return;
    }
    if (request == CACHE_NONE) {
        s->status = strata_no_memory(&s->error, NULL, "for the TLB of an SM");
        return;
    }
    s->count.n.tlb_misses++;
    f->next = s->tlb.request[request].flight;
    s->tlb.request[request].flight = flight;
}

/* Whether a miss joins the request of its line that is leaving; else it is the one that leaves. */
static bool joins_leaving(struct sim_sm *s, uint64_t line, uint8_t sectors, bool alone, uint64_t t)
{
    struct leaving_miss *l = &s->lsu.leaving;
    bool joins = !alone && leaving_miss_takes(l, s->shared->gpu, line, sectors, t);
    if (!joins)
        leaving_miss_open(l, s->shared->gpu, line, alone, t);
    leaving_miss_last(l)->sectors |= sectors;
    return joins;
}

/* `waited`: for registers and reserved lines since the instruction was issued, behind others or by
 * itself (paper 001, figure 1: MSHR delay). */
static void fetch_sectors(struct sim_sm *s, const struct sim_lsu_op *q,
                          const struct sim_lsu_line *l, uint8_t sectors, uint64_t t)
{
    uint64_t waited = s->lsu.refused_cycles - q->refused_before;
    uint32_t op = q->path == LOAD_AROUND ? q->op : L1_NONE,
             flight = sim_flight_new(s, SIM_READ, l->line, op, t),
             each = s->shared->sector_bytes / 32;
    if (flight == L1_NONE)
        return;
    struct sim_flight *f = &s->flight[flight];
    f->reached = t - waited;
    f->path = (uint8_t)q->path;
    f->texture = q->texture;
    f->sectors = sectors;
    f->packet_sectors = sectors;
    if (each > 1) /* sectors larger than the packets': as the coalescer's line said, for an
                     unsectored line all */
        f->packet_sectors = l->packet_sectors;
    else
        f->joins = joins_leaving(s, l->line, sectors, q->request_sectors || q->texture, t);
    translate_and_leave(s, flight, t);
}

/* Missing sectors of a line, in as many requests as they take. */
static void fetch_missing(struct sim_sm *s, const struct sim_lsu_op *q,
                          const struct sim_lsu_line *l, uint8_t miss, uint64_t t)
{
    bool parts = s->shared->sector_bytes == 32 && q->path != LOAD_AROUND;
    for (uint32_t rest = miss, part; rest; rest &= ~part) {
        part = parts ? load_request_part(rest, q->request_sectors) : rest;
        fetch_sectors(s, q, l, (uint8_t)part, t);
    }
}

/* A line found in the L1 still needs its translation where the TLBs come first. */
static void translate_hit(struct sim_sm *s, uint64_t line, uint32_t op, uint64_t t)
{
    uint32_t request;
    if (sim_tlb_lookup(&s->tlb, line, t, &request) || request == CACHE_NONE)
        return;
    uint32_t flight = sim_flight_new(s, SIM_TRANSLATION, line, op, t);
    if (flight == L1_NONE)
        return;
    s->count.n.tlb_misses++;
    s->op[op].remaining++;
    s->flight[flight].next = s->tlb.request[request].flight;
    s->tlb.request[request].flight = flight;
}

/* One line of a load; false: the L1 refused it. */
static bool load_line(struct sim_sm *s, struct sim_lsu_op *q, const struct sim_lsu_line *l,
                      uint64_t t)
{
    const struct strata_gpu *g = s->shared->gpu;
    struct l1_answer a = {.miss = l->sectors};
    struct l1 *cache = sim_cache_of(s, q->path);
    if (cache) {
        struct l1_access asked = {.line = l->line, .read = &l->bytes, .sectors = l->sectors};
        a = l1_load(cache, &asked, q->op, t);
        if (a.refused)
            return false;
        if (a.failed)
            s->status = strata_no_memory(&s->error, NULL, "for the L1 of an SM");
    }
    if (!cache && l1_around_voids(g))
        l1_begin_anew(&s->l1, l->line);
    if (!a.tag_hit)
        q->new_line = l->line;
    struct sim_op *op = &s->op[q->op];
    op->done = sim_max(op->done, t + load_path_hit_cycles(g, q->path, q->wavefronts));
    op->remaining += a.miss || a.inflight;
    if (q->counts_hits) {
        bool all = g->l1.tag_hit_counts_as_hit && a.tag_hit && l->line != q->new_line;
        s->count.n.ld_hits += popcount32(all ? l->sectors & ~a.inflight : a.hit);
        s->count.ld_inflight_hits += popcount32(a.inflight);
    }
    if (a.miss)
        fetch_missing(s, q, l, a.miss, t);
    else if (s->tlb.enabled && g->tlb.before_l1 && !a.inflight)
        translate_hit(s, l->line, q->op, t);
    return true;
}

/* Lines that a load will come to, see expect_replies of sm.c. */
static void expect_lines(const struct sim_sm *s, const struct sim_lsu_op *q)
{
    const struct sim_lsu *u = &s->lsu;
    if (q->next_line + 8 < q->n_lines)
        l1_expect_rows(&s->l1, u->line[(u->line_head + q->next_line + 8) % SIM_LSU_LINES].line);
    if (q->next_line + 4 < q->n_lines)
        l1_expect_entry(&s->l1, u->line[(u->line_head + q->next_line + 4) % SIM_LSU_LINES].line);
}

/* Goes on with a load at `start`; false: refused, to be tried again. */
static bool load(struct sim_sm *s, struct sim_lsu_op *q, uint64_t start)
{
    struct sim_lsu *u = &s->lsu;
    uint32_t tags = load_store_tags(s->shared->gpu), first = q->next_line;
    if (!first)
        leaving_miss_load(&u->leaving, q->warp, q->issued, start, q->cycles);
    if (!first && q->texture)
        start = load_store_texture_begin(&u->texture_free, q->texture, start);
    for (; q->next_line < q->n_lines; q->next_line++) {
        const struct sim_lsu_line *l = &u->line[(u->line_head + q->next_line) % SIM_LSU_LINES];
        expect_lines(s, q);
        if (!load_line(s, q, l, start + (q->next_line - first) / tags))
            return false;
    }
    struct sim_op *op = &s->op[q->op];
    if (q->path == LOAD_L1 || q->path == LOAD_AROUND)
        op->done =
            sim_max(op->done, start + load_path_hit_cycles(s->shared->gpu, q->path, q->wavefronts));
    leaving_miss_loaded(&u->leaving, (q->n_lines + tags - 1) / tags, q->cycles);
    /* The unit stops when its misses queue up in front of the crossbar. */
    load_store_hold(&u->unit, u->miss_free, s->shared->gpu->sm.lsu_queue_cycles);
    sim_op_part(s, q->op, 0);
    return true;
}

/* ---- stores and atomics ---- */

/* The unit is held up when the way to the crossbar, or what its stores wait for there, is more than
 * a buffer behind. */
static void hold_for_port(struct sim_sm *s)
{
    load_store_hold(&s->lsu.unit, sim_max(s->lsu.out_free64 / 64, s->lsu.stores_taken),
                    s->shared->gpu->xbar.port_buffer_cycles);
}

static void store(struct sim_sm *s, struct sim_lsu_op *q, uint64_t start)
{
    struct sim_lsu *u = &s->lsu;
    uint32_t block = s->warp[q->warp].block;
    for (unsigned i = 0; i < q->n_lines; i++) {
        const struct sim_lsu_line *l = &u->line[(u->line_head + i) % SIM_LSU_LINES];
        if (leaving_stores_has(&u->leaving_stores, s->shared->gpu, l->line, start))
            l1_begin_anew(&s->l1, l->line);
        if (s->shared->gpu->l1.enabled) {
            uint32_t hit = l1_store(&s->l1, l->line, l->sectors, &l->bytes, start);
            s->count.n.st_hits += q->counts_hits ? popcount32(hit) : 0;
        }
        struct store_line line = {
            .line = l->line,
            .bytes = l->bytes,
            .owners = 1u << block,
            .places = store_buffer_places(s->shared->gpu, q->width_bytes, l->sectors)};
        sim_store_put(s, &line, block, start);
    }
    sim_blocks_written(s, 1u << block, 0); /* the instruction itself, counted when it was queued */
    hold_for_port(s);
}

static void atomic(struct sim_sm *s, struct sim_lsu_op *q, uint64_t start)
{
    struct sim_lsu *u = &s->lsu;
    for (unsigned i = 0; i < q->n_lines; i++) {
        const struct sim_lsu_line *l = &u->line[(u->line_head + i) % SIM_LSU_LINES];
        uint32_t flight =
            sim_flight_new(s, q->returns ? SIM_ATOMIC : SIM_REDUCTION, l->line, q->op, start);
        if (flight == L1_NONE)
            return;
        if (l1_around_voids(s->shared->gpu))
            l1_begin_anew(&s->l1, l->line);
        s->flight[flight].packet_sectors = l->packet_sectors;
        s->flight[flight].atomics = l->atomics;
        s->flight[flight].blocks = 1u << s->warp[q->warp].block;
        s->block[s->warp[q->warp].block].writes++;
        sim_send(s, flight, sim_take_port(s, l->atomics.packets, start), l);
        s->count.n.from_l1_bytes += SIM_SECTOR_BYTES * l->atomics.packets;
        if (q->returns)
            s->op[q->op].remaining++;
    }
    hold_for_port(s);
    if (!q->returns)
        sim_blocks_written(s, 1u << s->warp[q->warp].block, 0);
    if (q->returns)
        sim_op_part(s, q->op, start + 1);
}

/* ---- time ---- */

static void finish_shared(struct sim_sm *s, const struct sim_lsu_op *q, uint64_t start)
{
    s->scheduler[s->warp[q->warp].scheduler].shared_port =
        load_store_shared_port(s->shared->gpu, start, q->wavefronts);
    sim_op_part(s, q->op, start + load_store_shared_latency(s->shared->gpu, q->wavefronts));
}

/* The unit has taken an instruction at `start` and reads its operands. */
static void take_operands(struct sim_sm *s, const struct sim_lsu_op *q, uint64_t start)
{
    struct sim_warp *w = &s->warp[q->warp];
    if (w->generation != q->generation || !w->has_next || !q->inst->control.known)
        return;
    sm_operands_arrive(&w->scoreboard, q->inst, start + sm_operands_cycles(s->shared->gpu));
    sim_wake(s, q->warp);
}

/* Works on the head of the queue; false: it stays there. */
static bool work(struct sim_sm *s, struct sim_lsu_op *q)
{
    bool again = q->begun, done = true;
    uint64_t start = again ? s->now : begin(s, q->cycles);
    q->begun = true;
    if (!again)
        take_operands(s, q, start);
    switch (q->kind) {
    case SIM_LSU_LOAD:
        done = load(s, q, start);
        break;
    case SIM_LSU_STORE:
        store(s, q, start);
        break;
    case SIM_LSU_ATOMIC:
        atomic(s, q, start);
        break;
    case SIM_LSU_SHARED:
        finish_shared(s, q, start);
        break;
    default:
        if (q->op != L1_NONE)
            sim_op_part(s, q->op, start + 1);
    }
    return done;
}

void sim_lsu_run(struct sim_sm *s)
{
    struct sim_lsu *u = &s->lsu;
    while (head_time(s) <= s->now) {
        struct sim_lsu_op *q = &u->op[u->op_head % SIM_LSU_OPS];
        if (!work(s, q)) {
            u->refused_since = s->now;
            return;
        }
        u->queued_cycles -= q->cycles;
        u->line_head += q->n_lines;
        u->op_head++;
    }
    if (u->stores.n && u->op_head == u->op_tail &&
        store_buffer_next(&u->stores, s->shared->gpu, u->unit.free) <= s->now)
        sim_stores_drain(s, s->now);
}

uint64_t sim_lsu_next(const struct sim_sm *s)
{
    const struct sim_lsu *u = &s->lsu;
    uint64_t t = head_time(s);
    if (u->stores.n && u->op_head == u->op_tail) {
        uint64_t stores = store_buffer_next(&u->stores, s->shared->gpu, u->unit.free);
        t = stores < t ? stores : t;
    }
    for (uint32_t i = 0; i < s->tlb.n_requests; i++)
        t = s->tlb.request[i].ready < t ? s->tlb.request[i].ready : t;
    return t;
}

/* ---- what comes back ---- */

/* Something has arrived: what the L1 refused is tried again. Every cycle of the wait was an
 * attempt. */
static void try_again(struct sim_sm *s)
{
    struct sim_lsu *u = &s->lsu;
    if (u->refused_since == UINT64_MAX)
        return;
    uint64_t cycles = s->now - u->refused_since;
    *(s->l1.reserves ? &s->count.reservation_failures : &s->count.mshr_stall_cycles) +=
        cycles ? cycles : 1;
    u->refused_cycles += cycles;
    u->refused_since = UINT64_MAX;
    u->unit.free = sim_max(u->unit.free, s->now);
}

struct arrival {
    struct sim_sm *sm;
    uint64_t time;
};

static void part_arrived(void *who, uint32_t op)
{
    const struct arrival *a = who;
    sim_op_part(a->sm, op, a->time);
}

static void count_latency(struct sim_sm *s, const struct sim_flight *f, const struct sim_packet *p)
{
    s->count.n.lat_requests++;
    s->count.n.lat_lsu += f->left - f->reached;
    s->count.lat_total += p->time - f->reached;
}

static void acknowledged(struct sim_sm *s, const struct sim_flight *f, uint64_t t)
{
    s->last_ack = sim_max(s->last_ack, t);
    sim_blocks_written(s, f->blocks, t);
    s->epoch_writes[f->epoch % SIM_EPOCHS]--;
    uint32_t before = s->oldest_epoch;
    while (s->oldest_epoch < s->epoch && !s->epoch_writes[s->oldest_epoch % SIM_EPOCHS])
        s->oldest_epoch++;
    if (s->oldest_epoch == before)
        return;
    for (uint32_t w = 0; s->membar_waiters && w < s->shared->slots_per_sm; w++)
        if (s->warp[w].at_membar)
            sim_wake(s, w);
}

void sim_lsu_reply(struct sim_sm *s, const struct sim_packet *p)
{
    if (p->token >= s->n_flights || !s->flight[p->token].used) {
        s->status =
            strata_fail(&s->error, STRATA_EFORMAT, NULL, 0, 0,
                        "The memory side answered request %u of SM %u, which is not under way.",
                        p->token, s->index);
        return;
    }
    struct sim_flight f = s->flight[p->token];
    sim_flight_free(s, p->token);
    s->flying--;
    s->count.replies++;
    if (f.kind == SIM_WRITE || f.kind == SIM_REDUCTION || f.kind == SIM_ATOMIC)
        acknowledged(s, &f, p->time);
    if (f.kind == SIM_READ)
        leaving_miss_answered(&s->lsu.leaving, p->time);
    if (f.kind == SIM_READ)
        s->count.n.to_l1_bytes += (uint64_t)SIM_SECTOR_BYTES * popcount32(f.packet_sectors) *
                                  (f.bulk_targets ? f.bulk_targets : 1);
    if (f.kind == SIM_ATOMIC)
        s->count.n.to_l1_bytes += SIM_SECTOR_BYTES * f.atomics.packets;
    if (f.kind == SIM_READ || f.kind == SIM_ATOMIC)
        count_latency(s, &f, p);
    struct arrival a = {s, p->time};
    if (f.kind == SIM_READ && f.op == L1_NONE)
        l1_fill(sim_cache_of(s, f.path), f.line, f.sectors, p->time, part_arrived, &a);
    else if (f.op != L1_NONE)
        sim_op_part(s, f.op, p->time);
    try_again(s);
}

void sim_lsu_translated(struct sim_sm *s)
{
    struct cache_slot evicted;
    for (uint32_t i = 0; i < s->tlb.n_requests;) {
        struct sim_tlb_request r = s->tlb.request[i];
        if (r.ready > s->now) {
            i++;
            continue;
        }
        s->tlb.request[i] = s->tlb.request[--s->tlb.n_requests];
        if (cache_find(&s->tlb.first, r.page) == CACHE_NONE)
            cache_insert(&s->tlb.first, r.page, &evicted);
        for (uint32_t f = r.flight, next; f != L1_NONE; f = next) {
            next = s->flight[f].next;
            if (s->flight[f].kind != SIM_TRANSLATION) {
                leave_by_miss_port(s, f, s->now);
                continue;
            }
            uint32_t op = s->flight[f].op;
            sim_flight_free(s, f);
            sim_op_part(s, op, s->now + s->shared->gpu->l1.hit_cycles);
        }
    }
}
