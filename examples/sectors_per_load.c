/* sectors_per_load.c - the smallest program on top of the library: how well are the loads of each
 * launch coalesced?
 *
 *   cc sectors_per_load.c $(pkg-config --cflags --libs strata) -o sectors_per_load
 *   ./sectors_per_load gpus/h200.yaml traces/
 */
#include <stdio.h>
#include <stdlib.h>

#include <strata/predict.h>

static int fail(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    fprintf(stderr, "sectors_per_load: %s\n", text);
    return 1;
}

static void print_launches(const struct strata_prediction *p)
{
    for (size_t i = 0; i < p->n_results; i++) {
        const struct strata_result *r = &p->result[i];
        double requests, sectors;
        if (strata_result_get(r, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", &requests) &&
            requests > 0 &&
            strata_result_get(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &sectors))
            printf("%-20s %-24s %6.2f sectors per load\n", r->program, r->kernel,
                   sectors / requests);
        else
            printf("%-20s %-24s loads nothing\n", r->program, r->kernel);
    }
}

int main(int argc, char **argv)
{
    static struct strata_gpu gpu; /* too large for some stacks */
    struct strata_error err;
    struct strata_launch_set set = {0};
    struct strata_prediction prediction = {0};
    struct strata_predict_options opt = {
        .model = strata_model_find("coalesce"), .model_options = {.seed = 1}, .jobs = 2};
    if (argc != 3 || !opt.model) {
        fprintf(stderr, "usage: sectors_per_load GPU-FILE TRACE\n");
        return 2;
    }
    strata_status status = strata_gpu_load(argv[1], &gpu, &err);
    if (status == STRATA_OK)
        status = strata_launch_set_add(&set, argv[2], NULL, NULL, NULL, &err);
    if (status == STRATA_OK)
        status = strata_prediction_init(&prediction, gpu.name, opt.model->name, NULL, 1, &err);
    if (status == STRATA_OK)
        status = strata_predict(&set, &gpu, &opt, &prediction, &err);
    if (status == STRATA_OK)
        print_launches(&prediction);
    strata_prediction_release(&prediction);
    strata_launch_set_release(&set);
    return status == STRATA_OK ? 0 : fail(&err);
}
