/* sample_total.c - what a sample says of all launches, and how surely. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <strata/sample.h>

#include "application/sample_groups.h"
#include "application/sample_order.h"

/* Where launches warm caches up before a run, they do so for one round of the program, not for all
 * that came before; and groups of one modelled launch show no spread. So much of what is estimated
 * is always part of the interval. */
#define LEAST_HALF_WIDTH 0.005

/* Before anything is known of how well launches tell of those between them, these are taken to be
 * anywhere between the two, all places as likely; that counts as so many observations. */
#define PRIOR_OBSERVATIONS 4.0
/* And so much slower or faster (logarithm) a launch that finds caches that others have filled than
 * the first of its group. */
#define EARLY_PRIOR 0.05

void strata_sample_results(const struct strata_sample *s, const struct strata_prediction *p,
                           const struct strata_result **out)
{
    size_t place = 0;
    for (size_t i = 0; i < s->n_launches; i++)
        out[i] = s->use[i] != STRATA_SAMPLE_LEFT_OUT ? &p->result[place++] : NULL;
    /* Launches that only warm up have an answer too, but it is another's that counts. */
    for (size_t i = 0; i < s->n_launches; i++)
        if (s->use[i] < STRATA_SAMPLE_STANDS)
            out[i] = out[s->stands_for[i]];
}

/* Mean and spread of a group's launches that stand for others, and what those are. */
struct group {
    double left_out, picks, sum, squares;
    double unsure;      /* sum over launches whose stand-in found other caches */
    double least, most; /* of all that were modelled */
};

static double deviation(const struct group *g)
{
    double mean = g->picks > 0 ? g->sum / g->picks : 0;
    return mean > 0 ? (g->most - g->least) / mean : 0;
}

static void add_launch(const struct strata_sample *s, size_t i, double value, struct group *g)
{
    if (s->use[i] >= STRATA_SAMPLE_STANDS) {
        g->least = g->least > 0 && g->least < value ? g->least : value;
        g->most = g->most > value ? g->most : value;
    } else {
        g->left_out++;
        g->unsure += s->unsure[i] ? value : 0;
    }
    if (s->use[i] == STRATA_SAMPLE_STANDS) {
        g->picks++;
        g->sum += value;
        g->squares += value * value;
    }
}

/* The share of a launch's time that its prediction from some of its waves may be off by. */
static double unsure_by_waves(const struct strata_result *r)
{
    for (size_t i = 0; i < r->n_details; i++)
        if (!strcmp(r->detail[i].path, "waves.half_width_pct"))
            return r->detail[i].value / 100;
    return 0;
}

/* value: of each launch, its own or that of the one that stands for it; *by_waves: how much of
 * their sum is unsure because long launches were predicted from some of their waves. */
static bool values_of(const struct strata_sample *s, const struct strata_prediction *p,
                      const char *metric, double *value, double *by_waves)
{
    const struct strata_result **of = calloc(s->n_launches + 1, sizeof *of);
    bool good = of;
    if (good)
        strata_sample_results(s, p, of);
    *by_waves = 0;
    for (size_t i = 0; good && i < s->n_launches; i++) {
        double other = 0;
        good = strata_result_get(of[i], metric, &value[i]) &&
               strata_result_get(of[s->other[i]], metric, &other);
        value[i] = sample_between(value[i], other, (double)s->part[i]);
        *by_waves += good ? value[i] * unsure_by_waves(of[i]) : 0;
    }
    free(of);
    return good;
}

/* Groups with one modelled launch are taken to spread as the others do. */
static double pooled_square(const struct group *group, uint32_t n, double *freedom)
{
    double spread = 0;
    *freedom = 0;
    for (uint32_t k = 0; k < n; k++) {
        const struct group *g = &group[k];
        if (g->picks < 2 || !(g->sum > 0))
            continue;
        double mean = g->sum / g->picks;
        spread += (g->squares - g->picks * mean * mean) / (mean * mean);
        *freedom += g->picks - 1;
    }
    return *freedom > 0 && spread > 0 ? spread / *freedom : 0;
}

/* The modelled launches of a group, and those of other groups between it and the next. */
struct ranked {
    double sum, n, between;
    double early_sum, early_n; /* before caches had settled */
    double of_early;           /* sum over launches that these stand for */
    size_t launch, early_launch;
    uint32_t family;
};

/* How the logarithm of the time goes on from group to group, taken for a random walk over the
 * distance between them: the variance for each unit of distance, from how far each group is from
 * the line between its neighbours (a bridge) and, before that, from what neighbours differ by. */
struct walk {
    double steps, n_steps, bridges, n_bridges;
    double squares; /* sum over the gaps between groups of the square of what is estimated there */
    double away, weight;
};

static double mean_of(const struct ranked *r)
{
    return r->sum / r->n;
}

static void add_step(const struct strata_sample *s, const struct ranked *a, const struct ranked *b,
                     struct walk *w)
{
    double e = log(mean_of(b) / mean_of(a));
    w->steps += e * e / sample_distance(s, a->launch, b->launch);
    w->n_steps++;
}

static void add_bridge(const struct strata_sample *s, const struct ranked *a,
                       const struct ranked *b, const struct ranked *c, struct walk *w)
{
    double x = sample_distance(s, a->launch, b->launch),
           y = sample_distance(s, b->launch, c->launch),
           share = sample_share_of_second(s, b->launch, a->launch, c->launch),
           e = log(mean_of(b) / sample_between(mean_of(a), mean_of(c), share));
    w->bridges += e * e * (x + y) / (x * y);
    w->n_bridges++;
}

static void walk_along(const struct strata_sample *s, const struct ranked *r, struct walk *walk)
{
    const struct ranked *last = NULL, *before = NULL;
    for (size_t k = 0; k < s->n_launches; k++) {
        if (!(r[k].n > 0))
            continue;
        struct walk *w = &walk[r[k].family];
        bool follows = last && last->family == r[k].family;
        if (follows)
            add_step(s, last, &r[k], w);
        if (follows && before && before->family == r[k].family)
            add_bridge(s, before, last, &r[k], w);
        before = last;
        last = &r[k];
        w->squares += r[k].between * r[k].between;
    }
}

/* Fully dependent within a gap, independent from gap to gap. Student's t, its variance after what
 * was seen a scaled inverse chi-squared distribution. Of all places between two a step apart the
 * variance is a twelfth of its square, that of a walk in the middle of it a quarter of its length.
 */
static double half_width_of(const struct walk *w)
{
    double prior = w->n_steps > 0 ? w->steps / w->n_steps / 3 : w->away / w->weight;
    prior = prior > SAMPLE_ALIKE / 3 ? prior : SAMPLE_ALIKE / 3;
    double freedom = w->n_bridges + PRIOR_OBSERVATIONS,
           variance = (w->bridges + PRIOR_OBSERVATIONS * prior) / freedom;
    return gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(variance * w->squares);
}

/* alone: one launch of its group stands for it, so that nothing tells how those differ. */
static void add_to_rank(const struct strata_sample *s, size_t i, double value, bool alone,
                        struct ranked *r, struct walk *walk)
{
    uint32_t a = s->rank[s->stands_for[i]], b = s->rank[s->other[i]];
    double away = (double)s->away[i];
    if (!(away > 0) && alone)
        away = sample_distance_alike(s, i, s->stands_for[i]);
    if (s->use[i] >= STRATA_SAMPLE_STANDS) {
        struct ranked *own = &r[s->rank[i]];
        double *sum = s->settled[i] ? &own->sum : &own->early_sum,
               *n = s->settled[i] ? &own->n : &own->early_n;
        size_t *first = s->settled[i] ? &own->launch : &own->early_launch;
        *first = *n > 0 ? *first : i;
        own->family = s->family[i];
        *sum += value;
        ++*n;
    } else if (away > 0) {
        r[a < b ? a : b].between += value * sqrt(away);
        walk[s->family[i]].away += value * away;
        walk[s->family[i]].weight += value;
    }
}

/* What launches may be off by that the first of a group answers for, whose caches had not settled.
 * What it did not find are its own code and arrays, so that groups are independent. */
static double unsure_of_early(const struct strata_sample *s, const double *value, struct ranked *r)
{
    double sum = 0, squares = PRIOR_OBSERVATIONS * EARLY_PRIOR * EARLY_PRIOR,
           n = PRIOR_OBSERVATIONS;
    for (size_t i = 0; s->keep_caches && i < s->n_launches; i++)
        if (s->stands_for[i] != i && !s->settled[s->stands_for[i]])
            r[s->rank[s->stands_for[i]]].of_early += value[i];
    for (size_t k = 0; k < s->n_launches; k++) {
        sum += r[k].of_early * r[k].of_early;
        if (!(r[k].n > 0) || !(r[k].early_n > 0))
            continue;
        double e = log(mean_of(&r[k]) / (r[k].early_sum / r[k].early_n));
        squares += e * e;
        n++;
    }
    return gsl_cdf_tdist_Pinv(0.975, n) * sqrt(sum * squares / n);
}

/* Those that had not settled say what there is to say of groups of no others. */
static void take_early(const struct strata_sample *s, struct ranked *r)
{
    for (size_t k = 0; k < s->n_launches; k++)
        if (!(r[k].n > 0) && r[k].early_n > 0) {
            r[k].sum = r[k].early_sum;
            r[k].n = r[k].early_n;
            r[k].launch = r[k].early_launch;
        }
}

static double half_width_between(const struct strata_sample *s, const struct ranked *r,
                                 struct walk *walk)
{
    double squares = 0;
    walk_along(s, r, walk);
    for (size_t k = 0; k < s->n_launches; k++)
        if (walk[k].squares > 0) {
            double half = half_width_of(&walk[k]);
            squares += half * half;
        }
    return sqrt(squares);
}

/* What launches that are between those of other groups may be off by, families independent of one
 * another, and those that the first ones of the program answer for. */
static bool unsure_of_others(const struct strata_sample *s, const double *value,
                             const struct group *group, double *out)
{
    struct ranked *r = calloc(s->n_launches + 1, sizeof *r);
    struct walk *walk = calloc(s->n_launches + 1, sizeof *walk);
    bool room = r && walk;
    for (size_t i = 0; room && i < s->n_launches; i++)
        add_to_rank(s, i, value[i], group[s->group[i]].picks < 2, r, walk);
    if (room) {
        *out = unsure_of_early(s, value, r);
        take_early(s, r);
        *out += half_width_between(s, r, walk);
    }
    free(r);
    free(walk);
    return room;
}

static void add_up(const struct strata_sample *s, const struct group *group, const double *value,
                   struct strata_sample_total *out)
{
    double variance = 0, freedom, unsure = 0, estimated = 0;
    double pooled = pooled_square(group, s->n_groups, &freedom);
    for (uint32_t k = 0; k < s->n_groups; k++) {
        const struct group *g = &group[k];
        if (!(g->picks > 0))
            continue;
        double mean = g->sum / g->picks,
               square = g->picks > 1 ? (g->squares - g->picks * mean * mean) / (g->picks - 1)
                                     : pooled * mean * mean;
        variance += square > 0 ? g->left_out * g->left_out * square / g->picks : 0;
        unsure += g->unsure * deviation(g);
    }
    out->sum = 0;
    for (size_t i = 0; i < s->n_launches; i++) {
        out->sum += value[i];
        estimated += s->use[i] < STRATA_SAMPLE_STANDS ? value[i] : 0;
    }
    double t = freedom >= 1 ? gsl_cdf_tdist_Pinv(0.975, freedom) : 0;
    out->half_width = t * sqrt(variance) + unsure + LEAST_HALF_WIDTH * estimated;
}

bool strata_sample_estimate(const struct strata_sample *s, const struct strata_prediction *p,
                            const char *metric, struct strata_sample_total *out)
{
    double *value = calloc(s->n_launches + 1, sizeof *value);
    struct group *group = calloc((size_t)s->n_groups + 1, sizeof *group);
    double by_waves = 0, others = 0;
    bool good = value && group && values_of(s, p, metric, value, &by_waves);
    for (size_t i = 0; good && i < s->n_launches; i++)
        add_launch(s, i, value[i], &group[s->group[i]]);
    good = good && unsure_of_others(s, value, group, &others);
    if (good) {
        add_up(s, group, value, out);
        out->half_width += by_waves + others;
    }
    free(value);
    free(group);
    return good;
}
