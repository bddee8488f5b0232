/* cmd_predict.c - strata predict: counters of every launch of a trace, by one of the models. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/predict.h>
#include <strata/sample.h>

#include "cmd.h"
#include "gpu_option.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "launch_writer.h"
#include "model_option.h"
#include "options.h"
#include "output.h"
#include "process_team.h"
#include "progress.h"
#include "sample_option.h"

struct predict_arguments {
    const char *gpu, *model, *variant, *compat, *profile, *format, *output;
    struct launch_arguments launches;
    struct option_list set;
    uint64_t seed, jobs;
    bool quiet, verbose, summary, ncu_layout;
    struct model_settings settings;
    bool failed_too;
    const char *cache_control, *sample;
    double share; /* of the work to model */
};

/* What --verbose tells needs the last counts. */
struct run_progress {
    struct progress line;
    uint64_t warp_instructions;
};

static void on_progress(void *context, size_t n_done, size_t n_launches, uint64_t warp_instructions)
{
    struct run_progress *p = context;
    p->warp_instructions = warp_instructions;
    progress_show(&p->line, n_done, n_launches, warp_instructions);
}

/* Results go to the writer, NULL: to *out. */
static strata_status run_model(const struct predict_arguments *a, const struct strata_model *model,
                               const struct strata_gpu *gpu, const struct strata_launch_set *set,
                               struct launch_writer *writer, struct strata_prediction *out,
                               struct strata_error *err)
{
    struct run_progress progress = {0};
    struct process_team *team = NULL;
    struct strata_predict_options opt = {.model = model,
                                         .jobs = (uint32_t)a->jobs,
                                         .failed_too = a->failed_too,
                                         .keep_caches = !strcmp(a->cache_control, "none"),
                                         .repeat_launches = !strcmp(a->cache_control, "warm"),
                                         .progress = on_progress,
                                         .progress_context = &progress,
                                         .take = writer ? launch_writer_take : NULL,
                                         .take_context = writer};
    opt.model_options = (struct strata_model_options){
        .seed = a->seed, .threads = 1, .variant = a->variant, .settings = a->settings.for_model};
    strata_status status =
        strata_prediction_init(out, gpu->name, model->name, a->variant, a->seed, err);
    out->gpu_digest = strata_gpu_digest(gpu);
    for (size_t i = 0; status == STRATA_OK && i < a->set.n; i++)
        status = strata_prediction_add_override(out, a->set.item[i], err);
    char words[64];
    if (status == STRATA_OK && a->sample) {
        snprintf(words, sizeof words, "sample=%.40s", a->sample);
        status = strata_prediction_add_override(out, words, err);
    }
    if (status == STRATA_OK && a->settings.compat)
        status = strata_prediction_add_override(out, a->settings.compat, err);
    if (status == STRATA_OK && (opt.keep_caches || opt.repeat_launches))
        status = strata_prediction_add_override(
            out, opt.keep_caches ? "cache-control=none" : "cache-control=warm", err);
    if (status != STRATA_OK)
        return status;
    if (a->profile)
        status = strata_profiles_load(model, a->profile, &opt.profiles, err);
    if (status != STRATA_OK)
        return status;
    status = process_team_join(&team, &opt.team, err);
    if (status != STRATA_OK)
        return status;
    progress_start(&progress.line, "launches", a->quiet || process_rank);
    progress_weigh(&progress.line, launch_set_instructions(set, set->n_launches));
    status = strata_predict(set, gpu, &opt, out, err);
    progress_end(&progress.line);
    process_team_leave(team);
    if (status == STRATA_OK && a->profile && strata_profiles_added(opt.profiles))
        status = strata_profiles_save(opt.profiles, a->profile, err);
    strata_profiles_destroy(opt.profiles);
    if (status == STRATA_OK && a->verbose && !process_rank)
        fprintf(stderr,
                "strata: %s on %s: %zu launches of %zu traces, %.3g million warp instructions in "
                "%.2f s.\n",
                model->name, gpu->name, set->n_launches, set->n_traces,
                (double)progress.warp_instructions / 1e6, progress_seconds(&progress.line));
    return status;
}

/* Every launch of a sample, from those that were modelled. */
static strata_status write_expanded(const struct strata_sample *s, const struct strata_trace *trace,
                                    const struct strata_prediction *p, struct launch_writer *writer,
                                    struct strata_error *err)
{
    const struct strata_result **from = calloc(s->n_launches + 1, sizeof *from);
    strata_status status = from ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
    if (from)
        strata_sample_results(s, p, from);
    for (size_t i = 0; i < s->n_launches && status == STRATA_OK; i++) {
        struct strata_result result = {0};
        status = strata_sample_result(s, trace, from, i, &result, err);
        if (status == STRATA_OK)
            status = launch_writer_take(writer, i, &result, err);
        strata_result_release(&result);
    }
    free(from);
    return status;
}

/* The launches that a sample needs, then all from them. */
static strata_status run_sample(const struct predict_arguments *a, const struct strata_model *model,
                                const struct strata_gpu *gpu, struct strata_launch_set *set,
                                struct launch_writer *writer, struct strata_prediction *out,
                                struct strata_error *err)
{
    struct strata_sample sample;
    struct strata_sample_total total;
    bool warm = !strcmp(a->cache_control, "none");
    if (set->n_traces != 1 || set->n_launches != strata_trace_launch_count(set->trace[0]))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--sample is of one whole program; name one trace, and leave out what "
                           "chooses launches.");
    strata_status status = strata_sample_plan(&sample, set->trace[0], a->share, warm, err);
    if (status != STRATA_OK)
        return status;
    strata_sample_choose(&sample, set);
    status = run_model(a, model, gpu, set, NULL, out, err);
    if (status == STRATA_OK && !a->quiet && !process_rank &&
        strata_sample_estimate(&sample, out, "gpu__time_duration.sum", &total))
        fprintf(stderr,
                "strata: %.2f %% of the warp instructions were modelled: all launches together "
                "take %.2f us, within %.2f us (%.2f %%) of what all of them would say, 19 times of "
                "20.\n",
                100 * (double)sample.modelled / (double)sample.instructions, total.sum / 1000,
                total.half_width / 1000, 100 * total.half_width / total.sum);
    if (status == STRATA_OK && !process_rank)
        status = write_expanded(&sample, set->trace[0], out, writer, err);
    strata_sample_release(&sample);
    return status;
}

static strata_status run_whole(const struct predict_arguments *a, const struct strata_model *model,
                               const struct strata_gpu *gpu, struct strata_launch_set *set,
                               struct launch_writer *writer, struct strata_prediction *out,
                               struct strata_error *err)
{
    return run_model(a, model, gpu, set, writer, out, err);
}

static strata_status open_writer(struct launch_writer *w, const struct predict_arguments *a,
                                 enum strata_format format, struct strata_error *err)
{
    w->layout = a->summary      ? STRATA_LAYOUT_SUMMARY
                : a->ncu_layout ? STRATA_LAYOUT_NCU
                                : (enum strata_layout)format;
    w->tell_warnings = !a->quiet && (format == STRATA_FORMAT_CSV || a->output);
    return process_rank ? STRATA_OK : launch_writer_open(w, a->output, err);
}

/* A trace may be predicted for any GPU; what its own would have made of the program is another
 * matter. */
static void tell_other_gpu(const struct strata_launch_set *set, const struct strata_gpu *gpu,
                           bool quiet)
{
    for (size_t i = 0; !quiet && i < set->n_launches; i++) {
        uint32_t sm = strata_trace_launch(set->launch[i].trace, set->launch[i].index)->sm_version;
        if (!sm || sm / 10 == gpu->sm_version / 10)
            continue;
        fprintf(stderr,
                "strata: traced for sm_%u, predicted for sm_%u (%s): addresses, instructions, "
                "registers and block "
                "shapes are those of the trace, though a compiler or library may choose others for "
                "this GPU.\n",
                sm, gpu->sm_version, gpu->name);
        return;
    }
}

static strata_status parse_layout(struct predict_arguments *a, enum strata_format *format,
                                  struct strata_error *err)
{
    a->ncu_layout = !strcmp(a->format, "ncu");
    if (strcmp(a->cache_control, "all") && strcmp(a->cache_control, "none") &&
        strcmp(a->cache_control, "warm"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--cache-control is all (every launch begins cold), none (with what the "
                           "launches before it left) or warm (each just after itself), not \"%s\".",
                           a->cache_control);
    if (a->summary && strcmp(a->format, "text"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--summary is text for people; leave out --format or --summary.");
    strata_status status = sample_share(a->sample, &a->share, err);
    return status == STRATA_OK ? strata_format_parse(a->ncu_layout ? "csv" : a->format, format, err)
                               : status;
}

static strata_status predict(void *context, char **paths, int n_paths, struct strata_error *err)
{
    struct predict_arguments *a = context;
    const struct strata_model *model;
    enum strata_format format;
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    struct strata_launch_set set = {0};
    struct strata_prediction prediction = {0};
    struct launch_writer writer = {.prediction = &prediction};
    strata_status status = gpu ? parse_layout(a, &format, err) : strata_no_memory(err, NULL, NULL);
    if (status == STRATA_OK)
        status = output_check(a->output, err);
    if (status == STRATA_OK)
        status = find_model(a->model, &model, err);
    if (status == STRATA_OK)
        status = check_variant(model, a->variant, err);
    if (status == STRATA_OK)
        status = split_settings(&a->set, a->compat, &a->settings, err);
    if (status == STRATA_OK)
        status = load_gpu(a->gpu, &a->settings.for_gpu, gpu, err);
    if (status == STRATA_OK && !a->quiet && !process_rank)
        warn_unread_keys(model, a->settings.for_gpu.item, a->settings.for_gpu.n);
    if (status == STRATA_OK)
        status = load_launches(&a->launches, paths, n_paths, &set, err);
    if (status == STRATA_OK)
        status = open_writer(&writer, a, format, err);
    writer.n_launches = set.n_launches;
    if (status == STRATA_OK)
        status =
            (a->sample ? run_sample : run_whole)(a, model, gpu, &set, &writer, &prediction, err);
    if (status == STRATA_OK)
        tell_other_gpu(&set, gpu, a->quiet || process_rank);
    if (status == STRATA_OK && !process_rank)
        status = launch_writer_finish(&writer, err);
    launch_writer_discard(&writer);
    strata_prediction_release(&prediction);
    strata_launch_set_release(&set);
    release_settings(&a->settings);
    free(gpu);
    return status;
}

/* The models' own words, so that help never lags behind the table. */
static void describe(char *text, size_t size)
{
    size_t n;
    const struct strata_model *const *table = strata_model_table(&n);
    snprintf(text, size,
             "TRACE is a .strata file, an Accel-Sim folder (kernelslist.g), a single .traceg file, "
             "or a folder\n"
             "that holds several of these.\n\nmodels:");
    for (size_t i = 0; i < n && strlen(text) + 1 < size; i++)
        snprintf(text + strlen(text), size - strlen(text), "\n  %-10s %s", table[i]->name,
                 table[i]->summary);
}

int cmd_predict(int argc, char **argv)
{
    char text[2048];
    describe(text, sizeof text);
    struct predict_arguments a = {
        .model = "flow", .format = "text", .seed = 1, .jobs = 1, .cache_control = "all"};
    const struct option options[] = {
        GPU_OPTION(a.gpu),
        {'m', "model", OPTION_STRING, &a.model, "MODEL", "which model to run (default flow)"},
        {0, "variant", OPTION_STRING, &a.variant, "NAME", "a variant of the model"},
        {0, "compat", OPTION_STRING, &a.compat, "WHOSE",
         "interval: authors, what the authors' scripts do instead of their paper"},
        {0, "profile", OPTION_STRING, &a.profile, "FILE",
         "interval: take profiles of launches from there, and keep new ones there"},
        {0, "set", OPTION_LIST, &a.set, "KEY=VALUE",
         "change one number of the GPU, or model.KEY of the model"},
        LAUNCH_OPTIONS(a.launches),
        {0, "cache-control", OPTION_STRING, &a.cache_control, "HOW",
         "all (default): every launch begins cold; none: with what the launches before it left; "
         "warm: each as if it had just run"},
        {0, "sample", OPTION_STRING, &a.sample, "SHARE",
         "model so much of the work (1%), and give every other launch the answer of one like it"},
        {0, "failed", OPTION_FLAG, &a.failed_too, NULL,
         "also launches whose kernel failed, for what they ran until then"},
        SEED_OPTION(a.seed),
        {'j', "jobs", OPTION_UINT, &a.jobs, "N",
         "launches at a time (default 1); never changes a result"},
        {'f', "format", OPTION_STRING, &a.format, "FORMAT",
         "text (default), csv, json, or ncu (the columns of `ncu --csv`)"},
        {0, "summary", OPTION_FLAG, &a.summary, NULL,
         "one line a launch: time, cycles, hit rates, DRAM traffic"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no warnings"},
        {'v', "verbose", OPTION_FLAG, &a.verbose, NULL, "also tell what was run"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.gpu, "predict needs --gpu, the GPU to predict for; `strata gpu list` names them."),
        JOBS_RULE(a.jobs),
        SEED_RULE(a.seed),
    };
    const struct command_syntax syntax = {
        .name = "predict",
        .arguments = "TRACE...",
        .summary =
            "Predicts the counters of every launch of the traces, under Nsight Compute's names.",
        .text = text,
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = predict,
        .context = &a,
    };
    process_rank = process_team_rank();
    return run_command(&syntax, argc, argv);
}
