/* blocks_probe.cu - when the blocks of an SM that began together end, and which SM gets the next.
 * Blocks of 256 threads, six an SM, of several kinds of work; each notes its SM and the clock at
 * its beginning and end. Where warps take turns, all six end together and the SM that is first
 * gets six new ones; where the oldest go first, they end one after another. Prints, for each kind:
 * the ends of the first blocks of an SM in the order of their beginning (mean over SMs, and part of
 * the last one's), and how many blocks the SMs got. */
#include "check.h"
#include <algorithm>
#include <vector>

enum { CHAIN, WIDE, SPECIAL, LOADS, SHARED, MIX, STREAM, KINDS };
static const char *const names[] = {"chain", "wide", "special", "loads", "shared", "mix", "stream"};
struct note { unsigned sm; long long begin, end; };

template <int KIND>
__global__ __launch_bounds__(256, 6) void work(const float *in, float *out, note *notes, int rounds)
{
    __shared__ float near[1024];
    long long begin = clock64();
    float a = threadIdx.x, b = 1.5f, c = 0.25f, d = 3.f;
    int at = threadIdx.x;
    near[threadIdx.x] = a;
    for (int r = 0; r < rounds; r++) {
        if (KIND == CHAIN || KIND == MIX)
            for (int k = 0; k < 8; k++) a = a * 1.0001f + 0.5f;
        if (KIND == WIDE)
            for (int k = 0; k < 8; k++) { a = a * 1.0001f + 0.5f; b = b * 1.0001f + 0.5f; c = c * 1.0001f + 0.5f; d = d * 1.0001f + 0.5f; }
        if (KIND == SPECIAL || KIND == MIX) { a = __expf(a); b = __expf(b); }
        if (KIND == LOADS || KIND == MIX) { a += in[(at + r * 7) & 2047]; b += in[(at + r * 11) & 2047]; }
        if (KIND == SHARED) { a += near[(at + r) & 1023]; b += near[(at + 3 * r) & 1023]; }
        if (KIND == STREAM) { a += in[4096 + (size_t)(blockIdx.x * rounds + r) * 256 + at]; }
    }
    if (a + b + c + d == 1.2345e30f) out[threadIdx.x] = a + near[at ^ 5];
    if (threadIdx.x == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        notes[blockIdx.x].sm = sm;
        notes[blockIdx.x].begin = begin;
    }
    __syncthreads();
    if (threadIdx.x == 0) notes[blockIdx.x].end = clock64();
}

template <int KIND> static void run(const float *in, float *out, note *notes, int blocks, int rounds)
{
    std::vector<note> n(blocks);
    for (int i = 0; i < 2; i++) work<KIND><<<blocks, 256>>>(in, out, notes, rounds);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(n.data(), notes, blocks * sizeof(note), cudaMemcpyDeviceToHost));
    std::vector<std::vector<note>> by(132);
    for (auto &x : n) by[x.sm].push_back(x);
    double end[6] = {}, sorted[6] = {}, span = 0;
    int least = 1 << 30, most = 0, counted = 0;
    for (auto &v : by) {
        std::stable_sort(v.begin(), v.end(), [](const note &x, const note &y) { return x.begin < y.begin; });
        least = std::min(least, (int)v.size());
        most = std::max(most, (int)v.size());
        if (v.size() < 6) continue;
        counted++;
        long long first = v[0].begin, e[6], last = 0;
        for (int i = 0; i < 6; i++) { e[i] = v[i].end - first; end[i] += e[i]; }
        for (auto &x : v) last = std::max(last, x.end - first);
        span += last;
        std::sort(e, e + 6);
        for (int i = 0; i < 6; i++) sorted[i] += e[i];
    }
    printf("%s,%d,%d,%d,%d,%.0f", names[KIND], blocks, rounds, least, most, span / counted);
    for (int i = 0; i < 6; i++) printf(",%.0f", end[i] / counted);
    for (int i = 0; i < 6; i++) printf(",%.0f", sorted[i] / counted);
    std::vector<int> hist(12);
    for (auto &v : by) hist[std::min(11, (int)v.size())]++;
    for (int i = 6; i < 12; i++) printf(",%d", hist[i]);
    printf("\n");
}

int main(void)
{
    float *in, *out;
    note *notes;
    CK(cudaMalloc(&in, 256 << 20));
    CK(cudaMemset(in, 0, 256 << 20));
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&notes, 4096 * sizeof(note)));
    printf("kind,blocks,rounds,least_blocks,most_blocks,last_end,end1,end2,end3,end4,end5,end6,sorted1,sorted2,sorted3,sorted4,sorted5,sorted6,sms_6,sms_7,sms_8,sms_9,sms_10,sms_11\n");
    for (int blocks : {792, 1081, 1320}) {
        run<CHAIN>(in, out, notes, blocks, 100);
        run<WIDE>(in, out, notes, blocks, 50);
        run<SPECIAL>(in, out, notes, blocks, 100);
        run<LOADS>(in, out, notes, blocks, 100);
        run<SHARED>(in, out, notes, blocks, 100);
        run<MIX>(in, out, notes, blocks, 50);
        run<MIX>(in, out, notes, blocks, 200);
        run<STREAM>(in, out, notes, blocks, 100);
    }
    return 0;
}
