/* ptx_exec_tex.c - texture instructions. */
#include "base/bits.h"
#include "ptx/handlers.h"
#include "ptx/tex_operands.h"
#include "emulator/texture.h"

static const struct strata_texture *find_texture(struct ptx_warp *w, const struct ptx_inst *in,
                                                 unsigned lane)
{
    return emu_texture(&w->base, &in->site, lane, ((const uint64_t *)ptx_ref(w, in->a))[lane]);
}

static uint32_t word(const struct ptx_warp *w, uint32_t ref, unsigned lane)
{
    return ref == PTX_NO_REF ? 0 : ((const uint32_t *)ptx_ref(w, ref))[lane];
}

/* in->extra: struct ptx_tex_operands. The record gets the address of the (first) texel. */
void ptx_run_tex(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_tex_operands *o = in->extra;
    w->base.access.affine = false;
    w->base.access.mixed_axes = 0;
    w->base.access.shared_mask = w->base.access.local_mask = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        const struct strata_texture *t = find_texture(w, in, lane);
        struct emu_texel out;
        if (!t)
            return;
        uint64_t address = (uint64_t)(uintptr_t)t->data;
        emu_touch_sampled(&w->base, &in->site, address);
        struct emu_coordinates at = {
            word(w, o->layer, lane),
            {word(w, o->x, lane), word(w, o->y, lane), word(w, o->z, lane)}};
        emu_texture_read(t, o->geometry, o->float_coordinates, &at, &out, &address);
        for (unsigned c = 0; c < 4; c++)
            if (o->d[c] != PTX_NO_REF)
                ((uint32_t *)ptx_ref(w, o->d[c]))[lane] = out.bits[c];
        w->base.access.address[lane] = address;
        w->base.access.mixed_axes |= out.mixed;
    }
}

void ptx_run_txq(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    uint32_t *d = ptx_ref(w, in->d);
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        const struct strata_texture *t = find_texture(w, in, lane);
        if (!t)
            return;
        d[lane] = (uint32_t)(in->op == PTX_M_WIDTH    ? t->width
                             : in->op == PTX_M_HEIGHT ? t->height
                                                      : t->depth);
    }
}
