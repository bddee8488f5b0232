/* virtual.c - addresses and memory apart: reserve, create, map, allow access. Memory is an
 * anonymous file, so that one piece can be mapped at several addresses. */
#include "cuda/driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRANULARITY (2u << 20)

struct physical {
    struct object object;
    uint64_t bytes;
    int fd;
    unsigned references; /* of the program and of mappings */
    CUmemAllocationProp prop;
};

static void drop(struct physical *p)
{
    if (--p->references)
        return;
    object_remove(&p->object);
    close(p->fd);
    memory_give_back(p->bytes);
    free(p);
}

static void destroy(struct object *o)
{
    drop((struct physical *)o);
}

static struct physical *physical_of(CUmemGenericAllocationHandle handle)
{
    void *p = (void *)(uintptr_t)handle;
    return object_is(p, OBJECT_PHYSICAL) ? p : NULL;
}

static bool valid_prop(const CUmemAllocationProp *p)
{
    return p && p->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
           p->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
}

CUresult cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags option)
{
    ENTER(NEED_INIT);
    if (!out || !valid_prop(prop) || (int)option < 0 ||
        option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (prop->location.id != 0)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    *out = GRANULARITY;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t align, CUdeviceptr wanted,
                             unsigned long long flags)
{
    (void)wanted; /* a wish */
    ENTER(NEED_INIT);
    if (!out || !bytes || bytes % GRANULARITY || flags || (align & (align - 1)))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    void *at = memory_reserve(bytes, align > GRANULARITY ? align : GRANULARITY);
    struct allocation a = {
        .base = (uint64_t)(uintptr_t)at, .bytes = bytes, .kind = MEMORY_RESERVED};
    if (!at || !allocation_add(&a))
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    *out = a.base;
    LEAVE(CUDA_SUCCESS);
}

/* The reservation that begins there; parts mapped at its very start are listed behind it. */
static struct allocation *reservation_at(CUdeviceptr pointer)
{
    for (size_t i = 0; i < allocation_count(); i++) {
        struct allocation *a = allocation_at(i);
        if (a->base == pointer && a->kind == MEMORY_RESERVED)
            return a;
    }
    return NULL;
}

static size_t mapped_within(uint64_t base, uint64_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < allocation_count(); i++) {
        const struct allocation *a = allocation_at(i);
        n += a->kind == MEMORY_MAPPED && a->base < base + bytes && base < a->base + a->bytes;
    }
    return n;
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes)
{
    ENTER(NEED_INIT);
    struct allocation *a = reservation_at(pointer);
    if (!a || a->bytes != bytes || mapped_within(pointer, bytes))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    memory_unreserve((void *)(uintptr_t)pointer);
    allocation_remove(a);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes,
                     const CUmemAllocationProp *prop, unsigned long long flags)
{
    ENTER(NEED_INIT);
    if (!out || !bytes || bytes % GRANULARITY || !valid_prop(prop) || flags)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (prop->location.id != 0)
        LEAVE(CUDA_ERROR_INVALID_DEVICE);
    if (!memory_take(bytes))
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    struct physical *p = calloc(1, sizeof *p);
    int fd = p ? memfd_create("strata-device", MFD_CLOEXEC) : -1;
    if (fd < 0 || ftruncate(fd, (off_t)bytes) ||
        !object_add(&p->object, OBJECT_PHYSICAL, NULL, destroy)) {
        if (fd >= 0)
            close(fd);
        free(p);
        memory_give_back(bytes);
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    p->bytes = bytes;
    p->fd = fd;
    p->references = 1;
    p->prop = *prop;
    *out = (CUmemGenericAllocationHandle)(uintptr_t)p;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    ENTER(NEED_INIT);
    struct physical *p = physical_of(handle);
    if (p)
        drop(p);
    LEAVE(p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    ENTER(NEED_INIT);
    struct physical *p = physical_of(handle);
    const struct allocation *a = allocation_find(pointer);
    if (!p || flags || !bytes || bytes % GRANULARITY || pointer % GRANULARITY ||
        offset % GRANULARITY || offset > p->bytes || bytes > p->bytes - offset)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (!a || a->kind != MEMORY_RESERVED || bytes > a->base + a->bytes - pointer ||
        mapped_within(pointer, bytes))
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    struct allocation mapped = {
        .base = pointer, .bytes = bytes, .kind = MEMORY_MAPPED, .physical = p};
    void *at = (void *)(uintptr_t)pointer;
    if (!allocation_add(&mapped))
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, p->fd, (off_t)offset) ==
        MAP_FAILED) {
        allocation_remove(allocation_find(pointer));
        LEAVE(CUDA_ERROR_OUT_OF_MEMORY);
    }
    p->references++;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes)
{
    ENTER(NEED_INIT);
    uint64_t covered = 0;
    for (size_t i = 0; i < allocation_count(); i++) {
        const struct allocation *a = allocation_at(i);
        if (a->kind == MEMORY_MAPPED && a->base >= pointer && a->base + a->bytes <= pointer + bytes)
            covered += a->bytes;
    }
    if (!bytes || covered != bytes) /* whole mappings only, and nothing else */
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = allocation_count(); i-- > 0;) {
        struct allocation *a = allocation_at(i);
        if (a->kind != MEMORY_MAPPED || a->base < pointer || a->base >= pointer + bytes)
            continue;
        drop(a->physical);
        allocation_remove(a);
    }
    mmap((void *)(uintptr_t)pointer, bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes, const CUmemAccessDesc *access, size_t n)
{
    uint64_t covered = 0;
    ENTER(NEED_INIT);
    if (!access || !n || !bytes)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < allocation_count(); i++) {
        struct allocation *a = allocation_at(i);
        if (a->kind == MEMORY_MAPPED && a->base >= pointer && a->base + a->bytes <= pointer + bytes)
            covered += a->bytes;
    }
    if (covered != bytes)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    for (size_t k = 0; k < n; k++)
        if (access[k].location.type == CU_MEM_LOCATION_TYPE_DEVICE && access[k].location.id != 0)
            LEAVE(CUDA_ERROR_INVALID_DEVICE);
    for (size_t i = 0; i < allocation_count(); i++) {
        struct allocation *a = allocation_at(i);
        if (a->kind == MEMORY_MAPPED && a->base >= pointer && a->base < pointer + bytes) {
            a->flags = access[n - 1].flags;
            a->accessible = access[n - 1].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
        }
    }
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *where, CUdeviceptr pointer)
{
    ENTER(NEED_INIT);
    const struct allocation *a = allocation_find(pointer);
    if (!flags || !where || !a || a->kind != MEMORY_MAPPED)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *flags = where->type == CU_MEM_LOCATION_TYPE_DEVICE && where->id == 0 ? a->flags : 0;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *pointer)
{
    ENTER(NEED_INIT);
    const struct allocation *a = allocation_find((uint64_t)(uintptr_t)pointer);
    if (!out || !a || a->kind != MEMORY_MAPPED)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    a->physical->references++;
    *out = (CUmemGenericAllocationHandle)(uintptr_t)a->physical;
    LEAVE(CUDA_SUCCESS);
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
                                                CUmemGenericAllocationHandle handle)
{
    ENTER(NEED_INIT);
    const struct physical *p = physical_of(handle);
    if (!prop || !p)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    *prop = p->prop;
    LEAVE(CUDA_SUCCESS);
}
