/* waves_probe.cu - what a block that follows another on its SM costs, by its warps and by what little
 * it does: nothing, some instructions, a parameter, jumps, a barrier. Alone on the SM, two at a time,
 * and as many as fit. Under Nsight Compute; cycles a wave come from grids of 4, 20 and 36 blocks an SM. */
#include "check.h"

__global__ void empty(int *out, int zero)
{
}

template <int N> __global__ void chain(int *out, int zero)
{
    int x = threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; k++)
        asm volatile("mad.lo.s32 %0, %0, %0, %1;" : "+r"(x) : "r"(k * 77 + 5));
    if (x == -1)
        out[0] = x;
}

__global__ void parameter(int *out, int zero)
{
    if (zero == 77)
        out[0] = 1;
}

// Branches that all warps take.
template <int N> __global__ void jumps(int *out, int zero)
{
    int x = threadIdx.x;
#pragma unroll
    for (int n = 0; n < N; n++) {
        if (zero == n + 1) {
#pragma unroll
            for (int k = 0; k < 12; k++)
                asm volatile("mad.lo.s32 %0, %0, %0, %1;" : "+r"(x) : "r"(k * 77 + n));
        }
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(n + 3));
    }
    if (x == -1)
        out[0] = x;
}

__global__ void barrier(int *out, int zero)
{
    __syncthreads();
}

__global__ void store(int *out, int zero)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = zero;
}

typedef void (*kernel)(int *, int);

int main(void)
{
    static const struct {
        const char *name;
        kernel run;
    } kernels[] = {{"empty", empty}, {"chain8", chain<8>}, {"chain32", chain<32>},
                   {"parameter", parameter}, {"jumps4", jumps<4>}, {"jumps16", jumps<16>},
                   {"barrier", barrier}, {"store", store}};
    int *out;
    CK(cudaMalloc(&out, 64 << 20));
    for (auto &k : kernels) {
        CK(cudaFuncSetAttribute(k.run, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
        for (int shared : {200 << 10, 100 << 10, 0})
            for (int threads : {32, 128, 256, 512, 1024})
                for (int waves : {4, 20, 36})
                    for (int twice = 0; twice < (waves == 20 ? 1 : 2); twice++) {
                        printf("row,%s,%d,%d,%d,0,0,0,0\n", k.name, shared, waves, threads);
                        k.run<<<132 * waves, threads, shared>>>(out, 0);
                        CK(cudaGetLastError());
                    }
    }
    CK(cudaDeviceSynchronize());
    return 0;
}
