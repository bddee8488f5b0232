/* half.c - conversions between double and the short floating-point formats. */
#include "emulator/half.h"

#include <string.h>

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static double bits_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A format of 1 sign, `exponent_bits` and `mantissa_bits`. */
static double expand(uint32_t bits, unsigned exponent_bits, unsigned mantissa_bits)
{
    uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
    uint32_t exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
    uint64_t sign = (uint64_t)(bits >> (exponent_bits + mantissa_bits) & 1) << 63;
    int bias = (1 << (exponent_bits - 1)) - 1;
    if (exponent == (1u << exponent_bits) - 1)
        return bits_double(sign | 0x7ff0000000000000ull |
                           (uint64_t)mantissa << (52 - mantissa_bits));
    if (!exponent) { /* subnormal: an integer times the smallest step */
        double step = bits_double((uint64_t)(1023 + 1 - bias - (int)mantissa_bits) << 52);
        double value = (double)mantissa * step;
        return sign ? -value : value;
    }
    uint64_t wide_exponent = (uint64_t)((int)exponent - bias + 1023) << 52;
    return bits_double(sign | wide_exponent | (uint64_t)mantissa << (52 - mantissa_bits));
}

static bool rounds_up(uint64_t rest, uint64_t half, bool odd, bool negative,
                      enum emu_rounding rounding)
{
    switch (rounding) {
    case EMU_ROUND_NEAREST:
        return rest > half || (rest == half && odd);
    case EMU_ROUND_AWAY:
        return rest >= half;
    case EMU_ROUND_DOWN:
        return negative && rest;
    case EMU_ROUND_UP:
        return !negative && rest;
    default:
        return false;
    }
}

static bool overflows_to_infinity(bool negative, enum emu_rounding rounding)
{
    return rounding == EMU_ROUND_NEAREST || rounding == EMU_ROUND_AWAY ||
           (rounding == EMU_ROUND_UP && !negative) || (rounding == EMU_ROUND_DOWN && negative);
}

/* Rounds a finite or infinite double once. */
static uint32_t shrink(double value, unsigned exponent_bits, unsigned mantissa_bits,
                       enum emu_rounding rounding)
{
    uint64_t bits = double_bits(value);
    bool negative = bits >> 63;
    uint32_t sign = (uint32_t)negative << (exponent_bits + mantissa_bits);
    uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
    int bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    uint64_t mantissa = bits & 0xfffffffffffffull;
    if (exponent == 1024)
        return sign | infinity;
    if (exponent == -1023) { /* zero; a subnormal double is below half a step of all formats here */
        bool up = mantissa && ((rounding == EMU_ROUND_UP && !negative) ||
                               (rounding == EMU_ROUND_DOWN && negative));
        return sign | up;
    }
    mantissa |= 1ull << 52;
    unsigned drop = 52 - mantissa_bits;
    int biased = exponent + bias;
    if (biased < 1) { /* subnormal result */
        unsigned more = (unsigned)(1 - biased);
        drop = drop + more > 63 ? 63 : drop + more;
        biased = 0;
    }
    uint64_t kept = mantissa >> drop, rest = mantissa & ((1ull << drop) - 1);
    if (rounds_up(rest, 1ull << (drop - 1), kept & 1, negative, rounding))
        kept++;
    /* The hidden bit carries into the exponent by addition. */
    uint64_t result = biased ? ((uint64_t)(biased - 1) << mantissa_bits) + kept : kept;
    if (result >= infinity)
        return sign | (overflows_to_infinity(negative, rounding) ? infinity : infinity - 1);
    return sign | (uint32_t)result;
}

double emu_half_value(uint16_t half)
{
    return expand(half, 5, 10);
}
double emu_bfloat_value(uint16_t bfloat)
{
    return expand(bfloat, 8, 7);
}
uint16_t emu_half_from(double value, enum emu_rounding rounding)
{
    return value != value ? 0x7fff : (uint16_t)shrink(value, 5, 10, rounding);
}
uint16_t emu_bfloat_from(double value, enum emu_rounding rounding)
{
    return value != value ? 0x7fff : (uint16_t)shrink(value, 8, 7, rounding);
}
uint32_t emu_tf32_from(float value, enum emu_rounding rounding)
{
    return value != value ? 0x7fffffffu : shrink((double)value, 8, 10, rounding) << 13;
}
float emu_float_from(double value, enum emu_rounding rounding)
{
    uint32_t bits = value != value ? 0x7fffffffu : shrink(value, 8, 23, rounding);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

double emu_add_odd(double x, double y)
{
    volatile double sum = x + y;
    if (sum != sum || sum - sum != 0)
        return sum;
    /* Knuth's two-sum: the exact error of the addition; volatile keeps every step as written. */
    volatile double back = sum - x;
    volatile double left = sum - back;
    volatile double error_x = x - left;
    volatile double error_y = y - back;
    double error = error_x + error_y;
    uint64_t bits = double_bits(sum);
    if (error == 0 || bits & 1)
        return sum;
    /* The sum is even and inexact: step towards the exact value, which makes the last bit odd. */
    bool away = (error > 0) == (sum > 0);
    if (sum == 0)
        return error;
    return bits_double(away ? bits + 1 : bits - 1);
}

/* ---- eight bits ---- */

/* e4m3 uses its last exponent for numbers. Scaled by 2^-8 it is a format of five exponent bits
 * whose upper half is not used. */
double emu_e4m3_value(uint8_t bits)
{
    if ((bits & 0x7f) == 0x7f)
        return bits_double(0x7ff8000000000000ull);
    return 0x1p8 * expand((uint32_t)(bits & 0x80) << 1 | (bits & 0x7f), 5, 3);
}

double emu_e5m2_value(uint8_t bits)
{
    return expand(bits, 5, 2);
}

static uint8_t with_sign(double value, uint32_t magnitude)
{
    return (uint8_t)(magnitude | (double_bits(value) >> 63) << 7);
}

uint8_t emu_e4m3_from(double value, enum emu_rounding rounding)
{
    if (value != value)
        return 0x7f;
    if (value >= 448 || value <= -448)
        return with_sign(value, 0x7e);
    return with_sign(value, shrink(value * 0x1p-8, 5, 3, rounding) & 0x7f);
}

uint8_t emu_e5m2_from(double value, enum emu_rounding rounding)
{
    if (value != value)
        return 0x7f;
    if (value >= 57344 || value <= -57344)
        return with_sign(value, 0x7b);
    return (uint8_t)shrink(value, 5, 2, rounding);
}

static double relu_of(double value, bool relu)
{
    return relu && value <= 0 ? 0 : value;
}

uint32_t emu_eight_bits_pack(double upper, double lower, bool e5m2, bool relu)
{
    uint8_t (*from)(double, enum emu_rounding) = e5m2 ? emu_e5m2_from : emu_e4m3_from;
    return (uint32_t)from(relu_of(upper, relu), EMU_ROUND_NEAREST) << 8 |
           from(relu_of(lower, relu), EMU_ROUND_NEAREST);
}

uint32_t emu_eight_bits_unpack(uint16_t pair, bool e5m2, bool relu)
{
    double (*value)(uint8_t) = e5m2 ? emu_e5m2_value : emu_e4m3_value;
    double upper = relu_of(value((uint8_t)(pair >> 8)), relu);
    double lower = relu_of(value((uint8_t)pair), relu);
    return (uint32_t)emu_half_from(upper, EMU_ROUND_NEAREST) << 16 |
           emu_half_from(lower, EMU_ROUND_NEAREST);
}
