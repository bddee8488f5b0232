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

/* The first of the keys in `paths` (with spaces between them) that was given, else the first. */
static size_t key_to_blame(const struct strata_gpu *gpu, const char *paths)
{
    size_t first = SIZE_MAX;
    while (*paths) {
        char path[64];
        size_t length = strcspn(paths, " ");
        snprintf(path, sizeof path, "%.*s", (int)length, paths);
        size_t i = strata_gpu_key_index(path);
        if (gpu->origin[i].file)
            return i;
        first = first == SIZE_MAX ? i : first;
        paths += length + (paths[length] == ' ');
    }
    return first;
}

/* Notes the first contradiction, at the place where one of the keys in `paths` was given. */
static void contradiction(struct check *c, const char *paths, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void contradiction(struct check *c, const char *paths, const char *format, ...)
{
    char why[500];
    va_list args;
    if (c->status != STRATA_OK)
        return;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    size_t i = key_to_blame(c->gpu, paths);
    const struct strata_gpu_origin *o = &c->gpu->origin[i];
    const char *file = o->line ? c->gpu->notes + o->file : c->file;
    c->status = strata_fail(c->err, STRATA_ECONFIG, file, o->line, o->column, "%s: %s.",
                            strata_gpu_key(i)->path, why);
}

/* ---- one cache ---- */

/* What a model keeps of a line: its slot, its tag, two entries of the table that finds it. */
enum { MODEL_BYTES_PER_LINE = 64 };

struct cache_check {
    struct check *c;
    const char *section; /* "l1" */
    const struct strata_cache_config *cache;
    uint64_t bytes; /* of one indexed unit: the L1, one L2 slice */
};

/* "l1.ways l1.size" */
static const char *keys_of(const struct cache_check *k, const char *name, const char *second,
                           char paths[128])
{
    int n = snprintf(paths, 128, "%s.%s", k->section, name);
    if (second)
        snprintf(paths + n, 128 - (size_t)n, " %s.%s", k->section, second);
    return paths;
}

static void check_lines(const struct cache_check *k)
{
    char path[128];
    uint64_t line = k->cache->line_bytes, sector = k->cache->sector_bytes;
    if (!is_power_of_two(line))
        contradiction(k->c, keys_of(k, "line", NULL, path), "%llu bytes is not a power of two",
                      (unsigned long long)line);
    if (!is_power_of_two(sector))
        contradiction(k->c, keys_of(k, "sector", NULL, path), "%llu bytes is not a power of two",
                      (unsigned long long)sector);
    else if (sector > line)
        contradiction(k->c, keys_of(k, "sector", "line", path),
                      "a sector of %llu bytes is larger than a line of %llu",
                      (unsigned long long)sector, (unsigned long long)line);
    else if (line / sector > 32)
        contradiction(k->c, keys_of(k, "sector", "line", path),
                      "a line has %llu sectors, at most 32 are allowed",
                      (unsigned long long)(line / sector));
}

/* All slices together: the models that do not keep slices apart hold the L2 in one piece. */
static void check_room(const struct cache_check *k)
{
    char path[128];
    uint64_t lines = k->cache->size_bytes / k->cache->line_bytes;
    if (lines > STRATA_MAX_CACHE_LINES)
        contradiction(k->c, keys_of(k, "size", "line", path),
                      "%llu lines of %u bytes would take about %llu GiB of memory to model, and at "
                      "most %u lines can be; a smaller size or longer lines help",
                      (unsigned long long)lines, k->cache->line_bytes,
                      (unsigned long long)(lines * MODEL_BYTES_PER_LINE >> 30),
                      STRATA_MAX_CACHE_LINES);
}

/* The number of sets, 0 after a contradiction. */
static uint64_t count_sets(const struct cache_check *k)
{
    char path[128];
    uint64_t lines = k->bytes / k->cache->line_bytes, sum = 0;
    if (!k->bytes || k->bytes % k->cache->line_bytes) {
        contradiction(k->c, keys_of(k, "size", "line", path),
                      "%llu bytes is not a whole number of lines of %u bytes",
                      (unsigned long long)k->bytes, k->cache->line_bytes);
        return 0;
    }
    if (k->cache->n_set_ways) {
        for (uint32_t i = 0; i < k->cache->n_set_ways; i++)
            sum += k->cache->set_ways[i];
        if (sum != lines)
            contradiction(k->c, keys_of(k, "set_ways", NULL, path),
                          "the sets hold %llu lines, but the size gives %llu",
                          (unsigned long long)sum, (unsigned long long)lines);
        return k->cache->n_set_ways;
    }
    uint64_t ways = k->cache->ways ? k->cache->ways : lines;
    if (lines % ways) {
        contradiction(k->c, keys_of(k, "ways", "size", path),
                      "%llu lines in sets of %llu do not give a whole number of sets",
                      (unsigned long long)lines, (unsigned long long)ways);
        return 0;
    }
    return lines / ways;
}

static void check_index(const struct cache_check *k, uint64_t sets)
{
    char path[128];
    unsigned long long n = sets;
    switch (k->cache->index_hash) {
    case STRATA_INDEX_FERMI:
        if (sets != 32 && sets != 64)
            contradiction(k->c, keys_of(k, "index", NULL, path),
                          "the fermi hash is defined for 32 and 64 sets, not for %llu", n);
        break;
    case STRATA_INDEX_XOR:
    case STRATA_INDEX_IPOLY:
        if (!is_power_of_two(sets))
            contradiction(k->c, keys_of(k, "index", NULL, path),
                          "this hash needs a power of two of sets, not %llu", n);
        break;
    case STRATA_INDEX_BITS:
        if (k->cache->n_index_bits == 0 || sets != 1ull << k->cache->n_index_bits)
            contradiction(k->c, keys_of(k, "index_bits", "index", path),
                          "%u bits do not select one of %llu sets", k->cache->n_index_bits, n);
        break;
    default:
        break;
    }
}

static void check_tags(const struct cache_check *k)
{
    char path[128];
    if (k->cache->tag_sets && !is_power_of_two(k->cache->tag_sets))
        contradiction(k->c, keys_of(k, "tag_sets", NULL, path),
                      "%u sets of tags are not a power of two", k->cache->tag_sets);
}

static void check_weights(const struct cache_check *k)
{
    char path[128];
    double sum = 0;
    if (k->cache->replacement != STRATA_REPL_WEIGHTED)
        return;
    if (k->cache->n_way_weight != k->cache->ways)
        contradiction(k->c, keys_of(k, "way_weight", "replacement", path), "%u weights for %u ways",
                      k->cache->n_way_weight, k->cache->ways);
    for (uint32_t i = 0; i < k->cache->n_way_weight; i++)
        sum += k->cache->way_weight[i];
    /* Thirds and sixths are written with a few digits. */
    if (fabs(sum - 1) > 1e-3)
        contradiction(k->c, keys_of(k, "way_weight", "replacement", path),
                      "the weights add up to %.4g instead of 1", sum);
}

static void check_cache(struct check *c, const char *section,
                        const struct strata_cache_config *cache, uint64_t bytes)
{
    const struct cache_check k = {c, section, cache, bytes};
    check_lines(&k);
    check_room(&k);
    if (c->status != STRATA_OK)
        return;
    uint64_t sets = count_sets(&k);
    if (c->status != STRATA_OK)
        return;
    check_index(&k, sets);
    check_tags(&k);
    check_weights(&k);
}

/* ---- the parts ---- */

static void check_sm(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->sm.max_threads != g->sm.max_warps * g->sm.warp_size)
        contradiction(c, "sm.max_threads sm.max_warps", "%u threads are not %u warps of %u",
                      g->sm.max_threads, g->sm.max_warps, g->sm.warp_size);
    if (g->sm.max_warps % g->sm.schedulers)
        contradiction(c, "sm.schedulers sm.max_warps",
                      "%u warps cannot be divided among %u schedulers", g->sm.max_warps,
                      g->sm.schedulers);
    if (g->sm.registers % g->sm.register_alloc_unit)
        contradiction(c, "sm.register_alloc_unit sm.registers",
                      "%u registers are not a whole number of units of %u", g->sm.registers,
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
            contradiction(c, "launch.order", "SM %u does not exist (sm.count is %u)", sm,
                          g->sm.count);
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
        contradiction(c, "launch.gpc_of_sm", "%u entries for %u SMs", g->launch.n_gpc_of_sm,
                      g->sm.count);
    for (uint32_t i = 0; i < g->launch.n_gpc_of_sm; i++)
        if (g->launch.gpc_of_sm[i] >= g->launch.gpcs)
            contradiction(c, "launch.gpc_of_sm", "SM %u is in GPC %u, but launch.gpcs is %u", i,
                          g->launch.gpc_of_sm[i], g->launch.gpcs);
}

static void check_shared(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->shared.per_block_bytes > g->shared.per_block_optin_bytes)
        contradiction(
            c, "shared.per_block shared.per_block_optin",
            "opting in (shared.per_block_optin) gives less than not opting in (shared.per_block)");
    if (g->shared.per_block_optin_bytes + g->shared.per_block_reserved_bytes >
        g->shared.per_sm_bytes)
        contradiction(
            c, "shared.per_sm shared.per_block_optin",
            "one block could use more (shared.per_block_optin) than the SM has (shared.per_sm)");
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
        contradiction(c, "l1.carveouts", "%llu bytes leave nothing of l1.unified for the L1",
                      (unsigned long long)largest);
    if (largest && g->shared.per_sm_bytes > largest)
        contradiction(c, "shared.per_sm l1.carveouts",
                      "shared.per_sm is more than the largest carve-out, %llu bytes",
                      (unsigned long long)largest);
    if (g->l1.unified_bytes && g->l1.cache.size_bytes > g->l1.unified_bytes)
        contradiction(c, "l1.size l1.unified", "the L1 (l1.size) is larger than l1.unified");
}

static void check_l1(struct check *c)
{
    if (c->gpu->l1.write_miss == STRATA_FETCH_ON_WRITE)
        contradiction(c, "l1.write_miss",
                      "no model's L1 fetches on a write; give write-validate or "
                      "lazy-fetch-on-read");
}

static void check_constants(struct check *c)
{
    uint32_t bytes = c->gpu->sm.const_cache_bytes;
    uint32_t set = c->gpu->sm.const_cache_line_bytes * c->gpu->sm.const_cache_ways;
    if (bytes % set || bytes / c->gpu->sm.const_cache_line_bytes > STRATA_MAX_CONSTANT_LINES)
        contradiction(c, "sm.const_cache sm.const_cache_line sm.const_cache_ways",
                      "%u bytes are not whole sets of %u bytes, or are more than %d lines", bytes,
                      set, STRATA_MAX_CONSTANT_LINES);
    uint32_t near = c->gpu->sm.const_uniform_bytes, line = c->gpu->sm.const_cache_line_bytes;
    if (near % line || near / line > STRATA_MAX_UNIFORM_LINES)
        contradiction(c, "sm.const_uniform sm.const_cache_line",
                      "%u bytes are not whole lines of %u bytes, or are more than %d lines", near,
                      line, STRATA_MAX_UNIFORM_LINES);
}

static void check_l2(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->l2.slices % g->l2.partitions)
        contradiction(c, "l2.partitions l2.slices",
                      "%u slices cannot be divided among %u partitions", g->l2.slices,
                      g->l2.partitions);
    if (g->l2.cache.size_bytes % g->l2.slices)
        contradiction(c, "l2.slices l2.size", "%llu bytes cannot be divided among %u slices",
                      (unsigned long long)g->l2.cache.size_bytes, g->l2.slices);
    if (g->l2.slice_pair_bytes && (!is_power_of_two(g->l2.slice_pair_bytes) ||
                                   g->l2.slice_pair_bytes < 4 * g->l2.cache.line_bytes))
        contradiction(c, "l2.slice_pair l2.line",
                      "%u bytes is not a power of two of at least four lines",
                      g->l2.slice_pair_bytes);
    if (g->l2.effective_bytes > g->l2.cache.size_bytes)
        contradiction(c, "l2.effective l2.size", "l2.effective is more than l2.size");
    if (c->status == STRATA_OK)
        check_cache(c, "l2", &g->l2.cache, g->l2.cache.size_bytes / g->l2.slices);
    if (c->status == STRATA_OK && (g->l2.fetch_bytes % g->l2.cache.sector_bytes ||
                                   g->l2.fetch_bytes > g->l2.cache.line_bytes))
        contradiction(c, "l2.fetch l2.sector",
                      "a fetch of %u bytes is not a whole number of sectors within a line",
                      g->l2.fetch_bytes);
}

/* A channel that is refreshed before one row could be opened, used and closed never does any work.
 * A write is the longest use: its data has to be in the row before the row closes. */
static void check_refresh(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (!g->dram.tREFI)
        return;
    uint64_t burst = (g->dram.burst_length + g->dram.data_rate - 1) / g->dram.data_rate;
    uint64_t use = g->dram.tRCD + g->dram.tWL + burst + g->dram.tWR;
    uint64_t row = use > g->dram.tRAS ? use : g->dram.tRAS;
    uint64_t least = g->dram.tRFC + (row > g->dram.tRC ? row : g->dram.tRC) + g->dram.tRP;
    if (g->dram.tREFI < least)
        contradiction(c, "dram.tREFI dram.tRFC dram.tRCD dram.tRAS",
                      "a refresh every %u clocks leaves no time for a row: the refresh (tRFC), "
                      "opening, writing and closing a row take %llu",
                      g->dram.tREFI, (unsigned long long)least);
    if (g->dram.per_bank_refresh && g->dram.tREFI / g->dram.banks < 4)
        contradiction(c, "dram.tREFI dram.banks",
                      "the refreshes of %u banks in %u clocks leave no room for other commands",
                      g->dram.banks, g->dram.tREFI);
}

static void check_dram(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (g->dram.banks % g->dram.bank_groups)
        contradiction(c, "dram.banks dram.bank_groups", "%u banks cannot be divided into %u groups",
                      g->dram.banks, g->dram.bank_groups);
    if (!is_power_of_two(g->dram.interleave_bytes))
        contradiction(c, "dram.interleave", "%u bytes is not a power of two",
                      g->dram.interleave_bytes);
    if (!is_power_of_two(g->dram.row_bytes))
        contradiction(c, "dram.row", "%u bytes is not a power of two", g->dram.row_bytes);
    if (g->dram.row_bytes % ((uint64_t)g->dram.bus_bytes * g->dram.burst_length))
        contradiction(c, "dram.row dram.burst_length dram.bus",
                      "a row of %u bytes is not a whole number of bursts", g->dram.row_bytes);
    if (g->dram.tRC < g->dram.tRAS)
        contradiction(c, "dram.tRC dram.tRAS", "a row cycle cannot be shorter than tRAS");
    if (!g->dram.tRFC != !g->dram.tREFI || (g->dram.tREFI && g->dram.tRFC >= g->dram.tREFI))
        contradiction(c, "dram.tRFC dram.tREFI",
                      "refresh needs both tRFC and tREFI, and tRFC the shorter of them");
    check_refresh(c);
    if (g->dram.write_low > g->dram.write_high ||
        (g->dram.write_queue && g->dram.write_high > g->dram.write_queue))
        contradiction(c, "dram.write_high dram.write_low dram.write_queue",
                      "the marks must be write_low <= write_high <= write_queue");
}

static void check_tlb(struct check *c)
{
    const struct strata_gpu *g = c->gpu;
    if (!g->tlb.enabled)
        return;
    if (g->tlb.l1.line_bytes != g->tlb.page_bytes)
        contradiction(c, "tlb.l1.line tlb.page", "the line of a TLB is a page (tlb.page)");
    if (g->tlb.l2.line_bytes != g->tlb.page_bytes)
        contradiction(c, "tlb.l2.line tlb.page", "the line of a TLB is a page (tlb.page)");
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

/* What the numbers of a file rest on, so that nobody takes a data sheet for a measurement. */
static void check_class(struct check *c)
{
    static const char *const allowed[] = {"", "measured here", "checked against public counters",
                                          "from documents"};
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        if (!strcmp(c->gpu->evidence, allowed[i]))
            return;
    contradiction(c, "class",
                  "class is \"%.60s\"; give \"measured here\", \"checked against public "
                  "counters\" or \"from documents\"",
                  c->gpu->evidence);
}

strata_status strata_gpu_validate(const struct strata_gpu *gpu, const char *file,
                                  struct strata_error *err)
{
    struct check c = {gpu, file, err, STRATA_OK};
    check_bounds(&c);
    if (c.status != STRATA_OK)
        return c.status;
    check_class(&c);
    check_sm(&c);
    check_order(&c);
    check_gpcs(&c);
    check_shared(&c);
    check_carveouts(&c);
    check_l1(&c);
    check_constants(&c);
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
