// drift.cu - what makes SMs that do the same work drift apart: the loop of attention.cu with parts
// of it left out, on one SM or all, and clocks of both warpgroups at the four points of a step
// (keys there, first product over, softmax done, second product over).
//
//   drift        CSV, a line a launch: mean of a step, deviation of all steps and of the SMs'
//                means, correlation of a step with the next and with the same of the SM before,
//                how far the second warpgroup is behind the first, and its deviation
//   drift FILE   and into FILE every clock of two blocks: case, blocks, delay, operands, launch,
//                block, warpgroup, step, four clocks
#include "hopper.h"
#include "wgmma.h"

enum {
    KEYS = 128,
    SIZE = 128,
    ROWS = 128,
    STEPS = 64,
    SMS = 132,
    Q_BYTES = ROWS * SIZE * 2,
    K_BYTES = KEYS * SIZE * 2,
    POINTS = 4
};

__device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
__device__ __forceinline__ uint32_t pack(float a, float b)
{
    __half2 h = __floats2half2_rn(a, b);
    return *(uint32_t *)&h;
}

template <bool LOADS, bool PRODUCTS, bool MATH>
__global__ __launch_bounds__(384, 1) void loop(const __grid_constant__ CUtensorMap map, float *out,
                                               unsigned *clocks, int groups, int delay)
{
    extern __shared__ uint8_t raw[];
    uint8_t *q = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    uint8_t *ks = q + Q_BYTES, *vs = ks + 2 * K_BYTES;
    __shared__ uint64_t q_full, full[2], v_full[2], empty[2];
    __shared__ unsigned log[2][STEPS][POINTS];
    int group = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        barrier_init(&q_full, 1);
        for (int i = 0; i < 2; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&v_full[i], 1);
            barrier_init(&empty[i], groups);
        }
        barrier_fence();
    }
    __syncthreads();
    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 256) {
            barrier_expect(&q_full, 5 * Q_BYTES); // without loads the operands come once
            for (int p = 0; p < 10; p++)
                tensor_load(q + p * ROWS * 128, &map, &q_full, p % 2 * 64, p / 2 * KEYS);
            for (int step = 0; LOADS && step < STEPS; step++) {
                int s = step % 2;
                barrier_wait(&empty[s], (step / 2 & 1) ^ 1);
                if (step == 0)
                    barrier_wait(&q_full, 0);
                barrier_expect(&full[s], K_BYTES);
                for (int p = 0; p < 2; p++)
                    tensor_load(ks + s * K_BYTES + p * KEYS * 128, &map, &full[s], p * 64,
                                step * KEYS);
                barrier_expect(&v_full[s], K_BYTES);
                for (int p = 0; p < 2; p++)
                    tensor_load(vs + s * K_BYTES + p * KEYS * 128, &map, &v_full[s], p * 64,
                                (STEPS + step) * KEYS);
            }
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    if (group >= groups)
        return;
    float o[SIZE / 2], high[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0}, t[KEYS / 2];
    for (int i = 0; i < SIZE / 2; i++)
        o[i] = 0;
    for (int i = 0; i < KEYS / 2; i++)
        t[i] = threadIdx.x * 0.01f + i;
    barrier_wait(&q_full, 0);
    for (unsigned from = now(); group == 1 && now() - from < (unsigned)delay;)
        ;
    for (int step = 0; step < STEPS; step++) {
        int s = step % 2;
        if constexpr (LOADS)
            barrier_wait(&full[s], step / 2 & 1);
        unsigned t0 = now();
        if constexpr (PRODUCTS) {
            for (int i = 0; i < KEYS / 2; i++)
                t[i] = 0;
            wgmma_begin();
#pragma unroll
            for (int k = 0; k < SIZE / 16; k++)
                wgmma_f16_ss128(
                    t, descriptor(q + k / 4 * ROWS * 128 + group * 64 * 128 + k % 4 * 32, 16, 1024),
                    descriptor(ks + s * K_BYTES + k / 4 * KEYS * 128 + k % 4 * 32, 16, 1024));
            wgmma_commit();
            wgmma_wait<0>();
        }
        unsigned t1 = now();
        if constexpr (MATH) {
            float fresh[2] = {high[0], high[1]};
#pragma unroll
            for (int i = 0; i < KEYS / 2; i++)
                fresh[i >> 1 & 1] = fmaxf(fresh[i >> 1 & 1], t[i]);
#pragma unroll
            for (int h = 0; h < 2; h++) {
                fresh[h] = fmaxf(fresh[h], __shfl_xor_sync(~0u, fresh[h], 1));
                fresh[h] = fmaxf(fresh[h], __shfl_xor_sync(~0u, fresh[h], 2));
                float shrink = exp2f((high[h] - fresh[h]) * 0.1f);
                sum[h] *= shrink;
#pragma unroll
                for (int i = 0; i < SIZE / 2; i++)
                    if ((i >> 1 & 1) == h)
                        o[i] *= shrink;
                high[h] = fresh[h];
            }
#pragma unroll
            for (int i = 0; i < KEYS / 2; i++) {
                t[i] = exp2f((t[i] - high[i >> 1 & 1]) * 0.1f);
                sum[i >> 1 & 1] += t[i];
            }
        }
        uint32_t p[KEYS / 16][4];
#pragma unroll
        for (int k = 0; k < KEYS / 16; k++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                p[k][i] = pack(t[8 * k + 2 * i], t[8 * k + 2 * i + 1]);
                asm volatile("" : "+r"(p[k][i]));
            }
        unsigned t2 = now();
        if constexpr (LOADS)
            barrier_wait(&v_full[s], step / 2 & 1);
        if constexpr (PRODUCTS) {
            wgmma_begin();
#pragma unroll
            for (int k = 0; k < KEYS / 16; k++)
                wgmma_f16_rs128<1>(o, p[k],
                                   descriptor(vs + s * K_BYTES + k * 2048, KEYS * 128, 1024));
            wgmma_commit();
            wgmma_wait<0>();
        } else {
            for (int i = 0; i < KEYS / 2; i++)
                t[i] += __uint_as_float(p[i / 8][i % 4]);
        }
        unsigned t3 = now();
        if (threadIdx.x % 128 == 0) {
            if (LOADS)
                barrier_arrive(&empty[s]);
            log[group][step][0] = t0, log[group][step][1] = t1, log[group][step][2] = t2,
            log[group][step][3] = t3;
        }
    }
    float total = sum[0] + sum[1];
    for (int i = 0; i < SIZE / 2; i++)
        total += o[i] + t[i];
    out[blockIdx.x * 256 + threadIdx.x] = total;
    if (threadIdx.x % 128 == 0)
        for (int i = 0; i < STEPS * POINTS; i++)
            clocks[(blockIdx.x * 2 + group) * STEPS * POINTS + i] =
                log[group][i / POINTS][i % POINTS];
}

static unsigned host[SMS][2][STEPS][POINTS];
static const int FIRST = 8; // steps until things are under way

static double correlation(const std::vector<double> &a, const std::vector<double> &b)
{
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < a.size(); i++)
        ma += a[i] / a.size(), mb += b[i] / b.size();
    for (size_t i = 0; i < a.size(); i++)
        ab += (a[i] - ma) * (b[i] - mb), aa += (a[i] - ma) * (a[i] - ma),
            bb += (b[i] - mb) * (b[i] - mb);
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}
static void summary(const char *name, int blocks, int groups, int delay, const char *data)
{
    std::vector<std::vector<double>> d(blocks);
    double mean = 0, square = 0, own = 0, lag = 0, other = 0;
    size_t n = 0;
    for (int b = 0; b < blocks; b++) {
        double m = 0;
        for (int i = FIRST; i + 1 < STEPS; i++) {
            double x = (double)(int)(host[b][0][i + 1][0] - host[b][0][i][0]);
            d[b].push_back(x), m += x, mean += x, square += x * x, n++;
        }
        m /= d[b].size(), own += m * m / blocks;
        lag += correlation(std::vector<double>(d[b].begin(), d[b].end() - 1),
                           std::vector<double>(d[b].begin() + 1, d[b].end())) /
               blocks;
        if (b)
            other += correlation(d[b], d[b - 1]) / (blocks - 1);
    }
    mean /= n;
    double phase = 0, phase2 = 0; // of the second warpgroup against the first
    for (int b = 0; b < blocks && groups > 1; b++)
        for (int i = FIRST; i < STEPS; i++) {
            double x = (double)(int)(host[b][1][i][0] - host[b][0][i][0]);
            phase += x, phase2 += x * x;
        }
    double k = blocks * (STEPS - FIRST);
    printf("%s,%d,%d,%d,%s,%.0f,%.1f,%.1f,%.2f,%.2f,%.0f,%.0f\n", name, blocks, groups, delay, data,
           mean, sqrt(fmax(0, square / n - mean * mean)), sqrt(fmax(0, own - mean * mean)), lag,
           other, phase / k, sqrt(fmax(0, phase2 / k - phase / k * phase / k)));
}

static FILE *raw_file;
static CUtensorMap map_of[2];
static float *out;
static unsigned *clocks;

template <bool LOADS, bool PRODUCTS, bool MATH>
static void run(const char *name, int blocks, int groups, int delay, int random)
{
    const int shared = Q_BYTES + 4 * K_BYTES + 1024;
    auto kernel = loop<LOADS, PRODUCTS, MATH>;
    CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    for (int turn = 0; turn < 3; turn++) { // the last two are told: is a run like the one before?
        kernel<<<blocks, 384, shared>>>(map_of[random], out, clocks, groups, delay);
        CK(cudaGetLastError());
        CK(cudaDeviceSynchronize());
        if (!turn)
            continue;
        CK(cudaMemcpy(host, clocks, sizeof host, cudaMemcpyDeviceToHost));
        summary(name, blocks, groups, delay, random ? "random" : "zero");
        for (int b = 0; raw_file && b < blocks && b < 2; b++)
            for (int g = 0; g < groups; g++)
                for (int i = 0; i < STEPS; i++)
                    fprintf(raw_file, "%s,%d,%d,%d,%d,%d,%d,%d,%u,%u,%u,%u\n", name, blocks, delay,
                            random, turn, b, g, i, host[b][g][i][0] - host[b][0][0][0],
                            host[b][g][i][1] - host[b][0][0][0],
                            host[b][g][i][2] - host[b][0][0][0],
                            host[b][g][i][3] - host[b][0][0][0]);
    }
}

int main(int argc, char **argv)
{
    const size_t n = (size_t)2 * STEPS * KEYS * SIZE;
    std::vector<__half> h(n);
    raw_file = argc > 1 ? fopen(argv[1], "w") : NULL;
    for (int random = 0; random < 2; random++) {
        __half *d;
        CK(cudaMalloc(&d, n * 2));
        for (size_t j = 0; j < n; j++)
            h[j] = __float2half(random ? pattern(j, 3) * 0.25f : 0);
        CK(cudaMemcpy(d, h.data(), n * 2, cudaMemcpyHostToDevice));
        map_of[random] = make_map(d, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 2 * STEPS * KEYS, SIZE,
                                  KEYS, 64, CU_TENSOR_MAP_SWIZZLE_128B);
    }
    CK(cudaMalloc(&out, SMS * 256 * 4));
    CK(cudaMalloc(&clocks, sizeof host));
    printf(
        "case,blocks,groups,delay,data,step,deviation,of_sms,next,other,phase,phase_deviation\n");
    for (int blocks = 1; blocks <= SMS; blocks += SMS - 1)
        for (int groups = 1; groups <= 2; groups++)
            for (int random = 0; random < 2; random++) {
                run<false, true, false>("products", blocks, groups, 0, random);
                run<false, false, true>("math", blocks, groups, 0, random);
                run<true, false, false>("loads", blocks, groups, 0, random);
                run<false, true, true>("products+math", blocks, groups, 0, random);
                run<true, true, false>("loads+products", blocks, groups, 0, random);
                run<true, true, true>("all", blocks, groups, 0, random);
            }
    for (int delay = 100; delay <= 1600; delay += 100) { // how a distance of the warpgroups goes on
        run<false, true, false>("products", 1, 2, delay, 1);
        run<false, true, true>("products+math", 1, 2, delay, 1);
    }
    return 0;
}
