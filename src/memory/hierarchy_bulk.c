/* hierarchy_bulk.c - lines of bulk copies: around the L1, through the SM's ports, to and from the
 * L2. */
#include "memory/bulk_lines.h"
#include "memory/hierarchy.h"

uint32_t hierarchy_bulk_sectors(uint32_t from, uint32_t to)
{
    struct line_bytes bytes = {0};
    line_bytes_set(&bytes, from, to);
    return line_bytes_touched(&bytes);
}

/* A copy may be wider than the tensor's rows let it fetch whole sectors: they are counted whole.
 * Copies to several blocks share no answer (device/hopper/merge.cu, set multicast: eight that copy
 * the same lines to two blocks each read them eight times, and blocks that read them for themselves
 * join one another alone). */
uint64_t hierarchy_bulk_load(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                             uint32_t targets, uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    uint64_t arrival = targets > 1 ? hierarchy_l2_read_alone(m, sm, line, sectors, t)
                                   : hierarchy_l2_read(m, sm, line, sectors, true, t);
    uint32_t n = popcount32(sectors) * m->l1_packets;
    m->count.to_l1_bytes += (uint64_t)n * PACKET_SECTOR_BYTES * targets;
    arrival = hierarchy_take(m, &m->xbar_in_free64, arrival, n * m->xbar_64ths_per_packet);
    m->count.lat_requests++;
    arrival = hierarchy_take(m, &p->in_free64, arrival, n * m->bulk_64ths_per_packet);
    m->held = 0;
    return arrival;
}

uint64_t hierarchy_bulk_deliver(struct hierarchy *m, uint32_t sm, uint32_t sectors, uint64_t t)
{
    uint32_t n = popcount32(sectors) * m->l1_packets;
    t = hierarchy_take(m, &m->sm[sm].in_free64, t, n * m->bulk_64ths_per_packet);
    m->held = 0;
    return t;
}

uint64_t hierarchy_bulk_store(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t from,
                              uint32_t to, bool reduces, uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    struct store_line s = {.line = line, .last = t};
    line_bytes_set(&s.bytes, from, to);
    s.sectors = line_bytes_touched(&s.bytes);
    uint32_t n = popcount32(s.sectors), flits = store_line_flits(&s, m->gpu);
    uint64_t start = hierarchy_take(m, hierarchy_port(m, sm), t, flits * m->out_64ths_per_packet);
    start = hierarchy_take(m, &m->xbar_out_free64, start, flits * m->xbar_64ths_per_packet);
    m->count.from_l1_bytes += n * PACKET_SECTOR_BYTES;
    uint64_t done, taken = start, room = m->gpu->xbar.port_buffer_cycles;
    if (reduces) {
        done = hierarchy_l2_atomic(m, sm, line, s.sectors, s.sectors,
                                   (struct l2_atomics){(uint8_t)n, STRATA_ATOMIC_OTHER}, start);
    } else {
        taken = hierarchy_l2_write(m, sm, &s, start);
        done = taken + m->gpu->l2.hit_cycles;
    }
    m->held = 0;
    p->store_done = later_of(p->store_done, done);
    return taken > room ? later_of(start, taken - room) : start;
}

uint64_t hierarchy_bulk_copy(struct hierarchy *m, uint32_t sm, const struct strata_bulk *bulk,
                             uint64_t t)
{
    struct bulk_lines lines;
    uint64_t line, done = t;
    uint32_t from, to, targets = bulk->multicast ? popcount32(bulk->multicast) : 1;
    bool stores = bulk->kind == STRATA_BULK_STORE || bulk->kind == STRATA_BULK_REDUCE;
    bulk_lines_begin(&lines, bulk, m->gpu->l2.cache.line_bytes);
    while (bulk_lines_next(&lines, &line, &from, &to)) {
        uint64_t at =
            stores
                ? hierarchy_bulk_store(m, sm, line, from, to, bulk->kind == STRATA_BULK_REDUCE, t)
                : hierarchy_bulk_load(m, sm, line, hierarchy_bulk_sectors(from, to), targets, t);
        done = later_of(done, at);
    }
    return done;
}
