/* strata_cuda/libdevice.h - what clang's CUDA headers expect of NVIDIA's libdevice: the
 * arithmetic, conversion and bit functions that are one PTX instruction each. Functions that
 * have no body here or in libdevice_math.h stay unresolved and are named when the PTX is loaded. */
#ifndef STRATA_CUDA_LIBDEVICE_H
#define STRATA_CUDA_LIBDEVICE_H

#define STRATA_NV extern "C" __device__ inline __attribute__((always_inline, const))
/* R = result type, constraint letters as in inline assembly: r 32-bit, l 64-bit, f, d, h 16-bit. */
#define STRATA_NV1(R, rc, name, A, ac, op)                                                         \
    STRATA_NV R name(A a)                                                                          \
    {                                                                                              \
        R r;                                                                                       \
        asm(op " %0, %1;" : "=" rc(r) : ac(a));                                                    \
        return r;                                                                                  \
    }
#define STRATA_NV2(T, c, name, op)                                                                 \
    STRATA_NV T name(T a, T b)                                                                     \
    {                                                                                              \
        T r;                                                                                       \
        asm(op " %0, %1, %2;" : "=" c(r) : c(a), c(b));                                            \
        return r;                                                                                  \
    }
#define STRATA_NV3(T, c, name, op)                                                                 \
    STRATA_NV T name(T a, T b, T d)                                                                \
    {                                                                                              \
        T r;                                                                                       \
        asm(op " %0, %1, %2, %3;" : "=" c(r) : c(a), c(b), c(d));                                  \
        return r;                                                                                  \
    }
/* One function per rounding mode: CUDA says rn rz ru rd, PTX says rn rz rp rm. */
#define STRATA_NV_ROUNDED(M, ...)                                                                  \
    M(rn, "rn", __VA_ARGS__)                                                                       \
    M(rz, "rz", __VA_ARGS__) M(ru, "rp", __VA_ARGS__) M(rd, "rm", __VA_ARGS__)
#define STRATA_NV_R2(cuda, ptx, T, c, name, op, type)                                              \
    STRATA_NV2(T, c, name##cuda, op "." ptx "." type)
#define STRATA_NV_R3(cuda, ptx, T, c, name, op, type)                                              \
    STRATA_NV3(T, c, name##cuda, op "." ptx "." type)
#define STRATA_NV_R1(cuda, ptx, T, c, name, op, type)                                              \
    STRATA_NV1(T, c, name##cuda, T, c, op "." ptx "." type)
#define STRATA_NV_RC(cuda, ptx, R, rc, name, A, ac, suffix, types)                                 \
    STRATA_NV1(R, rc, name##cuda, A, ac, "cvt." ptx suffix "." types)

STRATA_NV_ROUNDED(STRATA_NV_R2, float, "f", __nv_fadd_, "add", "f32")
STRATA_NV_ROUNDED(STRATA_NV_R2, float, "f", __nv_fsub_, "sub", "f32")
STRATA_NV_ROUNDED(STRATA_NV_R2, float, "f", __nv_fmul_, "mul", "f32")
STRATA_NV_ROUNDED(STRATA_NV_R2, float, "f", __nv_fdiv_, "div", "f32")
STRATA_NV_ROUNDED(STRATA_NV_R3, float, "f", __nv_fmaf_, "fma", "f32")
STRATA_NV_ROUNDED(STRATA_NV_R3, float, "f", __nv_fmaf_ieee_, "fma", "f32")
STRATA_NV_ROUNDED(STRATA_NV_R1, float, "f", __nv_frcp_, "rcp", "f32")
STRATA_NV_ROUNDED(STRATA_NV_R1, float, "f", __nv_fsqrt_, "sqrt", "f32")
STRATA_NV_ROUNDED(STRATA_NV_R2, double, "d", __nv_dadd_, "add", "f64")
STRATA_NV_ROUNDED(STRATA_NV_R2, double, "d", __nv_dsub_, "sub", "f64")
STRATA_NV_ROUNDED(STRATA_NV_R2, double, "d", __nv_dmul_, "mul", "f64")
STRATA_NV_ROUNDED(STRATA_NV_R2, double, "d", __nv_ddiv_, "div", "f64")
STRATA_NV_ROUNDED(STRATA_NV_R3, double, "d", __nv_fma_, "fma", "f64")
STRATA_NV_ROUNDED(STRATA_NV_R1, double, "d", __nv_drcp_, "rcp", "f64")
STRATA_NV_ROUNDED(STRATA_NV_R1, double, "d", __nv_dsqrt_, "sqrt", "f64")

STRATA_NV_ROUNDED(STRATA_NV_RC, int, "r", __nv_float2int_, float, "f", "i", "s32.f32")
STRATA_NV_ROUNDED(STRATA_NV_RC, unsigned, "r", __nv_float2uint_, float, "f", "i", "u32.f32")
STRATA_NV_ROUNDED(STRATA_NV_RC, long long, "l", __nv_float2ll_, float, "f", "i", "s64.f32")
STRATA_NV_ROUNDED(STRATA_NV_RC, unsigned long long, "l", __nv_float2ull_, float, "f", "i",
                  "u64.f32")
STRATA_NV_ROUNDED(STRATA_NV_RC, int, "r", __nv_double2int_, double, "d", "i", "s32.f64")
STRATA_NV_ROUNDED(STRATA_NV_RC, unsigned, "r", __nv_double2uint_, double, "d", "i", "u32.f64")
STRATA_NV_ROUNDED(STRATA_NV_RC, long long, "l", __nv_double2ll_, double, "d", "i", "s64.f64")
STRATA_NV_ROUNDED(STRATA_NV_RC, unsigned long long, "l", __nv_double2ull_, double, "d", "i",
                  "u64.f64")
STRATA_NV_ROUNDED(STRATA_NV_RC, float, "f", __nv_int2float_, int, "r", "", "f32.s32")
STRATA_NV_ROUNDED(STRATA_NV_RC, float, "f", __nv_uint2float_, unsigned, "r", "", "f32.u32")
STRATA_NV_ROUNDED(STRATA_NV_RC, float, "f", __nv_ll2float_, long long, "l", "", "f32.s64")
STRATA_NV_ROUNDED(STRATA_NV_RC, float, "f", __nv_ull2float_, unsigned long long, "l", "", "f32.u64")
STRATA_NV_ROUNDED(STRATA_NV_RC, double, "d", __nv_ll2double_, long long, "l", "", "f64.s64")
STRATA_NV_ROUNDED(STRATA_NV_RC, double, "d", __nv_ull2double_, unsigned long long, "l", "",
                  "f64.u64")
STRATA_NV_ROUNDED(STRATA_NV_RC, float, "f", __nv_double2float_, double, "d", "", "f32.f64")

STRATA_NV double __nv_int2double_rn(int a)
{
    return a;
}
STRATA_NV double __nv_uint2double_rn(unsigned a)
{
    return a;
}

/* the same bits under another type */
STRATA_NV int __nv_float_as_int(float a)
{
    return __builtin_bit_cast(int, a);
}
STRATA_NV unsigned __nv_float_as_uint(float a)
{
    return __builtin_bit_cast(unsigned, a);
}
STRATA_NV float __nv_int_as_float(int a)
{
    return __builtin_bit_cast(float, a);
}
STRATA_NV float __nv_uint_as_float(unsigned a)
{
    return __builtin_bit_cast(float, a);
}
/* clang declares it unsigned, which may change */
STRATA_NV decltype(__nv_double_as_longlong(0.0)) __nv_double_as_longlong(double a)
{
    return __builtin_bit_cast(long long, a);
}
STRATA_NV double __nv_longlong_as_double(long long a)
{
    return __builtin_bit_cast(double, a);
}
STRATA_NV int __nv_double2hiint(double a)
{
    return (int)(__builtin_bit_cast(unsigned long long, a) >> 32);
}
STRATA_NV int __nv_double2loint(double a)
{
    return (int)__builtin_bit_cast(unsigned long long, a);
}
STRATA_NV double __nv_hiloint2double(int hi, int lo)
{
    return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}
STRATA_NV1(float, "f", __nv_half2float, unsigned short, "h", "cvt.f32.f16")
STRATA_NV1(unsigned short, "h", __nv_float2half_rn, float, "f", "cvt.rn.f16.f32")

/* integers */
STRATA_NV int __nv_abs(int a)
{
    return a < 0 ? -a : a;
}
STRATA_NV long long __nv_llabs(long long a)
{
    return a < 0 ? -a : a;
}
STRATA_NV int __nv_min(int a, int b)
{
    return a < b ? a : b;
}
STRATA_NV int __nv_max(int a, int b)
{
    return a > b ? a : b;
}
STRATA_NV unsigned __nv_umin(unsigned a, unsigned b)
{
    return a < b ? a : b;
}
STRATA_NV unsigned __nv_umax(unsigned a, unsigned b)
{
    return a > b ? a : b;
}
STRATA_NV long long __nv_llmin(long long a, long long b)
{
    return a < b ? a : b;
}
STRATA_NV long long __nv_llmax(long long a, long long b)
{
    return a > b ? a : b;
}
STRATA_NV unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
STRATA_NV unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}
STRATA_NV int __nv_brev(int a)
{
    return (int)__builtin_bitreverse32((unsigned)a);
}
STRATA_NV long long __nv_brevll(long long a)
{
    return (long long)__builtin_bitreverse64((unsigned long long)a);
}
STRATA_NV1(int, "r", __nv_clz, int, "r", "clz.b32")
STRATA_NV1(int, "r", __nv_clzll, long long, "l", "clz.b64")
STRATA_NV int __nv_popc(int a)
{
    return __builtin_popcount((unsigned)a);
}
STRATA_NV int __nv_popcll(long long a)
{
    return __builtin_popcountll((unsigned long long)a);
}
STRATA_NV int __nv_ffs(int a)
{
    return 32 - __nv_clz(a & -a);
}
STRATA_NV int __nv_ffsll(long long a)
{
    return 64 - __nv_clzll(a & -a);
}
STRATA_NV3(int, "r", __nv_byte_perm, "prmt.b32")
STRATA_NV int __nv_mul24(int a, int b)
{
    return (a << 8 >> 8) * (b << 8 >> 8);
}
STRATA_NV unsigned __nv_umul24(unsigned a, unsigned b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}
STRATA_NV int __nv_mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
STRATA_NV unsigned __nv_umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
STRATA_NV2(long long, "l", __nv_mul64hi, "mul.hi.s64")
STRATA_NV2(unsigned long long, "l", __nv_umul64hi, "mul.hi.u64")
STRATA_NV int __nv_hadd(int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
STRATA_NV int __nv_rhadd(int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
STRATA_NV int __nv_uhadd(unsigned a, unsigned b)
{
    return (int)(((unsigned long long)a + b) >> 1);
}
STRATA_NV unsigned __nv_urhadd(unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
STRATA_NV int __nv_sad(int a, int b, int c)
{
    return (int)((a > b ? (unsigned)a - b : (unsigned)b - a) + c);
}
STRATA_NV unsigned __nv_usad(unsigned a, unsigned b, unsigned c)
{
    return (a > b ? a - b : b - a) + c;
}

/* one instruction each, in both precisions */
#define STRATA_NV_BOTH(name, builtin)                                                              \
    STRATA_NV float __nv_##name##f(float a)                                                        \
    {                                                                                              \
        return __builtin_##builtin##f(a);                                                          \
    }                                                                                              \
    STRATA_NV double __nv_##name(double a)                                                         \
    {                                                                                              \
        return __builtin_##builtin(a);                                                             \
    }
STRATA_NV_BOTH(sqrt, sqrt)
STRATA_NV_BOTH(fabs, fabs)
STRATA_NV_BOTH(floor, floor)
STRATA_NV_BOTH(ceil, ceil)
STRATA_NV_BOTH(trunc, trunc)
STRATA_NV_BOTH(rint, rint)
STRATA_NV_BOTH(nearbyint, rint)
STRATA_NV float __nv_fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
STRATA_NV double __nv_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
STRATA_NV float __nv_fminf(float a, float b)
{
    return __builtin_fminf(a, b);
}
STRATA_NV float __nv_fmaxf(float a, float b)
{
    return __builtin_fmaxf(a, b);
}
STRATA_NV double __nv_fmin(double a, double b)
{
    return __builtin_fmin(a, b);
}
STRATA_NV double __nv_fmax(double a, double b)
{
    return __builtin_fmax(a, b);
}
STRATA_NV float __nv_copysignf(float a, float b)
{
    return __builtin_copysignf(a, b);
}
STRATA_NV double __nv_copysign(double a, double b)
{
    return __builtin_copysign(a, b);
}
STRATA_NV float __nv_saturatef(float a)
{
    return __builtin_fminf(__builtin_fmaxf(a, 0.0f), 1.0f);
}
STRATA_NV1(float, "f", __nv_rsqrtf, float, "f", "rsqrt.approx.f32")
STRATA_NV1(float, "f", __nv_frsqrt_rn, float, "f", "rsqrt.approx.f32")
STRATA_NV double __nv_rsqrt(double a)
{
    return 1.0 / __builtin_sqrt(a);
}
STRATA_NV float __nv_fdimf(float a, float b)
{
    return a > b ? a - b : 0.0f;
}
STRATA_NV double __nv_fdim(double a, double b)
{
    return a > b ? a - b : 0.0;
}
STRATA_NV float __nv_roundf(float a)
{
    return __builtin_truncf(a + __builtin_copysignf(0.49999997f, a));
}
STRATA_NV double __nv_round(double a)
{
    return __builtin_trunc(a + __builtin_copysign(0.49999999999999994, a));
}
STRATA_NV long long __nv_llroundf(float a)
{
    return (long long)__nv_roundf(a);
}
STRATA_NV long long __nv_llround(double a)
{
    return (long long)__nv_round(a);
}
STRATA_NV long long __nv_llrintf(float a)
{
    return (long long)__builtin_rintf(a);
}
STRATA_NV long long __nv_llrint(double a)
{
    return (long long)__builtin_rint(a);
}
STRATA_NV int __nv_isnanf(float a)
{
    return a != a;
}
STRATA_NV int __nv_isnand(double a)
{
    return a != a;
}
STRATA_NV int __nv_isinff(float a)
{
    return __builtin_fabsf(a) == __builtin_inff();
}
STRATA_NV int __nv_isinfd(double a)
{
    return __builtin_fabs(a) == __builtin_inf();
}
STRATA_NV int __nv_finitef(float a)
{
    return __builtin_fabsf(a) < __builtin_inff();
}
STRATA_NV int __nv_isfinited(double a)
{
    return __builtin_fabs(a) < __builtin_inf();
}
STRATA_NV int __nv_signbitf(float a)
{
    return __nv_float_as_uint(a) >> 31;
}
STRATA_NV int __nv_signbitd(double a)
{
    return (int)(__builtin_bit_cast(unsigned long long, a) >> 63);
}
STRATA_NV1(float, "f", __nv_fast_sinf, float, "f", "sin.approx.f32")
STRATA_NV1(float, "f", __nv_fast_cosf, float, "f", "cos.approx.f32")
STRATA_NV1(float, "f", __nv_fast_log2f, float, "f", "lg2.approx.f32")
STRATA_NV1(float, "f", strata_ex2, float, "f", "ex2.approx.f32")
STRATA_NV2(float, "f", __nv_fast_fdividef, "div.approx.f32")
STRATA_NV float __nv_fast_logf(float a)
{
    return __nv_fast_log2f(a) * 0.693147181f;
}
STRATA_NV float __nv_fast_log10f(float a)
{
    return __nv_fast_log2f(a) * 0.301029996f;
}
STRATA_NV float __nv_fast_expf(float a)
{
    return strata_ex2(a * 1.44269504f);
}
STRATA_NV float __nv_fast_exp10f(float a)
{
    return strata_ex2(a * 3.32192809f);
}
STRATA_NV float __nv_fast_powf(float a, float b)
{
    return strata_ex2(b * __nv_fast_log2f(a));
}
STRATA_NV float __nv_fast_tanf(float a)
{
    return __nv_fast_sinf(a) / __nv_fast_cosf(a);
}
extern "C" __device__ inline void __nv_fast_sincosf(float a, float *s, float *c)
{
    *s = __nv_fast_sinf(a);
    *c = __nv_fast_cosf(a);
}

#endif
