// Pictures made smaller step by step, as a graph that forks: blur, halve, and the detail between two sizes.
#include "application.h"

__global__ void blur5(const float *from, float *to, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0;
    for (int d = -2; d <= 2; d++) {
        int at = min(max(x + d, 0), w - 1);
        sum += from[y * w + at];
        at = min(max(y + d, 0), h - 1);
        sum += from[at * w + x];
    }
    to[y * w + x] = sum * 0.1f;
}

__global__ void halve(const float *from, float *to, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h)
        to[y * w + x] = 0.25f * (from[4 * y * w + 2 * x] + from[4 * y * w + 2 * x + 1] + from[(4 * y + 2) * w + 2 * x] + from[(4 * y + 2) * w + 2 * x + 1]);
}

__global__ void detail(const float *fine, const float *coarse, float *out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = fine[y * w + x] - coarse[y / 2 * (w / 2) + x / 2];
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 2048, 4);
    int w = app.size, pictures = 2;
    cudaStream_t stream, side;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEvent_t fork, join;
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    float *level[8], *soft[8], *fine[8];
    for (int k = 0; k <= app.steps; k++) {
        size_t n = (size_t)(w >> k) * (w >> k);
        level[k] = on_device(std::vector<float>(n, 0.25f));
        soft[k] = on_device<float>(n);
        fine[k] = on_device<float>(n);
    }
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int p = 0; p < pictures; p++)
        for (int k = 0; k < app.steps; k++) {
            int s = w >> k;
            dim3 grid(s / 32, s / 8), half((s / 2 + 31) / 32, (s / 2 + 7) / 8), block(32, 8);
            blur5<<<grid, block, 0, stream>>>(level[k], soft[k], s, s);
            halve<<<half, block, 0, stream>>>(soft[k], level[k + 1], s / 2, s / 2);
            cudaEventRecord(fork, stream);
            cudaStreamWaitEvent(side, fork, 0);
            detail<<<grid, block, 0, side>>>(level[k], level[k + 1], fine[k], s, s);
        }
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(stream, join, 0);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, nullptr, nullptr, 0);
    return run_rounds("pyramid", app, stream, [&] { cudaGraphLaunch(ready, stream); });
}
