/* pieces_probe.cu - which lines leave the L2 when they are written in pieces: columns of a matrix by
 * blocks of their own, pieces of a few bytes with a stride, blocks of a few threads; and how the
 * lines that were dirty before the launch leave when lines are read from one side and from both. To
 * be run under Nsight Compute; the counters are the result. */
#include "launched.h"

#include <cstdint>
#include <cuda_runtime.h>

// Rows of 128 floats; a block is W columns wide and 256 / W rows high.
template <int W> __global__ void columns(const float *from, float *to, int read, int write)
{
    int row = blockIdx.y * (256 / W) + threadIdx.x / W, col = blockIdx.x * W + threadIdx.x % W;
    size_t at = (size_t)row * 128 + col;
    float v = 1;
    if (read)
        v = from[at];
    if (read > 1)
        __syncthreads();
    if (write || v == 77)
        to[at] = v;
}
template <int W> static void run_columns(const float *a, float *b, int mb, int read, int write)
{
    int rows = mb << 11;
    columns<W><<<dim3(128 / W, rows / (256 / W)), 256>>>(a, b, read, write);
    LAUNCHED("columns width=%d mb=%d read=%d write=%d", W, mb, read, write);
}

// One piece a thread.
template <class T> __global__ void strided(char *a, size_t n, size_t stride)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        *(T *)(a + i * stride) = T();
}
template <class T> static void run_strided(char *a, size_t n, size_t stride)
{
    strided<T><<<(unsigned)((n + 255) / 256), 256>>>(a, n, stride);
    LAUNCHED("strided bytes=%d n=%zu stride=%zu", (int)sizeof(T), n, stride);
}

// A thread writes `words` words, one store at a time, beside those of the thread before.
__global__ void records(unsigned *a, unsigned *counter, int words, int taken)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (taken)
        i = atomicAdd(counter, 1);
    for (int k = 0; k < words; k++)
        asm volatile("st.global.u32 [%0],%1;" ::"l"(a + (size_t)i * words + k), "r"(k) : "memory");
}

// Lines read by blocks that stand `apart` in the grid, so that the SMs of both sides read them.
__global__ void read_lines(const uint4 *a, size_t units, int times, unsigned *out)
{
    unsigned b = blockIdx.x % (gridDim.x / times), sum = 0;
    size_t n = units / (gridDim.x / times);
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        sum += a[b * n + i].x;
    if (sum == 77)
        *out = 1;
}

struct alignas(16) sixteen {
    uint4 v;
};

int main()
{
    char *a, *b;
    unsigned *out;
    size_t most = (size_t)2 << 30;
    CK(cudaMalloc(&a, most));
    CK(cudaMalloc(&b, (size_t)128 << 20));
    CK(cudaMalloc(&out, 4096));
    const float *fa = (const float *)a;
    float *fb = (float *)b;
    for (int mb : {4, 8, 16}) {
        run_columns<2>(fa, fb, mb, 0, 1);
        run_columns<4>(fa, fb, mb, 0, 1);
        run_columns<8>(fa, fb, mb, 0, 1);
        run_columns<16>(fa, fb, mb, 0, 1);
        run_columns<32>(fa, fb, mb, 0, 1);
        run_columns<2>(fa, fb, mb, 2, 1);
        run_columns<8>(fa, fb, mb, 2, 1);
        run_columns<32>(fa, fb, mb, 2, 1);
        run_columns<2>(fa, fb, mb, 1, 0);
        run_columns<8>(fa, fb, mb, 1, 0);
    }
    run_columns<2>(fa, fb, 8, 2, 1);
    run_columns<2>(fa, fb, 8, 0, 1);
    run_columns<1>(fa, fb, 8, 0, 1);
    run_columns<2>(fa, fb, 24, 1, 0);
    run_columns<2>(fa, fb, 32, 1, 0);
    run_columns<8>(fa, fb, 24, 1, 0);
    for (size_t stride : {64, 128, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 2097152})
        for (size_t n : {1024, 8192, 32768, 65536, 131072}) {
            if (n * stride > most || (n == 1024 && stride < 65536))
                continue;
            run_strided<unsigned>(a, n, stride);
            if (n == 32768 || n == 8192)
                run_strided<sixteen>(a, n, stride);
        }
    run_strided<unsigned char>(a, 32768, 4096);
    run_strided<unsigned char>(a, 131072, 32);
    run_strided<unsigned char>(a, 1048576, 8);
    for (int threads : {6, 32, 256})
        for (int words : {1, 7, 9, 16})
            for (int taken : {0, 1}) {
                if (words == 1 && threads == 256)
                    continue;
                CK(cudaMemset(out, 0, 4096));
                records<<<321408 / threads, threads>>>((unsigned *)a, out, words, taken);
                LAUNCHED("records threads=%d words=%d taken=%d", threads, words, taken);
            }
    for (int times : {1, 2, 8})
        for (int mb : {16, 20, 24, 28, 32, 40, 48, 56, 64}) {
            if (times == 8 && mb > 32)
                continue;
            read_lines<<<2112 * times, 128>>>((const uint4 *)a, (size_t)mb * 65536, times, out);
            LAUNCHED("read_lines mb=%d times=%d", mb, times);
        }
    return 0;
}
