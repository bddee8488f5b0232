// merge.cu - which equal reads of the SMs of a GPC reach the L2 as one: how many may share an
// answer, for how long, and how many lines the unit remembers.
//
// A cluster of `blocks` lies in one GPC, one block to an SM. Block r reads region r % regions,
// later than the block before it in that region by `delay` cycles, so that every region is read by
// blocks / regions SMs. The profiler's count of sectors that the L1s ask the L2 for
// (lts__t_sectors_srcunit_tex_op_read), divided by those of all regions, is how many of these
// requests went on. Lines are copied as bulk copies, as boxes of a matrix, or loaded by warps.
//
//   merge [SET]   runs every launch of a set (all without one) and prints a line a launch
#include "hopper.h"

// PAIRS: the first of two blocks reads for both. MIXED: of the first two, the others by themselves.
enum how { BULK, BOXES, LOADS, PAIRS, MIXED };
#define BOX_ROWS  64
#define ROW_LINES 16 // of the matrix: the boxes' lines lie 2 KB apart
#define OWN_LINES (256 << 10)

struct job {
    int blocks, regions, lines, delay, how;
    int passes;   // times each block reads its region, one after the other without a wait
    int warm;     // each region is read once before, by its first block
    int clusters; // 0: one
    int own;      // lines of its own that each block reads before, which brings it the tensor map
};

__device__ __forceinline__ void wait_until(long long t)
{
    while (clock64() < t)
        ;
}
__device__ void read_region(const job &j, const CUtensorMap *map, const uint8_t *from, int region,
                            uint8_t *to, uint64_t *barrier, uint32_t *sum)
{
    const uint8_t *base = from + (size_t)region * j.lines * 128;
    if (j.how == LOADS) {
        for (int pass = 0; pass < j.passes; pass++)
            for (int i = threadIdx.x / 32; i < j.lines; i += blockDim.x / 32) {
                uint32_t v;
                asm volatile("ld.global.cg.u32 %0, [%1];"
                             : "=r"(v)
                             : "l"(base + (size_t)i * 128 + threadIdx.x % 32 * 4));
                *sum += v;
            }
        return;
    }
    if (threadIdx.x)
        return;
    barrier_expect(barrier, j.passes * j.lines * 128);
    for (int pass = 0; pass < j.passes; pass++)
        for (int i = 0; i < j.lines; i += BOX_ROWS) {
            int n = j.lines - i < BOX_ROWS ? j.lines - i : BOX_ROWS;
            uint8_t *slot = to + (i / BOX_ROWS + pass) % 16 * BOX_ROWS * 128;
            if (j.how == BULK)
                bulk_load(slot, base + (size_t)i * 128, n * 128, barrier);
            else {
                int box = (region * j.lines + i) / BOX_ROWS, rank = blockIdx.x % j.blocks;
                int x = box % ROW_LINES * 64, y = box / ROW_LINES * BOX_ROWS;
                if (j.how == BOXES || (j.how == MIXED && rank > 1))
                    tensor_load(slot, map, barrier, x, y);
                else if (rank % 2 == 0)
                    tensor_load_multicast(slot, map, barrier, x, y, (uint16_t)(3 << rank));
            }
        }
}
__global__ void reads(job j, const __grid_constant__ CUtensorMap map, const uint8_t *from,
                      uint32_t *out)
{
    extern __shared__ uint8_t raw[];
    uint8_t *to = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    __shared__ uint64_t barrier[2];
    int in_cluster = blockIdx.x % j.blocks, cluster = blockIdx.x / j.blocks;
    int region = cluster * j.regions + in_cluster % j.regions,
        order = in_cluster / (j.regions * (j.how >= PAIRS ? 2 : 1));
    uint32_t sum = 0;
    if (threadIdx.x == 0) {
        barrier_init(&barrier[0], 1);
        barrier_init(&barrier[1], 1);
        barrier_fence();
    }
    cluster_sync();
    int phase = 0;
    for (int what = 0; what < 2; what++) {
        if (what ? !j.warm || order : !j.own)
            continue;
        job first = j;
        int at = region;
        if (!what)
            first.lines = j.own, at = (OWN_LINES + blockIdx.x * j.own) / j.own;
        read_region(first, &map, from, at, to, &barrier[1], &sum);
        if (j.how != LOADS)
            barrier_wait(&barrier[1], phase++);
        *out = sum; // waits for loads
        __threadfence();
    }
    cluster_sync();
    wait_until(clock64() + 500 + (long long)order * j.delay);
    read_region(j, &map, from, region, to, &barrier[0], &sum);
    if (j.how != LOADS)
        barrier_wait(&barrier[0], 0);
    if (sum == 0x12345678)
        *out = sum;
    cluster_sync();
}

static uint8_t *buffer;
static uint32_t *result;
static CUtensorMap boxes;
static void launch(const char *set, job j)
{
    int shared = 17 * BOX_ROWS * 128;
    CK(cudaFuncSetAttribute(reads, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CK(cudaFuncSetAttribute(reads, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(j.blocks * (j.clusters ? j.clusters : 1));
    config.blockDim = dim3(256);
    config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = j.blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CK(cudaLaunchKernelEx(&config, reads, j, boxes, (const uint8_t *)buffer, result));
    CK(cudaDeviceSynchronize());
    static const char *const names[] = {"bulk", "boxes", "loads", "pairs", "mixed"};
    printf("%s,%s,%s,%d,%d,%d,%d,%d,%d,%d\n", set, names[j.how], j.warm ? "warm" : "cold", j.blocks,
           j.regions, j.lines, j.delay, j.passes, j.clusters, j.own);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    auto on = [&](const char *set) { return argc < 2 || !strcmp(argv[1], set); };
    size_t bytes = 64 << 20;
    CK(cudaMalloc(&buffer, bytes));
    CK(cudaMemset(buffer, 0, bytes));
    CK(cudaMalloc(&result, 4));
    boxes = make_map(buffer, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, bytes / (ROW_LINES * 128),
                     ROW_LINES * 64, BOX_ROWS, 64, CU_TENSOR_MAP_SWIZZLE_128B);
    printf("set,how,l2,blocks,regions,lines,delay,passes,clusters,own\n");
    // How many SMs share an answer.
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16};
    for (int how = BULK; on("share") && how <= LOADS; how++)
        for (int warm = 0; warm < 2; warm++)
            for (int blocks : sizes)
                launch("share", {blocks, 1, 64, 0, how, 1, warm});
    // How much later one may come.
    for (int warm = 0; on("later") && warm < 2; warm++)
        for (int delay = 0; delay <= (warm ? 600 : 1200); delay += warm ? 25 : 50)
            launch("later", {2, 1, 64, delay, BOXES, 1, warm});
    // How many lines are remembered: pairs of SMs, each with a region of its own, and one pair.
    static const int lines[] = {64, 128, 192, 256, 384, 512, 768, 1024};
    for (int delay = 0; on("lines") && delay <= 400; delay += 200)
        for (int n : lines) {
            launch("lines", {16, 8, n, delay, BOXES, 1, 0});
            launch("lines", {8, 4, n, delay, BOXES, 1, 0});
            launch("lines", {4, 2, n, delay, BOXES, 1, 0});
            launch("lines", {2, 1, n, delay, BOXES, 1, 0});
            launch("lines", {16, 8, n, delay, BOXES, 1, 1});
        }
    // Sixteen SMs that read what all read, as many lines.
    for (int n : lines)
        if (on("all"))
            for (int warm = 0; warm < 2; warm++)
                launch("all", {16, 1, n, 0, BOXES, 1, warm});
    // How much later one may come whose lines the L2 holds, and when all SMs read.
    for (int how = BULK; on("window") && how <= LOADS; how++)
        for (int n : {8, 64})
            if (how != BOXES || n == BOX_ROWS)
                for (int delay = 0; delay <= 400; delay += 20)
                    launch("window", {2, 1, n, delay, how, 1, 1, 1, 64});
    for (int how = BULK; on("window") && how <= LOADS; how++)
        for (int delay = 0; delay <= 120; delay += 20)
            launch("window", {4, 1, 64, delay, how, 1, 1, 1, 64});
    for (int n : {64, 256, 1024})
        for (int delay = 0; on("stream") && delay <= 400; delay += 50)
            launch("stream", {16, 8, n, delay, BOXES, 1, 1, 7, 64});
    // Whether copies to two blocks join others.
    for (int how = PAIRS; on("multicast") && how <= MIXED; how++)
        for (int blocks : {2, 4, 6, 8, 10, 12, 16})
            for (int warm = 0; warm < 2; warm++)
                for (int delay = 0; delay <= 80; delay += 40)
                    launch("multicast", {blocks, 1, 64, delay, how, 1, warm, 1, 64});
    // One SM that asks twice.
    for (int how = BULK; on("twice") && how <= LOADS; how++)
        for (int n : {64, 256})
            launch("twice", {1, 1, n, 0, how, 2, 0});
    return 0;
}
