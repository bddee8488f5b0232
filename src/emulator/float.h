/* float.h - rules of f32 and f64 arithmetic that all executors share.
 *
 * NaN results are the canonical ones of NVIDIA hardware, so that hosts that propagate payloads
 * differently give the same bits. */
#ifndef STRATA_EMULATOR_FLOAT_H
#define STRATA_EMULATOR_FLOAT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline float emu_f32_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static inline double emu_f64_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}
static inline float emu_canon32(float x)
{
    return x == x ? x : emu_f32_bits(0x7fffffffu);
}
static inline double emu_canon64(double x)
{
    return x == x ? x : emu_f64_bits(0xfff8000000000000ull);
}
/* Subnormal numbers become zero of the same sign. */
static inline float emu_flush32(float x)
{
    return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}
/* Clamps to [0, 1]; NaN gives +0. */
static inline float emu_sat32(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
/* min and max: a number wins over NaN, -0 is below +0. */
static inline float emu_min32(float x, float y)
{
    if (x != x)
        return y;
    if (y != y)
        return x;
    return x < y || (x == y && signbit(x)) ? x : y;
}
static inline float emu_max32(float x, float y)
{
    if (x != x)
        return y;
    if (y != y)
        return x;
    return x > y || (x == y && !signbit(x)) ? x : y;
}
static inline float emu_min32_nan(float x, float y)
{
    return x != x || y != y ? emu_f32_bits(0x7fffffffu) : emu_min32(x, y);
}
static inline float emu_max32_nan(float x, float y)
{
    return x != x || y != y ? emu_f32_bits(0x7fffffffu) : emu_max32(x, y);
}
static inline double emu_min64(double x, double y)
{
    if (x != x)
        return y;
    if (y != y)
        return x;
    return x < y || (x == y && signbit(x)) ? x : y;
}
static inline double emu_max64(double x, double y)
{
    if (x != x)
        return y;
    if (y != y)
        return x;
    return x > y || (x == y && !signbit(x)) ? x : y;
}
static inline float emu_rsqrt32(float x)
{
    return (float)(1.0 / sqrt((double)x));
}
/* What the upper word of a double says alone: the seed of a Newton iteration. */
static inline double emu_upper_word(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (!(bits & 0x7ff0000000000000ull))
        bits &= 0x8000000000000000ull;
    return emu_f64_bits(bits & 0xffffffff00000000ull);
}

/* Would the quick division a / b lose digits? Then the program takes its slow way (FCHK). */
static inline bool emu_division_is_delicate(float a, float b)
{
    int x, y;
    if (a != a || b != b || isinf(a) || isinf(b) || a == 0 || b == 0)
        return true;
    frexpf(b, &y);
    if (y < -124 || y > 125)
        return true;
    frexpf(a, &x);
    return x < -100 || x - y < -124 || x - y > 125;
}

#endif
