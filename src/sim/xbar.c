/* xbar.c - the crossbar: requests to the slices, replies to the SMs.
 *
 * An SM's own way out is taken by the SM (a packet's time is when it begins to leave). Here are the
 * crossbar as a whole, the order in which requests of one cycle reach their slices, and each SM's
 * way in. Requests that arrive in the same cycle take turns: the SM that goes first changes from
 * cycle to cycle, so no SM is preferred. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/expect.h"
#include "sim/memparts.h"

strata_status sim_xbar_init(struct sim_memside *m, struct strata_error *err)
{
    m->xbar.first_in = m->xbar.first_held = UINT64_MAX;
    m->xbar.in_free64 = calloc(m->gpu.sm.count, sizeof *m->xbar.in_free64);
    m->xbar.waits = calloc(m->gpu.sm.count, sizeof *m->xbar.waits);
    m->xbar.room = calloc(m->n_slices, sizeof *m->xbar.room);
    if (!m->xbar.in_free64 || !m->xbar.waits || !m->xbar.room)
        return strata_no_memory(err, NULL, "for the modelled crossbar");
    return STRATA_OK;
}

void sim_xbar_release(struct sim_xbar *x)
{
    free(x->in);
    free(x->turn);
    free(x->held);
    free(x->in_free64);
    free(x->waits);
    free(x->room);
    free(x->arrived);
    free(x->reply);
    sim_sorter_release(&x->sorter);
    memset(x, 0, sizeof *x);
}

/* ---- to the slices ---- */

/* A flit carries a sector; its head needs one of its own unless flits have room for it beside a
 * sector (40 bytes) or whole sectors follow one another (docs/flow-evidence.md, store_rate). */
static uint32_t request_flits(const struct sim_memside *m, const struct sim_packet *p)
{
    if (p->kind == SIM_READ || p->kind == SIM_FETCH)
        return 1;
    uint32_t n = popcount32(p->sectors);
    bool beside = m->gpu.xbar.flit_bytes >= SIM_SECTOR_BYTES + 8;
    return beside || n > 1 ? n : n + m->gpu.xbar.head_flits;
}

static uint64_t take_total(uint64_t *free, uint64_t t, uint32_t cost)
{
    uint64_t begin = sim_later(*free, t << 16);
    *free = begin + cost;
    return begin >> 16;
}

strata_status sim_xbar_send(struct sim_memside *m, const struct sim_packet *p, size_t n,
                            struct strata_error *err)
{
    struct sim_xbar *x = &m->xbar;
    if (!ARRAY_RESERVE(x->in, x->n_in, x->cap_in, n))
        return strata_no_memory(err, NULL, "for requests under way in the modelled crossbar");
    for (size_t i = 0; i < n; i++) {
        uint32_t flits = request_flits(m, &p[i]);
        uint64_t t = p[i].time;
        x->request_flits += flits;
        if (m->rate.total_65536ths_per_flit)
            t = take_total(&x->out_total_free, t, flits * m->rate.total_65536ths_per_flit);
        uint64_t arrival = sim_later(t + m->rate.request_way, m->now);
        x->in[x->n_in++] = (struct sim_inbound){.arrival = arrival, .packet = p[i]};
        x->first_in = arrival < x->first_in ? arrival : x->first_in;
    }
    m->under_way += n;
    return STRATA_OK;
}

static bool hold_reply(struct sim_xbar *x, const struct sim_reply *r)
{
    if (x->n_held == x->cap_held && !ARRAY_RESERVE(x->held, x->n_held, x->cap_held, 1))
        return false;
    x->held[x->n_held++] = *r;
    x->first_held = r->time < x->first_held ? r->time : x->first_held;
    return true;
}

/* Any line as one of 128 bytes with sectors of 32. Nothing at all is asked for by nobody, but must
 * be answered. */
static void to_l2_line(struct sim_packet *p)
{
    uint32_t shift = (uint32_t)(p->line / SIM_SECTOR_BYTES) & 3;
    p->line &= ~(uint64_t)(SIM_LINE_BYTES - 1);
    p->sectors = (uint8_t)(p->sectors << shift & 15);
    p->sectors |= !p->sectors;
    for (int k = 3; shift && k >= 0; k--)
        p->bytes.sector[k] = k >= (int)shift ? p->bytes.sector[k - (int)shift] : 0;
}

/* One message for each line of the L2 that the request touches. */
static void post_lines(struct sim_memside *m, const struct sim_packet *p, uint32_t node)
{
    struct sim_node *q = &m->node[node];
    uint32_t per = m->rules.line_sectors, mask = (1u << per) - 1;
    struct sim_mailbox *to = &sim_slice_of(m, m->partition_of_sm[p->sm], p->line)->mail;
    for (uint32_t at = 0; at < 4; at += per) {
        struct sim_message msg = {.time = q->arrival,
                                  .line = p->line + at * SIM_SECTOR_BYTES,
                                  .node = node,
                                  .mshr = SIM_NONE,
                                  .atomics = p->atomics,
                                  .kind = SIM_MSG_REQUEST,
                                  .packet_kind = p->kind,
                                  .joins = p->joins,
                                  .sectors = (uint8_t)(p->sectors >> at & mask)};
        if (!msg.sectors)
            continue;
        memcpy(msg.bytes.sector, &p->bytes.sector[at], per * sizeof msg.bytes.sector[0]);
        q->parts++;
        sim_mailbox_push(to, &msg);
    }
}

static bool deliver_one(struct sim_memside *m, const struct sim_inbound *in)
{
    struct sim_packet p = in->packet;
    uint32_t node = sim_node_new(m);
    uint64_t out;
    if (node == SIM_NONE)
        return false;
    m->node[node] = (struct sim_node){.left = p.time,
                                      .arrival = in->arrival,
                                      .line = p.line,
                                      .token = p.token,
                                      .sequence = p.sequence,
                                      .merged = SIM_NONE,
                                      .entry = SIM_NONE,
                                      .sm = p.sm,
                                      .atomics = p.atomics,
                                      .kind = p.kind,
                                      .bulk = p.bulk,
                                      .sectors = p.sectors};
    to_l2_line(&p);
    if (m->coalescer.table.open && p.kind == SIM_READ && !p.alone &&
        sim_coalescer_merge(&m->coalescer, m->node, node, m->group_of_sm[p.sm], p.line, p.sectors,
                            &out))
        return out == UINT64_MAX ||
               hold_reply(&m->xbar, &(struct sim_reply){.time = out, .node = node});
    post_lines(m, &p, node);
    return true;
}

/* What each slice takes in this window: as much as its queue has room for, and what it serves
 * meanwhile. Slices work on a window alone and cannot refuse; so this is an estimate, by which a
 * queue is longer than its limit for one window at most. */
static void look_for_room(struct sim_memside *m)
{
    struct sim_xbar *x = &m->xbar;
    memset(x->waits, 0, m->gpu.sm.count * sizeof *x->waits);
    for (uint32_t i = 0; i < m->n_slices; i++) {
        uint64_t all = (uint64_t)m->gpu.xbar.queue + m->rate.slice_requests;
        size_t n = m->slice[i].from_sms.n;
        x->room[i] = n < all ? (uint32_t)(all - n) : 0;
    }
}

/* Takes a place in front of the slice; false: there is none, or a request of the same SM, which
 * came before, has none. It is then tried again in the next window. */
static bool takes_place(struct sim_memside *m, struct sim_inbound *in, uint64_t end)
{
    struct sim_xbar *x = &m->xbar;
    const struct sim_packet *p = &in->packet;
    if (!m->gpu.xbar.queue)
        return true;
    uint64_t line = p->line & ~(uint64_t)(SIM_LINE_BYTES - 1);
    uint32_t *room = &x->room[sim_slice_of(m, m->partition_of_sm[p->sm], line) - m->slice];
    if (*room && !x->waits[p->sm]) {
        --*room;
        return true;
    }
    x->waits[p->sm]++;
    in->arrival = end;
    x->first_in = end;
    return false;
}

bool sim_xbar_deliver(struct sim_memside *m, uint64_t begin, uint64_t end)
{
    struct sim_xbar *x = &m->xbar;
    uint32_t sms = m->gpu.sm.count;
    size_t kept = 0;
    x->sorter.n = 0;
    if (x->first_in >= end)
        return true;
    x->first_in = UINT64_MAX;
    if (m->gpu.xbar.queue)
        look_for_room(m);
    for (size_t i = 0; i < x->n_in; i++) {
        uint64_t t = x->in[i].arrival, turn = (x->in[i].packet.sm + sms - t * 7 % sms) % sms;
        if (t >= end)
            x->first_in = t < x->first_in ? t : x->first_in;
        else if (!sim_sorter_add(&x->sorter, (t - begin) << 8 | turn, (uint32_t)i))
            return false;
    }
    if (!sim_sorter_sort(&x->sorter))
        return false;
    for (size_t i = 0; i < x->sorter.n; i++) {
        struct sim_inbound *in = &x->in[x->sorter.key[i].index];
        if (takes_place(m, in, end) && !deliver_one(m, in))
            return false;
    }
    for (size_t i = 0; i < x->n_in; i++)
        if (x->in[i].arrival >= end)
            x->in[kept++] = x->in[i];
    x->n_in = kept;
    return true;
}

/* ---- to the SMs ---- */

static bool return_one(struct sim_memside *m, const struct sim_reply *r)
{
    struct sim_xbar *x = &m->xbar;
    if (x->n_reply == x->cap_arrived && !ARRAY_RESERVE(x->arrived, x->n_reply, x->cap_arrived, 1))
        return false;
    const struct sim_node *q = &m->node[r->node];
    bool data = q->kind == SIM_READ || q->kind == SIM_FETCH || q->kind == SIM_ATOMIC;
    uint32_t flits = data ? popcount32(q->sectors) : 1; /* an acknowledgement is a head alone */
    uint64_t t = r->time;
    x->reply_flits += flits;
    if (m->rate.total_65536ths_per_flit)
        t = take_total(&x->in_total_free, t, flits * m->rate.total_65536ths_per_flit);
    uint32_t each = q->bulk ? m->rate.bulk_64ths_per_flit : m->rate.in_64ths_per_flit;
    uint64_t *way = &x->in_free64[q->sm], begin64 = sim_later(*way, (t + m->rate.reply_way) * 64);
    *way = begin64 + flits * each;
    uint64_t time = (begin64 + (flits - 1) * each) / 64; /* the last flit begins to arrive */
    uint16_t on_the_way = sim_saturate16((q->arrival - q->left) + (time - r->time));
    x->arrived[x->n_reply++] = (struct sim_packet){.time = time,
                                                   .line = q->line,
                                                   .token = q->token,
                                                   .sequence = q->sequence,
                                                   .sm = q->sm,
                                                   .kind = q->kind,
                                                   .sectors = q->sectors,
                                                   .atomics = q->atomics,
                                                   .spent = {[SIM_AT_XBAR] = on_the_way,
                                                             [SIM_AT_L2] = r->l2,
                                                             [SIM_AT_L2_QUEUE] = r->l2_queue,
                                                             [SIM_AT_DRAM] = r->dram,
                                                             [SIM_AT_DRAM_QUEUE] = r->dram_queue}};
    if (q->kind == SIM_READ) {
        x->lat_requests++;
        x->lat_cycles += on_the_way;
    }
    sim_node_free(m, r->node);
    m->under_way--;
    return true;
}

/* A reply leaves its slice, and with it go those that the coalescer merged. */
static bool gather(struct sim_memside *m, const struct sim_reply *part)
{
    struct sim_node *q = &m->node[part->node];
    struct sim_reply r = *part;
    r.time = q->out = sim_later(q->out, part->time);
    if (--q->parts)
        return true;
    if (m->coalescer.table.open)
        sim_coalescer_answered(&m->coalescer, m->node, r.node, r.time);
    if (!hold_reply(&m->xbar, &r))
        return false;
    for (uint32_t i = q->merged; i != SIM_NONE; i = m->node[i].merged) {
        uint64_t t = sim_later(r.time, m->node[i].arrival);
        if (!hold_reply(&m->xbar,
                        &(struct sim_reply){
                            .time = t, .node = i, .l2 = sim_saturate16(t - m->node[i].arrival)}))
            return false;
    }
    return true;
}

/* Replies that leave before `end` go from x->held to x->turn, in the order of time. */
static bool pick_due(struct sim_xbar *x, uint64_t begin, uint64_t end)
{
    size_t kept = 0;
    if (x->cap_turn < x->n_held && !ARRAY_RESERVE(x->turn, 0, x->cap_turn, x->n_held))
        return false;
    x->sorter.n = 0;
    x->first_held = UINT64_MAX;
    for (size_t i = 0; i < x->n_held; i++) {
        struct sim_reply r = x->held[i];
        if (r.time < end) {
            x->turn[x->sorter.n] = r;
            if (!sim_sorter_add(&x->sorter, r.time > begin ? r.time - begin : 0,
                                (uint32_t)x->sorter.n))
                return false;
            continue;
        }
        x->first_held = r.time < x->first_held ? r.time : x->first_held;
        x->held[kept++] = r;
    }
    x->n_held = kept;
    return sim_sorter_sort(&x->sorter);
}

bool sim_xbar_return(struct sim_memside *m, uint64_t begin, uint64_t end)
{
    struct sim_xbar *x = &m->xbar;
    for (uint32_t o = 0; o < m->n_out; o++) {
        for (size_t i = 0; i < m->out[o].n_reply; i++) {
            if (i + 8 < m->out[o].n_reply)
                expect_write(&m->node[m->out[o].reply[i + 8].node]);
            if (!gather(m, &m->out[o].reply[i]))
                return false;
        }
        m->out[o].n_reply = 0;
    }
    if (x->first_held >= end)
        return true;
    if (!pick_due(x, begin, end))
        return false;
    for (size_t i = 0; i < x->sorter.n; i++) {
        if (i + 8 < x->sorter.n)
            expect_write(&m->node[x->turn[x->sorter.key[i + 8].index].node]);
        if (!return_one(m, &x->turn[x->sorter.key[i].index]))
            return false;
    }
    return true;
}

bool sim_xbar_sort_replies(struct sim_xbar *x)
{
    uint64_t first = UINT64_MAX;
    if (x->cap_reply < x->n_reply && !ARRAY_RESERVE(x->reply, 0, x->cap_reply, x->n_reply))
        return false;
    for (size_t i = 0; i < x->n_reply; i++)
        first = x->arrived[i].time < first ? x->arrived[i].time : first;
    x->sorter.n = 0;
    for (size_t i = 0; i < x->n_reply; i++)
        if (!sim_sorter_add(&x->sorter, (x->arrived[i].time - first) << 8 | x->arrived[i].sm,
                            (uint32_t)i))
            return false;
    if (!sim_sorter_sort(&x->sorter))
        return false;
    for (size_t i = 0; i < x->n_reply; i++)
        x->reply[i] = x->arrived[x->sorter.key[i].index];
    return true;
}

uint64_t sim_xbar_next(const struct sim_xbar *x)
{
    return x->first_in < x->first_held ? x->first_in : x->first_held;
}

/* ---- sorting ---- */

bool sim_sorter_add(struct sim_sorter *s, uint64_t key, uint32_t index)
{
    if (s->n == s->cap && !ARRAY_RESERVE(s->key, s->n, s->cap, 1))
        return false;
    s->key[s->n++] = (struct sim_key){.key = key, .index = index};
    return true;
}

static void insertion_sort(struct sim_key *k, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct sim_key x = k[i];
        size_t j = i;
        for (; j && k[j - 1].key > x.key; j--)
            k[j] = k[j - 1];
        k[j] = x;
    }
}

/* Digits of 11 bits from the lowest on; keys are short, so two passes are the rule. */
bool sim_sorter_sort(struct sim_sorter *s)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    if (s->n < 48) {
        insertion_sort(s->key, s->n);
        return true;
    }
    if (s->cap_other < s->n && !ARRAY_RESERVE(s->other, 0, s->cap_other, s->n))
        return false;
    uint64_t all = 0;
    for (size_t i = 0; i < s->n; i++)
        all |= s->key[i].key;
    for (unsigned shift = 0; shift < 64 && all >> shift; shift += BITS) {
        uint32_t start[DIGITS + 1] = {0};
        for (size_t i = 0; i < s->n; i++)
            start[(s->key[i].key >> shift & (DIGITS - 1)) + 1]++;
        for (size_t d = 1; d <= DIGITS; d++)
            start[d] += start[d - 1];
        for (size_t i = 0; i < s->n; i++)
            s->other[start[s->key[i].key >> shift & (DIGITS - 1)]++] = s->key[i];
        struct sim_key *swap = s->key;
        size_t cap = s->cap;
        s->key = s->other;
        s->other = swap;
        s->cap = s->cap_other;
        s->cap_other = cap;
    }
    return true;
}

void sim_sorter_release(struct sim_sorter *s)
{
    free(s->key);
    free(s->other);
    memset(s, 0, sizeof *s);
}
