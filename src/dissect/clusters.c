/* clusters.c - groups of latencies. */
#include "dissect/clusters.h"

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

bool clusters_of(double *value, size_t n, struct clusters *out)
{
    memset(out, 0, sizeof *out);
    qsort(value, n, sizeof *value, compare);
    size_t from = 0;
    for (size_t i = 1; i <= n; i++)
        if (i == n || (value[i] - value[i - 1] > 5 && value[i] > 1.06 * value[i - 1])) {
            take(out, value, from, i, n);
            from = i;
        }
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
