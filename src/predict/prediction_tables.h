/* prediction_tables.h - a prediction as one line a launch, and in the layout of Nsight Compute. */
#ifndef STRATA_PREDICT_PREDICTION_TABLES_H
#define STRATA_PREDICT_PREDICTION_TABLES_H

#include <strata/prediction.h>

#include "base/text.h"

void put_summary_head(struct strata_text *t, const struct strata_prediction *p);
void put_summary_row(struct strata_text *t, const struct strata_result *r);
void put_ncu_head(struct strata_text *t);
void put_launch_ncu(struct strata_text *t, const struct strata_prediction *p, size_t number,
                    const struct strata_result *r);

#endif
