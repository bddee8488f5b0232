/* scatter_probe.cu - how fast words are strewn over an array far larger than the L2, or gathered
 * from it: every thread goes on by the size of the grid, and the place of each step is drawn. `write`
 * stores `words` words that lie together, `read` loads them, `add` adds to them without an answer,
 * `both` loads one place and stores to another. 8 words are a sector, less are written in part. To
 * be run under Nsight Compute; cycles and sectors of DRAM are the result. With an argument: stores to
 * what stays in the L2, strewn and by columns. */
#include "launched.h"
#include "words.h"

enum kind { WRITE, READ, ADD, BOTH };
static const char *const names[] = {"write", "read", "add", "both"};

__device__ __forceinline__ unsigned drawn(unsigned i)
{
    i ^= i >> 16, i *= 0x7feb352du, i ^= i >> 15, i *= 0x846ca68bu;
    return i ^ i >> 16;
}
template <int KIND, int WORDS> __global__ void strew(unsigned *a, unsigned places, unsigned steps)
{
    unsigned sum = 0, threads = gridDim.x * blockDim.x;
    for (unsigned k = 0, i = blockIdx.x * blockDim.x + threadIdx.x; k < steps; k++, i += threads) {
        unsigned *p = a + (size_t)(drawn(i) & (places - 1)) * 8;
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            if (KIND == WRITE)
                st(p + w, i);
            else if (KIND == ADD)
                atomicAdd(p + w, 1);
            else
                sum += ld(p + w);
        }
        if (KIND == BOTH)
            st(a + (size_t)(drawn(~i) & (places - 1)) * 8, sum);
    }
    if (sum == 77)
        a[0] = sum;
}
/* A warp's lanes store to a line each, `apart` bytes one from the next; warps that follow one another
 * take the words of the same lines, as those of a transpose do, or lines of their own (`own`). */
__global__ void columns(unsigned *a, unsigned apart_words, unsigned warps_a_line, unsigned steps, unsigned mask)
{
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
             warps = gridDim.x * blockDim.x / 32;
    for (unsigned k = 0; k < steps; k++, warp += warps) {
        size_t at = (size_t)(warp / warps_a_line) * 32 * apart_words + lane * apart_words +
                    warp % warps_a_line * (32 / warps_a_line);
        st(a + (at & mask), warp);
    }
}
static unsigned *a;

template <int KIND, int WORDS> static void run(int mega, int blocks, unsigned steps)
{
    strew<KIND, WORDS><<<blocks, 256>>>(a, (unsigned)mega << 15, steps);
    LAUNCHED("%s words=%d mega=%d blocks=%d steps=%u", names[KIND], WORDS, mega, blocks, steps);
}

static void run_columns(int blocks, unsigned apart_bytes, unsigned warps_a_line, unsigned steps, unsigned mega)
{
    columns<<<blocks, 256>>>(a, apart_bytes / 4, warps_a_line, steps, (mega << 18) - 1);
    LAUNCHED("columns apart=%u warps_a_line=%u mega=%u blocks=%d steps=%u", apart_bytes, warps_a_line, mega, blocks, steps);
}

int main(int argc, char **argv)
{
    size_t bytes = (size_t)1024 << 20;
    CK(cudaMalloc(&a, bytes));
    CK(cudaMemset(a, 0, bytes));
    if (argc > 1) { /* what stays in the L2 */
        for (int mega : {1, 4, 8, 16})
            run<WRITE, 1>(mega, 1056, 16), run<BOTH, 1>(mega, 1056, 16), run<WRITE, 8>(mega, 1056, 4);
        for (unsigned apart : {128u, 4096u, 16384u})
            for (unsigned share : {1u, 8u, 32u})
                for (unsigned mega : {4u, 16u, 64u})
                    run_columns(1056, apart, share, 8, mega);
        run_columns(132, 4096, 32, 16, 16), run_columns(132, 4096, 1, 16, 16), run_columns(8, 4096, 1, 16, 16);
        return 0;
    }
    for (int mega : {16, 64, 256, 1024}) {
        run<WRITE, 1>(mega, 1056, 4), run<READ, 1>(mega, 1056, 4), run<ADD, 1>(mega, 1056, 4);
        run<BOTH, 1>(mega, 1056, 4);
    }
    run<WRITE, 1>(256, 1056, 16), run<READ, 1>(256, 1056, 16), run<ADD, 1>(256, 1056, 16);
    run<WRITE, 2>(256, 1056, 4), run<WRITE, 4>(256, 1056, 4), run<WRITE, 8>(256, 1056, 4);
    run<WRITE, 1>(256, 132, 16), run<WRITE, 1>(256, 132, 64), run<READ, 1>(256, 132, 16);
    run<WRITE, 1>(256, 33, 64), run<WRITE, 1>(256, 8, 64), run<WRITE, 1>(256, 16896, 1);
    return 0;
}
