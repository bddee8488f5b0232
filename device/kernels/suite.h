/* suite.h - what every area of the example suite shares.
 *
 * The suite is one program of small CUDA kernels, each with a check on the CPU.
 * A test sets up its data, launches its kernels once each, in the order that its
 * table row lists, and compares the result with a reference computed on the
 * host; nothing else is launched, so the n-th launch of a run is the n-th name
 * of `suite --list` whoever watches it, a profiler or an emulator.
 *
 * The kernels keep to the part of CUDA C++ that nvcc and a clang without any
 * CUDA installation both compile: no device math library, no templates of the
 * toolkit's headers. What a kernel needs beyond operators and sqrtf is below. */
#ifndef SUITE_H
#define SUITE_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

/* One test; a row of its area's table. */
struct suite_test {
    const char *name;
    const char *kernels; /* the launches in order, separated by one blank */
    const char *summary;
    double tolerance;    /* largest error that passes; 0 for tests of integers */
    double (*run)(void); /* sets up, launches, and returns the largest error */
};

struct suite_area {
    const char *name;
    const struct suite_test *tests;
    int n_tests;
};

/* The areas of the program; areas.cu of each program lists its own. */
extern const struct suite_area *const suite_areas[];
extern const int suite_n_areas;

#define SUITE_AREA(symbol, text, table)                                                            \
    extern const struct suite_area symbol;                                                         \
    const struct suite_area symbol = {text, table, (int)(sizeof(table) / sizeof((table)[0]))}

/* The first value at `--size small`, the second at `--size large`. */
int suite_pick(int small_value, int large_value);

/* Host arrays, freed by the driver after the test. Random numbers come from a
 * generator that every test starts anew, so that a test sees the same data
 * alone and in a full run. */
void *suite_host(size_t bytes); /* zeros */
float *suite_floats(size_t n, float low, float high);
double *suite_doubles(size_t n, double low, double high);
uint32_t *suite_uints(size_t n, uint32_t bound); /* 0 .. bound-1 */

/* Device arrays, freed by the driver after the test. */
void *suite_upload(const void *host, size_t bytes);
void *suite_device_zeros(size_t bytes);

/* Waits for the launches and brings an array back; freed by the driver. */
void *suite_download(const void *device, size_t bytes);

/* Ends the program with a message when a CUDA call failed. */
void suite_require(cudaError_t status, const char *what);

/* Largest |got - expected| / max(1, |expected|); infinite when a value is not a number. */
double suite_error_floats(const float *got, const double *expected, size_t n);
double suite_error_doubles(const double *got, const double *expected, size_t n);
/* Number of words or bytes that differ. */
double suite_mismatches(const uint32_t *got, const uint32_t *expected, size_t n);
double suite_byte_mismatches(const unsigned char *got, const unsigned char *expected, size_t n);

/* Blocks of `block` that cover n. */
static inline unsigned suite_blocks(size_t n, unsigned block)
{
    return (unsigned)((n + block - 1) / block);
}

#define SUITE_THREAD_X  ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define SUITE_THREAD_Y  ((int)(blockIdx.y * blockDim.y + threadIdx.y))
#define SUITE_THREAD_Z  ((int)(blockIdx.z * blockDim.z + threadIdx.z))
#define SUITE_ALL_LANES 0xffffffffu

/* The hardware's own approximations, two units in the last place, with the same
 * instruction from either compiler. */
static __device__ inline float suite_exp(float x)
{
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x * 1.4426950408889634f));
    return r;
}

static __device__ inline float suite_rsqrt(float x)
{
    float r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

static __device__ inline float suite_warp_sum(float v)
{
    for (int step = 16; step > 0; step /= 2)
        v += __shfl_xor_sync(SUITE_ALL_LANES, v, step);
    return v;
}

#endif
