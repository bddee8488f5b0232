/* alone_probe.cu - blocks that follow each other on an SM: the cycles from the last of a block to the
 * first of the next, by the SM's own clock, for blocks alone (much shared memory) and in company, of
 * few and many warps, that end with nothing, a store, a barrier or one late warp. Without a profiler
 * the notes are the result; under Nsight Compute the counters besides. */
#include "check.h"

#include <algorithm>
#include <cstring>
#include <vector>

struct note {
    unsigned sm, start, end, loaded;
};
enum what { NOTHING, STORE, BARRIER, LATE, LOAD, WORK, WHATS };
static const char *names[] = {"nothing", "store", "barrier", "late", "load", "work"};

__device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
    return t;
}

__global__ void blocks_of(note *notes, int *data, const int *in, int what)
{
    unsigned start = now(), sm, loaded = 0;
    extern __shared__ int place[];
    if (what == STORE)
        data[blockIdx.x * blockDim.x + threadIdx.x] = start;
    if (what == BARRIER)
        __syncthreads();
    if (what == LATE && threadIdx.x >= blockDim.x - 32)
        while (now() - start < 1000)
            ;
    if (what == LOAD) {
        if (in[(blockIdx.x & 1023) * blockDim.x + threadIdx.x] == 77)
            data[1] = 1;
        loaded = now() - start;
    }
    if (what == WORK)
        while (now() - start < 500)
            ;
    // The last warp's notes stand; with LATE it ends last.
    if (threadIdx.x == blockDim.x - 32) {
        asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
        notes[blockIdx.x] = note{sm, start, now(), loaded};
    }
}

// The same without notes, for the profiler: what a wave takes.
__global__ void bare(int *data, const int *in, int what)
{
    if (what == STORE)
        data[blockIdx.x * blockDim.x + threadIdx.x] = what;
    if (what == BARRIER)
        __syncthreads();
    if (what == LOAD && in[(blockIdx.x & 1023) * blockDim.x + threadIdx.x] == 77)
        data[1] = 1;
    if (what == WORK)
        for (unsigned start = now(); now() - start < 500;)
            ;
}

static unsigned middle(std::vector<unsigned> v, int part)
{
    std::sort(v.begin(), v.end());
    return v.empty() ? 0 : v[v.size() * part / 100];
}

// Blocks of an SM in the order of their starts; gaps between the end of one and the start of the next.
static void gaps(const char *name, int threads, int shared, std::vector<note> &n)
{
    std::vector<unsigned> gap, length, loaded;
    std::sort(n.begin(), n.end(), [](const note &a, const note &b) {
        return a.sm != b.sm ? a.sm < b.sm : (int)(a.start - b.start) < 0;
    });
    for (size_t i = 1; i < n.size(); i++) {
        length.push_back(n[i].end - n[i].start);
        loaded.push_back(n[i].loaded);
        if (n[i].sm == n[i - 1].sm)
            gap.push_back(n[i].start - n[i - 1].end);
    }
    printf("gap,%s,%d,%d,%u,%u,%u,%u,%u\n", name, threads, shared, middle(gap, 10), middle(gap, 50),
           middle(gap, 90), middle(length, 50), middle(loaded, 50));
}

int main(int argc, char **argv)
{
    bool profiled = argc > 1 && !strcmp(argv[1], "bare");
    note *notes;
    int *data, *in;
    CK(cudaMalloc(&notes, 1 << 20));
    CK(cudaMalloc(&data, 64 << 20));
    CK(cudaMalloc(&in, 64 << 20));
    CK(cudaMemset(in, 0, 64 << 20));
    CK(cudaFuncSetAttribute(blocks_of, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    CK(cudaFuncSetAttribute(bare, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int what = 0; what < WHATS; what++)
        for (int shared : {200 << 10, 100 << 10})
            for (int threads : {32, 256, 1024}) {
                for (int waves : {4, 20, 36}) {
                    if (!profiled || what == LATE)
                        continue;
                    printf("row,%s,%d,%d,%d,0,0,0,0\n", names[what], shared, waves, threads);
                    bare<<<132 * waves, threads, shared>>>(data, in, what);
                }
                if (profiled)
                    continue;
                std::vector<note> n(132 * 20);
                for (int twice = 0; twice < 2; twice++)
                    blocks_of<<<132 * 20, threads, shared>>>(notes, data, in, what);
                CK(cudaMemcpy(n.data(), notes, n.size() * sizeof(note), cudaMemcpyDeviceToHost));
                gaps(names[what], threads, shared, n);
            }
    CK(cudaDeviceSynchronize());
    return 0;
}
