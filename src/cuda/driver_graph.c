/* driver_graph.c - graphs, captured or built by hand. Launching one runs its nodes in an order that
 * satisfies the dependencies, by the time they were added otherwise. */
#include "cuda/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cuda/capture.h"

static void destroy_graph(struct object *o)
{
    graph_free((CUgraph)o);
}

static void destroy_node(struct object *o)
{
    node_free((CUgraphNode)o);
}

CUgraph graph_new(void)
{
    CUgraph g = calloc(1, sizeof *g);
    if (g && object_add(&g->object, OBJECT_GRAPH, NULL, destroy_graph))
        return g;
    free(g);
    return NULL;
}

void node_free(CUgraphNode n)
{
    object_remove(&n->object);
    if (n->kind == CU_GRAPH_NODE_TYPE_KERNEL)
        free(n->u.kernel.params);
    if (n->kind == CU_GRAPH_NODE_TYPE_GRAPH && n->u.child)
        graph_free(n->u.child);
    if (n->kind == CU_GRAPH_NODE_TYPE_MEM_ALLOC && n->u.memory.bytesize &&
        allocation_find(n->u.memory.dptr))
        memory_release(n->u.memory.dptr, false);
    free(n->kernel_params);
    free(n->before);
    op_set_release(&n->ops);
    free(n);
}

void graph_free(CUgraph g)
{
    if (!g)
        return;
    object_remove(&g->object);
    for (size_t i = 0; i < g->n_nodes; i++)
        node_free(g->node[i]);
    for (size_t i = 0; i < g->n_user; i++)
        user_object_release(g->user[i], 1);
    free(g->node);
    free(g->user);
    free(g);
}

CUgraphNode node_add(CUgraph g, CUgraphNodeType kind)
{
    CUgraphNode n = calloc(1, sizeof *n);
    if (!n || !ARRAY_RESERVE(g->node, g->n_nodes, g->cap_nodes, 1) ||
        !object_add(&n->object, OBJECT_NODE, NULL, destroy_node)) {
        free(n);
        return NULL;
    }
    n->kind = kind;
    n->graph = g;
    n->enabled = true;
    g->node[g->n_nodes++] = n;
    return n;
}

CUresult node_depend(CUgraphNode n, const CUgraphNode *before, size_t count)
{
    if (!ARRAY_RESERVE(n->before, n->n_before, n->cap_before, count))
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        n->before[n->n_before++] = before[i];
    return CUDA_SUCCESS;
}

size_t graph_place(CUgraph g, CUgraphNode n)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        if (g->node[i] == n)
            return i;
    return SIZE_MAX;
}

CUgraphNode graph_exec_node(CUgraphExec handle, CUgraphNode n)
{
    CUgraph exec = (CUgraph)handle;
    if (!object_is(exec, OBJECT_GRAPH) || !exec->is_exec || !node_valid(n))
        return NULL;
    size_t place = graph_place(n->graph, n);
    return place < exec->n_nodes ? exec->node[place] : NULL;
}

/* ---- captured operations ---- */

bool tail_add(CUgraphNode **tail, size_t *n, size_t *cap, const CUgraphNode *more, size_t count)
{
    if (!ARRAY_RESERVE(*tail, *n, *cap, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < *n && (*tail)[k] != more[i])
            k++;
        if (k == *n)
            (*tail)[(*n)++] = more[i];
    }
    return true;
}

/* A node behind what the stream did so far; it becomes what the stream did last. */
static CUgraphNode captured(CUstream s, CUgraphNodeType kind)
{
    CUgraphNode n = node_add(s->capture, kind);
    if (!n || node_depend(n, s->tail, s->n_tail) != CUDA_SUCCESS)
        return NULL;
    s->n_tail = 0;
    return tail_add(&s->tail, &s->n_tail, &s->cap_tail, &n, 1) ? n : NULL;
}

CUresult capture_kernel(CUstream s, const struct kernel_call *call)
{
    CUgraphNode n = captured(s, CU_GRAPH_NODE_TYPE_KERNEL);
    return n && kernel_call_copy(&n->u.kernel, call) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_copy(CUstream s, const struct copy *c, const CUDA_MEMCPY3D *description)
{
    CUgraphNode n = captured(s, CU_GRAPH_NODE_TYPE_MEMCPY);
    if (n)
        n->u.copy = (struct copy_node){*description, *c};
    return n ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_fill(CUstream s, const struct fill *f)
{
    CUgraphNode n = captured(s, CU_GRAPH_NODE_TYPE_MEMSET);
    if (n)
        n->u.fill = *f;
    return n ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_host(CUstream s, const struct host_call *h)
{
    CUgraphNode n = captured(s, CU_GRAPH_NODE_TYPE_HOST);
    if (n)
        n->u.host = *h;
    return n ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_event_record(CUstream s, CUevent e)
{
    CUgraphNode n = captured(s, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    if (n)
        n->u.event = e;
    return n ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_graph(CUstream s, CUgraph g)
{
    CUgraphNode n = captured(s, CU_GRAPH_NODE_TYPE_GRAPH);
    if (n)
        n->u.child = graph_copy(g);
    return n && n->u.child ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult capture_memory(CUstream s, CUgraphNodeType kind, uint64_t address)
{
    CUgraphNode n = captured(s, kind);
    if (n)
        n->u.memory.dptr = address;
    return n ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* ---- copying ---- */

CUresult node_assign(CUgraphNode to, CUgraphNode from)
{
    if (to->kind != from->kind)
        return CUDA_ERROR_INVALID_VALUE;
    if (from->kind == CU_GRAPH_NODE_TYPE_KERNEL) {
        void *old = to->u.kernel.params;
        bool good = kernel_call_copy(&to->u.kernel, &from->u.kernel);
        free(old);
        return good ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (from->kind == CU_GRAPH_NODE_TYPE_GRAPH) {
        CUgraph child = graph_copy(from->u.child);
        if (child)
            graph_free(to->u.child);
        to->u.child = child ? child : to->u.child;
        return child ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    }
    to->u = from->u;
    if (to->kind == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        to->u.memory.bytesize = 0; /* the original gives it back */
    return CUDA_SUCCESS;
}

static bool copy_node(CUgraph to, CUgraphNode n)
{
    CUgraphNode c = node_add(to, n->kind);
    if (!c)
        return false;
    c->enabled = n->enabled;
    return node_assign(c, n) == CUDA_SUCCESS;
}

CUgraph graph_copy(CUgraph g)
{
    CUgraph c = graph_new();
    bool ok = c != NULL;
    for (size_t i = 0; ok && i < g->n_nodes; i++)
        ok = copy_node(c, g->node[i]);
    for (size_t i = 0; ok && i < g->n_nodes; i++)
        for (size_t k = 0; ok && k < g->node[i]->n_before; k++) {
            size_t place = graph_place(g, g->node[i]->before[k]);
            ok = place == SIZE_MAX || node_depend(c->node[i], &c->node[place], 1) == CUDA_SUCCESS;
        }
    if (ok)
        return c;
    graph_free(c);
    return NULL;
}

/* ---- running ---- */

static CUresult graph_run(CUgraph g, const struct op_set *before, bool is_root,
                          struct op_set *done);

static CUresult node_run(CUgraphNode n, const struct op_set *before, bool is_root)
{
    if (!n->enabled)
        return CUDA_SUCCESS;
    switch (n->kind) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        return kernel_call_run(&n->u.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return copy_run(&n->u.copy.copy);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        return fill_run(&n->u.fill);
    case CU_GRAPH_NODE_TYPE_HOST:
        driver_unlock();
        n->u.host.function(n->u.host.data);
        driver_lock();
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return graph_run(n->u.child, before, is_root, &n->ops);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        event_record_now(n->u.event, before);
        return CUDA_SUCCESS;
    default:
        return CUDA_SUCCESS;
    }
}

static bool is_ready(CUgraphNode n)
{
    for (size_t i = 0; i < n->n_before; i++)
        if (!n->before[i]->done)
            return false;
    return true;
}

/* One node, after those it waits for; a root waits for `before`. */
static CUresult node_turn(CUgraphNode n, const struct op_set *before, bool is_root)
{
    struct op_set all = {0};
    bool root = !n->n_before;
    for (size_t i = 0; i < n->n_before; i++)
        op_set_join(&all, &n->before[i]->ops);
    const struct op_set *waits = root ? before : &all;
    order_node_begin(waits, root && is_root, &n->ops);
    CUresult status = node_run(n, waits, root && is_root);
    order_node_end();
    if (!n->ops.n)
        op_set_join(&n->ops, waits);
    op_set_release(&all);
    n->done = true;
    return status;
}

static void begin_nodes(CUgraph g)
{
    for (size_t i = 0; i < g->n_nodes; i++) {
        g->node[i]->done = false;
        g->node[i]->is_last = true;
        g->node[i]->ops.n = 0;
    }
    for (size_t i = 0; i < g->n_nodes; i++)
        for (size_t k = 0; k < g->node[i]->n_before; k++)
            g->node[i]->before[k]->is_last = false;
}

/* In any order that the edges allow; what the last nodes did is added to *done. */
static CUresult graph_run(CUgraph g, const struct op_set *before, bool is_root, struct op_set *done)
{
    CUresult status = CUDA_SUCCESS;
    begin_nodes(g);
    for (bool moved = true; moved && status == CUDA_SUCCESS;) {
        moved = false;
        for (size_t i = 0; i < g->n_nodes && status == CUDA_SUCCESS; i++) {
            CUgraphNode n = g->node[i];
            if (n->done || !is_ready(n))
                continue;
            status = node_turn(n, before, is_root);
            moved = true;
        }
    }
    for (size_t i = 0; i < g->n_nodes; i++)
        if (g->node[i]->is_last)
            op_set_join(done, &g->node[i]->ops);
    return status;
}

CUresult graph_launch(CUgraph g, struct order_stream *s)
{
    struct op_set before = {0}, done = {0};
    order_issue_to(s, false);
    order_graph_begin();
    op_set_join(&before, order_tail(s));
    CUresult status = graph_run(g, &before, true, &done);
    order_graph_end(&done);
    op_set_release(&before);
    op_set_release(&done);
    return status;
}
