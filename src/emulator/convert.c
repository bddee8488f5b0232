/* convert.c - conversions between all types of numbers, rounded once. */
#include "emulator/convert.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

/* To an integer, still as a floating-point number. */
static double to_integer(double x, enum emu_rounding rounding)
{
    switch (rounding) {
    case EMU_ROUND_NEAREST:
        return nearbyint(x); /* the host rounds to nearest even */
    case EMU_ROUND_DOWN:
        return floor(x);
    case EMU_ROUND_UP:
        return ceil(x);
    default:
        return trunc(x);
    }
}

static uint64_t int_source(const struct emu_conversion *c, uint64_t bits)
{
    switch (c->from) {
    case EMU_NUM_U8:
        return (uint8_t)bits;
    case EMU_NUM_S8:
        return (uint64_t)(int64_t)(int8_t)bits;
    case EMU_NUM_U16:
        return (uint16_t)bits;
    case EMU_NUM_S16:
        return (uint64_t)(int64_t)(int16_t)bits;
    case EMU_NUM_U32:
        return (uint32_t)bits;
    case EMU_NUM_S32:
        return (uint64_t)(int64_t)(int32_t)bits;
    default:
        return bits;
    }
}

static double float_source(const struct emu_conversion *c, uint64_t bits)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    switch (c->from) {
    case EMU_NUM_F32:
        memcpy(&f, &low, sizeof f);
        return c->ftz && fabsf(f) < 0x1p-126f ? copysign(0, f) : (double)f;
    case EMU_NUM_F64:
        memcpy(&d, &bits, sizeof d);
        return d;
    case EMU_NUM_F16:
        return emu_half_value((uint16_t)bits);
    default:
        return emu_bfloat_value((uint16_t)bits);
    }
}

/* Limits of an integer type as it is stored: sign-extended to 64 bits. */
static void int_limits(unsigned type, int64_t *low, uint64_t *high)
{
    unsigned bits = 8u << (type & 3);
    bool is_signed = emu_number_is_signed(type);
    *low = is_signed ? -1 - (int64_t)((1ull << (bits - 1)) - 1) : 0;
    *high = is_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
}

static uint64_t extend_to_register(unsigned type, uint64_t value)
{
    struct emu_conversion as_source = {.from = (uint8_t)type};
    return int_source(&as_source, value);
}

static uint64_t int_from_int(const struct emu_conversion *c, uint64_t value)
{
    bool negative = emu_number_is_signed(c->from) && (int64_t)value < 0;
    if (c->sat) {
        int64_t low;
        uint64_t high;
        int_limits(c->to, &low, &high);
        if (negative)
            value = (int64_t)value < low ? (uint64_t)low : value;
        else
            value = value > high ? high : value;
    }
    return extend_to_register(c->to, value);
}

static uint64_t int_from_float(const struct emu_conversion *c, double x)
{
    int64_t low;
    uint64_t high;
    int_limits(c->to, &low, &high);
    if (x != x)
        return extend_to_register(c->to, c->nan_is_lowest ? 1ull << ((8u << (c->to & 3)) - 1) : 0);
    x = to_integer(x, c->rounding);
    if (x <= (double)low)
        return extend_to_register(c->to, (uint64_t)low);
    if (x >= (double)high) /* the bound of 64-bit types rounds up to 2^63 or 2^64: still right */
        return extend_to_register(c->to, high);
    uint64_t value = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
    return extend_to_register(c->to, value);
}

static uint64_t float_bits(double d)
{
    uint64_t bits;
    if (d != d)
        return 0xfff8000000000000ull;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

/* Rounds an exact (or odd-rounded) double to the destination. */
static uint64_t float_result(const struct emu_conversion *c, double x)
{
    enum emu_rounding rounding = c->rounding;
    float f;
    uint32_t bits;
    if (c->sat)
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    if (c->relu && x <= 0)
        x = 0;
    switch (c->to) {
    case EMU_NUM_F64:
        return float_bits(x);
    case EMU_NUM_F16:
        return emu_half_from(x, rounding);
    case EMU_NUM_BF16:
        return emu_bfloat_from(x, rounding);
    case EMU_NUM_TF32:
        return emu_tf32_from((float)x, rounding);
    default:
        f = emu_float_from(x, rounding);
        if (c->ftz && fabsf(f) < 0x1p-126f)
            f = copysignf(0, f);
        memcpy(&bits, &f, sizeof bits);
        return bits;
    }
}

static int host_mode(enum emu_rounding rounding)
{
    switch (rounding) {
    case EMU_ROUND_ZERO:
        return FE_TOWARDZERO;
    case EMU_ROUND_DOWN:
        return FE_DOWNWARD;
    case EMU_ROUND_UP:
        return FE_UPWARD;
    default:
        return FE_TONEAREST;
    }
}

static double double_from_int(uint64_t value, bool is_signed, enum emu_rounding rounding)
{
    int before = fegetround();
    volatile uint64_t v = value;
    volatile double r;
    fesetround(host_mode(rounding));
    if (is_signed)
        r = (double)(int64_t)v;
    else
        r = (double)v;
    fesetround(before);
    return r;
}

static uint64_t float_from_int(const struct emu_conversion *c, uint64_t value)
{
    const uint64_t most = 1ull << 53; /* a double holds what is no larger */
    bool is_signed = emu_number_is_signed(c->from);
    if (is_signed ? value + most <= 2 * most : value <= most) {
        double exact = is_signed ? (double)(int64_t)value : (double)value;
        return c->to == EMU_NUM_F64 ? float_bits(exact) : float_result(c, exact);
    }
    if (c->to == EMU_NUM_F64)
        return float_bits(double_from_int(value, is_signed, c->rounding));
    /* Upper and lower word are exact, their sum is made odd: one rounding in all. */
    double high = is_signed ? (double)((int64_t)value >> 32) : (double)(value >> 32);
    return float_result(c, emu_add_odd(high * 0x1p32, (double)(uint32_t)value));
}

uint64_t emu_convert(const struct emu_conversion *c, uint64_t bits)
{
    bool from_float = c->from >= EMU_NUM_F16, to_float = c->to >= EMU_NUM_F16;
    if (!from_float) {
        uint64_t value = int_source(c, bits);
        return to_float ? float_from_int(c, value) : int_from_int(c, value);
    }
    double x = float_source(c, bits);
    if (!to_float)
        return int_from_float(c, x);
    if (c->to_integer) {
        struct emu_conversion exact = *c;
        exact.rounding = EMU_ROUND_NEAREST;
        return float_result(&exact, to_integer(x, c->rounding));
    }
    return float_result(c, x);
}
