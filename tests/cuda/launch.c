/* Launches: both ways to pass parameters, shared memory, cooperative, attributes. */
#include "check.h"

int main(void)
{
    CUmodule m;
    CUdeviceptr out;
    unsigned value = 0;
    start();
    MUST(cuModuleLoadData(&m, ptx));
    run_axpb(kernel(m, "axpb"), NULL);
    MUST(cuMemAlloc(&out, 4));
    CUfunction f = kernel(m, "shared_sum");
    size_t bytes = sizeof out;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &out, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    SAY(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 128, NULL, NULL, extra));
    MUST(cuMemcpyDtoH(&value, out, 4));
    SHOW(value);
    void *params[] = {&out};
    SAY(cuLaunchCooperativeKernel(f, 2, 1, 1, 32, 1, 1, 128, NULL, params));
    CUlaunchAttribute attribute[2] = {{.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE},
                                      {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY}};
    attribute[0].value.cooperative = 1;
    attribute[1].value.priority = -1;
    CUlaunchConfig c = {.gridDimX = 1,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = 32,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .sharedMemBytes = 128,
                        .attrs = attribute,
                        .numAttrs = 2};
    SAY(cuLaunchKernelEx(&c, f, params, NULL));
    SAY(cuCtxSynchronize());
    SAY(cuLaunchKernel(kernel(m, "nothing"), 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    SAY(cuCtxSynchronize());
    return 0;
}
