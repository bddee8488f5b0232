/* join.h - which predicted launch belongs to which measured one. */
#ifndef STRATA_CORRELATE_JOIN_H
#define STRATA_CORRELATE_JOIN_H

#include <strata/correlate.h>

/* of_launch[i] becomes the prediction of measured launch i, or NULL. Launches are joined on
 * (program, trace) where the measurement has them. Otherwise on the kernel's bare name, grid and
 * block; launches that agree in all of these are paired in their order if there are as many on both
 * sides, and refused, with the row named, if not. */
strata_status strata_join(const struct strata_measured *measured,
                          struct strata_result *const *predicted, size_t n_predicted,
                          struct strata_result **of_launch, struct strata_error *err);

#endif
