/* model_reuse.h - `strata predict --model reuse`. */
#ifndef STRATA_REUSE_MODEL_H
#define STRATA_REUSE_MODEL_H

#include <strata/result.h>

#include "reuse/settings.h"

extern const struct strata_model strata_model_reuse;

/* Totals over the modelled cores of one pass of the extended model. */
struct reuse_totals {
    uint64_t accesses, misses, infinite, cancelled, kind[TIMED_N_KINDS];
};
strata_status reuse_paper_pass(const struct strata_gpu *gpu, struct strata_reader *reader,
                               const struct reuse_settings *s, uint64_t seed,
                               struct reuse_totals *out, struct strata_error *err);

#endif
