// pace.cu - whether SMs of a GPC that copy the same boxes, step after step, keep step and share
// their answers, by how many share them, how many boxes are ahead and how long a step's work takes.
//
// A cluster of 16 lies in one GPC, one block to an SM. Block r copies the boxes of region r %
// regions one after the other, `ahead` of them at a time; when a box is there it works for `work`
// cycles and asks for another. With `cross` each step copies a second box, of region r / share, as
// tiles of a product do. All boxes lie in the L2 before. Printed are the sectors that were copied
// before the steps, those of the steps if all four that may do share an answer, and if none do;
// what a step takes, and how far the clocks of a region's blocks deviate at some steps.
//
//   pace [SET]   runs every launch of a set (all without one) and prints a line a launch
#include "hopper.h"
#include <algorithm>

#define BLOCKS    16
#define STEPS     32
#define AHEAD     8
#define ROW_LINES 16 // of the matrix: the boxes' lines lie 2 KB apart
#define OWN_BOXES 4096

struct job {
    int clusters, share, rows, ahead, work, cross, delay;
};

__device__ __forceinline__ void wait_until(long long t)
{
    while (clock64() < t)
        ;
}
__device__ void copy_box(const job &j, const CUtensorMap *map, int box, uint8_t *to, uint64_t *b)
{
    tensor_load(to, map, b, box % ROW_LINES * 64, box / ROW_LINES * j.rows);
}
// Every box of a region once, one at a time.
__device__ int copy_region(const job &j, const CUtensorMap *map, int region, uint8_t *to,
                           uint64_t *b, int phase)
{
    for (int i = 0; i < STEPS; i++) {
        barrier_expect(b, j.rows * 128);
        copy_box(j, map, region * STEPS + i, to, b);
        barrier_wait(b, phase++ & 1);
    }
    return phase;
}
__device__ void ask(const job &j, const CUtensorMap *map, int step, const int *region, uint8_t *to,
                    uint64_t *full, unsigned *clocks)
{
    int slot = step % j.ahead, bytes = j.rows * 128, boxes = j.cross ? 2 : 1;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clocks[step]));
    barrier_expect(&full[slot], boxes * bytes);
    for (int i = 0; i < boxes; i++)
        copy_box(j, map, region[i] * STEPS + step, to + (slot * boxes + i) * bytes, &full[slot]);
}
__global__ void steps(job j, const __grid_constant__ CUtensorMap map, unsigned *out)
{
    extern __shared__ uint8_t raw[];
    uint8_t *to = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    __shared__ uint64_t full[AHEAD], before;
    __shared__ unsigned clocks[STEPS];
    int regions = BLOCKS / j.share, rank = blockIdx.x % BLOCKS, cluster = blockIdx.x / BLOCKS;
    int all = j.cross ? 2 * regions : regions;
    int region[2] = {cluster * all + rank % regions, cluster * all + regions + rank / j.share};
    if (threadIdx.x == 0) {
        for (int i = 0; i < AHEAD; i++)
            barrier_init(&full[i], 1);
        barrier_init(&before, 1);
        barrier_fence();
        barrier_expect(&before, j.rows * 128);
        copy_box(j, &map, OWN_BOXES + blockIdx.x, to, &before);
        barrier_wait(&before, 0);
        int phase = 1;
        if (rank < regions)
            phase = copy_region(j, &map, region[0], to, &before, phase);
        if (j.cross && rank % j.share == 0)
            copy_region(j, &map, region[1], to, &before, phase);
    }
    cluster_sync();
    if (threadIdx.x == 0) {
        wait_until(clock64() + 500 + (long long)(rank / regions) * j.delay);
        for (int i = 0; i < j.ahead; i++)
            ask(j, &map, i, region, to, full, clocks);
        for (int i = 0; i < STEPS; i++) {
            barrier_wait(&full[i % j.ahead], i / j.ahead & 1);
            if (j.work)
                wait_until(clock64() + j.work);
            if (i + j.ahead < STEPS)
                ask(j, &map, i + j.ahead, region, to, full, clocks);
        }
    }
    __syncthreads();
    if (threadIdx.x < STEPS)
        out[blockIdx.x * STEPS + threadIdx.x] = clocks[threadIdx.x];
    cluster_sync();
}

static uint8_t *buffer;
static unsigned *result;
static size_t bytes = 128 << 20;

static double deviation(const job &j, const std::vector<unsigned> &c, int step)
{
    int regions = BLOCKS / j.share, n = 0;
    double sum = 0;
    for (int k = 0; k < j.clusters; k++)
        for (int r = 0; r < regions; r++, n++) {
            double mean = 0, square = 0;
            unsigned first = c[(k * BLOCKS + r) * STEPS + step];
            for (int i = r; i < BLOCKS; i += regions) {
                double x = (int)(c[(k * BLOCKS + i) * STEPS + step] - first);
                mean += x / j.share, square += x * x / j.share;
            }
            sum += sqrt(std::max(0.0, square - mean * mean));
        }
    return sum / n;
}
static void launch(const char *set, job j)
{
    CUtensorMap map = make_map(buffer, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, bytes / (ROW_LINES * 128),
                               ROW_LINES * 64, j.rows, 64, CU_TENSOR_MAP_SWIZZLE_128B);
    int shared = 200 << 10, blocks = BLOCKS * j.clusters;
    CK(cudaFuncSetAttribute(steps, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    CK(cudaFuncSetAttribute(steps, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(32);
    config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = BLOCKS;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CK(cudaLaunchKernelEx(&config, steps, j, map, result));
    CK(cudaDeviceSynchronize());
    std::vector<unsigned> c(blocks * STEPS);
    CK(cudaMemcpy(c.data(), result, c.size() * 4, cudaMemcpyDeviceToHost));
    double took = 0;
    for (int b = 0; b < blocks; b++)
        took += (double)(c[b * STEPS + STEPS - 1] - c[b * STEPS + j.ahead]) / (STEPS - 1 - j.ahead);
    int kinds = j.cross ? 2 : 1, box = j.rows * 4, regions = BLOCKS / j.share;
    int answers = (j.share + 3) / 4;
    printf("%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%.0f", set, j.clusters, j.share, j.rows, j.ahead,
           j.work, j.cross, j.delay, blocks * box + j.clusters * regions * kinds * STEPS * box,
           j.clusters * regions * kinds * STEPS * box * answers, blocks * kinds * STEPS * box,
           took / blocks);
    for (int s : {1, 8, 16, 31})
        printf(",%.0f", deviation(j, c, s));
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    auto on = [&](const char *set) { return argc < 2 || !strcmp(argv[1], set); };
    CK(cudaMalloc(&buffer, bytes));
    CK(cudaMemset(buffer, 0, bytes));
    CK(cudaMalloc(&result, 1 << 20));
    printf("set,clusters,share,rows,ahead,work,cross,delay,before,shared,alone,step,deviation_1,"
           "deviation_8,deviation_16,deviation_31\n");
    for (int clusters : {1, 7})
        for (int share : {1, 2, 4, 8, 16})
            for (int ahead : {1, 4})
                for (int work : {0, 1000})
                    if (on("share"))
                        launch("share", {clusters, share, 64, ahead, work, 0, 0});
    for (int share : {2, 4, 8})
        for (int ahead : {2, 4})
            for (int work : {0, 500, 1000})
                if (on("rows"))
                    launch("rows", {7, share, 128, ahead, work, 0, 0});
    for (int clusters : {1, 7})
        for (int ahead : {2, 4})
            for (int work : {0, 500, 1000})
                if (on("cross"))
                    launch("cross", {clusters, 4, 128, ahead, work, 1, 0});
    for (int delay : {30, 60, 120})
        for (int work : {0, 1000})
            for (int ahead : {1, 4})
                if (on("delay"))
                    launch("delay", {7, 4, 64, ahead, work, 0, delay});
    return 0;
}
