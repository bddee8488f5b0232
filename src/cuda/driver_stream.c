/* driver_stream.c - streams. Work runs when it is issued, so a stream is a name, its settings and
 * what it captures. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cuda/capture.h"
#include "cuda/graph.h"

static CUstream *streams; /* in order of creation */
static size_t n_streams, cap_streams;
static uint64_t next_id = 1;

bool stream_find(CUstream handle, CUstream *out)
{
    /* NULL and the values 1 and 2 (legacy and per-thread) are the default stream. */
    bool is_default = (uintptr_t)handle <= 2;
    *out = is_default ? NULL : handle;
    return is_default || object_is(handle, OBJECT_STREAM);
}

uint64_t stream_id(CUstream handle)
{
    CUstream s;
    return stream_find(handle, &s) && s ? s->id : 0;
}

CUgraph stream_capture(CUstream handle)
{
    CUstream s;
    return stream_find(handle, &s) && s ? s->capture : NULL;
}

static void destroy(struct object *o)
{
    CUstream s = (CUstream)o;
    object_remove(o);
    for (size_t i = 0; i < n_streams; i++)
        if (streams[i] == s) {
            memmove(&streams[i], &streams[i + 1], (n_streams - i - 1) * sizeof *streams);
            n_streams--;
            break;
        }
    order_stream_remove(&s->order);
    free(s->tail);
    free(s);
}

CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
    ENTER(NEED_CONTEXT);
    if (!out || flags > CU_STREAM_NON_BLOCKING)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUstream s = calloc(1, sizeof *s);
    if (!s || !ARRAY_RESERVE(streams, n_streams, cap_streams, 1) ||
        !object_add(&s->object, OBJECT_STREAM, context_current(), destroy)) {
        free(s);
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    s->id = next_id++;
    s->flags = flags;
    s->order = (struct order_stream){.id = s->id, .apart = flags & CU_STREAM_NON_BLOCKING};
    if (!order_stream_add(&s->order)) {
        object_remove(&s->object);
        free(s);
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority; /* the interface clamps */
    streams[n_streams++] = s;
    *out = s;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    return cuStreamCreateWithPriority(out, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream handle)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    if (!stream_find(handle, &s) || !s)
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    destroy(&s->object);
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuStreamDestroy, cuStreamDestroy_v2);

/* Waiting for a stream that captures would never end. */
CUresult cuStreamSynchronize(CUstream handle)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    if (!stream_find(handle, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!s || !s->capture)
        record_host_waited(order_tail(stream_order(s)));
    LEAVE(s && s->capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS);
}
ALIAS(cuStreamSynchronize_ptsz, cuStreamSynchronize);
ALIAS(cuStreamQuery, cuStreamSynchronize);
ALIAS(cuStreamQuery_ptsz, cuStreamSynchronize);

/* The start of a question about a stream. */
static CUresult ask(CUstream handle, const void *out, CUstream *s)
{
    if (!stream_find(handle, s))
        return CUDA_ERROR_INVALID_HANDLE;
    return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* One fact of a stream; the default stream has none of its own. */
#define STREAM_FACT(name, type, value)                                                             \
    CUresult name(CUstream handle, type *out)                                                      \
    {                                                                                              \
        ENTER(NEED_CONTEXT);                                                                       \
        CUstream s;                                                                                \
        CUresult status = ask(handle, out, &s);                                                    \
        if (status == CUDA_SUCCESS)                                                                \
            *out = (value);                                                                        \
        LEAVE(status);                                                                             \
    }                                                                                              \
    ALIAS(name##_ptsz, name)

STREAM_FACT(cuStreamGetFlags, unsigned, s ? s->flags : 0);
STREAM_FACT(cuStreamGetPriority, int, s ? s->priority : 0);
STREAM_FACT(cuStreamGetId, unsigned long long, s ? s->id : 0);
STREAM_FACT(cuStreamGetDevice, CUdevice, 0);

CUresult cuStreamGetCtx(CUstream handle, CUcontext *out)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    CUresult status = ask(handle, out, &s);
    if (status == CUDA_SUCCESS)
        *out = s ? s->object.owner : context_current();
    LEAVE(status);
}
ALIAS(cuStreamGetCtx_ptsz, cuStreamGetCtx);

CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext *out, CUgreenCtx *green)
{
    if (green)
        *green = NULL;
    return cuStreamGetCtx(handle, out);
}
ALIAS(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2);

/* ---- attributes steer caching, which a trace tells of, and scheduling: kept, without effect ----
 */

#define N_ATTRIBUTES (sizeof((CUstream)0)->attribute / sizeof((CUstream)0)->attribute[0])

/* The default stream has no object of its own. */
static CUlaunchAttributeValue default_attribute[N_ATTRIBUTES];

CUlaunchAttributeValue *stream_attribute(CUstream s, CUlaunchAttributeID which)
{
    return s ? &s->attribute[which] : &default_attribute[which];
}

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID which, const CUstreamAttrValue *value)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    CUresult status = ask(handle, value, &s);
    if (status == CUDA_SUCCESS && (size_t)which >= N_ATTRIBUTES)
        status = CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS && which == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW &&
        !window_is_valid(&value->accessPolicyWindow))
        status = CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *stream_attribute(s, which) = *value;
    if (status == CUDA_SUCCESS && s && which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        s->priority = value->priority;
    LEAVE(status);
}
ALIAS(cuStreamSetAttribute_ptsz, cuStreamSetAttribute);

CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID which, CUstreamAttrValue *value)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    CUresult status = ask(handle, value, &s);
    if (status == CUDA_SUCCESS && (size_t)which >= N_ATTRIBUTES)
        status = CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS)
        *value = *stream_attribute(s, which);
    if (status == CUDA_SUCCESS && s && which == CU_LAUNCH_ATTRIBUTE_PRIORITY)
        value->priority = s->priority;
    LEAVE(status);
}
ALIAS(cuStreamGetAttribute_ptsz, cuStreamGetAttribute);

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
    ENTER(NEED_CONTEXT);
    CUstream a, b;
    if (!stream_find(to, &a) || !stream_find(from, &b))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    memmove(stream_attribute(a, 0), stream_attribute(b, 0), sizeof default_attribute);
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes);

/* ---- host functions in a stream ---- */

CUresult cuLaunchHostFunc(CUstream handle, CUhostFn function, void *data)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    CUresult status = ask(handle, (void *)(uintptr_t)function, &s);
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    if (s && s->capture)
        LEAVE(capture_host(s, &(struct host_call){function, data}));
    driver_unlock();
    function(data);
    return CUDA_SUCCESS;
}
ALIAS(cuLaunchHostFunc_ptsz, cuLaunchHostFunc);

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void *data, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    CUresult status =
        flags ? CUDA_ERROR_INVALID_VALUE : ask(handle, (void *)(uintptr_t)callback, &s);
    if (status == CUDA_SUCCESS && s && s->capture)
        status = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (status != CUDA_SUCCESS)
        LEAVE(status);
    driver_unlock();
    callback(handle, CUDA_SUCCESS, data);
    return CUDA_SUCCESS;
}
ALIAS(cuStreamAddCallback_ptsz, cuStreamAddCallback);

/* ---- values in memory as signals: everything before has happened ---- */

static CUresult write_value(CUstream handle, CUdeviceptr at, uint64_t value, size_t bytes)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    struct strata_memory_range r;
    if (!stream_find(handle, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (at % bytes || !memory_find(at, &r))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    memcpy((void *)(uintptr_t)at, &value, bytes);
    LEAVE(CUDA_SUCCESS);
}

/* Whoever should have written it has done so by now, unless another thread is to: then this call
 * would wait for ever, and the program is told. */
static CUresult wait_value(CUstream handle, CUdeviceptr at, uint64_t value, unsigned flags,
                           size_t bytes)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    struct strata_memory_range r;
    uint64_t now = 0;
    if (!stream_find(handle, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (at % bytes || !memory_find(at, &r))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    memcpy(&now, (const void *)(uintptr_t)at, bytes);
    uint64_t ahead = bytes == 4 ? (uint64_t)(int64_t)(int32_t)(now - value) : now - value;
    bool reached[] = {(int64_t)ahead >= 0, now == value, (now & value) != 0,
                      (now | value) != UINT64_MAX};
    bool done = reached[flags & 3];
    if (!done)
        driver_complain("a stream waits for a value at %#llx that nothing issued before it writes.",
                        (unsigned long long)at);
    LEAVE(done ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED);
}

CUresult cuStreamWriteValue32_v2(CUstream s, CUdeviceptr at, cuuint32_t value, unsigned flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE : write_value(s, at, value, 4);
}
ALIAS(cuStreamWriteValue32_v2_ptsz, cuStreamWriteValue32_v2);
ALIAS(cuStreamWriteValue32, cuStreamWriteValue32_v2);
ALIAS(cuStreamWriteValue32_ptsz, cuStreamWriteValue32_v2);

CUresult cuStreamWriteValue64_v2(CUstream s, CUdeviceptr at, cuuint64_t value, unsigned flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE : write_value(s, at, value, 8);
}
ALIAS(cuStreamWriteValue64_v2_ptsz, cuStreamWriteValue64_v2);
ALIAS(cuStreamWriteValue64, cuStreamWriteValue64_v2);
ALIAS(cuStreamWriteValue64_ptsz, cuStreamWriteValue64_v2);

#define WAIT(bits)                                                                                 \
    CUresult cuStreamWaitValue##bits##_v2(CUstream s, CUdeviceptr at, cuuint##bits##_t value,      \
                                          unsigned flags)                                          \
    {                                                                                              \
        return wait_value(s, at, value, flags, bits / 8);                                          \
    }                                                                                              \
    ALIAS(cuStreamWaitValue##bits##_v2_ptsz, cuStreamWaitValue##bits##_v2);                        \
    ALIAS(cuStreamWaitValue##bits, cuStreamWaitValue##bits##_v2);                                  \
    ALIAS(cuStreamWaitValue##bits##_ptsz, cuStreamWaitValue##bits##_v2);
WAIT(32)
WAIT(64)

/* ---- capture ---- */

static CUresult begin(CUstream handle, CUgraph into, const CUgraphNode *after, size_t n)
{
    CUstream s;
    if (!stream_find(handle, &s))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!s)
        return (uintptr_t)handle == 2 ? CUDA_ERROR_NOT_SUPPORTED
                                      : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (s->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    s->capture = into ? into : graph_new();
    s->is_origin = true;
    s->into_graph = into != NULL;
    s->n_tail = 0;
    if (!s->capture)
        return CUDA_ERROR_OUT_OF_MEMORY;
    s->capture->capturing = true;
    return tail_add(&s->tail, &s->n_tail, &s->cap_tail, after, n) ? CUDA_SUCCESS
                                                                  : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode)
{
    ENTER(NEED_CONTEXT);
    if ((int)mode < 0 || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    LEAVE(begin(handle, NULL, NULL, 0));
}
ALIAS(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2);

CUresult cuStreamBeginCapture(CUstream handle)
{
    return cuStreamBeginCapture_v2(handle, CU_STREAM_CAPTURE_MODE_GLOBAL);
}
ALIAS(cuStreamBeginCapture_ptsz, cuStreamBeginCapture);

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph g, const CUgraphNode *after,
                                     const CUgraphEdgeData *edges, size_t n,
                                     CUstreamCaptureMode mode)
{
    (void)edges, (void)mode;
    ENTER(NEED_CONTEXT);
    if (!object_is(g, OBJECT_GRAPH) || (n && !after))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    LEAVE(begin(handle, g, after, n));
}
ALIAS(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph);

CUresult cuStreamEndCapture(CUstream handle, CUgraph *out)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    if (!stream_find(handle, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!s || !s->capture)
        LEAVE(CUDA_ERROR_ILLEGAL_STATE);
    if (!out || !s->is_origin)
        LEAVE(out ? CUDA_ERROR_STREAM_CAPTURE_UNMATCHED : CUDA_ERROR_INVALID_VALUE);
    CUgraph g = s->capture;
    for (size_t i = 0; i < n_streams; i++)
        if (streams[i]->capture == g) {
            streams[i]->capture = NULL;
            streams[i]->is_origin = false;
        }
    g->capturing = false;
    *out = g;
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuStreamEndCapture_ptsz, cuStreamEndCapture);

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    CUresult good = ask(handle, status, &s);
    if (good == CUDA_SUCCESS)
        *status = s && s->capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    LEAVE(good);
}
ALIAS(cuStreamIsCapturing_ptsz, cuStreamIsCapturing);

CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **after, size_t *n)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    CUresult good = ask(handle, status, &s);
    if (good != CUDA_SUCCESS)
        LEAVE(good);
    bool active = s && s->capture;
    *status = active ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    if (id)
        *id = active ? (uintptr_t)s->capture : 0;
    if (graph)
        *graph = active ? s->capture : NULL;
    if (after)
        *after = active ? s->tail : NULL;
    if (n)
        *n = active ? s->n_tail : 0;
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2);

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id)
{
    return cuStreamGetCaptureInfo_v2(handle, status, id, NULL, NULL, NULL);
}
ALIAS(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo);

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **after,
                                   const CUgraphEdgeData **edges, size_t *n)
{
    if (edges)
        *edges = NULL;
    return cuStreamGetCaptureInfo_v2(handle, status, id, graph, after, n);
}
ALIAS(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3);

CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode *after, size_t n,
                                           unsigned flags)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    if (!stream_find(handle, &s) || (n && !after))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!s || !s->capture)
        LEAVE(CUDA_ERROR_ILLEGAL_STATE);
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        s->n_tail = 0;
    LEAVE(tail_add(&s->tail, &s->n_tail, &s->cap_tail, after, n) ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_OUT_OF_MEMORY);
}
ALIAS(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies);

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode *after,
                                              const CUgraphEdgeData *edges, size_t n,
                                              unsigned flags)
{
    (void)edges;
    return cuStreamUpdateCaptureDependencies(handle, after, n, flags);
}
ALIAS(cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamUpdateCaptureDependencies_v2);

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    static _Thread_local CUstreamCaptureMode current = CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!mode || (int)*mode < 0 || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode old = current;
    current = *mode;
    *mode = old;
    return CUDA_SUCCESS;
}
