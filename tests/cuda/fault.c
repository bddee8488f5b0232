/* A kernel that fails: later calls say so, and the process gets no further context. */
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
    return 0;
}
