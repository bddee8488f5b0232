// linger_probe.cu - how long a store waits in an SM for another one to its sector, and what sends
// it away. Two stores of 16 bytes fill a sector; between them the warp does `n` things of a kind,
// or waits for `n` multiplications while other warps of the block do those things. `own` is what
// sums do that are stored in every round: each warp stores to one line of its own again and again.
// The profiler's sectors written (lts__t_sectors_srcunit_tex_op_write) say how many of the stores
// met. No clock is read, so that models can run the same instructions.
#include "check.h"

#include <utility>

enum { ALU, HIT, MISS, LDS, PIECES, LINES, SAME, CHAIN, FILL };
static const char *const kind_name[] = {"alu",   "hit",  "miss",  "lds", "piece",
                                        "lines", "same", "chain", "fill"};

__device__ static void put(char *p, unsigned x)
{
    asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(x) : "memory");
}
__device__ static unsigned get(const char *p)
{
    unsigned v;
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p));
    return v;
}
__device__ static unsigned get_far(const char *p)
{
    unsigned v;
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p));
    return v;
}
// Nothing, but the assembler moves no store over it.
__device__ static void stay(unsigned x)
{
    if (x == 0x7ffffff1)
        __trap();
}
template <int N> __device__ static unsigned pause(unsigned x)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
    return x;
}

// N things of a kind. `near` are lines that the L1 holds, `far` lines that it does not.
template <int KIND, int N>
__device__ static unsigned things(const char *near, char *far, volatile unsigned *shared,
                                  unsigned x)
{
    unsigned v[N + 1], sum = 0;
    int lane = threadIdx.x % 32;
    asm volatile("" : "+l"(near), "+l"(far)); // one address, and so no register for each
    if (KIND == ALU)
        return pause<N>(x) & 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        v[i] = 0;
        if (KIND == HIT)
            v[i] = get(near + i * 128 + lane * 4);
        else if (KIND == MISS)
            v[i] = get_far(far + i * 128 + lane * 4);
        else if (KIND == FILL)
            v[i] = get(far + i * 128 + lane * 4);
        else if (KIND == LDS)
            v[i] = shared[lane];
        else if (KIND == PIECES)
            put(far + i * 128 + lane % 4 * 4, x);
        else if (KIND == LINES)
            put(far + i * 128 + lane * 4, x);
        else if (KIND == SAME)
            put(far + i % 8 * 16 + lane % 4 * 4, x);
        else if (KIND == CHAIN)
            v[i] = sum = get(near + lane * 4 + sum);
    }
#pragma unroll
    for (int i = 0; i < N; i++)
        sum += v[i];
    return sum;
}

// One warp: a piece, N things, the other piece.
template <int KIND, int N> __global__ void alone(char *data, unsigned *sums, int rounds)
{
    __shared__ unsigned shared[64];
    unsigned x = threadIdx.x, sum = things<HIT, 64>(data + (1 << 26), data, shared, 0);
    shared[threadIdx.x] = 0, shared[threadIdx.x + 32] = 0;
    char *p = data + (threadIdx.x & 3) * 4, *far = data + (1 << 24);
    for (int r = 0; r < rounds; r++) {
        x = pause<256>(x);
        if (threadIdx.x < 4)
            put(p, x);
        if (KIND == ALU && N > 0)
            stay(x), x = pause<N>(x);
        else
            sum += things<KIND, N>(data + (1 << 26), far, shared, r);
        if (threadIdx.x < 4)
            put(p + 16, x);
        p += 128;
        if (KIND == FILL)
            far += N * 128;
    }
    sums[threadIdx.x] = x + sum;
}

// The first warp: a piece, N multiplications, the other piece; the others do things meanwhile.
template <int KIND, int N> __global__ void beside(char *data, unsigned *sums, int rounds, int times)
{
    __shared__ unsigned shared[1024];
    unsigned x = threadIdx.x, sum = things<HIT, 8>(data + (1 << 26), data, shared, 0);
    shared[threadIdx.x] = 0;
    char *p = data + (threadIdx.x & 3) * 4;
    char *far = data + (1 << 24) + threadIdx.x / 32 * 8192;
    for (int r = 0; r < rounds; r++) { // sum is 0, which the compiler does not know
        x = pause<128>(x);
        __syncthreads();
        if (threadIdx.x >= 32) {
            for (int i = 0; i < times; i++)
                sum += things<KIND, 8>(data + (1 << 26) + sum, far + sum, shared, r);
            continue;
        }
        x = pause<32>(x);
        if (threadIdx.x < 4)
            put(p, x);
        stay(x);
        x = pause<N>(x);
        if (threadIdx.x < 4)
            put(p + 16, x);
        p += 128;
    }
    sums[threadIdx.x] = x + sum;
}

// Every warp stores to its line `rounds` times, each after a load of a kind and N multiplications.
template <int KIND, int N> __global__ void own(char *data, unsigned *sums, int rounds)
{
    unsigned x = threadIdx.x, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    char *p = data + warp * 128 + threadIdx.x % 32 * 4;
    const char *far = data + (1 << 24) + threadIdx.x * 4;
    for (int r = 0; r < rounds; r++) {
        unsigned v = KIND == HIT ? get(far) : get_far(far);
        x = pause<N>(x + v);
        put(p, x);
    }
    sums[threadIdx.x] = x;
}

static char *data;
static unsigned *sums;

static void done(const char *what, int kind, int blocks, int warps, int n, int rounds)
{
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    printf("%s,%s,%d,%d,%d,%d\n", what, kind_name[kind], blocks, warps, n, rounds);
}
template <int KIND, int... N> static void all_alone(std::integer_sequence<int, N...>)
{
    ((alone<KIND, N><<<1, 32>>>(data, sums, 32), done("alone", KIND, 1, 1, N, 32)), ...);
}
template <int KIND, int... N> static void all_beside(std::integer_sequence<int, N...>)
{
    for (int warps : {2, 5, 9}) {
        int times = KIND == MISS ? 3 : 96 / (warps - 1) + 8;
        ((beside<KIND, N><<<1, 32 * warps>>>(data, sums, 32, times),
          done("beside", KIND, 1, warps, N, 32)),
         ...);
    }
}
template <int KIND, int... N> static void all_own(std::integer_sequence<int, N...>)
{
    for (int blocks : {1, 132})
        for (int warps : {1, 2, 4, 8, 16, 32})
            ((own<KIND, N><<<blocks, 32 * warps>>>(data, sums, 64),
              done("own", KIND, blocks, warps, N, 64)),
             ...);
}

int main()
{
    using few = std::integer_sequence<int, 1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64>;
    using waits = std::integer_sequence<int, 0, 2, 4, 6, 8, 10, 12, 16, 24, 32, 48>;
    using periods = std::integer_sequence<int, 0, 4, 8, 12, 16, 24, 32, 48>;
    CK(cudaMalloc(&data, 1ul << 28));
    CK(cudaMemset(data, 0, 1ul << 28));
    CK(cudaMalloc(&sums, 4096));
    printf("what,kind,blocks,warps,n,rounds\n");
    all_alone<ALU>(std::integer_sequence<int, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20,
                                         24, 32, 64>());
    all_alone<HIT>(few()), all_alone<MISS>(few()), all_alone<FILL>(few()), all_alone<PIECES>(few());
    all_alone<LINES>(few()), all_alone<SAME>(std::integer_sequence<int, 1, 2, 4, 8>());
    all_alone<CHAIN>(std::integer_sequence<int, 1, 2, 3, 4>());
    all_own<HIT>(periods()), all_own<MISS>(periods());
    all_beside<ALU>(waits()), all_beside<HIT>(waits()), all_beside<LDS>(waits());
    all_beside<MISS>(waits()), all_beside<SAME>(waits()), all_beside<PIECES>(waits());
    return 0;
}
