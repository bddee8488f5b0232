/* gpu_validate.c - values that are each allowed but do not go together. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "gpu/gpu_internal.h"

struct check {
    const struct strata_gpu *gpu;
    const char *file;
    struct strata_error *err;
    strata_status status;
};

/* Notes the first contradiction, at the place where `path` was given if a file gave it. */
static void contradiction(struct check *c, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void contradiction(struct check *c, const char *path, const char *format, ...)
{
    char why[500];
    va_list args;
    if (c->status != STRATA_OK)
        return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    size_t i = strata_gpu_key_index(path);
    const struct strata_gpu_origin *o = i == SIZE_MAX ? NULL : &c->gpu->origin[i];
    const char *file = o && o->line ? c->gpu->notes + o->file : c->file;
    c->status = strata_fail(c->err, STRATA_ECONFIG, file, o ? o->line : 0, o ? o->column : 0, "%s: %s.", path, why);
}

/* ---- one cache ---- */

struct cache_check {
    struct check *c;
    const char *section; /* "l1" */
    const struct strata_cache_config *cache;
    uint64_t bytes; /* of one indexed unit: the L1, one L2 slice */
};

static const char *key_of(const struct cache_check *k, const char *name, char path[64])
{
    snprintf(path, 64, "%s.%s", k->section, name);
    return path;
}

static void check_lines(const struct cache_check *k)
{
    char path[64];
    uint64_t line = k->cache->line_bytes, sector = k->cache->sector_bytes;
    if (!is_power_of_two(line))
        contradiction(k->c, key_of(k, "line", path), "%llu bytes is not a power of two", (unsigned long long)line);
    if (!is_power_of_two(sector))
        contradiction(k->c, key_of(k, "sector", path), "%llu bytes is not a power of two", (unsigned long long)sector);
    else if (sector > line)
        contradiction(k->c, key_of(k, "sector", path), "a sector of %llu bytes is larger than a line of %llu",
                      (unsigned long long)sector, (unsigned long long)line);
    else if (line / sector > 32)
        contradiction(k->c, key_of(k, "sector", path), "a line has %llu sectors, at most 32 are allowed",
                      (unsigned long long)(line / sector));
}

/* The number of sets, 0 after a contradiction. */
static uint64_t count_sets(const struct cache_check *k)
{
    char path[64];
    uint64_t lines = k->bytes / k->cache->line_bytes, sum = 0;
    if (!k->bytes || k->bytes % k->cache->line_bytes) {
        contradiction(k->c, key_of(k, "size", path), "%llu bytes is not a whole number of lines of %u bytes",
                      (unsigned long long)k->bytes, k->cache->line_bytes);
        return 0;
    }
    if (k->cache->n_set_ways) {
        for (uint32_t i = 0; i < k->cache->n_set_ways; i++)
            sum += k->cache->set_ways[i];
        if (sum != lines)
            contradiction(k->c, key_of(k, "set_ways", path), "the sets hold %llu lines, but the size gives %llu",
                          (unsigned long long)sum, (unsigned long long)lines);
        return k->cache->n_set_ways;
    }
    uint64_t ways = k->cache->ways ? k->cache->ways : lines;
    if (lines % ways) {
        contradiction(k->c, key_of(k, "ways", path), "%llu lines in sets of %llu do not give a whole number of sets",
                      (unsigned long long)lines, (unsigned long long)ways);
        return 0;
    }
    return lines / ways;
}

static void check_index(const struct cache_check *k, uint64_t sets)
{
    char path[64];
    unsigned long long n = sets;
    switch (k->cache->index_hash) {
    case STRATA_INDEX_FERMI:
        if (sets != 32 && sets != 64)
            contradiction(k->c, key_of(k, "index", path), "the fermi hash is defined for 32 and 64 sets, not for %llu", n);
        break;
    case STRATA_INDEX_XOR:
    case STRATA_INDEX_IPOLY:
        if (!is_power_of_two(sets))
            contradiction(k->c, key_of(k, "index", path), "this hash needs a power of two of sets, not %llu", n);
        break;
    case STRATA_INDEX_BITS:
        if (k->cache->n_index_bits == 0 || sets != 1ull << k->cache->n_index_bits)
            contradiction(k->c, key_of(k, "index_bits", path), "%u bits do not select one of %llu sets",
                          k->cache->n_index_bits, n);
        break;
    default:
        break;
    }
}

static void check_weights(const struct cache_check *k)
{
    char path[64];
    double sum = 0;
    if (k->cache->replacement != STRATA_REPL_WEIGHTED)
        return;
    if (k->cache->n_way_weight != k->cache->ways)
        contradiction(k->c, key_of(k, "way_weight", path), "%u weights for %u ways", k->cache->n_way_weight, k->cache->ways);
    for (uint32_t i = 0; i < k->cache->n_way_weight; i++)
        sum += k->cache->way_weight[i];
    /* Thirds and sixths are written with a few digits. */
    if (fabs(sum - 1) > 1e-3)
        contradiction(k->c, key_of(k, "way_weight", path), "the weights add up to %.4g instead of 1", sum);
}

static void check_cache(struct check *c, const char *section, const struct strata_cache_config *cache, uint64_t bytes)
{
    const struct cache_check k = {c, section, cache, bytes};
    check_lines(&k);
    if (c->status != STRATA_OK)
        return;
    uint64_t sets = count_sets(&k);
    if (c->status != STRATA_OK)
        return;
    check_index(&k, sets);
    check_weights(&k);
}

/* ---- the parts ---- */

static void check_sm(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->sm.max_threads != g->sm.max_warps * g->sm.warp_size)
        contradiction(c, "sm.max_threads", "%u threads are not %u warps of %u", g->sm.max_threads, g->sm.max_warps,
                      g->sm.warp_size);
    if (g->sm.max_warps % g->sm.schedulers)
        contradiction(c, "sm.max_warps", "%u warps cannot be divided among %u schedulers", g->sm.max_warps, g->sm.schedulers);
    if (g->sm.registers % g->sm.register_alloc_unit)
        contradiction(c, "sm.register_alloc_unit", "%u registers are not a whole number of units of %u", g->sm.registers,
                      g->sm.register_alloc_unit);
}

static void check_order(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    bool seen[STRATA_MAX_SMS] = {false};
    if (!g->launch.n_order)
        return;
    for (uint32_t i = 0; i < g->launch.n_order; i++) {
        uint32_t sm = g->launch.order[i];
        if (sm >= g->sm.count)
            contradiction(c, "launch.order", "SM %u does not exist (sm.count is %u)", sm, g->sm.count);
        else if (seen[sm])
            contradiction(c, "launch.order", "SM %u appears twice", sm);
        if (c->status != STRATA_OK)
            return;
        seen[sm] = true;
    }
    for (uint32_t sm = 0; sm < g->sm.count; sm++)
        if (!seen[sm])
            contradiction(c, "launch.order", "SM %u is missing", sm);
}

static void check_gpcs(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->launch.n_gpc_of_sm && g->launch.n_gpc_of_sm != g->sm.count)
        contradiction(c, "launch.gpc_of_sm", "%u entries for %u SMs", g->launch.n_gpc_of_sm, g->sm.count);
    for (uint32_t i = 0; i < g->launch.n_gpc_of_sm; i++)
        if (g->launch.gpc_of_sm[i] >= g->launch.gpcs)
            contradiction(c, "launch.gpc_of_sm", "SM %u is in GPC %u, but launch.gpcs is %u", i, g->launch.gpc_of_sm[i],
                          g->launch.gpcs);
}

static void check_shared(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->shared.per_block_bytes > g->shared.per_block_optin_bytes)
        contradiction(c, "shared.per_block_optin", "opting in gives less than not opting in (shared.per_block)");
    if (g->shared.per_block_optin_bytes + g->shared.per_block_reserved_bytes > g->shared.per_sm_bytes)
        contradiction(c, "shared.per_sm", "one block could use more than the SM has (shared.per_block_optin)");
}

static void check_carveouts(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    uint64_t largest = 0;
    if (g->l1.n_carveout && !g->l1.unified_bytes)
        contradiction(c, "l1.carveouts", "there is nothing to carve from; give l1.unified");
    for (uint32_t i = 0; i < g->l1.n_carveout; i++) {
        if (i && g->l1.carveout_bytes[i] <= largest)
            contradiction(c, "l1.carveouts", "the sizes must ascend, but %llu follows %llu",
                          (unsigned long long)g->l1.carveout_bytes[i], (unsigned long long)largest);
        largest = g->l1.carveout_bytes[i];
    }
    if (largest && largest >= g->l1.unified_bytes)
        contradiction(c, "l1.carveouts", "%llu bytes leave nothing of l1.unified for the L1", (unsigned long long)largest);
    if (largest && g->shared.per_sm_bytes > largest)
        contradiction(c, "shared.per_sm", "more than the largest carve-out, %llu bytes", (unsigned long long)largest);
    if (g->l1.unified_bytes && g->l1.cache.size_bytes > g->l1.unified_bytes)
        contradiction(c, "l1.size", "larger than l1.unified");
}

static void check_l2(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->l2.slices % g->l2.partitions)
        contradiction(c, "l2.slices", "%u slices cannot be divided among %u partitions", g->l2.slices, g->l2.partitions);
    if (g->l2.cache.size_bytes % g->l2.slices)
        contradiction(c, "l2.size", "%llu bytes cannot be divided among %u slices",
                      (unsigned long long)g->l2.cache.size_bytes, g->l2.slices);
    if (g->l2.effective_bytes > g->l2.cache.size_bytes)
        contradiction(c, "l2.effective", "more than l2.size");
    if (c->status == STRATA_OK)
        check_cache(c, "l2", &g->l2.cache, g->l2.cache.size_bytes / g->l2.slices);
    if (c->status == STRATA_OK &&
        (g->l2.fetch_bytes % g->l2.cache.sector_bytes || g->l2.fetch_bytes > g->l2.cache.line_bytes))
        contradiction(c, "l2.fetch", "%u bytes is not a whole number of sectors within a line", g->l2.fetch_bytes);
}

static void check_dram(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->dram.banks % g->dram.bank_groups)
        contradiction(c, "dram.bank_groups", "%u banks cannot be divided into %u groups", g->dram.banks, g->dram.bank_groups);
    if (!is_power_of_two(g->dram.row_bytes))
        contradiction(c, "dram.row", "%u bytes is not a power of two", g->dram.row_bytes);
    if (g->dram.row_bytes % ((uint64_t)g->dram.bus_bytes * g->dram.burst_length))
        contradiction(c, "dram.row", "%u bytes is not a whole number of bursts", g->dram.row_bytes);
    if (g->dram.tRC < g->dram.tRAS)
        contradiction(c, "dram.tRC", "a row cycle cannot be shorter than tRAS");
    if (!g->dram.tRFC != !g->dram.tREFI || (g->dram.tREFI && g->dram.tRFC >= g->dram.tREFI))
        contradiction(c, "dram.tREFI", "refresh needs both tRFC and tREFI, and tRFC the shorter of them");
    if (g->dram.write_low > g->dram.write_high ||
        (g->dram.write_queue && g->dram.write_high > g->dram.write_queue))
        contradiction(c, "dram.write_high", "the marks must be write_low <= write_high <= write_queue");
}

static void check_tlb(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (!g->tlb.enabled)
        return;
    if (g->tlb.l1.line_bytes != g->tlb.page_bytes)
        contradiction(c, "tlb.l1.line", "the line of a TLB is a page (tlb.page)");
    if (g->tlb.l2.line_bytes != g->tlb.page_bytes)
        contradiction(c, "tlb.l2.line", "the line of a TLB is a page (tlb.page)");
    check_cache(c, "tlb.l1", &g->tlb.l1, g->tlb.l1.size_bytes);
    check_cache(c, "tlb.l2", &g->tlb.l2, g->tlb.l2.size_bytes);
}

/* A file or strata_gpu_set cannot leave the bounds of a key, a program that writes fields can. */
static void check_bounds(struct check *c)
{
    char why[400];
    for (size_t i = 0; i < strata_gpu_n_keys(); i++)
        if (c->status == STRATA_OK && !gpu_in_bounds(c->gpu, strata_gpu_key(i), why, sizeof why))
            contradiction(c, strata_gpu_key(i)->path, "%s", why);
}

strata_status strata_gpu_validate(const struct strata_gpu *gpu, const char *file, struct strata_error *err)
{
    struct check c = {gpu, file, err, STRATA_OK};
    check_bounds(&c);
    if (c.status != STRATA_OK)
        return c.status;
    check_sm(&c);
    check_order(&c);
    check_gpcs(&c);
    check_shared(&c);
    check_carveouts(&c);
    if (gpu->l1.enabled || gpu->l1.cache.size_bytes)
        check_cache(&c, "l1", &gpu->l1.cache, gpu->l1.cache.size_bytes);
    if (gpu->texture.cache.size_bytes)
        check_cache(&c, "texture", &gpu->texture.cache, gpu->texture.cache.size_bytes);
    if (gpu->readonly.cache.size_bytes)
        check_cache(&c, "readonly", &gpu->readonly.cache, gpu->readonly.cache.size_bytes);
    check_l2(&c);
    check_dram(&c);
    check_tlb(&c);
    return c.status;
}
