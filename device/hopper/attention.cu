// attention.cu - attention forward with tensor copies and warpgroup MMA: a producer warp loads keys
// and values, two warpgroups of 64 queries each multiply, keep the softmax in registers and use it
// from there as the left operand of the second product. Half precision, heads x length x size.
#include "hopper.h"
#include "wgmma.h"

#define KEYS    128
#define STAGES  2
#define QUERIES 128

template <int D> __device__ __forceinline__ void multiply_pv(float (&o)[D / 2], const uint32_t (&p)[4], uint64_t v)
{
    if constexpr (D == 64)
        wgmma_f16_rs64<1>(o, p, v);
    else
        wgmma_f16_rs128<1>(o, p, v);
}

__device__ __forceinline__ uint32_t pack(float a, float b)
{
    __half2 h = __floats2half2_rn(a, b);
    return *(uint32_t *)&h;
}

// Tiles are kept as columns of 64 elements (128 bytes), D / 64 of them side by side.
template <int D, bool CAUSAL>
__global__ __launch_bounds__(384, 1) void attention(const __grid_constant__ CUtensorMap map_q,
                                                 const __grid_constant__ CUtensorMap map_k,
                                                 const __grid_constant__ CUtensorMap map_v,
                                                 __half *out, int length, float scale)
{
    extern __shared__ uint8_t raw[];
    constexpr int PARTS = D / 64, Q_BYTES = QUERIES * D * 2, K_BYTES = KEYS * D * 2;
    uint8_t *q = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    uint8_t *ks = q + Q_BYTES, *vs = ks + STAGES * K_BYTES;
    __shared__ uint64_t q_full, full[STAGES], v_full[STAGES], empty[STAGES];
    MARKS_OF_BLOCK
    int group = threadIdx.x / 128;
    int head_row = blockIdx.y * length, first = blockIdx.x * QUERIES;
    int steps = CAUSAL ? (first + QUERIES + KEYS - 1) / KEYS : length / KEYS;
    if (threadIdx.x == 0) {
        barrier_init(&q_full, 1);
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&v_full[i], 1);
            barrier_init(&empty[i], 2);
        }
        barrier_fence();
    }
    __syncthreads();
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 256) {
            barrier_expect(&q_full, Q_BYTES);
            for (int p = 0; p < PARTS; p++)
                tensor_load(q + p * QUERIES * 128, &map_q, &q_full, p * 64, head_row + first);
            for (int step = 0; step < steps; step++) {
                int s = step % STAGES;
                barrier_wait(&empty[s], (step / STAGES & 1) ^ 1);
                note_step(step);
                barrier_expect(&full[s], K_BYTES);
                for (int p = 0; p < PARTS; p++)
                    tensor_load(ks + s * K_BYTES + p * KEYS * 128, &map_k, &full[s], p * 64,
                                head_row + step * KEYS);
                barrier_expect(&v_full[s], K_BYTES);
                for (int p = 0; p < PARTS; p++)
                    tensor_load(vs + s * K_BYTES + p * KEYS * 128, &map_v, &v_full[s], p * 64,
                                head_row + step * KEYS);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    float o[D / 2], high[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
    for (int i = 0; i < D / 2; i++)
        o[i] = 0;
    int row = first + group * 64 + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
    barrier_wait(&q_full, 0);
    for (int step = 0; step < steps; step++) {
        int s = step % STAGES;
        float t[KEYS / 2];
        for (int i = 0; i < KEYS / 2; i++)
            t[i] = 0;
        barrier_wait(&full[s], step / STAGES & 1);
        note_mark(marks, step, 0);
        wgmma_begin();
#pragma unroll
        for (int k = 0; k < D / 16; k++)
            wgmma_f16_ss128(t,
                            descriptor(q + k / 4 * QUERIES * 128 + group * 64 * 128 + k % 4 * 32, 16,
                                       1024),
                            descriptor(ks + s * K_BYTES + k / 4 * KEYS * 128 + k % 4 * 32, 16,
                                       1024));
        wgmma_commit();
        wgmma_wait<0>();
        note_mark(marks, step, 1);
        if (CAUSAL && (step + 1) * KEYS > first)
#pragma unroll
            for (int i = 0; i < KEYS / 2; i++) {
                int column = step * KEYS + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
                if (column > row + (i & 2) * 4)
                    t[i] = -INFINITY;
            }
        float fresh[2] = {high[0], high[1]};
#pragma unroll
        for (int i = 0; i < KEYS / 2; i++)
            fresh[i >> 1 & 1] = fmaxf(fresh[i >> 1 & 1], t[i]);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            fresh[h] = fmaxf(fresh[h], __shfl_xor_sync(~0u, fresh[h], 1));
            fresh[h] = fmaxf(fresh[h], __shfl_xor_sync(~0u, fresh[h], 2));
            float shrink = exp2f((high[h] - fresh[h]) * scale);
            sum[h] *= shrink;
#pragma unroll
            for (int i = 0; i < D / 2; i++)
                if ((i >> 1 & 1) == h)
                    o[i] *= shrink;
            high[h] = fresh[h];
        }
#pragma unroll
        for (int i = 0; i < KEYS / 2; i++) {
            t[i] = exp2f((t[i] - high[i >> 1 & 1]) * scale);
            sum[i >> 1 & 1] += t[i];
        }
        uint32_t p[KEYS / 16][4];
#pragma unroll
        for (int k = 0; k < KEYS / 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                p[k][i] = pack(t[8 * k + 2 * i], t[8 * k + 2 * i + 1]);
        barrier_wait(&v_full[s], step / STAGES & 1);
        note_mark(marks, step, 2);
        wgmma_begin();
#pragma unroll
        for (int k = 0; k < KEYS / 16; k++)
            multiply_pv<D>(o, p[k], descriptor(vs + s * K_BYTES + k * 2048, KEYS * 128, 1024));
        wgmma_commit();
        wgmma_wait<0>();
        note_mark(marks, step, 3);
        if (threadIdx.x % 128 == 0)
            barrier_arrive(&empty[s]);
    }
    keep_marks(marks);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
        sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
        float inverse = 1 / sum[h];
        __half *to = out + (size_t)(head_row + row + 8 * h) * D + threadIdx.x % 4 * 2;
#pragma unroll
        for (int j = 0; j < D / 8; j++)
            *(__half2 *)(to + 8 * j) =
                __floats2half2_rn(o[4 * j + 2 * h] * inverse, o[4 * j + 2 * h + 1] * inverse);
    }
}

template <int D, bool CAUSAL> static double run(long heads, long length, uint64_t *hash)
{
    size_t n = (size_t)heads * length * D;
    std::vector<__half> h[3], result(n);
    __half *d[4];
    CUtensorMap map[3];
    for (int i = 0; i < 4; i++) {
        CK(cudaMalloc(&d[i], n * 2));
        if (i == 3)
            break;
        h[i].resize(n);
        for (size_t j = 0; j < n; j++)
            h[i][j] = __float2half(pattern(j, 3 + i) * 0.25f);
        CK(cudaMemcpy(d[i], h[i].data(), n * 2, cudaMemcpyHostToDevice));
        map[i] = make_map(d[i], CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, heads * length, D,
                          i ? KEYS : QUERIES, 64, CU_TENSOR_MAP_SWIZZLE_128B);
    }
    float scale = 1.4426950408889634f / sqrtf(D);
    auto kernel = attention<D, CAUSAL>;
    int shared = QUERIES * D * 2 + 2 * STAGES * KEYS * D * 2 + 1024;
    CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    dim3 grid((unsigned)(length / QUERIES), (unsigned)heads);
    measured([&] {
        kernel<<<grid, 384, shared>>>(map[0], map[1], map[2], d[3], (int)length, scale);
    });
    CK(cudaMemcpy(result.data(), d[3], n * 2, cudaMemcpyDeviceToHost));
    *hash = hash_bytes(result.data(), n * 2);
    double worst = 0;
    for (long i = 0; i < 8; i++) {
        long row = (i * 7919) % (heads * length), head = row / length, last = row % length;
        std::vector<double> weight(length), o(D, 0);
        double total = 0;
        long keys = CAUSAL ? last + 1 : length;
        for (long j = 0; j < keys; j++) {
            double s = 0;
            for (int k = 0; k < D; k++)
                s += (double)__half2float(h[0][row * D + k]) *
                     __half2float(h[1][(head * length + j) * D + k]);
            total += weight[j] = exp(s / sqrt((double)D));
        }
        for (long j = 0; j < keys; j++)
            for (int k = 0; k < D; k++)
                o[k] += weight[j] / total * __half2float(h[2][(head * length + j) * D + k]);
        for (int k = 0; k < D; k++)
            worst = fmax(worst, fabs(o[k] - __half2float(result[row * D + k])));
    }
    for (int i = 0; i < 4; i++)
        CK(cudaFree(d[i]));
    return worst;
}

int main(int argc, char **argv)
{
    static const struct {
        long heads, length;
    } shapes[] = {{4, 256}, {16, 512}, {8, 1024}, {32, 1024}, {16, 2048}, {4, 4096}, {24, 1536},
                // Drawn later, and predicted before they were measured.
                {6, 768}, {12, 1280}, {2, 2048}, {40, 512}, {20, 896}};
    full_run = argc < 2;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int size = 64; size <= 128; size *= 2)
            for (int causal = 0; causal < 2; causal++) {
                char name[100];
                long heads = shapes[i].heads, length = shapes[i].length;
                snprintf(name, sizeof name, "attention%s_%ldx%ldx%d", causal ? "_causal" : "",
                         heads, length, size);
                if (!wanted(argc, argv, name))
                    continue;
                uint64_t hash;
                double e = size == 64 ? causal ? run<64, true>(heads, length, &hash)
                                               : run<64, false>(heads, length, &hash)
                           : causal ? run<128, true>(heads, length, &hash)
                                    : run<128, false>(heads, length, &hash);
                printf("row %s hash %016llx error %.3g\n", name, (unsigned long long)hash, e);
                fflush(stdout);
            }
    return 0;
}
