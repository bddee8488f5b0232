/* set.c - samples in memory and on disk. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "learn/container.h"
#include "learn/launch_profile.h"
#include "learn/set.h"

enum {
    LIMIT_BYTES = 1 << 30,
    INTERVAL_BYTES = 16 + 4 * (STRATA_LEARN_BUCKETS + 2 * STRATA_LEARN_SIZES),
    ROW_BYTES = 20
};

void learn_sample_release(struct strata_learn_sample *s)
{
    free(s->name);
    free(s->interval);
    free(s->row);
}

void strata_learn_set_release(struct strata_learn_set *set)
{
    for (size_t i = 0; i < set->n_samples; i++)
        learn_sample_release(&set->sample[i]);
    free(set->sample);
    free(set->provenance);
    memset(set, 0, sizeof *set);
}

struct strata_learn_sample *learn_set_add(struct strata_learn_set *set, const char *name)
{
    if (!ARRAY_RESERVE(set->sample, set->n_samples, set->cap_samples, 1))
        return NULL;
    struct strata_learn_sample *s = &set->sample[set->n_samples];
    memset(s, 0, sizeof *s);
    s->name = strdup(name);
    if (!s->name)
        return NULL;
    set->n_samples++;
    return s;
}

/* ---- writing ---- */

static void put_floats(struct learn_out *o, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        learn_put_float(o, x[i]);
}

static void put_sample(struct learn_out *o, const struct strata_learn_sample *s)
{
    learn_put_text(o, s->name);
    learn_put_u32(o, (uint32_t)s->n_intervals);
    for (size_t i = 0; i < s->n_intervals; i++) {
        const struct strata_learn_interval *p = &s->interval[i];
        learn_put_u32(o, p->accesses);
        learn_put_u32(o, p->peaks);
        learn_put_u32(o, p->max_distance);
        learn_put_float(o, p->cold);
        put_floats(o, p->share, STRATA_LEARN_BUCKETS);
        put_floats(o, p->miss, STRATA_LEARN_SIZES);
        put_floats(o, p->merge, STRATA_LEARN_SIZES);
    }
    learn_put_u32(o, (uint32_t)s->n_rows);
    for (size_t i = 0; i < s->n_rows; i++) {
        learn_put_u32(o, s->row[i].interval);
        learn_put_u32(o, s->row[i].cache.lines);
        learn_put_u32(o, s->row[i].cache.ways);
        learn_put_u32(o, s->row[i].misses);
        learn_put_u32(o, s->row[i].merges);
    }
}

strata_status strata_learn_set_save(const struct strata_learn_set *set, const char *path,
                                    struct strata_error *err)
{
    struct learn_out o = {0};
    learn_put_text(&o, set->provenance ? set->provenance : "{}");
    learn_put_u32(&o, set->real);
    learn_put_u32(&o, (uint32_t)set->n_samples);
    for (size_t i = 0; i < set->n_samples; i++)
        put_sample(&o, &set->sample[i]);
    strata_status st = learn_save(&o, LEARN_KIND_SET, path, err);
    learn_out_release(&o);
    return st;
}

/* ---- reading ---- */

/* Shares are between 0 and 1; anything else would spread through a training. */
static float get_share(struct learn_in *in)
{
    float x = learn_get_float(in);
    in->failed |= !(x >= 0 && x <= 1);
    return x;
}

static void get_interval(struct learn_in *in, struct strata_learn_interval *p)
{
    p->accesses = learn_get_u32(in);
    p->peaks = learn_get_u32(in);
    p->max_distance = learn_get_u32(in);
    p->cold = get_share(in);
    for (int i = 0; i < STRATA_LEARN_BUCKETS; i++)
        p->share[i] = get_share(in);
    for (int i = 0; i < STRATA_LEARN_SIZES; i++)
        p->miss[i] = get_share(in);
    for (int i = 0; i < STRATA_LEARN_SIZES; i++)
        p->merge[i] = get_share(in);
    in->failed |= !p->accesses || p->peaks > STRATA_LEARN_BUCKETS;
}

static void get_row(struct learn_in *in, const struct strata_learn_sample *s,
                    struct strata_learn_row *r)
{
    r->interval = learn_get_u32(in);
    r->cache.lines = learn_get_u32(in);
    r->cache.ways = learn_get_u32(in);
    r->misses = learn_get_u32(in);
    r->merges = learn_get_u32(in);
    in->failed |=
        strata_learn_cache_check(&r->cache, NULL) != STRATA_OK || r->interval >= s->n_intervals;
    if (!in->failed)
        in->failed = (uint64_t)r->misses + r->merges > s->interval[r->interval].accesses;
}

static void get_sample(struct learn_in *in, struct strata_learn_set *set)
{
    char *name = learn_get_text(in);
    struct strata_learn_sample *s = name ? learn_set_add(set, name) : NULL;
    free(name);
    uint32_t n = learn_get_u32(in);
    if (!s || !learn_can_hold(in, n, INTERVAL_BYTES) ||
        !ARRAY_RESERVE(s->interval, 0, s->cap_intervals, n + 1)) {
        in->failed = true;
        return;
    }
    for (; s->n_intervals < n && !in->failed; s->n_intervals++)
        get_interval(in, &s->interval[s->n_intervals]);
    n = learn_get_u32(in);
    if (!learn_can_hold(in, n, ROW_BYTES) || !ARRAY_RESERVE(s->row, 0, s->cap_rows, n + 1)) {
        in->failed = true;
        return;
    }
    for (; s->n_rows < n && !in->failed; s->n_rows++)
        get_row(in, s, &s->row[s->n_rows]);
}

strata_status learn_set_parse(const uint8_t *data, size_t n, const char *name,
                              struct strata_learn_set *set, struct strata_error *err)
{
    struct learn_in in;
    strata_status st = learn_open(data, n, LEARN_KIND_SET, name, &in, err);
    return st == STRATA_OK ? learn_set_read(&in, name, set, err) : st;
}

strata_status learn_set_read(struct learn_in *in, const char *name, struct strata_learn_set *set,
                             struct strata_error *err)
{
    size_t before = set->n_samples;
    char *provenance = learn_get_text(in);
    bool real = learn_get_u32(in) & 1;
    uint32_t n = learn_get_u32(in);
    for (uint32_t i = 0; i < n && !in->failed; i++)
        get_sample(in, set);
    if (in->failed || in->at != in->end) {
        free(provenance);
        while (set->n_samples > before)
            learn_sample_release(&set->sample[--set->n_samples]);
        return learn_damaged(name, "its samples cannot be read", err);
    }
    set->real |= real;
    if (set->provenance)
        free(provenance);
    else
        set->provenance = provenance;
    return STRATA_OK;
}

strata_status strata_learn_set_load(const char *path, struct strata_learn_set *set,
                                    struct strata_error *err)
{
    char *data;
    size_t n;
    strata_status st = strata_file_read(path, LIMIT_BYTES, &data, &n, err);
    if (st != STRATA_OK)
        return st;
    st = learn_set_parse((const uint8_t *)data, n, path, set, err);
    free(data);
    return st;
}
