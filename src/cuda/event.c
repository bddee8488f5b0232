/* event.c - events: a moment on the device's clock, or a place in a capture. */
#include "cuda/driver.h"

#include <stdlib.h>

#include "cuda/capture.h"
#include "cuda/graph.h"

static void destroy(struct object *o)
{
    CUevent e = (CUevent)o;
    object_remove(o);
    free(e->tail);
    op_set_release(&e->done);
    free(e);
}

static bool known(CUevent e)
{
    return object_is(e, OBJECT_EVENT);
}

void event_record_now(CUevent e, const struct op_set *done)
{
    if (!known(e))
        return;
    e->done.n = 0;
    op_set_join(&e->done, done);
    e->recorded = true;
    e->time_us = clock_now();
}

CUresult cuEventCreate(CUevent *out, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    if (!out || flags > 7 ||
        ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUevent e = calloc(1, sizeof *e);
    if (!e || !object_add(&e->object, OBJECT_EVENT, context_current(), destroy)) {
        free(e);
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    e->flags = flags;
    *out = e;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuEventDestroy_v2(CUevent e)
{
    ENTER(NEED_CONTEXT);
    if (!known(e))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    destroy(&e->object);
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuEventDestroy, cuEventDestroy_v2);

CUresult cuEventRecordWithFlags(CUevent e, CUstream handle, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    if (!known(e) || !stream_find(handle, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (flags > CU_EVENT_RECORD_EXTERNAL)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    e->capture = s ? s->capture : NULL;
    e->n_tail = 0;
    if (!e->capture) {
        event_record_now(e, order_tail(stream_order(s)));
        LEAVE(CUDA_SUCCESS);
    }
    if (flags == CU_EVENT_RECORD_EXTERNAL)
        LEAVE(capture_event_record(s, e));
    LEAVE(tail_add(&e->tail, &e->n_tail, &e->cap_tail, s->tail, s->n_tail)
              ? CUDA_SUCCESS
              : CUDA_ERROR_OUT_OF_MEMORY);
}
ALIAS(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags);

CUresult cuEventRecord(CUevent e, CUstream handle)
{
    return cuEventRecordWithFlags(e, handle, CU_EVENT_RECORD_DEFAULT);
}
ALIAS(cuEventRecord_ptsz, cuEventRecord);

/* Waiting for an event of a capturing stream draws this stream into the capture. */
CUresult cuStreamWaitEvent(CUstream handle, CUevent e, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    CUstream s;
    if (!stream_find(handle, &s) || !known(e))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (flags > CU_EVENT_WAIT_EXTERNAL)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    bool captured = object_is(e->capture, OBJECT_GRAPH) && e->capture->capturing;
    if (!captured)
        op_set_join(order_tail(stream_order(s)), &e->done);
    if (!s || !captured || flags == CU_EVENT_WAIT_EXTERNAL)
        LEAVE(!s && captured ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS);
    if (s->capture && s->capture != e->capture)
        LEAVE(CUDA_ERROR_STREAM_CAPTURE_MERGE);
    if (!s->capture)
        s->n_tail = 0;
    s->capture = e->capture;
    LEAVE(tail_add(&s->tail, &s->n_tail, &s->cap_tail, e->tail, e->n_tail)
              ? CUDA_SUCCESS
              : CUDA_ERROR_OUT_OF_MEMORY);
}
ALIAS(cuStreamWaitEvent_ptsz, cuStreamWaitEvent);

CUresult cuEventSynchronize(CUevent e)
{
    ENTER(NEED_CONTEXT);
    if (!known(e))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (!e->capture)
        record_host_waited(&e->done);
    LEAVE(e->capture ? CUDA_ERROR_CAPTURED_EVENT : CUDA_SUCCESS);
}
ALIAS(cuEventQuery, cuEventSynchronize);

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
    ENTER(NEED_CONTEXT);
    if (!milliseconds)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!known(start) || !known(end) || !start->recorded || !end->recorded ||
        ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    *milliseconds = (float)((end->time_us - start->time_us) / 1000.0);
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2);

/* A context's work, or what follows in it, as one event: everything has happened already. */
CUresult cuCtxRecordEvent(CUcontext c, CUevent e)
{
    ENTER(NEED_CONTEXT);
    if (!object_is(c, OBJECT_CONTEXT) || !known(e))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    event_record_now(e, order_tail(NULL));
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxWaitEvent(CUcontext c, CUevent e)
{
    ENTER(NEED_CONTEXT);
    LEAVE(object_is(c, OBJECT_CONTEXT) && known(e) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE);
}
