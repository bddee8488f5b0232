/* copies_probe.cu - whether an L2 partition keeps its copy of a line whose home is the other one when
 * the line is changed: words are read again and again past the L1, and between two readings an atomic
 * or a store goes to them from the same SM, or from another one. To be run under Nsight Compute; hits
 * and sectors read of the L2 are the result. */
#include "launched.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

enum change { NOTHING, ADDS, SWAPS, STORES };

static __device__ unsigned read_word(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// A lane has a word of every `pitch`; `turn`: the block that changes what this one reads; `beside`:
// what it changes lies so many words behind.
template <change C>
__global__ void rounds(unsigned *a, int n, int turn, int pitch, int beside, unsigned *out)
{
    cg::grid_group g = cg::this_grid();
    unsigned sum = 0, block = (blockIdx.x + turn) % gridDim.x;
    unsigned *own = a + ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * pitch,
             *other = a + ((size_t)block * blockDim.x + threadIdx.x) * pitch + beside;
    for (int i = 0; i < n; i++) {
        unsigned v = read_word(own);
        sum += v;
        g.sync();
        if (C == ADDS)
            atomicAdd(other, 1u);
        else if (C == SWAPS)
            sum += atomicCAS(other, v, v + 1);
        else if (C == STORES)
            *other = v + 1;
        g.sync();
    }
    if (sum == 77)
        *out = sum;
}

template <change C>
static void launch(const char *name, unsigned *a, int turn, int pitch, int beside, unsigned *out)
{
    int n = 8;
    void *params[] = {&a, &n, &turn, &pitch, &beside, &out};
    CK(cudaLaunchCooperativeKernel((const void *)rounds<C>, dim3(132), dim3(256), params, 0, 0));
    LAUNCHED("rounds change=%s turn=%d pitch=%d beside=%d", name, turn, pitch, beside);
}

int main()
{
    unsigned *a, *out;
    CK(cudaMalloc(&a, (size_t)8 << 20));
    CK(cudaMemset(a, 0, (size_t)8 << 20));
    CK(cudaMalloc(&out, 4));
    for (int turn : {0, 1, 66}) {
        launch<NOTHING>("nothing", a, turn, 16, 0, out);
        launch<ADDS>("adds", a, turn, 16, 0, out);
        launch<SWAPS>("swaps", a, turn, 16, 0, out);
        launch<STORES>("stores", a, turn, 16, 0, out);
    }
    for (int beside : {0, 8, 16})
        for (int turn : {0, 66}) {
            launch<ADDS>("adds", a, turn, 32, beside, out);
            launch<STORES>("stores", a, turn, 32, beside, out);
        }
    return 0;
}
