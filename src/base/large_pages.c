/* large_pages.c - see large_pages.h. */
#include "base/large_pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { LARGE_PAGE_BYTES = 2 << 20 };

void large_pages_wish(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    uintptr_t start = ((uintptr_t)p + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES,
              end = ((uintptr_t)p + bytes) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
    if (p && end > start) /* refused by systems without them: then it stays as it is */
        madvise((char *)p + (start - (uintptr_t)p), end - start, MADV_HUGEPAGE);
#else
    (void)p;
    (void)bytes;
#endif
}
