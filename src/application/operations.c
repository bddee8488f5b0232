/* operations.c - what the events of a trace take, and what they wait for. */
#include <stdlib.h>
#include <string.h>

#include <strata/place.h>
#include <strata/speed_of_light.h>

#include "application/program_schedule.h"
#include "base/array.h"
#include "sm/launch_report.h"

#define NOBODY UINT32_MAX

static double at_rate(double bytes, double rate)
{
    return rate > 0 ? bytes / rate : 0;
}

/* A copy on the device is two events; the reading takes no time of its own. */
static double copy_time(const struct strata_gpu *g, const struct strata_event *e)
{
    bool on_device = e->flags & STRATA_EVENT_ON_DEVICE;
    if (e->kind == STRATA_EVENT_MEMSET)
        return g->between.fill_start_us + at_rate((double)e->bytes, g->between.fill_rate);
    if (on_device && e->kind == STRATA_EVENT_MEMCPY_DTOH)
        return 0;
    return g->between.copy_start_us +
           at_rate((double)e->bytes, on_device ? g->between.on_device
                                     : e->kind == STRATA_EVENT_MEMCPY_HTOD
                                         ? g->between.host_to_device
                                         : g->between.device_to_host);
}

static double share(double percent, double whole, double part)
{
    double use = percent > 0 && part > 0 ? percent / 100 * whole / part : 0;
    return use < 1 ? use : 1;
}

/* From its first block to its last, and what it uses of the GPU meanwhile. */
strata_status strata_launch_time(const struct strata_gpu *g, const struct strata_launch *launch,
                                 const struct strata_result *r, struct strata_launch_time *out,
                                 struct strata_error *err)
{
    double ns = 0, cycles = 0;
    if (!strata_result_get(r, "gpu__time_duration.sum", &ns) ||
        !strata_result_get(r, "sm__cycles_elapsed.max", &cycles) || !(cycles > 0))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "the model does not predict the time of a launch; use --model flow, or "
                           "sim or interval with --cache-control all.");
    uint64_t drain = sm_launch_drain(g, launch);
    double around = (double)(g->launch.launch_cycles + drain),
           body = cycles > around ? cycles - around : 1;
    out->alone_us = ns / 1000 * body / cycles;
    struct strata_speed_of_light s;
    strata_speed_of_light(g, r, &s);
    out->issue = share(s.issue, cycles, body);
    out->l2 = share(s.l2, cycles, body);
    out->dram = share(s.dram, cycles * (g->dram.efficiency > 0 ? 1 / g->dram.efficiency : 1), body);
    out->limiter = strata_limiter(&s);
    struct strata_occupancy o;
    strata_status status = strata_occupancy_compute(g, launch, &o, err);
    if (status != STRATA_OK)
        return status;
    double places = (double)o.blocks_per_sm * g->sm.count,
           blocks = (double)strata_launch_blocks(launch);
    out->sm_share = blocks < places ? blocks / places : 1;
    return STRATA_OK;
}

static void launch_span(struct strata_span *span, const struct strata_launch_time *time)
{
    span->alone_us = time->alone_us;
    span->sm_share = time->sm_share;
    span->issue = time->issue;
    span->l2 = time->l2;
    span->dram = time->dram;
    span->limiter = time->limiter;
}

static strata_status add_edge(struct schedule *s, struct operation *op, uint32_t from,
                              uint32_t kind, struct strata_error *err)
{
    if (!ARRAY_RESERVE(s->edge, s->n_edges, s->cap_edges, 1))
        return strata_no_memory(err, NULL, "for the order of launches");
    s->edge[s->n_edges++] = (struct operation_edge){
        from, kind, s->op[from].span->stream != op->span->stream && kind == STRATA_EDGE_STREAM};
    op->n_edges++;
    op->waits += kind != STRATA_EDGE_HOST;
    op->host_waits += kind == STRATA_EDGE_HOST;
    return STRATA_OK;
}

/* The event before on the same stream. Programs have few streams. */
struct last_of_stream {
    uint64_t stream;
    uint32_t op;
};
struct streams {
    struct last_of_stream *item;
    size_t n, cap;
};
static struct last_of_stream *stream_of(struct streams *all, uint64_t stream)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->item[i].stream == stream)
            return &all->item[i];
    if (!ARRAY_RESERVE(all->item, all->n, all->cap, 1))
        return NULL;
    all->item[all->n] = (struct last_of_stream){stream, NOBODY};
    return &all->item[all->n++];
}

static strata_status add_edges(struct schedule *s, uint32_t i, const struct strata_event *e,
                               const struct strata_trace *trace, struct streams *streams,
                               struct strata_error *err)
{
    struct operation *op = &s->op[i];
    struct last_of_stream *last = stream_of(streams, e->stream);
    strata_status status = last ? STRATA_OK : strata_no_memory(err, NULL, "for the streams");
    op->first_edge = (uint32_t)s->n_edges;
    for (uint32_t k = 0; status == STRATA_OK && k < e->n_edges; k++) {
        const struct strata_edge *d = strata_trace_edge(trace, e->first_edge + k);
        status = add_edge(s, op, d->event, d->kind, err);
    }
    if (status == STRATA_OK && !(e->flags & STRATA_EVENT_ORDERED) && last->op != NOBODY)
        status = add_edge(s, op, last->op, STRATA_EDGE_STREAM, err);
    if (status == STRATA_OK)
        last->op = i;
    return status;
}

/* The host's time for it. A copy on the default stream to or from the host keeps the host until it
 * is done: that is what cudaMemcpy does. */
static void host_part(struct operation *op, const struct strata_event *e,
                      const struct strata_gpu *g)
{
    bool on_device = e->flags & STRATA_EVENT_ON_DEVICE;
    op->host_stays = !e->stream && !on_device &&
                     (e->kind == STRATA_EVENT_MEMCPY_HTOD || e->kind == STRATA_EVENT_MEMCPY_DTOH);
    if (e->flags & STRATA_EVENT_IN_GRAPH)
        op->issue_us = e->flags & STRATA_EVENT_GRAPH_BEGIN ? g->between.host_graph_us : 0;
    else if (e->kind == STRATA_EVENT_LAUNCH)
        op->issue_us = g->between.host_launch_us;
    else if (!(on_device && e->kind == STRATA_EVENT_MEMCPY_DTOH))
        op->issue_us = g->between.host_copy_us;
}

strata_status schedule_operations(struct schedule *s, const struct strata_trace *trace,
                                  const struct strata_launch_time *time, struct strata_error *err)
{
    struct streams streams = {0};
    strata_status status = STRATA_OK;
    for (uint32_t i = 0; i < s->n && status == STRATA_OK; i++) {
        const struct strata_event *e = strata_trace_event(trace, i);
        struct strata_span *span = &s->out->span[i];
        *span = (struct strata_span){.event = i,
                                     .kind = e->kind,
                                     .launch = e->launch,
                                     .stream = e->stream,
                                     .bytes = e->bytes,
                                     .limiter = ""};
        s->op[i].span = span;
        host_part(&s->op[i], e, s->gpu);
        span->host_copy =
            (e->kind == STRATA_EVENT_MEMCPY_HTOD || e->kind == STRATA_EVENT_MEMCPY_DTOH) &&
            !(e->flags & STRATA_EVENT_ON_DEVICE);
        if (e->kind != STRATA_EVENT_LAUNCH)
            span->alone_us = copy_time(s->gpu, e);
        else
            launch_span(span, &time[e->launch]);
        s->op[i].left_us = span->alone_us;
        status = add_edges(s, i, e, trace, &streams, err);
    }
    free(streams.item);
    return status;
}
