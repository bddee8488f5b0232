/* Streams, events and host functions. */
#include "check.h"

static void CUDA_CB count(void *data)
{
    ++*(int *)data;
}
static void CUDA_CB called(CUstream s, CUresult status, void *data)
{
    (void)s;
    *(int *)data += status == CUDA_SUCCESS ? 10 : 1000;
}

int main(void)
{
    CUstream s, t;
    CUevent e, f;
    CUcontext owner;
    unsigned flags;
    int priority, counted = 0;
    float ms = -1;
    start();
    SAY(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    SAY(cuStreamCreate(&t, 99));
    SAY(cuStreamCreateWithPriority(&t, 0, -1));
    SAY(cuStreamGetFlags(s, &flags));
    SHOW(flags);
    SAY(cuStreamGetPriority(t, &priority));
    SHOW(priority);
    SAY(cuStreamGetCtx(s, &owner));
    SHOW(owner == context);
    SAY(cuEventCreate(&e, CU_EVENT_DEFAULT));
    SAY(cuEventCreate(&f, CU_EVENT_DISABLE_TIMING));
    SAY(cuEventQuery(e));
    SAY(cuEventElapsedTime(&ms, e, e));
    SAY(cuEventRecord(e, s));
    SAY(cuStreamWaitEvent(t, e, 0));
    SAY(cuLaunchHostFunc(s, count, &counted));
    SAY(cuStreamAddCallback(s, called, &counted, 0));
    SAY(cuStreamSynchronize(s));
    SHOW(counted);
    SAY(cuStreamQuery(s));
    SAY(cuEventSynchronize(e));
    SAY(cuEventElapsedTime(&ms, e, e));
    SHOW(ms == 0);
    SAY(cuEventRecord(f, s));
    SAY(cuEventElapsedTime(&ms, e, f));
    SAY(cuEventDestroy(e));
    SAY(cuStreamDestroy(t));
    SAY(cuStreamDestroy(s));
    SAY(cuStreamSynchronize(NULL));
    SAY(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    return 0;
}
