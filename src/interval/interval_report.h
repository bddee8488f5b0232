/* interval_report.h - the interval model's row in the table of models. */
#ifndef STRATA_INTERVAL_REPORT_H
#define STRATA_INTERVAL_REPORT_H

#include <strata/result.h>

extern const struct strata_model strata_model_interval;
extern const struct strata_profiled_model strata_profiled_interval;

#endif
