/* timeline.c - a timeline from a trace and its prediction. */
#include <stdlib.h>
#include <string.h>

#include "application/program_schedule.h"

/* Whom each operation's end sets free: target * 2, + 1 if it is the host that waits. */
static bool link_after(struct schedule *s)
{
    s->first_after = calloc((size_t)s->n + 2, sizeof *s->first_after);
    s->after = calloc(s->n_edges + 1, sizeof *s->after);
    if (!s->first_after || !s->after)
        return false;
    for (size_t k = 0; k < s->n_edges; k++)
        s->first_after[s->edge[k].from + 2]++;
    for (uint32_t i = 0; i < s->n; i++)
        s->first_after[i + 2] += s->first_after[i + 1];
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t k = s->op[i].first_edge; k < s->op[i].first_edge + s->op[i].n_edges; k++)
            s->after[s->first_after[s->edge[k].from + 1]++] =
                i * 2 + (s->edge[k].kind == STRATA_EDGE_HOST);
    return true;
}

/* Time in which at least one of the spans of a kind runs; they need not be in order of time. */
struct moment {
    double at_us;
    int launches, copies;
};
static int by_time(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    return x->at_us < y->at_us ? -1 : x->at_us > y->at_us;
}

static bool add_up(struct strata_timeline *t)
{
    struct moment *m = calloc(2 * t->n_spans + 1, sizeof *m);
    size_t n = 0;
    if (!m)
        return false;
    for (size_t i = 0; i < t->n_spans; i++) {
        const struct strata_span *p = &t->span[i];
        bool launch = p->kind == STRATA_EVENT_LAUNCH;
        t->n_launches += launch;
        t->n_copies += !launch && p->alone_us > 0;
        m[n++] = (struct moment){p->start_us, launch, !launch};
        m[n++] = (struct moment){p->end_us, -launch, -!launch};
    }
    qsort(m, n, sizeof *m, by_time);
    int launches = 0, copies = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        launches += m[i].launches;
        copies += m[i].copies;
        double length = m[i + 1].at_us - m[i].at_us;
        t->launches_us += launches ? length : 0;
        t->copies_us += copies ? length : 0;
        t->idle_us += launches || copies ? 0 : length;
    }
    t->begin_us = n ? m[0].at_us : 0;
    t->time_us = n ? m[n - 1].at_us - m[0].at_us : 0;
    free(m);
    return true;
}

static void release(struct schedule *s)
{
    free(s->op);
    free(s->edge);
    free(s->after);
    free(s->first_after);
    free(s->running);
    free(s->ready);
}

strata_status strata_timeline_build_from(struct strata_timeline *t,
                                         const struct strata_trace *trace,
                                         const struct strata_launch_time *time,
                                         const struct strata_gpu *gpu, struct strata_error *err)
{
    struct schedule s = {.gpu = gpu, .out = t};
    memset(t, 0, sizeof *t);
    t->n_spans = s.n = (uint32_t)strata_trace_event_count(trace);
    t->span = calloc(t->n_spans + 1, sizeof *t->span);
    s.op = calloc((size_t)s.n + 1, sizeof *s.op);
    s.running = calloc((size_t)s.n + 1, sizeof *s.running);
    s.ready = calloc((size_t)s.n + 1, sizeof *s.ready);
    strata_status status = t->span && s.op && s.running && s.ready
                               ? STRATA_OK
                               : strata_no_memory(err, NULL, "for the timeline");
    if (status == STRATA_OK)
        status = schedule_operations(&s, trace, time, err);
    if (status == STRATA_OK && !link_after(&s))
        status = strata_no_memory(err, NULL, "for the timeline");
    if (status == STRATA_OK)
        status = schedule_run(&s, err);
    if (status == STRATA_OK && !add_up(t))
        status = strata_no_memory(err, NULL, "for the timeline");
    release(&s);
    if (status != STRATA_OK)
        strata_timeline_release(t);
    return status;
}

strata_status strata_timeline_build(struct strata_timeline *t, const struct strata_trace *trace,
                                    const struct strata_result *const *result,
                                    const struct strata_gpu *gpu, struct strata_error *err)
{
    size_t n = strata_trace_launch_count(trace);
    struct strata_launch_time *time = calloc(n + 1, sizeof *time);
    strata_status status = time ? STRATA_OK : strata_no_memory(err, NULL, "for the timeline");
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < n && status == STRATA_OK; i++)
        status = strata_launch_time(gpu, strata_trace_launch(trace, i), result[i], &time[i], err);
    if (status == STRATA_OK)
        status = strata_timeline_build_from(t, trace, time, gpu, err);
    for (size_t i = 0; i < t->n_spans && status == STRATA_OK; i++)
        if (t->span[i].kind == STRATA_EVENT_LAUNCH)
            t->span[i].result = result[t->span[i].launch];
    free(time);
    return status;
}

void strata_timeline_release(struct strata_timeline *t)
{
    free(t->span);
    free(t->use);
    memset(t, 0, sizeof *t);
}
