/* Tensor maps: what the interface documents as valid, and what not. */
#include "check.h"

static CUtensorMap map;

static CUresult encode(void *base, cuuint64_t width, cuuint64_t pitch, cuuint32_t box,
                       CUtensorMapSwizzle swizzle)
{
    cuuint64_t size[2] = {width, 64}, stride[1] = {pitch};
    cuuint32_t tile[2] = {box, 32}, step[2] = {1, 1};
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, base, size, stride,
                                  tile, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static CUresult im2col(void *base, cuuint32_t rank, cuuint32_t channels, cuuint32_t pixels)
{
    cuuint64_t size[4] = {64, 16, 16, 2}, stride[3] = {128, 2048, 32768};
    int lower[2] = {-1, -1}, upper[2] = {-1, -1};
    cuuint32_t step[4] = {1, 1, 1, 1};
    return cuTensorMapEncodeIm2col(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, base, size, stride, lower, upper, channels,
        pixels, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

int main(void)
{
    CUdeviceptr p;
    start();
    MUST(cuMemAlloc(&p, 1 << 20));
    char *base = (char *)(uintptr_t)p;
    SAY(encode(base, 64, 128, 64, CU_TENSOR_MAP_SWIZZLE_NONE));
    SAY(encode(base, 64, 128, 64, CU_TENSOR_MAP_SWIZZLE_128B));
    SAY(encode(base, 128, 256, 128, CU_TENSOR_MAP_SWIZZLE_128B));
    SAY(encode(base + 8, 64, 128, 64, CU_TENSOR_MAP_SWIZZLE_NONE));
    SAY(encode(base, 64, 120, 64, CU_TENSOR_MAP_SWIZZLE_NONE));
    SAY(encode(base, 64, 128, 257, CU_TENSOR_MAP_SWIZZLE_NONE));
    SAY(encode(base, 64, 128, 0, CU_TENSOR_MAP_SWIZZLE_NONE));
    SAY(encode(base, 64, 128, 7, CU_TENSOR_MAP_SWIZZLE_NONE));
    SAY(encode(base, 0, 128, 64, CU_TENSOR_MAP_SWIZZLE_NONE));
    SAY(cuTensorMapReplaceAddress(&map, base + 128));
    SAY(cuTensorMapReplaceAddress(&map, base + 8));
    SAY(im2col(base, 4, 64, 128));
    SAY(im2col(base, 2, 64, 128));
    SAY(im2col(base, 4, 0, 128));
    SAY(im2col(base, 4, 64, 2000));
    return 0;
}
