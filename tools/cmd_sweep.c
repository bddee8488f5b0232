/* cmd_sweep.c - strata sweep: a model at many points of a GPU's design space. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <strata/sweep.h>

#include "cmd.h"
#include "gpu_option.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "model_option.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "process_team.h"

struct sweep_arguments {
    const char *gpu, *model, *variant, *compat, *points, *database, *rank, *pareto, *format,
        *output;
    struct launch_arguments launches;
    struct option_list set, vary, metric;
    uint64_t seed, jobs, top;
    bool retry_failed, front_only, each_launch, quiet, verbose;
    struct model_settings settings;
};

/* An argument KEY=VALUES belongs to --vary, unless a file has that name. */
static bool is_axis(const char *word)
{
    struct stat info;
    return strchr(word, '=') && stat(word, &info) != 0;
}

static strata_status vary(const struct sweep_arguments *a, const struct strata_model *model,
                          const char *axis, struct strata_sweep *sweep, struct strata_error *err)
{
    strata_status status = strata_sweep_vary(sweep, axis, err);
    if (status == STRATA_OK && !a->quiet)
        warn_unread_keys(model, &axis, 1);
    return status;
}

static strata_status add_axes(const struct sweep_arguments *a, const struct strata_model *model,
                              char **paths, int *n_paths, struct strata_sweep *sweep,
                              struct strata_error *err)
{
    strata_status status = STRATA_OK;
    int n = 0;
    for (size_t i = 0; status == STRATA_OK && i < a->vary.n; i++)
        status = vary(a, model, a->vary.item[i], sweep, err);
    for (int i = 0; status == STRATA_OK && i < *n_paths; i++)
        if (is_axis(paths[i]))
            status = vary(a, model, paths[i], sweep, err);
        else
            paths[n++] = paths[i];
    *n_paths = n;
    if (status == STRATA_OK && a->points)
        status = strata_sweep_read_points(sweep, a->points, err);
    if (status == STRATA_OK && !n)
        status = strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                             "sweep needs a trace; see `strata sweep --help`.");
    return status;
}

/* Before hours of work, not after. */
static strata_status check_metrics(const char *words, struct strata_error *err)
{
    for (const char *at = words; at && *at;) {
        char name[256];
        size_t length = strcspn(at, ","), n = strcspn(at, ":,");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        if (!strata_metric_find(strata_metric_full_name(name)))
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                               "there is no metric \"%s\"; `strata metrics` lists them.", name);
        at += length + (at[length] == ',');
    }
    return STRATA_OK;
}

static void on_progress(void *context, size_t n_done, size_t n_all)
{
    progress_show(context, n_done, n_all, 0);
}

static strata_status run(const struct sweep_arguments *a, const struct strata_model *model,
                         struct strata_sweep *sweep, const struct strata_launch_set *set,
                         struct strata_sweep_results *out, struct strata_error *err)
{
    struct progress progress;
    struct process_team *team = NULL;
    struct strata_team *members = NULL;
    struct strata_sweep_options opt = {.model = model,
                                       .jobs = (uint32_t)a->jobs,
                                       .database = a->database,
                                       .retry_failed = a->retry_failed,
                                       .keep_launch_values = a->each_launch,
                                       .progress = on_progress,
                                       .progress_context = &progress};
    opt.model_options = (struct strata_model_options){
        .seed = a->seed, .threads = 1, .variant = a->variant, .settings = a->settings.for_model};
    strata_status status = process_team_join(&team, &members, err);
    opt.team = members;
    if (status != STRATA_OK)
        return status;
    progress_start(&progress, "launches by points", a->quiet);
    status = strata_sweep_run(sweep, set, &opt, out, err);
    progress_end(&progress);
    if (status == STRATA_OK && a->verbose && out->n_points)
        fprintf(
            stderr,
            "strata: %zu points, %zu launches by points of which %zu were there already, %.2f s.\n",
            out->n_points, out->n_parts, out->n_found, progress_seconds(&progress));
    process_team_leave(team);
    return status;
}

static strata_status print(const struct sweep_arguments *a, struct strata_sweep_results *r,
                           enum strata_format format, struct strata_error *err)
{
    char *text;
    size_t length;
    struct strata_sweep_print_options opt = {.metric = a->metric.item,
                                             .n_metrics = a->metric.n,
                                             .top = a->top,
                                             .front_only = a->front_only,
                                             .each_launch = a->each_launch};
    strata_status status = a->rank ? strata_sweep_rank(r, a->rank, err) : STRATA_OK;
    if (status == STRATA_OK && a->pareto)
        status = strata_sweep_front(r, a->pareto, err);
    if (status == STRATA_OK)
        status = strata_sweep_print(r, format, &opt, &text, &length, err);
    return status == STRATA_OK ? output_text(a->output, text, length, err) : status;
}

static strata_status check_options(const struct sweep_arguments *a, enum strata_format *format,
                                   struct strata_error *err)
{
    strata_status status = strata_format_parse(a->format, format, err);
    if (status == STRATA_OK)
        status = output_check(a->output, err);
    if (status == STRATA_OK)
        status = check_metrics(a->rank, err);
    if (status == STRATA_OK)
        status = check_metrics(a->pareto, err);
    for (size_t i = 0; status == STRATA_OK && i < a->metric.n; i++)
        status = check_metrics(a->metric.item[i] = strata_metric_full_name(a->metric.item[i]), err);
    if (status == STRATA_OK && a->front_only && !a->pareto)
        status = strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                             "--front-only needs --pareto METRIC,METRIC.");
    return status;
}

static strata_status sweep(void *context, char **paths, int n_paths, struct strata_error *err)
{
    struct sweep_arguments *a = context;
    enum strata_format format;
    const struct strata_model *model;
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    struct strata_sweep *plan = NULL;
    struct strata_launch_set set = {0};
    struct strata_sweep_results results = {0};
    strata_status status = gpu ? check_options(a, &format, err) : strata_no_memory(err, NULL, NULL);
    if (status == STRATA_OK)
        status = find_model(a->model, &model, err);
    if (status == STRATA_OK)
        status = check_variant(model, a->variant, err);
    if (status == STRATA_OK)
        status = split_settings(&a->set, a->compat, &a->settings, err);
    if (status == STRATA_OK)
        status = load_gpu(a->gpu, &a->settings.for_gpu, gpu, err);
    if (status == STRATA_OK && !a->quiet)
        warn_unread_keys(model, a->settings.for_gpu.item, a->settings.for_gpu.n);
    if (status == STRATA_OK)
        status = strata_sweep_create(gpu, &plan, err);
    if (status == STRATA_OK)
        status = add_axes(a, model, paths, &n_paths, plan, err);
    if (status == STRATA_OK)
        status = load_launches(&a->launches, paths, n_paths, &set, err);
    if (status == STRATA_OK)
        status = run(a, model, plan, &set, &results, err);
    if (status == STRATA_OK && results.n_points)
        status = print(a, &results, format, err);
    strata_sweep_results_release(&results);
    strata_launch_set_release(&set);
    strata_sweep_destroy(plan);
    release_settings(&a->settings);
    free(gpu);
    return status;
}

static const char description[] =
    "KEY is a key of the GPU file (`strata gpu keys`) or model.SETTING. VALUES are separated by "
    "commas; FROM..TO+STEP and\n"
    "FROM..TO*FACTOR are ranges: --vary l1.size=16KiB..256KiB*2 l1.ways=4,8. The points are all "
    "combinations. A point\n"
    "that the GPU or the model refuses is recorded with the reason, and the rest goes on.\n\n"
    "With --db a run that was stopped in any way goes on where it was when it is started again. "
    "Under mpirun the\n"
    "same command shares the work between processes; the database is the same.";

int cmd_sweep(int argc, char **argv)
{
    struct sweep_arguments a = {.model = "flow", .format = "text", .seed = 1, .jobs = 1};
    const struct option options[] = {
        {'g', "gpu", OPTION_STRING, &a.gpu, "GPU",
         "the GPU to start from: its name or the path of its file"},
        {'m', "model", OPTION_STRING, &a.model, "MODEL",
         "which model to run (default flow); see `strata predict --help`"},
        {0, "variant", OPTION_STRING, &a.variant, "NAME", "a variant of the model"},
        {0, "compat", OPTION_STRING, &a.compat, "WHOSE", "as for predict"},
        {0, "vary", OPTION_LIST, &a.vary, "KEY=VALUES",
         "an axis; more may follow, with or without --vary"},
        {0, "points", OPTION_STRING, &a.points, "FILE",
         "points, one a line: KEY=VALUE KEY=VALUE ..."},
        {0, "set", OPTION_LIST, &a.set, "KEY=VALUE", "change one number for all points"},
        {0, "rank", OPTION_STRING, &a.rank, "METRIC[:min|max]", "best points first"},
        {0, "pareto", OPTION_STRING, &a.pareto, "METRIC,METRIC",
         "mark points that no other beats in all of these"},
        {0, "front-only", OPTION_FLAG, &a.front_only, NULL, "print only those"},
        {0, "top", OPTION_UINT, &a.top, "N", "print only the first N points"},
        {0, "metric", OPTION_LIST, &a.metric, "NAME", "print this metric; may be given again"},
        {0, "each-launch", OPTION_FLAG, &a.each_launch, NULL,
         "csv and json: also the values of single launches"},
        {0, "db", OPTION_STRING, &a.database, "FILE",
         "keep results in this SQLite file, and use those already there"},
        {0, "retry-failed", OPTION_FLAG, &a.retry_failed, NULL,
         "run points again that failed before"},
        LAUNCH_OPTIONS(a.launches),
        SEED_OPTION(a.seed),
        {'j', "jobs", OPTION_UINT, &a.jobs, "N", "threads (default 1); never changes a result"},
        {'f', "format", OPTION_STRING, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no warnings"},
        {'v', "verbose", OPTION_FLAG, &a.verbose, NULL, "also tell how much was run"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.gpu, "sweep needs --gpu, the GPU to start from; `strata gpu list` names them."),
        JOBS_RULE(a.jobs),
        SEED_RULE(a.seed),
    };
    const struct command_syntax syntax = {
        .name = "sweep",
        .arguments = "TRACE... --vary KEY=VALUES...",
        .summary = "Runs a model for many variations of a GPU, and ranks them.",
        .text = description,
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .most_words = ANY_NUMBER,
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = sweep,
        .context = &a,
    };
    process_rank = process_team_rank();
    return run_command(&syntax, argc, argv);
}
