/* two_loads_probe.cu - two loads of one warp, one right after the other, that want different sectors of a
 * line: which of them ask the L2 together, by the lanes that load, the sectors, the kind of load and
 * the warps that do so. To be run under Nsight Compute; requests and hits of the L2 are the result. */
#include "launched.h"

#include <cuda_runtime.h>

enum { HALF_TWO, ALL_TWO, ALL_ONE, HALF_ONE };

template <bool STRONG> static __device__ __forceinline__ unsigned load(unsigned *p)
{
    unsigned v;
    if (!STRONG)
        return *p;
    asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// Words of the second load; the first wants those 8 words, a sector, further on.
template <int LANES> static __device__ __forceinline__ unsigned word_of(unsigned lane)
{
    switch (LANES) {
    case HALF_TWO: return lane;
    case ALL_TWO: return lane % 8 + lane / 16 * 16;
    default: return lane % 8;
    }
}

template <bool STRONG, int LANES> __global__ void two_loads(unsigned *a, unsigned gap, unsigned *out)
{
    unsigned lane = threadIdx.x % 32, line = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned i = line * 32 + word_of<LANES>(lane), partner = i ^ gap;
    if (LANES == HALF_TWO && partner < i)
        return;
    if (LANES == HALF_ONE && lane >= 8)
        return;
    unsigned v = load<STRONG>(a + partner), w = load<STRONG>(a + i);
    if (v + w == 77)
        *out = 1;
}

static unsigned *a, *out;

template <bool STRONG, int LANES> static void each(const char *lanes)
{
    for (int blocks : {32, 1024})
        for (int warps : {1, 2, 4, 8}) {
            if (blocks == 1024 && warps < 4)
                continue;
            two_loads<STRONG, LANES><<<blocks, 32 * warps>>>(a, 8, out);
            LAUNCHED("two_loads strong=%d lanes=%s warps=%d blocks=%d", STRONG, lanes, warps, blocks);
        }
}

int main()
{
    CK(cudaMalloc(&a, (size_t)64 << 20));
    CK(cudaMemset(a, 0, (size_t)64 << 20));
    CK(cudaMalloc(&out, 4096));
    each<false, HALF_TWO>("half_two");
    each<true, HALF_TWO>("half_two");
    each<false, ALL_TWO>("all_two");
    each<true, ALL_TWO>("all_two");
    each<false, ALL_ONE>("all_one");
    each<true, ALL_ONE>("all_one");
    each<false, HALF_ONE>("half_one");
    return 0;
}
