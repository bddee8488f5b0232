/* graph_nodes.c - adding nodes by hand, and changing what they do. */
#include "cuda/graph.h"

#include <stdlib.h>
#include <string.h>

/* Common part of the adders: the node and its dependencies. */
static CUresult add(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                    CUgraphNodeType kind)
{
    if (!out || !graph_valid(g) || (count && !before))
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++)
        if (!node_valid(before[i]) || before[i]->graph != g)
            return CUDA_ERROR_INVALID_VALUE;
    CUgraphNode n = node_add(g, kind);
    *out = n;
    return n ? node_depend(n, before, count) : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUgraphNode of_kind(CUgraphNode n, CUgraphNodeType kind)
{
    return node_valid(n) && n->kind == kind ? n : NULL;
}

static CUgraphNode in_exec(CUgraphExec handle, CUgraphNode n, CUgraphNodeType kind)
{
    return of_kind(graph_exec_node(handle, n), kind);
}

/* ---- kernels ---- */

static CUresult make_kernel(struct kernel_call *call, const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    const CUlaunchConfig c = {
        p->gridDimX,  p->gridDimY,       p->gridDimZ, p->blockDimX, p->blockDimY,
        p->blockDimZ, p->sharedMemBytes, NULL,        NULL,         0};
    const void *function = p->func ? (const void *)p->func : (const void *)p->kern;
    return kernel_call_make(call, &c, function, p->kernelParams, p->extra);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                                 size_t count, const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    ENTER(NEED_CONTEXT);
    struct kernel_call call;
    CUresult status = p ? make_kernel(&call, p) : CUDA_ERROR_INVALID_VALUE;
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    status = add(out, g, before, count, CU_GRAPH_NODE_TYPE_KERNEL);
    if (status == CUDA_SUCCESS)
        (*out)->u.kernel = call;
    else
        free(call.params);
    LEAVE(status);
}

/* Before CUDA 12 the parameters ended before `kern`. */
static CUDA_KERNEL_NODE_PARAMS_v2 newer(const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    CUDA_KERNEL_NODE_PARAMS_v2 q = {0};
    memcpy(&q, p, sizeof *p);
    return q;
}

CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS_v2 q = newer(p);
    return cuGraphAddKernelNode_v2(out, g, before, count, &q);
}

static CUresult set_kernel(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    struct kernel_call call;
    if (!n || !p)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult status = make_kernel(&call, p);
    if (status != CUDA_SUCCESS)
        return status;
    call.cooperative = n->u.kernel.cooperative; /* an attribute, not a parameter */
    memcpy(call.cluster, n->u.kernel.cluster, sizeof call.cluster);
    call.window = n->u.kernel.window;
    free(n->u.kernel.params);
    n->u.kernel = call;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    ENTER(NEED_CONTEXT);
    LEAVE(set_kernel(of_kind(n, CU_GRAPH_NODE_TYPE_KERNEL), p));
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS_v2 q = newer(p);
    return cuGraphKernelNodeSetParams_v2(n, &q);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode n,
                                           const CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    ENTER(NEED_CONTEXT);
    LEAVE(set_kernel(in_exec(exec, n, CU_GRAPH_NODE_TYPE_KERNEL), p));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode n,
                                        const CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS_v2 q = newer(p);
    return cuGraphExecKernelNodeSetParams_v2(exec, n, &q);
}

/* The pointers lead into the node's own copy of the parameters. */
static void **parameter_pointers(CUgraphNode n)
{
    const struct strata_entry *e = n->u.kernel.function->entry;
    void **p = realloc(n->kernel_params, (e->n_params + 1) * sizeof *p);
    if (!p)
        return NULL;
    n->kernel_params = p;
    for (uint32_t i = 0; i < e->n_params; i++)
        p[i] = (uint8_t *)n->u.kernel.params + e->params[i].offset_bytes;
    return p;
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS_v2 *p)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_KERNEL) || !p)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct kernel_call *k = &n->u.kernel;
    *p = (CUDA_KERNEL_NODE_PARAMS_v2){
        .func = k->function,
        .gridDimX = k->grid.x,
        .gridDimY = k->grid.y,
        .gridDimZ = k->grid.z,
        .blockDimX = k->block.x,
        .blockDimY = k->block.y,
        .blockDimZ = k->block.z,
        .sharedMemBytes = k->shared_dynamic_bytes,
        .kernelParams = parameter_pointers(n),
    };
    LEAVE(p->kernelParams ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode n, CUDA_KERNEL_NODE_PARAMS_v1 *p)
{
    CUDA_KERNEL_NODE_PARAMS_v2 q;
    CUresult status = p ? cuGraphKernelNodeGetParams_v2(n, &q) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        memcpy(p, &q, sizeof *p);
    return status;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode n, CUkernelNodeAttrID which,
                                       const CUkernelNodeAttrValue *value)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_KERNEL) || !value)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct kernel_call *k = &n->u.kernel;
    if (which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        k->cooperative = value->cooperative != 0;
    if (which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        k->priority = value->priority;
    if (which == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
        k->cluster[0] = value->clusterDim.x;
        k->cluster[1] = value->clusterDim.y;
        k->cluster[2] = value->clusterDim.z;
    }
    if (which == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
        if (!window_is_valid(&value->accessPolicyWindow))
            LEAVE(CUDA_ERROR_INVALID_VALUE);
        k->window = window_of(&value->accessPolicyWindow);
    }
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode n, CUkernelNodeAttrID which,
                                       CUkernelNodeAttrValue *value)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_KERNEL) || !value)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct kernel_call *k = &n->u.kernel;
    memset(value, 0, sizeof *value);
    if (which == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
        value->cooperative = k->cooperative;
    if (which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value->priority = k->priority;
    if (which == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
        value->clusterDim.x = k->cluster[0];
        value->clusterDim.y = k->cluster[1];
        value->clusterDim.z = k->cluster[2];
    }
    if (which == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
        value->accessPolicyWindow =
            (CUaccessPolicyWindow){.base_ptr = (void *)(uintptr_t)k->window.base,
                                   .num_bytes = k->window.bytes,
                                   .hitRatio = k->window.hit_ratio,
                                   .hitProp = (CUaccessProperty)k->window.hit,
                                   .missProp = (CUaccessProperty)k->window.miss};
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from)
{
    ENTER(NEED_INIT);
    if (!of_kind(to, CU_GRAPH_NODE_TYPE_KERNEL) || !of_kind(from, CU_GRAPH_NODE_TYPE_KERNEL))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    to->u.kernel.cooperative = from->u.kernel.cooperative;
    to->u.kernel.priority = from->u.kernel.priority;
    to->u.kernel.window = from->u.kernel.window;
    memcpy(to->u.kernel.cluster, from->u.kernel.cluster, sizeof to->u.kernel.cluster);
    LEAVE(CUDA_SUCCESS);
}

/* ---- copies ---- */

static CUresult set_copy(CUgraphNode n, const CUDA_MEMCPY3D *c)
{
    struct copy_node copy;
    if (!n || !c)
        return CUDA_ERROR_INVALID_VALUE;
    copy.description = *c;
    CUresult status = copy_describe(c, &copy.copy);
    if (status == CUDA_SUCCESS)
        n->u.copy = copy;
    return status;
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                              const CUDA_MEMCPY3D *c, CUcontext context)
{
    (void)context;
    ENTER(NEED_INIT);
    struct copy copy;
    CUresult status = c ? copy_describe(c, &copy) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        status = add(out, g, before, count, CU_GRAPH_NODE_TYPE_MEMCPY);
    LEAVE(status == CUDA_SUCCESS ? set_copy(*out, c) : status);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode n, const CUDA_MEMCPY3D *c)
{
    ENTER(NEED_INIT);
    LEAVE(set_copy(of_kind(n, CU_GRAPH_NODE_TYPE_MEMCPY), c));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode n, const CUDA_MEMCPY3D *c,
                                        CUcontext context)
{
    (void)context;
    ENTER(NEED_INIT);
    LEAVE(set_copy(in_exec(exec, n, CU_GRAPH_NODE_TYPE_MEMCPY), c));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode n, CUDA_MEMCPY3D *c)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_MEMCPY) || !c)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *c = n->u.copy.description;
    LEAVE(CUDA_SUCCESS);
}

/* ---- fills ---- */

static CUresult set_fill(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *f)
{
    if (!n || !f || (f->elementSize != 1 && f->elementSize != 2 && f->elementSize != 4))
        return CUDA_ERROR_INVALID_VALUE;
    n->u.fill = (struct fill){f->dst, f->pitch, f->value, f->elementSize, f->width, f->height};
    return CUDA_SUCCESS;
}

CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *f, CUcontext context)
{
    (void)context;
    ENTER(NEED_INIT);
    bool good = f && (f->elementSize == 1 || f->elementSize == 2 || f->elementSize == 4);
    CUresult status =
        good ? add(out, g, before, count, CU_GRAPH_NODE_TYPE_MEMSET) : CUDA_ERROR_INVALID_VALUE;
    LEAVE(status == CUDA_SUCCESS ? set_fill(*out, f) : status);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *f)
{
    ENTER(NEED_INIT);
    LEAVE(set_fill(of_kind(n, CU_GRAPH_NODE_TYPE_MEMSET), f));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode n,
                                        const CUDA_MEMSET_NODE_PARAMS *f, CUcontext context)
{
    (void)context;
    ENTER(NEED_INIT);
    LEAVE(set_fill(in_exec(exec, n, CU_GRAPH_NODE_TYPE_MEMSET), f));
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *f)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_MEMSET) || !f)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    const struct fill *u = &n->u.fill;
    *f = (CUDA_MEMSET_NODE_PARAMS){u->dst,           u->pitch, u->value,
                                   u->element_bytes, u->width, u->height};
    LEAVE(CUDA_SUCCESS);
}

/* ---- host functions, child graphs, events, nothing ---- */

static CUresult set_host(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *h)
{
    if (!n || !h || !h->fn)
        return CUDA_ERROR_INVALID_VALUE;
    n->u.host = (struct host_call){h->fn, h->userData};
    return CUDA_SUCCESS;
}

CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                            const CUDA_HOST_NODE_PARAMS *h)
{
    ENTER(NEED_INIT);
    CUresult status =
        h && h->fn ? add(out, g, before, count, CU_GRAPH_NODE_TYPE_HOST) : CUDA_ERROR_INVALID_VALUE;
    LEAVE(status == CUDA_SUCCESS ? set_host(*out, h) : status);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode n, const CUDA_HOST_NODE_PARAMS *h)
{
    ENTER(NEED_INIT);
    LEAVE(set_host(of_kind(n, CU_GRAPH_NODE_TYPE_HOST), h));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode n,
                                      const CUDA_HOST_NODE_PARAMS *h)
{
    ENTER(NEED_INIT);
    LEAVE(set_host(in_exec(exec, n, CU_GRAPH_NODE_TYPE_HOST), h));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode n, CUDA_HOST_NODE_PARAMS *h)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_HOST) || !h)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *h = (CUDA_HOST_NODE_PARAMS){n->u.host.function, n->u.host.data};
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                                  size_t count, CUgraph child)
{
    ENTER(NEED_INIT);
    if (!graph_valid(child) || child == g)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult status = add(out, g, before, count, CU_GRAPH_NODE_TYPE_GRAPH);
    if (status == CUDA_SUCCESS && !((*out)->u.child = graph_copy(child)))
        status = CUDA_ERROR_OUT_OF_MEMORY;
    LEAVE(status);
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode n, CUgraph *out)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_GRAPH) || !out)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = n->u.child;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count)
{
    ENTER(NEED_INIT);
    LEAVE(add(out, g, before, count, CU_GRAPH_NODE_TYPE_EMPTY));
}

#define EVENT_NODE(Name, KIND)                                                                     \
    CUresult cuGraphAddEvent##Name##Node(CUgraphNode *out, CUgraph g, const CUgraphNode *before,   \
                                         size_t count, CUevent e)                                  \
    {                                                                                              \
        ENTER(NEED_INIT);                                                                          \
        if (!object_is(e, OBJECT_EVENT))                                                           \
            LEAVE(CUDA_ERROR_INVALID_HANDLE);                                                      \
        CUresult status = add(out, g, before, count, KIND);                                        \
        if (status == CUDA_SUCCESS)                                                                \
            (*out)->u.event = e;                                                                   \
        LEAVE(status);                                                                             \
    }                                                                                              \
    CUresult cuGraphEvent##Name##NodeGetEvent(CUgraphNode n, CUevent *out)                         \
    {                                                                                              \
        ENTER(NEED_INIT);                                                                          \
        if (!of_kind(n, KIND) || !out)                                                             \
            LEAVE(CUDA_ERROR_INVALID_VALUE);                                                       \
        *out = n->u.event;                                                                         \
        LEAVE(CUDA_SUCCESS);                                                                       \
    }                                                                                              \
    CUresult cuGraphEvent##Name##NodeSetEvent(CUgraphNode n, CUevent e)                            \
    {                                                                                              \
        ENTER(NEED_INIT);                                                                          \
        if (!of_kind(n, KIND) || !object_is(e, OBJECT_EVENT))                                      \
            LEAVE(CUDA_ERROR_INVALID_VALUE);                                                       \
        n->u.event = e;                                                                            \
        LEAVE(CUDA_SUCCESS);                                                                       \
    }                                                                                              \
    CUresult cuGraphExecEvent##Name##NodeSetEvent(CUgraphExec exec, CUgraphNode n, CUevent e)      \
    {                                                                                              \
        ENTER(NEED_INIT);                                                                          \
        CUgraphNode c = in_exec(exec, n, KIND);                                                    \
        if (!c || !object_is(e, OBJECT_EVENT))                                                     \
            LEAVE(CUDA_ERROR_INVALID_VALUE);                                                       \
        c->u.event = e;                                                                            \
        LEAVE(CUDA_SUCCESS);                                                                       \
    }
EVENT_NODE(Record, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
EVENT_NODE(Wait, CU_GRAPH_NODE_TYPE_WAIT_EVENT)

/* ---- memory: allocated when the node is added, at an address that stays ---- */

CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    uint64_t address;
    ENTER(NEED_CONTEXT);
    if (!p || !p->bytesize || p->poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult status = add(out, g, before, count, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    status = memory_allocate(&address, p->bytesize, MEMORY_DEVICE, 0);
    if (status == CUDA_SUCCESS) {
        p->dptr = address;
        (*out)->u.memory = *p;
    }
    LEAVE(status);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_MEM_ALLOC) || !p)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *p = n->u.memory;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                               CUdeviceptr pointer)
{
    ENTER(NEED_INIT);
    if (!allocation_find(pointer))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult status = add(out, g, before, count, CU_GRAPH_NODE_TYPE_MEM_FREE);
    if (status == CUDA_SUCCESS)
        (*out)->u.memory.dptr = pointer;
    LEAVE(status);
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode n, CUdeviceptr *pointer)
{
    ENTER(NEED_INIT);
    if (!of_kind(n, CU_GRAPH_NODE_TYPE_MEM_FREE) || !pointer)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *pointer = n->u.memory.dptr;
    LEAVE(CUDA_SUCCESS);
}

/* ---- the form that takes any node ---- */

CUresult cuGraphAddNode(CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
                        CUgraphNodeParams *p)
{
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS_v2 kernel;
    CUDA_MEMSET_NODE_PARAMS fill;
    CUDA_HOST_NODE_PARAMS host;
    CUDA_MEM_ALLOC_NODE_PARAMS memory;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        memcpy(&kernel, &p->kernel, sizeof kernel);
        return cuGraphAddKernelNode_v2(out, g, before, count, &kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return cuGraphAddMemcpyNode(out, g, before, count, &p->memcpy.copyParams, NULL);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        memcpy(&fill, &p->memset, sizeof fill);
        return cuGraphAddMemsetNode(out, g, before, count, &fill, NULL);
    case CU_GRAPH_NODE_TYPE_HOST:
        memcpy(&host, &p->host, sizeof host);
        return cuGraphAddHostNode(out, g, before, count, &host);
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return cuGraphAddChildGraphNode(out, g, before, count, p->graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
        return cuGraphAddEmptyNode(out, g, before, count);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        return cuGraphAddEventRecordNode(out, g, before, count, p->eventRecord.event);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        return cuGraphAddEventWaitNode(out, g, before, count, p->eventWait.event);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
        memcpy(&memory, &p->alloc, sizeof memory);
        CUresult status = cuGraphAddMemAllocNode(out, g, before, count, &memory);
        p->alloc.dptr = memory.dptr;
        return status;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        return cuGraphAddMemFreeNode(out, g, before, count, p->free.dptr);
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph g, const CUgraphNode *before,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *p)
{
    (void)edges;
    return cuGraphAddNode(out, g, before, count, p);
}

/* Kernel parameters are the same up to the new field at their end. */
static CUresult set_any(CUgraphNode n, const CUgraphNodeParams *p)
{
    CUDA_KERNEL_NODE_PARAMS_v2 kernel;
    CUDA_MEMSET_NODE_PARAMS fill;
    CUDA_HOST_NODE_PARAMS host;
    if (!n || !p || n->kind != p->type)
        return CUDA_ERROR_INVALID_VALUE;
    switch (p->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
        memcpy(&kernel, &p->kernel, sizeof kernel);
        return set_kernel(n, &kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        return set_copy(n, &p->memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET:
        memcpy(&fill, &p->memset, sizeof fill);
        return set_fill(n, &fill);
    case CU_GRAPH_NODE_TYPE_HOST:
        memcpy(&host, &p->host, sizeof host);
        return set_host(n, &host);
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult cuGraphNodeSetParams(CUgraphNode n, CUgraphNodeParams *p)
{
    ENTER(NEED_CONTEXT);
    LEAVE(set_any(node_valid(n) ? n : NULL, p));
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode n, CUgraphNodeParams *p)
{
    ENTER(NEED_CONTEXT);
    LEAVE(p ? set_any(in_exec(exec, n, p->type), p) : CUDA_ERROR_INVALID_VALUE);
}
