// math.cu - device mathematics against the host's library.
#include "check.h"

#define FLOAT_FUNCTIONS(F)                                                                         \
    F(expf, -10, 10, 4e-6) F(exp2f, -10, 10, 4e-6) F(exp10f, -5, 5, 4e-6) F(logf, 0.01, 100, 4e-6) \
    F(log2f, 0.01, 100, 4e-6) F(log10f, 0.01, 100, 4e-6) F(log1pf, -0.5, 3, 4e-6)                  \
    F(expm1f, -2, 2, 4e-6) F(sqrtf, 0, 100, 1e-7) F(cbrtf, -30, 30, 4e-6) F(sinf, -20, 20, 4e-6)   \
    F(cosf, -20, 20, 4e-6) F(tanf, -1.4, 1.4, 8e-6) F(asinf, -1, 1, 4e-6) F(acosf, -1, 1, 4e-6)    \
    F(atanf, -9, 9, 4e-6) F(sinhf, -4, 4, 8e-6) F(coshf, -4, 4, 8e-6) F(tanhf, -4, 4, 4e-6)        \
    F(asinhf, -4, 4, 4e-6) F(atanhf, -0.9, 0.9, 8e-6) F(erff, -3, 3, 4e-6) F(erfcf, -3, 3, 4e-6)   \
    F(floorf, -9, 9, 0) F(ceilf, -9, 9, 0) F(truncf, -9, 9, 0) F(roundf, -9, 9, 0)                 \
    F(rintf, -9, 9, 0) F(fabsf, -9, 9, 0)
#define DOUBLE_FUNCTIONS(F)                                                                        \
    F(exp, -20, 20, 1e-13) F(log, 0.01, 100, 1e-13) F(log2, 0.01, 100, 1e-13) F(sqrt, 0, 9, 1e-15) \
    F(sin, -20, 20, 1e-13) F(cos, -20, 20, 1e-13) F(tan, -1.4, 1.4, 1e-13) F(atan, -9, 9, 1e-13)   \
    F(asin, -1, 1, 1e-13) F(acos, -1, 1, 1e-13) F(sinh, -4, 4, 1e-13) F(tanh, -4, 4, 1e-13)        \
    F(cbrt, -30, 30, 1e-13) F(erf, -3, 3, 1e-12) F(expm1, -2, 2, 1e-13) F(log1p, -0.5, 3, 1e-13)   \
    F(floor, -9, 9, 0) F(round, -9, 9, 0)

#define KERNEL(type, name)                                                                         \
    __global__ void kernel_##name(const type *x, type *y)                                          \
    {                                                                                              \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        y[i] = name(x[i]);                                                                         \
    }
#define FLOAT_KERNEL(name, lo, hi, tolerance)  KERNEL(float, name)
#define DOUBLE_KERNEL(name, lo, hi, tolerance) KERNEL(double, name)
FLOAT_FUNCTIONS(FLOAT_KERNEL)
DOUBLE_FUNCTIONS(DOUBLE_KERNEL)

__global__ void two_arguments(const float *x, float *y)
{
    int i = threadIdx.x;
    float a = x[i], b = x[i + 64];
    y[i] = powf(fabsf(a), b);
    y[i + 64] = atan2f(a, b);
    y[i + 128] = fmodf(a, b);
    y[i + 192] = hypotf(a, b);
    y[i + 256] = fmaf(a, b, a) + fminf(a, b) + fmaxf(a, b) + copysignf(a, b);
}

enum { N = 256 };
template <class T, class K, class H>
static void compare(const char *name, K kernel, H host, double lo, double hi, double tolerance)
{
    T x[N], y[N], *dx, *dy;
    for (int i = 0; i < N; i++)
        x[i] = (T)(lo + (hi - lo) * (i + 0.5) / N);
    OKAY(cudaMalloc(&dx, sizeof x));
    OKAY(cudaMalloc(&dy, sizeof y));
    OKAY(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    kernel<<<N / 64, 64>>>(dx, dy);
    OKAY(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    double worst = 0;
    for (int i = 0; i < N; i++) {
        double want = (double)host(x[i]), got = (double)y[i];
        double error = fabs(got - want) / fmax(fabs(want), sizeof(T) == 4 ? 1e-2 : 1e-3);
        if (!(error <= worst))
            worst = error;
    }
    CHECK(worst <= tolerance);
    if (worst > tolerance)
        printf("%s: relative error %g\n", name, worst);
    cudaFree(dx);
    cudaFree(dy);
}

static float exp10f_host(float x)
{
    return powf(10.0f, x);
}
#define HOST_exp10f exp10f_host

static bool close_to(float got, float want)
{
    return fabsf(got - want) <= 1e-5f * fmaxf(fabsf(want), 0.1f);
}

int main()
{
#define FLOAT_CASE(name, lo, hi, tolerance)                                                        \
    compare<float>(#name, kernel_##name, [](float x) { return ::HOST(name)(x); }, lo, hi, tolerance);
#define DOUBLE_CASE(name, lo, hi, tolerance)                                                       \
    compare<double>(#name, kernel_##name, [](double x) { return ::name(x); }, lo, hi, tolerance);
#define HOST(name)     HOST_OF(name)
#define HOST_OF(name)  name
#define exp10f exp10f_host
    FLOAT_FUNCTIONS(FLOAT_CASE)
#undef exp10f
    DOUBLE_FUNCTIONS(DOUBLE_CASE)
    float x[128], y[320], *dx, *dy;
    for (int i = 0; i < 128; i++)
        x[i] = 0.3f + 0.11f * (float)((i * 37) % 64) * (i % 3 ? 1.0f : -1.0f);
    OKAY(cudaMalloc(&dx, sizeof x));
    OKAY(cudaMalloc(&dy, sizeof y));
    OKAY(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    two_arguments<<<1, 64>>>(dx, dy);
    OKAY(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < 64; i++) {
        float a = x[i], b = x[i + 64];
        right &= close_to(y[i], powf(fabsf(a), b)) && close_to(y[i + 64], atan2f(a, b));
        right &= close_to(y[i + 128], fmodf(a, b)) && close_to(y[i + 192], hypotf(a, b));
        right &= y[i + 256] == fmaf(a, b, a) + fminf(a, b) + fmaxf(a, b) + copysignf(a, b);
    }
    CHECK(right);
    cudaFree(dx);
    cudaFree(dy);
    return finish("math");
}
