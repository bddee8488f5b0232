/* driver_order.c - the edges between operations, as a program's calls make them. */
#include "cuda/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static struct order_stream default_stream;

static struct {
    struct order_stream **stream; /* all but the default one */
    size_t n_streams, cap_streams;
    struct order_stream *current;
    const struct op_set *before; /* within a graph: of the node */
    struct op_set *done;         /* NULL: not within a graph */
    bool is_root, graph_begins, dependent, broken;
    struct op_set host; /* what the host has waited for since the last operation */
    uint32_t n_ops;
    struct strata_edge *edge;
    size_t n_edges, cap_edges;
} order = {.current = &default_stream};

bool op_set_join(struct op_set *to, const struct op_set *more)
{
    for (size_t i = 0; i < more->n; i++) {
        size_t at = to->n;
        while (at && to->op[at - 1] > more->op[i])
            at--;
        if (at && to->op[at - 1] == more->op[i])
            continue;
        if (!ARRAY_RESERVE(to->op, to->n, to->cap, 1)) {
            order.broken = true;
            return false;
        }
        memmove(&to->op[at + 1], &to->op[at], (to->n - at) * sizeof *to->op);
        to->op[at] = more->op[i];
        to->n++;
    }
    return true;
}

void op_set_release(struct op_set *set)
{
    free(set->op);
    memset(set, 0, sizeof *set);
}

bool order_stream_add(struct order_stream *s)
{
    if (!ARRAY_RESERVE(order.stream, order.n_streams, order.cap_streams, 1))
        return false;
    order.stream[order.n_streams++] = s;
    return true;
}

void order_stream_remove(struct order_stream *s)
{
    for (size_t i = 0; i < order.n_streams; i++)
        if (order.stream[i] == s)
            order.stream[i] = order.stream[--order.n_streams];
    if (order.current == s)
        order.current = &default_stream;
    op_set_release(&s->tail);
}

struct op_set *order_tail(struct order_stream *s)
{
    return s ? &s->tail : &default_stream.tail;
}

void order_issue_to(struct order_stream *s, bool dependent)
{
    order.current = s ? s : &default_stream;
    order.dependent = dependent;
}

void order_graph_begin(void)
{
    order.graph_begins = true;
}

void order_node_begin(const struct op_set *before, bool is_root, struct op_set *done)
{
    order.before = before;
    order.is_root = is_root;
    order.done = done;
}

void order_node_end(void)
{
    order.done = NULL;
}

void order_host_waited(const struct op_set *set)
{
    if (set) {
        op_set_join(&order.host, set);
        return;
    }
    op_set_join(&order.host, &default_stream.tail);
    for (size_t i = 0; i < order.n_streams; i++)
        op_set_join(&order.host, &order.stream[i]->tail);
}

static void add_edges(const struct op_set *set, enum strata_edge_kind kind)
{
    if (!ARRAY_RESERVE(order.edge, order.n_edges, order.cap_edges, set->n)) {
        order.broken = true;
        return;
    }
    for (size_t i = 0; i < set->n; i++)
        order.edge[order.n_edges++] = (struct strata_edge){set->op[i], kind};
}

/* The default stream takes turns with those that were not set apart. */
static void join_default(struct op_set *set)
{
    if (order.current != &default_stream) {
        if (!order.current->apart)
            op_set_join(set, &default_stream.tail);
        return;
    }
    for (size_t i = 0; i < order.n_streams; i++)
        if (!order.stream[i]->apart)
            op_set_join(set, &order.stream[i]->tail);
}

static uint32_t stream_edges(void)
{
    const struct order_stream *s = order.current;
    struct op_set set = {0};
    op_set_join(&set, &s->tail);
    join_default(&set);
    bool only_last = s->used ? set.n == 1 && set.op[0] == s->last : !set.n;
    if (!only_last || order.dependent)
        add_edges(&set, order.dependent ? STRATA_EDGE_DEPENDENT : STRATA_EDGE_STREAM);
    uint32_t flags = !only_last || order.dependent ? STRATA_EVENT_ORDERED : 0;
    op_set_release(&set);
    return flags;
}

static uint32_t node_edges(void)
{
    add_edges(order.before, order.is_root ? STRATA_EDGE_STREAM : STRATA_EDGE_GRAPH);
    uint32_t flags = STRATA_EVENT_ORDERED | STRATA_EVENT_IN_GRAPH |
                     (order.graph_begins ? STRATA_EVENT_GRAPH_BEGIN : 0);
    order.graph_begins = false;
    return flags;
}

bool order_next(struct strata_order *out)
{
    order.n_edges = 0;
    uint32_t flags = order.done ? node_edges() : stream_edges();
    add_edges(&order.host, STRATA_EDGE_HOST);
    order.host.n = 0;
    order.dependent = false;
    *out = (struct strata_order){order.current->id, flags, order.edge, order.n_edges};
    return !order.broken;
}

bool order_done(void)
{
    struct order_stream *s = order.current;
    uint32_t op = order.n_ops++;
    const struct op_set self = {.op = &op, .n = 1};
    if (order.done)
        return op_set_join(order.done, &self);
    s->tail.n = 0;
    s->used = true;
    s->last = op;
    return op_set_join(&s->tail, &self);
}

void order_graph_end(const struct op_set *done)
{
    if (!done->n)
        return;
    order.current->tail.n = 0;
    op_set_join(&order.current->tail, done);
}
