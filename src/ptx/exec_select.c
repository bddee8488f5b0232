/* exec_select.c - comparisons, selection and moves. */
#include <math.h>
#include <string.h>

#include "emulator/half.h"
#include "ptx/handlers.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3")
#endif

/* p = compared OP c, q = !compared OP c; in->op: PTX_M_AND, PTX_M_OR, PTX_M_XOR or PTX_NONE. */
static void finish_compare(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                           uint32_t compared)
{
    uint32_t p = compared, q = ~compared;
    if (in->op) {
        uint32_t c = ptx_predicate(w, in->c);
        p = in->op == PTX_M_AND ? p & c : in->op == PTX_M_OR ? p | c : p ^ c;
        q = in->op == PTX_M_AND ? q & c : in->op == PTX_M_OR ? q | c : q ^ c;
    }
    if (in->d != PTX_NO_REF)
        ptx_set_predicate(w, in->d, mask, p);
    if (in->d2 != PTX_NO_REF)
        ptx_set_predicate(w, in->d2, mask, q);
}

/* One bit per lane as an OR of constants: compilers turn it into vector compares and a reduction.
 */
#define COMPARE(name, S, T, test)                                                                  \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        const S *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);                                    \
        uint32_t compared = 0;                                                                     \
        for (unsigned i = 0; i < EMU_LANES; i++) {                                                 \
            T x = (T)a[i], y = (T)b[i];                                                            \
            compared |= (test) ? emu_lane_bit[i] : 0;                                              \
        }                                                                                          \
        finish_compare(w, in, mask, compared);                                                     \
    }
#define COMPARE_ALL(type, S, T)                                                                    \
    COMPARE(eq_##type, S, T, x == y)                                                               \
    COMPARE(ne_##type, S, T, x != y)                                                               \
    COMPARE(lt_##type, S, T, x < y)                                                                \
    COMPARE(le_##type, S, T, x <= y)                                                               \
    COMPARE(gt_##type, S, T, x > y)                                                                \
    COMPARE(ge_##type, S, T, x >= y)
#define COMPARE_UNORDERED(type, S, T)                                                              \
    COMPARE(one_##type, S, T, x<y || x> y)                                                         \
    COMPARE(equ_##type, S, T, !(x < y || x > y))                                                   \
    COMPARE(ltu_##type, S, T, !(x >= y))                                                           \
    COMPARE(leu_##type, S, T, !(x > y))                                                            \
    COMPARE(gtu_##type, S, T, !(x <= y))                                                           \
    COMPARE(geu_##type, S, T, !(x < y))                                                            \
    COMPARE(num_##type, S, T, x == x && y == y)                                                    \
    COMPARE(nan_##type, S, T, x != x || y != y)

COMPARE_ALL(u16, uint32_t, uint16_t)
COMPARE_ALL(s16, uint32_t, int16_t)
COMPARE_ALL(u32, uint32_t, uint32_t)
COMPARE_ALL(s32, uint32_t, int32_t)
COMPARE_ALL(u64, uint64_t, uint64_t)
COMPARE_ALL(s64, uint64_t, int64_t)
COMPARE_ALL(f32, float, float)
COMPARE_UNORDERED(f32, float, float)
COMPARE_ALL(f64, double, double)
COMPARE_UNORDERED(f64, double, double)

enum order { EQ, NE, LT, LE, GT, GE, NEU, EQU, LTU, LEU, GTU, GEU, NUM, NANS, N_ORDERS };

#define INT_ROW(type)                                                                              \
    {                                                                                              \
        eq_##type, ne_##type, lt_##type, le_##type, gt_##type, ge_##type                           \
    }
/* PTX's ne is ordered for floats, neu the C operator. */
#define FLOAT_ROW(type)                                                                            \
    {                                                                                              \
        eq_##type, one_##type, lt_##type, le_##type, gt_##type, ge_##type, ne_##type, equ_##type,  \
            ltu_##type, leu_##type, gtu_##type, geu_##type, num_##type, nan_##type                 \
    }
static ptx_handler *const compare_table[PTX_N_TYPES][N_ORDERS] = {
    [PTX_U16] = INT_ROW(u16),   [PTX_S16] = INT_ROW(s16),   [PTX_U32] = INT_ROW(u32),
    [PTX_S32] = INT_ROW(s32),   [PTX_U64] = INT_ROW(u64),   [PTX_S64] = INT_ROW(s64),
    [PTX_B16] = INT_ROW(u16),   [PTX_B32] = INT_ROW(u32),   [PTX_B64] = INT_ROW(u64),
    [PTX_F32] = FLOAT_ROW(f32), [PTX_F64] = FLOAT_ROW(f64),
};

static int order_of(unsigned comparison, bool is_float, bool is_signed)
{
    switch (comparison) {
    case PTX_M_EQ:
        return EQ;
    case PTX_M_NE:
        return NE;
    case PTX_M_LT:
        return LT;
    case PTX_M_LE:
        return LE;
    case PTX_M_GT:
        return GT;
    case PTX_M_GE:
        return GE;
    case PTX_M_LO:
        return is_float || is_signed ? -1 : LT;
    case PTX_M_LS:
        return is_float || is_signed ? -1 : LE;
    case PTX_M_HI:
        return is_float || is_signed ? -1 : GT;
    case PTX_M_HS:
        return is_float || is_signed ? -1 : GE;
    case PTX_M_NEU:
        return is_float ? NEU : -1;
    case PTX_M_EQU:
        return is_float ? EQU : -1;
    case PTX_M_LTU:
        return is_float ? LTU : -1;
    case PTX_M_LEU:
        return is_float ? LEU : -1;
    case PTX_M_GTU:
        return is_float ? GTU : -1;
    case PTX_M_GEU:
        return is_float ? GEU : -1;
    case PTX_M_NUM:
        return is_float ? NUM : -1;
    case PTX_M_NAN:
        return is_float ? NANS : -1;
    default:
        return -1;
    }
}

/* ---- the rarer comparisons: ftz and the half formats, lane by lane ---- */

static bool ordered(int order, double x, double y)
{
    switch (order) {
    case EQ:
        return x == y;
    case NE:
        return x < y || x > y;
    case LT:
        return x < y;
    case LE:
        return x <= y;
    case GT:
        return x > y;
    case GE:
        return x >= y;
    case NEU:
        return x != y;
    case EQU:
        return !(x < y || x > y);
    case LTU:
        return !(x >= y);
    case LEU:
        return !(x > y);
    case GTU:
        return !(x <= y);
    case GEU:
        return !(x < y);
    case NUM:
        return x == x && y == y;
    default:
        return x != x || y != y;
    }
}

static double flushed(float x)
{
    return fabsf(x) < 0x1p-126f ? 0.0 : (double)x;
}

/* f16 below its normal numbers, with .ftz */
static double half_lane_value(const struct ptx_inst *in, uint16_t half)
{
    bool tiny = in->flags & PTX_INST_FTZ && !(half & 0x7c00);
    return tiny ? 0.0 : emu_half_value(half);
}

static double lane_value(const struct ptx_inst *in, uint32_t bits, unsigned high)
{
    float f;
    switch (in->space) { /* the compared type */
    case PTX_F32:
        memcpy(&f, &bits, sizeof f);
        return flushed(f);
    case PTX_F16:
    case PTX_F16X2:
        return half_lane_value(in, (uint16_t)(high ? bits >> 16 : bits));
    default:
        return emu_bfloat_value((uint16_t)(high ? bits >> 16 : bits));
    }
}

static uint32_t compare_lanes(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask,
                              unsigned high)
{
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);
    int order = order_of((unsigned)in->imm, true, false);
    uint32_t compared = 0;
    for (unsigned i = 0; i < EMU_LANES; i++)
        if (mask >> i & 1 && ordered(order, lane_value(in, a[i], high), lane_value(in, b[i], high)))
            compared |= 1u << i;
    return compared;
}

static void compare_slow(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    finish_compare(w, in, mask, compare_lanes(w, in, mask, 0));
}

/* f16x2: p is the lower half, q the upper. */
static void compare_pair(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    for (unsigned high = 0; high < 2; high++) {
        uint32_t r = compare_lanes(w, in, mask, high), ref = high ? in->d2 : in->d;
        if (in->op) {
            uint32_t c = ptx_predicate(w, in->c);
            r = in->op == PTX_M_AND ? r & c : in->op == PTX_M_OR ? r | c : r ^ c;
        }
        if (ref != PTX_NO_REF)
            ptx_set_predicate(w, ref, mask, r);
    }
}

void ptx_run_set_pair(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d), low = ptx_predicate(w, in->a), high = ptx_predicate(w, in->b);
    uint32_t yes = (uint32_t)in->imm;
    EMU_STORE_LANES(d, mask,
                    (low & emu_lane_bit[i] ? yes : 0) | (high & emu_lane_bit[i] ? yes << 16 : 0));
}

ptx_handler *ptx_compare_handler(unsigned comparison, unsigned type, bool ftz)
{
    int order = order_of(comparison, ptx_type_kind(type) == 'f', ptx_type_kind(type) == 's');
    if (order < 0 || (ptx_type_kind(type) == 'b' && order > NE))
        return NULL;
    switch (type) {
    case PTX_F16:
    case PTX_BF16:
        return compare_slow;
    case PTX_F16X2:
    case PTX_BF16X2:
        return compare_pair;
    case PTX_F32:
        return ftz ? compare_slow : compare_table[type][order];
    default:
        return ftz ? NULL : compare_table[type][order];
    }
}

/* ---- properties of numbers ---- */

static bool has_property(unsigned property, double x, bool subnormal)
{
    switch (property) {
    case PTX_M_FINITE:
        return isfinite(x);
    case PTX_M_INFINITE:
        return isinf(x);
    case PTX_M_NUMBER:
        return !isnan(x);
    case PTX_M_NOTANUMBER:
        return isnan(x);
    case PTX_M_NORMAL:
        return isfinite(x) && x != 0 && !subnormal;
    default:
        return subnormal;
    }
}

static void testp_f32(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const float *a = ptx_ref(w, in->a);
    uint32_t result = 0;
    for (unsigned i = 0; i < EMU_LANES; i++)
        result |= (uint32_t)has_property(in->op, a[i], fpclassify(a[i]) == FP_SUBNORMAL) << i;
    ptx_set_predicate(w, in->d, mask, result);
}

static void testp_f64(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const double *a = ptx_ref(w, in->a);
    uint32_t result = 0;
    for (unsigned i = 0; i < EMU_LANES; i++)
        result |= (uint32_t)has_property(in->op, a[i], fpclassify(a[i]) == FP_SUBNORMAL) << i;
    ptx_set_predicate(w, in->d, mask, result);
}

ptx_handler *ptx_testp_handler(unsigned type)
{
    return type == PTX_F32 ? testp_f32 : type == PTX_F64 ? testp_f64 : NULL;
}

/* ---- selection and moves ---- */

#define SELECT(name, S)                                                                            \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        S *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);                                    \
        uint32_t p = ptx_predicate(w, in->c);                                                      \
        EMU_STORE_LANES(d, mask, p &emu_lane_bit[i] ? a[i] : b[i]);                                \
    }
SELECT(selp32, uint32_t)
SELECT(selp64, uint64_t)

#define SLCT(name, S, C)                                                                           \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        S *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);                                    \
        const C *c = ptx_ref(w, in->c);                                                            \
        EMU_STORE_LANES(d, mask, c[i] >= 0 ? a[i] : b[i]);                                         \
    }
SLCT(slct32_s, uint32_t, int32_t)
SLCT(slct64_s, uint64_t, int32_t)
SLCT(slct32_f, uint32_t, float)
SLCT(slct64_f, uint64_t, float)

#define MOVE(name, S)                                                                              \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        S *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a);                                                            \
        EMU_STORE_LANES(d, mask, a[i]);                                                            \
    }
MOVE(mov32, uint32_t)
MOVE(mov64, uint64_t)

ptx_handler *ptx_select_handler(unsigned lane_bytes)
{
    return lane_bytes == 8 ? selp64 : selp32;
}
ptx_handler *ptx_slct_handler(unsigned lane_bytes, bool float_condition)
{
    if (float_condition)
        return lane_bytes == 8 ? slct64_f : slct32_f;
    return lane_bytes == 8 ? slct64_s : slct32_s;
}
ptx_handler *ptx_mov_handler(unsigned lane_bytes)
{
    return lane_bytes == 8 ? mov64 : mov32;
}
