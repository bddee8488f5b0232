/* trace.c - opens traces of any format, and the parts of reading that all formats share. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "trace/formats.h"
#include "trace/trace_internal.h"

const struct strata_trace_format *const strata_trace_formats[] = {
    &strata_format_native,
    &strata_format_accelsim,
    &strata_format_threadlist,
    &strata_format_memtrace,

    NULL,
};

static strata_status no_memory(struct strata_error *err, const char *path)
{
    return strata_no_memory(err, path, "to read the trace");
}

void strata_trace_options_init(struct strata_trace_options *opt)
{
    memset(opt, 0, sizeof *opt);
    opt->lenient = true;
}

const char *trace_keep_string(struct strata_trace *t, const char *text)
{
    if (!ARRAY_RESERVE(t->string, t->n_string, t->cap_string, 1))
        return NULL;
    char *copy = strdup(text ? text : "");
    if (copy) {
        strata_text_clean(copy);
        t->string[t->n_string++] = copy;
    }
    return copy;
}

const char *trace_keep_base_name(struct strata_trace *t, const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t from = n;
    while (from > 0 && path[from - 1] != '/')
        from--;
    char *copy = strndup(path + from, n - from);
    const char *kept = copy ? trace_keep_string(t, copy) : NULL;
    free(copy);
    return kept;
}

/* The same for the textures of a launch; NULL: no memory. */
static const struct strata_launch_texture *keep_textures(struct strata_trace *t,
                                                         const struct strata_launch *l)
{
    size_t bytes = l->n_textures * sizeof *l->textures;
    if (!ARRAY_RESERVE(t->string, t->n_string, t->cap_string, 1))
        return NULL;
    struct strata_launch_texture *copy = malloc(bytes);
    if (copy)
        t->string[t->n_string++] = memcpy(copy, l->textures, bytes);
    return copy;
}

/* A program launches the same few kernels again and again: their names are kept once. */
enum { LAUNCHES_BACK = 16 };
static const char *keep_name(struct strata_trace *t, const char *name)
{
    for (size_t i = t->n_launch; name && i-- > 0 && i + LAUNCHES_BACK >= t->n_launch;) {
        const char *const known[] = {t->launch[i].kernel, t->launch[i].program,
                                     t->launch[i].source_file};
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            if (known[k] && !strcmp(known[k], name))
                return known[k];
    }
    return trace_keep_string(t, name);
}

strata_status trace_add_launch(struct strata_trace *t, const struct strata_launch *launch,
                               struct strata_error *err)
{
    struct strata_launch copy = *launch;
    copy.program = keep_name(t, launch->program);
    copy.trace = trace_keep_string(t, launch->trace);
    copy.kernel = keep_name(t, launch->kernel);
    if (launch->source_file)
        copy.source_file = keep_name(t, launch->source_file);
    copy.textures = launch->n_textures ? keep_textures(t, launch) : NULL;
    if (!copy.program || !copy.trace || !copy.kernel ||
        (launch->source_file && !copy.source_file) || (launch->n_textures && !copy.textures) ||
        !ARRAY_RESERVE(t->launch, t->n_launch, t->cap_launch, 1))
        return no_memory(err, t->path);
    t->launch[t->n_launch++] = copy;
    return STRATA_OK;
}

strata_status trace_add_event(struct strata_trace *t, const struct strata_event *event,
                              struct strata_error *err)
{
    if (!ARRAY_RESERVE(t->event, t->n_event, t->cap_event, 1))
        return no_memory(err, t->path);
    t->event[t->n_event++] = *event;
    return STRATA_OK;
}

/* The first bytes of a file; *is_folder instead for a folder. */
static strata_status read_head(const char *path, uint8_t *head, size_t size, size_t *n,
                               bool *is_folder, struct strata_error *err)
{
    struct stat st;
    *n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        strata_fail(err, STRATA_EIO, path, 0, 0, "the trace cannot be opened: %s.",
                    strerror(errno));
        if (fd >= 0)
            close(fd);
        return STRATA_EIO;
    }
    *is_folder = S_ISDIR(st.st_mode);
    while (!*is_folder && *n < size) {
        ssize_t got = read(fd, head + *n, size - *n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        *n += (size_t)got;
    }
    close(fd);
    return STRATA_OK;
}

static const struct strata_trace_format *find_format(const char *path, struct strata_error *err)
{
    uint8_t head[512];
    size_t n = 0;
    bool is_folder = false;
    if (read_head(path, head, sizeof head, &n, &is_folder, err))
        return NULL;
    if (!is_folder && n == 0) {
        strata_fail(err, STRATA_EFORMAT, path, 0, 0, "the file is empty, so it is no trace.");
        return NULL;
    }
    for (const struct strata_trace_format *const *f = strata_trace_formats; *f; f++)
        if ((*f)->probe && (*f)->probe(path, is_folder, head, n))
            return *f;
    if (is_folder)
        strata_fail(err, STRATA_EFORMAT, path, 0, 0,
                    "the folder holds no trace: there is no kernelslist.g in it.");
    else
        strata_fail(err, STRATA_EFORMAT, path, 0, 0,
                    "this is no trace in a format known here (native, Accel-Sim or thread list).");
    return NULL;
}

strata_status strata_trace_open(const char *path, const struct strata_trace_options *opt,
                                struct strata_trace **out, struct strata_error *err)
{
    struct strata_error local;
    *out = NULL;
    if (!err)
        err = &local;
    const struct strata_trace_format *format = find_format(path, err);
    if (!format)
        return err->status;
    struct strata_trace *t = calloc(1, sizeof *t);
    if (!t)
        return no_memory(err, path);
    t->format = format;
    t->path = strdup(path);
    if (opt)
        t->options = *opt;
    else
        strata_trace_options_init(&t->options);
    strata_status status = t->path ? format->open(t, err) : no_memory(err, path);
    if (status) {
        strata_trace_close(t);
        return status;
    }
    *out = t;
    return STRATA_OK;
}

void strata_trace_close(struct strata_trace *t)
{
    if (!t)
        return;
    t->format->close(t);
    for (size_t i = 0; i < t->n_string; i++)
        free(t->string[i]);
    free(t->string);
    free(t->launch);
    free(t->event);
    free(t->edge);
    free(t->path);
    free(t);
}

size_t strata_trace_launch_count(const struct strata_trace *t)
{
    return t->n_launch;
}

const struct strata_launch *strata_trace_launch(const struct strata_trace *t, size_t i)
{
    return i < t->n_launch ? &t->launch[i] : NULL;
}

size_t strata_trace_event_count(const struct strata_trace *t)
{
    return t->n_event;
}

const struct strata_event *strata_trace_event(const struct strata_trace *t, size_t i)
{
    return i < t->n_event ? &t->event[i] : NULL;
}

const struct strata_edge *strata_trace_edge(const struct strata_trace *t, size_t i)
{
    return i < t->n_edge ? &t->edge[i] : NULL;
}

const char *strata_trace_format_name(const struct strata_trace *t)
{
    return t->format->name;
}
