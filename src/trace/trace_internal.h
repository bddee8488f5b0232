/* trace_internal.h - how a trace format plugs into strata_trace_*, strata_reader_*,
 * strata_writer_*.
 *
 * A format is one const struct strata_trace_format in the table of trace.c. Functions it does not
 * offer are NULL. To add one: write src/trace/<format>*.c, declare its struct below, and add it to
 * the table. The generic layer owns struct strata_trace, _reader and _writer; a format keeps its
 * own data behind `impl`. */
#ifndef STRATA_TRACE_INTERNAL_H
#define STRATA_TRACE_INTERNAL_H

#include <strata/trace.h>

struct strata_trace {
    const struct strata_trace_format *format;
    char *path; /* as the user gave it */
    struct strata_trace_options options;
    struct strata_launch *launch; /* strings owned by `string` */
    size_t n_launch, cap_launch;
    struct strata_event *event;
    size_t n_event, cap_event;
    struct strata_edge *edge;
    size_t n_edge, cap_edge;
    char **string;
    size_t n_string, cap_string;
    void *impl;
};

struct strata_reader {
    struct strata_trace *trace;
    size_t launch_index;
    struct strata_launch launch; /* a copy: a reader may learn more (register count, ...) */
    struct strata_code *code;    /* created by the generic layer, filled by the format */
    char **warning;
    size_t n_warning, cap_warning;
    void *impl;
    /* of strata_reader_next_ordered: blocks that came early, a binary heap by index */
    struct strata_block **early;
    size_t n_early, cap_early;
    uint64_t next_index;
    bool at_end;
};

struct strata_writer {
    const struct strata_trace_format *format;
    char *path;      /* the final name */
    char *temporary; /* what the format writes to: a file or folder name beside `path` */
    struct strata_writer_options options;
    const struct strata_code *code; /* of the launch being written, NULL between launches */
    struct strata_launch launch;
    strata_control_source control_source; /* NULL: none */
    void *control_context;
    bool cut;    /* the launch is being ended before its last block */
    bool failed; /* ... because its kernel failed */
    void *impl;
};

struct strata_trace_format {
    const char *name;    /* "strata" */
    const char *summary; /* for help texts */
    const char *suffix;  /* of files it writes, ".strata"; "" = a folder; NULL: does not write */
    /* Is this path mine? head: the first bytes of the file (0 bytes for a folder). Formats are
     * asked in the order of the table. */
    bool (*probe)(const char *path, bool is_folder, const uint8_t *head, size_t n_head);
    /* Reads headers: adds launches and events with trace_add_launch, trace_add_event. On failure
     * close is called too. */
    strata_status (*open)(struct strata_trace *t, struct strata_error *err);
    void (*close)(struct strata_trace *t);
    /* Several readers of one trace may be open at once, in different threads. On failure
     * reader_close is called too. */
    strata_status (*reader_open)(struct strata_reader *r, struct strata_error *err);
    strata_status (*reader_next)(struct strata_reader *r, struct strata_block **out,
                                 struct strata_error *err);
    /* Makes reader_next start at the first stored block with this index; STRATA_END if there is
     * none. NULL: the format cannot. */
    strata_status (*reader_seek)(struct strata_reader *r, uint64_t block_index,
                                 struct strata_error *err);
    void (*reader_close)(struct strata_reader *r);
    /* Writes to w->temporary. writer_finish completes what is written; then the generic layer
     * renames it and calls writer_close, which frees `impl`. If anything failed (also writer_create
     * or writer_finish) it calls writer_abort instead, which removes what was written (unless
     * writer_is_direct) and frees `impl`, which may be NULL. */
    strata_status (*writer_create)(struct strata_writer *w, struct strata_error *err);
    strata_status (*writer_memcpy)(struct strata_writer *w, uint32_t event_kind, uint64_t address,
                                   uint64_t bytes, struct strata_error *err);
    /* Of the copy or launch that is written next. NULL: the format cannot tell. */
    strata_status (*writer_order)(struct strata_writer *w, const struct strata_order *order,
                                  struct strata_error *err);
    strata_status (*writer_begin_launch)(struct strata_writer *w, struct strata_error *err);
    strata_status (*writer_block)(struct strata_writer *w, const struct strata_block *block,
                                  struct strata_error *err);
    strata_status (*writer_end_launch)(struct strata_writer *w, struct strata_error *err);
    uint64_t (*writer_bytes)(const struct strata_writer *w);
    strata_status (*writer_finish)(struct strata_writer *w, struct strata_error *err);
    void (*writer_close)(struct strata_writer *w);
    void (*writer_abort)(struct strata_writer *w);
};

extern const struct strata_trace_format strata_format_native; /* native_read.c, native_write.c */
extern const struct strata_trace_format
    strata_format_accelsim; /* folders, lists and .traceg files */
extern const struct strata_trace_format strata_format_threadlist; /* thread-list text */
extern const struct strata_trace_format strata_format_memtrace;   /* NVBit mem_trace text */

/* True if the output is no plain file (a pipe, a device): it is written in place, not renamed. */
bool writer_is_direct(const struct strata_writer *w);

/* Copies the launch and its strings. */
strata_status trace_add_launch(struct strata_trace *t, const struct strata_launch *launch,
                               struct strata_error *err);
strata_status trace_add_event(struct strata_trace *t, const struct strata_event *event,
                              struct strata_error *err);
/* A copy that lives as long as the trace; NULL without memory. */
const char *trace_keep_string(struct strata_trace *t, const char *text);
/* The last part of a path, without slashes at its end: what struct strata_launch calls program and
 * trace. Kept by the trace. */
const char *trace_keep_base_name(struct strata_trace *t, const char *path);
/* Adds a warning sentence; out of memory is ignored, a warning is not worth a failure. */
void reader_warn(struct strata_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
