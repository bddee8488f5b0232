/* ends.h - when the warps of one SM begin and end, by its clock, and a line for each: what
 * order_probe.cu and store_order_probe.cu have in common. A program gives names[], the names of
 * its kinds of work, and work<KIND>, a kernel of blocks of 256 threads. */
#ifndef STRATA_PROBE_ENDS_H
#define STRATA_PROBE_ENDS_H

#include "check.h"

struct note {
    unsigned sm, place, begin, end;
};
static float *data, *to;
static note *out, host[132 * 16 * 8];

__device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

__device__ __forceinline__ void note_end(note *notes, unsigned begin)
{
    unsigned end = now(), sm, place;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(place));
    if (threadIdx.x % 32 == 0)
        notes[(blockIdx.x * 256 + threadIdx.x) / 32] = note{sm, place, begin, end};
}

static void allocate(size_t bytes)
{
    CK(cudaMalloc(&data, bytes));
    CK(cudaMalloc(&to, bytes));
    CK(cudaMalloc(&out, sizeof host));
    CK(cudaMemset(data, 0, bytes));
    printf("kind,block,warp,place,begin,end\n");
}

// The warps of SM 5, after a run that brings the code.
static void run(const char *name, void (*kernel)(float *, float *, note *))
{
    enum { BLOCKS = 132 * 16, WARPS = BLOCKS * 8, SM = 5 };
    for (int i = 0; i < 2; i++)
        kernel<<<BLOCKS, 256>>>(data, to, out);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    unsigned first = 0;
    bool any = false;
    for (int w = 0; w < WARPS; w++)
        if (host[w].sm == SM && (!any || (int)(host[w].begin - first) < 0))
            first = host[w].begin, any = true;
    for (int w = 0; w < WARPS; w++)
        if (host[w].sm == SM)
            printf("%s,%d,%d,%u,%u,%u\n", name, w / 8, w % 8, host[w].place, host[w].begin - first,
                   host[w].end - first);
}

#endif
