/* exec_bits.c - logic, shifts and bit fields. */
#include <string.h>

#include "ptx/handlers.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

#define BITS1(name, D, S, expr)                                                                    \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        D *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a);                                                            \
        EMU_STORE_LANES(d, mask, (D)(expr(a[i])));                                                 \
    }
#define BITS2(name, D, A, B, expr)                                                                 \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        D *d = ptx_ref(w, in->d);                                                                  \
        const A *a = ptx_ref(w, in->a);                                                            \
        const B *b = ptx_ref(w, in->b);                                                            \
        EMU_STORE_LANES(d, mask, (D)(expr(a[i], b[i])));                                           \
    }
#define BITS3(name, D, A, B, C, expr)                                                              \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        D *d = ptx_ref(w, in->d);                                                                  \
        const A *a = ptx_ref(w, in->a);                                                            \
        const B *b = ptx_ref(w, in->b);                                                            \
        const C *c = ptx_ref(w, in->c);                                                            \
        EMU_STORE_LANES(d, mask, (D)(expr(a[i], b[i], c[i])));                                     \
    }

#define AND(x, y) ((x) & (y))
#define OR(x, y)  ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define NOT(x)    (~(x))
#define NOT16(x)  ((uint16_t) ~(x))
#define CNOT(x)   ((x) == 0)
#define CNOT16(x) ((uint16_t)(x) == 0)
/* Shift amounts above the width act as the width. */
#define SHL16(x, n)   ((n) > 15 ? 0u : (uint16_t)((x) << ((n)&15)))
#define SHL32(x, n)   ((n) > 31 ? 0u : (x) << ((n)&31))
#define SHL64(x, n)   ((n) > 63 ? 0u : (x) << ((n)&63))
#define SHR_U16(x, n) ((n) > 15 ? 0u : (uint32_t)(uint16_t)(x) >> ((n)&15))
#define SHR_U32(x, n) ((n) > 31 ? 0u : (x) >> ((n)&31))
#define SHR_U64(x, n) ((n) > 63 ? 0u : (x) >> ((n)&63))
#define SHR_S16(x, n) ((uint16_t)((int32_t)(int16_t)(x) >> ((n) > 15 ? 15 : (n))))
#define SHR_S32(x, n) ((int32_t)(x) >> ((n) > 31 ? 31 : (n)))
#define SHR_S64(x, n) ((int64_t)(x) >> ((n) > 63 ? 63 : (n)))
#define POPC32(x)     __builtin_popcount(x)
#define POPC64(x)     __builtin_popcountll(x)
#define CLZ32(x)      ((x) ? __builtin_clz(x) : 32)
#define CLZ64(x)      ((x) ? __builtin_clzll(x) : 64)

BITS2(and32, uint32_t, uint32_t, uint32_t, AND)
BITS2(and64, uint64_t, uint64_t, uint64_t, AND)
BITS2(or32, uint32_t, uint32_t, uint32_t, OR)
BITS2(or64, uint64_t, uint64_t, uint64_t, OR)
BITS2(xor32, uint32_t, uint32_t, uint32_t, XOR)
BITS2(xor64, uint64_t, uint64_t, uint64_t, XOR)
BITS1(not16, uint32_t, uint32_t, NOT16)
BITS1(not32, uint32_t, uint32_t, NOT)
BITS1(not64, uint64_t, uint64_t, NOT)
BITS1(cnot16, uint32_t, uint32_t, CNOT16)
BITS1(cnot32, uint32_t, uint32_t, CNOT)
BITS1(cnot64, uint64_t, uint64_t, CNOT)
BITS2(shl16, uint32_t, uint32_t, uint32_t, SHL16)
BITS2(shl32, uint32_t, uint32_t, uint32_t, SHL32)
BITS2(shl64, uint64_t, uint64_t, uint32_t, SHL64)
BITS2(shr_u16, uint32_t, uint32_t, uint32_t, SHR_U16)
BITS2(shr_u32, uint32_t, uint32_t, uint32_t, SHR_U32)
BITS2(shr_u64, uint64_t, uint64_t, uint32_t, SHR_U64)
BITS2(shr_s16, uint32_t, uint32_t, uint32_t, SHR_S16)
BITS2(shr_s32, uint32_t, uint32_t, uint32_t, SHR_S32)
BITS2(shr_s64, uint64_t, uint64_t, uint32_t, SHR_S64)
BITS1(popc32, uint32_t, uint32_t, POPC32)
BITS1(popc64, uint32_t, uint64_t, POPC64)
BITS1(clz32, uint32_t, uint32_t, CLZ32)
BITS1(clz64, uint32_t, uint64_t, CLZ64)

static inline uint32_t reverse32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline uint64_t reverse64(uint64_t x)
{
    return (uint64_t)reverse32((uint32_t)x) << 32 | reverse32((uint32_t)(x >> 32));
}
BITS1(brev32, uint32_t, uint32_t, reverse32)
BITS1(brev64, uint64_t, uint64_t, reverse64)

/* Position of the highest bit that differs from the sign; 0xffffffff if there is none. */
static inline uint32_t find_high(uint64_t x, unsigned bits, bool is_signed)
{
    if (is_signed && x >> (bits - 1) & 1)
        x = ~x;
    if (bits < 64)
        x &= (1ull << bits) - 1;
    return x ? 63u - (uint32_t)__builtin_clzll(x) : 0xffffffffu;
}
static inline uint32_t shift_amount(uint32_t position, unsigned bits)
{
    return position == 0xffffffffu ? position : bits - 1 - position;
}
#define BFIND_U32(x)       find_high(x, 32, false)
#define BFIND_S32(x)       find_high(x, 32, true)
#define BFIND_U64(x)       find_high(x, 64, false)
#define BFIND_S64(x)       find_high(x, 64, true)
#define BFIND_SHIFT_U32(x) shift_amount(find_high(x, 32, false), 32)
#define BFIND_SHIFT_S32(x) shift_amount(find_high(x, 32, true), 32)
#define BFIND_SHIFT_U64(x) shift_amount(find_high(x, 64, false), 64)
#define BFIND_SHIFT_S64(x) shift_amount(find_high(x, 64, true), 64)
BITS1(bfind_u32, uint32_t, uint32_t, BFIND_U32)
BITS1(bfind_s32, uint32_t, uint32_t, BFIND_S32)
BITS1(bfind_u64, uint32_t, uint64_t, BFIND_U64)
BITS1(bfind_s64, uint32_t, uint64_t, BFIND_S64)
BITS1(bfindshift_u32, uint32_t, uint32_t, BFIND_SHIFT_U32)
BITS1(bfindshift_s32, uint32_t, uint32_t, BFIND_SHIFT_S32)
BITS1(bfindshift_u64, uint32_t, uint64_t, BFIND_SHIFT_U64)
BITS1(bfindshift_s64, uint32_t, uint64_t, BFIND_SHIFT_S64)

/* bfe: `length` bits from `start`; above the operand lie copies of its sign (signed) or zeros. */
static inline uint64_t extract(uint64_t x, uint32_t start, uint32_t length, unsigned bits,
                               bool is_signed)
{
    start &= 0xff;
    length &= 0xff;
    bool sign = false;
    if (is_signed && length) {
        unsigned top = start + length - 1;
        sign = x >> (top < bits ? top : bits - 1) & 1;
    }
    uint64_t field = start < bits ? x >> start : 0;
    uint32_t have = start < bits ? bits - start : 0;
    if (length < have)
        have = length;
    uint64_t kept = have >= 64 ? ~0ull : (1ull << have) - 1;
    field &= kept;
    return sign ? field | ~kept : field;
}
#define BFE_U32(x, s, n) extract(x, s, n, 32, false)
#define BFE_S32(x, s, n) extract(x, s, n, 32, true)
#define BFE_U64(x, s, n) extract(x, s, n, 64, false)
#define BFE_S64(x, s, n) extract(x, s, n, 64, true)
BITS3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, BFE_U32)
BITS3(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, BFE_S32)
BITS3(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, BFE_U64)
BITS3(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, BFE_S64)

static inline uint64_t insert(uint64_t field, uint64_t base, uint32_t start, uint32_t length,
                              unsigned bits)
{
    start &= 0xff;
    length &= 0xff;
    if (start >= bits || !length)
        return base;
    uint64_t mask = length >= 64 ? ~0ull : (1ull << length) - 1;
    return (base & ~(mask << start)) | (field & mask) << start;
}
static void bfi32(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);
    const uint32_t *c = ptx_ref(w, in->c), *e = ptx_ref(w, in->e);
    EMU_STORE_LANES(d, mask, (uint32_t)insert(a[i], b[i], c[i], e[i], 32));
}
static void bfi64(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint64_t *d = ptx_ref(w, in->d);
    const uint64_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);
    const uint32_t *c = ptx_ref(w, in->c), *e = ptx_ref(w, in->e);
    EMU_STORE_LANES(d, mask, insert(a[i], b[i], c[i], e[i], 64));
}

static inline uint32_t mask_clamp(uint32_t start, uint32_t length)
{
    if (start > 31 || !length)
        return 0;
    uint32_t ones = length > 31 ? 0xffffffffu : (1u << length) - 1;
    return ones << start;
}
static inline uint32_t mask_wrap(uint32_t start, uint32_t length)
{
    length &= 31;
    uint32_t ones = length ? (1u << length) - 1 : 0;
    return ones << (start & 31);
}
BITS2(bmsk_clamp, uint32_t, uint32_t, uint32_t, mask_clamp)
BITS2(bmsk_wrap, uint32_t, uint32_t, uint32_t, mask_wrap)

/* Sign- or zero-extends the low n bits. */
static inline uint32_t extend(uint32_t x, uint32_t n, bool is_signed)
{
    if (n == 0)
        return 0;
    if (n > 31)
        return x;
    uint32_t low = x & ((1u << n) - 1);
    return is_signed && low >> (n - 1) ? low | ~0u << n : low;
}
#define SZEXT_CLAMP_U(x, n) extend(x, n, false)
#define SZEXT_CLAMP_S(x, n) extend(x, n, true)
#define SZEXT_WRAP_U(x, n)  extend(x, (n)&31, false)
#define SZEXT_WRAP_S(x, n)  extend(x, (n)&31, true)
BITS2(szext_clamp_u, uint32_t, uint32_t, uint32_t, SZEXT_CLAMP_U)
BITS2(szext_clamp_s, uint32_t, uint32_t, uint32_t, SZEXT_CLAMP_S)
BITS2(szext_wrap_u, uint32_t, uint32_t, uint32_t, SZEXT_WRAP_U)
BITS2(szext_wrap_s, uint32_t, uint32_t, uint32_t, SZEXT_WRAP_S)

/* Funnel shifts of the 64-bit value hi:lo. */
static inline uint32_t funnel_left(uint32_t lo, uint32_t hi, uint32_t n)
{
    uint64_t both = (uint64_t)hi << 32 | lo;
    return (uint32_t)(both << n >> 32);
}
static inline uint32_t funnel_right(uint32_t lo, uint32_t hi, uint32_t n)
{
    uint64_t both = (uint64_t)hi << 32 | lo;
    return (uint32_t)(both >> n);
}
#define SHF_L_WRAP(lo, hi, n)  funnel_left(lo, hi, (n)&31)
#define SHF_L_CLAMP(lo, hi, n) funnel_left(lo, hi, (n) > 32 ? 32 : (n))
#define SHF_R_WRAP(lo, hi, n)  funnel_right(lo, hi, (n)&31)
#define SHF_R_CLAMP(lo, hi, n) funnel_right(lo, hi, (n) > 32 ? 32 : (n))
BITS3(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, SHF_L_WRAP)
BITS3(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, SHF_L_CLAMP)
BITS3(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, SHF_R_WRAP)
BITS3(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t, SHF_R_CLAMP)

/* ---- byte permutation ---- */

static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned s = selector >> (4 * k) & 15;
        uint32_t byte = (uint32_t)(bytes >> (8 * (s & 7))) & 0xff;
        if (s & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * k);
    }
    return result;
}
/* Selectors of the named modes, by the low two bits of c. */
static uint32_t mode_selector(unsigned mode, uint32_t c)
{
    static const uint16_t f4e[] = {0x3210, 0x4321, 0x5432, 0x6543};
    static const uint16_t b4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
    static const uint16_t rc8[] = {0x0000, 0x1111, 0x2222, 0x3333};
    static const uint16_t ecl[] = {0x3210, 0x3211, 0x3222, 0x3333};
    static const uint16_t ecr[] = {0x0000, 0x1110, 0x2210, 0x3210};
    static const uint16_t rc16[] = {0x1010, 0x3232, 0x1010, 0x3232};
    switch (mode) {
    case PTX_M_F4E:
        return f4e[c & 3];
    case PTX_M_B4E:
        return b4e[c & 3];
    case PTX_M_RC8:
        return rc8[c & 3];
    case PTX_M_ECL:
        return ecl[c & 3];
    case PTX_M_ECR:
        return ecr[c & 3];
    case PTX_M_RC16:
        return rc16[c & 3];
    default:
        return c;
    }
}
static void prmt(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b), *c = ptx_ref(w, in->c);
    for (unsigned i = 0; i < EMU_LANES; i++)
        if (mask >> i & 1)
            d[i] = permute(a[i], b[i], in->op ? mode_selector(in->op, c[i]) : c[i]);
}

/* ---- lop3: any function of three bits, its truth table in imm ---- */

static void lop3(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b), *c = ptx_ref(w, in->c);
    uint32_t table[8];
    for (unsigned k = 0; k < 8; k++)
        table[k] = in->imm >> k & 1 ? 0xffffffffu : 0;
#define LOP3(x, y, z)                                                                              \
    ((table[0] & ~(x) & ~(y) & ~(z)) | (table[1] & ~(x) & ~(y) & (z)) |                            \
     (table[2] & ~(x) & (y) & ~(z)) | (table[3] & ~(x) & (y) & (z)) |                              \
     (table[4] & (x) & ~(y) & ~(z)) | (table[5] & (x) & ~(y) & (z)) |                              \
     (table[6] & (x) & (y) & ~(z)) | (table[7] & (x) & (y) & (z)))
    EMU_STORE_LANES(d, mask, LOP3(a[i], b[i], c[i]));
}

/* ---- dot products of bytes: op bit 0: a is signed, bit 1: b is signed, bit 2: upper half ---- */

static int32_t byte_of(uint32_t x, unsigned k, bool is_signed)
{
    uint8_t byte = (uint8_t)(x >> (8 * k));
    return is_signed ? (int8_t)byte : byte;
}
static int32_t half_of(uint32_t x, unsigned k, bool is_signed)
{
    uint16_t half = (uint16_t)(x >> (16 * k));
    return is_signed ? (int16_t)half : half;
}
static void dp4a(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b), *c = ptx_ref(w, in->c);
    for (unsigned i = 0; i < EMU_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        uint32_t sum = c[i];
        for (unsigned k = 0; k < 4; k++)
            sum += (uint32_t)(byte_of(a[i], k, in->op & 1) * byte_of(b[i], k, in->op & 2));
        d[i] = sum;
    }
}
static void dp2a(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b), *c = ptx_ref(w, in->c);
    unsigned first = in->op & 4 ? 2 : 0;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        if (!(mask >> i & 1))
            continue;
        uint32_t sum = c[i];
        for (unsigned k = 0; k < 2; k++)
            sum += (uint32_t)half_of(a[i], k, in->op & 1) *
                   (uint32_t)byte_of(b[i], first + k, in->op & 2);
        d[i] = sum;
    }
}

/* fns: the c-th set bit of a, counted from position b upwards (c > 0) or downwards. */
static uint32_t nth_set(uint32_t bits, uint32_t base, int32_t n)
{
    if (base > 31)
        return 0xffffffffu;
    if (n == 0)
        return bits >> base & 1 ? base : 0xffffffffu;
    int step = n > 0 ? 1 : -1, left = n > 0 ? n : -n;
    for (int at = (int)base; at >= 0 && at < 32; at += step)
        if (bits >> at & 1 && --left == 0)
            return (uint32_t)at;
    return 0xffffffffu;
}
BITS3(fns, uint32_t, uint32_t, uint32_t, uint32_t, nth_set)

/* ---- predicates ---- */

static void and_pred(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    ptx_set_predicate(w, in->d, mask, ptx_predicate(w, in->a) & ptx_predicate(w, in->b));
}
static void or_pred(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    ptx_set_predicate(w, in->d, mask, ptx_predicate(w, in->a) | ptx_predicate(w, in->b));
}
static void xor_pred(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    ptx_set_predicate(w, in->d, mask, ptx_predicate(w, in->a) ^ ptx_predicate(w, in->b));
}
static void not_pred(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    ptx_set_predicate(w, in->d, mask, ~ptx_predicate(w, in->a));
}
static void mov_pred(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    ptx_set_predicate(w, in->d, mask, ptx_predicate(w, in->a));
}

/* ---- lookup ---- */

struct row {
    uint8_t mnemonic, type;
    uint16_t variant;
    ptx_handler *run;
};

/* clang-format off */
static const struct row rows[] = {
    {PTX_OP_and, PTX_B16, 0, and32}, {PTX_OP_and, PTX_B32, 0, and32}, {PTX_OP_and, PTX_B64, 0, and64},
    {PTX_OP_or, PTX_B16, 0, or32}, {PTX_OP_or, PTX_B32, 0, or32}, {PTX_OP_or, PTX_B64, 0, or64},
    {PTX_OP_xor, PTX_B16, 0, xor32}, {PTX_OP_xor, PTX_B32, 0, xor32}, {PTX_OP_xor, PTX_B64, 0, xor64},
    {PTX_OP_not, PTX_B16, 0, not16}, {PTX_OP_not, PTX_B32, 0, not32}, {PTX_OP_not, PTX_B64, 0, not64},
    {PTX_OP_cnot, PTX_B16, 0, cnot16}, {PTX_OP_cnot, PTX_B32, 0, cnot32}, {PTX_OP_cnot, PTX_B64, 0, cnot64},
    {PTX_OP_and, PTX_PRED, 0, and_pred}, {PTX_OP_or, PTX_PRED, 0, or_pred},
    {PTX_OP_xor, PTX_PRED, 0, xor_pred}, {PTX_OP_not, PTX_PRED, 0, not_pred},
    {PTX_OP_mov, PTX_PRED, 0, mov_pred},
    {PTX_OP_shl, PTX_B16, 0, shl16}, {PTX_OP_shl, PTX_B32, 0, shl32}, {PTX_OP_shl, PTX_B64, 0, shl64},
    {PTX_OP_shr, PTX_B16, 0, shr_u16}, {PTX_OP_shr, PTX_B32, 0, shr_u32}, {PTX_OP_shr, PTX_B64, 0, shr_u64},
    {PTX_OP_shr, PTX_U16, 0, shr_u16}, {PTX_OP_shr, PTX_U32, 0, shr_u32}, {PTX_OP_shr, PTX_U64, 0, shr_u64},
    {PTX_OP_shr, PTX_S16, 0, shr_s16}, {PTX_OP_shr, PTX_S32, 0, shr_s32}, {PTX_OP_shr, PTX_S64, 0, shr_s64},
    {PTX_OP_popc, PTX_B32, 0, popc32}, {PTX_OP_popc, PTX_B64, 0, popc64},
    {PTX_OP_clz, PTX_B32, 0, clz32}, {PTX_OP_clz, PTX_B64, 0, clz64},
    {PTX_OP_brev, PTX_B32, 0, brev32}, {PTX_OP_brev, PTX_B64, 0, brev64},
    {PTX_OP_bfind, PTX_U32, 0, bfind_u32}, {PTX_OP_bfind, PTX_S32, 0, bfind_s32},
    {PTX_OP_bfind, PTX_U64, 0, bfind_u64}, {PTX_OP_bfind, PTX_S64, 0, bfind_s64},
    {PTX_OP_bfind, PTX_U32, PTX_M_SHIFTAMT, bfindshift_u32}, {PTX_OP_bfind, PTX_S32, PTX_M_SHIFTAMT, bfindshift_s32},
    {PTX_OP_bfind, PTX_U64, PTX_M_SHIFTAMT, bfindshift_u64}, {PTX_OP_bfind, PTX_S64, PTX_M_SHIFTAMT, bfindshift_s64},
    {PTX_OP_bfe, PTX_U32, 0, bfe_u32}, {PTX_OP_bfe, PTX_S32, 0, bfe_s32},
    {PTX_OP_bfe, PTX_U64, 0, bfe_u64}, {PTX_OP_bfe, PTX_S64, 0, bfe_s64},
    {PTX_OP_bfi, PTX_B32, 0, bfi32}, {PTX_OP_bfi, PTX_B64, 0, bfi64},
    {PTX_OP_bmsk, PTX_B32, PTX_M_CLAMP, bmsk_clamp}, {PTX_OP_bmsk, PTX_B32, PTX_M_WRAP, bmsk_wrap},
    {PTX_OP_szext, PTX_U32, PTX_M_CLAMP, szext_clamp_u}, {PTX_OP_szext, PTX_S32, PTX_M_CLAMP, szext_clamp_s},
    {PTX_OP_szext, PTX_U32, PTX_M_WRAP, szext_wrap_u}, {PTX_OP_szext, PTX_S32, PTX_M_WRAP, szext_wrap_s},
    {PTX_OP_prmt, PTX_B32, 0, prmt}, {PTX_OP_lop3, PTX_B32, 0, lop3}, {PTX_OP_fns, PTX_B32, 0, fns},
    {PTX_OP_dp4a, PTX_B32, 0, dp4a}, {PTX_OP_dp2a, PTX_B32, 0, dp2a},
};
/* clang-format on */

ptx_handler *ptx_bits_handler(unsigned mnemonic, unsigned type, unsigned variant)
{
    if (mnemonic == PTX_OP_shf) {
        bool wrap = variant >> 8 & 1;
        if ((variant & 0xff) == PTX_M_L)
            return wrap ? shf_l_wrap : shf_l_clamp;
        return wrap ? shf_r_wrap : shf_r_clamp;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].mnemonic == mnemonic && rows[i].type == type && rows[i].variant == variant)
            return rows[i].run;
    return NULL;
}
