/* graph_api.c - whole graphs: making, looking at, instantiating, launching. */
#include "cuda/graph.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

CUresult cuGraphCreate(CUgraph *out, unsigned flags)
{
    ENTER(NEED_INIT);
    if (!out || flags)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = graph_new();
    LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuGraphDestroy(CUgraph g)
{
    ENTER(NEED_INIT);
    if (!graph_valid(g))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    graph_free(g);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphClone(CUgraph *out, CUgraph g)
{
    ENTER(NEED_INIT);
    if (!out || !graph_valid(g))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = graph_copy(g);
    LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

/* ---- instantiated graphs ---- */

static CUgraph exec_of(CUgraphExec handle)
{
    CUgraph g = (CUgraph)handle;
    return object_is(g, OBJECT_GRAPH) && g->is_exec ? g : NULL;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph g, unsigned long long flags)
{
    ENTER(NEED_CONTEXT);
    if (!out || !graph_valid(g))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUgraph c = graph_copy(g);
    if (c) {
        c->is_exec = true;
        c->flags = flags;
    }
    *out = (CUgraphExec)c;
    LEAVE(c ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph g,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    params->hErrNode_out = NULL;
    CUresult status = cuGraphInstantiateWithFlags(out, g, params->flags);
    params->result_out =
        status == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return status;
}
ALIAS(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams);

CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph g, CUgraphNode *error, char *log,
                               size_t log_bytes)
{
    if (error)
        *error = NULL;
    if (log && log_bytes)
        *log = 0;
    return cuGraphInstantiateWithFlags(out, g, 0);
}
ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);

CUresult cuGraphExecDestroy(CUgraphExec handle)
{
    ENTER(NEED_INIT);
    CUgraph g = exec_of(handle);
    if (g)
        graph_free(g);
    LEAVE(g ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t *flags)
{
    ENTER(NEED_INIT);
    CUgraph g = exec_of(handle);
    if (!g || !flags)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = g->flags;
    LEAVE(CUDA_SUCCESS);
}

/* A kernel that fails does not make its own launch fail: errors of kernels come later. */
CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream)
{
    ENTER(NEED_CONTEXT);
    CUgraph g = exec_of(handle);
    CUstream s;
    if (!g)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!stream_find(stream, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    LEAVE(s && s->capture ? capture_graph(s, g) : graph_launch(g, stream_order(s)));
}
ALIAS(cuGraphLaunch_ptsz, cuGraphLaunch);

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    LEAVE(exec_of(handle) && stream_find(stream, &s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
ALIAS(cuGraphUpload_ptsz, cuGraphUpload);

static CUgraphExecUpdateResult compare(CUgraph exec, CUgraph g, CUgraphNode *where)
{
    if (exec->n_nodes != g->n_nodes)
        return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    for (size_t i = 0; i < g->n_nodes; i++) {
        *where = g->node[i];
        if (exec->node[i]->kind != g->node[i]->kind)
            return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
        if (exec->node[i]->n_before != g->node[i]->n_before)
            return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    *where = NULL;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/* Takes over what the other graph does, if it has the same shape. */
CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph g, CUgraphExecUpdateResultInfo *info)
{
    ENTER(NEED_CONTEXT);
    CUgraph exec = exec_of(handle);
    CUgraphNode where = NULL;
    if (!exec || !graph_valid(g) || !info)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUgraphExecUpdateResult result = compare(exec, g, &where);
    *info = (CUgraphExecUpdateResultInfo){.result = result, .errorNode = where};
    if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        LEAVE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CUresult status = CUDA_SUCCESS;
    for (size_t i = 0; i < g->n_nodes && status == CUDA_SUCCESS; i++)
        status = node_assign(exec->node[i], g->node[i]);
    LEAVE(status);
}

CUresult cuGraphExecUpdate(CUgraphExec handle, CUgraph g, CUgraphNode *error,
                           CUgraphExecUpdateResult *result)
{
    CUgraphExecUpdateResultInfo info = {0};
    CUresult status = cuGraphExecUpdate_v2(handle, g, &info);
    if (error)
        *error = info.errorNode;
    if (result)
        *result = info.result;
    return status;
}

/* ---- looking at a graph ---- */

/* Copies what fits; *count becomes how many there are, or were copied. */
static void hand_out(const CUgraphNode *from, size_t n, CUgraphNode *to, size_t *count)
{
    for (size_t i = 0; to && i < *count && i < n; i++)
        to[i] = from[i];
    if (!to || *count > n)
        *count = n;
}

CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *out, size_t *count)
{
    ENTER(NEED_INIT);
    if (!graph_valid(g) || !count)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    hand_out(g->node, g->n_nodes, out, count);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *out, size_t *count)
{
    ENTER(NEED_INIT);
    if (!graph_valid(g) || !count)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    size_t n = 0;
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!g->node[i]->n_before && n++ < *count && out)
            out[n - 1] = g->node[i];
    if (!out || *count > n)
        *count = n;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphGetEdges_v2(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
                            size_t *count)
{
    ENTER(NEED_INIT);
    if (!graph_valid(g) || !count || !from != !to)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    size_t n = 0;
    for (size_t i = 0; i < g->n_nodes; i++)
        for (size_t k = 0; k < g->node[i]->n_before; k++, n++)
            if (from && n < *count) {
                from[n] = g->node[i]->before[k];
                to[n] = g->node[i];
                if (edges)
                    edges[n] = (CUgraphEdgeData){0};
            }
    if (!from || *count > n)
        *count = n;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    return cuGraphGetEdges_v2(g, from, to, NULL, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode n, CUgraphNode *out, size_t *count)
{
    ENTER(NEED_INIT);
    if (!node_valid(n) || !count)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    hand_out(n->before, n->n_before, out, count);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *edges,
                                       size_t *count)
{
    CUresult status = cuGraphNodeGetDependencies(n, out, count);
    for (size_t i = 0; status == CUDA_SUCCESS && edges && out && i < *count; i++)
        edges[i] = (CUgraphEdgeData){0};
    return status;
}

static bool depends_on(CUgraphNode n, CUgraphNode on)
{
    for (size_t i = 0; i < n->n_before; i++)
        if (n->before[i] == on)
            return true;
    return false;
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode n, CUgraphNode *out, size_t *count)
{
    ENTER(NEED_INIT);
    if (!node_valid(n) || !count)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    size_t found = 0;
    for (size_t i = 0; i < n->graph->n_nodes; i++)
        if (depends_on(n->graph->node[i], n) && found++ < *count && out)
            out[found - 1] = n->graph->node[i];
    if (!out || *count > found)
        *count = found;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode n, CUgraphNode *out, CUgraphEdgeData *edges,
                                         size_t *count)
{
    CUresult status = cuGraphNodeGetDependentNodes(n, out, count);
    for (size_t i = 0; status == CUDA_SUCCESS && edges && out && i < *count; i++)
        edges[i] = (CUgraphEdgeData){0};
    return status;
}

CUresult cuGraphAddDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to, size_t n)
{
    ENTER(NEED_INIT);
    CUresult status =
        graph_valid(g) && (!n || (from && to)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < n && status == CUDA_SUCCESS; i++) {
        bool good = node_valid(from[i]) && node_valid(to[i]) && from[i] != to[i] &&
                    from[i]->graph == g && to[i]->graph == g && !depends_on(to[i], from[i]);
        status = good ? node_depend(to[i], &from[i], 1) : CUDA_ERROR_INVALID_VALUE;
    }
    LEAVE(status);
}

CUresult cuGraphAddDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t n)
{
    (void)edges;
    return cuGraphAddDependencies(g, from, to, n);
}

CUresult cuGraphRemoveDependencies(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t n)
{
    ENTER(NEED_INIT);
    if (!graph_valid(g) || (n && (!from || !to)))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < n; i++) {
        if (!node_valid(from[i]) || !node_valid(to[i]) || !depends_on(to[i], from[i]))
            LEAVE(CUDA_ERROR_INVALID_VALUE);
        CUgraphNode t = to[i];
        for (size_t k = 0; k < t->n_before; k++)
            if (t->before[k] == from[i])
                t->before[k--] = t->before[--t->n_before];
    }
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t n)
{
    (void)edges;
    return cuGraphRemoveDependencies(g, from, to, n);
}

CUresult cuGraphDestroyNode(CUgraphNode n)
{
    ENTER(NEED_INIT);
    if (!node_valid(n))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUgraph g = n->graph;
    for (size_t i = 0; i < g->n_nodes; i++) {
        CUgraphNode t = g->node[i];
        for (size_t k = 0; k < t->n_before; k++)
            if (t->before[k] == n)
                t->before[k--] = t->before[--t->n_before];
    }
    for (size_t i = graph_place(g, n); i + 1 < g->n_nodes; i++)
        g->node[i] = g->node[i + 1];
    g->n_nodes--;
    node_free(n);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *kind)
{
    ENTER(NEED_INIT);
    if (!node_valid(n) || !kind)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *kind = n->kind;
    LEAVE(CUDA_SUCCESS);
}

/* A clone has its nodes in the order of the original. */
CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone)
{
    ENTER(NEED_INIT);
    if (!out || !node_valid(original) || !graph_valid(clone))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    size_t place = graph_place(original->graph, original);
    if (place >= clone->n_nodes)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = clone->node[place];
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode n, unsigned enabled)
{
    ENTER(NEED_INIT);
    CUgraphNode c = graph_exec_node(handle, n);
    if (c)
        c->enabled = enabled != 0;
    LEAVE(c ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuGraphNodeGetEnabled(CUgraphExec handle, CUgraphNode n, unsigned *enabled)
{
    ENTER(NEED_INIT);
    CUgraphNode c = graph_exec_node(handle, n);
    if (!c || !enabled)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *enabled = c->enabled;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphDebugDotPrint(CUgraph g, const char *path, unsigned flags)
{
    (void)flags;
    ENTER(NEED_INIT);
    if (!graph_valid(g) || !path)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    FILE *f = fopen(path, "w");
    if (!f)
        LEAVE(CUDA_ERROR_OPERATING_SYSTEM);
    fprintf(f, "digraph graph_ {\n");
    for (size_t i = 0; i < g->n_nodes; i++)
        fprintf(f, "  n%zu [label=\"%s\"];\n", i,
                g->node[i]->kind == CU_GRAPH_NODE_TYPE_KERNEL ? g->node[i]->u.kernel.function->name
                                                              : "node");
    for (size_t i = 0; i < g->n_nodes; i++)
        for (size_t k = 0; k < g->node[i]->n_before; k++)
            fprintf(f, "  n%zu -> n%zu;\n", graph_place(g, g->node[i]->before[k]), i);
    fprintf(f, "}\n");
    LEAVE(fclose(f) ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS);
}

/* ---- the program's own objects that live as long as a graph ---- */

struct CUuserObject_st {
    struct object object;
    CUhostFn destroy;
    void *data;
    unsigned references;
};

static void destroy_user(struct object *o)
{
    object_remove(o);
    free(o);
}

void user_object_retain(CUuserObject u, unsigned count)
{
    u->references += count;
}

void user_object_release(CUuserObject u, unsigned count)
{
    if (!object_is(u, OBJECT_USER))
        return;
    u->references -= count < u->references ? count : u->references;
    if (u->references)
        return;
    CUhostFn destroy = u->destroy;
    void *data = u->data;
    destroy_user(&u->object);
    driver_unlock();
    destroy(data);
    driver_lock();
}

CUresult cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy, unsigned count,
                            unsigned flags)
{
    ENTER(NEED_INIT);
    if (!out || !destroy || !count || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUuserObject u = calloc(1, sizeof *u);
    if (!u || !object_add(&u->object, OBJECT_USER, NULL, destroy_user)) {
        free(u);
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    u->destroy = destroy;
    u->data = data;
    u->references = count;
    *out = u;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuUserObjectRetain(CUuserObject u, unsigned count)
{
    ENTER(NEED_INIT);
    if (!object_is(u, OBJECT_USER) || !count)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    user_object_retain(u, count);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuUserObjectRelease(CUuserObject u, unsigned count)
{
    ENTER(NEED_INIT);
    if (!object_is(u, OBJECT_USER) || !count)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    user_object_release(u, count);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphRetainUserObject(CUgraph g, CUuserObject u, unsigned count, unsigned flags)
{
    ENTER(NEED_INIT);
    if (!graph_valid(g) || !object_is(u, OBJECT_USER) || !count)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!ARRAY_RESERVE(g->user, g->n_user, g->cap_user, count))
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
        user_object_retain(u, count);
    for (unsigned i = 0; i < count; i++)
        g->user[g->n_user++] = u;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphReleaseUserObject(CUgraph g, CUuserObject u, unsigned count)
{
    ENTER(NEED_INIT);
    if (!graph_valid(g) || !object_is(u, OBJECT_USER) || !count)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < g->n_user && count; i++)
        if (g->user[i] == u) {
            g->user[i--] = g->user[--g->n_user];
            count--;
            user_object_release(u, 1);
        }
    LEAVE(CUDA_SUCCESS);
}
