/* strata_cuda/types.h - the words and plain types of CUDA C++: attributes, dim3, vector types.
 *
 * Part of a small set of headers with which clang compiles CUDA programs on a machine without
 * NVIDIA's toolkit. Only the names are NVIDIA's; programs use them, so they are facts. */
#ifndef STRATA_CUDA_TYPES_H
#define STRATA_CUDA_TYPES_H

#include <stddef.h>

#ifdef __CUDA__
#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#define __global__             __attribute__((global))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __forceinline__        __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n)           __attribute__((aligned(n)))
#define __grid_constant__
#else
#define __host__
#define __device__
#define __global__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#endif
#ifndef __restrict__
#define __restrict__ __restrict
#endif
#ifndef CUDART_VERSION
#define CUDART_VERSION       12000
#define CUDA_VERSION         12000
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#endif
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
#define CUDARTAPI
#define CUDART_CB

#define STRATA_CUDA_VECTOR(type, name, align2, align4)                                             \
    struct name##1                                                                                 \
    {                                                                                              \
        type x;                                                                                    \
    };                                                                                             \
    struct __attribute__((aligned(align2))) name##2                                                \
    {                                                                                              \
        type x, y;                                                                                 \
    };                                                                                             \
    struct name##3                                                                                 \
    {                                                                                              \
        type x, y, z;                                                                              \
    };                                                                                             \
    struct __attribute__((aligned(align4))) name##4                                                \
    {                                                                                              \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    static __inline__ __host__ __device__ name##1 make_##name##1(type x)                           \
    {                                                                                              \
        return {x};                                                                                \
    }                                                                                              \
    static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y)                   \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z)           \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)   \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }

STRATA_CUDA_VECTOR(signed char, char, 2, 4)
STRATA_CUDA_VECTOR(unsigned char, uchar, 2, 4)
STRATA_CUDA_VECTOR(short, short, 4, 8)
STRATA_CUDA_VECTOR(unsigned short, ushort, 4, 8)
STRATA_CUDA_VECTOR(int, int, 8, 16)
STRATA_CUDA_VECTOR(unsigned int, uint, 8, 16)
STRATA_CUDA_VECTOR(long, long, 16, 16)
STRATA_CUDA_VECTOR(unsigned long, ulong, 16, 16)
STRATA_CUDA_VECTOR(long long, longlong, 16, 16)
STRATA_CUDA_VECTOR(unsigned long long, ulonglong, 16, 16)
STRATA_CUDA_VECTOR(float, float, 8, 16)
STRATA_CUDA_VECTOR(double, double, 16, 16)

struct dim3 {
    unsigned int x, y, z;
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1,
                                       unsigned int vz = 1)
        : x(vx), y(vy), z(vz)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return uint3{x, y, z};
    }
};

#endif
