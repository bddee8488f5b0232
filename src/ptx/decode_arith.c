/* decode_arith.c - arithmetic: integers, floats, halves, approximations. */
#include "ptx/decode.h"
#include "ptx/rare_code.h"

static const uint8_t roundings[] = {PTX_M_RN, PTX_M_RZ, PTX_M_RM, PTX_M_RP, PTX_NONE};
static const uint8_t halves[] = {PTX_M_LO, PTX_M_HI, PTX_M_WIDE, PTX_NONE};

/* d and the sources a, b, c as far as there are operands, all of one type. */
static bool same_type_operands(struct ptx_decoder *d, struct ptx_inst *in, unsigned type)
{
    unsigned n = d->op->n_operands;
    if (!ptx_dec_expect_operands(d, 2, 4))
        return false;
    return ptx_dec_source_n(d, 1, type, &in->a) &&
           (n < 3 || ptx_dec_source_n(d, 2, type, &in->b)) &&
           (n < 4 || ptx_dec_source_n(d, 3, type, &in->c)) && ptx_dec_dest_n(d, 0, type, &in->d);
}

/* ---- integers ---- */

static unsigned widened(unsigned type)
{
    switch (type) {
    case PTX_U16:
        return PTX_U32;
    case PTX_S16:
        return PTX_S32;
    case PTX_U32:
        return PTX_U64;
    case PTX_S32:
        return PTX_S64;
    default:
        return PTX_NONE;
    }
}

static unsigned operand_count(unsigned mnemonic)
{
    switch (mnemonic) {
    case PTX_OP_mad:
    case PTX_OP_madc:
    case PTX_OP_mad24:
    case PTX_OP_sad:
    case PTX_OP_fma:
        return 4;
    case PTX_OP_neg:
    case PTX_OP_abs:
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_rsqrt:
    case PTX_OP_sin:
    case PTX_OP_cos:
    case PTX_OP_ex2:
    case PTX_OP_lg2:
    case PTX_OP_tanh:
        return 2;
    default:
        return 3;
    }
}

static bool decode_carry(struct ptx_decoder *d, unsigned type, unsigned variant, bool carry_out)
{
    unsigned mnemonic = d->op->mnemonic;
    bool carry_in = mnemonic == PTX_OP_addc || mnemonic == PTX_OP_subc || mnemonic == PTX_OP_madc;
    struct ptx_inst in = ptx_dec_inst(d, ptx_carry_handler(mnemonic, type, variant), PTX_STEP);
    in.op = (uint8_t)((carry_in ? PTX_CARRY_IN : 0) | (carry_out ? PTX_CARRY_OUT : 0));
    in.is_signed = ptx_type_kind(type) == 's';
    in.d2 = d->carry_ref;
    return same_type_operands(d, &in, type) && ptx_dec_put_main(d, &in);
}

static bool decode_wide(struct ptx_decoder *d, unsigned type)
{
    unsigned wide = widened(type);
    struct ptx_inst in =
        ptx_dec_inst(d, ptx_int_handler(d->op->mnemonic, type, PTX_M_WIDE), PTX_STEP);
    if (!wide || !in.run)
        return ptx_dec_unsupported(d, "this type has no wide product");
    if (!ptx_dec_source_n(d, 1, type, &in.a) || !ptx_dec_source_n(d, 2, type, &in.b))
        return false;
    if (d->op->mnemonic == PTX_OP_mad && !ptx_dec_source_n(d, 3, wide, &in.c))
        return false;
    return ptx_dec_dest_n(d, 0, wide, &in.d) && ptx_dec_put_main(d, &in);
}

static bool decode_int(struct ptx_decoder *d, unsigned type)
{
    unsigned mnemonic = d->op->mnemonic;
    unsigned variant = ptx_dec_one_of(d, halves);
    bool carry_out = ptx_dec_has(d, PTX_M_CC), sat = ptx_dec_has(d, PTX_M_SAT);
    if (carry_out || mnemonic == PTX_OP_addc || mnemonic == PTX_OP_subc || mnemonic == PTX_OP_madc)
        return decode_carry(d, type, variant, carry_out);
    if (variant == PTX_M_WIDE)
        return decode_wide(d, type);
    if (sat)
        variant = PTX_M_SAT;
    struct ptx_inst in = ptx_dec_inst(d, ptx_int_handler(mnemonic, type, variant), PTX_STEP);
    return same_type_operands(d, &in, type) && ptx_dec_put_main(d, &in);
}

/* ---- halves ---- */

static bool is_half(unsigned type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
}

static bool decode_half(struct ptx_decoder *d, unsigned type)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_half_handler(d->op->mnemonic, type), PTX_STEP);
    in.imm = d->op->mnemonic;
    ptx_dec_has(d, PTX_M_RN);
    ptx_dec_has(d, PTX_M_APPROX);
    if (ptx_dec_has(d, PTX_M_FTZ))
        in.flags |= PTX_INST_FTZ;
    if (ptx_dec_has(d, PTX_M_SAT))
        in.flags |= PTX_INST_SAT;
    if (ptx_dec_has(d, PTX_M_RELU))
        in.op = PTX_M_RELU;
    if (ptx_dec_has(d, PTX_M_PROPAGATE_NAN))
        in.op = PTX_M_PROPAGATE_NAN;
    return same_type_operands(d, &in, type) && ptx_dec_put_main(d, &in);
}

/* ---- floats ---- */

static ptx_handler *approximation(struct ptx_decoder *d, unsigned type, bool ftz)
{
    unsigned mnemonic = d->op->mnemonic;
    if (type == PTX_F64 && ftz)
        return ptx_seed_handler(mnemonic);
    if (mnemonic == PTX_OP_div || mnemonic == PTX_OP_rcp || mnemonic == PTX_OP_sqrt)
        return ptx_float_handler(mnemonic, type, ftz, false);
    return ptx_approx_handler(mnemonic, type);
}

/* A division or a root whose machine code may call more. */
static bool add_rare_code(struct ptx_decoder *d, struct ptx_inst *in, unsigned type)
{
    unsigned code = ptx_rare_code(d->op->text);
    struct ptx_rare *rare = code == PTX_NO_RARE_CODE ? NULL : ptx_dec_allocate(d, sizeof *rare);
    if (code == PTX_NO_RARE_CODE || !in->run)
        return true;
    if (!rare)
        return false;
    *rare = (struct ptx_rare){in->run, (uint8_t)code, d->op->mnemonic, type == PTX_F64};
    in->run = ptx_run_rare;
    in->extra = rare;
    d->image->rare_used |= 1u << code;
    return true;
}

static bool decode_float(struct ptx_decoder *d, unsigned type)
{
    unsigned mnemonic = d->op->mnemonic, rounding = ptx_dec_one_of(d, roundings);
    bool ftz = ptx_dec_has(d, PTX_M_FTZ), sat = ptx_dec_has(d, PTX_M_SAT);
    bool approx = ptx_dec_has(d, PTX_M_APPROX) || ptx_dec_has(d, PTX_M_FULL);
    struct ptx_inst in = ptx_dec_inst(d, NULL, PTX_STEP);
    in.flags = (uint8_t)((ftz ? PTX_INST_FTZ : 0) | (sat ? PTX_INST_SAT : 0));
    in.imm = mnemonic;
    in.op = (uint8_t)rounding;
    if (approx)
        in.run = approximation(d, type, ftz);
    else if (rounding && rounding != PTX_M_RN)
        in.run = ptx_rounded_handler(mnemonic, type);
    else if ((mnemonic == PTX_OP_min || mnemonic == PTX_OP_max) &&
             ptx_dec_has(d, PTX_M_PROPAGATE_NAN))
        in.run = type == PTX_F32 && !ftz ? ptx_minmax_nan_handler(mnemonic) : NULL;
    else
        in.run = ptx_float_handler(mnemonic, type, ftz, sat);
    return add_rare_code(d, &in, type) && same_type_operands(d, &in, type) &&
           ptx_dec_put_main(d, &in);
}

bool ptx_decode_arith(struct ptx_decoder *d)
{
    unsigned type = ptx_dec_type(d, 0), n = operand_count(d->op->mnemonic);
    if (!type)
        return ptx_dec_unsupported(d, "it lacks a type");
    if (!ptx_dec_expect_operands(d, n, n))
        return false;
    if (is_half(type))
        return decode_half(d, type);
    if (type == PTX_F32 || type == PTX_F64)
        return decode_float(d, type);
    return decode_int(d, type);
}
