/* tensor_map_api.c - descriptions of tensors for bulk copies. The checks are those the interface
 * documents; the 128 bytes are ours, read by the emulator alone. */
#include "cuda/driver.h"
#include "emulator/tensor_map.h"

#include <string.h>

_Static_assert(sizeof(CUtensorMap) == EMU_TENSOR_MAP_BYTES, "the interface's size");

/* The interface's own status says no more than "invalid value". */
static CUresult refuse(const char *call, const char *why)
{
    driver_complain("%s: %s.", call, why);
    return CUDA_ERROR_INVALID_VALUE;
}

/* What both kinds of map share. */
struct tensor {
    CUtensorMapDataType type;
    cuuint32_t rank;
    void *base;
    const cuuint64_t *size, *stride; /* stride: of dimensions 1 and up, in bytes */
    const cuuint32_t *element_stride;
};

/* NULL, or what does not fit into the map's fields; the rest emu_tensor_map_fault() tells. */
static const char *fill_common(struct emu_tensor_map *m, const struct tensor *t)
{
    m->element_bytes = (uint8_t)emu_tensor_element_bytes(t->type);
    m->rank = (uint8_t)(t->rank <= EMU_TENSOR_MAP_RANK ? t->rank : 0);
    m->type = (uint8_t)t->type;
    m->base = (uint64_t)(uintptr_t)t->base;
    if (!t->size || !t->element_stride || (t->rank > 1 && !t->stride))
        return "a list of sizes or strides is missing";
    for (cuuint32_t i = 0; i < m->rank; i++) {
        uint32_t step = t->element_stride[i];
        if (!t->size[i] || t->size[i] > (1ull << 32))
            return "a dimension of the tensor has no elements or more than 2^32";
        m->size_minus_1[i] = (uint32_t)(t->size[i] - 1);
        m->element_stride[i] = (uint8_t)(step > 8 ? 0 : step); /* 0: refused later */
        m->stride[i] = i ? t->stride[i - 1] : m->element_bytes;
    }
    return NULL;
}

static const char *start(struct emu_tensor_map *m, const CUtensorMap *out,
                         CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                         CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    *m = (struct emu_tensor_map){.magic = EMU_TENSOR_MAP_MAGIC,
                                 .interleave = (uint8_t)interleave,
                                 .swizzle = (uint8_t)swizzle,
                                 .promotion = (uint8_t)promotion,
                                 .fill = (uint8_t)fill};
    if (!out || (uintptr_t)out % 64)
        return "the address of the tensor map is no multiple of 64";
    bool known = (unsigned)interleave <= 2 &&
                 (unsigned)swizzle <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B &&
                 (unsigned)promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B && (unsigned)fill <= 1;
    return known ? NULL : "there is no such interleave, swizzle, promotion or fill";
}

static CUresult finish(const char *call, const char *why, const struct emu_tensor_map *m,
                       CUtensorMap *out)
{
    if (!why)
        why = emu_tensor_map_fault(m);
    if (why)
        return refuse(call, why);
    memcpy(out, m, sizeof *m);
    return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
                                void *base, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *element_stride,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct emu_tensor_map m;
    struct tensor t = {type, rank, base, size, stride, element_stride};
    const char *why = start(&m, out, interleave, swizzle, promotion, fill);
    if (!why)
        why = box ? fill_common(&m, &t) : "the list of box sizes is missing";
    for (cuuint32_t i = 0; !why && i < m.rank; i++)
        m.box[i] = box[i] > 256 ? 0 : (uint16_t)box[i]; /* 0: refused later */
    return finish("cuTensorMapEncodeTiled", why, &m, out);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank,
                                 void *base, const cuuint64_t *size, const cuuint64_t *stride,
                                 const int *lower, const int *upper, cuuint32_t channels,
                                 cuuint32_t pixels, const cuuint32_t *element_stride,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct emu_tensor_map m;
    struct tensor t = {type, rank, base, size, stride, element_stride};
    const char *why = start(&m, out, interleave, swizzle, promotion, fill);
    if (!why)
        why = lower && upper ? fill_common(&m, &t) : "a corner of the bounding box is missing";
    m.is_im2col = true;
    m.channels = (uint16_t)(channels > 256 ? 0 : channels);
    m.pixels = (uint16_t)(pixels > 1024 ? 0 : pixels);
    for (cuuint32_t i = 0; !why && i + 2 < m.rank; i++) {
        m.lower[i] = (int16_t)lower[i];
        m.upper[i] = (int16_t)upper[i];
    }
    return finish("cuTensorMapEncodeIm2col", why, &m, out);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *out, void *base)
{
    struct emu_tensor_map m;
    if (!out)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, out, sizeof m);
    m.base = (uint64_t)(uintptr_t)base;
    return finish("cuTensorMapReplaceAddress", NULL, &m, out);
}
