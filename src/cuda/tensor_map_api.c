/* tensor_map_api.c - descriptions of tensors for bulk copies. The checks are those the interface
 * documents; the 128 bytes are ours, read by the emulator alone. */
#include "cuda/driver.h"
#include "emulator/tensor_map.h"

#include <string.h>

_Static_assert(sizeof(CUtensorMap) == EMU_TENSOR_MAP_BYTES, "the interface's size");

/* What both kinds of map share; strides are of dimensions 1 and up, in bytes. */
static CUresult fill_common(struct emu_tensor_map *m, CUtensorMapDataType type, cuuint32_t rank,
                            void *base, const cuuint64_t *size, const cuuint64_t *stride,
                            const cuuint32_t *element_stride)
{
    uint64_t align = m->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    m->element_bytes = (uint8_t)emu_tensor_element_bytes(type);
    m->rank = (uint8_t)rank;
    m->type = (uint8_t)type;
    m->base = (uint64_t)(uintptr_t)base;
    if (!m->element_bytes || !rank || rank > EMU_TENSOR_MAP_RANK || !size || !element_stride ||
        (rank > 1 && !stride) || m->base % align)
        return CUDA_ERROR_INVALID_VALUE;
    if (m->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && rank < 3)
        return CUDA_ERROR_INVALID_VALUE;
    for (cuuint32_t i = 0; i < rank; i++) {
        m->size_minus_1[i] = (uint32_t)(size[i] - 1);
        m->element_stride[i] = (uint8_t)element_stride[i];
        m->stride[i] = i ? stride[i - 1] : m->element_bytes;
        if (!size[i] || size[i] > (1ull << 32) || !element_stride[i] || element_stride[i] > 8)
            return CUDA_ERROR_INVALID_VALUE;
        if (i && (m->stride[i] % align || m->stride[i] >= (1ull << 40)))
            return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static CUresult check_box(const struct emu_tensor_map *m)
{
    uint64_t inner = (uint64_t)m->box[0] * m->element_bytes;
    unsigned limit = emu_tensor_swizzle_bytes(m->swizzle);
    for (uint32_t i = 0; i < m->rank; i++)
        if (!m->box[i] || m->box[i] > 256)
            return CUDA_ERROR_INVALID_VALUE;
    if (m->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && inner % 16)
        return CUDA_ERROR_INVALID_VALUE;
    if (m->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && limit && inner > limit)
        return CUDA_ERROR_INVALID_VALUE;
    if (m->interleave == CU_TENSOR_MAP_INTERLEAVE_32B && m->swizzle != CU_TENSOR_MAP_SWIZZLE_32B)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

static CUresult start(struct emu_tensor_map *m, CUtensorMap *out, CUtensorMapInterleave interleave,
                      CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                      CUtensorMapFloatOOBfill fill)
{
    *m = (struct emu_tensor_map){.magic = EMU_TENSOR_MAP_MAGIC,
                                 .interleave = (uint8_t)interleave,
                                 .swizzle = (uint8_t)swizzle,
                                 .promotion = (uint8_t)promotion,
                                 .fill = (uint8_t)fill};
    bool good = out && (uintptr_t)out % 64 == 0 && (unsigned)interleave <= 2 &&
                (unsigned)swizzle <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B &&
                (unsigned)promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B && (unsigned)fill <= 1;
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult finish(CUresult status, const struct emu_tensor_map *m, CUtensorMap *out)
{
    if (status == CUDA_SUCCESS)
        memcpy(out, m, sizeof *m);
    return status;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
                                void *base, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *element_stride,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct emu_tensor_map m;
    CUresult status = start(&m, out, interleave, swizzle, promotion, fill);
    if (status == CUDA_SUCCESS)
        status = fill_common(&m, type, rank, base, size, stride, element_stride);
    if (status == CUDA_SUCCESS && !box)
        status = CUDA_ERROR_INVALID_VALUE;
    for (cuuint32_t i = 0; status == CUDA_SUCCESS && i < rank; i++)
        m.box[i] = box[i] > 256 ? 0 : (uint16_t)box[i]; /* 0: refused below */
    if (status == CUDA_SUCCESS)
        status = check_box(&m);
    return finish(status, &m, out);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
                                 void *base, const cuuint64_t *size, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *element_stride,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct emu_tensor_map m;
    CUresult status = start(&m, out, interleave, swizzle, promotion, fill);
    if (status == CUDA_SUCCESS)
        status = fill_common(&m, type, rank, base, size, stride, element_stride);
    if (status == CUDA_SUCCESS &&
        (rank < 3 || !lower || !upper || channels > 256 || !channels || pixels > 1024 || !pixels))
        status = CUDA_ERROR_INVALID_VALUE;
    m.is_im2col = true;
    m.channels = (uint16_t)channels;
    m.pixels = (uint16_t)pixels;
    for (cuuint32_t i = 0; status == CUDA_SUCCESS && i + 2 < rank; i++) {
        m.lower[i] = (int16_t)lower[i];
        m.upper[i] = (int16_t)upper[i];
    }
    return finish(status, &m, out);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *out, void *base)
{
    struct emu_tensor_map m;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, out, sizeof m);
    uint64_t align = m.interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    if (m.magic != EMU_TENSOR_MAP_MAGIC || (uintptr_t)base % align)
        return CUDA_ERROR_INVALID_VALUE;
    m.base = (uint64_t)(uintptr_t)base;
    return finish(CUDA_SUCCESS, &m, out);
}
