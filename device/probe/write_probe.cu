// write_probe.cu - how fast the whole GPU stores, reduces and loads around the L1, by where the lines' home is.
//
//   write_probe          prints CSV: what,lines,sms,footprint_kb,bytes_per_cycle,requests_per_cycle,cycles
//
// what    how a warp's access looks: see below
// lines   near: every SM works on lines whose home is its own L2 partition; far: on the others; all: on both
// Every SM has one block of 1024 threads. All begin together and go over their 4 KB pieces `rounds` times; the time is
// that of the slowest SM, with a fence at its end, so that what was stored has reached the L2.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "check.h"
#include "sides.h"

enum { PIECE = 4096, THREADS = 1024, WARPS = THREADS / 32 };
enum what {
    STORE_16,      // 16 bytes a lane: whole lines
    STORE_4,       // 4 bytes a lane: a whole line a warp
    STORE_SECTOR,  // four lanes a whole sector, the first of each line
    STORE_WORD,    // a lane a sector: one word of it
    STORE_LINE,    // a lane a line: one word of it
    STORE_READ,    // one word of a sector, then another one read
    REDUCE_4,      // as STORE_4, added
    REDUCE_WORD,   // as STORE_WORD
    REDUCE_LINE,   // as STORE_LINE
    LOAD_16,       // around the L1
    LOAD_WORD,
    COPY_16,       // loaded from one piece, stored to the next
    N_WHAT
};
static const char *const names[N_WHAT] = {"store_16",   "store_4",  "store_sector", "store_word", "store_line", "store_read",
                                          "reduce_4",   "reduce_word", "reduce_line", "load_16",    "load_word",  "copy_16"};
static const int bytes_of[N_WHAT] = {512, 128, 256, 128, 128, 128, 128, 128, 128, 512, 128, 512}; // of a warp's access
static const int requests_of[N_WHAT] = {4, 1, 8, 8, 32, 8, 1, 8, 32, 4, 8, 4};
static const int steps_of[N_WHAT] = {8, 32, 4, 4, 1, 4, 32, 4, 1, 8, 4, 4}; // accesses that a piece takes

template <int WHAT> __device__ static void access(char *piece, char *other, unsigned step, unsigned lane, unsigned v, unsigned &sum)
{
    char *at = piece;
    if (WHAT == STORE_16 || WHAT == LOAD_16 || WHAT == COPY_16)
        at += step * 512 + lane * 16;
    else if (WHAT == STORE_4 || WHAT == REDUCE_4)
        at += step * 128 + lane * 4;
    else if (WHAT == STORE_SECTOR)
        at += step * 1024 + lane / 4 * 128 + lane % 4 * 8;
    else if (WHAT == STORE_LINE || WHAT == REDUCE_LINE)
        at += lane * 128;
    else
        at += step * 1024 + lane * 32;
    if (WHAT == STORE_16)
        asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(v) : "memory");
    if (WHAT == STORE_4 || WHAT == STORE_WORD || WHAT == STORE_LINE || WHAT == STORE_READ)
        *(volatile unsigned *)at = v;
    if (WHAT == STORE_SECTOR)
        asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(v) : "memory");
    if (WHAT == REDUCE_4 || WHAT == REDUCE_WORD || WHAT == REDUCE_LINE)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
    if (WHAT == LOAD_16 || WHAT == COPY_16) {
        uint4 x;
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(at) : "memory");
        if (WHAT == COPY_16)
            asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(other + (at - piece)), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory");
        else
            sum += x.x + x.y + x.z + x.w;
    }
    if (WHAT == LOAD_WORD || WHAT == STORE_READ) {
        unsigned x;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(at + (WHAT == STORE_READ ? 16 : 0)) : "memory");
        sum += x;
    }
}

template <int WHAT>
__global__ void work(char *memory, const unsigned *list, const unsigned *first, unsigned rounds, unsigned steps, unsigned *gate,
                     unsigned blocks, long long *cycles, unsigned *sink)
{
    unsigned sm = sm_id(), warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    unsigned begin = first[sm], end = first[sm + 1];
    if (threadIdx.x == 0) {
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < blocks)
            ;
    }
    __syncthreads();
    long long t = clock64();
    for (unsigned r = 0; r < rounds; r++)
        for (unsigned i = begin * steps + warp; i < end * steps; i += WARPS) {
            unsigned at = list[i / steps], other = list[i / steps + 1 < end ? i / steps + 1 : begin];
            access<WHAT>(memory + (size_t)at * PIECE, memory + (size_t)other * PIECE, i % steps, lane, r + i, sum);
        }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[sm] = clock64() - t;
    if (sum == 0x12345678u)
        sink[0] = 1;
}

static int n_sms;
static std::vector<unsigned> side;
static char *memory;
static unsigned *d_list, *d_first, *gate, *sink;
static long long *d_cycles;

static unsigned host_home(size_t piece)
{
    unsigned long long a = (unsigned long long)memory + piece * PIECE;
    return (unsigned)(a >> 12 ^ a >> 13 ^ a >> 15 ^ a >> 17 ^ a >> 19) & 1;
}

template <int WHAT> static void measure(int lines, int every, unsigned kb, unsigned rounds)
{
    static const char *const where[] = {"near", "far", "all"};
    size_t pieces = (size_t)kb * 1024 / PIECE;
    std::vector<std::vector<unsigned>> mine(n_sms);
    std::vector<unsigned> users[2], list, first(n_sms + 1);
    int sms = 0;
    for (int s = 0; s < n_sms; s += every, sms++)
        users[side[s]].push_back(s);
    std::vector<unsigned> everyone(users[0]);
    everyone.insert(everyone.end(), users[1].begin(), users[1].end());
    size_t turn[3] = {0, 0, 0};
    for (size_t p = 0; p < pieces; p++) {
        const std::vector<unsigned> &of = lines == 2 ? everyone : users[host_home(p) ^ lines];
        if (!of.empty())
            mine[of[turn[lines == 2 ? 2 : host_home(p)]++ % of.size()]].push_back((unsigned)p);
    }
    for (int s = 0; s < n_sms; s++) {
        first[s] = (unsigned)list.size();
        list.insert(list.end(), mine[s].begin(), mine[s].end());
    }
    first[n_sms] = (unsigned)list.size();
    CK(cudaMemcpy(d_list, list.data(), list.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_first, first.data(), first.size() * 4, cudaMemcpyHostToDevice));
    double best = 0;
    for (int run = 0; run < 3; run++) {
        CK(cudaMemset(gate, 0, 4));
        CK(cudaMemset(d_cycles, 0, n_sms * 8));
        work<WHAT><<<n_sms, THREADS, 150 << 10>>>(memory, d_list, d_first, rounds, steps_of[WHAT], gate, n_sms, d_cycles, sink);
        CK(cudaDeviceSynchronize());
        std::vector<long long> cycles(n_sms);
        CK(cudaMemcpy(cycles.data(), d_cycles, n_sms * 8, cudaMemcpyDeviceToHost));
        double most = (double)*std::max_element(cycles.begin(), cycles.end());
        best = run == 0 || most < best ? most : best;
    }
    double accesses = (double)list.size() * steps_of[WHAT] * rounds;
    printf("%s,%s,%d,%u,%.1f,%.2f,%.0f\n", names[WHAT], where[lines], sms, kb, accesses * bytes_of[WHAT] / best,
           accesses * requests_of[WHAT] / best, best);
}

template <int WHAT> static void all_of()
{
    CK(cudaFuncSetAttribute(work<WHAT>, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 << 10));
    for (int lines = 0; lines < 3; lines++)
        for (unsigned kb : {4096u, 20480u})
            measure<WHAT>(lines, 1, kb, 98304 / kb);
    measure<WHAT>(2, 2, 4096, 12);   // one SM of each pair
    measure<WHAT>(2, 16, 4096, 2);   // few SMs
    measure<WHAT>(2, 1, 40960, 1);
    measure<WHAT>(2, 1, 262144, 1);  // beyond the L2
}

// Random words of a table, added to without a result.
__global__ void scatter(unsigned *table, unsigned mask, unsigned rounds, int reduces, unsigned *gate, unsigned blocks, long long *cycles)
{
    unsigned v = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u;
    if (threadIdx.x == 0) {
        atomicAdd(gate, 1);
        while (*(volatile unsigned *)gate < blocks)
            ;
    }
    __syncthreads();
    long long t = clock64();
    for (unsigned r = 0; r < rounds; r++) {
        v ^= v << 13, v ^= v >> 17, v ^= v << 5;
        if (reduces)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(table + (v & mask)), "r"(1) : "memory");
        else
            asm volatile("st.global.u32 [%0], %1;" ::"l"(table + (v & mask)), "r"(v) : "memory");
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[sm_id()] = clock64() - t;
}

static void measure_scatter(int reduces, unsigned bytes)
{
    unsigned rounds = 32;
    double best = 0;
    for (int run = 0; run < 3; run++) {
        CK(cudaMemset(gate, 0, 4));
        CK(cudaMemset(d_cycles, 0, n_sms * 8));
        scatter<<<n_sms, THREADS, 150 << 10>>>((unsigned *)memory, bytes / 4 - 1, rounds, reduces, gate, n_sms, d_cycles);
        CK(cudaDeviceSynchronize());
        std::vector<long long> cycles(n_sms);
        CK(cudaMemcpy(cycles.data(), d_cycles, n_sms * 8, cudaMemcpyDeviceToHost));
        double most = (double)*std::max_element(cycles.begin(), cycles.end());
        best = run == 0 || most < best ? most : best;
    }
    double lanes = (double)n_sms * THREADS * rounds;
    printf("%s,all,%d,%.3f,%.1f,%.2f,%.0f\n", reduces ? "reduce_random" : "store_random", n_sms, bytes / 1024.0, lanes * 4 / best,
           lanes / best, best);
}

int main()
{
    cudaDeviceProp p;
    CK(cudaGetDeviceProperties(&p, 0));
    n_sms = p.multiProcessorCount;
    CK(cudaMalloc(&memory, 512u << 20));
    CK(cudaMemset(memory, 0, 512u << 20));
    CK(cudaMalloc(&d_list, 1 << 20));
    CK(cudaMalloc(&d_first, 4096));
    CK(cudaMalloc(&gate, 256));
    CK(cudaMalloc(&sink, 256));
    CK(cudaMalloc(&d_cycles, n_sms * 8));
    unsigned *d_sides;
    CK(cudaMalloc(&d_sides, n_sms * 8));
    CK(cudaFuncSetAttribute(find_sides, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 << 10));
    find_sides<<<n_sms, THREADS, 150 << 10>>>(memory, d_sides);
    CK(cudaDeviceSynchronize());
    std::vector<unsigned> cycles(n_sms * 2);
    CK(cudaMemcpy(cycles.data(), d_sides, n_sms * 8, cudaMemcpyDeviceToHost));
    int near0 = 0;
    for (int s = 0; s < n_sms; s++) {
        side.push_back(cycles[2 * s] > cycles[2 * s + 1]);
        near0 += !side[s];
    }
    fprintf(stderr, "%d of %d SMs are near lines of parity 0; atomics of SM 0 take %.0f and %.0f cycles\n", near0, n_sms, cycles[0] / 32.0,
            cycles[1] / 32.0);
    printf("what,lines,sms,footprint_kb,bytes_per_cycle,requests_per_cycle,cycles\n");
    all_of<STORE_16>(), all_of<STORE_4>(), all_of<STORE_SECTOR>(), all_of<STORE_WORD>(), all_of<STORE_LINE>();
    all_of<STORE_READ>(), all_of<REDUCE_4>(), all_of<REDUCE_WORD>(), all_of<REDUCE_LINE>();
    all_of<LOAD_16>(), all_of<LOAD_WORD>(), all_of<COPY_16>();
    CK(cudaFuncSetAttribute(scatter, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 << 10));
    for (int reduces = 0; reduces < 2; reduces++)
        for (unsigned bytes : {128u, 512u, 1024u, 4096u, 16384u, 65536u, 1u << 18, 1u << 20, 1u << 22, 1u << 24, 1u << 25, 1u << 27})
            measure_scatter(reduces, bytes);
    return 0;
}
