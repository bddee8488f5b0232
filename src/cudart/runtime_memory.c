/* runtime_memory.c - allocation, pools, page-locked memory, what a pointer is. */
#include "cudart/runtime.h"

#include <string.h>

#define PITCH_ELEMENT 4 /* the smallest access cuMemAllocPitch must serve */

static CUdeviceptr device_pointer(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

/* Nothing wanted: nothing given, and no error. The driver calls that invalid. */
static int nothing(void **pointer)
{
    if (pointer)
        *pointer = NULL;
    return pointer ? OK : INVALID_VALUE;
}

API(cudaMalloc, void **pointer, size_t bytes)
{
    if (!bytes)
        RESULT(nothing(pointer));
    PASS(cuMemAlloc_v2((CUdeviceptr *)(void *)pointer, bytes));
}

API(cudaFree, void *pointer)
{
    PASS(cuMemFree_v2(device_pointer(pointer)));
}

API(cudaMallocAsync, void **pointer, size_t bytes, CUstream stream)
{
    if (!bytes)
        RESULT(nothing(pointer));
    PASS(cuMemAllocAsync((CUdeviceptr *)(void *)pointer, bytes, stream));
}
API_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);

API(cudaMallocFromPoolAsync, void **pointer, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    if (!bytes)
        RESULT(nothing(pointer));
    PASS(cuMemAllocFromPoolAsync((CUdeviceptr *)(void *)pointer, bytes, pool, stream));
}
API_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);

API(cudaFreeAsync, void *pointer, CUstream stream)
{
    if (!pointer)
        return OK;
    PASS(cuMemFreeAsync(device_pointer(pointer), stream));
}
API_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);

API(cudaMallocManaged, void **pointer, size_t bytes, unsigned flags)
{
    if (!bytes)
        RESULT(nothing(pointer));
    PASS(cuMemAllocManaged((CUdeviceptr *)(void *)pointer, bytes,
                           flags ? flags : CU_MEM_ATTACH_GLOBAL));
}

API(cudaHostAlloc, void **pointer, size_t bytes, unsigned flags)
{
    if (!bytes)
        RESULT(nothing(pointer));
    PASS(cuMemHostAlloc(pointer, bytes, flags));
}

API(cudaMallocHost, void **pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, 0);
}

API(cudaFreeHost, void *pointer)
{
    if (!pointer)
        return OK;
    PASS(cuMemFreeHost(pointer));
}

static int allocate_rows(void **pointer, size_t *pitch, size_t width, size_t height)
{
    READY();
    if (!pitch)
        RESULT(INVALID_VALUE);
    *pitch = width;
    if (!width || !height)
        RESULT(nothing(pointer));
    RESULT(cuMemAllocPitch_v2((CUdeviceptr *)(void *)pointer, pitch, width, height, PITCH_ELEMENT));
}

API(cudaMallocPitch, void **pointer, size_t *pitch, size_t width, size_t height)
{
    return allocate_rows(pointer, pitch, width, height);
}

API(cudaMalloc3D, struct pitched_pointer *out, struct extent extent)
{
    size_t rows;
    if (!out)
        RESULT(INVALID_VALUE);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
        RESULT(MEMORY_ALLOCATION);
    out->xsize = extent.width;
    out->ysize = extent.height;
    return allocate_rows(&out->pointer, &out->pitch, extent.width, rows);
}

API(cudaMemGetInfo, size_t *free_bytes, size_t *total_bytes)
{
    PASS(cuMemGetInfo_v2(free_bytes, total_bytes));
}

API(cudaHostRegister, void *pointer, size_t bytes, unsigned flags)
{
    PASS(cuMemHostRegister_v2(pointer, bytes, flags));
}

API(cudaHostUnregister, void *pointer)
{
    PASS(cuMemHostUnregister(pointer));
}

API(cudaHostGetDevicePointer, void **out, void *host, unsigned flags)
{
    PASS(cuMemHostGetDevicePointer_v2((CUdeviceptr *)(void *)out, host, flags));
}

API(cudaHostGetFlags, unsigned *flags, void *host)
{
    PASS(cuMemHostGetFlags(flags, host));
}

/* The first 24 bytes of cudaPointerAttributes, which all versions share. */
struct pointer_attributes {
    int type; /* 0 unregistered, 1 host, 2 device, 3 managed */
    int device;
    void *device_pointer, *host_pointer;
};

API(cudaPointerGetAttributes, struct pointer_attributes *out, const void *pointer)
{
    int type = 0, ordinal = -2;
    unsigned managed = 0;
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *values[] = {&type, &managed, &ordinal};
    READY();
    if (!out)
        RESULT(INVALID_VALUE);
    CUresult status = cuPointerGetAttributes(3, which, values, device_pointer(pointer));
    void *same = (void *)(uintptr_t)pointer;
    bool on_device = type == CU_MEMORYTYPE_DEVICE, unknown = type == 0;
    *out = (struct pointer_attributes){managed ? 3 : type, ordinal, unknown ? NULL : same,
                                       on_device && !managed ? NULL : same};
    RESULT(status);
}

/* Where managed memory lies makes no difference here. */
API(cudaMemPrefetchAsync, void)
{
    PASS(CUDA_SUCCESS);
}
API_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync);
API_ALIAS(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync);
API_ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync);
API_ALIAS(cudaMemAdvise, cudaMemPrefetchAsync);
API_ALIAS(cudaMemAdvise_v2, cudaMemPrefetchAsync);
API_ALIAS(cudaStreamAttachMemAsync, cudaMemPrefetchAsync);
API_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaMemPrefetchAsync);

API(cudaCtxResetPersistingL2Cache, void)
{
    PASS(cuCtxResetPersistingL2Cache());
}

API(cudaMemRangeGetAttribute, void *out, size_t out_bytes, int which, const void *pointer,
    size_t bytes)
{
    PASS(cuMemRangeGetAttribute(out, out_bytes, (CUmem_range_attribute)which,
                                device_pointer(pointer), bytes));
}

API(cudaMemRangeGetAttributes, void **out, size_t *out_bytes, CUmem_range_attribute *which,
    size_t n, const void *pointer, size_t bytes)
{
    PASS(cuMemRangeGetAttributes(out, out_bytes, which, n, device_pointer(pointer), bytes));
}

/* ---- pools; structs and numbers are the driver's ---- */

API(cudaDeviceGetDefaultMemPool, CUmemoryPool *pool, int which)
{
    PASS(cuDeviceGetDefaultMemPool(pool, which));
}

API(cudaDeviceGetMemPool, CUmemoryPool *pool, int which)
{
    PASS(cuDeviceGetMemPool(pool, which));
}

API(cudaDeviceSetMemPool, int which, CUmemoryPool pool)
{
    PASS(cuDeviceSetMemPool(which, pool));
}

API(cudaMemPoolCreate, CUmemoryPool *pool, const CUmemPoolProps *properties)
{
    PASS(cuMemPoolCreate(pool, properties));
}

API(cudaMemPoolDestroy, CUmemoryPool pool)
{
    PASS(cuMemPoolDestroy(pool));
}

API(cudaMemPoolTrimTo, CUmemoryPool pool, size_t keep)
{
    PASS(cuMemPoolTrimTo(pool, keep));
}

API(cudaMemPoolSetAttribute, CUmemoryPool pool, int which, void *value)
{
    PASS(cuMemPoolSetAttribute(pool, (CUmemPool_attribute)which, value));
}

API(cudaMemPoolGetAttribute, CUmemoryPool pool, int which, void *value)
{
    PASS(cuMemPoolGetAttribute(pool, (CUmemPool_attribute)which, value));
}

API(cudaMemPoolSetAccess, CUmemoryPool pool, const CUmemAccessDesc *access, size_t n)
{
    PASS(cuMemPoolSetAccess(pool, access, n));
}

API(cudaMemPoolGetAccess, CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *where)
{
    PASS(cuMemPoolGetAccess(flags, pool, where));
}

API(cudaDeviceGraphMemTrim, int which)
{
    PASS(cuDeviceGraphMemTrim(which));
}

API(cudaDeviceGetGraphMemAttribute, int which, int attribute, void *value)
{
    PASS(cuDeviceGetGraphMemAttribute(which, (CUgraphMem_attribute)attribute, value));
}

API(cudaDeviceSetGraphMemAttribute, int which, int attribute, void *value)
{
    PASS(cuDeviceSetGraphMemAttribute(which, (CUgraphMem_attribute)attribute, value));
}
