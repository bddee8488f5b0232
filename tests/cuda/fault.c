/* A kernel that fails: later calls say so until its context ends; another context is not touched.
 */
#include "check.h"

int main(void)
{
    CUcontext own, other;
    CUmodule m;
    CUdeviceptr p;
    MUST(cuInit(0));
    MUST(cuCtxCreate(&own, NULL, 0, 0));
    MUST(cuModuleLoadData(&m, ptx));
    SAY(cuLaunchKernel(kernel(m, "wild"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuCtxSynchronize());
    SAY(cuMemAlloc(&p, 16));
    SAY(cuCtxSynchronize());
    SAY(cuCtxDestroy(own));
    SAY(cuCtxCreate(&other, NULL, 0, 0));
    SAY(cuModuleLoadData(&m, ptx));
    run_axpb(kernel(m, "axpb"), NULL);
    return 0;
}
