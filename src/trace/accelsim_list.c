/* accelsim_list.c - Accel-Sim folders, kernelslist files and single kernel files as one format.
 *
 * A list has one command a line: "MemcpyHtoD,<hex address>,<bytes>" and the
 * names of kernel files, which begin with "kernel" and are relative to the
 * list's folder. Every other line is ignored with a warning, as upstream does without one. */
#include "trace/accelsim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"

/* What a thread gets when the header has no "-nregs" line: what the compiler aims at by default. */
#define ASSUMED_REGISTERS 32

struct accelsim_trace {
    char **path; /* of each launch's file */
    size_t n_path, cap_path;
    /* Lines of the list that are neither a copy nor a kernel file, and the first of them. */
    uint64_t n_ignored, first_ignored_line;
    char first_ignored[80];
};

static strata_status no_memory(const char *path, struct strata_error *err)
{
    return strata_no_memory(err, path, "to open the trace");
}

static bool ends_with(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && !strcmp(text + n - m, suffix);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- what a file is ---- */

enum content { CONTENT_OTHER, CONTENT_KERNEL, CONTENT_LIST };

static enum content content_of_text(const char *p)
{
    while (*p && (text_is_blank(*p) || *p == '\n'))
        p++;
    if (*p == '-' && strcspn(p, "=") < strcspn(p, "\n"))
        return CONTENT_KERNEL;
    if (!strncmp(p, "#traces", 7) || !strncmp(p, "#BEGIN_TB", 9))
        return CONTENT_KERNEL;
    if (!strncmp(p, "Memcpy", 6) || !strncmp(p, "kernel", 6))
        return CONTENT_LIST;
    return CONTENT_OTHER;
}

static enum content content_of_file(const char *path)
{
    char head[4097];
    struct stream_source *in;
    size_t n = 0;
    if (!strncmp(base_name(path), "kernelslist", 11))
        return CONTENT_LIST;
    if (strstr(base_name(path), ".trace"))
        return CONTENT_KERNEL;
    if (stream_source_open(path, &in, NULL))
        return CONTENT_OTHER;
    strata_status st = stream_source_read(in, head, sizeof head - 1, &n, NULL);
    bool compressed = stream_source_kind(in) != STREAM_PLAIN;
    stream_source_close(in);
    head[n] = 0;
    if (st) /* damaged: opening it as a kernel file says how */
        return compressed ? CONTENT_KERNEL : CONTENT_OTHER;
    return content_of_text(head);
}

/* The list in a folder, or NULL (also without memory). */
static char *list_of_folder(const char *folder)
{
    static const char *const names[] = {"kernelslist.g", "kernelslist"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path;
        if (asprintf(&path, "%s%s%s", folder, ends_with(folder, "/") ? "" : "/", names[i]) < 0)
            return NULL;
        if (!access(path, F_OK))
            return path;
        free(path);
    }
    return NULL;
}

static bool accelsim_probe(const char *path, bool is_folder, const uint8_t *head, size_t n_head)
{
    (void)head, (void)n_head;
    if (!is_folder)
        return content_of_file(path) != CONTENT_OTHER;
    char *list = list_of_folder(path);
    free(list);
    return list != NULL;
}

/* ---- launches ---- */

/* The name of the folder that a file lies in: what predictions are joined on. Freed by the caller.
 */
static char *folder_name(const char *file)
{
    char *real = realpath(file, NULL);
    if (!real)
        return strdup("");
    char *slash = strrchr(real, '/');
    *slash = 0;
    char *name = strdup(base_name(real));
    free(real);
    return name;
}

static struct strata_launch launch_of(const struct accelsim_header *h, const char *program,
                                      const char *trace)
{
    return (struct strata_launch){
        .program = program,
        .trace = trace,
        .kernel = h->kernel ? h->kernel : "",
        .id = h->id,
        .grid = h->grid,
        .block = h->block,
        .registers_per_thread = h->has_registers ? h->registers : ASSUMED_REGISTERS,
        .regs_source = h->has_registers ? STRATA_REGS_TRACE : STRATA_REGS_ESTIMATE,
        .shared_static_bytes = h->shared_bytes,
        .sm_version = h->sm_version,
        .isa = STRATA_ISA_SASS,
        .stream = h->stream,
        .shared_base = h->shared_base,
        .local_base = h->local_base,
    };
}

static strata_status read_header_of(const char *path, struct accelsim_header *h,
                                    struct strata_error *err)
{
    struct stream_source *in;
    struct text text;
    strata_status st = stream_source_open(path, &in, err);
    if (!st)
        st = text_init(&text, in, err);
    if (st)
        return st;
    st = accelsim_read_header(&text, h, err);
    text_release(&text);
    return st;
}

/* Adds the launch of the kernel file `path`, which is taken over. */
static strata_status add_kernel(struct strata_trace *t, char *path, const char *program,
                                const char *trace, struct strata_error *err)
{
    struct accelsim_trace *a = t->impl;
    struct accelsim_header h;
    if (!ARRAY_RESERVE(a->path, a->n_path, a->cap_path, 1)) {
        free(path);
        return no_memory(t->path, err);
    }
    a->path[a->n_path++] = path;
    if (ends_with(path, ".tracez"))
        return strata_fail(
            err, STRATA_EUNSUPPORTED, path, 0, 0,
            "binary .tracez files of Accel-Sim 2.0 cannot be read; trace to text (.traceg).");
    strata_status st = read_header_of(path, &h, err);
    if (st)
        return st;
    struct strata_launch launch = launch_of(&h, program, trace);
    struct strata_event event = {.kind = STRATA_EVENT_LAUNCH, .launch = (uint32_t)t->n_launch};
    st = trace_add_launch(t, &launch, err);
    if (!st)
        st = trace_add_event(t, &event, err);
    accelsim_header_release(&h);
    return st;
}

/* ---- lists ---- */

/* The kernel file that a list means by `name`: lists often still name the plain file after it was
 * compressed, and kernelslist (without .g) names raw .trace files whose grouped form lies beside
 * them. Returns the part of the path that is the file's name in *trace (freed by the caller). */
static char *find_kernel_file(const char *folder, int folder_length, const char *name, char **trace)
{
    static const char *const endings[] = {"", ".xz", ".gz", ".zst", "g", "g.xz", "g.gz", "g.zst"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *path;
        if (asprintf(&path, "%.*s%s%s", folder_length, folder, name, endings[i]) < 0)
            return NULL;
        bool grouped = i < 4 || ends_with(name, ".trace");
        /* Below a list, a raw .trace file is only what the grouped file was made of. */
        bool raw = i < 4 && ends_with(name, ".trace");
        if (grouped && !raw && !access(path, F_OK)) {
            *trace = strdup(path + folder_length);
            return path;
        }
        free(path);
    }
    return NULL;
}

/* A pipe would be waited for without end. */
static bool is_regular_file(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode);
}

struct list {
    struct text text;
    const char *path;
    int folder_length; /* of path, with the slash */
    char *program;
};

static strata_status read_kernel_line(struct strata_trace *t, struct list *l, const char *p,
                                      struct strata_error *err)
{
    char *trace = NULL, *path = NULL;
    bool taken = false; /* add_kernel owns the path */
    const char *end = text_newline(&l->text, p);
    while (end > p && text_is_blank(end[-1]))
        end--;
    const char *nul = memchr(p, 0, (size_t)(end - p));
    if (nul)
        return text_fail(&l->text, nul, err, "the name of a kernel file holds a NUL byte.");
    char *name = strndup(p, (size_t)(end - p));
    if (!name)
        return no_memory(l->path, err);
    path = find_kernel_file(l->path, l->folder_length, name, &trace);
    strata_status st;
    if (!path)
        st = strata_fail(err, STRATA_EIO, l->text.name, (uint32_t)l->text.line,
                         (uint32_t)(p - l->text.line_start) + 1,
                         "the kernel file \"%s\" named here does not exist.", name);
    else if (!trace)
        st = no_memory(l->path, err);
    else if (!is_regular_file(path))
        st = strata_fail(err, STRATA_EIO, l->text.name, (uint32_t)l->text.line,
                         (uint32_t)(p - l->text.line_start) + 1,
                         "\"%s\" named here is not a regular file.", name);
    else
        st = add_kernel(t, path, l->program, trace, err), taken = true;
    if (!taken)
        free(path);
    free(trace);
    free(name);
    return st;
}

/* "MemcpyHtoD,0x7f…,4096" */
static strata_status read_copy_line(struct strata_trace *t, const struct list *l, const char *p,
                                    uint32_t kind, struct strata_error *err)
{
    struct strata_event event = {.kind = kind};
    const char *field = p + strcspn(p, ",\n");
    const char *q = *field == ',' ? text_hex(text_skip_blanks(field + 1), &event.address) : NULL;
    if (!q || *(q = text_skip_blanks(q)) != ',')
        return text_fail(&l->text, field, err, "expected \",<hexadecimal address>,<bytes>\" here.");
    field = q;
    q = text_decimal(text_skip_blanks(field + 1), &event.bytes);
    if (!q || *text_skip_blanks(q) != '\n')
        return text_fail(&l->text, field, err,
                         "expected \",<bytes>\" and the end of the line here.");
    return trace_add_event(t, &event, err);
}

static void note_ignored(struct accelsim_trace *a, const struct list *l, const char *p)
{
    if (a->n_ignored++)
        return;
    a->first_ignored_line = l->text.line;
    snprintf(a->first_ignored, sizeof a->first_ignored, "%.*s", (int)strcspn(p, "\n"), p);
    strata_text_clean(a->first_ignored);
}

static strata_status read_list_line(struct strata_trace *t, struct list *l, const char *p,
                                    struct strata_error *err)
{
    static const struct {
        const char *word;
        uint32_t kind;
    } copies[] = {{"MemcpyHtoD,", STRATA_EVENT_MEMCPY_HTOD},
                  {"MemcpyDtoH,", STRATA_EVENT_MEMCPY_DTOH},
                  {"Memset,", STRATA_EVENT_MEMSET}};
    p = text_skip_blanks(p);
    if (!strncmp(p, "kernel", 6))
        return read_kernel_line(t, l, p, err);
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        if (!strncmp(p, copies[i].word, strlen(copies[i].word)))
            return read_copy_line(t, l, p, copies[i].kind, err);
    if (*p != '\n' && *p != '#')
        note_ignored(t->impl, l, p);
    return STRATA_OK;
}

static strata_status read_list(struct strata_trace *t, const char *path, struct strata_error *err)
{
    struct stream_source *in;
    struct list l = {.path = path, .folder_length = (int)(base_name(path) - path)};
    strata_status st = stream_source_open(path, &in, err);
    if (!st)
        st = text_init(&l.text, in, err);
    if (st)
        return st;
    l.program = folder_name(path);
    if (!l.program)
        st = no_memory(path, err);
    const char *p;
    while (!st && !(st = text_begin_line(&l.text, &p, err)) &&
           !(st = read_list_line(t, &l, p, err)))
        text_skip_line(&l.text);
    if (st == STRATA_END)
        st = t->n_launch
                 ? STRATA_OK
                 : strata_fail(err, STRATA_EFORMAT, path, 0, 0,
                               "the list names no kernel file, so there is nothing to read.");
    free(l.program);
    text_release(&l.text);
    return st;
}

/* ---- the format ---- */

static strata_status open_single(struct strata_trace *t, struct strata_error *err)
{
    char *path = strdup(t->path), *program = folder_name(t->path);
    strata_status st;
    if (path && program) {
        st = add_kernel(t, path, program, base_name(t->path), err);
    } else {
        free(path);
        st = no_memory(t->path, err);
    }
    free(program);
    return st;
}

static int by_kernel(const void *a, const void *b)
{
    const struct strata_launch *const *x = a, *const *y = b;
    return strcmp((*x)->kernel, (*y)->kernel);
}

/* The register count belongs to the kernel, but the tracer asks for it again at every launch, and
 * once it has put its own code into the kernel the answer is that of both. The smallest is the
 * kernel's. */
static strata_status settle_registers(struct strata_trace *t, struct strata_error *err)
{
    struct strata_launch **sorted = malloc((t->n_launch + 1) * sizeof *sorted);
    if (!sorted)
        return no_memory(t->path, err);
    for (size_t i = 0; i < t->n_launch; i++)
        sorted[i] = &t->launch[i];
    qsort(sorted, t->n_launch, sizeof *sorted, by_kernel);
    for (size_t from = 0, to; from < t->n_launch; from = to) {
        uint32_t least = sorted[from]->registers_per_thread;
        for (to = from; to < t->n_launch && !by_kernel(&sorted[from], &sorted[to]); to++)
            if (sorted[to]->registers_per_thread && sorted[to]->registers_per_thread < least)
                least = sorted[to]->registers_per_thread;
        for (size_t i = from; i < to; i++)
            sorted[i]->registers_per_thread = least;
    }
    free(sorted);
    return STRATA_OK;
}

static strata_status accelsim_open(struct strata_trace *t, struct strata_error *err)
{
    t->impl = calloc(1, sizeof(struct accelsim_trace));
    if (!t->impl)
        return no_memory(t->path, err);
    char *list = list_of_folder(t->path);
    strata_status st;
    if (list)
        st = read_list(t, list, err);
    else if (content_of_file(t->path) == CONTENT_LIST)
        st = read_list(t, t->path, err);
    else
        st = open_single(t, err);
    free(list);
    return st || t->options.accelsim_compat ? st : settle_registers(t, err);
}

static void accelsim_close(struct strata_trace *t)
{
    struct accelsim_trace *a = t->impl;
    if (!a)
        return;
    for (size_t i = 0; i < a->n_path; i++)
        free(a->path[i]);
    free(a->path);
    free(a);
    t->impl = NULL;
}

static strata_status open_reader(struct strata_reader *r, struct strata_error *err)
{
    const struct accelsim_trace *a = r->trace->impl;
    if (a->n_ignored && !r->launch_index)
        reader_warn(r,
                    "lines of the kernel list that are neither a copy nor begin with \"kernel\" "
                    "are ignored, as Accel-Sim does: %llu, the first is line %llu, \"%s\".",
                    (unsigned long long)a->n_ignored, (unsigned long long)a->first_ignored_line,
                    a->first_ignored);
    return accelsim_reader_open(r, a->path[r->launch_index], err);
}

const struct strata_trace_format strata_format_accelsim = {
    .name = "accelsim",
    .summary = "Accel-Sim text traces: a folder with kernelslist.g, or one .traceg file",
    .suffix = "",
    .probe = accelsim_probe,
    .open = accelsim_open,
    .close = accelsim_close,
    .reader_open = open_reader,
    .reader_next = accelsim_reader_next,
    .reader_close = accelsim_reader_close,
    .writer_create = accelsim_write_create,
    .writer_memcpy = accelsim_write_memcpy,
    .writer_begin_launch = accelsim_write_begin_launch,
    .writer_block = accelsim_write_block,
    .writer_end_launch = accelsim_write_end_launch,
    .writer_bytes = accelsim_write_bytes,
    .writer_finish = accelsim_write_finish,
    .writer_close = accelsim_write_close,
    .writer_abort = accelsim_write_abort,
};
