// Data that comes from the host, is worked on, copied on the device, filled anew and sent back, step by step.
#include "application.h"

__global__ void convert(const short *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * (1.f / 32768);
}

__global__ void accumulate(float *sum, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] += x[i] * y[i];
}

__global__ void peaks(const float *x, float *most, int n)
{
    float best = 0;
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < min(n, (int)blockIdx.x * 1024 + 1024); i += 256)
        best = fmaxf(best, x[i]);
    for (int k = 16; k; k >>= 1)
        best = fmaxf(best, __shfl_down_sync(~0u, best, k));
    if (!(threadIdx.x & 31))
        atomicMax((int *)&most[blockIdx.x], __float_as_int(best));
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1 << 20, 7);
    int n = app.size, g = blocks_of(n, 1024);
    short *host;
    float *answer;
    cudaMallocHost((void **)&host, n * sizeof *host);
    cudaMallocHost((void **)&answer, g * sizeof *answer);
    for (int i = 0; i < n; i++)
        host[i] = (short)(i * 7);
    short *raw = on_device<short>(n);
    float *now = on_device<float>(n), *before = on_device(std::vector<float>(n, 0.f)), *sum = on_device(std::vector<float>(n, 0.f)),
          *most = on_device<float>(g);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return run_rounds("copies", app, stream, [&] {
        for (int s = 0; s < app.steps; s++) {
            cudaMemcpyAsync(raw, host, n * sizeof *raw, cudaMemcpyHostToDevice, stream);
            convert<<<blocks_of(n), 256, 0, stream>>>(raw, now, n);
            accumulate<<<blocks_of(n), 256, 0, stream>>>(sum, now, before, n);
            cudaMemcpyAsync(before, now, n * sizeof *now, cudaMemcpyDeviceToDevice, stream);
            cudaMemsetAsync(most, 0, g * sizeof *most, stream);
            peaks<<<g, 256, 0, stream>>>(sum, most, n);
            cudaMemcpyAsync(answer, most, g * sizeof *most, cudaMemcpyDeviceToHost, stream);
        }
    });
}
