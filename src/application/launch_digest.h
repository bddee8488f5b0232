/* launch_digest.h - what a few blocks of a launch say of its accesses, so that launches that are
 * alike can be told without a model. */
#ifndef STRATA_APPLICATION_LAUNCH_DIGEST_H
#define STRATA_APPLICATION_LAUNCH_DIGEST_H

#include <strata/trace.h>

struct launch_profile {
    uint64_t work; /* warp instructions, or blocks where the trace does not tell */
    uint64_t blocks;
    uint64_t seen;    /* warp instructions of the blocks read */
    bool whole;       /* all its blocks are in the trace */
    uint64_t content; /* digest of the blocks read: equal for launches that do the same */
    uint64_t place;   /* digest of where each instruction's lowest address lies */
    double sectors;   /* asked for by one memory instruction in the mean */
};

/* Reads STRATA_PROFILE_BLOCKS blocks at most, evenly spread over the launch: those that are there
 * of one recorded in part by `strata trace --sample`. `first`: and its first one, which works where
 * a kernel has more blocks than there is work; launches recorded in part do not have it. */
strata_status launch_profile_take(struct strata_trace *trace, size_t launch, bool first,
                                  struct launch_profile *out, struct strata_error *err);

#endif
