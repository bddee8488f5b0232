/* stream_probe.cu - streams of few blocks: reads (summed up by the block at its end) and copies of
 * 16 MB by grid-stride loops, by blocks, threads, bytes a load and loads in flight of a thread. */
#include "check.h"

static __device__ float word(float v)
{
    return v;
}
static __device__ float word(float4 v)
{
    return v.x + v.y + v.z + v.w;
}

template <class T, int FLIGHT, bool COPY>
__global__ void stream(const T *__restrict__ a, T *__restrict__ to, float *out, int n)
{
    __shared__ float part[32];
    int step = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (; i < n; i += FLIGHT * step) {
        T x[FLIGHT];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++)
            x[k] = a[i + k * step];
#pragma unroll
        for (int k = 0; k < FLIGHT; k++)
            if (COPY)
                to[i + k * step] = x[k];
            else
                sum += word(x[k]);
    }
    if (COPY)
        return;
    for (int k = 16; k; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++)
            sum += part[k];
        out[blockIdx.x] = sum;
    }
}

static char *a, *to;
static float *out;
template <class T, int FLIGHT, bool COPY> static void run(int blocks, int threads, int mb)
{
    int n =
        mb * 1000000 / (int)sizeof(T) / (FLIGHT * blocks * threads) * (FLIGHT * blocks * threads);
    stream<T, FLIGHT, COPY><<<blocks, threads>>>((T *)a, (T *)to, out, n);
    CK(cudaDeviceSynchronize());
    printf("stream,%s,%d,%d,%d,%d,%d\n", COPY ? "copy" : "read", (int)sizeof(T), FLIGHT, blocks,
           threads, n);
}
int main()
{
    CK(cudaMalloc(&a, 64 << 20));
    CK(cudaMalloc(&to, 64 << 20));
    CK(cudaMalloc(&out, 4096));
    printf("probe,mode,width,flight,blocks,threads,n\n");
    for (int blocks : {8, 32, 64, 128, 264})
        for (int threads : {256, 1024}) {
            run<float, 1, false>(blocks, threads, 8), run<float, 4, false>(blocks, threads, 8);
            run<float4, 1, false>(blocks, threads, 16), run<float4, 4, false>(blocks, threads, 16);
            run<float, 1, true>(blocks, threads, 8), run<float, 4, true>(blocks, threads, 8);
            run<float4, 1, true>(blocks, threads, 16), run<float4, 4, true>(blocks, threads, 16);
        }
    return 0;
}
