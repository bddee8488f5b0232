/* cache.c - slots, the hash table that finds them, and sets. */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/bits.h"
#include "cache/index.h"

static strata_status no_memory(struct cache *c, struct strata_error *err)
{
    cache_release(c);
    return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0, "There is no memory left for a modelled cache.");
}

/* Look-ups are random over an L2's tens of megabytes: large pages save most of their page walks.
 * Fresh memory is asked for before it is touched; where the wish is not granted nothing changes. */
static void *alloc_zeroed(size_t n, size_t bytes)
{
    enum { LARGE_PAGE = 2 << 20 };
    char *p = calloc(n, bytes);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (p && n * bytes >= 4u * LARGE_PAGE) {
        uintptr_t from = ((uintptr_t)p + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE, to = ((uintptr_t)p + n * bytes) / LARGE_PAGE * LARGE_PAGE;
        madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
#endif
    return p;
}

/* Sets of equal size, or the listed ones (paper 002, Table 5: an L2 TLB of one set of 17 and six of 8). */
static bool lay_out_sets(struct cache *c)
{
    const struct strata_cache_config *g = &c->config;
    c->n_slots = (uint32_t)(g->size_bytes / g->line_bytes);
    c->ways = g->ways ? g->ways : c->n_slots;
    if (c->ways > c->n_slots)
        c->ways = c->n_slots;
    c->n_sets = g->n_set_ways ? g->n_set_ways : c->n_slots / c->ways;
    if (!c->n_sets)
        c->n_sets = 1;
    c->set_start = calloc(c->n_sets + 1, sizeof *c->set_start);
    if (!c->set_start)
        return false;
    for (uint32_t s = 0; s < c->n_sets; s++)
        c->set_start[s + 1] = c->set_start[s] + (g->n_set_ways ? g->set_ways[s] : c->ways);
    c->n_slots = c->set_start[c->n_sets];
    return true;
}

static size_t policy_bytes(const struct cache *c)
{
    return c->policy->state_bytes_per_set == UINT32_MAX ? c->n_slots : (size_t)c->policy->state_bytes_per_set * c->n_sets;
}

strata_status cache_create(const struct strata_cache_config *config, uint64_t seed, struct cache *out,
                           struct strata_error *err)
{
    memset(out, 0, sizeof *out);
    out->config = *config;
    if (!config->line_bytes || !config->sector_bytes || config->size_bytes < config->line_bytes ||
        config->line_bytes / config->sector_bytes > CACHE_MAX_SECTORS)
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                           "A cache of %llu bytes with lines of %u and sectors of %u bytes cannot be modelled; "
                           "a line has at most %d sectors and the cache at least one line.",
                           (unsigned long long)config->size_bytes, config->line_bytes, config->sector_bytes,
                           CACHE_MAX_SECTORS);
    out->policy = cache_policy_find(config->replacement);
    if (!out->policy)
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0, "Replacement policy %u is not implemented.",
                           config->replacement);
    out->line_shift = log2_floor(config->line_bytes);
    out->sector_shift = log2_floor(config->sector_bytes);
    if (!lay_out_sets(out))
        return no_memory(out, err);
    uint32_t table = 16;
    while (table < out->n_slots * 2)
        table *= 2;
    out->table_mask = table - 1;
    out->slot = alloc_zeroed(out->n_slots, sizeof *out->slot);
    out->table = alloc_zeroed(table, sizeof *out->table);
    out->fill = calloc(out->n_sets, sizeof *out->fill);
    out->policy_state = calloc(policy_bytes(out) + 1, 1);
    if (!out->slot || !out->table || !out->fill || !out->policy_state)
        return no_memory(out, err);
    out->random = mix64(seed + 0x9e3779b97f4a7c15ull) | 1;
    return STRATA_OK;
}

void cache_release(struct cache *c)
{
    free(c->slot);
    free(c->table);
    free(c->fill);
    free(c->set_start);
    free(c->policy_state);
    memset(c, 0, sizeof *c);
}

void cache_clear(struct cache *c)
{
    memset(c->slot, 0, c->n_slots * sizeof *c->slot);
    memset(c->table, 0, ((size_t)c->table_mask + 1) * sizeof *c->table);
    memset(c->fill, 0, c->n_sets * sizeof *c->fill);
    memset(c->policy_state, 0, policy_bytes(c));
    c->clock = 0;
}

uint32_t cache_set_of(const struct cache *c, uint64_t line)
{
    return index_of(&c->config, c->n_sets, line);
}

void cache_touch(struct cache *c, uint32_t slot)
{
    if (c->policy->touch_on_hit)
        c->slot[slot].age = ++c->clock;
    if (c->policy->on_access)
        c->policy->on_access(c, cache_set_of(c, c->slot[slot].line), slot);
}

static void table_add(struct cache *c, uint64_t line, uint32_t slot)
{
    uint32_t h = cache_hash(c, line);
    while (c->table[h])
        h = (h + 1) & c->table_mask;
    c->table[h] = slot + 1;
}

/* Linear probing without tombstones: entries behind the hole move up if they may. */
static void table_remove(struct cache *c, uint64_t line, uint32_t slot)
{
    uint32_t hole = cache_hash(c, line);
    while (c->table[hole] != slot + 1)
        hole = (hole + 1) & c->table_mask;
    for (uint32_t at = (hole + 1) & c->table_mask; c->table[at]; at = (at + 1) & c->table_mask) {
        uint32_t home = cache_hash(c, c->slot[c->table[at] - 1].line);
        if (((at - home) & c->table_mask) >= ((at - hole) & c->table_mask)) {
            c->table[hole] = c->table[at];
            hole = at;
        }
    }
    c->table[hole] = 0;
}

static uint32_t free_slot(const struct cache *c, uint32_t set)
{
    for (uint32_t s = c->set_start[set]; s < c->set_start[set + 1]; s++)
        if (!c->slot[s].used)
            return s;
    return CACHE_NONE;
}

uint32_t cache_insert(struct cache *c, uint64_t line, struct cache_slot *evicted)
{
    uint32_t set = cache_set_of(c, line), size = c->set_start[set + 1] - c->set_start[set], slot;
    if (c->fill[set] < size) {
        /* Until a line is removed, a set fills from its first slot on. */
        slot = c->set_start[set] + c->fill[set];
        if (c->slot[slot].used)
            slot = free_slot(c, set);
        c->fill[set]++;
        evicted->used = 0;
    } else {
        slot = c->policy->victim(c, set);
        *evicted = c->slot[slot];
        c->evictions++;
        table_remove(c, c->slot[slot].line, slot);
    }
    memset(&c->slot[slot], 0, sizeof c->slot[slot]);
    c->slot[slot].line = line;
    c->slot[slot].used = 1;
    c->slot[slot].age = ++c->clock;
    table_add(c, line, slot);
    if (c->policy->on_access)
        c->policy->on_access(c, set, slot);
    return slot;
}

void cache_remove(struct cache *c, uint32_t slot)
{
    uint32_t set = cache_set_of(c, c->slot[slot].line);
    table_remove(c, c->slot[slot].line, slot);
    memset(&c->slot[slot], 0, sizeof c->slot[slot]);
    if (c->policy->state_bytes_per_set == UINT32_MAX)
        c->policy_state[slot] = 0;
    c->fill[set]--;
}
