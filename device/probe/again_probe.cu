/* again_probe.cu - what the L1 keeps of lines that are stored to twice. A warp stores a word of each of
 * some lines, then, K steps of arithmetic later, another word of the same lines; 3000 cycles later the
 * latency of a load tells of each line whether a word of it is still there: the one stored first, or one
 * that was loaded before both. Between the two stores may be one to other lines. */
#include <cstdio>
#include <cuda_runtime.h>

#include "words.h"

struct sequence {
    int lines, sectors, loaded, word, others, warps;
};
enum { ROUNDS = 8, LINE = 32, SPACE = 64 * LINE };

/* A bit for each line that is lost. */
__device__ __forceinline__ unsigned lost(unsigned *first, const sequence &s, unsigned mul)
{
    unsigned bits = 0;
    for (int i = 0; i < s.lines; i++) {
        __shared__ unsigned sink[32];
        unsigned t0 = clock(), x = ld(first + i * LINE + s.word), t1;
        asm volatile("st.shared.u32 [%1], %2;\n\tmov.u32 %0, %%clock;" /* which waits for x */
                     : "=r"(t1)
                     : "r"((unsigned)__cvta_generic_to_shared(sink)), "r"(x + mul)
                     : "memory");
        bits |= (unsigned)(t1 - t0 > 120) << i;
        rest(200);
    }
    return bits;
}

template <int K>
__device__ __forceinline__ unsigned twice(unsigned *first, const sequence &s, unsigned mul)
{
    int lane = threadIdx.x % 32;
    bool stores = lane < s.lines * s.sectors, others = lane < s.others;
    unsigned *mine = first + lane / s.sectors * LINE + lane % s.sectors * 8,
             *other = first + (32 + lane) * LINE;
    unsigned t0 = clock(), w = t0;
    if (stores)
        st(mine, lane);
    if (others)
        st(other, lane);
#pragma unroll
    for (int i = 0; i < K; i++)
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(w) : "r"(mul), "r"(w));
    if (stores)
        st(mine + 1, w);
    return clock() - t0;
}

template <int K>
__global__ void probe(unsigned *data, sequence s, unsigned mul, unsigned *out)
{
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < ROUNDS; round++) {
        unsigned *first = data + (size_t)(round * 32 + warp) * SPACE, x = 0;
        if (s.loaded)
            for (int i = 0; i < s.lines; i++)
                x += ld(first + i * LINE + lane);
        rest(3000 + (x & mul));
        __syncthreads();
        unsigned apart = twice<K>(first, s, mul);
        rest(3000);
        __syncthreads();
        unsigned bits = 0;
        for (int i = 0; i < s.warps; i++) {
            if (i == warp && lane == 0)
                bits = lost(first, s, mul);
            __syncthreads();
        }
        if (lane == 0) {
            out[(warp * ROUNDS + round) * 2] = bits;
            out[(warp * ROUNDS + round) * 2 + 1] = apart;
        }
    }
}

static unsigned *data, *out, result[32 * ROUNDS * 2];

template <int K> static void run(const sequence &s)
{
    cudaMemset(data, 0, 64 << 20);
    cudaMemset(out, 0, sizeof result);
    probe<K><<<1, 32 * s.warps>>>(data, s, 0, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int w = 0; w < s.warps; w++) {
        printf("%d,%d,%d,%d,%d,%d,%d,%d", K, s.lines, s.sectors, s.loaded, s.word, s.others, s.warps, w);
        for (int r = 1; r < ROUNDS; r++)
            printf(",%u:%x", result[(w * ROUNDS + r) * 2 + 1], result[(w * ROUNDS + r) * 2]);
        printf("\n");
    }
}

static void all(const sequence &s)
{
    run<0>(s), run<1>(s), run<2>(s), run<3>(s), run<4>(s), run<5>(s), run<6>(s), run<7>(s), run<8>(s), run<9>(s), run<10>(s);
    run<11>(s), run<12>(s), run<13>(s), run<14>(s), run<16>(s), run<18>(s), run<20>(s), run<24>(s), run<28>(s), run<32>(s);
    run<40>(s), run<48>(s), run<64>(s), run<96>(s), run<128>(s), run<192>(s);
}

int main()
{
    cudaMalloc(&data, 64 << 20);
    cudaMalloc(&out, sizeof result);
    printf("K,lines,sectors,loaded,word,others,warps,warp,apart:lost of seven rounds\n");
    for (int warps : {1, 4})
        for (int sectors : {1, 2, 4})
            for (int lines : {1, 2, 4, 8, 10, 16})
                for (int loaded : {0, 1})
                    if (lines * sectors <= 32 && !(warps > 1 && sectors == 2))
                        all({lines, sectors, loaded, loaded ? 2 : 0, 0, warps});
    for (int others : {8, 16, 32})
        for (int lines : {1, 8})
            all({lines, 1, 0, 0, others, 1});
    for (int lines : {4, 8})
        all({lines, 1, 0, 0, 0, 8}), all({lines, 4, 0, 0, 0, 16});
    all({8, 1, 1, 8, 0, 1}); /* another sector, which was loaded */
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
