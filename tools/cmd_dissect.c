/* cmd_dissect.c - strata dissect: what a memory hierarchy is made of, from latencies. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/dissect.h>
#include <strata/files.h>

#include "cmd.h"
#include "dissect_cuda.h"
#include "gpu_option.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"
#include "print.h"

struct dissect_arguments {
    const char *target, *from, *save, *gpu_file, *report, *output, *probe;
    enum format format;
    struct option_list set;
    double outliers;
    uint64_t seed, jitter;
    bool quiet;
};

/* ---- printing ---- */

static void print_text(FILE *f, const struct strata_probe_set *set,
                       const struct strata_dissection *d)
{
    fprintf(f, "%s%s%s: %zu series\n", set->target, *set->card ? ", " : "", set->card,
            set->n_series);
    fprintf(f, "  %-24s %-32s %-11s %10s  %s\n", "what", "value", "unit", "confidence", "rests on");
    for (size_t i = 0; i < d->n_facts; i++) {
        const struct strata_fact *x = &d->fact[i];
        if (x->finding.known)
            fprintf(f, "  %-24s %-32s %-11s %9.2f%%  %s\n", x->name, x->value, x->unit,
                    100 * x->finding.confidence, x->finding.rests_on);
        else
            fprintf(f, "  %-24s %-32s %-11s %10s  %s\n", x->name, "undetermined", "", "",
                    x->finding.rests_on);
    }
}

static void print_csv(FILE *f, const struct strata_dissection *d)
{
    fputs("what,value,unit,known,confidence,rests_on\n", f);
    for (size_t i = 0; i < d->n_facts; i++) {
        const struct strata_fact *x = &d->fact[i];
        print_csv_field(f, x->name);
        fputc(',', f);
        print_csv_field(f, x->value);
        fprintf(f, ",%s,%d,", x->unit, x->finding.known);
        if (x->finding.known)
            fprintf(f, "%.6g", x->finding.confidence);
        fputc(',', f);
        print_csv_field(f, x->finding.rests_on);
        fputc('\n', f);
    }
}

static void print_json(FILE *f, const struct strata_probe_set *set,
                       const struct strata_dissection *d)
{
    fputs("{\"schema\": \"strata.dissect/1\", \"target\": ", f);
    print_json_string(f, set->target);
    fputs(", \"card\": ", f);
    print_json_string(f, set->card);
    fputs(", \"facts\": [", f);
    for (size_t i = 0; i < d->n_facts; i++) {
        const struct strata_fact *x = &d->fact[i];
        fprintf(f, "%s\n  {\"name\": ", i ? "," : "");
        print_json_string(f, x->name);
        fputs(", \"value\": ", f);
        if (x->finding.known)
            print_json_string(f, x->value);
        else
            fputs("null", f);
        fputs(", \"unit\": ", f);
        print_json_string(f, x->unit);
        fprintf(f, ", \"confidence\": %.6g, \"rests_on\": ",
                x->finding.known ? x->finding.confidence : 0.0);
        print_json_string(f, x->finding.rests_on);
        fputc('}', f);
    }
    fputs("\n]}\n", f);
}

static strata_status write_text(const char *path, const char *text, size_t length,
                                struct strata_error *err)
{
    struct output out;
    strata_status st = output_open(&out, path, err);
    if (st != STRATA_OK)
        return st;
    fwrite(text, 1, length, out.stream);
    return output_commit(&out, err);
}

static strata_status write_results(const struct dissect_arguments *a, enum format format,
                                   const struct strata_probe_set *set,
                                   const struct strata_dissection *d, struct strata_error *err)
{
    struct output out;
    char *text;
    size_t length;
    strata_status st = STRATA_OK;
    if (a->gpu_file && (st = strata_dissection_to_yaml(d, set, &text, err)) == STRATA_OK) {
        st = write_text(a->gpu_file, text, strlen(text), err);
        free(text);
    }
    if (st == STRATA_OK && a->report &&
        (st = strata_dissect_report(d, set, &text, &length, err)) == STRATA_OK) {
        st = write_text(a->report, text, length, err);
        free(text);
    }
    if (st != STRATA_OK || (st = output_open(&out, a->output, err)) != STRATA_OK)
        return st;
    if (format == FORMAT_TEXT)
        print_text(out.stream, set, d);
    else if (format == FORMAT_CSV)
        print_csv(out.stream, d);
    else
        print_json(out.stream, set, d);
    return output_commit(&out, err);
}

/* ---- targets ---- */

static strata_status measure_model(const struct dissect_arguments *a, struct strata_probe_set *set,
                                   struct strata_dissection *d, struct strata_error *err)
{
    const struct strata_target_options opt = {
        .outliers = a->outliers, .jitter_cycles = (uint32_t)a->jitter, .seed = a->seed};
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    struct strata_model_target *t = NULL;
    strata_status st = gpu ? load_gpu(a->target + strlen("model:"), &a->set, gpu, err)
                           : strata_no_memory(err, NULL, NULL);
    if (st == STRATA_OK)
        st = strata_model_target_create(gpu, &opt, &t, err);
    if (st == STRATA_OK)
        st = strata_model_target_measure(t, set, d, err);
    strata_model_target_destroy(t);
    free(gpu);
    return st;
}

/* What stands before the colon of "sim:h200"; NULL: not a model that runs kernels. */
static const char *kernel_model(const char *target)
{
    static const char *const models[] = {"sim", "flow"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (!strncmp(target, models[i], strlen(models[i])) && target[strlen(models[i])] == ':')
            return models[i];
    return NULL;
}

static strata_status measure_kernels(const struct dissect_arguments *a,
                                     struct strata_probe_set *set, struct strata_dissection *d,
                                     struct strata_error *err)
{
    const char *model = kernel_model(a->target);
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    strata_status st = gpu ? load_gpu(a->target + strlen(model) + 1, &a->set, gpu, err)
                           : strata_no_memory(err, NULL, NULL);
    if (st == STRATA_OK)
        st = strata_kernel_target_measure(gpu, model, a->seed, set, d, err);
    free(gpu);
    return st;
}

/* A folder that was not there appears when it is complete; into one that was, each file does. */
static strata_status save_folder(const char *folder, const struct strata_probe_set *set,
                                 struct strata_error *err)
{
    if (!access(folder, F_OK))
        return strata_probe_save(folder, set, err);
    char *temporary = strata_temporary_name(folder);
    if (!temporary)
        return strata_no_memory(err, folder, "for the folder's name");
    interrupt_removes(temporary);
    strata_status st = strata_probe_save(temporary, set, err);
    if (st == STRATA_OK && rename(temporary, folder))
        st = strata_fail(err, STRATA_EIO, folder, 0, 0, "the folder cannot get its name: %s.",
                         strerror(errno));
    if (st != STRATA_OK)
        remove_tree(temporary);
    interrupt_forgets(temporary);
    free(temporary);
    return st;
}

static strata_status dissect(const struct dissect_arguments *a, struct strata_error *err)
{
    struct strata_probe_set set = {0};
    struct strata_dissection d = {0};
    strata_status st;
    if (a->from)
        st = strata_probe_load(a->from, &set, err);
    else if (!strcmp(a->target, "cuda"))
        st = dissect_cuda(a->probe, a->save, &set, err);
    else if (kernel_model(a->target))
        st = measure_kernels(a, &set, &d, err);
    else
        st = measure_model(a, &set, &d, err);
    if (st == STRATA_OK)
        st = strata_dissect_set(&set, &d, err);
    if (st == STRATA_OK && a->save && !a->from && strcmp(a->target, "cuda"))
        st = save_folder(a->save, &set, err);
    if (st == STRATA_OK)
        st = write_results(a, a->format, &set, &d, err);
    strata_dissection_release(&d);
    strata_probe_release(&set);
    return st;
}

static strata_status check_arguments(const struct dissect_arguments *a, struct strata_error *err)
{
    if (!a->target == !a->from)
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "dissect needs either --target cuda|model:GPU|sim:GPU|flow:GPU or --from DIR; see "
            "`strata dissect --help`.");
    if (a->target && strcmp(a->target, "cuda") && strncmp(a->target, "model:", 6) &&
        !kernel_model(a->target))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--target does not know \"%s\"; it takes cuda, model:GPU, sim:GPU or "
                           "flow:GPU.",
                           a->target);
    if (a->target && kernel_model(a->target) && (a->outliers > 0 || a->jitter))
        return strata_fail(
            err, STRATA_EUSAGE, NULL, 0, 0,
            "--outliers and --jitter are for --target model:GPU; what a kernel reads "
            "from the clock of %s has no noise.",
            kernel_model(a->target));
    if (a->outliers < 0 || a->outliers > 0.2)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--outliers takes a share from 0 to 0.2.");
    if (a->jitter > 1000)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "--jitter takes 0 to 1000 cycles.");
    return STRATA_OK;
}

static strata_status check_and_dissect(void *context, char **words, int n_words,
                                       struct strata_error *err)
{
    (void)words, (void)n_words;
    strata_status status = check_arguments(context, err);
    return status == STRATA_OK ? dissect(context, err) : status;
}

int cmd_dissect(int argc, char **argv)
{
    struct dissect_arguments a = {.seed = 1};
    const struct option options[] = {
        {'t', "target", OPTION_STRING, &a.target, "TARGET",
         "cuda: the GPU of this machine; model:GPU: the caches of a GPU file; sim:GPU, flow:GPU: "
         "kernels through that model"},
        {0, "from", OPTION_STRING, &a.from, "DIR",
         "raw data recorded before (docs/probe-format.md)"},
        {0, "save", OPTION_STRING, &a.save, "DIR", "keep the raw data there"},
        {0, "gpu-file", OPTION_STRING, &a.gpu_file, "FILE", "write what was found as a GPU file"},
        {0, "report", OPTION_STRING, &a.report, "FILE", "write a page with the plots (HTML)"},
        {0, "probe", OPTION_STRING, &a.probe, "PROGRAM",
         "the benchmark built from device/probe (default: strata-probe in PATH, or built by nvcc)"},
        {0, "set", OPTION_LIST, &a.set, "KEY=VALUE", "change one number of the modelled GPU"},
        {0, "outliers", OPTION_DOUBLE, &a.outliers, "SHARE",
         "model: replace this share of the latencies (default 0)"},
        {0, "jitter", OPTION_UINT, &a.jitter, "CYCLES",
         "model: latencies vary by up to twice this (default 0)"},
        {0, "seed", OPTION_UINT, &a.seed, "N",
         "model: seed of noise, replacement and order of visits (default 1)"},
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no warnings"},
    };
    const struct command_syntax syntax = {
        .name = "dissect",
        .arguments = "",
        .summary = "What a GPU's caches, TLBs and memories are made of, from latencies alone.",
        .text = "Runs microbenchmarks on this machine's GPU or on the caches of a GPU file, or "
                "reads what they\n"
                "recorded, and infers sizes, lines, sets, ways, addressing, replacement, latencies "
                "and limits.\n"
                "What the data does not support is printed as undetermined.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .run = check_and_dissect,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
