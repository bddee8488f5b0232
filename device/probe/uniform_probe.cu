/* uniform_probe.cu - loads of constants to uniform registers (ULDC) and to registers (LDC) in a loop: what a load takes by how many places the
 * loop names and how far they are from one another.
 *
 *     nvcc -arch=sm_90 -O3 -o uniform_probe uniform_probe.cu; uniform_probe
 *
 * One warp goes round `places` words `distance` bytes apart and adds them up. In form 1 the place is counted on, the same for all lanes, so that
 * the assembler has it in uniform registers; in form 2 each lane has its own, which waits for what was read last (always 0). Printed are the
 * cycles of a round of the loop, the second time that all its loads are done. */
#include "check.h"

enum { WORDS = 7 * 1024, LOADS = 4096 };
__constant__ float numbers[WORDS];
__constant__ unsigned table[WORDS];

__global__ void uniform(long long *cycles, float *sink, unsigned step, unsigned end)
{
    for (int time = 0; time < 2; time++) {
        float sum = 0;
        unsigned at = 0;
        long long begin = clock64();
#pragma unroll 1
        for (int i = 0; i < LOADS; i++) {
            sum += numbers[at];
            at += step;
            if (at >= end)
                at = 0;
        }
        if (sum != 1)
            cycles[0] = clock64() - begin;
        sink[0] = sum;
    }
}

__global__ void lanes(long long *cycles, unsigned *sink, unsigned step, unsigned end)
{
    for (int time = 0; time < 2; time++) {
        unsigned at = sink[threadIdx.x];
        long long begin = clock64();
#pragma unroll 1
        for (int i = 0; i < LOADS; i++) {
            at += step + table[at];
            if (at >= end)
                at = 0;
        }
        if (at != ~0u)
            cycles[0] = clock64() - begin;
        sink[32 + threadIdx.x] = at;
    }
}

int main()
{
    long long *cycles, t;
    void *sink;
    CK(cudaMalloc(&cycles, 8));
    CK(cudaMalloc(&sink, 256));
    CK(cudaMemset(sink, 0, 256));
    printf("form,places,distance,cycles\n");
    for (int form = 1; form <= 2; form++)
        for (unsigned distance : {4u, 64u, 128u, 256u})
            for (unsigned n : {1u, 2u, 3u, 4u, 5u, 6u, 8u, 12u, 16u, 24u, 32u, 64u, 128u, 256u}) {
                unsigned step = distance / 4, end = n * step;
                if (end > WORDS)
                    continue;
                if (form == 1)
                    uniform<<<1, 32>>>(cycles, (float *)sink, step, end);
                else
                    lanes<<<1, 32>>>(cycles, (unsigned *)sink, step, end);
                CK(cudaMemcpy(&t, cycles, 8, cudaMemcpyDeviceToHost));
                printf("%d,%u,%u,%.2f\n", form, n, distance, (double)t / LOADS);
            }
    return 0;
}
