/* reader.c - reading the blocks of a launch, in file order or in order of their index. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "trace/trace_internal.h"

static strata_status no_memory(const struct strata_reader *r, struct strata_error *err)
{
    return strata_no_memory(err, r ? r->trace->path : NULL, "to read the trace");
}

strata_status strata_reader_open(struct strata_trace *t, size_t launch, struct strata_reader **out,
                                 struct strata_error *err)
{
    *out = NULL;
    if (launch >= t->n_launch)
        return strata_fail(err, STRATA_EUSAGE, t->path, 0, 0,
                           "launch %zu does not exist: the trace has %zu.", launch, t->n_launch);
    struct strata_reader *r = calloc(1, sizeof *r);
    if (!r)
        return no_memory(NULL, err);
    r->trace = t;
    r->launch_index = launch;
    r->launch = t->launch[launch];
    strata_status status = strata_code_create(&r->code, err);
    if (!status)
        status = t->format->reader_open(r, err);
    if (status) {
        strata_reader_close(r);
        return status;
    }
    *out = r;
    return STRATA_OK;
}

strata_status strata_reader_reopen(const struct strata_reader *r, struct strata_reader **out,
                                   struct strata_error *err)
{
    return strata_reader_open(r->trace, r->launch_index, out, err);
}

void strata_reader_close(struct strata_reader *r)
{
    if (!r)
        return;
    r->trace->format->reader_close(r);
    for (size_t i = 0; i < r->n_early; i++)
        strata_block_destroy(r->early[i]);
    free(r->early);
    for (size_t i = 0; i < r->n_warning; i++)
        free(r->warning[i]);
    free(r->warning);
    strata_code_destroy(r->code);
    free(r);
}

const struct strata_launch *strata_reader_launch(const struct strata_reader *r)
{
    return &r->launch;
}

const struct strata_event *strata_reader_event_before(const struct strata_reader *r, size_t k)
{
    if (k >= strata_trace_event_count(r->trace))
        return NULL;
    const struct strata_event *e = strata_trace_event(r->trace, k);
    return e->kind == STRATA_EVENT_LAUNCH && e->launch == r->launch_index ? NULL : e;
}

const struct strata_code *strata_reader_code(const struct strata_reader *r)
{
    return r->code;
}

strata_status strata_reader_next(struct strata_reader *r, struct strata_block **out,
                                 struct strata_error *err)
{
    *out = NULL;
    return r->trace->format->reader_next(r, out, err);
}

strata_status strata_reader_seek(struct strata_reader *r, uint64_t block_index,
                                 struct strata_error *err)
{
    if (!r->trace->format->reader_seek)
        return strata_fail(err, STRATA_EUNSUPPORTED, r->trace->path, 0, 0,
                           "a trace in format \"%s\" can only be read from its start; convert it "
                           "to a .strata file to seek in it.",
                           r->trace->format->name);
    return r->trace->format->reader_seek(r, block_index, err);
}

static void heap_up(struct strata_block **heap, size_t at)
{
    while (at && heap[(at - 1) / 2]->index > heap[at]->index) {
        struct strata_block *swap = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = swap;
        at = (at - 1) / 2;
    }
}

static void heap_down(struct strata_block **heap, size_t n)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap[child + 1]->index < heap[child]->index)
            child++;
        if (heap[at]->index <= heap[child]->index)
            return;
        struct strata_block *swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
    }
}

static struct strata_block *heap_pop(struct strata_reader *r)
{
    struct strata_block *top = r->early[0];
    r->early[0] = r->early[--r->n_early];
    heap_down(r->early, r->n_early);
    return top;
}

/* A block is handed out when it is the next index, or when nothing smaller can come any more. */
strata_status strata_reader_next_ordered(struct strata_reader *r, struct strata_block **out,
                                         struct strata_error *err)
{
    *out = NULL;
    while (!r->at_end && (!r->n_early || r->early[0]->index > r->next_index)) {
        struct strata_block *block;
        if (!ARRAY_RESERVE(r->early, r->n_early, r->cap_early, 1))
            return no_memory(r, err);
        strata_status status = strata_reader_next(r, &block, err);
        if (status == STRATA_END) {
            r->at_end = true;
            break;
        }
        if (status)
            return status;
        r->early[r->n_early++] = block;
        heap_up(r->early, r->n_early - 1);
    }
    if (!r->n_early)
        return STRATA_END;
    *out = heap_pop(r);
    r->next_index = (*out)->index + 1;
    return STRATA_OK;
}

size_t strata_reader_warning_count(const struct strata_reader *r)
{
    return r->n_warning;
}

const char *strata_reader_warning(const struct strata_reader *r, size_t i)
{
    return i < r->n_warning ? r->warning[i] : NULL;
}

void reader_warn(struct strata_reader *r, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return;
    if (!ARRAY_RESERVE(r->warning, r->n_warning, r->cap_warning, 1)) {
        free(text);
        return;
    }
    strata_text_clean(text);
    r->warning[r->n_warning++] = text;
}
