// plugin.cu - a shared library with the CUDA runtime linked into it, as `nvcc -shared` makes it.
#include <cstdio>

__global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= by;
}

extern "C" int plugin_run(int n)
{
    float *host = new float[n], *device = nullptr;
    for (int i = 0; i < n; i++)
        host[i] = (float)i;
    cudaMalloc(&device, n * sizeof *host);
    cudaMemcpy(device, host, n * sizeof *host, cudaMemcpyHostToDevice);
    scale<<<(n + 127) / 128, 128>>>(device, 3, n);
    cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += host[i] != 3.0f * i;
    cudaFree(device);
    delete[] host;
    printf("plugin: %d elements, %d wrong, %s\n", n, wrong, cudaGetErrorName(cudaGetLastError()));
    return wrong;
}
