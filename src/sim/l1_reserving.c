/* l1_reserving.c - a miss reserves its line and an MSHR, or is refused (the old model of paper
 * 004).
 */
#include "sim/l1.h"

#include "base/bits.h"

struct l1_answer l1_reserving_load(struct l1 *c, const struct l1_access *asked, uint32_t op,
                                   uint64_t t)
{
    struct l1_answer a = {0};
    uint64_t line = asked->line;
    uint8_t sectors = asked->sectors;
    uint32_t slot = cache_find(&c->data, line);
    struct l1_entry *e = l1_find(c, line);
    a.tag_hit = slot != CACHE_NONE || e;
    if (slot != CACHE_NONE && !e) {
        a.hit = (uint8_t)l1_readable(&c->data, c->gpu, slot, sectors, asked->read);
        if (a.hit == sectors) {
            cache_touch(&c->data, slot);
            return a;
        }
    }
    if (e && c->gpu->l1.mshr_merges && e->n_waiters >= c->gpu->l1.mshr_merges)
        return (struct l1_answer){.refused = true};
    if (!e && c->n_used >= c->gpu->l1.mshrs)
        return (struct l1_answer){.refused = true};
    if (slot == CACHE_NONE && !e) {
        slot = l1_place(&c->data, c->gpu, line, t);
        if (slot == CACHE_NONE)
            return (struct l1_answer){.refused = true};
    }
    if (!e && !(e = l1_add(c, line)))
        return (struct l1_answer){.failed = true};
    uint8_t rest = sectors & (uint8_t)~a.hit;
    a.inflight = e->pending & rest;
    a.miss = rest & (uint8_t)~e->pending;
    e->pending |= rest;
    if (slot != CACHE_NONE)
        slot_fill(&c->data.slot[slot], a.miss, UINT64_MAX);
    a.failed = !l1_wait(c, e, op, rest);
    return a;
}
