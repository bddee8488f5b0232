/* learn_evaluate.c - a model against the timed L1: errors, R squared, ranks. */
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"

enum { MOST_CACHES = 256 };

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for an evaluation");
}

void strata_learn_evaluation_release(struct strata_learn_evaluation *e)
{
    free(e->name);
    free(e->cache);
    free(e->truth);
    free(e->predicted);
    free(e->score);
    memset(e, 0, sizeof *e);
}

/* ---- truth ---- */

static size_t cache_index(const struct strata_learn_evaluation *e,
                          const struct strata_learn_cache *c)
{
    size_t i = 0;
    while (i < e->n_caches && (e->cache[i].lines != c->lines || e->cache[i].ways != c->ways))
        i++;
    return i;
}

/* The caches of the first labelled sample, in its order. */
static strata_status find_caches(const struct strata_learn_set *set,
                                 struct strata_learn_evaluation *e, struct strata_error *err)
{
    for (size_t i = 0; i < set->n_samples && !e->n_caches; i++)
        for (size_t k = 0; k < set->sample[i].n_rows && e->n_caches < MOST_CACHES; k++)
            if (cache_index(e, &set->sample[i].row[k].cache) == e->n_caches)
                e->cache[e->n_caches++] = set->sample[i].row[k].cache;
    if (!e->n_caches)
        return strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                           "There are no labels to compare with: no launch has loads, or the "
                           "profiles were made without labels.");
    size_t n, ranked, found = 0;
    const struct strata_learn_cache *known = strata_learn_caches(&n, &ranked);
    while (found < ranked && cache_index(e, &known[found]) == found)
        found++;
    e->n_ranked = found == ranked ? ranked : e->n_caches < 10 ? e->n_caches : 10;
    return STRATA_OK;
}

static strata_status add_truth(const struct strata_learn_sample *s,
                               struct strata_learn_evaluation *e, struct strata_learn_rates *truth,
                               struct strata_error *err)
{
    double accesses[MOST_CACHES] = {0};
    for (size_t k = 0; k < s->n_rows; k++) {
        size_t c = cache_index(e, &s->row[k].cache);
        if (c == e->n_caches)
            return strata_fail(err, STRATA_EFORMAT, s->name, 0, 0,
                               "the launches are labelled with different caches.");
        truth[c].miss += s->row[k].misses;
        truth[c].merge += s->row[k].merges;
        accesses[c] += s->interval[s->row[k].interval].accesses;
    }
    for (size_t c = 0; c < e->n_caches; c++) {
        truth[c].miss /= accesses[c];
        truth[c].merge /= accesses[c];
    }
    return STRATA_OK;
}

/* ---- ranks ---- */

static bool all_equal(const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] != x[0])
            return false;
    return true;
}

/* Spearman's coefficient of the miss rates of the first n caches. NaN where the truth has no order,
 * 0 where only the prediction has none. */
static double rank_correlation(const struct strata_learn_rates *truth,
                               const struct strata_learn_rates *predicted, size_t n)
{
    double a[MOST_CACHES], b[MOST_CACHES], work[2 * MOST_CACHES];
    for (size_t i = 0; i < n; i++) {
        a[i] = truth[i].miss;
        b[i] = predicted[i].miss;
    }
    if (all_equal(a, n))
        return NAN;
    return all_equal(b, n) ? 0 : gsl_stats_spearman(a, 1, b, 1, n, work);
}

/* ---- scores ---- */

static void score_launch(const struct strata_learn_evaluation *e, size_t launch,
                         struct strata_learn_score *s)
{
    const struct strata_learn_rates *t = e->truth + launch * e->n_caches,
                                    *p = e->predicted + launch * e->n_caches;
    for (size_t c = 0; c < e->n_caches; c++) {
        s->miss_mae += fabs(t[c].miss - p[c].miss) / (double)e->n_caches;
        s->merge_mae += fabs(t[c].merge - p[c].merge) / (double)e->n_caches;
    }
    s->spearman = rank_correlation(t, p, e->n_ranked);
    s->spearman_all = rank_correlation(t, p, e->n_caches);
}

struct moments {
    double n, sum, squares, residual;
};

static void add_moment(struct moments *m, double truth, double predicted)
{
    m->n++;
    m->sum += truth;
    m->squares += truth * truth;
    m->residual += (truth - predicted) * (truth - predicted);
}

static double r_squared(const struct moments *m)
{
    double total = m->squares - m->sum * m->sum / m->n;
    return total > 0 ? 1 - m->residual / total : NAN;
}

static void add_known(double x, double *sum, size_t *n)
{
    if (isnan(x))
        return;
    *sum += x;
    ++*n;
}

static void score_all(struct strata_learn_evaluation *e)
{
    struct moments miss = {0}, merge = {0}, both = {0};
    for (size_t i = 0; i < e->n_launches; i++) {
        struct strata_learn_score *s = &e->score[i];
        score_launch(e, i, s);
        e->miss_mae += s->miss_mae / (double)e->n_launches;
        e->merge_mae += s->merge_mae / (double)e->n_launches;
        add_known(s->spearman, &e->spearman, &e->n_ordered);
        add_known(s->spearman_all, &e->spearman_all, &e->n_ordered_all);
    }
    for (size_t i = 0; i < e->n_launches * e->n_caches; i++) {
        add_moment(&miss, e->truth[i].miss, e->predicted[i].miss);
        add_moment(&merge, e->truth[i].merge, e->predicted[i].merge);
        add_moment(&both, e->truth[i].miss, e->predicted[i].miss);
        add_moment(&both, e->truth[i].merge, e->predicted[i].merge);
    }
    e->miss_r2 = r_squared(&miss);
    e->merge_r2 = r_squared(&merge);
    e->r2 = r_squared(&both);
    e->spearman = e->n_ordered ? e->spearman / (double)e->n_ordered : NAN;
    e->spearman_all = e->n_ordered_all ? e->spearman_all / (double)e->n_ordered_all : NAN;
}

/* ---- the whole ---- */

static strata_status fill(struct strata_learn_model *m, const struct strata_learn_set *set,
                          struct strata_learn_evaluation *e, struct strata_error *err)
{
    strata_status st = STRATA_OK;
    for (size_t i = 0; i < set->n_samples && st == STRATA_OK; i++) {
        const struct strata_learn_sample *s = &set->sample[i];
        if (!s->n_rows)
            continue; /* no loads: nothing to say */
        size_t at = e->n_launches * e->n_caches;
        e->name[e->n_launches++] = s->name;
        st = add_truth(s, e, e->truth + at, err);
        for (size_t c = 0; c < e->n_caches && st == STRATA_OK; c++)
            st = strata_learn_predict_sample(m, s, &e->cache[c], &e->predicted[at + c], err);
    }
    return st;
}

strata_status strata_learn_evaluate(struct strata_learn_model *m,
                                    const struct strata_learn_set *set,
                                    struct strata_learn_evaluation *e, struct strata_error *err)
{
    memset(e, 0, sizeof *e);
    e->cache = calloc(MOST_CACHES, sizeof *e->cache);
    strata_status st = e->cache ? find_caches(set, e, err) : no_memory(err);
    size_t cells = set->n_samples * e->n_caches + 1;
    if (st == STRATA_OK) {
        e->name = calloc(set->n_samples + 1, sizeof *e->name);
        e->score = calloc(set->n_samples + 1, sizeof *e->score);
        e->truth = calloc(cells, sizeof *e->truth);
        e->predicted = calloc(cells, sizeof *e->predicted);
        if (!e->name || !e->score || !e->truth || !e->predicted)
            st = no_memory(err);
    }
    if (st == STRATA_OK)
        st = fill(m, set, e, err);
    if (st == STRATA_OK)
        score_all(e);
    else
        strata_learn_evaluation_release(e);
    return st;
}
