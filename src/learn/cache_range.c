/* cache_range.c - geometries: which can be modelled, and which the evaluation uses. */
#include <strata/learn.h>

strata_status strata_learn_cache_check(const struct strata_learn_cache *cache, struct strata_error *err)
{
    enum { MOST_LINES = 1 << 20 };
    if (cache->ways && cache->ways <= cache->lines && cache->lines <= MOST_LINES && cache->lines % cache->ways == 0)
        return STRATA_OK;
    return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                       "A cache of %u lines and %u ways cannot be modelled; there are at most %d lines, and the ways divide them.",
                       cache->lines, cache->ways, MOST_LINES);
}
