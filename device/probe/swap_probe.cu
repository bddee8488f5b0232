/* swap_probe.cu - do stores pass loads that were ready before them on their way to the load/store
 * unit?
 *
 * Every warp of a block reads a column of each of LOADS tiles, a word of each of 32 lines, and when
 * all are there writes them back. The tiles are shared by the warps of a block: warp w has word w of
 * each line. A store to a line of which anything is on its way loses what is there of it
 * (hazard_probe.cu), so what is fetched beyond 128 sectors a tile was stored to before the last warp
 * had read it. A load takes 32 cycles of the unit, so that those of 32 warps take longer than the
 * first data: it is fetched again if stores of the first warps come before loads that wait, and not
 * if the loads stand before them in a queue, which has 16 instructions a scheduler
 * (issue_order_probe.cu), all of two loads a warp and a quarter of eight. One block an SM and two;
 * with a barrier between loads and stores a block's own can fetch nothing again. To be run under
 * Nsight Compute: sectors returned (l1tex__m_xbar2l1tex_read_sectors) and hits are the result. Prints
 * a line a launch: loads, barrier, blocks, warps, sectors of the tiles. */
#include <cstdio>
#include <cuda_runtime.h>

#include "words.h"

enum { LINES = 32, PITCH = 1024, TILE = LINES * PITCH, TILES_SIDE_BY_SIDE = PITCH / 32, MOST_LOADS = 8, MOST_BLOCKS = 264 };

template <int LOADS, bool BARRIER> __global__ void swap(unsigned *data)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, v[LOADS], sum = 0;
    unsigned *p = data + blockIdx.x / TILES_SIDE_BY_SIDE * (MOST_LOADS * TILE) +
                  blockIdx.x % TILES_SIDE_BY_SIDE * 32 + lane * PITCH + warp;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        v[k] = ld(p + k * TILE);
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        sum += v[k];
    if (BARRIER)
        __syncthreads();
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        st(p + k * TILE, v[k] + sum);
}

static unsigned *data;

template <int LOADS, bool BARRIER> static void run(int blocks, int warps)
{
    printf("%d,%d,%d,%d,%d\n", LOADS, BARRIER, blocks, warps, blocks * LOADS * LINES * warps / 8);
    swap<LOADS, BARRIER><<<blocks, warps * 32>>>(data);
}
template <int LOADS> static void all()
{
    for (int warps : {16, 24, 32})
        for (int blocks : {1, 132, 264})
            run<LOADS, false>(blocks, warps), run<LOADS, true>(blocks, warps);
}

int main()
{
    size_t bytes = sizeof *data * TILE * MOST_LOADS * ((MOST_BLOCKS + TILES_SIDE_BY_SIDE - 1) / TILES_SIDE_BY_SIDE);
    cudaMalloc(&data, bytes);
    cudaMemset(data, 0, bytes);
    printf("loads,barrier,blocks,warps,sectors\n");
    all<1>(), all<2>(), all<3>(), all<4>(), all<8>();
    cudaError_t status = cudaDeviceSynchronize();
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    return status != cudaSuccess;
}
