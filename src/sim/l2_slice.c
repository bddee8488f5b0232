/* l2_slice.c - one slice of the L2: a server with a queue, tags, and sectors.
 *
 * Rules of the H200 are those of the flow model (docs/flow.md): the slice of the SM's own partition
 * is looked up, a line whose home is the other partition is asked for over the link and kept as a
 * copy, writes go to both and only the home's copy is dirty, copies of a line that is changed by
 * others are void, every sector fetched counts as a miss
 * and every requested one that is there or on its way as a hit. What a write does to a sector that
 * is not there is l2.write_miss (paper 004, section III-B). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/expect.h"
#include "sim/memparts.h"

struct strata_cache_config sim_slice_config(const struct sim_memside *m)
{
    struct strata_cache_config config = m->gpu.l2.cache;
    config.size_bytes /= m->n_slices;
    config.sector_bytes =
        SIM_SECTOR_BYTES; /* larger sectors are so many of these, always together */
    if (config.size_bytes < config.line_bytes)
        config.size_bytes = config.line_bytes;
    return config;
}

strata_status sim_slice_init(struct sim_memside *m, uint32_t index, uint64_t seed,
                             struct strata_error *err)
{
    struct sim_slice *s = &m->slice[index];
    struct strata_cache_config config = sim_slice_config(m);
    memset(s, 0, sizeof *s);
    s->index = index;
    s->partition = index / m->map.slices;
    s->free_mshr = s->free_waiter = s->orphans = SIM_NONE;
    s->mail.first = UINT64_MAX;
    strata_status st = cache_create_in(&m->tags, &config, seed + 1000 + index, &s->tags, err);
    if (st != STRATA_OK)
        return st;
    return write_back_init(&s->dirty, &m->gpu, m->n_slices, m->rules.line_sectors, &s->tags, err);
}

void sim_slice_release(struct sim_slice *s)
{
    cache_release(&s->tags);
    sim_mailbox_release(&s->mail);
    free(s->from_sms.message);
    free(s->from_link.message);
    free(s->mshr);
    free(s->orphan);
    free(s->waiter);
    free(s->near_written);
    write_back_release(&s->dirty);
}

/* ---- answers ---- */

static void count_latency(struct sim_slice *s, const struct sim_reply *r, uint32_t slice_cycles)
{
    s->count.n.lat_requests++;
    s->count.n.lat_l2 += r->l2_queue;
    s->count.n.lat_fabric += r->l2 - (r->l2 < slice_cycles ? r->l2 : slice_cycles);
    s->count.n.lat_dram += r->dram;
    s->count.lat_dram_queue += r->dram_queue;
}

/* All sectors of a waiter are there at t. */
static void answer(struct sim_out *o, struct sim_slice *s, const struct sim_waiter *w, uint64_t t,
                   uint32_t waited, uint32_t queued)
{
    struct sim_memside *m = o->m;
    uint64_t here = t - w->start;
    uint32_t dram = waited < here ? waited : (uint32_t)here, queue = queued < dram ? queued : dram;
    if (w->kind == SIM_MSG_REQUEST) {
        struct sim_reply r = {.time = t + m->rate.slice_cycles,
                              .node = w->node,
                              .l2_queue = w->queued,
                              .l2 = sim_saturate16(m->rate.slice_cycles + here - dram),
                              .dram = (uint16_t)(dram - queue),
                              .dram_queue = (uint16_t)queue};
        if (w->packet_kind == SIM_READ)
            count_latency(s, &r, m->rate.slice_cycles);
        sim_out_reply(o, &r);
        return;
    }
    struct sim_message back = {.time = t,
                               .mshr = w->mshr,
                               .node = w->node,
                               .from = (uint16_t)s->index,
                               .sectors = w->sectors,
                               .packet_kind = w->packet_kind,
                               .spent = {.waited = (uint16_t)waited, .queued = (uint16_t)queued}};
    back.kind = w->kind == SIM_MSG_LINK_READ ? SIM_MSG_FILL : SIM_MSG_RESULT;
    sim_out_link(o, s->partition, &m->slice[w->from].mail, &back);
}

static struct sim_waiter waiter_of(const struct sim_message *q, uint64_t t)
{
    return (struct sim_waiter){.node = q->node,
                               .mshr = q->mshr,
                               .from = q->from,
                               .kind = q->kind,
                               .sectors = q->sectors,
                               .packet_kind = q->packet_kind,
                               .start = t,
                               .queued = sim_saturate16(t - q->time)};
}

static void fill(struct sim_out *o, struct sim_slice *s, const struct sim_message *f)
{
    struct sim_mshr *m = &s->mshr[f->mshr];
    m->pending &= (uint8_t)~f->sectors;
    uint32_t *at = &m->waiters, last = SIM_NONE;
    while (*at != SIM_NONE) {
        uint32_t i = *at;
        struct sim_waiter *w = &s->waiter[i];
        w->need &= (uint8_t)~f->sectors;
        if (w->need) {
            last = i;
            at = &w->next;
            continue;
        }
        *at = w->next;
        answer(o, s, w, sim_later(f->time, w->start), f->spent.waited, f->spent.queued);
        w->next = s->free_waiter;
        s->free_waiter = i;
        m->n_waiters--;
    }
    m->last = last;
    if (!m->pending)
        sim_l2_mshr_free(s, f->mshr);
    s->stalled = false;
}

/* ---- copies ---- */

/* A line is changed at its home, s; `keeper` has the new data too, if it is another partition
 * (flow: line_changed). */
static void line_changed(struct sim_out *o, const struct sim_slice *s, struct cache_slot *c,
                         const struct sim_message *q, uint32_t keeper, uint64_t t)
{
    struct sim_memside *m = o->m;
    struct sim_message w = {.time = t + m->rate.link_way,
                            .line = q->line,
                            .kind = SIM_MSG_VOID,
                            .mshr = SIM_NONE,
                            .node = SIM_NONE};
    bool void_others = m->gpu.l2.copies_void && c->used & CACHE_COPIED;
    for (uint32_t p = 0; void_others && p < m->map.partitions; p++)
        if (p != s->partition && p != keeper)
            sim_out_post(o, &sim_slice_of(m, p, q->line)->mail, &w);
    if (keeper == s->partition)
        c->used &= (uint8_t)~CACHE_COPIED;
    else
        c->used |= CACHE_COPIED;
}

/* What is still arriving stays. */
static void void_copy(const struct sim_memside *m, struct sim_slice *s, uint64_t line)
{
    uint32_t slot = sim_l2_find(m, s, line);
    if (slot != CACHE_NONE && !*sim_mshr_of(&s->tags.slot[slot]))
        cache_remove(&s->tags, slot);
}

/* ---- reads ---- */

/* A miss needs an MSHR, one more to wait for a line a place in its list. */
static bool has_mshr_room(const struct sim_memside *m, const struct sim_slice *s, uint64_t line)
{
    uint32_t most = m->gpu.l2.mshrs, merges = m->gpu.l2.mshr_merges;
    if (!most && !merges)
        return true;
    uint32_t slot = sim_l2_find(m, s, line);
    if (slot != CACHE_NONE && *sim_mshr_of(&s->tags.slot[slot]))
        return !merges || s->mshr[*sim_mshr_of(&s->tags.slot[slot]) - 1].n_waiters < merges;
    return !most || s->mshrs_used < most;
}

static void count_read(struct sim_slice *s, const struct sim_message *q, uint32_t n, uint32_t hits,
                       uint32_t fetched)
{
    if (q->kind == SIM_MSG_REQUEST && q->packet_kind == SIM_FETCH) {
        s->count.fetch_sectors += n;
        return;
    }
    s->count.n.l2_read += n;
    s->count.n.l2_read_hit += hits;
    s->count.n.l2_read_miss += fetched;
    if (q->kind != SIM_MSG_REQUEST)
        return;
    s->count.n.l2_requests += !q->joins;
    s->count.n.l2_tex_read += n;
    s->count.n.l2_tex_read_hit += hits;
    s->count.n.l2_tex_read_miss += fetched;
}

static uint16_t asking_sm(const struct sim_memside *m, const struct sim_message *q)
{
    return q->kind == SIM_MSG_REQUEST && q->node != SIM_NONE ? m->node[q->node].sm : SIM_NO_SM;
}

/* Of a line's sectors under way those that the request asked for which a read joins: none of them
 * where another SM's read began it. */
static uint32_t own_sectors(const struct sim_memside *m, const struct sim_slice *s, uint32_t mshr,
                            const struct sim_message *q)
{
    const struct sim_mshr *f = &s->mshr[mshr - 1];
    return f->asker == asking_sm(m, q) ? f->pending : 0;
}

static void serve_read(struct sim_out *o, struct sim_slice *s, const struct sim_message *q,
                       uint64_t t)
{
    uint32_t slot = sim_l2_slot(o, s, q->line, t);
    struct cache_slot *c = &s->tags.slot[slot];
    /* Before the line is looked at: what is read to clean it is not to be fetched twice. */
    if (q->sectors & l2_held(c) && write_back_met(&s->dirty, c))
        sim_l2_clean_ahead(o, s, slot, t);
    uint32_t there = l2_held(c), sectors = q->sectors, have = sectors & there;
    uint32_t wide = have == sectors ? 0 : l2_fetch(&o->m->rules, sectors & ~have, there);
    uint32_t i = *sim_mshr_of(c), own = q->joins && i ? own_sectors(o->m, s, i, q) : 0;
    count_read(s, q, popcount32(sectors), popcount32(have & ~own), popcount32(wide));
    if (q->kind == SIM_MSG_LINK_READ)
        c->used |= CACHE_COPIED;
    if (wide) {
        bool was_partial = c->partial;
        slot_fill(c, wide, 0);
        write_back_filled(&s->dirty, c, was_partial);
        sim_l2_fetch(o, s, slot, q->line, wide, t);
    }
    struct sim_waiter w = waiter_of(q, t);
    uint32_t before = i;
    i = *sim_mshr_of(&s->tags.slot[slot]);
    if (i && i != before)
        s->mshr[i - 1].asker = asking_sm(o->m, q);
    w.need = i ? (uint8_t)(s->mshr[i - 1].pending & sectors) : 0;
    if (w.need)
        sim_l2_wait(s, i - 1, &w);
    else
        answer(o, s, &w, t, 0, 0);
}

/* ---- writes ---- */

/* Sectors that a write counts and dirties: larger ones than 32 bytes as a whole. */
static uint32_t written_sectors(const struct sim_memside *m, const struct sim_message *q)
{
    return l2_widen(q->sectors, m->rules.together, m->rules.line_sectors);
}

static void put_sectors(struct sim_out *o, struct sim_slice *s, const struct sim_message *q,
                        bool home, uint64_t t)
{
    struct sim_memside *m = o->m;
    uint32_t had = sim_l2_find(m, s, q->line), slot = sim_l2_slot(o, s, q->line, t),
             sectors = written_sectors(m, q), n = popcount32(sectors);
    struct cache_slot *c = &s->tags.slot[slot];
    bool was_partial = c->partial;
    s->count.write_line_misses += had == CACHE_NONE;
    s->count.n.l2_write += n;
    s->count.n.l2_write_hit += n; /* the profiler counts an allocating write as a hit */
    uint32_t fetched = l2_write(&m->rules, &s->tags, slot, q->sectors, &q->bytes, home, t);
    if (fetched) {
        slot_fill(c, fetched, 0);
        sim_l2_fetch(o, s, slot, q->line, fetched, t);
    }
    if (home && s->near_written)
        s->near_written[slot] = q->kind == SIM_MSG_REQUEST;
    if (home) {
        line_changed(o, s, c, q,
                     q->kind == SIM_MSG_LINK_WRITE ? m->slice[q->from].partition : s->partition, t);
        sim_l2_mark_dirty(o, s, slot, sectors, was_partial, t);
    }
    if (c->partial && s->dirty.partial_limit)
        sim_l2_limit_in_part(o, s, slot, was_partial, t);
}

static uint32_t sectors_in_part(const struct sim_message *q)
{
    return popcount32(q->sectors) - popcount32(line_bytes_full(&q->bytes, q->sectors, 5));
}

static void serve_write(struct sim_out *o, struct sim_slice *s, const struct sim_message *q,
                        uint64_t t)
{
    struct sim_memside *m = o->m;
    uint32_t home = address_map_home(&m->map, q->line), n = popcount32(written_sectors(m, q));
    put_sectors(o, s, q, home == s->partition, t);
    if (q->kind != SIM_MSG_REQUEST)
        return;
    s->count.n.l2_requests++;
    s->count.n.l2_tex_write += n;
    struct sim_waiter w = waiter_of(q, t);
    answer(o, s, &w, t, 0, 0);
    if (home == s->partition)
        return;
    struct sim_message on = *q;
    on.kind = SIM_MSG_LINK_WRITE;
    on.from = (uint16_t)s->index;
    on.node = SIM_NONE;
    on.time = t;
    s->count.n.fabric += n;
    sim_out_link(o, s->partition, &sim_slice_of(m, home, q->line)->mail, &on);
}

/* ---- atomics ---- */

/* When the slice, which begins with them at t64, is done with atomics. */
static uint64_t atomics_done(const struct l2_costs *c, struct sim_slice *s,
                             const struct sim_message *q, uint64_t t64)
{
    uint32_t whole =
                 popcount32(line_bytes_full(&q->bytes, q->sectors, log2_floor(SIM_SECTOR_BYTES))),
             n = popcount32(q->sectors), rows = l2_atomic_rows(q->atomics, n);
    uint32_t meets = l2_atomic_is_float(c, q->atomics)
                         ? l2_atomic_meets(&s->atomics, q->line, q->sectors, rows)
                         : 0;
    return t64 + l2_atomic_cost(c, q->atomics, n, whole, t64 > q->time * 64 ? meets : 0);
}

/* Done at the home of the line, which fetches it if it is not there. */
static void serve_atomic_here(struct sim_out *o, struct sim_slice *s, const struct sim_message *q,
                              bool wants_result, uint64_t t)
{
    uint32_t slot = sim_l2_slot(o, s, q->line, t);
    struct cache_slot *c = &s->tags.slot[slot];
    uint32_t there = l2_held(c), missing = q->sectors & ~there;
    bool was_partial = c->partial;
    if (missing) {
        missing = l2_atomic_fetch(&o->m->rules, missing, there, q->kind == SIM_MSG_REQUEST);
        slot_fill(c, missing, 0);
        sim_l2_fetch(o, s, slot, q->line, missing, t);
    }
    s->count.n.l2_atomic += q->atomics.packets;
    if (s->near_written)
        s->near_written[slot] = true;
    line_changed(o, s, c, q, s->partition, t);
    sim_l2_mark_dirty(o, s, slot, q->sectors, was_partial, t);
    if (!wants_result)
        return;
    struct sim_waiter w = waiter_of(q, t);
    uint32_t i = *sim_mshr_of(&s->tags.slot[slot]);
    w.need = i ? (uint8_t)(s->mshr[i - 1].pending & q->sectors) : 0;
    if (w.need)
        sim_l2_wait(s, i - 1, &w);
    else
        answer(o, s, &w, t, 0, 0);
}

static void serve_atomic(struct sim_out *o, struct sim_slice *s, const struct sim_message *q,
                         uint64_t t)
{
    struct sim_memside *m = o->m;
    uint32_t home = address_map_home(&m->map, q->line);
    if (q->kind == SIM_MSG_LINK_ATOMIC) {
        serve_atomic_here(o, s, q, q->node != SIM_NONE, t);
        return;
    }
    bool wants_result = q->packet_kind == SIM_ATOMIC;
    s->count.n.l2_requests++;
    if (!wants_result) {
        struct sim_waiter w = waiter_of(q, t);
        answer(o, s, &w, t, 0, 0);
    }
    if (home == s->partition) {
        serve_atomic_here(o, s, q, wants_result, t);
        return;
    }
    struct sim_message on = *q;
    on.kind = SIM_MSG_LINK_ATOMIC;
    on.from = (uint16_t)s->index;
    on.node = wants_result ? q->node : SIM_NONE;
    on.time = t;
    s->count.n.l2_atomic += q->atomics.packets;
    s->count.n.fabric += q->atomics.packets;
    sim_out_link(o, s->partition, &sim_slice_of(m, home, q->line)->mail, &on);
}

/* ---- the queue ---- */

static bool is_write(const struct sim_message *q)
{
    return q->kind == SIM_MSG_LINK_WRITE ||
           (q->kind == SIM_MSG_REQUEST && q->packet_kind == SIM_WRITE);
}

static bool is_atomic(const struct sim_message *q)
{
    if (q->kind != SIM_MSG_REQUEST)
        return q->kind == SIM_MSG_LINK_ATOMIC;
    return q->packet_kind == SIM_ATOMIC || q->packet_kind == SIM_REDUCTION;
}

/* How long a write takes the slice. What another partition sends on takes none of its ways in. */
static uint32_t write_cost(const struct sim_memside *m, const struct sim_message *q)
{
    uint32_t n = popcount32(q->sectors), partial = sectors_in_part(q),
             flits = q->kind == SIM_MSG_LINK_WRITE ? 0 : l2_flits_cost(&m->rate.l2, n, partial);
    return l2_write_cost(&m->rate.l2, n, partial) + flits;
}

/* Serves a request at t unless something it needs is taken; true if it was served. */
static bool serve(struct sim_out *o, struct sim_slice *s, const struct sim_message *q, uint64_t t64)
{
    struct sim_memside *m = o->m;
    uint64_t t = t64 / 64;
    if (is_write(q)) {
        if (s->no_write_room)
            return false;
        s->free64 = t64 + write_cost(m, q);
        serve_write(o, s, q, t);
        return true;
    }
    if (q->kind == SIM_MSG_REQUEST && !has_mshr_room(m, s, q->line))
        return false;
    if (is_atomic(q)) {
        bool here =
            q->kind == SIM_MSG_LINK_ATOMIC || address_map_home(&m->map, q->line) == s->partition;
        s->free64 = here ? atomics_done(&m->rate.l2, s, q, t64)
                         : t64 + l2_atomic_pass_cost(&m->rate.l2, popcount32(q->sectors),
                                                     q->atomics.packets);
        serve_atomic(o, s, q, t);
    } else {
        s->free64 = t64 + l2_access_cost(&m->rate.l2, popcount32(q->sectors));
        serve_read(o, s, q, t);
    }
    return true;
}

static void enqueue(struct sim_slice *s, struct sim_queue *ring, const struct sim_message *q)
{
    if (ring->n == ring->cap) {
        size_t cap = ring->cap ? ring->cap * 2 : 64;
        struct sim_message *bigger = malloc(cap * sizeof *bigger);
        if (!bigger) {
            s->failed = true;
            return;
        }
        for (size_t i = 0; i < ring->n; i++)
            bigger[i] = ring->message[(ring->head + i) & (ring->cap - 1)];
        free(ring->message);
        *ring = (struct sim_queue){.message = bigger, .n = ring->n, .cap = cap};
    }
    ring->message[(ring->head + ring->n++) & (ring->cap - 1)] = *q;
}

/* The queue served next: the one that has waited longer. What other partitions ask for does not
 * wait for an MSHR nor behind an SM's request that does: two partitions waiting for one another
 * would do so for ever. */
static struct sim_queue *next_queue(struct sim_slice *s)
{
    bool sms = s->from_sms.n && !s->stalled;
    if (!s->from_link.n)
        return sms ? &s->from_sms : NULL;
    if (sms &&
        s->from_sms.message[s->from_sms.head].time < s->from_link.message[s->from_link.head].time)
        return &s->from_sms;
    return &s->from_link;
}

static void expect_queued(const struct sim_memside *m, const struct sim_slice *s,
                          const struct sim_queue *ring)
{
    enum { FAR = 8, NEAR = 4 };
    if (ring->n > FAR)
        cache_expect(
            &s->tags,
            address_map_local(&m->map, ring->message[(ring->head + FAR) & (ring->cap - 1)].line));
    if (ring->n > NEAR)
        cache_expect_slot(
            &s->tags,
            address_map_local(&m->map, ring->message[(ring->head + NEAR) & (ring->cap - 1)].line));
}

static void serve_queues(struct sim_out *o, struct sim_slice *s, uint64_t now, uint64_t t)
{
    struct sim_queue *ring;
    while ((ring = next_queue(s))) {
        const struct sim_message *q = &ring->message[ring->head];
        uint64_t start64 = sim_later(s->free64, sim_later(q->time, now) * 64);
        if (start64 >= t * 64)
            return;
        expect_queued(o->m, s, ring);
        if (!serve(o, s, q, start64)) {
            if (ring == &s->from_link)
                return;
            s->stalled = true;
            s->stalled_since = start64 / 64;
            continue;
        }
        if (ring == &s->from_sms && is_write(q))
            s->writes_wait64 -= write_cost(o->m, q);
        ring->head = (ring->head + 1) & (ring->cap - 1);
        ring->n--;
    }
}

static void unstall(struct sim_slice *s, uint64_t t)
{
    s->stalled = false;
    if (s->stalled_since != UINT64_MAX && t > s->stalled_since)
        s->count.stall_cycles += t - s->stalled_since;
    s->stalled_since = UINT64_MAX;
    s->free64 = sim_later(s->free64, t * 64);
}

static void result_back(struct sim_out *o, struct sim_slice *s, const struct sim_message *r)
{
    struct sim_waiter w = {.node = r->node,
                           .kind = SIM_MSG_REQUEST,
                           .packet_kind = r->packet_kind,
                           .start = o->m->node[r->node].arrival};
    answer(o, s, &w, r->time, r->spent.waited, r->spent.queued);
}

/* What later messages will touch is asked for ahead, in two steps: the table or the MSHR, then the
 * slot or the first that waits. */
static void expect(const struct sim_memside *m, const struct sim_slice *s, size_t i)
{
    const struct sim_message *q = &s->mail.message[s->mail.due[i]];
    if (q->kind == SIM_MSG_FILL)
        expect_write(&s->mshr[q->mshr]);
    else
        cache_expect(&s->tags, address_map_local(&m->map, q->line));
}

static void expect_more(const struct sim_memside *m, const struct sim_slice *s, size_t i)
{
    const struct sim_message *q = &s->mail.message[s->mail.due[i]];
    if (q->kind != SIM_MSG_FILL)
        cache_expect_slot(&s->tags, address_map_local(&m->map, q->line));
    else if (s->mshr[q->mshr].waiters != SIM_NONE)
        expect_read(&s->waiter[s->mshr[q->mshr].waiters]);
}

enum { FAR_AHEAD = 16, NEAR_AHEAD = 6 };

static void look_ahead_first(const struct sim_memside *m, const struct sim_slice *s, size_t n)
{
    for (size_t i = 0; i < FAR_AHEAD && i < n; i++)
        expect(m, s, i);
    for (size_t i = 0; i < NEAR_AHEAD && i < n; i++)
        expect_more(m, s, i);
}

static void look_ahead(const struct sim_memside *m, const struct sim_slice *s, size_t i, size_t n)
{
    if (i + FAR_AHEAD < n)
        expect(m, s, i + FAR_AHEAD);
    if (i + NEAR_AHEAD < n)
        expect_more(m, s, i + NEAR_AHEAD);
}

static void take(struct sim_out *o, struct sim_slice *s, const struct sim_message *q)
{
    if (q->kind == SIM_MSG_FILL) {
        bool was = s->stalled;
        fill(o, s, q);
        if (was)
            unstall(s, q->time);
    } else if (q->kind == SIM_MSG_RESULT) {
        result_back(o, s, q);
    } else if (q->kind == SIM_MSG_VOID) {
        void_copy(o->m, s, q->line);
    } else if (sim_slice_busy(s) || s->free64 > q->time * 64 || !serve(o, s, q, q->time * 64)) {
        enqueue(s, q->kind == SIM_MSG_REQUEST ? &s->from_sms : &s->from_link, q);
        if (q->kind == SIM_MSG_REQUEST && is_write(q))
            s->writes_wait64 += write_cost(o->m, q);
    }
}

void sim_slice_run(struct sim_out *o, struct sim_slice *s, uint64_t begin, uint64_t end)
{
    size_t n = sim_mailbox_due(&s->mail, begin, end);
    if (s->stalled)
        unstall(s, begin); /* room for write-backs may have come with the new window */
    look_ahead_first(o->m, s, n);
    for (size_t i = 0; i < n; i++) {
        const struct sim_message *q = &s->mail.message[s->mail.due[i]];
        look_ahead(o->m, s, i, n);
        if (sim_slice_busy(s))
            serve_queues(o, s, begin, q->time);
        take(o, s, q);
    }
    serve_queues(o, s, begin, end);
    if (n)
        sim_mailbox_drop(&s->mail, end);
}

void sim_slice_preload(struct sim_memside *m, struct sim_slice *s, uint64_t line, uint32_t sectors)
{
    uint32_t slot = sim_l2_find(m, s, line);
    struct cache_slot evicted;
    if (slot == CACHE_NONE) {
        slot = cache_insert(&s->tags, address_map_local(&m->map, line), &evicted);
        uint32_t read;
        if (evicted.used && evicted.dirty)
            write_back_clean(&s->dirty, &s->tags, &evicted, &read);
    }
    struct cache_slot *c = &s->tags.slot[slot];
    bool was_partial = c->partial;
    slot_fill(c, sectors, 0);
    write_back_filled(&s->dirty, c, was_partial);
}
