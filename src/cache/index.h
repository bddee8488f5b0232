/* index.h - from a line's address to its set. */
#ifndef STRATA_CACHE_INDEX_H
#define STRATA_CACHE_INDEX_H

#include <stdint.h>
#include <strata/gpu.h>

uint32_t index_of(const struct strata_cache_config *config, uint32_t n_sets, uint64_t line_address);

#endif
