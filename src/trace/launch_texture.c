/* launch_texture.c - the textures that a launch can read. */
#include <string.h>

#include "trace/texel_layout.h"

bool launch_texture_is_sound(const struct strata_launch_texture *t)
{
    uint64_t row, slice, bytes, end, rows = t->height;
    bool tiled = t->texels == STRATA_TEXELS_TILED;
    if (tiled)
        rows = (rows + STRATA_TILE_ROWS - 1) / STRATA_TILE_ROWS * STRATA_TILE_ROWS;
    return t->texels < STRATA_N_TEXELS && t->texel_bytes && t->texel_bytes <= 16 && t->width &&
           t->height && t->depth && (!tiled || t->pitch_bytes % STRATA_TILE_BYTES == 0) &&
           !__builtin_mul_overflow((uint64_t)t->width, t->texel_bytes, &row) &&
           row <= t->pitch_bytes && !__builtin_mul_overflow(rows, t->pitch_bytes, &slice) &&
           slice <= t->slice_bytes &&
           !__builtin_mul_overflow((uint64_t)t->depth, t->slice_bytes, &bytes) &&
           !__builtin_add_overflow(t->base, bytes, &end);
}

/* Reads by one whole number are of linear memory, others of anything else. */
static bool reads_linear(const struct strata_inst *i)
{
    return i->opcode && (!strncmp(i->opcode, "TLD.", 4) || !strncmp(i->opcode, "tex.1d", 6));
}

static int fitness(const struct strata_launch_texture *t, const struct strata_inst *i)
{
    bool linear = t->texels == STRATA_TEXELS_LINEAR;
    return 2 * (reads_linear(i) == linear) + !(i->hints & STRATA_HINT_MIXED && !t->filters);
}

const struct strata_launch_texture *strata_launch_texture_at(const struct strata_launch *l,
                                                             const struct strata_inst *inst,
                                                             uint64_t address)
{
    const struct strata_launch_texture *best = NULL;
    int most = -1;
    if (inst->space != STRATA_SPACE_TEXTURE)
        return NULL;
    for (uint32_t i = 0; i < l->n_textures; i++) {
        const struct strata_launch_texture *t = &l->textures[i];
        if (address - t->base >= t->depth * t->slice_bytes || fitness(t, inst) < most)
            continue;
        best = t;
        most = fitness(t, inst);
    }
    return best;
}
