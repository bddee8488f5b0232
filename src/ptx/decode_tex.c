/* decode_tex.c - texture instructions on texture objects. */
#include "ptx/decode.h"
#include "ptx/tex_operands.h"

/* Coordinates come in a vector, the layer first and rounded up to two or four of them; the one of a
 * line may stand alone. */
static bool coordinates(struct ptx_decoder *d, const struct ptx_operand *where, unsigned geometry,
                        unsigned type, struct ptx_tex_operands *o)
{
    bool layered = geometry == PTX_M_A1D || geometry == PTX_M_A2D;
    unsigned axes = geometry == PTX_M_D3 || geometry == PTX_M_CUBE  ? 3
                    : geometry == PTX_M_D2 || geometry == PTX_M_A2D ? 2
                                                                    : 1;
    unsigned n = where->kind == PTX_OPERAND_VECTOR ? where->n_children : 1;
    uint32_t refs[4] = {PTX_NO_REF, PTX_NO_REF, PTX_NO_REF, PTX_NO_REF};
    if (n < axes + layered || n > 4)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\" lacks a coordinate", d->op->text);
    for (unsigned i = 0; i < axes + layered; i++) {
        const struct ptx_operand *one =
            where->kind == PTX_OPERAND_VECTOR ? &where->u.children[i] : where;
        if (!ptx_dec_source(d, one, layered && !i ? PTX_U32 : type, &refs[i]))
            return false;
    }
    o->layer = layered ? refs[0] : PTX_NO_REF;
    o->x = refs[layered];
    o->y = axes > 1 ? refs[layered + 1] : PTX_NO_REF;
    o->z = axes > 2 ? refs[2] : PTX_NO_REF;
    o->geometry = (struct emu_geometry){(uint8_t)axes, layered, geometry == PTX_M_CUBE};
    return true;
}

/* tex.2d.v4.f32.f32 {d, d, d, d}, [object, {x, y}]; */
static bool decode_tex(struct ptx_decoder *d)
{
    static const uint8_t geometries[] = {PTX_M_D1,  PTX_M_D2,   PTX_M_D3,    PTX_M_A1D,
                                         PTX_M_A2D, PTX_M_CUBE, PTX_M_ACUBE, PTX_NONE};
    unsigned geometry = ptx_dec_one_of(d, geometries);
    unsigned to = ptx_dec_type(d, 0), coordinate = ptx_dec_type(d, 1);
    const struct ptx_operand *address = ptx_dec_operand(d, 1);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_tex, PTX_MEMORY);
    struct ptx_tex_operands *o = ptx_dec_allocate(d, sizeof *o);
    const uint32_t *refs;
    ptx_dec_has(d, PTX_M_V4);
    if (!o)
        return false;
    if (!geometry || geometry == PTX_M_ACUBE)
        return ptx_dec_unsupported(d, "layers of cubes");
    if (ptx_type_bytes(to) != 4 || (coordinate != PTX_S32 && coordinate != PTX_F32))
        return ptx_dec_unsupported(d, "only 32-bit results and .s32 or .f32 coordinates");
    if (!ptx_dec_expect_operands(d, 2, 2) || address->kind != PTX_OPERAND_ADDRESS ||
        address->n_children != 2)
        return ptx_dec_unsupported(d, "only [object, {coordinates}]");
    if (!ptx_dec_source(d, &address->u.children[0], PTX_U64, &in.a) ||
        !coordinates(d, &address->u.children[1], geometry, coordinate, o))
        return false;
    o->float_coordinates = coordinate == PTX_F32;
    if (!ptx_dec_elements(d, ptx_dec_operand(d, 0), to, 4, true, &refs))
        return false;
    for (unsigned i = 0; i < 4; i++)
        o->d[i] = refs[i];
    in.extra = o;
    in.space = PTX_M_GLOBAL;
    in.width = 4;
    in.site.mixes = o->float_coordinates ? emu_geometry_mixes(o->geometry) : 0;
    return ptx_dec_put_main(d, &in);
}

static bool decode_txq(struct ptx_decoder *d)
{
    static const uint8_t queries[] = {PTX_M_WIDTH, PTX_M_HEIGHT, PTX_M_DEPTH, PTX_NONE};
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_txq, PTX_SPECIAL);
    const struct ptx_operand *address = ptx_dec_operand(d, 1);
    in.op = (uint8_t)ptx_dec_one_of(d, queries);
    ptx_dec_type(d, 0);
    if (!in.op || address->kind != PTX_OPERAND_ADDRESS)
        return ptx_dec_unsupported(d, "unknown query");
    return ptx_dec_expect_operands(d, 2, 2) &&
           ptx_dec_source(d, &address->u.children[0], PTX_U64, &in.a) &&
           ptx_dec_dest_n(d, 0, PTX_B32, &in.d) && ptx_dec_put_main(d, &in);
}

bool ptx_decode_texture(struct ptx_decoder *d)
{
    switch (d->op->mnemonic) {
    case PTX_OP_tex:
        return decode_tex(d);
    case PTX_OP_txq:
        return decode_txq(d);
    default:
        return ptx_dec_unsupported(d, "gathers from textures");
    }
}
