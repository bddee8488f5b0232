/* decode_matrix.c - wmma, mma.sync, ldmatrix, stmatrix, movmatrix. */
#include <string.h>

#include "ptx/decode.h"
#include "ptx/matrix.h"

static const struct {
    uint8_t modifier;
    struct emu_shape shape;
} shapes[] = {
    {PTX_M_M16N16K16, {16, 16, 16}}, {PTX_M_M32N8K16, {32, 8, 16}}, {PTX_M_M8N32K16, {8, 32, 16}},
    {PTX_M_M16N16K8, {16, 16, 8}},   {PTX_M_M16N8K4, {16, 8, 4}},   {PTX_M_M16N8K8, {16, 8, 8}},
    {PTX_M_M16N8K16, {16, 8, 16}},   {PTX_M_M8N8K4, {8, 8, 4}},     {PTX_M_M16N8K32, {16, 8, 32}},
    {PTX_M_M8N8K16, {8, 8, 16}},     {PTX_M_M16N8K64, {16, 8, 64}}, {PTX_M_M8N8K32, {8, 8, 32}},
};

/* Modifiers are kept in bytes, and there are no more: deep shapes are told by their text. */
static bool find_deep_shape(struct ptx_decoder *d, struct emu_shape *out)
{
    static const struct {
        const char *text;
        struct emu_shape shape;
    } deep[] = {
        {".m8n8k128", {8, 8, 128}}, {".m16n8k128", {16, 8, 128}}, {".m16n8k256", {16, 8, 256}}};
    if (!ptx_dec_has(d, PTX_M_SHAPE))
        return false;
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++)
        if (strstr(d->op->text, deep[i].text)) {
            *out = deep[i].shape;
            return true;
        }
    return false;
}

static bool find_shape(struct ptx_decoder *d, struct emu_shape *out)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (ptx_dec_has(d, shapes[i].modifier)) {
            *out = shapes[i].shape;
            return true;
        }
    return find_deep_shape(d, out) || ptx_dec_unsupported(d, "unknown shape");
}

static bool is_whole_byte(unsigned type)
{
    return type == PTX_S8 || type == PTX_U8;
}
static bool is_float_byte(unsigned type)
{
    return type == PTX_E4M3 || type == PTX_E5M2;
}

static bool is_nibble(unsigned type)
{
    return type == PTX_MMA_S4 || type == PTX_MMA_U4;
}

static bool shape_fits(struct emu_shape s, unsigned type, bool wmma)
{
    switch (type) {
    case PTX_F16:
    case PTX_BF16:
        return wmma ? s.k == 16 : s.n == 8 && s.m == 16 && s.k >= 8 && s.k <= 16;
    case PTX_TF32:
        return wmma ? s.k == 8 && s.n == 16 : s.n == 8 && s.m == 16 && s.k <= 8;
    case PTX_F64:
        return s.n == 8 && (s.m == 8 ? s.k == 4 : !wmma && s.m == 16 && s.k <= 16);
    case PTX_MMA_S4:
    case PTX_MMA_U4:
        return s.n == 8 && s.k >= 32 && s.k <= 64 && (s.m == 8 ? s.k == 32 : !wmma);
    case PTX_MMA_B1: /* k counts words */
        return s.n == 8 && (s.k == 4 || s.k == 8) && (s.m == 8 ? s.k == 4 : !wmma);
    case PTX_S8:
    case PTX_U8:
        return wmma ? s.k == 16 && s.m * s.n == 256
                    : s.n == 8 && s.k >= 16 && s.k <= 32 && (s.m == 16 || s.k == 16);
    case PTX_E4M3:
    case PTX_E5M2:
        return !wmma && s.n == 8 && s.m == 16 && s.k >= 16 && s.k <= 32;
    default:
        return false;
    }
}

/* A register has as many elements of A as of B in a product of half the depth. */
static bool sparse_shape_fits(struct emu_shape s, unsigned type)
{
    unsigned bits = ptx_element_bits(type), least = 256 / bits;
    bool known = type == PTX_F16 || type == PTX_BF16 || type == PTX_TF32 || is_whole_byte(type) ||
                 is_nibble(type);
    if (is_float_byte(type))
        return s.m == 16 && s.n == 8 && s.k == 2 * least;
    return known && s.m == 16 && s.n == 8 && (s.k == least || s.k == 2 * least);
}

static unsigned register_type(unsigned type)
{
    return type == PTX_F64 ? PTX_F64 : PTX_B32;
}

/* ---- multiplication ---- */

static bool fragment(struct ptx_decoder *d, unsigned operand, struct emu_shape shape,
                     unsigned which, unsigned type, bool is_dest, const uint32_t **refs, uint8_t *n)
{
    const struct ptx_operand *o = ptx_dec_operand(d, operand);
    unsigned need = emu_fragment_registers(shape, which, ptx_element_bits(type));
    unsigned have = o->kind == PTX_OPERAND_VECTOR ? o->n_children : 1;
    if (have < need || have % need)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\": a fragment has %u registers instead of %u",
                            d->op->text, have, need);
    *n = (uint8_t)have;
    return ptx_dec_elements(d, o, register_type(type), have, is_dest, refs);
}

/* A type that is told by a modifier, or PTX_NONE. */
static unsigned small_type(unsigned modifier)
{
    return modifier == PTX_M_S4   ? PTX_MMA_S4
           : modifier == PTX_M_U4 ? PTX_MMA_U4
           : modifier == PTX_M_B1 ? PTX_MMA_B1
                                  : PTX_NONE;
}

/* Elements of less than a byte, which no register has the type of: A's stand before B's. Their
 * number. */
static unsigned find_small(struct ptx_decoder *d, uint8_t types[2])
{
    unsigned n = 0;
    for (unsigned i = 0; i < d->op->n_modifiers; i++) {
        unsigned type = small_type(d->op->modifier[i]);
        if (type != PTX_NONE && n < 2)
            types[n++] = (uint8_t)type;
    }
    ptx_dec_has(d, PTX_M_S4);
    ptx_dec_has(d, PTX_M_U4);
    ptx_dec_has(d, PTX_M_B1);
    return n;
}

/* Sums of these. Bits are taken 32 at a time, those that both have or those that differ. */
static bool find_small_sum(struct ptx_decoder *d, struct ptx_mma *mma)
{
    mma->c_type = (uint8_t)ptx_dec_type(d, 1);
    if (mma->a_type == PTX_MMA_B1 || mma->b_type == PTX_MMA_B1) {
        mma->exclusive = ptx_dec_has(d, PTX_M_XOR);
        if (mma->a_type != mma->b_type || !ptx_dec_has(d, PTX_M_POPC) ||
            ptx_dec_has(d, PTX_M_AND) == mma->exclusive)
            return false;
        mma->shape.k /= 32;
    }
    return mma->c_type == PTX_S32 && mma->d_type == PTX_S32;
}

/* wmma.mma names types as d.c for f16 inputs and d.a.b.c otherwise; mma.sync always d.a.b.c. Whole
 * numbers may differ in their sign, floating-point bytes in where their point is. */
static bool find_types(struct ptx_decoder *d, struct ptx_mma *mma)
{
    mma->d_type = (uint8_t)ptx_dec_type(d, 0);
    uint8_t small[2];
    if (find_small(d, small) == 2) {
        mma->a_type = small[0];
        mma->b_type = small[1];
        return find_small_sum(d, mma);
    }
    if (ptx_dec_type(d, 2)) {
        mma->a_type = (uint8_t)ptx_dec_type(d, 1);
        mma->b_type = (uint8_t)ptx_dec_type(d, 2);
        mma->c_type = (uint8_t)ptx_dec_type(d, 3);
        if (is_whole_byte(mma->a_type) && is_whole_byte(mma->b_type))
            return mma->c_type == PTX_S32 && mma->d_type == PTX_S32;
        if (is_float_byte(mma->a_type) && is_float_byte(mma->b_type))
            return mma->c_type == mma->d_type && (mma->c_type == PTX_F32 || mma->c_type == PTX_F16);
        if (mma->a_type != mma->b_type)
            return false;
    } else {
        mma->a_type = mma->b_type = PTX_F16;
        mma->c_type = (uint8_t)ptx_dec_type(d, 1);
    }
    bool f16_sum = mma->a_type == PTX_F16 && (mma->c_type == PTX_F16 || mma->c_type == PTX_F32) &&
                   (mma->d_type == PTX_F16 || mma->d_type == PTX_F32);
    bool f64_sum = mma->a_type == PTX_F64 && mma->c_type == PTX_F64 && mma->d_type == PTX_F64;
    return f16_sum || f64_sum || (mma->c_type == PTX_F32 && mma->d_type == PTX_F32);
}

/* The layouts stand before the types, A's first. */
static void find_layouts(const struct ptx_decoder *d, bool *a_columns, bool *b_columns)
{
    unsigned n = 0;
    for (unsigned i = 0; i < d->op->n_modifiers; i++) {
        unsigned modifier = d->op->modifier[i];
        if (modifier == PTX_M_ROW || modifier == PTX_M_COL)
            *(n++ ? b_columns : a_columns) = modifier == PTX_M_COL;
    }
}

static bool decode_quad_mma(struct ptx_decoder *d, const struct ptx_mma *types)
{
    struct ptx_quad_mma *q = ptx_dec_allocate(d, sizeof *q);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_quad_mma, PTX_STEP);
    if (!q || !ptx_dec_expect_operands(d, 4, 4))
        return false;
    q->c_type = types->c_type;
    q->d_type = types->d_type;
    find_layouts(d, &q->a_columns, &q->b_columns);
    unsigned n_c = q->c_type == PTX_F16 ? 4 : 8, n_d = q->d_type == PTX_F16 ? 4 : 8;
    if (!ptx_dec_elements(d, ptx_dec_operand(d, 1), PTX_B32, 2, false, &q->a) ||
        !ptx_dec_elements(d, ptx_dec_operand(d, 2), PTX_B32, 2, false, &q->b) ||
        !ptx_dec_elements(d, ptx_dec_operand(d, 3), PTX_B32, n_c, false, &q->c) ||
        !ptx_dec_elements(d, ptx_dec_operand(d, 0), PTX_B32, n_d, true, &q->d))
        return false;
    in.extra = q;
    return ptx_dec_put_main(d, &in);
}

/* Behind the matrices: the register that tells which elements of A are there, and whose lanes' it
 * is. */
static bool decode_metadata(struct ptx_decoder *d, struct ptx_mma *mma)
{
    uint64_t selector = 0;
    if (!ptx_dec_expect_operands(d, 6, 6) || !ptx_dec_source_n(d, 4, PTX_B32, &mma->metadata))
        return false;
    bool pairs = is_nibble(mma->a_type);
    unsigned lanes = emu_sparse_lanes(pairs ? emu_shape_of_pairs(mma->shape) : mma->shape,
                                      pairs ? 8 : ptx_element_bits(mma->a_type));
    if (!ptx_dec_immediate(ptx_dec_operand(d, 5), &selector) || selector >= 4 / lanes)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\": the selector is a constant below %u",
                            d->op->text, 4 / lanes);
    mma->selector = (uint8_t)selector;
    return true;
}

static bool decode_mma(struct ptx_decoder *d, bool wmma)
{
    struct ptx_mma *mma = ptx_dec_allocate(d, sizeof *mma);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_mma, PTX_STEP);
    if (!mma || !find_shape(d, &mma->shape))
        return false;
    ptx_dec_has(d, PTX_M_ROW);
    ptx_dec_has(d, PTX_M_COL);
    ptx_dec_has(d, PTX_M_RN);
    mma->saturates = ptx_dec_has(d, PTX_M_SATFINITE);
    bool typed = find_types(d, mma);
    if (typed && !wmma && mma->shape.m == 8 && mma->a_type == PTX_F16 && mma->shape.k == 4)
        return decode_quad_mma(d, mma);
    mma->sparse = !wmma && (ptx_dec_has(d, PTX_M_SP) || ptx_dec_has(d, PTX_M_SP_ORDERED));
    if (!typed || !(mma->sparse ? sparse_shape_fits(mma->shape, mma->a_type)
                                : shape_fits(mma->shape, mma->a_type, wmma)))
        return ptx_dec_unsupported(
            d, wmma ? "only f16, bf16, tf32, f64, s8, u8, s4, u4 and b1 in their usual shapes"
                    : "only f16, bf16, tf32, f64, s8, u8, s4, u4, b1, e4m3 and e5m2 in their usual "
                      "shapes");
    struct emu_shape of_a = mma->shape;
    of_a.k /= mma->sparse ? 2 : 1;
    if (mma->sparse ? !decode_metadata(d, mma) : !ptx_dec_expect_operands(d, 4, 4))
        return false;
    if (!fragment(d, 1, of_a, EMU_FRAGMENT_A, mma->a_type, false, &mma->a, &mma->n_a) ||
        !fragment(d, 2, mma->shape, EMU_FRAGMENT_B, mma->b_type, false, &mma->b, &mma->n_b) ||
        !fragment(d, 3, mma->shape, EMU_FRAGMENT_C, mma->c_type, false, &mma->c, &mma->n_c) ||
        !fragment(d, 0, mma->shape, EMU_FRAGMENT_C, mma->d_type, true, &mma->d, &mma->n_d))
        return false;
    in.extra = mma;
    return ptx_dec_put_main(d, &in);
}

/* ---- wmma.load, wmma.store ---- */

struct transfer {
    struct emu_shape shape;
    unsigned which, type, need, have;
    bool column_major, is_store;
    uint8_t stride_shift;
    const uint32_t *refs;
    uint32_t stride_ref;
};

static bool is_short(unsigned type)
{
    return type == PTX_F16 || type == PTX_BF16;
}

static bool put_part(struct ptx_decoder *d, const struct transfer *t, const struct ptx_inst *model,
                     unsigned reg, unsigned half, unsigned n, bool crossed)
{
    struct ptx_matrix_part *part = ptx_dec_allocate(d, sizeof *part);
    struct ptx_inst in = *model;
    if (!part)
        return false;
    *part = (struct ptx_matrix_part){.shape = t->shape,
                                     .fragment = (uint8_t)t->which,
                                     .type = (uint8_t)t->type,
                                     .reg = (uint8_t)reg,
                                     .half = (uint8_t)half,
                                     .n = (uint8_t)n,
                                     .registers = ptx_element_bits(t->type) < 32 ? 1 : (uint8_t)n,
                                     .need = (uint8_t)t->need,
                                     .column_major = t->column_major,
                                     .is_store = t->is_store,
                                     .crossed = crossed,
                                     .stride_ref = t->stride_ref,
                                     .stride_shift = t->stride_shift};
    part->refs[0] = t->refs[reg];
    part->refs[1] = t->refs[ptx_element_bits(t->type) < 32 || n == 1 ? reg : reg + 1];
    in.width = (uint8_t)(ptx_element_bits(t->type) / 8 * n);
    in.extra = part;
    return ptx_dec_put_main(d, &in);
}

/* Bytes: the four of a register lie along K, one access where memory goes that way too. */
static bool put_byte_parts(struct ptx_decoder *d, const struct transfer *t,
                           const struct ptx_inst *model)
{
    bool together = t->column_major == (t->which == EMU_FRAGMENT_B);
    for (unsigned reg = 0; reg < t->need; reg++)
        for (unsigned part = 0; part < 4; part += together ? 4 : 1)
            if (!put_part(d, t, model, reg, part, together ? 4 : 1, false))
                return false;
    return true;
}

/* Halves whose pairs lie the other way in memory: the assembler loads and stores pairs as they lie
 * there and turns tiles of 8 x 8 (ptxas 13.0: a word and a MOVM for each register). */
static bool put_crossed(struct ptx_decoder *d, const struct transfer *t,
                        const struct ptx_inst *model, unsigned reg)
{
    struct ptx_inst turn = ptx_dec_inst(d, ptx_run_movmatrix, PTX_STEP);
    turn.d = turn.a = t->refs[reg];
    return put_part(d, t, model, reg, 0, 2, true) && (t->is_store || ptx_dec_put(d, &turn));
}

/* Do the two halves of a register lie side by side in memory? */
static bool halves_together(const struct transfer *t)
{
    unsigned row[2], column[2];
    for (unsigned half = 0; half < 2; half++)
        emu_fragment_place(t->shape, t->which, 16, 0, 0, half, &row[half], &column[half]);
    return t->column_major ? column[0] == column[1] : row[0] == row[1];
}

/* Halves in shared memory are loaded in tiles of 8 x 8, up to four at once (ptxas 13.0: an LDSM.4
 * for each of A and B of 16 x 16). */
static bool put_tiles(struct ptx_decoder *d, const struct transfer *t, const struct ptx_inst *model)
{
    for (unsigned reg = 0; reg < t->need; reg += 4) {
        struct ptx_matrix_part *part = ptx_dec_allocate(d, sizeof *part);
        struct ptx_inst in = *model;
        if (!part)
            return false;
        *part = (struct ptx_matrix_part){.shape = t->shape,
                                         .fragment = (uint8_t)t->which,
                                         .type = (uint8_t)t->type,
                                         .reg = (uint8_t)reg,
                                         .n = (uint8_t)(t->need - reg < 4 ? t->need - reg : 4),
                                         .need = (uint8_t)t->need,
                                         .column_major = t->column_major,
                                         .crossed = !halves_together(t),
                                         .tiles = t->refs + reg,
                                         .stride_ref = t->stride_ref};
        part->registers = part->n;
        in.run = ptx_run_matrix_tiles;
        in.width = 16;
        in.extra = part;
        if (!ptx_dec_put_main(d, &in))
            return false;
    }
    return true;
}

/* Two elements that follow each other in memory are one access. */
static bool put_parts(struct ptx_decoder *d, const struct transfer *t, const struct ptx_inst *model)
{
    if (is_whole_byte(t->type))
        return put_byte_parts(d, t, model);
    if (is_short(t->type) && model->space == PTX_M_SHARED && !t->is_store)
        return put_tiles(d, t, model);
    unsigned step = !is_short(t->type) && t->which == EMU_FRAGMENT_C ? 2 : 1;
    bool pairs = is_short(t->type) || step == 2;
    for (unsigned reg = 0; reg < t->need; reg += step) {
        unsigned r0, c0, r1, c1;
        emu_fragment_place(t->shape, t->which, ptx_element_bits(t->type), 0, reg, 0, &r0, &c0);
        emu_fragment_place(t->shape, t->which, ptx_element_bits(t->type), 0,
                           step == 2 ? reg + 1 : reg, step == 2 ? 0 : 1, &r1, &c1);
        bool together =
            pairs && (t->column_major ? c0 == c1 && r1 == r0 + 1 : r0 == r1 && c1 == c0 + 1);
        bool crossed = !together && is_short(t->type);
        if (crossed ? !put_crossed(d, t, model, reg)
                    : !put_part(d, t, model, reg, 0, together ? 2 : 1, false))
            return false;
        if (pairs && !together && !crossed &&
            !put_part(d, t, model, step == 2 ? reg + 1 : reg, step == 2 ? 0 : 1, 1, false))
            return false;
    }
    return true;
}

/* The copies wmma's f16 fragments hold: plain moves. */
static bool put_copies(struct ptx_decoder *d, const struct transfer *t)
{
    for (unsigned reg = t->need; reg < t->have; reg++) {
        struct ptx_inst in = ptx_dec_inst(d, ptx_mov_handler(4), PTX_STEP);
        in.d = t->refs[reg];
        in.a = t->refs[reg % t->need];
        if (!ptx_dec_put(d, &in))
            return false;
    }
    return true;
}

/* Type and shape of the elements. Those of less than a byte, whose rows of A and columns of B lie
 * side by side, are taken as words of them. */
static bool transfer_type(struct ptx_decoder *d, struct transfer *t)
{
    uint8_t small[2];
    t->type = ptx_dec_type(d, 0);
    t->column_major = ptx_dec_has(d, PTX_M_COL);
    ptx_dec_has(d, PTX_M_ROW);
    if (t->which == EMU_FRAGMENT_C)
        return is_short(t->type) || t->type == PTX_F32 || t->type == PTX_F64 || t->type == PTX_S32;
    if (!find_small(d, small))
        return (is_short(t->type) || is_whole_byte(t->type) || t->type == PTX_TF32 ||
                t->type == PTX_F64) &&
               shape_fits(t->shape, t->type, true);
    bool fits = small[0] == PTX_MMA_B1 ? t->shape.k == 128 : t->shape.k == 32;
    t->stride_shift = small[0] == PTX_MMA_B1 ? 5 : 3;
    t->shape.k = (uint16_t)(t->shape.k >> t->stride_shift);
    t->type = PTX_B32;
    return fits && t->shape.m == 8 && t->shape.n == 8 &&
           t->column_major == (t->which == EMU_FRAGMENT_B);
}

static bool decode_transfer(struct ptx_decoder *d, bool is_store)
{
    static const uint8_t fragments[] = {PTX_M_A, PTX_M_B, PTX_M_C, PTX_M_D, PTX_NONE};
    static const uint8_t spaces[] = {PTX_M_GLOBAL, PTX_M_SHARED, PTX_M_SHARED_CTA, PTX_NONE};
    struct transfer t = {.is_store = is_store};
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_matrix_part, PTX_MEMORY);
    unsigned which = ptx_dec_one_of(d, fragments), space = ptx_dec_one_of(d, spaces);
    if (!find_shape(d, &t.shape))
        return false;
    t.which = which == PTX_M_A   ? EMU_FRAGMENT_A
              : which == PTX_M_B ? EMU_FRAGMENT_B
                                 : EMU_FRAGMENT_C;
    if (!transfer_type(d, &t))
        return ptx_dec_unsupported(d,
                                   "only f16, bf16, tf32, f64, s8, u8, s4, u4, b1 and their sums");
    const struct ptx_operand *o = ptx_dec_operand(d, is_store ? 1 : 0);
    t.need = emu_fragment_registers(t.shape, t.which, ptx_element_bits(t.type));
    t.have = o->kind == PTX_OPERAND_VECTOR ? o->n_children : 1;
    if (!ptx_dec_expect_operands(d, 2, 3))
        return false;
    if (t.have < t.need || t.have % t.need)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\": a fragment has %u registers instead of %u",
                            d->op->text, t.have, t.need);
    in.space = (uint8_t)(space == PTX_M_SHARED_CTA ? PTX_M_SHARED : space);
    in.flags = is_store ? PTX_INST_WRITES : 0;
    unsigned deep = (unsigned)t.shape.k << t.stride_shift;
    unsigned rows = t.which == EMU_FRAGMENT_B ? deep : t.shape.m;
    unsigned columns = t.which == EMU_FRAGMENT_A ? deep : t.shape.n;
    const struct ptx_operand *stride = ptx_dec_operand(d, 2);
    if (!ptx_dec_address(d, ptx_dec_operand(d, is_store ? 0 : 1), &in) ||
        !ptx_dec_elements(d, o, register_type(t.type), t.have, !is_store, &t.refs))
        return false;
    if (stride->kind
            ? !ptx_dec_source(d, stride, PTX_U32, &t.stride_ref)
            : !ptx_dec_constant(d, PTX_U32, t.column_major ? rows : columns, &t.stride_ref))
        return false;
    return put_parts(d, &t, &in) && (is_store || put_copies(d, &t));
}

/* ---- tiles ---- */

static bool decode_tiles(struct ptx_decoder *d, bool is_store)
{
    struct ptx_inst in =
        ptx_dec_inst(d, is_store ? ptx_run_stmatrix : ptx_run_ldmatrix, PTX_MEMORY);
    const uint32_t *refs;
    in.op = ptx_dec_has(d, PTX_M_X4) ? 4 : ptx_dec_has(d, PTX_M_X2) ? 2 : 1;
    ptx_dec_has(d, PTX_M_X1);
    in.is_signed = ptx_dec_has(d, PTX_M_TRANS);
    ptx_dec_has(d, PTX_M_SHARED);
    ptx_dec_has(d, PTX_M_SHARED_CTA);
    if (!ptx_dec_has(d, PTX_M_M8N8) || ptx_dec_type(d, 0) != PTX_B16)
        return ptx_dec_unsupported(d, "only m8n8 tiles of .b16");
    in.space = PTX_M_SHARED;
    in.width = 16;
    in.flags = is_store ? PTX_INST_WRITES : 0;
    if (!ptx_dec_expect_operands(d, 2, 2) ||
        !ptx_dec_address(d, ptx_dec_operand(d, is_store ? 0 : 1), &in) ||
        !ptx_dec_elements(d, ptx_dec_operand(d, is_store ? 1 : 0), PTX_B32, in.op, !is_store,
                          &refs))
        return false;
    in.extra = refs;
    return ptx_dec_put_main(d, &in);
}

static bool decode_movmatrix(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_movmatrix, PTX_STEP);
    ptx_dec_has(d, PTX_M_TRANS);
    ptx_dec_has(d, PTX_M_M8N8);
    ptx_dec_type(d, 0);
    return ptx_dec_expect_operands(d, 2, 2) && ptx_dec_source_n(d, 1, PTX_B32, &in.a) &&
           ptx_dec_dest_n(d, 0, PTX_B32, &in.d) && ptx_dec_put_main(d, &in);
}

bool ptx_decode_matrix(struct ptx_decoder *d)
{
    ptx_dec_has(d, PTX_M_SYNC);
    ptx_dec_has(d, PTX_M_ALIGNED);
    switch (d->op->mnemonic) {
    case PTX_OP_mma:
        return decode_mma(d, false);
    case PTX_OP_ldmatrix:
        return decode_tiles(d, false);
    case PTX_OP_stmatrix:
        return decode_tiles(d, true);
    case PTX_OP_movmatrix:
        return decode_movmatrix(d);
    default:
        break;
    }
    if (ptx_dec_has(d, PTX_M_MMA))
        return decode_mma(d, true);
    if (ptx_dec_has(d, PTX_M_LOAD))
        return decode_transfer(d, false);
    if (ptx_dec_has(d, PTX_M_STORE))
        return decode_transfer(d, true);
    return ptx_dec_unsupported(d, "unknown operation");
}
