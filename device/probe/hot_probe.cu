/* hot_probe.cu - one word that every warp of a launch loads or stores: `load`, `store`, `both` (it
 * loads, adds and stores, as a counter without atomics does), by blocks, warps and lanes of a warp
 * that do; `own`: a word for each block, in lines of their own. To be run under Nsight Compute. */
#include "launched.h"
#include "words.h"

enum kind { LOAD, STORE, BOTH };
static const char *const names[] = {"load", "store", "both"};

template <int KIND> __global__ void hot(unsigned *a, unsigned lanes, unsigned apart, unsigned steps)
{
    unsigned *p = a + blockIdx.x * apart, sum = 1;
    if (threadIdx.x % 32 < lanes)
        for (unsigned k = 0; k < steps; k++) {
            if (KIND != STORE)
                sum += ld(p);
            if (KIND != LOAD)
                st(p, sum);
        }
    if (sum == 77)
        a[1] = sum;
}
static unsigned *a;

template <int KIND> static void run(int blocks, int warps, int lanes, int apart, int steps)
{
    hot<KIND><<<blocks, warps * 32>>>(a, lanes, apart, steps);
    LAUNCHED("%s blocks=%d warps=%d lanes=%d apart=%d steps=%d", names[KIND], blocks, warps, lanes, apart, steps);
}
template <int KIND> static void all()
{
    for (int blocks : {1, 132, 264, 1056})
        for (int warps : {1, 8, 32})
            run<KIND>(blocks, warps, 32, 0, 1);
    run<KIND>(1056, 32, 1, 0, 1), run<KIND>(1056, 32, 32, 32, 1), run<KIND>(132, 32, 32, 0, 8);
    run<KIND>(1, 32, 32, 0, 8), run<KIND>(132, 1, 32, 0, 8);
}

int main()
{
    CK(cudaMalloc(&a, (size_t)16 << 20));
    CK(cudaMemset(a, 0, (size_t)16 << 20));
    all<LOAD>(), all<STORE>(), all<BOTH>();
    return 0;
}
