/* policy_plru.c - tree pseudo-LRU: a bit per inner node points away from the last use. */
#include "cache/policy_files.h"

/* Ways that are no power of two leave part of the tree unused; walks are steered into the rest. */
static uint32_t leaves(uint32_t size)
{
    uint32_t n = 1;
    while (n < size)
        n *= 2;
    return n;
}

void plru_on_access(struct cache *c, uint32_t set, uint32_t slot)
{
    uint32_t first = c->set_start[set], size = c->set_start[set + 1] - first;
    uint8_t *node = c->policy_state + first; /* node i >= 1 of the tree is byte i - 1 of the set */
    for (uint32_t i = leaves(size) + (slot - first); i > 1; i /= 2)
        if (i / 2 - 1 < size)
            node[i / 2 - 1] = !(i & 1);
}

uint32_t plru_victim(struct cache *c, uint32_t set)
{
    uint32_t first = c->set_start[set], size = c->set_start[set + 1] - first, n = leaves(size),
             i = 1, span = n;
    const uint8_t *node = c->policy_state + first;
    uint32_t low = 0; /* first way below node i */
    while (i < n) {
        uint32_t right = i - 1 < size && node[i - 1];
        span /= 2;
        if (right && low + span >= size)
            right = 0;
        i = 2 * i + right;
        low += right ? span : 0;
    }
    return first + low;
}
