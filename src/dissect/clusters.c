/* clusters.c - groups of latencies. */
#include "dissect/clusters.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median_of(double *value, size_t n)
{
    qsort(value, n, sizeof *value, compare);
    return n ? value[n / 2] : 0;
}

static void take(struct clusters *out, const double *value, size_t from, size_t to, size_t n)
{
    if (out->n == MAX_CLUSTERS || (to - from) * 200 < n || to - from < 2)
        return;
    out->low[out->n] = value[from];
    out->high[out->n] = value[to - 1];
    out->centre[out->n] = value[from + (to - from) / 2];
    out->count[out->n++] = to - from;
}

/* Values within 2 % (and 2 cycles) above value[i], i included: outliers are everywhere, but thin.
 */
static size_t crowd(const double *value, size_t n, size_t i, size_t *end)
{
    double limit = fmax(1.02 * value[i], value[i] + 2);
    while (*end < n && value[*end] <= limit)
        ++*end;
    return *end - i;
}

/* Runs of values that are crowded, apart by 6 % and 5 cycles of values that are not. */
bool clusters_of(double *value, size_t n, struct clusters *out)
{
    size_t least = n / 1000 > 2 ? n / 1000 : 2, from = SIZE_MAX, last = 0, end = 0;
    memset(out, 0, sizeof *out);
    qsort(value, n, sizeof *value, compare);
    for (size_t i = 0; i < n; i++) {
        if (crowd(value, n, i, &end) < least)
            continue;
        if (from != SIZE_MAX && value[i] - value[last] > 5 && value[i] > 1.06 * value[last]) {
            take(out, value, from, last + 1, n);
            from = SIZE_MAX;
        }
        from = from == SIZE_MAX ? i : from;
        last = end - 1 > last ? end - 1 : last;
    }
    if (from != SIZE_MAX)
        take(out, value, from, last + 1, n);
    return out->n > 0;
}

bool clusters_of_latencies(const struct strata_series *const *series, size_t n,
                           struct clusters *out)
{
    size_t total = 0, k = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n; i++)
        total += series[i]->n_rows;
    double *value = malloc((total + 1) * sizeof *value);
    if (!value)
        return false;
    for (size_t i = 0; i < n; i++) {
        int latency = strata_series_column(series[i], "latency");
        for (size_t r = 0; latency >= 0 && r < series[i]->n_rows; r++)
            value[k++] = strata_series_at(series[i], r, latency);
    }
    bool found = clusters_of(value, k, out);
    free(value);
    return found;
}
