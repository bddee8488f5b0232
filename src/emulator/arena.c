/* arena.c - device memory at addresses that repeat from run to run. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strata/emulator.h>

#include "base/array.h"
#include "base/bits.h"

/* Far from where programs, libraries and stacks lie on x86-64 and aarch64, below 2^47. The first
 * allocation of a program under Nsight Compute lies 8 MB behind a multiple of 32 MB, wherever that
 * is (device/probe/results/h200-bases.txt): what caches make of the bits below depends on it. */
#define PREFERRED_BASE  0x200000800000ull
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

/* Allocations, sorted by address, in runs of a bounded length: the first gap that is large enough
 * is found by looking at runs, and an allocation moves only its neighbours. */
enum { RUN_RANGES = 128 };
struct request {
    uint64_t bytes, align, page;
};
struct run {
    uint64_t widest;        /* gap before one of them */
    struct request refused; /* fits into none of these gaps; 0 bytes: unknown */
    size_t n;               /* never 0 */
    struct strata_memory_range range[RUN_RANGES];
};

struct strata_arena {
    uint8_t *base;
    uint64_t bytes, used;
    struct run **run;
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
    for (size_t i = 0; i < arena->n; i++)
        free(arena->run[i]);
    free(arena->run);
    free(arena);
}

/* Where at or above `from` it may start: aligned, and inside one page if it fits in one. */
static uint64_t start_at(uint64_t from, const struct request *r)
{
    uint64_t start = round_up(from, r->align);
    bool crosses = r->bytes <= r->page && start / r->page != (start + r->bytes - 1) / r->page;
    return crosses ? round_up(start, r->page) : start;
}

/* What is no smaller and no less aligned than a request that did not fit does not fit either. */
static bool is_hopeless(const struct run *run, const struct request *r)
{
    const struct request *no = &run->refused;
    return run->widest < r->bytes ||
           (no->bytes && no->page == r->page && no->bytes <= r->bytes && no->align <= r->align &&
            (no->bytes <= no->page) == (r->bytes <= r->page));
}

static uint64_t end_of(const struct strata_memory_range *r)
{
    return r->base + r->bytes;
}

/* Where the gap before the first range of a run begins; of run n: the one behind all. */
static uint64_t gap_before(const struct strata_arena *arena, size_t run)
{
    const struct run *before = run ? arena->run[run - 1] : NULL;
    return before ? end_of(&before->range[before->n - 1]) : (uint64_t)(uintptr_t)arena->base;
}

static void measure(struct strata_arena *arena, size_t run)
{
    if (run == arena->n)
        return;
    struct run *r = arena->run[run];
    uint64_t from = gap_before(arena, run);
    r->refused.bytes = r->widest = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint64_t gap = r->range[i].base - from;
        r->widest = gap > r->widest ? gap : r->widest;
        from = end_of(&r->range[i]);
    }
}

/* A range's place; `at` may be one behind the last of its run. */
struct place {
    size_t run, at;
};

/* The first gap that is large enough: the place of the range it lies before, and its address. */
static bool find_gap(struct strata_arena *arena, const struct request *wanted, struct place *place,
                     uint64_t *address)
{
    for (size_t k = 0; k < arena->n; k++) {
        struct run *r = arena->run[k];
        uint64_t from = gap_before(arena, k);
        if (is_hopeless(r, wanted))
            continue;
        for (size_t i = 0; i < r->n; i++) {
            *address = start_at(from, wanted);
            *place = (struct place){k, i};
            if (*address <= r->range[i].base && wanted->bytes <= r->range[i].base - *address)
                return true;
            from = end_of(&r->range[i]);
        }
        r->refused = *wanted;
    }
    uint64_t end = (uint64_t)(uintptr_t)arena->base + arena->bytes;
    *address = start_at(gap_before(arena, arena->n), wanted);
    *place = (struct place){arena->n, 0};
    if (arena->n)
        *place = (struct place){arena->n - 1, arena->run[arena->n - 1]->n};
    return *address <= end && wanted->bytes <= end - *address;
}

static bool add_run(struct strata_arena *arena, size_t at)
{
    struct run *r = ARRAY_RESERVE(arena->run, arena->n, arena->cap, 1) ? malloc(sizeof *r) : NULL;
    if (!r)
        return false;
    r->n = 0;
    memmove(&arena->run[at + 1], &arena->run[at], (arena->n - at) * sizeof *arena->run);
    arena->run[at] = r;
    arena->n++;
    return true;
}

/* Room for one more in the run of *place: a full one is parted. Ranges are mostly added behind all
 * others: there the new run begins empty. */
static bool make_room(struct strata_arena *arena, struct place *place)
{
    if (place->run < arena->n && arena->run[place->run]->n < RUN_RANGES)
        return true;
    if (!add_run(arena, place->run < arena->n ? place->run + 1 : place->run))
        return false;
    if (arena->n == 1)
        return true;
    struct run *full = arena->run[place->run], *next = arena->run[place->run + 1];
    size_t keep = place->at == RUN_RANGES ? RUN_RANGES : RUN_RANGES / 2;
    next->n = RUN_RANGES - keep;
    full->n = keep;
    memcpy(next->range, full->range + keep, next->n * sizeof *next->range);
    if (place->at > keep || keep == RUN_RANGES)
        *place = (struct place){place->run + 1, place->at - keep};
    return true;
}

static bool insert(struct strata_arena *arena, struct place place, struct strata_memory_range what)
{
    if (!make_room(arena, &place))
        return false;
    struct run *r = arena->run[place.run];
    memmove(&r->range[place.at + 1], &r->range[place.at], (r->n - place.at) * sizeof *r->range);
    r->range[place.at] = what;
    r->n++;
    if (place.run)
        measure(arena, place.run - 1);
    measure(arena, place.run);
    measure(arena, place.run + 1);
    return true;
}

static void take_out(struct strata_arena *arena, struct place place)
{
    struct run *r = arena->run[place.run];
    memmove(&r->range[place.at], &r->range[place.at + 1], (r->n - place.at - 1) * sizeof *r->range);
    if (--r->n) {
        measure(arena, place.run);
        measure(arena, place.run + 1);
        return;
    }
    free(r);
    arena->n--;
    memmove(&arena->run[place.run], &arena->run[place.run + 1],
            (arena->n - place.run) * sizeof *arena->run);
    measure(arena, place.run);
}

void *strata_arena_allocate_paged(struct strata_arena *arena, uint64_t bytes, uint64_t align_bytes,
                                  uint64_t page_bytes)
{
    struct request wanted = {.bytes = bytes ? bytes : 1,
                             .align = align_bytes < MIN_ALIGN ? MIN_ALIGN : align_bytes,
                             .page = page_bytes};
    struct place at;
    uint64_t address;
    bytes = wanted.bytes;
    if (bytes > arena->bytes || !is_power_of_two(wanted.align) || !is_power_of_two(page_bytes) ||
        !find_gap(arena, &wanted, &at, &address) ||
        !insert(arena, at, (struct strata_memory_range){address, bytes}))
        return NULL;
    arena->used += bytes;
    return (void *)(uintptr_t)address;
}

void *strata_arena_allocate(struct strata_arena *arena, uint64_t bytes, uint64_t align_bytes)
{
    return strata_arena_allocate_paged(arena, bytes, align_bytes, 1);
}

/* The last allocation that starts at or below the address; false if there is none. */
static bool search(const struct strata_arena *arena, uint64_t address, struct place *out)
{
    size_t low = 0, high = arena->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (arena->run[middle]->range[0].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return false;
    const struct run *r = arena->run[low - 1];
    size_t at = 1, end = r->n;
    while (at < end) {
        size_t middle = at + (end - at) / 2;
        if (r->range[middle].base <= address)
            at = middle + 1;
        else
            end = middle;
    }
    *out = (struct place){low - 1, at - 1};
    return true;
}

static const struct strata_memory_range *range_at(const struct strata_arena *arena,
                                                  struct place place)
{
    return &arena->run[place.run]->range[place.at];
}

bool strata_arena_find(const struct strata_arena *arena, uint64_t address,
                       struct strata_memory_range *out)
{
    struct place at;
    if (!search(arena, address, &at) || address >= end_of(range_at(arena, at)))
        return false;
    *out = *range_at(arena, at);
    return true;
}

/* The one behind a place; NULL if it is the last. */
static const struct strata_memory_range *range_behind(const struct strata_arena *arena,
                                                      struct place at)
{
    if (at.at + 1 < arena->run[at.run]->n)
        return &arena->run[at.run]->range[at.at + 1];
    return at.run + 1 < arena->n ? &arena->run[at.run + 1]->range[0] : NULL;
}

bool strata_arena_near(const struct strata_arena *arena, uint64_t address, uint64_t bytes)
{
    struct place at;
    const struct strata_memory_range *next = arena->n ? &arena->run[0]->range[0] : NULL;
    if (search(arena, address, &at)) {
        if (address + bytes <= end_of(range_at(arena, at)) + STRATA_ARENA_MARGIN)
            return true;
        next = range_behind(arena, at);
    }
    return next && address >= next->base - STRATA_ARENA_MARGIN;
}

/* The last allocation that starts below the end of the page is the one that reaches furthest. */
static bool page_is_used(const struct strata_arena *arena, uint64_t page, uint64_t page_bytes)
{
    struct place at;
    return search(arena, page + page_bytes - 1, &at) && end_of(range_at(arena, at)) > page;
}

bool strata_arena_in_page(const struct strata_arena *arena, uint64_t address, uint64_t bytes,
                          uint64_t page_bytes)
{
    uint64_t before = address - (uint64_t)(uintptr_t)arena->base, first = address & -page_bytes,
             last = (address + bytes - 1) & -page_bytes;
    return before < arena->bytes && bytes <= arena->bytes - before &&
           page_is_used(arena, first, page_bytes) &&
           (last == first || page_is_used(arena, last, page_bytes));
}

bool strata_arena_release(struct strata_arena *arena, void *memory)
{
    uint64_t address = (uint64_t)(uintptr_t)memory;
    struct place at;
    if (!search(arena, address, &at) || range_at(arena, at)->base != address)
        return false;
    struct strata_memory_range gone = *range_at(arena, at);
    /* Whole pages go back to the system; the addresses stay reserved. */
    uint64_t first = round_up(address, 4096), last = end_of(&gone) & ~4095ull;
    if (last > first + (1u << 20))
        madvise((void *)(uintptr_t)first, last - first, MADV_DONTNEED);
    arena->used -= gone.bytes;
    take_out(arena, at);
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
