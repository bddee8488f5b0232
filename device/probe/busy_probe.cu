/* busy_probe.cu - how long stores wait for the next to their line while other warps keep the
 * load/store unit at work.
 *
 * One warp, or `storing` warps on schedulers of their own, store 64 times to a line of their own,
 * `gap` dependent multiplications (4 cycles each) apart, without a loop. `others` warps work all
 * the while: kind 0 rests, 1 loads from shared memory in one pass, 2 in 32 passes, 3 loads a line
 * that is in the L1, 4 loads a word of each of 32 lines that are in the L1, 5 the same 32 lines
 * but each load waits for the one before, 6 as 3 but waits. No clock is read: models can run the
 * same instructions. To be run under Nsight Compute. */
#include "launched.h"

template <int GAP> __device__ unsigned stores(char *to, unsigned x)
{
#pragma unroll
    for (int i = 0; i < 64; i++) {
        asm volatile("st.global.u32 [%0],%1;" ::"l"(to), "r"(x) : "memory");
#pragma unroll
        for (int g = 0; g < GAP; g++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
    }
    return x;
}

__device__ unsigned work(const char *read, int kind, int times)
{
    __shared__ unsigned held[1024];
    unsigned lane = threadIdx.x % 32, x = 0, v = 0;
    unsigned at = (unsigned)__cvta_generic_to_shared(held) + lane * (kind == 2 ? 128 : 4);
    const char *p = read + (kind == 3 || kind == 6 ? lane * 4 : lane * 128);
    for (int i = 0; i < times; i++)
        if (kind == 1 || kind == 2) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(at) : "memory");
                x += v;
            }
        } else {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
                x += v;
                if (kind >= 5)
                    p += v;
            }
        }
    return x;
}

template <int GAP>
__global__ void busy(char *data, const char *read, unsigned *sums, int storing, int kind, int times)
{
    unsigned warp = threadIdx.x / 32, x = threadIdx.x;
    x += work(read, kind ? kind : 4, 4);
    for (int i = 0; i < 512; i++)
        asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
    __syncthreads();
    if (warp < storing)
        x = stores<GAP>(data + (size_t)threadIdx.x * 4, x);
    else if (kind)
        x += work(read, kind, times);
    sums[threadIdx.x] = x;
}

static char *data, *read_here;
static unsigned *sums;
template <int GAP> static void run(int storing, int kind, int others)
{
    int each = kind == 2 ? 128 : kind == 4 ? 32 : 16, times = 64 * (GAP * 4 + 40) / each + 8;
    busy<GAP><<<1, (storing + others) * 32>>>(data, read_here, sums, storing, kind, times);
    LAUNCHED("busy gap=%d storing=%d kind=%d others=%d stores=%d", GAP, storing, kind, others,
             storing * 64 * 4);
}
template <int GAP> static void all()
{
    run<GAP>(1, 0, 0);
    run<GAP>(4, 0, 0);
    for (int kind = 1; kind <= 6; kind++)
        for (int others : {3, 7})
            run<GAP>(1, kind, others);
}

int main()
{
    CK(cudaMalloc(&data, 1 << 20));
    CK(cudaMalloc(&read_here, 1 << 20));
    CK(cudaMalloc(&sums, 1 << 16));
    CK(cudaMemset(read_here, 0, 1 << 20));
    all<2>(), all<4>(), all<6>(), all<8>(), all<12>(), all<16>(), all<20>(), all<24>(), all<28>();
    all<32>(), all<40>(), all<48>(), all<64>(), all<96>();
    return 0;
}
