/* Graphs built by hand: nodes, edges, instantiation, changes, memory. */
#include "check.h"

static void CUDA_CB count(void *data)
{
    ++*(int *)data;
}

int main(void)
{
    CUmodule m;
    CUgraph g, clone;
    CUgraphExec x;
    CUgraphNode set, run, host, alloc, found;
    CUgraphNodeType type;
    CUdeviceptr a, out;
    unsigned b = 1, n = 8, values[8];
    int counted = 0;
    size_t number = 0;
    start();
    MUST(cuModuleLoadData(&m, ptx));
    MUST(cuMemAlloc(&a, 64));
    MUST(cuMemAlloc(&out, 64));
    SAY(cuGraphCreate(&g, 0));
    CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = a, .value = 2, .elementSize = 4, .width = 8, .height = 1};
    SAY(cuGraphAddMemsetNode(&set, g, NULL, 0, &fill, context));
    void *params[] = {&out, &a, &b, &n};
    CUDA_KERNEL_NODE_PARAMS k = block_of_eight(kernel(m, "axpb"), params);
    SAY(cuGraphAddKernelNode(&run, g, &set, 1, &k));
    CUDA_HOST_NODE_PARAMS h = {.fn = count, .userData = &counted};
    SAY(cuGraphAddHostNode(&host, g, &run, 1, &h));
    SAY(cuGraphGetNodes(g, NULL, &number));
    SHOW(number);
    SAY(cuGraphGetRootNodes(g, NULL, &number));
    SHOW(number);
    SAY(cuGraphGetEdges(g, NULL, NULL, NULL, &number));
    SHOW(number);
    SAY(cuGraphNodeGetType(run, &type));
    SHOW(type);
    SAY(cuGraphInstantiate(&x, g, 0));
    SAY(cuGraphLaunch(x, NULL));
    SAY(cuCtxSynchronize());
    MUST(cuMemcpyDtoH(values, out, sizeof values));
    SHOW(values[7]);
    SHOW(counted);
    b = 100;
    SAY(cuGraphExecKernelNodeSetParams(x, run, &k));
    SAY(cuGraphLaunch(x, NULL));
    MUST(cuMemcpyDtoH(values, out, sizeof values));
    SHOW(values[0]);
    SAY(cuGraphClone(&clone, g));
    SAY(cuGraphNodeFindInClone(&found, run, clone));
    SHOW(found != run);
    CUDA_MEM_ALLOC_NODE_PARAMS memory = {
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
        .bytesize = 256};
    SAY(cuGraphAddMemAllocNode(&alloc, clone, NULL, 0, &memory));
    SHOW(memory.dptr != 0);
    SAY(cuGraphDestroy(clone));
    SAY(cuGraphExecDestroy(x));
    SAY(cuGraphDestroyNode(host));
    SAY(cuGraphGetNodes(g, NULL, &number));
    SHOW(number);
    SAY(cuGraphDestroy(g));
    SAY(cuGraphCreate(&g, 5));
    return 0;
}
