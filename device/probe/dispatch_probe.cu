/* dispatch_probe.cu - which SM each block of a long grid of short blocks runs on, and when.
 *
 *   dispatch_probe >FILE     a line a block: case, block, SM, start and end in nanoseconds
 *
 * Blocks that end sooner than the dispatcher hands out the next ones leave most places of an SM empty;
 * then it is the dispatcher's order that decides who shares an L1, not who ends first. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

struct record {
    unsigned sm, start, end;
};

__global__ void note(record *out, int cycles)
{
    unsigned long long start, end;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(start));
    for (long long t = clock64(); clock64() - t < cycles;)
        ;
    asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(end));
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        unsigned sm, b = blockIdx.y * gridDim.x + blockIdx.x;
        asm volatile("mov.u32 %0,%%smid;" : "=r"(sm));
        out[b] = record{sm, (unsigned)start, (unsigned)end};
    }
}

static void run(record *device, int which, dim3 grid, dim3 block, int cycles)
{
    unsigned n = grid.x * grid.y;
    std::vector<record> host(n);
    for (int twice = 0; twice < 2; twice++) {
        note<<<grid, block>>>(device, cycles);
        CK(cudaDeviceSynchronize());
    }
    CK(cudaMemcpy(host.data(), device, n * sizeof(record), cudaMemcpyDeviceToHost));
    unsigned first = host[0].start;
    for (unsigned b = 0; b < n; b++)
        first = (int)(host[b].start - first) < 0 ? host[b].start : first;
    for (unsigned b = 0; b < n; b++)
        printf("%d %u %u %u %u\n", which, b, host[b].sm, host[b].start - first, host[b].end - first);
}

int main(void)
{
    record *device;
    CK(cudaMalloc(&device, 1 << 20));
    run(device, 0, dim3(128, 128), dim3(4, 4), 0);
    run(device, 1, dim3(128, 128), dim3(4, 4), 1000);
    run(device, 2, dim3(128, 128), dim3(4, 4), 3000);
    run(device, 3, dim3(8192), dim3(64), 0);
    run(device, 4, dim3(8192), dim3(128), 1000);
    run(device, 5, dim3(8192), dim3(256), 0);
    run(device, 6, dim3(8192), dim3(256), 1500);
    return 0;
}
