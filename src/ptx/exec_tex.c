/* exec_tex.c - texture instructions. */
#include "base/bits.h"
#include "ptx/handlers.h"
#include "ptx/tex_operands.h"
#include "emulator/texture.h"

static const struct strata_texture *find_texture(struct ptx_warp *w, const struct ptx_inst *in,
                                                 unsigned lane)
{
    return emu_texture(&w->base, &in->site, lane, ((const uint64_t *)ptx_ref(w, in->a))[lane]);
}

/* in->extra: struct ptx_tex_operands. The record gets the address of the (first) texel. */
void ptx_run_tex(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    const struct ptx_tex_operands *o = in->extra;
    w->base.access.affine = false;
    w->base.access.shared_mask = w->base.access.local_mask = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest);
        const struct strata_texture *t = find_texture(w, in, lane);
        struct emu_texel out;
        if (!t)
            return;
        uint64_t address = (uint64_t)(uintptr_t)t->data;
        emu_touch_sampled(&w->base, &in->site, address);
        if (o->float_coordinates)
            emu_texture_sample(t, ((const float *)ptx_ref(w, o->x))[lane],
                               o->y != PTX_NO_REF ? ((const float *)ptx_ref(w, o->y))[lane] : 0,
                               &out, &address);
        else
            emu_texture_fetch(t, ((const int32_t *)ptx_ref(w, o->x))[lane],
                              o->y != PTX_NO_REF ? ((const int32_t *)ptx_ref(w, o->y))[lane] : 0,
                              &out, &address);
        for (unsigned c = 0; c < 4; c++)
            if (o->d[c] != PTX_NO_REF)
                ((uint32_t *)ptx_ref(w, o->d[c]))[lane] = out.bits[c];
        w->base.access.address[lane] = address;
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
                                                      : 0);
    }
}
