/* start_probe.cu - what the code of a kernel costs when it is launched: 512 bytes to 64 KB of
 * straight code, run by one warp, by four or by a block on every SM, run whole or jumped over, with
 * few parameters and with a kilobyte of them. To be run under Nsight Compute with flushed and with
 * warm caches; the counters are the result. */
#include "check.h"

struct many {
    int word[256];
};

__global__ void nothing(int *out, int skip)
{
}

__global__ void nothing_many(int *out, int skip, many parameters)
{
}

// 16 bytes of code an instruction; with skip they are there and nobody runs them.
template <int KB2> __device__ void code(int *out, int skip)
{
    int x = threadIdx.x;
    if (!skip) {
#pragma unroll
        for (int k = 0; k < KB2 * 32; k++)
            asm volatile("mad.lo.s32 %0, %0, %0, %1;" : "+r"(x) : "r"(k * 77 + 5));
    }
    if (x == -1)
        out[0] = x;
}

template <int KB2> __global__ void straight(int *out, int skip)
{
    code<KB2>(out, skip);
}

template <int KB2> __global__ void straight_many(int *out, int skip, many parameters)
{
    code<KB2>(out, skip + parameters.word[0]);
}

template <int KB2> static void launch(int *out, int blocks, int threads, int skip)
{
    many parameters = {{0}};
    printf("straight,%d,%d,%d,%d,8\n", KB2 * 512, blocks, threads, skip);
    straight<KB2><<<blocks, threads>>>(out, skip);
    printf("straight,%d,%d,%d,%d,1024\n", KB2 * 512, blocks, threads, skip);
    straight_many<KB2><<<blocks, threads>>>(out, skip, parameters);
    CK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 2, *out;
    static const int shape[][2] = {{1, 32}, {1, 128}, {132, 32}};
    CK(cudaMalloc(&out, 4096));
    for (int round = 0; round < rounds; round++)
        for (auto &s : shape) {
            printf("nothing,0,%d,%d,0,8\n", s[0], s[1]);
            nothing<<<s[0], s[1]>>>(out, 0);
            printf("nothing,0,%d,%d,0,1024\n", s[0], s[1]);
            nothing_many<<<s[0], s[1]>>>(out, 0, many{{0}});
            for (int skip = 0; skip < 2; skip++) {
                launch<1>(out, s[0], s[1], skip);
                launch<2>(out, s[0], s[1], skip);
                launch<4>(out, s[0], s[1], skip);
                launch<8>(out, s[0], s[1], skip);
                launch<16>(out, s[0], s[1], skip);
                launch<32>(out, s[0], s[1], skip);
                launch<64>(out, s[0], s[1], skip);
                launch<128>(out, s[0], s[1], skip);
            }
        }
    CK(cudaDeviceSynchronize());
    return 0;
}
