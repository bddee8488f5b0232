/* bits.h - small integer helpers, portable. */
#ifndef STRATA_BASE_BITS_H
#define STRATA_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline unsigned popcount32(uint32_t x)
{
    return (unsigned)__builtin_popcount(x);
}
/* Undefined for x = 0, as the hardware's instruction is. */
static inline unsigned lowest_bit32(uint32_t x)
{
    return (unsigned)__builtin_ctz(x);
}
/* Of two times, the later one. */
static inline uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
/* All bits or none: for choices between values that a machine cannot guess, since they change from
 * warp to warp. A wrong guess costs as much as twenty instructions. */
static inline uint64_t bits_if(bool is)
{
    return 0 - (uint64_t)is;
}
static inline bool is_power_of_two(uint64_t x)
{
    return x && !(x & (x - 1));
}
static inline unsigned log2_floor(uint64_t x)
{
    return 63u - (unsigned)__builtin_clzll(x | 1);
}
static inline uint64_t round_up(uint64_t x, uint64_t unit)
{
    return unit ? (x + unit - 1) / unit * unit : x;
}
static inline uint64_t ceil_div(uint64_t x, uint64_t unit)
{
    return (x + unit - 1) / unit;
}
/* a by b; 0 where there is nothing to divide by. */
static inline double ratio_or_0(double a, double b)
{
    return b > 0 ? a / b : 0;
}
/* A 64-bit mixer (bijective); used for hash tables and the "mix" set index. */
static inline uint64_t mix64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x;
}

#endif
