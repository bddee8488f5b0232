/* index.c - index functions: linear, xor, Fermi, polynomial, mixed, selected bits, scattered,
 * dealt. */
#include "cache/index.h"

#include "base/bits.h"

/* Paper 000, figure 6: the five low set bits are address bits 7..11, each xored with one of bits
 * 13, 14, 15, 17 and 19; bit 12 is the sixth set bit of the 48 KB configuration. Written for
 * 128-byte lines on line-number bits, so another line size moves all of them. */
static uint32_t fermi(uint64_t n)
{
    uint64_t x = (n >> 6) & 1, y = (n >> 7) & 1, z = (n >> 8) & 1, u = (n >> 10) & 1,
             v = (n >> 12) & 1;
    uint32_t low = (uint32_t)((n & 31) ^ (x | y << 1 | z << 2 | u << 3 | v << 4));
    return low | (uint32_t)((n >> 5) & 1) << 5;
}

/* Residue of the line number, as a polynomial over GF(2), by a primitive polynomial of degree b:
 * the family "IPOLY" belongs to (paper 004, section III-F). */
uint32_t index_polynomial(uint64_t n, unsigned bits)
{
    static const uint32_t primitive[] = {1, 3, 7, 11, 19, 37, 67, 131, 285, 529, 1033, 2053, 4179};
    if (bits == 0 || bits > 12)
        return 0;
    for (int i = 47; i >= (int)bits; i--)
        if (n >> i & 1)
            n ^= (uint64_t)primitive[bits] << (i - (int)bits);
    return (uint32_t)n & ((1u << bits) - 1);
}

uint32_t index_folded(uint64_t n, unsigned bits)
{
    uint32_t x = 0;
    if (!bits)
        return 0;
    for (; n; n >>= bits)
        x ^= (uint32_t)n & ((1u << bits) - 1);
    return x;
}

static uint32_t selected_bits(const struct strata_cache_config *c, uint64_t address)
{
    uint32_t x = 0;
    for (uint32_t i = 0; i < c->n_index_bits; i++)
        x |= (uint32_t)(address >> c->index_bits[i] & 1) << i;
    return x;
}

/* Every run of as many pieces as there are sets falls into all of them, in an order that no address
 * bits give (paper 002, section 4.3: the read-only caches). The lowest of index_bits is where a
 * piece begins; without it a piece is a line. */
static uint32_t scatter(const struct strata_cache_config *c, uint32_t n_sets, uint64_t address)
{
    uint64_t piece = c->n_index_bits ? address >> c->index_bits[0] : address / c->line_bytes;
    return (uint32_t)((piece + (mix64(piece / n_sets) >> 32)) % n_sets);
}

/* Lines go round the sets while these have ways left, so that any range as long as the cache fits
 * into sets of unequal size (paper 002, section 4.4: the second TLB). */
static uint32_t deal(const struct strata_cache_config *c, uint32_t n_sets, uint64_t n)
{
    uint64_t lines = 0, left;
    if (!c->n_set_ways)
        return (uint32_t)(n % n_sets);
    for (uint32_t s = 0; s < n_sets; s++)
        lines += c->set_ways[s];
    left = n % lines;
    for (uint32_t turn = 0;; turn++)
        for (uint32_t s = 0; s < n_sets; s++)
            if (c->set_ways[s] > turn && !left--)
                return s;
}

uint32_t index_of(const struct strata_cache_config *c, uint32_t n_sets, uint64_t address)
{
    if (n_sets == 1)
        return 0;
    uint64_t n = is_power_of_two(c->line_bytes) ? address >> log2_floor(c->line_bytes)
                                                : address / c->line_bytes;
    unsigned bits = log2_floor(n_sets);
    switch (c->index_hash) {
    case STRATA_INDEX_XOR:
        return index_folded(n, bits) % n_sets;
    case STRATA_INDEX_FERMI:
        return fermi(n) % n_sets;
    case STRATA_INDEX_IPOLY:
        return index_polynomial(n, bits) % n_sets;
    case STRATA_INDEX_MIX:
        return index_mixed(n, n_sets);
    case STRATA_INDEX_BITS:
        return selected_bits(c, address) % n_sets;
    case STRATA_INDEX_SCATTER:
        return scatter(c, n_sets, address);
    case STRATA_INDEX_DEAL:
        return deal(c, n_sets, n);
    default:
        return (uint32_t)(n % n_sets);
    }
}

uint32_t index_of_tag(const struct strata_cache_config *c, uint64_t address)
{
    uint64_t n = address >> log2_floor(c->line_bytes);
    uint32_t set = (uint32_t)n & (c->tag_sets - 1);
    n >>= log2_floor(c->tag_sets);
    for (uint32_t i = 0; i < c->n_tag_hash; i++)
        set ^= (n >> i & 1) ? c->tag_hash[i] : 0;
    return set & (c->tag_sets - 1);
}
