/* fragment_probe.cu - which stores of a product's sums meet on their way out.
 *
 * A warp holds 16 rows of sums as tensor cores leave them: lanes of four hold neighbouring words of
 * a row, eight rows at a time. Rows of `row` bytes are stored in pieces of 4 bytes a lane (two
 * halves) or 8 (two floats), first the eight upper rows and then the lower. Warps are on schedulers
 * by turns and begin together; order: what a warp does first, all pieces of the upper rows (0) or
 * the upper and lower of each piece (1). between: instructions of arithmetic between two stores.
 * No clock is read: models can run the same instructions. To be run under Nsight Compute. */
#include "launched.h"

__device__ void piece(char *to, int wide, unsigned x)
{
    if (wide)
        asm volatile("st.global.v2.u32 [%0],{%1,%1};" ::"l"(to), "r"(x) : "memory");
    else
        asm volatile("st.global.u32 [%0],%1;" ::"l"(to), "r"(x) : "memory");
}

template <int PIECES>
__global__ void fragment(char *data, unsigned *sums, int rounds, int wide, int order, int between,
                         int lag)
{
    const int bytes = wide ? 8 : 4, row = PIECES * 4 * bytes;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32, x = lane;
    char *to = data + (size_t)blockIdx.x * rounds * warps * 16 * row +
               ((size_t)warp * 16 + lane / 4) * row + lane % 4 * bytes;
    for (int r = 0; r < rounds; r++, to += (size_t)warps * 16 * row) {
        for (int i = 0; i < 512; i++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
        __syncthreads();
        for (int i = 0; i < lag * (int)warp; i++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
#pragma unroll
        for (int k = 0; k < 2 * PIECES; k++) {
            int half = order ? k % 2 : k / PIECES, j = order ? k / 2 : k % PIECES;
            piece(to + half * 8 * row + j * 4 * bytes, wide, x);
            for (int b = 0; b < between; b++)
                asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
        }
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static char *data;
static unsigned *sums;
template <int PIECES>
static void run(int blocks, int warps, int wide, int order, int between, int lag)
{
    const int rounds = 8;
    fragment<PIECES><<<blocks, warps * 32>>>(data, sums, rounds, wide, order, between, lag);
    LAUNCHED("fragment blocks=%d warps=%d row=%d wide=%d order=%d between=%d lag=%d sectors=%d", blocks,
             warps, PIECES * (wide ? 32 : 16), wide, order, between, lag,
             blocks * (rounds * warps * 16 * PIECES * (wide ? 32 : 16) / 32 + warps * 4));
}

int main()
{
    CK(cudaMalloc(&data, (size_t)256 << 20));
    CK(cudaMalloc(&sums, 1 << 20));
    for (int warps : {1, 2, 3, 4, 8, 12, 16}) {
        run<2>(1, warps, 0, 0, 0, 0), run<4>(1, warps, 0, 0, 0, 0);
        run<8>(1, warps, 0, 0, 0, 0), run<16>(1, warps, 0, 0, 0, 0);
        run<8>(1, warps, 0, 1, 0, 0), run<8>(1, warps, 1, 0, 0, 0);
        run<8>(1, warps, 0, 0, 1, 0), run<8>(1, warps, 0, 0, 4, 0);
    }
    for (int lag : {2, 8, 32})
        for (int warps : {4, 8})
            run<8>(1, warps, 0, 0, 0, lag);
    for (int warps : {4, 8})
        run<8>(132, warps, 0, 0, 0, 0), run<16>(132, warps, 0, 0, 0, 0), run<8>(132, warps, 0, 0, 4, 0);
    return 0;
}
