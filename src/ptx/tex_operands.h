/* tex_operands.h - operands of texture instructions. */
#ifndef STRATA_PTX_TEX_OPERANDS_H
#define STRATA_PTX_TEX_OPERANDS_H

#include "emulator/texture.h"
#include "ptx/exec.h"

struct ptx_tex_operands {
    uint32_t d[4];           /* PTX_NO_REF: not wanted */
    uint32_t x, y, z, layer; /* PTX_NO_REF: the geometry has none */
    bool float_coordinates;
    struct emu_geometry geometry;
};

#endif
