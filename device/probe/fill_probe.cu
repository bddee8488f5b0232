// fill_probe.cu - a sector of which a part was written, then the rest read: what it takes, by how it is written and
// read and by what is between the two.
//
//   ncu --csv --cache-control all --clock-control none --metrics sm__cycles_active.max,... fill_probe
//
// A thread has a sector of its own. The kernels' names say what it does: how it writes and reads (P: as the compiler
// does, V: volatile, G: around the L1), what is between, for how many cycles it waits, how many words it writes
// from which on, which one it reads, and the words from one thread's sector to the next. Each runs in four grids, begun cold.
#include <cuda_runtime.h>

#include "check.h"

enum way { P, V, G };
enum between { NOTHING, BARRIER, FENCE_BLOCK, FENCE_GPU, WAIT, ONLY_WRITE, ONLY_READ };

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

template <int WRITES, int WORDS> __device__ static void write(unsigned *at, unsigned v)
{
    if (WRITES == V)
        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
    else if (WORDS == 1)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
    else if (WORDS == 2)
        asm volatile("st.global.v2.u32 [%0], {%1,%1};" ::"l"(at), "r"(v) : "memory");
    else
        asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(at), "r"(v) : "memory");
}

template <int READS> __device__ static unsigned read(const unsigned *at)
{
    unsigned v;
    if (READS == V)
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    else if (READS == G)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    else
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
    return v;
}

template <int WRITES, int READS, int BETWEEN, int CYCLES, int WORDS, int FIRST, int READ, int STRIDE>
__global__ void part_then_rest(unsigned *data, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *own = data + (size_t)STRIDE * i;
    if (BETWEEN != ONLY_READ)
        write<WRITES, WORDS>(own + FIRST, i);
    wait_between<BETWEEN, CYCLES>();
    if (BETWEEN != ONLY_WRITE)
        out[i] = read<READS>(own + READ);
}

static unsigned *data, *out;

template <int WRITES, int READS, int BETWEEN, int CYCLES, int WORDS, int FIRST, int READ, int STRIDE> static void all_grids()
{
    for (unsigned blocks : {1u, 132u, 586u, 3072u}) {
        part_then_rest<WRITES, READS, BETWEEN, CYCLES, WORDS, FIRST, READ, STRIDE><<<blocks, 256>>>(data, out);
        CK(cudaDeviceSynchronize());
    }
}

int main()
{
    CK(cudaMalloc(&data, 512u << 20));
    CK(cudaMalloc(&out, 8u << 20));
    CK(cudaMemset(data, 0, 512u << 20));
    CK(cudaMemset(out, 0, 8u << 20));
    all_grids<P, P, ONLY_READ, 0, 1, 1, 5, 8>();
    all_grids<P, P, ONLY_WRITE, 0, 1, 1, 5, 8>();
    all_grids<P, P, NOTHING, 0, 1, 1, 5, 8>();
    all_grids<P, P, NOTHING, 0, 1, 0, 5, 8>();
    all_grids<P, P, NOTHING, 0, 1, 1, 1, 8>(); // what was written
    all_grids<P, V, NOTHING, 0, 1, 1, 5, 8>();
    all_grids<P, G, NOTHING, 0, 1, 1, 5, 8>();
    all_grids<V, P, NOTHING, 0, 1, 1, 5, 8>();
    all_grids<V, V, NOTHING, 0, 1, 1, 5, 8>();
    all_grids<P, P, NOTHING, 0, 2, 0, 5, 8>();
    all_grids<P, P, NOTHING, 0, 4, 0, 5, 8>();
    all_grids<P, P, BARRIER, 0, 1, 1, 5, 8>();
    all_grids<P, P, FENCE_BLOCK, 0, 1, 1, 5, 8>();
    all_grids<P, P, FENCE_GPU, 0, 1, 1, 5, 8>();
    all_grids<P, P, WAIT, 600, 1, 1, 5, 8>();
    all_grids<P, P, WAIT, 2400, 1, 1, 5, 8>();
    all_grids<P, P, WAIT, 4800, 1, 1, 5, 8>();
    all_grids<P, P, NOTHING, 0, 1, 1, 5, 32>();  // a sector of each line
    all_grids<P, P, NOTHING, 0, 1, 1, 13, 32>(); // the next sector of the line
    all_grids<P, P, NOTHING, 0, 1, 1, 13, 16>();
    all_grids<P, P, NOTHING, 0, 1, 1, 5, 16>();
    return 0;
}
