/* tensor_map.h - what a CUtensorMap holds here. */
#ifndef STRATA_CUDA_TENSOR_MAP_H
#define STRATA_CUDA_TENSOR_MAP_H

#include "cuda/driver.h"

#define TENSOR_MAP_MAGIC 0x544du
#define TENSOR_MAP_RANK  5

/* In the order of the interface: dimension 0 is the innermost. */
struct tensor_map {
    uint16_t magic;
    uint8_t rank, type, element_bytes, interleave, swizzle, promotion, fill, is_im2col;
    uint16_t channels, pixels;               /* im2col */
    uint16_t box[TENSOR_MAP_RANK];           /* tiled: elements, at most 256 */
    uint8_t element_stride[TENSOR_MAP_RANK]; /* at most 8 */
    int16_t lower[3], upper[3];              /* im2col: corners of the bounding box */
    uint64_t base;
    uint64_t stride[TENSOR_MAP_RANK];       /* bytes */
    uint32_t size_minus_1[TENSOR_MAP_RANK]; /* sizes reach 2^32 */
};
_Static_assert(sizeof(struct tensor_map) <= sizeof(CUtensorMap), "the interface gives 128 bytes");

#endif
