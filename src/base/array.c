/* array.c - growing arrays. */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

bool strata_array_reserve(void **ptr, size_t *cap, size_t n, size_t extra, size_t element_bytes)
{
    if (extra > SIZE_MAX / 2 / element_bytes - n)
        return false;
    size_t need = n + extra;
    if (need <= *cap)
        return true;
    size_t bigger = *cap < 8 ? 8 : *cap * 2;
    if (bigger < need)
        bigger = need;
    void *moved = realloc(*ptr, bigger * element_bytes);
    if (!moved)
        return false;
    *ptr = moved;
    *cap = bigger;
    return true;
}
