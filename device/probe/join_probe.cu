// join_probe.cu - which equal reads of the SMs of a GPC reach the L2 as one.
//
// A cluster of 16 blocks lies in one GPC, a block to an SM. In every round some of them read the
// same lines, or parts of the same lines, each later than the one before by `delay` cycles; in a
// warm round the last block has read them just before. Two rounds go ahead on other lines so that
// the code is at hand. Blocks of `stream` run freely, `share` neighbours on the same lines. Counted
// are lts__t_sectors_srcunit_tex_op_read, beside the sectors of one reader (`one`):
//
//   ncu --clock-control none --cache-control all --metrics
//   lts__t_sectors_srcunit_tex_op_read.sum,... join_probe
#include "check.h"

#include <cstdint>

enum how { LOADS, BULK };
struct job {
    int how, warm, lines, delay, rounds;
    unsigned long long order; // 4 bits a block: its turn among the readers, 15: does not read
    int regions;              // reader i reads region i % regions at turn i / regions
    unsigned masks;           // LOADS: sectors of each line, 4 bits for turn % 8; 0: all
};

__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ uint32_t sh(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void wait_bulk(uint64_t *b, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nL: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p "
                 "bra D;\nbra L;\nD:\n}" ::"r"(sh(b)),
                 "r"(parity)
                 : "memory");
}
__device__ __forceinline__ void read_lines(int how, const char *from, int lines, char *to,
                                           uint64_t *b, uint32_t parity, uint32_t &sum,
                                           unsigned mask = 15)
{
    if (how == LOADS) {
        for (int i = threadIdx.x / 32; i < lines; i += blockDim.x / 32) {
            uint32_t v = 0;
            if (mask >> (threadIdx.x % 32 / 8) & 1)
                asm volatile("ld.global.cg.u32 %0, [%1];"
                             : "=r"(v)
                             : "l"(from + (size_t)i * 128 + threadIdx.x % 32 * 4));
            sum += v;
        }
    } else {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sh(b)),
                         "r"(lines * 128)
                         : "memory");
            for (int i = 0; i < lines; i += 16)
                asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                             "[%0], [%1], %2, [%3];" ::"r"(sh(to + i % 1024 * 128)),
                             "l"(from + (size_t)i * 128), "r"(16 * 128), "r"(sh(b))
                             : "memory");
        }
        wait_bulk(b, parity);
    }
}
__global__ void __cluster_dims__(16, 1, 1)
    reads(job j, const char *data, uint32_t *out, unsigned *smid)
{
    extern __shared__ __align__(128) char to[];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sh(&bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        unsigned id;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
        if (smid)
            smid[blockIdx.x] = id;
    }
    uint32_t sum = 0, parity = 0;
    int turn = (int)(j.order >> (4 * blockIdx.x) & 15);
    for (int r = 0; r < j.rounds + 2; r++) {
        const char *from = data + (size_t)(r * j.regions) * j.lines * 128;
        cluster_sync();
        if (j.warm && blockIdx.x == 15) {
            for (int region = 0; region < j.regions; region++, parity ^= 1)
                read_lines(BULK, from + (size_t)region * j.lines * 128, j.lines, to, &bar, parity,
                           sum);
            __syncthreads();
        }
        if (sum == 0x12345678)
            *out = sum;
        cluster_sync();
        long long t = clock64() + 1000;
        if (turn != 15) {
            t += (long long)(turn / j.regions) * j.delay;
            while (clock64() < t)
                ;
            read_lines(j.how, from + (size_t)(turn % j.regions) * j.lines * 128, j.lines, to, &bar,
                       parity, sum, j.masks ? j.masks >> turn % 8 * 4 & 15 : 15);
            if (j.how == BULK)
                parity ^= 1;
            if (sum == 0x12345678)
                *out = sum;
        }
    }
    cluster_sync();
}

// Blocks that run freely, one to an SM: `share` neighbours read the same region, 8 KB a step,
// `passes` times.
__global__ void stream(const char *data, uint32_t *out, int share, int steps, int passes, int work,
                       int how, unsigned long long *times)
{
    extern __shared__ __align__(128) char to[];
    __shared__ uint64_t full[4];
    unsigned long long begin, end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    const char *from = data + (size_t)(blockIdx.x / share) * steps * 8192;
    uint32_t sum = 0, x = threadIdx.x;
    if (threadIdx.x == 0)
#pragma unroll
        for (int i = 0; i < 4; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sh(&full[i])), "r"(1)
                         : "memory");
    __syncthreads();
    auto ask = [&](int i) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sh(&full[i % 4])),
            "r"(8192)
            : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                     "[%1], %2, [%3];" ::"r"(sh(to + i % 4 * 8192)),
                     "l"(from + (size_t)(i % steps) * 8192), "r"(8192), "r"(sh(&full[i % 4]))
                     : "memory");
    };
    int n = steps * passes;
    if (how == BULK && threadIdx.x == 0)
        for (int i = 0; i < 3 && i < n; i++)
            ask(i);
    for (int i = 0; i < n; i++) {
        if (how == LOADS) {
            const char *p =
                from + (size_t)(i % steps) * 8192 + threadIdx.x / 32 * 1024 + threadIdx.x % 32 * 4;
            uint32_t v[8];
#pragma unroll
            for (int k = 0; k < 8; k++)
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v[k]) : "l"(p + k * 128));
#pragma unroll
            for (int k = 0; k < 8; k++)
                sum += v[k];
        } else {
            wait_bulk(&full[i % 4], i / 4 & 1);
        }
        for (int k = 0; k < work; k++)
            asm volatile("mad.lo.u32 %0,%0,%0,%0;" : "+r"(x));
        __syncthreads();
        if (how == BULK && threadIdx.x == 0 && i + 3 < n)
            ask(i + 3);
    }
    if (sum + x == 0x12345678)
        *out = sum;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    if (threadIdx.x == 0) {
        times[2 * blockIdx.x] = begin;
        times[2 * blockIdx.x + 1] = end;
    }
}

static char *data;
static uint32_t *result;
static unsigned *smid;
static unsigned long long *times;
static unsigned long long first(int n) // the first n blocks, in order
{
    unsigned long long order = ~0ull;
    for (int i = 0; i < n; i++)
        order = (order & ~(15ull << 4 * i)) | (unsigned long long)i << 4 * i;
    return order;
}
static unsigned long long two(int a, int b)
{
    unsigned long long order = ~0ull;
    order &= ~(15ull << 4 * a);
    order = (order & ~(15ull << 4 * b)) | 1ull << 4 * b;
    return order;
}
static void launch(const char *set, job j, int readers)
{
    static const char *const names[] = {"loads", "bulk"};
    int shared = 160 * 1024;
    CK(cudaFuncSetAttribute(reads, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CK(cudaFuncSetAttribute(reads, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    reads<<<16, 256, shared>>>(j, data, result, smid);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    unsigned ids[16];
    CK(cudaMemcpy(ids, smid, sizeof ids, cudaMemcpyDeviceToHost));
    long one = (long)(j.rounds + 2) * j.regions * j.lines * 4;
    printf("%s,%s,%s,%d,%d,%d,%d,%llx,%x,%ld,", set, names[j.how], j.warm ? "warm" : "cold",
           readers, j.regions, j.lines, j.delay, j.order, j.masks, one);
    for (int i = 0; i < 16; i++)
        if ((j.order >> 4 * i & 15) != 15)
            printf("%u ", ids[i]);
    printf("\n");
    fflush(stdout);
}

static void free_run(int how, int blocks, int share, int steps, int passes, int work)
{
    static const char *const names[] = {"loads", "bulk"};
    int shared = 160 * 1024;
    unsigned long long h[264], lo[2] = {~0ull, ~0ull}, hi[2] = {0, 0};
    CK(cudaFuncSetAttribute(stream, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    stream<<<blocks, 256, shared>>>(data, result, share, steps, passes, work, how, times);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h, times, 16 * blocks, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * blocks; i++) {
        lo[i % 2] = h[i] < lo[i % 2] ? h[i] : lo[i % 2];
        hi[i % 2] = h[i] > hi[i % 2] ? h[i] : hi[i % 2];
    }
    printf("stream,%s,passes%d,%d,%d,%d,%d,0,0,%ld,%llu %llu %llu\n", names[how], passes, blocks,
           share, steps, work, (long)(blocks + share - 1) / share * steps * passes * 256,
           hi[0] - lo[0], hi[1] - lo[1], hi[1] - lo[0]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    CK(cudaMalloc(&times, 4096));
    CK(cudaMalloc(&data, 512 << 20));
    CK(cudaMemset(data, 0, 512 << 20));
    CK(cudaMalloc(&result, 4));
    CK(cudaMalloc(&smid, 64));
    printf("set,how,l2,readers,regions,lines,delay,order,masks,one,smids\n");
    for (int how = 0; how < 2; how++)
        for (int blocks : {132, 32})
            for (int share : {1, 2, 4, 16, 132})
                for (int passes : {1, 4})
                    for (int work : {0, 40})
                        if (share <= blocks)
                            free_run(how, blocks, share, 64, passes, work);
    if (argc > 1)
        return 0;
    for (int how = 0; how < 2; how++)
        for (int warm = 0; warm < 2; warm++) {
            for (int n : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15})
                launch("share", {how, warm, 64, 0, 20, first(n), 1}, n);
            for (int d = 0; d <= (warm ? 300 : 900); d += warm ? 12 : 50)
                launch("later", {how, warm, 64, d, 20, first(2), 1}, 2);
            for (int d : {10, 20, 30, 50, 80})
                launch("queue", {how, warm, 64, d, 20, first(10), 1}, 10);
            for (int n : {16, 64, 256, 1024})
                for (int d : {0, 40})
                    for (int pairs : {1, 4, 7})
                        launch("lines", {how, warm, n, d, 20, first(2 * pairs), pairs}, 2 * pairs);
        }
    // Parts of a line: halves of each of the readers, the same and others.
    for (int warm = 0; warm < 2; warm++)
        for (int d : {0, 16}) {
            for (unsigned m : {0x33u, 0xc3u, 0xf3u, 0x3fu, 0x63u, 0x11u, 0x21u})
                launch("parts", {LOADS, warm, 64, d, 20, first(2), 1, m}, 2);
            for (unsigned m : {0x1111u, 0x2121u, 0x2211u, 0x3131u, 0xc3c3u, 0xcc33u, 0xf3f3u})
                launch("parts", {LOADS, warm, 64, d, 20, first(4), 1, m}, 4);
            for (unsigned m : {0x11111111u, 0x84218421u, 0x88442211u, 0x21212121u})
                launch("parts", {LOADS, warm, 64, d, 20, first(8), 1, m}, 8);
        }
    for (int b = 1; b < 15; b++)
        launch("pair", {LOADS, 1, 64, 0, 20, two(0, b), 1}, 2);
    for (int b = 0; b < 15; b += b == 6 ? 2 : 1)
        launch("pair", {LOADS, 1, 64, 0, 20, two(7, b == 7 ? 8 : b), 1}, 2);
    for (int b = 1; b < 15; b++)
        launch("pair", {LOADS, 0, 64, 0, 20, two(0, b), 1}, 2);
    return 0;
}
