// code_probe.cu - how fast instructions arrive, by the length of a loop of straight code.
//
//   code_probe           prints CSV: kilobytes,sms,warps,first,steady
//
// A loop of so many kilobytes of independent multiply-adds runs eight times on `sms` SMs with `warps` warps each (warps above
// four share schedulers). first: cycles an instruction in the first round, when nothing was fetched; steady: in the last.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#include "check.h"

enum { ROUNDS = 8 };

template <int KB> __global__ void straight(long long *cycles, float *sink, float x)
{
    float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
    long long took[ROUNDS];
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        __syncthreads();
        long long t = clock64();
#pragma unroll
        for (int i = 0; i < KB * 16; i++) { // four instructions of 16 bytes
            asm volatile("fma.rn.f32 %0, %0, %4, %4; fma.rn.f32 %1, %1, %4, %4; fma.rn.f32 %2, %2, %4, %4; fma.rn.f32 %3, %3, %4, %4;"
                         : "+f"(a), "+f"(b), "+f"(c), "+f"(d)
                         : "f"(x));
        }
        took[r & (ROUNDS - 1)] = clock64() - t;
        if (threadIdx.x % 32 == 0)
            atomicMax((unsigned long long *)&cycles[blockIdx.x * ROUNDS + r], (unsigned long long)took[r & (ROUNDS - 1)]);
    }
    if (a + b + c + d == 0.125f)
        sink[0] = 1;
}

static long long *cycles;
static float *sink;

template <int KB> static void measure()
{
    for (int sms : {1, 132})
        for (int warps : {1, 4, 16}) {
            CK(cudaMemset(cycles, 0, 132 * ROUNDS * 8));
            straight<KB><<<sms, 32 * warps>>>(cycles, sink, 0.5f);
            CK(cudaDeviceSynchronize());
            std::vector<long long> all(132 * ROUNDS);
            CK(cudaMemcpy(all.data(), cycles, all.size() * 8, cudaMemcpyDeviceToHost));
            double first = 0, steady = 0;
            for (int s = 0; s < sms; s++) {
                first += (double)all[s * ROUNDS] / sms;
                steady += (double)all[s * ROUNDS + ROUNDS - 1] / sms;
            }
            printf("%d,%d,%d,%.3f,%.3f\n", KB, sms, warps, first / (KB * 64), steady / (KB * 64));
        }
}

int main()
{
    CK(cudaMalloc(&cycles, 132 * ROUNDS * 8));
    CK(cudaMalloc(&sink, 64));
    printf("kilobytes,sms,warps,first,steady\n");
    measure<2>(), measure<4>(), measure<8>(), measure<12>(), measure<16>(), measure<24>(), measure<32>(), measure<48>(), measure<64>();
    measure<96>(), measure<112>(), measure<128>(), measure<160>(), measure<192>(), measure<256>();
    return 0;
}
