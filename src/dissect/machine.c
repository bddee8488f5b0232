/* machine.c - a modelled GPU as a target: what one thread's loads cost. */
#include "dissect/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

const char *machine_path_name(enum machine_path path)
{
    static const char *const name[] = {"l1", "readonly", "texture", "tlb", "l2"};
    return name[path];
}

static strata_status add_cache(const struct strata_cache_config *config, uint64_t seed,
                               struct cache *out, bool *has, struct strata_error *err)
{
    if (!config->size_bytes || config->size_bytes < config->line_bytes)
        return STRATA_OK;
    strata_status st = cache_create(config, seed, out, err);
    *has = st == STRATA_OK;
    return st;
}

/* Lines go round the slices; each slice is a cache of its own over the lines it sees. */
static strata_status add_slices(struct strata_model_target *t, struct strata_error *err)
{
    struct strata_cache_config slice = t->gpu.l2.cache;
    strata_status st = STRATA_OK;
    t->n_slices = t->gpu.l2.slices ? t->gpu.l2.slices : 1;
    slice.size_bytes /= t->n_slices;
    t->l2 = calloc(t->n_slices, sizeof *t->l2);
    if (!t->l2)
        return strata_no_memory(err, NULL, "for a modelled L2");
    for (uint32_t i = 0; i < t->n_slices && st == STRATA_OK; i++)
        st = add_cache(&slice, t->opt.seed + 6 + i, &t->l2[i], &t->has_l2, err);
    return st;
}

static strata_status add_caches(struct strata_model_target *t, struct strata_error *err)
{
    const struct strata_gpu *g = &t->gpu;
    uint64_t seed = t->opt.seed;
    strata_status st = STRATA_OK;
    bool second;
    if (g->l1.enabled)
        st = add_cache(&g->l1.cache, seed, &t->data[PATH_L1], &t->has_data[PATH_L1], err);
    if (st == STRATA_OK)
        st = add_cache(&g->readonly.cache, seed + 1, &t->data[PATH_READONLY],
                       &t->has_data[PATH_READONLY], err);
    if (st == STRATA_OK)
        st = add_cache(&g->texture.cache, seed + 2, &t->data[PATH_TEXTURE],
                       &t->has_data[PATH_TEXTURE], err);
    if (st == STRATA_OK)
        st = add_slices(t, err);
    if (st == STRATA_OK && (g->tlb.l1_miss_cycles || g->tlb.l2_miss_cycles)) {
        st = add_cache(&g->tlb.l1, seed + 4, &t->tlb1, &t->has_tlb, err);
        if (st == STRATA_OK)
            st = add_cache(&g->tlb.l2, seed + 5, &t->tlb2, &second, err);
    }
    return st;
}

strata_status strata_model_target_create(const struct strata_gpu *gpu,
                                         const struct strata_target_options *opt,
                                         struct strata_model_target **out, struct strata_error *err)
{
    struct strata_model_target *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return strata_no_memory(err, NULL, "for a modelled GPU");
    t->gpu = *gpu;
    t->opt = *opt;
    for (int p = 0; p < N_PATHS; p++)
        t->context[p] = (struct path_context){t, (enum machine_path)p};
    strata_status st = add_caches(t, err);
    if (st != STRATA_OK) {
        strata_model_target_destroy(t);
        return st;
    }
    *out = t;
    return STRATA_OK;
}

void strata_model_target_destroy(struct strata_model_target *t)
{
    if (!t)
        return;
    for (int p = 0; p < 3; p++)
        cache_release(&t->data[p]);
    for (uint32_t i = 0; t->l2 && i < t->n_slices; i++)
        cache_release(&t->l2[i]);
    free(t->l2);
    cache_release(&t->tlb1);
    cache_release(&t->tlb2);
    page_walks_release(&t->walks);
    free(t);
}

void machine_launch(struct strata_model_target *t)
{
    for (int p = 0; p < 3; p++)
        if (t->has_data[p])
            cache_clear(&t->data[p]);
}

void machine_clear(struct strata_model_target *t)
{
    machine_launch(t);
    t->l2_used = false;
    page_walks_release(&t->walks);
    t->walks.begun = true; /* the array, whose pages are active, begins at 0 */
    for (uint32_t i = 0; t->has_l2 && i < t->n_slices; i++)
        cache_clear(&t->l2[i]);
    if (t->has_tlb) {
        cache_clear(&t->tlb1);
        if (t->tlb2.n_slots)
            cache_clear(&t->tlb2);
    }
}

/* True on a hit; brings the sector in. */
static bool use(struct cache *c, uint64_t address)
{
    uint64_t line = address >> c->line_shift << c->line_shift;
    uint8_t sector = (uint8_t)(1u << ((address - line) >> c->sector_shift));
    uint32_t slot = cache_find(c, line);
    bool hit = slot != CACHE_NONE && c->slot[slot].valid & sector;
    if (slot != CACHE_NONE)
        cache_touch(c, slot);
    else
        slot = cache_insert(c, line, NULL);
    c->slot[slot].valid |= sector;
    return hit;
}

/* More cycles until the physical address is known. */
static uint32_t translate(struct strata_model_target *t, uint64_t address)
{
    if (!t->has_tlb || use(&t->tlb1, address))
        return 0;
    if (t->tlb2.n_slots && use(&t->tlb2, address))
        return t->gpu.tlb.l1_miss_cycles;
    return t->gpu.tlb.l1_miss_cycles +
           page_walk_cycles(&t->walks, &t->gpu, tlb_page(&t->gpu, address));
}

static bool use_slice(struct strata_model_target *t, uint64_t address)
{
    uint64_t bytes = t->gpu.l2.cache.line_bytes, line = address / bytes;
    return use(&t->l2[line % t->n_slices], line / t->n_slices * bytes + address % bytes);
}

/* A read from DRAM that follows the one before closely, or is the first, brings what lies behind it
 * too (paper 002, section 4.6, finding 3). */
static bool use_l2(struct strata_model_target *t, uint64_t address)
{
    bool sequential = !t->l2_used || (address >= t->l2_last && address - t->l2_last <= 4096);
    t->l2_used = true;
    t->l2_last = address;
    if (!t->has_l2 || use_slice(t, address))
        return true;
    if (!sequential)
        return false;
    for (uint64_t at = t->gpu.l2.cache.sector_bytes; at < t->gpu.l2.prefetch_bytes;
         at += t->gpu.l2.cache.sector_bytes)
        use_slice(t, address + at);
    return false;
}

static uint32_t hit_cycles(const struct strata_model_target *t, enum machine_path path)
{
    return path == PATH_L1         ? t->gpu.l1.hit_cycles
           : path == PATH_READONLY ? t->gpu.readonly.hit_cycles
                                   : t->gpu.texture.hit_cycles;
}

/* The TLBs lie beside the L2 (paper 002, section 5.2, finding 3): a translation that is not at hand
 * costs a hit in the SM's cache the whole way, but a load that goes to the L2 anyway only what is
 * left of it. */
uint32_t machine_load(struct strata_model_target *t, enum machine_path path, uint64_t address)
{
    const struct strata_gpu *g = &t->gpu;
    if (path <= PATH_TEXTURE && t->has_data[path] && use(&t->data[path], address))
        return hit_cycles(t, path) + (g->tlb.before_l1 ? translate(t, address) : 0);
    uint32_t wait = translate(t, address),
             below = g->l2.hit_cycles + (use_l2(t, address) ? 0 : g->dram.access_cycles);
    uint32_t overlap = g->tlb.before_l1 && g->l2.hit_cycles > g->l1.hit_cycles
                           ? g->l2.hit_cycles - g->l1.hit_cycles
                           : 0;
    return below + (wait > overlap ? wait - overlap : 0);
}

uint32_t machine_load_warm(struct strata_model_target *t, enum machine_path path, uint64_t address)
{
    if (path == PATH_TLB) { /* the page table is in the L2 as well */
        uint32_t cold = t->gpu.tlb.cold_cycles;
        t->gpu.tlb.cold_cycles = 0;
        uint32_t wait = translate(t, address);
        t->gpu.tlb.cold_cycles = cold;
        return t->gpu.l2.hit_cycles + wait;
    }
    if (path == PATH_L2)
        return t->gpu.l2.hit_cycles + (use_l2(t, address) ? 0 : t->gpu.dram.access_cycles);
    return use(&t->data[path], address) ? hit_cycles(t, path) : t->gpu.l2.hit_cycles;
}

uint32_t machine_noise(struct strata_model_target *t, uint32_t latency)
{
    uint64_t r = rng_at(t->opt.seed ^ 0x6e6f697365ull, t->draws++);
    uint32_t jitter =
        t->opt.jitter_cycles ? (uint32_t)(r & 0xffff) % (2 * t->opt.jitter_cycles + 1) : 0;
    if ((double)(r >> 32) < t->opt.outliers * 4294967296.0)
        return latency + (uint32_t)((r >> 16 & 0xffff) * 10ull * latency >> 16);
    return latency + jitter;
}

static strata_status visit(void *context, const uint64_t *offset, size_t n, uint32_t *latency,
                           struct strata_error *err)
{
    struct path_context *c = context;
    (void)err;
    if (c->path == PATH_TLB || c->path == PATH_L2)
        machine_clear(c->target);
    else
        machine_launch(c->target);
    for (size_t i = 0; i < n; i++)
        latency[i] = machine_noise(c->target, machine_load_warm(c->target, c->path, offset[i]));
    return STRATA_OK;
}

bool strata_model_target_prober(struct strata_model_target *t, const char *path,
                                struct strata_prober *out)
{
    for (int p = 0; p < N_PATHS; p++) {
        if (strcmp(path, machine_path_name((enum machine_path)p)))
            continue;
        if (p <= PATH_TEXTURE ? !t->has_data[p] : p == PATH_TLB ? !t->has_tlb : !t->has_l2)
            return false;
        uint64_t line =
            p <= PATH_TEXTURE ? t->data[p].config.line_bytes : t->gpu.l2.cache.line_bytes;
        *out = (struct strata_prober){.context = &t->context[p],
                                      .visit = visit,
                                      .reach_bytes = p == PATH_TLB ? 16ull << 30
                                                     : line < 64   ? 32ull << 20
                                                                   : 128ull << 20,
                                      .unit_bytes = p == PATH_TLB ? 65536 : 4};
        return true;
    }
    return false;
}
