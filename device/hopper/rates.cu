// rates.cu - times of the units of Hopper on one SM: warpgroup MMA by shape, type and where its
// operands lie; tensor copies by box; barriers; what a cluster adds. One CSV line a measurement:
// what, parameter, parameter, value, unit.
#include "hopper.h"
#include "wgmma.h"

__device__ __forceinline__ long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

// ---- warpgroup MMA --------------------------------------------------------------------------

#define RATE_KERNEL(KIND, N, CTYPE)                                                                \
    __global__ void rate_##KIND##_##N(long long *out, int registers, int count)                    \
    {                                                                                              \
        extern __shared__ __align__(1024) uint8_t stage[];                                         \
        CTYPE d[N / 2] = {};                                                                       \
        uint32_t a[4] = {};                                                                        \
        uint64_t ad = descriptor(stage + threadIdx.x / 128 * 8192, 16, 1024);                      \
        uint64_t bd = descriptor(stage + 32768, 16, 1024);                                         \
        for (int i = threadIdx.x; i < 65536 / 4; i += blockDim.x)                                  \
            ((uint32_t *)stage)[i] = 0;                                                            \
        async_fence();                                                                             \
        __syncthreads();                                                                           \
        long long t = now();                                                                       \
        if (registers) {                                                                           \
            for (int i = 0; i < count; i++) {                                                      \
                wgmma_begin();                                                                     \
                wgmma_##KIND##_rs##N(d, a, bd);                                                    \
                wgmma_##KIND##_rs##N(d, a, bd);                                                    \
                wgmma_##KIND##_rs##N(d, a, bd);                                                    \
                wgmma_##KIND##_rs##N(d, a, bd);                                                    \
                wgmma_commit();                                                                    \
                wgmma_wait<0>();                                                                   \
            }                                                                                      \
        } else {                                                                                   \
            for (int i = 0; i < count; i++) {                                                      \
                wgmma_begin();                                                                     \
                wgmma_##KIND##_ss##N(d, ad, bd);                                                   \
                wgmma_##KIND##_ss##N(d, ad, bd);                                                   \
                wgmma_##KIND##_ss##N(d, ad, bd);                                                   \
                wgmma_##KIND##_ss##N(d, ad, bd);                                                   \
                wgmma_commit();                                                                    \
                wgmma_wait<0>();                                                                   \
            }                                                                                      \
        }                                                                                          \
        t = now() - t;                                                                             \
        CTYPE keep = 0;                                                                            \
        for (int i = 0; i < N / 2; i++)                                                            \
            keep += d[i];                                                                          \
        if (threadIdx.x == 0)                                                                      \
            out[0] = t + (keep == (CTYPE)12345);                                                   \
    }                                                                                              \
    /* One product alone, and eight between which nothing is waited for. */                        \
    __global__ void deep_##KIND##_##N(long long *out, int registers, int count)                    \
    {                                                                                              \
        extern __shared__ __align__(1024) uint8_t stage[];                                         \
        CTYPE d[N / 2] = {};                                                                       \
        uint64_t ad = descriptor(stage + threadIdx.x / 128 * 8192, 16, 1024);                      \
        uint64_t bd = descriptor(stage + 32768, 16, 1024);                                         \
        (void)registers;                                                                           \
        for (int i = threadIdx.x; i < 65536 / 4; i += blockDim.x)                                  \
            ((uint32_t *)stage)[i] = 0;                                                            \
        async_fence();                                                                             \
        __syncthreads();                                                                           \
        wgmma_begin();                                                                             \
        long long t = now();                                                                       \
        if (count == 1) {                                                                          \
            wgmma_##KIND##_ss##N(d, ad, bd);                                                       \
        } else {                                                                                   \
            _Pragma("unroll") for (int i = 0; i < 16; i++) wgmma_##KIND##_ss##N(d, ad, bd);        \
        }                                                                                          \
        wgmma_commit();                                                                            \
        wgmma_wait<0>();                                                                           \
        t = now() - t;                                                                             \
        CTYPE keep = 0;                                                                            \
        for (int i = 0; i < N / 2; i++)                                                            \
            keep += d[i];                                                                          \
        if (threadIdx.x == 0)                                                                      \
            out[0] = t + (keep == (CTYPE)12345);                                                   \
    }

#define ALL_RATES(X)                                                                               \
    X(f16, 8, float)                                                                               \
    X(f16, 16, float)                                                                              \
    X(f16, 32, float)                                                                              \
    X(f16, 64, float)                                                                              \
    X(f16, 96, float)                                                                              \
    X(f16, 128, float)                                                                             \
    X(f16, 192, float)                                                                             \
    X(f16, 256, float)                                                                             \
    X(tf32, 64, float)                                                                             \
    X(tf32, 128, float)                                                                            \
    X(tf32, 256, float)                                                                            \
    X(e4m3, 64, float)                                                                             \
    X(e4m3, 128, float)                                                                            \
    X(e4m3, 256, float)                                                                            \
    X(s8, 64, int)                                                                                 \
    X(s8, 128, int)                                                                                \
    X(s8, 256, int)
ALL_RATES(RATE_KERNEL)

static long long *cell;
static long long result(int i = 0)
{
    long long t[64];
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(t, cell, sizeof t, cudaMemcpyDeviceToHost));
    return t[i];
}

template <class K> static void rate(const char *kind, int n, K kernel, K deep)
{
    CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 66560));
    CK(cudaFuncSetAttribute(deep, cudaFuncAttributeMaxDynamicSharedMemorySize, 66560));
    for (int groups = 1; groups <= (n > 128 ? 2 : 4); groups *= 2)
        for (int registers = 0; registers < 2; registers++) {
            long long t = 0;
            for (int again = 0; again < 2; again++) {
                kernel<<<1, 128 * groups, 66560>>>(cell, registers, 64);
                t = result();
            }
            printf("wgmma_%s_%s,%d,%d,%.2f,cycles per instruction and warpgroup in fours\n", kind,
                   registers ? "rs" : "ss", n, groups, t / 256.0);
        }
    for (int groups = 1; groups <= 2; groups++)
        for (int count = 1; count <= 16; count += 15) {
            long long t = 0;
            for (int again = 0; again < 2; again++) {
                deep<<<1, 128 * groups, 66560>>>(cell, 0, count);
                t = result();
            }
            printf("wgmma_%s_deep%d,%d,%d,%lld,cycles of so many and a wait\n", kind, count, n,
                   groups, t);
        }
}

// ---- tensor copies --------------------------------------------------------------------------

// `ahead` boxes in flight, `count` in all; block b works on rows of its own. Times of the first and
// of all.
__global__ void copy_rate(const __grid_constant__ CUtensorMap map, long long *out, int columns,
                          int rows, int bytes, int ahead, int count, int tiles_y)
{
    extern __shared__ __align__(1024) uint8_t stage[];
    __shared__ uint64_t full[16];
    if (threadIdx.x)
        return;
    for (int i = 0; i < ahead; i++)
        barrier_init(&full[i], 1);
    barrier_fence();
    int room = (bytes + 1023) & ~1023;
    long long start = now(), issued = 0, first = 0;
    for (int i = 0; i < count + ahead; i++) {
        if (i >= ahead) {
            barrier_wait(&full[i % ahead], (i / ahead - 1) & 1);
            if (i == ahead)
                first = now() - start;
        }
        if (i < count) {
            barrier_expect(&full[i % ahead], bytes);
            tensor_load(stage + i % ahead * room, &map, &full[i % ahead], 0,
                        (int)((blockIdx.x * count + i) % tiles_y) * rows);
            if (i == 0)
                issued = now() - start;
        }
    }
    long long all = now() - start;
    if (blockIdx.x == 0) {
        out[0] = first;
        out[1] = all;
        out[2] = issued;
    }
    (void)columns;
}

__global__ void line_rate(const uint8_t *from, long long *out, int bytes, int ahead, int count)
{
    extern __shared__ __align__(1024) uint8_t stage[];
    __shared__ uint64_t full[16];
    if (threadIdx.x)
        return;
    for (int i = 0; i < ahead; i++)
        barrier_init(&full[i], 1);
    barrier_fence();
    long long start = now(), first = 0;
    for (int i = 0; i < count + ahead; i++) {
        if (i >= ahead) {
            barrier_wait(&full[i % ahead], (i / ahead - 1) & 1);
            if (i == ahead)
                first = now() - start;
        }
        if (i < count) {
            barrier_expect(&full[i % ahead], bytes);
            bulk_load(stage + i % ahead * bytes, from + ((size_t)blockIdx.x * count + i) * bytes,
                      bytes, &full[i % ahead]);
        }
    }
    if (blockIdx.x == 0) {
        out[0] = first;
        out[1] = now() - start;
    }
}

__global__ void store_rate(const __grid_constant__ CUtensorMap map, long long *out, int rows,
                           int count)
{
    extern __shared__ __align__(1024) uint8_t stage[];
    if (threadIdx.x)
        return;
    long long start = now();
    for (int i = 0; i < count; i++) {
        tensor_store(&map, stage, 0, (int)(blockIdx.x * count + i) * rows);
        bulk_commit();
    }
    long long issued = now() - start;
    bulk_wait_read<0>();
    long long read = now() - start;
    bulk_wait<0>();
    if (blockIdx.x == 0) {
        out[0] = issued;
        out[1] = read;
        out[2] = now() - start;
    }
}

static void copies()
{
    static const struct {
        int rows, columns, swizzle;
    } boxes[] = {{1, 64, 0},   {8, 64, 3},   {16, 64, 3},  {32, 64, 3},  {64, 64, 3},
                 {128, 64, 3}, {256, 64, 3}, {64, 32, 2},  {64, 16, 1},  {64, 8, 0},
                 {256, 8, 0},  {64, 64, 0},  {64, 128, 0}, {64, 256, 0}, {32, 256, 0}};
    uint16_t *memory;
    long tensor_rows = 1 << 18;
    CK(cudaMalloc(&memory, tensor_rows * 256 * 2));
    CK(cudaMemset(memory, 0, tensor_rows * 256 * 2));
    CK(cudaFuncSetAttribute(copy_rate, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    CK(cudaFuncSetAttribute(store_rate, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    CK(cudaFuncSetAttribute(line_rate, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (auto &box : boxes)
        for (int blocks = 1; blocks <= 132; blocks += 131)
            for (int ahead = 1; ahead <= 4; ahead += 3) {
                int bytes = box.rows * box.columns * 2, room = (bytes + 1023) & ~1023;
                CUtensorMap map =
                    make_map(memory, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, tensor_rows, 256, box.rows,
                             box.columns, (CUtensorMapSwizzle)box.swizzle);
                int count = 32, tiles = blocks * count;
                if (tiles > tensor_rows / box.rows || room * ahead > 200 * 1024)
                    continue;
                long long first = 0, all = 0, issued = 0;
                for (int again = 0; again < 3; again++) { // the last from the L2
                    copy_rate<<<blocks, 32, room * ahead>>>(map, cell, box.columns, box.rows, bytes,
                                                            ahead, count, tiles);
                    first = result(0);
                    all = result(1);
                    issued = result(2);
                }
                printf("tensor_load_%dx%ds%d,%d,%d,%lld,cycles of the first box\n", box.rows,
                       box.columns, box.swizzle, blocks, ahead, first);
                printf("tensor_load_%dx%ds%d,%d,%d,%lld,cycles of 32 boxes\n", box.rows,
                       box.columns, box.swizzle, blocks, ahead, all);
                if (ahead == 1 && blocks == 1)
                    printf("tensor_load_%dx%ds%d,%d,%d,%lld,cycles to issue one\n", box.rows,
                           box.columns, box.swizzle, blocks, ahead, issued);
                if (ahead == 1) {
                    store_rate<<<blocks, 32, room>>>(map, cell, box.rows, count);
                    result();
                    store_rate<<<blocks, 32, room>>>(map, cell, box.rows, count);
                    printf("tensor_store_%dx%ds%d,%d,0,%lld,cycles to issue 32\n", box.rows,
                           box.columns, box.swizzle, blocks, result(0));
                    printf("tensor_store_%dx%ds%d,%d,0,%lld,cycles until 32 are read\n", box.rows,
                           box.columns, box.swizzle, blocks, result(1));
                    printf("tensor_store_%dx%ds%d,%d,0,%lld,cycles until 32 are done\n", box.rows,
                           box.columns, box.swizzle, blocks, result(2));
                }
            }
    for (int bytes = 128; bytes <= 32768; bytes *= 4)
        for (int blocks = 1; blocks <= 132; blocks += 131) {
            for (int again = 0; again < 3; again++) {
                line_rate<<<blocks, 32, bytes * 4>>>((const uint8_t *)memory, cell, bytes, 4, 32);
                result();
            }
            printf("bulk_load,%d,%d,%lld,cycles of the first piece\n", bytes, blocks, result(0));
            printf("bulk_load,%d,%d,%lld,cycles of 32 pieces\n", bytes, blocks, result(1));
        }
}

// ---- barriers and clusters ------------------------------------------------------------------

__global__ void ping_pong(long long *out)
{
    __shared__ uint64_t b[2];
    if (threadIdx.x == 0) {
        barrier_init(&b[0], 1);
        barrier_init(&b[1], 1);
        barrier_fence();
    }
    __syncthreads();
    long long t = now();
    if (threadIdx.x == 0)
        for (int i = 0; i < 100; i++) {
            barrier_arrive(&b[0]);
            barrier_wait(&b[1], i & 1);
        }
    else if (threadIdx.x == 32)
        for (int i = 0; i < 100; i++) {
            barrier_wait(&b[0], i & 1);
            barrier_arrive(&b[1]);
        }
    if (threadIdx.x == 0)
        out[0] = now() - t;
}

__global__ void barrier_cost(long long *out)
{
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        barrier_init(&b, 1000000 % 4096 + 1);
    __syncthreads();
    if (threadIdx.x)
        return;
    long long t = now();
    for (int i = 0; i < 64; i++)
        barrier_arrive(&b);
    out[0] = now() - t;
    t = now();
    for (int i = 0; i < 64; i++)
        barrier_wait(&b, 1);
    out[1] = now() - t;
}

__global__ void cluster_cost(long long *out)
{
    __shared__ uint32_t chain[256];
    __shared__ uint64_t b;
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        chain[i] = shared_address(chain);
    if (threadIdx.x == 0)
        barrier_init(&b, 1);
    barrier_fence();
    cluster_sync();
    long long t = now();
    for (int i = 0; i < 64; i++)
        cluster_sync();
    long long barrier = now() - t;
    uint32_t at, size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(at)
                 : "r"(shared_address(chain)), "r"((cluster_rank() + 1) % size));
    t = now();
    uint32_t x = 0;
    for (int i = 0; i < 64; i++) {
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(at + (x & 4)) : "memory");
    }
    long long load = now() - t;
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        out[0] = barrier;
        out[1] = load + (x == 12345);
    }
    cluster_sync();
}

static void barriers()
{
    for (int again = 0; again < 2; again++) {
        ping_pong<<<1, 64>>>(cell);
        result();
    }
    printf("mbarrier_ping_pong,2,0,%.2f,cycles of a round trip\n", result() / 100.0);
    for (int again = 0; again < 2; again++) {
        barrier_cost<<<1, 32>>>(cell);
        result();
    }
    printf("mbarrier_arrive,1,0,%.2f,cycles each\n", result(0) / 64.0);
    printf("mbarrier_wait_done,1,0,%.2f,cycles each\n", result(1) / 64.0);
    for (int size = 1; size <= 8; size *= 2) {
        cudaLaunchConfig_t config = {};
        config.gridDim = dim3(size);
        config.blockDim = dim3(128);
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = size;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.attrs = &attribute;
        config.numAttrs = 1;
        for (int again = 0; again < 2; again++) {
            CK(cudaLaunchKernelEx(&config, cluster_cost, cell));
            result();
        }
        printf("cluster_barrier,%d,0,%.2f,cycles each\n", size, result(0) / 64.0);
        printf("cluster_load,%d,0,%.2f,cycles each\n", size, result(1) / 64.0);
    }
}

int main(void)
{
    CK(cudaMalloc(&cell, 64 * sizeof *cell));
    printf("what,first,second,value,unit\n");
#define CALL(KIND, N, CTYPE) rate(#KIND, N, rate_##KIND##_##N, deep_##KIND##_##N);
    ALL_RATES(CALL)
    copies();
    barriers();
    return 0;
}
