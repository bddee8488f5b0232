// gemm.cu - C = A B^T with tensor copies and warpgroup MMA: a producer warp fills stages of shared
// memory, warpgroups multiply them. A is M x K, B is N x K, both with K contiguous, C is M x N in
// half precision. Elements are f16 or e4m3.
#include <cuda_fp8.h>
#include "hopper.h"
#include "wgmma.h"

enum kind { F16, E4M3 };

template <int BN, kind KIND>
__device__ __forceinline__ void multiply(float (&d)[BN / 2], uint64_t a, uint64_t b)
{
    if constexpr (KIND == F16) {
        if constexpr (BN == 64)
            wgmma_f16_ss64(d, a, b);
        else if constexpr (BN == 128)
            wgmma_f16_ss128(d, a, b);
        else if constexpr (BN == 192)
            wgmma_f16_ss192(d, a, b);
        else
            wgmma_f16_ss256(d, a, b);
    } else {
        if constexpr (BN == 64)
            wgmma_e4m3_ss64(d, a, b);
        else if constexpr (BN == 128)
            wgmma_e4m3_ss128(d, a, b);
        else
            wgmma_e4m3_ss256(d, a, b);
    }
}

#define ROW_BYTES 128 // of a stage: what the widest swizzle covers

template <int BM, int BN, int STAGES, int CLUSTER, kind KIND>
__global__ __launch_bounds__(BM * 2 + 128, 1) void gemm(const __grid_constant__ CUtensorMap map_a,
                                                     const __grid_constant__ CUtensorMap map_b,
                                                     __half *c, int m_tiles, int n_tiles,
                                                     int k_steps, int ldc)
{
    extern __shared__ uint8_t raw[];
    uint8_t *stage_a = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    uint8_t *stage_b = stage_a + STAGES * BM * ROW_BYTES;
    __shared__ uint64_t full[STAGES], empty[STAGES];
    constexpr int GROUPS = BM / 64, PER_STEP = KIND == F16 ? 64 : 128;
    int group = threadIdx.x / 128;
    uint32_t rank = CLUSTER > 1 ? cluster_rank() : 0;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], GROUPS * CLUSTER);
        }
        barrier_fence();
    }
    if constexpr (CLUSTER > 1)
        cluster_sync();
    else
        __syncthreads();
    int stage = 0;
    uint32_t phase = 0;
    if (group == GROUPS) { // the producer
        if constexpr (GROUPS > 1)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == GROUPS * 128) {
            int steps = 0;
            for (int tile = blockIdx.x; tile < m_tiles * n_tiles; tile += gridDim.x) {
                int m = tile % m_tiles * BM, n = tile / m_tiles * BN;
                for (int k = 0; k < k_steps; k++) {
                    barrier_wait(&empty[stage], phase ^ 1);
                    note_step(steps++);
                    barrier_expect(&full[stage], (BM + BN) * ROW_BYTES);
                    tensor_load(stage_a + stage * BM * ROW_BYTES, &map_a, &full[stage],
                                k * PER_STEP, m);
                    uint8_t *to = stage_b + stage * BN * ROW_BYTES;
                    if constexpr (CLUSTER > 1) {
                        constexpr int PART = BN / CLUSTER;
                        tensor_load_multicast(to + rank * PART * ROW_BYTES, &map_b, &full[stage],
                                              k * PER_STEP, n + (int)rank * PART,
                                              (uint16_t)((1 << CLUSTER) - 1));
                    } else {
                        tensor_load(to, &map_b, &full[stage], k * PER_STEP, n);
                    }
                    if (++stage == STAGES) {
                        stage = 0;
                        phase ^= 1;
                    }
                }
            }
        }
    } else {
        if constexpr (GROUPS > 1)
            asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        for (int tile = blockIdx.x; tile < m_tiles * n_tiles; tile += gridDim.x) {
            int m = tile % m_tiles * BM, n = tile / m_tiles * BN;
            float d[BN / 2];
            for (int i = 0; i < BN / 2; i++)
                d[i] = 0;
            int before = 0;
            for (int k = 0; k < k_steps; k++) {
                barrier_wait(&full[stage], phase);
                wgmma_begin();
                const uint8_t *a = stage_a + stage * BM * ROW_BYTES + group * 64 * ROW_BYTES;
                const uint8_t *b = stage_b + stage * BN * ROW_BYTES;
#pragma unroll
                for (int part = 0; part < 4; part++)
                    multiply<BN, KIND>(d, descriptor(a + 32 * part, 16, 1024),
                                       descriptor(b + 32 * part, 16, 1024));
                wgmma_commit();
                wgmma_wait<1>();
                if (k && threadIdx.x % 128 < CLUSTER) {
                    if constexpr (CLUSTER > 1)
                        barrier_arrive_remote(&empty[before], threadIdx.x % 128);
                    else
                        barrier_arrive(&empty[before]);
                }
                before = stage;
                if (++stage == STAGES) {
                    stage = 0;
                    phase ^= 1;
                }
            }
            wgmma_wait<0>();
            if (threadIdx.x % 128 < CLUSTER) {
                if constexpr (CLUSTER > 1)
                    barrier_arrive_remote(&empty[before], threadIdx.x % 128);
                else
                    barrier_arrive(&empty[before]);
            }
            int row = m + group * 64 + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
            __half *out = c + (size_t)row * ldc + n + threadIdx.x % 4 * 2;
#pragma unroll
            for (int j = 0; j < BN / 8; j++) {
                *(__half2 *)(out + 8 * j) = __floats2half2_rn(d[4 * j], d[4 * j + 1]);
                *(__half2 *)(out + 8 * ldc + 8 * j) = __floats2half2_rn(d[4 * j + 2], d[4 * j + 3]);
            }
        }
    }
    if constexpr (CLUSTER > 1)
        cluster_sync(); // nobody leaves while others may still write to its barriers
}

template <int BM, int BN, int STAGES, int CLUSTER, kind KIND>
static double run(const row &r, uint64_t *hash)
{
    long m = r.v[0], n = r.v[1], k = r.v[2], blocks = r.v[3];
    constexpr int BYTES = KIND == F16 ? 2 : 1, PER_STEP = ROW_BYTES / BYTES;
    std::vector<uint8_t> a(m * k * BYTES), b(n * k * BYTES);
    auto fill = [&](std::vector<uint8_t> &v, uint32_t seed) {
        for (size_t i = 0; i < v.size() / BYTES; i++) {
            float x = (float)pattern(i, seed);
            if (KIND == F16)
                ((__half *)v.data())[i] = __float2half(x);
            else
                ((__nv_fp8_e4m3 *)v.data())[i] = __nv_fp8_e4m3(x);
        }
    };
    fill(a, 1);
    fill(b, 2);
    uint8_t *da, *db;
    __half *dc;
    CK(cudaMalloc(&da, a.size()));
    CK(cudaMalloc(&db, b.size()));
    CK(cudaMalloc(&dc, m * n * 2));
    CK(cudaMemcpy(da, a.data(), a.size(), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(db, b.data(), b.size(), cudaMemcpyHostToDevice));
    CUtensorMapDataType type =
        KIND == F16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_UINT8;
    CUtensorMap ma = make_map(da, type, BYTES, m, k, BM, PER_STEP, CU_TENSOR_MAP_SWIZZLE_128B);
    CUtensorMap mb =
        make_map(db, type, BYTES, n, k, BN / CLUSTER, PER_STEP, CU_TENSOR_MAP_SWIZZLE_128B);
    auto kernel = gemm<BM, BN, STAGES, CLUSTER, KIND>;
    int shared = STAGES * (BM + BN) * ROW_BYTES + 1024, tiles = (int)(m / BM * (n / BN));
    CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks ? (unsigned)blocks : (unsigned)tiles);
    config.blockDim = dim3(BM * 2 + 128);
    config.dynamicSmemBytes = shared;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = CLUSTER;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = CLUSTER > 1;
    measured([&] {
        CK(cudaLaunchKernelEx(&config, kernel, ma, mb, dc, (int)(m / BM), (int)(n / BN),
                              (int)(k / PER_STEP), (int)n));
    });
    std::vector<__half> c(m * n);
    CK(cudaMemcpy(c.data(), dc, c.size() * 2, cudaMemcpyDeviceToHost));
    *hash = hash_bytes(c.data(), c.size() * 2);
    double worst = 0;
    for (long i = 0; i < 200; i++) {
        long y = (i * 7919) % m, x = (i * 104729) % n;
        double sum = 0;
        for (long j = 0; j < k; j++)
            sum += (double)pattern(y * k + j, 1) * pattern(x * k + j, 2);
        double e = fabs(sum - (double)__half2float(c[y * n + x])) / fmax(1, fabs(sum));
        worst = e > worst ? e : worst;
    }
    CK(cudaFree(da));
    CK(cudaFree(db));
    CK(cudaFree(dc));
    return worst;
}

struct config {
    const char *name;
    double (*run)(const row &, uint64_t *);
    int bm, bn;
};
static const config configs[] = {
    {"64x64x4", run<64, 64, 4, 1, F16>, 64, 64},
    {"64x128x4", run<64, 128, 4, 1, F16>, 64, 128},
    {"64x256x4", run<64, 256, 4, 1, F16>, 64, 256},
    {"128x64x4", run<128, 64, 4, 1, F16>, 128, 64},
    {"128x128x2", run<128, 128, 2, 1, F16>, 128, 128},
    {"128x128x4", run<128, 128, 4, 1, F16>, 128, 128},
    {"128x192x4", run<128, 192, 4, 1, F16>, 128, 192},
    {"128x256x3", run<128, 256, 3, 1, F16>, 128, 256},
    {"128x256x4", run<128, 256, 4, 1, F16>, 128, 256},
    {"128x128x4c2", run<128, 128, 4, 2, F16>, 128, 128},
    {"128x256x4c2", run<128, 256, 4, 2, F16>, 128, 256},
    {"64x128x4c4", run<64, 128, 4, 4, F16>, 64, 128},
    {"128x128x4e", run<128, 128, 4, 1, E4M3>, 128, 128},
    {"128x256x4e", run<128, 256, 4, 1, E4M3>, 128, 256},
};
static const struct {
    long m, n, k;
    bool every; // for every configuration, else for some
} shapes[] = {
    {512, 768, 512, true},     {1024, 1536, 1024, true},  {2048, 3072, 512, true},
    {4096, 3072, 1024, true},  {256, 768, 4096, false},   {2048, 1536, 2048, false},
    {8192, 768, 256, false},   {1536, 1536, 6144, false},
    // Drawn later, and predicted before they were measured.
    {768, 2304, 1536, false},  {1792, 1536, 640, false},  {2560, 2304, 384, false},
    {1280, 768, 3072, false},  {3328, 1536, 768, false},  {256, 3840, 1024, false},
};

int main(int argc, char **argv)
{
    full_run = argc < 2;
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++)
        for (size_t j = 0; j < sizeof shapes / sizeof *shapes; j++)
            for (int persistent = 0; persistent < 2; persistent++) {
                const config &g = configs[i];
                row r = {};
                char name[100];
                long tiles = shapes[j].m / g.bm * (shapes[j].n / g.bn);
                // In a full run: the general shapes, the others for every third configuration, and
                // persistent blocks where there are more tiles than SMs for every second one.
                bool some = shapes[j].every || (i + j) % 3 == 0;
                if (persistent && (tiles <= 132 || (i + j) % 2))
                    some = false;
                snprintf(name, sizeof name, "gemm_%s_%ldx%ldx%ld%s", g.name, shapes[j].m,
                         shapes[j].n, shapes[j].k, persistent ? "_p" : "");
                if (argc < 2 ? !some : !wanted(argc, argv, name))
                    continue;
                r.v[0] = shapes[j].m;
                r.v[1] = shapes[j].n;
                r.v[2] = shapes[j].k;
                r.v[3] = persistent ? 132 : 0;
                uint64_t hash;
                double e = g.run(r, &hash);
                printf("row %s hash %016llx error %.3g\n", name, (unsigned long long)hash, e);
                fflush(stdout);
            }
    // A shape of one's own: gemm CONFIG M N K [BLOCKS]
    for (size_t i = 0; argc >= 5 && i < sizeof configs / sizeof *configs; i++)
        if (!strcmp(argv[1], configs[i].name)) {
            row r = {};
            r.v[0] = atol(argv[2]);
            r.v[1] = atol(argv[3]);
            r.v[2] = atol(argv[4]);
            r.v[3] = argc > 5 ? atol(argv[5]) : 0;
            uint64_t hash;
            double e = configs[i].run(r, &hash);
            printf("row %s_%sx%sx%s hash %016llx error %.3g\n", argv[1], argv[2], argv[3], argv[4],
                   (unsigned long long)hash, e);
        }
    return 0;
}
