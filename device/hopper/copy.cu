// copy.cu - tensor and bulk copies without arithmetic: load and store of tiles of every swizzle,
// bulk copies of lines, reductions into memory, a transpose, a sum over the blocks of a cluster.
#include "hopper.h"

#define STAGES 4

// Tiles of box_rows x box_columns elements, STAGES loads ahead; `reduce`: added to what is there,
// where the target has fewer rows than the source and tiles meet.
__global__ __launch_bounds__(32) void tile_copy(const __grid_constant__ CUtensorMap from,
                                                const __grid_constant__ CUtensorMap to,
                                                int tiles_x, int tiles, int box_columns,
                                                int box_rows, int element_bytes, int reduce,
                                                int to_rows)
{
    extern __shared__ uint8_t raw[];
    uint8_t *stage = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    __shared__ uint64_t full[STAGES];
    int bytes = box_columns * box_rows * element_bytes, room = (bytes + 1023) & ~1023;
    if (threadIdx.x)
        return;
    for (int i = 0; i < STAGES; i++)
        barrier_init(&full[i], 1);
    barrier_fence();
    int mine = (tiles - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;
    for (int i = 0; i < mine + STAGES - 1; i++) {
        if (i < mine) {
            int tile = blockIdx.x + i * gridDim.x, s = i % STAGES;
            if (i >= STAGES)
                bulk_wait_read<0>();
            barrier_expect(&full[s], bytes);
            tensor_load(stage + s * room, &from, &full[s], tile % tiles_x * box_columns,
                        tile / tiles_x * box_rows);
        }
        int j = i - (STAGES - 1);
        if (j >= 0) {
            int tile = blockIdx.x + j * gridDim.x, s = j % STAGES;
            barrier_wait(&full[s], j / STAGES & 1);
            if (reduce)
                tensor_reduce_add(&to, stage + s * room, tile % tiles_x * box_columns,
                                  tile / tiles_x * box_rows % to_rows);
            else
                tensor_store(&to, stage + s * room, tile % tiles_x * box_columns,
                             tile / tiles_x * box_rows);
            bulk_commit();
        }
    }
    bulk_wait<0>();
}

__global__ __launch_bounds__(32) void line_copy(const uint8_t *from, uint8_t *to, int pieces,
                                                int bytes)
{
    extern __shared__ __align__(128) uint8_t stage[];
    __shared__ uint64_t full[STAGES];
    if (threadIdx.x)
        return;
    for (int i = 0; i < STAGES; i++)
        barrier_init(&full[i], 1);
    barrier_fence();
    int mine = (pieces - (int)blockIdx.x + (int)gridDim.x - 1) / (int)gridDim.x;
    for (int i = 0; i < mine + STAGES - 1; i++) {
        if (i < mine) {
            size_t at = (size_t)(blockIdx.x + i * gridDim.x) * bytes;
            if (i >= STAGES)
                bulk_wait_read<0>();
            barrier_expect(&full[i % STAGES], bytes);
            bulk_load(stage + i % STAGES * bytes, from + at, bytes, &full[i % STAGES]);
        }
        int j = i - (STAGES - 1);
        if (j >= 0) {
            barrier_wait(&full[j % STAGES], j / STAGES & 1);
            bulk_store(to + (size_t)(blockIdx.x + j * gridDim.x) * bytes,
                       stage + j % STAGES * bytes, bytes);
            bulk_commit();
        }
    }
    bulk_wait<0>();
}

// A tile of 64 x 64, swizzled so that neither reads nor writes of columns meet in one bank.
__global__ __launch_bounds__(256) void transpose(const __grid_constant__ CUtensorMap from,
                                                 const __grid_constant__ CUtensorMap to)
{
    __shared__ __align__(1024) uint8_t in[64 * 128], out[64 * 128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_fence();
        barrier_expect(&full, sizeof in);
        tensor_load(in, &from, &full, blockIdx.x * 64, blockIdx.y * 64);
    }
    __syncthreads();
    barrier_wait(&full, 0);
    for (int i = threadIdx.x; i < 64 * 64; i += 256) {
        int row = i / 64, column = i % 64;
        int a = row * 128 + ((column / 8 ^ (row & 7)) * 16) + column % 8 * 2;
        int b = column * 128 + ((row / 8 ^ (column & 7)) * 16) + row % 8 * 2;
        *(uint16_t *)(out + b) = *(uint16_t *)(in + a);
    }
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store(&to, out, blockIdx.y * 64, blockIdx.x * 64);
        bulk_commit();
        bulk_wait<0>();
    }
}

// Every block sums its part, adds it to the shared memory of the first block of its cluster, and
// that one stores the sum of the cluster.
__global__ void cluster_sum(const int *from, int *to, int per_block)
{
    __shared__ int total;
    if (threadIdx.x == 0)
        total = 0;
    int sum = 0;
    for (int i = threadIdx.x; i < per_block; i += blockDim.x)
        sum += from[(size_t)blockIdx.x * per_block + i];
    sum = __reduce_add_sync(~0u, sum);
    cluster_sync();
    uint32_t first;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(first)
                 : "r"(shared_address(&total)));
    if (threadIdx.x % 32 == 0)
        asm volatile("red.shared::cluster.add.s32 [%0], %1;" ::"r"(first), "r"(sum) : "memory");
    cluster_sync();
    if (cluster_rank() == 0 && threadIdx.x == 0) {
        uint32_t size;
        asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
        to[blockIdx.x / size] = total;
    }
}

// ---- rows -----------------------------------------------------------------------------------

struct buffers {
    uint16_t *from, *to;
    std::vector<uint16_t> in, out;
    size_t n;
    explicit buffers(size_t elements) : in(elements), out(elements), n(elements)
    {
        for (size_t i = 0; i < n; i++)
            in[i] = (uint16_t)(i * 40503u >> 3);
        CK(cudaMalloc(&from, n * 2));
        CK(cudaMalloc(&to, n * 2));
        CK(cudaMemcpy(from, in.data(), n * 2, cudaMemcpyHostToDevice));
        CK(cudaMemset(to, 0, n * 2));
    }
    uint64_t fetch()
    {
        CK(cudaMemcpy(out.data(), to, n * 2, cudaMemcpyDeviceToHost));
        CK(cudaFree(from));
        CK(cudaFree(to));
        return hash_bytes(out.data(), n * 2);
    }
};

static double tile_row(long rows, long columns, int box_rows, int box_columns, int swizzle,
                       int blocks, uint64_t *hash)
{
    buffers b((size_t)rows * columns);
    CUtensorMap m[2];
    for (int i = 0; i < 2; i++)
        m[i] = make_map(i ? b.to : b.from, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, rows, columns,
                        box_rows, box_columns, (CUtensorMapSwizzle)swizzle);
    int tiles = (int)(rows / box_rows * (columns / box_columns));
    int room = (box_rows * box_columns * 2 + 1023) & ~1023, shared = STAGES * room + 1024;
    CK(cudaFuncSetAttribute(tile_copy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    measured([&] {
        tile_copy<<<blocks, 32, shared>>>(m[0], m[1], (int)(columns / box_columns), tiles,
                                          box_columns, box_rows, 2, 0, (int)rows);
    });
    *hash = b.fetch();
    double wrong = 0;
    for (size_t i = 0; i < b.n; i++)
        wrong += b.out[i] != b.in[i];
    return wrong;
}

#define SUM_ROWS 64
static double reduce_row(long rows, long columns, int blocks, uint64_t *hash)
{
    buffers b((size_t)rows * columns * 2); // 32-bit elements
    CUtensorMap m[2];
    for (int i = 0; i < 2; i++)
        m[i] = make_map(i ? b.to : b.from, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, i ? SUM_ROWS : rows,
                        columns, 32, 32, CU_TENSOR_MAP_SWIZZLE_NONE);
    int tiles = (int)(rows / 32 * (columns / 32)), shared = STAGES * 4096 + 1024;
    bool full = full_run;
    full_run = false; // a second launch would add again
    if (full)
        CK(cudaProfilerStart());
    measured([&] {
        tile_copy<<<blocks, 32, shared>>>(m[0], m[1], (int)(columns / 32), tiles, 32, 32, 4, 1,
                                          SUM_ROWS);
    });
    full_run = full;
    if (full)
        CK(cudaProfilerStop());
    *hash = b.fetch();
    double wrong = 0;
    const uint32_t *in = (const uint32_t *)b.in.data(), *out = (const uint32_t *)b.out.data();
    for (long i = 0; i < SUM_ROWS * columns; i++) {
        uint32_t sum = 0;
        for (long y = i / columns; y < rows; y += SUM_ROWS)
            sum += in[y * columns + i % columns];
        wrong += sum != out[i];
    }
    return wrong;
}

static double line_row(long bytes, int piece, int blocks, uint64_t *hash)
{
    buffers b((size_t)bytes / 2);
    CK(cudaFuncSetAttribute(line_copy, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            STAGES * piece));
    measured([&] {
        line_copy<<<blocks, 32, STAGES * piece>>>((uint8_t *)b.from, (uint8_t *)b.to,
                                                  (int)(bytes / piece), piece);
    });
    *hash = b.fetch();
    double wrong = 0;
    for (size_t i = 0; i < b.n; i++)
        wrong += b.out[i] != b.in[i];
    return wrong;
}

static double transpose_row(long rows, long columns, uint64_t *hash)
{
    buffers b((size_t)rows * columns);
    CUtensorMap from = make_map(b.from, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, rows, columns, 64, 64,
                                CU_TENSOR_MAP_SWIZZLE_128B);
    CUtensorMap to = make_map(b.to, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, columns, rows, 64, 64,
                              CU_TENSOR_MAP_SWIZZLE_128B);
    dim3 grid((unsigned)(columns / 64), (unsigned)(rows / 64));
    measured([&] { transpose<<<grid, 256>>>(from, to); });
    *hash = b.fetch();
    double wrong = 0;
    for (long y = 0; y < rows; y++)
        for (long x = 0; x < columns; x++)
            wrong += b.out[x * rows + y] != b.in[y * columns + x];
    return wrong;
}

static double sum_row(long n, int per_block, int cluster, uint64_t *hash)
{
    buffers b((size_t)n * 2);
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(n / per_block));
    config.blockDim = dim3(256);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    measured([&] {
        CK(cudaLaunchKernelEx(&config, cluster_sum, (const int *)b.from, (int *)b.to, per_block));
    });
    *hash = b.fetch();
    double wrong = 0;
    for (long i = 0; i < n / per_block / cluster; i++) {
        uint32_t sum = 0;
        for (long j = 0; j < (long)per_block * cluster; j++)
            sum += ((const uint32_t *)b.in.data())[i * per_block * cluster + j];
        wrong += sum != ((const uint32_t *)b.out.data())[i];
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct {
        int rows, columns, swizzle;
    } boxes[] = {{8, 64, 0},   {16, 64, 3},  {64, 64, 3},   {128, 64, 3}, {256, 64, 3}, {64, 32, 2},
                 {64, 16, 1},  {64, 8, 0},   {64, 128, 0},  {32, 256, 0}, {64, 256, 0}};
    full_run = argc < 2;
    char name[100];
    uint64_t hash;
#define ROW(call)                                                                                  \
    if (wanted(argc, argv, name)) {                                                                \
        double e = call;                                                                           \
        printf("row %s hash %016llx error %.3g\n", name, (unsigned long long)hash, e);             \
        fflush(stdout);                                                                            \
    }
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        for (long rows = 1024; rows <= 8192; rows *= 8) {
            snprintf(name, sizeof name, "tile_copy_%dx%ds%d_%ldx2048", boxes[i].rows,
                     boxes[i].columns, boxes[i].swizzle, rows);
            ROW(tile_row(rows, 2048, boxes[i].rows, boxes[i].columns, boxes[i].swizzle, 132, &hash))
        }
    for (int piece = 256; piece <= 16384; piece *= 4)
        for (long mib = 2; mib <= 32; mib *= 16) {
            snprintf(name, sizeof name, "line_copy_%d_%ldm", piece, mib);
            ROW(line_row(mib << 20, piece, 264, &hash))
        }
    for (long n = 1024; n <= 4096; n *= 2) {
        snprintf(name, sizeof name, "transpose_%ldx%ld", n, n);
        ROW(transpose_row(n, n, &hash))
    }
    for (int blocks = 32; blocks <= 132; blocks += 100) {
        snprintf(name, sizeof name, "tile_reduce_%d", blocks);
        ROW(reduce_row(2048, 1024, blocks, &hash))
    }
    for (int cluster = 1; cluster <= 8; cluster *= 2) {
        snprintf(name, sizeof name, "cluster_sum_%d", cluster);
        ROW(sum_row(1 << 21, 4096, cluster, &hash))
    }
    return 0;
}
