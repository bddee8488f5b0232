/* shared_steps_probe.cu - what a step of a tree in shared memory takes, by the type of its numbers:
 * barrier, comparison, two loads, an addition, a store; and its parts alone: barriers, barriers
 * around a branch, loads and stores of a number again and again. Blocks an SM, warps a block and
 * threads that work change. To be run under Nsight Compute; cycles by step are the result. */
#include "check.h"

#define STEPS 512

enum { TREE, WHOLE, CHAIN, BARRIERS, BRANCHES, STORES, LOADS };

template <typename T, int WHAT>
__global__ void work(T *out, int working, int stride)
{
    __shared__ T number[2048];
    int t = threadIdx.x;
    number[t] = number[t + 1024] = (T)t;
    __syncthreads();
    T sum = 0;
    int a = t * stride, b = t * stride + stride / 2 + 1;
#pragma unroll 1
    for (int i = 0; i < STEPS; i++) {
        if (WHAT == TREE) {
            __syncthreads();
            if (t < working)
                number[b] += number[a];
        } else if (WHAT == WHOLE) {
            if (t < working)
                number[b] += number[a];
            __syncwarp();
        } else if (WHAT == CHAIN) {
            volatile T *v = number;
            v[a] = v[a] + 1;
        } else if (WHAT == BARRIERS) {
            __syncthreads();
        } else if (WHAT == BRANCHES) {
            __syncthreads();
            if (t < working)
                sum = sum * 3 + (T)i;
        } else if (WHAT == STORES) {
            volatile T *v = number;
            v[a] = (T)i;
        } else {
            volatile T *v = number;
            sum += v[a];
        }
    }
    __syncthreads();
    if (number[t] == (T)77 && sum == (T)55)
        out[t] = sum;
}

template <typename T, int WHAT>
static void run(void *out)
{
    static const char *const name[] = {"tree", "whole", "chain", "barriers", "branches", "stores", "loads"};
    const int shapes[][3] = {{1, 2, 64}, {1, 2, 32}, {1, 2, 8}, {1, 8, 256}, {1, 8, 32}, {16, 2, 64}, {16, 2, 32}, {16, 2, 1}, {4, 8, 256}};
    for (int s = 0; s < 9; s++)
        for (int stride = 1; stride <= 2; stride++) {
            if (stride == 2 && WHAT != TREE)
                continue;
            printf("%s,%d,%d,%d,%d,%d\n", name[WHAT], (int)sizeof(T), shapes[s][0], shapes[s][1], shapes[s][2], stride);
            work<T, WHAT><<<132 * shapes[s][0], shapes[s][1] * 32>>>((T *)out, shapes[s][2], stride);
            CK(cudaGetLastError());
        }
}

template <typename T>
static void all(void *out)
{
    run<T, TREE>(out);
    run<T, WHOLE>(out);
    run<T, CHAIN>(out);
    run<T, STORES>(out);
    run<T, LOADS>(out);
}

int main(void)
{
    void *out;
    CK(cudaMalloc(&out, 1 << 20));
    all<char>(out);
    all<short>(out);
    all<int>(out);
    all<long long>(out);
    run<int, BARRIERS>(out);
    run<int, BRANCHES>(out);
    CK(cudaDeviceSynchronize());
    return 0;
}
