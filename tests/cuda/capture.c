/* Graphs captured from streams. */
#include "check.h"

int main(void)
{
    CUmodule m;
    CUgraph g;
    CUgraphExec x;
    CUstream s, t;
    CUevent fork, join;
    CUdeviceptr a, out;
    CUstreamCaptureStatus status;
    unsigned b = 4, n = 8, values[8];
    size_t number = 0;
    start();
    MUST(cuModuleLoadData(&m, ptx));
    MUST(cuMemAlloc(&a, 64));
    MUST(cuMemAlloc(&out, 64));
    MUST(cuMemsetD8(out, 0, 64));
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
    MUST(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
    MUST(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
    void *params[] = {&out, &a, &b, &n};
    SAY(cuStreamEndCapture(s, &g));
    SAY(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SAY(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    SAY(cuStreamIsCapturing(s, &status));
    SHOW(status);
    SAY(cuMemsetD32Async(a, 5, 8, s));
    SAY(cuEventRecord(fork, s));
    SAY(cuStreamWaitEvent(t, fork, 0));
    SAY(cuStreamIsCapturing(t, &status));
    SHOW(status);
    SAY(cuLaunchKernel(kernel(m, "nothing"), 1, 1, 1, 1, 1, 1, 0, t, NULL, NULL));
    SAY(cuEventRecord(join, t));
    SAY(cuLaunchKernel(kernel(m, "axpb"), 1, 1, 1, 8, 1, 1, 0, s, params, NULL));
    SAY(cuStreamWaitEvent(s, join, 0));
    SAY(cuStreamEndCapture(s, &g));
    SAY(cuStreamIsCapturing(t, &status));
    SHOW(status);
    SAY(cuGraphGetNodes(g, NULL, &number));
    SHOW(number);
    SAY(cuGraphGetEdges(g, NULL, NULL, NULL, &number));
    SHOW(number);
    MUST(cuMemcpyDtoH(values, out, sizeof values));
    SHOW(values[0]);
    SAY(cuGraphInstantiate(&x, g, 0));
    SAY(cuGraphLaunch(x, s));
    SAY(cuStreamSynchronize(s));
    MUST(cuMemcpyDtoH(values, out, sizeof values));
    SHOW(values[0]);
    return 0;
}
