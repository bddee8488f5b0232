/* stream.c - streams and events. Work runs when it is issued, so a stream is a name and a capture
 * state, and an event is a moment on the device's clock. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define STREAM_MAGIC 0x5374726du
#define EVENT_MAGIC  0x45766e74u

struct stream {
    uint32_t magic;
    uint64_t id;
    unsigned flags;
    int priority;
    struct graph *capture; /* NULL: not capturing */
    bool is_origin;        /* began the capture itself */
};

struct event {
    uint32_t magic;
    unsigned flags;
    bool recorded;
    double time_us;
    struct graph *capture; /* recorded while its stream captured this graph */
};

static struct stream **streams;
static size_t n_streams, cap_streams;
static uint64_t next_id = 1;

/* NULL and the values 1 and 2 (legacy and per-thread) are the default stream. */
static struct stream *stream_of(const void *handle)
{
    for (size_t i = 0; i < n_streams; i++)
        if (streams[i] == handle)
            return streams[i];
    return NULL;
}

static bool is_default(const void *handle)
{
    return (uintptr_t)handle <= 2;
}

static bool known(const void *handle)
{
    return is_default(handle) || stream_of(handle);
}

uint64_t stream_id(const void *handle)
{
    const struct stream *s = is_default(handle) ? NULL : stream_of(handle);
    return s ? s->id : 0;
}

struct graph *stream_capture(uint64_t id)
{
    for (size_t i = 0; i < n_streams; i++)
        if (streams[i]->id == id)
            return streams[i]->capture;
    return NULL;
}

static int create(void **out, unsigned flags, int priority)
{
    if (!out)
        return INVALID_VALUE;
    struct stream *s = calloc(1, sizeof *s);
    if (!s || !ARRAY_RESERVE(streams, n_streams, cap_streams, 1)) {
        free(s);
        return MEMORY_ALLOCATION;
    }
    *s = (struct stream){
        .magic = STREAM_MAGIC, .id = next_id++, .flags = flags, .priority = priority};
    streams[n_streams++] = s;
    *out = s;
    return OK;
}

API(cudaStreamCreate, void **out)
{
    ENTER();
    LEAVE(create(out, 0, 0));
}

API(cudaStreamCreateWithFlags, void **out, unsigned flags)
{
    ENTER();
    LEAVE(create(out, flags, 0));
}

API(cudaStreamCreateWithPriority, void **out, unsigned flags, int priority)
{
    ENTER();
    LEAVE(create(out, flags, priority));
}

API(cudaStreamDestroy, void *handle)
{
    ENTER();
    struct stream *s = stream_of(handle);
    if (!s)
        LEAVE(INVALID_RESOURCE_HANDLE);
    for (size_t i = 0; i < n_streams; i++)
        if (streams[i] == s)
            streams[i] = streams[--n_streams];
    free(s);
    LEAVE(OK);
}

API(cudaStreamSynchronize, void *handle)
{
    ENTER();
    LEAVE(known(handle) ? OK : INVALID_RESOURCE_HANDLE);
}
API_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize, void *handle);
API_ALIAS(cudaStreamQuery, cudaStreamSynchronize, void *handle);
API_ALIAS(cudaStreamQuery_ptsz, cudaStreamSynchronize, void *handle);

/* Waiting for an event of a capturing stream draws this stream into the capture. */
API(cudaStreamWaitEvent, void *handle, struct event *e, unsigned flags)
{
    (void)flags;
    ENTER();
    struct stream *s = stream_of(handle);
    if (!known(handle) || !e || e->magic != EVENT_MAGIC)
        LEAVE(INVALID_RESOURCE_HANDLE);
    if (s && e->capture && !s->capture)
        s->capture = e->capture;
    LEAVE(OK);
}
API_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent, void *handle, struct event *e,
          unsigned flags);

API(cudaStreamGetFlags, void *handle, unsigned *flags)
{
    ENTER();
    const struct stream *s = stream_of(handle);
    *flags = s ? s->flags : 0;
    LEAVE(known(handle) ? OK : INVALID_RESOURCE_HANDLE);
}
API_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags, void *handle, unsigned *flags);

API(cudaStreamGetPriority, void *handle, int *priority)
{
    ENTER();
    const struct stream *s = stream_of(handle);
    *priority = s ? s->priority : 0;
    LEAVE(known(handle) ? OK : INVALID_RESOURCE_HANDLE);
}
API_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority, void *handle, int *priority);

API(cudaStreamGetId, void *handle, unsigned long long *id)
{
    ENTER();
    *id = stream_id(handle);
    LEAVE(known(handle) ? OK : INVALID_RESOURCE_HANDLE);
}
API_ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId, void *handle, unsigned long long *id);

API(cudaStreamGetDevice, void *handle, int *which)
{
    ENTER();
    *which = 0;
    LEAVE(known(handle) ? OK : INVALID_RESOURCE_HANDLE);
}
API_ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice, void *handle, int *which);

API(cudaDeviceGetStreamPriorityRange, int *least, int *greatest)
{
    ENTER();
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    LEAVE(OK);
}

/* Attributes steer caching and scheduling, which do not exist here. */
API(cudaStreamSetAttribute, void *handle)
{
    ENTER();
    LEAVE(known(handle) ? OK : INVALID_RESOURCE_HANDLE);
}
API_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute, void *handle);
API_ALIAS(cudaStreamCopyAttributes, cudaStreamSetAttribute, void *handle);
API_ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamSetAttribute, void *handle);

/* ---- host functions in a stream ---- */

typedef void host_function(void *data);
typedef void stream_callback(void *stream, int status, void *data);

API(cudaLaunchHostFunc, void *handle, host_function *function, void *data)
{
    ENTER();
    struct graph *g = stream_capture(stream_id(handle));
    if (!known(handle) || !function)
        LEAVE(INVALID_VALUE);
    if (g)
        LEAVE(graph_add_host(g, function, data));
    runtime_unlock();
    function(data);
    runtime_lock();
    LEAVE(OK);
}
API_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc, void *handle, host_function *function,
          void *data);

API(cudaStreamAddCallback, void *handle, stream_callback *callback, void *data, unsigned flags)
{
    (void)flags;
    ENTER();
    if (!known(handle) || !callback)
        LEAVE(INVALID_VALUE);
    int status = runtime_poisoned();
    runtime_unlock();
    callback(handle, status, data);
    runtime_lock();
    LEAVE(OK);
}
API_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback, void *handle,
          stream_callback *callback, void *data, unsigned flags);

/* ---- capture ---- */

API(cudaStreamBeginCapture, void *handle, int mode)
{
    (void)mode;
    ENTER();
    struct stream *s = stream_of(handle);
    if (!s)
        LEAVE(is_default(handle) ? CAPTURE_UNSUPPORTED : INVALID_RESOURCE_HANDLE);
    if (s->capture)
        LEAVE(CAPTURE_UNMATCHED);
    s->capture = graph_new();
    s->is_origin = true;
    LEAVE(s->capture ? OK : MEMORY_ALLOCATION);
}
API_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture, void *handle, int mode);

API(cudaStreamEndCapture, void *handle, struct graph **out)
{
    ENTER();
    struct stream *s = stream_of(handle);
    if (!s || !s->capture || !s->is_origin)
        LEAVE(CAPTURE_UNMATCHED);
    struct graph *g = s->capture;
    for (size_t i = 0; i < n_streams; i++)
        if (streams[i]->capture == g) {
            streams[i]->capture = NULL;
            streams[i]->is_origin = false;
        }
    *out = g;
    LEAVE(OK);
}
API_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture, void *handle, struct graph **out);

API(cudaStreamIsCapturing, void *handle, int *status)
{
    ENTER();
    *status = stream_capture(stream_id(handle)) ? 1 : 0;
    LEAVE(OK);
}
API_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing, void *handle, int *status);

/* All versions start with the state and an id; the rest is only asked for while capturing. */
API(cudaStreamGetCaptureInfo, void *handle, int *status, unsigned long long *id)
{
    ENTER();
    struct graph *g = stream_capture(stream_id(handle));
    *status = g ? 1 : 0;
    if (id)
        *id = g ? (uintptr_t)g : 0;
    LEAVE(OK);
}
API_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo, void *handle, int *status,
          unsigned long long *id);
API_ALIAS(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo, void *handle, int *status,
          unsigned long long *id);
API_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo, void *handle, int *status,
          unsigned long long *id);

API(cudaThreadExchangeStreamCaptureMode, int *mode)
{
    (void)mode;
    ENTER();
    LEAVE(OK);
}

/* ---- events ---- */

static int event_create(struct event **out, unsigned flags)
{
    if (!out)
        return INVALID_VALUE;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return MEMORY_ALLOCATION;
    (*out)->magic = EVENT_MAGIC;
    (*out)->flags = flags;
    return OK;
}

static bool event_known(const struct event *e)
{
    return e && e->magic == EVENT_MAGIC;
}

int event_record_now(struct event *e)
{
    e->recorded = true;
    e->time_us = clock_now();
    return OK;
}

API(cudaEventCreate, struct event **out)
{
    ENTER();
    LEAVE(event_create(out, 0));
}

API(cudaEventCreateWithFlags, struct event **out, unsigned flags)
{
    ENTER();
    LEAVE(event_create(out, flags));
}

API(cudaEventDestroy, struct event *e)
{
    ENTER();
    if (!event_known(e))
        LEAVE(INVALID_RESOURCE_HANDLE);
    e->magic = 0;
    free(e);
    LEAVE(OK);
}

API(cudaEventRecord, struct event *e, void *handle)
{
    ENTER();
    if (!event_known(e) || !known(handle))
        LEAVE(INVALID_RESOURCE_HANDLE);
    e->capture = stream_capture(stream_id(handle));
    LEAVE(e->capture ? graph_add_event(e->capture, e) : event_record_now(e));
}
API_ALIAS(cudaEventRecord_ptsz, cudaEventRecord, struct event *e, void *handle);
API_ALIAS(cudaEventRecordWithFlags, cudaEventRecord, struct event *e, void *handle);
API_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecord, struct event *e, void *handle);

API(cudaEventSynchronize, struct event *e)
{
    ENTER();
    LEAVE(event_known(e) ? OK : INVALID_RESOURCE_HANDLE);
}
API_ALIAS(cudaEventQuery, cudaEventSynchronize, struct event *e);

API(cudaEventElapsedTime, float *milliseconds, struct event *start, struct event *end)
{
    ENTER();
    if (!event_known(start) || !event_known(end) || !milliseconds)
        LEAVE(INVALID_RESOURCE_HANDLE);
    if (!start->recorded || !end->recorded)
        LEAVE(INVALID_RESOURCE_HANDLE);
    *milliseconds = (float)((end->time_us - start->time_us) / 1000.0);
    LEAVE(OK);
}
API_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime, float *milliseconds, struct event *start,
          struct event *end);
