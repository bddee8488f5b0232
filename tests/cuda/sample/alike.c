/* 40 launches of one kernel in one shape, then 3 of another shape. */
#include "../check.h"

enum { THREADS = 64, BLOCKS = 100, LAUNCHES = 40 };

int main(void)
{
    CUmodule m;
    CUdeviceptr data;
    start();
    MUST(cuModuleLoadData(&m, ptx));
    MUST(cuMemAlloc(&data, THREADS * BLOCKS * sizeof(uint32_t)));
    CUfunction f = kernel(m, "axpb");
    for (unsigned i = 0; i < LAUNCHES + 3; i++) {
        uint32_t blocks = i < LAUNCHES ? BLOCKS : BLOCKS / 2, n = THREADS * blocks, b = i;
        void *params[] = {&data, &data, &b, &n};
        MUST(cuLaunchKernel(f, blocks, 1, 1, THREADS, 1, 1, 0, NULL, params, NULL));
    }
    MUST(cuCtxSynchronize());
    return 0;
}
