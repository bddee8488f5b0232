/* large_pages.h - big tables that are read all over. */
#ifndef STRATA_BASE_LARGE_PAGES_H
#define STRATA_BASE_LARGE_PAGES_H

#include <stddef.h>

/* Tells the system that `bytes` from `p` on will be used in no order, so that pages larger than
 * usual pay: caches and warps of a modelled GPU miss the processor's address translation at every
 * step otherwise. Only a wish; nothing but speed depends on it. */
void large_pages_wish(void *p, size_t bytes);

#endif
