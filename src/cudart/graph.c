/* graph.c - graphs, captured or built by hand. A graph is a list of operations with dependencies;
 * launching it runs them in an order that satisfies those, by the time they were added otherwise.
 */
#include "cudart/version.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define GRAPH_MAGIC 0x47726170u

/* cudaGraphNodeType */
enum node_kind {
    NODE_KERNEL = 0,
    NODE_COPY,
    NODE_SET,
    NODE_HOST,
    NODE_CHILD,
    NODE_EMPTY,
    NODE_EVENT_WAIT,
    NODE_EVENT_RECORD
};

struct fill {
    void *dst;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
};

struct host_call {
    void (*function)(void *);
    void *data;
};

struct node {
    enum node_kind kind;
    struct graph *graph;
    bool enabled;
    union {
        struct kernel_call kernel;
        struct copy3d copy;
        struct fill fill;
        struct host_call host;
        struct graph *child;
        struct event *event;
    } u;
    struct node **before; /* must have run */
    size_t n_before, cap_before;
    bool done; /* while running */
};

/* Also serves as the instantiated form, which is a copy. */
struct graph {
    uint32_t magic;
    struct node **node;
    size_t n_nodes, cap_nodes;
};

struct graph *graph_new(void)
{
    struct graph *g = calloc(1, sizeof *g);
    if (g)
        g->magic = GRAPH_MAGIC;
    return g;
}

static bool valid(const struct graph *g)
{
    return g && g->magic == GRAPH_MAGIC;
}

static void node_free(struct node *n)
{
    if (n->kind == NODE_KERNEL)
        free(n->u.kernel.params);
    if (n->kind == NODE_CHILD)
        graph_free(n->u.child);
    free(n->before);
    free(n);
}

void graph_free(struct graph *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n_nodes; i++)
        node_free(g->node[i]);
    free(g->node);
    g->magic = 0;
    free(g);
}

static struct node *node_add(struct graph *g, enum node_kind kind)
{
    struct node *n = calloc(1, sizeof *n);
    if (!n || !ARRAY_RESERVE(g->node, g->n_nodes, g->cap_nodes, 1)) {
        free(n);
        return NULL;
    }
    n->kind = kind;
    n->graph = g;
    n->enabled = true;
    g->node[g->n_nodes++] = n;
    return n;
}

static int depend(struct node *n, struct node *const *before, size_t count)
{
    if (!ARRAY_RESERVE(n->before, n->n_before, n->cap_before, count))
        return MEMORY_ALLOCATION;
    for (size_t i = 0; i < count; i++)
        n->before[n->n_before++] = before[i];
    return OK;
}

/* ---- captured operations ---- */

int graph_add_kernel(struct graph *g, const struct kernel_call *call)
{
    struct node *n = node_add(g, NODE_KERNEL);
    return n && kernel_call_copy(&n->u.kernel, call) ? OK : MEMORY_ALLOCATION;
}

int graph_add_copy(struct graph *g, const struct copy3d *c)
{
    struct node *n = node_add(g, NODE_COPY);
    if (n)
        n->u.copy = *c;
    return n ? OK : MEMORY_ALLOCATION;
}

int graph_add_set(struct graph *g, void *dst, size_t pitch, unsigned value, unsigned element_bytes,
                  size_t width, size_t height)
{
    struct node *n = node_add(g, NODE_SET);
    if (n)
        n->u.fill = (struct fill){dst, pitch, value, element_bytes, width, height};
    return n ? OK : MEMORY_ALLOCATION;
}

int graph_add_host(struct graph *g, void (*function)(void *), void *data)
{
    struct node *n = node_add(g, NODE_HOST);
    if (n)
        n->u.host = (struct host_call){function, data};
    return n ? OK : MEMORY_ALLOCATION;
}

int graph_add_event(struct graph *g, struct event *e)
{
    struct node *n = node_add(g, NODE_EVENT_RECORD);
    if (n)
        n->u.event = e;
    return n ? OK : MEMORY_ALLOCATION;
}

/* ---- copying and running ---- */

static size_t place_of(const struct graph *g, const struct node *n)
{
    for (size_t i = 0; i < g->n_nodes; i++)
        if (g->node[i] == n)
            return i;
    return SIZE_MAX;
}

static struct graph *graph_copy(const struct graph *g);

static bool node_copy(struct graph *to, const struct node *n)
{
    struct node *c = node_add(to, n->kind);
    if (!c)
        return false;
    c->u = n->u;
    c->enabled = n->enabled;
    if (n->kind == NODE_KERNEL)
        return kernel_call_copy(&c->u.kernel, &n->u.kernel);
    if (n->kind == NODE_CHILD)
        return (c->u.child = graph_copy(n->u.child)) != NULL;
    return true;
}

static struct graph *graph_copy(const struct graph *g)
{
    struct graph *c = graph_new();
    bool ok = c != NULL;
    for (size_t i = 0; ok && i < g->n_nodes; i++)
        ok = node_copy(c, g->node[i]);
    for (size_t i = 0; ok && i < g->n_nodes; i++)
        for (size_t k = 0; ok && k < g->node[i]->n_before; k++) {
            size_t place = place_of(g, g->node[i]->before[k]);
            ok = place == SIZE_MAX || depend(c->node[i], &c->node[place], 1) == OK;
        }
    if (ok)
        return c;
    graph_free(c);
    return NULL;
}

static int graph_run(struct graph *g);

static int node_run(struct node *n)
{
    if (!n->enabled)
        return OK;
    switch (n->kind) {
    case NODE_KERNEL:
        return kernel_call_run(&n->u.kernel);
    case NODE_COPY:
        return copy_run(&n->u.copy);
    case NODE_SET:
        return set_run(n->u.fill.dst, n->u.fill.pitch, n->u.fill.value, n->u.fill.element_bytes,
                       n->u.fill.width, n->u.fill.height);
    case NODE_HOST:
        runtime_unlock();
        n->u.host.function(n->u.host.data);
        runtime_lock();
        return OK;
    case NODE_CHILD:
        return graph_run(n->u.child);
    case NODE_EVENT_RECORD:
        return event_record_now(n->u.event);
    default:
        return OK;
    }
}

static bool is_ready(const struct node *n)
{
    for (size_t i = 0; i < n->n_before; i++)
        if (!n->before[i]->done)
            return false;
    return true;
}

static int graph_run(struct graph *g)
{
    int status = OK;
    for (size_t i = 0; i < g->n_nodes; i++)
        g->node[i]->done = false;
    for (bool moved = true; moved && status == OK;) {
        moved = false;
        for (size_t i = 0; i < g->n_nodes && status == OK; i++) {
            struct node *n = g->node[i];
            if (n->done || !is_ready(n))
                continue;
            status = node_run(n);
            n->done = moved = true;
        }
    }
    return status;
}

API(cudaGraphCreate, struct graph **out, unsigned flags)
{
    (void)flags;
    ENTER();
    *out = graph_new();
    LEAVE(*out ? OK : MEMORY_ALLOCATION);
}

API(cudaGraphDestroy, struct graph *g)
{
    ENTER();
    if (!valid(g))
        LEAVE(INVALID_VALUE);
    graph_free(g);
    LEAVE(OK);
}
API_ALIAS(cudaGraphExecDestroy, cudaGraphDestroy, struct graph *g);

API(cudaGraphClone, struct graph **out, const struct graph *g)
{
    ENTER();
    if (!valid(g))
        LEAVE(INVALID_VALUE);
    *out = graph_copy(g);
    LEAVE(*out ? OK : MEMORY_ALLOCATION);
}
/* The further arguments (flags; before CUDA 12 an error node and a buffer) change nothing. */
API_ALIAS(cudaGraphInstantiate, cudaGraphClone, struct graph **out, const struct graph *g);
API_ALIAS(cudaGraphInstantiateWithFlags, cudaGraphClone, struct graph **out, const struct graph *g);
API_ALIAS(cudaGraphInstantiateWithParams, cudaGraphClone, struct graph **out,
          const struct graph *g);
API_ALIAS(cudaGraphInstantiateWithParams_ptsz, cudaGraphClone, struct graph **out,
          const struct graph *g);

API(cudaGraphLaunch, struct graph *g, void *stream)
{
    ENTER();
    if (!valid(g))
        LEAVE(INVALID_VALUE);
    struct graph *capture = stream_capture(stream_id(stream));
    if (!capture)
        LEAVE(graph_run(g));
    struct node *n = node_add(capture, NODE_CHILD);
    if (n)
        n->u.child = graph_copy(g);
    LEAVE(n && n->u.child ? OK : MEMORY_ALLOCATION);
}
API_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch, struct graph *g, void *stream);

API(cudaGraphUpload, struct graph *g, void *stream)
{
    (void)stream;
    ENTER();
    LEAVE(valid(g) ? OK : INVALID_VALUE);
}
API_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload, struct graph *g, void *stream);

/* ---- graphs built by hand ---- */

struct dim3 {
    unsigned x, y, z;
};
/* cudaKernelNodeParams */
struct kernel_params {
    const void *function;
    struct dim3 grid, block;
    unsigned shared_bytes;
    void **args;
    void **extra;
};

static int make_kernel(struct kernel_call *call, const struct kernel_params *p)
{
    return kernel_call_make(call, p->function,
                            (struct strata_dim3){p->grid.x, p->grid.y, p->grid.z},
                            (struct strata_dim3){p->block.x, p->block.y, p->block.z}, p->args,
                            p->shared_bytes, 0, false);
}

/* Common part of the adders: the node and its dependencies. */
static int add(struct node **out, struct graph *g, struct node *const *before, size_t count,
               enum node_kind kind)
{
    if (!valid(g) || !out || (count && !before))
        return INVALID_VALUE;
    struct node *n = node_add(g, kind);
    *out = n;
    return n ? depend(n, before, count) : MEMORY_ALLOCATION;
}

API(cudaGraphAddKernelNode, struct node **out, struct graph *g, struct node *const *before,
    size_t count, const struct kernel_params *p)
{
    ENTER();
    struct kernel_call call;
    int status = p ? make_kernel(&call, p) : INVALID_VALUE;
    if (status == OK)
        status = add(out, g, before, count, NODE_KERNEL);
    if (status == OK)
        (*out)->u.kernel = call;
    LEAVE(status);
}

API(cudaGraphAddMemcpyNode, struct node **out, struct graph *g, struct node *const *before,
    size_t count, const struct copy3d *c)
{
    ENTER();
    int status = c ? add(out, g, before, count, NODE_COPY) : INVALID_VALUE;
    if (status == OK)
        (*out)->u.copy = *c;
    LEAVE(status);
}

API(cudaGraphAddMemcpyNode1D, struct node **out, struct graph *g, struct node *const *before,
    size_t count, void *dst, const void *src, size_t bytes, int kind)
{
    ENTER();
    int status = add(out, g, before, count, NODE_COPY);
    if (status == OK)
        (*out)->u.copy = (struct copy3d){.src = {(void *)(uintptr_t)src, bytes, bytes, 1},
                                         .dst = {dst, bytes, bytes, 1},
                                         .extent = {bytes, 1, 1},
                                         .kind = kind};
    LEAVE(status);
}

API(cudaGraphAddMemsetNode, struct node **out, struct graph *g, struct node *const *before,
    size_t count, const struct fill *f)
{
    ENTER();
    int status = f ? add(out, g, before, count, NODE_SET) : INVALID_VALUE;
    if (status == OK)
        (*out)->u.fill = *f;
    LEAVE(status);
}

API(cudaGraphAddHostNode, struct node **out, struct graph *g, struct node *const *before,
    size_t count, const struct host_call *h)
{
    ENTER();
    int status = h ? add(out, g, before, count, NODE_HOST) : INVALID_VALUE;
    if (status == OK)
        (*out)->u.host = *h;
    LEAVE(status);
}

API(cudaGraphAddEmptyNode, struct node **out, struct graph *g, struct node *const *before,
    size_t count)
{
    ENTER();
    LEAVE(add(out, g, before, count, NODE_EMPTY));
}

API(cudaGraphAddEventRecordNode, struct node **out, struct graph *g, struct node *const *before,
    size_t count, struct event *e)
{
    ENTER();
    int status = add(out, g, before, count, NODE_EVENT_RECORD);
    if (status == OK)
        (*out)->u.event = e;
    LEAVE(status);
}

API(cudaGraphAddEventWaitNode, struct node **out, struct graph *g, struct node *const *before,
    size_t count, struct event *e)
{
    ENTER();
    int status = add(out, g, before, count, NODE_EVENT_WAIT);
    if (status == OK)
        (*out)->u.event = e;
    LEAVE(status);
}

API(cudaGraphAddChildGraphNode, struct node **out, struct graph *g, struct node *const *before,
    size_t count, const struct graph *child)
{
    ENTER();
    if (!valid(child))
        LEAVE(INVALID_VALUE);
    int status = add(out, g, before, count, NODE_CHILD);
    if (status == OK && !((*out)->u.child = graph_copy(child)))
        status = MEMORY_ALLOCATION;
    LEAVE(status);
}

API(cudaGraphAddDependencies, struct graph *g, struct node *const *from, struct node *const *to,
    size_t arg3, size_t arg4)
{
    ENTER();
    /* CUDA 13 puts an array of edge data before the count. */
    size_t count = cudart_major >= 13 ? arg4 : arg3;
    int status = valid(g) ? OK : INVALID_VALUE;
    for (size_t i = 0; i < count && status == OK; i++)
        status = depend(to[i], &from[i], 1);
    LEAVE(status);
}

API(cudaGraphNodeGetType, struct node *n, int *kind)
{
    ENTER();
    *kind = (int)n->kind;
    LEAVE(OK);
}

API(cudaGraphGetNodes, struct graph *g, struct node **out, size_t *count)
{
    ENTER();
    if (!valid(g) || !count)
        LEAVE(INVALID_VALUE);
    if (out)
        for (size_t i = 0; i < *count && i < g->n_nodes; i++)
            out[i] = g->node[i];
    *count = g->n_nodes;
    LEAVE(OK);
}

API(cudaGraphGetRootNodes, struct graph *g, struct node **out, size_t *count)
{
    ENTER();
    if (!valid(g) || !count)
        LEAVE(INVALID_VALUE);
    size_t n = 0;
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!g->node[i]->n_before && n++ < *count && out)
            out[n - 1] = g->node[i];
    *count = n;
    LEAVE(OK);
}

/* ---- changing what a node does ---- */

static int set_kernel(struct node *n, const struct kernel_params *p)
{
    if (n->kind != NODE_KERNEL || !p)
        return INVALID_VALUE;
    struct kernel_call call;
    int status = make_kernel(&call, p);
    if (status != OK)
        return status;
    free(n->u.kernel.params);
    n->u.kernel = call;
    return OK;
}

API(cudaGraphKernelNodeSetParams, struct node *n, const struct kernel_params *p)
{
    ENTER();
    LEAVE(n ? set_kernel(n, p) : INVALID_VALUE);
}

/* A node of the original names the one at the same place in the instantiated copy. */
static struct node *in_copy(struct graph *exec, const struct node *n)
{
    size_t place = n && valid(exec) ? place_of(n->graph, n) : SIZE_MAX;
    return place < (valid(exec) ? exec->n_nodes : 0) ? exec->node[place] : NULL;
}

API(cudaGraphExecKernelNodeSetParams, struct graph *exec, struct node *n,
    const struct kernel_params *p)
{
    ENTER();
    struct node *c = in_copy(exec, n);
    LEAVE(c ? set_kernel(c, p) : INVALID_VALUE);
}

API(cudaGraphExecMemcpyNodeSetParams1D, struct graph *exec, struct node *n, void *dst,
    const void *src, size_t bytes, int kind)
{
    ENTER();
    struct node *c = in_copy(exec, n);
    if (!c || c->kind != NODE_COPY)
        LEAVE(INVALID_VALUE);
    c->u.copy = (struct copy3d){.src = {(void *)(uintptr_t)src, bytes, bytes, 1},
                                .dst = {dst, bytes, bytes, 1},
                                .extent = {bytes, 1, 1},
                                .kind = kind};
    LEAVE(OK);
}

API(cudaGraphNodeSetEnabled, struct graph *exec, struct node *n, unsigned enabled)
{
    ENTER();
    struct node *c = in_copy(exec, n);
    if (c)
        c->enabled = enabled != 0;
    LEAVE(c ? OK : INVALID_VALUE);
}

/* Takes over what the other graph does, if it has the same shape. */
API(cudaGraphExecUpdate, struct graph *exec, struct graph *g, int *result)
{
    ENTER();
    bool same = valid(exec) && valid(g) && exec->n_nodes == g->n_nodes;
    for (size_t i = 0; same && i < g->n_nodes; i++)
        same = exec->node[i]->kind == g->node[i]->kind && g->node[i]->kind != NODE_CHILD;
    if (!same)
        LEAVE(910); /* cudaErrorGraphExecUpdateFailure */
    for (size_t i = 0; i < g->n_nodes; i++) {
        if (g->node[i]->kind != NODE_KERNEL) {
            exec->node[i]->u = g->node[i]->u;
            continue;
        }
        free(exec->node[i]->u.kernel.params);
        if (!kernel_call_copy(&exec->node[i]->u.kernel, &g->node[i]->u.kernel))
            LEAVE(MEMORY_ALLOCATION);
    }
    if (result)
        *result = 0;
    LEAVE(OK);
}
