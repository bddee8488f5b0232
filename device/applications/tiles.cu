// A sort of tiles: each is sorted, then neighbours exchange halves until none is out of order, which the host looks at after every two passes.
#include "application.h"

enum { TILE = 512 };

__device__ void sort_in_block(unsigned *key, int n)
{
    for (int size = 2; size <= n; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            for (int i = threadIdx.x; i < n; i += blockDim.x) {
                int other = i ^ step;
                if (other > i && (key[i] > key[other]) == !(i & size)) {
                    unsigned x = key[i];
                    key[i] = key[other];
                    key[other] = x;
                }
            }
            __syncthreads();
        }
}

__global__ void sort_tiles(unsigned *key)
{
    __shared__ unsigned part[TILE];
    for (int i = threadIdx.x; i < TILE; i += blockDim.x)
        part[i] = key[blockIdx.x * TILE + i];
    __syncthreads();
    sort_in_block(part, TILE);
    for (int i = threadIdx.x; i < TILE; i += blockDim.x)
        key[blockIdx.x * TILE + i] = part[i];
}

__global__ void exchange(unsigned *key, int odd, int *moved)
{
    __shared__ unsigned part[2 * TILE];
    unsigned *mine = key + (2 * blockIdx.x + odd) * TILE;
    if (mine[TILE - 1] <= mine[TILE])
        return;
    for (int i = threadIdx.x; i < 2 * TILE; i += blockDim.x)
        part[i] = mine[i];
    __syncthreads();
    sort_in_block(part, 2 * TILE);
    for (int i = threadIdx.x; i < 2 * TILE; i += blockDim.x)
        mine[i] = part[i];
    if (!threadIdx.x)
        *moved = 1;
}

__global__ void shuffle(unsigned *key, unsigned seed, unsigned near, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        key[i] = (unsigned)i * 16 + (i * 2654435761u + seed * 40503u) % near;
}

int main(int argc, char **argv)
{
    Application app = arguments(argc, argv, 64, 6);
    int tiles = app.size, n = tiles * TILE;
    unsigned *key = on_device<unsigned>(n);
    int *moved = on_device<int>(1);
    return run_rounds("tiles", app, 0, [&] {
        for (int s = 0; s < app.steps; s++) {
            shuffle<<<blocks_of(n), 256>>>(key, s, (unsigned)n * (s % 4 + 1) * 4, n);
            sort_tiles<<<tiles, 256>>>(key);
            for (int again = 1; again;) {
                cudaMemsetAsync(moved, 0, 4);
                exchange<<<tiles / 2, 256>>>(key, 0, moved);
                exchange<<<tiles / 2 - 1, 256>>>(key, 1, moved);
                cudaMemcpy(&again, moved, 4, cudaMemcpyDeviceToHost);
            }
        }
    });
}
