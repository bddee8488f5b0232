// tiles.h - sums of 128 x 128 half-precision tiles stored as gemm.cu stores them: pieces of 16
// bytes of eight rows an access.
#pragma once
#include <cuda_fp16.h>
__device__ __forceinline__ void store_tiles(__half *c, int ldc, int m_tiles, int tiles,
                                            unsigned turn)
{
    for (int i = 0; i < tiles; i++) {
        int tile = blockIdx.x + i * gridDim.x, m = tile % m_tiles * 128, n = tile / m_tiles * 128;
        int row = m + threadIdx.x / 128 * 64 + threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
        __half *out = c + (size_t)row * ldc + n + threadIdx.x % 4 * 2;
#pragma unroll
        for (int j = 0; j < 16; j++) {
            *(__half2 *)(out + 8 * j) = __floats2half2_rn(j, tile);
            *(__half2 *)(out + 8 * ldc + 8 * j) = __floats2half2_rn(j, turn);
        }
    }
}
