/* order_probe.cu - in which order warps of several blocks on an SM come to their ends, by what they
 * do: columns (16 loads of 32 lines, four stores of 32), conversions, chains of products, products
 * side by side, loads between arithmetic, shared memory. A line for each warp of one SM: kind,
 * block, warp, place in the SM, begin and end by its clock. */
#include "check.h"

enum kind { COLUMNS, CONVERT, CHAIN, SIDE, LOADS, SHARED, DOUBLES, KINDS };
static const char *const names[] = {"columns", "convert", "chain", "side", "loads", "shared", "doubles"};
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
    if (KIND == COLUMNS) {
        const float *p = data + lane * 2048 + warp % 8 * 16;
#pragma unroll
        for (int k = 0; k < 16; k++)
            v[k] = __ldg(p + (k & 3) + (k >> 2) * 1024);
        x = 0;
#pragma unroll
        for (int k = 0; k < 16; k++)
            x = x * 0.5f + v[k];
#pragma unroll
        for (int k = 0; k < 4; k++)
            to[(size_t)(warp % 128 * 32 + lane) * 1022 + k] = x + k;
    } else if (KIND == CONVERT) {
        double d = data[thread];
        long long sum = 0;
#pragma unroll
        for (int k = 0; k < 32; k++)
            sum += __double2ll_rn(d * (k + 1));
        to[thread] = (float)sum;
    } else if (KIND == CHAIN) {
        x = data[thread];
#pragma unroll 16
        for (int k = 0; k < 256; k++)
            asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));
        to[thread] = x;
    } else if (KIND == SIDE) {
        y[0] += data[thread];
#pragma unroll 16
        for (int k = 0; k < 256; k++)
            asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(y[k & 3]));
        to[thread] = y[0] + y[1] + y[2] + y[3];
    } else if (KIND == LOADS) {
        const float *p = data + lane;
#pragma unroll 4
        for (int k = 0; k < 32; k++) {
            float got;
            asm volatile("ld.global.f32 %0,[%1];" : "=f"(got) : "l"(p + k * 32) : "memory");
#pragma unroll
            for (int j = 0; j < 4; j++)
                asm volatile("fma.rn.f32 %0,%0,%1,%0;" : "+f"(y[j]) : "f"(got));
        }
        to[thread] = y[0] + y[1] + y[2] + y[3];
    } else if (KIND == SHARED) {
        near[threadIdx.x] = x;
        __syncwarp();
        unsigned at = (unsigned)__cvta_generic_to_shared(near) + lane * 4;
#pragma unroll 8
        for (int k = 0; k < 64; k++) {
            float got;
            asm volatile("ld.shared.f32 %0,[%1];" : "=f"(got) : "r"(at) : "memory");
            y[k & 3] += got;
        }
        to[thread] = y[0] + y[1] + y[2] + y[3];
    } else {
        double d = data[thread], e = d + 1;
#pragma unroll 8
        for (int k = 0; k < 64; k++)
            asm volatile("fma.rn.f64 %0,%0,%0,%0;" : "+d"(d));
        to[thread] = (float)(d + e);
    }
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
    CK(cudaMalloc(&data, 64 << 20));
    CK(cudaMalloc(&to, 64 << 20));
    CK(cudaMalloc(&out, sizeof host));
    CK(cudaMemset(data, 0, 64 << 20));
    printf("kind,block,warp,place,begin,end\n");
    run<COLUMNS>(), run<CONVERT>(), run<CHAIN>(), run<SIDE>(), run<LOADS>(), run<SHARED>(), run<DOUBLES>();
    return 0;
}
