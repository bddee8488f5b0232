/* mix_probe.cu - what a launch that streams reads and writes along writes back before it ends, by how
 * much it reads and writes, a block of the grid once (as most programs do) and in a loop. To be run
 * under Nsight Compute; the counters are the result. */
#include "launched.h"

#include <cuda_runtime.h>

// Thread i reads element i of `reads` arrays and writes element i of `writes` arrays.
__global__ void stream(const unsigned *in, unsigned *to, size_t n, int reads, int writes,
                       size_t pitch)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    unsigned sum = 0;
    if (i >= n)
        return;
    for (int r = 0; r < reads; r++)
        sum += in[r * pitch + i];
    for (int w = 0; w < writes; w++)
        to[w * pitch + i] = sum;
    if (!writes && sum == 77)
        *to = sum;
}

// The same over parts of the grid's size: the reads of a part come before its writes.
__global__ void looped(const uint4 *in, uint4 *to, size_t n, int reads, int writes, size_t pitch)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = t; i < n; i += step) {
        unsigned sum = 0;
        for (int r = 0; r < reads; r++)
            sum += in[r * pitch + i].x;
        for (int w = 0; w < writes; w++)
            to[w * pitch + i] = make_uint4(sum, 1, 2, 3);
        if (!writes && sum == 77)
            to->x = sum;
    }
}

static const size_t WORDS_OF_MB = (size_t)1 << 18;

static void streams(unsigned *a, unsigned *to, int reads, int writes, int mb, int block)
{
    size_t n = mb * WORDS_OF_MB, pitch = 64 * WORDS_OF_MB;
    stream<<<(unsigned)(n / block), block>>>(a, to, n, reads, writes, pitch);
    LAUNCHED("stream reads=%d writes=%d mb=%d block=%d", reads, writes, mb, block);
}

static void in_place(unsigned *a, int mb, int block)
{
    size_t n = mb * WORDS_OF_MB;
    stream<<<(unsigned)(n / block), block>>>(a, a, n, 1, 1, 0);
    LAUNCHED("in_place mb=%d block=%d", mb, block);
}

int main()
{
    unsigned *a;
    size_t pitch = 64 * WORDS_OF_MB;
    CK(cudaMalloc(&a, (size_t)64 * 6 << 20));
    CK(cudaMemset(a, 0, (size_t)64 * 6 << 20));
    unsigned *to = a + 4 * pitch;
    for (int mb : {4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64})
        for (int reads : {0, 1, 2, 3}) {
            if (reads > 1 && mb > 24)
                continue;
            streams(a, to, reads, 1, mb, 256);
            if (reads)
                streams(a, to, reads, 0, mb, 256);
        }
    for (int mb : {4, 8, 12, 16, 20, 24, 28, 32, 40, 48})
        in_place(a, mb, 256);
    for (int mb : {8, 12, 16})
        for (int block : {32, 64, 128, 1024}) {
            streams(a, to, 2, 1, mb, block);
            streams(a, to, 1, 2, mb, block);
        }
    for (int mb : {8, 12, 16, 24, 32})
        for (int reads : {0, 1, 2}) {
            looped<<<264, 256>>>((uint4 *)a, (uint4 *)to, mb * WORDS_OF_MB / 4, reads, 1, pitch / 4);
            LAUNCHED("looped reads=%d writes=1 mb=%d", reads, mb);
        }
    return 0;
}
