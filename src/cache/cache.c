/* cache.c - slots, the hash table that finds them, and sets. */
#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/large_pages.h"
#include "base/memory_room.h"
#include "cache/index.h"

enum { ALIGNMENT = 64 };

static strata_status no_memory(uint64_t bytes, struct strata_error *err)
{
    char size[32];
    return strata_no_memory(err, NULL, "for a modelled cache, which takes %s",
                            memory_size_text(bytes, size, sizeof size));
}

/* Look-ups are random over an L2's tens of megabytes. */
static char *alloc_zeroed(size_t bytes)
{
    char *p = calloc(1, bytes + ALIGNMENT);
    large_pages_wish(p, bytes);
    return p;
}

/* ---- set-up ---- */

static strata_status configure(const struct strata_cache_config *config, struct cache *out,
                               struct strata_error *err)
{
    memset(out, 0, sizeof *out);
    out->config = *config;
    if (!config->line_bytes || !config->sector_bytes || config->size_bytes < config->line_bytes ||
        config->line_bytes / config->sector_bytes > CACHE_MAX_SECTORS)
        return strata_fail(
            err, STRATA_ECONFIG, NULL, 0, 0,
            "A cache of %llu bytes with lines of %u and sectors of %u bytes cannot be modelled; "
            "a line has at most %d sectors and the cache at least one line.",
            (unsigned long long)config->size_bytes, config->line_bytes, config->sector_bytes,
            CACHE_MAX_SECTORS);
    if (config->size_bytes / config->line_bytes > STRATA_MAX_CACHE_LINES)
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                           "A cache of %llu lines cannot be modelled; at most %u can.",
                           (unsigned long long)(config->size_bytes / config->line_bytes),
                           STRATA_MAX_CACHE_LINES);
    out->policy = cache_policy_find(config->replacement);
    if (!out->policy)
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                           "Replacement policy %u is not implemented.", config->replacement);
    if (config->tag_sets && !is_power_of_two(config->tag_sets))
        return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                           "A cache with %u sets of tags cannot be modelled: their number has to "
                           "be a power of two.",
                           config->tag_sets);
    /* Data in sets has its tags beside it. */
    if (config->ways || config->n_set_ways || !config->tag_ways)
        out->config.tag_sets = 0;
    out->is_mixed = config->index_hash == STRATA_INDEX_MIX && is_power_of_two(config->line_bytes);
    out->is_uneven = config->n_set_ways;
    out->touch_on_hit = out->policy->touch_on_hit;
    out->tells_policy = out->policy->on_access;
    out->line_shift = log2_floor(config->line_bytes);
    out->sector_shift = log2_floor(config->sector_bytes);
    return STRATA_OK;
}

/* Sets of equal size, or the listed ones (paper 002, Table 5: an L2 TLB of one set of 17 and six of
 * 8). */
static uint32_t ways_of(const struct cache *c, uint32_t set)
{
    return c->config.n_set_ways ? c->config.set_ways[set] : c->ways;
}

static void count_slots(struct cache *c)
{
    struct strata_cache_config *g = &c->config;
    uint32_t lines = (uint32_t)(g->size_bytes / g->line_bytes), table = 16;
    c->ways = g->ways && g->ways < lines ? g->ways : lines;
    c->n_sets = g->n_set_ways ? g->n_set_ways : lines / c->ways;
    for (uint32_t s = 0; s < c->n_sets; s++)
        c->n_slots += ways_of(c, s);
    c->slot_mask = (uint32_t)((2ull << log2_floor(c->n_slots)) - 1);
    /* A cache made larger than what was measured has the tags for it. */
    while (g->tag_sets && (uint64_t)g->tag_sets * g->tag_ways < c->n_slots)
        g->tag_sets *= 2;
    c->tag_ways = g->tag_sets ? g->tag_ways : 0;
    c->tag_mask = g->tag_sets ? g->tag_sets - 1 : 0;
    c->tag_bits = log2_floor(g->tag_sets);
    c->n_tag_folds = c->tag_ways ? (g->n_tag_hash + 7) / 8 : 0;
    while (table < c->n_slots * 2)
        table *= 2;
    c->table_mask = c->tag_ways ? UINT32_MAX : table - 1;
}

static char *aligned(char *memory)
{
    return memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
}

/* Gives a part its place behind the others; *used grows by it. */
static void *place(char *memory, size_t *used, uint64_t n, size_t bytes)
{
    size_t at = *used;
    *used += (size_t)round_up(n * bytes, ALIGNMENT);
    return memory ? memory + at : NULL;
}

static size_t policy_bytes(const struct cache *c)
{
    uint32_t per_set = c->policy->state_bytes_per_set;
    return per_set == UINT32_MAX ? c->n_slots : (size_t)per_set * c->n_sets;
}

static uint64_t table_entries(const struct cache *c)
{
    return c->tag_ways ? (uint64_t)c->config.tag_sets * c->tag_ways : (uint64_t)c->table_mask + 1;
}

/* Returns the bytes of all parts; without memory that is all it does. */
static size_t lay_out(struct cache *c, char *memory)
{
    size_t used = 0;
    c->slot = place(memory, &used, c->n_slots, sizeof *c->slot);
    c->age = place(memory, &used, c->n_slots, sizeof *c->age);
    c->table = place(memory, &used, table_entries(c), sizeof *c->table);
    c->tag_of = place(memory, &used, c->tag_ways ? c->n_slots : 0, sizeof *c->tag_of);
    c->fill = place(memory, &used, c->n_sets, sizeof *c->fill);
    c->set_start = place(memory, &used, c->n_sets + 1, sizeof *c->set_start);
    c->policy_state = place(memory, &used, policy_bytes(c) + 1, 1);
    c->tag_fold = place(memory, &used, (uint64_t)c->n_tag_folds * 256, sizeof *c->tag_fold);
    return used;
}

/* What the bits of each byte of the line number above the set of tags flip of it, together. */
static void fold_tags(struct cache *c)
{
    for (uint32_t k = 0; k < c->n_tag_folds; k++)
        for (uint32_t byte = 0; byte < 256; byte++)
            c->tag_fold[k * 256 + byte] =
                index_of_tag(&c->config, (uint64_t)byte << (c->line_shift + c->tag_bits + k * 8));
}

strata_status cache_pool_create(const struct strata_cache_config *config, uint32_t n,
                                struct cache_pool *out, struct strata_error *err)
{
    struct cache one;
    memset(out, 0, sizeof *out);
    strata_status st = configure(config, &one, err);
    if (st != STRATA_OK)
        return st;
    count_slots(&one);
    uint64_t bytes = (uint64_t)lay_out(&one, NULL) * n;
    st = memory_room_check(bytes, "The modelled caches", err);
    if (st != STRATA_OK)
        return st;
    out->bytes = (size_t)bytes;
    out->memory = alloc_zeroed(out->bytes);
    out->written = malloc((size_t)n * one.n_slots * sizeof *out->written);
    if (out->memory && out->written)
        return STRATA_OK;
    cache_pool_release(out);
    return no_memory(bytes, err);
}

void cache_pool_release(struct cache_pool *pool)
{
    free(pool->memory);
    free(pool->written);
    memset(pool, 0, sizeof *pool);
}

strata_status cache_create_in(struct cache_pool *pool, const struct strata_cache_config *config,
                              uint64_t seed, struct cache *out, struct strata_error *err)
{
    strata_status st = configure(config, out, err);
    if (st != STRATA_OK)
        return st;
    count_slots(out);
    size_t bytes = lay_out(out, NULL);
    bool pooled = pool && pool->bytes - pool->used >= bytes;
    if (!pooled)
        st = memory_room_check(bytes, "A modelled cache", err);
    if (st != STRATA_OK)
        return st;
    char *memory = pooled ? aligned(pool->memory) + pool->used : alloc_zeroed(bytes);
    /* Not zeroed: what a sector has written is looked at once it was. */
    out->written =
        pooled ? pool->written + pool->written_used : malloc(out->n_slots * sizeof *out->written);
    out->memory = pooled ? NULL : memory;
    if (!memory || !out->written) {
        if (!pooled)
            free(out->written), free(memory);
        memset(out, 0, sizeof *out);
        return no_memory(bytes, err);
    }
    if (pooled) {
        pool->used += bytes;
        pool->written_used += out->n_slots;
    }
    lay_out(out, aligned(memory));
    if (pooled && pool->tag_fold)
        out->tag_fold = pool->tag_fold;
    else
        fold_tags(out);
    if (pooled)
        pool->tag_fold = out->tag_fold;
    for (uint32_t s = 0; s < out->n_sets; s++)
        out->set_start[s + 1] = out->set_start[s] + ways_of(out, s);
    out->random = mix64(seed + 0x9e3779b97f4a7c15ull) | 1;
    return STRATA_OK;
}

strata_status cache_create(const struct strata_cache_config *config, uint64_t seed,
                           struct cache *out, struct strata_error *err)
{
    return cache_create_in(NULL, config, seed, out, err);
}

void cache_release(struct cache *c)
{
    if (c->memory)
        free(c->written);
    free(c->memory);
    memset(c, 0, sizeof *c);
}

void cache_clear(struct cache *c)
{
    memset(c->slot, 0, c->n_slots * sizeof *c->slot);
    memset(c->age, 0, c->n_slots * sizeof *c->age);
    memset(c->table, 0, (size_t)table_entries(c) * sizeof *c->table);
    memset(c->fill, 0, c->n_sets * sizeof *c->fill);
    memset(c->policy_state, 0, policy_bytes(c));
    c->clock = c->n_persisting = 0;
    c->has_holes = false;
}

/* ---- uses ---- */

uint32_t cache_set_of(const struct cache *c, uint64_t line)
{
    if (c->is_mixed)
        return index_mixed(line >> c->line_shift, c->n_sets);
    return index_of(&c->config, c->n_sets, line);
}

void cache_used(struct cache *c, uint32_t slot)
{
    c->policy->on_access(c, cache_set_of(c, c->slot[slot].line), slot);
}

/* ---- the table of lines ---- */

static void hashed_add(struct cache *c, uint64_t line, uint32_t entry)
{
    uint32_t h = cache_home(c, line);
    while (c->table[h])
        h = (h + CACHE_PROBE_STEP) & c->table_mask;
    c->table[h] = entry;
}

/* Steps from one entry to another. */
static uint32_t probes(const struct cache *c, uint32_t from, uint32_t to)
{
    static const uint32_t inverse = 0xf0f0f0f1u; /* of the step, modulo 2^32 */
    return (to - from) * inverse & c->table_mask;
}

/* No tombstones: entries behind the hole move up if they may. */
static void hashed_remove(struct cache *c, uint32_t slot)
{
    uint32_t mask = c->table_mask, hole = cache_home(c, c->slot[slot].line), e;
    while (cache_entry_slot(c, c->table[hole]) != slot)
        hole = (hole + CACHE_PROBE_STEP) & mask;
    for (uint32_t at = (hole + CACHE_PROBE_STEP) & mask; (e = c->table[at]);
         at = (at + CACHE_PROBE_STEP) & mask) {
        uint32_t home = cache_home(c, c->slot[cache_entry_slot(c, e)].line);
        if (probes(c, home, at) >= probes(c, hole, at)) {
            c->table[hole] = e;
            hole = at;
        }
    }
    c->table[hole] = 0;
}

static uint32_t table_entry(const struct cache *c, uint32_t slot, uint64_t line)
{
    return (cache_hash(c, line) & ~c->slot_mask) | (slot + 1);
}

/* `way`: the ways of the line's set of tags, if tags are apart. */
static void table_add(struct cache *c, uint32_t slot, uint64_t line, uint32_t *way)
{
    uint32_t entry = table_entry(c, slot, line);
    if (!c->tag_ways) {
        hashed_add(c, line, entry);
        return;
    }
    while (*way)
        way++;
    *way = entry;
    c->tag_of[slot] = (uint32_t)(way - c->table);
}

static void table_remove(struct cache *c, uint32_t slot)
{
    if (c->tag_ways)
        c->table[c->tag_of[slot]] = 0;
    else
        hashed_remove(c, slot);
}

/* Tags apart from the data: a line needs a tag of its set as well as a slot. The way whose line has
 * to leave because its tag is wanted; NULL if a tag is free. */
static uint32_t *tag_victim(const struct cache *c, uint32_t *way)
{
    uint32_t *best = way, least;
    for (uint32_t i = 0; i < c->tag_ways; i++) /* ages lie apart: none is read in vain */
        if (!way[i])
            return NULL;
    if (!c->tag_ways)
        return NULL;
    least = c->age[cache_entry_slot(c, *way)];
    for (uint32_t i = 1; i < c->tag_ways; i++) {
        uint32_t age = c->age[cache_entry_slot(c, way[i])];
        best = age < least ? &way[i] : best;
        least = age < least ? age : least;
    }
    return best;
}

static uint32_t *tag_ways_of(const struct cache *c, uint64_t line)
{
    return c->tag_ways ? &c->table[cache_tag_set(c, line)] : NULL;
}

static uint32_t free_slot(const struct cache *c, uint32_t set)
{
    for (uint32_t s = c->set_start[set]; s < c->set_start[set + 1]; s++)
        if (!c->slot[s].used)
            return s;
    return CACHE_NONE;
}

/* ---- persisting lines ---- */

static bool persists(const struct cache *c, uint32_t slot)
{
    return c->slot[slot].used & CACHE_PERSISTS;
}

/* The oldest line of a set that persists, or of those that do not; CACHE_NONE if there is none. */
static uint32_t oldest_of(const struct cache *c, uint32_t set, bool persisting, uint32_t *n)
{
    uint32_t best = CACHE_NONE;
    *n = 0;
    for (uint32_t s = c->set_start[set]; s < c->set_start[set + 1]; s++) {
        if (!c->slot[s].used || persists(c, s) != persisting)
            continue;
        ++*n;
        if (best == CACHE_NONE || c->age[s] < c->age[best])
            best = s;
    }
    return best;
}

/* What the policy chose has to leave, unless it persists and another line of the set does not. */
static uint32_t spare(const struct cache *c, uint32_t set, uint32_t chosen)
{
    uint32_t n,
        other = c->n_persisting && persists(c, chosen) ? oldest_of(c, set, false, &n) : chosen;
    return other == CACHE_NONE ? chosen : other;
}

void cache_set_aside(struct cache *c, double share)
{
    double ways = share * c->ways;
    c->persisting_limit = (uint32_t)(share * c->n_slots);
    c->persisting_ways = (uint32_t)ways + (ways > (uint32_t)ways);
}

void cache_mark_persisting(struct cache *c, uint32_t slot)
{
    c->n_persisting += !persists(c, slot);
    c->slot[slot].used |= CACHE_PERSISTS;
}

void cache_let_go(struct cache *c, uint32_t slot)
{
    c->n_persisting -= persists(c, slot);
    c->slot[slot].used &= (uint8_t)~CACHE_PERSISTS;
}

void cache_persist(struct cache *c, uint32_t slot)
{
    if (persists(c, slot) || !c->persisting_limit)
        return;
    if (c->n_persisting >= c->persisting_limit) {
        uint32_t n, oldest = oldest_of(c, cache_set_of(c, c->slot[slot].line), true, &n);
        if (n >= c->persisting_ways)
            cache_let_go(c, oldest);
    }
    cache_mark_persisting(c, slot);
}

void cache_let_all_go(struct cache *c)
{
    for (uint32_t s = 0; c->n_persisting && s < c->n_slots; s++)
        cache_let_go(c, s);
}

uint32_t cache_insert(struct cache *c, uint64_t line, struct cache_slot *evicted)
{
    uint32_t set = cache_set_of(c, line), first = cache_set_start(c, set),
             *way = tag_ways_of(c, line), *wanted = tag_victim(c, way),
             slot = wanted ? cache_entry_slot(c, *wanted) : CACHE_NONE;
    if (!wanted && c->fill[set] < cache_set_start(c, set + 1) - first) {
        /* Until a line is removed, a set fills from its first slot on. */
        slot = first + c->fill[set];
        if (c->has_holes && c->slot[slot].used)
            slot = free_slot(c, set);
        c->fill[set]++;
        if (evicted)
            evicted->used = 0;
    } else {
        if (!wanted)
            slot = spare(c, set, c->policy->victim(c, set));
        if (c->n_persisting)
            cache_let_go(c, slot);
        if (evicted)
            *evicted = c->slot[slot];
        c->evictions++;
        if (!wanted) /* else its tag, which the new line gets, is known without a look */
            table_remove(c, slot);
    }
    c->slot[slot] = (struct cache_slot){.line = line, .used = CACHE_USED};
    c->age[slot] = ++c->clock;
    if (wanted)
        *wanted = table_entry(c, slot, line);
    else
        table_add(c, slot, line, way);
    if (c->tells_policy)
        c->policy->on_access(c, set, slot);
    return slot;
}

void cache_remove(struct cache *c, uint32_t slot)
{
    uint32_t set = cache_set_of(c, c->slot[slot].line);
    table_remove(c, slot);
    cache_let_go(c, slot);
    memset(&c->slot[slot], 0, sizeof c->slot[slot]);
    if (c->policy->state_bytes_per_set == UINT32_MAX)
        c->policy_state[slot] = 0;
    c->fill[set]--;
    c->has_holes = true;
}
