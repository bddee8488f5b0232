/* lsu_send.c - packets that leave an SM, and the stores that wait and merge before they do.
 *
 * Stores wait in a few lines and leave when the unit was idle for a while, or when another line
 * needs the place (docs/flow.md, probes store_rate and store_repeat). */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/sm.h"

uint32_t sim_flight_new(struct sim_sm *s, uint8_t kind, uint64_t line, uint32_t op, uint64_t t)
{
    uint32_t i = s->free_flight;
    if (i != L1_NONE)
        s->free_flight = s->flight[i].next;
    else if (sim_sm_grow(s, (void **)&s->flight, s->n_flights, &s->cap_flights, sizeof *s->flight))
        i = (uint32_t)s->n_flights++;
    else
        return L1_NONE;
    s->flight[i] = (struct sim_flight){
        .line = line, .op = op, .kind = kind, .used = true, .reached = t, .next = L1_NONE};
    return i;
}

void sim_flight_free(struct sim_sm *s, uint32_t i)
{
    s->flight[i].used = false;
    s->flight[i].next = s->free_flight;
    s->free_flight = i;
}

void sim_send(struct sim_sm *s, uint32_t flight, uint64_t t, const struct sim_lsu_line *data)
{
    if (!sim_sm_grow(s, (void **)&s->outbox, s->n_outbox, &s->cap_outbox, sizeof *s->outbox))
        return;
    struct sim_flight *f = &s->flight[flight];
    struct sim_packet *p = &s->outbox[s->n_outbox++];
    *p = (struct sim_packet){.time = t,
                             .line = f->line,
                             .token = flight,
                             .sm = (uint16_t)s->index,
                             .kind = f->kind,
                             .sectors = f->packet_sectors};
    if (data) {
        memcpy(p->byte_mask, data->byte_mask, sizeof p->byte_mask);
        p->operations = data->operations;
    }
    f->left = t;
    s->flying++;
    s->count.requests++;
    if (f->kind == SIM_WRITE || f->kind == SIM_ATOMIC || f->kind == SIM_REDUCTION) {
        f->epoch = s->epoch;
        s->epoch_writes[s->epoch % SIM_EPOCHS]++;
    }
}

uint64_t sim_take_port(struct sim_sm *s, uint32_t flits, uint64_t t)
{
    uint64_t start = sim_max(s->lsu.out_free64, t * 64);
    s->lsu.out_free64 = start + (uint64_t)flits * s->shared->out_64ths_per_flit;
    return start / 64;
}

static void send_store(struct sim_sm *s, const struct sim_store_line *store, uint64_t t)
{
    uint32_t n = popcount32(store->sectors), full = 0;
    for (uint32_t k = 0; k < 4; k++)
        full |= (uint32_t)(store->byte_mask[k] == UINT32_MAX) << k;
    /* A packet needs a flit for its head; whole sectors hide it behind their data (probe
     * store_rate: 1.9 cycles for one sector, 3.9 for four whole ones, 4.8 for four written in
     * part). */
    uint32_t flits = n < 2 ? 2 : (full & store->sectors) == store->sectors ? n : n + 1;
    uint64_t start = sim_take_port(s, flits, t);
    uint32_t flight = sim_flight_new(s, SIM_WRITE, store->line, L1_NONE, t);
    if (flight == L1_NONE)
        return;
    struct sim_lsu_line data = {.line = store->line};
    memcpy(data.byte_mask, store->byte_mask, sizeof data.byte_mask);
    s->flight[flight].packet_sectors = store->sectors;
    s->flight[flight].blocks = store->blocks;
    sim_send(s, flight, start, &data);
    s->count.n.from_l1_bytes += SIM_SECTOR_BYTES * n;
    s->lsu.drain_debt4 +=
        s->shared->gpu->l1.store_drain_cycles * n; /* four quarters of a quarter of a line */
}

/* A line leaves that no store has touched for `idle` cycles in which the unit had nothing to do, or
 * for as long as it may wait at all. */
void sim_stores_drain(struct sim_sm *s, uint64_t t)
{
    struct sim_lsu *u = &s->lsu;
    uint64_t idle_now = t - u->busy, idle = s->shared->gpu->l1.store_idle_cycles,
             most = s->shared->gpu->l1.store_wait_cycles;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < u->n_stores; i++) {
        if (idle_now >= u->store[i].idle + idle || t >= u->store[i].last + most)
            send_store(s, &u->store[i], t);
        else
            u->store[kept++] = u->store[i];
    }
    u->n_stores = kept;
}

void sim_stores_flush(struct sim_sm *s, uint64_t t)
{
    for (uint32_t i = 0; i < s->lsu.n_stores; i++)
        send_store(s, &s->lsu.store[i], t);
    s->lsu.n_stores = 0;
}

uint64_t sim_stores_next(const struct sim_sm *s)
{
    const struct sim_lsu *u = &s->lsu;
    uint64_t next = UINT64_MAX, idle = s->shared->gpu->l1.store_idle_cycles,
             most = s->shared->gpu->l1.store_wait_cycles;
    for (uint32_t i = 0; i < u->n_stores; i++) {
        uint64_t by_idle = u->busy + u->store[i].idle + idle, by_age = u->store[i].last + most;
        uint64_t t = by_idle < by_age ? by_idle : by_age;
        next = t < next ? t : next;
    }
    return next;
}

void sim_store_put(struct sim_sm *s, const struct sim_lsu_line *line, uint32_t block, uint64_t t)
{
    struct sim_lsu *u = &s->lsu;
    uint32_t i = 0, limit = s->shared->gpu->l1.store_buffer_lines;
    while (i < u->n_stores && u->store[i].line != line->line)
        i++;
    if (i == u->n_stores) {
        if (limit > SIM_STORE_LINES)
            limit = SIM_STORE_LINES;
        if (u->n_stores && u->n_stores >= limit) {
            send_store(s, &u->store[0], t);
            memmove(&u->store[0], &u->store[1], (u->n_stores - 1) * sizeof u->store[0]);
            i = --u->n_stores;
        }
        u->store[i] = (struct sim_store_line){.line = line->line};
        u->n_stores++;
    }
    struct sim_store_line *store = &u->store[i];
    s->block[block].writes += !(store->blocks >> block & 1);
    store->blocks |= 1u << block;
    store->last = t;
    store->idle = u->free - u->busy;
    store->sectors |= line->packet_sectors;
    for (uint32_t k = 0; k < 4; k++)
        store->byte_mask[k] |= line->byte_mask[k];
    if (!limit)
        sim_stores_flush(s, t);
}
