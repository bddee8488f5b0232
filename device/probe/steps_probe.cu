/* steps_probe.cu - what each first step of a launch costs: nothing, straight code by one warp or
 * eight, jumps over code, loads behind loads within a page and in others, constants, a store, a
 * barrier, shuffles. A round after the other; to be run under Nsight Compute, whose counters are the
 * result, and the cycles between steps that the kernels note themselves. */
#include "check.h"

#include <cstring>

struct many {
    int word[1000];
};
__constant__ int table[16384];

__device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(t)::"memory");
    return t;
}

__global__ void nothing(int *out, int skip)
{
}

__global__ void nothing_many(int *out, int skip, many parameters)
{
}

__global__ void parameter_store(int *out, int skip)
{
    if (skip == 77)
        out[0] = 1;
}

__global__ void parameters_far(int *out, int skip, many parameters)
{
    if (parameters.word[0] + parameters.word[500] + parameters.word[999] == 77)
        out[0] = 1;
}

__global__ void store(int *out, int skip)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = skip;
}

__global__ void barrier(int *out, int skip)
{
    __syncthreads();
    if (skip == 77)
        out[0] = 1;
}

__global__ void shuffle(int *out, int skip)
{
    int x = threadIdx.x;
#pragma unroll
    for (int k = 16; k; k >>= 1)
        x += __shfl_xor_sync(~0u, x, k);
    if (x == -1)
        out[0] = x;
}

// A dependent chain: four cycles an instruction of 16 bytes.
template <int KB2> __global__ void chain_code(int *out, int skip)
{
    int x = threadIdx.x;
#pragma unroll
    for (int k = 0; k < KB2 * 32; k++)
        asm volatile("mad.lo.s32 %0, %0, %0, %1;" : "+r"(x) : "r"(k * 77 + 5));
    if (x == -1)
        out[0] = x;
}

// Four chains: a cycle an instruction.
template <int KB2> __global__ void wide_code(int *out, int skip)
{
    float x = threadIdx.x, y = x + 1, z = x + 2, w = x + 3, f = skip;
#pragma unroll
    for (int k = 0; k < KB2 * 8; k++) {
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x) : "f"(f));
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(y) : "f"(f));
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(z) : "f"(f));
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(w) : "f"(f));
    }
    if (x + y + z + w == -1.5f)
        out[0] = 1;
}

// Jumps over 512 bytes each.
template <int N> __global__ void hops(int *out, int skip)
{
    int x = threadIdx.x;
#pragma unroll
    for (int n = 0; n < N; n++) {
        if (!skip) {
#pragma unroll
            for (int k = 0; k < 31; k++)
                asm volatile("mad.lo.s32 %0, %0, %0, %1;" : "+r"(x) : "r"(k * 77 + n));
        }
        asm volatile("xor.b32 %0, %0, %1;" : "+r"(x) : "r"(n + 3));
    }
    if (x == -1)
        out[0] = x;
}

// N loads, each behind the last, `step` words apart; the cycles of each.
template <int N> __global__ void loads(int *out, const int *in, int step)
{
    unsigned t[N + 1];
    int at = 0;
    t[0] = now();
#pragma unroll
    for (int k = 0; k < N; k++) {
        asm volatile("ld.global.b32 %0, [%1];" : "=r"(at) : "l"(in + at + k * (long)step) : "memory");
        asm volatile("add.s32 %0, %0, 0;" : "+r"(at)::"memory");
        if (at == 12345)
            out[9] = 1;
        t[k + 1] = now();
    }
    if (threadIdx.x == 0)
        for (int k = 0; k < N; k++)
            out[k] = t[k + 1] - t[k] + at;
}

template <int N> __global__ void constants(int *out, int first, int step)
{
    unsigned t[N + 1];
    int at = first;
    t[0] = now();
#pragma unroll
    for (int k = 0; k < N; k++) {
        at = table[at + k * step];
        if (at == 12345)
            out[9] = 1;
        t[k + 1] = now();
    }
    if (threadIdx.x == 0)
        for (int k = 0; k < N; k++)
            out[k] = t[k + 1] - t[k] + at;
}

static int *out, *in;

// What the kernel noted goes behind the name.
template <typename K, typename... A>
static void run(const char *name, long size, int blocks, int threads, int noted, K kernel, A... a)
{
    int times[16] = {0};
    kernel<<<blocks, threads>>>(a...);
    CK(cudaGetLastError());
    if (noted)
        CK(cudaMemcpy(times, out, sizeof times, cudaMemcpyDeviceToHost));
    printf("row,%s,%ld,%d,%d", name, size, blocks, threads);
    for (int k = 0; k < 4; k++)
        printf(",%d", k < noted ? times[k] : 0);
    printf("\n");
}

template <int KB2> static void code(int blocks, int threads)
{
    run("chain", KB2 * 512, blocks, threads, 0, chain_code<KB2>, out, 1);
    run("wide", KB2 * 512, blocks, threads, 0, wide_code<KB2>, out, 1);
    run("hops", KB2 * 512, blocks, threads, 0, hops<KB2>, out, 1);
}

static void round_of(void)
{
    for (int blocks : {1, 132, 1320})
        for (int threads : {1, 32, 256, 1024})
            run("nothing", 0, blocks, threads, 0, nothing, out, 0);
    for (int threads : {32, 256}) {
        run("nothing_many", 4000, 1, threads, 0, nothing_many, out, 0, many{{0}});
        run("parameter", 8, 1, threads, 0, parameter_store, out, 0);
        run("parameters_far", 4000, 1, threads, 0, parameters_far, out, 0, many{{0}});
        run("store", 0, 1, threads, 0, store, out, 0);
        run("barrier", 0, 1, threads, 0, barrier, out, 0);
        run("shuffle", 0, 1, threads, 0, shuffle, out, 0);
    }
    for (int threads : {32, 256}) {
        code<1>(1, threads);
        code<2>(1, threads);
        code<4>(1, threads);
        code<8>(1, threads);
        code<16>(1, threads);
        code<32>(1, threads);
        code<64>(1, threads);
        code<128>(1, threads);
    }
    code<4>(132, 32);
    code<16>(132, 32);
    code<64>(132, 32);
    // Words apart: in the next sector, 4 KB, 2 MB, 64 MB.
    for (long step : {8l, 1024l, 512l << 10, 16l << 20}) {
        run("loads1", step, 1, 32, 1, loads<1>, out, (const int *)in, (int)step);
        run("loads2", step, 1, 32, 2, loads<2>, out, (const int *)in, (int)step);
        run("loads3", step, 1, 32, 3, loads<3>, out, (const int *)in, (int)step);
        run("loads4", step, 1, 32, 4, loads<4>, out, (const int *)in, (int)step);
    }
    run("loads4", 1024, 132, 256, 4, loads<4>, out, (const int *)in, 1024);
    for (int step : {1, 16, 64, 1024}) {
        run("constants1", step, 1, 32, 1, constants<1>, out, 0, step);
        run("constants4", step, 1, 32, 4, constants<4>, out, 0, step);
    }
}

int main(int argc, char **argv)
{
    CK(cudaMalloc(&out, 8 << 20));
    CK(cudaMalloc(&in, 512 << 20));
    CK(cudaMemset(in, 0, 512 << 20));
    for (int round = 0; round < (argc > 1 ? atoi(argv[1]) : 5); round++)
        round_of();
    CK(cudaDeviceSynchronize());
    return 0;
}
