/* shifted_probe.cu - rows that begin in the middle of a line: each warp wants the end of one line
 * and the beginning of the next, whose other part its neighbour wants. How many requests leave the
 * SMs, and which of them meet in a GPC.
 *
 * `rows`: a word a thread, `shift` words from where lines begin. `barrier`: behind a barrier; `code`: meant to be
 * behind a division, which the compiler takes out again; `bytes-`: of these a byte a thread. `loop`: the same row after row, each
 * when the one before has arrived. `same`: two blocks that follow each other read one row. `cross`:
 * a block's own row shifted, then the rows of the block before and behind it, aligned, as a stencil
 * does. To be run under Nsight Compute; requests, sectors and hits of the L2 are the result. */
#include "launched.h"

static unsigned *a, *out;

__global__ void rows(const unsigned *a, int shift, int share, unsigned *out)
{
    unsigned v = a[blockIdx.x / share * blockDim.x + threadIdx.x + shift];
    if (v == 77)
        *out = 1;
}

/* The same behind a barrier. */
enum { BARRIER, LONG_CODE };
template <int BEFORE> __global__ void later(const unsigned *a, int shift, int by, unsigned *out)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (BEFORE == BARRIER)
        __syncthreads();
    else
        at = at / by * by + at % by;
    unsigned v = a[at + shift];
    if (v == 77)
        *out = 1;
}

/* A byte a thread, a sector a warp. */
template <int BEFORE> __global__ void bytes(const unsigned char *a, int by, unsigned *out)
{
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
    if (BEFORE == BARRIER)
        __syncthreads();
    else
        at = at / by * by + at % by;
    if (a[at] == 77)
        *out = 1;
}

__global__ void loop(const unsigned *a, int shift, int rounds, unsigned *out)
{
    unsigned at = blockIdx.x * blockDim.x * rounds + threadIdx.x + shift;
    for (int i = 0; i < rounds; i++)
        at += a[at] + blockDim.x;
    if (at == 77)
        *out = 1;
}

__global__ void cross(const unsigned *a, int shift, unsigned *out)
{
    unsigned at = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
    unsigned u, v, w;
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(u) : "l"(a + at + shift));
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(a + at + blockDim.x));
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(w) : "l"(a + at - blockDim.x));
    if (u + v + w == 77)
        *out = 1;
}

int main()
{
    CK(cudaMalloc(&a, (size_t)64 << 20));
    CK(cudaMemset(a, 0, (size_t)64 << 20));
    CK(cudaMalloc(&out, 4096));
    for (int blocks : {1, 32, 132, 1056})
        for (int warps : {1, 2, 4, 8, 32})
            for (int shift : {1, 16, 28}) {
                rows<<<blocks, 32 * warps>>>(a, shift, 1, out);
                LAUNCHED("rows blocks=%d warps=%d shift=%d", blocks, warps, shift);
            }
    for (int blocks : {32, 132, 1056})
        for (int warps : {2, 4, 8, 32}) {
            for (int shift : {1, 16}) {
                later<BARRIER><<<blocks, 32 * warps>>>(a, shift, 10, out);
                LAUNCHED("barrier blocks=%d warps=%d shift=%d", blocks, warps, shift);
                later<LONG_CODE><<<blocks, 32 * warps>>>(a, shift, 10, out);
                LAUNCHED("code blocks=%d warps=%d shift=%d", blocks, warps, shift);
            }
            bytes<BARRIER><<<blocks, 32 * warps>>>((unsigned char *)a, 10, out);
            LAUNCHED("bytes-barrier blocks=%d warps=%d shift=0", blocks, warps);
            bytes<LONG_CODE><<<blocks, 32 * warps>>>((unsigned char *)a, 10, out);
            LAUNCHED("bytes-code blocks=%d warps=%d shift=0", blocks, warps);
        }
    for (int blocks : {32, 132, 528})
        for (int warps : {2, 4, 8, 16})
            for (int shift : {1, 16}) {
                loop<<<blocks, 32 * warps>>>(a, shift, 16, out);
                LAUNCHED("loop blocks=%d warps=%d shift=%d", blocks, warps, shift);
            }
    for (int blocks : {132, 264})
        for (int warps : {1, 4, 8})
            for (int shift : {0, 1, 16}) {
                rows<<<blocks, 32 * warps>>>(a, shift, 2, out);
                LAUNCHED("same blocks=%d warps=%d shift=%d", blocks, warps, shift);
            }
    for (int blocks : {64, 128, 256, 1024})
        for (int warps : {4, 8})
            for (int shift : {0, 1, 16}) {
                cross<<<blocks, 32 * warps>>>(a, shift, out);
                LAUNCHED("cross blocks=%d warps=%d shift=%d", blocks, warps, shift);
            }
    return 0;
}
