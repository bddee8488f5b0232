/* hierarchy_host.c - stores to memory of the host and atomics on it.
 *
 * They pass the L2, which counts them as it counts others, and leave the card by one way that all
 * SMs share: so many cycles a sector, and one atomic after the other on a line (printing_probe.cu,
 * device/probe/results/h200-printing.csv). No line of the L2 is taken. */
#include "memory/hierarchy.h"

static bool is_far(const struct hierarchy *m, uint32_t sm, uint64_t line)
{
    return address_map_home(&m->map, line) != m->sm[sm].partition;
}

uint64_t hierarchy_host_write(struct hierarchy *m, uint32_t sm, const struct store_line *s,
                              uint64_t t)
{
    uint32_t n = popcount32(s->sectors), times = 1 + is_far(m, sm, s->line);
    m->count.l2_requests++;
    m->count.l2_tex_write += n;
    m->count.l2_write += n * times;
    m->count.l2_write_hit += n * times;
    m->count.fabric += n * (times - 1);
    return hierarchy_take(m, &m->host.store_free64, t,
                          (uint32_t)(n * m->gpu->xbar.host_store_cycles * 64));
}

uint64_t hierarchy_host_lane_reads(const struct hierarchy *m)
{
    uint32_t lanes = popcount32(m->host.lanes);
    return lanes ? (uint64_t)(lanes - 1) * m->gpu->xbar.host_lane_sectors : 0;
}

/* Nothing of it stays in the L2. How long it takes was not measured by itself: as an atomic. */
uint64_t hierarchy_host_read(struct hierarchy *m, uint32_t sectors, uint64_t t)
{
    m->count.l2_requests++;
    m->count.l2_tex_read += sectors;
    m->count.l2_tex_read_miss += sectors;
    m->count.l2_read += sectors;
    m->count.l2_read_miss += sectors;
    return t + m->gpu->l2.hit_cycles + m->gpu->xbar.host_atomic_cycles;
}

uint64_t hierarchy_host_atomic(struct hierarchy *m, uint32_t sm, uint64_t line, struct l2_atomics a,
                               uint64_t t)
{
    uint32_t at = (uint32_t)(line / m->gpu->l2.cache.line_bytes) % HOST_LINES;
    uint64_t start = m->host.line[at] == line ? later_of(t, m->host.free[at]) : t;
    m->host.line[at] = line;
    m->host.free[at] = start + m->gpu->xbar.host_atomic_interval_cycles;
    m->count.l2_requests++;
    m->count.l2_atomic += a.packets * (1 + is_far(m, sm, line));
    return start + m->gpu->l2.hit_cycles + m->gpu->xbar.host_atomic_cycles;
}
