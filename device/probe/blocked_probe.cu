/* blocked_probe.cu - which stores meet while the way out of an SM is full.
 *
 * window: each warp stores a word of each sector of N lines, one line an instruction, then the
 * next word of the same lines, eight times; then come other lines. A line's stores are N
 * instructions of the warp apart, so that nothing depends on which warp goes next where there is
 * one. record: each thread stores K words of its own side by side, `gap` instructions apart.
 * On all SMs the way out is full, on one of each pair or on one alone it is not. To be run under
 * Nsight Compute; the counters are the result. */
#include "launched.h"

__device__ static bool taken(int sms)
{
    unsigned sm;
    asm("mov.u32 %0,%%smid;" : "=r"(sm));
    return sms == 132 || (sms == 66 && sm % 2 == 0) || sm == 0;
}

/* The words of the lines of a warp in turn `r`; every block has a place of its own. */
__global__ void window(unsigned *out, int lines, int turns, int sms)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (!taken(sms) || lane >= 4)
        return;
    unsigned *at = out + ((size_t)blockIdx.x * warps + warp) * turns * lines * 32 + lane * 8;
    for (int r = 0; r < turns; r++, at += (size_t)lines * 32)
        for (int k = 0; k < 8; k++) {
            unsigned *p = at + k;
#pragma unroll 4
            for (int n = 0; n < lines; n++, p += 32)
                asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(k) : "memory");
        }
}

template <int K> __global__ void record(unsigned *out, int turns, int gap, int sms)
{
    unsigned v = threadIdx.x;
    if (!taken(sms))
        return;
    for (int r = 0; r < turns; r++) {
        unsigned *at = out + (((size_t)r * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x) * K;
#pragma unroll
        for (int k = 0; k < K; k++) {
            asm volatile("st.global.u32 [%0],%1;" ::"l"(at + k), "r"(v) : "memory");
            for (int g = 0; g < gap; g++)
                asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(v));
        }
    }
}

static unsigned *out;
static void run_window(int warps, int lines, int turns, int sms)
{
    window<<<132, warps * 32>>>(out, lines, turns, sms);
    LAUNCHED("window sms=%d warps=%d lines=%d words=8 turns=%d gap=0 sectors=%ld", sms, warps, lines, turns,
             (long)sms * warps * turns * lines * 4);
}
template <int K> static void run_record(int warps, int turns, int gap, int sms)
{
    record<K><<<132, warps * 32>>>(out, turns, gap, sms);
    LAUNCHED("record sms=%d warps=%d lines=%d words=%d turns=%d gap=%d sectors=%ld", sms, warps, K, K, turns, gap,
             (long)sms * warps * turns * K * 4);
}
template <int K> static void records(int sms)
{
    for (int warps : {4, 8, 16, 32})
        run_record<K>(warps, 2048 / K / warps, 0, sms);
}

int main()
{
    CK(cudaMalloc(&out, (size_t)512 << 20));
    for (int lines : {4, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256})
        run_window(1, lines, 1536 / lines, 132);
    for (int lines : {16, 64, 128})
        run_window(1, lines, 384 / lines, 132);
    for (int lines : {4, 8, 16, 32, 64})
        run_window(4, lines, 512 / lines, 132);
    for (int lines : {4, 8, 16, 32, 64})
        run_window(4, lines, 512 / lines, 66);
    for (int lines : {4, 8, 16, 32, 64})
        run_window(4, lines, 512 / lines, 1);
    for (int sms : {132, 66, 1})
        records<3>(sms), records<4>(sms), records<5>(sms), records<8>(sms);
    for (int gap : {8, 32, 128})
        run_record<5>(8, 64, gap, 132), run_record<8>(4, 64, gap, 132);
    return 0;
}
