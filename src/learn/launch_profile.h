/* launch_profile.h - streams of a launch and their profiles, between the files of this folder. */
#ifndef STRATA_LEARN_LAUNCH_PROFILE_H
#define STRATA_LEARN_LAUNCH_PROFILE_H

#include <strata/learn.h>

#include "learn/trace_stream.h"

/* The streams that `opt` asks for; of all SMs if the chosen ones have no loads. */
strata_status learn_launch_streams(const struct strata_gpu *gpu, struct strata_reader *reader,
                                   const struct strata_learn_profile_options *opt,
                                   struct learn_sm_streams *sms, struct strata_error *err);
/* Adds the intervals (and labels) of all streams to *out. */
strata_status learn_profile_streams(const struct learn_sm_streams *sms,
                                    const struct strata_learn_profile_options *opt,
                                    struct strata_learn_sample *out, struct strata_error *err);
void learn_sample_release(struct strata_learn_sample *s);

#endif
