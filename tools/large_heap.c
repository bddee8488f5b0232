/* large_heap.c - see large_heap.h. */
#include "large_heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
enum {
    PAGE_BYTES = 2 << 20,
    HEAP_BYTES = 256 << 20, /* of addresses; memory is taken as it is used */
    GROWTH_BYTES = 4 << 20,
    OWN_MAPPING_BYTES = 32 << 20, /* larger pieces lie by themselves */
};

void large_heap_begin(void)
{
    mallopt(M_MMAP_THRESHOLD, OWN_MAPPING_BYTES);
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP_BYTES);
    mallopt(M_TOP_PAD, HEAP_BYTES);
    char *first = malloc(GROWTH_BYTES), *end = sbrk(0);
    uintptr_t from = ((uintptr_t)first + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
              to = (uintptr_t)end / PAGE_BYTES * PAGE_BYTES;
    bool is_in_heap = first && from < to && to - from <= 2 * (uintptr_t)HEAP_BYTES;
    if (is_in_heap) /* refused by systems without large pages: then it stays as it is */
        madvise(first + (from - (uintptr_t)first), to - from, MADV_HUGEPAGE);
    mallopt(M_TOP_PAD, GROWTH_BYTES);
    free(first);
}

void large_heap_shrink(void)
{
    malloc_trim(0);
}
#else
void large_heap_begin(void)
{
}

void large_heap_shrink(void)
{
}
#endif
