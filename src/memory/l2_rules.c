/* l2_rules.c - geometry, costs, packets of atomics. */
#include "memory/l2_rules.h"

void l2_rules_init(struct l2_rules *r, const struct strata_gpu *gpu, uint32_t sector_bytes)
{
    const struct strata_cache_config *l1 = &gpu->l1.cache, *l2 = &gpu->l2.cache;
    *r = (struct l2_rules){.gpu = gpu,
                           .sector_bytes = sector_bytes,
                           .sector_shift = log2_floor(sector_bytes),
                           .line_sectors = l2->line_bytes / sector_bytes,
                           .together = l2->sector_bytes / sector_bytes,
                           .fetched_together = gpu->l2.fetch_bytes / sector_bytes};
    r->same_geometry = l1->line_bytes == l2->line_bytes && l1->sector_bytes == sector_bytes;
}

uint32_t l2_part_of(const struct l2_rules *r, uint64_t line, uint32_t sectors, uint64_t *at,
                    uint64_t *l2_line)
{
    uint32_t l1_line = r->gpu->l1.cache.line_bytes, l1_sector = r->gpu->l1.cache.sector_bytes,
             l2_line_bytes = r->gpu->l2.cache.line_bytes, mask = 0;
    *l2_line = *at & ~(uint64_t)(l2_line_bytes - 1);
    for (; *at < line + l1_line && *at < *l2_line + l2_line_bytes; *at += r->sector_bytes)
        if (sectors >> ((*at - line) / l1_sector) & 1)
            mask |= 1u << ((*at - *l2_line) / r->sector_bytes);
    return mask;
}

void l2_bytes_of(const struct l2_rules *r, uint64_t line, const struct line_bytes *bytes,
                 uint64_t l2_line, struct line_bytes *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < LINE_BYTES_MOST; i++) {
        uint64_t at = line + i;
        if ((bytes->sector[i / 32] >> i % 32 & 1) && at >= l2_line &&
            at < l2_line + r->gpu->l2.cache.line_bytes)
            line_bytes_set(out, (uint32_t)(at - l2_line), (uint32_t)(at - l2_line) + 1);
    }
}

void l2_costs_init(struct l2_costs *c, const struct strata_gpu *g, uint32_t sector_bytes)
{
    double clock = g->l2.clock_mhz ? (double)g->l2.clock_mhz / g->sm.clock_mhz : 1;
    c->sector = cost_64ths(sector_bytes, g->l2.bytes_per_cycle_per_slice * clock);
    c->request = (uint32_t)(g->l2.request_cycles * 64 + 0.5);
    c->partial = (uint32_t)(g->l2.partial_write_cycles * 64 + 0.5);
    c->write_flit = (uint32_t)(g->l2.write_flit_cycles * 64 + 0.5);
    c->mask_flit = c->write_flit && g->l2.mask_flit_cycles
                       ? (uint32_t)(g->l2.mask_flit_cycles * 64 + 0.5)
                       : c->write_flit;
    c->overtaken = (uint32_t)(g->l2.overtaken_cycles * 64 + 0.5);
    c->overtaken_sector = (uint32_t)(g->l2.overtaken_sector_cycles * 64 + 0.5);
    c->clean_hold = (uint32_t)(g->l2.clean_hold_cycles * 64 + 0.5);
    c->fill = (uint32_t)(g->l2.partial_fill_cycles * 64 + 0.5);
    c->atomic = (uint32_t)(g->l2.atomic_cycles * 64 + 0.5);
    c->atomic_whole = g->l2.atomic_whole_cycles > 0
                          ? (uint32_t)(g->l2.atomic_whole_cycles * 64 + 0.5)
                          : c->atomic;
    c->atomic_float = (uint32_t)(g->l2.atomic_float_cycles * 64 + 0.5);
    c->link_sector = cost_64ths(64.0 * sector_bytes, g->l2.fabric_bytes_per_cycle);
    c->link_head = (uint32_t)(c->link_sector * g->l2.fabric_head + 0.5);
}

/* From PTX: the assembler adds up the lanes of a reduction on one address first. */
static bool is_added_up(const struct strata_winst *w, bool alone, bool ptx)
{
    bool one_address = w->addr_kind == STRATA_ADDR_STRIDE && !w->stride;
    return ptx && alone && one_address && w->inst->memop == STRATA_MEM_REDUCTION &&
           w->inst->atomic == STRATA_ATOMIC_OTHER;
}

/* Swaps of which only one word is meant pass at the speed of others (probe atomic_type, one). */
static struct l2_atomics atomics(const struct strata_winst *w, uint32_t packets, uint32_t words)
{
    bool swaps = w->inst->atomic == STRATA_ATOMIC_COMPARE;
    return (struct l2_atomics){(uint8_t)(packets ? packets : 1),
                               swaps && words == 1 ? STRATA_ATOMIC_OTHER : w->inst->atomic};
}

struct l2_atomics l2_atomics_of(const struct strata_winst *w, const struct strata_request *r,
                                bool alone, bool ptx)
{
    uint8_t count[LINE_BYTES_MOST / 4] = {0};
    uint32_t most[LINE_BYTES_MOST / PACKET_SECTOR_BYTES] = {0}, packets = 0, words = 0;
    if (is_added_up(w, alone, ptx))
        return atomics(w, 1, 1);
    for (uint32_t l = r->lanes; l; l &= l - 1) {
        uint64_t at = line_bytes_address(w, lowest_bit32(l));
        uint32_t word = (uint32_t)(at - r->line) / 4 % (LINE_BYTES_MOST / 4), k = word / 8;
        words += !count[word]++;
        most[k] = count[word] > most[k] ? count[word] : most[k];
    }
    for (uint32_t k = 0; k < 4; k++)
        packets += most[k];
    return atomics(w, packets, words);
}

uint32_t l1_counted_sectors(const struct strata_winst *w, const struct strata_request *r,
                            unsigned n, bool ptx)
{
    bool atomic = w->inst->memop == STRATA_MEM_ATOMIC || w->inst->memop == STRATA_MEM_REDUCTION;
    uint32_t sectors = 0;
    if (!atomic || is_added_up(w, n == 1, ptx))
        return strata_count_sectors(r, n);
    for (unsigned i = 0; i < n; i++)
        sectors += l2_atomics_of(w, &r[i], n == 1, ptx).packets;
    return sectors;
}
