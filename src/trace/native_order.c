/* native_order.c - ORDER records: what the next copy, fill or launch waits for. */
#include "trace/native.h"

#include "base/array.h"
#include "trace/native_format.h"
#include "trace/trace_internal.h"

void native_pack_order(struct pack *b, const struct strata_order *order)
{
    pack_varint(b, order->stream);
    pack_varint(b, order->flags);
    pack_varint(b, order->n_edges);
    for (size_t i = 0; i < order->n_edges; i++) {
        pack_varint(b, order->edge[i].event);
        pack_varint(b, order->edge[i].kind);
    }
}

/* Edges lead back to events that are known; kinds of a later version are taken for the first. */
bool native_unpack_order(struct unpack *u, struct strata_trace *t, struct strata_event *event)
{
    event->stream = unpack_varint(u);
    event->flags = unpack_u32(u);
    uint64_t n = unpack_varint(u);
    if (u->failed || n > (uint64_t)(u->end - u->at) / 2 ||
        !ARRAY_RESERVE(t->edge, t->n_edge, t->cap_edge, (size_t)n))
        return false;
    event->first_edge = (uint32_t)t->n_edge;
    event->n_edges = (uint32_t)n;
    for (uint64_t i = 0; i < n; i++) {
        struct strata_edge e = {.event = unpack_u32(u)};
        e.kind = unpack_u32(u);
        if (u->failed || e.event >= t->n_event)
            return false;
        if (e.kind >= STRATA_N_EDGE_KINDS)
            e.kind = STRATA_EDGE_STREAM;
        t->edge[t->n_edge++] = e;
    }
    return t->n_edge <= UINT32_MAX;
}
