/* runtime_graph.c - graphs: the driver's, with the runtime's layouts of parameters. */
#include "cudart/runtime.h"

#include <string.h>

API(cudaGraphCreate, CUgraph *out, unsigned flags)
{
    PASS(cuGraphCreate(out, flags));
}

API(cudaGraphDestroy, CUgraph g)
{
    PASS(cuGraphDestroy(g));
}

API(cudaGraphClone, CUgraph *out, CUgraph g)
{
    PASS(cuGraphClone(out, g));
}

/* Before CUDA 12 the third argument was a pointer to an error node, with a buffer behind it. */
API(cudaGraphInstantiate, CUgraphExec *out, CUgraph g, unsigned long long flags)
{
    PASS(cuGraphInstantiateWithFlags(out, g, cudart_major >= 12 ? flags : 0));
}

API(cudaGraphInstantiateWithFlags, CUgraphExec *out, CUgraph g, unsigned long long flags)
{
    PASS(cuGraphInstantiateWithFlags(out, g, flags));
}

API(cudaGraphInstantiateWithParams, CUgraphExec *out, CUgraph g,
    CUDA_GRAPH_INSTANTIATE_PARAMS *params)
{
    PASS(cuGraphInstantiateWithParams(out, g, params));
}
API_ALIAS(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams);

API(cudaGraphExecDestroy, CUgraphExec exec)
{
    PASS(cuGraphExecDestroy(exec));
}

API(cudaGraphExecGetFlags, CUgraphExec exec, cuuint64_t *flags)
{
    PASS(cuGraphExecGetFlags(exec, flags));
}

API(cudaGraphLaunch, CUgraphExec exec, CUstream stream)
{
    PASS(cuGraphLaunch(exec, stream));
}
API_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch);

API(cudaGraphUpload, CUgraphExec exec, CUstream stream)
{
    PASS(cuGraphUpload(exec, stream));
}
API_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload);

/* CUDA 12 and later hand over one struct; before, it was a node and a result. */
API(cudaGraphExecUpdate, CUgraphExec exec, CUgraph g, void *arg2, CUgraphExecUpdateResult *arg3)
{
    READY();
    RESULT(cudart_major >= 12 ? cuGraphExecUpdate_v2(exec, g, arg2)
                              : cuGraphExecUpdate(exec, g, arg2, arg3));
}

API(cudaGraphDebugDotPrint, CUgraph g, const char *path, unsigned flags)
{
    PASS(cuGraphDebugDotPrint(g, path, flags));
}

/* ---- looking at a graph ---- */

API(cudaGraphGetNodes, CUgraph g, CUgraphNode *out, size_t *count)
{
    PASS(cuGraphGetNodes(g, out, count));
}

API(cudaGraphGetRootNodes, CUgraph g, CUgraphNode *out, size_t *count)
{
    PASS(cuGraphGetRootNodes(g, out, count));
}

/* From CUDA 13 on an array of edge data stands before the count. */
API(cudaGraphGetEdges, CUgraph g, CUgraphNode *from, CUgraphNode *to, void *arg3, size_t *arg4)
{
    READY();
    RESULT(cudart_major >= 13 ? cuGraphGetEdges_v2(g, from, to, arg3, arg4)
                              : cuGraphGetEdges(g, from, to, arg3));
}

API(cudaGraphGetEdges_v2, CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges,
    size_t *count)
{
    PASS(cuGraphGetEdges_v2(g, from, to, edges, count));
}

API(cudaGraphNodeGetDependencies, CUgraphNode n, CUgraphNode *out, void *arg2, size_t *arg3)
{
    READY();
    RESULT(cudart_major >= 13 ? cuGraphNodeGetDependencies_v2(n, out, arg2, arg3)
                              : cuGraphNodeGetDependencies(n, out, arg2));
}

API(cudaGraphNodeGetDependentNodes, CUgraphNode n, CUgraphNode *out, void *arg2, size_t *arg3)
{
    READY();
    RESULT(cudart_major >= 13 ? cuGraphNodeGetDependentNodes_v2(n, out, arg2, arg3)
                              : cuGraphNodeGetDependentNodes(n, out, arg2));
}

API(cudaGraphAddDependencies, CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
    size_t arg3, size_t arg4)
{
    PASS(cuGraphAddDependencies(g, from, to, cudart_major >= 13 ? arg4 : arg3));
}

API(cudaGraphAddDependencies_v2, CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
    const CUgraphEdgeData *edges, size_t n)
{
    PASS(cuGraphAddDependencies_v2(g, from, to, edges, n));
}

API(cudaGraphRemoveDependencies, CUgraph g, const CUgraphNode *from, const CUgraphNode *to,
    size_t arg3, size_t arg4)
{
    PASS(cuGraphRemoveDependencies(g, from, to, cudart_major >= 13 ? arg4 : arg3));
}

API(cudaGraphDestroyNode, CUgraphNode n)
{
    PASS(cuGraphDestroyNode(n));
}

API(cudaGraphNodeGetType, CUgraphNode n, CUgraphNodeType *kind)
{
    PASS(cuGraphNodeGetType(n, kind));
}

API(cudaGraphNodeFindInClone, CUgraphNode *out, CUgraphNode original, CUgraph clone)
{
    PASS(cuGraphNodeFindInClone(out, original, clone));
}

API(cudaGraphNodeSetEnabled, CUgraphExec exec, CUgraphNode n, unsigned enabled)
{
    PASS(cuGraphNodeSetEnabled(exec, n, enabled));
}

API(cudaGraphNodeGetEnabled, CUgraphExec exec, CUgraphNode n, unsigned *enabled)
{
    PASS(cuGraphNodeGetEnabled(exec, n, enabled));
}

/* ---- kernels ---- */

/* cudaKernelNodeParams */
struct kernel_params {
    const void *function;
    struct dim3 grid, block;
    unsigned shared_bytes;
    void **args;
    void **extra;
};

static int kernel_to_driver(const struct kernel_params *p, CUDA_KERNEL_NODE_PARAMS_v2 *out)
{
    CUfunction f = NULL;
    int status = p ? function_ready(p->function, &f) : INVALID_VALUE;
    if (status != OK)
        return status;
    *out = (CUDA_KERNEL_NODE_PARAMS_v2){
        .func = f,
        .gridDimX = p->grid.x,
        .gridDimY = p->grid.y,
        .gridDimZ = p->grid.z,
        .blockDimX = p->block.x,
        .blockDimY = p->block.y,
        .blockDimZ = p->block.z,
        .sharedMemBytes = p->shared_bytes,
        .kernelParams = p->args,
        .extra = p->extra,
    };
    return OK;
}

API(cudaGraphAddKernelNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
    const struct kernel_params *p)
{
    CUDA_KERNEL_NODE_PARAMS_v2 d;
    READY();
    int status = kernel_to_driver(p, &d);
    RESULT(status == OK ? (int)cuGraphAddKernelNode_v2(out, g, before, count, &d) : status);
}

API(cudaGraphKernelNodeSetParams, CUgraphNode n, const struct kernel_params *p)
{
    CUDA_KERNEL_NODE_PARAMS_v2 d;
    READY();
    int status = kernel_to_driver(p, &d);
    RESULT(status == OK ? (int)cuGraphKernelNodeSetParams_v2(n, &d) : status);
}

API(cudaGraphExecKernelNodeSetParams, CUgraphExec exec, CUgraphNode n,
    const struct kernel_params *p)
{
    CUDA_KERNEL_NODE_PARAMS_v2 d;
    READY();
    int status = kernel_to_driver(p, &d);
    RESULT(status == OK ? (int)cuGraphExecKernelNodeSetParams_v2(exec, n, &d) : status);
}

API(cudaGraphKernelNodeGetParams, CUgraphNode n, struct kernel_params *p)
{
    CUDA_KERNEL_NODE_PARAMS_v2 d;
    READY();
    CUresult status = p ? cuGraphKernelNodeGetParams_v2(n, &d) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *p = (struct kernel_params){function_host(d.func),
                                    {d.gridDimX, d.gridDimY, d.gridDimZ},
                                    {d.blockDimX, d.blockDimY, d.blockDimZ},
                                    d.sharedMemBytes,
                                    d.kernelParams,
                                    d.extra};
    RESULT(status);
}

API(cudaGraphKernelNodeSetAttribute, CUgraphNode n, int which, const CUkernelNodeAttrValue *value)
{
    PASS(cuGraphKernelNodeSetAttribute(n, (CUkernelNodeAttrID)which, value));
}

API(cudaGraphKernelNodeGetAttribute, CUgraphNode n, int which, CUkernelNodeAttrValue *value)
{
    PASS(cuGraphKernelNodeGetAttribute(n, (CUkernelNodeAttrID)which, value));
}

API(cudaGraphKernelNodeCopyAttributes, CUgraphNode to, CUgraphNode from)
{
    PASS(cuGraphKernelNodeCopyAttributes(to, from));
}

/* ---- copies ---- */

API(cudaGraphAddMemcpyNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
    const struct copy3d *c)
{
    CUDA_MEMCPY3D d;
    READY();
    int status = c ? copy_translate(c, &d) : INVALID_VALUE;
    RESULT(status == OK ? (int)cuGraphAddMemcpyNode(out, g, before, count, &d, NULL) : status);
}

API(cudaGraphAddMemcpyNode1D, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
    void *dst, const void *src, size_t bytes, int kind)
{
    CUDA_MEMCPY3D d = copy_rows(dst, bytes, src, bytes, bytes, 1, kind);
    PASS(cuGraphAddMemcpyNode(out, g, before, count, &d, NULL));
}

API(cudaGraphMemcpyNodeSetParams, CUgraphNode n, const struct copy3d *c)
{
    CUDA_MEMCPY3D d;
    READY();
    int status = c ? copy_translate(c, &d) : INVALID_VALUE;
    RESULT(status == OK ? (int)cuGraphMemcpyNodeSetParams(n, &d) : status);
}

API(cudaGraphMemcpyNodeSetParams1D, CUgraphNode n, void *dst, const void *src, size_t bytes,
    int kind)
{
    CUDA_MEMCPY3D d = copy_rows(dst, bytes, src, bytes, bytes, 1, kind);
    PASS(cuGraphMemcpyNodeSetParams(n, &d));
}

API(cudaGraphExecMemcpyNodeSetParams, CUgraphExec exec, CUgraphNode n, const struct copy3d *c)
{
    CUDA_MEMCPY3D d;
    READY();
    int status = c ? copy_translate(c, &d) : INVALID_VALUE;
    RESULT(status == OK ? (int)cuGraphExecMemcpyNodeSetParams(exec, n, &d, NULL) : status);
}

API(cudaGraphExecMemcpyNodeSetParams1D, CUgraphExec exec, CUgraphNode n, void *dst, const void *src,
    size_t bytes, int kind)
{
    CUDA_MEMCPY3D d = copy_rows(dst, bytes, src, bytes, bytes, 1, kind);
    PASS(cuGraphExecMemcpyNodeSetParams(exec, n, &d, NULL));
}

/* ---- fills and host functions: layouts are the driver's ---- */

API(cudaGraphAddMemsetNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
    const CUDA_MEMSET_NODE_PARAMS *f)
{
    PASS(cuGraphAddMemsetNode(out, g, before, count, f, NULL));
}

API(cudaGraphMemsetNodeSetParams, CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS *f)
{
    PASS(cuGraphMemsetNodeSetParams(n, f));
}

API(cudaGraphMemsetNodeGetParams, CUgraphNode n, CUDA_MEMSET_NODE_PARAMS *f)
{
    PASS(cuGraphMemsetNodeGetParams(n, f));
}

API(cudaGraphExecMemsetNodeSetParams, CUgraphExec exec, CUgraphNode n,
    const CUDA_MEMSET_NODE_PARAMS *f)
{
    PASS(cuGraphExecMemsetNodeSetParams(exec, n, f, NULL));
}

API(cudaGraphAddHostNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
    const CUDA_HOST_NODE_PARAMS *h)
{
    PASS(cuGraphAddHostNode(out, g, before, count, h));
}

API(cudaGraphHostNodeSetParams, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *h)
{
    PASS(cuGraphHostNodeSetParams(n, h));
}

API(cudaGraphHostNodeGetParams, CUgraphNode n, CUDA_HOST_NODE_PARAMS *h)
{
    PASS(cuGraphHostNodeGetParams(n, h));
}

API(cudaGraphExecHostNodeSetParams, CUgraphExec exec, CUgraphNode n, const CUDA_HOST_NODE_PARAMS *h)
{
    PASS(cuGraphExecHostNodeSetParams(exec, n, h));
}

/* ---- the rest ---- */

API(cudaGraphAddEmptyNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count)
{
    PASS(cuGraphAddEmptyNode(out, g, before, count));
}

API(cudaGraphAddEventRecordNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before,
    size_t count, CUevent e)
{
    PASS(cuGraphAddEventRecordNode(out, g, before, count, e));
}

API(cudaGraphAddEventWaitNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
    CUevent e)
{
    PASS(cuGraphAddEventWaitNode(out, g, before, count, e));
}

API(cudaGraphAddChildGraphNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before,
    size_t count, CUgraph child)
{
    PASS(cuGraphAddChildGraphNode(out, g, before, count, child));
}

API(cudaGraphChildGraphNodeGetGraph, CUgraphNode n, CUgraph *out)
{
    PASS(cuGraphChildGraphNodeGetGraph(n, out));
}

/* cudaMemAllocNodeParams has the driver's layout. */
API(cudaGraphAddMemAllocNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
    CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    PASS(cuGraphAddMemAllocNode(out, g, before, count, p));
}

API(cudaGraphMemAllocNodeGetParams, CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS *p)
{
    PASS(cuGraphMemAllocNodeGetParams(n, p));
}

API(cudaGraphAddMemFreeNode, CUgraphNode *out, CUgraph g, const CUgraphNode *before, size_t count,
    void *pointer)
{
    PASS(cuGraphAddMemFreeNode(out, g, before, count, (CUdeviceptr)(uintptr_t)pointer));
}

API(cudaGraphMemFreeNodeGetParams, CUgraphNode n, void *pointer)
{
    PASS(cuGraphMemFreeNodeGetParams(n, pointer));
}

API(cudaUserObjectCreate, CUuserObject *out, void *data, CUhostFn destroy, unsigned count,
    unsigned flags)
{
    PASS(cuUserObjectCreate(out, data, destroy, count, flags));
}

API(cudaUserObjectRetain, CUuserObject u, unsigned count)
{
    PASS(cuUserObjectRetain(u, count));
}

API(cudaUserObjectRelease, CUuserObject u, unsigned count)
{
    PASS(cuUserObjectRelease(u, count));
}

API(cudaGraphRetainUserObject, CUgraph g, CUuserObject u, unsigned count, unsigned flags)
{
    PASS(cuGraphRetainUserObject(g, u, count, flags));
}

API(cudaGraphReleaseUserObject, CUgraph g, CUuserObject u, unsigned count)
{
    PASS(cuGraphReleaseUserObject(g, u, count));
}
