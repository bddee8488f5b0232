/* tag_probe.cu - which lines share a set of the L1's tags.
 *
 * The tags are 512 sets of four ways with LRU (docs/h200-dissected.md). Four lines of one set and a
 * fifth displace the oldest, so one timed load tells whether a line belongs to the set of line 0. All
 * lines of 8 MB are asked, then single higher address bits together with the lines of 512 KB. */
#include "check.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { LINE = 128, HIT_BELOW = 120, POOL = 1700 };

static __device__ unsigned touch(const char *base, unsigned long long line)
{
    unsigned v;
    asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(base + line * LINE) : "memory");
    return v;
}

static __device__ unsigned timed(const char *base, unsigned long long line)
{
    unsigned start, end, v;
    asm volatile("{ .reg .pred p; .reg .u32 t;\n"
                 "mov.u32 %0,%%clock;\n"
                 "ld.global.ca.u32 %2,[%3];\n"
                 "add.u32 t,%2,1; setp.ne.u32 p,t,0;\n"
                 "@p mov.u32 %1,%%clock;\n"
                 "@!p mov.u32 %1,%%clock; }"
                 : "=r"(start), "=r"(end), "=r"(v)
                 : "l"(base + line * LINE)
                 : "memory");
    return end - start + (v & 0);
}

/* Empties the L1. */
static __device__ void forget(void)
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

static __device__ unsigned random_word(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Is line 0 gone after the lines of the pool? Two of three tries decide. */
static __device__ bool displaced(const char *base, const unsigned *pool, int n, int skip_from, int skip)
{
    int gone = 0;
    for (int r = 0; r < 3; r++) {
        forget();
        unsigned s = touch(base, 0);
        for (int i = 0; i < n; i++)
            if (i < skip_from || i >= skip_from + skip)
                s += touch(base, pool[i]);
        gone += (s == 12345) + (timed(base, 0) > HIT_BELOW);
    }
    return gone >= 2;
}

/* Does x displace line 0 from behind three others of its set? The memory is all zeros: adding what was
 * loaded makes each load wait for the one before. */
static __device__ bool belongs(const char *base, const unsigned *group, unsigned long long x)
{
    int gone = 0;
    for (int r = 0; r < 3; r++) {
        forget();
        unsigned s = touch(base, 0);
        for (int i = 0; i < 3; i++)
            s += touch(base, group[i] + s);
        s += touch(base, x + s);
        gone += timed(base, s) > HIT_BELOW;
    }
    return gone >= 2;
}

/* out[0]: lines of the group found (4 is right); then the group; from 16 on pairs (bit, line). */
__global__ void find_set(const char *base, unsigned *out, int n_out)
{
    __shared__ unsigned pool[POOL]; /* not in the L1, which it would disturb */
    unsigned state = 99, n = 0, at = 16;
    for (int attempt = 0; attempt < 60 && n != 4; attempt++) {
        n = POOL;
        for (int i = 0; i < POOL; i++)
            pool[i] = 1 + random_word(&state) % 65535;
        if (!displaced(base, pool, n, 0, 0))
            continue;
        out[9]++;
        for (int step = 256; step > 0; step /= 2)
            for (int from = 0; from < (int)n;) {
                int take = from + step <= (int)n ? step : (int)n - from;
                if (n > 4 && displaced(base, pool, n, from, take)) {
                    for (int i = from; i + take < (int)n; i++)
                        pool[i] = pool[i + take];
                    n -= take;
                } else {
                    from += step;
                }
            }
    }
    out[0] = n;
    for (int i = 0; i < 4; i++)
        out[1 + i] = pool[i];
    out[8] = at;
    if (n != 4)
        return;
    unsigned group[4] = {pool[0], pool[1], pool[2], pool[3]};
    for (unsigned x = 1; x < 65536 && (int)at + 2 < n_out; x++)
        if (x != group[0] && x != group[1] && x != group[2] && belongs(base, group, x)) {
            out[at++] = 0;
            out[at++] = x;
        }
    for (int bit = 16; bit < 22; bit++)
        for (unsigned x = 0; x < 4096 && (int)at + 2 < n_out; x++)
            if (belongs(base, group, (1ull << bit) | x)) {
                out[at++] = bit;
                out[at++] = x;
            }
    out[8] = at;
}

/* How many lines 2^k lines apart displace line 0; 0 if none do. And a hit's and a miss's time. */
__global__ void strides(const char *base, unsigned *out)
{
    unsigned s = touch(base, 0);
    out[30] = timed(base, 0);
    out[31] = timed(base, 0);
    out[32] = timed(base, 1000000);
    out[33] = timed(base, 1000000);
    forget();
    out[34] = timed(base, 1000000);
    for (int k = 0; k < 16; k++) {
        out[k] = 0;
        for (long long n = 1; n <= 2500 && n << k < 1 << 22 && !out[k]; n += n < 64 ? 1 : 64) {
            int gone = 0;
            for (int r = 0; r < 3; r++) {
                forget();
                s += touch(base, 0);
                for (long long i = 1; i <= n; i++)
                    s += touch(base, i << k);
                gone += timed(base, 0) > HIT_BELOW;
            }
            if (gone >= 2)
                out[k] = n;
        }
    }
    out[40] = s;
}

static void search(const char *base, unsigned *out, int carveout)
{
    static unsigned host[1 << 16];
    CK(cudaFuncSetAttribute(find_set, cudaFuncAttributePreferredSharedMemoryCarveout, carveout));
    CK(cudaMemset(out, 0, sizeof host));
    find_set<<<1, 1>>>(base, out, 1 << 16);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("carveout %d base %p pools that displace %u group %u: %u %u %u %u, %u found\n", carveout, base, host[9], host[0], host[1], host[2], host[3], host[4],
           (host[8] - 16) / 2);
    for (unsigned i = 16; i + 1 < host[8]; i += 2)
        printf("%u %u\n", host[i], host[i + 1]);
}

int main(void)
{
    char *memory;
    unsigned *out;
    CK(cudaMalloc(&memory, (size_t)1 << 30));
    CK(cudaMalloc(&out, 4 << 16));
    CK(cudaMemset(memory, 0, (size_t)1 << 30));
    char *base = (char *)(((size_t)memory + ((size_t)1 << 28) - 1) >> 28 << 28);
    unsigned host[41];
    CK(cudaFuncSetAttribute(strides, cudaFuncAttributePreferredSharedMemoryCarveout, 0));
    strides<<<1, 1>>>(base, out);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("times %u %u %u %u, after a fence %u\n", host[30], host[31], host[32], host[33], host[34]);
    for (int k = 0; k < 16; k++)
        printf("stride 2^%d lines: %u displace\n", k, host[k]);
    search(base, out, 0);
    search(base, out, 14); /* per cent of shared memory: the 32 KB a kernel without any gets */
    search(base + ((size_t)3 << 27), out, 0);
    return 0;
}
