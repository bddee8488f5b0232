// pieces.cu - what sums stored as gemm.cu stores them take: pieces of 16 bytes of eight rows an access, by all SMs, by one, by
// some, and in several rounds of blocks. For the profiler; results/pieces.csv has columns of the matrix, tiles of a block, blocks.
#include "tiles.h"
#include <cstdlib>
__global__ __launch_bounds__(256, 1) void stores(__half *c, int ldc, int m_tiles, int tiles, unsigned turn)
{
    store_tiles(c, ldc, m_tiles, tiles, turn);
}

int main()
{
    __half *c;
    cudaMalloc(&c, 64 << 20);
    cudaFuncSetAttribute(stores, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10);
    const int columns[] = {12, 24, 6, 3};
    for (int k = 0; k < 4; k++)
        for (int tiles = 1; tiles <= 8; tiles *= 2)
            stores<<<132, 256, 190 << 10>>>(c, 128 * columns[k], 132 * tiles / columns[k], tiles, 0);
    for (int tiles = 1; tiles <= 8; tiles *= 2) // one SM, then a CPC's worth and more
        stores<<<1, 256, 190 << 10>>>(c, 1536, 11 * tiles, tiles, 0);
    for (int blocks = 16; blocks <= 128; blocks *= 2)
        stores<<<blocks, 256, 190 << 10>>>(c, 1536, 44, 4, 0);
    // several rounds of blocks
    for (int tiles = 264; tiles <= 1056; tiles *= 2)
        stores<<<tiles, 256, 190 << 10>>>(c, 1536, tiles / 12, 1, 0);
    cudaDeviceSynchronize();
}
