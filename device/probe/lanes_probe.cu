/* lanes_probe.cu - cycles of an SM for a load that hits the L1, by how many lines its lanes lie in,
 * how they lie in the banks and how wide they are, alone and beside stores, conversions and loads
 * of one word by all lanes. One block of 32 warps on every SM; the SM's own clock. */
#include "check.h"

#include <algorithm>
#include <vector>

struct shape {
    int lines, spread, pitch, skew;   // lanes of a line, bytes from lane to lane, line to line
    int loads, stores, uniform, converts; // an iteration, 12, 3, 9 and 7 at most
    int store_lines;
};

template <int WIDTH> __device__ __forceinline__ int load(const unsigned char *at)
{
    int x;
    if (WIDTH == 1)
        asm volatile("ld.global.nc.u8 %0, [%1];" : "=r"(x) : "l"(at));
    else
        asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(x) : "l"(at));
    return x;
}

template <int WIDTH, int LOADS, int STORES, int UNIFORM, int CONVERTS>
__global__ void rate(int *out, const unsigned char *in, unsigned char *to, shape s, int rounds)
{
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, sum = 0;
    int each = 32 / s.lines, g = lane / each;
    const unsigned char *at = in + g * s.pitch + g * s.skew + lane % each * s.spread;
    int store_each = 32 / s.store_lines;
    unsigned char *place = to + ((size_t)blockIdx.x * 32 + warp) * 65536 +
                           lane / store_each * 3072 + lane % store_each * 3;
    int total = 0;
    for (int twice = 0; twice < 2; twice++) {
        __syncthreads();
        unsigned start = clock();
        for (int n = 0; n < (twice ? rounds : 2); n++) {
            int x[12];
#pragma unroll
            for (int k = 0; k < UNIFORM; k++)
                sum += load<4>(in + 4 * k + (n & 3) * 64);
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                x[k] = load<WIDTH>(at + k % 3 * WIDTH + k / 3 * 512 + (n & 3) * 16);
#pragma unroll
            for (int k = 0; k < LOADS; k++)
                sum += x[k];
            float f = sum;
#pragma unroll
            for (int k = 0; k < CONVERTS; k++) {
                int v;
                asm volatile("cvt.rzi.s32.f32 %0, %1;" : "=r"(v) : "f"(f));
                sum += v;
            }
#pragma unroll
            for (int k = 0; k < STORES; k++)
                asm volatile("st.global.u8 [%0], %1;" ::"l"(place + k + (n & 7) * 384), "r"(sum)
                             : "memory");
        }
        __syncthreads();
        total = clock() - start;
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = total;
    if (sum == 123456789)
        out[0] = sum;
}

static int *out;
static unsigned char *in, *to;

template <int WIDTH, int LOADS, int STORES, int UNIFORM, int CONVERTS>
static void run(int lines, int spread, int pitch, int skew, int store_lines, int blocks = 132)
{
    const int rounds = 64;
    shape s = {lines, spread, pitch, skew, LOADS, STORES, UNIFORM, CONVERTS, store_lines};
    std::vector<int> t(blocks);
    rate<WIDTH, LOADS, STORES, UNIFORM, CONVERTS><<<blocks, 1024>>>(out, in, to, s, rounds);
    CK(cudaMemcpy(t.data(), out, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    std::sort(t.begin(), t.end());
    printf("%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.2f,%.2f\n", WIDTH, LOADS, STORES, UNIFORM, CONVERTS,
           lines, spread, pitch, skew, store_lines, blocks, t[blocks / 2] / (32.0 * rounds),
           t[blocks - 1] / (32.0 * rounds));
}

template <int WIDTH> static void loads(int spread)
{
    for (int lines : {1, 2, 4, 8, 16, 32})
        for (int pitch : {128, 3072, 4096})
            for (int skew : {0, 4, 48}) {
                if (lines == 1 && (pitch > 128 || skew))
                    continue;
                run<WIDTH, 12, 0, 0, 0>(lines, spread, pitch, skew, 2);
            }
}

int main(void)
{
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&in, 1 << 20));
    CK(cudaMalloc(&to, 512 << 20));
    CK(cudaMemset(in, 0, 1 << 20));
    printf("width,loads,stores,uniform,converts,lines,spread,pitch,skew,store_lines,blocks,"
           "cycles_a_round_of_a_warp,of_the_slowest_sm\n");
    loads<1>(3);
    loads<1>(1);
    loads<1>(6);
    loads<4>(4);
    loads<4>(8);
    for (int blocks : {1, 132})
        for (int store_lines : {1, 2, 4, 8}) {
            run<1, 0, 1, 0, 0>(1, 3, 128, 0, store_lines, blocks);
            run<1, 0, 3, 0, 0>(1, 3, 128, 0, store_lines, blocks);
            run<1, 3, 3, 0, 0>(2, 3, 3072, 0, store_lines, blocks);
            run<1, 12, 3, 0, 0>(2, 3, 3072, 0, store_lines, blocks);
            run<1, 12, 3, 0, 0>(4, 3, 3072, 0, store_lines, blocks);
            run<1, 12, 3, 0, 0>(8, 3, 3072, 4, store_lines, blocks);
            run<4, 12, 3, 0, 0>(2, 4, 3072, 0, store_lines, blocks);
        }
    run<1, 0, 0, 9, 0>(1, 3, 128, 0, 1);
    run<1, 0, 0, 0, 7>(1, 3, 128, 0, 1);
    run<1, 12, 0, 9, 0>(4, 3, 3072, 0, 1);
    run<1, 12, 3, 9, 7>(4, 3, 3072, 0, 2);
    run<1, 12, 3, 0, 7>(4, 3, 3072, 0, 2);
    return 0;
}
