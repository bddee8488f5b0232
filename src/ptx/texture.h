/* texture.h - operands of texture instructions. */
#ifndef STRATA_PTX_TEXTURE_H
#define STRATA_PTX_TEXTURE_H

#include "ptx/exec.h"
#include "ptx/half.h"

struct ptx_tex_operands {
    uint32_t d[4]; /* PTX_NO_REF: not wanted */
    uint32_t x, y; /* y PTX_NO_REF for 1D */
    bool float_coordinates;
};

unsigned ptx_texel_bytes(const struct strata_ptx_texture *t);

static inline double ptx_texel_half(uint32_t bits)
{
    return ptx_half_value((uint16_t)bits);
}

/* A block that runs ahead of its turn has read the allocation at `address`. */
void ptx_touch_loaded(struct ptx_warp *w, const struct ptx_inst *in, uint64_t address);

#endif
