/* begin_probe.cu - misses of one line by different warps of a block, with which an SM begins: in how
 * many requests they leave, by the blocks of the launch. `bytes`: a byte a thread, a sector a warp;
 * `guarded`: behind a comparison, and it stores; `words`: a word a thread from the middle of a line
 * on. Four launches of each. To be run under Nsight Compute. */
#include "launched.h"

__global__ void bytes(const unsigned char *a, unsigned *out)
{
    if (a[blockIdx.x * blockDim.x + threadIdx.x] == 77)
        *out = 1;
}
__global__ void guarded(const unsigned char *a, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (unsigned char)(255 - a[i]);
}
__global__ void words(const unsigned *a, unsigned *out)
{
    if (a[blockIdx.x * blockDim.x + threadIdx.x + 16] == 77)
        *out = 1;
}
static unsigned *a, *out;
int main()
{
    CK(cudaMalloc(&a, (size_t)64 << 20));
    CK(cudaMemset(a, 0, (size_t)64 << 20));
    CK(cudaMalloc(&out, (size_t)64 << 20));
    for (int again = 0; again < 3; again++)
        for (int blocks : {4, 8, 16, 32, 48, 64, 80, 96, 120, 132, 144, 200, 264, 528}) {
            int threads = 256;
            bytes<<<blocks, threads>>>((unsigned char *)a, out);
            LAUNCHED("bytes %d %d %d", blocks, threads, again);
            guarded<<<blocks, threads>>>((unsigned char *)a, (unsigned char *)out, blocks * threads);
            LAUNCHED("guarded %d %d %d", blocks, threads, again);
            words<<<blocks, threads>>>(a, out);
            LAUNCHED("words %d %d %d", blocks, threads, again);
        }
    return 0;
}
