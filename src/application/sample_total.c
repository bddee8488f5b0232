/* sample_total.c - what a sample says of all launches, and how surely. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <strata/sample.h>

#include "application/sample_groups.h"

/* Where launches warm caches up before a run, they do so for one round of the program, not for all
 * that came before; and groups of one modelled launch show no spread. So much of what is estimated
 * is always part of the interval. */
#define LEAST_HALF_WIDTH 0.005

/* Launches of a coarse group that were modelled must not differ by more than this. */
#define HOLDS_WITHIN 0.05
/* More of what is estimated that is part of the interval then. */
#define COARSE_HALF_WIDTH 0.01

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
        good = strata_result_get(of[i], metric, &value[i]);
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
    out->half_width = t * sqrt(variance) + unsure +
                      (LEAST_HALF_WIDTH + (s->coarseness ? COARSE_HALF_WIDTH : 0)) * estimated;
}

bool strata_sample_estimate(const struct strata_sample *s, const struct strata_prediction *p,
                            const char *metric, struct strata_sample_total *out)
{
    double *value = calloc(s->n_launches + 1, sizeof *value);
    struct group *group = calloc((size_t)s->n_groups + 1, sizeof *group);
    double by_waves = 0;
    bool good = value && group && values_of(s, p, metric, value, &by_waves);
    for (size_t i = 0; good && i < s->n_launches; i++)
        add_launch(s, i, value[i], &group[s->group[i]]);
    if (good) {
        add_up(s, group, value, out);
        out->half_width += by_waves;
    }
    free(value);
    free(group);
    return good;
}

/* What the modelled launches of one coarse group say. */
struct evidence {
    double least, most;
    uint32_t fine, modelled; /* finer groups it is made of, and those with a modelled launch */
};

/* A fine group is counted where its first launch is: at the edge of a coarse group some of its
 * launches may lie in the next. */
static void gather_evidence(const struct strata_sample *s, const double *value,
                            struct evidence *evidence, uint8_t *seen)
{
    for (size_t i = 0; i < s->n_launches; i++) {
        struct evidence *e = &evidence[s->alike[i]];
        uint8_t *met = &seen[s->fine[i]], now = s->settled[i] ? 2 : 1;
        e->fine += !*met;
        e->modelled += now == 2 && *met < 2;
        *met = now > *met ? now : *met;
        if (!s->settled[i])
            continue;
        e->least = e->least > 0 && e->least < value[i] ? e->least : value[i];
        e->most = e->most > value[i] ? e->most : value[i];
    }
}

static bool is_borne_out(const struct evidence *e)
{
    uint32_t enough = e->fine < SAMPLE_EVIDENCE ? e->fine : SAMPLE_EVIDENCE;
    return e->fine < 2 || (e->modelled >= enough && e->most <= e->least * (1 + HOLDS_WITHIN));
}

bool strata_sample_holds(const struct strata_sample *s, const struct strata_prediction *p,
                         const char *metric)
{
    if (!s->coarseness)
        return true;
    double *value = calloc(s->n_launches + 1, sizeof *value), by_waves;
    struct evidence *evidence = calloc(s->n_launches + 1, sizeof *evidence);
    uint8_t *seen = calloc(s->n_launches + 1, sizeof *seen);
    bool holds = value && evidence && seen && values_of(s, p, metric, value, &by_waves);
    if (holds)
        gather_evidence(s, value, evidence, seen);
    for (size_t k = 0; holds && k < s->n_launches; k++)
        holds = is_borne_out(&evidence[k]);
    free(value);
    free(evidence);
    free(seen);
    return holds;
}
