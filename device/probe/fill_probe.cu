// fill_probe.cu - a sector of which a part was written, then the rest read: what the L2 takes for the fill, by what is
// between the two.
//
//   ncu --csv --cache-control all --clock-control none --metrics sm__cycles_elapsed.max,... fill_probe
//
// A thread has a sector of its own. The kernels' names say what it does; each runs over 4.8 and 24 MB, begun cold.
#include <cuda_runtime.h>

#include "check.h"

enum between {
    NOTHING,      // the read follows at once
    FENCE_BLOCK,  // membar.cta
    FENCE_GPU,    // membar.gl
    BARRIER,      // bar.sync
    WAIT,         // so many cycles by the clock, and no fence
    ONLY_WRITE,
    ONLY_READ,
};

template <int BETWEEN, int CYCLES> __device__ static void wait_between()
{
    if (BETWEEN == FENCE_BLOCK)
        __threadfence_block();
    if (BETWEEN == FENCE_GPU)
        __threadfence();
    if (BETWEEN == BARRIER)
        __syncthreads();
    if (BETWEEN == WAIT) {
        long long begin = clock64();
        while (clock64() - begin < CYCLES)
            ;
    }
}

// Writes WORDS words from the sector's first one on, then reads word READ.
template <int BETWEEN, int CYCLES, int WORDS, int READ> __global__ void part_then_rest(unsigned *data, unsigned *out, unsigned sectors)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sectors)
        return;
    volatile unsigned *at = data + 8 * (size_t)i;
    if (BETWEEN != ONLY_READ) {
        if (WORDS == 1)
            at[0] = i;
        if (WORDS == 4 || WORDS == 8)
            *(uint4 *)at = make_uint4(i, i, i, i);
        if (WORDS == 8)
            *(uint4 *)(at + 4) = make_uint4(i, i, i, i);
    }
    wait_between<BETWEEN, CYCLES>();
    if (BETWEEN != ONLY_WRITE)
        out[i] = at[READ];
}

static unsigned *data, *out;

template <int BETWEEN, int CYCLES, int WORDS, int READ> static void both_sizes()
{
    for (unsigned sectors : {150016u, 786432u}) {
        part_then_rest<BETWEEN, CYCLES, WORDS, READ><<<(sectors + 255) / 256, 256>>>(data, out, sectors);
        CK(cudaDeviceSynchronize());
    }
}

int main()
{
    CK(cudaMalloc(&data, 64u << 20));
    CK(cudaMalloc(&out, 8u << 20));
    CK(cudaMemset(data, 0, 64u << 20));
    CK(cudaMemset(out, 0, 8u << 20));
    both_sizes<ONLY_READ, 0, 1, 5>();
    both_sizes<ONLY_WRITE, 0, 1, 5>();
    both_sizes<NOTHING, 0, 1, 0>(); // the word itself: nothing to fill
    both_sizes<NOTHING, 0, 1, 5>();
    both_sizes<NOTHING, 0, 4, 5>();
    both_sizes<NOTHING, 0, 8, 5>();
    both_sizes<BARRIER, 0, 1, 5>();
    both_sizes<FENCE_BLOCK, 0, 1, 5>();
    both_sizes<FENCE_GPU, 0, 1, 5>();
    both_sizes<WAIT, 300, 1, 5>();
    both_sizes<WAIT, 600, 1, 5>();
    both_sizes<WAIT, 1200, 1, 5>();
    both_sizes<WAIT, 2400, 1, 5>();
    both_sizes<WAIT, 4800, 1, 5>();
    return 0;
}
