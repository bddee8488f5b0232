/* model_coalesce.h - the cheapest model: what can be counted without caches or time. */
#ifndef STRATA_PREDICT_MODEL_COALESCE_H
#define STRATA_PREDICT_MODEL_COALESCE_H

#include <strata/result.h>

extern const struct strata_model strata_model_coalesce;

#endif
