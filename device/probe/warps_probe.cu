/* warps_probe.cu - when the warps of a block begin and when they come to their first load, by the
 * cycles of their SM: how far apart the warps of a block are, and in which order, where their block
 * is the first of its SM (`first`) or not (`later`). `code` 0: they load at once, 2: behind a
 * barrier. Prints of each kind of block the part of neighbouring warps in
 * ascending order and of those less than 7 cycles apart, the cycles from the first to the last, and
 * the mean of the first twelve warps. Not to be run under a profiler. */
#include "check.h"
#include <algorithm>
#include <cstdlib>
#include <vector>

struct record {
    unsigned begin, load, sm, value;
};

template <int CODE> __global__ void go(const unsigned *a, record *to)
{
    unsigned begin, load, sm;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(begin)::"memory");
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (CODE == 2)
        __syncthreads();
    asm volatile("mov.u32 %0,%%clock;" : "=r"(load) : "r"(at) : "memory");
    unsigned v = a[at];
    asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
    if (threadIdx.x % 32 == 0)
        to[at / 32] = {begin, load, sm, v};
}

/* Pushes everything else out of the L2. */
__global__ void sweep(uint4 *a, size_t n)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = make_uint4(0, 0, 0, 0);
}

/* Of each block, how many have begun on its SM before it. */
static std::vector<int> places(const std::vector<record> &r, int blocks, int warps)
{
    std::vector<std::pair<unsigned, int>> order[256];
    std::vector<int> nth(blocks);
    for (int b = 0; b < blocks; b++)
        order[r[b * warps].sm].push_back({r[b * warps].begin, b});
    for (auto &o : order) {
        std::sort(o.begin(), o.end());
        for (size_t i = 0; i < o.size(); i++)
            nth[o[i].second] = (int)i;
    }
    return nth;
}

struct sums { /* over blocks, of the times of one kind: how they begin, or come to the load */
    double ascending = 0, near = 0, span = 0, after[12] = {0};
    void add(const record *r, int warps, unsigned record::*time)
    {
        auto less = [&](const record &x, const record &y) { return x.*time < y.*time; };
        unsigned lo = (*std::min_element(r, r + warps, less)).*time;
        span += (*std::max_element(r, r + warps, less)).*time - lo;
        for (int w = 0; w < warps; w++) {
            if (w < 12)
                after[w] += r[w].*time - lo;
            if (!w)
                continue;
            ascending += r[w].*time > r[w - 1].*time;
            near += std::abs((int)(r[w].*time - r[w - 1].*time)) < 7;
        }
    }
};

static void tell(const char *name, const std::vector<record> &r, const std::vector<int> &nth,
                 int warps, bool later)
{
    sums begin, load;
    double n = 0;
    for (size_t b = 0; b < nth.size(); b++) {
        if ((nth[b] > 0) != later)
            continue;
        begin.add(&r[b * warps], warps, &record::begin);
        load.add(&r[b * warps], warps, &record::load);
        n++;
    }
    if (!n)
        return;
    printf("%s", name);
    double pairs = n * (warps - 1);
    printf("%s: ascending begin %.2f load %.2f near %.2f span %.1f %.1f | begin",
           later ? "later" : "first", begin.ascending / pairs, load.ascending / pairs,
           load.near / pairs, begin.span / n, load.span / n);
    for (int w = 0; w < warps && w < 12; w++)
        printf(" %.0f", begin.after[w] / n);
    printf(" | load");
    for (int w = 0; w < warps && w < 12; w++)
        printf(" %.0f", load.after[w] / n);
    printf("\n");
}

static unsigned *a;
static record *to;
static uint4 *big;

template <int CODE> static void one(int blocks, int warps)
{
    std::vector<record> r(blocks * warps);
    for (int again = 0; again < 3; again++) {
        sweep<<<264, 512>>>(big, 16 << 20);
        CK(cudaDeviceSynchronize());
        go<CODE><<<blocks, 32 * warps>>>(a, to);
        CK(cudaDeviceSynchronize());
        CK(cudaMemcpy(r.data(), to, r.size() * sizeof(record), cudaMemcpyDeviceToHost));
        std::vector<int> nth = places(r, blocks, warps);
        char name[100];
        snprintf(name, sizeof name, "code=%d blocks=%d warps=%d rep=%d ", CODE, blocks, warps, again);
        for (int later = 0; later < 2; later++)
            tell(name, r, nth, warps, later);
    }
}

int main()
{
    CK(cudaMalloc(&a, 64 << 20));
    CK(cudaMemset(a, 0, 64 << 20));
    CK(cudaMalloc(&to, 8 << 20));
    CK(cudaMalloc(&big, (size_t)256 << 20));
    for (int blocks : {1, 8, 32, 66, 132, 264, 1056})
        for (int warps : {2, 4, 8, 32}) {
            one<0>(blocks, warps);
            one<2>(blocks, warps);
        }
    return 0;
}
