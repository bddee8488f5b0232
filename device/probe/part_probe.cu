/* part_probe.cu - does the L1 know written data byte by byte?
 *
 * Each thread owns 64 bytes (two sectors), writes its first WORDS_WRITTEN words one store at a time
 * and, after a barrier, reads its first WORDS_READ words. A profiler tells how many sectors the
 * reads fetched:
 *
 *     nvcc -arch=sm_90 -o part_probe part_probe.cu
 *     ncu --clock-control none --cache-control all --csv --metrics \
 *         l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__m_xbar2l1tex_read_sectors.sum part_probe
 *
 * tests/unit/t_written_bytes.c holds the models to what an H200 answered. */
#include <cstdio>
#include <cuda_runtime.h>

enum { BLOCKS = 8, THREADS = 512, WORDS_OWNED = 16 };

template <int WORDS_WRITTEN, int WORDS_READ>
__global__ void piece(int *data, int *sums, int rounds)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    int *own = data + (size_t)thread * WORDS_OWNED;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < WORDS_WRITTEN; i++) /* volatile: the compiler must not join stores */
            asm volatile("st.global.u32 [%0], %1;" ::"l"(own + i), "r"(round + i) : "memory");
        __syncthreads();
        for (int i = 0; i < WORDS_READ; i++) {
            int word;
            asm volatile("ld.global.u32 %0, [%1];" : "=r"(word) : "l"(own + i) : "memory");
            sum += word;
        }
        __syncthreads();
    }
    sums[thread] = sum;
}

int main()
{
    int *data, *sums;
    cudaMalloc(&data, (size_t)BLOCKS * THREADS * WORDS_OWNED * sizeof *data);
    cudaMalloc(&sums, (size_t)BLOCKS * THREADS * sizeof *sums);
    cudaMemset(data, 0, (size_t)BLOCKS * THREADS * WORDS_OWNED * sizeof *data);
    piece<1, 1><<<BLOCKS, THREADS>>>(data, sums, 1);
    piece<4, 4><<<BLOCKS, THREADS>>>(data, sums, 1);
    piece<8, 8><<<BLOCKS, THREADS>>>(data, sums, 1);
    piece<4, 8><<<BLOCKS, THREADS>>>(data, sums, 1);
    piece<16, 16><<<BLOCKS, THREADS>>>(data, sums, 1);
    piece<8, 8><<<BLOCKS, THREADS>>>(data, sums, 4);
    piece<2, 2><<<BLOCKS, THREADS>>>(data, sums, 2);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
