/* nominal.c - unlimited caches: tables of lines and when they arrived. */
#include "learn/nominal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

static size_t place_of(const struct nominal_table *t, uint64_t line)
{
    size_t i = (size_t)mix64(line) & (t->cap - 1);
    while (t->line[i] && t->line[i] != line + 1)
        i = (i + 1) & (t->cap - 1);
    return i;
}

static void table_release(struct nominal_table *t)
{
    free(t->line);
    free(t->arrival);
    *t = (struct nominal_table){0};
}

static bool table_grow(struct nominal_table *t)
{
    struct nominal_table larger = {.cap = t->cap ? t->cap * 2 : 1024, .n = t->n};
    larger.line = calloc(larger.cap, sizeof *larger.line);
    larger.arrival = malloc(larger.cap * sizeof *larger.arrival);
    if (!larger.line || !larger.arrival) {
        table_release(&larger);
        return false;
    }
    for (size_t i = 0; i < t->cap; i++) {
        if (!t->line[i])
            continue;
        size_t at = place_of(&larger, t->line[i] - 1);
        larger.line[at] = t->line[i];
        larger.arrival[at] = t->arrival[i];
    }
    table_release(t);
    *t = larger;
    return true;
}

/* The arrival of a line, a new one if it was never asked for; NULL if memory ran out. */
static uint64_t *arrival_of(struct nominal_table *t, uint64_t line, bool *first)
{
    if ((t->n + 1) * 2 > t->cap && !table_grow(t))
        return NULL;
    size_t i = place_of(t, line);
    *first = !t->line[i];
    t->n += *first;
    t->line[i] = line + 1;
    return &t->arrival[i];
}

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
        table_release(&m->l1[i]);
    free(m->l1);
    table_release(&m->l2);
    memset(m, 0, sizeof *m);
}

/* When the L2 has a line, as seen by the SM that asked for it. */
static uint64_t l2_answer(struct nominal_memory *m, uint64_t line, uint64_t at)
{
    bool first;
    uint64_t hit = at + m->gpu->l2.hit_cycles, *arrival = arrival_of(&m->l2, line, &first);
    if (!arrival)
        return 0;
    if (first) {
        m->dram_free = (m->dram_free > (double)at ? m->dram_free : (double)at) + m->dram_cycles;
        uint64_t rate = (uint64_t)m->dram_free + m->gpu->l2.hit_cycles;
        *arrival = m->gpu->dram.access_cycles + (rate > hit ? rate : hit);
    }
    return *arrival > hit ? *arrival : hit;
}

uint64_t nominal_load(struct nominal_memory *m, uint32_t sm, uint64_t line, uint64_t at)
{
    bool first;
    uint64_t *arrival = arrival_of(&m->l1[sm], line, &first), hit = at + m->gpu->l1.hit_cycles;
    if (!arrival)
        return 0;
    if (first) {
        *arrival = l2_answer(m, line, at);
        if (!*arrival)
            return 0;
    }
    return *arrival > hit ? *arrival : hit;
}
