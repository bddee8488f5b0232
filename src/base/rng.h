/* rng.h - random numbers that do not depend on who asks first.
 *
 * A counter-based generator: the i-th number of a seed is a hash of both (the output function of
 * SplitMix64, Steele, Lea and Flood 2014), so any part of a sequence can be made on its own, in any
 * order and on any thread. Good enough to spread accesses; not for cryptography. */
#ifndef STRATA_BASE_RNG_H
#define STRATA_BASE_RNG_H

#include <stdint.h>

static inline uint64_t rng_at(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * 0xd1342543de82ef95ull + (i + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/* 0 .. n-1, n >= 1; the bias is below n / 2^64. */
static inline uint64_t rng_below(uint64_t seed, uint64_t i, uint64_t n)
{
    uint64_t high = rng_at(seed, i) >> 32, low = rng_at(seed, i) & 0xffffffffu;
    if (n <= 0xffffffffu)
        return (high * n + (low * n >> 32)) >> 32;
    return rng_at(seed, i) % n;
}

#endif
