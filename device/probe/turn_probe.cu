// turn_probe.cu - in which order stores of several warps of an SM are taken, told by which of them
// meet. After a barrier the warps whose bit is set each store eight pieces of `lanes` words to rows
// of their own, to one group of rows or by turns to two; then all wait in arithmetic, so that every
// line has left before the next round. No clock is read: models can run the same instructions.
#include "check.h"

static char *data;

template <int turns>
__global__ void turn(char *data, unsigned *sums, int rounds, int lanes, long stride, unsigned mask,
                     int pause)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rows = 32 / lanes;
    char *p = data + (long)warp * rows * turns * stride + lane / lanes * stride + lane % lanes * 4;
    unsigned x = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
#pragma unroll 8
        for (int i = 0; i < pause; i++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
        __syncthreads();
        if (!(mask >> warp & 1))
            continue;
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int h = 0; h < turns; h++)
                asm volatile("st.global.u32 [%0],%1;" ::"l"(p + h * rows * stride + i * 4 * lanes),
                             "r"(threadIdx.x)
                             : "memory");
    }
    sums[threadIdx.x] = x;
}

int main()
{
    unsigned *sums;
    CK(cudaMalloc(&data, 1ul << 28));
    CK(cudaMalloc(&sums, 4096));
    printf("turns,mask,lanes,stride,rounds\n");
    for (int turns : {1, 2})
        for (int lanes : {4, 2})
            for (long stride : {128l, 256l, 6144l})
                for (unsigned mask : {0x1u, 0x3u, 0x7u, 0xfu, 0x11u, 0x111u, 0x1111u, 0x33u, 0xffu,
                                      0xf0fu, 0xffffu}) {
                    if (turns == 1)
                        turn<1><<<1, 512>>>(data, sums, 16, lanes, stride, mask, 512);
                    else
                        turn<2><<<1, 512>>>(data, sums, 16, lanes, stride, mask, 512);
                    CK(cudaGetLastError());
                    CK(cudaDeviceSynchronize());
                    printf("%d,%u,%d,%ld,16\n", turns, mask, lanes, stride);
                }
    return 0;
}
