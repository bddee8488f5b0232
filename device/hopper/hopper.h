// hopper.h - what the kernels for sm_90a share: barriers, tensor copies, descriptors, rows.
//
// A program holds a list of rows: a kernel, its shape and its configuration. Without arguments it
// runs all of them, each twice, of which the second is between cudaProfilerStart and Stop; with
// names it runs those, once. It prints a line a row: name, a checksum of the result (a sum and an
// exact hash), and how far the result is from a host computation of some of its elements.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#define CK(call)                                                                                   \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));        \
            exit(4);                                                                               \
        }                                                                                          \
    } while (0)

// ---- clocks of every step, for steps.py -----------------------------------------------------
//
// Built with -DSTEP_LOG a program writes to the file $STEP_LOG: clocks of all SMs at the same edges
// of the global timer, each block's SM, and its clock when it asks for the data of each step, of a
// launch that finds the caches cold.
#ifdef STEP_LOG
enum { LOG_STEPS = 256, LOG_BLOCKS = 2048, LOG_EDGES = 32, LOG_SMS = 132 };
enum { MARK_BLOCKS = 132, MARK_STEPS = 40, MARKS = 4, MARK_WORDS = 8 * MARK_STEPS * MARKS };
__device__ unsigned log_step[LOG_BLOCKS * LOG_STEPS], log_sm[LOG_BLOCKS];
__device__ unsigned log_edge[LOG_SMS * LOG_EDGES * 2];
__device__ unsigned log_mark[MARK_BLOCKS * MARK_WORDS];

// Clocks of the warps of the first two warpgroups at four points of a step, to the file $MARKS:
// kept in shared memory until the block ends, since stores to global memory take about 280 cycles
// of a step.
__device__ __forceinline__ void note_mark(unsigned *marks, int step, int what)
{
    unsigned c;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
    if (threadIdx.x % 32 == 0 && step < MARK_STEPS)
        marks[(threadIdx.x / 32 * MARK_STEPS + step) * MARKS + what] = c;
}
__device__ __forceinline__ void keep_marks(const unsigned *marks)
{
    unsigned b = blockIdx.x + gridDim.x * blockIdx.y;
    asm volatile("bar.sync 1, 256;" ::: "memory");
    for (int i = threadIdx.x; b < MARK_BLOCKS && i < MARK_WORDS; i += 256)
        log_mark[b * MARK_WORDS + i] = marks[i];
}
#define MARKS_OF_BLOCK __shared__ unsigned marks[MARK_WORDS];

__device__ __forceinline__ void note_step(int i)
{
    unsigned b = blockIdx.x + gridDim.x * blockIdx.y, c, sm;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(c));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (i < LOG_STEPS && b < LOG_BLOCKS) {
        log_step[b * LOG_STEPS + i] = c;
        log_sm[b] = sm;
    }
}
static __global__ void note_edges() // one block to an SM
{
    unsigned long long t, u;
    unsigned c, sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    for (int i = 0; i < LOG_EDGES; i++, t = u) {
        do {
            asm volatile("mov.u32 %0, %%clock;" : "=r"(c));
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(u));
        } while (u == t);
        log_edge[(sm * LOG_EDGES + i) * 2] = (unsigned)u;
        log_edge[(sm * LOG_EDGES + i) * 2 + 1] = c;
    }
}
template <class F> static void measured(F launch)
{
    const int shared = 200 << 10;
    void *flush;
    CK(cudaMalloc(&flush, 256 << 20));
    CK(cudaFuncSetAttribute(note_edges, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    for (int turn = 0; turn < 2; turn++) {
        CK(cudaMemset(flush, turn, 256 << 20));
        note_edges<<<LOG_SMS, 32, shared>>>();
        launch();
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
    }
    static unsigned step[LOG_BLOCKS * LOG_STEPS], sm[LOG_BLOCKS], edge[LOG_SMS * LOG_EDGES * 2];
    CK(cudaMemcpyFromSymbol(step, log_step, sizeof step));
    CK(cudaMemcpyFromSymbol(sm, log_sm, sizeof sm));
    CK(cudaMemcpyFromSymbol(edge, log_edge, sizeof edge));
    FILE *f = fopen(getenv("STEP_LOG"), "wb");
    if (!f || !fwrite(edge, sizeof edge, 1, f) || !fwrite(sm, sizeof sm, 1, f) ||
        !fwrite(step, sizeof step, 1, f) || fclose(f))
        exit(4);
    static unsigned mark[MARK_BLOCKS * MARK_WORDS];
    CK(cudaMemcpyFromSymbol(mark, log_mark, sizeof mark));
    if (getenv("MARKS") &&
        (!(f = fopen(getenv("MARKS"), "wb")) || !fwrite(mark, sizeof mark, 1, f) || fclose(f)))
        exit(4);
    CK(cudaFree(flush));
}
#else
__device__ __forceinline__ void note_step(int)
{
}
#define MARKS_OF_BLOCK
#define note_mark(marks, step, what)
#define keep_marks(marks)
#endif

// ---- device side ----------------------------------------------------------------------------

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void barrier_init(uint64_t *b, uint32_t count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count)
                 : "memory");
}
__device__ __forceinline__ void barrier_fence()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void barrier_expect(uint64_t *b, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void barrier_arrive(uint64_t *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ __forceinline__ void barrier_arrive_remote(uint64_t *b, uint32_t rank)
{
    uint32_t remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote)
                 : "r"(shared_address(b)), "r"(rank));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote)
                 : "memory");
}
__device__ __forceinline__ void barrier_wait(uint64_t *b, uint32_t parity)
{
    uint32_t done = 0;
    while (!done)
        asm volatile("{\n .reg .pred p;\n"
                     " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(b)), "r"(parity)
                     : "memory");
}
__device__ __forceinline__ void tensor_load(void *to, const CUtensorMap *map, uint64_t *b, int x,
                                            int y)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4}], [%2];" ::"r"(shared_address(to)),
                 "l"(map), "r"(shared_address(b)), "r"(x), "r"(y)
                 : "memory");
}
__device__ __forceinline__ void tensor_load_multicast(void *to, const CUtensorMap *map, uint64_t *b,
                                                      int x, int y, uint16_t mask)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(shared_address(b)), "r"(x), "r"(y), "h"(mask)
                 : "memory");
}
__device__ __forceinline__ void tensor_store(const CUtensorMap *map, const void *from, int x, int y)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
        "r"(shared_address(from)), "r"(x), "r"(y)
        : "memory");
}
__device__ __forceinline__ void tensor_reduce_add(const CUtensorMap *map, const void *from, int x,
                                                  int y)
{
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group "
                 "[%0, {%2, %3}], [%1];" ::"l"(map),
                 "r"(shared_address(from)), "r"(x), "r"(y)
                 : "memory");
}
__device__ __forceinline__ void bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}
__device__ __forceinline__ void bulk_store(void *to, const void *from, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void bulk_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int PENDING> __device__ __forceinline__ void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
}
template <int PENDING> __device__ __forceinline__ void bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(PENDING) : "memory");
}
__device__ __forceinline__ void async_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void wgmma_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int PENDING> __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}
__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
__device__ __forceinline__ uint32_t cluster_rank()
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
// A matrix of 128-byte rows with the 128-byte swizzle; both offsets in bytes.
__device__ __forceinline__ uint64_t descriptor(const void *p, uint32_t leading, uint32_t stride)
{
    return (uint64_t)((shared_address(p) & 0x3ffff) >> 4) | (uint64_t)(leading >> 4) << 16 |
           (uint64_t)(stride >> 4) << 32 | (uint64_t)1 << 62;
}

// ---- host side ------------------------------------------------------------------------------

// Small whole numbers in [-3, 3]: sums of some thousand products are exact in f32 and nearly in
// f16, so that a result does not depend on the order of its sum.
static inline int pattern(uint64_t i, uint32_t seed)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull + seed * 0xbf58476d1ce4e5b9ull;
    x ^= x >> 29;
    x *= 0x94d049bb133111ebull;
    return (int)((x >> 40) % 7) - 3;
}

typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                              const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                              const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// A tensor of rows x columns elements, boxes of box_rows x box_columns.
static CUtensorMap make_map(void *base, CUtensorMapDataType type, uint32_t element_bytes,
                            uint64_t rows, uint64_t columns, uint32_t box_rows,
                            uint32_t box_columns, CUtensorMapSwizzle swizzle)
{
    static encode_tiled *encode;
    cudaDriverEntryPointQueryResult found;
    if (!encode)
        CK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                            cudaEnableDefault, &found));
    CUtensorMap map;
    cuuint64_t size[2] = {columns, rows}, stride[1] = {columns * element_bytes};
    cuuint32_t box[2] = {box_columns, box_rows}, step[2] = {1, 1};
    CUresult status =
        encode(&map, type, 2, base, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS) {
        fprintf(stderr, "cuTensorMapEncodeTiled refused a map: %d\n", (int)status);
        exit(4);
    }
    return map;
}

static uint64_t hash_bytes(const void *p, size_t n)
{
    const unsigned char *b = (const unsigned char *)p;
    uint64_t h = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * 0x100000001b3ull;
    return h;
}

struct row {
    std::string name;
    // Sets up, launches through `go` and checks; returns the largest error.
    double (*run)(const row &r, void (*go)(void *), uint64_t *hash);
    long v[8];
};

static bool wanted(int argc, char **argv, const std::string &name)
{
    for (int i = 1; i < argc; i++)
        if (name == argv[i])
            return true;
    return argc < 2;
}

// Launches a kernel: in a full run twice, of which the profiler sees the second.
static bool full_run;
#ifndef STEP_LOG
template <class F> static void measured(F launch)
{
    if (full_run) {
        launch();
        CK(cudaDeviceSynchronize());
        CK(cudaProfilerStart());
    }
    launch();
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    if (full_run)
        CK(cudaProfilerStop());
}
#endif
