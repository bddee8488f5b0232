/* l1_old.c - the L1 of the old model: a miss reserves its line and an MSHR, or is refused. */
#include "sim/l1.h"

#include "base/bits.h"

static bool reserved(const struct cache_slot *s)
{
    for (uint32_t b = s->valid; b; b &= b - 1)
        if (s->ready[lowest_bit32(b)] == UINT64_MAX)
            return true;
    return false;
}

uint32_t l1_old_slot(struct l1 *c, uint64_t line)
{
    struct cache *d = &c->data;
    uint32_t set = cache_set_of(d, line), victim = CACHE_NONE;
    if (d->fill[set] == d->set_start[set + 1] - d->set_start[set]) {
        for (uint32_t i = d->set_start[set]; i < d->set_start[set + 1]; i++)
            if (!reserved(&d->slot[i]) &&
                (victim == CACHE_NONE || d->tag[i].age < d->tag[victim].age))
                victim = i;
        if (victim == CACHE_NONE)
            return CACHE_NONE; /* every line of the set is under way */
        cache_remove(d, victim);
    }
    return cache_insert(d, line, NULL);
}

struct l1_answer l1_old_load(struct l1 *c, uint64_t line, uint8_t sectors, uint32_t op, uint64_t t)
{
    struct l1_answer a = {0};
    uint32_t slot = cache_find(&c->data, line);
    struct l1_entry *e = l1_find(c, line);
    if (slot != CACHE_NONE && !e) {
        a.hit = c->data.slot[slot].valid & sectors;
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
        slot = l1_old_slot(c, line);
        if (slot == CACHE_NONE)
            return (struct l1_answer){.refused = true};
    }
    if (!e && !(e = l1_add(c, line)))
        return (struct l1_answer){.failed = true};
    uint8_t rest = sectors & (uint8_t)~a.hit;
    a.inflight = e->pending & rest;
    a.miss = rest & (uint8_t)~e->pending;
    e->pending |= rest;
    if (slot != CACHE_NONE) {
        struct cache_slot *s = &c->data.slot[slot];
        s->valid |= a.miss;
        for (uint32_t b = a.miss; b; b &= b - 1)
            s->ready[lowest_bit32(b)] = UINT64_MAX;
    }
    a.failed = !l1_wait(c, e, op, rest);
    return a;
}
