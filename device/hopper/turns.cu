// turns.cu - how far ahead of the tensor cores products are issued and in which order those of several warpgroups are carried
// out. Prints CSV: columns of a product, warpgroups, warpgroup, product, cycle of its issue, cycle in which its group was over.
#include "hopper.h"
#include "wgmma.h"

enum { PRODUCTS = 8 };

__device__ __forceinline__ long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

template <int N, int LEFT> __device__ __forceinline__ void ends(long long *over)
{
    wgmma_wait<LEFT>();
    over[PRODUCTS - 1 - LEFT] = now();
    if constexpr (LEFT > 0)
        ends<N, LEFT - 1>(over);
}

template <int N> __global__ __launch_bounds__(256, 1) void turns(float *out, long long *times, int rounds)
{
    extern __shared__ uint8_t raw[];
    uint8_t *stage = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    for (int i = threadIdx.x; i < 48 * 1024 / 4; i += blockDim.x)
        ((uint32_t *)stage)[i] = 0x30003000u;
    float d[N / 2];
    for (int i = 0; i < N / 2; i++)
        d[i] = 0;
    long long issued[PRODUCTS], over[PRODUCTS], start = 0;
    for (int r = 0; r < rounds; r++) { // the last round counts: code and operands are there
        __syncthreads();
        start = now();
        wgmma_begin();
#pragma unroll
        for (int i = 0; i < PRODUCTS; i++) {
            if constexpr (N == 128)
                wgmma_f16_ss128(d, descriptor(stage, 16, 1024), descriptor(stage + 8192, 16, 1024));
            else
                wgmma_f16_ss256(d, descriptor(stage, 16, 1024), descriptor(stage + 8192, 16, 1024));
            wgmma_commit();
            issued[i] = now();
        }
        ends<N, PRODUCTS - 1>(over);
    }
    float sum = 0;
    for (int i = 0; i < N / 2; i++)
        sum += d[i];
    out[threadIdx.x] = sum;
    if (threadIdx.x % 128 == 0)
        for (int i = 0; i < PRODUCTS; i++) {
            times[(threadIdx.x / 128 * PRODUCTS + i) * 2] = issued[i] - start;
            times[(threadIdx.x / 128 * PRODUCTS + i) * 2 + 1] = over[i] - start;
        }
}

template <int N> static void measure(int groups)
{
    float *out;
    long long *times, host[2 * PRODUCTS * 2];
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&times, sizeof host));
    CK(cudaFuncSetAttribute(turns<N>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    turns<N><<<1, 128 * groups, 64 << 10>>>(out, times, 4);
    CK(cudaGetLastError());
    CK(cudaMemcpy(host, times, sizeof host, cudaMemcpyDeviceToHost));
    for (int g = 0; g < groups; g++)
        for (int i = 0; i < PRODUCTS; i++)
            printf("%d,%d,%d,%d,%lld,%lld\n", N, groups, g, i, host[(g * PRODUCTS + i) * 2], host[(g * PRODUCTS + i) * 2 + 1]);
    CK(cudaFree(out));
    CK(cudaFree(times));
}

int main()
{
    printf("columns,groups,group,product,issued,over\n");
    measure<128>(1);
    measure<128>(2);
    measure<256>(1);
    measure<256>(2);
    return 0;
}
