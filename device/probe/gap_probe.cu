/* gap_probe.cu - do stores to one line meet across a load that is waited for?
 *
 * Each warp stores to a line of its own `rounds` times; before each store it loads a word with each
 * of `lanes` lanes and waits for it. from: where the words are (0: DRAM, 1: the L2, where ld.cg has
 * brought them before, 2: the L1). Lanes read rows `pitch` bytes apart. steps: so many stores, an
 * L1 hit apart each, follow each load that misses, as loops that walk a row do. arithmetic: so many
 * instructions between two stores and no load. No clock is read: models can run the same
 * instructions. To be run under Nsight Compute. */
#include "launched.h"

__global__ void gap(char *data, const char *read, unsigned *sums, int rounds, int lanes, int from,
                    int pitch, int steps, int arithmetic)
{
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, x = threadIdx.x;
    const char *p = read + ((size_t)warp * 32 + lane) * pitch;
    char *to = data + (size_t)threadIdx.x * 4;
    if (from == 1 && lane < lanes)
        for (int r = 0; r < rounds; r++) {
            unsigned v;
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p + r * 32) : "memory");
            x += v;
        }
    for (int i = 0; i < 1024; i++)
        asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        for (int s = 0; s < steps; s++) {
            unsigned v = 0;
            if (lane < lanes)
                asm volatile("ld.global.u32 %0,[%1];"
                             : "=r"(v)
                             : "l"(p + (from == 2 ? 0 : r * 32) + s * 4)
                             : "memory");
            x += v;
            for (int g = 0; g < arithmetic; g++)
                asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
            asm volatile("st.global.u32 [%0],%1;" ::"l"(to), "r"(x) : "memory");
        }
    }
    sums[threadIdx.x] = x;
}

static char *data, *from_here;
static unsigned *sums;
static void run(int warps, int lanes, int from, int pitch, int steps, int arithmetic)
{
    const int rounds = 32;
    gap<<<1, warps * 32>>>(data, from_here, sums, rounds, lanes, from, pitch, steps, arithmetic);
    LAUNCHED("gap warps=%d lanes=%d from=%d pitch=%d steps=%d arithmetic=%d stores=%d", warps, lanes,
             from, pitch, steps, arithmetic, warps * 4 * rounds * steps);
}

int main()
{
    CK(cudaMalloc(&data, 1 << 20));
    CK(cudaMalloc(&from_here, 64 << 20));
    CK(cudaMalloc(&sums, 1 << 16));
    CK(cudaMemset(from_here, 0, 64 << 20));
    for (int arithmetic : {0, 4, 8, 12, 16, 24, 32, 64})
        for (int warps : {1, 8})
            run(warps, 0, 2, 4096, 1, arithmetic);
    for (int from : {0, 1, 2})
        for (int warps : {1, 2, 4, 8, 16})
            for (int lanes : {1, 8, 32})
                run(warps, lanes, from, 16384 + 128, 1, 0);
    for (int from : {0, 1})
        for (int warps : {1, 4, 8, 16})
            for (int lanes : {8, 32})
                run(warps, lanes, from, 16384 + 128, 8, 0);
    for (int pitch : {4096, 8192, 16384})
        for (int warps : {4, 8})
            run(warps, 32, 0, pitch, 8, 0);
    return 0;
}
