/* predict_call.c - a whole prediction in one call. */
#include <stdlib.h>
#include <string.h>

#include <strata/call.h>
#include <strata/filter.h>
#include <strata/predict.h>

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

/* What a call becomes. */
struct parts {
    const struct strata_call *call;
    const struct strata_model *model;
    struct strata_gpu *gpu;
    const char **model_settings; /* NULL-terminated */
    struct strata_launch_set set;
    struct strata_prediction prediction;
};

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for a prediction");
}

static strata_status choose_model(struct parts *p, struct strata_error *err)
{
    const char *name = p->call->model ? p->call->model : "flow";
    p->model = strata_model_find(name);
    if (!p->model)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "there is no model \"%.80s\"; `strata predict --help` lists them.",
                           name);
    if (p->call->variant && !p->model->has_variants)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "the model %s has no variants.", name);
    return STRATA_OK;
}

static strata_status set_gpu_key(struct strata_gpu *gpu, const char *words,
                                 struct strata_error *err)
{
    const char *equals = strchr(words, '=');
    if (!equals)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "a setting is key=value, not \"%.80s\".",
                           words);
    char *key = strndup(words, (size_t)(equals - words));
    strata_status status = key ? strata_gpu_override(gpu, key, equals + 1, err) : no_memory(err);
    free(key);
    return status;
}

static strata_status load_gpu(struct parts *p, struct strata_error *err)
{
    const struct strata_call *c = p->call;
    size_t n_model = 0;
    p->gpu = calloc(1, sizeof *p->gpu);
    p->model_settings = calloc(c->n_set + 1, sizeof *p->model_settings);
    if (!p->gpu || !p->model_settings)
        return no_memory(err);
    if (!c->gpu)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "no GPU to predict for is named.");
    strata_status status = strata_gpu_load(c->gpu, p->gpu, err);
    for (uint64_t i = 0; status == STRATA_OK && i < c->n_set; i++)
        if (!strncmp(c->set[i], "model.", 6))
            p->model_settings[n_model++] = c->set[i] + 6;
        else
            status = set_gpu_key(p->gpu, c->set[i], err);
    return status == STRATA_OK ? strata_gpu_validate(p->gpu, c->gpu, err) : status;
}

static strata_status load_launches(struct parts *p, struct strata_error *err)
{
    const struct strata_call *c = p->call;
    struct strata_filter *filter = NULL;
    struct strata_trace_options options;
    strata_trace_options_init(&options);
    options.accelsim_compat = c->accelsim_compat;
    strata_status status =
        strata_filter_create(c->kernel_name, c->launch_skip, c->launch_count, &filter, err);
    for (uint64_t i = 0; status == STRATA_OK && i < c->n_traces; i++)
        status = strata_launch_set_add(&p->set, c->trace[i], &options, strata_filter_choose, filter,
                                       err);
    if (status == STRATA_OK)
        status = strata_filter_check(filter, c->n_traces == 1 ? c->trace[0] : NULL, err);
    if (status == STRATA_OK && !p->set.n_launches)
        status = strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "no trace with a launch is named.");
    strata_filter_destroy(filter);
    return status;
}

static void on_progress(void *context, size_t n_done, size_t n_launches, uint64_t warp_instructions)
{
    const struct strata_call *c = context;
    (void)warp_instructions;
    c->progress(c->progress_context, n_done, n_launches);
}

static strata_status run(struct parts *p, struct strata_error *err)
{
    const struct strata_call *c = p->call;
    uint64_t seed = c->seed ? c->seed : 1;
    struct strata_predict_options opt = {
        .model = p->model,
        .jobs = c->jobs,
        .progress = c->progress ? on_progress : NULL,
        .progress_context = (void *)(uintptr_t)c,
        .stop = c->stop,
        .model_options = {
            .seed = seed, .threads = 1, .variant = c->variant, .settings = p->model_settings}};
    strata_status status =
        strata_prediction_init(&p->prediction, p->gpu->name, p->model->name, c->variant, seed, err);
    p->prediction.gpu_digest = strata_gpu_digest(p->gpu);
    for (uint64_t i = 0; status == STRATA_OK && i < c->n_set; i++)
        status = strata_prediction_add_override(&p->prediction, c->set[i], err);
    return status == STRATA_OK ? strata_predict(&p->set, p->gpu, &opt, &p->prediction, err)
                               : status;
}

strata_status strata_call_predict(const struct strata_call *call, char **json, size_t *length,
                                  struct strata_error *err)
{
    struct parts p = {.call = call};
    *json = NULL;
    strata_status status = choose_model(&p, err);
    if (status == STRATA_OK)
        status = load_gpu(&p, err);
    if (status == STRATA_OK)
        status = load_launches(&p, err);
    if (status == STRATA_OK)
        status = run(&p, err);
    if (status == STRATA_OK)
        status = strata_prediction_print(&p.prediction, STRATA_FORMAT_JSON, json, length, err);
    strata_prediction_release(&p.prediction);
    strata_launch_set_release(&p.set);
    free(p.model_settings);
    free(p.gpu);
    return status;
}

void strata_call_free(char *json)
{
    free(json);
}

const char *strata_version(void)
{
    return STRATA_VERSION;
}
