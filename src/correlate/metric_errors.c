/* metric_errors.c - error statistics; means, medians and correlations are GSL's. */
#include "correlate/metric_errors.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

double strata_pair_error(const struct strata_metric_error *e, const struct strata_pair *p)
{
    double difference = fabs(p->predicted - p->measured);
    if (e->in_points)
        return difference;
    if (p->measured != 0)
        return 100 * difference / fabs(p->measured);
    return difference == 0 ? 0 : NAN;
}

/* A relative error that does not exist, because the measured value is 0 and the prediction is not,
 * is worse than any that does. */
static double rank(const struct strata_metric_error *e, size_t i)
{
    double error = strata_pair_error(e, &e->pair[i]);
    return isnan(error) ? INFINITY : error;
}

/* Selection is enough for five; the first of equals wins, so the order never depends on the sort.
 */
static void find_worst(struct strata_metric_error *e)
{
    e->n_worst = 0;
    while (e->n_worst < STRATA_WORST) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < e->n; i++) {
            bool taken = false;
            for (size_t k = 0; k < e->n_worst; k++)
                taken |= e->worst[k] == i;
            if (!taken && rank(e, i) > 0 && (best == SIZE_MAX || rank(e, i) > rank(e, best)))
                best = i;
        }
        if (best == SIZE_MAX)
            return;
        e->worst[e->n_worst++] = best;
    }
}

static double correlation(const double *x, const double *y, size_t n)
{
    if (n < 2 || gsl_stats_variance(x, 1, n) <= 0 || gsl_stats_variance(y, 1, n) <= 0)
        return NAN;
    return fmax(-1, fmin(1, gsl_stats_correlation(x, 1, y, 1, n))); /* rounding may pass 1 */
}

static void correlate_values(struct strata_metric_error *e, double *x, double *y)
{
    bool positive = true;
    for (size_t i = 0; i < e->n; i++) {
        x[i] = e->pair[i].predicted;
        y[i] = e->pair[i].measured;
        positive &= x[i] > 0 && y[i] > 0;
    }
    e->pearson = correlation(x, y, e->n);
    e->log_pearson = NAN;
    if (!positive)
        return;
    for (size_t i = 0; i < e->n; i++) {
        x[i] = log(x[i]);
        y[i] = log(y[i]);
    }
    e->log_pearson = correlation(x, y, e->n);
}

struct spread {
    double mean, median, worst;
};

static struct spread spread_of(double *x, size_t n)
{
    if (!n)
        return (struct spread){NAN, NAN, NAN};
    struct spread s = {.mean = gsl_stats_mean(x, 1, n), .worst = gsl_stats_max(x, 1, n)};
    s.median = gsl_stats_median(x, 1, n); /* reorders x, so it comes last */
    return s;
}

static void spread_errors(struct strata_metric_error *e, double *x, double *signed_x)
{
    e->n_exact = e->n_relative = 0;
    for (size_t i = 0; i < e->n; i++) {
        x[i] = fabs(e->pair[i].predicted - e->pair[i].measured);
        signed_x[i] = e->pair[i].predicted - e->pair[i].measured;
        e->n_exact += x[i] == 0;
    }
    if (e->in_points)
        e->bias = e->n ? gsl_stats_mean(signed_x, 1, e->n) : NAN;
    struct spread s = spread_of(x, e->n);
    e->mean_absolute = s.mean;
    e->median_absolute = s.median;
    e->worst_absolute = s.worst;
    for (size_t i = 0; i < e->n && !e->in_points; i++) {
        double error = strata_pair_error(e, &e->pair[i]);
        if (isnan(error))
            continue;
        signed_x[e->n_relative] = e->pair[i].predicted < e->pair[i].measured ? -error : error;
        x[e->n_relative++] = error;
    }
    if (!e->in_points)
        e->bias = e->n_relative ? gsl_stats_mean(signed_x, 1, e->n_relative) : NAN;
    s = spread_of(x, e->n_relative);
    e->mean_relative_pct = s.mean;
    e->median_relative_pct = s.median;
    e->worst_relative_pct = s.worst;
}

bool strata_metric_error_compute(struct strata_metric_error *e)
{
    double *x = calloc(e->n + 1, sizeof *x), *y = calloc(e->n + 1, sizeof *y);
    if (x && y) {
        correlate_values(e, x, y);
        spread_errors(e, x, y);
        find_worst(e);
    }
    free(x);
    free(y);
    return x && y;
}

double strata_metric_error_mean(const struct strata_metric_error *e)
{
    return e->in_points ? e->mean_absolute : e->mean_relative_pct;
}

double strata_metric_error_median(const struct strata_metric_error *e)
{
    return e->in_points ? e->median_absolute : e->median_relative_pct;
}
