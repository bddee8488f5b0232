/* column_walk.c - which accesses walk by column, and what is kept of them. */
#include "memory/column_walk.h"

#include "base/bits.h"

static uint32_t width_of(const struct strata_winst *w)
{
    return w->inst->width_bytes ? w->inst->width_bytes : 4;
}

struct column_walk *column_walk_of(struct column_walk walk[COLUMN_WALKS],
                                   const struct strata_coalescer *c, const struct strata_winst *w)
{
    uint64_t line_mask = ((uint64_t)1 << c->line_shift) - 1, step = (uint64_t)w->stride;
    if (w->addr_kind != STRATA_ADDR_STRIDE || !step || step & line_mask ||
        w->inst->space == STRATA_SPACE_LOCAL || w->inst->space == STRATA_SPACE_TEXTURE ||
        width_of(w) > 32 || (w->base & line_mask) + width_of(w) > line_mask + 1 ||
        popcount32(w->mask) < COLUMN_LEAST_LANES)
        return NULL;
    uint64_t number = w->base >> c->line_shift;
    return &walk[number * 0x9e3779b97f4a7c15ull >> 32 & (COLUMN_WALKS - 1)];
}

static uint32_t offset_of(const struct strata_coalescer *c, const struct strata_winst *w)
{
    return (uint32_t)(w->base & (((uint64_t)1 << c->line_shift) - 1));
}

uint32_t column_walk_sectors(const struct strata_coalescer *c, const struct strata_winst *w)
{
    uint32_t offset = offset_of(c, w), low = offset >> c->sector_shift,
             high = (offset + width_of(w) - 1) >> c->sector_shift;
    return (2u << high) - (1u << low);
}

/* When the sectors of a slot are there, if that is later than `last`. */
static uint64_t sectors_there(const struct cache_slot *s, uint32_t sectors, uint64_t last)
{
    for (; sectors; sectors &= sectors - 1) {
        uint32_t there = s->ready[lowest_bit32(sectors)];
        last = there > last ? there : last;
    }
    return last;
}

unsigned column_walk_run(const struct column_walk *k, struct cache *c, uint32_t sectors,
                         uint64_t *ready)
{
    const struct cache_slot *slots = c->slot;
    uint32_t *age = c->age, clock = c->clock, one = lowest_bit32(sectors),
             more = sectors & (sectors - 1);
    uint64_t last = *ready, line = k->line, step = (uint64_t)k->stride;
    unsigned n = 0;
    for (uint32_t rest = k->mask >> lowest_bit32(k->mask); rest; rest >>= 1, line += step) {
        if (!(rest & 1))
            continue;
        uint32_t slot = k->slot[n];
        const struct cache_slot *s = &slots[slot];
        /* A slot that holds no line has no valid sector. */
        if (slot == CACHE_NONE || s->line != line || sectors & (~(uint32_t)s->valid | s->partial))
            break;
        age[slot] = ++clock;
        last = s->ready[one] > last ? s->ready[one] : last;
        if (more)
            last = sectors_there(s, more, last);
        n++;
    }
    c->clock = clock;
    *ready = last;
    return n;
}

unsigned column_walk_requests(const struct strata_coalescer *c, const struct strata_winst *w,
                              struct strata_request *out)
{
    uint32_t sectors = column_walk_sectors(c, w), first = lowest_bit32(w->mask);
    uint64_t line = w->base - offset_of(c, w);
    unsigned n = 0;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        uint32_t lane = lowest_bit32(rest);
        out[n++] = (struct strata_request){line + (uint64_t)w->stride * (lane - first), sectors,
                                           1u << lane};
    }
    return n;
}

void column_walk_keep(struct column_walk *k, const struct strata_request *r, unsigned n,
                      const struct strata_winst *w, uint32_t tag_cycles, const uint32_t *slot)
{
    k->mask = 0;
    if (n != popcount32(w->mask)) /* lanes at the end of the address space */
        return;
    for (unsigned i = 0; i < n; i++) {
        k->slot[i] = slot[i];
        if (r[i].lanes & (r[i].lanes - 1))
            return;
    }
    k->line = r[0].line;
    k->stride = w->stride;
    k->tag_cycles = tag_cycles;
    k->mask = w->mask;
}
