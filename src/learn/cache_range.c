/* cache_range.c - geometries: which can be modelled, and which the evaluation uses. */
#include <strata/learn.h>

strata_status strata_learn_cache_check(const struct strata_learn_cache *cache,
                                       struct strata_error *err)
{
    enum { MOST_LINES = 1 << 20 };
    if (cache->ways && cache->ways <= cache->lines && cache->lines <= MOST_LINES &&
        cache->lines % cache->ways == 0)
        return STRATA_OK;
    return strata_fail(err, STRATA_ECONFIG, NULL, 0, 0,
                       "A cache of %u lines and %u ways cannot be modelled; there are at most %d "
                       "lines, and the ways divide them.",
                       cache->lines, cache->ways, MOST_LINES);
}

/* The ten of the paper's Table 6 as (lines, ways), then twenty more over 1 to 128 KB of 128-byte
 * lines, from direct-mapped to fully associative; 64 lines and 8 ways is the paper's figure 8. */
const struct strata_learn_cache *strata_learn_caches(size_t *n, size_t *n_ranked)
{
    static const struct strata_learn_cache caches[] = {
        {1024, 512}, {1024, 1024}, {512, 512}, {1024, 256}, {512, 256}, {1024, 128},
        {512, 128},  {128, 128},   {256, 64},  {128, 64},   {8, 1},     {8, 8},
        {16, 1},     {16, 4},      {16, 16},   {32, 2},     {32, 8},    {32, 32},
        {64, 1},     {64, 8},      {64, 64},   {128, 4},    {128, 16},  {256, 1},
        {256, 8},    {512, 4},     {512, 32},  {1024, 1},   {1024, 16}, {1024, 64},
    };
    *n = sizeof caches / sizeof caches[0];
    *n_ranked = 10;
    return caches;
}
