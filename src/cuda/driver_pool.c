/* driver_pool.c - memory in stream order, from pools. All pools share the device's memory; a pool
 * keeps its settings and its figures. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>

#define N_ATTRIBUTES 9

struct CUmemPoolHandle_st {
    struct object object;
    uint64_t attribute[N_ATTRIBUTES]; /* by CUmemPool_attribute */
    CUmemAccess_flags access;
    uint64_t used, used_high;
};

static CUmemoryPool default_pool, current_pool;

static void destroy(struct object *o)
{
    object_remove(o);
    if ((CUmemoryPool)o == current_pool)
        current_pool = NULL;
    free(o);
}

static CUmemoryPool make(void)
{
    CUmemoryPool p = calloc(1, sizeof *p);
    if (!p || !object_add(&p->object, OBJECT_POOL, NULL, destroy)) {
        free(p);
        return NULL;
    }
    p->access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    p->attribute[CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] = 1;
    p->attribute[CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC] = 1;
    p->attribute[CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES] = 1;
    return p;
}

static CUmemoryPool the_default(void)
{
    if (!default_pool)
        default_pool = make();
    return default_pool;
}

static CUmemoryPool the_current(void)
{
    return current_pool ? current_pool : the_default();
}

static bool valid(CUmemoryPool p)
{
    return object_is(p, OBJECT_POOL);
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice which)
{
    ENTER(NEED_INIT);
    if (!out || which != 0)
        LEAVE(out ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    *out = the_default();
    LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *out, CUdevice which)
{
    ENTER(NEED_INIT);
    if (!out || which != 0)
        LEAVE(out ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    *out = the_current();
    LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuDeviceSetMemPool(CUdevice which, CUmemoryPool p)
{
    ENTER(NEED_INIT);
    if (which != 0 || !valid(p))
        LEAVE(which ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    current_pool = p;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props)
{
    ENTER(NEED_INIT);
    if (!out || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE || props->location.id != 0)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = make();
    LEAVE(*out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuMemPoolDestroy(CUmemoryPool p)
{
    ENTER(NEED_INIT);
    if (!valid(p) || p == default_pool)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    destroy(&p->object);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t keep)
{
    (void)keep; /* nothing is kept beyond what is in use */
    ENTER(NEED_INIT);
    LEAVE(valid(p) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

/* The first three are switches of 4 bytes, the rest sizes of 8. */
static bool is_switch(CUmemPool_attribute which)
{
    return which >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
           which <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

static bool known(CUmemPool_attribute which)
{
    return (int)which >= 1 && (int)which < N_ATTRIBUTES;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool p, CUmemPool_attribute which, void *value)
{
    ENTER(NEED_INIT);
    if (!valid(p) || !value || !known(which))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (is_switch(which) || which == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
        p->attribute[which] =
            is_switch(which) ? (uint64_t) * (int *)value : *(const cuuint64_t *)value;
    else if (*(const cuuint64_t *)value) /* high-water marks can only be set back to 0 */
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    else
        p->used_high = p->used;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute which, void *value)
{
    ENTER(NEED_INIT);
    if (!valid(p) || !value || !known(which))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (is_switch(which))
        *(int *)value = (int)p->attribute[which];
    else if (which == CU_MEMPOOL_ATTR_RELEASE_THRESHOLD)
        *(cuuint64_t *)value = p->attribute[which];
    else
        *(cuuint64_t *)value =
            which == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH || which == CU_MEMPOOL_ATTR_USED_MEM_HIGH
                ? p->used_high
                : p->used;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *access, size_t n)
{
    ENTER(NEED_INIT);
    if (!valid(p) || (n && !access))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < n; i++)
        if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id != 0)
            LEAVE(CUDA_ERROR_INVALID_DEVICE);
        else if (access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            LEAVE(CUDA_ERROR_INVALID_VALUE); /* the owner keeps its access */
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool p, CUmemLocation *where)
{
    ENTER(NEED_INIT);
    if (!valid(p) || !flags || !where)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = where->type == CU_MEM_LOCATION_TYPE_DEVICE && where->id == 0
                 ? p->access
                 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    LEAVE(CUDA_SUCCESS);
}

static CUresult allocate(CUdeviceptr *out, size_t bytes, CUmemoryPool p, CUstream stream)
{
    uint64_t address;
    CUstream s;
    if (!stream_find(stream, &s))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!out || !valid(p))
        return CUDA_ERROR_INVALID_VALUE;
    *out = 0;
    if (!bytes)
        return CUDA_SUCCESS;
    CUresult status = memory_allocate(&address, bytes, MEMORY_DEVICE, 0);
    if (status != CUDA_SUCCESS)
        return status;
    allocation_find(address)->pool = p;
    p->used += bytes;
    if (p->used > p->used_high)
        p->used_high = p->used;
    *out = address;
    return stream_capture(stream) ? capture_memory(s, CU_GRAPH_NODE_TYPE_MEM_ALLOC, address)
                                  : CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream)
{
    ENTER(NEED_CONTEXT);
    LEAVE(allocate(out, bytes, the_current(), stream));
}
ALIAS(cuMemAllocAsync_ptsz, cuMemAllocAsync);

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, CUmemoryPool p, CUstream stream)
{
    ENTER(NEED_CONTEXT);
    LEAVE(allocate(out, bytes, p, stream));
}
ALIAS(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync);

/* Memory that a graph allocates stays where it is: the graph may be launched again. */
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
    CUstream s;
    ENTER(NEED_CONTEXT);
    if (!stream_find(stream, &s))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (stream_capture(stream))
        LEAVE(capture_memory(s, CU_GRAPH_NODE_TYPE_MEM_FREE, pointer));
    const struct allocation *a = allocation_find(pointer);
    CUmemoryPool p = a ? a->pool : NULL;
    uint64_t bytes = a ? a->bytes : 0;
    CUresult status = pointer ? memory_release(pointer, false) : CUDA_ERROR_INVALID_VALUE;
    if (status == CUDA_SUCCESS && valid(p))
        p->used -= bytes;
    LEAVE(status);
}
ALIAS(cuMemFreeAsync_ptsz, cuMemFreeAsync);

/* What graphs allocated is not counted apart. */
CUresult cuDeviceGraphMemTrim(CUdevice which)
{
    ENTER(NEED_INIT);
    LEAVE(which == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice which, CUgraphMem_attribute attribute, void *value)
{
    (void)attribute;
    ENTER(NEED_INIT);
    if (which != 0 || !value)
        LEAVE(which ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    *(cuuint64_t *)value = 0;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice which, CUgraphMem_attribute attribute, void *value)
{
    (void)attribute;
    ENTER(NEED_INIT);
    if (which != 0 || !value)
        LEAVE(which ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
    LEAVE(CUDA_SUCCESS);
}
