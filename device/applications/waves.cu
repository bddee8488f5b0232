// Two fields on two streams, each of two arrays larger together than it is alone: every step waits for the other's
// last one at the border.
#include "application.h"

__global__ void wave(const float *now, float *next, const float *border, int w, int h)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, i = y * w + x;
    if (x < 1 || x >= w - 1 || y >= h - 1)
        return;
    float above = y ? now[i - w] : border[x];
    next[i] = 2 * now[i] - next[i] + 0.1f * (now[i - 1] + now[i + 1] + above + now[i + w] - 4 * now[i]);
}

__global__ void take_border(const float *field, float *border, int w, int row)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < w)
        border[x] = field[row * w + x];
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1024, 6);
    int w = app.size, h = w / 2;
    float *field[2][2], *border[2];
    cudaStream_t stream[2];
    cudaEvent_t done[2], begun;
    cudaEventCreate(&begun);
    for (int k = 0; k < 2; k++) {
        for (int b = 0; b < 2; b++)
            field[k][b] = on_device(std::vector<float>((size_t)w * h, 0.5f));
        border[k] = on_device(std::vector<float>(w, 0.f));
        cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking);
        cudaEventCreate(&done[k]);
    }
    return run_rounds("waves", app, stream[0], [&] {
        cudaEventRecord(begun, stream[0]);
        cudaStreamWaitEvent(stream[1], begun, 0);
        for (int s = 0; s < app.steps; s++) {
            for (int k = 0; k < 2; k++) {
                wave<<<dim3(w / 64, h / 4), dim3(64, 4), 0, stream[k]>>>(field[k][s % 2], field[k][1 - s % 2], border[1 - k], w, h);
                take_border<<<blocks_of(w), 256, 0, stream[k]>>>(field[k][1 - s % 2], border[k], w, k ? 0 : h - 2);
                cudaEventRecord(done[k], stream[k]);
            }
            for (int k = 0; k < 2; k++)
                cudaStreamWaitEvent(stream[k], done[1 - k], 0);
        }
    });
}
