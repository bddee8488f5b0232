/* cmd_report.c - strata report: results, and how far they are from measurement, as one HTML page.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/report.h>

#include "cmd.h"
#include "gpu_option.h"
#include "memory_limit.h"
#include "options.h"
#include "output.h"

struct report_arguments {
    const char *measured, *measured_on, *output;
    struct option_list repeated;
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
                                const struct strata_report *r, struct strata_error *err)
{
    struct output out;
    strata_status status = output_open(&out, a->output, err);
    if (status != STRATA_OK)
        return status;
    fwrite(text, 1, length, out.stream);
    status = output_commit(&out, err);
    size_t n = count_launches(&r->predictions);
    if (status != STRATA_OK || a->quiet || !a->output || !strcmp(a->output, "-"))
        return status;
    if (r->predictions.n)
        printf("%s: a report of %zu predicted launch%s; open it in a browser.\n", a->output, n,
               n == 1 ? "" : "es");
    else
        printf("%s: a report of %zu result%s; open it in a browser.\n", a->output, r->n_documents,
               r->n_documents == 1 ? "" : "s");
    return status;
}

/* ---- the GPU files behind the results ---- */

static struct strata_gpu gpu; /* too large for the stack */

/* A prediction names its GPU, not the file, so the file may be gone or elsewhere: the page then
 * does without. Values meant for the model ("model.key=value") are no part of the GPU. */
static strata_status add_gpu(struct strata_report *r, const char *name, char *const *override,
                             size_t n_overrides, bool quiet, struct strata_error *err)
{
    struct option_list sets = {calloc(n_overrides + 1, sizeof *sets.item), 0};
    struct strata_error why;
    if (!sets.item)
        return strata_no_memory(err, NULL, NULL);
    for (size_t i = 0; i < n_overrides; i++)
        if (strncmp(override[i], "model.", 6))
            sets.item[sets.n++] = override[i];
    strata_status status = load_gpu(name, &sets, &gpu, &why);
    if (status == STRATA_OK)
        status = strata_report_add_gpu(r, &gpu, name, override, n_overrides, err);
    else if (!quiet)
        fprintf(stderr, "strata: the page will not show the GPU %s: %s\n", name, why.message);
    free(sets.item);
    return status == STRATA_ENOMEM ? status : STRATA_OK;
}

static bool same_gpu(const struct strata_prediction *a, const struct strata_prediction *b)
{
    bool same = !strcmp(a->gpu, b->gpu) && a->n_overrides == b->n_overrides;
    for (size_t i = 0; same && i < a->n_overrides; i++)
        same = !strcmp(a->override[i], b->override[i]);
    return same;
}

static bool is_predicted(const struct strata_report *r, const char *name)
{
    for (size_t i = 0; i < r->predictions.n; i++)
        if (!strcmp(r->predictions.item[i].gpu, name) && !r->predictions.item[i].n_overrides)
            return true;
    return false;
}

static strata_status add_gpus(struct strata_report *r, bool quiet, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < r->predictions.n; i++) {
        const struct strata_prediction *p = &r->predictions.item[i];
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen |= same_gpu(p, &r->predictions.item[k]);
        if (!seen)
            status = add_gpu(r, p->gpu, p->override, p->n_overrides, quiet, err);
    }
    for (size_t i = 0; status == STRATA_OK && i < r->n_documents; i++) {
        const char *name = r->document[i].gpu;
        bool seen = !name || is_predicted(r, name);
        for (size_t k = 0; name && k < i; k++)
            seen |= r->document[k].gpu && !strcmp(r->document[k].gpu, name);
        if (!seen)
            status = add_gpu(r, name, NULL, 0, quiet, err);
    }
    return status;
}

static strata_status load_measured(const struct report_arguments *a, struct strata_report *r,
                                   struct strata_error *err)
{
    strata_status status = strata_measured_load(&r->measured, a->measured, err);
    r->is_measured = true;
    r->measured_gpu = a->measured_on;
    for (size_t i = 0; i < a->repeated.n && status == STRATA_OK; i++) {
        struct strata_measured again;
        status = strata_measured_load(&again, a->repeated.item[i], err);
        if (status != STRATA_OK)
            break;
        status = strata_measured_repeat(&r->measured, &again, err);
        strata_measured_release(&again);
    }
    return status;
}

static strata_status report(void *context, char **paths, int n_paths, struct strata_error *err)
{
    const struct report_arguments *a = context;
    if (a->measured_on && !a->measured)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--measured-on needs --measured, the counters measured on that GPU.");
    if (a->repeated.n && !a->measured)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--repeated needs --measured, the first measurement of its launches.");
    struct strata_report r = {0};
    char *text = NULL;
    size_t length;
    strata_status status = STRATA_OK;
    if (a->measured)
        status = load_measured(a, &r, err);
    for (int i = 0; status == STRATA_OK && i < n_paths; i++)
        status = strata_report_load(&r, paths[i], err);
    if (status == STRATA_OK)
        status = add_gpus(&r, a->quiet, err);
    if (status == STRATA_OK)
        status = strata_report_html(&r, a->quiet ? NULL : show_warning, &text, &length, err);
    if (status == STRATA_OK)
        status = write_page(a, text, length, &r, err);
    free(text);
    strata_report_release(&r);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct report_arguments a = {0};
    const struct option options[] = {
        {0, "measured", OPTION_STRING, &a.measured, "FILE",
         "measured counters: counters.csv or `ncu --csv` output"},
        {0, "repeated", OPTION_LIST, &a.repeated, "FILE",
         "another measurement of the same launches: bars of the spread; may be given again"},
        {0, "measured-on", OPTION_STRING, &a.measured_on, "GPU",
         "compare only predictions for this GPU with them"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no warnings, and no word where the page is"},
    };
    const struct command_syntax syntax = {
        .name = "report",
        .arguments = "RESULT... [--measured FILE [--repeated FILE...]] -o report.html",
        .summary = "Writes results as one HTML page that needs no network.",
        .text =
            "RESULT is what `strata predict` wrote as JSON or CSV, or `strata reuse` or `strata "
            "sweep` as JSON; several\nmodels and GPUs stand side by side. With --measured the "
            "page also shows how far they are from silicon.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .takes_results = true,
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "at least one result (`strata predict --format json`)",
        .run = report,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
