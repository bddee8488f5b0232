/* dirty_probe.cu - which dirty lines of the L2 reach DRAM before a launch ends: writes beside
 * reads, rewriting, lines in random order, few writers, read-modify-write, words, reductions. To be
 * run under Nsight Compute (dirty_probe.sh); the counters are the result. */
#include "launched.h"

#include <cstdint>

static __device__ uint4 load_around_l1(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}

static __device__ size_t first()
{
    return blockIdx.x * (size_t)blockDim.x + threadIdx.x;
}
static __device__ size_t step()
{
    return (size_t)gridDim.x * blockDim.x;
}

// Every `every`-th unit that is read is written to the other array.
__global__ void copy(const uint4 *from, uint4 *to, size_t n, int every)
{
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (size_t i = first(); i < n; i += step()) {
        uint4 v = load_around_l1(from + i);
        sum.x += v.x;
        if (i / 256 % every == 0)
            to[i / 256 / every * 256 + i % 256] = sum;
    }
}

__global__ void add_one(uint4 *a, size_t n)
{
    for (size_t i = first(); i < n; i += step()) {
        uint4 v = load_around_l1(a + i);
        v.x++;
        a[i] = v;
    }
}

__global__ void rewrite(uint4 *a, size_t n, int passes, int reads)
{
    unsigned s = 0;
    for (int p = 0; p < passes; p++)
        for (size_t i = first(); i < n; i += step())
            a[i] = make_uint4(p, 2, 3, 4);
    for (int p = 0; p < reads; p++)
        for (size_t i = first(); i < n; i += step())
            s += load_around_l1(a + i).x;
    if (s == 1)
        a[0].x = s;
}

// A warp writes whole lines, in an order that leaves no neighbours together; n_lines is a power of
// two.
__global__ void scatter_lines(unsigned *a, size_t n_lines, size_t n)
{
    for (size_t i = first(); i < n * 32; i += step()) {
        size_t line = (i / 32 * 0x9E3779B1u + 12345) & (n_lines - 1);
        a[line * 32 + i % 32] = 1;
    }
}

// Single words anywhere in 2^bits bytes, `read`: read before.
__global__ void scatter_words(unsigned *a, size_t n, int bits, int read)
{
    for (size_t i = first(); i < n; i += step()) {
        uint64_t x = (i + 1) * 0x9E3779B97F4A7C15ull;
        x ^= x >> 29;
        x *= 0xBF58476D1CE4E5B9ull;
        size_t at = x >> (64 - bits + 2);
        a[at] = read ? a[at] + 1 : (unsigned)i;
    }
}

__global__ void add_words(unsigned *a, size_t n)
{
    for (size_t i = first(); i < n; i += step())
        atomicAdd(&a[i], 1u);
}

static const size_t MB = 65536; // units of 16 bytes

static void beside_reads(uint4 *a, uint4 *b)
{
    for (int every : {1, 8})
        for (int mb : {12, 16, 20, 24, 28, 32, 40, 64, 96}) {
            copy<<<264, 256>>>(a, b, mb * MB, every);
            LAUNCHED("copy mb=%d every=%d", mb, every);
        }
    for (int mb : {16, 20, 24, 28, 32, 40, 48, 64, 96}) {
        add_one<<<264, 256>>>(a, mb * MB);
        LAUNCHED("add_one mb=%d", mb);
    }
}

static void again(uint4 *a)
{
    for (int mb : {24, 28, 40, 64})
        for (int passes : {2, 3, 8}) {
            rewrite<<<264, 256>>>(a, mb * MB, passes, 0);
            LAUNCHED("rewrite mb=%d passes=%d reads=0", mb, passes);
        }
    for (int mb : {24, 28})
        for (int reads : {1, 4}) {
            rewrite<<<264, 256>>>(a, mb * MB, 1, reads);
            LAUNCHED("rewrite mb=%d passes=1 reads=%d", mb, reads);
        }
    for (int grid : {16, 66})
        for (int mb : {24, 32}) {
            rewrite<<<grid, 256>>>(a, mb * MB, 1, 0);
            LAUNCHED("rewrite mb=%d passes=1 reads=0 grid=%d", mb, grid);
        }
}

static void in_pieces(unsigned *a)
{
    for (int mb : {16, 20, 24, 28, 32, 48}) {
        scatter_lines<<<264, 256>>>(a, (size_t)1 << 19, (size_t)mb << 13);
        LAUNCHED("scatter_lines mb=%d of 64", mb);
    }
    for (int bits : {24, 26, 28})
        for (int read : {0, 1})
            for (int kilo : {256, 1024}) {
                scatter_words<<<528, 256>>>(a, (size_t)kilo << 10, bits, read);
                LAUNCHED("scatter_words mb=%d thousand=%d read=%d", 1 << (bits - 20), kilo, read);
            }
    for (int mb : {16, 24, 32, 48}) {
        add_words<<<264, 256>>>(a, (size_t)mb << 18);
        LAUNCHED("add_words mb=%d", mb);
    }
}

int main()
{
    uint4 *a, *b;
    CK(cudaMalloc(&a, (size_t)256 << 20));
    CK(cudaMalloc(&b, (size_t)128 << 20));
    beside_reads(a, b);
    again(a);
    in_pieces((unsigned *)a);
    return 0;
}
