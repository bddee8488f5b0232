// clock.cu - which clock an SM keeps while its units work: launches for the profiler alone, one line each in the order of the
// launches: what, SMs, rounds. The profiler's cycles of the SMs and of the L2 and its time say how fast each clock went:
//
//   ncu --clock-control none --metrics sm__cycles_elapsed.max,lts__cycles_elapsed.max,gpu__time_duration.sum clock
#include <mma.h>
#include "hopper.h"
#include "wgmma.h"

enum what { WAIT, FFMA, DFMA, LOADS, MMA, MMA_S8, WGMMA, WGMMA_E4M3, WGMMA_ZERO, KINDS };
static const char *const names[] = {"wait", "ffma", "dfma", "loads", "mma_f16", "mma_s8", "wgmma_f16", "wgmma_e4m3", "wgmma_f16_zeros"};

__device__ uint32_t bits_of(uint32_t i)
{
    i ^= i >> 16;
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    return i ^ i >> 16;
}

// Shared memory full of small numbers (or zeros), so that operands change as those of a program do.
__device__ uint8_t *operands(uint8_t *raw, bool zeros)
{
    uint8_t *stage = (uint8_t *)(((uintptr_t)raw + 1023) & ~(uintptr_t)1023);
    for (int i = threadIdx.x; i < 32 * 1024 / 4; i += blockDim.x)
        ((uint32_t *)stage)[i] = zeros ? 0 : (bits_of(i) & 0xbfffbfffu & 0x8fff8fffu) | 0x30003000u;
    __syncthreads();
    return stage;
}

template <int WHAT> __global__ __launch_bounds__(128, 1) void work(float *out, const float4 *in, int rounds, float seed)
{
    extern __shared__ uint8_t raw[];
    if constexpr (WHAT == WAIT) {
        long long t = clock64();
        while (clock64() < t + 64ll * rounds)
            ;
    } else if constexpr (WHAT == FFMA) {
        float v[16];
        for (int i = 0; i < 16; i++)
            v[i] = seed + i + threadIdx.x;
        for (int r = 0; r < 4 * rounds; r++)
#pragma unroll
            for (int i = 0; i < 16; i++)
                v[i] = v[i] * seed + 1.5f;
        for (int i = 1; i < 16; i++)
            v[0] += v[i];
        out[threadIdx.x] = v[0];
    } else if constexpr (WHAT == DFMA) {
        double v[8];
        for (int i = 0; i < 8; i++)
            v[i] = seed + i + threadIdx.x;
        for (int r = 0; r < 4 * rounds; r++)
#pragma unroll
            for (int i = 0; i < 8; i++)
                v[i] = v[i] * seed + 1.5;
        for (int i = 1; i < 8; i++)
            v[0] += v[i];
        out[threadIdx.x] = (float)v[0];
    } else if constexpr (WHAT == LOADS) {
        float sum = 0;
        for (int r = 0; r < rounds; r++) {
            float4 x = __ldcg(in + ((r * 132 + blockIdx.x) * 128 + threadIdx.x) % (1 << 20));
            sum += x.x + x.y + x.z + x.w;
        }
        out[threadIdx.x] = sum;
    } else if constexpr (WHAT == MMA || WHAT == MMA_S8) {
        float d[4][4] = {};
        int e[4][4] = {};
        uint32_t a[4], b[2];
        for (int i = 0; i < 4; i++)
            a[i] = (bits_of(threadIdx.x * 8 + i) & 0x8fff8fffu) | 0x30003000u;
        for (int i = 0; i < 2; i++)
            b[i] = (bits_of(threadIdx.x * 8 + 4 + i) & 0x8fff8fffu) | 0x30003000u;
        for (int r = 0; r < 2 * rounds; r++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                if constexpr (WHAT == MMA)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                                 : "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
                                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
                else
                    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                                 : "+r"(e[i][0]), "+r"(e[i][1]), "+r"(e[i][2]), "+r"(e[i][3])
                                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        float sum = 0;
        for (int i = 0; i < 4; i++)
            sum += d[i][0] + d[i][1] + d[i][2] + d[i][3] + (float)(e[i][0] + e[i][1] + e[i][2] + e[i][3]);
        out[threadIdx.x] = sum;
    } else {
        uint8_t *stage = operands(raw, WHAT == WGMMA_ZERO);
        float d[64];
        for (int i = 0; i < 64; i++)
            d[i] = 0;
        for (int r = 0; r < rounds / 4; r++) {
            wgmma_begin();
#pragma unroll
            for (int part = 0; part < 4; part++)
                if constexpr (WHAT == WGMMA_E4M3)
                    wgmma_e4m3_ss128(d, descriptor(stage + 32 * part, 16, 1024), descriptor(stage + 8192 + 32 * part, 16, 1024));
                else
                    wgmma_f16_ss128(d, descriptor(stage + 32 * part, 16, 1024), descriptor(stage + 8192 + 32 * part, 16, 1024));
            wgmma_commit();
            wgmma_wait<0>();
        }
        float sum = 0;
        for (int i = 0; i < 64; i++)
            sum += d[i];
        out[threadIdx.x] = sum;
    }
}

typedef void (*kernel)(float *, const float4 *, int, float);
int main()
{
    static const kernel kernels[KINDS] = {work<WAIT>, work<FFMA>, work<DFMA>, work<LOADS>, work<MMA>, work<MMA_S8>, work<WGMMA>, work<WGMMA_E4M3>, work<WGMMA_ZERO>};
    static const int sms[] = {4, 12, 24, 48, 96, 132}, rounds[] = {128, 512, 4096};
    float *out;
    float4 *in;
    CK(cudaMalloc(&out, 4096));
    CK(cudaMalloc(&in, 16 << 20));
    CK(cudaMemset(in, 0, 16 << 20));
    for (int k = 0; k < KINDS; k++)
        CK(cudaFuncSetAttribute(kernels[k], cudaFuncAttributeMaxDynamicSharedMemorySize, 160 << 10));
    for (int k = 0; k < KINDS; k++)
        for (int n : sms)
            for (int r : rounds) {
                kernels[k]<<<n, 128, 160 << 10>>>(out, in, r, 0.5f);
                CK(cudaGetLastError());
                CK(cudaDeviceSynchronize());
                printf("%s,%d,%d\n", names[k], n, r);
            }
    return 0;
}
