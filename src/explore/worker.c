/* worker.c - one launch at one point. */
#include <stdlib.h>
#include <string.h>

#include "explore/run.h"

strata_status worker_init(struct sweep_worker *w, struct sweep_run *r, struct strata_error *err)
{
    memset(w, 0, sizeof *w);
    w->run = r;
    w->config_point = SIZE_MAX;
    return config_create(&w->config, err);
}

void worker_release(struct sweep_worker *w)
{
    config_destroy(w->config);
}

static bool leave_out_free(const struct strata_model *model, const char *key)
{
    return strata_profile_key_is_free(model, key);
}

strata_status worker_configure(struct sweep_worker *w, size_t point, bool for_profile,
                               struct strata_error *err)
{
    const struct strata_sweep_options *opt = w->run->opt;
    if (w->config_point == point && w->for_profile == for_profile)
        return STRATA_OK;
    w->config_point = SIZE_MAX;
    struct strata_model_options options = opt->model_options;
    options.threads = 1;
    strata_status status =
        config_of_point(w->run->plan, point, &options, for_profile ? leave_out_free : NULL,
                        opt->model, w->config, err);
    /* The free values may be what makes the others possible. */
    if (status == STRATA_OK && for_profile && w->config->bad)
        status = config_of_point(w->run->plan, point, &options, NULL, opt->model, w->config, err);
    if (status != STRATA_OK)
        return status;
    w->config_point = point;
    w->for_profile = for_profile;
    return STRATA_OK;
}

static strata_status open_reader(struct sweep_run *r, size_t launch, struct strata_reader **out,
                                 struct strata_error *err)
{
    const struct strata_launch_ref *ref = &r->set->launch[launch];
    pthread_mutex_lock(&r->lock);
    strata_status status = strata_reader_open(ref->trace, ref->index, out, err);
    pthread_mutex_unlock(&r->lock);
    return status;
}

static strata_status run_model(struct sweep_worker *w, size_t launch, struct strata_result *result,
                               struct strata_error *err)
{
    struct strata_reader *reader;
    strata_status status = open_reader(w->run, launch, &reader, err);
    if (status != STRATA_OK)
        return status;
    status = w->run->opt->model->run(&w->config->gpu, reader, &w->config->options, result, err);
    strata_reader_close(reader);
    if (status == STRATA_OK) {
        strata_derive_metrics(result);
        strata_derive_other_names(result);
    }
    if (status == STRATA_OK && result->out_of_memory)
        status = strata_no_memory(err, NULL, "for the result of a launch");
    return status;
}

void worker_run_part(struct sweep_worker *w, struct sweep_job job, struct part_outcome *out)
{
    const struct strata_launch_ref *ref = &w->run->set->launch[job.launch];
    struct strata_error err = {0};
    struct strata_result result = {0};
    strata_status status = worker_configure(w, job.point, false, &err);
    if (status == STRATA_OK)
        status = strata_result_init(&result, strata_trace_launch(ref->trace, ref->index), &err);
    if (status == STRATA_OK)
        status = run_model(w, job.launch, &result, &err);
    if (status == STRATA_OK)
        part_outcome_take(out, &result);
    else
        part_outcome_fail(out, &err);
    strata_result_release(&result);
}

void worker_make_profile(struct sweep_worker *w, struct sweep_job job, struct part_outcome *out)
{
    const struct strata_profiled_model *m = w->run->profiled;
    struct strata_error err = {0};
    struct strata_reader *reader;
    void *profile = NULL;
    strata_status status = worker_configure(w, job.point, true, &err);
    if (status == STRATA_OK)
        status = open_reader(w->run, job.launch, &reader, &err);
    if (status == STRATA_OK) {
        status = m->create(&w->config->gpu, reader, &w->config->options, &profile, &err);
        strata_reader_close(reader);
    }
    if (status == STRATA_OK)
        status = m->to_text(profile, &out->profile, &out->profile_length, &err);
    if (profile)
        m->destroy(profile);
    if (status != STRATA_OK)
        part_outcome_fail(out, &err);
}
