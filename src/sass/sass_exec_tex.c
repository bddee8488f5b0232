/* sass_exec_tex.c - texture instructions, over the textures all executors share. */
#include <string.h>

#include "emulator/texture.h"
#include "sass/lower.h"

struct fetch {
    uint32_t handle; /* row */
    uint32_t d[4];   /* rows of the channels, SASS_NO_ROW: not wanted */
    bool float_coordinates;
    struct emu_geometry geometry;
};

/* The record gets the address of the (first) texel. The layer stands before the coordinates. */
HANDLER(sass_run_texture)
{
    const struct fetch *f = op->extra;
    struct emu_access *access = &w->base.access;
    access->affine = false;
    access->mixed_axes = 0;
    access->shared_mask = access->local_mask = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = lowest_bit32(rest), first = f->geometry.layered;
        struct emu_coordinates at = {.layer = first ? sass_row(w, op->a)[lane] : 0};
        for (unsigned i = 0; i < f->geometry.axes; i++)
            at.bits[i] = sass_row_at(w, op->a, first + i)[lane];
        const struct strata_texture *t =
            emu_texture(&w->base, &op->site, lane, sass_row(w, f->handle)[lane]);
        struct emu_texel out;
        if (!t)
            return;
        uint64_t address = (uint64_t)(uintptr_t)t->data;
        emu_touch_sampled(&w->base, &op->site, address);
        emu_texture_read(t, f->geometry, f->float_coordinates, &at, &out, &address);
        for (unsigned c = 0; c < 4; c++)
            if (f->d[c] != SASS_NO_ROW)
                sass_row(w, f->d[c])[lane] = out.bits[c];
        access->address[lane] = address;
        access->mixed_axes |= out.mixed;
    }
}

/* ---- lowering ---- */

/* The wanted channels fill the first result and the register behind it, then the second. */
static void place_results(struct sass_lowering *l, struct fetch *f, unsigned wanted)
{
    const struct sass_operand *second = sass_operand_get(l, 1), *first = sass_operand_get(l, 2);
    unsigned n = 0;
    for (unsigned c = 0; c < 4; c++) {
        f->d[c] = SASS_NO_ROW;
        if (!(wanted >> c & 1))
            continue;
        uint32_t row = sass_lower_dest(l, n < 2 ? first : second);
        f->d[c] = row + (n & 1) * SASS_ROW_BYTES;
        n++;
    }
}

/* False: the shape is not known. */
static bool set_geometry(uint16_t shape, struct emu_geometry *g)
{
    static const struct {
        uint16_t shape;
        struct emu_geometry geometry;
    } known[] = {{SASS_W_1D, {1, false, false}},      {SASS_W_2D, {2, false, false}},
                 {SASS_W_3D, {3, false, false}},      {SASS_W_CUBE, {3, false, true}},
                 {SASS_W_ARRAY_1D, {1, true, false}}, {SASS_W_ARRAY_2D, {2, true, false}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].shape == shape) {
            *g = known[i].geometry;
            return true;
        }
    return false;
}

/* PD, RD2, RD, R, RB, bank and offset (or a uniform register and a number), shape, channels */
bool sass_lower_texture(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    struct fetch *f = sass_lower_allocate(l, sizeof *f);
    const struct sass_operand *handle = sass_operand_get(l, 5), *offset = sass_operand_get(l, 6);
    if (!f)
        return false;
    if (l->in->n_operands < 9 || sass_mod_get(l, SASS_M_TEX_OFFSET) ||
        sass_mod_get(l, SASS_M_TEX_DC) || sass_mod_get(l, SASS_M_TEX_NDV))
        return sass_lower_refuse(l, "this form of a texture access is not known");
    if (!set_geometry(sass_operand_get(l, 7)->suffix, &f->geometry))
        return sass_lower_refuse(l, "layers of cubes are not known");
    f->float_coordinates = l->in->op == SASS_TEX;
    f->handle = handle->kind == SASS_UREG
                    ? sass_lower_row(l, handle, 1)
                    : sass_lower_bank(l, (unsigned)handle->value, (uint32_t)offset->value * 4, 1);
    place_results(l, f, (unsigned)sass_operand_get(l, 8)->value);
    op->a = sass_lower_row(l, sass_operand_get(l, 3), 1);
    op->extra = f;
    op->run = sass_run_texture;
    op->flow = SASS_ACCESS;
    op->site.space = EMU_GLOBAL;
    op->site.mixes = f->float_coordinates ? emu_geometry_mixes(f->geometry) : 0;
    op->site.slot = l->image->base.n_slots++;
    return true;
}
