/* ptx_exec_int.c - integer arithmetic. */
#include "ptx/handlers.h"

#ifdef __GNUC__
#ifndef __clang__
#pragma GCC optimize("O3")
#endif
#endif

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* A handler of one, two or three sources. S: lane as stored; T: operand type; O: unsigned result
 * type, which zero-extends 16-bit results. */
#define INT1(name, S, T, O, expr)                                                                  \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        S *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a);                                                            \
        EMU_STORE_LANES(d, mask, (S)(O)expr((T)a[i]));                                             \
    }
#define INT2(name, S, T, O, expr)                                                                  \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        S *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);                                    \
        EMU_STORE_LANES(d, mask, (S)(O)expr((T)a[i], (T)b[i]));                                    \
    }
#define INT3(name, S, T, O, expr)                                                                  \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        S *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b), *c = ptx_ref(w, in->c);            \
        EMU_STORE_LANES(d, mask, (S)(O)expr((T)a[i], (T)b[i], (T)c[i]));                           \
    }
/* Products twice as wide as their factors: destination and addend are of type D. */
#define WIDE2(name, D, S, T, W)                                                                    \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        D *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);                                    \
        EMU_STORE_LANES(d, mask, (D)((W)(T)a[i] * (W)(T)b[i]));                                    \
    }
#define WIDE3(name, D, S, T, W)                                                                    \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        D *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);                                    \
        const D *c = ptx_ref(w, in->c);                                                            \
        EMU_STORE_LANES(d, mask, (D)((W)(T)a[i] * (W)(T)b[i]) + c[i]);                             \
    }

#define ADD(x, y)      ((x) + (y))
#define SUB(x, y)      ((x) - (y))
#define MUL(x, y)      ((x) * (y))
#define MAD(x, y, z)   ((x) * (y) + (z))
#define NEG(x)         (0 - (x))
#define ABS(x)         ((x) < 0 ? 0 - (uint64_t)(x) : (uint64_t)(x))
#define MIN(x, y)      ((x) < (y) ? (x) : (y))
#define MAX(x, y)      ((x) > (y) ? (x) : (y))
#define SAD_U(x, y, z) (((x) < (y) ? (y) - (x) : (x) - (y)) + (z))
/* |x - y| + z, the difference taken without overflow. */
#define SAD_S(x, y, z)                                                                             \
    (((x) < (y) ? (uint64_t)(y) - (uint64_t)(x) : (uint64_t)(x) - (uint64_t)(y)) + (uint64_t)(z))
#define HI16(x, y)        ((uint32_t)((int32_t)(x) * (int32_t)(y)) >> 16)
#define HI16U(x, y)       (((uint32_t)(x) * (uint32_t)(y)) >> 16)
#define HI32(x, y)        ((uint64_t)((int64_t)(x) * (int64_t)(y)) >> 32)
#define HI32U(x, y)       ((uint64_t)(x) * (uint64_t)(y) >> 32)
#define HI64(x, y)        ((uint128)((int128)(x) * (int128)(y)) >> 64)
#define HI64U(x, y)       ((uint128)(x) * (uint128)(y) >> 64)
#define MADHI16(x, y, z)  (HI16(x, y) + (uint32_t)(z))
#define MADHI16U(x, y, z) (HI16U(x, y) + (uint32_t)(z))
#define MADHI32(x, y, z)  (HI32(x, y) + (uint64_t)(z))
#define MADHI32U(x, y, z) (HI32U(x, y) + (uint64_t)(z))
#define MADHI64(x, y, z)  (HI64(x, y) + (uint128)(z))
#define MADHI64U(x, y, z) (HI64U(x, y) + (uint128)(z))
/* Division by zero is undefined in PTX; the sequence ptxas emits for it ends in all ones, for the
 * remainder too. The one overflow (INT_MIN / -1) wraps. */
#define DIV_U(x, y) ((y) ? (x) / (y) : ~(x) | (x))
#define REM_U(x, y) ((y) ? (x) % (y) : ~(x) | (x))
#define DIV_S(x, y)                                                                                \
    ((y) == 0 ? -1 : (y) == -1 ? (int64_t)(0 - (uint64_t)(x)) : (int64_t)((x) / (y)))
#define REM_S(x, y) ((y) == 0 ? -1 : (y) == -1 ? 0 : (int64_t)((x) % (y)))

static inline int32_t saturate(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}
#define ADD_SAT(x, y)      saturate((int64_t)(x) + (y))
#define SUB_SAT(x, y)      saturate((int64_t)(x) - (y))
#define MADHI_SAT(x, y, z) saturate(((int64_t)(x) * (y) >> 32) + (z))
#define S24(x)             ((int32_t)((uint32_t)(x) << 8) >> 8)
#define U24(x)             ((uint32_t)(x)&0xffffffu)
#define MUL24_S(x, y)      ((uint64_t)((int64_t)S24(x) * S24(y)))
#define MUL24_U(x, y)      ((uint64_t)U24(x) * U24(y))
#define MUL24HI_S(x, y)    (MUL24_S(x, y) >> 16)
#define MUL24HI_U(x, y)    (MUL24_U(x, y) >> 16)
#define MAD24_S(x, y, z)   (MUL24_S(x, y) + (uint64_t)(z))
#define MAD24_U(x, y, z)   (MUL24_U(x, y) + (uint64_t)(z))
#define MAD24HI_S(x, y, z) (MUL24HI_S(x, y) + (uint64_t)(z))
#define MAD24HI_U(x, y, z) (MUL24HI_U(x, y) + (uint64_t)(z))

INT2(add16, uint32_t, uint16_t, uint16_t, ADD)
INT2(add32, uint32_t, uint32_t, uint32_t, ADD)
INT2(add64, uint64_t, uint64_t, uint64_t, ADD)
INT2(sub16, uint32_t, uint16_t, uint16_t, SUB)
INT2(sub32, uint32_t, uint32_t, uint32_t, SUB)
INT2(sub64, uint64_t, uint64_t, uint64_t, SUB)
INT2(add_sat, uint32_t, int32_t, uint32_t, ADD_SAT)
INT2(sub_sat, uint32_t, int32_t, uint32_t, SUB_SAT)
INT2(mul16, uint32_t, uint32_t, uint16_t, MUL)
INT2(mul32, uint32_t, uint32_t, uint32_t, MUL)
INT2(mul64, uint64_t, uint64_t, uint64_t, MUL)
INT2(mulhi_s16, uint32_t, int16_t, uint16_t, HI16)
INT2(mulhi_u16, uint32_t, uint16_t, uint16_t, HI16U)
INT2(mulhi_s32, uint32_t, int32_t, uint32_t, HI32)
INT2(mulhi_u32, uint32_t, uint32_t, uint32_t, HI32U)
INT2(mulhi_s64, uint64_t, int64_t, uint64_t, HI64)
INT2(mulhi_u64, uint64_t, uint64_t, uint64_t, HI64U)
WIDE2(mulwide_s16, uint32_t, uint32_t, int16_t, int32_t)
WIDE2(mulwide_u16, uint32_t, uint32_t, uint16_t, uint32_t)
WIDE2(mulwide_s32, uint64_t, uint32_t, int32_t, int64_t)
WIDE2(mulwide_u32, uint64_t, uint32_t, uint32_t, uint64_t)
INT3(mad16, uint32_t, uint32_t, uint16_t, MAD)
INT3(mad32, uint32_t, uint32_t, uint32_t, MAD)
INT3(mad64, uint64_t, uint64_t, uint64_t, MAD)
INT3(madhi_s16, uint32_t, int16_t, uint16_t, MADHI16)
INT3(madhi_u16, uint32_t, uint16_t, uint16_t, MADHI16U)
INT3(madhi_s32, uint32_t, int32_t, uint32_t, MADHI32)
INT3(madhi_u32, uint32_t, uint32_t, uint32_t, MADHI32U)
INT3(madhi_s64, uint64_t, int64_t, uint64_t, MADHI64)
INT3(madhi_u64, uint64_t, uint64_t, uint64_t, MADHI64U)
INT3(madhi_sat, uint32_t, int32_t, uint32_t, MADHI_SAT)
WIDE3(madwide_s16, uint32_t, uint32_t, int16_t, int32_t)
WIDE3(madwide_u16, uint32_t, uint32_t, uint16_t, uint32_t)
WIDE3(madwide_s32, uint64_t, uint32_t, int32_t, int64_t)
WIDE3(madwide_u32, uint64_t, uint32_t, uint32_t, uint64_t)
INT2(mul24_s, uint32_t, uint32_t, uint32_t, MUL24_S)
INT2(mul24_u, uint32_t, uint32_t, uint32_t, MUL24_U)
INT2(mul24hi_s, uint32_t, uint32_t, uint32_t, MUL24HI_S)
INT2(mul24hi_u, uint32_t, uint32_t, uint32_t, MUL24HI_U)
INT3(mad24_s, uint32_t, uint32_t, uint32_t, MAD24_S)
INT3(mad24_u, uint32_t, uint32_t, uint32_t, MAD24_U)
INT3(mad24hi_s, uint32_t, uint32_t, uint32_t, MAD24HI_S)
INT3(mad24hi_u, uint32_t, uint32_t, uint32_t, MAD24HI_U)
INT2(div_u16, uint32_t, uint16_t, uint16_t, DIV_U)
INT2(div_u32, uint32_t, uint32_t, uint32_t, DIV_U)
INT2(div_u64, uint64_t, uint64_t, uint64_t, DIV_U)
INT2(div_s16, uint32_t, int16_t, uint16_t, DIV_S)
INT2(div_s32, uint32_t, int32_t, uint32_t, DIV_S)
INT2(div_s64, uint64_t, int64_t, uint64_t, DIV_S)
INT2(rem_u16, uint32_t, uint16_t, uint16_t, REM_U)
INT2(rem_u32, uint32_t, uint32_t, uint32_t, REM_U)
INT2(rem_u64, uint64_t, uint64_t, uint64_t, REM_U)
INT2(rem_s16, uint32_t, int16_t, uint16_t, REM_S)
INT2(rem_s32, uint32_t, int32_t, uint32_t, REM_S)
INT2(rem_s64, uint64_t, int64_t, uint64_t, REM_S)
INT2(min_u16, uint32_t, uint16_t, uint16_t, MIN)
INT2(min_s16, uint32_t, int16_t, uint16_t, MIN)
INT2(min_u32, uint32_t, uint32_t, uint32_t, MIN)
INT2(min_s32, uint32_t, int32_t, uint32_t, MIN)
INT2(min_u64, uint64_t, uint64_t, uint64_t, MIN)
INT2(min_s64, uint64_t, int64_t, uint64_t, MIN)
INT2(max_u16, uint32_t, uint16_t, uint16_t, MAX)
INT2(max_s16, uint32_t, int16_t, uint16_t, MAX)
INT2(max_u32, uint32_t, uint32_t, uint32_t, MAX)
INT2(max_s32, uint32_t, int32_t, uint32_t, MAX)
INT2(max_u64, uint64_t, uint64_t, uint64_t, MAX)
INT2(max_s64, uint64_t, int64_t, uint64_t, MAX)
INT1(neg16, uint32_t, uint32_t, uint16_t, NEG)
INT1(neg32, uint32_t, uint32_t, uint32_t, NEG)
INT1(neg64, uint64_t, uint64_t, uint64_t, NEG)
INT1(abs16, uint32_t, int16_t, uint16_t, ABS)
INT1(abs32, uint32_t, int32_t, uint32_t, ABS)
INT1(abs64, uint64_t, int64_t, uint64_t, ABS)
INT3(sad_u16, uint32_t, uint16_t, uint16_t, SAD_U)
INT3(sad_s16, uint32_t, int16_t, uint16_t, SAD_S)
INT3(sad_u32, uint32_t, uint32_t, uint32_t, SAD_U)
INT3(sad_s32, uint32_t, int32_t, uint32_t, SAD_S)
INT3(sad_u64, uint64_t, uint64_t, uint64_t, SAD_U)
INT3(sad_s64, uint64_t, int64_t, uint64_t, SAD_S)

struct row {
    uint8_t mnemonic, variant;
    ptx_handler *u16, *s16, *u32, *s32, *u64, *s64;
};

/* clang-format off */
static const struct row rows[] = {
    {PTX_OP_add, PTX_NONE, add16, add16, add32, add32, add64, add64},
    {PTX_OP_add, PTX_M_SAT, NULL, NULL, NULL, add_sat, NULL, NULL},
    {PTX_OP_sub, PTX_NONE, sub16, sub16, sub32, sub32, sub64, sub64},
    {PTX_OP_sub, PTX_M_SAT, NULL, NULL, NULL, sub_sat, NULL, NULL},
    {PTX_OP_mul, PTX_M_LO, mul16, mul16, mul32, mul32, mul64, mul64},
    {PTX_OP_mul, PTX_M_HI, mulhi_u16, mulhi_s16, mulhi_u32, mulhi_s32, mulhi_u64, mulhi_s64},
    {PTX_OP_mul, PTX_M_WIDE, mulwide_u16, mulwide_s16, mulwide_u32, mulwide_s32, NULL, NULL},
    {PTX_OP_mad, PTX_M_LO, mad16, mad16, mad32, mad32, mad64, mad64},
    {PTX_OP_mad, PTX_M_HI, madhi_u16, madhi_s16, madhi_u32, madhi_s32, madhi_u64, madhi_s64},
    {PTX_OP_mad, PTX_M_SAT, NULL, NULL, NULL, madhi_sat, NULL, NULL},
    {PTX_OP_mad, PTX_M_WIDE, madwide_u16, madwide_s16, madwide_u32, madwide_s32, NULL, NULL},
    {PTX_OP_mul24, PTX_M_LO, NULL, NULL, mul24_u, mul24_s, NULL, NULL},
    {PTX_OP_mul24, PTX_M_HI, NULL, NULL, mul24hi_u, mul24hi_s, NULL, NULL},
    {PTX_OP_mad24, PTX_M_LO, NULL, NULL, mad24_u, mad24_s, NULL, NULL},
    {PTX_OP_mad24, PTX_M_HI, NULL, NULL, mad24hi_u, mad24hi_s, NULL, NULL},
    {PTX_OP_div, PTX_NONE, div_u16, div_s16, div_u32, div_s32, div_u64, div_s64},
    {PTX_OP_rem, PTX_NONE, rem_u16, rem_s16, rem_u32, rem_s32, rem_u64, rem_s64},
    {PTX_OP_min, PTX_NONE, min_u16, min_s16, min_u32, min_s32, min_u64, min_s64},
    {PTX_OP_max, PTX_NONE, max_u16, max_s16, max_u32, max_s32, max_u64, max_s64},
    {PTX_OP_neg, PTX_NONE, neg16, neg16, neg32, neg32, neg64, neg64},
    {PTX_OP_abs, PTX_NONE, NULL, abs16, NULL, abs32, NULL, abs64},
    {PTX_OP_sad, PTX_NONE, sad_u16, sad_s16, sad_u32, sad_s32, sad_u64, sad_s64},
};
/* clang-format on */

ptx_handler *ptx_int_handler(unsigned mnemonic, unsigned type, unsigned variant)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        if (r->mnemonic != mnemonic || r->variant != variant)
            continue;
        switch (type) {
        case PTX_U16:
            return r->u16;
        case PTX_S16:
            return r->s16;
        case PTX_U32:
            return r->u32;
        case PTX_S32:
            return r->s32;
        case PTX_U64:
            return r->u64;
        case PTX_S64:
            return r->s64;
        default:
            return NULL;
        }
    }
    return NULL;
}

/* ---- carry chains ---- */

/* x + y + carry-in; subtraction adds the complement, its carry being an inverted borrow. */
static uint64_t add_carry(uint64_t x, uint64_t y, unsigned carry, bool wide, unsigned *out)
{
    if (wide) {
        uint128 sum = (uint128)x + y + carry;
        *out = (unsigned)(sum >> 64);
        return (uint64_t)sum;
    }
    uint64_t sum = (uint64_t)(uint32_t)x + (uint32_t)y + carry;
    *out = (unsigned)(sum >> 32);
    return (uint32_t)sum;
}

enum carry_kind { CARRY_ADD, CARRY_SUB, CARRY_MAD_LO, CARRY_MAD_HI };

static uint64_t product_half(const struct ptx_inst *in, uint64_t x, uint64_t y, bool wide,
                             bool high)
{
    if (!wide) {
        uint64_t p = in->is_signed ? (uint64_t)((int64_t)(int32_t)x * (int32_t)y)
                                   : (uint64_t)(uint32_t)x * (uint32_t)y;
        return high ? p >> 32 : p;
    }
    uint128 p = in->is_signed ? (uint128)((int128)(int64_t)x * (int64_t)y) : (uint128)x * y;
    return (uint64_t)(high ? p >> 64 : p);
}

static void run_carry(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                      enum carry_kind kind, bool wide)
{
    uint32_t carry = ptx_predicate(w, in->d2), carry_out = 0;
    uint32_t *d32 = ptx_ref(w, in->d), *a32 = ptx_ref(w, in->a), *b32 = ptx_ref(w, in->b);
    uint64_t *d64 = ptx_ref(w, in->d), *a64 = ptx_ref(w, in->a), *b64 = ptx_ref(w, in->b);
    bool mad = kind == CARRY_MAD_LO || kind == CARRY_MAD_HI;
    uint32_t *c32 = mad ? ptx_ref(w, in->c) : a32;
    uint64_t *c64 = mad ? ptx_ref(w, in->c) : a64;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        uint64_t x = wide ? a64[i] : a32[i], y = wide ? b64[i] : b32[i];
        unsigned c = in->op & PTX_CARRY_IN ? carry >> i & 1 : kind == CARRY_SUB, out;
        if (mad) {
            x = product_half(in, x, y, wide, kind == CARRY_MAD_HI);
            y = wide ? c64[i] : c32[i];
        } else if (kind == CARRY_SUB) {
            /* CC.CF of PTX is the borrow: invert it on the way in and out. */
            c = in->op & PTX_CARRY_IN ? !(carry >> i & 1) : 1;
            y = ~y;
        }
        uint64_t sum = add_carry(x, y, c, wide, &out);
        carry_out |= (uint32_t)(kind == CARRY_SUB ? !out : out) << i;
        if (wide)
            d64[i] = sum;
        else
            d32[i] = (uint32_t)sum;
    }
    if (in->op & PTX_CARRY_OUT)
        ptx_set_predicate(w, in->d2, mask, carry_out);
}

#define CARRY(name, kind, wide)                                                                    \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        run_carry(w, in, mask, kind, wide);                                                        \
    }
CARRY(add_cc32, CARRY_ADD, false)
CARRY(add_cc64, CARRY_ADD, true)
CARRY(sub_cc32, CARRY_SUB, false)
CARRY(sub_cc64, CARRY_SUB, true)
CARRY(madlo_cc32, CARRY_MAD_LO, false)
CARRY(madlo_cc64, CARRY_MAD_LO, true)
CARRY(madhi_cc32, CARRY_MAD_HI, false)
CARRY(madhi_cc64, CARRY_MAD_HI, true)

ptx_handler *ptx_carry_handler(unsigned mnemonic, unsigned type, unsigned variant)
{
    unsigned bytes = ptx_type_bytes(type);
    if ((bytes != 4 && bytes != 8) || ptx_type_kind(type) == 'f' || ptx_type_kind(type) == 'b')
        return NULL;
    bool wide = bytes == 8;
    switch (mnemonic) {
    case PTX_OP_add:
    case PTX_OP_addc:
        return wide ? add_cc64 : add_cc32;
    case PTX_OP_sub:
    case PTX_OP_subc:
        return wide ? sub_cc64 : sub_cc32;
    case PTX_OP_mad:
    case PTX_OP_madc:
        if (variant == PTX_M_LO)
            return wide ? madlo_cc64 : madlo_cc32;
        return variant == PTX_M_HI ? (wide ? madhi_cc64 : madhi_cc32) : NULL;
    default:
        return NULL;
    }
}
