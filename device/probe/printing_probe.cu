/* printing_probe.cu - where the text of printf goes and at which rate: one thread, lanes, warps and
 * blocks that print, by number of arguments, and the same stores into memory of the host and of the
 * card. To be run under Nsight Compute; the counters are the result, cycles those of a run that
 * measures nothing else. */
#include "launched.h"

#include <cuda_runtime.h>

template <int ARGS> __global__ void print(int lanes, int times, int x)
{
    if (threadIdx.x % 32 >= (unsigned)lanes)
        return;
    for (int t = 0; t < times; t++) {
        if (ARGS == 0)
            printf("hello from the card abcd\n");
        else if (ARGS == 1)
            printf("hello from the card %d\n", x);
        else if (ARGS == 4)
            printf("hello %d %d %d %d card\n", x, x, x, x);
        else
            printf("%d %d %d %d %d %d %d %d\n", x, x, x, x, x, x, x, x);
    }
}

// As many stores of 8 bytes as a call of printf makes, a packet a lane, with so many cycles between.
__global__ void stores(unsigned long long *to, int lanes, int n, int cycles)
{
    int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    volatile unsigned long long *own = to + ((size_t)warp * 32 + lane) * 256;
    if (lane >= lanes)
        return;
    for (int i = 0; i < n; i++) {
        own[i] = i;
        for (long long end = clock64() + cycles; clock64() < end;)
            ;
    }
}

// Additions to one word, or to one of each warp.
__global__ void adds(unsigned *to, int n, int apart)
{
    int warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    unsigned sum = 0;
    if (threadIdx.x % 32)
        return;
    for (int i = 0; i < n; i++)
        sum += atomicAdd(to + warp * apart, sum % 2 + 1);
    if (sum == 77)
        *to = sum;
}

template <int ARGS> static void prints(int lanes, int warps, int blocks, int times)
{
    print<ARGS><<<blocks, warps * 32>>>(lanes, times, 7);
    LAUNCHED("print args=%d lanes=%d warps=%d blocks=%d times=%d", ARGS, lanes, warps, blocks, times);
}

int main()
{
    unsigned long long *host, *card;
    CK(cudaMallocHost(&host, (size_t)16 << 20));
    CK(cudaMalloc(&card, (size_t)16 << 20));
    for (int blocks : {1, 2, 4, 8, 16, 32, 64}) {
        prints<0>(1, 1, blocks, 1);
        prints<1>(1, 1, blocks, 1);
        prints<4>(1, 1, blocks, 1);
        prints<1>(32, 1, blocks, 1);
    }
    for (int blocks : {1, 16, 64})
        prints<8>(1, 1, blocks, 1);
    for (int lanes : {2, 4, 8, 16, 32}) {
        prints<1>(lanes, 1, 1, 1);
        prints<1>(lanes, 1, 64, 1);
    }
    for (int warps : {2, 8, 32})
        prints<1>(1, warps, 1, 1);
    for (int times : {2, 8})
        prints<1>(1, 1, 1, times);
    prints<1>(1, 1, 64, 4);
    for (unsigned long long *to : {host, card})
        for (int blocks : {1, 16, 64})
            for (int lanes : {1, 32}) {
                stores<<<blocks, 32>>>(to, lanes, 215, 150);
                LAUNCHED("stores to=%s lanes=%d blocks=%d", to == host ? "host" : "card", lanes, blocks);
            }
    for (unsigned long long *to : {host, card})
        for (int apart : {0, 64}) {
            adds<<<64, 32>>>((unsigned *)to, 5, apart);
            LAUNCHED("adds to=%s apart=%d blocks=64 n=5", to == host ? "host" : "card", apart);
        }
    return 0;
}
