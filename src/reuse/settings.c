/* settings.c - words into switches. */
#include "reuse/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { SWITCH, NUMBER, NUMBER64, REAL };

static const struct row {
    const char *name;
    enum kind kind;
    size_t offset;
} rows[] = {
    {"sectors", SWITCH, offsetof(struct reuse_settings, sectors)},
    {"associativity", SWITCH, offsetof(struct reuse_settings, associativity)},
    {"latency", SWITCH, offsetof(struct reuse_settings, latency)},
    {"mshrs", SWITCH, offsetof(struct reuse_settings, mshrs)},
    {"mshrs_per_warp", SWITCH, offsetof(struct reuse_settings, per_warp)},
    {"merge", SWITCH, offsetof(struct reuse_settings, merge)},
    {"clip", SWITCH, offsetof(struct reuse_settings, clip)},
    {"warps_wait", SWITCH, offsetof(struct reuse_settings, waits)},
    {"time_per_transaction", SWITCH, offsetof(struct reuse_settings, transactions)},
    {"mshr_piecewise", SWITCH, offsetof(struct reuse_settings, piecewise)},
    {"batch", SWITCH, offsetof(struct reuse_settings, batch)},
    {"late_return", SWITCH, offsetof(struct reuse_settings, late_return)},
    {"mshr_first_lane", SWITCH, offsetof(struct reuse_settings, first_lane)},
    {"miss_above_ways", SWITCH, offsetof(struct reuse_settings, above_ways)},
    {"kinds_by_difference", SWITCH, offsetof(struct reuse_settings, difference)},
    {"warp_size", NUMBER, offsetof(struct reuse_settings, warp_size)},
    {"strided_warps", NUMBER, offsetof(struct reuse_settings, assignment)},
    {"cores", NUMBER, offsetof(struct reuse_settings, cores)},
    {"whole_sets", NUMBER, offsetof(struct reuse_settings, whole_sets)},
    {"one_core", NUMBER, offsetof(struct reuse_settings, one_core)},
    {"by_ordinal", NUMBER, offsetof(struct reuse_settings, by_ordinal)},
    {"threads", NUMBER64, offsetof(struct reuse_settings, threads)},
    {"miss", REAL, offsetof(struct reuse_settings, miss)},
    {"miss_deviation", REAL, offsetof(struct reuse_settings, deviation)},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static strata_status unknown(const char *word, struct strata_error *err)
{
    char names[640] = "code";
    for (unsigned i = 0; i < N_ROWS; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", rows[i].name);
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "The reuse model does not understand \"%s\"; it has model.KEY=VALUE for %s.",
                       word, names);
}

static bool read_switch(const char *text, bool *out)
{
    bool on = !strcmp(text, "on") || !strcmp(text, "1") || !strcmp(text, "true");
    bool off = !strcmp(text, "off") || !strcmp(text, "0") || !strcmp(text, "false");
    *out = on;
    return on || off;
}

/* What the released code does otherwise than the paper: spec of its behaviour, point by point. */
static void as_the_code(struct reuse_settings *s)
{
    s->per_warp = s->merge = s->clip = s->transactions = s->piecewise = false;
    s->batch = s->late_return = s->first_lane = s->above_ways = s->difference = true;
    s->one_core = s->whole_sets = s->by_ordinal = 1;
}

static strata_status read_word(struct reuse_settings *s, const char *word, struct strata_error *err)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : 0;
    bool on;
    if (length == 4 && !strncmp(word, "code", 4) && read_switch(equals + 1, &on)) {
        if (on)
            as_the_code(s);
        return STRATA_OK;
    }
    for (unsigned i = 0; i < N_ROWS; i++) {
        if (!length || strlen(rows[i].name) != length || strncmp(rows[i].name, word, length))
            continue;
        char *at = (char *)s + rows[i].offset, *end = NULL;
        if (rows[i].kind == SWITCH)
            return read_switch(equals + 1, (bool *)at) ? STRATA_OK : unknown(word, err);
        double value = strtod(equals + 1, &end);
        if (read_switch(equals + 1, &on) && rows[i].kind == NUMBER)
            value = on;
        else if (end == equals + 1 || *end || value < 0 || value > 4e9)
            return unknown(word, err);
        if (rows[i].kind == REAL)
            *(double *)at = value;
        else if (rows[i].kind == NUMBER64)
            *(uint64_t *)at = (uint64_t)value;
        else
            *(uint32_t *)at = (uint32_t)value;
        return STRATA_OK;
    }
    return unknown(word, err);
}

strata_status reuse_settings_read(struct reuse_settings *s, const struct strata_model_options *opt,
                                  struct strata_error *err)
{
    *s = (struct reuse_settings){.sectors = true,
                                 .associativity = true,
                                 .latency = true,
                                 .mshrs = true,
                                 .merge = true,
                                 .clip = true,
                                 .waits = true,
                                 .transactions = true,
                                 .piecewise = true,
                                 .miss = -1,
                                 .deviation = -1};
    for (const char *const *w = opt->settings; w && *w; w++) {
        strata_status st = read_word(s, *w, err);
        if (st != STRATA_OK)
            return st;
    }
    return STRATA_OK;
}

void reuse_settings_cache(const struct reuse_settings *s, const struct strata_gpu *gpu,
                          uint64_t l1_bytes, uint64_t seed, struct timed_options *out)
{
    *out = (struct timed_options){
        .cache = gpu->l1.cache,
        .sectored = s->sectors && gpu->l1.cache.sector_bytes < gpu->l1.cache.line_bytes,
        .fully_associative = !s->associativity,
        .hit_steps = s->latency ? gpu->reuse.hit_steps : 0,
        .miss_steps = s->latency ? (s->miss >= 0 ? (uint32_t)s->miss : gpu->reuse.miss_steps) : 0,
        .miss_deviation_steps =
            s->latency ? (s->deviation >= 0 ? s->deviation : gpu->reuse.miss_deviation_steps) : 0,
        .clip = s->clip,
        .mshrs = s->mshrs ? gpu->l1.mshrs : 0,
        .mshrs_per_warp = s->mshrs && s->per_warp ? gpu->l1.mshrs_per_warp : 0,
        .mshr_merges = s->mshrs ? gpu->l1.mshr_merges : 0,
        .mshr_merge = s->merge,
        .mshr_piecewise = s->piecewise,
        .mshr_first_lane_only = s->first_lane,
        .batch = s->batch,
        .unit_per_transaction = s->transactions,
        .warp_waits = s->waits,
        .late_return = s->late_return,
        .miss_above_ways = s->above_ways,
        .seed = seed,
    };
    out->cache.size_bytes = l1_bytes;
}

void reuse_settings_residents(const struct reuse_settings *s, struct residents_options *out)
{
    *out = (struct residents_options){
        .warp_size = s->warp_size,
        .assignment = s->assignment ? STRATA_WARPS_STRIDED : STRATA_WARPS_LINEAR,
        .by_ordinal = s->by_ordinal,
        .cores = s->cores,
        .max_threads = s->threads,
        .one_core = s->one_core,
        .whole_sets = s->whole_sets,
        .loads_only = true,
    };
}
