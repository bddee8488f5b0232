/* timeline_perfetto.c - a timeline as Chrome trace events, which ui.perfetto.dev and
 * chrome://tracing read.
 *
 * The format: an object with "traceEvents"; complete events ("ph": "X") have ts and dur in
 * microseconds, counters ("C") hold until the next, metadata ("M") names processes and threads. */
#include <stdlib.h>
#include <string.h>

#include <strata/timeline.h>

#include "application/span_words.h"

enum { PID_STREAMS = 1, PID_USE = 2 };

static void put_meta(struct strata_text *t, const char *what, int pid, unsigned long long tid,
                     const char *name)
{
    strata_text_printf(t,
                       ",\n{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, \"tid\": %llu, \"args\": "
                       "{\"name\": ",
                       what, pid, tid);
    strata_text_put_json_string(t, name);
    strata_text_put(t, "}}");
}

/* Streams in order of their number; a program has few. */
static void name_streams(struct strata_text *t, const struct strata_timeline *l)
{
    for (size_t i = 0; i < l->n_spans; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen && i < 4096; k++)
            seen = l->span[k].stream == l->span[i].stream;
        if (seen || i >= 4096)
            continue;
        char name[64];
        snprintf(name, sizeof name, l->span[i].stream ? "stream %llu" : "default stream",
                 (unsigned long long)l->span[i].stream);
        put_meta(t, "thread_name", PID_STREAMS, l->span[i].stream, name);
    }
}

static void put_argument(struct strata_text *t, const char *name, double value)
{
    strata_text_put(t, ", ");
    strata_text_put_json_string(t, name);
    strata_text_put(t, ": ");
    strata_text_put_number(t, value);
}

static void put_counters(struct strata_text *t, const struct strata_span *p,
                         const struct strata_result *r)
{
    strata_text_printf(t, ", \"grid\": \"%u x %u x %u\", \"block\": \"%u x %u x %u\"", r->grid.x,
                       r->grid.y, r->grid.z, r->block.x, r->block.y, r->block.z);
    strata_text_put(t, ", \"limiter\": ");
    strata_text_put_json_string(t, p->limiter);
    for (size_t i = 0; i < r->n_counters; i++)
        put_argument(t, r->counter[i].name, r->counter[i].value);
}

/* From the result that the span has, or else from whoever has it. */
static void put_launch(struct span_text *s, const struct strata_span *p)
{
    struct strata_result asked = {0};
    if (p->result)
        put_counters(&s->t, p, p->result);
    else if (s->to && s->to->result && s->status == STRATA_OK)
        s->status = s->to->result(s->to->context, p->launch, &asked, s->err);
    if (!p->result && s->status == STRATA_OK)
        put_counters(&s->t, p, &asked);
    strata_result_release(&asked);
}

static void put_span(struct span_text *s, const struct strata_timeline *l,
                     const struct strata_span *p, const struct strata_trace *trace)
{
    struct strata_text *t = &s->t;
    strata_text_put(t, ",\n{\"ph\": \"X\", \"name\": ");
    strata_text_put_json_string(t, span_name(p, trace));
    strata_text_printf(
        t,
        ", \"cat\": \"%s\", \"pid\": %d, \"tid\": %llu, \"ts\": %.4f, \"dur\": %.4f, "
        "\"args\": {\"event\": %u",
        span_kind(p, trace), PID_STREAMS, (unsigned long long)p->stream, p->start_us - l->begin_us,
        p->end_us - p->start_us, p->event);
    put_argument(t, "alone_us", p->alone_us);
    put_argument(t, "gap_us", p->gap_us);
    put_argument(t, "overlap_us", p->overlap_us);
    if (p->kind == STRATA_EVENT_LAUNCH)
        put_launch(s, p);
    else
        put_argument(t, "bytes", (double)p->bytes);
    strata_text_put(t, "}}");
    span_text_pass_on(s);
}

static void put_use(struct strata_text *t, const char *name, double at_us, double value)
{
    strata_text_printf(
        t,
        ",\n{\"ph\": \"C\", \"name\": \"%s\", \"pid\": %d, \"tid\": 0, \"ts\": %.4f, "
        "\"args\": {\"per cent\": %.3f}}",
        name, PID_USE, at_us, 100 * value);
}

static void put_uses(struct span_text *s, const struct strata_timeline *l)
{
    for (size_t i = 0; i < l->n_uses; i++) {
        double at = l->use[i].at_us - l->begin_us;
        put_use(&s->t, "SMs occupied", at, l->use[i].sms);
        put_use(&s->t, "L2", at, l->use[i].l2);
        put_use(&s->t, "DRAM", at, l->use[i].dram);
        span_text_pass_on(s);
    }
}

static void put_all(struct span_text *s, const struct strata_timeline *l,
                    const struct strata_trace *trace)
{
    strata_text_printf(&s->t,
                       "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"schema\": "
                       "\"strata.perfetto/1\", \"time_us\": \"%.4f\"}, \"traceEvents\": [\n"
                       "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %d, \"tid\": 0, "
                       "\"args\": {\"name\": \"streams\"}}",
                       l->time_us, PID_STREAMS);
    put_meta(&s->t, "process_name", PID_USE, 0, "use of the GPU");
    name_streams(&s->t, l);
    for (size_t i = 0; i < l->n_spans && s->status == STRATA_OK; i++)
        if (span_is_shown(&l->span[i], trace))
            put_span(s, l, &l->span[i], trace);
    put_uses(s, l);
    strata_text_put(&s->t, "\n]}\n");
}

strata_status strata_timeline_perfetto(const struct strata_timeline *l,
                                       const struct strata_trace *trace, char **text,
                                       size_t *length, struct strata_error *err)
{
    struct span_text s = {.err = err};
    put_all(&s, l, trace);
    return span_text_take(&s, text, length);
}

strata_status strata_timeline_write_perfetto(const struct strata_timeline *l,
                                             const struct strata_trace *trace,
                                             const struct strata_timeline_writer *to,
                                             struct strata_error *err)
{
    struct span_text s = {.to = to, .err = err};
    put_all(&s, l, trace);
    return span_text_end(&s);
}
