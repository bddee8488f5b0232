/* turns.h - the order of accesses without cycles: warps share their SM evenly and wait for data for
 * a nominal time (paper 000, section 4.5, with the dependences a trace of instructions tells). */
#ifndef STRATA_REUSE_TURNS_H
#define STRATA_REUSE_TURNS_H

#include <strata/result.h>

/* Runs a launch through the hierarchy and reports every counter that needs no clock. */
strata_status turns_run(const struct strata_gpu *gpu, struct strata_reader *reader,
                        const struct strata_model_options *opt, struct strata_result *out,
                        struct strata_error *err);

/* The same order with another memory behind it: `access` is called for every access to global
 * memory that a warp makes on an SM, in order of time, and says when its data is there. */
struct turns_memory {
    uint64_t (*access)(void *context, uint32_t sm, const struct strata_winst *w,
                       uint64_t local_base, uint64_t at);
    void *context;
};
strata_status turns_visit(const struct strata_gpu *gpu, struct strata_reader *reader,
                          const struct turns_memory *memory, struct strata_error *err);

#endif
