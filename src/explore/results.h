/* results.h - what a run leaves, read back from the store. */
#ifndef STRATA_EXPLORE_RESULTS_H
#define STRATA_EXPLORE_RESULTS_H

#include "explore/run.h"

strata_status results_read(struct sweep_run *r, struct strata_sweep_results *out,
                           struct strata_error *err);

#endif
