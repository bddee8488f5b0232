/* analytic.c - stack distances with associativity: the baseline of paper 003.
 *
 * Brehob and Enbody: an access at distance d hits if fewer than `ways` of the d
 * lines in between fall into its set. Exact: a binomial. PPT-GPU's published tool
 * takes a normal distribution without continuity correction and the absolute
 * value of its argument, so that long distances become hits again. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"

enum { REMEMBERED = 64, POINTS = 8 };

struct learn_analytic {
    bool published,
        timed; /* timed: the profile with time, averaged by the binomial; see features.h */
    struct memory {
        struct strata_learn_cache cache; /* lines 0: empty */
        double hit[STRATA_LEARN_BUCKETS];
        struct learn_geometry geometry;
    } memory[REMEMBERED];
};

strata_status learn_analytic_create(const char *name, struct learn_analytic **out,
                                    struct strata_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return strata_no_memory(err, NULL, "for the analytic model");
    (*out)->published = !strcmp(name, "ppt");
    (*out)->timed = !strcmp(name, "timed");
    return STRATA_OK;
}

void learn_analytic_destroy(struct learn_analytic *a)
{
    free(a);
}

double learn_hit_exact(uint32_t d, uint32_t lines, uint32_t ways)
{
    if (d < ways)
        return 1;
    return lines == ways ? 0 : gsl_cdf_binomial_P(ways - 1, (double)ways / lines, d);
}

double learn_hit_published(uint32_t d, uint32_t lines, uint32_t ways)
{
    if (!d)
        return 1;
    double mean = (double)d * ways / lines, variance = mean * (lines - ways) / lines;
    if (!(variance >
          0)) /* the tool divides by zero here; a fully associative cache has no spread */
        return d < ways;
    double x = fabs(ways - 1 - mean) / sqrt(variance);
    return 1 - (0.5 - 0.5 * erf(x / 1.41421));
}

/* Distances of a bucket are taken as evenly spread over it. */
static double bucket_hit(bool published, uint32_t b, const struct strata_learn_cache *c)
{
    uint32_t from = learn_bucket_from(b),
             to = b + 1 < STRATA_LEARN_BUCKETS ? learn_bucket_from(b + 1) : 2 * from;
    uint32_t n = to - from < POINTS ? to - from : POINTS;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = from + (uint32_t)((to - from) * (uint64_t)(2 * i + 1) / (2 * n));
        sum += published ? learn_hit_published(d, c->lines, c->ways)
                         : learn_hit_exact(d, c->lines, c->ways);
    }
    return sum / n;
}

static const struct memory *remember(struct learn_analytic *a, const struct strata_learn_cache *c)
{
    struct memory *m = &a->memory[(c->lines * 31 + c->ways) % REMEMBERED];
    if (m->cache.lines == c->lines && m->cache.ways == c->ways)
        return m;
    m->cache = *c;
    learn_geometry_init(&m->geometry, c);
    for (uint32_t b = 0; b < STRATA_LEARN_BUCKETS; b++)
        m->hit[b] = bucket_hit(a->published, b, c);
    return m;
}

struct strata_learn_rates learn_analytic_rates(struct learn_analytic *a,
                                               const struct strata_learn_interval *p,
                                               const struct strata_learn_cache *cache)
{
    const struct memory *m = remember(a, cache);
    double sum = 0;
    if (a->timed)
        return (struct strata_learn_rates){.miss = learn_smoothed(p->miss, &m->geometry),
                                           .merge = learn_smoothed(p->merge, &m->geometry)};
    for (uint32_t b = 0; b < STRATA_LEARN_BUCKETS; b++)
        sum += p->share[b] * m->hit[b];
    return (struct strata_learn_rates){.miss = sum < 1 ? 1 - sum : 0, .merge = NAN};
}
