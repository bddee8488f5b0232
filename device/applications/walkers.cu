// Particles that wander over a map until they leave it: those left are moved together after every eight steps, and the host launches for as many.
#include "application.h"

__global__ void wander(const unsigned char *map, int2 *walker, unsigned *seed, int n, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int2 w = walker[i];
    unsigned state = seed[i];
    for (int k = 0; k < 8 && w.x >= 0; k++) {
        state = state * 1664525u + 1013904223u;
        int step = 1 + map[w.y * width + w.x] % 4;
        w.x += state >> 31 ? step : -step;
        w.y += state >> 30 & 1 ? step : -step;
        if (w.x < 0 || w.y < 0 || w.x >= width || w.y >= width)
            w.x = -1;
    }
    walker[i] = w;
    seed[i] = state;
}

__global__ void keep(const int2 *walker, const unsigned *seed, int2 *left, unsigned *left_seed, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || walker[i].x < 0)
        return;
    int at = atomicAdd(count, 1);
    left[at] = walker[i];
    left_seed[at] = seed[i];
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 1 << 14, 6);
    int n = app.size, width = 256;
    Numbers numbers;
    std::vector<unsigned char> ground(width * width);
    for (unsigned char &g : ground)
        g = (unsigned char)numbers.below(256);
    std::vector<int2> start(n);
    std::vector<unsigned> seeds(n);
    for (int i = 0; i < n; i++) {
        start[i] = make_int2(numbers.below(width), numbers.below(width));
        seeds[i] = i * 2654435761u;
    }
    unsigned char *map = on_device(ground);
    int2 *walker[2] = {on_device(start), on_device(start)}, *first = on_device(start);
    unsigned *seed[2] = {on_device(seeds), on_device(seeds)};
    int *count = on_device<int>(1);
    return run_rounds("walkers", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            cudaMemcpyAsync(walker[0], first, n * sizeof(int2), cudaMemcpyDeviceToDevice);
            for (int here = n, k = 0; here > n / 64; k = 1 - k) {
                cudaMemsetAsync(count, 0, 4);
                wander<<<blocks_of(here, 128), 128>>>(map, walker[k], seed[k], here, width);
                keep<<<blocks_of(here), 256>>>(walker[k], seed[k], walker[1 - k], seed[1 - k], count, here);
                cudaMemcpy(&here, count, 4, cudaMemcpyDeviceToHost);
            }
        }
    });
}
