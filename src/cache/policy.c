/* policy.c - the table of replacement policies, and the simple ones. */
#include "cache/cache.h"
#include "cache/policy_files.h"

static uint32_t oldest(struct cache *c, uint32_t set)
{
    uint32_t best = cache_set_start(c, set), end = cache_set_start(c, set + 1);
    uint32_t least = c->age[best];
    for (uint32_t s = best + 1; s < end; s++)
        if (c->age[s] < least)
            least = c->age[best = s];
    return best;
}

static uint32_t any(struct cache *c, uint32_t set)
{
    uint32_t first = cache_set_start(c, set), size = cache_set_start(c, set + 1) - first;
    return first + (uint32_t)((uint64_t)cache_random(c) * size >> 32);
}

/* The ages that the next choice will compare lie anywhere: which they are is known. */
static void expect_draws(const struct cache *c, uint32_t set, int n)
{
    uint64_t random = c->random;
    uint32_t first = cache_set_start(c, set), size = cache_set_start(c, set + 1) - first;
    for (int i = 0; i < n; i++)
        expect_read(&c->age[first + (uint32_t)((uint64_t)cache_next_random(&random) * size >> 32)]);
}

/* The oldest of a few slots drawn at random: what the H200's L1 does to a footprint slightly above
 * its size lies between least recently used and random (device/probe, groups l1 and sweep). */
static uint32_t oldest_of_some(struct cache *c, uint32_t set)
{
    enum { DRAWS = 5 };
    uint32_t best = any(c, set);
    for (int i = 1; i < DRAWS; i++) {
        uint32_t s = any(c, set);
        if (c->age[s] < c->age[best])
            best = s;
    }
    expect_draws(c, set, DRAWS);
    return best;
}

static const struct cache_policy policies[] = {
    {STRATA_REPL_LRU, "lru", "least recently used", 0, true, NULL, oldest},
    {STRATA_REPL_FIFO, "fifo", "first in, first out", 0, false, NULL, oldest},
    {STRATA_REPL_RANDOM, "random", "any way, uniformly", 0, false, NULL, any},
    {STRATA_REPL_PLRU, "plru", "tree pseudo-LRU", UINT32_MAX, true, plru_on_access, plru_victim},
    {STRATA_REPL_WEIGHTED, "weighted", "each way with its own probability", 0, false, NULL,
     weighted_victim},
    {STRATA_REPL_NRU, "nru", "the first way not used recently", UINT32_MAX, false, nru_on_access,
     nru_victim},
    {STRATA_REPL_NOT_MRU, "not-mru", "any way but the last one used", 0, true, NULL,
     not_mru_victim},
    {STRATA_REPL_SRRIP, "srrip", "re-reference intervals of two bits", UINT32_MAX, false,
     srrip_on_access, srrip_victim},
    {STRATA_REPL_AGED, "aged", "the oldest of five ways drawn at random", 0, true, NULL,
     oldest_of_some},
};

const struct cache_policy *cache_policy_find(uint32_t id)
{
    for (uint32_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (policies[i].id == id)
            return &policies[i];
    return NULL;
}
