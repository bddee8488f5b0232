// Passes of a fast Fourier transform over complex numbers, and the power of each, as a graph of one branch.
#include "application.h"

__global__ void butterfly(const float2 *from, float2 *to, int half, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n / 2)
        return;
    int k = i & (half - 1), j = ((i - k) << 1) + k;
    float s, c;
    __sincosf(-3.14159265f * (float)k / (float)half, &s, &c);
    float2 a = from[i], b = from[i + n / 2];
    float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    to[j] = make_float2(0.5f * (a.x + turned.x), 0.5f * (a.y + turned.y));
    to[j + half] = make_float2(0.5f * (a.x - turned.x), 0.5f * (a.y - turned.y));
}

__global__ void power(const float2 *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i].x * x[i].x + x[i].y * x[i].y;
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 18, 2);
    int n = 1 << app.size;
    Numbers numbers;
    std::vector<float2> start(n);
    for (float2 &v : start)
        v = make_float2(numbers.unit(), numbers.unit());
    float2 *data[2] = {on_device(start), on_device(start)};
    float *spectrum = on_device<float>(n);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int s = 0; s < app.steps; s++) {
        for (int k = 0; k < app.size; k++)
            butterfly<<<blocks_of(n / 2, 128), 128, 0, stream>>>(data[k % 2], data[1 - k % 2], 1 << k, n);
        power<<<blocks_of(n), 256, 0, stream>>>(data[app.size % 2], spectrum, n);
    }
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    return run_rounds("butterfly", app, stream, [&] { cudaGraphLaunch(ready, stream); });
}
