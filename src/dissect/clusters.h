/* clusters.h - the few latencies a path has, from many noisy ones. */
#ifndef STRATA_DISSECT_CLUSTERS_H
#define STRATA_DISSECT_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/probe.h>

enum { MAX_CLUSTERS = 8 };

struct clusters {
    double low[MAX_CLUSTERS], high[MAX_CLUSTERS], centre[MAX_CLUSTERS]; /* ascending */
    size_t count[MAX_CLUSTERS];
    uint32_t n;
};

/* Of numbers; sorts them. Groups apart by 6 % and 5 cycles; those with less than half a percent are
 * outliers. */
bool clusters_of(double *value, size_t n, struct clusters *out);
/* Of the column "latency" of some series. */
bool clusters_of_latencies(const struct strata_series *const *series, size_t n,
                           struct clusters *out);
double median_of(double *value, size_t n); /* sorts */

#endif
