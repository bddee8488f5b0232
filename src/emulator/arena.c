/* arena.c - device memory at addresses that repeat from run to run. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strata/emulator.h>

#include "base/array.h"
#include "base/bits.h"

/* Far from where programs, libraries and stacks lie on x86-64 and aarch64, below 2^47. */
#define PREFERRED_BASE  0x200000000000ull
#define PREFERRED_TRIES 16
#define DEFAULT_RESERVE ((uint64_t)64 << 30)
/* cudaMalloc aligns to 256 bytes at least. */
#define MIN_ALIGN 256

/* ThreadSanitizer allows mappings in certain ranges only. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define NO_FIXED_ADDRESS
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define NO_FIXED_ADDRESS
#endif

struct strata_arena {
    uint8_t *base;
    uint64_t bytes, used;
    struct strata_memory_range *live; /* sorted by address */
    size_t n, cap;
};

static void *reserve(uint64_t bytes)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#if defined MAP_FIXED_NOREPLACE && !defined NO_FIXED_ADDRESS
    for (uint64_t i = 0; i < PREFERRED_TRIES; i++) {
        uint64_t wanted = PREFERRED_BASE + i * ((uint64_t)1 << 40) - STRATA_ARENA_MARGIN;
        void *got = mmap((void *)(uintptr_t)wanted, bytes, PROT_READ | PROT_WRITE,
                         flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == (void *)(uintptr_t)wanted)
            return got;
        if (got != MAP_FAILED)
            munmap(got, bytes); /* an old kernel took the address as a hint */
    }
#endif
    void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    return got == MAP_FAILED ? NULL : got;
}

strata_status strata_arena_create(uint64_t reserve_bytes, struct strata_arena **out,
                                  struct strata_error *err)
{
    struct strata_arena *arena = calloc(1, sizeof *arena);
    *out = NULL;
    if (!arena)
        return strata_no_memory(err, NULL, "for device memory");
    arena->bytes = reserve_bytes ? round_up(reserve_bytes, 4096) : DEFAULT_RESERVE;
    uint8_t *reserved;
    while (!(reserved = reserve(arena->bytes + 2 * STRATA_ARENA_MARGIN)) && !reserve_bytes &&
           arena->bytes > 1u << 28)
        arena->bytes /= 2; /* a limit on address space: take what there is */
    arena->base = reserved + STRATA_ARENA_MARGIN;
    if (!reserved) {
        uint64_t bytes = arena->bytes;
        free(arena);
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                           "the system gives no %llu MiB of addresses for device memory; raise "
                           "ulimit -v",
                           (unsigned long long)(bytes >> 20));
    }
    *out = arena;
    return STRATA_OK;
}

void strata_arena_destroy(struct strata_arena *arena)
{
    if (!arena)
        return;
    munmap(arena->base - STRATA_ARENA_MARGIN, arena->bytes + 2 * STRATA_ARENA_MARGIN);
    free(arena->live);
    free(arena);
}

/* Where at or above `from` the bytes may start: aligned, and inside one page if they fit in one. */
static uint64_t start_at(uint64_t from, uint64_t bytes, uint64_t align, uint64_t page)
{
    uint64_t start = round_up(from, align);
    bool crosses = bytes <= page && start / page != (start + bytes - 1) / page;
    return crosses ? round_up(start, page) : start;
}

/* The first gap that is large enough: its place in the list and its address. */
static bool find_gap(const struct strata_arena *arena, uint64_t bytes, uint64_t align,
                     uint64_t page, size_t *at, uint64_t *address)
{
    uint64_t from = (uint64_t)(uintptr_t)arena->base, end = from + arena->bytes;
    for (size_t i = 0; i <= arena->n; i++) {
        uint64_t start = start_at(from, bytes, align, page);
        uint64_t stop = i < arena->n ? arena->live[i].base : end;
        if (start <= stop && bytes <= stop - start) {
            *at = i;
            *address = start;
            return true;
        }
        if (i < arena->n)
            from = arena->live[i].base + arena->live[i].bytes;
    }
    return false;
}

void *strata_arena_allocate_paged(struct strata_arena *arena, uint64_t bytes, uint64_t align_bytes,
                                  uint64_t page_bytes)
{
    uint64_t align = align_bytes < MIN_ALIGN ? MIN_ALIGN : align_bytes, address;
    size_t at;
    if (!bytes)
        bytes = 1;
    if (bytes > arena->bytes || !is_power_of_two(align) || !is_power_of_two(page_bytes) ||
        !find_gap(arena, bytes, align, page_bytes, &at, &address) ||
        !ARRAY_RESERVE(arena->live, arena->n, arena->cap, 1))
        return NULL;
    memmove(&arena->live[at + 1], &arena->live[at], (arena->n - at) * sizeof *arena->live);
    arena->live[at] = (struct strata_memory_range){address, bytes};
    arena->n++;
    arena->used += bytes;
    return (void *)(uintptr_t)address;
}

void *strata_arena_allocate(struct strata_arena *arena, uint64_t bytes, uint64_t align_bytes)
{
    return strata_arena_allocate_paged(arena, bytes, align_bytes, 1);
}

/* Index of the last allocation that starts at or below the address; n if there is none. */
static size_t search(const struct strata_arena *arena, uint64_t address)
{
    size_t low = 0, high = arena->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arena->live[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : arena->n;
}

bool strata_arena_find(const struct strata_arena *arena, uint64_t address,
                       struct strata_memory_range *out)
{
    size_t i = search(arena, address);
    if (i == arena->n || address - arena->live[i].base >= arena->live[i].bytes)
        return false;
    *out = arena->live[i];
    return true;
}

bool strata_arena_near(const struct strata_arena *arena, uint64_t address, uint64_t bytes)
{
    size_t i = search(arena, address), next = i == arena->n ? 0 : i + 1;
    if (i < arena->n &&
        address + bytes <= arena->live[i].base + arena->live[i].bytes + STRATA_ARENA_MARGIN)
        return true;
    return next < arena->n && address >= arena->live[next].base - STRATA_ARENA_MARGIN;
}

bool strata_arena_release(struct strata_arena *arena, void *memory)
{
    uint64_t address = (uint64_t)(uintptr_t)memory;
    size_t i = search(arena, address);
    if (i == arena->n || arena->live[i].base != address)
        return false;
    /* Whole pages go back to the system; the addresses stay reserved. */
    uint64_t first = round_up(address, 4096), last = (address + arena->live[i].bytes) & ~4095ull;
    if (last > first + (1u << 20))
        madvise((void *)(uintptr_t)first, last - first, MADV_DONTNEED);
    arena->used -= arena->live[i].bytes;
    memmove(&arena->live[i], &arena->live[i + 1], (arena->n - i - 1) * sizeof *arena->live);
    arena->n--;
    return true;
}

bool strata_arena_zero(struct strata_arena *arena, void *from, uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at = (uint64_t)(uintptr_t)from;
    uint64_t base = (uint64_t)(uintptr_t)arena->base;
    if (at < base || bytes > arena->bytes || at - base > arena->bytes - bytes)
        return false;
    uint64_t first = round_up(at, page), end = (at + bytes) & ~(page - 1);
    if (first >= end ||
        madvise((void *)(uintptr_t)first, (size_t)(end - first), MADV_DONTNEED) != 0) {
        memset(from, 0, bytes);
        return true;
    }
    memset(from, 0, (size_t)(first - at));
    memset((void *)(uintptr_t)end, 0, (size_t)(at + bytes - end));
    return true;
}

uint64_t strata_arena_used_bytes(const struct strata_arena *arena)
{
    return arena->used;
}

static void *memory_allocate(void *user, uint64_t bytes, uint64_t align_bytes)
{
    return strata_arena_allocate(user, bytes, align_bytes);
}
static void memory_release(void *user, void *memory)
{
    strata_arena_release(user, memory);
}
static bool memory_find(void *user, uint64_t address, struct strata_memory_range *out)
{
    return strata_arena_find(user, address, out);
}

struct strata_device_memory strata_arena_memory(struct strata_arena *arena)
{
    return (struct strata_device_memory){
        .user = arena, .allocate = memory_allocate, .release = memory_release, .find = memory_find};
}
