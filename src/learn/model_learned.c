/* model_learned.c - the L1 of a launch by a trained model.
 *
 * The model knows caches whose lines are fetched whole. A sectored L1 is put to it as a cache of
 * sectors: a line's place is worth as many sectors as the launch uses of a line. */
#include "learn/model_learned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/learn.h>

#include "base/bits.h"
#include "learn/launch_profile.h"
#include "learn/timed_l1.h"

struct settings {
    const char *file, *variant;
    uint32_t sms;
};

static strata_status read_settings(const struct strata_model_options *opt, struct settings *s,
                                   struct strata_error *err)
{
    *s = (struct settings){.variant = opt->variant ? opt->variant : "default", .sms = 16};
    for (const char *const *w = opt->settings; w && *w; w++) {
        char *end;
        if (!strncmp(*w, "file=", 5))
            s->file = *w + 5;
        else if (!strncmp(*w, "sms=", 4) && (*w)[4] >= '0' && (*w)[4] <= '9' &&
                 (s->sms = (uint32_t)strtoul(*w + 4, &end, 10), !*end))
            continue;
        else
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                               "The learned model does not know \"model.%s\"; it takes "
                               "model.file=MODEL and model.sms=N.",
                               *w);
    }
    return STRATA_OK;
}

static strata_status open_model(const struct settings *s, struct strata_learn_model **out,
                                struct strata_error *err)
{
    return s->file ? strata_learn_model_load(s->file, out, err)
                   : strata_learn_model_builtin(s->variant, out, err);
}

/* ---- geometry ---- */

static strata_status distinct_of(const struct learn_sm_streams *sms, uint32_t shift,
                                 uint64_t *sectors, uint64_t *lines, struct strata_error *err)
{
    strata_status st = STRATA_OK;
    *sectors = *lines = 0;
    for (uint32_t k = 0; k < sms->n_sms && st == STRATA_OK; k++) {
        const struct learn_sm_stream *sm = &sms->sm[k];
        struct learn_stream s = {0};
        uint64_t *line = sm->n ? malloc(sm->n * sizeof *line) : NULL;
        if (!line)
            continue;
        for (size_t i = 0; i < sm->n; i++)
            line[i] = sm->line[i] >> shift;
        st = learn_stream_make(&s, line, sm->n, err);
        *lines += s.n_lines;
        learn_stream_release(&s);
        if (st == STRATA_OK)
            st = learn_stream_make(&s, sm->line, sm->n, err);
        *sectors += s.n_lines;
        learn_stream_release(&s);
        free(line);
    }
    return st;
}

/* The L1 in units of the sectors that its lines hold on average. */
static struct strata_learn_cache l1_in_sectors(const struct strata_gpu *gpu, uint64_t l1_bytes,
                                               double sectors_per_line)
{
    const struct strata_cache_config *c = &gpu->l1.cache;
    uint64_t lines = l1_bytes / c->line_bytes;
    lines = lines > gpu->l1.reserved_lines + 1 ? lines - gpu->l1.reserved_lines : 1;
    uint64_t ways = c->ways && c->ways < lines ? c->ways : lines, sets = lines / ways;
    uint64_t wide = (uint64_t)lround((double)ways * sectors_per_line);
    return (struct strata_learn_cache){.lines = (uint32_t)(sets * wide), .ways = (uint32_t)wide};
}

/* ---- answers ---- */

static void report(const struct strata_gpu *gpu, struct strata_learn_model *m,
                   const struct strata_learn_cache *cache, const struct strata_learn_rates *r,
                   struct strata_result *out)
{
    bool merges = !isnan(r->merge);
    double hits = 1 - r->miss - (merges && !gpu->l1.inflight_counts_as_hit ? r->merge : 0);
    strata_result_set(out, "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
                      100 * (hits > 0 ? hits : 0));
    if (merges)
        strata_result_set(out, "strata__l1_merge_rate.pct", 100 * r->merge);
    strata_result_detail_text(out, "learned.model", strata_learn_model_learner(m));
    strata_result_detail(out, "learned.cache_sectors", cache->lines);
    strata_result_detail(out, "learned.cache_ways", cache->ways);
    strata_result_detail_text(out, "learned.extrapolated",
                              strata_learn_in_range(m, cache) ? "no" : "yes");
    if (!strata_learn_in_range(m, cache))
        strata_result_warn(out,
                           "The L1 holds %u sectors, outside of what the model was trained for; "
                           "the rates are an extrapolation.",
                           cache->lines);
}

static strata_status answer(const struct strata_gpu *gpu, struct strata_learn_model *m,
                            const struct learn_sm_streams *sms, struct strata_result *out,
                            struct strata_error *err)
{
    struct strata_learn_profile_options opt;
    struct strata_learn_sample sample = {0};
    struct strata_learn_rates rates;
    uint64_t sectors, lines;
    uint32_t shift = log2_floor(gpu->l1.cache.line_bytes / gpu->l1.cache.sector_bytes);
    strata_learn_profile_options_init(&opt);
    strata_status st = learn_profile_streams(sms, &opt, &sample, err);
    if (st == STRATA_OK && !sample.n_intervals) {
        strata_result_warn(
            out, "The launch has no loads that reach the L1; there is nothing to predict.");
        return STRATA_OK;
    }
    if (st == STRATA_OK)
        st = distinct_of(sms, shift, &sectors, &lines, err);
    if (st == STRATA_OK) {
        struct strata_learn_cache cache =
            l1_in_sectors(gpu, sms->l1_bytes, (double)sectors / (double)lines);
        st = strata_learn_predict_sample(m, &sample, &cache, &rates, err);
        if (st == STRATA_OK)
            report(gpu, m, &cache, &rates, out);
    }
    learn_sample_release(&sample);
    return st;
}

static strata_status run_model(const struct strata_gpu *gpu, struct strata_reader *reader,
                               const struct strata_model_options *opt, struct strata_result *out,
                               struct strata_error *err)
{
    struct settings s;
    struct strata_learn_model *m = NULL;
    struct learn_sm_streams sms = {0};
    struct strata_learn_profile_options profile;
    strata_status st = read_settings(opt, &s, err);
    if (st == STRATA_OK)
        st = open_model(&s, &m, err);
    strata_learn_profile_options_init(&profile);
    profile.sectors = true;
    profile.sms = s.sms;
    if (st == STRATA_OK)
        st = learn_launch_streams(gpu, reader, &profile, &sms, err);
    if (st == STRATA_OK)
        st = answer(gpu, m, &sms, out, err);
    learn_streams_release(&sms);
    strata_learn_model_destroy(m);
    return st;
}

const struct strata_model strata_model_learned = {
    .name = "learned",
    .has_variants = true,
    .summary = "the L1's hit and merge rates from reuse profiles, by a trained network",
    .run = run_model,
};
