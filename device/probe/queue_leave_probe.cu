/* queue_leave_probe.cu - until when a load's misses join the requests of the same lines that an earlier
 * load sent: by the cycles between the two, the lines of each, what is loaded between them and
 * which warp does so. To be run under Nsight Compute; requests and hits of the L2 are the result. */
#include "launched.h"

#include <cuda_runtime.h>

#define LOAD(v, p) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory")

// N products that wait for one another, 4 cycles each; 0 stays 0, but the compiler does not know.
template <int N> static __device__ __forceinline__ unsigned later(unsigned x, unsigned zero)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("mad.lo.u32 %0,%0,%0,%1;" : "+r"(x) : "r"(zero));
    return x;
}

// Sector 0 of `lines` lines, a sector of `other` lines, then sector 1 of the first ones.
template <int N, bool OTHER>
__global__ void one_warp(const unsigned *a, int lines, int other, int sets, unsigned zero, unsigned *out)
{
    unsigned lane = threadIdx.x % 32, x = zero;
    const unsigned *at = a + lane % lines * 32 + lane / lines % 8;
    const unsigned *next = a + 1024 + lane % other * 32;
#pragma unroll 1
    for (int s = 0; s < sets; s++, at += 2048, next += 2048) {
        unsigned u = 0, v = 0, w = 0, p = later<4>(x, zero), q = later<N>(p, zero);
        LOAD(u, at + p);
        if (OTHER)
            LOAD(w, next + p);
        LOAD(v, at + 8 + q);
        x = (u + v + w) & zero;
    }
    if (x == 77)
        *out = 1;
}

// Four sectors, as long after one another.
template <int N> __global__ void four(const unsigned *a, int lines, int sets, unsigned zero, unsigned *out)
{
    unsigned lane = threadIdx.x % 32, x = zero;
    const unsigned *at = a + lane % lines * 32 + lane / lines % 8;
#pragma unroll 1
    for (int s = 0; s < sets; s++, at += 2048) {
        unsigned v[4], p = later<4>(x, zero), q = later<N>(p, zero), r = later<N>(q, zero), t = later<N>(r, zero);
        LOAD(v[0], at + p);
        LOAD(v[1], at + 8 + q);
        LOAD(v[2], at + 16 + r);
        LOAD(v[3], at + 24 + t);
        x = (v[0] + v[1] + v[2] + v[3]) & zero;
    }
    if (x == 77)
        *out = 1;
}

// Warp 0 reads sector 0 eight products behind a barrier, warp `second` sector 1 after N.
template <int N>
__global__ void two_warps(const unsigned *a, int lines, int second, int sets, unsigned zero, unsigned *out)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = zero, v = 0;
    const unsigned *at = a + lane % lines * 32 + lane / lines % 8;
#pragma unroll 1
    for (int s = 0; s < sets; s++, at += 2048) {
        __syncthreads();
        if (warp == 0) {
            unsigned p = later<8>(x, zero);
            LOAD(v, at + p);
        } else if (warp == second) {
            unsigned p = later<N>(x, zero);
            LOAD(v, at + 8 + p);
        }
        x = v & zero;
    }
    if (x == 77)
        *out = 1;
}

static unsigned *a, *out;

template <int N> static void each(bool all)
{
    const int sets = 16;
    for (int lines : {1, 4, 8, 16, 32}) {
        one_warp<N, false><<<1, 32>>>(a, lines, 1, sets, 0, out);
        LAUNCHED("one_warp apart=%d lines=%d other=0", 4 * N, lines);
    }
    for (int second : {1, 4})
        for (int lines : {1, 8}) {
            two_warps<N><<<1, 160>>>(a, lines, second, sets, 0, out);
            LAUNCHED("two_warps products=%d lines=%d second=%d", N, lines, second);
        }
    if (!all)
        return;
    for (int other : {4, 8, 16, 32}) {
        one_warp<N, true><<<1, 32>>>(a, 8, other, sets, 0, out);
        LAUNCHED("one_warp apart=%d lines=8 other=%d", 4 * N, other);
    }
    for (int lines : {1, 8, 16}) {
        four<N><<<1, 32>>>(a, lines, sets, 0, out);
        LAUNCHED("four apart=%d lines=%d", 4 * N, lines);
    }
}

int main()
{
    CK(cudaMalloc(&a, (size_t)64 << 20));
    CK(cudaMemset(a, 0, (size_t)64 << 20));
    CK(cudaMalloc(&out, 4096));
    each<1>(true);
    each<2>(true);
    each<3>(true);
    each<4>(true);
    each<5>(false);
    each<6>(false);
    each<8>(false);
    each<12>(false);
    return 0;
}
