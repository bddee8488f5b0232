/* cmd_report.c - strata report: predictions, and how far they are from measurement, as one HTML
 * page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/report.h>

#include "cmd.h"
#include "options.h"
#include "output.h"

struct report_arguments {
    const char *measured, *output;
    bool quiet;
};

static void show_warning(const char *sentence)
{
    fprintf(stderr, "strata: %s\n", sentence);
}

static size_t count_launches(const struct strata_predictions *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        n += p->item[i].n_results;
    return n;
}

static strata_status write_page(const struct report_arguments *a, const char *text, size_t length,
                                const struct strata_predictions *p, struct strata_error *err)
{
    struct output out;
    strata_status status = output_open(&out, a->output, err);
    if (status != STRATA_OK)
        return status;
    fwrite(text, 1, length, out.stream);
    status = output_commit(&out, err);
    size_t n = count_launches(p);
    if (status == STRATA_OK && !a->quiet && a->output && strcmp(a->output, "-"))
        printf("%s: a report of %zu predicted launch%s; open it in a browser.\n", a->output, n,
               n == 1 ? "" : "es");
    return status;
}

static strata_status report(const struct report_arguments *a, char **paths, int n_paths,
                            struct strata_error *err)
{
    struct strata_measured measured = {0};
    struct strata_predictions predictions = {0};
    char *text = NULL;
    size_t length;
    strata_status status = STRATA_OK;
    if (a->measured)
        status = strata_measured_load(&measured, a->measured, err);
    for (int i = 0; status == STRATA_OK && i < n_paths; i++)
        status = strata_predictions_load(&predictions, paths[i], err);
    if (status == STRATA_OK)
        status = strata_report_html(&predictions, a->measured ? &measured : NULL,
                                    a->quiet ? NULL : show_warning, &text, &length, err);
    if (status == STRATA_OK)
        status = write_page(a, text, length, &predictions, err);
    free(text);
    strata_measured_release(&measured);
    strata_predictions_release(&predictions);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct report_arguments a = {0};
    const struct option options[] = {
        {0, "measured", OPTION_STRING, &a.measured, "FILE",
         "measured counters: counters.csv or `ncu --csv` output"},
        {'o', "output", OPTION_STRING, &a.output, "FILE", "write there instead of standard output"},
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no warnings, and no word where the page is"},
    };
    const struct command_syntax syntax = {
        .name = "report",
        .arguments = "PREDICTION... [--measured FILE] -o report.html",
        .summary = "Writes predictions as one HTML page that needs no network.",
        .text = "PREDICTION is what `strata predict --format json` or csv wrote; several models "
                "and GPUs "
                "stand side by\nside. With --measured the page also shows how far they are from "
                "silicon.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
    };
    int n_args, code;
    struct strata_error err;
    if (!parse_options(&syntax, argc, argv, &n_args, &code))
        return code;
    strata_status status =
        n_args >= 1 ? report(&a, argv + 1, n_args, &err)
                    : strata_fail(&err, STRATA_EUSAGE, NULL, 0, 0,
                                  "report needs at least one prediction (`strata predict --format "
                                  "json`); see `strata report --help`.");
    return status == STRATA_OK ? EXIT_DONE : report_error(&err);
}
