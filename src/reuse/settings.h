/* settings.h - the switches of the reuse model: model.KEY=VALUE on the command line. */
#ifndef STRATA_REUSE_SETTINGS_H
#define STRATA_REUSE_SETTINGS_H

#include <strata/gpu.h>
#include <strata/result.h>

#include "reuse/residents.h"
#include "reuse/timed.h"

struct reuse_settings {
    bool sectors; /* where the L1 has some (on) */
    bool associativity, latency, mshrs, per_warp, merge, clip, waits; /* extensions; all on */
    bool transactions; /* time unit per transaction (on) or per instruction */
    bool piecewise;    /* instructions go out as far as registers reach (on) */
    bool batch, late_return, first_lane, above_ways,
        difference; /* the released code's choices; off */
    uint32_t warp_size, assignment, cores, whole_sets, one_core, by_ordinal;
    uint64_t threads;
    double miss, deviation; /* below 0: as the GPU file says */
};

/* Defaults, then each word of opt->settings. The word "code=on" stands for all that the released
 * code of paper 000 does otherwise. */
strata_status reuse_settings_read(struct reuse_settings *s, const struct strata_model_options *opt,
                                  struct strata_error *err);
void reuse_settings_cache(const struct reuse_settings *s, const struct strata_gpu *gpu,
                          uint64_t l1_bytes, uint64_t seed, struct timed_options *out);
void reuse_settings_residents(const struct reuse_settings *s, struct residents_options *out);

#endif
