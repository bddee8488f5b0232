/* input_hint.c - kinds of files by their first bytes or their names, and where each leads. */
#include "input_hint.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), k = strlen(end);
    return n > k && !strcmp(path + n - k, end);
}

static bool is_accelsim_folder(const char *path)
{
    static const char *const lists[] = {"kernelslist.g", "kernelslist"};
    char inside[1024];
    struct stat info;
    for (int i = 0; i < 2; i++) {
        snprintf(inside, sizeof inside, "%s/%s", path, lists[i]);
        if (!stat(inside, &info))
            return true;
    }
    return false;
}

/* The first bytes, ended by a 0; false for what is no plain file. */
static bool read_head(const char *path, char *head, size_t size)
{
    struct stat info;
    FILE *f = !stat(path, &info) && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    if (!f)
        return false;
    memset(head, 0, size);
    size_t n = fread(head, 1, size - 1, f);
    fclose(f);
    return n > 0;
}

enum file_kind {
    KIND_UNKNOWN,
    KIND_PROGRAM,
    KIND_SOURCE,
    KIND_TRACE,
    KIND_RESULT,
    KIND_PROFILE,
    KIND_PAGE,
    KIND_GPU_CODE,
    KIND_PTX,
    KIND_COUNTERS,
    KIND_GPU_FILE
};

#define ELF_MACHINE_AT   18
#define ELF_MACHINE_CUDA 190

/* What Nsight Compute prints with --csv, behind lines of its own, or a table of counters. */
static bool is_counters(const char *head)
{
    return (strstr(head, "\"Kernel Name\"") && strstr(head, "__")) ||
           (!strncmp(head, "program,", 8) && strstr(head, "__") && !strstr(head, ",metric,"));
}

static enum file_kind kind_of_text(const char *path, const char *head)
{
    if (ends_with(path, ".ptx") || strstr(head, "\n.address_size"))
        return KIND_PTX;
    if (head[0] == '{' && strstr(head, "\"strata."))
        return KIND_RESULT;
    if (!strncmp(head, "<!doctype html", 14) || !strncmp(head, "<!DOCTYPE html", 14))
        return KIND_PAGE;
    if (is_counters(head))
        return KIND_COUNTERS;
    if (ends_with(path, ".yaml") && strstr(head, "sm:"))
        return KIND_GPU_FILE;
    return KIND_UNKNOWN;
}

static enum file_kind kind_of(const char *path)
{
    char head[8192];
    struct stat info;
    if (stat(path, &info))
        return KIND_UNKNOWN;
    if (ends_with(path, ".ncu-rep"))
        return KIND_PROFILE;
    if (ends_with(path, ".cu"))
        return KIND_SOURCE;
    if (is_accelsim_folder(path))
        return KIND_TRACE;
    if (!read_head(path, head, sizeof head))
        return KIND_UNKNOWN;
    if (!memcmp(head, "\177ELF", 4))
        return head[ELF_MACHINE_AT] == (char)ELF_MACHINE_CUDA ? KIND_GPU_CODE : KIND_PROGRAM;
    if (!memcmp(head, "\211STRATA\n", 8))
        return KIND_TRACE;
    return kind_of_text(path, head);
}

static void say_profile(const char *path, struct strata_error *err)
{
    int stem = (int)strlen(path) - (int)strlen(".ncu-rep");
    strata_fail(err, err->status, path, 0, 0,
                "this is a report of Nsight Compute in its own format; export its counters with "
                "`ncu --import %s --csv --page raw > %.*s.csv` and name that file.",
                path, stem, path);
}

static void say_source(const char *path, struct strata_error *err)
{
    strata_fail(err, err->status, path, 0, 0,
                "this is CUDA source; compile it (`strata-clang -o app %s`, or nvcc), record it "
                "with `strata trace -o app.strata -- ./app`, and name app.strata.",
                path);
}

static void say_ptx(const char *path, struct strata_error *err)
{
    strata_fail(
        err, err->status, path, 0, 0,
        "this is PTX; run a kernel of it with `strata trace --ptx %s --kernel NAME --grid N "
        "--block N --arg ... -o app.strata` and name app.strata.",
        path);
}

static void say_gpu_code(const char *path, struct strata_error *err)
{
    strata_fail(err, err->status, path, 0, 0,
                "this is machine code of a GPU without the program that runs it; `strata sass %s` "
                "lists it. Record the program that loads it with `strata trace -o app.strata -- "
                "PROGRAM` and name app.strata.",
                path);
}

/* Files of options are of kinds of their own. */
static bool is_among(const char *path, char *const *words, int n_words)
{
    for (int i = 0; i < n_words; i++)
        if (!strcmp(words[i], path))
            return true;
    return false;
}

void add_input_hint(const struct command_syntax *s, char *const *words, int n_words,
                    struct strata_error *err)
{
    char path[sizeof err->file];
    bool about_input = err->status == STRATA_EFORMAT || err->status == STRATA_EIO ||
                       err->status == STRATA_EUNSUPPORTED;
    if (!about_input || !*err->file)
        return;
    snprintf(path, sizeof path, "%s", err->file);
    enum file_kind kind = kind_of(path);
    if (kind == KIND_PROFILE)
        say_profile(path, err);
    else if (kind == KIND_SOURCE)
        say_source(path, err);
    else if (kind == KIND_PAGE)
        strata_fail(err, err->status, path, 0, 0,
                    "this is a page for a browser; name the results it was made from (what "
                    "`strata predict -f json` wrote).");
    else if (kind == KIND_TRACE && s->takes_results && !is_among(path, words, n_words))
        strata_fail(
            err, err->status, path, 0, 0,
            "this is a trace, and counters of a GPU are wanted: what `ncu --csv --page raw` "
            "printed, or a table as docs/formats.md has it.");
    else if (!is_among(path, words, n_words))
        return;
    else if (kind == KIND_PTX && !s->takes_programs)
        say_ptx(path, err);
    else if (kind == KIND_GPU_CODE && !s->takes_programs)
        say_gpu_code(path, err);
    else if (kind == KIND_COUNTERS && !s->takes_programs)
        strata_fail(err, err->status, path, 0, 0,
                    "these are counters of a GPU; name them behind --measured of `strata "
                    "correlate` or `strata report`, beside predictions.");
    else if (kind == KIND_GPU_FILE && !s->takes_programs)
        strata_fail(err, err->status, path, 0, 0,
                    "this is a GPU file; name it behind --gpu, beside a trace.");
    else if (kind == KIND_PROGRAM && !s->takes_programs)
        strata_fail(err, err->status, path, 0, 0,
                    "this is a program, not %s; record what it does with `strata trace -o "
                    "app.strata -- %s%s` and name app.strata.",
                    s->takes_results ? "a result" : "a trace", strchr(path, '/') ? "" : "./", path);
    else if (kind == KIND_TRACE && s->takes_results)
        strata_fail(err, err->status, path, 0, 0,
                    "this is a trace, and %s takes results; predict it with `strata predict %s "
                    "--gpu GPU -f json -o flow.json` and name flow.json.",
                    s->name, path);
    else if (kind == KIND_RESULT && !s->takes_results && !s->takes_programs)
        strata_fail(err, err->status, path, 0, 0,
                    "this is a result, and %s takes traces; `strata report %s -o report.html` "
                    "shows it.",
                    s->name, path);
}
