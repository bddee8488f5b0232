// step_probe.cu - do SMs that read the same lines one after the other stay in step?
//
// `walk`: the warps of each block read `arrays` arrays word by word, every lane the same word, and
// multiply `work` times in between: blocks on SMs of one GPC ask for the same sectors, the first
// half of each 64 bytes from DRAM and the second from the L2. The first warp's clock at every
// sector goes to `log`. `cyclic`: blocks of 128 threads read 8 KB each past the L1, block i the
// part i % parts of the data. `tiles`: 4 x 4 blocks of 16 x 16 threads multiply matrices tile by
// tile, as a product in shared memory does. `begin`: the first reads of SMs, a sector a warp. To be
// run under Nsight Compute.
#include "check.h"

#include <cstdint>
#include <cstdlib>
#include <cmath>
#include <algorithm>
#include <vector>

template <int WORK, int ARRAYS>
__global__ void walk(const float *a, int words, float *out, unsigned *log, int logged)
{
    float sum = 0, x = threadIdx.x;
    for (int j = 0; j < words; j++) {
        float v[ARRAYS];
        if (logged && threadIdx.x == 0 && j % 8 == 0)
            log[blockIdx.x * (words / 8) + j / 8] = (unsigned)clock64();
#pragma unroll
        for (int k = 0; k < ARRAYS; k++)
            v[k] = __ldg(a + (size_t)k * (1 << 20) + j + (__float_as_int(x) == 0x7fffff01));
#pragma unroll
        for (int k = 0; k < ARRAYS; k++)
            x += v[k];
#pragma unroll
        for (int i = 0; i < WORK; i++)
            asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));
        sum += x;
    }
    if (sum == 1.2345f)
        out[0] = sum;
    if (threadIdx.x == 0) {
        unsigned id;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
        log[(1 << 20) + blockIdx.x] = id;
    }
}

template <int UNROLL> __global__ void cyclic(const int *x, int *y, int n)
{
    int offset = (128 * UNROLL * blockIdx.x + threadIdx.x) % n, reg[UNROLL], sum = 0;
#pragma unroll
    for (int i = 0; i < UNROLL; ++i)
        asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(reg[i]) : "l"(x + offset + 128 * i));
#pragma unroll
    for (int i = 0; i < UNROLL; ++i)
        sum += reg[i];
    if (sum)
        *y = sum;
}

__global__ void tiles(const float *a, const float *b, float *c, int n)
{
    __shared__ float ta[16][16], tb[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        ta[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(size_t)(k + threadIdx.y) * 64 + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    c[row * 64 + col] = sum;
}

// Every thread reads a byte: a sector a warp, with which its SM begins.
__global__ void begin(const unsigned char *a, unsigned *to)
{
    if (a[blockIdx.x * blockDim.x + threadIdx.x] == 77)
        *to = 1;
}

static char *data;
static float *out;
static unsigned *logs;
static bool timed;

template <int WORK, int ARRAYS> static void run(int blocks, int warps, int words)
{
    walk<WORK, ARRAYS><<<blocks, 32 * warps>>>((float *)data, words, out, logs, timed);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    printf("walk,%d,%d,%d,%d,%d", blocks, warps, WORK, ARRAYS, words);
    std::vector<unsigned> id(blocks);
    CK(cudaMemcpy(id.data(), logs + (1 << 20), blocks * 4, cudaMemcpyDeviceToHost));
    printf(",");
    for (int b = 0; b < blocks && b < 8; b++)
        printf("%u ", id[b]);
    printf("\n");
    if (timed && blocks <= 4) {
        int n = words / 8;
        std::vector<unsigned> t((size_t)blocks * n);
        CK(cudaMemcpy(t.data(), logs, t.size() * 4, cudaMemcpyDeviceToHost));
        for (int r = 64; r < 96; r++) {
            printf("#%d", r);
            for (int b = 0; b < blocks; b++)
                printf(" %u/%d", t[b * n + r] - t[b * n + r - 1], (int)(t[b * n + r] - t[r]));
            printf("\n");
        }
        for (int b = 1; b < blocks; b++) {
            std::vector<int> d;
            for (int r = 1; r < n; r++)
                d.push_back((int)(t[b * n + r] - t[r]));
            std::sort(d.begin(), d.end());
            printf("#skew of block %d: 5%% %d 25%% %d 50%% %d 75%% %d 95%% %d\n", b, d[n / 20],
                   d[n / 4], d[n / 2], d[3 * n / 4], d[19 * n / 20]);
        }
    }
    fflush(stdout);
}
template <int UNROLL> static void cycle(int grid, int kb)
{
    cyclic<UNROLL><<<grid, 128>>>((int *)data, (int *)out, kb * 256);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    printf("cyclic,%d,%d,%d,%ld\n", grid, UNROLL, kb, (long)grid * UNROLL * 16);
}

int main(int argc, char **)
{
    timed = argc > 1;
    CK(cudaMalloc(&data, 64 << 20));
    CK(cudaMemset(data, 0, 64 << 20));
    CK(cudaMalloc(&out, 1 << 20));
    CK(cudaMalloc(&logs, 8 << 20));
    printf("set,blocks,...\n");
    for (int blocks : {1, 2, 3, 4, 8}) {
        if (timed && blocks == 1)
            continue;
        run<0, 1>(blocks, 1, 8192), run<16, 1>(blocks, 1, 8192), run<64, 1>(blocks, 1, 8192);
        run<0, 4>(blocks, 1, 8192), run<16, 4>(blocks, 1, 8192), run<64, 4>(blocks, 1, 8192);
        run<16, 1>(blocks, 8, 8192), run<16, 4>(blocks, 8, 8192), run<64, 4>(blocks, 8, 8192);
        run<16, 4>(blocks, 4, 8192), run<16, 4>(blocks, 2, 8192), run<64, 4>(blocks, 4, 8192);
    }
    if (timed)
        return 0;
    for (int blocks : {16, 64, 132, 264})
        run<16, 4>(blocks, 8, 4096), run<16, 1>(blocks, 1, 4096);
    for (int kb : {128, 512, 1024, 2048, 4096, 16384})
        for (int grid : {264, 2112, 16384})
            cycle<16>(grid, kb);
    for (int kb : {512, 2048})
        cycle<4>(65536, kb), cycle<1>(65536, kb);
    for (int blocks : {1, 8, 64, 132, 264, 396, 528, 1056})
        for (int warps : {2, 4, 8, 16, 32}) {
            if ((blocks == 8 || blocks > 400) && warps != 8)
                continue;
            begin<<<blocks, 32 * warps>>>((unsigned char *)data, (unsigned *)out);
            CK(cudaGetLastError());
            CK(cudaDeviceSynchronize());
            printf("begin,%d,%d\n", blocks, warps);
        }
    for (int n : {256, 1024, 4096}) {
        tiles<<<dim3(4, 4), dim3(16, 16)>>>((float *)data, (float *)data + (8 << 20), out, n);
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        printf("tiles,16,%d\n", n);
    }
    return 0;
}
