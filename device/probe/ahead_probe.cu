/* ahead_probe.cu - which dirty lines the L2 writes back while nothing new comes into it: an array is
 * written, or read, whole; then parts of it are read or written again, or another small array is read
 * so many times. To be run under Nsight Compute; sectors written to DRAM are the result. */
#include "launched.h"

#include <cuda_runtime.h>

static __device__ unsigned read_unit(const uint4 *p)
{
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v.x;
}

static __device__ unsigned pass(uint4 *a, size_t n, bool write)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        if (write)
            a[i] = make_uint4(1, 2, 3, 4);
        else
            sum += read_unit(a + i);
    }
    return sum;
}

// `again` of the array's units follow, `times`; they begin `from` units behind its first.
__global__ void twice(uint4 *a, size_t n, int first, uint4 *b, size_t again, int second, int times,
                      unsigned *out)
{
    unsigned sum = pass(a, n, first == 'w');
    __syncthreads();
    for (int t = 0; t < times; t++)
        sum += pass(b, again, second == 'w');
    if (sum == 77)
        *out = sum;
}

static const size_t MB = 65536; // units of 16 bytes

static void run(uint4 *a, int mb, char first, uint4 *b, double again, char second, int times,
                unsigned *out)
{
    twice<<<264, 256>>>(a, mb * MB, first, b, (size_t)(again * MB), second, times, out);
    LAUNCHED("twice %c mb=%d then %c mb=%g of=%s times=%d", first, mb, second, again,
             b == a ? "its beginning" : b < a + mb * MB ? "its end" : "another", times);
}

int main()
{
    uint4 *a, *other;
    unsigned *out;
    CK(cudaMalloc(&a, (size_t)64 << 20));
    CK(cudaMalloc(&other, (size_t)64 << 20));
    CK(cudaMalloc(&out, 4096));
    for (double again : {0., 1., 2., 4., 8., 16., 32.})
        run(a, 32, 'r', a, again, 'r', 1, out);
    for (double again : {1., 2., 4., 8., 16., 28.})
        run(a, 28, 'w', a, again, 'r', 1, out);
    for (double again : {2., 8.}) {
        run(a, 32, 'r', a + (32 - (int)again) * MB, again, 'r', 1, out);
        run(a, 28, 'w', a + (28 - (int)again) * MB, again, 'r', 1, out);
    }
    for (double again : {0., 1., 4., 16.})
        run(a, 28, 'w', a, again, 'w', 1, out);
    for (int times : {1, 2, 4, 16}) {
        run(a, 28, 'w', other, 1, 'r', times, out);
        run(a, 32, 'r', other, 1, 'r', times, out);
    }
    for (int times : {2, 16})
        run(a, 28, 'w', a, 1, 'r', times, out);
    for (int mb : {20, 22, 24, 26})
        run(a, mb, 'w', a, mb, 'r', 1, out);
    return 0;
}
