/* leave_probe.cu - loads of one warp that each want another sector of the same lines: which of them ask
 * the L2 together, by the lines of a load, what was read before, the order of the sectors and how many
 * warps and blocks do so. To be run under Nsight Compute; requests and hits of the L2 are the result. */
#include "launched.h"

#include <cuda_runtime.h>

// A set: eight loads at most, one after another, then all are waited for. Bits of `order`, four a load:
// the sector; 15: none.
__global__ void walk(const unsigned *a, int lines, int sets, unsigned long long order, int first,
                     unsigned *out)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    unsigned sum = 0, v[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    if (first) {
        asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(sum) : "l"(a + 32 * 1048576 + warp * 32) : "memory");
        if (sum == 77)
            *out = 1;
        __syncthreads();
    }
    const unsigned *at = a + (size_t)warp * sets * lines * 32 + lane % lines * 32 + lane / lines % 8;
    for (int s = 0; s < sets; s++, at += lines * 32) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned sector = (unsigned)(order >> 4 * k) & 15;
            if (sector < 4)
                asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v[k]) : "l"(at + sector * 8) : "memory");
        }
        for (int k = 0; k < 8; k++)
            sum += v[k];
        if (sum == 77)
            *out = 1;
    }
}

static void run(const unsigned *a, int lines, int sets, unsigned long long order, int first, int warps,
                int blocks, unsigned *out)
{
    walk<<<blocks, warps * 32>>>(a, lines, sets, order, first, out);
    LAUNCHED("walk lines=%d sets=%d order=%llx first=%d warps=%d blocks=%d", lines, sets, order, first, warps,
             blocks);
}

int main()
{
    unsigned *a, *out;
    const unsigned long long in_order = 0xffff3210;
    CK(cudaMalloc(&a, (size_t)256 << 20));
    CK(cudaMalloc(&out, 4096));
    for (int blocks : {1, 128})
        for (int lines : {1, 4, 8, 16, 32})
            for (int first : {0, 1})
                for (int sets : {1, 4})
                    run(a, lines, sets, in_order, first, 1, blocks, out);
    for (int first : {0, 1})
        for (unsigned long long order : {0xffff3120ull, 0xffffff10ull, 0xffffff20ull, 0x33221100ull, 0xffff0123ull})
            run(a, 16, 4, order, first, 1, 128, out);
    for (int warps : {2, 4, 8})
        for (int lines : {1, 4, 16})
            for (int first : {0, 1})
                run(a, lines, 4, in_order, first, warps, 128, out);
    run(a, 16, 1, 0x33221100ull, 0, 2, 128, out);
    run(a, 16, 1, 0x33221100ull, 1, 2, 128, out);
    return 0;
}
