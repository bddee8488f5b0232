/* turns.h - the order of accesses without cycles: warps share their SM evenly and wait for data for
 * a nominal time (paper 000, section 4.5, with the dependences a trace of instructions tells). */
#ifndef STRATA_REUSE_TURNS_H
#define STRATA_REUSE_TURNS_H

#include <strata/result.h>

/* Runs a launch through the hierarchy and reports every counter that needs no clock. */
strata_status turns_run(const struct strata_gpu *gpu, struct strata_reader *reader,
                        const struct strata_model_options *opt, struct strata_result *out,
                        struct strata_error *err);

#endif
