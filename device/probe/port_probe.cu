/* port_probe.cu - how often a scheduler takes a load of constants and a read of a special register:
 * cycles an instruction by the warps of a block. The SM's own clock. */
#include "check.h"

__constant__ int table[4096];

enum what { SMID, TID, CTAID, LDC_ONE, LDC_FOUR, LDC_MIXED, UNIFORM, WHATS };

template <int WHAT> __global__ void port(int *out, int step, int rounds)
{
    int x = 0, sum = threadIdx.x & 0;
    unsigned long long at = (unsigned long long)table;
    asm("cvta.to.const.u64 %0, %0;" : "+l"(at));
    at += (threadIdx.x >> 5) * (step & 64);
    unsigned start = 0;
    for (int twice = 0; twice < 2; twice++) {
        __syncthreads();
        start = clock();
        for (int n = 0; n < rounds; n++) {
#pragma unroll
            for (int k = 0; k < 16; k++) {
                if (WHAT == SMID || (WHAT == LDC_MIXED && k % 2))
                    asm volatile("mov.u32 %0, %%smid;" : "=r"(x));
                else if (WHAT == TID)
                    asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));
                else if (WHAT == CTAID)
                    asm volatile("mov.u32 %0, %%warpid;" : "=r"(x));
                else if (WHAT == UNIFORM)
                    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(x));
                else
                    asm volatile("ld.const.u32 %0, [%1];" : "=r"(x) : "l"(at + k * (WHAT == LDC_FOUR ? 64 : 4)));
                sum += x;
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

static int *out;

template <int WHAT> static void run(const char *name)
{
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        int t;
        port<WHAT><<<1, warps * 32>>>(out, 0, 64);
        CK(cudaMemcpy(&t, out, 4, cudaMemcpyDeviceToHost));
        double each = t / (64.0 * 16);
        printf("%s,%d,%.2f,%.2f\n", name, warps, each, each / (warps < 4 ? 1 : warps / 4));
    }
}

int main(void)
{
    CK(cudaMalloc(&out, 4096));
    printf("what,warps,cycles_an_instruction,of_a_scheduler\n");
    run<SMID>("smid");
    run<TID>("laneid");
    run<CTAID>("warpid");
    run<UNIFORM>("nwarpid");
    run<LDC_ONE>("ldc");
    run<LDC_FOUR>("ldc_lines");
    run<LDC_MIXED>("ldc_and_smid");
    return 0;
}
