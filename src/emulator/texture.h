/* texture.h - reading texture objects. */
#ifndef STRATA_EMULATOR_TEXTURE_H
#define STRATA_EMULATOR_TEXTURE_H

#include "emulator/emulator.h"
#include "emulator/half.h"

struct emu_texel {
    uint32_t bits[4]; /* as the instruction delivers them */
    float value[4];   /* as numbers, for filtering */
    uint8_t mixed; /* axes, as bits, along which it is of two texels; else the other is not read */
};

unsigned emu_texel_bytes(const struct strata_texture *t);

static inline double emu_texel_half(uint32_t bits)
{
    return emu_half_value((uint16_t)bits);
}

/* What coordinates of an instruction mean. */
struct emu_geometry {
    uint8_t axes;
    bool layered; /* and one of the layers */
    bool cube;    /* a direction from the middle of a cube, whose faces are the layers */
};
struct emu_coordinates {
    uint32_t layer, bits[3]; /* as the registers have them: whole numbers or floats */
};
/* Axes, as bits, along which a read may mix texels. */
static inline uint8_t emu_geometry_mixes(struct emu_geometry g)
{
    return g.cube ? 3 : (uint8_t)((1 << g.axes) - 1);
}
/* One lane's read. */
void emu_texture_read(const struct strata_texture *t, struct emu_geometry g, bool floats,
                      const struct emu_coordinates *at, struct emu_texel *out, uint64_t *address);

/* The texture behind a handle; NULL: none, which is reported. */
const struct strata_texture *emu_texture(struct emu_warp *w, const struct emu_site *site,
                                         unsigned lane, uint64_t handle);
/* The texel at whole coordinates, and the filtered one at others. *address becomes that of the
 * (first) texel where it lies inside. */
void emu_texture_fetch(const struct strata_texture *t, int64_t x, int64_t y, struct emu_texel *out,
                       uint64_t *address);
void emu_texture_sample(const struct strata_texture *t, float x, float y, struct emu_texel *out,
                        uint64_t *address);
/* The same in three dimensions. */
void emu_texture_fetch_3d(const struct strata_texture *t, int64_t x, int64_t y, int64_t z,
                          struct emu_texel *out, uint64_t *address);
void emu_texture_sample_3d(const struct strata_texture *t, float x, float y, float z,
                           struct emu_texel *out, uint64_t *address);
/* One layer as a texture of its own; a number too large means the last one. */
struct strata_texture emu_texture_layer(const struct strata_texture *t, uint32_t layer);

#endif
