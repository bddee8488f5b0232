// store_probe.cu - which stores of an SM to parts of one sector leave it as one.
//
// Warps store pieces of `lanes` words to each of 32 / lanes rows that lie `stride` bytes apart, and
// go on by the length of a piece: pieces of 16 bytes are the accumulators of a tensor core as
// halves. With `turns` a warp stores by turns to two groups of rows. With each store come `gap`
// multiplications, which the assembler puts between or before the stores. Every warp has rows of
// its own. `rounds` and `hot` are one warp's stores to groups of lines in turn. The profiler's
// sectors written (lts__t_sectors_srcunit_tex_op_write), beside the pieces and the sectors that are
// different, say how many pieces met.
#include "check.h"

#include <utility>

template <int turns, int gap>
__global__ void stores(char *data, int rounds, int n, int lanes, long stride, long round_bytes)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, rows = 32 / lanes;
    char *at = data + blockIdx.x * round_bytes * rounds + (long)warp * rows * turns * stride +
               lane / lanes * stride + lane % lanes * 4;
    unsigned x = threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        __syncthreads();
        long long t = clock64() + 2000;
        while (clock64() < t)
            ;
        char *p = at + r * round_bytes;
#pragma unroll 8
        for (int i = 0; i < n; i++) {
#pragma unroll
            for (int h = 0; h < turns; h++) {
                asm volatile("st.global.u32 [%0],%1;" ::"l"(p + h * rows * stride), "r"(x)
                             : "memory");
#pragma unroll
                for (int g = 0; g < gap; g++)
                    asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
            }
            p += lanes * 4;
        }
    }
}

// One warp: stores of 32 / LANES rows go round over GROUPS such groups of rows, 64 times and more.
template <int GROUPS, int LANES> __global__ void rounds(char *data)
{
    constexpr int ROWS = 32 / LANES;
    char *p = data + threadIdx.x / LANES * 128 + threadIdx.x % LANES * 4;
    for (int i = 0; i < 64; i++)
#pragma unroll
        for (int g = 0; g < GROUPS; g++)
            asm volatile("st.global.u32 [%0],%1;" ::"l"(p + g * ROWS * 128), "r"(i) : "memory");
}
// Every second store is to the first group, the others to 32 groups in turn.
template <int LANES> __global__ void hot(char *data)
{
    constexpr int ROWS = 32 / LANES;
    char *p = data + threadIdx.x / LANES * 128 + threadIdx.x % LANES * 4;
#pragma unroll
    for (int i = 1; i <= 32; i++) {
        asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(i) : "memory");
        asm volatile("st.global.u32 [%0],%1;" ::"l"(p + i * ROWS * 128), "r"(i) : "memory");
    }
}
static char *data;
static void launch(int blocks, int warps, int n, int lanes, long stride, int turns, int gap)
{
    int rounds = 8, rows = 32 / lanes;
    long round_bytes = (long)warps * rows * turns * stride + 4096;
    auto kernel = turns == 1 ? (gap == 0   ? stores<1, 0>
                                : gap == 2 ? stores<1, 2>
                                : gap == 8 ? stores<1, 8>
                                           : stores<1, 24>)
                             : (gap == 0   ? stores<2, 0>
                                : gap == 2 ? stores<2, 2>
                                : gap == 8 ? stores<2, 8>
                                           : stores<2, 24>);
    kernel<<<blocks, 32 * warps>>>(data, rounds, n, lanes, stride, round_bytes);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    long pieces = (long)blocks * rounds * warps * rows * turns * n,
         sectors = pieces * lanes * 4 / 32;
    printf("%d,%d,%d,%d,%ld,%d,%d,%ld,%ld\n", blocks, warps, n, lanes, stride, turns, gap, pieces,
           sectors);
}

template <int LANES, int... GROUPS> static void go_round(std::integer_sequence<int, GROUPS...>)
{
    auto one = [](int groups, void (*kernel)(char *)) {
        kernel<<<1, 32>>>(data);
        CK(cudaDeviceSynchronize());
        printf("1,1,64,%d,128,%d,0,%s,%d\n", LANES, groups, groups ? "rounds" : "hot",
               groups * 32 / LANES);
    };
    (one(GROUPS, rounds<GROUPS, LANES>), ...);
    one(0, hot<LANES>);
}
int main()
{
    CK(cudaMalloc(&data, 4ul << 30));
    printf("blocks,warps,n,lanes,stride,turns,gap,pieces,sectors\n");
    for (int gap : {0, 2, 8, 24})
        for (long stride : {128l, 256l, 6144l})
            for (int turns : {1, 2})
                for (int warps : {1, 2, 3, 4, 8, 16})
                    launch(1, warps, 8, 4, stride, turns, gap);
    for (int lanes : {2, 8, 16})
        for (int warps : {1, 2, 4, 8})
            for (int gap : {0, 8})
                launch(1, warps, 16 / lanes * 4, lanes, 256, 1, gap);
    for (int warps : {4, 8})
        for (long stride : {128l, 256l, 512l, 1024l, 2048l, 3072l, 4096l, 6144l, 8192l})
            for (int turns : {1, 2})
                launch(132, warps, 8, 4, stride, turns, 2);
    go_round<32>(std::integer_sequence<int, 1, 2, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 20, 22, 24,
                                       26, 28, 30, 31, 32, 33, 36, 40>());
    go_round<8>(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12>());
    go_round<4>(std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 8>());
    go_round<1>(std::integer_sequence<int, 1, 2, 3>());
    return 0;
}
