/* queue_probe.cu - who gets the work of a queue?
 *
 * Blocks (two launches, tasks of equal length and of lengths 1 to 16) and warps (a third) take tasks by an atomic add until there
 * are none; in three more the first task is taken before the loop and every fourth is long; printed is how many tasks a block got. Cycles by the profiler:
 *
 *     nvcc -arch=sm_90 -O3 -o queue_probe queue_probe.cu
 *     ncu --clock-control none --cache-control all --csv --page raw --metrics sm__cycles_elapsed.max,smsp__inst_executed.sum queue_probe */
#include <cstdio>
__global__ void queue_blocks(unsigned *next, unsigned n, unsigned *data, unsigned *who, int spread)
{
    __shared__ unsigned at;
    for (;;) {
        if (threadIdx.x == 0) at = atomicAdd(next, 1);
        __syncthreads();
        unsigned t = at;
        if (t >= n) return;
        unsigned x = t;
        for (unsigned i = 0; i < 40 + (spread ? t % 7 * 100 : 0); i++) x = x * 1664525u + data[(x >> 8) % 4096];
        data[4096 + t * blockDim.x + threadIdx.x] = x;
        if (threadIdx.x == 0) atomicAdd(&who[blockIdx.x], 1);
        __syncthreads();
    }
}
__global__ void queue_warps(unsigned *next, unsigned n, unsigned *data, unsigned *who)
{
    for (;;) {
        unsigned t = 0;
        if (threadIdx.x % 32 == 0) t = atomicAdd(next, 1);
        t = __shfl_sync(~0u, t, 0);
        if (t >= n) return;
        unsigned x = t;
        for (unsigned i = 0; i < 40; i++) x = x * 1664525u + data[(x >> 8) % 4096];
        data[4096 + t * 32 + threadIdx.x % 32] = x;
        if (threadIdx.x % 32 == 0) atomicAdd(&who[blockIdx.x], 1);
    }
}
/* The next task is taken at the end of the one before; every fourth is long. */
__global__ void queue_early(unsigned *next, unsigned n, unsigned *data, unsigned *who)
{
    __shared__ unsigned at;
    if (threadIdx.x == 0) at = atomicAdd(next, 1);
    __syncthreads();
    while (at < n) {
        unsigned t = at, x = t;
        for (unsigned i = 0; i < (t % 4 ? 2 : 400); i++) x = x * 1664525u + data[(x >> 8) % 4096];
        data[4096 + t * blockDim.x + threadIdx.x] = x;
        __syncthreads();
        if (threadIdx.x == 0) { atomicAdd(&who[blockIdx.x], 1); at = atomicAdd(next, 1); }
        __syncthreads();
    }
}
int main(int argc, char **argv)
{
    unsigned n = 4000, *next, *data, *who, host[1024] = {0};
    cudaMalloc(&next, 4); cudaMalloc(&data, 4 * (4096 + n * 128)); cudaMalloc(&who, 4096);
    cudaMemset(data, 1, 4 * 4096);
    for (int k = 0; k < 3; k++) {
        cudaMemset(next, 0, 4); cudaMemset(who, 0, 4096);
        if (k < 2) queue_blocks<<<264, 128>>>(next, n, data, who, k); else queue_warps<<<132, 256>>>(next, n, data, who);
        cudaMemcpy(host, who, 4096, cudaMemcpyDeviceToHost);
        unsigned lo = ~0u, hi = 0, sum = 0, b = k < 2 ? 264 : 132;
        for (unsigned i = 0; i < b; i++) { lo = host[i] < lo ? host[i] : lo; hi = host[i] > hi ? host[i] : hi; sum += host[i]; }
        printf("kernel %d: tasks of a block %u to %u, in all %u\n", k, lo, hi, sum);
    }
    for (unsigned tasks : {264u, 400u, 1056u}) {
        cudaMemset(next, 0, 4); cudaMemset(who, 0, 4096);
        queue_early<<<264, 64>>>(next, tasks, data, who);
        cudaMemcpy(host, who, 4096, cudaMemcpyDeviceToHost);
        unsigned lo = ~0u, hi = 0, none = 0;
        for (unsigned i = 0; i < 264; i++) { lo = host[i] < lo ? host[i] : lo; hi = host[i] > hi ? host[i] : hi; none += !host[i]; }
        printf("early, %u tasks: tasks of a block %u to %u, %u blocks without\n", tasks, lo, hi, none);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
