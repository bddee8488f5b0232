/* strata_cuda/device.h - the device side of CUDA C++ for clang: built-in variables, math, atomics,
 * warp functions and texture fetches. The bulk comes from the headers clang itself brings; what
 * those expect of NVIDIA's headers is declared here. */
#ifndef STRATA_CUDA_DEVICE_H
#define STRATA_CUDA_DEVICE_H

#include <strata_cuda/types.h>

/* clang's headers look at __CUDA_ARCH__ also on the host side, to offer everything there. */
#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999
#endif
#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>
#include <strata_cuda/libdevice.h>
#include <strata_cuda/libdevice_math.h>
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void free(void *) __attribute__((nothrow));
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line,
                             const char *function, size_t char_size);
static inline __device__ void __assert_fail(const char *message, const char *file, unsigned line,
                                            const char *function)
{
    __assertfail(message, file, line, function, sizeof(char));
}
}

#define STRATA_CUDA_BUILTIN_DIM(type)                                                              \
    __device__ inline __cuda_builtin_##type##_t::operator dim3() const                             \
    {                                                                                              \
        return dim3(x, y, z);                                                                      \
    }                                                                                              \
    __device__ inline __cuda_builtin_##type##_t::operator uint3() const                            \
    {                                                                                              \
        return uint3{x, y, z};                                                                     \
    }
STRATA_CUDA_BUILTIN_DIM(threadIdx)
STRATA_CUDA_BUILTIN_DIM(blockIdx)
STRATA_CUDA_BUILTIN_DIM(blockDim)
STRATA_CUDA_BUILTIN_DIM(gridDim)

#include <__clang_cuda_cmath.h>
#include <__clang_cuda_intrinsics.h>
#pragma pop_macro("__CUDA_ARCH__")

#define STRATA_DEVICE        static __inline__ __device__ __attribute__((always_inline))
#define STRATA_DEVICE_MEMBER __inline__ __device__ __attribute__((always_inline))
#define STRATA_ATOMIC(name, T, builtin)                                                            \
    STRATA_DEVICE T name(T *p, T v)                                                                \
    {                                                                                              \
        return builtin(p, v);                                                                      \
    }
typedef unsigned long long strata_ull;

/* clang up to 14 takes its own barrier for something that cannot write a __shared__ variable whose
 * address nobody takes, and keeps the value of before in a register. An asm that clobbers memory it
 * believes. */
STRATA_DEVICE void strata_syncthreads(void)
{
    asm volatile("bar.sync 0;" ::: "memory");
}
STRATA_DEVICE void strata_syncwarp(unsigned mask = 0xffffffffu)
{
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
#define __syncthreads() strata_syncthreads()
#define __syncwarp(...) strata_syncwarp(__VA_ARGS__)
STRATA_ATOMIC(atomicAdd, int, __iAtomicAdd)
STRATA_ATOMIC(atomicAdd, unsigned, __uAtomicAdd)
STRATA_ATOMIC(atomicAdd, strata_ull, __ullAtomicAdd)
STRATA_ATOMIC(atomicAdd, float, __fAtomicAdd)
STRATA_ATOMIC(atomicAdd, double, __dAtomicAdd)
STRATA_ATOMIC(atomicExch, int, __iAtomicExch)
STRATA_ATOMIC(atomicExch, unsigned, __uAtomicExch)
STRATA_ATOMIC(atomicExch, strata_ull, __ullAtomicExch)
STRATA_ATOMIC(atomicExch, float, __fAtomicExch)
STRATA_ATOMIC(atomicMin, int, __iAtomicMin)
STRATA_ATOMIC(atomicMin, unsigned, __uAtomicMin)
STRATA_ATOMIC(atomicMin, strata_ull, __ullAtomicMin)
STRATA_ATOMIC(atomicMin, long long, __illAtomicMin)
STRATA_ATOMIC(atomicMax, int, __iAtomicMax)
STRATA_ATOMIC(atomicMax, unsigned, __uAtomicMax)
STRATA_ATOMIC(atomicMax, strata_ull, __ullAtomicMax)
STRATA_ATOMIC(atomicMax, long long, __illAtomicMax)
STRATA_ATOMIC(atomicAnd, int, __iAtomicAnd)
STRATA_ATOMIC(atomicAnd, unsigned, __uAtomicAnd)
STRATA_ATOMIC(atomicAnd, strata_ull, __ullAtomicAnd)
STRATA_ATOMIC(atomicOr, int, __iAtomicOr)
STRATA_ATOMIC(atomicOr, unsigned, __uAtomicOr)
STRATA_ATOMIC(atomicOr, strata_ull, __ullAtomicOr)
STRATA_ATOMIC(atomicXor, int, __iAtomicXor)
STRATA_ATOMIC(atomicXor, unsigned, __uAtomicXor)
STRATA_ATOMIC(atomicXor, strata_ull, __ullAtomicXor)
STRATA_ATOMIC(atomicInc, unsigned, __uAtomicInc)
STRATA_ATOMIC(atomicDec, unsigned, __uAtomicDec)
STRATA_ATOMIC(atomicAdd_block, int, __iAtomicAdd_block)
STRATA_ATOMIC(atomicAdd_block, unsigned, __uAtomicAdd_block)
STRATA_ATOMIC(atomicAdd_block, float, __fAtomicAdd_block)
STRATA_ATOMIC(atomicAdd_system, int, __iAtomicAdd_system)
STRATA_ATOMIC(atomicAdd_system, unsigned, __uAtomicAdd_system)
STRATA_DEVICE int atomicSub(int *p, int v)
{
    return __iAtomicAdd(p, -v);
}
STRATA_DEVICE unsigned atomicSub(unsigned *p, unsigned v)
{
    return __uAtomicAdd(p, 0u - v);
}
STRATA_DEVICE int atomicCAS(int *p, int compare, int v)
{
    return __iAtomicCAS(p, compare, v);
}
STRATA_DEVICE unsigned atomicCAS(unsigned *p, unsigned compare, unsigned v)
{
    return __uAtomicCAS(p, compare, v);
}
STRATA_DEVICE strata_ull atomicCAS(strata_ull *p, strata_ull compare, strata_ull v)
{
    return __ullAtomicCAS(p, compare, v);
}

template <class T> STRATA_DEVICE unsigned __match_any_sync(unsigned mask, T value)
{
    return sizeof(T) == 8 ? (unsigned)__match64_any_sync(mask, (strata_ull)value)
                          : __match32_any_sync(mask, (unsigned)value);
}
template <class T> STRATA_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *all)
{
    return sizeof(T) == 8 ? (unsigned)__match64_all_sync(mask, (strata_ull)value, all)
                          : __match32_all_sync(mask, (unsigned)value, all);
}
#define STRATA_REDUCE_SYNC(name, T, op)                                                            \
    STRATA_DEVICE T name(unsigned mask, T value)                                                   \
    {                                                                                              \
        T r;                                                                                       \
        asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(r) : "r"(value), "r"(mask));           \
        return r;                                                                                  \
    }
STRATA_REDUCE_SYNC(__reduce_add_sync, unsigned, "add.u32")
STRATA_REDUCE_SYNC(__reduce_add_sync, int, "add.s32")
STRATA_REDUCE_SYNC(__reduce_min_sync, unsigned, "min.u32")
STRATA_REDUCE_SYNC(__reduce_min_sync, int, "min.s32")
STRATA_REDUCE_SYNC(__reduce_max_sync, unsigned, "max.u32")
STRATA_REDUCE_SYNC(__reduce_max_sync, int, "max.s32")
STRATA_REDUCE_SYNC(__reduce_and_sync, unsigned, "and.b32")
STRATA_REDUCE_SYNC(__reduce_or_sync, unsigned, "or.b32")
STRATA_REDUCE_SYNC(__reduce_xor_sync, unsigned, "xor.b32")

STRATA_DEVICE int __dp4a(int a, int b, int c)
{
    int r;
    asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
STRATA_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    unsigned r;
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
STRATA_DEVICE void __nanosleep(unsigned nanoseconds)
{
    asm volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
STRATA_DEVICE size_t __cvta_generic_to_shared(const void *p)
{
    return (size_t)(const __attribute__((address_space(3))) void *)p;
}
STRATA_DEVICE size_t __cvta_generic_to_global(const void *p)
{
    return (size_t)(const __attribute__((address_space(1))) void *)p;
}

/* Loads and stores with a cache hint: one overload per type and operator. */
#define STRATA_LOAD(name, op, T, suffix, c)                                                        \
    STRATA_DEVICE T name(const T *p)                                                               \
    {                                                                                              \
        T r;                                                                                       \
        asm volatile("ld.global." op "." suffix " %0, [%1];" : "=" c(r) : "l"(p) : "memory");      \
        return r;                                                                                  \
    }
#define STRATA_STORE(name, op, T, suffix, c)                                                       \
    STRATA_DEVICE void name(T *p, T v)                                                             \
    {                                                                                              \
        asm volatile("st.global." op "." suffix " [%0], %1;" ::"l"(p), c(v) : "memory");           \
    }
#define STRATA_LOAD4(name, op, T, suffix, c)                                                       \
    STRATA_DEVICE T name(const T *p)                                                               \
    {                                                                                              \
        T r;                                                                                       \
        asm volatile("ld.global." op ".v4." suffix " {%0,%1,%2,%3}, [%4];"                         \
                     : "=" c(r.x), "=" c(r.y), "=" c(r.z), "=" c(r.w)                              \
                     : "l"(p)                                                                      \
                     : "memory");                                                                  \
        return r;                                                                                  \
    }
#define STRATA_LOADS(name, op)                                                                     \
    STRATA_LOAD(name, op, int, "s32", "r")                                                         \
    STRATA_LOAD(name, op, unsigned, "u32", "r")                                                    \
    STRATA_LOAD(name, op, long long, "s64", "l")                                                   \
    STRATA_LOAD(name, op, strata_ull, "u64", "l")                                                  \
    STRATA_LOAD(name, op, float, "f32", "f")                                                       \
    STRATA_LOAD(name, op, double, "f64", "d")                                                      \
    STRATA_LOAD4(name, op, float4, "f32", "f")                                                     \
    STRATA_LOAD4(name, op, int4, "s32", "r")
#define STRATA_STORES(name, op)                                                                    \
    STRATA_STORE(name, op, int, "s32", "r")                                                        \
    STRATA_STORE(name, op, unsigned, "u32", "r")                                                   \
    STRATA_STORE(name, op, float, "f32", "f")                                                      \
    STRATA_STORE(name, op, double, "f64", "d")
STRATA_LOADS(__ldcg, "cg")
STRATA_LOADS(__ldca, "ca")
STRATA_LOADS(__ldcs, "cs")
STRATA_LOADS(__ldlu, "lu")
STRATA_LOADS(__ldcv, "cv")
STRATA_STORES(__stwb, "wb")
STRATA_STORES(__stcg, "cg")
STRATA_STORES(__stcs, "cs")
STRATA_STORES(__stwt, "wt")

/* Texture objects: one and two dimensions of 32-bit elements. */
#define STRATA_TEX(T, vec, c)                                                                      \
    template <> STRATA_TEX_DEVICE T tex1Dfetch<T>(strata_ull t, int x)                             \
    {                                                                                              \
        T a, b, d, e;                                                                              \
        asm volatile("tex.1d.v4." vec ".s32 {%0,%1,%2,%3}, [%4, {%5}];"                            \
                     : "=" c(a), "=" c(b), "=" c(d), "=" c(e)                                      \
                     : "l"(t), "r"(x));                                                            \
        return a;                                                                                  \
    }                                                                                              \
    template <> STRATA_TEX_DEVICE T tex1D<T>(strata_ull t, float x)                                \
    {                                                                                              \
        T a, b, d, e;                                                                              \
        asm volatile("tex.1d.v4." vec ".f32 {%0,%1,%2,%3}, [%4, {%5}];"                            \
                     : "=" c(a), "=" c(b), "=" c(d), "=" c(e)                                      \
                     : "l"(t), "f"(x));                                                            \
        return a;                                                                                  \
    }                                                                                              \
    template <> STRATA_TEX_DEVICE T tex2D<T>(strata_ull t, float x, float y)                       \
    {                                                                                              \
        T a, b, d, e;                                                                              \
        asm volatile("tex.2d.v4." vec ".f32 {%0,%1,%2,%3}, [%4, {%5,%6}];"                         \
                     : "=" c(a), "=" c(b), "=" c(d), "=" c(e)                                      \
                     : "l"(t), "f"(x), "f"(y));                                                    \
        return a;                                                                                  \
    }
#define STRATA_TEX_DEVICE __inline__ __device__
template <class T> __inline__ __device__ T tex1Dfetch(strata_ull t, int x);
template <class T> __inline__ __device__ T tex1D(strata_ull t, float x);
template <class T> __inline__ __device__ T tex2D(strata_ull t, float x, float y);
STRATA_TEX(float, "f32", "f")
STRATA_TEX(int, "s32", "r")
STRATA_TEX(unsigned, "u32", "r")
#define STRATA_TEX4(V, vec, c)                                                                     \
    template <> STRATA_TEX_DEVICE V tex1Dfetch<V>(strata_ull t, int x)                             \
    {                                                                                              \
        V v;                                                                                       \
        asm volatile("tex.1d.v4." vec ".s32 {%0,%1,%2,%3}, [%4, {%5}];"                            \
                     : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                              \
                     : "l"(t), "r"(x));                                                            \
        return v;                                                                                  \
    }                                                                                              \
    template <> STRATA_TEX_DEVICE V tex2D<V>(strata_ull t, float x, float y)                       \
    {                                                                                              \
        V v;                                                                                       \
        asm volatile("tex.2d.v4." vec ".f32 {%0,%1,%2,%3}, [%4, {%5,%6}];"                         \
                     : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                              \
                     : "l"(t), "f"(x), "f"(y));                                                    \
        return v;                                                                                  \
    }
STRATA_TEX4(float4, "f32", "f")
STRATA_TEX4(int4, "s32", "r")
STRATA_TEX4(uint4, "u32", "r")

#endif
