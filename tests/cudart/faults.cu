// faults.cu - what goes wrong in kernels, as a program sees it. The argument says which.
#include "check.h"
#include <cassert>

__global__ void out_of_bounds(int *x, int n)
{
    x[n + threadIdx.x] = 1;
}
__global__ void just_outside(const int *x, int *out)
{
    out[threadIdx.x] = x[(int)threadIdx.x - 16];
}
__global__ void assertion(int *x)
{
    assert(x[threadIdx.x] == 0);
}
__global__ void free_it(int *x)
{
    free(x);
}
__global__ void endless(volatile int *x)
{
    while (x[0] == 0)
        ;
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int *d, *gone;
    OKAY(cudaMalloc(&d, 400));
    OKAY(cudaMemset(d, 0, 400));
    OKAY(cudaMalloc(&gone, 400));
    OKAY(cudaFree(gone));
    if (!strcmp(which, "bounds")) {
        out_of_bounds<<<1, 32>>>(d, 1 << 28);
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
        CHECK(cudaMemset(d, 0, 4) == cudaErrorIllegalAddress); // the device is lost from then on
        CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    } else if (!strcmp(which, "past")) { // seen with --memcheck: nothing else lies there then
        out_of_bounds<<<1, 32>>>(d, 90);
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    } else if (!strcmp(which, "page")) {
        out_of_bounds<<<1, 32>>>(d, 90);
        OKAY(cudaDeviceSynchronize());
        out_of_bounds<<<1, 32>>>(d, 2 << 20); // beyond its page
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    } else if (!strcmp(which, "near")) { // d is the first allocation of all
        just_outside<<<1, 32>>>(d, d);
        CHECK(cudaDeviceSynchronize() == (argc > 2 ? cudaErrorIllegalAddress : cudaSuccess));
    } else if (!strcmp(which, "freed")) {
        out_of_bounds<<<1, 32>>>(gone, 0);
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    } else if (!strcmp(which, "reset")) {
        OKAY(cudaDeviceReset());
        out_of_bounds<<<1, 32>>>(d, 0);
        CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    } else if (!strcmp(which, "free")) { // of memory that is not the kernel's to free
        free_it<<<1, 1>>>(d);
        OKAY(cudaDeviceSynchronize());
        OKAY(cudaFree(d));
    } else if (!strcmp(which, "assert")) {
        OKAY(cudaMemset(d, 1, 400));
        assertion<<<1, 32>>>(d);
        CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
    } else if (!strcmp(which, "endless")) {
        endless<<<1, 1>>>(d);
        CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    } else if (!strcmp(which, "copy")) {
        int host[4];
        CHECK(cudaMemcpy(d + 99, host, 8, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
        CHECK(cudaMemcpy(host, gone, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
        CHECK(cudaFree(gone) == cudaErrorInvalidValue);
    } else if (!strcmp(which, "crash")) {
        out_of_bounds<<<1, 32>>>(d, 0);
        abort();
    } else if (!strcmp(which, "exit")) {
        out_of_bounds<<<1, 32>>>(d, 0);
        _Exit(0);
    }
    return finish("faults");
}
