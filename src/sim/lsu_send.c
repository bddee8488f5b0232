/* lsu_send.c - packets that leave an SM, and the stores that wait before they do. */
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
                             .bulk = f->bulk_targets != 0,
                             .joins = f->joins,
                             .alone = f->bulk_targets > 1,
                             .sectors = f->packet_sectors};
    if (data) {
        p->bytes = data->bytes;
        p->atomics = data->atomics;
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
    uint64_t start = sim_max(s->lsu.out_free64, t * 64),
             cost = (uint64_t)flits * s->shared->out_64ths_per_flit;
    s->lsu.out_free64 = start + cost;
    s->lsu.out_taken64 += cost;
    return start / 64;
}

static void send_store(void *who, const struct store_line *store, uint64_t t)
{
    struct sim_sm *s = who;
    uint32_t n = popcount32(store->sectors), flits = store_line_flits(store, s->shared->gpu);
    uint64_t start = sim_take_port(s, flits, t);
    leaving_stores_put(&s->lsu.leaving_stores, store->line, t,
                       flits * s->shared->out_64ths_per_flit);
    uint32_t flight = sim_flight_new(s, SIM_WRITE, store->line, L1_NONE, t);
    if (flight == L1_NONE)
        return;
    s->flight[flight].packet_sectors = (uint8_t)store->sectors;
    s->flight[flight].blocks = store->owners;
    sim_send(s, flight, start, &(struct sim_lsu_line){.line = store->line, .bytes = store->bytes});
    s->count.n.from_l1_bytes += PACKET_SECTOR_BYTES * n;
    load_store_owe(&s->lsu.unit, s->shared->gpu, n);
}

void sim_stores_drain(struct sim_sm *s, uint64_t t)
{
    store_buffer_drain(&s->lsu.stores, s->shared->gpu, t, s->lsu.unit.free, send_store, s);
}

void sim_stores_flush(struct sim_sm *s, uint64_t t)
{
    store_buffer_flush(&s->lsu.stores, t, send_store, s);
}

void sim_store_put(struct sim_sm *s, const struct store_line *store, uint32_t block, uint64_t t)
{
    struct sim_lsu *u = &s->lsu;
    struct store_line *e = store_buffer_entry(&u->stores, s->shared->gpu, store, t, send_store, s);
    s->block[block].writes += !(e->owners >> block & 1);
    store_buffer_put(&u->stores, s->shared->gpu, store, t, send_store, s);
}
