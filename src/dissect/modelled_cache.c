/* modelled_cache.c - one cache of src/cache as a prober, with the noise a measurement has. */
#include <stdlib.h>
#include <string.h>

#include <strata/dissect.h>

#include "base/rng.h"
#include "cache/cache.h"

struct strata_modelled_cache {
    struct cache cache;
    struct strata_modelled_cache_options opt;
    uint64_t draws;
};

strata_status strata_modelled_cache_create(const struct strata_cache_config *config,
                                           const struct strata_modelled_cache_options *opt,
                                           struct strata_modelled_cache **out,
                                           struct strata_error *err)
{
    struct strata_modelled_cache *m = calloc(1, sizeof *m);
    if (!m)
        return strata_no_memory(err, NULL, "for a modelled cache");
    m->opt = *opt;
    strata_status st = cache_create(config, opt->seed, &m->cache, err);
    if (st != STRATA_OK) {
        free(m);
        return st;
    }
    *out = m;
    return STRATA_OK;
}

void strata_modelled_cache_destroy(struct strata_modelled_cache *m)
{
    if (m)
        cache_release(&m->cache);
    free(m);
}

static bool use(struct cache *c, uint64_t offset)
{
    uint64_t line = offset >> c->line_shift << c->line_shift;
    uint8_t sector = (uint8_t)(1u << ((offset - line) >> c->sector_shift));
    uint32_t slot = cache_find(c, line);
    bool hit = slot != CACHE_NONE && c->slot[slot].valid & sector;
    if (slot != CACHE_NONE) {
        cache_touch(c, slot);
    } else {
        struct cache_slot evicted;
        slot = cache_insert(c, line, &evicted);
    }
    c->slot[slot].valid |= sector;
    return hit;
}

/* Half of the outliers look exactly like the other class, the rest are anything up to ten misses.
 */
static uint32_t noisy(struct strata_modelled_cache *m, bool hit)
{
    const struct strata_modelled_cache_options *g = &m->opt;
    uint64_t r = rng_at(g->seed ^ 0x6e6f697365ull, m->draws++);
    uint32_t jitter = g->jitter_cycles ? (uint32_t)(r >> 8 & 0xff) % (2 * g->jitter_cycles + 1) : 0;
    if ((double)(r >> 32) < g->outliers * 4294967296.0) {
        if (r & 1)
            hit = !hit;
        else
            return g->hit_cycles + (uint32_t)((r >> 16 & 0xffff) * 10ull * g->miss_cycles >> 16);
    }
    return (hit ? g->hit_cycles : g->miss_cycles) + jitter;
}

static strata_status visit(void *context, const uint64_t *offset, size_t n, uint32_t *latency,
                           struct strata_error *err)
{
    struct strata_modelled_cache *m = context;
    (void)err;
    cache_clear(&m->cache);
    for (size_t i = 0; i < n; i++)
        latency[i] = noisy(m, use(&m->cache, offset[i]));
    return STRATA_OK;
}

void strata_modelled_cache_prober(struct strata_modelled_cache *m, struct strata_prober *out)
{
    *out = (struct strata_prober){.context = m,
                                  .visit = visit,
                                  .reach_bytes = m->cache.config.line_bytes * (1ull << 20),
                                  .unit_bytes = 4};
}
