/* sass_exec_float.c - f32 arithmetic, comparison and approximations. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "emulator/float.h"
#include "sass/handlers.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3", "fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif

#define F32(row) ((const float *)(const void *)(row))

int sass_host_rounding(unsigned rounding)
{
    switch (rounding) {
    case SASS_ROUND_DOWN:
        return FE_DOWNWARD;
    case SASS_ROUND_UP:
        return FE_UPWARD;
    case SASS_ROUND_ZERO:
        return FE_TOWARDZERO;
    default:
        return FE_TONEAREST;
    }
}

/* The usual case, to nearest without clamping, has loops that become vector code. */
#define ARITHMETIC(name, expression)                                                               \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        if (op->rounding | op->sat | op->mode2 | op->mode3) {                                      \
            sass_run_float_any(w, op, mask);                                                       \
            return;                                                                                \
        }                                                                                          \
        float *d = (float *)(void *)sass_row(w, op->d);                                            \
        const float *a = F32(SASS_A(w, op)), *b = F32(SASS_B(w, op)), *c = F32(SASS_C(w, op));     \
        (void)c;                                                                                   \
        if (op->ftz) {                                                                             \
            EMU_STORE_LANES(d, mask, emu_canon32(emu_flush32(FLUSHED(expression))));               \
        } else {                                                                                   \
            EMU_STORE_LANES(d, mask, emu_canon32(PLAIN(expression)));                              \
        }                                                                                          \
    }
#define PLAIN(expression)   expression(a[i], b[i], c[i])
#define FLUSHED(expression) expression(emu_flush32(a[i]), emu_flush32(b[i]), emu_flush32(c[i]))
#define ADD(x, y, z)        ((x) + (y))
#define MUL(x, y, z)        ((x) * (y))
#define FMA(x, y, z)        fmaf(x, y, z)

ARITHMETIC(sass_run_fadd, ADD)
ARITHMETIC(sass_run_fmul, MUL)
ARITHMETIC(sass_run_ffma, FMA)

static float operate(unsigned operation, float x, float y, float z)
{
    /* volatile: neither folded nor moved across the change of the rounding mode */
    volatile float a = x, b = y, c = z, r;
    switch (operation) {
    case SASS_FLOAT_ADD:
        r = a + b;
        break;
    case SASS_FLOAT_MUL:
        r = a * b;
        break;
    default:
        r = fmaf(a, b, c);
    }
    return r;
}

/* Any rounding, saturation, scale (mode3: power of two plus 8) and zero times anything (mode2). */
HANDLER(sass_run_float_any)
{
    float *d = (float *)(void *)sass_row(w, op->d);
    const float *a = F32(SASS_A(w, op)), *b = F32(SASS_B(w, op)), *c = F32(SASS_C(w, op));
    int before = fegetround();
    fesetround(sass_host_rounding(op->rounding));
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        float x = a[i], y = b[i], z = c[i];
        if (op->ftz) {
            x = emu_flush32(x);
            y = emu_flush32(y);
            z = emu_flush32(z);
        }
        if (op->mode3)
            x = ldexpf(x, (int)op->mode3 - 8);
        float r = op->mode2 && (x == 0 || y == 0) ? (op->mode == SASS_FLOAT_FMA ? z : 0.0f)
                                                  : operate(op->mode, x, y, z);
        r = op->ftz ? emu_flush32(r) : r;
        d[i] = op->sat ? emu_sat32(r) : emu_canon32(r);
    }
    fesetround(before);
}

/* ---- selection ---- */

HANDLER(sass_run_fmnmx)
{
    float *d = (float *)(void *)sass_row(w, op->d);
    const float *a = F32(SASS_A(w, op)), *b = F32(SASS_B(w, op));
    uint32_t least = sass_pred(w, op->ps);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        float x = op->ftz ? emu_flush32(a[i]) : a[i], y = op->ftz ? emu_flush32(b[i]) : b[i];
        bool min = least >> i & 1;
        float r = op->mode ? (min ? emu_min32_nan(x, y) : emu_max32_nan(x, y))
                           : (min ? emu_min32(x, y) : emu_max32(x, y));
        if (op->mode2) /* the sign is that of the product */
            r = copysignf(r, (signbit(x) != 0) != (signbit(y) != 0) ? -1.0f : 1.0f);
        d[i] = emu_canon32(r);
    }
}

HANDLER(sass_run_fsel)
{
    float *d = (float *)(void *)sass_row(w, op->d), r[EMU_LANES];
    const float *a = F32(SASS_A(w, op)), *b = F32(SASS_B(w, op));
    uint32_t first = sass_pred(w, op->ps);
    if (!op->ftz) {
        uint32_t *bits = sass_row(w, op->d);
        const uint32_t *x = (const uint32_t *)(const void *)a,
                       *y = (const uint32_t *)(const void *)b;
        EMU_STORE_LANES(bits, mask, first & emu_lane_bit[i] ? x[i] : y[i]);
        return;
    }
    EMU_EACH_LANE r[i] = emu_flush32(first & emu_lane_bit[i] ? a[i] : b[i]);
    EMU_STORE_LANES(d, mask, r[i]);
}

/* ---- comparison ---- */

static uint32_t compare(const float *a, const float *b, bool ftz, unsigned wanted)
{
    uint32_t less[EMU_LANES], equal[EMU_LANES], greater[EMU_LANES], l = 0, e = 0, g = 0;
    float x[EMU_LANES], y[EMU_LANES];
    EMU_EACH_LANE x[i] = ftz ? emu_flush32(a[i]) : a[i];
    EMU_EACH_LANE y[i] = ftz ? emu_flush32(b[i]) : b[i];
    EMU_EACH_LANE less[i] = x[i] < y[i] ? emu_lane_bit[i] : 0;
    EMU_EACH_LANE equal[i] = x[i] == y[i] ? emu_lane_bit[i] : 0;
    EMU_EACH_LANE greater[i] = x[i] > y[i] ? emu_lane_bit[i] : 0;
    for (unsigned i = 0; i < EMU_LANES; i++) {
        l |= less[i];
        e |= equal[i];
        g |= greater[i];
    }
    uint32_t r = wanted & SASS_CMP_LESS ? l : 0;
    r |= wanted & SASS_CMP_EQUAL ? e : 0;
    r |= wanted & SASS_CMP_GREATER ? g : 0;
    return wanted & SASS_CMP_UNORDERED ? r | ~(l | e | g) : r;
}

HANDLER(sass_run_fsetp)
{
    const float *a = F32(SASS_A(w, op)), *b = F32(SASS_B(w, op));
    sass_finish_compare(w, op, mask, compare(a, b, op->ftz, op->mode));
}

/* 1.0 or 0 (mode3), else all ones or 0. */
HANDLER(sass_run_fset)
{
    uint32_t *d = sass_row(w, op->d);
    const float *a = F32(SASS_A(w, op)), *b = F32(SASS_B(w, op));
    uint32_t r = compare(a, b, op->ftz, op->mode), other = sass_pred(w, op->ps);
    r = op->mode2 == SASS_BOOL_AND ? r & other : op->mode2 == SASS_BOOL_OR ? r | other : r ^ other;
    uint32_t yes = op->mode3 ? 0x3f800000u : EMU_FULL;
    EMU_STORE_LANES(d, mask, r & emu_lane_bit[i] ? yes : 0);
}

/* ---- approximations: hardware gives a few ulp, the host's library about one ---- */

/* Sine and cosine take their argument in turns of 2 pi (RRO has gone; FMUL by 1/2pi comes before).
 */
static float mufu(unsigned function, float x)
{
    switch (function) {
    case SASS_MUFU_COS:
        return (float)cos((double)x * 6.283185307179586);
    case SASS_MUFU_SIN:
        return (float)sin((double)x * 6.283185307179586);
    case SASS_MUFU_EX2:
        return exp2f(x);
    case SASS_MUFU_LG2:
        return log2f(x);
    case SASS_MUFU_RCP:
        return 1.0f / x;
    case SASS_MUFU_RSQ:
        return emu_rsqrt32(x);
    case SASS_MUFU_SQRT:
        return sqrtf(x);
    default:
        return tanhf(x);
    }
}

/* The upper word of a double in, the upper word of the answer out. */
static uint32_t mufu_upper(unsigned function, uint32_t high)
{
    double x = emu_upper_word(emu_f64_bits((uint64_t)high << 32));
    double r = emu_upper_word(function == SASS_MUFU_RCP64H ? 1.0 / x : 1.0 / sqrt(x));
    uint64_t bits;
    memcpy(&bits, &r, sizeof bits);
    return (uint32_t)(bits >> 32);
}

/* Subnormal arguments are flushed by all functions but the square roots' kin, as ptxas scales them
 * beforehand where PTX asks for more. */
HANDLER(sass_run_mufu)
{
    uint32_t *d = sass_row(w, op->d);
    const uint32_t *b = SASS_B(w, op);
    bool upper = op->mode == SASS_MUFU_RCP64H || op->mode == SASS_MUFU_RSQ64H;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = lowest_bit32(rest);
        if (upper) {
            d[i] = mufu_upper(op->mode, b[i]);
            continue;
        }
        float r = emu_canon32(emu_flush32(mufu(op->mode, emu_flush32(emu_f32_bits(b[i])))));
        memcpy(&d[i], &r, sizeof r);
    }
}

HANDLER(sass_run_fchk)
{
    const float *a = F32(SASS_A(w, op)), *b = F32(SASS_B(w, op));
    uint32_t delicate = 0;
    for (unsigned i = 0; i < EMU_LANES; i++)
        delicate |= (uint32_t)emu_division_is_delicate(a[i], b[i]) << i;
    sass_set_pred(w, op->pd, mask, delicate);
}

/* Neighbours of a quad: op->imm has two bits for each of the four lanes of a quad, which signs. */
HANDLER(sass_run_fswzadd)
{
    float *d = (float *)(void *)sass_row(w, op->d), r[EMU_LANES];
    const float *a = F32(SASS_A(w, op)), *b = F32(SASS_B(w, op));
    for (unsigned i = 0; i < EMU_LANES; i++) {
        unsigned how = (unsigned)op->imm >> (2 * (i & 3)) & 3;
        float x = how == 1 ? -a[i] : a[i], y = how == 2 ? -b[i] : b[i];
        r[i] = emu_canon32(how == 3 ? 0.0f : x + y);
    }
    EMU_STORE_LANES(d, mask, r[i]);
}
