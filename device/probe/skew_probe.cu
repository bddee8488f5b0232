/* skew_probe.cu - how far apart the warps of a small launch come to their first load, by the special
 * registers that they read before it: `thread` the thread's number alone, `line` that of the block,
 * too, `area` two of each; `guard`: behind a comparison by which the warps beyond n bytes end. Each
 * warp reads a sector of its own, all four of a line.
 *   skew_probe times     cycles from the first warp's first instruction to each warp's first one and
 *                        load, by the SM's clock; not under a profiler
 *   skew_probe counts    under Nsight Compute: hits tell which halves of a fetch left apart */
#include "launched.h"
#include <cstring>

enum kind { THREAD, LINE, AREA };
static const char *const names[] = {"thread", "line", "area"};
enum { MOST = 1024, RECORDS = 2 * 32 };

template <int KIND> __device__ __forceinline__ int place(int pitch)
{
    if (KIND == THREAD)
        return threadIdx.x;
    if (KIND == LINE)
        return blockIdx.x * blockDim.x + threadIdx.x;
    return (blockIdx.y * blockDim.y + threadIdx.y) * pitch + blockIdx.x * blockDim.x + threadIdx.x;
}
template <int KIND, bool GUARD> __global__ void count(const unsigned char *a, unsigned char *out, int n, int pitch)
{
    int i = place<KIND>(pitch);
    if (!GUARD || i < n)
        out[i] = a[i] + 1;
}
template <int KIND, bool GUARD, int COPY> __global__ void timed(const unsigned char *a, unsigned char *out, int n, int pitch, unsigned *to)
{
    unsigned begin, load;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(begin)::"memory");
    int i = place<KIND>(pitch);
    if (GUARD && i >= n)
        return;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(load) : "r"(i) : "memory");
    out[i] = a[i] + COPY;
    if (i % 32 == 0)
        to[2 * (i / 32)] = begin, to[2 * (i / 32) + 1] = load;
}
/* As a histogram begins: the assembler reads the block's number into a register of each thread. */
__global__ void tally(const unsigned char *a, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] < 26)
        atomicAdd(out + a[i] / 4, 1);
}
static unsigned char *a, *out;
static unsigned *to;

static dim3 threads_of(int kind, int threads)
{
    return kind == AREA ? dim3(32, threads / 32) : dim3(threads);
}
template <int KIND, bool GUARD, int COPY> static void time_one(int threads, int n)
{
    unsigned r[RECORDS];
    CK(cudaMemset(to, 0, sizeof r));
    timed<KIND, GUARD, COPY><<<1, threads_of(KIND, threads)>>>(a, out, n, 32, to);
    CK(cudaMemcpy(r, to, sizeof r, cudaMemcpyDeviceToHost));
    unsigned first = r[0];
    for (int w = 0; w < threads / 32; w++)
        if (r[2 * w] && (int)(r[2 * w] - first) < 0)
            first = r[2 * w];
    printf("%s guard=%d threads=%d n=%d run=%d:", names[KIND], GUARD, threads, n, COPY);
    for (int w = 0; w < threads / 32; w++)
        if (r[2 * w])
            printf(" %u/%u", r[2 * w] - first, r[2 * w + 1] - first);
    printf("\n");
}
template <int KIND, bool GUARD> static void times()
{
    time_one<KIND, GUARD, 1>(64, 64), time_one<KIND, GUARD, 2>(128, 128), time_one<KIND, GUARD, 3>(256, 256);
    time_one<KIND, GUARD, 4>(256, 64), time_one<KIND, GUARD, 5>(256, 128), time_one<KIND, GUARD, 6>(1024, 1024);
    time_one<KIND, GUARD, 3>(256, 256), time_one<KIND, GUARD, 7>(1024, 128);
}
template <int KIND, bool GUARD> static void counts()
{
    for (int threads : {64, 128, 256, 1024})
        for (int n : {64, 128, 256, 1024})
            if (n <= threads && (GUARD || n == threads)) {
                count<KIND, GUARD><<<1, threads_of(KIND, threads)>>>(a, out, n, 32);
                LAUNCHED("%s guard=%d threads=%d n=%d", names[KIND], GUARD, threads, n);
            }
}
int main(int argc, char **argv)
{
    CK(cudaMalloc(&a, MOST));
    CK(cudaMemset(a, 0, MOST));
    CK(cudaMalloc(&out, MOST));
    CK(cudaMalloc(&to, RECORDS * sizeof *to));
    if (argc > 1 && !strcmp(argv[1], "times")) {
        times<THREAD, false>(), times<LINE, false>(), times<AREA, false>();
        times<THREAD, true>(), times<LINE, true>(), times<AREA, true>();
        return 0;
    }
    for (int again = 0; again < 4; again++) {
        counts<THREAD, false>(), counts<LINE, false>(), counts<AREA, false>();
        counts<THREAD, true>(), counts<LINE, true>(), counts<AREA, true>();
        for (int threads : {64, 128, 256, 1024})
            for (int n : {64, 128, 256, 1024})
                if (n <= threads) {
                    tally<<<1, threads>>>(a, (unsigned *)out, n);
                    LAUNCHED("tally guard=1 threads=%d n=%d", threads, n);
                }
    }
    return 0;
}
