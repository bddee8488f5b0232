/* sim_labels.c - one run of the clocked model for each cache. */
#include "learn/sim_labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/sim_engine.h"

/* The caches of src/learn have whole lines, LRU and the mixed index. */
static void set_cache(struct strata_gpu *gpu, const struct strata_learn_cache *cache)
{
    struct strata_cache_config *c = &gpu->l1.cache;
    c->size_bytes = (uint64_t)cache->lines * c->line_bytes;
    c->ways = cache->ways;
    c->index_hash = STRATA_INDEX_MIX;
    c->replacement = STRATA_REPL_LRU;
    gpu->l1.reserved_lines = 0;
    gpu->l1.inflight_counts_as_hit = true;
}

static double detail_of(const struct strata_result *r, const char *path)
{
    for (size_t i = 0; i < r->n_details; i++)
        if (!strcmp(r->detail[i].path, path))
            return r->detail[i].value;
    return 0;
}

static strata_status rates_by_sim(const struct strata_gpu *gpu, struct strata_reader *reader,
                                  struct strata_learn_rates *out, struct strata_error *err)
{
    const struct strata_model_options options = {.seed = 1, .threads = 1};
    struct strata_result r = {0};
    struct strata_reader *again;
    double sectors = 0, hits = 0;
    strata_status st = strata_reader_reopen(reader, &again, err);
    if (st != STRATA_OK)
        return st;
    st = strata_result_init(&r, strata_reader_launch(again), err);
    if (st == STRATA_OK)
        st = strata_model_sim.run(gpu, again, &options, &r, err);
    strata_result_get(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &sectors);
    strata_result_get(&r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", &hits);
    double merges = detail_of(&r, "l1.inflight_hit_sectors");
    *out = (struct strata_learn_rates){sectors > 0 ? 1 - hits / sectors : 0,
                                       sectors > 0 ? merges / sectors : 0};
    strata_result_release(&r);
    strata_reader_close(again);
    return st;
}

static void add_rows(const struct strata_learn_cache *cache, const struct strata_learn_rates *rates,
                     struct strata_learn_sample *out)
{
    for (size_t i = 0; i < out->n_intervals; i++) {
        uint32_t n = out->interval[i].accesses, misses = (uint32_t)lround(rates->miss * n),
                 merges = (uint32_t)lround(rates->merge * n);
        out->row[out->n_rows++] =
            (struct strata_learn_row){.interval = (uint32_t)i,
                                      .cache = *cache,
                                      .misses = misses,
                                      /* both may be rounded up */
                                      .merges = merges < n - misses ? merges : n - misses};
    }
}

strata_status learn_label_by_sim(const struct strata_gpu *gpu, struct strata_reader *reader,
                                 const struct strata_learn_profile_options *opt,
                                 struct strata_learn_sample *out, struct strata_error *err)
{
    if (gpu->l1.cache.sector_bytes != gpu->l1.cache.line_bytes || gpu->l1.n_carveout)
        return strata_fail(
            err, STRATA_ECONFIG, NULL, 0, 0,
            "The clocked model labels caches of whole lines; %s has an L1 of sectors "
            "or one that shares its memory. Take a GPU such as gtx470.",
            gpu->name);
    struct strata_gpu *one = malloc(sizeof *one);
    strata_status st =
        one && ARRAY_RESERVE(out->row, out->n_rows, out->cap_rows, out->n_intervals * opt->n_labels)
            ? STRATA_OK
            : strata_no_memory(err, NULL, "for labels");
    for (size_t k = 0; k < opt->n_labels && out->n_intervals && st == STRATA_OK; k++) {
        struct strata_learn_rates rates;
        *one = *gpu;
        set_cache(one, &opt->label[k]);
        st = rates_by_sim(one, reader, &rates, err);
        if (st == STRATA_OK)
            add_rows(&opt->label[k], &rates, out);
    }
    free(one);
    return st;
}
