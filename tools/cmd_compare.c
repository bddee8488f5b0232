/* cmd_compare.c - strata compare and strata check-regression: two predictions, launch by launch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/compare.h>

#include "cmd.h"
#include "memory_limit.h"
#include "options.h"
#include "output.h"

struct compare_arguments {
    const char *format, *output, *launch, *with_launch;
    uint64_t top;
    double max_slowdown;
};

static strata_status load_two(char **paths, struct strata_predictions *before,
                              struct strata_predictions *after, struct strata_error *err)
{
    strata_status status = strata_predictions_load(before, paths[0], err);
    return status == STRATA_OK ? strata_predictions_load(after, paths[1], err) : status;
}

static strata_status write_text(const char *path, const char *text, size_t length,
                                struct strata_error *err)
{
    struct output out;
    strata_status status = output_open(&out, path, err);
    if (status != STRATA_OK)
        return status;
    fwrite(text, 1, length, out.stream);
    return output_commit(&out, err);
}

static strata_status compare(const struct compare_arguments *a, bool judge, char **paths,
                             struct strata_error *err)
{
    struct strata_predictions before = {0}, after = {0};
    struct strata_comparison c = {0};
    const struct strata_compare_options opt = {a->launch, a->with_launch};
    enum strata_format format = STRATA_FORMAT_TEXT;
    char *text = NULL;
    size_t length = 0, n_slower = 0;
    strata_status status = judge ? STRATA_OK : strata_format_parse(a->format, &format, err);
    if (format == STRATA_FORMAT_TEXT && output_is_coloured(a->output))
        format = STRATA_FORMAT_TERMINAL;
    if (status == STRATA_OK)
        status = load_two(paths, &before, &after, err);
    if (status == STRATA_OK)
        status = strata_compare(&before, &after, &opt, &c, err);
    if (status == STRATA_OK)
        status =
            judge ? strata_comparison_markdown(&c, a->max_slowdown, &n_slower, &text, &length, err)
                  : strata_comparison_print(&c, a->top, format, &text, &length, err);
    if (status == STRATA_OK)
        status = write_text(a->output, text, length, err);
    if (status == STRATA_OK && n_slower)
        status = strata_fail(err, STRATA_EMISMATCH, NULL, 0, 0,
                             "%zu of %zu launches are slower by more than %.3g %%.", n_slower,
                             c.n_paired, a->max_slowdown);
    free(text);
    strata_comparison_release(&c);
    strata_predictions_release(&before);
    strata_predictions_release(&after);
    return status;
}

static strata_status compare_two(void *context, char **words, int n_words, struct strata_error *err)
{
    return compare(context, false, words, err);
}

static strata_status check_regression(void *context, char **words, int n_words,
                                      struct strata_error *err)
{
    const struct compare_arguments *a = context;
    if (a->max_slowdown < 0)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--max-slowdown takes a percentage of 0 or more.");
    return compare(a, true, words, err);
}

int cmd_compare(int argc, char **argv)
{
    struct compare_arguments a = {.format = "text", .top = 8};
    const struct option options[] = {
        {0, "launch", OPTION_STRING, &a.launch, "NAME",
         "only launches of A whose name or kernel holds this"},
        {0, "with-launch", OPTION_STRING, &a.with_launch, "NAME", "the same for B"},
        {0, "top", OPTION_UINT, &a.top, "N", "metrics of each launch (default 8, 0: all)"},
        {'f', "format", OPTION_STRING, &a.format, "FORMAT", "text (default), csv or json"},
        MEMORY_LIMIT_OPTION,
        OUTPUT_OPTION(a.output),
    };
    const struct command_syntax syntax = {
        .name = "compare",
        .arguments = "A B",
        .summary = "Two predictions launch by launch: what changed, and what explains the time.",
        .text =
            "A and B are what `strata predict --format json` or csv wrote: of two builds, two "
            "GPUs, two "
            "models. Launches\n"
            "are paired by kernel, grid and block, in order; --launch and --with-launch choose two "
            "different ones.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .takes_results = true,
        .least_words = 2,
        .most_words = 2,
        .needs = "two predictions, the one before first",
        .run = compare_two,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}

int cmd_check_regression(int argc, char **argv)
{
    struct compare_arguments a = {.max_slowdown = 5};
    const struct option options[] = {
        {0, "max-slowdown", OPTION_DOUBLE, &a.max_slowdown, "PERCENT",
         "how much slower a launch may get (default 5)"},
        {0, "launch", OPTION_STRING, &a.launch, "NAME",
         "only launches of BEFORE whose name or kernel holds this"},
        {0, "with-launch", OPTION_STRING, &a.with_launch, "NAME", "the same for AFTER"},
        MEMORY_LIMIT_OPTION,
        {'o', "output", OPTION_STRING, &a.output, "FILE",
         "write the summary there instead of standard output"},
    };
    const struct command_syntax syntax = {
        .name = "check-regression",
        .arguments = "BEFORE AFTER",
        .summary =
            "Fails with exit code 1 if a launch got slower than allowed; prints a summary in "
            "Markdown.",
        .text = "For continuous integration: BEFORE is the prediction of the main branch, AFTER "
                "that of "
                "the change.\n"
                "examples/ci/regression.yml is a workflow that does it without a GPU.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .takes_results = true,
        .least_words = 2,
        .most_words = 2,
        .needs = "two predictions, the one before first",
        .run = check_regression,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
