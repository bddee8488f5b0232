// launch.cu - launches: parameters of every kind, shapes, limits, attributes, occupancy.
#include "check.h"

struct mixed {
    char c;
    double d;
    short s[3];
};

__global__ void parameters(char c, mixed m, float *out, int i, const float *in)
{
    out[0] = (float)c;
    out[1] = (float)m.d + (float)m.s[2] + (float)m.c;
    out[2] = (float)i + in[0];
}

template <class T, int N> __global__ void fill(T *out, T value)
{
    extern __shared__ unsigned char raw[];
    T *tile = (T *)raw;
    tile[threadIdx.x] = value;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] + (T)N;
}

__global__ void __launch_bounds__(64) bounded(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void shape(unsigned *out)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    atomicAdd(&out[block], thread + 1);
}

static void kinds_of_parameters()
{
    float in = 0.25f, out[3], *d_in, *d_out;
    mixed m = {3, 10.5, {1, 2, 4}};
    OKAY(cudaMalloc(&d_in, sizeof in));
    OKAY(cudaMalloc(&d_out, sizeof out));
    OKAY(cudaMemcpy(d_in, &in, sizeof in, cudaMemcpyHostToDevice));
    parameters<<<1, 1>>>(7, m, d_out, 100, d_in);
    OKAY(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 7 && out[1] == 17.5f && out[2] == 100.25f);
    void *args[] = {&m.c, &m, &d_out, &m.s[0], &d_in};
    int forty = 40;
    args[3] = &forty;
    OKAY(cudaLaunchKernel((const void *)parameters, dim3(1), dim3(1), args, 0, 0));
    OKAY(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(out[0] == 3 && out[2] == 40.25f);
    OKAY(cudaFree(d_in));
    OKAY(cudaFree(d_out));
}

static void templates_and_shared_memory()
{
    double *d, back[64];
    int *n, ints[64];
    OKAY(cudaMalloc(&d, sizeof back));
    OKAY(cudaMalloc(&n, sizeof ints));
    fill<double, 1><<<2, 32, 32 * sizeof(double)>>>(d, 2.5);
    fill<int, 2><<<2, 32, 32 * sizeof(int)>>>(n, 40);
    OKAY(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    OKAY(cudaMemcpy(ints, n, sizeof ints, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 3.5 && back[63] == 3.5 && ints[0] == 42 && ints[63] == 42);
    OKAY(cudaFree(d));
    OKAY(cudaFree(n));
}

static void shapes()
{
    unsigned *d, back[24];
    OKAY(cudaMalloc(&d, sizeof back));
    OKAY(cudaMemset(d, 0, sizeof back));
    shape<<<dim3(2, 3, 4), dim3(3, 4, 5)>>>(d);
    OKAY(cudaMemcpy(back, d, sizeof back, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < 24; i++)
        right &= back[i] == 60 * 61 / 2;
    CHECK(right);
    OKAY(cudaFree(d));
}

static void limits()
{
    int *d;
    OKAY(cudaMalloc(&d, 4096));
    bounded<<<1, 2048>>>(d);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    bounded<<<dim3(0), 32>>>(d);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    bounded<<<1, 128>>>(d); // more than its launch bounds
    CHECK(cudaGetLastError() != cudaSuccess);
    bounded<<<1, 64>>>(d);
    CHECK(cudaGetLastError() == cudaSuccess);
    fill<int, 2><<<1, 32, 100 * 1024>>>(d, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    OKAY(cudaFuncSetAttribute(fill<int, 2>, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    fill<int, 2><<<1, 32, 100 * 1024>>>(d, 1);
    CHECK(cudaGetLastError() == cudaSuccess);
    OKAY(cudaFree(d));
}

static void attributes()
{
    cudaFuncAttributes a;
    OKAY(cudaFuncGetAttributes(&a, bounded));
    CHECK(a.maxThreadsPerBlock == 64 && a.numRegs > 0 && a.sharedSizeBytes == 0);
    int blocks = 0;
    OKAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 64, 0));
    CHECK(blocks == 32);
    OKAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 64, 100000));
    CHECK(blocks == 2);
    int grid = 0, block = 0;
    OKAY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, shape, 0, 0));
    CHECK(block == 1024 && grid == 2 * 132);
    cudaDeviceProp p;
    OKAY(cudaGetDeviceProperties(&p, 0));
    CHECK(!strcmp(p.name, "NVIDIA H200") && p.major == 9 && p.minor == 0 && p.multiProcessorCount == 132);
    CHECK(p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64 && p.maxGridSize[1] == 65535);
    CHECK(p.sharedMemPerBlock == 49152 && p.sharedMemPerMultiprocessor == 233472 && p.regsPerMultiprocessor == 65536);
    CHECK(p.sharedMemPerBlockOptin == 232448 && p.reservedSharedMemPerBlock == 1024 && p.maxBlocksPerMultiProcessor == 32);
    CHECK(p.l2CacheSize == 62914560 && p.memoryBusWidth == 6016 && p.concurrentKernels == 1 && p.managedMemory == 1);
    CHECK(p.totalGlobalMem == 150109880320ull && p.totalConstMem == 65536 && p.maxTexture2D[0] == 131072);
    CHECK(p.cooperativeLaunch == 1 && p.maxThreadsPerMultiProcessor == 2048 && p.regsPerBlock == 65536);
    int count, value;
    OKAY(cudaGetDeviceCount(&count));
    OKAY(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(count == 1 && value == 132);
}

int main()
{
    kinds_of_parameters();
    templates_and_shared_memory();
    shapes();
    limits();
    attributes();
    return finish("launch");
}
