/* nominal.c - unlimited caches: tables of lines and when they arrived. */
#include "learn/nominal.h"

#include <stdlib.h>
#include <string.h>

strata_status nominal_init(struct nominal_memory *m, const struct strata_gpu *gpu,
                           uint32_t line_bytes, struct strata_error *err)
{
    double rate =
        strata_gpu_dram_bytes_per_second(gpu) * gpu->dram.efficiency / (gpu->sm.clock_mhz * 1e6);
    *m = (struct nominal_memory){.gpu = gpu, .dram_cycles = rate > 0 ? line_bytes / rate : 0};
    m->l1 = calloc(gpu->sm.count, sizeof *m->l1);
    return m->l1 ? STRATA_OK : strata_no_memory(err, NULL, "for the SMs of a launch");
}

void nominal_release(struct nominal_memory *m)
{
    for (uint32_t i = 0; m->l1 && i < m->gpu->sm.count; i++)
        number_table_release(&m->l1[i]);
    free(m->l1);
    number_table_release(&m->l2);
    memset(m, 0, sizeof *m);
}

/* When the L2 has a line, as seen by the SM that asked for it. */
static uint64_t l2_answer(struct nominal_memory *m, uint64_t line, uint64_t at)
{
    uint64_t hit = at + m->gpu->l2.hit_cycles, *arrival = number_table_put(&m->l2, line);
    if (!arrival)
        return 0;
    if (!*arrival) {
        m->dram_free = (m->dram_free > (double)at ? m->dram_free : (double)at) + m->dram_cycles;
        uint64_t rate = (uint64_t)m->dram_free + m->gpu->l2.hit_cycles;
        *arrival = m->gpu->dram.access_cycles + (rate > hit ? rate : hit);
    }
    return *arrival > hit ? *arrival : hit;
}

uint64_t nominal_load(struct nominal_memory *m, uint32_t sm, uint64_t line, uint64_t at)
{
    uint64_t hit = at + m->gpu->l1.hit_cycles, *arrival = number_table_put(&m->l1[sm], line);
    if (!arrival)
        return 0;
    if (!*arrival) {
        *arrival = l2_answer(m, line, at);
        if (!*arrival)
            return 0;
    }
    return *arrival > hit ? *arrival : hit;
}
