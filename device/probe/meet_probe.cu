/* meet_probe.cu - how many lines, or how many cycles, stores wait for the next to the same lines.
 *
 * Each warp that stores does so eight times to a word of each of `lines` lines, `stride` lines
 * apart, with `gap` instructions of arithmetic between; then all wait in arithmetic, so that every
 * line has left before the next round. spread: the lanes' words lie in one bank (0: a pass a line)
 * or in banks of their own (1: one pass), so that lines and cycles go apart. warps: on schedulers
 * of their own. others: so many warps read shared memory meanwhile, 32 passes a load. No clock is
 * read: models can run the same instructions. To be run under Nsight Compute. */
#include "launched.h"

__global__ void meet(char *data, unsigned *sums, int rounds, int lines, int stride, int spread,
                     int gap, int warps, int pause)
{
    __shared__ unsigned held[1024];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, x = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(held) + lane * 128;
    char *p = data + ((size_t)warp * lines + lane) * stride * 128 + lane % 4 * 32;
    for (int r = 0; r < rounds; r++, p += (size_t)warps * lines * stride * 128) {
#pragma unroll 8
        for (int i = 0; i < pause; i++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
        __syncthreads();
        if (warp >= warps) {
            for (int i = 0; i < 64; i++) {
                unsigned v;
                asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(at) : "memory");
                x += v;
            }
            continue;
        }
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned word = spread ? lane / 4 ^ k : k;
            if (lane < lines)
                asm volatile("st.global.u32 [%0],%1;" ::"l"(p + word * 4), "r"(x) : "memory");
            for (int g = 0; g < gap; g++)
                asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
        }
    }
    sums[threadIdx.x] = x;
}

static char *data;
static unsigned *sums;
static void run(int lines, int stride, int spread, int gap, int warps, int others)
{
    meet<<<1, (warps + others) * 32>>>(data, sums, 16, lines, stride, spread, gap, warps, 512);
    LAUNCHED("meet lines=%d stride=%d spread=%d gap=%d warps=%d others=%d sectors=%d", lines, stride,
             spread, gap, warps, others, 16 * warps * lines + (warps + others) * 4);
}

int main()
{
    CK(cudaMalloc(&data, (size_t)512 << 20));
    CK(cudaMalloc(&sums, 4096));
    for (int spread : {0, 1})
        for (int lines : {8, 16, 20, 24, 28, 32})
            run(lines, 1, spread, 0, 1, 0);
    for (int warps : {2, 3, 4})
        for (int lines : {8, 12, 16, 24})
            run(lines, 1, 1, 0, warps, 0), run(lines, 1, 0, 0, warps, 0);
    for (int stride : {2, 4, 8, 16, 48, 64, 256})
        for (int lines : {8, 16, 24})
            run(lines, stride, 1, 0, 1, 0);
    for (int others : {0, 1, 3})
        for (int gap : {1, 2, 4, 6, 8, 12, 16, 24})
            run(4, 1, 1, gap, 1, others);
    for (int gap : {2, 4, 8})
        run(16, 1, 1, gap, 1, 0), run(4, 1, 1, gap, 4, 0);
    return 0;
}
