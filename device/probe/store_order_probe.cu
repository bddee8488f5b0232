/* store_order_probe.cu - as order_probe.cu, of blocks that store: a line a round behind arithmetic, lines alone, columns, and loads
 * and stores by turns. */
#include "check.h"

enum kind { BEHIND, LINES, COLUMN, COPY, WORDS3, KINDS };
static const char *const names[] = {"behind", "lines", "column", "copy", "words3"};
struct note { unsigned sm, place, begin, end; };

__device__ __forceinline__ unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

template <int KIND> __global__ void __launch_bounds__(256) work(float *data, float *to, note *out)
{
    __shared__ float near[1024];
    unsigned begin = now(), lane = threadIdx.x % 32, thread = blockIdx.x * 256 + threadIdx.x, warp = thread / 32;
    float x = (float)thread, v[16], y[4] = {x, x + 1, x + 2, x + 3};
    if (KIND == BEHIND) {
        for (int k = 0; k < 64; k++) {
#pragma unroll
            for (int j = 0; j < 8; j++)
                asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));
            to[(size_t)warp * 2048 + k * 32 + lane] = x;
        }
    } else if (KIND == LINES) {
#pragma unroll 16
        for (int k = 0; k < 64; k++)
            to[(size_t)warp * 2048 + k * 32 + lane] = x;
    } else if (KIND == COLUMN) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            to[(size_t)(warp % 256 * 32 + lane) * 1022 + k * 8] = x;
    } else if (KIND == COPY) {
#pragma unroll 4
        for (int k = 0; k < 32; k++)
            to[(size_t)warp * 1024 + k * 32 + lane] = data[(size_t)warp * 1024 + k * 32 + lane] + 1;
    } else {
        for (int k = 0; k < 16; k++) {
            size_t at = (size_t)(warp * 16 + k) * 96 + lane * 3;
            to[at] = x, to[at + 1] = x, to[at + 2] = x;
        }
    }
    if (KIND == KINDS)
        to[0] = near[lane] + v[0] + y[0];
    unsigned end = now(), sm, place;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(place));
    if (lane == 0)
        out[warp] = note{sm, place, begin, end};
}

static float *data, *to;
static note *out, host[132 * 16 * 8];

template <int KIND> static void run()
{
    int blocks = 132 * 16, warps = blocks * 8;
    for (int i = 0; i < 2; i++)
        work<KIND><<<blocks, 256>>>(data, to, out);
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    unsigned first = 0;
    bool any = false;
    for (int w = 0; w < warps; w++)
        if (host[w].sm == 5 && (!any || (int)(host[w].begin - first) < 0))
            first = host[w].begin, any = true;
    for (int w = 0; w < warps; w++)
        if (host[w].sm == 5)
            printf("%s,%d,%d,%u,%u,%u\n", names[KIND], w / 8, w % 8, host[w].place, host[w].begin - first, host[w].end - first);
}

int main()
{
    CK(cudaMalloc(&data, 192 << 20));
    CK(cudaMalloc(&to, 192 << 20));
    CK(cudaMalloc(&out, sizeof host));
    CK(cudaMemset(data, 0, 192 << 20));
    printf("kind,block,warp,place,begin,end\n");
    run<BEHIND>(), run<LINES>(), run<COLUMN>(), run<COPY>(), run<WORDS3>();
    return 0;
}
