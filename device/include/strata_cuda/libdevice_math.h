/* strata_cuda/libdevice_math.h - exponentials, logarithms, trigonometry and the like for device
 * code, where NVIDIA's libdevice is not at hand.
 *
 * Single precision goes through the special function unit after range reduction, as compiled
 * CUDA code does, and so costs about the same instructions; double precision is argument
 * reduction and a series. Good to a few ulp over the usual range; not for the far ends of it
 * (trigonometry beyond 1e5 in float and 1e9 in double loses digits). */
#ifndef STRATA_CUDA_LIBDEVICE_MATH_H
#define STRATA_CUDA_LIBDEVICE_MATH_H

/* 2^n for n in the normal range of the exponent. */
STRATA_NV float strata_pow2if(int n)
{
    return __nv_int_as_float((n + 127) << 23);
}
STRATA_NV double strata_pow2i(int n)
{
    return __nv_longlong_as_double((long long)(n + 1023) << 52);
}
STRATA_NV float __nv_ldexpf(float a, int n)
{
    n = __nv_max(-252, __nv_min(n, 254)); /* two halves keep each factor a normal number */
    int half = n >> 1;
    return a * strata_pow2if(half) * strata_pow2if(n - half);
}
STRATA_NV double __nv_ldexp(double a, int n)
{
    n = __nv_max(-2044, __nv_min(n, 2046));
    int half = n >> 1;
    return a * strata_pow2i(half) * strata_pow2i(n - half);
}
STRATA_NV float __nv_scalbnf(float a, int n)
{
    return __nv_ldexpf(a, n);
}
STRATA_NV double __nv_scalbn(double a, int n)
{
    return __nv_ldexp(a, n);
}

/* e^x = 2^n * 2^(r log2 e), n = round(x log2 e), r = x - n ln 2 in two steps. */
STRATA_NV float __nv_expf(float a)
{
    float n = __builtin_rintf(__builtin_fminf(__builtin_fmaxf(a, -104.0f), 89.0f) * 1.44269504f);
    float r = __builtin_fmaf(n, -0.693145752f, a);
    r = __builtin_fmaf(n, -1.42860677e-6f, r);
    return __nv_ldexpf(strata_ex2(r * 1.44269504f), (int)n);
}
STRATA_NV float __nv_exp2f(float a)
{
    return strata_ex2(a);
}
STRATA_NV float __nv_exp10f(float a)
{
    return __nv_expf(a * 2.30258509f);
}
STRATA_NV double __nv_exp(double a)
{
    if (a > 709.8)
        return __builtin_inf();
    if (a < -745.2)
        return 0.0;
    double n = __builtin_rint(a * 1.4426950408889634);
    double r = __builtin_fma(n, -6.93147180369123816490e-01, a);
    r = __builtin_fma(n, -1.90821492927058770002e-10, r);
    double sum = 1.0; /* Taylor: |r| < 0.35, 13 terms reach 1e-17 */
#pragma unroll
    for (int k = 13; k > 0; k--)
        sum = __builtin_fma(sum, r / k, 1.0);
    return __nv_ldexp(sum, (int)n);
}
STRATA_NV double __nv_exp2(double a)
{
    return __nv_exp(a * 0.69314718055994531);
}
STRATA_NV double __nv_exp10(double a)
{
    return __nv_exp(a * 2.3025850929940457);
}

/* ln x = e ln 2 + 2 artanh((m-1)/(m+1)), m in [sqrt(1/2), sqrt 2). */
STRATA_NV float __nv_logf(float a)
{
    if (!(a > 0.0f) || a == __builtin_inff())
        return a == 0.0f ? -__builtin_inff() : a > 0.0f ? a : __builtin_nanf("");
    int bits = __nv_float_as_int(a), tiny = bits < 0x00800000;
    if (tiny)
        bits = __nv_float_as_int(a * 8388608.0f);
    int e = ((bits - 0x3f3504f3) >> 23);
    float m = __nv_int_as_float(bits - (e << 23));
    float s = (m - 1.0f) / (m + 1.0f), z = s * s;
    float p = __builtin_fmaf(z, 0.24f, 0.2857143f);
    p = __builtin_fmaf(z, p, 0.4f);
    p = __builtin_fmaf(z, p, 0.6666667f);
    p = __builtin_fmaf(s * z, p, 2.0f * s);
    return __builtin_fmaf((float)(e - (tiny ? 23 : 0)), 0.693147181f, p);
}
STRATA_NV float __nv_log2f(float a)
{
    return __nv_logf(a) * 1.44269504f;
}
STRATA_NV float __nv_log10f(float a)
{
    return __nv_logf(a) * 0.434294482f;
}
STRATA_NV double __nv_log(double a)
{
    if (!(a > 0.0) || a == __builtin_inf())
        return a == 0.0 ? -__builtin_inf() : a > 0.0 ? a : __builtin_nan("");
    int tiny = a < 2.2250738585072014e-308;
    long long bits = __nv_double_as_longlong(tiny ? a * 4503599627370496.0 : a);
    long long e = (bits - 0x3fe6a09e667f3bcdll) >> 52;
    double m = __nv_longlong_as_double(bits - (e << 52));
    double s = (m - 1.0) / (m + 1.0), z = s * s, p = 0.0;
#pragma unroll
    for (int k = 21; k > 1; k -= 2)
        p = __builtin_fma(p, z, 2.0 / k);
    double n = (double)(e - (tiny ? 52 : 0));
    double low = __builtin_fma(n, 1.90821492927058770002e-10, s * z * p);
    return __builtin_fma(n, 6.93147180369123816490e-01, 2.0 * s + low);
}
STRATA_NV double __nv_log2(double a)
{
    return __nv_log(a) * 1.4426950408889634;
}
STRATA_NV double __nv_log10(double a)
{
    return __nv_log(a) * 0.43429448190325183;
}
/* Kahan's correction: exact cancellation of the rounding of 1 + x. */
STRATA_NV float __nv_log1pf(float a)
{
    float u = 1.0f + a;
    return u == 1.0f ? a : __nv_logf(u) * (a / (u - 1.0f));
}
STRATA_NV double __nv_log1p(double a)
{
    double u = 1.0 + a;
    return u == 1.0 ? a : __nv_log(u) * (a / (u - 1.0));
}
STRATA_NV float __nv_expm1f(float a)
{
    if (__builtin_fabsf(a) > 0.5f)
        return __nv_expf(a) - 1.0f;
    float sum = 1.0f;
#pragma unroll
    for (int k = 8; k > 1; k--)
        sum = __builtin_fmaf(sum, a / k, 1.0f);
    return sum * a;
}
STRATA_NV double __nv_expm1(double a)
{
    if (__builtin_fabs(a) > 0.5)
        return __nv_exp(a) - 1.0;
    double sum = 1.0;
#pragma unroll
    for (int k = 15; k > 1; k--)
        sum = __builtin_fma(sum, a / k, 1.0);
    return sum * a;
}

/* |x|^y through double, so that the product y ln x keeps its digits; the sign for odd whole y. */
STRATA_NV float __nv_powf(float a, float b)
{
    if (b == 0.0f || a == 1.0f)
        return 1.0f;
    float whole = __builtin_truncf(b);
    float r = a == 0.0f ? (b > 0.0f ? 0.0f : __builtin_inff())
                        : (float)__nv_exp((double)b * __nv_log((double)__builtin_fabsf(a)));
    if (a >= 0.0f)
        return r;
    if (whole != b)
        return __builtin_nanf("");
    return 2.0f * __builtin_truncf(b * 0.5f) != b ? -r : r;
}
STRATA_NV double __nv_pow(double a, double b)
{
    if (b == 0.0 || a == 1.0)
        return 1.0;
    double whole = __builtin_trunc(b);
    double r =
        a == 0.0 ? (b > 0.0 ? 0.0 : __builtin_inf()) : __nv_exp(b * __nv_log(__builtin_fabs(a)));
    if (a >= 0.0)
        return r;
    if (whole != b)
        return __builtin_nan("");
    return 2.0 * __builtin_trunc(b * 0.5) != b ? -r : r;
}
STRATA_NV float __nv_powif(float a, int n)
{
    float r = 1.0f, base = n < 0 ? 1.0f / a : a;
    for (unsigned k = n < 0 ? 0u - (unsigned)n : (unsigned)n; k; k >>= 1, base *= base)
        if (k & 1)
            r *= base;
    return r;
}
STRATA_NV double __nv_powi(double a, int n)
{
    double r = 1.0, base = n < 0 ? 1.0 / a : a;
    for (unsigned k = n < 0 ? 0u - (unsigned)n : (unsigned)n; k; k >>= 1, base *= base)
        if (k & 1)
            r *= base;
    return r;
}

/* sin and cos of r in [-pi/4, pi/4]. */
STRATA_NV float strata_sin_kernelf(float r)
{
    float z = r * r;
    float p = __builtin_fmaf(z, -1.9515296e-4f, 8.3321609e-3f);
    return __builtin_fmaf(r * z, __builtin_fmaf(z, p, -0.16666655f), r);
}
STRATA_NV float strata_cos_kernelf(float r)
{
    float z = r * r;
    float p = __builtin_fmaf(z, 2.4433157e-5f, -1.3887316e-3f);
    return __builtin_fmaf(z * z, __builtin_fmaf(z, p, 4.1666646e-2f),
                          __builtin_fmaf(z, -0.5f, 1.0f));
}
STRATA_NV float strata_sincosf(float a, int quarter)
{
    float n = __builtin_rintf(a * 0.636619772f);
    float r = __builtin_fmaf(n, -1.57079601f, a); /* pi/2 in three pieces */
    r = __builtin_fmaf(n, -3.13916473e-7f, r);
    r = __builtin_fmaf(n, -5.39030253e-15f, r);
    int q = (int)n + quarter;
    float v = q & 1 ? strata_cos_kernelf(r) : strata_sin_kernelf(r);
    return q & 2 ? -v : v;
}
STRATA_NV float __nv_sinf(float a)
{
    return strata_sincosf(a, 0);
}
STRATA_NV float __nv_cosf(float a)
{
    return strata_sincosf(a, 1);
}
STRATA_NV float __nv_tanf(float a)
{
    return __nv_sinf(a) / __nv_cosf(a);
}
extern "C" __device__ inline void __nv_sincosf(float a, float *s, float *c)
{
    *s = __nv_sinf(a);
    *c = __nv_cosf(a);
}
STRATA_NV double strata_sincos(double a, int quarter)
{
    double n = __builtin_rint(a * 0.63661977236758138);
    double r = __builtin_fma(n, -1.57079632679489656, a);
    r = __builtin_fma(n, -6.12323399573676604e-17, r);
    long long q = (long long)n + quarter;
    double z = r * r, sum = 1.0;
    if (q & 1) {
#pragma unroll
        for (int k = 18; k > 0; k -= 2)
            sum = __builtin_fma(sum, -z / (k * (k - 1)), 1.0);
    } else {
#pragma unroll
        for (int k = 19; k > 1; k -= 2)
            sum = __builtin_fma(sum, -z / (k * (k - 1)), 1.0);
        sum *= r;
    }
    return q & 2 ? -sum : sum;
}
STRATA_NV double __nv_sin(double a)
{
    return strata_sincos(a, 0);
}
STRATA_NV double __nv_cos(double a)
{
    return strata_sincos(a, 1);
}
STRATA_NV double __nv_tan(double a)
{
    return __nv_sin(a) / __nv_cos(a);
}
extern "C" __device__ inline void __nv_sincos(double a, double *s, double *c)
{
    *s = __nv_sin(a);
    *c = __nv_cos(a);
}
STRATA_NV float __nv_sinpif(float a)
{
    return __nv_sinf((a - 2.0f * __builtin_rintf(a * 0.5f)) * 3.14159265f);
}
STRATA_NV float __nv_cospif(float a)
{
    return __nv_cosf((a - 2.0f * __builtin_rintf(a * 0.5f)) * 3.14159265f);
}
STRATA_NV double __nv_sinpi(double a)
{
    return __nv_sin((a - 2.0 * __builtin_rint(a * 0.5)) * 3.14159265358979324);
}
STRATA_NV double __nv_cospi(double a)
{
    return __nv_cos((a - 2.0 * __builtin_rint(a * 0.5)) * 3.14159265358979324);
}

/* atan by two halvings of the angle, then the series. */
STRATA_NV double __nv_atan(double a)
{
    double x = __builtin_fabs(a), big = x > 1.0;
    if (x > 1.0)
        x = 1.0 / x;
    x = x / (1.0 + __builtin_sqrt(1.0 + x * x));
    x = x / (1.0 + __builtin_sqrt(1.0 + x * x));
    double z = x * x, p = 0.0;
#pragma unroll
    for (int k = 23; k > 0; k -= 2)
        p = __builtin_fma(p, -z, 1.0 / k);
    double r = 4.0 * x * p;
    return __builtin_copysign(big != 0.0 ? 1.57079632679489662 - r : r, a);
}
STRATA_NV double __nv_atan2(double y, double x)
{
    if (x == 0.0 && y == 0.0)
        return __builtin_copysign(__nv_signbitd(x) ? 3.14159265358979324 : 0.0, y);
    double r = __nv_atan(y / x);
    if (x < 0.0)
        r += __builtin_copysign(3.14159265358979324, y);
    return r;
}
STRATA_NV double __nv_asin(double a)
{
    return __nv_atan2(a, __builtin_sqrt((1.0 - a) * (1.0 + a)));
}
STRATA_NV double __nv_acos(double a)
{
    return __nv_atan2(__builtin_sqrt((1.0 - a) * (1.0 + a)), a);
}
STRATA_NV double __nv_sinh(double a)
{
    double e = __nv_expm1(a);
    return 0.5 * (e + e / (e + 1.0));
}
STRATA_NV double __nv_cosh(double a)
{
    double e = __nv_exp(__builtin_fabs(a));
    return 0.5 * (e + 1.0 / e);
}
STRATA_NV double __nv_tanh(double a)
{
    double x = __builtin_fabs(a), e = __nv_expm1(2.0 * __builtin_fmin(x, 30.0));
    return __builtin_copysign(e / (e + 2.0), a);
}
STRATA_NV double __nv_asinh(double a)
{
    double x = __builtin_fabs(a);
    return __builtin_copysign(__nv_log1p(x + x * x / (1.0 + __builtin_sqrt(1.0 + x * x))), a);
}
STRATA_NV double __nv_acosh(double a)
{
    return __nv_log(a + __builtin_sqrt((a - 1.0) * (a + 1.0)));
}
STRATA_NV double __nv_atanh(double a)
{
    return 0.5 * __nv_log1p(2.0 * a / (1.0 - a));
}
STRATA_NV double __nv_cbrt(double a)
{
    return a == 0.0 ? a : __builtin_copysign(__nv_exp(__nv_log(__builtin_fabs(a)) / 3.0), a);
}
STRATA_NV double __nv_rcbrt(double a)
{
    return 1.0 / __nv_cbrt(a);
}
STRATA_NV double __nv_hypot(double a, double b)
{
    return __builtin_sqrt(__builtin_fma(a, a, b * b));
}
STRATA_NV double __nv_fmod(double a, double b)
{
    double x = __builtin_fabs(a), y = __builtin_fabs(b);
    if (!(y > 0.0) || !(x < __builtin_inf()))
        return __builtin_nan("");
    while (x >= y) { /* take off the largest y * 2^k: each step clears at least one bit */
        int k = (__nv_double2hiint(x) >> 20) - (__nv_double2hiint(y) >> 20);
        double part = __nv_ldexp(y, k);
        if (part > x)
            part *= 0.5;
        x -= part;
    }
    return __builtin_copysign(x, a);
}
/* Abramowitz and Stegun 7.1.5 (series) below 2.5, 7.1.14 (continued fraction) above. */
STRATA_NV double __nv_erfc(double a)
{
    double x = __builtin_fabs(a), r;
    if (x < 2.5) {
        double term = x, sum = x;
        for (int k = 1; k < 60; k++) {
            term *= -x * x / k;
            sum += term / (2 * k + 1);
        }
        r = 1.0 - 1.1283791670955126 * sum;
    } else {
        double f = 0.0;
        for (int k = 60; k > 0; k--)
            f = 0.5 * k / (x + f);
        r = __nv_exp(-x * x) / ((x + f) * 1.7724538509055160);
    }
    return a < 0.0 ? 2.0 - r : r;
}
STRATA_NV double __nv_erf(double a)
{
    return 1.0 - __nv_erfc(a);
}
STRATA_NV double __nv_normcdf(double a)
{
    return 0.5 * __nv_erfc(-a * 0.70710678118654752);
}

/* Single precision of the rarer ones: the double form, rounded. */
#define STRATA_NV_VIA_DOUBLE(name)                                                                 \
    STRATA_NV float __nv_##name##f(float a)                                                        \
    {                                                                                              \
        return (float)__nv_##name((double)a);                                                      \
    }
#define STRATA_NV_VIA_DOUBLE2(name)                                                                \
    STRATA_NV float __nv_##name##f(float a, float b)                                               \
    {                                                                                              \
        return (float)__nv_##name((double)a, (double)b);                                           \
    }
STRATA_NV_VIA_DOUBLE(atan)
STRATA_NV_VIA_DOUBLE(asin)
STRATA_NV_VIA_DOUBLE(acos)
STRATA_NV_VIA_DOUBLE(sinh)
STRATA_NV_VIA_DOUBLE(cosh)
STRATA_NV_VIA_DOUBLE(asinh)
STRATA_NV_VIA_DOUBLE(acosh)
STRATA_NV_VIA_DOUBLE(atanh)
STRATA_NV_VIA_DOUBLE(cbrt)
STRATA_NV_VIA_DOUBLE(rcbrt)
STRATA_NV_VIA_DOUBLE(erf)
STRATA_NV_VIA_DOUBLE(erfc)
STRATA_NV_VIA_DOUBLE(normcdf)
STRATA_NV_VIA_DOUBLE2(atan2)
STRATA_NV_VIA_DOUBLE2(hypot)
STRATA_NV_VIA_DOUBLE2(fmod)
STRATA_NV float __nv_tanhf(float a)
{
    float x = __builtin_fabsf(a), e = __nv_expm1f(2.0f * __builtin_fminf(x, 15.0f));
    return __builtin_copysignf(e / (e + 2.0f), a);
}
STRATA_NV float __nv_rhypotf(float a, float b)
{
    return __nv_rsqrtf(__builtin_fmaf(a, a, b * b));
}
STRATA_NV float __nv_norm3df(float a, float b, float c)
{
    return __builtin_sqrtf(__builtin_fmaf(a, a, __builtin_fmaf(b, b, c * c)));
}
STRATA_NV float __nv_rnorm3df(float a, float b, float c)
{
    return __nv_rsqrtf(__builtin_fmaf(a, a, __builtin_fmaf(b, b, c * c)));
}

#endif
