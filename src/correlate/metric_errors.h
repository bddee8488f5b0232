/* metric_errors.h - statistics of one metric over pairs of predicted and measured values. */
#ifndef STRATA_CORRELATE_ERRORS_H
#define STRATA_CORRELATE_ERRORS_H

#include <strata/correlate.h>

/* Fills all statistics from e->pair[0..n), in_points and the rest of the identity being set. False:
 * out of memory. */
bool strata_metric_error_compute(struct strata_metric_error *e);

#endif
