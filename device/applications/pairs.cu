// Two streams side by side, joined after every step: one prices options, with little memory, the other mixes arrays
// larger than half of the L2.
#include "application.h"

__device__ float normal_cdf(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * __expf(-0.5f * d * d) * k *
                 (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + 1.330274429f * k))));
    return d > 0 ? 1 - tail : tail;
}

__global__ void price(const float *spot, const float *strike, float *call, float years, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float value = 0, root = 0.3f * sqrtf(years);
    for (int k = 1; k <= 8; k++) {
        float rate = 0.005f * k, d = (__logf(spot[i] / strike[i]) + (rate + 0.045f) * years) / root;
        value += spot[i] * normal_cdf(d) - strike[i] * __expf(-rate * years) * normal_cdf(d - root);
    }
    call[i] = value * 0.125f;
}

__global__ void mix(const float4 *a, const float4 *b, float4 *out, float share, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 x = a[i], y = b[i];
        out[i] = make_float4(x.x + share * y.x, x.y + share * y.y, x.z + share * y.z, x.w + share * y.w);
    }
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1 << 23, 12);
    int n = app.size, options = 1 << 16;
    float *field[3], *spot = on_device(std::vector<float>(options, 30.f)), *strike = on_device(std::vector<float>(options, 28.f));
    float *call = on_device<float>(options);
    for (float *&f : field) {
        f = on_device<float>(n);
        cudaMemset(f, 0, (size_t)n * 4);
    }
    cudaStream_t stream[2];
    cudaEvent_t fork, join;
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    for (cudaStream_t &s : stream)
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return run_rounds("pairs", app, stream[0], [&] {
        for (int s = 0; s < app.steps; s++) {
            cudaEventRecord(fork, stream[0]);
            cudaStreamWaitEvent(stream[1], fork, 0);
            price<<<blocks_of(options, 128), 128, 0, stream[1]>>>(spot, strike, call, 0.25f * (s + 1), options);
            mix<<<264, 256, 0, stream[0]>>>((const float4 *)field[s % 3], (const float4 *)field[(s + 1) % 3], (float4 *)field[(s + 2) % 3], 0.5f, n / 4);
            cudaEventRecord(join, stream[1]);
            cudaStreamWaitEvent(stream[0], join, 0);
        }
    });
}
