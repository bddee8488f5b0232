/* hierarchy_pass.h - commands that look into the caches of the reuse model while it runs. */
#ifndef STRATA_TOOLS_HIERARCHY_PASS_H
#define STRATA_TOOLS_HIERARCHY_PASS_H

#include <strata/predict.h>

#include "launch_option.h"
#include "options.h"

struct pass_inputs {
    struct strata_gpu *gpu;
    struct strata_launch_set set;
};

/* Checks that `output` can be written, then loads the GPU and the launches. Release in any case. */
strata_status pass_load(struct pass_inputs *in, const char *output, const char *gpu,
                        const struct option_list *sets, const struct launch_arguments *launches,
                        char **paths, int n_paths, struct strata_error *err);
void pass_release(struct pass_inputs *in);

/* One launch; what is wanted of it goes to the sinks of the options. */
strata_status pass_run(const struct strata_gpu *gpu, struct strata_reader *reader,
                       struct strata_model_options options, struct strata_error *err);

#endif
