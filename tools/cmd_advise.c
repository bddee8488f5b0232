/* cmd_advise.c - strata advise: why a launch is slow, which lines make it so, and what to do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/advise.h>

#include "cmd.h"
#include "hierarchy_pass.h"
#include "interrupt.h"
#include "launch_option.h"
#include "memory_limit.h"
#include "options.h"
#include "output.h"
#include "progress.h"

struct advise_arguments {
    const char *gpu, *format, *output;
    struct launch_arguments launches;
    struct option_list set;
    uint64_t seed;
    double least_gain;
    bool quiet;
};

static strata_status write_advice(const struct advise_arguments *a, enum strata_format format,
                                  const struct strata_advice *advice, size_t n, const char *gpu,
                                  struct strata_error *err)
{
    char *text;
    size_t length;
    if (format == STRATA_FORMAT_TEXT && output_is_coloured(a->output))
        format = STRATA_FORMAT_TERMINAL;
    strata_status status = strata_advice_print(advice, n, gpu, format, &text, &length, err);
    return status == STRATA_OK ? output_text(a->output, text, length, err) : status;
}

static strata_status look_at_all(const struct advise_arguments *a, enum strata_format format,
                                 const struct pass_inputs *in, const char *scratch,
                                 struct strata_error *err)
{
    const struct strata_advise_options opt = {.gpu = in->gpu,
                                              .seed = a->seed,
                                              .scratch = scratch,
                                              .gpu_name = in->gpu->name,
                                              .least_gain_pct = a->least_gain};
    struct strata_advice *advice = calloc(in->set.n_launches + 1, sizeof *advice);
    struct progress progress;
    strata_status status = advice ? STRATA_OK : strata_no_memory(err, NULL, "for advice");
    progress_start(&progress, "launches", a->quiet);
    progress_weigh(&progress, launch_set_instructions(&in->set, in->set.n_launches));
    for (size_t i = 0; status == STRATA_OK && i < in->set.n_launches; i++) {
        progress_show(&progress, i, in->set.n_launches, launch_set_instructions(&in->set, i));
        status =
            strata_advise(in->set.launch[i].trace, in->set.launch[i].index, &opt, &advice[i], err);
    }
    progress_end(&progress);
    if (status == STRATA_OK)
        status = write_advice(a, format, advice, in->set.n_launches, in->gpu->name, err);
    for (size_t i = 0; advice && i < in->set.n_launches; i++)
        strata_advice_release(&advice[i]);
    free(advice);
    return status;
}

/* Launches that are written again stand in a folder of their own, gone at the end. */
static strata_status advise(void *context, char **paths, int n_paths, struct strata_error *err)
{
    const struct advise_arguments *a = context;
    enum strata_format format;
    if (a->least_gain < 0 || a->least_gain > 100)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--least-gain takes a percentage from 0 to 100.");
    struct pass_inputs in = {0};
    const char *place = getenv("TMPDIR");
    char scratch[4096];
    snprintf(scratch, sizeof scratch, "%s/strata-advise.XXXXXX", place && *place ? place : "/tmp");
    strata_status status = strata_format_parse(a->format, &format, err);
    if (status == STRATA_OK)
        status = pass_load(&in, a->output, a->gpu, &a->set, &a->launches, paths, n_paths, err);
    if (status == STRATA_OK && !mkdtemp(scratch))
        status = strata_fail(err, STRATA_EIO, place && *place ? place : "/tmp", 0, 0,
                             "no folder can be made there; name another place in TMPDIR.");
    else if (status == STRATA_OK) {
        interrupt_removes(scratch);
        status = look_at_all(a, format, &in, scratch, err);
        interrupt_forgets(scratch);
        rmdir(scratch);
    }
    pass_release(&in);
    return status;
}

int cmd_advise(int argc, char **argv)
{
    struct advise_arguments a = {.format = "text", .seed = 1};
    const struct option options[] = {
        GPU_OPTION(a.gpu),
        SET_OPTION(a.set),
        {0, "least-gain", OPTION_DOUBLE, &a.least_gain, "PERCENT",
         "leave out findings that gain less of the time (default 3)"},
        LAUNCH_OPTIONS(a.launches),
        SEED_OPTION(a.seed),
        {'f', "format", OPTION_STRING, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.gpu, "advise needs a trace and --gpu; see `strata advise --help`."),
    };
    const struct command_syntax syntax = {
        .name = "advise",
        .arguments = "TRACE... --gpu GPU",
        .summary = "Says what limits each launch, which lines cause it, and what mending gains.",
        .text = "The flow model runs each launch as it is, and once more for every rule its "
                "counters call for, with\n"
                "that one thing made ideal: a unit of the GPU without its limit, or the launch "
                "written again with the\n"
                "fault mended. The time saved is an upper bound of the gain. Source lines need "
                "-lineinfo.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace and --gpu",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = advise,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
