/* decode_warp.c - shfl, vote, match, redux, elect. */
#include "ptx/decode.h"

/* d or d|p */
static bool value_and_predicate(struct ptx_decoder *d, unsigned type, struct ptx_inst *in)
{
    const struct ptx_operand *o = ptx_dec_operand(d, 0);
    if (o->kind != PTX_OPERAND_PAIR)
        return ptx_dec_dest(d, o, type, &in->d);
    return ptx_dec_dest(d, &o->u.children[0], type, &in->d) &&
           ptx_dec_dest(d, &o->u.children[1], PTX_PRED, &in->d2);
}

static bool decode_shfl(struct ptx_decoder *d)
{
    static const uint8_t modes[] = {PTX_M_UP, PTX_M_DOWN, PTX_M_BFLY, PTX_M_IDX, PTX_NONE};
    bool sync = ptx_dec_has(d, PTX_M_SYNC);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_shfl, PTX_SYNC_STEP);
    in.op = (uint8_t)ptx_dec_one_of(d, modes);
    ptx_dec_type(d, 0);
    if (!in.op)
        return ptx_dec_unsupported(d, "unknown mode");
    return ptx_dec_expect_operands(d, sync ? 5 : 4, sync ? 5 : 4) &&
           ptx_dec_source_n(d, 1, PTX_B32, &in.a) && ptx_dec_source_n(d, 2, PTX_U32, &in.b) &&
           ptx_dec_source_n(d, 3, PTX_U32, &in.c) &&
           (!sync || ptx_dec_source_n(d, 4, PTX_U32, &in.e)) &&
           value_and_predicate(d, PTX_B32, &in) && ptx_dec_put_main(d, &in);
}

static bool decode_vote(struct ptx_decoder *d)
{
    static const uint8_t modes[] = {PTX_M_ALL, PTX_M_ANY, PTX_M_UNI, PTX_M_BALLOT, PTX_NONE};
    bool sync = ptx_dec_has(d, PTX_M_SYNC);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_vote, PTX_SYNC_STEP);
    in.op = (uint8_t)ptx_dec_one_of(d, modes);
    ptx_dec_type(d, 0);
    if (!in.op)
        return ptx_dec_unsupported(d, "unknown mode");
    return ptx_dec_expect_operands(d, sync ? 3 : 2, sync ? 3 : 2) &&
           ptx_dec_source_n(d, 1, PTX_PRED, &in.a) &&
           (!sync || ptx_dec_source_n(d, 2, PTX_U32, &in.e)) &&
           ptx_dec_dest_n(d, 0, in.op == PTX_M_BALLOT ? PTX_B32 : PTX_PRED, &in.d) &&
           ptx_dec_put_main(d, &in);
}

static bool decode_match(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_match, PTX_SYNC_STEP);
    unsigned type = ptx_dec_type(d, 0);
    in.op = ptx_dec_has(d, PTX_M_ALL) ? PTX_M_ALL : PTX_M_ANY;
    ptx_dec_has(d, PTX_M_ANY);
    ptx_dec_has(d, PTX_M_SYNC);
    in.width = (uint8_t)ptx_type_bytes(type);
    return ptx_dec_expect_operands(d, 3, 3) && ptx_dec_source_n(d, 1, type, &in.a) &&
           ptx_dec_source_n(d, 2, PTX_U32, &in.e) && value_and_predicate(d, PTX_B32, &in) &&
           ptx_dec_put_main(d, &in);
}

static bool decode_redux(struct ptx_decoder *d)
{
    static const uint8_t operations[] = {PTX_M_ADD, PTX_M_MIN, PTX_M_MAX, PTX_M_AND,
                                         PTX_M_OR,  PTX_M_XOR, PTX_NONE};
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_redux, PTX_SYNC_STEP);
    unsigned type = ptx_dec_type(d, 0);
    in.op = (uint8_t)ptx_dec_one_of(d, operations);
    in.is_signed = type == PTX_S32;
    ptx_dec_has(d, PTX_M_SYNC);
    if (!in.op || ptx_type_kind(type) == 'f')
        return ptx_dec_unsupported(d, "this operation or type");
    return ptx_dec_expect_operands(d, 3, 3) && ptx_dec_source_n(d, 1, type, &in.a) &&
           ptx_dec_source_n(d, 2, PTX_U32, &in.e) && ptx_dec_dest_n(d, 0, type, &in.d) &&
           ptx_dec_put_main(d, &in);
}

static bool decode_elect(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_elect, PTX_SYNC_STEP);
    ptx_dec_has(d, PTX_M_SYNC);
    if (!ptx_dec_expect_operands(d, 2, 2) || !value_and_predicate(d, PTX_B32, &in) ||
        !ptx_dec_source_n(d, 1, PTX_U32, &in.e))
        return false;
    if (in.d2 == PTX_NO_REF)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"elect\" needs a predicate");
    return ptx_dec_put_main(d, &in);
}

bool ptx_decode_warp(struct ptx_decoder *d)
{
    switch (d->op->mnemonic) {
    case PTX_OP_shfl:
        return decode_shfl(d);
    case PTX_OP_vote:
        return decode_vote(d);
    case PTX_OP_match:
        return decode_match(d);
    case PTX_OP_redux:
        return decode_redux(d);
    default:
        return decode_elect(d);
    }
}
