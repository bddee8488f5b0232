// core.cu - one SM and its memory pipeline: latencies of plain dependent loads (no clock between
// them), misses in flight per warp and SM (paper 000, figure 8), the coalescer (paper 004, figure 3).
#include "probe.h"
#include <algorithm>

// ---- dependent loads: the second method for every latency ---------------------------------------

enum chain_kind { CHAIN_L1, CHAIN_L1_STRONG, CHAIN_L2, CHAIN_READONLY, CHAIN_SHARED };
template <int KIND>
__global__ void chain_kernel(unsigned long long start, unsigned rounds, unsigned warm_rounds,
                             unsigned long long *out)
{
    extern __shared__ unsigned long long words[];
    unsigned long long p = start;
    unsigned s = shared_address(words);
    if (KIND == CHAIN_SHARED)
        *(unsigned *)words = s;
    unsigned long long begin = 0;
    for (unsigned r = 0; r < warm_rounds + rounds; r++) {
        if (r == warm_rounds)
            begin = (unsigned long long)clock64();
#pragma unroll
        for (int i = 0; i < 16; i++) {
            if (KIND == CHAIN_L1)
                asm volatile("ld.global.u64 %0,[%0];" : "+l"(p)::"memory");
            if (KIND == CHAIN_L1_STRONG)
                asm volatile("ld.global.ca.u64 %0,[%0];" : "+l"(p)::"memory");
            if (KIND == CHAIN_READONLY)
                asm volatile("ld.global.nc.u64 %0,[%0];" : "+l"(p)::"memory");
            if (KIND == CHAIN_L2)
                asm volatile("ld.global.cg.u64 %0,[%0];" : "+l"(p)::"memory");
            if (KIND == CHAIN_SHARED)
                asm volatile("ld.shared.u32 %0,[%0];" : "+r"(s)::"memory");
        }
    }
    out[1] = p + s; // before the clock: the last load has to be done
    out[0] = (unsigned long long)clock64() - begin;
}
__global__ void link_pointers(char *base, const unsigned long long *offsets, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        *(unsigned long long *)(base + offsets[i]) = (unsigned long long)(base + offsets[(i + 1) % n]);
}
template <int KIND> static double chain(char *base, const std::vector<unsigned long long> &offsets,
                                        unsigned steps, bool warm, bool cold_l2)
{
    static unsigned long long *out = (unsigned long long *)device_memory(16);
    if (!offsets.empty()) {
        unsigned long long *list;
        CK(cudaMalloc(&list, offsets.size() * 8));
        CK(cudaMemcpy(list, offsets.data(), offsets.size() * 8, cudaMemcpyHostToDevice));
        link_pointers<<<64, 256>>>(base, list, (unsigned)offsets.size());
        CK(cudaDeviceSynchronize());
        CK(cudaFree(list));
    }
    if (cold_l2)
        flush_l2();
    unsigned long long first = offsets.empty() ? 0 : (unsigned long long)(base + offsets[0]);
    unsigned warm_rounds = warm ? (unsigned)std::max<size_t>(16, offsets.size() / 16 * 2) : 0;
    chain_kernel<KIND><<<1, 1, 1024>>>(first, steps / 16, warm_rounds, out);
    CK(cudaGetLastError());
    unsigned long long got[2];
    CK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    return (double)got[0] / (double)(steps / 16 * 16);
}
static std::vector<unsigned long long> scattered(unsigned n, unsigned long long spacing)
{
    std::vector<unsigned long long> offsets;
    for (unsigned i = 0; i < n; i++)
        offsets.push_back(i * spacing);
    unsigned x = 4711;
    for (unsigned i = n - 1; i > 0; i--) {
        x = x * 1664525u + 1013904223u;
        std::swap(offsets[i], offsets[(x >> 8) % (i + 1)]);
    }
    return offsets;
}
double l1_chain_cycles()
{
    char *memory = device_memory(256);
    double cycles = chain<CHAIN_L1>(memory, {0}, 4096, true, false);
    CK(cudaFree(memory));
    return cycles;
}
static char *chain_memory()
{
    static char *memory = device_memory(256 << 20);
    return memory;
}
template <int KIND>
static void chain_row(Report &report, FILE *f, const char *what, size_t spacing, unsigned lines, unsigned steps, bool cold)
{
    std::vector<unsigned long long> offsets = lines > 1 ? scattered(lines, spacing) : std::vector<unsigned long long>{spacing};
    double cycles = chain<KIND>(chain_memory(), KIND == CHAIN_SHARED ? std::vector<unsigned long long>() : offsets, steps, !cold, cold);
    fprintf(f, "%zu,%zu,%.3f\n", lines * spacing, spacing, cycles);
    report.say("dependent loads, %s, %u lines %zu bytes apart: %.2f cycles each", what, lines, spacing, cycles);
}
static FILE *chain_series(Report &report, const char *name, const char *path)
{
    return report.add(std::string("chain-") + name, "average", path, Parameters().add("width_bytes", 8), "array_bytes,stride_bytes,latency");
}
void probe_latency(Report &report)
{
    FILE *f = chain_series(report, "shared", "shared");
    chain_row<CHAIN_SHARED>(report, f, "shared", 4, 1, 4096, false);
    fclose(f);
    f = chain_series(report, "l1", "l1");
    chain_row<CHAIN_L1>(report, f, "L1", 128, 1, 4096, false);
    chain_row<CHAIN_L1>(report, f, "L1", 128, 512, 8192, false);
    fclose(f);
    f = chain_series(report, "l1-strong", "l1");
    chain_row<CHAIN_L1_STRONG>(report, f, "L1 by ld.ca", 128, 1, 4096, false);
    fclose(f);
    f = chain_series(report, "readonly", "readonly");
    chain_row<CHAIN_READONLY>(report, f, "read-only", 128, 1, 4096, false);
    fclose(f);
    f = chain_series(report, "l2", "l2");
    for (unsigned i = 0; i < 16; i++)
        chain_row<CHAIN_L2>(report, f, "L2", i * 4096, 1, 2048, false);
    chain_row<CHAIN_L2>(report, f, "L2", 128, 8192, 16384, false);
    chain_row<CHAIN_L2>(report, f, "L2", 128, 131072, 131072, false);
    fclose(f);
    f = chain_series(report, "dram", "dram");
    chain_row<CHAIN_L2>(report, f, "DRAM", 4096, 65536, 65536, true);
    chain_row<CHAIN_L2>(report, f, "DRAM", 4096, 8192, 8192, true);
    fclose(f);
}

// ---- misses in flight ---------------------------------------------------------------------------

// Each warp issues some independent loads of lines of its own, then uses them all. LANES 1: one line
// a load, as in paper 000; 32: every lane a line. The code is the same for any number of loads, or
// its fetching would show; the first rounds bring it, on other lines.
static const int kMostLoads = 64, kRounds = 3;
__global__ void flight_kernel(const char *base, unsigned loads, unsigned lanes, unsigned *cycles, unsigned *out)
{
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32, s = lane, time = 0;
    size_t next = (size_t)warps * lanes * 128;
    const char *p = base + ((size_t)warp * lanes + lane) * 128;
#pragma unroll 1
    for (int round = 0; round < kRounds; round++, p += loads * next) {
        unsigned v[kMostLoads];
        __syncthreads();
        if (lane >= lanes)
            continue;
        unsigned start = clock_after(s);
#pragma unroll
        for (int i = 0; i < kMostLoads; i++) {
            v[i] = 0;
            asm volatile("{\n\t.reg .pred q;\n\tsetp.lt.u32 q,%2,%3;\n\t@q ld.global.u32 %0,[%1];\n\t}"
                         : "+r"(v[i])
                         : "l"(p + i * next), "r"((unsigned)i), "r"(loads)
                         : "memory");
        }
#pragma unroll
        for (int i = 0; i < kMostLoads; i++)
            s += v[i];
        if (s == 77777) // waits for the loads
            *out = s;
        time = clock_after(start) - start;
    }
    if (lane == 0)
        cycles[warp] = time;
}
__global__ void touch_lines(const char *base, size_t lines, unsigned *out)
{
    unsigned s = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += gridDim.x * blockDim.x)
        s += load_l2(base + i * 128);
    if (s == 1)
        *out = s;
}
static unsigned flight_row(FILE *f, char *memory, unsigned *cycles, unsigned warps, unsigned loads, unsigned lanes)
{
    unsigned got[32];
    std::vector<unsigned> longest, mean;
    touch_lines<<<132, 256>>>(memory, kRounds * (size_t)warps * loads * lanes, cycles + 64);
    for (int repeat = 0; repeat < 4; repeat++) {
        flight_kernel<<<1, 32 * warps>>>(memory, loads, lanes, cycles, cycles + 64);
        CK(cudaGetLastError());
        CK(cudaMemcpy(got, cycles, warps * 4, cudaMemcpyDeviceToHost));
        unsigned sum = 0;
        for (unsigned w = 0; w < warps; w++)
            sum += got[w];
        longest.push_back(*std::max_element(got, got + warps));
        mean.push_back(sum / warps);
    }
    fprintf(f, "%u,%u,%.0f,%.0f\n", warps, loads, percentile(longest, 0.5), percentile(mean, 0.5));
    return (unsigned)percentile(longest, 0.5);
}
void probe_mshr(Report &report)
{
    char *memory = device_memory(32 << 20); // 3 rounds of 2048 loads of 32 lines
    unsigned *cycles = (unsigned *)device_memory(1024);
    const char *header = "warps,loads,cycles,mean_cycles";
    for (unsigned lanes : {1, 32}) {
        std::string suffix = lanes == 1 ? "" : "-lanes"; // of all lanes: not the paper's experiment
        Parameters p = Parameters().add("line_bytes", 128).add("lanes", lanes);
        FILE *f = report.add("mshr-warp" + suffix, ("mshr-warp" + suffix).c_str(), "l1", p, header);
        std::string line;
        for (unsigned loads = 1; loads <= kMostLoads; loads++)
            line += " " + std::to_string(flight_row(f, memory, cycles, 1, loads, lanes));
        fclose(f);
        report.say("cycles of 1, 2 ... loads of one warp, %u lanes:%s", lanes, line.c_str());
        f = report.add("mshr" + suffix, ("mshr" + suffix).c_str(), "l1", p, header);
        for (unsigned warps : {1, 2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 16, 17, 20, 24, 28, 32})
            for (unsigned loads : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64})
                flight_row(f, memory, cycles, warps, loads, lanes);
        fclose(f);
    }
    CK(cudaFree(memory));
    CK(cudaFree(cycles));
}

// ---- the coalescer ------------------------------------------------------------------------------

// One warp loads the addresses of paper 004's figure 3; then one lane asks every sector of the 32
// lines whether it is in the L1. Last, the same load (store) 64 times: cycles for all of them; `nothing` is 0,
// which the assembler does not know, or it would make one of them.
__device__ static const char *figure3(const char *base, unsigned lane, unsigned stride)
{
    return base + ((lane / stride) * 32 + lane % stride) * 4;
}
__global__ void coalesce_kernel(char *base, unsigned stride, size_t nothing, unsigned *sectors,
                                unsigned *times)
{
    __shared__ unsigned note[129];
    unsigned lane = threadIdx.x, zero = 0, sink = shared_address(note + 128);
    char *p = (char *)figure3(base, lane, stride);
    for (int round = 0; round < 2; round++) {
        unsigned start = clock_after(lane + zero);
        zero = load_l1(p + zero);
        store_shared(sink, zero);
        unsigned end = clock_after(start);
        if (lane == 0)
            times[round] = end - start; // 0: from the L2, 1: from the L1
        __syncwarp();
    }
    for (int i = 0; i < 128 && lane == 0; i++) {
        const char *q = base + i * 32 + zero;
        asm volatile("" : "+l"(q)::"memory");
        unsigned start = clock_after(lane + zero);
        zero = load_l1(q);
        store_shared(sink, zero);
        unsigned end = clock_after(start);
        note[i] = end - start;
    }
    __syncwarp();
    for (unsigned i = lane; i < 128; i += 32)
        sectors[i] = note[i];
    for (int write = 0; write < 2; write++) {
        unsigned sum = 0, start = clock_after(lane + zero);
#pragma unroll 16
        for (int i = 0; i < 64; i++)
            if (write)
                asm volatile("st.global.u32 [%0],%1;" ::"l"(p + i * nothing), "r"(0) : "memory");
            else
                sum += load_l1(p + i * nothing);
        store_shared(sink, sum);
        unsigned end = clock_after(start);
        if (lane == 0)
            times[2 + write] = end - start;
        __syncwarp();
    }
}
void probe_coalesce(Report &report)
{
    char *memory = device_memory(1 << 20);
    unsigned *out = (unsigned *)device_memory(1024);
    FILE *f = report.add("coalesce-sectors", "coalesce-sectors", "l1", Parameters().add("line_bytes", 128),
                         "stride,line,sector,latency");
    FILE *g = report.add("coalesce", "coalesce", "l1", Parameters().add("repeats", 64), "stride,cycles,accesses,store,first,second");
    for (unsigned stride : {1, 2, 4, 8, 16, 32}) {
        unsigned got[132], present = 0;
        touch_lines<<<1, 256>>>(memory, 32, out + 200);
        for (int round = 0; round < 2; round++) // the first brings the code
            coalesce_kernel<<<1, 32>>>(memory, stride, 0, out, out + 128);
        CK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 128; i++) {
            fprintf(f, "%u,%d,%d,%u\n", stride, i / 4, i % 4, got[i]);
            present += got[i] < kMissThreshold;
        }
        for (int store = 0; store < 2; store++) // a store's sectors are taken to be a load's
            fprintf(g, "%u,%.2f,%u,%d,%u,%u\n", stride, got[130 + store] / 64.0, present, store, got[128], got[129]);
        report.say("coalescer, stride %u: %u sectors fetched; load %u cold, %u warm; 64 loads %u, 64 stores %u cycles",
                   stride, present, got[128], got[129], got[130], got[131]);
    }
    fclose(f);
    fclose(g);
    CK(cudaFree(memory));
    CK(cudaFree(out));
}

// For a profiler: figures 3 and 5 of paper 004, a launch each.
__global__ void figure3_kernel(const char *a, char *c, unsigned stride)
{
    unsigned at = blockDim.x * blockIdx.x + threadIdx.x;
    asm volatile("st.global.u32 [%0],%1;" ::"l"((char *)figure3(c, at, stride)), "r"(load_l1(figure3(a, at, stride))) : "memory");
}
__global__ void figure5_kernel(const char *a, char *c)
{
    unsigned v = load_l2(a), w;
    asm volatile("st.global.u32 [%0],%1;" ::"l"(c), "r"(v) : "memory");
    asm volatile("st.global.u32 [%0],%1;" ::"l"(c + 4), "r"(v) : "memory");
    w = load_l2(c);
    asm volatile("st.global.u32 [%0],%1;" ::"l"(c), "r"(w + v) : "memory");
    asm volatile("st.global.u32 [%0],%1;" ::"l"((char *)a), "r"(load_l2(c) + load_l2(c + 4)) : "memory");
}
void probe_counters(Report &report)
{
    char *a = device_memory(1 << 20), *c = device_memory(1 << 20);
    for (unsigned stride : {1, 2, 4, 8, 16, 32})
        figure3_kernel<<<1, 32>>>(a, c, stride);
    figure5_kernel<<<1, 1>>>(a, c);
    CK(cudaDeviceSynchronize());
    CK(cudaFree(a));
    CK(cudaFree(c));
    report.say("counters: six launches of figure 3 (strides 1 to 32) and one of figure 5");
}
