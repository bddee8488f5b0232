/* local_probe.cu - where local memory lies and what the L1 does with it: warps that write words
 * (or the bytes of words) of an array of their threads' own and read them again and again. Words a
 * thread, warps an SM, size of the array and waves of blocks change. Lines that share a set of
 * tags miss on every round, so that the number of misses tells how far apart two warps' arrays
 * are. To be run under Nsight Compute; the counters are the result. */
#include "check.h"

template <int ARRAY_WORDS, typename T>
__global__ void touch(int *out, int words, int rounds, int zero)
{
    const int each = 4 / sizeof(T);
    T array[ARRAY_WORDS * each];
    for (int k = 0; k < words * each; k++)
        array[k + zero] = (T)(k + zero);
    __syncthreads();
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < words; k++)
            sum += array[k * each + zero];
        __syncthreads();
    }
    if (sum == -1) // never: the sum is wanted, the store is not
        out[threadIdx.x] = sum + array[zero + words];
}

template <int ARRAY_WORDS, typename T>
static void run(int *out, int blocks_per_sm, int threads, int words, int rounds, int waves)
{
    printf("%d,%d,%d,%d,%d,%d,%d\n", ARRAY_WORDS, (int)sizeof(T), blocks_per_sm, threads, words, rounds, waves);
    touch<ARRAY_WORDS, T><<<132 * blocks_per_sm * waves, threads>>>(out, words, rounds, 0);
    CK(cudaGetLastError());
}

int main(void)
{
    int *out;
    CK(cudaMalloc(&out, 1 << 20));
    for (int threads = 128; threads <= 1024; threads *= 2)
        for (int words = 1; words <= 16; words *= 2)
            run<18, int>(out, 1, threads, words, 8, 1);
    for (int words = 1; words <= 18; words++)
        run<18, int>(out, 2, 1024, words, 8, 1);
    for (int words = 1; words <= 16; words *= 2) {
        run<64, int>(out, 2, 1024, words, 8, 1);
        run<128, int>(out, 2, 1024, words, 8, 1);
        run<250, int>(out, 2, 1024, words, 8, 1);
        run<300, int>(out, 2, 1024, words, 8, 1);
        run<500, int>(out, 2, 1024, words, 8, 1);
        run<2000, int>(out, 2, 1024, words, 8, 1);
    }
    for (int words = 1; words <= 16; words *= 2)
        run<18, int>(out, 2, 1024, words, 8, 1);
    for (int words = 4; words <= 16; words *= 2) {
        run<18, unsigned char>(out, 2, 1024, words, 1, 1);
        run<18, unsigned short>(out, 2, 1024, words, 1, 1);
        run<18, int>(out, 2, 1024, words, 1, 1);
        run<18, unsigned char>(out, 8, 256, words, 1, 10);
        run<18, int>(out, 8, 256, words, 1, 10);
        run<250, int>(out, 8, 256, words, 1, 10);
    }
    run<250, int>(out, 8, 256, 128, 2, 2);
    run<64, int>(out, 8, 256, 64, 2, 2);
    run<2000, int>(out, 2, 256, 1500, 2, 2);
    CK(cudaDeviceSynchronize());
    return 0;
}
