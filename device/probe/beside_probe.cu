// beside_probe.cu - reads of blocks whose load/store unit or way out is busy with something else.
//
// 1 MB of bytes, a sector a warp, blocks of 8 warps, as a histogram reads them; what follows is
// nothing, additions to random ones of 256 words, to words of lines of their own, stores of a line a
// thread, or additions in shared memory. Requests, sectors and hits of the L2 show which reads leave
// together; `wait` prints how long the reads take, in classes of 500 cycles, by the same loops.
#include "check.h"

#include <cstring>

enum after { NOTHING, HOT, HOT_ONE, OWN_LINES, STORES, SHARED, ENDS };
template <int what>
__global__ void histogram(const unsigned char *in, unsigned *bins, unsigned *out, unsigned *times)
{
    __shared__ unsigned mine[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (what == SHARED) {
        mine[threadIdx.x] = 0;
        __syncthreads();
    }
    unsigned begin = clock();
    unsigned v = in[i];
    if (times) {
        asm volatile("" ::"r"(v) : "memory");
        unsigned use = v;
        asm volatile("add.u32 %0, %0, 1;" : "+r"(use));
        unsigned took = clock() - begin + (use == 0xfffffff);
        if (threadIdx.x % 32 == 0)
            times[i / 32] = took;
    }
    if (what == HOT)
        atomicAdd(bins + v, 1);
    if (what == HOT_ONE)
        atomicAdd(bins + (v & 3), 1);
    if (what == OWN_LINES)
        atomicAdd(out + (size_t)i * 8 % (1 << 22), v);
    if (what == STORES)
        out[(size_t)i * 8 % (1 << 22)] = v;
    if (what == SHARED)
        atomicAdd(mine + v, 1);
    if (what == ENDS || what == SHARED) {
        __syncthreads();
        atomicAdd(bins + threadIdx.x, what == SHARED ? mine[threadIdx.x] : v);
    }
    if (what == NOTHING && v + gridDim.x == 0)
        out[0] = 1;
}
template <int what> void go(const unsigned char *in, unsigned *bins, unsigned *out, unsigned *times, int count, bool wait)
{
    histogram<what><<<count / 256, 256>>>(in, bins, out, wait ? times : nullptr);
    CK(cudaDeviceSynchronize());
    if (!wait)
        return;
    static unsigned t[1 << 16];
    unsigned bin[20] = {0};
    CK(cudaMemcpy(t, times, count / 32 * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count / 32; i++)
        bin[t[i] / 500 > 19 ? 19 : t[i] / 500]++;
    printf("%d,%d", what, count);
    for (int i = 0; i < 20; i++)
        printf(",%u", bin[i]);
    printf("\n");
}
int main(int n, char **arg)
{
    bool wait = n > 1 && !strcmp(arg[1], "wait");
    unsigned char *in;
    unsigned *bins, *out, *times;
    CK(cudaMalloc(&in, 1 << 20));
    CK(cudaMalloc(&bins, 1 << 12));
    CK(cudaMalloc(&out, 1 << 24));
    CK(cudaMalloc(&times, 1 << 20));
    static unsigned char h[1 << 20];
    unsigned x = 12345;
    for (int i = 0; i < 1 << 20; i++)
        h[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 24);
    CK(cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice));
    CK(cudaMemset(bins, 0, 1 << 12));
    for (int count : {1 << 20, 1 << 17}) {
        go<NOTHING>(in, bins, out, times, count, wait);
        go<HOT>(in, bins, out, times, count, wait);
        go<HOT_ONE>(in, bins, out, times, count, wait);
        go<OWN_LINES>(in, bins, out, times, count, wait);
        go<STORES>(in, bins, out, times, count, wait);
        go<SHARED>(in, bins, out, times, count, wait);
        go<ENDS>(in, bins, out, times, count, wait);
    }
    return 0;
}
