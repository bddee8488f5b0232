#include "memory/constant_cache.h"

#include "base/bits.h"

uint32_t constants_named(const struct strata_winst *w, uint64_t place[STRATA_WARP_SIZE])
{
    uint64_t at[STRATA_WARP_SIZE];
    uint32_t n = 0;
    if (w->addr_kind == STRATA_ADDR_NONE) {
        place[0] = (uint64_t)w->inst->imm - STRATA_CONSTANT_PLACE;
        return w->mask && w->inst->imm >= STRATA_CONSTANT_PLACE;
    }
    if (w->addr_kind == STRATA_ADDR_STRIDE && !w->stride) {
        place[0] = w->base;
        return w->mask != 0;
    }
    strata_winst_addresses(w, at);
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        uint64_t one = at[lowest_bit32(rest)];
        uint32_t k = 0;
        while (k < n && place[k] != one)
            k++;
        place[k] = one;
        n += k == n;
    }
    return n;
}

/* When a block that holds a missing line is there: at t, or when it comes from memory. */
static uint64_t block_there(struct constant_cache *c, const struct strata_gpu *gpu, uint64_t place,
                            uint64_t t)
{
    uint32_t bytes = gpu->sm.const_fetch_bytes ? gpu->sm.const_fetch_bytes : 1;
    uint32_t block = (uint32_t)(place / bytes % CONSTANT_BLOCKS);
    uint32_t *word = &c->asked[block / 32], bit = 1u << block % 32;
    if (*word & bit) {
        for (uint32_t k = 0; k < CONSTANT_BLOCKS_COMING && k < c->n_coming; k++)
            if (c->coming[k] == block)
                return later_of(t, c->arrival[k]);
        return t;
    }
    *word |= bit;
    uint32_t k = c->n_coming++ % CONSTANT_BLOCKS_COMING;
    c->coming[k] = block;
    c->arrival[k] = t + gpu->sm.const_cold_cycles;
    return c->arrival[k];
}

static uint32_t oldest_of(const uint32_t *used, uint32_t first, uint32_t ways)
{
    uint32_t oldest = first;
    for (uint32_t i = first + 1; i < first + ways; i++)
        if (used[i] < used[oldest])
            oldest = i;
    return oldest;
}

/* When the constant at a place that is asked for at t is in the cache. Missing lines come one after
 * another. */
static uint64_t found(struct constant_cache *c, const struct strata_gpu *gpu, uint64_t place,
                      uint64_t t)
{
    uint32_t line_bytes = gpu->sm.const_cache_line_bytes, ways = gpu->sm.const_cache_ways;
    if (!gpu->sm.const_cache_bytes)
        return t;
    uint32_t sets = gpu->sm.const_cache_bytes / (line_bytes * ways);
    uint32_t line = (uint32_t)(place / line_bytes), first = line % sets * ways;
    for (uint32_t i = first; i < first + ways; i++)
        if (c->line[i] == line + 1) {
            c->used[i] = ++c->uses;
            return later_of(t, c->there[i]);
        }
    uint32_t i = oldest_of(c->used, first, ways);
    c->fill_free = later_of(c->fill_free, t) + gpu->sm.const_miss_cycles;
    c->line[i] = line + 1;
    c->used[i] = ++c->uses;
    c->there[i] = block_there(c, gpu, place, c->fill_free);
    return c->there[i];
}

/* The same for a uniform register's; a line that is missing comes past the cache of the others. */
static uint64_t found_uniform(struct constant_cache *c, const struct strata_gpu *gpu,
                              uint64_t place, uint64_t t)
{
    uint32_t line = (uint32_t)(place / gpu->sm.const_cache_line_bytes),
             lines = gpu->sm.const_uniform_bytes / gpu->sm.const_cache_line_bytes;
    for (uint32_t i = 0; i < lines; i++)
        if (c->uniform_line[i] == line + 1) {
            c->uniform_used[i] = ++c->uses;
            return later_of(t, c->uniform_there[i]);
        }
    uint32_t i = oldest_of(c->uniform_used, 0, lines);
    c->uniform_line[i] = line + 1;
    c->uniform_used[i] = ++c->uses;
    c->uniform_there[i] = block_there(c, gpu, place, t + gpu->sm.const_uniform_miss_cycles);
    return c->uniform_there[i];
}

uint64_t constant_cache_load(struct constant_cache *c, const struct strata_gpu *gpu,
                             const struct strata_winst *w, uint32_t latency, uint64_t t)
{
    uint64_t place[STRATA_WARP_SIZE];
    uint32_t n = constants_named(w, place);
    uint64_t start = later_of(t, c->free), at = start;
    latency = n && gpu->sm.const_own_cycles ? gpu->sm.const_own_cycles : latency;
    c->free = start + (uint64_t)(n ? n : 1) * gpu->sm.interval_const_cycles;
    for (uint32_t k = 0; k < n; k++)
        at = later_of(at + (k ? gpu->sm.const_address_cycles : 0), found(c, gpu, place[k], start));
    return later_of(at, c->free - gpu->sm.interval_const_cycles) + latency;
}

uint64_t constant_cache_uniform(struct constant_cache *c, const struct strata_gpu *gpu,
                                const struct strata_winst *w, uint64_t t)
{
    uint64_t place[STRATA_WARP_SIZE];
    if (!constants_named(w, place))
        return t;
    return gpu->sm.const_uniform_bytes ? found_uniform(c, gpu, place[0], t)
                                       : found(c, gpu, place[0], t);
}
