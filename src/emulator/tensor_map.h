/* tensor_map.h - what the 128 bytes of a CUtensorMap hold here.
 *
 * The layout is our own; cuTensorMapEncode* writes it, tensormap.replace changes it, tensor copies
 * read it. Nothing else may look inside: docs/hopper.md. */
#ifndef STRATA_EMULATOR_TENSOR_MAP_H
#define STRATA_EMULATOR_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define EMU_TENSOR_MAP_MAGIC 0x544du
#define EMU_TENSOR_MAP_RANK  5
#define EMU_TENSOR_MAP_BYTES 128

/* Values of the fields are those of the driver's interface. */
enum { EMU_SWIZZLE_NONE = 0, EMU_SWIZZLE_32, EMU_SWIZZLE_64, EMU_SWIZZLE_128 };
enum { EMU_INTERLEAVE_NONE = 0, EMU_INTERLEAVE_16, EMU_INTERLEAVE_32 };

/* Dimension 0 is the innermost. */
struct emu_tensor_map {
    uint16_t magic;
    uint8_t rank, type, element_bytes, interleave, swizzle, promotion, fill, is_im2col;
    uint16_t channels, pixels;                   /* im2col */
    uint16_t box[EMU_TENSOR_MAP_RANK];           /* tiled: elements, at most 256 */
    uint8_t element_stride[EMU_TENSOR_MAP_RANK]; /* at most 8 */
    int16_t lower[3], upper[3];                  /* im2col: corners of the bounding box */
    uint64_t base;
    uint64_t stride[EMU_TENSOR_MAP_RANK];       /* bytes */
    uint32_t size_minus_1[EMU_TENSOR_MAP_RANK]; /* sizes reach 2^32 */
};
_Static_assert(sizeof(struct emu_tensor_map) <= EMU_TENSOR_MAP_BYTES, "the interface's size");

/* Bytes of an element of one of the interface's types, 0: there is no such type. */
unsigned emu_tensor_element_bytes(unsigned type);
/* Bytes a swizzle covers, 0 for none. */
unsigned emu_tensor_swizzle_bytes(unsigned swizzle);

/* Fields tensormap.replace can change. */
enum emu_tensor_field {
    EMU_TENSOR_ADDRESS,
    EMU_TENSOR_FIELD_RANK,
    EMU_TENSOR_BOX,
    EMU_TENSOR_SIZE,
    EMU_TENSOR_STRIDE,
    EMU_TENSOR_ELEMENT_STRIDE,
    EMU_TENSOR_TYPE,
    EMU_TENSOR_INTERLEAVE,
    EMU_TENSOR_SWIZZLE,
    EMU_TENSOR_FILL
};
/* False: the value or the dimension does not exist. Values are those of the instruction. */
bool emu_tensor_map_replace(struct emu_tensor_map *m, enum emu_tensor_field field,
                            unsigned dimension, uint64_t value);
/* NULL, or what is wrong with it as the rest of a sentence. */
const char *emu_tensor_map_fault(const struct emu_tensor_map *m);

#endif
