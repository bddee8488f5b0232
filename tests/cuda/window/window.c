/* Access policy windows in all ways in which a program can ask for them, each with a launch. */
#include "../check.h"

static CUfunction axpb;
static void *arguments[4];

static CUlaunchAttributeValue window(CUdeviceptr base, size_t bytes, float ratio)
{
    CUlaunchAttributeValue v = {0};
    v.accessPolicyWindow.base_ptr = (void *)(uintptr_t)base;
    v.accessPolicyWindow.num_bytes = bytes;
    v.accessPolicyWindow.hitRatio = ratio;
    v.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    v.accessPolicyWindow.missProp = CU_ACCESS_PROPERTY_STREAMING;
    return v;
}

static void launch(CUstream s, CUlaunchAttribute *attribute)
{
    CUlaunchConfig c = {1, 1, 1, 8, 1, 1, 0, s, attribute, attribute != NULL};
    MUST(cuLaunchKernelEx(&c, axpb, arguments, NULL));
}

static void launch_graph(CUlaunchAttributeValue *v)
{
    CUgraph g;
    CUgraphExec x;
    CUgraphNode n;
    CUlaunchAttributeValue got;
    CUDA_KERNEL_NODE_PARAMS k = block_of_eight(axpb, arguments);
    MUST(cuGraphCreate(&g, 0));
    MUST(cuGraphAddKernelNode(&n, g, NULL, 0, &k));
    MUST(cuGraphKernelNodeSetAttribute(n, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, v));
    MUST(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &got));
    SHOW(got.accessPolicyWindow.num_bytes);
    MUST(cuGraphInstantiate(&x, g, 0));
    MUST(cuGraphLaunch(x, NULL));
}

int main(void)
{
    CUmodule m;
    CUdeviceptr data;
    CUstream s;
    unsigned b = 1, n = 8;
    int most = 0;
    size_t aside = 0;
    start();
    MUST(cuModuleLoadData(&m, ptx));
    MUST(cuMemAlloc(&data, 1 << 20));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    axpb = kernel(m, "axpb");
    arguments[0] = arguments[1] = &data, arguments[2] = &b, arguments[3] = &n;
    MUST(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0));
    SHOW(most);
    launch(s, NULL); /* nothing asked */
    SAY(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)1 << 40));
    MUST(cuCtxGetLimit(&aside, CU_LIMIT_PERSISTING_L2_CACHE_SIZE));
    SHOW(aside == (size_t)most);
    MUST(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 8 << 20));
    CUlaunchAttributeValue v = window(data, 4096, 2);
    SAY(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    v = window(data, 4096, 1);
    SAY(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    launch(s, NULL);    /* the stream's window */
    launch(NULL, NULL); /* the default stream has none */
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
                                   .value = window(data, 8192, 0.5f)};
    launch(s, &attribute); /* its own window goes before the stream's */
    v = window(data, 16384, 0.25f);
    launch_graph(&v);
    v = window(data, 0, 0);
    SAY(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &v));
    SAY(cuCtxResetPersistingL2Cache());
    launch(s, NULL); /* no window, after a reset */
    launch(s, NULL);
    MUST(cuCtxSynchronize());
    return 0;
}
