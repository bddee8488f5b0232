/* policy_nru.c - not recently used: a bit per way; the first way without it goes, and when all have
 * it only the last one used keeps it. Not-MRU: any way but the last one used. */
#include "cache/policy_files.h"

void nru_on_access(struct cache *c, uint32_t set, uint32_t slot)
{
    uint32_t s = c->set_start[set], end = c->set_start[set + 1];
    c->policy_state[slot] = 1;
    while (s < end && c->policy_state[s])
        s++;
    if (s < end)
        return;
    for (s = c->set_start[set]; s < end; s++)
        c->policy_state[s] = s == slot;
}

uint32_t nru_victim(struct cache *c, uint32_t set)
{
    uint32_t s = c->set_start[set];
    while (s + 1 < c->set_start[set + 1] && c->policy_state[s])
        s++;
    return s;
}

uint32_t not_mru_victim(struct cache *c, uint32_t set)
{
    uint32_t first = c->set_start[set], size = c->set_start[set + 1] - first, newest = first;
    if (size == 1)
        return first;
    for (uint32_t s = first + 1; s < first + size; s++)
        if (c->age[s] > c->age[newest])
            newest = s;
    uint32_t other = first + (uint32_t)((uint64_t)cache_random(c) * (size - 1) >> 32);
    return other >= newest ? other + 1 : other;
}
