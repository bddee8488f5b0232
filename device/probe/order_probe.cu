/* order_probe.cu - in which order warps of several blocks on an SM come to their ends, by what they
 * do: columns (16 loads of 32 lines, four stores of 32), conversions, chains of products, products
 * side by side, loads between arithmetic, shared memory. A line for each warp of one SM: kind,
 * block, warp, place in the SM, begin and end by its clock. */
#include "ends.h"

enum kind { COLUMNS, CONVERT, CHAIN, SIDE, LOADS, SHARED, DOUBLES, KINDS };
static const char *const names[] = {"columns", "convert", "chain", "side", "loads", "shared", "doubles"};

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
    note_end(out, begin);
}

int main()
{
    allocate(64 << 20);
    run(names[COLUMNS], work<COLUMNS>), run(names[CONVERT], work<CONVERT>), run(names[CHAIN], work<CHAIN>);
    run(names[SIDE], work<SIDE>), run(names[LOADS], work<LOADS>), run(names[SHARED], work<SHARED>);
    run(names[DOUBLES], work<DOUBLES>);
    return 0;
}
