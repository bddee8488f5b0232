/* decode_logic.c - bit operations, comparisons, selection. */
#include "ptx/decode.h"

static const uint8_t comparisons[] = {PTX_M_EQ,  PTX_M_NE,  PTX_M_LT,  PTX_M_LE,  PTX_M_GT,
                                      PTX_M_GE,  PTX_M_LO,  PTX_M_LS,  PTX_M_HI,  PTX_M_HS,
                                      PTX_M_EQU, PTX_M_NEU, PTX_M_LTU, PTX_M_LEU, PTX_M_GTU,
                                      PTX_M_GEU, PTX_M_NUM, PTX_M_NAN, PTX_NONE};
static const uint8_t combinations[] = {PTX_M_AND, PTX_M_OR, PTX_M_XOR, PTX_NONE};

/* ---- comparisons ---- */

/* setp.CMP[.BOOL] p[|q], a, b[, c] */
static bool compare(struct ptx_decoder *d, unsigned type, uint32_t p, uint32_t q, bool main)
{
    unsigned comparison = ptx_dec_one_of(d, comparisons);
    bool ftz = ptx_dec_has(d, PTX_M_FTZ);
    struct ptx_inst in = ptx_dec_inst(d, ptx_compare_handler(comparison, type, ftz), PTX_STEP);
    in.op = (uint8_t)ptx_dec_one_of(d, combinations);
    in.imm = comparison;
    in.space = (uint8_t)type;
    in.flags |= ftz ? PTX_INST_FTZ : 0;
    in.d = p;
    in.d2 = q;
    if (!ptx_dec_expect_operands(d, in.op ? 4 : 3, in.op ? 4 : 3))
        return false;
    if (!ptx_dec_source_n(d, 1, type, &in.a) || !ptx_dec_source_n(d, 2, type, &in.b))
        return false;
    if (in.op && !ptx_dec_source_n(d, 3, PTX_PRED, &in.c))
        return false;
    return main ? ptx_dec_put_main(d, &in) : ptx_dec_put(d, &in);
}

static bool decode_setp(struct ptx_decoder *d)
{
    unsigned type = ptx_dec_type(d, 0);
    const struct ptx_operand *o = ptx_dec_operand(d, 0);
    uint32_t p = PTX_NO_REF, q = PTX_NO_REF;
    if (o->kind == PTX_OPERAND_PAIR) {
        if (!ptx_dec_dest(d, &o->u.children[0], PTX_PRED, &p) ||
            !ptx_dec_dest(d, &o->u.children[1], PTX_PRED, &q))
            return false;
    } else if (!ptx_dec_dest(d, o, PTX_PRED, &p)) {
        return false;
    }
    return compare(d, type, p, q, true);
}

/* set.CMP.dtype.stype: a number instead of a predicate: all ones, or 1.0 for floats. */
static uint32_t set_result(unsigned to, bool pair)
{
    switch (to) {
    case PTX_F32:
        return 0x3f800000u;
    case PTX_F16:
    case PTX_F16X2:
        return 0x3c00u;
    case PTX_BF16:
    case PTX_BF16X2:
        return 0x3f80u;
    default:
        return pair || ptx_type_bytes(to) == 2 ? 0xffffu : 0xffffffffu;
    }
}

/* Of pairs, a pair: the halves of an integer are all ones by themselves. */
static bool set_pair(struct ptx_decoder *d, unsigned to, unsigned from)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_set_pair, PTX_STEP);
    if (to != from && to != PTX_U32 && to != PTX_S32)
        return ptx_dec_unsupported(d, "of pairs come pairs of the same type, .u32 or .s32");
    if (!ptx_dec_temp(d, PTX_PRED, &in.a) || !ptx_dec_temp(d, PTX_PRED, &in.b) ||
        !compare(d, from, in.a, in.b, false))
        return false;
    in.imm = set_result(to, true);
    return ptx_dec_dest_n(d, 0, to, &in.d) && ptx_dec_put_main(d, &in);
}

static bool decode_set(struct ptx_decoder *d)
{
    unsigned to = ptx_dec_type(d, 0), from = ptx_dec_type(d, 1);
    uint32_t p, one, zero;
    if (!from)
        return ptx_dec_unsupported(d, "it needs two types");
    if (from == PTX_F16X2 || from == PTX_BF16X2)
        return set_pair(d, to, from);
    if (to == PTX_F16X2 || to == PTX_BF16X2)
        return ptx_dec_unsupported(d, "paired results of single values");
    if (!ptx_dec_temp(d, PTX_PRED, &p) || !compare(d, from, p, PTX_NO_REF, false))
        return false;
    if (!ptx_dec_constant(d, PTX_U32, set_result(to, false), &one) ||
        !ptx_dec_constant(d, PTX_U32, 0, &zero))
        return false;
    struct ptx_inst in = ptx_dec_inst(d, ptx_select_handler(4), PTX_STEP);
    in.a = one;
    in.b = zero;
    in.c = p;
    return ptx_dec_dest_n(d, 0, to, &in.d) && ptx_dec_put_main(d, &in);
}

static bool decode_selp(struct ptx_decoder *d)
{
    unsigned type = ptx_dec_type(d, 0);
    struct ptx_inst in = ptx_dec_inst(d, ptx_select_handler(ptx_lane_bytes(type)), PTX_STEP);
    return ptx_dec_expect_operands(d, 4, 4) && ptx_dec_source_n(d, 1, type, &in.a) &&
           ptx_dec_source_n(d, 2, type, &in.b) && ptx_dec_source_n(d, 3, PTX_PRED, &in.c) &&
           ptx_dec_dest_n(d, 0, type, &in.d) && ptx_dec_put_main(d, &in);
}

static bool decode_slct(struct ptx_decoder *d)
{
    unsigned type = ptx_dec_type(d, 0), condition = ptx_dec_type(d, 1);
    ptx_dec_has(d, PTX_M_FTZ); /* a flushed number keeps its sign */
    if (condition != PTX_S32 && condition != PTX_F32)
        return ptx_dec_unsupported(d, "the selector is .s32 or .f32");
    struct ptx_inst in =
        ptx_dec_inst(d, ptx_slct_handler(ptx_lane_bytes(type), condition == PTX_F32), PTX_STEP);
    return ptx_dec_expect_operands(d, 4, 4) && ptx_dec_source_n(d, 1, type, &in.a) &&
           ptx_dec_source_n(d, 2, type, &in.b) && ptx_dec_source_n(d, 3, condition, &in.c) &&
           ptx_dec_dest_n(d, 0, type, &in.d) && ptx_dec_put_main(d, &in);
}

static bool decode_testp(struct ptx_decoder *d)
{
    static const uint8_t properties[] = {PTX_M_FINITE,     PTX_M_INFINITE, PTX_M_NUMBER,
                                         PTX_M_NOTANUMBER, PTX_M_NORMAL,   PTX_M_SUBNORMAL,
                                         PTX_NONE};
    unsigned type = ptx_dec_type(d, 0);
    struct ptx_inst in = ptx_dec_inst(d, ptx_testp_handler(type), PTX_STEP);
    in.op = (uint8_t)ptx_dec_one_of(d, properties);
    return ptx_dec_expect_operands(d, 2, 2) && ptx_dec_source_n(d, 1, type, &in.a) &&
           ptx_dec_dest_n(d, 0, PTX_PRED, &in.d) && ptx_dec_put_main(d, &in);
}

/* ---- bits ---- */

/* Bit types stand for the unsigned or signed ones of the same size. */
static unsigned bit_type(unsigned type)
{
    switch (ptx_type_bytes(type)) {
    case 2:
        return PTX_B16;
    case 4:
        return PTX_B32;
    case 8:
        return PTX_B64;
    default:
        return type;
    }
}

static bool decode_shf(struct ptx_decoder *d)
{
    unsigned direction = ptx_dec_has(d, PTX_M_L) ? PTX_M_L : PTX_M_R;
    bool wrap = ptx_dec_has(d, PTX_M_WRAP);
    ptx_dec_has(d, PTX_M_R);
    ptx_dec_has(d, PTX_M_CLAMP);
    unsigned type = ptx_dec_type(d, 0);
    struct ptx_inst in = ptx_dec_inst(
        d, ptx_bits_handler(PTX_OP_shf, type, direction | (unsigned)wrap << 8), PTX_STEP);
    return ptx_dec_expect_operands(d, 4, 4) && ptx_dec_source_n(d, 1, PTX_B32, &in.a) &&
           ptx_dec_source_n(d, 2, PTX_B32, &in.b) && ptx_dec_source_n(d, 3, PTX_U32, &in.c) &&
           ptx_dec_dest_n(d, 0, PTX_B32, &in.d) && ptx_dec_put_main(d, &in);
}

static bool decode_lop3(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_bits_handler(PTX_OP_lop3, PTX_B32, 0), PTX_STEP);
    uint64_t table;
    ptx_dec_type(d, 0);
    if (ptx_dec_one_of(d, combinations))
        return ptx_dec_unsupported(d, "the form with a predicate");
    if (!ptx_dec_expect_operands(d, 5, 5))
        return false;
    if (!ptx_dec_immediate(ptx_dec_operand(d, 4), &table))
        return ptx_dec_fail(d, STRATA_EFORMAT, "the truth table of lop3 is not a constant");
    in.imm = (int64_t)(table & 0xff);
    return ptx_dec_source_n(d, 1, PTX_B32, &in.a) && ptx_dec_source_n(d, 2, PTX_B32, &in.b) &&
           ptx_dec_source_n(d, 3, PTX_B32, &in.c) && ptx_dec_dest_n(d, 0, PTX_B32, &in.d) &&
           ptx_dec_put_main(d, &in);
}

static bool decode_prmt(struct ptx_decoder *d)
{
    static const uint8_t modes[] = {PTX_M_F4E, PTX_M_B4E,  PTX_M_RC8, PTX_M_ECL,
                                    PTX_M_ECR, PTX_M_RC16, PTX_NONE};
    struct ptx_inst in = ptx_dec_inst(d, ptx_bits_handler(PTX_OP_prmt, PTX_B32, 0), PTX_STEP);
    ptx_dec_type(d, 0);
    in.op = (uint8_t)ptx_dec_one_of(d, modes);
    return ptx_dec_expect_operands(d, 4, 4) && ptx_dec_source_n(d, 1, PTX_B32, &in.a) &&
           ptx_dec_source_n(d, 2, PTX_B32, &in.b) && ptx_dec_source_n(d, 3, PTX_B32, &in.c) &&
           ptx_dec_dest_n(d, 0, PTX_B32, &in.d) && ptx_dec_put_main(d, &in);
}

static bool decode_dot(struct ptx_decoder *d)
{
    unsigned a = ptx_dec_type(d, 0), b = ptx_dec_type(d, 1);
    struct ptx_inst in = ptx_dec_inst(d, ptx_bits_handler(d->op->mnemonic, PTX_B32, 0), PTX_STEP);
    in.op = (uint8_t)((a == PTX_S32) | (b == PTX_S32) << 1 | ptx_dec_has(d, PTX_M_HI) << 2);
    ptx_dec_has(d, PTX_M_LO);
    return ptx_dec_expect_operands(d, 4, 4) && ptx_dec_source_n(d, 1, PTX_B32, &in.a) &&
           ptx_dec_source_n(d, 2, PTX_B32, &in.b) && ptx_dec_source_n(d, 3, PTX_B32, &in.c) &&
           ptx_dec_dest_n(d, 0, PTX_B32, &in.d) && ptx_dec_put_main(d, &in);
}

/* Results and operands of types of their own: popc, clz, bfind, shifts, bit fields, masks. */
struct shape {
    uint8_t mnemonic;
    uint8_t n;         /* operands */
    bool result_is_32; /* whatever the type of the source */
    uint8_t wide;      /* bit i: operand i has the instruction's type, else it is 32 bits */
    bool bits;         /* types are reduced to b16, b32, b64 */
};
static const struct shape shapes[] = {
    {PTX_OP_popc, 2, true, 2, true},   {PTX_OP_clz, 2, true, 2, true},
    {PTX_OP_bfind, 2, true, 2, false}, {PTX_OP_brev, 2, false, 2, true},
    {PTX_OP_shl, 3, false, 2, true},   {PTX_OP_shr, 3, false, 2, false},
    {PTX_OP_bfe, 4, false, 2, false},  {PTX_OP_bfi, 5, false, 6, true},
    {PTX_OP_bmsk, 3, true, 0, true},   {PTX_OP_szext, 3, true, 0, false},
    {PTX_OP_fns, 4, true, 0, true},    {PTX_OP_and, 3, false, 6, true},
    {PTX_OP_or, 3, false, 6, true},    {PTX_OP_xor, 3, false, 6, true},
    {PTX_OP_not, 2, false, 2, true},   {PTX_OP_cnot, 2, false, 2, true},
};

static bool decode_shape(struct ptx_decoder *d, const struct shape *s)
{
    static const uint8_t variants[] = {PTX_M_CLAMP, PTX_M_WRAP, PTX_M_SHIFTAMT, PTX_NONE};
    unsigned type = ptx_dec_type(d, 0), variant = ptx_dec_one_of(d, variants);
    if (s->bits && type != PTX_PRED)
        type = bit_type(type);
    struct ptx_inst in = ptx_dec_inst(d, ptx_bits_handler(s->mnemonic, type, variant), PTX_STEP);
    uint32_t *sources[] = {&in.a, &in.b, &in.c, &in.e};
    if (!in.run)
        return ptx_dec_unsupported(d, "this type or mode does not exist");
    if (!ptx_dec_expect_operands(d, s->n, s->n))
        return false;
    for (unsigned i = 1; i < s->n; i++)
        if (!ptx_dec_source_n(d, i, s->wide >> i & 1 ? type : PTX_U32, sources[i - 1]))
            return false;
    return ptx_dec_dest_n(d, 0, s->result_is_32 ? PTX_U32 : type, &in.d) &&
           ptx_dec_put_main(d, &in);
}

bool ptx_decode_logic(struct ptx_decoder *d)
{
    switch (d->op->mnemonic) {
    case PTX_OP_setp:
        return decode_setp(d);
    case PTX_OP_set:
        return decode_set(d);
    case PTX_OP_selp:
        return decode_selp(d);
    case PTX_OP_slct:
        return decode_slct(d);
    case PTX_OP_testp:
        return decode_testp(d);
    case PTX_OP_shf:
        return decode_shf(d);
    case PTX_OP_lop3:
        return decode_lop3(d);
    case PTX_OP_prmt:
        return decode_prmt(d);
    case PTX_OP_dp4a:
    case PTX_OP_dp2a:
        return decode_dot(d);
    default:
        break;
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].mnemonic == d->op->mnemonic)
            return decode_shape(d, &shapes[i]);
    return ptx_dec_unsupported(d, "it is unknown");
}
