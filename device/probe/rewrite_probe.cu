/* rewrite_probe.cu - how long does the L1 know data that was written in part?
 *
 * Each thread owns some bytes and follows a list of steps: w2 writes its word 2, r2 reads it, b is a
 * barrier of the block, d9 waits 9 x 100 cycles. A profiler tells how many sectors the reads fetched:
 *
 *     nvcc -arch=sm_90 -o rewrite_probe rewrite_probe.cu
 *     ncu --clock-control none --cache-control all --csv --page raw --metrics \
 *         l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum rewrite_probe
 *
 * The launches come in the order of the lines that the program prints. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { MOST_STEPS = 64 };
struct steps {
    int n;
    char what[MOST_STEPS];
    int number[MOST_STEPS];
};

__global__ void follow(int *data, int *sums, steps list, int stride_words)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0, word;
    int *own = data + (size_t)thread * stride_words;
    for (int i = 0; i < list.n; i++) {
        int *at = own + list.number[i];
        switch (list.what[i]) {
        case 'w':
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(i) : "memory");
            break;
        case 'r':
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
            sum += word;
            break;
        case 'b':
            __syncthreads();
            break;
        case 'd':
            for (long long end = clock64() + 100 * list.number[i]; clock64() < end;)
                ;
        }
    }
    if (sum == 0x7fffffff)
        sums[thread] = sum;
}

/* The same without any time between: W words are written and R of them read, in the rounds whose bits are
 * set. */
template <int W, int R> __global__ void rounds(int *data, int *sums, unsigned n, unsigned written,
                                               unsigned read)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0, word;
    int *own = data + (size_t)thread * 16;
    for (unsigned k = 0; k < n; k++) {
        if (written >> k & 1)
#pragma unroll
            for (int i = 0; i < W; i++)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(own + i), "r"(k + i) : "memory");
        __syncthreads();
        if (read >> k & 1)
#pragma unroll
            for (int i = 0; i < R; i++) {
                asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(own + i) : "memory");
                sum += word;
            }
        __syncthreads();
    }
    if (sum == 0x7fffffff)
        sums[thread] = sum;
}

template <int W, int R>
static void try_rounds(int *data, int *sums, unsigned n, unsigned written, unsigned read, int threads)
{
    printf("rounds %d %d n %u written %x read %x,8,%d,16\n", W, R, n, written, read, threads);
    rounds<W, R><<<8, threads>>>(data, sums, n, written, read);
}

static steps parse(const char *text)
{
    steps list = {};
    for (const char *p = text; *p && list.n < MOST_STEPS; list.n++) {
        list.what[list.n] = *p++;
        char *end;
        list.number[list.n] = (int)strtol(p, &end, 10);
        p = end;
    }
    return list;
}

int main()
{
    static const struct {
        const char *text;
        int blocks, threads, stride_words;
    } cases[] = {
        {"w0br0", 8, 512, 16},
        {"w0bw0br0", 8, 512, 16},
        {"w0br0bw0br0", 8, 512, 16},
        {"w0w1br0r1", 8, 512, 16},
        {"w0w1br0r1bw0w1br0r1", 8, 512, 16},
        {"w0w1br0r1bw0br0r1", 8, 512, 16},
        {"w0w1br0r1bw1br0r1", 8, 512, 16},
        {"w0w1br0r1bw1br0", 8, 512, 16},
        {"w0w1br0r1bw2br0", 8, 512, 16},
        {"w0w1br0r1bw2br2", 8, 512, 16},
        {"w0w1bw0w1br0r1", 8, 512, 16},
        {"w0w1bw0w1bw0w1br0r1", 8, 512, 16},
        {"w0w0br0", 8, 512, 16},
        {"w0w1br0r1br0r1", 8, 512, 16},
        {"w0w1bd20br0r1", 8, 512, 16},
        {"w0w1bd100br0r1", 8, 512, 16},
        {"w0w1br0r1bd100w0w1br0r1", 8, 512, 16},
        {"w0w1bd100w0w1br0r1", 8, 512, 16},
        {"w0bd100w1br0r1", 8, 512, 16},
        {"w0bd20w1br0r1", 8, 512, 16},
        {"w0bw1br0r1", 8, 512, 16},
        {"w0bw1bw2bw3br0r3", 8, 512, 16},
        {"w0br0bw1br1bw2br2bw3br3", 8, 512, 16},
        {"w0w1w2w3br0bw0w1w2w3br0r3", 8, 512, 16},
        {"w0w1w2w3w4w5w6br0bw0w1w2w3w4w5w6br0r6", 8, 512, 16},
        {"w0w1w2w3w4w5w6w7br0bw0br0r7", 8, 512, 16},
        {"w0w1br0r1bw0w1br0r1", 8, 32, 16},
        {"w0w1br0r1bw0w1br0r1", 8, 64, 16},
        {"w0w1br0r1bw0w1br0r1", 8, 128, 16},
        {"w0w1br0r1bw0w1br0r1", 8, 256, 16},
        {"w0w1br0r1bw0w1br0r1", 8, 1024, 16},
        {"w0w1br0r1bw0w1br0r1", 8, 512, 8},
        {"w0w1br0r1bw0w1br0r1", 8, 512, 32},
        {"w0w1br0r1bw0w1br0r1", 8, 128, 32},
        {"w0bw0br0", 8, 32, 16},
        {"w0bw0br0", 8, 128, 16},
        {"w0bw0bw0bw0br0", 8, 128, 16},
        {"w0bw0bw0bw0br0", 8, 512, 16},
        {"w0bw0bw0bw0br0", 8, 1024, 32},
        {"w0br0bw0br0bw0br0bw0br0", 8, 512, 16},
        {"w0w1br0r1bw0w1br0r1bw0w1br0r1bw0w1br0r1", 8, 512, 16},
        {"r0bw0br0bw0br0", 8, 512, 16},
        {"r0bw0w1br0r1bw0w1br0r1", 8, 512, 16},
        {"w0w1br0r1bw0d2w1br0r1", 8, 512, 16},
        {"w0w1br0r1bw0w1d20br0r1", 8, 512, 16},
        {"w0d2w1br0r1", 8, 512, 16},
        {"w0d2w1d2w0d2w1br0r1", 8, 128, 16},
    };
    int *data, *sums;
    cudaMalloc(&data, 8 << 20);
    cudaMalloc(&sums, 1 << 20);
    cudaMemset(data, 0, 8 << 20);
    for (const auto &c : cases) {
        printf("%s,%d,%d,%d\n", c.text, c.blocks, c.threads, c.stride_words);
        follow<<<c.blocks, c.threads>>>(data, sums, parse(c.text), c.stride_words);
    }
    try_rounds<2, 2>(data, sums, 1, 1, 1, 512);
    try_rounds<2, 2>(data, sums, 2, 3, 3, 512);
    try_rounds<2, 2>(data, sums, 3, 7, 7, 512);
    try_rounds<2, 2>(data, sums, 2, 1, 3, 512);
    try_rounds<2, 2>(data, sums, 2, 3, 2, 512);
    try_rounds<2, 2>(data, sums, 2, 3, 1, 512);
    try_rounds<2, 2>(data, sums, 4, 9, 9, 512);
    try_rounds<2, 2>(data, sums, 2, 3, 3, 32);
    try_rounds<2, 2>(data, sums, 2, 3, 3, 128);
    try_rounds<2, 2>(data, sums, 2, 3, 3, 256);
    try_rounds<2, 2>(data, sums, 2, 3, 3, 1024);
    try_rounds<2, 1>(data, sums, 2, 3, 3, 512);
    try_rounds<1, 1>(data, sums, 2, 3, 3, 512);
    try_rounds<1, 1>(data, sums, 4, 15, 15, 512);
    try_rounds<3, 3>(data, sums, 1, 1, 1, 512);
    try_rounds<3, 3>(data, sums, 2, 3, 3, 512);
    try_rounds<4, 4>(data, sums, 2, 3, 3, 512);
    try_rounds<4, 1>(data, sums, 2, 3, 3, 512);
    try_rounds<5, 5>(data, sums, 2, 3, 3, 512);
    try_rounds<6, 6>(data, sums, 2, 3, 3, 512);
    try_rounds<7, 7>(data, sums, 2, 3, 3, 512);
    try_rounds<8, 8>(data, sums, 2, 3, 3, 512);
    try_rounds<2, 2>(data, sums, 2, 3, 3, 512);
    cudaError_t status = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
