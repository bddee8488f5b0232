// supply_probe.cu - how fast code reaches one warp: code that runs once, loops, jumps and calls, and what slow arithmetic hides of it.
//
//   supply_probe         prints a line a launch: kernel, bytes of code, blocks, threads, cycles noted by warp 0 of block 0
//
// To be run under Nsight Compute (cycles alone) with flushed and with warm caches. straight notes each 16 KB, the others each round.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#include "check.h"

enum { NOTES = 64, ROUNDS = 4 };

__device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
    return t;
}

__device__ __forceinline__ void note(unsigned *notes, int k)
{
    unsigned t = now();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        notes[k] = t;
}

enum kind { WIDE, CHAIN, SLOW };

#define W4 "fma.rn.f32 %0,%0,%4,%4; fma.rn.f32 %1,%1,%4,%4; fma.rn.f32 %2,%2,%4,%4; fma.rn.f32 %3,%3,%4,%4;\n"
#define C4 "fma.rn.f32 %0,%0,%4,%4; fma.rn.f32 %0,%0,%4,%4; fma.rn.f32 %0,%0,%4,%4; fma.rn.f32 %0,%0,%4,%4;\n"
#define S4 "sin.approx.f32 %0,%0; fma.rn.f32 %0,%0,%4,%4; fma.rn.f32 %0,%0,%4,%4; fma.rn.f32 %0,%0,%4,%4;\n"
#define E8(x) x x x x x x x x

// 512 bytes of code: a cycle an instruction, four, or about 14 with one of the special function unit (and its multiplication) in five.
template <kind K> __device__ __forceinline__ void code512(float &a, float &b, float &c, float &d, float x)
{
    if (K == WIDE)
        asm volatile(E8(W4) : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(x));
    else if (K == CHAIN)
        asm volatile(E8(C4) : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(x));
    else
        asm volatile(E8(S4) : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "f"(x));
}

template <kind K, int KB> __global__ void straight(unsigned *notes, float *sink, float x)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    note(notes, 0);
#pragma unroll
    for (int k = 0; k < KB / 16; k++) {
#pragma unroll
        for (int i = 0; i < 32; i++)
            code512<K>(a, b, c, d, x);
        note(notes, k + 1);
    }
    if (a + b + c + d == 0.125f)
        sink[0] = 1;
}

template <kind K, int KB> __global__ void looped(unsigned *notes, float *sink, float x)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        note(notes, r);
#pragma unroll
        for (int i = 0; i < KB * 2; i++)
            code512<K>(a, b, c, d, x);
    }
    note(notes, ROUNDS);
    if (a + b + c + d == 0.125f)
        sink[0] = 1;
}

// Jumps over `STRIDE` bytes each.
template <int STRIDE> __device__ __forceinline__ void hop(float &a, float x, int skip)
{
    if (!skip) {
#pragma unroll
        for (int i = 0; i < STRIDE / 16 - 2; i++)
            asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(a) : "f"(x));
    }
    asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(a) : "f"(x));
}

template <int STRIDE, int N> __global__ void hops(unsigned *notes, float *sink, float x, int skip)
{
    float a = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        note(notes, r);
#pragma unroll
        for (int i = 0; i < N; i++)
            hop<STRIDE>(a, x, skip);
    }
    note(notes, ROUNDS);
    if (a == 0.125f)
        sink[0] = 1;
}

// Functions of BYTES that return at once; those of a round are called every fifth, so that no order helps.
template <int BYTES, int I> __device__ __noinline__ float callee(float a, float x, int skip)
{
    if (!skip) {
#pragma unroll
        for (int i = 0; i < BYTES / 16 - 4; i++)
            asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(a) : "f"(x));
    }
    return a + x * I;
}

template <int BYTES, int N, int I> struct caller {
    static __device__ __forceinline__ float all(float a, float x, int skip)
    {
        a = caller<BYTES, N, I - 1>::all(a, x, skip);
        return callee<BYTES, I * 5 % N>(a, x, skip);
    }
};
template <int BYTES, int N> struct caller<BYTES, N, -1> {
    static __device__ __forceinline__ float all(float a, float x, int skip)
    {
        return a;
    }
};

template <int BYTES, int N> __global__ void calls(unsigned *notes, float *sink, float x, int skip)
{
    float a = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        note(notes, r);
        a = caller<BYTES, N, N - 1>::all(a, x, skip);
    }
    note(notes, ROUNDS);
    if (a == 0.125f)
        sink[0] = 1;
}

// Chains of slow arithmetic, 64 steps a round.
struct sin_step {
    typedef float of;
    static __device__ __forceinline__ float go(float a, float x) { return __sinf(a) + x; }
};
struct expf_step {
    typedef float of;
    static __device__ __forceinline__ float go(float a, float x) { return expf(a) - x; }
};
struct exp_step {
    typedef double of;
    static __device__ __forceinline__ double go(double a, double x) { return exp(a) - x; }
};
struct log_step {
    typedef double of;
    static __device__ __forceinline__ double go(double a, double x) { return log(a) + x; }
};
struct fma64_step {
    typedef double of;
    static __device__ __forceinline__ double go(double a, double x) { return a * x + x; }
};
struct divide64_step {
    typedef double of;
    static __device__ __forceinline__ double go(double a, double x) { return x / (a + x); }
};
struct divide_step {
    typedef float of;
    static __device__ __forceinline__ float go(float a, float x) { return x / (a + x); }
};
struct root64_step {
    typedef double of;
    static __device__ __forceinline__ double go(double a, double x) { return sqrt(a + x); }
};
struct remainder_step {
    typedef unsigned long long of;
    static __device__ __forceinline__ of go(of a, of x) { return (a * x + 12345) % (x + 77); }
};
struct pow_step {
    typedef float of;
    static __device__ __forceinline__ float go(float a, float x) { return powf(a + 1.5f, x); }
};

template <class STEP, int UNROLL> __global__ void chain(unsigned *notes, float *sink, typename STEP::of x)
{
    typename STEP::of a = (typename STEP::of)threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        note(notes, r);
#pragma unroll UNROLL
        for (int i = 0; i < 64; i++)
            a = STEP::go(a, x);
    }
    note(notes, ROUNDS);
    if (a == (typename STEP::of)3)
        sink[0] = 1;
}

// 256-bit numbers multiplied and added with carries, as big integers are; 16 products a round.
template <int UNROLL> __global__ void carries(unsigned *notes, float *sink, unsigned x)
{
    unsigned a[8], b[8], p[8];
    for (int i = 0; i < 8; i++)
        a[i] = threadIdx.x + i, b[i] = x + 3 * i;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        note(notes, r);
#pragma unroll UNROLL
        for (int step = 0; step < 16; step++) {
#pragma unroll
            for (int i = 0; i < 8; i++)
                p[i] = 0;
#pragma unroll
            for (int i = 0; i < 8; i++) {
                unsigned long long carry = 0;
#pragma unroll
                for (int j = 0; j < 8 - i; j++) {
                    unsigned long long t = (unsigned long long)a[i] * b[j] + p[i + j] + carry;
                    p[i + j] = (unsigned)t, carry = t >> 32;
                }
            }
            asm volatile("add.cc.u32 %0,%0,%8; addc.cc.u32 %1,%1,%9; addc.cc.u32 %2,%2,%10; addc.cc.u32 %3,%3,%11;\n"
                         "addc.cc.u32 %4,%4,%12; addc.cc.u32 %5,%5,%13; addc.cc.u32 %6,%6,%14; addc.u32 %7,%7,%15;\n"
                         : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3]), "+r"(a[4]), "+r"(a[5]), "+r"(a[6]), "+r"(a[7])
                         : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(p[4]), "r"(p[5]), "r"(p[6]), "r"(p[7]));
        }
    }
    note(notes, ROUNDS);
    if ((a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7]) == 12345)
        sink[0] = 1;
}

// Local memory by an index that only the run tells: each step stores a word and reads another.
__global__ void local(unsigned *notes, float *sink, int x)
{
    int a[64], at = threadIdx.x & 63;
    for (int i = 0; i < 64; i++)
        a[i] = i * x;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        note(notes, r);
#pragma unroll 1
        for (int i = 0; i < 64; i++) {
            a[at] = i;
            at = (a[(at + 7) & 63] + at) & 63;
        }
    }
    note(notes, ROUNDS);
    if (at == 77)
        sink[0] = 1;
}

// Lanes go apart and meet: half of them, or one.
template <int LANES> __global__ void apart(unsigned *notes, float *sink, float x)
{
    float a = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        note(notes, r);
#pragma unroll 1
        for (int i = 0; i < 64; i++) {
            if (((threadIdx.x + i) & 31) < LANES) {
#pragma unroll
                for (int k = 0; k < 8; k++)
                    asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(a) : "f"(x));
            } else {
#pragma unroll
                for (int k = 0; k < 4; k++)
                    asm volatile("fma.rn.f32 %0,%0,%0,%1;" : "+f"(a) : "f"(x));
            }
            __syncwarp();
        }
    }
    note(notes, ROUNDS);
    if (a == 0.125f)
        sink[0] = 1;
}

static unsigned *notes;
static float *sink;

static void tell(const char *what, int bytes, int blocks, int threads, int n)
{
    unsigned t[NOTES + 1];
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(t, notes, sizeof t, cudaMemcpyDeviceToHost));
    printf("%s,%d,%d,%d,", what, bytes, blocks, threads);
    for (int i = 0; i < n; i++)
        printf("%u%s", t[i + 1] - t[i], i + 1 < n ? " " : "\n");
}

template <kind K, int KB> static void run_straight(const char *what)
{
    static const int shape[][2] = {{1, 32}, {2, 32}, {132, 32}, {1, 64}, {1, 128}, {1, 256}};
    for (auto &s : shape) {
        straight<K, KB><<<s[0], s[1]>>>(notes, sink, 0.5f);
        tell(what, KB * 1024, s[0], s[1], KB / 16);
    }
}

template <kind K, int KB> static void run_looped(const char *what)
{
    for (int threads : {32, 64, 128, 256}) {
        looped<K, KB><<<1, threads>>>(notes, sink, 0.5f);
        tell(what, KB * 1024, 1, threads, ROUNDS);
    }
}

template <int STRIDE, int N> static void run_hops()
{
    char what[32];
    snprintf(what, sizeof what, "hops%d", STRIDE);
    for (int threads : {32, 128}) {
        hops<STRIDE, N><<<1, threads>>>(notes, sink, 0.5f, 1);
        tell(what, STRIDE * N, 1, threads, ROUNDS);
    }
}

template <int BYTES, int N> static void run_calls()
{
    char what[32];
    snprintf(what, sizeof what, "calls%d", BYTES);
    for (int threads : {32, 128}) {
        calls<BYTES, N><<<1, threads>>>(notes, sink, 0.5f, 1);
        tell(what, BYTES * N, 1, threads, ROUNDS);
    }
}

template <class STEP> static void run_chain(const char *what, typename STEP::of x)
{
    char name[32];
    for (int threads : {1, 32}) {
        chain<STEP, 1><<<1, threads>>>(notes, sink, x);
        tell(what, 1, 1, threads, ROUNDS);
        chain<STEP, 64><<<1, threads>>>(notes, sink, x);
        snprintf(name, sizeof name, "%s_unrolled", what);
        tell(name, 64, 1, threads, ROUNDS);
    }
}

int main()
{
    CK(cudaMalloc(&notes, 4 * (NOTES + 1)));
    CK(cudaMalloc(&sink, 64));
    run_straight<WIDE, 512>("straight_wide"), run_straight<CHAIN, 256>("straight_chain"), run_straight<SLOW, 256>("straight_slow");
    run_looped<WIDE, 24>("looped_wide"), run_looped<WIDE, 64>("looped_wide"), run_looped<WIDE, 192>("looped_wide");
    run_looped<CHAIN, 24>("looped_chain"), run_looped<CHAIN, 64>("looped_chain"), run_looped<CHAIN, 192>("looped_chain");
    run_looped<SLOW, 64>("looped_slow"), run_looped<SLOW, 192>("looped_slow");
    run_hops<256, 8>(), run_hops<256, 16>(), run_hops<256, 32>(), run_hops<256, 64>();
    run_hops<512, 4>(), run_hops<512, 8>(), run_hops<512, 16>(), run_hops<512, 32>(), run_hops<512, 128>();
    run_hops<1024, 4>(), run_hops<1024, 8>(), run_hops<1024, 16>(), run_hops<1024, 24>(), run_hops<1024, 64>(), run_hops<1024, 192>();
    run_hops<4096, 4>(), run_hops<4096, 8>(), run_hops<4096, 16>(), run_hops<4096, 28>(), run_hops<4096, 64>();
    run_calls<512, 1>(), run_calls<512, 4>(), run_calls<512, 8>(), run_calls<512, 16>(), run_calls<512, 32>(), run_calls<512, 128>();
    run_calls<2048, 4>(), run_calls<2048, 8>(), run_calls<2048, 12>(), run_calls<2048, 32>(), run_calls<2048, 96>();
    run_chain<sin_step>("sin", 0.5f), run_chain<expf_step>("expf", 0.5f), run_chain<pow_step>("powf", 0.7f);
    run_chain<divide_step>("divide", 1.5f), run_chain<exp_step>("exp", 0.5), run_chain<log_step>("log", 3.5);
    run_chain<fma64_step>("fma64", 0.5), run_chain<divide64_step>("divide64", 1.5), run_chain<root64_step>("root64", 1.5);
    run_chain<remainder_step>("remainder", 0x123456789abcull);
    for (int threads : {1, 32}) {
        carries<1><<<1, threads>>>(notes, sink, 77);
        tell("carries", 1, 1, threads, ROUNDS);
        carries<16><<<1, threads>>>(notes, sink, 77);
        tell("carries_unrolled", 16, 1, threads, ROUNDS);
        local<<<1, threads>>>(notes, sink, 3);
        tell("local", 0, 1, threads, ROUNDS);
        apart<1><<<1, threads>>>(notes, sink, 0.5f);
        tell("apart_one", 0, 1, threads, ROUNDS);
        apart<16><<<1, threads>>>(notes, sink, 0.5f);
        tell("apart_half", 0, 1, threads, ROUNDS);
    }
    return 0;
}
