/* memside_fixed.c - a memory side of one latency and one bandwidth, until the clocked one takes its place:
 * remove this file when memside.c is there. */
#include "sim/memside.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

struct sim_memside {
    uint32_t latency, cost64;
    uint64_t free64, reads, writes;
    struct sim_packet *packet;
    size_t n, cap;
};

strata_status sim_memside_create(const struct strata_gpu *gpu, uint64_t seed, struct sim_memside **out, struct strata_error *err)
{
    struct sim_memside *m = calloc(1, sizeof *m);
    (void)seed;
    if (!m)
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the memory side.");
    m->latency = gpu->l2.hit_cycles + gpu->dram.access_cycles + 2;
    double bytes = (double)gpu->dram.channels * gpu->dram.bus_bytes * gpu->dram.data_rate * gpu->dram.clock_mhz / gpu->sm.clock_mhz;
    m->cost64 = bytes > 0 ? (uint32_t)(64 * 32 / bytes + 0.5) : 1;
    *out = m;
    return STRATA_OK;
}

void sim_memside_destroy(struct sim_memside *m)
{
    if (m)
        free(m->packet);
    free(m);
}

uint64_t sim_memside_window_cycles(const struct sim_memside *m)
{
    return m->latency / 2;
}

/* Each request is answered as it comes: the replies are sorted because their turns are. */
strata_status sim_memside_send(struct sim_memside *m, const struct sim_packet *request, size_t n, struct strata_error *err)
{
    if (m->n + n > m->cap) {
        size_t cap = (m->n + n) * 2;
        struct sim_packet *grown = realloc(m->packet, cap * sizeof *grown);
        if (!grown)
            return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for the memory side.");
        m->packet = grown;
        m->cap = cap;
    }
    for (size_t i = 0; i < n; i++) {
        struct sim_packet p = request[i];
        uint64_t start = m->free64 > p.time * 64 ? m->free64 : p.time * 64;
        uint32_t sectors = popcount32(p.sectors);
        m->free64 = start + sectors * m->cost64;
        *(p.kind == SIM_WRITE ? &m->writes : &m->reads) += sectors;
        p.time = start / 64 + m->latency;
        m->packet[m->n++] = p;
    }
    return STRATA_OK;
}

strata_status sim_memside_run(struct sim_memside *m, uint64_t end, uint32_t threads, const struct sim_packet **reply, size_t *n,
                              struct strata_error *err)
{
    (void)end;
    (void)threads;
    (void)err;
    *reply = m->packet;
    *n = m->n;
    m->n = 0;
    return STRATA_OK;
}

uint64_t sim_memside_next(const struct sim_memside *m)
{
    return m->n ? m->packet[0].time - m->latency : UINT64_MAX;
}

void sim_memside_memcpy(struct sim_memside *m, uint64_t address, uint64_t bytes)
{
    (void)m;
    (void)address;
    (void)bytes;
}

void sim_memside_report(const struct sim_memside *m, uint64_t elapsed_cycles, struct strata_result *out)
{
    (void)elapsed_cycles;
    strata_result_set(out, "lts__t_sectors_srcunit_tex_op_read.sum", (double)m->reads);
    strata_result_set(out, "lts__t_sectors_srcunit_tex_op_write.sum", (double)m->writes);
}
