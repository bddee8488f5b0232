/* constant_reads.cu - what tables in constant memory bring from DRAM and ask of the L2: so many bytes
 * of a table of 32 KB, every so many bytes, by one block or one an SM, all lanes at one place or each
 * at its own. To be run under Nsight Compute; sectors are the result. */
#include "launched.h"

#include <cuda_runtime.h>

__constant__ unsigned table[8192];
__constant__ unsigned other[4096];

__global__ void same(unsigned *out, int words, int step, int rounds)
{
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < words; i += step)
            sum += table[i];
    if (sum == 77)
        *out = sum;
}

__global__ void apart(unsigned *out, int words, int step, int rounds)
{
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = threadIdx.x * step; i < words; i += 32 * step)
            sum += table[i];
    if (sum == 77)
        *out = sum;
}

__global__ void both(unsigned *out, int words, int step, int rounds)
{
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < words; i += step)
            sum += table[i] + other[i];
    if (sum == 77)
        *out = sum;
}

// The same code, and nothing read of a table.
__global__ void none(unsigned *out, int words, int step, int rounds)
{
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < words; i += step)
            sum += i ^ clock();
    if (sum == 77)
        *out = sum;
}

int main()
{
    unsigned *out;
    CK(cudaMalloc(&out, 4096));
    for (int blocks : {1, 2, 132, 1056}) {
        for (int kb4 : {0, 1, 2, 4, 8, 16, 32, 64, 128}) {
            int words = kb4 * 64;
            same<<<blocks, 32>>>(out, words, 1, 2);
            LAUNCHED("same blocks=%d bytes=%d step=4", blocks, words * 4);
        }
        for (int step : {8, 16, 32, 64, 128, 256, 1024}) {
            same<<<blocks, 32>>>(out, 8192, step, 2);
            LAUNCHED("same blocks=%d bytes=32768 step=%d", blocks, step * 4);
        }
        for (int kb4 : {4, 16, 64, 128}) {
            apart<<<blocks, 32>>>(out, kb4 * 64, 1, 2);
            LAUNCHED("apart blocks=%d bytes=%d step=4", blocks, kb4 * 256);
        }
        for (int kb4 : {4, 16, 64}) {
            both<<<blocks, 32>>>(out, kb4 * 64, 1, 2);
            LAUNCHED("both blocks=%d bytes=%d step=4", blocks, kb4 * 256);
        }
        none<<<blocks, 32>>>(out, 1024, 1, 2);
        LAUNCHED("none blocks=%d bytes=4096 step=4", blocks);
        same<<<blocks, 256>>>(out, 1024, 1, 2);
        LAUNCHED("same8 blocks=%d bytes=4096 step=4", blocks);
    }
    return 0;
}
