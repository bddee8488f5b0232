// flow_probe.cu - microbenchmarks behind the rules of the h200 GPU file that decide a counter.
//
// Every launch prints one line `launch N name key=value ...` so that a profiler's table can be
// joined by launch number. Probes that need no profiler print their own result lines (`result ...`).
// Build: nvcc -O3 -arch=sm_90 flow_probe.cu -o flow_probe.   Run: flow_probe GROUP...
#include "launched.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

__device__ unsigned smid()
{
    unsigned r;
    asm volatile("mov.u32 %0,%%smid;" : "=r"(r));
    return r;
}
__device__ unsigned long long global_ns()
{
    unsigned long long r;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(r));
    return r;
}
__device__ unsigned ld_ca(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ unsigned ld_cg(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// One timed load. The second clock is read under a predicate that needs the value, so it cannot be
// read before the load is done.
template <bool L1> __device__ unsigned timed(const unsigned *p, unsigned &cycles)
{
    unsigned v, t0, t1;
    if (L1)
        asm volatile("{\n\t.reg .pred q;\n\tmov.u32 %0,%%clock;\n\tld.global.ca.u32 %1,[%3];\n\tsetp.ne.u32 q,%1,0xffffffff;\n\tmov.u32 %2,0;\n\t@q mov.u32 %2,%%clock;\n\t}"
                     : "=&r"(t0), "=&r"(v), "=&r"(t1) : "l"(p) : "memory");
    else
        asm volatile("{\n\t.reg .pred q;\n\tmov.u32 %0,%%clock;\n\tld.global.cg.u32 %1,[%3];\n\tsetp.ne.u32 q,%1,0xffffffff;\n\tmov.u32 %2,0;\n\t@q mov.u32 %2,%%clock;\n\t}"
                     : "=&r"(t0), "=&r"(v), "=&r"(t1) : "l"(p) : "memory");
    cycles = t1 - t0;
    return v;
}

// ---- which SMs' requests for one line are merged on the way to the L2, and for how long ----
// Both SMs fit their clock to the global timer (earliest sightings of its ticks), so that the
// second one issues each load `delay` cycles after the first.
__global__ void merge_pair(const unsigned *data, unsigned *out, int sm_a, int sm_b, int delay, int lines, int warm)
{
    int me = (int)smid();
    if (me != sm_a && me != sm_b)
        return;
    if (threadIdx.x >= 32)
        return;
    unsigned long long g0 = global_ns(), g = g0;
    while (g == g0)
        g = global_ns();
    long long c_first = clock64();
    unsigned long long g_first = g;
    double rate = 1.98, best = 1e30;
    long long c = c_first;
    for (int k = 0; k < 400; k++) {
        unsigned long long last = g;
        while (g == last)
            g = global_ns();
        c = clock64();
        double off = (double)(c - c_first) - rate * (double)(g - g_first);
        best = off < best ? off : best;
    }
    unsigned long long start_ns = ((g >> 15) + 2) << 15;
    long long start = c_first + (long long)(best + rate * (double)(start_ns - g_first)) + (me == sm_b ? delay : 0);
    unsigned sum = 0;
    if (warm && me == sm_a) // brings the lines into the L2 only
        for (int i = 0; i < lines; i++)
            sum += ld_cg(data + (size_t)i * 32 * 33 + (threadIdx.x & 31));
    for (int i = 0; i < lines; i++) {
        while (clock64() < start + (long long)i * 2500)
            ;
        sum += ld_ca(data + (size_t)i * 32 * 33 + (threadIdx.x & 31));
    }
    if (sum == 12345)
        out[me] = sum;
    if (threadIdx.x == 0)
        out[256 + me] = (unsigned)(start_ns >> 15);
}

// ---- how long, and for how many lines, stores wait in the L1 before they leave ----
// Each warp stores whole lines, `spacing` cycles apart (0: as fast as it goes), walking n_lines
// (a power of two) in turn; warps start `skew` cycles after one another.
__global__ void store_repeat(unsigned *data, int repeats, int spacing, int n_lines, int skew)
{
    unsigned start, now;
    __syncthreads();
    asm volatile("mov.u32 %0,%%clock;" : "=r"(start)::"memory");
    start += 500 + skew * (threadIdx.x / 32);
    for (int i = 0; i < repeats; i++) {
        do
            asm volatile("mov.u32 %0,%%clock;" : "=r"(now)::"memory");
        while ((int)(now - start) < i * spacing);
        asm volatile("st.global.u32 [%0],%1;" ::"l"(data + (size_t)(i & (n_lines - 1)) * 32 + (threadIdx.x & 31)), "r"(i) : "memory");
    }
}

// ---- L1 replacement: one thread walks n lines again and again and notes what hit ----
__global__ void chase_l1(const unsigned *data, int n, int passes, unsigned char *hit, int threshold)
{
    __shared__ unsigned char note[2560 * 8 / 2]; // two accesses a byte: stores to global memory would take L1 lines
    if (threadIdx.x)
        return;
    unsigned at = 0, last = 0;
    int k = 0;
    for (int p = 0; p < passes; p++)
        for (int i = 0; i < n; i++, k++) {
            unsigned cycles;
            at = timed<true>(data + at, cycles);
            last = cycles;
            unsigned char is_hit = cycles < threshold;
            note[k >> 1] = (unsigned char)((k & 1) ? note[k >> 1] | (is_hit << 1) : is_hit);
        }
    for (int i = 0; i < k; i++)
        hit[i] = (note[i >> 1] >> (i & 1)) & 1;
    if (n == 1696)
        printf("chase sample %u\n", last);
}
// The same with whole lines read by a warp, and a store pass first if asked.
__global__ void sweep_l1(unsigned *data, int n, int passes, int store_first, unsigned *out)
{
    unsigned sum = 0;
    if (store_first)
        for (int i = 0; i < n; i++)
            data[(size_t)i * 32 + threadIdx.x] = i;
    for (int p = 0; p < passes; p++)
        for (int i = 0; i < n; i++)
            sum += ld_ca(data + (size_t)i * 32 + threadIdx.x);
    if (sum == 1)
        *out = sum;
}

// ---- latency of one SM to one address in the L2 ----
__global__ void l2_latency(const unsigned *data, const unsigned *offset_words, int n, unsigned *out)
{
    if (threadIdx.x)
        return;
    unsigned me = smid();
    for (int k = 0; k < n; k++) {
        unsigned best = ~0u;
        for (int r = 0; r < 6; r++) {
            unsigned cycles;
            timed<false>(data + offset_words[k], cycles);
            best = min(best, cycles);
        }
        out[(size_t)me * n + k] = best;
    }
}
__global__ void cold_latency(const unsigned *data, int n, size_t stride_words, unsigned *out)
{
    for (int k = 0; k < n; k++) {
        unsigned cycles;
        timed<false>(data + (size_t)k * stride_words, cycles);
        out[k] = cycles;
    }
}

__global__ void empty_kernel() {}
__global__ void one_load(const unsigned *p, unsigned *out)
{
    unsigned v = ld_ca(p + (size_t)(blockIdx.x * blockDim.x + threadIdx.x));
    if (v == 1)
        *out = v;
}

// ---- bandwidth against pattern ----
__global__ void stream_read(const uint4 *p, size_t n, unsigned *out)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    unsigned s = 0;
    for (size_t i = t; i < n; i += step) {
        uint4 v = p[i];
        s += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (s == 1)
        *out = s;
}
__global__ void stream_write(uint4 *p, size_t n)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = t; i < n; i += step)
        p[i] = make_uint4(1, 2, 3, 4);
}
__global__ void read_cg(const unsigned *p, size_t n_words, int passes, unsigned *out)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    unsigned s = 0;
    for (int q = 0; q < passes; q++)
        for (size_t i = t * 4; i + 3 < n_words; i += step * 4) {
            unsigned a, b, c, d;
            asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p + i) : "memory");
            s += a ^ b ^ c ^ d;
        }
    if (s == 1)
        *out = s;
}
__global__ void stride_read(const unsigned *p, size_t rows, int row_words, int cols, unsigned *out)
{
    size_t r = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned s = 0;
    if (r < rows)
        for (int c = 0; c < cols; c++)
            s += p[r * row_words + c];
    if (s == 1)
        *out = s;
}
__global__ void random_read(const unsigned *p, unsigned mask_words, int per_thread, unsigned *out)
{
    unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u, s = 0;
    for (int k = 0; k < per_thread; k++) {
        x = x * 1664525u + 1013904223u;
        s += p[(x >> 4) & mask_words];
    }
    if (s == 1)
        *out = s;
}

// ---- atomics ----
// kind 0: reduction, 1: with return. pattern 0: all lanes one word, 1: lanes consecutive, 2: random
// words, 3: one word of the whole grid, 4: stride of one sector per lane.
template <int KIND> __global__ void atomics(unsigned *p, unsigned mask_words, int pattern, int per_thread, unsigned *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = t * 2654435761u + 777u, s = 0;
    for (int k = 0; k < per_thread; k++) {
        x = x * 1664525u + 1013904223u;
        unsigned at = pattern == 0   ? (((t / 32) * 977u + k * 131u) * 8) & mask_words
                      : pattern == 1 ? (t + k * 7919u * 32u) & mask_words
                      : pattern == 2 ? (x >> 4) & mask_words
                      : pattern == 3 ? 0
                                     : (t * 8 + k * 7919u * 256u) & mask_words;
        if (KIND)
            s += atomicAdd(p + at, 1u);
        else
            atomicAdd(p + at, 1u);
    }
    if (KIND && s == 1)
        *out = s;
}

// ---- instruction latencies, instruction fetch ----
template <int N> __global__ void straight(float *out, unsigned *cycles, float a, float b, int rounds)
{
    float x = a, y = b, z = a + b, w = a - b;
    for (int r = 0; r < rounds; r++) {
        long long t0 = clock64();
#pragma unroll
        for (int i = 0; i < N / 4; i++) {
            x = x * a + b;
            y = y * b + a;
            z = z * a + b;
            w = w * b + a;
        }
        long long t1 = clock64();
        if (threadIdx.x == 0)
            cycles[r] = (unsigned)(t1 - t0);
    }
    out[threadIdx.x] = x + y + z + w;
}
#define LATENCY_KERNEL(name, type, init, body)                                                     \
    __global__ void name(type *io, unsigned *cycles)                                               \
    {                                                                                              \
        type x = io[0], y = io[1];                                                                 \
        init;                                                                                      \
        for (int warm = 0; warm < 2; warm++) {                                                     \
            long long t0 = clock64();                                                              \
            _Pragma("unroll") for (int i = 0; i < 64; i++) { body; }                               \
            long long t1 = clock64();                                                              \
            if (threadIdx.x == 0)                                                                  \
                *cycles = (unsigned)(t1 - t0);                                                     \
        }                                                                                          \
        io[threadIdx.x] = x;                                                                       \
    }
LATENCY_KERNEL(lat_ffma, float, , x = x * y + y)
LATENCY_KERNEL(lat_imad, int, , x = x * y + y)
LATENCY_KERNEL(lat_iadd, int, , x = (x + y) ^ (x >> 1))
LATENCY_KERNEL(lat_dfma, double, , x = x * y + y)
LATENCY_KERNEL(lat_mufu, float, , asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(x)))
LATENCY_KERNEL(lat_shfl, int, , x = __shfl_xor_sync(~0u, x, 1))
LATENCY_KERNEL(lat_div, float, , x = y / x)
LATENCY_KERNEL(lat_i2f, int, , x = (int)((float)x + 1.0f))
LATENCY_KERNEL(lat_bar, int, , __syncthreads())
template <int BYTES> __global__ void lat_ld(unsigned *io, unsigned *cycles)
{
    unsigned long long at = (unsigned long long)io;
    for (int warm = 0; warm < 3; warm++) {
        long long t0 = clock64();
#pragma unroll
        for (int i = 0; i < 64; i++) {
            unsigned long long b;
            if (BYTES == 8)
                asm volatile("ld.global.ca.u64 %0,[%0];" : "+l"(at)::"memory");
            else
                asm volatile("ld.global.ca.v2.u64 {%0,%1},[%0];" : "+l"(at), "=l"(b)::"memory");
        }
        long long t1 = clock64();
        if (threadIdx.x == 0)
            *cycles = (unsigned)(t1 - t0);
    }
    io[32 + threadIdx.x] = (unsigned)at;
}
__global__ void lat_lds(unsigned *io, unsigned *cycles, int stride)
{
    __shared__ unsigned s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = (threadIdx.x * stride) % 4096;
    __syncthreads();
    for (int i = 0; i < 32; i++)
        s[(threadIdx.x * stride) % 4096] = (threadIdx.x * stride) % 4096;
    __syncthreads();
    unsigned at = (threadIdx.x * stride) % 4096;
    long long t0 = clock64();
#pragma unroll 1
    for (int i = 0; i < 64; i++)
        at = s[at];
    long long t1 = clock64();
    if (threadIdx.x == 0)
        *cycles = (unsigned)(t1 - t0);
    io[32 + threadIdx.x] = at;
}
// Loads in flight: k independent line misses of each of w warps, then one use.
template <int K> __global__ void in_flight(const unsigned *p, unsigned *cycles, unsigned *out, int salt, int stride_words)
{
    unsigned v[K];
    int w = threadIdx.x / 32;
    __syncthreads();
    long long t0 = clock64();
#pragma unroll
    for (int i = 0; i < K; i++)
        asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v[i]) : "l"(p + ((((size_t)salt * 32 + w) * K + i) * (stride_words > 32 ? 8 : 1024) + (size_t)(threadIdx.x & 31) * stride_words + (stride_words > 32 ? (size_t)w * 32 * stride_words : 0))) : "memory");
    unsigned s = 0;
#pragma unroll
    for (int i = 0; i < K; i++)
        s += v[i];
    __syncthreads();
    long long t1 = clock64() + (s == 77777);
    if (threadIdx.x == 0)
        *cycles = (unsigned)(t1 - t0);
    if (s == 77777)
        *out = s;
}

// Loads that hit: each lane `stride_words` apart, all warps the same or each its own lines.
__global__ void hit_rate(const unsigned *p, unsigned *cycles, unsigned *out, int stride_words, int own)
{
    const unsigned *q = p + (threadIdx.x & 31) * stride_words + (own ? (threadIdx.x / 32) * own : 0);
    unsigned s = 0;
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        long long t0 = clock64();
#pragma unroll 8
        for (int i = 0; i < 64; i++) {
            unsigned v;
            asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(q) : "memory");
            q += v; // zero, but nobody knows: the load cannot be merged with the next
        }
        s += (unsigned)(size_t)q;
        __syncthreads();
        long long t1 = clock64() + (s == 77777);
        if (threadIdx.x == 0)
            *cycles = (unsigned)(t1 - t0);
    }
    if (s == 77777)
        *out = s;
}
// Store throughput of one SM: each warp stores `lines` lines again and again.
__global__ void store_rate(unsigned *p, unsigned *cycles, int stride_words, int own_words, int step_words)
{
    unsigned *q = p + (threadIdx.x & 31) * stride_words + (threadIdx.x / 32) * own_words;
    __syncthreads();
    long long t0 = clock64();
#pragma unroll 8
    for (int i = 0; i < 64; i++)
        asm volatile("st.global.u32 [%0],%1;" ::"l"(q + (size_t)i * step_words), "r"(i) : "memory");
    __syncthreads();
    long long t1 = clock64();
    if (threadIdx.x == 0)
        *cycles = (unsigned)(t1 - t0);
}
static unsigned *dev(size_t bytes)
{
    void *p;
    CK(cudaMalloc(&p, bytes));
    CK(cudaMemset(p, 0, bytes));
    return (unsigned *)p;
}
static bool want(int argc, char **argv, const char *group)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], group) || !strcmp(argv[i], "all"))
            return true;
    return false;
}
static unsigned read_word(unsigned *p)
{
    unsigned v;
    CK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost));
    return v;
}

static void probe_merge(unsigned *out)
{
    unsigned *data = dev(64 << 20);
    const int partner[] = {3, 18, 34, 50, 64, 106, 4, 0, 8, 124, 14};
    const int delays[] = {0, 8, 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024};
    for (int warm : {0, 1})
        for (int b : partner) {
            if (b != 3 && b != 106 && b != 4 && warm)
                continue;
            for (int d : delays) {
                merge_pair<<<132, 1024, 200000>>>(data, out, 2, b, d, 64, warm);
                LAUNCHED("merge a=2 b=%d delay=%d lines=64 warm=%d", b, d, warm);
            }
        }
}
static void probe_store(void)
{
    unsigned *data = dev(1 << 20);
    for (int d : {0, 16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 400, 600}) {
        store_repeat<<<1, 32>>>(data, 256, d, 1, 0);
        LAUNCHED("store_repeat spacing=%d lines=1 repeats=256 warps=1 skew=0", d);
    }
    for (int n : {2, 4, 8, 16, 32, 64, 128}) {
        store_repeat<<<1, 32>>>(data, 1024, 0, n, 0);
        LAUNCHED("store_repeat spacing=0 lines=%d repeats=1024 warps=1 skew=0", n);
    }
    for (int w : {2, 4, 8, 16, 32})
        for (int d : {100, 200, 400, 800})
            for (int skew : {0, 8, 32}) {
                store_repeat<<<1, 32 * w>>>(data, 256, d, 1, skew);
                LAUNCHED("store_repeat spacing=%d lines=1 repeats=256 warps=%d skew=%d", d, w, skew);
            }
}
static void probe_l1(void)
{
    const int max_lines = 8192, passes = 8;
    unsigned *data = dev((size_t)max_lines * 128 * 2);
    unsigned char *hit;
    CK(cudaMalloc(&hit, (size_t)max_lines * passes));
    std::vector<unsigned> h((size_t)max_lines * 64);
    std::vector<unsigned char> got((size_t)max_lines * passes);
    for (int order = 0; order < 2; order++)
        for (int n = 1696; n <= 2304; n += order ? 32 : n < 1872 ? 4 : 64) {
            std::vector<int> walk(n);
            for (int i = 0; i < n; i++)
                walk[i] = i;
            unsigned x = 7;
            if (order)
                for (int i = n - 1; i > 0; i--) {
                    x = x * 1664525u + 1013904223u;
                    int j = (int)((x >> 8) % (unsigned)(i + 1));
                    std::swap(walk[i], walk[j]);
                }
            for (int i = 0; i < n; i++)
                h[(size_t)walk[i] * 32] = (unsigned)walk[(i + 1) % n] * 32;
            CK(cudaMemcpy(data, h.data(), (size_t)max_lines * 128, cudaMemcpyHostToDevice));
            chase_l1<<<1, 32>>>(data, n, passes, hit, 120);
            LAUNCHED("chase_l1 order=%d lines=%d passes=%d", order, n, passes);
            CK(cudaMemcpy(got.data(), hit, (size_t)n * passes, cudaMemcpyDeviceToHost));
            printf("result chase_l1 order=%d lines=%d hits_per_pass", order, n);
            for (int p = 0; p < passes; p++) {
                int s = 0;
                for (int i = 0; i < n; i++)
                    s += got[(size_t)p * n + i];
                printf(" %d", s);
            }
            printf("\n");
            if (!order) {
                for (int p = 1; p < passes; p += 3) {
                    printf("bitmap lines=%d pass=%d ", n, p);
                    for (int i = 0; i < n; i++)
                        putchar(got[(size_t)p * n + i] ? '1' : '0');
                    printf("\n");
                }
            }
        }
}
static void probe_sweep(unsigned *out)
{
    unsigned *data = dev(4 << 20);
    for (int first : {0, 1})
        for (int n : {1024, 1536, 1664, 1728, 1760, 1776, 1792, 1808, 1824, 1856, 1920, 2048, 2304, 3072}) {
            sweep_l1<<<1, 32>>>(data, n, 4, first, out);
            LAUNCHED("sweep_l1 lines=%d passes=4 store_first=%d", n, first);
        }
}
static void probe_l2_latency(void)
{
    const int n = 96;
    unsigned *data = dev(256 << 20), *out = dev(132 * n * 4), *off = dev(n * 4);
    std::vector<unsigned> o(n), r(132 * n);
    for (int k = 0; k < n; k++)
        o[k] = k < 48 ? k * 32 : k < 72 ? (k - 48) * 1024 + 4096 * 4 : (unsigned)(k - 71) * (1u << 19);
    CK(cudaMemcpy(off, o.data(), n * 4, cudaMemcpyHostToDevice));
    for (int rep = 0; rep < 2; rep++) {
        l2_latency<<<132, 1024, 200000>>>(data, off, n, out);
        LAUNCHED("l2_latency");
    }
    CK(cudaMemcpy(r.data(), out, 132 * n * 4, cudaMemcpyDeviceToHost));
    for (int s = 0; s < 132; s++) {
        printf("l2lat sm=%d", s);
        for (int k = 0; k < n; k++)
            printf(" %u", r[(size_t)s * n + k]);
        printf("\n");
    }
    unsigned *big = dev((size_t)4 << 30);
    for (size_t stride : {(size_t)128, (size_t)4096, (size_t)65536, (size_t)2 << 20, (size_t)32 << 20})
        for (int rep = 0; rep < 2; rep++) {
            int m = 100;
            if (stride * m > ((size_t)4 << 30))
                m = 64;
            CK(cudaMemset(data, 1, 256 << 20)); // pushes the probed lines out of the L2
            cold_latency<<<1, 1>>>(big + (size_t)rep * 16, m, stride / 4, out);
            LAUNCHED("cold_latency stride=%zu", stride);
            std::vector<unsigned> c(m);
            CK(cudaMemcpy(c.data(), out, m * 4, cudaMemcpyDeviceToHost));
            printf("result cold_latency stride=%zu rep=%d:", stride, rep);
            for (int k = 0; k < m; k++)
                printf(" %u", c[k]);
            printf("\n");
        }
    CK(cudaFree(big));
}
static void probe_launch(unsigned *out)
{
    unsigned *data = dev(64 << 20);
    for (int block : {32, 256, 1024})
        for (int grid : {1, 8, 132, 264, 1056, 4224, 16896}) {
            empty_kernel<<<grid, block>>>();
            LAUNCHED("empty grid=%d block=%d", grid, block);
        }
    for (int block : {32, 256, 1024})
        for (int grid : {1, 132, 1056, 4224}) {
            one_load<<<grid, block>>>(data, out);
            LAUNCHED("one_load grid=%d block=%d", grid, block);
        }
}
static void probe_bandwidth(unsigned *out)
{
    unsigned *data = dev((size_t)512 << 20);
    for (size_t mb : {1, 4, 16, 32, 64, 128, 256}) {
        stream_read<<<1056, 256>>>((uint4 *)data, mb * 65536, out);
        LAUNCHED("stream_read mb=%zu grid=1056", mb);
    }
    for (int grid : {1, 4, 16, 33, 66, 132, 264, 528}) {
        stream_read<<<grid, 1024>>>((uint4 *)data, (size_t)(grid < 33 ? 4 : 32) * 65536, out);
        LAUNCHED("stream_read mb=%d grid=%d block=1024", grid < 33 ? 4 : 32, grid);
    }
    for (size_t mb : {1, 4, 16, 32, 64, 128, 256}) {
        stream_write<<<1056, 256>>>((uint4 *)data, mb * 65536);
        LAUNCHED("stream_write mb=%zu grid=1056", mb);
    }
    for (int grid : {1, 2, 4, 16, 66, 132, 264, 1056})
        for (int passes : {1, 9}) {
            size_t words = (size_t)(grid < 16 ? 1 : 8) << 18;
            read_cg<<<grid, 1024>>>(data, words, passes, out);
            LAUNCHED("read_cg kb=%zu passes=%d grid=%d block=1024", words / 256, passes, grid);
        }
    for (int row : {64, 256, 1024}) {
        stride_read<<<256, 256>>>(data, 65536, row, 32, out);
        LAUNCHED("stride_read rows=65536 row_words=%d cols=32", row);
    }
    for (unsigned mb : {1, 16, 64, 256, 512}) {
        random_read<<<1056, 256>>>(data, mb * 262144 - 1, 16, out);
        LAUNCHED("random_read mb=%u per_thread=16 grid=1056", mb);
    }
}
// How much of a buffer read twice is still in the L2 at the second pass: same reader, other reader.
__global__ void reread(const unsigned *p, size_t n_lines, int shift_blocks, unsigned *out)
{
    unsigned s = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t l = ((blockIdx.x + pass * shift_blocks) % gridDim.x) * 8 + threadIdx.x / 32; l < n_lines; l += (size_t)gridDim.x * 8)
            s += ld_cg(p + l * 32 + (threadIdx.x & 31));
    if (s == 1)
        *out = s;
}
static void probe_l2cap(unsigned *out)
{
    unsigned *data = dev((size_t)128 << 20);
    for (int shift : {0, 1, 66})
        for (int mb : {8, 16, 20, 24, 26, 28, 30, 32, 34, 36, 40, 44, 48, 52, 56, 60, 64, 96}) {
            reread<<<132, 256>>>(data, (size_t)mb * 8192, shift, out);
            LAUNCHED("reread mb=%d shift=%d", mb, shift);
        }
}
static void probe_atomics(unsigned *out)
{
    unsigned *data = dev(64 << 20);
    for (int pattern : {0, 1, 2, 3, 4})
        for (unsigned kb : {64u, 4096u, 65536u}) {
            if (pattern == 3 && kb > 64)
                continue;
            int per = pattern == 3 ? 1 : 4;
            atomics<0><<<1056, 256>>>(data, kb * 256 - 1, pattern, per, out);
            LAUNCHED("atomics kind=red pattern=%d kb=%u per_thread=%d", pattern, kb, per);
            atomics<1><<<1056, 256>>>(data, kb * 256 - 1, pattern, per, out);
            LAUNCHED("atomics kind=atom pattern=%d kb=%u per_thread=%d", pattern, kb, per);
        }
    atomics<0><<<1, 1024>>>(data, 16383, 2, 64, out);
    LAUNCHED("atomics kind=red pattern=2 kb=64 per_thread=64 grid=1");
    atomics<1><<<1, 1024>>>(data, 16383, 2, 64, out);
    LAUNCHED("atomics kind=atom pattern=2 kb=64 per_thread=64 grid=1");
}
static void probe_instructions(void)
{
    unsigned *io = dev(1 << 20), *cyc = dev(4096);
    float *f = (float *)io;
    unsigned c[8];
#define STRAIGHT(N, threads)                                                                       \
    straight<N><<<1, threads>>>(f, cyc, 1.1f, 0.9f, 4);                                            \
    LAUNCHED("straight n=%d threads=%d", N, threads);                                              \
    CK(cudaMemcpy(c, cyc, 16, cudaMemcpyDeviceToHost));                                            \
    printf("result straight n=%d threads=%d cycles %u %u %u %u\n", N, threads, c[0], c[1], c[2], c[3]);
    STRAIGHT(256, 32)
    STRAIGHT(1024, 32)
    STRAIGHT(4096, 32)
    STRAIGHT(8192, 32)
    STRAIGHT(16384, 32)
    STRAIGHT(4096, 128)
    STRAIGHT(4096, 512)
    STRAIGHT(16384, 512)
#define LAT(kernel, type, threads)                                                                 \
    kernel<<<1, threads>>>((type *)io, cyc);                                                       \
    LAUNCHED("latency " #kernel " threads=%d", threads);                                           \
    printf("result " #kernel " threads=%d cycles_per_64 %u\n", threads, read_word(cyc));
    LAT(lat_ffma, float, 32)
    LAT(lat_imad, int, 32)
    LAT(lat_iadd, int, 32)
    LAT(lat_dfma, double, 32)
    LAT(lat_mufu, float, 32)
    LAT(lat_shfl, int, 32)
    LAT(lat_div, float, 32)
    LAT(lat_i2f, int, 32)
    LAT(lat_bar, int, 32)
    LAT(lat_bar, int, 256)
    LAT(lat_bar, int, 1024)
    LAT(lat_ffma, float, 1024)
    LAT(lat_imad, int, 1024)
    LAT(lat_iadd, int, 1024)
    LAT(lat_dfma, double, 1024)
    LAT(lat_mufu, float, 1024)
    LAT(lat_shfl, int, 1024)
    // a word that points at itself
    CK(cudaMemcpy(io, &io, 8, cudaMemcpyHostToDevice));
    LAT(lat_ld<8>, unsigned, 32)
    CK(cudaMemcpy(io, &io, 8, cudaMemcpyHostToDevice));
    LAT(lat_ld<16>, unsigned, 32)
    CK(cudaMemcpy(io, &io, 8, cudaMemcpyHostToDevice));
    LAT(lat_ld<8>, unsigned, 1024)
    for (int stride : {1, 2, 4, 8, 16, 32, 33}) {
        lat_lds<<<1, 32>>>(io, cyc, stride);
        LAUNCHED("latency lat_lds stride=%d", stride);
        printf("result lat_lds stride=%d cycles_per_64 %u\n", stride, read_word(cyc));
    }
    lat_lds<<<1, 1024>>>(io, cyc, 1);
    LAUNCHED("latency lat_lds threads=1024");
    printf("result lat_lds threads=1024 cycles_per_64 %u\n", read_word(cyc));
    unsigned *data = dev((size_t)1 << 30), *out = dev(64);
    for (int stride : {0, 1, 2, 4, 8, 16, 32, 33, 1024, 2048})
        for (int own : {0, 8192})
            for (int warps : {1, 8, 32}) {
                if (own == 8192 && warps == 32 && stride > 32)
                    continue; // would not fit the L1
                hit_rate<<<1, 32 * warps>>>(data, cyc, out, stride, own);
                LAUNCHED("hit_rate stride_words=%d own_words=%d warps=%d", stride, own, warps);
                printf("result hit_rate stride_words=%d own_words=%d warps=%d cycles_per_64 %u\n", stride, own, warps, read_word(cyc));
            }
    for (int stride : {0, 1, 8, 32, 1024})
        for (int own : {0, 65536})
            for (int step : {0, 1024})
                for (int warps : {1, 8, 32}) {
                    store_rate<<<1, 32 * warps>>>(data, cyc, stride, own, step);
                    LAUNCHED("store_rate stride_words=%d own_words=%d step_words=%d warps=%d", stride, own, step, warps);
                    printf("result store_rate stride_words=%d own_words=%d step_words=%d warps=%d cycles_per_64 %u\n", stride, own, step, warps, read_word(cyc));
                }
    int salt = 0;
    for (int stride : {1, 8, 32, 1024, 2048, 4096})
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            in_flight<1><<<1, 32 * warps>>>(data, cyc, out, salt++, stride);
            LAUNCHED("in_flight k=1 warps=%d stride=%d", warps, stride);
            unsigned a = read_word(cyc);
            in_flight<4><<<1, 32 * warps>>>(data, cyc, out, salt++, stride);
            LAUNCHED("in_flight k=4 warps=%d stride=%d", warps, stride);
            unsigned b = read_word(cyc);
            in_flight<16><<<1, 32 * warps>>>(data, cyc, out, salt++, stride);
            LAUNCHED("in_flight k=16 warps=%d stride=%d", warps, stride);
            printf("result in_flight stride_words=%d warps=%d cycles k1 %u k4 %u k16 %u\n", stride, warps, a, b, read_word(cyc));
        }
}

int main(int argc, char **argv)
{
    cudaDeviceProp prop;
    CK(cudaGetDeviceProperties(&prop, 0));
    printf("card %s, %d SMs\n", prop.name, prop.multiProcessorCount);
    CK(cudaFuncSetAttribute(merge_pair, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
    CK(cudaFuncSetAttribute(l2_latency, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
    // The notes in shared memory must not make the driver take more of the L1 than the 32 KB it takes
    // from a kernel without shared memory.
    CK(cudaFuncSetAttribute(chase_l1, cudaFuncAttributePreferredSharedMemoryCarveout, 14));
    unsigned *out = dev(1 << 16);
    if (want(argc, argv, "merge"))
        probe_merge(out);
    if (want(argc, argv, "store"))
        probe_store();
    if (want(argc, argv, "l1"))
        probe_l1();
    if (want(argc, argv, "sweep"))
        probe_sweep(out);
    if (want(argc, argv, "l2latency"))
        probe_l2_latency();
    if (want(argc, argv, "launch"))
        probe_launch(out);
    if (want(argc, argv, "bandwidth"))
        probe_bandwidth(out);
    if (want(argc, argv, "l2cap"))
        probe_l2cap(out);
    if (want(argc, argv, "atomics"))
        probe_atomics(out);
    if (want(argc, argv, "instructions"))
        probe_instructions();
    return 0;
}
