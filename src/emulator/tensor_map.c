/* tensor_map.c - fields of tensor maps. */
#include "emulator/tensor_map.h"

#include <stddef.h>

unsigned emu_tensor_element_bytes(unsigned type)
{
    static const unsigned char bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return type < sizeof bytes ? bytes[type] : 0;
}

unsigned emu_tensor_swizzle_bytes(unsigned swizzle)
{
    return swizzle == EMU_SWIZZLE_NONE ? 0
           : swizzle == EMU_SWIZZLE_32 ? 32
           : swizzle == EMU_SWIZZLE_64 ? 64
                                       : 128;
}

/* The instruction counts f32.ftz before f64 and bf16, the interface behind them. */
static unsigned type_of_instruction(uint64_t value)
{
    static const unsigned char types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
    return value < sizeof types ? types[value] : 255;
}

static bool replace_type(struct emu_tensor_map *m, uint64_t value)
{
    m->type = (uint8_t)type_of_instruction(value);
    m->element_bytes = (uint8_t)emu_tensor_element_bytes(m->type);
    m->stride[0] = m->element_bytes;
    return m->element_bytes;
}

bool emu_tensor_map_replace(struct emu_tensor_map *m, enum emu_tensor_field field, unsigned i,
                            uint64_t value)
{
    m->magic = EMU_TENSOR_MAP_MAGIC; /* programs build maps from zeros */
    if (i >= EMU_TENSOR_MAP_RANK || (field == EMU_TENSOR_STRIDE && i + 1 >= EMU_TENSOR_MAP_RANK))
        return false;
    switch (field) {
    case EMU_TENSOR_ADDRESS:
        m->base = value;
        return true;
    case EMU_TENSOR_FIELD_RANK:
        m->rank = (uint8_t)(value + 1);
        return value < EMU_TENSOR_MAP_RANK;
    case EMU_TENSOR_BOX:
        m->box[i] = (uint16_t)value;
        return value && value <= 256;
    case EMU_TENSOR_SIZE:
        m->size_minus_1[i] = (uint32_t)value - 1;
        return true;
    case EMU_TENSOR_STRIDE: /* of the dimension above */
        m->stride[i + 1] = value;
        return value % 16 == 0;
    case EMU_TENSOR_ELEMENT_STRIDE:
        m->element_stride[i] = (uint8_t)value;
        return value && value <= 8;
    case EMU_TENSOR_TYPE:
        return replace_type(m, value);
    case EMU_TENSOR_INTERLEAVE:
        m->interleave = (uint8_t)value;
        return value <= EMU_INTERLEAVE_32;
    case EMU_TENSOR_SWIZZLE:
        m->swizzle = (uint8_t)value;
        return value <= EMU_SWIZZLE_128;
    default:
        m->fill = (uint8_t)value;
        return value <= 1;
    }
}

static uint64_t alignment_of(const struct emu_tensor_map *m)
{
    return m->interleave == EMU_INTERLEAVE_32 ? 32 : 16;
}

static const char *box_fault(const struct emu_tensor_map *m)
{
    uint64_t inner = (uint64_t)(m->is_im2col ? m->channels : m->box[0]) * m->element_bytes;
    unsigned span = emu_tensor_swizzle_bytes(m->swizzle);
    if (m->is_im2col && (!m->channels || m->channels > 256 || !m->pixels || m->pixels > 1024))
        return "an im2col box has 1 to 256 channels and 1 to 1024 pixels";
    for (unsigned i = 0; i < m->rank; i++)
        if (!m->element_stride[i] || m->element_stride[i] > 8)
            return "an element stride of the tensor map is outside 1 to 8";
        else if (!m->is_im2col && (!m->box[i] || m->box[i] > 256))
            return "a box has 1 to 256 elements in every dimension";
    if (m->interleave == EMU_INTERLEAVE_32 && m->swizzle != EMU_SWIZZLE_32)
        return "an interleave of 32 bytes needs a swizzle of 32 bytes";
    if (!m->is_im2col && m->interleave == EMU_INTERLEAVE_NONE && inner % 16)
        return "the box is no multiple of 16 bytes wide";
    if (m->interleave == EMU_INTERLEAVE_NONE && span && inner > span)
        return "the box is wider than its swizzle";
    return NULL;
}

const char *emu_tensor_map_fault(const struct emu_tensor_map *m)
{
    if (m->magic != EMU_TENSOR_MAP_MAGIC)
        return "there is no tensor map; cuTensorMapEncodeTiled and tensormap.replace make one";
    if (!m->rank || m->rank > EMU_TENSOR_MAP_RANK || !m->element_bytes)
        return "the tensor map lacks its rank or element type";
    if (m->rank < 3 && (m->is_im2col || m->interleave != EMU_INTERLEAVE_NONE))
        return "im2col and interleaved tensors have 3 to 5 dimensions";
    if (m->base % alignment_of(m))
        return m->interleave == EMU_INTERLEAVE_32
                   ? "the address of an interleaved tensor is no multiple of 32"
                   : "the tensor's address is no multiple of 16";
    for (unsigned i = 1; i < m->rank; i++)
        if (m->stride[i] % alignment_of(m) || m->stride[i] >> 40)
            return "a stride of the tensor is no multiple of 16 (32 where it is interleaved) below "
                   "2^40 bytes";
    return box_fault(m);
}
