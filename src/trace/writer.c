/* writer.c - writing traces: what all formats share, above all the temporary name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <strata/files.h>

#include "trace/formats.h"
#include "trace/trace_internal.h"

static bool ends_with(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && !strcmp(text + n - m, suffix);
}

static const struct strata_trace_format *format_for(const char *path, const char *name)
{
    const struct strata_trace_format *folder = NULL;
    for (const struct strata_trace_format *const *f = strata_trace_formats; *f; f++) {
        if (!(*f)->suffix)
            continue;
        if (name ? !strcmp((*f)->name, name) : (*f)->suffix[0] && ends_with(path, (*f)->suffix))
            return *f;
        if (!(*f)->suffix[0])
            folder = *f;
    }
    return name ? NULL : folder;
}

static void writer_free(struct strata_writer *w)
{
    free(w->path);
    free(w->temporary);
    free(w);
}

/* "-" is standard output. */
static bool is_special(const char *path)
{
    return !strcmp(path, "-") || strata_path_is_special(path);
}

/* Where to write first. */
static char *temporary_name(const char *path)
{
    return is_special(path) ? strdup(path) : strata_temporary_name(path);
}

/* A symbolic link stays one: what it points to is replaced. */
static char *final_name(const char *path)
{
    struct stat st;
    if (!is_special(path) && !lstat(path, &st) && S_ISLNK(st.st_mode))
        return realpath(path, NULL);
    return strdup(path);
}

bool writer_is_direct(const struct strata_writer *w)
{
    return w->options.write || !strcmp(w->temporary, w->path);
}

const char *strata_writer_temporary(const struct strata_writer *w)
{
    return writer_is_direct(w) ? NULL : w->temporary;
}

strata_status strata_writer_create(const char *path, const struct strata_writer_options *opt,
                                   struct strata_writer **out, struct strata_error *err)
{
    *out = NULL;
    const char *wanted = opt ? opt->format : NULL;
    const struct strata_trace_format *format = format_for(path, wanted);
    if (!format && wanted)
        return strata_fail(
            err, STRATA_EUSAGE, path, 0, 0,
            "there is no trace format \"%s\" to write; use \"strata\" or \"accelsim\".", wanted);
    if (!format)
        return strata_fail(err, STRATA_EUSAGE, path, 0, 0,
                           "the name does not say in which format to write; end it in .strata.");
    struct strata_writer *w = calloc(1, sizeof *w);
    if (!w)
        return strata_no_memory(err, path, "to write a trace");
    w->format = format;
    if (opt)
        w->options = *opt;
    w->path = final_name(path);
    w->temporary = w->path ? temporary_name(w->path) : NULL;
    if (!w->path || !w->temporary) {
        writer_free(w);
        return strata_no_memory(err, path, "to write a trace");
    }
    strata_status status = format->writer_create(w, err);
    if (status) {
        strata_writer_abort(w);
        return status;
    }
    *out = w;
    return STRATA_OK;
}

strata_status strata_writer_memcpy(struct strata_writer *w, uint32_t event_kind, uint64_t address,
                                   uint64_t bytes, struct strata_error *err)
{
    return w->format->writer_memcpy(w, event_kind, address, bytes, err);
}

strata_status strata_writer_order(struct strata_writer *w, const struct strata_order *order,
                                  struct strata_error *err)
{
    return w->format->writer_order ? w->format->writer_order(w, order, err) : STRATA_OK;
}

void strata_writer_controls_from(struct strata_writer *w, strata_control_source source,
                                 void *context)
{
    w->control_source = source;
    w->control_context = context;
}

strata_status strata_writer_begin_launch(struct strata_writer *w,
                                         const struct strata_launch *launch,
                                         const struct strata_code *code, struct strata_error *err)
{
    if (w->code)
        return strata_fail(err, STRATA_EUSAGE, w->path, 0, 0,
                           "a launch was begun before the last one was ended.");
    w->launch = *launch;
    w->code = code;
    return w->format->writer_begin_launch(w, err);
}

strata_status strata_writer_block(struct strata_writer *w, const struct strata_block *block,
                                  struct strata_error *err)
{
    if (!w->code || block->code != w->code)
        return strata_fail(err, STRATA_EUSAGE, w->path, 0, 0,
                           "a thread block was written outside its launch.");
    return w->format->writer_block(w, block, err);
}

strata_status strata_writer_end_launch(struct strata_writer *w, struct strata_error *err)
{
    if (!w->code)
        return strata_fail(err, STRATA_EUSAGE, w->path, 0, 0,
                           "a launch was ended that was never begun.");
    strata_status status = w->format->writer_end_launch(w, err);
    w->code = NULL;
    return status;
}

strata_status strata_writer_cut_launch(struct strata_writer *w, struct strata_error *err)
{
    w->cut = true;
    strata_status status = strata_writer_end_launch(w, err);
    w->cut = false;
    return status;
}

strata_status strata_writer_fail_launch(struct strata_writer *w, struct strata_error *err)
{
    w->failed = true;
    strata_status status = strata_writer_end_launch(w, err);
    w->failed = false;
    return status;
}

uint64_t strata_writer_bytes(const struct strata_writer *w)
{
    return w->format->writer_bytes(w);
}

strata_status strata_writer_finish(struct strata_writer *w, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    if (w->code)
        status = strata_fail(err, STRATA_EUSAGE, w->path, 0, 0,
                             "the trace was finished within a launch.");
    if (!status)
        status = w->format->writer_finish(w, err);
    if (!status && !writer_is_direct(w) && rename(w->temporary, w->path))
        status =
            strata_fail(err, STRATA_EIO, w->path, 0, 0,
                        "the trace was written but cannot be given its name: %s.", strerror(errno));
    if (status)
        w->format->writer_abort(w);
    else
        w->format->writer_close(w);
    writer_free(w);
    return status;
}

void strata_writer_abort(struct strata_writer *w)
{
    if (!w)
        return;
    w->format->writer_abort(w);
    writer_free(w);
}
