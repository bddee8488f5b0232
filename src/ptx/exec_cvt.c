/* exec_cvt.c - conversions. The common ones have a loop of their own; all others go lane by lane
 * through a general path that rounds once, whatever the types. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "emulator/half.h"
#include "ptx/handlers.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* ---- common conversions ---- */

#define CONVERT(name, D, S, expr)                                                                  \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        D *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a);                                                            \
        EMU_STORE_LANES(d, mask, (D)(expr));                                                       \
    }
/* Out of range clamps, NaN gives zero. The bounds are exact in the source type. */
static inline int32_t s32_of_f32(float x)
{
    return x != x ? 0 : x >= 0x1p31f ? INT32_MAX : x <= -0x1p31f ? INT32_MIN : (int32_t)x;
}
static inline uint32_t u32_of_f32(float x)
{
    return !(x > 0.0f) ? 0 : x >= 0x1p32f ? UINT32_MAX : (uint32_t)x;
}
CONVERT(s64_s32, int64_t, int32_t, a[i])
CONVERT(u64_u32, uint64_t, uint32_t, a[i])
CONVERT(u32_u64, uint32_t, uint64_t, a[i])
CONVERT(u32_u32, uint32_t, uint32_t, a[i])
CONVERT(u64_u64, uint64_t, uint64_t, a[i])
CONVERT(u32_u16, uint32_t, uint32_t, (uint16_t)a[i])
CONVERT(u32_u8, uint32_t, uint32_t, (uint8_t)a[i])
CONVERT(s32_s16, int32_t, uint32_t, (int16_t)a[i])
CONVERT(s32_s8, int32_t, uint32_t, (int8_t)a[i])
CONVERT(f32_s32, float, int32_t, a[i])
CONVERT(f32_u32, float, uint32_t, a[i])
CONVERT(f64_s32, double, int32_t, a[i])
CONVERT(f64_u32, double, uint32_t, a[i])
CONVERT(f64_s64, double, int64_t, a[i])
CONVERT(f64_u64, double, uint64_t, a[i])
CONVERT(s32_f32, int32_t, float, s32_of_f32(a[i]))
CONVERT(u32_f32, uint32_t, float, u32_of_f32(a[i]))

struct fast {
    uint8_t to, from, rounding;
    ptx_handler *run;
};
static const struct fast fast[] = {
    {PTX_S64, PTX_S32, 0, s64_s32},         {PTX_U64, PTX_S32, 0, s64_s32},
    {PTX_U64, PTX_U32, 0, u64_u32},         {PTX_S64, PTX_U32, 0, u64_u32},
    {PTX_U32, PTX_U64, 0, u32_u64},         {PTX_S32, PTX_U64, 0, u32_u64},
    {PTX_U32, PTX_S64, 0, u32_u64},         {PTX_S32, PTX_S64, 0, u32_u64},
    {PTX_U32, PTX_U16, 0, u32_u16},         {PTX_S32, PTX_U16, 0, u32_u16},
    {PTX_U32, PTX_U8, 0, u32_u8},           {PTX_S32, PTX_U8, 0, u32_u8},
    {PTX_U16, PTX_U32, 0, u32_u16},         {PTX_U16, PTX_S32, 0, u32_u16},
    {PTX_U32, PTX_S16, 0, s32_s16},         {PTX_S32, PTX_S16, 0, s32_s16},
    {PTX_U32, PTX_S8, 0, s32_s8},           {PTX_S32, PTX_S8, 0, s32_s8},
    {PTX_U32, PTX_U32, 0, u32_u32},         {PTX_S32, PTX_S32, 0, u32_u32},
    {PTX_U32, PTX_S32, 0, u32_u32},         {PTX_S32, PTX_U32, 0, u32_u32},
    {PTX_U64, PTX_U64, 0, u64_u64},         {PTX_S64, PTX_S64, 0, u64_u64},
    {PTX_U64, PTX_S64, 0, u64_u64},         {PTX_S64, PTX_U64, 0, u64_u64},
    {PTX_F32, PTX_S32, PTX_M_RN, f32_s32},  {PTX_F32, PTX_U32, PTX_M_RN, f32_u32},
    {PTX_F64, PTX_S32, PTX_M_RN, f64_s32},  {PTX_F64, PTX_U32, PTX_M_RN, f64_u32},
    {PTX_F64, PTX_S64, PTX_M_RN, f64_s64},  {PTX_F64, PTX_U64, PTX_M_RN, f64_u64},
    {PTX_S32, PTX_F32, PTX_M_RZI, s32_f32}, {PTX_U32, PTX_F32, PTX_M_RZI, u32_f32},
};

/* ---- the general path ---- */

static enum emu_rounding rounding_of(unsigned modifier)
{
    switch (modifier) {
    case PTX_M_RZ:
    case PTX_M_RZI:
        return EMU_ROUND_ZERO;
    case PTX_M_RM:
    case PTX_M_RMI:
        return EMU_ROUND_DOWN;
    case PTX_M_RP:
    case PTX_M_RPI:
        return EMU_ROUND_UP;
    case PTX_M_RNA:
        return EMU_ROUND_AWAY;
    default:
        return EMU_ROUND_NEAREST;
    }
}

static bool rounds_to_integer(unsigned modifier)
{
    return modifier == PTX_M_RNI || modifier == PTX_M_RZI || modifier == PTX_M_RMI ||
           modifier == PTX_M_RPI;
}

static double to_integer(double x, unsigned modifier)
{
    switch (modifier) {
    case PTX_M_RNI:
        return nearbyint(x); /* the host rounds to nearest even */
    case PTX_M_RMI:
        return floor(x);
    case PTX_M_RPI:
        return ceil(x);
    default:
        return trunc(x);
    }
}

static uint64_t int_source(const struct ptx_conversion *c, uint64_t bits)
{
    switch (c->from) {
    case PTX_U8:
    case PTX_B8:
        return (uint8_t)bits;
    case PTX_S8:
        return (uint64_t)(int64_t)(int8_t)bits;
    case PTX_U16:
    case PTX_B16:
        return (uint16_t)bits;
    case PTX_S16:
        return (uint64_t)(int64_t)(int16_t)bits;
    case PTX_U32:
    case PTX_B32:
        return (uint32_t)bits;
    case PTX_S32:
        return (uint64_t)(int64_t)(int32_t)bits;
    default:
        return bits;
    }
}

static double float_source(const struct ptx_conversion *c, uint64_t bits)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    switch (c->from) {
    case PTX_F32:
        memcpy(&f, &low, sizeof f);
        return c->ftz && fabsf(f) < 0x1p-126f ? copysign(0, f) : (double)f;
    case PTX_F64:
        memcpy(&d, &bits, sizeof d);
        return d;
    case PTX_F16:
        return emu_half_value((uint16_t)bits);
    default:
        return emu_bfloat_value((uint16_t)bits);
    }
}

/* Limits of an integer type as it is stored: sign-extended to 64 bits. */
static void int_limits(unsigned type, int64_t *low, uint64_t *high)
{
    unsigned bits = ptx_type_bytes(type) * 8;
    bool is_signed = ptx_type_kind(type) == 's';
    *low = is_signed ? -1 - (int64_t)((1ull << (bits - 1)) - 1) : 0;
    *high = is_signed ? (1ull << (bits - 1)) - 1 : bits == 64 ? ~0ull : (1ull << bits) - 1;
}

static uint64_t extend_to_register(unsigned type, uint64_t value)
{
    struct ptx_conversion as_source = {.from = (uint8_t)type};
    return int_source(&as_source, value);
}

static uint64_t int_from_int(const struct ptx_conversion *c, uint64_t value)
{
    bool negative = ptx_type_kind(c->from) == 's' && (int64_t)value < 0;
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

static uint64_t int_from_float(const struct ptx_conversion *c, double x)
{
    int64_t low;
    uint64_t high;
    int_limits(c->to, &low, &high);
    if (x != x)
        return 0;
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
static uint64_t float_result(const struct ptx_conversion *c, double x)
{
    enum emu_rounding rounding = rounding_of(c->rounding);
    float f;
    uint32_t bits;
    if (c->sat)
        x = x > 0 ? (x < 1 ? x : 1) : 0;
    if (c->relu && x <= 0)
        x = 0;
    switch (c->to) {
    case PTX_F64:
        return float_bits(x);
    case PTX_F16:
    case PTX_F16X2:
        return emu_half_from(x, rounding);
    case PTX_BF16:
    case PTX_BF16X2:
        return emu_bfloat_from(x, rounding);
    case PTX_TF32:
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

static uint64_t float_from_int(const struct ptx_conversion *c, uint64_t value)
{
    bool is_signed = ptx_type_kind(c->from) == 's';
    if (c->to == PTX_F64)
        return float_bits(double_from_int(value, is_signed, rounding_of(c->rounding)));
    /* Upper and lower word are exact, their sum is made odd: one rounding in all. */
    double high = is_signed ? (double)((int64_t)value >> 32) : (double)(value >> 32);
    return float_result(c, emu_add_odd(high * 0x1p32, (double)(uint32_t)value));
}

static uint64_t convert(const struct ptx_conversion *c, uint64_t bits)
{
    bool from_float = ptx_type_kind(c->from) == 'f', to_float = ptx_type_kind(c->to) == 'f';
    if (!from_float) {
        uint64_t value = int_source(c, bits);
        return to_float ? float_from_int(c, value) : int_from_int(c, value);
    }
    double x = float_source(c, bits);
    if (!to_float)
        return int_from_float(c, x);
    if (rounds_to_integer(c->rounding)) {
        x = to_integer(x, c->rounding);
        struct ptx_conversion exact = *c;
        exact.rounding = PTX_M_RN;
        return float_result(&exact, x);
    }
    return float_result(c, x);
}

static uint64_t lane_bits(const void *lanes, unsigned i, bool wide)
{
    return wide ? ((const uint64_t *)lanes)[i] : ((const uint32_t *)lanes)[i];
}

static void convert_general(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_conversion *c = in->extra;
    void *d = ptx_ref(w, in->d);
    const void *a = ptx_ref(w, in->a);
    bool wide_from = ptx_type_bytes(c->from) == 8, wide_to = ptx_type_bytes(c->to) == 8;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        uint64_t r = convert(c, lane_bits(a, i, wide_from));
        if (wide_to)
            ((uint64_t *)d)[i] = r;
        else
            ((uint32_t *)d)[i] = (uint32_t)r;
    }
}

/* cvt.rn.f16x2.f32 d, a, b: a goes to the upper half. */
static void convert_pack(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_conversion *c = in->extra;
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);
    for (unsigned i = 0; i < EMU_LANES; i++)
        if (mask >> i & 1)
            d[i] = (uint32_t)convert(c, a[i]) << 16 | (uint32_t)convert(c, b[i]);
}

/* Eight bits: two values in sixteen, the first source (or upper half) in the upper byte. */
static uint32_t eight_bits_of(const struct ptx_conversion *c, double x)
{
    if (c->relu && x <= 0)
        x = 0;
    return c->to == PTX_E4M3X2 ? emu_e4m3_from(x, EMU_ROUND_NEAREST)
                               : emu_e5m2_from(x, EMU_ROUND_NEAREST);
}

static void pack_eight_bits(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_conversion *c = in->extra;
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = in->b == PTX_NO_REF ? NULL : ptx_ref(w, in->b);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        double high = b ? float_source(c, a[i]) : emu_half_value((uint16_t)(a[i] >> 16));
        double low = b ? float_source(c, b[i]) : emu_half_value((uint16_t)a[i]);
        d[i] = eight_bits_of(c, high) << 8 | eight_bits_of(c, low);
    }
}

static uint32_t half_of_eight_bits(const struct ptx_conversion *c, uint8_t bits)
{
    double x = c->from == PTX_E4M3X2 ? emu_e4m3_value(bits) : emu_e5m2_value(bits);
    if (c->relu && x <= 0)
        x = 0;
    return emu_half_from(x, EMU_ROUND_NEAREST);
}

static void unpack_eight_bits(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_conversion *c = in->extra;
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        d[i] = half_of_eight_bits(c, (uint8_t)(a[i] >> 8)) << 16 |
               half_of_eight_bits(c, (uint8_t)a[i]);
    }
}

static void f32_f64(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    float *d = ptx_ref(w, in->d);
    const double *a = ptx_ref(w, in->a);
    uint32_t bits = 0x7fffffffu;
    float nan;
    memcpy(&nan, &bits, sizeof nan);
    EMU_STORE_LANES(d, mask, a[i] == a[i] ? (float)a[i] : nan);
}
static void f64_f32(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    double *d = ptx_ref(w, in->d);
    const float *a = ptx_ref(w, in->a);
    uint64_t bits = 0xfff8000000000000ull;
    double nan;
    memcpy(&nan, &bits, sizeof nan);
    EMU_STORE_LANES(d, mask, a[i] == a[i] ? (double)a[i] : nan);
}

ptx_handler *ptx_convert_handler(const struct ptx_conversion *c)
{
    bool plain = !c->sat && !c->ftz && !c->relu;
    if (ptx_is_eight_bits(c->to))
        return pack_eight_bits;
    if (ptx_is_eight_bits(c->from))
        return unpack_eight_bits;
    if (c->to == PTX_F16X2 || c->to == PTX_BF16X2)
        return convert_pack;
    if (plain && c->to == PTX_F32 && c->from == PTX_F64 && c->rounding == PTX_M_RN)
        return f32_f64;
    if (plain && c->to == PTX_F64 && c->from == PTX_F32 && !c->rounding)
        return f64_f32;
    for (size_t i = 0; plain && i < sizeof fast / sizeof *fast; i++)
        if (fast[i].to == c->to && fast[i].from == c->from && fast[i].rounding == c->rounding)
            return fast[i].run;
    return convert_general;
}
