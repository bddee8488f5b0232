/* lsu_lines.c - what one memory instruction asks of the load/store unit: lines, bytes, cycles. */
#include <string.h>

#include "base/bits.h"
#include "sim/sm.h"

/* L1 sectors in sectors of 32 bytes, the packets' unit. */
static uint8_t widen(const struct sim_shared *g, uint32_t sectors)
{
    uint32_t each = g->sector_bytes / 32, wide = 0;
    if (each <= 1)
        return (uint8_t)sectors;
    for (uint32_t b = sectors; b; b &= b - 1)
        wide |= ((1u << each) - 1) << (lowest_bit32(b) * each);
    return (uint8_t)(wide & 15);
}

/* Bytes of loads matter only once something was written in part; the unit works in order. */
static void fill_line(struct sim_sm *s, const struct strata_winst *w,
                      const struct strata_request *r, bool alone, struct sim_lsu_line *line)
{
    uint32_t memop = w->inst->memop, sectors;
    bool load =
        memop != STRATA_MEM_STORE && memop != STRATA_MEM_ATOMIC && memop != STRATA_MEM_REDUCTION;
    line->line = r->line;
    line->sectors = (uint8_t)r->sectors;
    line->packet_sectors = widen(s->shared, r->sectors);
    line->atomics = (struct l2_atomics){0};
    if (!load || s->lsu.wrote_part)
        line_bytes_of(&line->bytes, w, r, s->shared->gpu->l1.cache.line_bytes);
    if (load)
        return;
    sectors = line_bytes_touched(&line->bytes);
    if (sectors)
        line->packet_sectors = (uint8_t)sectors;
    if (memop == STRATA_MEM_STORE)
        s->lsu.wrote_part |= line_bytes_full(&line->bytes, sectors, 5) != sectors;
    else
        line->atomics = l2_atomics_of(w, r, alone, s->shared->ptx);
}

unsigned sim_lines(struct sim_sm *s, const struct sim_warp *w, struct sim_lsu_op *q)
{
    struct strata_request r[STRATA_MAX_REQUESTS];
    struct sim_lsu *u = &s->lsu;
    const struct strata_winst *i = &w->next;
    unsigned n = strata_coalesce(&s->shared->coalescer, i, w->local_base, r);
    q->cycles = q->wavefronts = 1;
    if (!n)
        return 0;
    for (unsigned k = 0; k < n; k++)
        fill_line(s, i, &r[k], n == 1, &u->line[(u->line_tail + k) % SIM_LSU_LINES]);
    count_access(&s->count.n, i->inst, l1_counted_sectors(i, r, n, s->shared->ptx), 0);
    q->wavefronts = load_store_passes(s->shared->gpu, &s->shared->coalescer, i, n);
    q->cycles = load_store_cycles_with(s->shared->gpu, i,
                                       load_store_tag_cycles(s->shared->gpu, r, n), q->wavefronts);
    return n;
}
