/* timeline_print.c - a timeline as a table for people, CSV or JSON. */
#include <stdlib.h>
#include <string.h>

#include <strata/kernel_name.h>
#include <strata/timeline.h>

#include "application/span_words.h"
#include "base/text.h"

const char *span_name(const struct strata_span *p, const struct strata_trace *trace)
{
    switch (p->kind) {
    case STRATA_EVENT_LAUNCH:
        return strata_trace_launch(trace, p->launch)->kernel;
    case STRATA_EVENT_MEMSET:
        return "fill";
    case STRATA_EVENT_MEMCPY_DTOH:
        return "copy to host";
    default:
        return strata_trace_event(trace, p->event)->flags & STRATA_EVENT_ON_DEVICE
                   ? "copy on device"
                   : "copy to device";
    }
}

const char *span_kind(const struct strata_span *p, const struct strata_trace *trace)
{
    bool on_device = strata_trace_event(trace, p->event)->flags & STRATA_EVENT_ON_DEVICE;
    return p->kind == STRATA_EVENT_LAUNCH        ? "launch"
           : p->kind == STRATA_EVENT_MEMSET      ? "fill"
           : on_device                           ? "device_copy"
           : p->kind == STRATA_EVENT_MEMCPY_DTOH ? "copy_to_host"
                                                 : "copy_to_device";
}

bool span_is_shown(const struct strata_span *p, const struct strata_trace *trace)
{
    const struct strata_event *e = strata_trace_event(trace, p->event);
    return !(e->flags & STRATA_EVENT_ON_DEVICE && e->kind == STRATA_EVENT_MEMCPY_DTOH);
}

/* ---- text that is passed on ---- */

enum { PASSED_ON_AT = 1 << 16 }; /* bytes */

static void pass_on(struct span_text *s, size_t least)
{
    if (s->t.out_of_memory && s->status == STRATA_OK)
        s->status = strata_no_memory(s->err, NULL, "for the timeline's text");
    if (!s->to || s->t.length < least)
        return;
    if (s->status == STRATA_OK)
        s->status = s->to->write(s->to->context, s->t.data, s->t.length, s->err);
    s->t.length = 0;
}

void span_text_pass_on(struct span_text *s)
{
    pass_on(s, PASSED_ON_AT);
}

strata_status span_text_end(struct span_text *s)
{
    pass_on(s, 1);
    strata_text_release(&s->t);
    return s->status;
}

strata_status span_text_take(struct span_text *s, char **text, size_t *length)
{
    pass_on(s, SIZE_MAX);
    if (s->status != STRATA_OK) {
        strata_text_release(&s->t);
        return s->status;
    }
    *text = s->t.data;
    *length = s->t.length;
    return STRATA_OK;
}

/* ---- text ---- */

static void put_totals(struct strata_text *t, const struct strata_timeline *l)
{
    strata_text_printf(
        t,
        "%.2f us from the first start to the last end: %u launches run in %.2f us of "
        "it, %u copies and fills in %.2f us; nothing runs in %.2f us.\n",
        l->time_us, l->n_launches, l->launches_us, l->n_copies, l->copies_us, l->idle_us);
    if (l->modelled < l->instructions)
        strata_text_printf(
            t,
            "%.2f %% of the warp instructions were modelled: the time is within %.2f us "
            "(%.2f %%) of that from all of them, 19 times of 20.\n",
            100.0 * (double)l->modelled / (double)l->instructions, l->half_width_us,
            100 * l->half_width_us / l->time_us);
}

static void print_text(struct span_text *s, const struct strata_timeline *l,
                       const struct strata_trace *trace)
{
    struct strata_text *t = &s->t;
    strata_text_printf(t, "%6s %6s %11s %11s %10s %8s %9s  %-9s %s\n", "#", "stream", "start us",
                       "end us", "us", "gap us", "overlap", "limiter", "what");
    for (size_t i = 0; i < l->n_spans; i++) {
        const struct strata_span *p = &l->span[i];
        if (!span_is_shown(p, trace))
            continue;
        char name[512];
        if (p->kind == STRATA_EVENT_LAUNCH)
            strata_kernel_display_name(span_name(p, trace), name, sizeof name);
        else
            snprintf(name, sizeof name, "%s", span_name(p, trace));
        strata_text_clean(name);
        strata_text_printf(t, "%6zu %6llu %11.2f %11.2f %10.2f %8.2f %8.0f%%  %-9s %s\n", i,
                           (unsigned long long)p->stream, p->start_us - l->begin_us,
                           p->end_us - l->begin_us, p->end_us - p->start_us, p->gap_us,
                           p->end_us > p->start_us ? 100 * p->overlap_us / (p->end_us - p->start_us)
                                                   : 0.0,
                           p->limiter, name);
        span_text_pass_on(s);
    }
    put_totals(t, l);
}

/* ---- CSV ---- */

static void print_csv(struct span_text *s, const struct strata_timeline *l,
                      const struct strata_trace *trace)
{
    struct strata_text *t = &s->t;
    strata_text_put(t, "event,kind,launch,stream,name,start_us,end_us,alone_us,gap_us,overlap_us,"
                       "limiter,bytes\n");
    for (size_t i = 0; i < l->n_spans; i++) {
        const struct strata_span *p = &l->span[i];
        if (!span_is_shown(p, trace))
            continue;
        strata_text_printf(t, "%zu,%s,", i, span_kind(p, trace));
        if (p->kind == STRATA_EVENT_LAUNCH)
            strata_text_printf(t, "%u", p->launch);
        strata_text_printf(t, ",%llu,", (unsigned long long)p->stream);
        strata_text_put_csv_field(t, span_name(p, trace));
        strata_text_printf(t, ",%.4f,%.4f,%.4f,%.4f,%.4f,%s,%llu\n", p->start_us - l->begin_us,
                           p->end_us - l->begin_us, p->alone_us, p->gap_us, p->overlap_us,
                           p->limiter, (unsigned long long)p->bytes);
        span_text_pass_on(s);
    }
}

/* ---- JSON ---- */

static void put_number(struct strata_text *t, const char *name, double value, const char *end)
{
    strata_text_printf(t, "\"%s\": %.4f%s", name, value, end);
}

static void put_span(struct strata_text *t, const struct strata_timeline *l, size_t i,
                     const struct strata_trace *trace)
{
    const struct strata_span *p = &l->span[i];
    strata_text_printf(t, "    {\"event\": %zu, \"kind\": \"%s\", ", i, span_kind(p, trace));
    if (p->kind == STRATA_EVENT_LAUNCH)
        strata_text_printf(t, "\"launch\": %u, ", p->launch);
    else
        strata_text_printf(t, "\"bytes\": %llu, ", (unsigned long long)p->bytes);
    strata_text_put(t, "\"name\": ");
    strata_text_put_json_string(t, span_name(p, trace));
    strata_text_printf(t, ", \"stream\": %llu, ", (unsigned long long)p->stream);
    put_number(t, "start_us", p->start_us - l->begin_us, ", ");
    put_number(t, "end_us", p->end_us - l->begin_us, ", ");
    put_number(t, "alone_us", p->alone_us, ", ");
    put_number(t, "gap_us", p->gap_us, ", ");
    put_number(t, "overlap_us", p->overlap_us, "");
    if (p->kind == STRATA_EVENT_LAUNCH) {
        strata_text_put(t, ", ");
        put_number(t, "sm_share", p->sm_share, ", ");
        put_number(t, "l2_use", p->l2, ", ");
        put_number(t, "dram_use", p->dram, ", ");
        strata_text_put(t, "\"limiter\": ");
        strata_text_put_json_string(t, p->limiter);
    }
    strata_text_put(t, "}");
}

static void put_json_head(struct strata_text *t, const struct strata_timeline *l,
                          const struct strata_prediction *p)
{
    strata_text_printf(t, "{\n  \"schema\": \"%s\",\n  \"tool\": ", STRATA_TIMELINE_SCHEMA);
    strata_text_put_json_string(t, p->tool);
    strata_text_put(t, ",\n  \"gpu\": ");
    strata_text_put_json_string(t, p->gpu);
    strata_text_put(t, ",\n  \"model\": ");
    strata_text_put_json_string(t, p->model);
    strata_text_put(t, ",\n  ");
    strata_text_put_json_strings(t, "overrides", p->override, p->n_overrides);
    strata_text_put(t, ",\n  ");
    put_number(t, "time_us", l->time_us, ", ");
    put_number(t, "launches_us", l->launches_us, ", ");
    put_number(t, "copies_us", l->copies_us, ", ");
    put_number(t, "idle_us", l->idle_us, ",\n  ");
    if (l->modelled < l->instructions) {
        strata_text_printf(t, "\"sample\": {\"warp_instructions\": %llu, \"modelled\": %llu, ",
                           (unsigned long long)l->instructions, (unsigned long long)l->modelled);
        put_number(t, "half_width_us", l->half_width_us, "},\n  ");
    }
    strata_text_put(t, "\"spans\": [");
}

static void print_json(struct span_text *s, const struct strata_timeline *l,
                       const struct strata_trace *trace, const struct strata_prediction *p)
{
    bool any = false;
    put_json_head(&s->t, l, p);
    for (size_t i = 0; i < l->n_spans; i++) {
        if (!span_is_shown(&l->span[i], trace))
            continue;
        strata_text_put(&s->t, any ? ",\n" : "\n");
        put_span(&s->t, l, i, trace);
        span_text_pass_on(s);
        any = true;
    }
    strata_text_put(&s->t, "\n  ]\n}\n");
}

static void print(struct span_text *s, const struct strata_timeline *l,
                  const struct strata_trace *trace, const struct strata_prediction *p,
                  enum strata_format format)
{
    if (format == STRATA_FORMAT_JSON)
        print_json(s, l, trace, p);
    else if (format == STRATA_FORMAT_CSV)
        print_csv(s, l, trace);
    else
        print_text(s, l, trace);
}

strata_status strata_timeline_print(const struct strata_timeline *l,
                                    const struct strata_trace *trace,
                                    const struct strata_prediction *p, enum strata_format format,
                                    char **text, size_t *length, struct strata_error *err)
{
    struct span_text s = {.err = err};
    print(&s, l, trace, p, format);
    return span_text_take(&s, text, length);
}

strata_status strata_timeline_write(const struct strata_timeline *l,
                                    const struct strata_trace *trace,
                                    const struct strata_prediction *p, enum strata_format format,
                                    const struct strata_timeline_writer *to,
                                    struct strata_error *err)
{
    struct span_text s = {.to = to, .err = err};
    print(&s, l, trace, p, format);
    return span_text_end(&s);
}
