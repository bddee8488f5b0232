/* writeback_probe.cu - which written sectors reach DRAM before a launch ends, and what an L1 keeps of
 * what it wrote. To be run under Nsight Compute (writeback_probe.sh); the counters are the result. */
#include "launched.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static __device__ uint4 load_around_l1(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v;
}

// Writes n units, `passes` times, then reads m units of another array past the L1, or the same again.
__global__ void write_read(uint4 *a, size_t n, int passes, const uint4 *b, size_t m, unsigned *out)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    unsigned s = 0;
    for (int p = 0; p < passes; p++)
        for (size_t i = t; i < n; i += step)
            a[i] = make_uint4(p, 2, 3, 4);
    for (size_t i = t; i < m; i += step)
        s += load_around_l1(b + i).x;
    if (s == 1)
        *out = s;
}

// One sector of each line, or of every `stride`-th sector.
__global__ void write_sectors(unsigned *a, size_t n, int stride_sectors)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = t; i < n * 8; i += step)
        a[i / 8 * 8 * stride_sectors + i % 8] = 1;
}

// Waits after writing: does the L2 clean lines while nothing happens?
__global__ void write_wait(uint4 *a, size_t n, long long cycles)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = t; i < n; i += step)
        a[i] = make_uint4(1, 2, 3, 4);
    for (long long start = clock64(); clock64() - start < cycles;)
        ;
}

// One block: its own array written (or read) once, then read, through the L1.
__global__ void fill_read_l1(uint4 *a, int n, int store_first, int passes, unsigned *out)
{
    uint4 *own = a + (size_t)blockIdx.x * n;
    unsigned s = 0;
    if (store_first)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            own[i] = make_uint4(i, 2, 3, 4);
    for (int p = 0; p < passes; p++)
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            s += own[i].x;
    if (s == 1)
        *out = s;
}

// The same with the blocks' parts of the array lying in turn, as in a grid-stride loop.
__global__ void stride_fill_read_l1(uint4 *a, size_t n, int store_first, int passes, unsigned *out)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    unsigned s = 0;
    if (store_first)
        for (size_t i = t; i < n; i += step)
            a[i] = make_uint4(1, 2, 3, 4);
    for (int p = 0; p < passes; p++)
        for (size_t i = t; i < n; i += step)
            s += a[i].x;
    if (s == 1)
        *out = s;
}

// One word of every `stride`-th sector: sectors written in part.
__global__ void write_words(unsigned *a, size_t n, int stride_sectors, int words)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = t; i < n; i += step)
        for (int w = 0; w < words; w++)
            a[i * 8 * stride_sectors + w] = 1;
}

// Atomics on the first word of every 64 bytes of the 4 KB blocks whose home has this parity; one block.
template <int KIND> __global__ void atomic_pairs(unsigned *a, size_t n_blocks, unsigned parity, unsigned *out)
{
    unsigned s = 0;
    for (size_t b = blockIdx.x; b < n_blocks; b += gridDim.x) {
        unsigned home = (b ^ b >> 1 ^ b >> 3 ^ b >> 5 ^ b >> 7) & 1;
        if (home != parity || threadIdx.x >= 64)
            continue;
        if (KIND == 0)
            atomicAdd(&a[b * 1024 + threadIdx.x * 16], 1u);
        else if (KIND == 1)
            s += atomicAdd(&a[b * 1024 + threadIdx.x * 16], 1u);
        else
            s += load_around_l1((uint4 *)&a[b * 1024 + threadIdx.x * 16]).x;
    }
    if (s == 12345)
        *out = s;
}

static void parts(uint4 *a, unsigned *out)
{
    for (int stride : {1, 4})
        for (int kilo : {16, 32, 64, 96, 128, 192, 256, 512}) {
            write_words<<<264, 256>>>((unsigned *)a, (size_t)kilo << 10, stride, 1);
            LAUNCHED("write_words sectors=%dk stride=%d words=1", kilo, stride);
        }
    for (int words : {2, 4, 7, 8}) {
        write_words<<<264, 256>>>((unsigned *)a, (size_t)256 << 10, 4, words);
        LAUNCHED("write_words sectors=256k stride=4 words=%d", words);
    }
    for (unsigned parity : {0u, 1u})
        for (int grid : {1, 132}) {
            atomic_pairs<0><<<grid, 64>>>((unsigned *)a, 1024, parity, out);
            LAUNCHED("atomic_pairs red grid=%d parity=%u", grid, parity);
            atomic_pairs<1><<<grid, 64>>>((unsigned *)a, 1024, parity, out);
            LAUNCHED("atomic_pairs atom grid=%d parity=%u", grid, parity);
            atomic_pairs<2><<<grid, 64>>>((unsigned *)a, 1024, parity, out);
            LAUNCHED("atomic_pairs load grid=%d parity=%u", grid, parity);
        }
}

static void writes(uint4 *a, uint4 *b, unsigned *out)
{
    const size_t MB = 65536;
    for (int mb : {20, 24, 26, 28, 30, 32, 36, 40, 48}) {
        write_read<<<264, 256>>>(a, mb * MB, 1, b, 0, out);
        LAUNCHED("write mb=%d grid=264", mb);
    }
    for (int mb : {8, 16, 24, 32, 40, 48}) {
        write_read<<<264, 256>>>(a, mb * MB, 1, a, mb * MB, out);
        LAUNCHED("write_read mb=%d", mb);
    }
    for (int mb : {8, 16, 24, 32, 64})
        for (int wrote : {4, 16}) {
            write_read<<<264, 256>>>(a, wrote * MB, 1, b, mb * MB, out);
            LAUNCHED("write_other mb=%d read mb=%d", wrote, mb);
        }
    for (int passes : {2, 4})
        for (int mb : {16, 32}) {
            write_read<<<264, 256>>>(a, mb * MB, passes, b, 0, out);
            LAUNCHED("write mb=%d passes=%d", mb, passes);
        }
    for (int stride : {2, 4, 8})
        for (int mb : {8, 16, 24, 32}) {
            write_sectors<<<264, 256>>>((unsigned *)a, (size_t)mb << 15, stride);
            LAUNCHED("write_sectors mb=%d stride=%d", mb, stride);
        }
    for (int mb : {16, 32})
        for (long long cycles : {20000ll, 200000ll, 2000000ll}) {
            write_wait<<<132, 256>>>(a, mb * MB, cycles);
            LAUNCHED("write_wait mb=%d cycles=%lld", mb, cycles);
        }
}

static void kept(uint4 *a, unsigned *out)
{
    for (int first : {0, 1})
        for (int kb : {160, 192, 208, 216, 220, 224, 232, 240, 248, 256, 272, 288, 320, 384}) {
            fill_read_l1<<<132, 256>>>(a, kb * 64, first, first ? 1 : 2, out);
            LAUNCHED("fill_read_l1 kb=%d store_first=%d", kb, first);
        }
    for (int first : {0, 1})
        for (int kb : {192, 216, 224, 232, 240, 248, 256, 288, 320}) {
            stride_fill_read_l1<<<264, 256>>>(a, (size_t)132 * kb * 64, first, first ? 1 : 2, out);
            LAUNCHED("stride_fill_read_l1 kb=%d store_first=%d", kb, first);
        }
    for (int warps : {1, 4, 32}) {
        fill_read_l1<<<132, 32 * warps>>>(a, 248 * 64, 1, 1, out);
        LAUNCHED("fill_read_l1 kb=248 store_first=1 warps=%d", warps);
    }
}

int main(int argc, char **argv)
{
    uint4 *a, *b;
    unsigned *out;
    CK(cudaMalloc(&a, (size_t)256 << 20));
    CK(cudaMalloc(&b, (size_t)128 << 20));
    CK(cudaMalloc(&out, 1 << 16));
    bool only_parts = argc > 1 && argv[1][0] == 'p';
    if (!only_parts) {
        writes(a, b, out);
        kept(a, out);
    }
    parts(a, out);
    return 0;
}
