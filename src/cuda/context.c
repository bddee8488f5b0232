/* context.c - contexts: the primary one, others, and each thread's stack of them. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

#define STACK_DEPTH 128
#define API_VERSION 3020

static CUcontext primary;
static unsigned primary_count, primary_flags;
static uint64_t next_id = 1;
/* After an error of a kernel the driver (580) makes no further context in the process, even when
 * the one that failed is gone. */
static CUresult process_failed;

static _Thread_local struct {
    CUcontext context[STACK_DEPTH];
    size_t depth;
} stack;

/* Limits of the device; a context shares them, since one device serves one program. */
static size_t limits[CU_LIMIT_MAX] = {
    [CU_LIMIT_STACK_SIZE] = 1024,
    [CU_LIMIT_PRINTF_FIFO_SIZE] = 7340032,
    [CU_LIMIT_MALLOC_HEAP_SIZE] = 8388608,
    [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = 2,
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = 2048,
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = 64,
};

CUcontext context_current(void)
{
    CUcontext c = stack.depth ? stack.context[stack.depth - 1] : NULL;
    return object_is(c, OBJECT_CONTEXT) ? c : NULL;
}

void context_fail(CUcontext c, CUresult status)
{
    if (c && !c->failed)
        c->failed = process_failed = status;
}

static void destroy(struct object *o)
{
    CUcontext c = (CUcontext)o;
    object_remove(o);
    object_destroy_owned(c);
    memory_release_owned(c);
    if (c == primary) {
        primary = NULL;
        primary_count = 0;
    }
    free(c->stored);
    free(c);
}

static CUcontext make(unsigned flags)
{
    CUcontext c = calloc(1, sizeof *c);
    if (!c || !object_add(&c->object, OBJECT_CONTEXT, NULL, destroy)) {
        free(c);
        return NULL;
    }
    c->flags = flags;
    c->id = next_id++;
    return c;
}

CUcontext context_primary(void)
{
    if (primary)
        return primary;
    primary = make(primary_flags);
    if (primary)
        primary->is_primary = true;
    return primary;
}

static CUresult check_device(CUdevice which)
{
    return which == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* ---- the primary context ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice which)
{
    ENTER(NEED_INIT);
    if (!out)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (which != 0)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (process_failed && !primary)
        LEAVE(process_failed);
    *out = context_primary();
    if (*out)
        primary_count++;
    LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice which)
{
    ENTER(NEED_INIT);
    if (which != 0)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!primary || !primary_count)
        LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    if (--primary_count == 0)
        destroy(&primary->object);
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

CUresult cuDevicePrimaryCtxReset_v2(CUdevice which)
{
    ENTER(NEED_INIT);
    if (which == 0 && primary)
        destroy(&primary->object);
    LEAVE(check_device(which));
}
ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice which, unsigned flags)
{
    ENTER(NEED_INIT);
    if (which != 0)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    primary_flags = flags;
    if (primary)
        primary->flags = flags;
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

CUresult cuDevicePrimaryCtxGetState(CUdevice which, unsigned *flags, int *active)
{
    ENTER(NEED_INIT);
    if (which != 0)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!flags || !active)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = primary_flags;
    *active = primary != NULL;
    LEAVE(CUDA_SUCCESS);
}

/* ---- contexts of the program's own ---- */

static CUresult push(CUcontext c)
{
    if (stack.depth == STACK_DEPTH)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stack.context[stack.depth++] = c;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice which)
{
    ENTER(NEED_INIT);
    if (!out || flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (which != 0)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (process_failed)
        LEAVE(process_failed);
    *out = make(flags);
    LEAVE(*out ? push(*out) : CUDA_ERROR_OUT_OF_MEMORY);
}
ALIAS(cuCtxCreate, cuCtxCreate_v2);

/* Affinity to a part of the SMs changes no result. */
CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *affinity, int n, unsigned flags,
                        CUdevice which)
{
    (void)affinity;
    return n < 0 ? CUDA_ERROR_INVALID_VALUE : cuCtxCreate_v2(out, flags, which);
}

CUresult cuCtxCreate_v4(CUcontext *out, CUctxCreateParams *params, unsigned flags, CUdevice which)
{
    (void)params;
    return cuCtxCreate_v2(out, flags, which);
}

static void remove_from_stack(CUcontext c)
{
    while (stack.depth && stack.context[stack.depth - 1] == c)
        stack.depth--;
}

CUresult cuCtxDestroy_v2(CUcontext c)
{
    ENTER(NEED_INIT);
    if (!c)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!object_is(c, OBJECT_CONTEXT) || c->is_primary)
        LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    destroy(&c->object);
    remove_from_stack(c);
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuCtxDestroy, cuCtxDestroy_v2);

CUresult cuCtxAttach(CUcontext *out, unsigned flags)
{
    ENTER(NEED_INIT);
    if (!out || flags)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = context_current();
    LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxDetach(CUcontext c)
{
    return cuCtxDestroy_v2(c);
}

CUresult cuCtxPushCurrent_v2(CUcontext c)
{
    ENTER(NEED_INIT);
    LEAVE(object_is(c, OBJECT_CONTEXT) ? push(c) : CUDA_ERROR_INVALID_CONTEXT);
}
ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);

CUresult cuCtxPopCurrent_v2(CUcontext *out)
{
    ENTER(NEED_INIT);
    if (!stack.depth)
        LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    stack.depth--;
    if (out)
        *out = stack.context[stack.depth];
    LEAVE(CUDA_SUCCESS);
}
ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);

CUresult cuCtxSetCurrent(CUcontext c)
{
    ENTER(NEED_INIT);
    if (!c) {
        stack.depth -= stack.depth > 0;
        LEAVE(CUDA_SUCCESS);
    }
    if (!object_is(c, OBJECT_CONTEXT))
        LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    if (!stack.depth)
        LEAVE(push(c));
    stack.context[stack.depth - 1] = c;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetCurrent(CUcontext *out)
{
    ENTER(NEED_INIT);
    if (!out)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = context_current();
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetDevice(CUdevice *out)
{
    ENTER(NEED_INIT);
    if (!context_current())
        LEAVE(CUDA_ERROR_INVALID_CONTEXT);
    if (!out)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = 0;
    LEAVE(CUDA_SUCCESS);
}

/* The context a call is about: the one named, or the current one. */
static CUcontext named(CUcontext c)
{
    return !c ? context_current() : object_is(c, OBJECT_CONTEXT) ? c : NULL;
}

CUresult cuCtxGetDevice_v2(CUdevice *out, CUcontext c)
{
    ENTER(NEED_INIT);
    if (!out)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = 0;
    LEAVE(named(c) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    ENTER(NEED_CONTEXT);
    if (!flags)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = context_current()->flags;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxSetFlags(unsigned flags)
{
    ENTER(NEED_CONTEXT);
    if (flags & ~(unsigned)CU_CTX_FLAGS_MASK)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    context_current()->flags = flags;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetId(CUcontext c, unsigned long long *id)
{
    ENTER(NEED_INIT);
    c = named(c);
    if (!id)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (c)
        *id = c->id;
    LEAVE(c ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxGetApiVersion(CUcontext c, unsigned *version)
{
    ENTER(NEED_INIT);
    if (!version)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *version = API_VERSION;
    LEAVE(named(c) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
}

/* Nothing is in flight between calls. */
CUresult cuCtxSynchronize(void)
{
    ENTER(NEED_CONTEXT);
    record_host_waited(NULL);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxSynchronize_v2(CUcontext c)
{
    ENTER(NEED_INIT);
    c = named(c);
    if (c)
        record_host_waited(NULL);
    LEAVE(c ? c->failed : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxResetPersistingL2Cache(void)
{
    ENTER(NEED_CONTEXT);
    record_persisting_reset();
    LEAVE(CUDA_SUCCESS);
}

static bool is_limit(CUlimit limit)
{
    return (int)limit >= 0 && limit < CU_LIMIT_MAX;
}

size_t context_limit(CUlimit limit)
{
    return limits[limit];
}

/* The driver's interface calls what is set aside of the L2 a hint that may be clamped. */
CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    ENTER(NEED_CONTEXT);
    if (!is_limit(limit))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && value > device.persisting_max_bytes)
        value = device.persisting_max_bytes;
    limits[limit] = value;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    ENTER(NEED_CONTEXT);
    if (!value)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!is_limit(limit))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *value = limits[limit];
    LEAVE(CUDA_SUCCESS);
}

/* Carve-out and bank settings change speed, not results. */
CUresult cuCtxSetCacheConfig(CUfunc_cache value)
{
    ENTER(NEED_CONTEXT);
    if ((int)value < 0 || value > CU_FUNC_CACHE_PREFER_EQUAL)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    context_current()->cache = value;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *value)
{
    ENTER(NEED_CONTEXT);
    if (!value)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *value = context_current()->cache;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig value)
{
    ENTER(NEED_CONTEXT);
    LEAVE((int)value < 0 || (int)value > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS);
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *value)
{
    ENTER(NEED_CONTEXT);
    if (!value)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *value = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    ENTER(NEED_CONTEXT);
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam *out, CUexecAffinityType type)
{
    ENTER(NEED_CONTEXT);
    if (!out)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
        LEAVE(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    out->type = type;
    out->param.smCount.val = device.sm_count;
    LEAVE(CUDA_SUCCESS);
}

/* There is no other device. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    if (flags)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    LEAVE(object_is(peer, OBJECT_CONTEXT) ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
                                          : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    ENTER(NEED_CONTEXT);
    LEAVE(object_is(peer, OBJECT_CONTEXT) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
                                          : CUDA_ERROR_INVALID_CONTEXT);
}
