/* cmd_timeline.c - strata timeline: a program's launches and copies in time. */
#include <stdlib.h>
#include <string.h>

#include <strata/predict.h>
#include <strata/result_file.h>
#include <strata/sample.h>
#include <strata/timeline.h>

#include "cmd.h"
#include "gpu_option.h"
#include "held_output.h"
#include "memory_limit.h"
#include "model_option.h"
#include "options.h"
#include "process_team.h"
#include "progress.h"
#include "sample_option.h"

struct timeline_arguments {
    const char *gpu, *model, *format, *output, *cache_control, *sample;
    double share; /* of the warp instructions to model; 1: all */
    struct option_list set;
    struct model_settings settings;
    uint64_t seed, jobs;
    bool quiet;
};

/* Everything of one run. */
struct work {
    const struct strata_gpu *gpu;
    struct strata_launch_set set;
    struct strata_sample sample;
    struct strata_prediction prediction; /* of a sample: with the results of those modelled */
    struct strata_timeline timeline;
    const struct strata_result **result; /* of a sample: of each launch */
    struct strata_launch_time *time;     /* of each launch, and */
    struct strata_result_file *results;  /* its counters, where these are written */
    uint64_t *place;                     /* in that file */
    struct held_output out;
};

static void release_work(struct work *w)
{
    strata_timeline_release(&w->timeline);
    strata_prediction_release(&w->prediction);
    strata_sample_release(&w->sample);
    strata_launch_set_release(&w->set);
    strata_result_file_destroy(w->results);
    held_discard(&w->out);
    free(w->result);
    free(w->time);
    free(w->place);
}

static void on_progress(void *context, size_t n_done, size_t n_launches, uint64_t warp_instructions)
{
    progress_show(context, n_done, n_launches, warp_instructions);
}

/* All that is kept of a launch's result. */
static strata_status take_launch(void *context, size_t launch, struct strata_result *result,
                                 struct strata_error *err)
{
    struct work *w = context;
    strata_status status = strata_launch_time(w->gpu, strata_trace_launch(w->set.trace[0], launch),
                                              result, &w->time[launch], err);
    if (status == STRATA_OK && w->results)
        status = strata_result_file_add(w->results, result, &w->place[launch], err);
    return status;
}

static strata_status predict_launches(const struct timeline_arguments *a,
                                      const struct strata_model *model, struct work *w,
                                      struct strata_error *err)
{
    struct strata_prediction *out = &w->prediction;
    struct progress line = {0};
    struct process_team *team = NULL;
    struct strata_predict_options opt = {.model = model,
                                         .jobs = (uint32_t)a->jobs,
                                         .failed_too = true,
                                         .keep_caches = !strcmp(a->cache_control, "none"),
                                         .progress = on_progress,
                                         .progress_context = &line,
                                         .take = a->sample ? NULL : take_launch,
                                         .take_context = w};
    opt.model_options = (struct strata_model_options){
        .seed = a->seed, .threads = 1, .settings = a->settings.for_model};
    strata_status status =
        strata_prediction_init(out, w->gpu->name, model->name, NULL, a->seed, err);
    for (size_t i = 0; status == STRATA_OK && i < a->set.n; i++)
        status = strata_prediction_add_override(out, a->set.item[i], err);
    if (status != STRATA_OK)
        return status;
    status = process_team_join(&team, &opt.team, err);
    if (status != STRATA_OK)
        return status;
    progress_start(&line, "launches", a->quiet || process_rank);
    status = strata_predict(&w->set, w->gpu, &opt, out, err);
    progress_end(&line);
    process_team_leave(team);
    return status;
}

static strata_status check_words(struct timeline_arguments *a, struct strata_error *err)
{
    enum strata_format format;
    if (strcmp(a->cache_control, "all") && strcmp(a->cache_control, "none"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--cache-control is none (launches find what those before them left) or "
                           "all (every launch begins cold), not \"%s\".",
                           a->cache_control);
    strata_status status = sample_share(a->sample, &a->share, err);
    if (status != STRATA_OK || !strcmp(a->format, "perfetto"))
        return status;
    status = strata_format_parse(a->format, &format, err);
    if (status != STRATA_OK)
        status =
            strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                        "there is no format \"%s\"; use text, csv, json or perfetto.", a->format);
    return status;
}

static strata_status make_room(const struct timeline_arguments *a, struct work *w,
                               struct strata_error *err)
{
    size_t n = w->set.n_launches + 1;
    bool counters = !a->sample && !strcmp(a->format, "perfetto");
    if (a->sample)
        w->result = calloc(n, sizeof *w->result);
    w->time = calloc(n, sizeof *w->time);
    if (counters)
        w->place = calloc(n, sizeof *w->place);
    if ((a->sample && !w->result) || !w->time || (counters && !w->place))
        return strata_no_memory(err, NULL, "for the timeline");
    return counters ? strata_result_file_create(&w->results, err) : STRATA_OK;
}

static strata_status plan(const struct timeline_arguments *a, struct work *w, const char *path,
                          struct strata_error *err)
{
    strata_status status = strata_launch_set_add(&w->set, path, NULL, NULL, NULL, err);
    if (status == STRATA_OK && w->set.n_traces != 1)
        status = strata_fail(err, STRATA_EUSAGE, path, 0, 0,
                             "a timeline is of one program; name one of its %zu traces.",
                             w->set.n_traces);
    if (status != STRATA_OK)
        return status;
    status = make_room(a, w, err);
    if (status != STRATA_OK || !a->sample)
        return status;
    status = strata_sample_plan(&w->sample, w->set.trace[0], a->share,
                                !strcmp(a->cache_control, "none"), err);
    if (status == STRATA_OK)
        strata_sample_choose(&w->sample, &w->set);
    return status;
}

static strata_status build(const struct timeline_arguments *a, struct work *w,
                           struct strata_error *err)
{
    struct strata_sample_total total = {0};
    if (!a->sample)
        return strata_timeline_build_from(&w->timeline, w->set.trace[0], w->time, w->gpu, err);
    strata_sample_results(&w->sample, &w->prediction, w->result);
    strata_status status =
        strata_sample_times(&w->sample, w->set.trace[0], w->result, w->gpu, w->time, err);
    if (status == STRATA_OK)
        status = strata_timeline_build_from(&w->timeline, w->set.trace[0], w->time, w->gpu, err);
    if (status != STRATA_OK)
        return status;
    for (size_t i = 0; i < w->timeline.n_spans; i++)
        if (w->timeline.span[i].kind == STRATA_EVENT_LAUNCH)
            w->timeline.span[i].result = w->result[w->timeline.span[i].launch];
    w->timeline.instructions = w->sample.instructions;
    w->timeline.modelled = w->sample.modelled;
    if (strata_sample_estimate(&w->sample, &w->prediction, "gpu__time_duration.sum", &total))
        w->timeline.half_width_us = total.half_width / 1000;
    return STRATA_OK;
}

static strata_status write_text(void *context, const char *text, size_t length,
                                struct strata_error *err)
{
    struct work *w = context;
    return held_write(&w->out, text, length, err);
}

static strata_status result_of_launch(void *context, uint32_t launch, struct strata_result *out,
                                      struct strata_error *err)
{
    struct work *w = context;
    return strata_result_file_get(w->results, w->place[launch],
                                  strata_trace_launch(w->set.trace[0], launch), out, err);
}

static strata_status write_timeline(const struct timeline_arguments *a, struct work *w,
                                    struct strata_error *err)
{
    const struct strata_timeline_writer to = {w, write_text, result_of_launch};
    const struct strata_trace *trace = w->set.trace[0];
    enum strata_format format = STRATA_FORMAT_TEXT;
    bool perfetto = !strcmp(a->format, "perfetto");
    strata_status status = perfetto ? STRATA_OK : strata_format_parse(a->format, &format, err);
    if (status == STRATA_OK)
        status = held_open(&w->out, a->output, err);
    if (status == STRATA_OK)
        status = perfetto
                     ? strata_timeline_write_perfetto(&w->timeline, trace, &to, err)
                     : strata_timeline_write(&w->timeline, trace, &w->prediction, format, &to, err);
    return status == STRATA_OK ? held_commit(&w->out, err) : status;
}

static strata_status run_timeline(const struct timeline_arguments *a,
                                  const struct strata_model *model, const struct strata_gpu *gpu,
                                  const char *path, struct strata_error *err)
{
    struct work w = {.gpu = gpu};
    strata_status status = plan(a, &w, path, err);
    if (status == STRATA_OK)
        status = predict_launches(a, model, &w, err);
    if (status == STRATA_OK && !process_rank)
        status = build(a, &w, err);
    if (status == STRATA_OK && !process_rank)
        status = write_timeline(a, &w, err);
    release_work(&w);
    return status;
}

static strata_status timeline(void *context, char **paths, int n_paths, struct strata_error *err)
{
    (void)n_paths;
    struct timeline_arguments *a = context;
    const struct strata_model *model = NULL;
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    strata_status status = gpu ? check_words(a, err) : strata_no_memory(err, NULL, NULL);
    if (status == STRATA_OK)
        status = output_check(a->output, err);
    if (status == STRATA_OK)
        status = find_model(a->model, &model, err);
    if (status == STRATA_OK)
        status = split_settings(&a->set, NULL, &a->settings, err);
    if (status == STRATA_OK)
        status = load_gpu(a->gpu, &a->settings.for_gpu, gpu, err);
    if (status == STRATA_OK)
        status = run_timeline(a, model, gpu, paths[0], err);
    release_settings(&a->settings);
    free(gpu);
    return status;
}

int cmd_timeline(int argc, char **argv)
{
    struct timeline_arguments a = {
        .model = "flow", .format = "text", .cache_control = "none", .seed = 1, .jobs = 1};
    const struct option options[] = {
        GPU_OPTION(a.gpu),
        {'m', "model", OPTION_STRING, &a.model, "MODEL",
         "which model predicts each launch (default flow)"},
        {0, "set", OPTION_LIST, &a.set, "KEY=VALUE",
         "change one number of the GPU, or model.KEY of the model"},
        {0, "cache-control", OPTION_STRING, &a.cache_control, "HOW",
         "none (default): launches find what those before them left; all: each begins cold"},
        {0, "sample", OPTION_STRING, &a.sample, "SHARE",
         "model so much of the work (1%), and tell how near the answer is to that from all of it"},
        SEED_OPTION(a.seed),
        {'j', "jobs", OPTION_UINT, &a.jobs, "N", "threads (default 1); never changes a result"},
        {'f', "format", OPTION_STRING, &a.format, "FORMAT",
         "text (default), csv, json, or perfetto (for ui.perfetto.dev and chrome://tracing)"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.gpu,
               "timeline needs --gpu, the GPU to predict for; `strata gpu list` names them."),
        JOBS_RULE(a.jobs),
        SEED_RULE(a.seed),
    };
    const struct command_syntax syntax = {
        .name = "timeline",
        .arguments = "TRACE",
        .summary =
            "Predicts the time of a program: its launches, copies and fills one after another "
            "and side by side.",
        .text =
            "TRACE is one program's trace. What waits for what (streams, events, graphs, the host) "
            "is taken from it;\ngaps and rates of copies are the GPU file's keys below `between.`.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = 1,
        .needs = "a trace",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = timeline,
        .context = &a,
    };
    process_rank = process_team_rank();
    return run_command(&syntax, argc, argv);
}
