/* xbar.c - the crossbar: requests to the slices, replies to the SMs.
 *
 * An SM's own way out is taken by the SM (a packet's time is when it begins to leave). Here are the
 * crossbar as a whole, the order in which requests of one cycle reach their slices, and each SM's way
 * in. Requests that arrive in the same cycle take turns: the SM that goes first changes from cycle to
 * cycle, so no SM is preferred. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "sim/memparts.h"

strata_status sim_xbar_init(struct sim_memside *m, struct strata_error *err)
{
    m->xbar.in_free64 = calloc(m->gpu.sm.count, sizeof *m->xbar.in_free64);
    if (!m->xbar.in_free64)
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the modelled crossbar.");
    return STRATA_OK;
}

void sim_xbar_release(struct sim_xbar *x)
{
    free(x->in);
    free(x->held);
    free(x->in_free64);
    free(x->arrived);
    free(x->reply);
    sim_sorter_release(&x->sorter);
    memset(x, 0, sizeof *x);
}

/* ---- to the slices ---- */

/* A flit carries a sector; its head needs one of its own unless flits have room for it beside a sector
 * (40 bytes) or whole sectors follow one another (docs/flow.md, probe store_rate). */
static uint32_t request_flits(const struct sim_memside *m, const struct sim_packet *p)
{
    if (p->kind == SIM_READ || p->kind == SIM_FETCH)
        return 1;
    uint32_t n = popcount32(p->sectors);
    return m->gpu.xbar.flit_bytes >= SIM_SECTOR_BYTES + 8 ? n : n < 2 ? 2 : n;
}

static uint64_t take_total(uint64_t *free, uint64_t t, uint32_t cost)
{
    uint64_t begin = sim_later(*free, t << 16);
    *free = begin + cost;
    return begin >> 16;
}

/* Any line as one of 128 bytes with sectors of 32. */
static void to_l2_line(struct sim_packet *p)
{
    uint32_t shift = (uint32_t)(p->line / SIM_SECTOR_BYTES) & 3;
    if (shift) {
        p->line &= ~(uint64_t)(SIM_LINE_BYTES - 1);
        p->sectors = (uint8_t)(p->sectors << shift & 15);
        for (int k = 3; k >= 0; k--)
            p->byte_mask[k] = k >= (int)shift ? p->byte_mask[k - (int)shift] : 0;
    }
}

strata_status sim_xbar_send(struct sim_memside *m, const struct sim_packet *p, size_t n, struct strata_error *err)
{
    struct sim_xbar *x = &m->xbar;
    bool room = ARRAY_RESERVE(x->in, x->n_in, x->cap_in, n);
    for (size_t i = 0; i < n && room; i++) {
        uint32_t node = sim_node_new(m), flits = request_flits(m, &p[i]);
        if (node == SIM_NONE) {
            room = false;
            break;
        }
        uint64_t t = p[i].time;
        x->request_flits += flits;
        if (m->rate.total_65536ths_per_sector)
            t = take_total(&x->out_total_free, t, flits * m->rate.total_65536ths_per_sector);
        struct sim_node *q = &m->node[node];
        q->packet = p[i];
        q->merged = q->entry = SIM_NONE;
        q->arrival = t + m->rate.request_way;
        if (q->arrival < m->now)
            q->arrival = m->now;
        q->packet.sectors |= !q->packet.sectors; /* nothing at all is asked for by nobody, but must be answered */
        to_l2_line(&q->packet);
        x->in[x->n_in++] = (struct sim_inbound){.time = q->arrival, .node = node, .sm = p[i].sm};
        m->under_way++;
    }
    return room ? STRATA_OK : strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for requests under way in the modelled crossbar.");
}

static bool hold_reply(struct sim_xbar *x, uint32_t node, uint64_t time)
{
    if (x->n_held == x->cap_held && !ARRAY_RESERVE(x->held, x->n_held, x->cap_held, 1))
        return false;
    x->held[x->n_held++] = (struct sim_reply){.time = time, .node = node};
    return true;
}

/* One message for each line of the L2 that the request touches. */
static void post_lines(struct sim_memside *m, uint32_t node)
{
    struct sim_node *q = &m->node[node];
    const struct sim_packet *p = &q->packet;
    uint32_t per = m->line_sectors, mask = (1u << per) - 1;
    q->parts = 0;
    q->out = 0;
    for (uint32_t at = 0; at < 4; at += per) {
        struct sim_message msg = {.time = q->arrival, .line = p->line + at * SIM_SECTOR_BYTES, .node = node, .mshr = SIM_NONE,
                                  .operations = p->operations, .kind = SIM_MSG_REQUEST, .sectors = (uint8_t)(p->sectors >> at & mask)};
        if (!msg.sectors)
            continue;
        memcpy(msg.byte_mask, &p->byte_mask[at], per * sizeof msg.byte_mask[0]);
        q->parts++;
        sim_mailbox_push(&sim_slice_of(m, m->partition_of_sm[p->sm], p->line)->mail, &msg);
    }
}

static bool deliver_one(struct sim_memside *m, uint32_t node)
{
    struct sim_node *q = &m->node[node];
    struct sim_packet *p = &q->packet;
    uint64_t out;
    if (m->coalescer.line && p->kind == SIM_READ &&
        sim_coalescer_merge(&m->coalescer, m->node, node, m->group_of_sm[p->sm], q->arrival, &out)) {
        memset(p->spent, 0, sizeof p->spent);
        return out == UINT64_MAX || hold_reply(&m->xbar, node, out);
    }
    post_lines(m, node);
    return true;
}

bool sim_xbar_deliver(struct sim_memside *m, uint64_t begin, uint64_t end)
{
    struct sim_xbar *x = &m->xbar;
    uint32_t sms = m->gpu.sm.count;
    size_t kept = 0;
    x->sorter.n = 0;
    for (size_t i = 0; i < x->n_in; i++) {
        const struct sim_inbound *in = &x->in[i];
        if (in->time >= end) {
            x->in[kept++] = *in;
            continue;
        }
        uint64_t turn = (in->sm + sms - in->time * 7 % sms) % sms;
        if (!sim_sorter_add(&x->sorter, (in->time - begin) << 8 | turn, in->node))
            return false;
    }
    x->n_in = kept;
    if (!sim_sorter_sort(&x->sorter))
        return false;
    for (size_t i = 0; i < x->sorter.n; i++)
        if (!deliver_one(m, x->sorter.key[i].index))
            return false;
    return true;
}

/* ---- to the SMs ---- */

static bool return_one(struct sim_memside *m, const struct sim_reply *r)
{
    struct sim_xbar *x = &m->xbar;
    if (x->n_reply == x->cap_arrived && !ARRAY_RESERVE(x->arrived, x->n_reply, x->cap_arrived, 1))
        return false;
    struct sim_node *q = &m->node[r->node];
    struct sim_packet *p = &x->arrived[x->n_reply++];
    *p = q->packet;
    bool data = p->kind == SIM_READ || p->kind == SIM_FETCH || p->kind == SIM_ATOMIC;
    uint32_t quarters = data ? 4 * popcount32(p->sectors) : 1; /* an acknowledgement is a head alone */
    uint64_t t = r->time;
    x->reply_flits += quarters / 4;
    if (m->rate.total_65536ths_per_sector)
        t = take_total(&x->in_total_free, t, quarters * m->rate.total_65536ths_per_sector / 4);
    uint64_t *way = &x->in_free64[p->sm], begin64 = sim_later(*way, (t + m->rate.reply_way) * 64);
    *way = begin64 + quarters * m->rate.in_64ths_per_sector / 4;
    uint64_t last = quarters > 4 ? (quarters - 4) * m->rate.in_64ths_per_sector / 4 : 0;
    uint64_t left = p->time;
    p->time = (begin64 + last) / 64;
    p->spent[SIM_AT_XBAR] = sim_saturate16((q->arrival - left) + (p->time - r->time));
    if (p->kind == SIM_READ) {
        x->lat_requests++;
        x->lat_cycles += p->spent[SIM_AT_XBAR];
    }
    sim_node_free(m, r->node);
    m->under_way--;
    return true;
}

/* A reply leaves its slice, and with it go those that the coalescer merged. */
static bool gather(struct sim_memside *m, const struct sim_reply *part)
{
    struct sim_node *q = &m->node[part->node];
    q->out = sim_later(q->out, part->time);
    if (--q->parts)
        return true;
    const struct sim_reply all = {.time = q->out, .node = part->node}, *r = &all;
    if (m->coalescer.line)
        sim_coalescer_answered(&m->coalescer, m->node, r->node, r->time);
    uint32_t merged = m->node[r->node].merged;
    if (!hold_reply(&m->xbar, r->node, r->time))
        return false;
    for (; merged != SIM_NONE; merged = m->node[merged].merged) {
        uint64_t t = sim_later(r->time, m->node[merged].arrival);
        m->node[merged].packet.spent[SIM_AT_L2] = sim_saturate16(t - m->node[merged].arrival);
        if (!hold_reply(&m->xbar, merged, t))
            return false;
    }
    return true;
}

bool sim_xbar_return(struct sim_memside *m, uint64_t begin, uint64_t end)
{
    struct sim_xbar *x = &m->xbar;
    size_t kept = 0;
    for (uint32_t o = 0; o < m->n_out; o++) {
        for (size_t i = 0; i < m->out[o].n_reply; i++)
            if (!gather(m, &m->out[o].reply[i]))
                return false;
        m->out[o].n_reply = 0;
    }
    x->sorter.n = 0;
    for (size_t i = 0; i < x->n_held; i++) {
        const struct sim_reply r = x->held[i];
        if (r.time >= end)
            x->held[kept++] = r;
        else if (!sim_sorter_add(&x->sorter, r.time > begin ? r.time - begin : 0, r.node))
            return false;
    }
    x->n_held = kept;
    if (!sim_sorter_sort(&x->sorter))
        return false;
    for (size_t i = 0; i < x->sorter.n; i++)
        if (!return_one(m, &(struct sim_reply){.time = begin + x->sorter.key[i].key, .node = x->sorter.key[i].index}))
            return false;
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
        if (!sim_sorter_add(&x->sorter, (x->arrived[i].time - first) << 8 | x->arrived[i].sm, (uint32_t)i))
            return false;
    if (!sim_sorter_sort(&x->sorter))
        return false;
    for (size_t i = 0; i < x->n_reply; i++)
        x->reply[i] = x->arrived[x->sorter.key[i].index];
    return true;
}

uint64_t sim_xbar_next(const struct sim_xbar *x)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < x->n_in; i++)
        next = x->in[i].time < next ? x->in[i].time : next;
    for (size_t i = 0; i < x->n_held; i++)
        next = x->held[i].time < next ? x->held[i].time : next;
    return next;
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
