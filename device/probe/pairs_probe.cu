/* pairs_probe.cu - does a read count as a hit of the L2 when what it wants is on its way? A miss
 * fetches 64 bytes; the other 32 are asked for by another warp after a delay, and streams of narrow
 * elements meet the halves of a fetch by themselves. To be run under Nsight Compute; the counters
 * are the result. */
#include "launched.h"

#include <cooperative_groups.h>
#include <cstdint>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

template <class T> __global__ void stream(const T *a, size_t n, unsigned *out)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n && *(const unsigned char *)(a + i) == 77)
        *out = 1;
}

// Each warp reads `sectors` of each line from `first` on, lines in order.
__global__ void part_lines(const unsigned *a, size_t n_lines, int first, int sectors, unsigned *out)
{
    size_t warp = (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / 32;
    unsigned lane = threadIdx.x % 32;
    if (warp < n_lines && lane < sectors * 8u)
        if (a[warp * 32 + first * 8 + lane] == 77)
            *out = 1;
}

static __device__ void wait_until(long long end)
{
    while (clock64() < end)
        ;
}

// One block: warp 0 reads the sector at offset 0 of each pair, warp 1 that at `other` bytes later,
// `delay` cycles after it.
__global__ void same_sm(const unsigned *a, int pairs, int stride_words, int other_words, int delay,
                        unsigned *out)
{
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    for (int i = 0; i < pairs; i++) {
        __syncthreads();
        long long begin = clock64();
        wait_until(begin + 50 + (warp ? delay : 0));
        if (lane < 8)
            asm volatile("ld.global.cg.u32 %0,[%1];"
                         : "=r"(*(unsigned *)&sum)
                         : "l"(a + (size_t)i * stride_words + (warp ? other_words : 0) + lane)
                         : "memory");
        if (sum == 77)
            *out = 1;
        wait_until(begin + delay + 2500);
    }
}

// The same from two SMs of a cluster.
__global__ void __cluster_dims__(2, 1, 1)
    two_sms(const unsigned *a, int pairs, int stride_words, int other_words, int delay,
            unsigned *out)
{
    cg::cluster_group c = cg::this_cluster();
    unsigned second = c.block_rank(), lane = threadIdx.x, sum = 0;
    for (int i = 0; i < pairs; i++) {
        c.sync();
        long long begin = clock64();
        wait_until(begin + 50 + (second ? delay : 0));
        if (lane < 8)
            asm volatile("ld.global.cg.u32 %0,[%1];"
                         : "=r"(*(unsigned *)&sum)
                         : "l"(a + (size_t)i * stride_words + (second ? other_words : 0) + lane)
                         : "memory");
        if (sum == 77)
            *out = 1;
        wait_until(begin + delay + 2500);
    }
}

template <class T> static void streams(const char *what, const void *a, unsigned *out)
{
    for (int kb : {16, 256, 2048, 8192, 24576})
        for (int block : {32, 64, 128, 256, 1024}) {
            if ((kb == 16 || kb == 24576) && block != 256 && block != 64)
                continue;
            size_t n = ((size_t)kb << 10) / sizeof(T);
            stream<T><<<(unsigned)((n + block - 1) / block), block>>>((const T *)a, n, out);
            LAUNCHED("stream type=%s kb=%d block=%d", what, kb, block);
        }
}

int main()
{
    unsigned *a, *out;
    CK(cudaMalloc(&a, (size_t)64 << 20));
    CK(cudaMemset(a, 0, (size_t)64 << 20));
    CK(cudaMalloc(&out, 4));
    for (int other : {8, 0, 16})
        for (int delay : {0, 20, 100, 200, 300, 400, 500, 600, 700, 800, 1000, 1500, 2000}) {
            if (other == 16 && delay % 500)
                continue;
            if (other) {
                same_sm<<<1, 64>>>(a, 256, 544, other, delay, out);
                LAUNCHED("same_sm other_words=%d delay=%d", other, delay);
            }
            two_sms<<<2, 32>>>(a, 256, 544, other, delay, out);
            LAUNCHED("two_sms other_words=%d delay=%d", other, delay);
        }
    streams<unsigned char>("1", a, out);
    streams<unsigned short>("2", a, out);
    streams<unsigned>("4", a, out);
    for (int sectors : {1, 2, 3})
        for (int first : {0, 1})
            for (int kilo : {2, 64}) {
                part_lines<<<kilo * 1024 / 8, 256>>>(a, kilo * 1024, first, sectors, out);
                LAUNCHED("part_lines first=%d sectors=%d lines=%dk", first, sectors, kilo);
            }
    return 0;
}
