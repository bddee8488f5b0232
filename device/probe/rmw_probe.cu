/* rmw_probe.cu - threads that read, change and write elements of an array, again and again: how
 * often the reads miss. To be run under Nsight Compute; the counters are the result. */
#include <cstdio>
#include <cuda_runtime.h>

#include "words.h"

__device__ __forceinline__ uint2 ld2(const unsigned *p)
{
    uint2 x;
    asm volatile("ld.global.v2.u32 {%0,%1}, [%2];" : "=r"(x.x), "=r"(x.y) : "l"(p) : "memory");
    return x;
}
__device__ __forceinline__ void st2(unsigned *p, uint2 x)
{
    asm volatile("st.global.v2.u32 [%0], {%1,%2};" ::"l"(p), "r"(x.x), "r"(x.y) : "memory");
}

template <int WAY> __device__ __forceinline__ unsigned step(unsigned *p, unsigned j)
{
    unsigned h = 0, e = 0;
    uint2 v;
    switch (WAY) {
    case 0:
        h = ld(p), st(p, h + 1), e = ld(p + 1), st(p + 1, e + 1);
        break;
    case 1:
        h = ld(p), st(p, j), e = ld(p + 1), st(p + 1, j);
        break;
    case 2:
        h = ld(p), e = ld(p + 1), st(p, h + e), st(p + 1, h - e);
        break;
    case 3:
        v = ld2(p), v.x++, v.y += v.x, st2(p, v);
        break;
    case 4:
        v = ld2(p), st2(p, make_uint2(j, j)), h = v.x, e = v.y;
        break;
    case 5:
        h = ld(p), st(p, h + 1);
        break;
    case 6:
        h = ld(p), st(p, j);
        break;
    case 7:
        h = ld(p + 2), st(p + 1, j);
        break;
    case 8:
        h = ld(p + 8), st(p, j);
        break;
    case 9:
        st(p, j), h = ld(p);
        break;
    case 10:
        st(p, j), h = ld(p + 1);
        break;
    case 11:
        h = ld(p + 32), st(p, j);
        break;
    }
    return h + e;
}

template <int WAY>
__global__ void loop(unsigned *data, unsigned *out, int n, int rows, int step_words, int lane_words,
                     int warp_words)
{
    unsigned sum = 0;
    unsigned *own = data + (size_t)blockIdx.x * (1 << 18) + (threadIdx.x >> 5) * warp_words +
                    (threadIdx.x & 31) * lane_words;
    for (int r = 0; r < rows; r++) {
        unsigned *p = own;
#pragma unroll 4
        for (int j = 0; j < n; j++, p += step_words)
            sum += step<WAY>(p, j);
    }
    if (sum == 0x7fffffff)
        out[0] = sum;
}

static unsigned *data, *out;
template <int WAY> static void all()
{
    static const struct {
        int blocks, threads, n, rows, step, lane, warp;
    } shape[] = {
        {1, 1, 64, 8, 2, 0, 0},       /* one thread, pairs */
        {1, 1, 64, 8, 1, 0, 0},       /* one thread, words */
        {1, 1, 64, 8, 4, 0, 0},       /* one thread, every other pair */
        {1, 32, 64, 8, 64, 2, 0},     /* a warp, pairs side by side */
        {8, 256, 16, 8, 512, 2, 64},  /* many warps */
        {8, 256, 16, 8, 2, 64, 2048}, /* each thread an array of its own */
    };
    for (auto &s : shape) {
        if ((WAY == 3 || WAY == 4) && s.step % 2)
            continue; /* pairs are read at once */
        printf("%d,%d,%d,%d,%d,%d,%d,%d\n", WAY, s.blocks, s.threads, s.n, s.rows, s.step, s.lane,
               s.warp);
        loop<WAY><<<s.blocks, s.threads>>>(data, out, s.n, s.rows, s.step, s.lane, s.warp);
    }
}

int main()
{
    cudaMalloc(&data, 64 << 20);
    cudaMalloc(&out, 4096);
    cudaMemset(data, 0, 64 << 20);
    all<0>(), all<1>(), all<2>(), all<3>(), all<4>(), all<5>(), all<6>(), all<7>(), all<8>(),
        all<9>(), all<10>(), all<11>();
    cudaError_t status = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
