/* profiles.h - profiles of launches, made once and kept in a file. */
#ifndef STRATA_PREDICT_PROFILES_H
#define STRATA_PREDICT_PROFILES_H

#include <strata/predict.h>

/* Fills *result from the launch's profile, which is made from `open`ed reader if it is not there.
 * Safe from several threads. */
strata_status profiles_run(struct strata_profiles *p, const struct strata_launch *launch,
                           const struct strata_gpu *gpu, const struct strata_model_options *opt,
                           strata_status (*open)(void *context, struct strata_reader **out,
                                                 struct strata_error *err),
                           void *context, struct strata_result *result, struct strata_error *err);

#endif
