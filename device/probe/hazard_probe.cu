/* hazard_probe.cu - what the L1 keeps of a sector that is written soon after it was read, or read
 * soon after it was written. One warp; two accesses K steps of arithmetic apart, 3000 cycles of
 * rest, then a third one whose latency tells whether its bytes are there. */
#include <cstdio>
#include <cuda_runtime.h>

#include "words.h"

enum { LOAD, STORE };
enum { FETCHED, WRITTEN, PAIR, ABSENT };

/* what[]: offsets of words A, B, C; pre: the state before; n: more steps at run time. */
template <int FIRST, int SECOND, int K>
__device__ __noinline__ unsigned one(unsigned *line, int a, int b, int c, int pre, int n,
                                     unsigned mul, unsigned *apart)
{
    unsigned x = 0, y = 0, z = threadIdx.x;
    if (pre == FETCHED) {
        x += ld(line + a);
        x += ld(line + b);
        x += ld(line + c);
    } else if (pre == WRITTEN) {
#pragma unroll 1
        for (int i = 0; i < 64; i++)
            st(line + i, i);
    } else if (pre == PAIR) {
        st(line + a, 1), st(line + b, 1);
    }
    if (x == 12345)
        z++;
    rest(3000);
    unsigned *pb = line + b, *pa = line + a;
    unsigned t0 = clock();
    if (FIRST == LOAD)
        y = ld(pa);
    else
        st(pa, z);
    unsigned w = t0;
#pragma unroll
    for (int i = 0; i < K; i++)
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(w) : "r"(mul), "r"(w));
    if (K < 0)
        for (int i = 0; i < n; i++)
            asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(w) : "r"(mul), "r"(w));
    if (SECOND == LOAD)
        pb += w & mul; /* mul is 0 */
    unsigned v = 0;
    if (SECOND == LOAD)
        v = ld(pb);
    else
        st(pb, w);
    unsigned t1 = clock();
    *apart = t1 - t0;
    if (y + v == 12345678)
        *apart = 0;
    rest(3000);
    t0 = clock();
    x = ld(line + c);
    asm volatile("" ::"r"(x));
    z += x & mul;
    t1 = clock() + (z & mul & x);
    return t1 - t0 + (x & mul);
}

struct sequence {
    int a, b, c, pre, n;
};
enum { CASES = 256 };
struct table {
    sequence s[CASES];
};

template <int FIRST, int SECOND, int K>
__global__ void probe(unsigned *data, const table *cases, int n_cases, unsigned mul, unsigned lanes,
                      unsigned *out)
{
    if (threadIdx.x >= lanes)
        return;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < n_cases; i++) {
            sequence s = cases->s[i];
            unsigned *line = data + ((size_t)round * n_cases + i) * 256 + threadIdx.x, apart;
            unsigned t = one<FIRST, SECOND, K>(line, s.a, s.b, s.c, s.pre, s.n, mul, &apart);
            if (threadIdx.x == 0)
                out[2 * i] = t, out[2 * i + 1] = apart;
            rest(500);
        }
}

static table host;
static int n_cases;
static void add(int a, int b, int c, int pre, int n)
{
    host.s[n_cases++] = {a, b, c, pre, n};
}

static unsigned *data, *out;
static table *device;
static const char *pre_name[] = {"fetched", "written", "pair", "absent"};

template <int FIRST, int SECOND, int K> static void run(unsigned lanes)
{
    static unsigned result[2 * CASES];
    cudaMemset(data, 0, 64 << 20);
    cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
    probe<FIRST, SECOND, K><<<1, 32>>>(data, device, n_cases, 0, lanes, out);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n_cases; i++)
        printf("%c%c,K%d,n%d,lanes%u,a%d,b%d,c%d,%s,%u,%u\n", FIRST ? 'S' : 'L', SECOND ? 'S' : 'L',
               K, host.s[i].n, lanes, host.s[i].a, host.s[i].b, host.s[i].c,
               pre_name[host.s[i].pre], result[2 * i + 1], result[2 * i]);
}

template <int FIRST, int SECOND> static void all(unsigned lanes)
{
    run<FIRST, SECOND, 0>(lanes);
    run<FIRST, SECOND, 1>(lanes);
    run<FIRST, SECOND, 2>(lanes);
    run<FIRST, SECOND, 3>(lanes);
    run<FIRST, SECOND, 4>(lanes);
    run<FIRST, SECOND, 5>(lanes);
    run<FIRST, SECOND, 6>(lanes);
    run<FIRST, SECOND, 7>(lanes);
    run<FIRST, SECOND, 8>(lanes);
    run<FIRST, SECOND, 10>(lanes);
    run<FIRST, SECOND, 12>(lanes);
    run<FIRST, SECOND, 16>(lanes);
}

int main()
{
    cudaMalloc(&data, 64 << 20);
    cudaMalloc(&out, 1 << 16);
    cudaMalloc(&device, sizeof host);
    static const int bs[] = {0, 1, 8, 128}; /* same word, same sector, same line, another line */
    static const int cs[] = {0, 1, 2, 8};
    for (int pre = 0; pre < 4; pre++)
        for (int b : bs)
            for (int c : cs)
                add(0, b, c, pre, 0);
    printf("order,K,n,lanes,a,b,c,state,apart,latency\n");
    all<LOAD, STORE>(1);
    all<STORE, LOAD>(1);
    run<STORE, STORE, 0>(1);
    run<STORE, STORE, 4>(1);
    run<STORE, STORE, 16>(1);
    /* full warps: the words are the line's, so C is the line or the next */
    n_cases = 0;
    for (int pre = 0; pre < 4; pre++)
        for (int b : {0, 32})
            for (int c : {0, 32})
                add(0, b, c, pre, 0);
    all<LOAD, STORE>(32);
    /* the fetch on its way */
    n_cases = 0;
    for (int pre = 0; pre < 4; pre += 3)
        for (int n = 2; n <= 120; n += n < 20 ? 3 : 10)
            for (int c = 0; c < 3; c++)
                add(0, 1, c, pre, n);
    run<LOAD, STORE, -1>(1);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
