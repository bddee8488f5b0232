/* memory_api.c - allocation calls, page-locked memory, and what can be asked about a pointer. */
#include "cuda/driver.h"

#include <string.h>

#define PITCH_BYTES 512 /* rows of cuMemAllocPitch on every GPU since Volta */

static CUresult allocate(CUdeviceptr *out, size_t bytes, enum memory_kind kind, unsigned flags)
{
    uint64_t address;
    if (!out || !bytes)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult status = memory_allocate(&address, bytes, kind, flags);
    if (status == CUDA_SUCCESS)
        *out = address;
    return status;
}

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes)
{
    ENTER(NEED_CONTEXT);
    LEAVE(allocate(out, bytes, MEMORY_DEVICE, 0));
}

CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    ENTER(NEED_CONTEXT);
    LEAVE(pointer ? memory_release(pointer, false) : CUDA_SUCCESS);
}

CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    LEAVE(allocate(out, bytes, MEMORY_MANAGED, flags));
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                            unsigned element_bytes)
{
    size_t bytes;
    ENTER(NEED_CONTEXT);
    if (!out || !pitch || !width || !height)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (width > SIZE_MAX - PITCH_BYTES)
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    size_t row = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    if (__builtin_mul_overflow(row, height, &bytes))
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    CUresult status = allocate(out, bytes, MEMORY_DEVICE, 0);
    if (status == CUDA_SUCCESS)
        *pitch = row;
    LEAVE(status);
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    ENTER(NEED_CONTEXT);
    if (free_bytes)
        *free_bytes = memory_free_bytes();
    if (total_bytes)
        *total_bytes = device.memory_bytes;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer)
{
    ENTER(NEED_CONTEXT);
    const struct allocation *a = allocation_find(pointer);
    if (!a || a->kind == MEMORY_RESERVED)
        LEAVE(CUDA_ERROR_NOT_FOUND);
    if (base)
        *base = a->base;
    if (bytes)
        *bytes = a->bytes;
    LEAVE(CUDA_SUCCESS);
}

/* ---- page-locked host memory ---- */

CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    CUdeviceptr address;
    ENTER(NEED_CONTEXT);
    if (!out || flags > 7)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = NULL;
    if (!bytes)
        LEAVE(CUDA_SUCCESS);
    CUresult status = allocate(&address, bytes, MEMORY_HOST, flags);
    if (status == CUDA_SUCCESS)
        *out = (void *)(uintptr_t)address;
    LEAVE(status);
}

CUresult cuMemAllocHost_v2(void **out, size_t bytes)
{
    return cuMemHostAlloc(out, bytes, 0);
}

CUresult cuMemFreeHost(void *pointer)
{
    ENTER(NEED_CONTEXT);
    LEAVE(memory_release((uint64_t)(uintptr_t)pointer, true));
}

static bool overlaps(uint64_t base, uint64_t bytes)
{
    for (size_t i = 0; i < allocation_count(); i++) {
        const struct allocation *a = allocation_at(i);
        if (a->base < base + bytes && base < a->base + a->bytes)
            return true;
    }
    return false;
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    uint64_t base = (uint64_t)(uintptr_t)pointer;
    if (!pointer || !bytes || bytes > UINT64_MAX - base || flags > 15)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (overlaps(base, bytes))
        LEAVE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    struct allocation a = {.base = base,
                           .bytes = bytes,
                           .kind = MEMORY_REGISTERED,
                           .owner = context_current(),
                           .flags = flags,
                           .accessible = true};
    LEAVE(allocation_add(&a) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}
ALIAS(cuMemHostRegister, cuMemHostRegister_v2);

static struct allocation *host_find(const void *pointer)
{
    struct allocation *a = allocation_find((uint64_t)(uintptr_t)pointer);
    return a && (a->kind == MEMORY_HOST || a->kind == MEMORY_REGISTERED) ? a : NULL;
}

CUresult cuMemHostUnregister(void *pointer)
{
    ENTER(NEED_CONTEXT);
    struct allocation *a = host_find(pointer);
    if (!pointer)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!a || a->kind != MEMORY_REGISTERED || a->base != (uint64_t)(uintptr_t)pointer)
        LEAVE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    allocation_remove(a);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *host, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    if (!out || flags || !host_find(host))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *out = (CUdeviceptr)(uintptr_t)host;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemHostGetFlags(unsigned *flags, void *host)
{
    ENTER(NEED_CONTEXT);
    const struct allocation *a = host_find(host);
    if (!flags || !a)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = a->flags | CU_MEMHOSTALLOC_DEVICEMAP; /* what unified addressing always gives */
    LEAVE(CUDA_SUCCESS);
}

/* ---- what a pointer is ---- */

static bool is_host(const struct allocation *a)
{
    return a->kind == MEMORY_HOST || a->kind == MEMORY_REGISTERED;
}

static size_t attribute_bytes(CUpointer_attribute which)
{
    switch (which) {
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return 4;
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        return 8;
    default:
        return 0;
    }
}

/* All values fit into 64 bits; the caller takes as many bytes as the attribute has. */
static CUresult pointer_attribute(CUpointer_attribute which, const struct allocation *a,
                                  CUdeviceptr pointer, uint64_t *value)
{
    switch (which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *value = (uint64_t)(uintptr_t)a->owner;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *value = is_host(a) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *value = pointer;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *value = pointer;
        return is_host(a) || a->kind == MEMORY_MANAGED ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *value = a->sync_memops;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        *value = a->id;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *value = a->kind == MEMORY_MANAGED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *value = a->base;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        *value = a->bytes;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *value = a->kind != MEMORY_RESERVED;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *value = a->kind == MEMORY_DEVICE && !a->pool;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *value = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *value = (uint64_t)(uintptr_t)a->pool;
        return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        *value = 0;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult cuPointerGetAttribute(void *out, CUpointer_attribute which, CUdeviceptr pointer)
{
    uint64_t value = 0;
    ENTER(NEED_CONTEXT);
    size_t bytes = attribute_bytes(which);
    const struct allocation *a = allocation_find(pointer);
    if (!out || !bytes || !a)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    CUresult status = pointer_attribute(which, a, pointer, &value);
    if (status == CUDA_SUCCESS)
        memcpy(out, &value, bytes); /* both machines are little-endian */
    LEAVE(status);
}

/* Of an unknown pointer everything is 0: this form answers for any address. */
CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *which, void **out,
                                CUdeviceptr pointer)
{
    ENTER(NEED_CONTEXT);
    const struct allocation *a = allocation_find(pointer);
    if (!n || !which || !out)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (unsigned i = 0; i < n; i++) {
        uint64_t value = 0;
        size_t bytes = attribute_bytes(which[i]);
        if (!bytes || !out[i])
            LEAVE(CUDA_ERROR_INVALID_VALUE);
        if (!a || pointer_attribute(which[i], a, pointer, &value) != CUDA_SUCCESS)
            value = which[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? (uint64_t)-2 : 0;
        memcpy(out[i], &value, bytes);
    }
    LEAVE(CUDA_SUCCESS);
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute which, CUdeviceptr pointer)
{
    ENTER(NEED_CONTEXT);
    struct allocation *a = allocation_find(pointer);
    if (!value || which != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !a || is_host(a))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    a->sync_memops = *(const int *)value != 0;
    LEAVE(CUDA_SUCCESS);
}

/* ---- where managed memory lies makes no difference here ---- */

static CUresult check_managed(CUdeviceptr pointer, size_t bytes)
{
    const struct allocation *a = allocation_find(pointer);
    if (!bytes || !a || bytes > a->base + a->bytes - pointer || a->kind != MEMORY_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice where, CUstream stream)
{
    ENTER(NEED_CONTEXT);
    if (!stream_find(stream, &stream))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (where != 0 && where != CU_DEVICE_CPU)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    LEAVE(check_managed(pointer, bytes));
}
ALIAS(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync);

CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes, CUmemLocation where,
                               unsigned flags, CUstream stream)
{
    CUdevice to = where.type == CU_MEM_LOCATION_TYPE_DEVICE ? where.id : CU_DEVICE_CPU;
    return flags ? CUDA_ERROR_INVALID_VALUE : cuMemPrefetchAsync(pointer, bytes, to, stream);
}
ALIAS(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2);

CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUdevice where)
{
    ENTER(NEED_CONTEXT);
    if ((int)advice < 1 || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (where != 0 && where != CU_DEVICE_CPU)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    LEAVE(check_managed(pointer, bytes));
}

CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, CUmem_advise advice, CUmemLocation where)
{
    CUdevice to = where.type == CU_MEM_LOCATION_TYPE_DEVICE ? where.id : CU_DEVICE_CPU;
    return cuMemAdvise(pointer, bytes, advice, to);
}

CUresult cuMemRangeGetAttribute(void *out, size_t out_bytes, CUmem_range_attribute which,
                                CUdeviceptr pointer, size_t bytes)
{
    ENTER(NEED_CONTEXT);
    CUresult status = check_managed(pointer, bytes);
    if (!out || out_bytes < 4 || out_bytes % 4)
        status = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; status == CUDA_SUCCESS && i < out_bytes / 4; i++)
        ((int *)out)[i] = which == CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ? 0 : (int)CU_DEVICE_INVALID;
    LEAVE(status);
}

CUresult cuMemRangeGetAttributes(void **out, size_t *out_bytes, CUmem_range_attribute *which,
                                 size_t n, CUdeviceptr pointer, size_t bytes)
{
    CUresult status = out && out_bytes && which && n ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; status == CUDA_SUCCESS && i < n; i++)
        status = cuMemRangeGetAttribute(out[i], out_bytes[i], which[i], pointer, bytes);
    return status;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t bytes, unsigned flags)
{
    ENTER(NEED_CONTEXT);
    (void)bytes;
    if (!stream_find(stream, &stream))
        LEAVE(CUDA_ERROR_INVALID_HANDLE);
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST &&
        flags != CU_MEM_ATTACH_SINGLE)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    LEAVE(allocation_find(pointer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
ALIAS(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync);
