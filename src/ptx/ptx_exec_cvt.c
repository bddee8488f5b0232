/* ptx_exec_cvt.c - conversions. The common ones have a loop of their own; all others go lane by
 * lane through a general path that rounds once, whatever the types. */
#include <string.h>

#include "base/bits.h"
#include "emulator/convert.h"
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

/* ---- the general path, see emulator/convert.c ---- */

static unsigned number_of(unsigned type)
{
    switch (type) {
    case PTX_F16:
    case PTX_F16X2:
        return EMU_NUM_F16;
    case PTX_BF16:
    case PTX_BF16X2:
        return EMU_NUM_BF16;
    case PTX_TF32:
        return EMU_NUM_TF32;
    case PTX_F32:
        return EMU_NUM_F32;
    case PTX_F64:
        return EMU_NUM_F64;
    default:
        return lowest_bit32(ptx_type_bytes(type)) +
               (ptx_type_kind(type) == 's' ? EMU_NUM_S8 : EMU_NUM_U8);
    }
}

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

static struct emu_conversion neutral(const struct ptx_conversion *c)
{
    return (struct emu_conversion){
        .to = (uint8_t)number_of(c->to),
        .from = (uint8_t)number_of(c->from),
        .rounding = rounding_of(c->rounding),
        .to_integer = c->rounding == PTX_M_RNI || c->rounding == PTX_M_RZI ||
                      c->rounding == PTX_M_RMI || c->rounding == PTX_M_RPI,
        .sat = c->sat,
        .ftz = c->ftz,
        .relu = c->relu,
        /* an H200 gives the highest bit where eight bytes are involved,
         * 0 for single precision to four bytes */
        .nan_is_lowest = ptx_type_bytes(c->from) == 8 || ptx_type_bytes(c->to) == 8};
}

static uint64_t lane_bits(const void *lanes, unsigned i, bool wide)
{
    return wide ? ((const uint64_t *)lanes)[i] : ((const uint32_t *)lanes)[i];
}

static void convert_general(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_conversion *c = in->extra;
    struct emu_conversion conversion = neutral(c);
    void *d = ptx_ref(w, in->d);
    const void *a = ptx_ref(w, in->a);
    bool wide_from = ptx_type_bytes(c->from) == 8, wide_to = ptx_type_bytes(c->to) == 8;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        uint64_t r = emu_convert(&conversion, lane_bits(a, i, wide_from));
        if (wide_to)
            ((uint64_t *)d)[i] = r;
        else
            ((uint32_t *)d)[i] = (uint32_t)r;
    }
}

/* cvt.rn.f16x2.f32 d, a, b: a goes to the upper half. */
static void convert_pack(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    struct emu_conversion c = neutral(in->extra);
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);
    for (unsigned i = 0; i < EMU_LANES; i++)
        if (mask >> i & 1)
            d[i] = (uint32_t)emu_convert(&c, a[i]) << 16 | (uint32_t)emu_convert(&c, b[i]);
}

/* Eight-bit floats are made of pairs of single precision, or of the halves of one word; the first
 * source or upper half goes to the upper byte. */
static double single_value(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void pack_eight_bits(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_conversion *c = in->extra;
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = in->b == PTX_NO_REF ? NULL : ptx_ref(w, in->b);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        double high = b ? single_value(a[i]) : emu_half_value((uint16_t)(a[i] >> 16));
        double low = b ? single_value(b[i]) : emu_half_value((uint16_t)a[i]);
        d[i] = emu_eight_bits_pack(high, low, c->to == PTX_E5M2X2, c->relu);
    }
}

static void unpack_eight_bits(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_conversion *c = in->extra;
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        d[i] = emu_eight_bits_unpack((uint16_t)a[i], c->from == PTX_E5M2X2, c->relu);
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
