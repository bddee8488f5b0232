/* below_probe.cu - which stores of less than a word, or beside such, leave the SM as one; and which
 * lines leave the L2 when their parts are written one soon after another. Under Nsight Compute; the
 * counters are the result. */
#include "launched.h"

#include <cstdint>

template <int W> static __device__ void put(char *p)
{
    if (W == 1)
        asm volatile("st.global.u8 [%0],%1;" ::"l"(p), "r"(1) : "memory");
    else if (W == 2)
        asm volatile("st.global.u16 [%0],%1;" ::"l"(p), "h"((short)1) : "memory");
    else
        asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(1) : "memory");
}
/* A warp stores to `lines` lines, `each` lanes a line that lie `step` bytes apart, W bytes a lane;
 * then V bytes a lane, `on` bytes further; `times` such pairs a round go on by `on` each. */
template <int W, int V>
__global__ void pairs(char *a, int lines, int each, int step, int on, int more, int rounds)
{
    int lane = threadIdx.x % 32;
    char *p = a +
              ((size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * rounds * lines * 128 +
              lane / each * 128 + lane % each * step;
    for (int r = 0; r < rounds; r++, p += lines * 128) {
        for (long long end = clock64() + 1500; clock64() < end;)
            ;
        if (lane < lines * each) {
            put<W>(p);
            put<V>(p + on);
            if (more)
                put<V>(p + 2 * on), put<V>(p + 3 * on);
        }
    }
}
static char *a;
template <int W, int V>
static void run(int lines, int each, int step, int on, int more, int blocks = 1, int threads = 32)
{
    pairs<W, V><<<blocks, threads>>>(a, lines, each, step, on, more, 16);
    LAUNCHED("pairs width=%d then=%d lines=%d each=%d step=%d on=%d stores=%d blocks=%d threads=%d",
             W, V, lines, each, step, on, more ? 4 : 2, blocks, threads);
}

/* MODE 0: words of sectors 0 and 1 of a line, 1: of sectors 0 and 2, 2: two words of sector 0, 3:
 * of sectors 0 to 3, 4: as 3 with a wait of 1000 cycles between, 5: of sectors 0 to 3 by lanes of
 * one store. */
__global__ void soon(char *a, size_t n, int mode, int pause)
{
    size_t t = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    if (mode == 5) {
        for (size_t i = t; i < n * 4; i += step) {
            put<4>(a + i * 32);
            for (long long end = clock64() + pause / 4; clock64() < end;)
                ;
        }
        return;
    }
    for (size_t i = t; i < n; i += step) {
        char *p = a + i * 128;
        put<4>(p);
        if (mode == 0)
            put<4>(p + 32);
        else if (mode == 1)
            put<4>(p + 64);
        else if (mode == 2)
            put<4>(p + 4);
        else
            for (int s = 1; s < 4; s++) {
                if (mode == 4)
                    for (long long end = clock64() + 1000; clock64() < end;)
                        ;
                put<4>(p + 32 * s);
            }
        for (long long end = clock64() + pause; clock64() < end;)
            ;
    }
}
int main()
{
    CK(cudaMalloc(&a, (size_t)512 << 20));
    for (int on : {1, 2, 3, 4, 5, 8, 16, 32})
        run<1, 1>(8, 1, 1, on, 0);
    for (int on : {2, 4, 8, 16})
        run<1, 1>(8, 2, 1, on, 0);
    for (int on : {1, 2, 8, 16})
        run<1, 1>(8, 2, 4, on, 0);
    for (int on : {4, 8, 16})
        run<1, 1>(8, 4, 1, on, 0);
    for (int on : {8, 16})
        run<1, 1>(4, 8, 1, on, 0);
    for (int on : {2, 4, 8})
        run<2, 2>(8, 1, 1, on, 0);
    for (int on : {4, 8})
        run<2, 2>(8, 2, 2, on, 0);
    for (int on : {4, 8, 16})
        run<4, 4>(8, 1, 4, on, 0);
    for (int on : {4, 8})
        run<4, 1>(8, 1, 4, on, 0);
    for (int on : {1, 4, 8})
        run<1, 4>(8, 1, 4, on > 1 ? on : 4, 0);
    run<1, 2>(8, 1, 4, 2, 0);
    run<1, 2>(8, 1, 4, 4, 0);
    for (int on : {1, 4})
        run<1, 1>(8, 1, 1, on, 1);
    run<1, 1>(16, 1, 1, 4, 0);
    run<1, 1>(16, 2, 1, 4, 0);
    run<1, 1>(16, 2, 1, 2, 0);
    run<1, 1>(1, 32, 1, 32, 0);
    run<1, 1>(1, 32, 1, 0, 0);
    run<1, 1>(8, 1, 1, 0, 0);
    run<4, 4>(8, 1, 4, 0, 0);
    run<1, 1>(8, 1, 1, 4, 0, 132, 256);
    run<1, 1>(8, 1, 1, 1, 0, 132, 256);
    run<4, 4>(8, 1, 1, 4, 0, 132, 256);
    for (int kilo : {64, 96, 192})
        for (int mode = 0; mode < 6; mode++) {
            soon<<<132, 256>>>(a, (size_t)kilo << 10, mode, mode >= 3 ? 24000 : 16000);
            LAUNCHED("soon kilo=%d mode=%d", kilo, mode);
        }
    return 0;
}
