/* native_texture.c - textures of a launch in its record. */
#include <stdlib.h>

#include "trace/native.h"
#include "trace/texel_layout.h"

enum { FILTERS = 1, LAYERED = 2, WRAPS_SHIFT = 2 };

void native_pack_textures(struct pack *b, const struct strata_launch *l)
{
    pack_varint(b, l->n_textures);
    for (uint32_t i = 0; i < l->n_textures; i++) {
        const struct strata_launch_texture *t = &l->textures[i];
        uint32_t flags = (t->filters ? FILTERS : 0) | (t->layered ? LAYERED : 0) |
                         (uint32_t)t->wraps << WRAPS_SHIFT;
        const uint64_t numbers[] = {t->base,  t->pitch_bytes, t->slice_bytes, t->width, t->height,
                                    t->depth, t->texels,      t->texel_bytes, flags};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            pack_varint(b, numbers[k]);
    }
}

/* Numbers that make no sense make the record fail. */
static void unpack_texture(struct unpack *u, struct strata_launch_texture *t)
{
    t->base = unpack_varint(u);
    t->pitch_bytes = unpack_varint(u);
    t->slice_bytes = unpack_varint(u);
    t->width = unpack_u32(u);
    t->height = unpack_u32(u);
    t->depth = unpack_u32(u);
    uint64_t texels = unpack_varint(u), bytes = unpack_varint(u), flags = unpack_varint(u);
    t->texels = texels < STRATA_N_TEXELS ? (uint8_t)texels : STRATA_N_TEXELS;
    t->texel_bytes = bytes < 256 ? (uint8_t)bytes : 0;
    t->filters = flags & FILTERS;
    t->layered = flags & LAYERED;
    t->wraps = flags >> WRAPS_SHIFT & 7;
    u->failed |= !launch_texture_is_sound(t);
}

void native_unpack_textures(struct unpack *u, struct strata_launch *l)
{
    uint64_t n = unpack_varint(u);
    struct strata_launch_texture *t = NULL;
    if (u->failed || !n)
        return;
    if (n > (uint64_t)(u->end - u->at) || !(t = calloc(n, sizeof *t))) { /* a byte each at least */
        u->failed = true;
        return;
    }
    for (uint64_t i = 0; i < n && !u->failed; i++)
        unpack_texture(u, &t[i]);
    l->textures = t;
    l->n_textures = u->failed ? 0 : (uint32_t)n;
}
