// mixed.cpp - the host part of a program whose kernels are in mixed_kernel.cu.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

void launch_scale(float *x, int n, float by);

int main()
{
    std::vector<float> host(1000, 2.0f);
    float *d = nullptr;
    if (cudaMalloc((void **)&d, host.size() * sizeof(float)) != cudaSuccess)
        return 1;
    cudaMemcpy(d, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    launch_scale(d, (int)host.size(), 1.5f);
    cudaMemcpy(host.data(), d, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("mixed: %g %g\n", host.front(), host.back());
    return host.front() != 3.0f || host.back() != 3.0f;
}
