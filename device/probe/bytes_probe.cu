/* bytes_probe.cu - stores of a byte or two side by side, several a thread, as pixels of three bytes
 * are written: how many of them leave the SM as one sector, and what they cost. In a row or in
 * tiles of 16 x 16, with pauses between a thread's stores, by few and many warps an SM, beside
 * loads. To be run under Nsight Compute; the counters are the result. */
#include "check.h"

// Each thread writes `each` pieces of WIDTH bytes from its own place on, `step` bytes after the
// last thread's.
template <int WIDTH>
__global__ void write(unsigned char *out, const unsigned char *in, int each, int step,
                      int row_bytes, int pause)
{
    size_t at;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    at = (size_t)y * row_bytes + (size_t)x * step;
    for (int k = 0; k < each; k++) {
        int value = in ? in[at + k * WIDTH] : k;
        if (WIDTH == 1)
            asm volatile("st.global.u8 [%0], %1;" ::"l"(out + at + k), "r"(value) : "memory");
        else
            asm volatile("st.global.u16 [%0], %1;" ::"l"(out + at + 2 * k), "h"((short)value)
                         : "memory");
        if (pause)
            for (long long end = clock64() + pause; clock64() < end;)
                ;
    }
}

static void run(unsigned char *out, const unsigned char *in, int width, dim3 grid, dim3 block,
                int each, int step, int row, int pause, int shared)
{
    printf("%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", width, grid.x, grid.y, block.x, block.y, each,
           step, row, pause, shared, in != nullptr);
    if (width == 1)
        write<1><<<grid, block, shared>>>(out, in, each, step, row, pause);
    else
        write<2><<<grid, block, shared>>>(out, in, each, step, row, pause);
    CK(cudaGetLastError());
}

int main(void)
{
    unsigned char *out, *in;
    CK(cudaMalloc(&out, 64 << 20));
    CK(cudaMalloc(&in, 64 << 20));
    CK(cudaMemset(in, 0, 64 << 20));
    CK(cudaFuncSetAttribute(write<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    dim3 line(4096), threads(256), tiles(64, 64), square(16, 16);
    for (int few = 0; few < 2; few++) {
        int shared = few ? 200 << 10 : 0;
        run(out, nullptr, 1, line, threads, 1, 1, 0, 0, shared);
        run(out, nullptr, 1, line, threads, 1, 3, 0, 0, shared);
        run(out, nullptr, 1, line, threads, 2, 2, 0, 0, shared);
        run(out, nullptr, 1, line, threads, 3, 3, 0, 0, shared);
        run(out, nullptr, 1, line, threads, 4, 4, 0, 0, shared);
        run(out, nullptr, 1, line, threads, 8, 8, 0, 0, shared);
        for (int pause = 50; pause <= 3200; pause *= 4)
            run(out, nullptr, 1, line, threads, 3, 3, 0, pause, shared);
        run(out, nullptr, 1, tiles, square, 1, 3, 3072, 0, shared);
        run(out, nullptr, 1, tiles, square, 3, 3, 3072, 0, shared);
        run(out, nullptr, 1, tiles, square, 3, 3, 3075, 0, shared);
        run(out, nullptr, 1, tiles, square, 4, 4, 4096, 0, shared);
        run(out, nullptr, 1, tiles, square, 3, 3, 3075, 200, shared);
        run(out, in, 1, tiles, square, 3, 3, 3075, 0, shared);
        run(out, in, 1, line, threads, 3, 3, 0, 0, shared);
        run(out, in, 1, line, threads, 4, 4, 0, 0, shared);
    }
    run(out, nullptr, 2, line, threads, 1, 2, 0, 0, 0);
    run(out, nullptr, 2, line, threads, 2, 4, 0, 0, 0);
    run(out, nullptr, 2, line, threads, 3, 6, 0, 0, 0);
    run(out, in, 2, line, threads, 3, 6, 0, 0, 0);
    CK(cudaDeviceSynchronize());
    return 0;
}
