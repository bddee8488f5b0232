/* driver_memory.c - what is allocated. Device, managed and page-locked memory all come from one
 * arena whose addresses are the same in every run, so that traces repeat. */
#include "cuda/driver.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/bits.h"

/* Where the driver (580) puts device memory (device/probe/place_probe.cu): small arrays one behind
 * the other, none across the border of two pages, large ones at the beginning of a page, the last
 * of which they have to themselves (allocation_probe.cu); a module's variables closer together and
 * in pages of their own. Which lines share a set or a slice of a cache, and which sectors a warp
 * touches, depends on it. */
#define ALIGN_BYTES        512
#define MODULE_ALIGN_BYTES 256
#define PAGE_BYTES         (2u << 20)
/* With --memcheck every allocation is followed by a gap that belongs to nobody, and freed memory is
 * not given out again. */
#define GAP_BYTES 65536

static struct strata_arena *arena, *module_arena;
/* Sorted by address. Allocations stay where they are, so that little is moved to add one. */
static struct row {
    uint64_t base;
    struct allocation *of;
} * table;
static size_t n_table, cap_table;
static uint64_t used_bytes, next_id = 1;

static void start_arena(struct strata_arena **out, uint64_t bytes)
{
    struct strata_error err;
    if (strata_arena_create(bytes, out, &err) != STRATA_OK &&
        strata_arena_create(0, out, &err) != STRATA_OK)
        driver_die(&err);
}

/* Addresses for twice the device's memory: page-locked memory and reservations need some too. */
void memory_start(void)
{
    start_arena(&arena, 2 * device.memory_bytes);
    start_arena(&module_arena, device.memory_bytes);
}

/* ---- the table ---- */

/* The number of allocations that start at or below the address. */
static size_t search(uint64_t address)
{
    size_t low = 0, high = n_table;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Mapped parts lie inside their reservation and start no lower: the last one that holds the address
 * is the innermost. */
struct allocation *allocation_find(uint64_t address)
{
    for (size_t i = search(address); i-- > 0;) {
        if (address - table[i].base < table[i].of->bytes)
            return table[i].of;
        if (table[i].of->kind != MEMORY_MAPPED)
            return NULL;
    }
    return NULL;
}

struct allocation *allocation_at(size_t index)
{
    return index < n_table ? table[index].of : NULL;
}

size_t allocation_count(void)
{
    return n_table;
}

struct allocation *allocation_add(const struct allocation *a)
{
    struct allocation *kept =
        ARRAY_RESERVE(table, n_table, cap_table, 1) ? malloc(sizeof *kept) : NULL;
    if (!kept)
        return NULL;
    *kept = *a;
    kept->id = next_id++;
    size_t at = search(a->base);
    memmove(&table[at + 1], &table[at], (n_table - at) * sizeof *table);
    n_table++;
    table[at] = (struct row){a->base, kept};
    return kept;
}

void allocation_remove(struct allocation *a)
{
    size_t at = search(a->base) - 1;
    while (table[at].of != a) /* a mapped part may begin where its reservation does */
        at--;
    memmove(&table[at], &table[at + 1], (n_table - at - 1) * sizeof *table);
    n_table--;
    free(a);
}

bool memory_find(uint64_t address, struct strata_memory_range *out)
{
    const struct allocation *a = allocation_find(address);
    if (!a || a->kind == MEMORY_RESERVED || (a->kind == MEMORY_MAPPED && !a->accessible))
        return false;
    *out = (struct strata_memory_range){a->base, a->bytes};
    return true;
}

/* ---- taking and giving back ---- */

uint64_t memory_free_bytes(void)
{
    return device.memory_bytes - used_bytes;
}

bool memory_take(uint64_t bytes)
{
    if (bytes > device.memory_bytes - used_bytes)
        return false;
    used_bytes += bytes;
    return true;
}

void memory_give_back(uint64_t bytes)
{
    used_bytes -= bytes;
}

void *memory_reserve(uint64_t bytes, uint64_t align_bytes)
{
    return strata_arena_allocate(arena, bytes, align_bytes);
}

void memory_unreserve(void *at)
{
    strata_arena_release(arena, at);
}

static bool counts(enum memory_kind kind)
{
    return kind == MEMORY_DEVICE || kind == MEMORY_MANAGED || kind == MEMORY_MODULE;
}

/* The host reads these before anybody wrote them. Large ones are given fresh pages. */
static void clear(void *at, uint64_t bytes)
{
    uint64_t whole = bytes >= PAGE_BYTES ? bytes & ~(uint64_t)4095 : 0;
    if (whole && madvise(at, whole, MADV_DONTNEED))
        whole = 0;
    memset((uint8_t *)at + whole, 0, bytes - whole);
}

static void *place(uint64_t bytes, enum memory_kind kind)
{
    bool module = kind == MEMORY_MODULE;
    uint64_t align = module ? MODULE_ALIGN_BYTES : ALIGN_BYTES;
    bool large = bytes >= PAGE_BYTES;
    if (bytes > UINT64_MAX - PAGE_BYTES)
        return NULL;
    return strata_arena_allocate_paged(module ? module_arena : arena,
                                       large ? round_up(bytes, PAGE_BYTES) : bytes,
                                       large ? PAGE_BYTES : align, PAGE_BYTES);
}

CUresult memory_allocate(uint64_t *address, uint64_t bytes, enum memory_kind kind, unsigned flags)
{
    uint64_t gap = config.memcheck ? GAP_BYTES : 0;
    /* More than the device holds fails as on the device. */
    if (counts(kind) && !memory_take(bytes))
        return CUDA_ERROR_OUT_OF_MEMORY;
    void *at = bytes > UINT64_MAX - gap ? NULL : place(bytes + gap, kind);
    struct allocation a = {.base = (uint64_t)(uintptr_t)at,
                           .bytes = bytes,
                           .kind = kind,
                           .owner = context_current(),
                           .flags = flags,
                           .accessible = true};
    if (!at || !allocation_add(&a)) {
        if (at)
            strata_arena_release(kind == MEMORY_MODULE ? module_arena : arena, at);
        if (counts(kind))
            memory_give_back(bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (kind == MEMORY_HOST || kind == MEMORY_MANAGED)
        clear(at, bytes);
    *address = a.base;
    return CUDA_SUCCESS;
}

static void release(struct allocation *a)
{
    void *at = (void *)(uintptr_t)a->base;
    if (counts(a->kind))
        memory_give_back(a->bytes);
    if (a->kind != MEMORY_REGISTERED && !config.memcheck)
        strata_arena_release(a->kind == MEMORY_MODULE ? module_arena : arena, at);
    allocation_remove(a);
}

CUresult memory_release(uint64_t address, bool host)
{
    struct allocation *a = allocation_find(address);
    bool right =
        a && a->base == address &&
        (host ? a->kind == MEMORY_HOST : a->kind == MEMORY_DEVICE || a->kind == MEMORY_MANAGED);
    if (!right) {
        driver_complain("a pointer (%#llx) is freed that no such allocation returned, or that was "
                        "freed before.",
                        (unsigned long long)address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    release(a);
    return CUDA_SUCCESS;
}

/* Reservations and what is mapped there are the process's, not a context's. */
void memory_release_owned(CUcontext owner)
{
    for (size_t i = n_table; i-- > 0;) {
        struct allocation *a = table[i].of;
        if (a->owner == owner && a->kind != MEMORY_MODULE && a->kind != MEMORY_RESERVED &&
            a->kind != MEMORY_MAPPED)
            release(a);
    }
}

/* ---- for modules and kernels ---- */

static void *interface_allocate(void *user, uint64_t bytes, uint64_t align_bytes)
{
    uint64_t address;
    (void)user, (void)align_bytes; /* never more than ALIGN_BYTES */
    CUresult status = memory_allocate(&address, bytes ? bytes : 1, MEMORY_MODULE, 0);
    return status == CUDA_SUCCESS ? (void *)(uintptr_t)address : NULL;
}

static void interface_release(void *user, void *memory)
{
    (void)user;
    struct allocation *a = allocation_find((uint64_t)(uintptr_t)memory);
    static atomic_flag told = ATOMIC_FLAG_INIT;
    if (a && a->kind == MEMORY_MODULE)
        release(a);
    else if (!atomic_flag_test_and_set(&told))
        driver_complain(
            "warning: a kernel calls free() for %p, which no malloc() of a kernel gave; "
            "nothing is freed.",
            memory);
}

static bool interface_find(void *user, uint64_t address, struct strata_memory_range *out)
{
    (void)user;
    return memory_find(address, out);
}

/* Addresses that are only reserved have no pages. */
static bool may_hold_data(uint64_t address)
{
    struct strata_memory_range range;
    return !allocation_find(address) || memory_find(address, &range);
}

/* With --memcheck every access outside an allocation is an error. */
static bool interface_in_page(void *user, uint64_t address, uint64_t bytes)
{
    (void)user;
    return !config.memcheck && may_hold_data(address) && may_hold_data(address + bytes - 1) &&
           (strata_arena_in_page(arena, address, bytes, PAGE_BYTES) ||
            strata_arena_in_page(module_arena, address, bytes, PAGE_BYTES));
}

static bool interface_near(void *user, uint64_t address, uint64_t bytes)
{
    return interface_in_page(user, address, bytes) ||
           (!config.memcheck && (strata_arena_near(arena, address, bytes) ||
                                 strata_arena_near(module_arena, address, bytes)));
}

struct strata_device_memory memory_interface(void)
{
    return (struct strata_device_memory){.allocate = interface_allocate,
                                         .release = interface_release,
                                         .find = interface_find,
                                         .near = interface_near,
                                         .in_page = interface_in_page};
}

bool memory_zero(void *at, size_t bytes)
{
    const struct allocation *a = allocation_find((uint64_t)(uintptr_t)at);
    uint64_t before = a ? (uint64_t)(uintptr_t)at - a->base : 0;
    if (!a || a->kind == MEMORY_MAPPED || a->kind == MEMORY_RESERVED || bytes > a->bytes - before)
        return false; /* pages of mappings are shared with others */
    return strata_arena_zero(a->kind == MEMORY_MODULE ? module_arena : arena, at, bytes);
}
