/* own_probe.cu - stores of a thread to K words of its own, side by side with those of the next
 * thread: how many of them leave the SM as one, by K, where the values come from, warps of a block,
 * blocks of an SM, and what is between. To be run under Nsight Compute; the counters are the
 * result. */
#include "launched.h"

#include <cstdint>

/* FROM 0: made up. 1: K words loaded, as stored. 2: loaded and handed round in shared memory by the
 * warp. 3: by the block, with a barrier. 4: as 1, each loaded just before its store. 5: as 0,
 * behind a barrier. */
template <int K, int FROM>
__global__ void own(const unsigned *in, unsigned *out, int turns, int gap)
{
    extern __shared__ unsigned held[];
    unsigned v[K];
    for (int r = 0; r < turns; r++) {
        size_t t = ((size_t)r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
        unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
        for (int k = 0; k < K; k++)
            v[k] = FROM >= 1 && FROM <= 3 ? in[t * K + k] : threadIdx.x;
        if (FROM == 5)
            __syncthreads();
        if (FROM == 2 || FROM == 3) {
#pragma unroll
            for (int k = 0; k < K; k++)
                held[(warp * 32 + lane) * K + k] = v[k];
            if (FROM == 2)
                __syncwarp();
            else
                __syncthreads();
#pragma unroll
            for (int k = 0; k < K; k++)
                v[k] = held[warp * 32 * K + k * 32 + lane];
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
            if (FROM == 4)
                v[k] = in[t * K + k];
            asm volatile("st.global.u32 [%0],%1;" ::"l"(out + t * K + k), "r"(v[k]) : "memory");
            if (gap)
                for (int g = 0; g < gap; g++)
                    asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(v[k]));
        }
        if (FROM == 3)
            __syncthreads();
    }
}
static unsigned *in, *out;
template <int K, int FROM> static void run(int blocks, int threads, int per_sm, int turns, int gap)
{
    int shared = 220 * 1024 / per_sm / 1024 * 1024 - 1024;
    if (shared < threads * K * 4)
        shared = threads * K * 4;
    CK(cudaFuncSetAttribute(own<K, FROM>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    own<K, FROM><<<blocks, threads, shared>>>(in, out, turns, gap);
    LAUNCHED("own words=%d from=%d blocks=%d threads=%d per_sm=%d turns=%d gap=%d pieces=%ld "
             "sectors=%ld",
             K, FROM, blocks, threads, per_sm, turns, gap,
             (long)blocks * threads * turns / 32 * K * (K <= 8 ? 4 * K : 32),
             (long)blocks * threads * turns * K / 8);
}
template <int K> static void all_of(int blocks)
{
    run<K, 0>(blocks, 256, 8, 1, 0);
    run<K, 1>(blocks, 256, 8, 1, 0);
    run<K, 2>(blocks, 256, 8, 1, 0);
    run<K, 3>(blocks, 256, 8, 1, 0);
    run<K, 4>(blocks, 256, 8, 1, 0);
    run<K, 5>(blocks, 256, 8, 1, 0);
}
int main()
{
    CK(cudaMalloc(&in, (size_t)512 << 20));
    CK(cudaMalloc(&out, (size_t)512 << 20));
    all_of<2>(4096);
    all_of<3>(4096);
    all_of<4>(4096);
    all_of<8>(4096);
    for (int threads : {32, 64, 128, 512})
        for (int per_sm : {1, 2, 4}) {
            run<4, 0>(1056, threads, per_sm, 1, 0);
            run<4, 1>(1056, threads, per_sm, 1, 0);
            run<4, 2>(1056, threads, per_sm, 1, 0);
        }
    for (int gap : {2, 8, 32}) {
        run<4, 0>(1056, 256, 8, 1, gap);
        run<4, 1>(1056, 256, 8, 1, gap);
        run<4, 1>(132, 128, 1, 1, gap);
    }
    for (int turns : {4, 16}) {
        run<4, 0>(132, 256, 1, turns, 0);
        run<4, 1>(132, 256, 1, turns, 0);
        run<4, 1>(132, 1024, 1, turns, 0);
        run<4, 1>(1, 1024, 1, turns, 0);
        run<4, 1>(1, 128, 1, turns, 0);
        run<4, 0>(1, 1024, 1, turns, 0);
    }
    return 0;
}
