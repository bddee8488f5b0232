/* launch_report.h - the launch__ metrics, the same for every model. */
#ifndef STRATA_SM_LAUNCH_REPORT_H
#define STRATA_SM_LAUNCH_REPORT_H

#include <strata/place.h>
#include <strata/result.h>
#include <strata/trace.h>

void sm_report_launch(const struct strata_launch *l, const struct strata_occupancy *o,
                      struct strata_result *r);

#endif
