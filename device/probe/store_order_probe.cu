/* store_order_probe.cu - as order_probe.cu, of blocks that store: a line a round behind arithmetic, lines alone, columns, and loads
 * and stores by turns. */
#include "ends.h"

enum kind { BEHIND, LINES, COLUMN, COPY, WORDS3 };
static const char *const names[] = {"behind", "lines", "column", "copy", "words3"};

template <int KIND> __global__ void __launch_bounds__(256) work(float *data, float *to, note *out)
{
    unsigned begin = now(), lane = threadIdx.x % 32, thread = blockIdx.x * 256 + threadIdx.x, warp = thread / 32;
    float x = (float)thread;
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
    note_end(out, begin);
}

int main()
{
    allocate(192 << 20);
    run(names[BEHIND], work<BEHIND>), run(names[LINES], work<LINES>), run(names[COLUMN], work<COLUMN>);
    run(names[COPY], work<COPY>), run(names[WORDS3], work<WORDS3>);
    return 0;
}
