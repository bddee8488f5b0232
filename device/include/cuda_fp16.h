/* cuda_fp16.h - half precision for device code: the types, conversions and the arithmetic that
 * ordinary programs use, each one PTX instruction. */
#ifndef STRATA_CUDA_FP16_H
#define STRATA_CUDA_FP16_H

#include <cuda_runtime.h>

struct __attribute__((aligned(2))) __half {
    unsigned short bits;
    __half() = default;
    STRATA_DEVICE_MEMBER __half(float f);
    STRATA_DEVICE_MEMBER explicit operator float() const;
};
struct __attribute__((aligned(4))) __half2 {
    __half x, y;
};
typedef __half half;
typedef __half2 half2;

STRATA_DEVICE __half __float2half(float f)
{
    __half h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
    return h;
}
STRATA_DEVICE __half __float2half_rn(float f)
{
    return __float2half(f);
}
STRATA_DEVICE float __half2float(__half h)
{
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
    return f;
}
STRATA_DEVICE_MEMBER __half::__half(float f) : bits(__float2half(f).bits)
{
}
STRATA_DEVICE_MEMBER __half::operator float() const
{
    return __half2float(*this);
}
STRATA_DEVICE unsigned strata_half2_bits(__half2 v)
{
    return v.x.bits | (unsigned)v.y.bits << 16;
}
STRATA_DEVICE __half2 strata_half2_from(unsigned bits)
{
    __half2 v;
    v.x.bits = (unsigned short)bits;
    v.y.bits = (unsigned short)(bits >> 16);
    return v;
}
STRATA_DEVICE __half2 __floats2half2_rn(float x, float y)
{
    __half2 v;
    v.x = __float2half(x);
    v.y = __float2half(y);
    return v;
}
STRATA_DEVICE __half2 __float2half2_rn(float f)
{
    return __floats2half2_rn(f, f);
}
STRATA_DEVICE __half2 __halves2half2(__half x, __half y)
{
    __half2 v;
    v.x = x;
    v.y = y;
    return v;
}
STRATA_DEVICE float __low2float(__half2 v)
{
    return __half2float(v.x);
}
STRATA_DEVICE float __high2float(__half2 v)
{
    return __half2float(v.y);
}
STRATA_DEVICE float2 __half22float2(__half2 v)
{
    return make_float2(__half2float(v.x), __half2float(v.y));
}

#define STRATA_HALF_OP(name, name2, op, symbol)                                                    \
    STRATA_DEVICE __half name(__half a, __half b)                                                  \
    {                                                                                              \
        __half r;                                                                                  \
        asm(op ".f16 %0, %1, %2;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits));                      \
        return r;                                                                                  \
    }                                                                                              \
    STRATA_DEVICE __half2 name2(__half2 a, __half2 b)                                              \
    {                                                                                              \
        unsigned r;                                                                                \
        asm(op ".f16x2 %0, %1, %2;"                                                                \
            : "=r"(r)                                                                              \
            : "r"(strata_half2_bits(a)), "r"(strata_half2_bits(b)));                               \
        return strata_half2_from(r);                                                               \
    }                                                                                              \
    STRATA_DEVICE __half operator symbol(__half a, __half b)                                       \
    {                                                                                              \
        return name(a, b);                                                                         \
    }                                                                                              \
    STRATA_DEVICE __half2 operator symbol(__half2 a, __half2 b)                                    \
    {                                                                                              \
        return name2(a, b);                                                                        \
    }
STRATA_HALF_OP(__hadd, __hadd2, "add", +)
STRATA_HALF_OP(__hsub, __hsub2, "sub", -)
STRATA_HALF_OP(__hmul, __hmul2, "mul", *)

STRATA_DEVICE __half __hfma(__half a, __half b, __half c)
{
    __half r;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return r;
}
STRATA_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;"
        : "=r"(r)
        : "r"(strata_half2_bits(a)), "r"(strata_half2_bits(b)), "r"(strata_half2_bits(c)));
    return strata_half2_from(r);
}
STRATA_DEVICE bool __hlt(__half a, __half b)
{
    return __half2float(a) < __half2float(b);
}
STRATA_DEVICE bool __hgt(__half a, __half b)
{
    return __half2float(a) > __half2float(b);
}

#endif
