/* lsu_lines.c - what one memory instruction asks of the load/store unit: lines, bytes, cycles. */
#include <string.h>

#include "base/bits.h"
#include "sim/sm.h"

/* Passes over the data banks: lanes whose words share a bank go one after another. Affine accesses
 * to words need no look at each lane. */
static uint32_t bank_passes(const struct sim_shared *g, const struct strata_winst *w)
{
    if (w->addr_kind == STRATA_ADDR_STRIDE && w->inst->width_bytes == 4 && w->stride % 4 == 0 &&
        g->gpu->shared.banks == 32 && g->gpu->shared.bank_mode == STRATA_BANKS_4B) {
        uint32_t step = (uint32_t)(w->stride < 0 ? -w->stride : w->stride) / 4;
        uint32_t common =
            step % 32 ? step & (0u - step) : 32; /* greatest power of two in the step, up to 32 */
        return step ? (popcount32(w->mask) * common + 31) / 32 : 1;
    }
    return strata_shared_access(&g->coalescer, w).wavefronts;
}

/* Cycles the unit needs: tag look-ups of several lines a cycle, and passes over the data banks as
 * in shared memory (docs/flow.md, probe hit_rate). */
static uint32_t access_cycles(struct sim_sm *s, const struct strata_winst *w, unsigned n)
{
    const struct strata_gpu *g = s->shared->gpu;
    uint32_t tags = g->l1.tags_per_cycle ? g->l1.tags_per_cycle : 1;
    uint32_t cycles = (n + tags - 1) / tags;
    uint32_t width = w->inst->width_bytes > 4 ? w->inst->width_bytes / 4u : 1;
    if (n <= width)
        return cycles > width ? cycles : width;
    uint32_t passes = bank_passes(s->shared, w);
    if (cycles > 1)
        s->count.n.set_conflicts += cycles - 1;
    return passes > cycles ? passes : cycles;
}

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

static void set_bytes(uint32_t mask[4], uint64_t from, uint64_t to)
{
    for (uint64_t k = from / 32; k < 4 && k * 32 < to; k++) {
        uint64_t low = from > k * 32 ? from - k * 32 : 0,
                 high = to - k * 32 < 32 ? to - k * 32 : 32;
        mask[k] |= (uint32_t)(((uint64_t)1 << high) - ((uint64_t)1 << low));
    }
}

/* Bytes of a line that the lanes of a request touch. Local memory interleaves 4-byte words of
 * lanes. */
static void touch_bytes(const struct sim_shared *g, const struct strata_winst *w,
                        const uint64_t *addr, const struct strata_request *r, uint32_t mask[4])
{
    uint64_t end = r->line + g->gpu->l1.cache.line_bytes;
    memset(mask, 0, 4 * sizeof *mask);
    for (uint32_t l = r->lanes; l; l &= l - 1) {
        uint32_t lane = lowest_bit32(l);
        if (w->inst->space == STRATA_SPACE_LOCAL) {
            set_bytes(mask, lane * 4, lane * 4 + 4);
            continue;
        }
        uint64_t from = sim_max(addr[lane], r->line), to = addr[lane] + w->inst->width_bytes;
        to = to < end ? to : end;
        if (from < to)
            set_bytes(mask, from - r->line, to - r->line);
    }
}

/* Lanes that meet in one word go one after another, lanes in other words of a sector together
 * (docs/flow.md, probe atomics): packets of a sector = the most lanes on one word. */
static uint32_t atomic_packets(const struct strata_winst *w, const uint64_t *addr,
                               const struct strata_request *r)
{
    uint8_t count[32] = {0};
    uint32_t most[4] = {0}, packets = 0;
    for (uint32_t l = r->lanes; l; l &= l - 1) {
        uint32_t word = (uint32_t)(addr[lowest_bit32(l)] - r->line) / 4 % 32, k = word / 8;
        count[word]++;
        most[k] = count[word] > most[k] ? count[word] : most[k];
    }
    for (uint32_t k = 0; k < 4; k++)
        packets += most[k];
    return packets ? packets : 1;
}

static void fill_line(struct sim_sm *s, const struct strata_winst *w, const uint64_t *addr,
                      const struct strata_request *r, struct sim_lsu_line *line)
{
    line->line = r->line;
    line->sectors = (uint8_t)r->sectors;
    line->packet_sectors = widen(s->shared, r->sectors);
    line->operations = 0;
    uint32_t memop = w->inst->memop;
    if (memop != STRATA_MEM_STORE && memop != STRATA_MEM_ATOMIC && memop != STRATA_MEM_REDUCTION)
        return;
    touch_bytes(s->shared, w, addr, r, line->byte_mask);
    line->packet_sectors = 0;
    for (uint32_t k = 0; k < 4; k++)
        line->packet_sectors |= (uint8_t)((line->byte_mask[k] != 0) << k);
    if (!line->packet_sectors)
        line->packet_sectors = widen(s->shared, r->sectors);
    if (memop != STRATA_MEM_STORE)
        line->operations = (uint16_t)atomic_packets(w, addr, r);
}

unsigned sim_lines(struct sim_sm *s, const struct sim_warp *w, uint32_t *cycles)
{
    struct strata_request r[STRATA_MAX_REQUESTS];
    uint64_t addr[STRATA_WARP_SIZE];
    struct sim_lsu *u = &s->lsu;
    const struct strata_winst *i = &w->next;
    unsigned n = strata_coalesce(&s->shared->coalescer, i, w->local_base, r);
    bool load = i->inst->memop == STRATA_MEM_LOAD || i->inst->memop == STRATA_MEM_ASYNC_COPY;
    *cycles = 1;
    if (!n)
        return 0;
    if (!load)
        strata_winst_addresses(i, addr);
    for (unsigned k = 0; k < n; k++)
        fill_line(s, i, addr, &r[k], &u->line[(u->line_tail + k) % SIM_LSU_LINES]);
    if (s->shared->ptx && i->inst->memop == STRATA_MEM_REDUCTION && n == 1 &&
        i->addr_kind == STRATA_ADDR_STRIDE && !i->stride)
        u->line[u->line_tail % SIM_LSU_LINES].operations =
            1; /* ptxas adds up the lanes of a warp first */
    *cycles = access_cycles(s, i, n);
    return n;
}
