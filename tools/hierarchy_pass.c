/* hierarchy_pass.c - loads what a pass needs, and runs the reuse model's caches over a launch. */
#include "hierarchy_pass.h"

#include <stdlib.h>
#include <string.h>

#include "gpu_option.h"
#include "output.h"

strata_status pass_load(struct pass_inputs *in, const char *output, const char *gpu,
                        const struct option_list *sets, const struct launch_arguments *launches,
                        char **paths, int n_paths, struct strata_error *err)
{
    memset(in, 0, sizeof *in);
    in->gpu = calloc(1, sizeof *in->gpu);
    strata_status status = in->gpu ? output_check(output, err) : strata_no_memory(err, NULL, NULL);
    if (status == STRATA_OK)
        status = load_gpu(gpu, sets, in->gpu, err);
    if (status == STRATA_OK)
        status = load_launches(launches, paths, n_paths, &in->set, err);
    return status;
}

void pass_release(struct pass_inputs *in)
{
    strata_launch_set_release(&in->set);
    free(in->gpu);
}

strata_status pass_run(const struct strata_gpu *gpu, struct strata_reader *reader,
                       struct strata_model_options options, struct strata_error *err)
{
    struct strata_result result;
    strata_status status = strata_result_init(&result, strata_reader_launch(reader), err);
    if (status != STRATA_OK)
        return status;
    options.threads = 1;
    options.variant = "hierarchy";
    status = strata_model_find("reuse")->run(gpu, reader, &options, &result, err);
    strata_result_release(&result);
    return status;
}
