/* array.h - a growing array as three fields of any struct: T *x; size_t n_x, cap_x.
 *
 * ARRAY_RESERVE(ptr, n, cap, extra) makes room for `extra` more and is true on
 * success; on failure nothing changed. */
#ifndef STRATA_BASE_ARRAY_H
#define STRATA_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

bool strata_array_reserve(void **ptr, size_t *cap, size_t n, size_t extra, size_t element_bytes);

/* Mostly there is room: no call then, as builders ask for every instruction of a trace. */
static inline bool array_reserve(void **ptr, size_t *cap, size_t n, size_t extra,
                                 size_t element_bytes)
{
    if (n <= *cap && extra <= *cap - n)
        return true;
    return strata_array_reserve(ptr, cap, n, extra, element_bytes);
}

#define ARRAY_RESERVE(ptr, n, cap, extra)                                                          \
    array_reserve((void **)&(ptr), &(cap), (n), (extra), sizeof *(ptr))

#endif
