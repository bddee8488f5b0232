/* texel_layout.h - where the texels of a texture lie, and which is at an address. */
#ifndef STRATA_TRACE_TEXEL_LAYOUT_H
#define STRATA_TRACE_TEXEL_LAYOUT_H

#include <strata/trace.h>

/* A CUDA array lies in tiles of 512 bytes, 64 by 8 rows, taken to follow one another along the
 * rows. A sector is 16 bytes of two rows, what a miss fetches 16 bytes of four, a line 32 bytes of
 * four (device/probe/texture_probe.cu: warps of 32, 16, 8 and 4 floats a row read 8, 4, 4, 4
 * sectors of 4, 2, 1, 2 lines, and DRAM gives 16, 8, 4, 4). */
static inline uint64_t texel_tiled_offset(uint64_t pitch_bytes, uint64_t x_bytes, uint64_t row)
{
    uint64_t tiles_of_row = pitch_bytes / STRATA_TILE_BYTES,
             tile = row / STRATA_TILE_ROWS * tiles_of_row + x_bytes / STRATA_TILE_BYTES,
             line = x_bytes / 32 % 2 * 2 + row / 4 % 2,
             inside = x_bytes / 16 % 2 * 64 + row % 4 * 16 + x_bytes % 16;
    return tile * (STRATA_TILE_BYTES * STRATA_TILE_ROWS) + line * 128 + inside;
}

/* A place in a texture. */
struct texel_place {
    uint64_t x_bytes, row, slice;
};
static inline uint64_t texel_address(const struct strata_launch_texture *t, struct texel_place p)
{
    return t->base + p.slice * t->slice_bytes +
           (t->texels == STRATA_TEXELS_TILED ? texel_tiled_offset(t->pitch_bytes, p.x_bytes, p.row)
                                             : p.row * t->pitch_bytes + p.x_bytes);
}
/* The place at an address within the texture. */
static inline struct texel_place texel_at(const struct strata_launch_texture *t, uint64_t address)
{
    uint64_t offset = address - t->base, in_slice = offset % t->slice_bytes,
             tile = in_slice / (STRATA_TILE_BYTES * STRATA_TILE_ROWS),
             tiles_of_row = t->pitch_bytes / STRATA_TILE_BYTES, line = in_slice / 128 % 4;
    struct texel_place p = {in_slice % t->pitch_bytes, in_slice / t->pitch_bytes,
                            offset / t->slice_bytes};
    if (t->texels != STRATA_TEXELS_TILED)
        return p;
    p.x_bytes = tile % tiles_of_row * STRATA_TILE_BYTES + line / 2 * 32 + in_slice / 64 % 2 * 16 +
                in_slice % 16;
    p.row = tile / tiles_of_row * STRATA_TILE_ROWS + line % 2 * 4 + in_slice / 16 % 4;
    return p;
}

/* Whether the numbers of a texture fit together, so that every place of it has an address. */
bool launch_texture_is_sound(const struct strata_launch_texture *t);

#endif
