/* memory.c - allocation. Device, managed and page-locked memory all come from one arena whose
 * addresses are the same in every run, so that traces repeat. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Where the driver (580) puts device memory: small arrays one behind the other, large ones at the
 * beginning of a page. Which lines share a set of a cache depends on it. */
#define ALIGN_BYTES 512
#define PAGE_BYTES  (2u << 20)
#define PITCH_BYTES 512 /* rows of cudaMallocPitch on every GPU since Volta */

/* Host memory the program registered (cudaHostRegister), and what kind an allocation is. */
struct registered {
    uint64_t base, bytes;
    bool is_host; /* page-locked host memory from cudaHostAlloc, inside the arena */
    bool is_managed;
    bool in_arena;
};
static struct registered *registry;
static size_t n_registry, cap_registry;
static uint64_t used_bytes;

/* With --memcheck every allocation is followed by a gap that belongs to nobody, and freed memory is
 * not given out again. */
#define GAP_BYTES 65536
struct guarded {
    uint64_t base, bytes; /* without the gap */
    bool freed;
};
static struct guarded *guarded;
static size_t n_guarded, cap_guarded;

uint64_t device_memory_bytes(void)
{
    return device.memory_bytes;
}

static struct registered *registered_find(uint64_t address)
{
    for (size_t i = 0; i < n_registry; i++)
        if (address - registry[i].base < registry[i].bytes)
            return &registry[i];
    return NULL;
}

static struct guarded *guarded_find(uint64_t base)
{
    for (size_t i = 0; i < n_guarded; i++)
        if (guarded[i].base == base)
            return &guarded[i];
    return NULL;
}

/* The range without its gap; false if the address is in the gap or the memory was freed. */
static bool without_gap(uint64_t address, struct strata_memory_range *range)
{
    const struct guarded *g = guarded_find(range->base);
    if (!g)
        return true;
    range->bytes = g->bytes;
    return !g->freed && address - range->base < range->bytes;
}

bool memory_find(uint64_t address, struct strata_memory_range *out)
{
    struct strata_memory_range range;
    if (strata_arena_find(arena, address, &range)) {
        if (!without_gap(address, &range))
            return false;
        *out = range;
        return true;
    }
    const struct registered *r = registered_find(address);
    if (r)
        *out = (struct strata_memory_range){r->base, r->bytes};
    return r != NULL;
}

void *memory_allocate(size_t bytes, size_t align_bytes)
{
    /* More than the device holds fails as on the device. */
    if (bytes > device.memory_bytes - used_bytes)
        return NULL;
    uint64_t gap =
        config.memcheck && ARRAY_RESERVE(guarded, n_guarded, cap_guarded, 1) ? GAP_BYTES : 0;
    void *p = strata_arena_allocate(arena, (bytes ? bytes : 1) + gap, align_bytes);
    if (p && gap)
        guarded[n_guarded++] = (struct guarded){(uint64_t)(uintptr_t)p, bytes, false};
    if (p)
        used_bytes = strata_arena_used_bytes(arena);
    return p;
}

bool memory_release(void *pointer)
{
    struct guarded *g = guarded_find((uint64_t)(uintptr_t)pointer);
    if (g) {
        bool first = !g->freed;
        g->freed = true;
        return first;
    }
    bool ok = strata_arena_release(arena, pointer);
    used_bytes = strata_arena_used_bytes(arena);
    return ok;
}

static void *interface_allocate(void *user, uint64_t bytes, uint64_t align_bytes)
{
    (void)user;
    return memory_allocate(bytes, align_bytes < ALIGN_BYTES ? ALIGN_BYTES : align_bytes);
}

static void interface_release(void *user, void *memory)
{
    (void)user;
    memory_release(memory);
}

static bool interface_find(void *user, uint64_t address, struct strata_memory_range *out)
{
    (void)user;
    return memory_find(address, out);
}

/* With --memcheck every load outside an allocation is an error. */
static bool interface_near(void *user, uint64_t address, uint64_t bytes)
{
    (void)user;
    return !config.memcheck && strata_arena_near(arena, address, bytes);
}

struct strata_device_memory memory_interface(void)
{
    return (struct strata_device_memory){.allocate = interface_allocate,
                                         .release = interface_release,
                                         .find = interface_find,
                                         .near = interface_near};
}

static int allocate(void **pointer, size_t bytes, bool host, bool managed)
{
    if (!pointer)
        return INVALID_VALUE;
    *pointer = NULL;
    if (!bytes)
        return OK; /* the runtime gives NULL and success */
    void *p = memory_allocate(bytes, bytes >= PAGE_BYTES ? PAGE_BYTES : ALIGN_BYTES);
    if (!p)
        return MEMORY_ALLOCATION;
    if (host || managed) {
        if (!ARRAY_RESERVE(registry, n_registry, cap_registry, 1)) {
            memory_release(p);
            return MEMORY_ALLOCATION;
        }
        registry[n_registry++] =
            (struct registered){(uint64_t)(uintptr_t)p, bytes, host, managed, true};
        memset(p, 0, bytes);
    }
    *pointer = p;
    return OK;
}

static int release(void *pointer)
{
    if (!pointer)
        return OK;
    if (!memory_release(pointer)) {
        runtime_complain(
            "a pointer (%p) is freed that no allocation returned, or that was freed before.",
            pointer);
        return INVALID_VALUE;
    }
    struct registered *r = registered_find((uint64_t)(uintptr_t)pointer);
    if (r && r->in_arena)
        *r = registry[--n_registry];
    return OK;
}

API(cudaMalloc, void **pointer, size_t bytes)
{
    ENTER();
    LEAVE(allocate(pointer, bytes, false, false));
}

API(cudaFree, void *pointer)
{
    ENTER();
    LEAVE(release(pointer));
}

API(cudaMallocAsync, void **pointer, size_t bytes, void *stream)
{
    (void)stream;
    ENTER();
    LEAVE(allocate(pointer, bytes, false, false));
}
API_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync, void **pointer, size_t bytes, void *stream);

API(cudaMallocFromPoolAsync, void **pointer, size_t bytes, void *pool, void *stream)
{
    (void)pool, (void)stream;
    ENTER();
    LEAVE(allocate(pointer, bytes, false, false));
}
API_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync, void **pointer, size_t bytes,
          void *pool, void *stream);

API(cudaFreeAsync, void *pointer, void *stream)
{
    (void)stream;
    ENTER();
    LEAVE(release(pointer));
}
API_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync, void *pointer, void *stream);

API(cudaMallocManaged, void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    ENTER();
    LEAVE(allocate(pointer, bytes, false, true));
}

API(cudaMallocHost, void **pointer, size_t bytes)
{
    ENTER();
    LEAVE(allocate(pointer, bytes, true, false));
}

API(cudaHostAlloc, void **pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    ENTER();
    LEAVE(allocate(pointer, bytes, true, false));
}

API(cudaFreeHost, void *pointer)
{
    ENTER();
    LEAVE(release(pointer));
}

API(cudaMallocPitch, void **pointer, size_t *pitch, size_t width, size_t height)
{
    ENTER();
    if (!pitch)
        LEAVE(INVALID_VALUE);
    *pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    LEAVE(allocate(pointer, *pitch * height, false, false));
}

API(cudaMalloc3D, struct pitched_pointer *out, struct extent extent)
{
    ENTER();
    if (!out)
        LEAVE(INVALID_VALUE);
    out->pitch = (extent.width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
    out->xsize = extent.width;
    out->ysize = extent.height;
    LEAVE(allocate(&out->pointer, out->pitch * extent.height * extent.depth, false, false));
}

API(cudaMemGetInfo, size_t *free_bytes, size_t *total_bytes)
{
    ENTER();
    if (free_bytes)
        *free_bytes = device.memory_bytes - used_bytes;
    if (total_bytes)
        *total_bytes = device.memory_bytes;
    LEAVE(OK);
}

API(cudaHostRegister, void *pointer, size_t bytes, unsigned flags)
{
    (void)flags;
    ENTER();
    if (!pointer || !bytes)
        LEAVE(INVALID_VALUE);
    if (registered_find((uint64_t)(uintptr_t)pointer))
        LEAVE(HOST_ALREADY_REGISTERED);
    if (!ARRAY_RESERVE(registry, n_registry, cap_registry, 1))
        LEAVE(MEMORY_ALLOCATION);
    registry[n_registry++] =
        (struct registered){(uint64_t)(uintptr_t)pointer, bytes, true, false, false};
    LEAVE(OK);
}

API(cudaHostUnregister, void *pointer)
{
    ENTER();
    struct registered *r = registered_find((uint64_t)(uintptr_t)pointer);
    if (!r || r->in_arena)
        LEAVE(HOST_NOT_REGISTERED);
    *r = registry[--n_registry];
    LEAVE(OK);
}

API(cudaHostGetDevicePointer, void **out, void *host, unsigned flags)
{
    (void)flags;
    ENTER();
    if (!out || !registered_find((uint64_t)(uintptr_t)host))
        LEAVE(INVALID_VALUE);
    *out = host;
    LEAVE(OK);
}

API(cudaHostGetFlags, unsigned *flags, void *host)
{
    ENTER();
    if (!flags || !registered_find((uint64_t)(uintptr_t)host))
        LEAVE(INVALID_VALUE);
    *flags = 0;
    LEAVE(OK);
}

/* The first 24 bytes of cudaPointerAttributes, which all versions share. */
struct pointer_attributes {
    int type; /* 0 unregistered, 1 host, 2 device, 3 managed */
    int device;
    void *device_pointer, *host_pointer;
};

API(cudaPointerGetAttributes, struct pointer_attributes *out, const void *pointer)
{
    ENTER();
    if (!out)
        LEAVE(INVALID_VALUE);
    struct strata_memory_range range;
    const struct registered *r = registered_find((uint64_t)(uintptr_t)pointer);
    void *same = (void *)(uintptr_t)pointer;
    if (!memory_find((uint64_t)(uintptr_t)pointer, &range))
        *out = (struct pointer_attributes){0, -2, NULL, same};
    else if (!r)
        *out = (struct pointer_attributes){2, 0, same, NULL};
    else
        *out = (struct pointer_attributes){r->is_managed ? 3 : 1, 0, same, same};
    LEAVE(OK);
}

/* Where managed memory lies makes no difference here. */
static int accept(void)
{
    ENTER();
    LEAVE(OK);
}
API(cudaMemPrefetchAsync, void)
{
    return accept();
}
API_ALIAS(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync, void);
API_ALIAS(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync, void);
API_ALIAS(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync, void);
API_ALIAS(cudaMemAdvise, cudaMemPrefetchAsync, void);
API_ALIAS(cudaMemAdvise_v2, cudaMemPrefetchAsync, void);
API_ALIAS(cudaStreamAttachMemAsync, cudaMemPrefetchAsync, void);
API_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaMemPrefetchAsync, void);
API_ALIAS(cudaCtxResetPersistingL2Cache, cudaMemPrefetchAsync, void);
API_ALIAS(cudaMemPoolTrimTo, cudaMemPrefetchAsync, void);
API_ALIAS(cudaMemPoolSetAttribute, cudaMemPrefetchAsync, void);
API_ALIAS(cudaMemPoolSetAccess, cudaMemPrefetchAsync, void);
API_ALIAS(cudaMemPoolDestroy, cudaMemPrefetchAsync, void);
API_ALIAS(cudaDeviceSetMemPool, cudaMemPrefetchAsync, void);
API_ALIAS(cudaDeviceGraphMemTrim, cudaMemPrefetchAsync, void);

/* One pool: the arena. */
static int the_pool;
API(cudaDeviceGetDefaultMemPool, void **pool, int which)
{
    (void)which;
    ENTER();
    *pool = &the_pool;
    LEAVE(OK);
}
API_ALIAS(cudaDeviceGetMemPool, cudaDeviceGetDefaultMemPool, void **pool, int which);

API(cudaMemPoolCreate, void **pool, const void *properties)
{
    (void)properties;
    ENTER();
    *pool = &the_pool;
    LEAVE(OK);
}
