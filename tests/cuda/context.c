/* Contexts: the primary one, others, the stack, and use after the end. */
#include "check.h"

int main(void)
{
    CUcontext primary, own, popped, now;
    CUdevice d;
    CUdeviceptr p;
    CUstream s;
    unsigned flags;
    int active;
    unsigned long long id;
    size_t limit;
    MUST(cuInit(0));
    SAY(cuCtxGetCurrent(&now));
    SHOW(now == NULL);
    SAY(cuMemAlloc(&p, 16));
    SAY(cuCtxSynchronize());
    SAY(cuDevicePrimaryCtxGetState(0, &flags, &active));
    SHOW(active);
    SAY(cuDevicePrimaryCtxRetain(&primary, 0));
    SAY(cuDevicePrimaryCtxRetain(&primary, 99));
    SAY(cuCtxSetCurrent(primary));
    SAY(cuDevicePrimaryCtxGetState(0, &flags, &active));
    SHOW(active);
    SAY(cuCtxGetDevice(&d));
    SHOW(d);
    SAY(cuCtxCreate(&own, NULL, 0, 0));
    SAY(cuCtxGetCurrent(&now));
    SHOW(now == own);
    SAY(cuCtxGetId(own, &id));
    SAY(cuStreamCreate(&s, 0));
    SAY(cuMemAlloc(&p, 16));
    SAY(cuCtxPopCurrent(&popped));
    SHOW(popped == own);
    SAY(cuCtxGetCurrent(&now));
    SHOW(now == primary);
    SAY(cuCtxPushCurrent(own));
    SAY(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
    SHOW(limit > 0);
    SAY(cuCtxGetLimit(&limit, (CUlimit)77));
    SAY(cuCtxDestroy(own));
    SAY(cuCtxGetCurrent(&now));
    SHOW(now == primary);
    SAY(cuCtxDestroy(NULL));
    SAY(cuMemFree(p));
    SAY(cuDevicePrimaryCtxRelease(0));
    SAY(cuDevicePrimaryCtxGetState(0, &flags, &active));
    SHOW(active);
    return 0;
}
