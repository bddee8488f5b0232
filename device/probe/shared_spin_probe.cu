/* shared_spin_probe.cu - how often warps of a block try before their additions to one number of
 * shared memory succeed: floats and doubles are added by a loop that loads, adds, compares and
 * swaps, and a warp whose number another one has changed meanwhile tries again. Warps of a block,
 * lanes that add, numbers they add to (one, one a warp, one a lane) and blocks change. To be run
 * under Nsight Compute: instructions executed and cycles are the result. */
#include "check.h"

template <typename T>
__global__ void add(T *out, int lanes, int numbers, int times)
{
    __shared__ T sum[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        sum[i] = 0;
    __syncthreads();
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int at = numbers == 1 ? 0 : numbers == 2 ? warp : numbers == 3 ? lane : threadIdx.x;
    T v = (T)threadIdx.x + 1;
    if (lane < lanes)
        for (int t = 0; t < times; t++)
            atomicAdd(&sum[at], v);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum[0];
}

template <typename T>
static void run(T *out, int blocks, int warps, int lanes, int numbers, int times)
{
    printf("%d,%d,%d,%d,%d,%d\n", (int)sizeof(T), blocks, warps, lanes, numbers, times);
    add<T><<<blocks, warps * 32>>>(out, lanes, numbers, times);
    CK(cudaGetLastError());
}

int main(void)
{
    double *out;
    CK(cudaMalloc(&out, 1 << 20));
    for (int warps = 1; warps <= 32; warps *= 2)
        for (int lanes = 1; lanes <= 32; lanes *= 4) {
            run<float>((float *)out, 1, warps, lanes, 1, 1);
            run<double>(out, 1, warps, lanes, 1, 1);
        }
    for (int warps = 1; warps <= 32; warps *= 2) {
        run<float>((float *)out, 1, warps, 32, 1, 1);
        run<double>(out, 1, warps, 32, 1, 1);
    }
    for (int warps = 3; warps <= 24; warps += 3)
        run<float>((float *)out, 1, warps, 32, 1, 1);
    for (int warps = 1; warps <= 32; warps *= 2) {
        run<float>((float *)out, 1, warps, 1, 1, 32);
        run<float>((float *)out, 1, warps, 32, 2, 1);
        run<float>((float *)out, 1, warps, 32, 3, 1);
        run<float>((float *)out, 1, warps, 32, 3, 16);
        run<float>((float *)out, 132, warps, 32, 1, 1);
        run<float>((float *)out, 264, warps, 32, 1, 1);
    }
    CK(cudaDeviceSynchronize());
    return 0;
}
