// cas_probe.cu - compare-and-swap on one word: what a request takes by its lanes, and how often
// warps that add by comparing and swapping have to try again.
//
// `rate`: every warp swaps `turns` times, with the given lanes, at one word (`one`), a word each of
// its line (`line`), or one word a warp (`own`), whatever it finds. `sum`: every lane adds to one
// word until its swap takes; counted instructions over those of a single try tell how often.
// To be run under Nsight Compute.
#include "launched.h"

#include <cuda_runtime.h>

enum where { ONE, LINE, OWN };
__global__ void rate(unsigned *word, int lanes, int turns, int where)
{
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned *at = word + (where == ONE ? 0 : where == LINE ? lane : warp * 32);
    unsigned old = 0;
    if (lane < (unsigned)lanes)
        for (int i = 0; i < turns; i++)
            old = atomicCAS(at, old, old + 1);
    if (old == 0xffffffff)
        word[1 << 18] = 1;
}
__global__ void sum(unsigned *word, int lanes, int turns)
{
    if (threadIdx.x % 32 >= (unsigned)lanes)
        return;
    for (int i = 0; i < turns; i++) {
        unsigned old = *(volatile unsigned *)word, was;
        do {
            was = old;
            old = atomicCAS(word, was, was + 1);
        } while (was != old);
    }
}
int main()
{
    unsigned *word;
    CK(cudaMalloc(&word, 4 << 20));
    CK(cudaMemset(word, 0, 4 << 20));
    for (int blocks : {1, 4, 32, 132})
        for (int warps : {1, 8})
            for (int lanes : {1, 2, 8, 32})
                for (int where : {ONE, LINE, OWN}) {
                    if (lanes == 1 && where == LINE)
                        continue;
                    rate<<<blocks, warps * 32>>>(word, lanes, 32, where);
                    LAUNCHED("rate blocks=%d warps=%d lanes=%d where=%d turns=32", blocks, warps, lanes, where);
                }
    for (int blocks : {1, 2, 4, 16})
        for (int warps : {1, 2, 8})
            for (int lanes : {1, 4, 32}) {
                sum<<<blocks, warps * 32>>>(word, lanes, 4);
                LAUNCHED("sum blocks=%d warps=%d lanes=%d turns=4", blocks, warps, lanes);
            }
    return 0;
}
