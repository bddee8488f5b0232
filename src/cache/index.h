/* index.h - from a line's address to its set. */
#ifndef STRATA_CACHE_INDEX_H
#define STRATA_CACHE_INDEX_H

#include <stdint.h>
#include <strata/gpu.h>

#include "base/bits.h"

/* STRATA_INDEX_MIX of a line number. */
static inline uint32_t index_mixed(uint64_t n, uint32_t n_sets)
{
    return (uint32_t)(((mix64(n) >> 32) * n_sets) >> 32);
}
uint32_t index_of(const struct strata_cache_config *config, uint32_t n_sets, uint64_t line_address);
/* Two hashes of a number to `bits` bits: its residue by a primitive polynomial (up to 12 bits), and
 * the exclusive or of its digits. */
uint32_t index_polynomial(uint64_t n, unsigned bits);
uint32_t index_folded(uint64_t n, unsigned bits);
/* The set of a line's tag, where tags are apart from the data. */
uint32_t index_of_tag(const struct strata_cache_config *config, uint64_t line_address);

#endif
