/* constant_probe.cu - loads of constants at an address in a register: cycles of an SM for one of a
 * warp, by warps of a block, rows of the table that the warps read, and whether all lanes take it.
 * The SM's own clock. */
#include "check.h"

__constant__ unsigned table[4096];

enum mode { PLAIN, SOME_LANES, BITS, CHAIN, MODES };
static const char *const names[] = {"plain", "some_lanes", "bits", "chain"};

template <int MODE>
__global__ void loads(unsigned *out, int rounds, int row_words, int rows, unsigned mask)
{
    unsigned sum = 0, warp = threadIdx.x / 32;
    const unsigned *row = table + warp % rows * row_words;
    unsigned start = 0;
    for (int twice = 0; twice < 2; twice++) {
        __syncthreads();
        start = clock();
        for (int n = 0; n < rounds; n++) {
            if (MODE == CHAIN) {
#pragma unroll
                for (int k = 0; k < 16; k++)
                    sum = row[(sum & 15) + k];
            } else if (MODE == BITS) {
                unsigned data = n * 77 + threadIdx.x, x = 0;
#pragma unroll
                for (int k = 0; k < 31; k++, data >>= 1)
                    if (data & 1)
                        x ^= row[k];
                out[64 + n % 4 * 1024 + threadIdx.x] = x;
            } else {
                const unsigned *at = row + (n & 3) * 16;
#pragma unroll
                for (int k = 0; k < 16; k++)
                    if (MODE == PLAIN || mask >> (threadIdx.x + k) % 32 & 1)
                        sum ^= at[k];
            }
        }
        __syncthreads();
        start = clock() - start;
    }
    if (threadIdx.x == 0)
        out[0] = start;
    if (sum == 123456789)
        out[1] = sum;
}

static unsigned *out;
template <int MODE> static void run(int warps, int row_words, int rows)
{
    unsigned t;
    int each = MODE == BITS ? 31 : 16, rounds = 32;
    loads<MODE><<<1, warps * 32>>>(out, rounds, row_words, rows, 0x5a5a3c3c);
    CK(cudaMemcpy(&t, out, 4, cudaMemcpyDeviceToHost));
    printf("%s,%d,%d,%d,%.2f\n", names[MODE], warps, row_words, rows,
           t / (double)(rounds * each * warps));
}
int main()
{
    CK(cudaMalloc(&out, 65536));
    printf("mode,warps,row_words,rows,sm_cycles_a_load\n");
    for (int warps : {1, 2, 4, 8, 12, 16, 32})
        for (int rows : {1, 3}) {
            run<PLAIN>(warps, 64, rows), run<SOME_LANES>(warps, 64, rows);
            run<BITS>(warps, 31, rows), run<CHAIN>(warps, 32, rows);
        }
    for (int words : {128, 256, 512})
        run<PLAIN>(16, words, 8), run<BITS>(16, words, 8);
    return 0;
}
