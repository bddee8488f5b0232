/* features.c - from a profile and a cache to the vectors learners read. */
#include "learn/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "learn/learner.h"

/* ---- buckets and sizes ---- */

enum { AN_OCTAVE = 2 }; /* points of the curves with time */

uint32_t learn_bucket_of(uint32_t d)
{
    if (d < 8)
        return d;
    uint32_t e = log2_floor(d);
    return e >= 15 ? STRATA_LEARN_BUCKETS - 1 : 8 + (e - 3) * 4 + (d >> (e - 2) & 3);
}

uint32_t learn_bucket_from(uint32_t b)
{
    if (b < 8)
        return b;
    if (b >= STRATA_LEARN_BUCKETS)
        return UINT32_MAX;
    uint32_t e = (b - 8) / 4 + 3;
    return (4 + (b - 8) % 4) << (e - 2);
}

uint32_t learn_size_lines(uint32_t k)
{
    return (uint32_t)lround(exp2(k / (double)AN_OCTAVE));
}

/* ---- geometry ---- */

/* A value between two points of a curve is shared out between them. */
static void add_weight(float weight[STRATA_LEARN_SIZES], double log2_lines, double share)
{
    double at = AN_OCTAVE * log2_lines;
    at = at < 0 ? 0 : at > STRATA_LEARN_SIZES - 1 ? STRATA_LEARN_SIZES - 1 : at;
    uint32_t k = (uint32_t)at;
    weight[k] += (float)(share * (1 - (at - k)));
    if (k + 1 < STRATA_LEARN_SIZES)
        weight[k + 1] += (float)(share * (at - k));
}

static void add_binomial(float weight[STRATA_LEARN_SIZES], const struct strata_learn_cache *cache)
{
    enum { STEPS = 16, OCTAVES_BELOW = 5, OCTAVES_ABOVE = 3 }; /* STEPS an octave */
    double size = log2(cache->lines), before = 1;
    for (int j = -OCTAVES_BELOW * STEPS; j < OCTAVES_ABOVE * STEPS; j++) {
        double at = size + (double)j / STEPS, lines = exp2(at + 1.0 / STEPS);
        double after =
            lines < 1 ? 1 : learn_hit_exact((uint32_t)lines - 1, cache->lines, cache->ways);
        if (before > after)
            add_weight(weight, at + 0.5 / STEPS, before - after);
        before = after < before ? after : before;
    }
    add_weight(weight, size + OCTAVES_ABOVE, before);
}

/* Sizes that are as rare as this are left out: they would only widen the band. */
static const float LEAST_WEIGHT = 0.001f;

void learn_geometry_init(struct learn_geometry *g, const struct strata_learn_cache *cache)
{
    float sum = 0;
    *g = (struct learn_geometry){.cache = *cache, .from = STRATA_LEARN_SIZES};
    if (cache->ways == cache->lines)
        add_weight(g->weight, log2(cache->lines), 1);
    else
        add_binomial(g->weight, cache);
    for (uint32_t k = 0; k < STRATA_LEARN_SIZES; k++) {
        if (g->weight[k] < LEAST_WEIGHT) {
            g->weight[k] = 0;
            continue;
        }
        sum += g->weight[k];
        g->from = g->from < k ? g->from : k;
        g->to = k + 1;
    }
    for (uint32_t k = g->from; k < g->to; k++)
        g->weight[k] /= sum;
}

float learn_smoothed(const float curve[STRATA_LEARN_SIZES], const struct learn_geometry *g)
{
    float low = curve[g->from],
          sum = 0; /* what is above the first one: a flat curve stays what it is */
    for (uint32_t k = g->from; k < g->to; k++)
        sum += g->weight[k] * (curve[k] - low);
    sum += low;
    return sum < 0 ? 0 : sum > 1 ? 1 : sum;
}

static struct learn_band band_of(const float curve[STRATA_LEARN_SIZES],
                                 const struct learn_geometry *g)
{
    float low = curve[g->from], high = low;
    for (uint32_t k = g->from; k < g->to; k++) {
        low = curve[k] < low ? curve[k] : low;
        high = curve[k] > high ? curve[k] : high;
    }
    return (struct learn_band){.low = low,
                               .width = high - low,
                               .place = high > low ? (learn_smoothed(curve, g) - low) / (high - low)
                                                   : 0.5f};
}

void learn_bands(const struct strata_learn_interval *p, const struct learn_geometry *g,
                 uint32_t set, struct learn_band out[2])
{
    const float *const curve[2] = {p->miss, p->merge};
    for (int k = 0; k < 2; k++)
        out[k] = set == LEARN_FEATURES_TIMED
                     ? band_of(curve[k], g)
                     : (struct learn_band){.low = 0,
                                           .width = 1,
                                           .place = set == LEARN_FEATURES_OPEN
                                                        ? learn_smoothed(curve[k], g)
                                                        : 0.5f};
}

/* ---- vectors ---- */

/* Where the curves with time are read, in points from the cache's size. */
static const int offsets[] = {-6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6};
enum {
    RELATIVE = 12, /* quarter octaves each way around the cache's size, for distances */
    N_OFFSETS = sizeof offsets / sizeof offsets[0],
    N_PAPER = 2 + STRATA_LEARN_BUCKETS + 1 + 3,
    N_TIMED = N_PAPER + 1 + (2 * RELATIVE + 1) + 2 * (N_OFFSETS + 3),
};
_Static_assert((int)N_TIMED <= (int)LEARN_MAX_FEATURES, "the vector does not fit");

const char *learn_feature_set_name(uint32_t set)
{
    static const char *const name[LEARN_N_FEATURE_SETS] = {"paper", "timed", "open"};
    return name[set];
}

uint32_t learn_feature_count(uint32_t set)
{
    return set == LEARN_FEATURES_PAPER ? N_PAPER : N_TIMED;
}

/* Share of accesses at a distance of `x` or more, first ones included; `tail` holds it at the first
 * distance of each bucket. */
static float at_least(const float tail[STRATA_LEARN_BUCKETS + 1], double x)
{
    if (x <= 8)
        return tail[(uint32_t)ceil(x)];
    if (x >= 32768)
        return tail[STRATA_LEARN_BUCKETS - 1];
    uint32_t b = learn_bucket_of((uint32_t)x), from = learn_bucket_from(b),
             to = learn_bucket_from(b + 1);
    double within = (x - from) / (double)(to - from);
    return (float)(tail[b] + within * ((double)tail[b + 1] - tail[b]));
}

static float on_curve(const float curve[STRATA_LEARN_SIZES], double at)
{
    if (at <= 0)
        return curve[0];
    if (at >= STRATA_LEARN_SIZES - 1)
        return curve[STRATA_LEARN_SIZES - 1];
    uint32_t k = (uint32_t)at;
    return (float)(curve[k] + (at - k) * ((double)curve[k + 1] - curve[k]));
}

static float *put_geometry(float *at, const struct strata_learn_cache *cache)
{
    *at++ = (float)(log2(cache->lines) / 13);
    *at++ = (float)(log2(cache->ways) / 13);
    *at++ = (float)(log2((double)cache->lines / cache->ways) / 13);
    return at;
}

static float *put_distances(float *at, const struct strata_learn_interval *p,
                            const struct strata_learn_cache *cache)
{
    float tail[STRATA_LEARN_BUCKETS + 1];
    tail[STRATA_LEARN_BUCKETS] = p->cold;
    for (int b = STRATA_LEARN_BUCKETS - 1; b >= 0; b--)
        tail[b] = tail[b + 1] + p->share[b];
    for (int j = -RELATIVE; j <= RELATIVE; j++) {
        int octave = (j + 4 * RELATIVE) / 4 - RELATIVE, quarter = (j + 4 * RELATIVE) % 4;
        *at++ = at_least(tail, cache->lines * ldexp(1 + quarter / 4.0, octave));
    }
    return at;
}

static float *put_curve(float *at, const float curve[STRATA_LEARN_SIZES],
                        const struct learn_geometry *g)
{
    double size = AN_OCTAVE * log2(g->cache.lines);
    const struct learn_band band = band_of(curve, g);
    for (int j = 0; j < N_OFFSETS; j++)
        *at++ = on_curve(curve, size + offsets[j]);
    *at++ = band.low;
    *at++ = band.width;
    *at++ = band.place;
    return at;
}

void learn_features(const struct strata_learn_interval *p, const struct learn_geometry *g,
                    uint32_t set, float *out)
{
    float *at = out;
    *at++ = (float)p->peaks / 12;
    *at++ = (float)(log2(p->max_distance + 1.0) / 15);
    memcpy(at, p->share, sizeof p->share);
    at += STRATA_LEARN_BUCKETS;
    *at++ = p->cold;
    at = put_geometry(at, &g->cache);
    if (set == LEARN_FEATURES_PAPER)
        return;
    *at++ = (float)(log2(p->accesses + 1.0) / 14);
    at = put_distances(at, p, &g->cache);
    at = put_curve(at, p->miss, g);
    put_curve(at, p->merge, g);
}
