/* dram_sched.c - which request a bank works on next: in order, or open rows first.
 *
 * A bank works on one request at a time. In order (FCFS), requests reach their banks in the order
 * in which they came: one whose bank is taken holds up all behind it. With open rows first
 * (FR-FCFS), a bank that becomes free takes the oldest request for its open row out of the queue,
 * and the oldest of all if there is none, or if that one has waited for the age limit: a stream of
 * row hits would hold it up for ever. Each bank has a list of its own, so no choice looks at
 * the whole queue. */
#include "base/array.h"
#include "sim/dram.h"

static uint32_t queue_of(const struct dram_channel *c, bool write)
{
    return write && c->timing->separate_writes;
}

static void append(struct dram_channel *c, uint32_t *head, uint32_t *tail, uint32_t i)
{
    c->request[i].next = DRAM_NONE;
    if (*head == DRAM_NONE)
        *head = i;
    else
        c->request[*tail].next = i;
    *tail = i;
}

void dram_queue_put(struct dram_channel *c, const struct dram_request *r)
{
    uint32_t i = c->free_request;
    if (i != DRAM_NONE) {
        c->free_request = c->request[i].next;
    } else {
        if (c->n_requests == c->cap_requests &&
            !ARRAY_RESERVE(c->request, c->n_requests, c->cap_requests, 1)) {
            c->failed = true;
            return;
        }
        i = (uint32_t)c->n_requests++;
    }
    c->request[i] = *r;
    c->request[i].order = c->next_order++;
    struct dram_list *l = &c->backlog[queue_of(c, r->write)];
    append(c, &l->head, &l->tail, i);
    l->n++;
}

static bool waited_too_long(const struct dram_channel *c, uint32_t request, uint64_t clock)
{
    uint32_t limit = c->timing->age_limit;
    return limit && request != DRAM_NONE && clock - c->request[request].arrive >= limit;
}

/* The oldest request for the open row, else the oldest. */
static void choose(struct dram_channel *c, uint32_t bank, uint32_t queue, uint64_t clock)
{
    struct dram_bank *b = &c->bank[bank];
    uint32_t at = b->head[queue], before = DRAM_NONE;
    bool oldest = waited_too_long(c, at, clock);
    while (!oldest && at != DRAM_NONE && c->request[at].row != b->open_row) {
        before = at;
        at = c->request[at].next;
    }
    if (at == DRAM_NONE) {
        at = b->head[queue];
        before = DRAM_NONE;
    } else {
        c->count.row_hits += c->request[at].row == b->open_row;
    }
    b->current[queue] = at;
    if (at == DRAM_NONE) {
        c->active[queue] &= ~(1ull << bank);
        return;
    }
    c->active[queue] |= 1ull << bank;
    if (before == DRAM_NONE)
        b->head[queue] = c->request[at].next;
    else
        c->request[before].next = c->request[at].next;
    if (b->tail[queue] == at)
        b->tail[queue] = before;
}

static bool may_admit(const struct dram_channel *c, uint32_t queue, const struct dram_request *r,
                      uint64_t clock)
{
    const struct dram_timing *t = c->timing;
    if (r->arrive > clock || c->queued[queue] >= (queue ? t->write_queue : t->read_queue))
        return false;
    return !t->in_order || c->bank[r->bank].current[queue] == DRAM_NONE;
}

void dram_queue_admit(struct dram_channel *c, uint64_t clock)
{
    for (uint32_t q = 0; q < 2; q++) {
        struct dram_list *l = &c->backlog[q];
        while (l->head != DRAM_NONE && may_admit(c, q, &c->request[l->head], clock)) {
            uint32_t i = l->head;
            struct dram_bank *b = &c->bank[c->request[i].bank];
            l->head = c->request[i].next;
            l->n--;
            c->queued[q]++;
            append(c, &b->head[q], &b->tail[q], i);
            if (b->current[q] == DRAM_NONE)
                choose(c, c->request[i].bank, q, clock);
        }
    }
}

/* Writes are drained in batches: from the high mark, or when there is nothing to read, to the low
 * one. */
void dram_queue_turn(struct dram_channel *c)
{
    const struct dram_timing *t = c->timing;
    if (!t->separate_writes)
        return;
    uint32_t mode = c->mode;
    if (mode == 0 && c->queued[1] && (c->queued[1] >= t->write_high || !c->queued[0]))
        mode = 1;
    else if (mode == 1 && (!c->queued[1] || (c->queued[0] && c->queued[1] <= t->write_low)))
        mode = 0;
    c->count.turns += mode != c->mode;
    c->mode = mode;
}

void dram_queue_finish(struct dram_channel *c, uint32_t bank, uint32_t queue, uint64_t clock)
{
    uint32_t i = c->bank[bank].current[queue];
    c->request[i].next = c->free_request;
    c->free_request = i;
    c->queued[queue]--;
    choose(c, bank, queue, clock);
}

uint64_t dram_queue_next(const struct dram_channel *c, uint64_t clock)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t q = 0; q < 2; q++) {
        uint32_t i = c->backlog[q].head;
        if (i != DRAM_NONE && c->request[i].arrive > clock && c->request[i].arrive < next)
            next = c->request[i].arrive;
    }
    return next;
}

bool dram_channel_busy(const struct dram_channel *c)
{
    return c->queued[0] || c->queued[1] || c->backlog[0].n || c->backlog[1].n;
}

uint32_t dram_channel_waiting_writes(const struct dram_channel *c)
{
    return c->timing->separate_writes ? c->backlog[1].n : c->backlog[0].n;
}
