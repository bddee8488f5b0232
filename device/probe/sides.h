// sides.h - the two partitions of an H200's L2: which of them a line has its home in, and which is
// near to each SM.
#ifndef SIDES_H
#define SIDES_H

enum { SIDE_PIECE = 4096 }; // bytes that have one home

__device__ static unsigned sm_id()
{
    unsigned s;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
    return s;
}

__device__ static unsigned home_of(const char *p)
{
    unsigned long long a = (unsigned long long)p;
    return (unsigned)(a >> 12 ^ a >> 13 ^ a >> 15 ^ a >> 17 ^ a >> 19) & 1;
}

// Which partition is near: an atomic on a line of the other takes longer. Two sums of cycles for
// each SM.
__global__ void find_sides(char *memory, unsigned *cycles)
{
    if (threadIdx.x)
        return;
    for (unsigned round = 0; round < 2; round++) // the first brings lines and code
        for (unsigned side = 0; side < 2; side++) {
            unsigned sum = 0, n = 0;
            for (unsigned i = 0; n < 32; i++) {
                char *at = memory + (size_t)i * SIDE_PIECE + sm_id() % 32 * 128;
                if (home_of(at) != side)
                    continue;
                long long t = clock64();
                unsigned v = atomicAdd((unsigned *)at, 1);
                if (v == 0xffffffffu)
                    n++;
                sum += (unsigned)(clock64() - t);
                n++;
            }
            cycles[sm_id() * 2 + side] = sum;
        }
}

#endif
