/* ptx_exec_float.c - f32 and f64 arithmetic in round-to-nearest.
 *
 * NaN results are the canonical ones of NVIDIA hardware (0x7fffffff for f32), so that hosts that
 * propagate payloads differently give the same bits. */
#include <math.h>

#include "emulator/float.h"
#include "ptx/handlers.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3", "fp-contract=off")
#else
#pragma STDC FP_CONTRACT OFF
#endif

#define KEEP(x) (x)

#define FLOAT1(name, T, before, after, expr)                                                       \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        T *d = ptx_ref(w, in->d);                                                                  \
        const T *a = ptx_ref(w, in->a);                                                            \
        EMU_STORE_LANES(d, mask, after(expr(before(a[i]))));                                       \
    }
#define FLOAT2(name, T, before, after, expr)                                                       \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        T *d = ptx_ref(w, in->d);                                                                  \
        const T *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);                                    \
        EMU_STORE_LANES(d, mask, after(expr(before(a[i]), before(b[i]))));                         \
    }
#define FLOAT3(name, T, before, after, expr)                                                       \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        T *d = ptx_ref(w, in->d);                                                                  \
        const T *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b), *c = ptx_ref(w, in->c);            \
        EMU_STORE_LANES(d, mask, after(expr(before(a[i]), before(b[i]), before(c[i]))));           \
    }
#define FLUSH_CANON(x)     emu_canon32(emu_flush32(x))
#define SAT_CANON(x)       emu_sat32(x)
#define FLUSH_SAT_CANON(x) emu_sat32(emu_flush32(x))
/* The four variants of an f32 operation: plain, ftz, sat, ftz.sat. */
#define FOUR(kind, name, expr)                                                                     \
    kind(name##_f32, float, KEEP, emu_canon32, expr)                                               \
        kind(name##_f32_ftz, float, emu_flush32, FLUSH_CANON, expr)                                \
            kind(name##_f32_sat, float, KEEP, SAT_CANON, expr)                                     \
                kind(name##_f32_ftz_sat, float, emu_flush32, FLUSH_SAT_CANON, expr)

#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define RCP32(x)  (1.0f / (x))
#define RCP64(x)  (1.0 / (x))

FOUR(FLOAT2, add, ADD)
FOUR(FLOAT2, sub, SUB)
FOUR(FLOAT2, mul, MUL)
FOUR(FLOAT3, fma, fmaf)
FLOAT2(div_f32, float, KEEP, emu_canon32, DIV)
FLOAT2(div_f32_ftz, float, emu_flush32, FLUSH_CANON, DIV)
FLOAT1(rcp_f32, float, KEEP, emu_canon32, RCP32)
FLOAT1(rcp_f32_ftz, float, emu_flush32, FLUSH_CANON, RCP32)
FLOAT1(sqrt_f32, float, KEEP, emu_canon32, sqrtf)
FLOAT1(sqrt_f32_ftz, float, emu_flush32, FLUSH_CANON, sqrtf)
FLOAT2(add_f64, double, KEEP, emu_canon64, ADD)
FLOAT2(sub_f64, double, KEEP, emu_canon64, SUB)
FLOAT2(mul_f64, double, KEEP, emu_canon64, MUL)
FLOAT3(fma_f64, double, KEEP, emu_canon64, fma)
FLOAT2(div_f64, double, KEEP, emu_canon64, DIV)
FLOAT1(rcp_f64, double, KEEP, emu_canon64, RCP64)
FLOAT1(sqrt_f64, double, KEEP, emu_canon64, sqrt)

FLOAT2(min_f32, float, KEEP, emu_canon32, emu_min32)
FLOAT2(max_f32, float, KEEP, emu_canon32, emu_max32)
FLOAT2(min_f32_ftz, float, emu_flush32, FLUSH_CANON, emu_min32)
FLOAT2(max_f32_ftz, float, emu_flush32, FLUSH_CANON, emu_max32)
FLOAT2(min_f32_nan, float, KEEP, emu_canon32, emu_min32_nan)
FLOAT2(max_f32_nan, float, KEEP, emu_canon32, emu_max32_nan)
FLOAT2(min_f64, double, KEEP, emu_canon64, emu_min64)
FLOAT2(max_f64, double, KEEP, emu_canon64, emu_max64)

/* Sign operations touch one bit and keep NaN payloads. */
#define SIGN1(name, S, expr)                                                                       \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        S *d = ptx_ref(w, in->d);                                                                  \
        const S *a = ptx_ref(w, in->a);                                                            \
        EMU_STORE_LANES(d, mask, expr);                                                            \
    }
static inline uint32_t flush_bits(uint32_t x)
{
    return x & 0x7f800000u ? x : x & 0x80000000u;
}
SIGN1(neg_f32, uint32_t, a[i] ^ 0x80000000u)
SIGN1(abs_f32, uint32_t, a[i] & 0x7fffffffu)
SIGN1(neg_f32_ftz, uint32_t, flush_bits(a[i]) ^ 0x80000000u)
SIGN1(abs_f32_ftz, uint32_t, flush_bits(a[i]) & 0x7fffffffu)
SIGN1(neg_f64, uint64_t, a[i] ^ 0x8000000000000000ull)
SIGN1(abs_f64, uint64_t, a[i] & 0x7fffffffffffffffull)

static void copysign_f32(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    const uint32_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);
    EMU_STORE_LANES(d, mask, (a[i] & 0x80000000u) | (b[i] & 0x7fffffffu));
}
static void copysign_f64(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint64_t *d = ptx_ref(w, in->d);
    const uint64_t *a = ptx_ref(w, in->a), *b = ptx_ref(w, in->b);
    EMU_STORE_LANES(d, mask, (a[i] & 0x8000000000000000ull) | (b[i] & 0x7fffffffffffffffull));
}

struct row {
    uint8_t mnemonic;
    ptx_handler *f32, *f32_ftz, *f32_sat, *f32_ftz_sat, *f64;
};
#define FOUR_OF(name) name##_f32, name##_f32_ftz, name##_f32_sat, name##_f32_ftz_sat
static const struct row rows[] = {
    {PTX_OP_add, FOUR_OF(add), add_f64},
    {PTX_OP_sub, FOUR_OF(sub), sub_f64},
    {PTX_OP_mul, FOUR_OF(mul), mul_f64},
    {PTX_OP_fma, FOUR_OF(fma), fma_f64},
    {PTX_OP_mad, FOUR_OF(fma), fma_f64},
    {PTX_OP_div, div_f32, div_f32_ftz, NULL, NULL, div_f64},
    {PTX_OP_rcp, rcp_f32, rcp_f32_ftz, NULL, NULL, rcp_f64},
    {PTX_OP_sqrt, sqrt_f32, sqrt_f32_ftz, NULL, NULL, sqrt_f64},
    {PTX_OP_min, min_f32, min_f32_ftz, NULL, NULL, min_f64},
    {PTX_OP_max, max_f32, max_f32_ftz, NULL, NULL, max_f64},
    {PTX_OP_neg, neg_f32, neg_f32_ftz, NULL, NULL, neg_f64},
    {PTX_OP_abs, abs_f32, abs_f32_ftz, NULL, NULL, abs_f64},
    {PTX_OP_copysign, copysign_f32, NULL, NULL, NULL, copysign_f64},
};

ptx_handler *ptx_float_handler(unsigned mnemonic, unsigned type, bool ftz, bool sat)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        if (r->mnemonic != mnemonic)
            continue;
        if (type == PTX_F64)
            return ftz || sat ? NULL : r->f64;
        if (type != PTX_F32)
            return NULL;
        return sat ? (ftz ? r->f32_ftz_sat : r->f32_sat) : ftz ? r->f32_ftz : r->f32;
    }
    return NULL;
}

ptx_handler *ptx_minmax_nan_handler(unsigned mnemonic)
{
    return mnemonic == PTX_OP_min ? min_f32_nan : max_f32_nan;
}

/* ---- approximations ----
 *
 * Hardware gives a few ulp; here the host's library gives about one. Results therefore differ from
 * hardware in the last bits, within the error bounds PTX states. */

static inline float exp2_32(float x)
{
    return exp2f(x);
}

#define APPROX(name, expr)                                                                         \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        float *d = ptx_ref(w, in->d);                                                              \
        const float *a = ptx_ref(w, in->a);                                                        \
        bool ftz = in->flags & PTX_INST_FTZ;                                                       \
        for (unsigned i = 0; i < EMU_LANES; i++) {                                                 \
            if (!(mask >> i & 1))                                                                  \
                continue;                                                                          \
            float r = expr(ftz ? emu_flush32(a[i]) : a[i]);                                        \
            d[i] = emu_canon32(ftz ? emu_flush32(r) : r);                                          \
        }                                                                                          \
    }
APPROX(sin_f32, sinf)
APPROX(cos_f32, cosf)
APPROX(ex2_f32, exp2_32)
APPROX(lg2_f32, log2f)
APPROX(rsqrt_f32, emu_rsqrt32)
APPROX(tanh_f32, tanhf)

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper word alone and give an upper word:
 * the seed of a Newton iteration. */
#define SEED(name, expr)                                                                           \
    static void name(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)                 \
    {                                                                                              \
        double *d = ptx_ref(w, in->d);                                                             \
        const double *a = ptx_ref(w, in->a);                                                       \
        for (unsigned i = 0; i < EMU_LANES; i++)                                                   \
            if (mask >> i & 1)                                                                     \
                d[i] = emu_upper_word(expr(emu_upper_word(a[i])));                                 \
    }
#define RSQRT64(x) (1.0 / sqrt(x))
SEED(rcp_seed, RCP64)
SEED(rsqrt_seed, RSQRT64)
FLOAT1(rsqrt_f64, double, KEEP, emu_canon64, RSQRT64)

ptx_handler *ptx_approx_handler(unsigned mnemonic, unsigned type)
{
    switch (mnemonic) {
    case PTX_OP_sin:
        return type == PTX_F32 ? sin_f32 : NULL;
    case PTX_OP_cos:
        return type == PTX_F32 ? cos_f32 : NULL;
    case PTX_OP_ex2:
        return type == PTX_F32 ? ex2_f32 : NULL;
    case PTX_OP_lg2:
        return type == PTX_F32 ? lg2_f32 : NULL;
    case PTX_OP_tanh:
        return type == PTX_F32 ? tanh_f32 : NULL;
    case PTX_OP_rsqrt:
        return type == PTX_F32 ? rsqrt_f32 : type == PTX_F64 ? rsqrt_f64 : NULL;
    default:
        return NULL;
    }
}

ptx_handler *ptx_seed_handler(unsigned mnemonic)
{
    return mnemonic == PTX_OP_rcp ? rcp_seed : mnemonic == PTX_OP_rsqrt ? rsqrt_seed : NULL;
}
