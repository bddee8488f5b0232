// cluster.cu - what clusters and fences cost on an H200: multicast copies, fences, arrivals at
// barriers of other blocks, how fast blocks of clusters start.
#include "hopper.h"

__device__ __forceinline__ long long now()
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}
static long long *cell;
static long long result(int i = 0)
{
    long long v[8];
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(v, cell, sizeof v, cudaMemcpyDeviceToHost));
    return v[i];
}

// Every block loads its boxes and sends them to all blocks of its cluster; a stage is used again
// when every block has had all of it.
__global__ void multicast_rate(const __grid_constant__ CUtensorMap map, long long *out, int rows,
                               int bytes, int ahead, int count, int size, int share)
{
    extern __shared__ __align__(1024) uint8_t stage[];
    __shared__ uint64_t full[16], empty[16];
    uint32_t rank = cluster_rank();
    if (threadIdx.x == 0) {
        for (int i = 0; i < ahead; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], size);
        }
        barrier_fence();
    }
    cluster_sync();
    int room = (bytes + 1023) & ~1023;
    long long start = now(), first = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < count + ahead; i++) {
            if (i >= ahead) {
                barrier_wait(&full[i % ahead], (i / ahead - 1) & 1);
                if (i == ahead)
                    first = now() - start;
                for (int r = 0; r < size; r++) {
                    uint32_t remote;
                    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                                 : "=r"(remote)
                                 : "r"(shared_address(&empty[i % ahead])), "r"(r));
                    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(remote)
                                 : "memory");
                }
            }
            if (i < count) {
                if (i >= ahead)
                    barrier_wait(&empty[i % ahead], (i / ahead - 1) & 1);
                barrier_expect(&full[i % ahead], bytes);
                int part = rows / size;
                int tile = (int)((share ? blockIdx.x / size : blockIdx.x) * count + i);
                if (share)
                    tensor_load_multicast(stage + i % ahead * room + rank * part * 128, &map,
                                          &full[i % ahead], 0, tile * rows + (int)rank * part,
                                          (uint16_t)((1 << size) - 1));
                else
                    tensor_load(stage + i % ahead * room, &map, &full[i % ahead], 0, tile * rows);
            }
        }
    long long all = now() - start;
    cluster_sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = first;
        out[1] = all;
    }
}

template <int KIND> __global__ void fences(long long *out, int *memory, int stores)
{
    __shared__ uint64_t b;
    if (threadIdx.x == 0) {
        barrier_init(&b, 4000);
        barrier_fence();
    }
    __syncthreads();
    long long t = now();
    for (int i = 0; i < 32; i++) {
        for (int s = 0; s < stores; s++)
            memory[(blockIdx.x * 1024 + threadIdx.x * 8 + s * 4096) % (1 << 20)] = i;
        if (KIND == 0)
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
        else if (KIND == 1)
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
        else if (KIND == 2)
            asm volatile("fence.acq_rel.cta;" ::: "memory");
        else if (KIND == 3)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
                             shared_address(&b))
                         : "memory");
        else if (KIND == 4)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&b))
                         : "memory");
        else if (KIND == 5)
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        else if (KIND == 6)
            asm volatile("fence.sc.gpu;" ::: "memory");
        else if (KIND == 7)
            asm volatile(
                "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                    : "memory");
        else if (KIND == 8)
            asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::
                             : "memory");
    }
    if (threadIdx.x == 0 && blockIdx.x == 0)
        out[0] = now() - t;
}
template <int KIND> static void fence_row(const char *name)
{
    static int *memory;
    if (!memory)
        CK(cudaMalloc(&memory, 4 << 20));
    for (int blocks = 1; blocks <= 132; blocks += 131)
        for (int threads = 32; threads <= 256; threads *= 8)
            for (int stores = 0; stores <= 4; stores += stores ? 3 : 1) {
                for (int again = 0; again < 2; again++) {
                    fences<KIND><<<blocks, threads>>>(cell, memory, stores);
                    result();
                }
                printf("fence_%s_%d_stores,%d,%d,%.1f,cycles each\n", name, stores, blocks, threads,
                       result() / 32.0);
            }
}

// Blocks that only exist for a while; each writes when it began and on which SM.
__global__ void begin_times(unsigned long long *when, int wait)
{
    unsigned sm;
    unsigned long long g;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
    long long t = now();
    if (threadIdx.x == 0)
        when[blockIdx.x] = (unsigned long long)sm << 48 | (g & 0xffffffffffffull);
    while (now() - t < wait)
        ;
}
__global__ void empty_blocks(int wait)
{
    long long t = now();
    while (now() - t < wait)
        ;
}

template <typename... A>
static void launch(void (*k)(A...), int blocks, int threads, int shared, int size, A... args)
{
    cudaLaunchConfig_t config = {};
    CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 * 1024));
    if (size > 8)
        CK(cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = size > 0;
    CK(cudaLaunchKernelEx(&config, k, args...));
}

int main(int argc, char **argv)
{
    CK(cudaMalloc(&cell, 64 * sizeof *cell));
    if (argc > 1) { // for the profiler: how long waves of clusters take
        for (int size : {0, 1, 2, 4, 8, 16})
            for (int waves : {1, 2, 4, 8}) {
                launch(empty_blocks, 128 * waves, 384, 200 * 1024, size, 2000);
                CK(cudaDeviceSynchronize());
            }
        return 0;
    }
    printf("what,first,second,value,unit\n");
    uint16_t *memory;
    long tensor_rows = 1 << 18;
    CK(cudaMalloc(&memory, tensor_rows * 64 * 2));
    CK(cudaMemset(memory, 0, tensor_rows * 64 * 2));
    for (int rows : {64, 128})
        for (int size : {1, 2, 4, 8})
            for (int share : {0, 1})
                for (int ahead : {1, 4})
                    for (int clusters : {1, 112 / size}) {
                        if (share && size == 1)
                            continue;
                        int part = share ? rows / size : rows, bytes = rows * 128;
                        CUtensorMap map =
                            make_map(memory, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, tensor_rows, 64,
                                     part, 64, CU_TENSOR_MAP_SWIZZLE_128B);
                        for (int again = 0; again < 3; again++) {
                            launch(multicast_rate, clusters * size, 32, ahead * bytes + 1024, size,
                                   map, cell, rows, bytes, ahead, 32, size, share);
                            result();
                        }
                        printf("multicast_%d_%s_%d,%d,%d,%lld,cycles of the first box\n", rows,
                               share ? "shared" : "own", size, clusters, ahead, result(0));
                        printf("multicast_%d_%s_%d,%d,%d,%lld,cycles of 32 boxes\n", rows,
                               share ? "shared" : "own", size, clusters, ahead, result(1));
                    }
    fence_row<0>("gpu");
    fence_row<1>("cluster");
    fence_row<2>("cta");
    fence_row<3>("arrive_release_cluster");
    fence_row<4>("arrive");
    fence_row<5>("proxy");
    fence_row<6>("sc_gpu");
    fence_row<7>("cluster_barrier");
    fence_row<8>("cluster_barrier_relaxed");
    unsigned long long *when;
    CK(cudaMalloc(&when, 8192 * 8));
    for (int size : {0, 2, 4, 8, 16}) {
        int blocks = 528;
        std::vector<unsigned long long> h(blocks);
        for (int again = 0; again < 2; again++) {
            launch(begin_times, blocks, 384, 200 * 1024, size, when, 4000);
            CK(cudaDeviceSynchronize());
        }
        CK(cudaMemcpy(h.data(), when, blocks * 8, cudaMemcpyDeviceToHost));
        unsigned long long least = ~0ull;
        for (auto v : h)
            least = std::min(least, v & 0xffffffffffffull);
        for (int i = 0; i < blocks; i++)
            printf("begin_%d,%d,%llu,%llu,ns\n", size, i, h[i] >> 48,
                   (h[i] & 0xffffffffffffull) - least);
    }
    return 0;
}
