/* cmd_gpu_import.c - strata gpu import: a GPU file from GPGPU-Sim's configuration. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/gpu.h>

#include "cmd.h"
#include "options.h"
#include "output.h"

#define LARGEST_CONFIG (4u << 20)

/* What was not translated, as the comment that opens the file; also printed. */
struct report {
    FILE *text;
    unsigned ignored;
};

/* A comment is one line of plain text, whatever the configuration held. */
static void put_plain(FILE *f, const char *text)
{
    for (int n = 0; *text && n < 100; text++, n++)
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', f);
}

static void note_ignored(void *context, const char *option, const char *value, const char *why)
{
    struct report *r = context;
    fputs("#   ", r->text);
    put_plain(r->text, option);
    fputc(' ', r->text);
    put_plain(r->text, value);
    fprintf(r->text, ": %s\n", why);
    r->ignored++;
}

static strata_status read_whole(const char *path, char **text, size_t *length,
                                struct strata_error *err)
{
    FILE *f = fopen(path, "rb");
    *text = f ? malloc(LARGEST_CONFIG + 1) : NULL;
    *length = *text ? fread(*text, 1, LARGEST_CONFIG + 1, f) : 0;
    strata_status status = STRATA_OK;
    if (!f || (*text && ferror(f)))
        status = strata_fail(err, STRATA_EIO, path, 0, 0, "the configuration cannot be read: %s.",
                             strerror(errno));
    else if (!*text)
        status = strata_no_memory(err, path, "to read the file");
    else if (*length > LARGEST_CONFIG)
        status = strata_fail(err, STRATA_ELIMIT, path, 0, 0,
                             "the file is larger than %u MiB, which no configuration is.",
                             LARGEST_CONFIG >> 20);
    if (f)
        fclose(f);
    return status;
}

static strata_status import_file(const char *path, struct strata_gpu *gpu, struct report *report,
                                 struct strata_error *err)
{
    char *text;
    size_t length;
    strata_status status = read_whole(path, &text, &length, err);
    if (status == STRATA_OK)
        status = strata_gpu_import(text, length, path, gpu, note_ignored, report, err);
    free(text);
    return status;
}

static unsigned count_set(const struct strata_gpu *gpu)
{
    unsigned n = 0;
    for (size_t i = 0; i < strata_gpu_n_keys(); i++)
        n += strata_gpu_is_set(gpu, strata_gpu_key(i));
    return n;
}

static strata_status write_file(const char *path, const struct strata_gpu *gpu, const char *first,
                                const char *ignored, struct strata_error *err)
{
    struct output o;
    char *yaml;
    strata_status status = strata_gpu_to_yaml(gpu, &yaml, err);
    if (status != STRATA_OK)
        return status;
    status = output_open(&o, path, err);
    if (status == STRATA_OK) {
        fputs("# Imported from ", o.stream);
        put_plain(o.stream, first);
        fputs(" by strata " STRATA_VERSION ".\n", o.stream);
        if (*ignored)
            fprintf(o.stream, "# Not translated:\n%s", ignored);
        fprintf(o.stream, "%s", yaml);
        status = output_commit(&o, err);
    }
    free(yaml);
    return status;
}

struct import_arguments {
    const char *output, *name;
    bool quiet;
};

static strata_status import_all(void *context, char **paths, int n, struct strata_error *err)
{
    const struct import_arguments *a = context;
    static struct strata_gpu gpu;
    char *ignored = NULL;
    size_t size;
    struct report report = {.text = open_memstream(&ignored, &size)};
    strata_status status = STRATA_OK;
    strata_gpu_init(&gpu);
    if (!report.text)
        return strata_no_memory(err, NULL, "for the list of options");
    for (int i = 0; status == STRATA_OK && i < n; i++)
        status = import_file(paths[i], &gpu, &report, err);
    fclose(report.text);
    if (status == STRATA_OK && a->name)
        status = strata_gpu_set(&gpu, "name", a->name, err);
    if (status == STRATA_OK)
        status = strata_gpu_validate(&gpu, paths[0], err);
    if (status == STRATA_OK)
        status = write_file(a->output, &gpu, paths[0], ignored, err);
    if (status == STRATA_OK && !a->quiet)
        fprintf(stderr, "%u keys set, %u options not translated%s\n%s", count_set(&gpu),
                report.ignored, report.ignored ? ":" : "", ignored);
    free(ignored);
    return status;
}

int cmd_gpu_import(int argc, char **argv)
{
    struct import_arguments a = {0};
    const struct option options[] = {
        {'o', "output", OPTION_STRING, &a.output, "FILE",
         "the GPU file to write; standard output if left out"},
        {0, "name", OPTION_STRING, &a.name, "NAME",
         "name of the GPU; that of the file if left out"},
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL,
         "do not list the options that were not translated"},
    };
    const struct command_syntax syntax = {
        .name = "gpu import",
        .arguments = "CONFIG...",
        .summary = "Translates a gpgpusim.config (and a trace.config) into a GPU file.",
        .text = "Of several files the later one wins. Options without a counterpart are listed, "
                "with the reason, on standard\n"
                "error and at the top of the file.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .asks = "name a gpgpusim.config.",
        .run = import_all,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
