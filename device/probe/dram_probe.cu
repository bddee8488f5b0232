/* dram_probe.cu - what launches that are bound by DRAM take, by how many arrays they read and
 * write and by their bytes in all (`stream`, a thread an element; under Nsight Compute, caches
 * flushed), by where the arrays begin (`pad`), by the order of their pieces (`piece`), by the
 * blocks an SM may hold (`held`); when the loads of such a launch are issued and answered by the
 * clock of its SMs (`timeline`), what first loads of pages take (`pages`), and how evenly channels
 * have the lines that are read (`channels`).
 *
 *   dram_probe stream|shape|timeline|channels|pages [LARGEST-MB [LEAST-MB [EMPTY]]] */
#include "check.h"

#include <algorithm>
#include <cstring>
#include <vector>

enum { MOST = 8 };
struct arrays {
    float *at[MOST];
};
static __device__ float word(float v)
{
    return v;
}
static __device__ float word(float4 v)
{
    return v.x + v.y + v.z + v.w;
}
static __device__ void put(float *to, float v)
{
    *to = v;
}
static __device__ void put(float4 *to, float v)
{
    *to = make_float4(v, v, v, v);
}

/* `piece` blocks stand side by side, the pieces in a drawn order (times an odd number, modulo a
 * power of two). */
static __device__ unsigned where(unsigned block, unsigned blocks, unsigned piece)
{
    if (!piece)
        return block;
    unsigned n = blocks / piece;
    return (block / piece * 40503u & (n - 1)) * piece + block % piece;
}

template <int R, int W, class T> __global__ void stream(arrays a, unsigned n, unsigned piece)
{
    unsigned i = where(blockIdx.x, gridDim.x, piece) * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T x[R ? R : 1];
#pragma unroll
    for (int k = 0; k < R; k++)
        x[k] = ((const T *)a.at[k])[i];
    float sum = 1;
#pragma unroll
    for (int k = 0; k < R; k++)
        sum += word(x[k]);
#pragma unroll
    for (int k = 0; k < W; k++)
        put((T *)a.at[R + k] + i, sum + k);
    if (!W && sum == 12345.f)
        a.at[MOST - 1][0] = sum;
}

/* When one of a block's warps begins, has its loads and is done, and on which SM. */
struct times {
    long long begin, loaded, end;
    unsigned sm, global;
};
template <int R, int W> __global__ void timeline(arrays a, unsigned n, times *t)
{
    __shared__ float seen[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, sm, global;
    long long begin = clock64(), loaded, end;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(global));
    float sum = 1;
#pragma unroll
    for (int k = 0; k < R; k++)
        sum += a.at[k][i];
    ((volatile float *)seen)[threadIdx.x] = sum; /* cannot issue before the loads are back */
    loaded = clock64();
#pragma unroll
    for (int k = 0; k < W; k++)
        a.at[R + k][i] = sum + k;
    end = clock64();
    if (threadIdx.x == blockIdx.x % 8 * 32)
        t[blockIdx.x] = times{begin, loaded, end, sm, global};
}
/* A warp of each block reads, one after the other, `steps` lines `stride` apart; twice, the second
 * time the lines behind them. */
__global__ void pages(const unsigned *a, unsigned steps, unsigned long long stride_words,
                      unsigned apart, unsigned *t)
{
    __shared__ volatile unsigned seen[32];
    unsigned zero = 0;
    for (int round = 0; round < 2; round++)
        for (unsigned k = 0; k < steps; k++) {
            long long from = clock64();
            zero += a[k * stride_words + blockIdx.x * apart + round * 32 + zero];
            seen[threadIdx.x] = zero;
            long long to = clock64();
            t[(blockIdx.x * 2 + round) * steps + k] = (unsigned)(to - from);
        }
}

/* A warp a line: runs of `run` lines, `stride` lines apart. */
__global__ void channels(const float *a, unsigned lines, unsigned run, unsigned stride)
{
    unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (w < lines && a[((size_t)(w / run) * stride + w % run) * 32 + lane] == 12345.f)
        ((float *)a)[0] = 1;
}

static char *base;
static const size_t room = (size_t)1200 << 20;
static arrays lay(int count, size_t bytes, size_t pad)
{
    arrays a;
    for (int k = 0; k < MOST; k++)
        a.at[k] = (float *)(base + (k < count ? (bytes + pad) * k : room));
    return a;
}
template <int R, int W, class T>
static void run(const char *mode, size_t total, size_t pad, unsigned piece, unsigned held)
{
    unsigned n = total / (R + W) / sizeof(T) / 1024 * 1024;
    arrays a = lay(R + W, ((size_t)n * sizeof(T) + 511) & ~(size_t)511, pad);
    int shared = held ? 220 * 1024 / held : 0;
    if (shared > 48 * 1024)
        CK(cudaFuncSetAttribute(stream<R, W, T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                shared));
    stream<R, W, T><<<(n + 255) / 256, 256, shared>>>(a, n, piece);
    CK(cudaDeviceSynchronize());
    printf("row,%s,%d,%d,%d,%zu,%zu,%u,%u\n", mode, R, W, (int)sizeof(T),
           (size_t)n * sizeof(T) * (R + W), pad, piece, held);
    fflush(stdout);
}
static void streams(size_t mb)
{
    size_t b = mb << 20;
    run<1, 0, float>("stream", b, 0, 0, 0), run<2, 0, float>("stream", b, 0, 0, 0);
    run<3, 0, float>("stream", b, 0, 0, 0), run<5, 0, float>("stream", b, 0, 0, 0);
    run<0, 1, float>("stream", b, 0, 0, 0), run<0, 2, float>("stream", b, 0, 0, 0);
    run<1, 1, float>("stream", b, 0, 0, 0), run<2, 1, float>("stream", b, 0, 0, 0);
    run<3, 1, float>("stream", b, 0, 0, 0), run<4, 1, float>("stream", b, 0, 0, 0);
    run<2, 2, float>("stream", b, 0, 0, 0), run<1, 0, float4>("stream", b, 0, 0, 0);
    run<1, 1, float4>("stream", b, 0, 0, 0), run<2, 1, float4>("stream", b, 0, 0, 0);
}
static void shapes(size_t mb)
{
    size_t b = mb << 20;
    for (size_t pad : {(size_t)256, (size_t)4096, (size_t)65536, (size_t)97 << 10})
        run<4, 0, float>("pad", b, pad, 0, 0);
    run<4, 0, float>("pad", b, 0, 0, 0);
    for (unsigned piece : {1, 4, 16, 64})
        run<1, 0, float>("piece", b, 0, piece, 0);
    for (unsigned held : {1, 2, 3, 4, 6})
        run<1, 0, float>("held", b, 0, 0, held), run<1, 0, float4>("held", b, 0, 0, held);
    for (unsigned held : {2, 4})
        run<3, 0, float>("held", b, 0, 0, held), run<1, 1, float>("held", b, 0, 0, held);
}

static void channel(unsigned lines, unsigned run, unsigned stride)
{
    channels<<<(lines + 7) / 8, 256>>>((float *)base, lines, run, stride);
    CK(cudaDeviceSynchronize());
    printf("row,channels,%u,%u,%u\n", lines, run, stride);
}
static void all_channels()
{
    for (unsigned lines = 2; lines <= 131072; lines *= 2)
        channel(lines, lines, 0);
    for (unsigned stride = 2; stride <= 8192; stride *= 2)
        channel(1024, 1, stride);
    for (unsigned run : {2, 4, 8, 32, 128, 512})
        for (unsigned stride : {1024, 1040, 8192})
            if (run < stride)
                channel(1024 * run <= 32768 ? 1024 * run : 32768, run, stride);
}

/* Memory of the host's and the device's that goes takes all translations along. */
static void forget_pages()
{
    char *managed;
    CK(cudaMallocManaged(&managed, 4 << 20));
    CK(cudaMemset(managed, 0, 4 << 20));
    CK(cudaDeviceSynchronize());
    memset(managed, 1, 4 << 20);
    CK(cudaFree(managed));
}
/* The clocks of SMs begin at any time: each is set by the timer that all share, which steps by 32
 * ns, in the mean of the SM's blocks. */
static void align(std::vector<times> &r)
{
    const double per_ns = 1.98;
    unsigned least = r[0].global;
    const long long any = r[0].begin;
    for (auto &x : r)
        least = (int)(x.global - least) < 0 ? x.global : least;
    std::vector<double> off(1024), count(1024);
    for (auto &x : r)
        off[x.sm] += x.begin - (x.global - least) * per_ns - any, count[x.sm]++;
    for (auto &x : r) {
        long long o = (long long)(off[x.sm] / count[x.sm]) + any;
        x.begin -= o, x.loaded -= o, x.end -= o;
    }
}
static times *noted;
template <int R, int W> static void time_of(const char *how, size_t kb)
{
    enum { BIN = 200, BINS = 2000 };
    unsigned n = (kb << 10) / (R + W ? R + W : 1) / 4 / 1024 * 1024;
    timeline<R, W><<<n / 256, 256>>>(lay(R + W, (size_t)n * 4, 0), n, noted);
    CK(cudaDeviceSynchronize());
    std::vector<times> r(n / 256);
    CK(cudaMemcpy(r.data(), noted, r.size() * sizeof(times), cudaMemcpyDeviceToHost));
    align(r);
    long long first = 1ll << 62, last = 0, last_begin = 0;
    for (auto &x : r) {
        first = std::min(first, x.begin), last = std::max(last, x.end);
        last_begin = std::max(last_begin, x.begin);
    }
    std::vector<long long> begun(BINS), loaded(BINS), ended(BINS), wait(BINS), most(BINS), sms(BINS);
    std::vector<long long> first_of(1024, 1ll << 62);
    auto bin = [&](long long v) { return std::min<long long>((v - first) / BIN, BINS - 1); };
    for (auto &x : r) {
        begun[bin(x.begin)]++, loaded[bin(x.loaded)]++, ended[bin(x.end)]++;
        wait[bin(x.begin)] += x.loaded - x.begin;
        most[bin(x.begin)] = std::max(most[bin(x.begin)], x.loaded - x.begin);
        first_of[x.sm] = std::min(first_of[x.sm], x.begin);
    }
    for (auto f : first_of)
        if (f < 1ll << 62)
            sms[bin(f)]++;
    printf("span,%s,%d,%d,%zu,%lld,%lld\n", how, R, W, kb, last - first, last_begin - first);
    for (int b = 0; b <= (last - first) / BIN && b < BINS; b++)
        printf("timeline,%s,%d,%d,%zu,%d,%lld,%lld,%lld,%lld,%.0f,%lld\n", how, R, W, kb, b * BIN,
               sms[b], begun[b], loaded[b], ended[b], begun[b] ? (double)wait[b] / begun[b] : 0.,
               most[b]);
    fflush(stdout);
}
template <int R, int W> static void times_of(size_t kb)
{
    forget_pages();
    time_of<R, W>("cold", kb);
    time_of<R, W>("warm", kb), time_of<R, W>("warm", kb);
}
static void page_of(const char *how, int blocks, unsigned apart, unsigned stride)
{
    static unsigned *t;
    unsigned steps = 12;
    if (!t)
        CK(cudaMalloc(&t, 132 * steps * 8));
    if (!strcmp(how, "cold"))
        forget_pages();
    pages<<<blocks, 32>>>((unsigned *)base, steps, stride / 4, apart, t);
    CK(cudaDeviceSynchronize());
    std::vector<unsigned> r(blocks * steps * 2);
    CK(cudaMemcpy(r.data(), t, r.size() * 4, cudaMemcpyDeviceToHost));
    for (unsigned k = 0; k < steps * 2; k++) {
        double sum = 0;
        unsigned most = 0, least = ~0u;
        for (int b = 0; b < blocks; b++) {
            unsigned v = r[b * steps * 2 + k];
            sum += v, most = std::max(most, v), least = std::min(least, v);
        }
        printf("pages,%s,%d,%u,%u,%u,%u,%.0f,%u,%u\n", how, blocks, apart, stride, k / steps,
               k % steps, sum / blocks, least, most);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "stream";
    size_t largest = argc > 2 ? atoi(argv[2]) : 256;
    CK(cudaMalloc(&base, room + 4096));
    size_t least = argc > 3 ? atoi(argv[3]) : 1;
    if (argc <= 4) /* a word more: nothing need be there, for a run without a card */
        CK(cudaMemset(base, 0, room));
    if (!strcmp(mode, "stream")) {
        for (size_t mb : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
            if (mb <= largest && mb >= least)
                streams(mb);
    } else if (!strcmp(mode, "shape")) {
        for (size_t mb : {8, 32})
            if (mb <= largest)
                shapes(mb);
    } else if (!strcmp(mode, "timeline")) {
        CK(cudaMalloc(&noted, 65536 * sizeof *noted));
        times_of<0, 0>(1024), times_of<0, 0>(4096), times_of<0, 0>(16384);
        for (size_t kb : {512, 1024, 2048, 4096, 8192, 16384}) {
            times_of<1, 0>(kb), times_of<3, 0>(kb), times_of<5, 0>(kb);
            times_of<0, 1>(kb), times_of<1, 1>(kb), times_of<2, 2>(kb);
        }
    } else if (!strcmp(mode, "channels")) {
        all_channels();
    } else {
        for (unsigned stride : {2u << 20, 32u << 20, 1u << 16})
            for (const char *how : {"cold", "warm"})
                page_of(how, 1, 0, stride), page_of(how, 132, 64, stride);
    }
    return 0;
}
