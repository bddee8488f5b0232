/* l1_streaming.c - the sectored, streaming L1: tags and MSHRs in one table (paper 004, figure 6).
 */
#include "sim/l1.h"

#include "base/bits.h"

/* Whether the table can take another request for this line. */
static bool room(const struct l1 *c, const struct l1_entry *e)
{
    if (!e)
        return !c->gpu->l1.mshrs || c->n_used < c->gpu->l1.mshrs;
    return !c->gpu->l1.mshr_merges || e->n_waiters < c->gpu->l1.mshr_merges;
}

/* Allocation on a miss, as far as the table allows it: the line takes its place now, and may lose
 * it again before its data arrives. */
static void reserve(struct l1 *c, uint32_t slot, uint64_t line, uint8_t sectors)
{
    if (slot == CACHE_NONE)
        slot = cache_insert(&c->data, line, NULL);
    slot_fill(&c->data.slot[slot], sectors, UINT64_MAX);
}

struct l1_answer l1_streaming_load(struct l1 *c, const struct l1_access *asked, uint32_t op,
                                   uint64_t t)
{
    struct l1_answer a = {0};
    uint64_t line = asked->line;
    uint8_t sectors = asked->sectors;
    uint32_t slot = cache_find(&c->data, line);
    if (slot != CACHE_NONE) {
        const struct cache_slot *s = &c->data.slot[slot];
        for (uint32_t b = l1_readable(&c->data, c->gpu, slot, sectors, asked->read); b; b &= b - 1)
            if (!(s->valid & b & (0u - b)) || s->ready[lowest_bit32(b)] <= t)
                a.hit |= (uint8_t)(b & (0u - b));
    }
    uint8_t rest = sectors & (uint8_t)~a.hit;
    struct l1_entry *e = rest ? l1_find(c, line) : NULL;
    a.tag_hit = slot != CACHE_NONE || e;
    if (rest && !room(c, e))
        return (struct l1_answer){.refused = true};
    if (slot != CACHE_NONE)
        cache_touch(&c->data, slot);
    if (!rest)
        return a;
    if (!e && !(e = l1_add(c, line)))
        return (struct l1_answer){.failed = true};
    a.inflight = e->pending & rest & (uint8_t)~e->stale;
    a.miss = rest & (uint8_t)~a.inflight;
    e->pending |= rest;
    e->stale &= (uint8_t)~rest;
    if (a.miss && !c->on_fill)
        reserve(c, slot, line, a.miss);
    a.failed = !l1_wait(c, e, op, rest);
    return a;
}
