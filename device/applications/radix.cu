// Sorts 32-bit keys four bits at a time: counts of each block, their prefix sums, and the scatter.
#include "application.h"

__global__ void count_digits(const unsigned *key, unsigned *count, int n, int shift)
{
    __shared__ unsigned bin[16];
    if (threadIdx.x < 16)
        bin[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < 8; k++) {
        int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
        if (i < n)
            atomicAdd(&bin[key[i] >> shift & 15], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 16)
        count[threadIdx.x * gridDim.x + blockIdx.x] = bin[threadIdx.x];
}

__global__ void prefix(unsigned *count, int n)
{
    __shared__ unsigned part[1024];
    unsigned sum = 0;
    int each = (n + 1023) / 1024, from = threadIdx.x * each;
    for (int i = from; i < from + each && i < n; i++)
        sum += count[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        unsigned add = (int)threadIdx.x >= d ? part[threadIdx.x - d] : 0;
        __syncthreads();
        part[threadIdx.x] += add;
        __syncthreads();
    }
    unsigned before = threadIdx.x ? part[threadIdx.x - 1] : 0;
    for (int i = from; i < from + each && i < n; i++) {
        unsigned here = count[i];
        count[i] = before;
        before += here;
    }
}

__global__ void scatter(const unsigned *key, unsigned *out, const unsigned *start, int n, int shift)
{
    __shared__ unsigned place[16], warp_count[8][16];
    unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (threadIdx.x < 16)
        place[threadIdx.x] = start[threadIdx.x * gridDim.x + blockIdx.x];
    for (int k = 0; k < 8; k++) {
        int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
        unsigned v = i < n ? key[i] : 0, d = i < n ? v >> shift & 15 : 16, rank = 0;
        if (threadIdx.x < 128)
            warp_count[threadIdx.x / 16][threadIdx.x % 16] = 0;
        __syncthreads();
        for (unsigned b = 0; b < 16; b++) {
            unsigned same = __ballot_sync(~0u, d == b);
            if (d == b)
                rank = __popc(same & ((1u << lane) - 1));
            if (!lane)
                warp_count[warp][b] = __popc(same);
        }
        __syncthreads();
        unsigned to = 0;
        if (d < 16) {
            to = place[d] + rank;
            for (unsigned q = 0; q < warp; q++)
                to += warp_count[q][d];
        }
        __syncthreads();
        if (threadIdx.x < 16)
            for (unsigned q = 0; q < 8; q++)
                place[threadIdx.x] += warp_count[q][threadIdx.x];
        if (d < 16)
            out[to] = v;
    }
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1 << 18, 8);
    int n = app.size, g = (n + 2047) / 2048;
    Numbers numbers;
    std::vector<unsigned> keys(n);
    for (unsigned &k : keys)
        k = numbers.below(~0u) ^ numbers.below(~0u) << 9;
    unsigned *a = on_device(keys), *b = on_device<unsigned>(n), *count = on_device<unsigned>(16 * g);
    return run_rounds("radix", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            count_digits<<<g, 256>>>(s % 2 ? b : a, count, n, s % 8 * 4);
            prefix<<<1, 1024>>>(count, 16 * g);
            scatter<<<g, 256>>>(s % 2 ? b : a, s % 2 ? a : b, count, n, s % 8 * 4);
        }
    });
}
