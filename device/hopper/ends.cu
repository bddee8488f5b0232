// ends.cu - how evenly SMs are served when all of them store or load at once: each SM's time for the same work.
//
// One block to an SM. All begin when the global timer passes a time that was agreed on. stores: eight warps store a
// tile of 128 x 128 half-precision sums as gemm.cu does, `tiles` of them; loads: one thread copies `tiles` times 32
// KiB by bulk copies of 4 KiB, four under way, of its own lines or of lines that all share. A line a launch and SM:
// what, tiles, turn, sm, cycles until the last instruction, cycles until all is over.
#include "hopper.h"
#include "tiles.h"

__device__ unsigned arrived;
__device__ unsigned ends[132 * 2], sms[132];

__device__ __forceinline__ unsigned clock_now()
{
    unsigned c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    return c;
}
__device__ void together(unsigned turn)
{
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&arrived, 1);
        while (*(volatile unsigned *)&arrived < (turn + 1) * gridDim.x)
            ;
        unsigned long long t, u;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
        t = (t & ~2047ull) + 4096;
        do
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(u));
        while (u < t);
    }
    __syncthreads();
}
__global__ __launch_bounds__(256, 1) void stores(__half *c, int ldc, int m_tiles, int tiles, unsigned turn)
{
    __shared__ unsigned last;
    if (threadIdx.x == 0)
        last = 0;
    together(turn);
    unsigned begin = clock_now();
    store_tiles(c, ldc, m_tiles, tiles, turn);
    atomicMax(&last, clock_now() - begin);
    __syncthreads();
    unsigned issued = last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sms[blockIdx.x]));
        ends[blockIdx.x * 2] = issued;
        ends[blockIdx.x * 2 + 1] = clock_now() - begin;
    }
}
__global__ __launch_bounds__(32, 1) void loads(const uint8_t *from, int own, int tiles, unsigned turn)
{
    extern __shared__ __align__(128) uint8_t to[];
    __shared__ uint64_t full[4];
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            barrier_init(&full[i], 1);
    barrier_fence();
    together(turn);
    unsigned begin = clock_now();
    if (threadIdx.x)
        return;
    const uint8_t *p = from + (own ? (size_t)blockIdx.x * tiles * 32768 : 0);
    int n = tiles * 8;
    for (int i = 0; i < n + 4; i++) {
        if (i >= 4)
            barrier_wait(&full[i % 4], (i / 4 - 1) & 1);
        if (i < n) {
            barrier_expect(&full[i % 4], 4096);
            bulk_load(to + i % 4 * 4096, p + (size_t)i * 4096, 4096, &full[i % 4]);
        }
    }
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sms[blockIdx.x]));
    ends[blockIdx.x * 2] = ends[blockIdx.x * 2 + 1] = clock_now() - begin;
}
static void show(const char *what, int tiles, int turn)
{
    unsigned e[132 * 2], s[132], zero = 0;
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpyFromSymbol(e, ends, sizeof e));
    CK(cudaMemcpyFromSymbol(s, sms, sizeof s));
    CK(cudaMemcpyToSymbol(arrived, &zero, sizeof zero));
    for (int b = 0; b < 132; b++)
        printf("%s,%d,%d,%u,%u,%u\n", what, tiles, turn, s[b], e[b * 2], e[b * 2 + 1]);
}
int main()
{
    __half *c;
    uint8_t *flush;
    CK(cudaMalloc(&c, 132 * 8 * 32768));
    CK(cudaMalloc(&flush, 256 << 20));
    CK(cudaFuncSetAttribute(stores, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    CK(cudaFuncSetAttribute(loads, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    printf("what,tiles,turn,sm,issued,over\n");
    for (int tiles = 1; tiles <= 4; tiles *= 2)
        for (int turn = 0; turn < 12; turn++) {
            CK(cudaMemset(flush, turn, 256 << 20));
            stores<<<132, 256, 190 << 10>>>(c, 1536, 11 * tiles, tiles, 0);
            show("stores", tiles, turn);
        }
    for (int own = 0; own < 2; own++)
        for (int warm = 0; warm < 2; warm++)
            for (int turn = 0; turn < 12; turn++) {
                if (!warm)
                    CK(cudaMemset(flush, turn, 256 << 20));
                loads<<<132, 32, 190 << 10>>>((uint8_t *)c, own, 8, 0);
                show(own ? warm ? "own_warm" : "own_cold" : warm ? "shared_warm" : "shared_cold", 8, turn);
            }
    return 0;
}
