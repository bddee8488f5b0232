/* Launches that cannot be: refused at once, and the next one runs. */
#include "check.h"

static CUresult in_clusters(CUfunction f, unsigned blocks, unsigned size)
{
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                 .value.clusterDim = {size, 1, 1}};
    CUlaunchConfig c = {.gridDimX = blocks,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 32,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .attrs = &cluster,
                        .numAttrs = 1};
    return cuLaunchKernelEx(&c, f, NULL, NULL);
}

int main(void)
{
    CUmodule m;
    start();
    MUST(cuModuleLoadData(&m, ptx));
    CUfunction f = kernel(m, "nothing"), g = kernel(m, "shared_sum");
    SAY(cuLaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 0, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 70000, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 32, 1, 65, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL)); /* above its .maxntid */
    SAY(cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, 1000000, NULL, NULL, NULL));
    SAY(cuLaunchKernel(g, 1, 1, 1, 32, 1, 1, 100000, NULL, NULL, NULL)); /* not opted in */
    SAY(cuLaunchKernel(NULL, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuLaunchCooperativeKernel(f, 1000000, 1, 1, 32, 1, 1, 0, NULL, NULL));
    SAY(in_clusters(f, 32, 32));
    SAY(in_clusters(f, 32, 16)); /* not opted in */
    SAY(in_clusters(f, 6, 4));
    SAY(in_clusters(f, 8, 8));
    SAY(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuCtxSynchronize());
    return 0;
}
