/* indexed_probe.cu - loads of constants whose lanes want different words: what a load takes by the number of addresses, their distance and width, and by warps.
 *
 *     nvcc -arch=sm_90 -O3 -o indexed_probe indexed_probe.cu; indexed_probe
 *
 * A warp's lane l reads word l % addresses at so many bytes from one another, 256 times in a row: each waits for the one before (chain), or four at a time (four).
 * Prints cycles of the SM for a load of each warp, from the first warp's begin to the last one's end, second round (the table, 8 KB at most, is in the cache). */
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
enum { STEPS = 256 };
__constant__ unsigned long long table[4096];
template <class T, int FLIGHT> __global__ void read(long long *out, unsigned *sink, unsigned addresses, unsigned distance)
{
    unsigned at[FLIGHT], sum = 0;
    for (int k = 0; k < FLIGHT; k++)
        at[k] = threadIdx.x % 32 % addresses * distance;
    long long begin = 0, end = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        __syncthreads();
        begin = clock64();
#pragma unroll 4
        for (int i = 0; i < STEPS / FLIGHT; i++) {
            T v[FLIGHT];
#pragma unroll
            for (int k = 0; k < FLIGHT; k++)
                v[k] = *(const T *)((const char *)table + at[k]);
#pragma unroll
            for (int k = 0; k < FLIGHT; k++)
                at[k] += (unsigned)v[k] | (unsigned)((unsigned long long)v[k] >> 32);
        }
        for (int k = 0; k < FLIGHT; k++)
            sum += at[k];
        if (sum == 0x12345678u)
            sink[0] = 1;
        end = clock64();
    }
    if (threadIdx.x % 32 == 0) {
        out[threadIdx.x / 32 * 2] = begin;
        out[threadIdx.x / 32 * 2 + 1] = end;
    }
}
static long long *out;
static unsigned *sink;
template <class T, int FLIGHT> static void measure(int warps, unsigned addresses, unsigned distance)
{
    read<T, FLIGHT><<<1, 32 * warps>>>(out, sink, addresses, distance);
    cudaDeviceSynchronize();
    long long t[64], first, last = 0;
    cudaMemcpy(t, out, 16 * warps, cudaMemcpyDeviceToHost);
    first = t[0];
    for (int w = 0; w < warps; w++)
        first = std::min(first, t[2 * w]), last = std::max(last, t[2 * w + 1]);
    printf("%s,%zu,%d,%u,%u,%.2f\n", FLIGHT == 1 ? "chain" : "four", sizeof(T), warps, addresses, distance, (double)(last - first) / STEPS);
}
int main()
{
    cudaMalloc(&out, 4096);
    cudaMalloc(&sink, 64);
    printf("mode,bytes,warps,addresses,distance,cycles\n");
    for (int warps : {1, 2, 3, 4, 8, 16})
        for (unsigned addresses : {1u, 2u, 3u, 4u, 8u, 16u, 32u})
            for (unsigned distance : {4u, 8u, 16u, 64u, 128u, 256u}) {
                if (addresses == 1 && distance != 8) continue;
                measure<unsigned, 1>(warps, addresses, distance);
                if (distance % 8 == 0) measure<unsigned long long, 1>(warps, addresses, distance);
                if (warps != 2 && warps != 16) measure<unsigned, 4>(warps, addresses, distance);
                if (distance % 8 == 0 && warps != 2 && warps != 16) measure<unsigned long long, 4>(warps, addresses, distance);
            }
    return cudaDeviceSynchronize() != cudaSuccess;
}
