/* decode_move.c - mov, cvt, cvta and other ways to make a value of another. */
#include "ptx/decode.h"

/* ---- mov ---- */

static bool decode_pack(struct ptx_decoder *d, unsigned type, bool pack)
{
    const struct ptx_operand *vector = ptx_dec_operand(d, pack ? 1 : 0);
    unsigned n = vector->n_children, bytes = ptx_type_bytes(type);
    if (n < 2 || bytes % n || bytes / n > 4)
        return ptx_dec_unsupported(d, "its vector does not divide its type");
    unsigned part = bytes / n, part_type = part == 1 ? PTX_B8 : part == 2 ? PTX_B16 : PTX_B32;
    struct ptx_inst in = ptx_dec_inst(d, pack ? ptx_run_pack : ptx_run_unpack, PTX_STEP);
    const uint32_t *refs;
    in.width = (uint8_t)part;
    in.n = (uint8_t)n;
    in.op = bytes == 8 ? PTX_INST_WIDE_DST : 0;
    if (!ptx_dec_elements(d, vector, part_type, n, !pack, &refs))
        return false;
    in.extra = refs;
    if (pack ? !ptx_dec_dest_n(d, 0, type, &in.d) : !ptx_dec_source_n(d, 1, type, &in.a))
        return false;
    return ptx_dec_put_main(d, &in);
}

static bool decode_mov(struct ptx_decoder *d)
{
    unsigned type = ptx_dec_type(d, 0);
    if (!ptx_dec_expect_operands(d, 2, 2))
        return false;
    if (!type)
        return ptx_dec_unsupported(d, "it lacks a type");
    if (type == PTX_B128)
        return ptx_dec_unsupported(d, "128-bit values");
    if (ptx_dec_operand(d, 1)->kind == PTX_OPERAND_VECTOR)
        return decode_pack(d, type, true);
    if (ptx_dec_operand(d, 0)->kind == PTX_OPERAND_VECTOR)
        return decode_pack(d, type, false);
    ptx_handler *run = type == PTX_PRED ? ptx_bits_handler(PTX_OP_mov, PTX_PRED, 0)
                                        : ptx_mov_handler(ptx_lane_bytes(type));
    struct ptx_inst in = ptx_dec_inst(d, run, PTX_STEP);
    return ptx_dec_source_n(d, 1, type, &in.a) && ptx_dec_dest_n(d, 0, type, &in.d) &&
           ptx_dec_put_main(d, &in);
}

/* ---- cvt ---- */

static bool conversion_exists(const struct ptx_conversion *c)
{
    if (ptx_is_eight_bits(c->to))
        return c->rounding == PTX_M_RN && (c->from == PTX_F32 || c->from == PTX_F16X2);
    if (ptx_is_eight_bits(c->from))
        return c->rounding == PTX_M_RN && c->to == PTX_F16X2;
    bool to_float = ptx_type_kind(c->to) == 'f', from_float = ptx_type_kind(c->from) == 'f';
    if (c->from == PTX_PRED || c->to == PTX_PRED || c->from == PTX_F16X2 || c->from == PTX_BF16X2 ||
        c->from == PTX_TF32)
        return false;
    if (c->to == PTX_TF32 || c->to == PTX_F16X2 || c->to == PTX_BF16X2)
        return c->from == PTX_F32;
    return to_float || from_float || !c->rounding;
}

static bool decode_cvt(struct ptx_decoder *d)
{
    static const uint8_t modes[] = {PTX_M_RN,  PTX_M_RZ,  PTX_M_RM,  PTX_M_RP,  PTX_M_RNA,
                                    PTX_M_RNI, PTX_M_RZI, PTX_M_RMI, PTX_M_RPI, PTX_NONE};
    struct ptx_conversion *c = ptx_dec_allocate(d, sizeof *c);
    if (!c)
        return false;
    c->to = (uint8_t)ptx_dec_type(d, 0);
    c->from = (uint8_t)ptx_dec_type(d, 1);
    c->rounding = (uint8_t)ptx_dec_one_of(d, modes);
    c->sat = ptx_dec_has(d, PTX_M_SAT);
    c->ftz = ptx_dec_has(d, PTX_M_FTZ);
    c->relu = ptx_dec_has(d, PTX_M_RELU);
    bool finite = ptx_dec_has(d, PTX_M_SATFINITE);
    if (!c->from || !conversion_exists(c) || finite != ptx_is_eight_bits(c->to))
        return ptx_dec_unsupported(d, "no such conversion");
    bool pack = c->from == PTX_F32 &&
                (ptx_type_bytes(c->to) == 2 ? ptx_is_eight_bits(c->to)
                                            : c->to == PTX_F16X2 || c->to == PTX_BF16X2);
    if (!ptx_dec_expect_operands(d, pack ? 3 : 2, pack ? 3 : 2))
        return false;
    struct ptx_inst in = ptx_dec_inst(d, ptx_convert_handler(c), PTX_STEP);
    in.extra = c;
    if (!ptx_dec_source_n(d, 1, c->from, &in.a) ||
        (pack && !ptx_dec_source_n(d, 2, c->from, &in.b)))
        return false;
    return ptx_dec_dest_n(d, 0, c->to, &in.d) && ptx_dec_put_main(d, &in);
}

/* ---- cvta ---- */

static uint64_t window_of(unsigned space)
{
    return space == PTX_M_SHARED  ? STRATA_SHARED_WINDOW
           : space == PTX_M_LOCAL ? STRATA_LOCAL_WINDOW
                                  : 0;
}

/* To generic: set the window; from generic: remove it. Global and constant addresses are generic
 * already. */
static bool decode_cvta(struct ptx_decoder *d)
{
    static const uint8_t spaces[] = {PTX_M_GLOBAL,      PTX_M_SHARED,         PTX_M_LOCAL,
                                     PTX_M_CONST,       PTX_M_SHARED_CTA,     PTX_M_PARAM,
                                     PTX_M_PARAM_ENTRY, PTX_M_SHARED_CLUSTER, PTX_NONE};
    bool to = ptx_dec_has(d, PTX_M_TO);
    unsigned space = ptx_dec_one_of(d, spaces), type = ptx_dec_type(d, 0);
    if (space == PTX_M_SHARED_CTA || space == PTX_M_SHARED_CLUSTER)
        space = PTX_M_SHARED;
    if (!space || type != PTX_U64)
        return ptx_dec_unsupported(d, "only 64-bit addresses of the common spaces");
    uint64_t window = window_of(space);
    struct ptx_inst in = ptx_dec_inst(
        d, window ? ptx_bits_handler(to ? PTX_OP_and : PTX_OP_or, PTX_B64, 0) : ptx_mov_handler(8),
        PTX_STEP);
    if (!ptx_dec_expect_operands(d, 2, 2))
        return false;
    if (window && !ptx_dec_constant(d, PTX_U64, to ? 0x00ffffffffffffffull : window, &in.b))
        return false;
    return ptx_dec_source_n(d, 1, PTX_U64, &in.a) && ptx_dec_dest_n(d, 0, PTX_U64, &in.d) &&
           ptx_dec_put_main(d, &in);
}

static bool decode_isspacep(struct ptx_decoder *d)
{
    static const uint8_t spaces[] = {PTX_M_GLOBAL, PTX_M_SHARED,     PTX_M_LOCAL,
                                     PTX_M_CONST,  PTX_M_SHARED_CTA, PTX_M_SHARED_CLUSTER,
                                     PTX_M_PARAM,  PTX_NONE};
    unsigned space = ptx_dec_one_of(d, spaces);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_isspacep, PTX_STEP);
    in.op = (uint8_t)(space == PTX_M_SHARED_CTA || space == PTX_M_SHARED_CLUSTER ? PTX_M_SHARED
                                                                                 : space);
    return ptx_dec_expect_operands(d, 2, 2) && ptx_dec_source_n(d, 1, PTX_U64, &in.a) &&
           ptx_dec_dest_n(d, 0, PTX_PRED, &in.d) && ptx_dec_put_main(d, &in);
}

static bool decode_activemask(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_mov_activemask, PTX_STEP);
    ptx_dec_type(d, 0);
    return ptx_dec_expect_operands(d, 1, 1) && ptx_dec_dest_n(d, 0, PTX_B32, &in.d) &&
           ptx_dec_put_main(d, &in);
}

bool ptx_decode_move(struct ptx_decoder *d)
{
    switch (d->op->mnemonic) {
    case PTX_OP_mov:
        return decode_mov(d);
    case PTX_OP_cvt:
        return decode_cvt(d);
    case PTX_OP_cvta:
        return decode_cvta(d);
    case PTX_OP_isspacep:
        return decode_isspacep(d);
    default:
        return decode_activemask(d);
    }
}
