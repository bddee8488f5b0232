// hopper_gemm.cu - C = A B^T in the way of Hopper: a warp of its own copies tiles in bulk, a warpgroup multiplies them, and
// barriers in shared memory pass the stages to and fro.
//
// A and B are packed into tiles of 64 x 64 halves, tile by tile along K, each as wgmma reads it without a swizzle: eight rows of
// 16 bytes are 128 bytes, the next eight rows follow, then the next 16 bytes of all rows. C is in f32, 64 x 64 a block.
//
//   nvcc -std=c++17 -arch=sm_90a -ptx -o hopper_gemm.ptx hopper_gemm.cu
#include <cstdint>

enum { TILE = 64, TILE_BYTES = TILE * TILE * 2, CONSUMERS = 128 };

__device__ static uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ static void barrier_init(uint64_t *b, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}
__device__ static void barrier_arrive(uint64_t *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ static void barrier_wait(uint64_t *b, uint32_t parity)
{
    asm volatile("{\n .reg .pred p;\nagain%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @!p bra again%=;\n}" ::"r"(
                     shared_address(b)),
                 "r"(parity)
                 : "memory");
}
__device__ static void bulk_load(void *to, const void *from, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(TILE_BYTES + 0u), "r"(shared_address(b))
                 : "memory");
}
__device__ static uint64_t descriptor(const void *p) // 1024 bytes to the next 16 of a row, 128 to the next eight rows
{
    return (uint64_t)(shared_address(p) >> 4) | (uint64_t)(1024 >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
}
__device__ static void multiply(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,"
                 "%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
                   "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
                   "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
                   "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b));
}

template <int STAGES> __device__ static void gemm(const uint8_t *a, const uint8_t *b, float *c, int k_tiles, int n)
{
    __shared__ __align__(128) uint8_t stage_a[STAGES][TILE_BYTES], stage_b[STAGES][TILE_BYTES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++)
            barrier_init(&full[i], 1), barrier_init(&empty[i], 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) { // the producer
        for (int k = 0; k < k_tiles && threadIdx.x == CONSUMERS; k++) {
            int s = k % STAGES;
            barrier_wait(&empty[s], ~(k / STAGES) & 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full[s])), "r"(2u * TILE_BYTES)
                         : "memory");
            bulk_load(stage_a[s], a + (size_t)(blockIdx.y * k_tiles + k) * TILE_BYTES, &full[s]);
            bulk_load(stage_b[s], b + (size_t)(blockIdx.x * k_tiles + k) * TILE_BYTES, &full[s]);
        }
        return;
    }
    float d[32] = {};
    for (int k = 0; k < k_tiles; k++) {
        int s = k % STAGES;
        barrier_wait(&full[s], k / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int part = 0; part < 4; part++) // 16 of K are two columns of 16 bytes
            multiply(d, descriptor(stage_a[s] + part * 2048), descriptor(stage_b[s] + part * 2048));
        asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x == 0)
            barrier_arrive(&empty[s]);
    }
    int row = blockIdx.y * TILE + threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = blockIdx.x * TILE + threadIdx.x % 4 * 2;
    for (int i = 0; i < 32; i += 2)
        *(float2 *)&c[(size_t)(row + i / 2 % 2 * 8) * n + column + i / 4 * 8] = make_float2(d[i], d[i + 1]);
}

extern "C" __global__ __launch_bounds__(160) void gemm_one_stage(const uint8_t *a, const uint8_t *b, float *c, int k_tiles, int n)
{
    gemm<1>(a, b, c, k_tiles, n);
}
extern "C" __global__ __launch_bounds__(160) void gemm_two_stages(const uint8_t *a, const uint8_t *b, float *c, int k_tiles, int n)
{
    gemm<2>(a, b, c, k_tiles, n);
}
