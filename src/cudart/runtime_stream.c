/* runtime_stream.c - streams and events: the driver's, by the runtime's names. */
#include "cudart/runtime.h"

API(cudaStreamCreateWithPriority, CUstream *out, unsigned flags, int priority)
{
    PASS(cuStreamCreateWithPriority(out, flags, priority));
}

API(cudaStreamCreate, CUstream *out)
{
    return cudaStreamCreateWithPriority(out, 0, 0);
}

API(cudaStreamCreateWithFlags, CUstream *out, unsigned flags)
{
    return cudaStreamCreateWithPriority(out, flags, 0);
}

API(cudaStreamDestroy, CUstream s)
{
    PASS(cuStreamDestroy_v2(s));
}

API(cudaStreamSynchronize, CUstream s)
{
    PASS(cuStreamSynchronize(s));
}
API_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);

API(cudaStreamQuery, CUstream s)
{
    PASS(cuStreamQuery(s));
}
API_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery);

API(cudaStreamWaitEvent, CUstream s, CUevent e, unsigned flags)
{
    PASS(cuStreamWaitEvent(s, e, flags));
}
API_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

API(cudaStreamGetFlags, CUstream s, unsigned *flags)
{
    PASS(cuStreamGetFlags(s, flags));
}
API_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

API(cudaStreamGetPriority, CUstream s, int *priority)
{
    PASS(cuStreamGetPriority(s, priority));
}
API_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

API(cudaStreamGetId, CUstream s, unsigned long long *id)
{
    PASS(cuStreamGetId(s, id));
}
API_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);

API(cudaStreamGetDevice, CUstream s, int *which)
{
    PASS(cuStreamGetDevice(s, which));
}
API_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

API(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    PASS(cuCtxGetStreamPriorityRange(least, greatest));
}

/* Attributes have the driver's numbers and layout. */
API(cudaStreamSetAttribute, CUstream s, int which, const CUstreamAttrValue *value)
{
    PASS(cuStreamSetAttribute(s, (CUstreamAttrID)which, value));
}
API_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

API(cudaStreamGetAttribute, CUstream s, int which, CUstreamAttrValue *value)
{
    PASS(cuStreamGetAttribute(s, (CUstreamAttrID)which, value));
}
API_ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

API(cudaStreamCopyAttributes, CUstream to, CUstream from)
{
    PASS(cuStreamCopyAttributes(to, from));
}
API_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

API(cudaLaunchHostFunc, CUstream s, CUhostFn function, void *data)
{
    PASS(cuLaunchHostFunc(s, function, data));
}
API_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

API(cudaStreamAddCallback, CUstream s, CUstreamCallback callback, void *data, unsigned flags)
{
    PASS(cuStreamAddCallback(s, callback, data, flags));
}
API_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

/* ---- capture ---- */

API(cudaStreamBeginCapture, CUstream s, int mode)
{
    PASS(cuStreamBeginCapture_v2(s, (CUstreamCaptureMode)mode));
}
API_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture);

API(cudaStreamBeginCaptureToGraph, CUstream s, CUgraph g, const CUgraphNode *after,
    const CUgraphEdgeData *edges, size_t n, int mode)
{
    PASS(cuStreamBeginCaptureToGraph(s, g, after, edges, n, (CUstreamCaptureMode)mode));
}
API_ALIAS(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph);

API(cudaStreamEndCapture, CUstream s, CUgraph *out)
{
    PASS(cuStreamEndCapture(s, out));
}
API_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture);

API(cudaStreamIsCapturing, CUstream s, CUstreamCaptureStatus *status)
{
    PASS(cuStreamIsCapturing(s, status));
}
API_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing);

API(cudaStreamGetCaptureInfo_v2, CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
    CUgraph *graph, const CUgraphNode **after, size_t *n)
{
    PASS(cuStreamGetCaptureInfo_v2(s, status, id, graph, after, n));
}
API_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2);

API(cudaStreamGetCaptureInfo_v3, CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
    CUgraph *graph, const CUgraphNode **after, const CUgraphEdgeData **edges, size_t *n)
{
    PASS(cuStreamGetCaptureInfo_v3(s, status, id, graph, after, edges, n));
}
API_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3);

/* CUDA 13 gave the short name the arguments of v3; before, it had three. */
API(cudaStreamGetCaptureInfo, CUstream s, CUstreamCaptureStatus *status, cuuint64_t *id,
    CUgraph *graph, const CUgraphNode **after, const CUgraphEdgeData **edges, size_t *n)
{
    READY();
    RESULT(cudart_major >= 13 ? cuStreamGetCaptureInfo_v3(s, status, id, graph, after, edges, n)
                              : cuStreamGetCaptureInfo_v2(s, status, id, NULL, NULL, NULL));
}
API_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo);

API(cudaStreamUpdateCaptureDependencies_v2, CUstream s, CUgraphNode *after,
    const CUgraphEdgeData *edges, size_t n, unsigned flags)
{
    PASS(cuStreamUpdateCaptureDependencies_v2(s, after, edges, n, flags));
}
API_ALIAS(cudaStreamUpdateCaptureDependencies_v2_ptsz, cudaStreamUpdateCaptureDependencies_v2);

API(cudaThreadExchangeStreamCaptureMode, CUstreamCaptureMode *mode)
{
    PASS(cuThreadExchangeStreamCaptureMode(mode));
}

/* ---- events ---- */

API(cudaEventCreateWithFlags, CUevent *out, unsigned flags)
{
    PASS(cuEventCreate(out, flags));
}

API(cudaEventCreate, CUevent *out)
{
    return cudaEventCreateWithFlags(out, 0);
}

API(cudaEventDestroy, CUevent e)
{
    PASS(cuEventDestroy_v2(e));
}

API(cudaEventRecord, CUevent e, CUstream s)
{
    PASS(cuEventRecord(e, s));
}
API_ALIAS(cudaEventRecord_ptsz, cudaEventRecord);

API(cudaEventRecordWithFlags, CUevent e, CUstream s, unsigned flags)
{
    PASS(cuEventRecordWithFlags(e, s, flags));
}
API_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

API(cudaEventSynchronize, CUevent e)
{
    PASS(cuEventSynchronize(e));
}

API(cudaEventQuery, CUevent e)
{
    PASS(cuEventQuery(e));
}

API(cudaEventElapsedTime, float *milliseconds, CUevent start, CUevent end)
{
    PASS(cuEventElapsedTime_v2(milliseconds, start, end));
}
API_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
