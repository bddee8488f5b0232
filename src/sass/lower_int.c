/* lower_int.c - lowering of integer instructions. */
#include "sass/lower.h"

#define O(n)      sass_operand_get(l, n)
#define MOD(kind) sass_mod_get(l, SASS_M_##kind)

/* Pairs of uniform registers; the carry goes nowhere. */
static bool lower_iadd3_64(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    uint32_t *rows[] = {&op->a, &op->b, &op->c};
    if (sass_lower_pred_dest(O(1)) != SASS_PRED_SINK ||
        sass_lower_pred_dest(O(2)) != SASS_PRED_SINK)
        return sass_lower_refuse(l, "the carry of a 64-bit sum is not known");
    op->d = sass_lower_dest(l, O(0));
    op->words = 2;
    for (unsigned k = 0; k < 3; k++) {
        *rows[k] = sass_lower_row(l, O(3 + k), 2);
        op->prep[k] = O(3 + k)->flags & SASS_NEG ? SASS_PREP_INEG : SASS_PREP_NONE;
    }
    op->run = sass_run_iadd64;
    return true;
}

/* RD, PD, PD, A, B, C [, P, P] */
bool sass_lower_iadd3(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool extended = MOD(CARRY_IN) == SASS_W_X;
    if (MOD(SIZE) == SASS_W_64)
        return lower_iadd3_64(l);
    op->d = sass_lower_dest(l, O(0));
    op->pd = sass_lower_pred_dest(O(1));
    op->pd2 = sass_lower_pred_dest(O(2));
    for (unsigned k = 0; k < 3; k++)
        sass_lower_source(l, k, O(3 + k), SASS_INTEGER);
    if (!extended && op->pd == SASS_PRED_SINK && op->pd2 == SASS_PRED_SINK) {
        op->run = sass_run_iadd;
        return true;
    }
    op->run = sass_run_iadd_carry;
    op->ps = op->ps2 = SASS_PRED_TRUE | SASS_PRED_NOT;
    if (extended) {
        op->ps = sass_lower_pred(O(6));
        op->ps2 = sass_lower_pred(O(7));
    }
    for (unsigned k = 0; k < 3; k++)
        if (op->prep[k] == SASS_PREP_INEG) {
            op->prep[k] = SASS_PREP_INOT;
            op->imm++;
        }
    return true;
}

/* RD [, PD], A, B, C [, P] */
bool sass_lower_imad(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool wide = MOD(MODE) == SASS_W_WIDE, high = MOD(MODE) == SASS_W_HI;
    bool extended = MOD(CARRY_IN) == SASS_W_X;
    unsigned first = wide || high ? 2 : 1;
    op->d = sass_lower_dest(l, O(0));
    op->is_signed = MOD(SIGN) != SASS_W_U32;
    sass_lower_source(l, 0, O(first), SASS_INTEGER);
    sass_lower_source(l, 1, O(first + 1), SASS_INTEGER);
    if (extended)
        op->ps = sass_lower_pred(O(first + 3));
    if (!wide && !high) {
        sass_lower_source(l, 2, O(first + 2), SASS_INTEGER);
        op->run = extended ? sass_run_imad_x : sass_run_imad;
        return true;
    }
    const struct sass_operand *c = O(first + 2);
    struct sass_operand plain = *c;
    if (plain.kind == SASS_IMM && !op->is_signed)
        plain.value = (uint32_t)plain.value;
    op->c = sass_lower_row(l, &plain, 2);
    op->mode3 = c->flags & SASS_NEG ? 1 : c->flags & SASS_NOT ? 2 : 0;
    op->pd = sass_lower_pred_dest(O(1));
    if (!extended)
        op->ps = SASS_PRED_TRUE | SASS_PRED_NOT;
    op->mode2 = extended || op->pd != SASS_PRED_SINK;
    op->run = wide ? sass_run_imad_wide : sass_run_imad_high;
    return true;
}

bool sass_lower_idp(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->d = sass_lower_dest(l, O(0));
    for (unsigned k = 0; k < 3; k++)
        sass_lower_source(l, k, O(1 + k), SASS_INTEGER);
    if (l->in->op == SASS_VABSDIFF) {
        op->run = sass_run_vabsdiff;
        op->is_signed = MOD(SIGN) != SASS_W_U32;
        return true;
    }
    if (l->in->op == SASS_VABSDIFF4) {
        op->run = sass_run_vabsdiff4;
        op->is_signed = MOD(TYPE) == SASS_W_S8;
        op->mode = MOD(MODE) == SASS_W_ACC;
        return true;
    }
    if (MOD(SAT) == SASS_W_SAT)
        return sass_lower_refuse(l, "saturated sums of products are not known");
    op->mode = MOD(SRC_TYPE) == SASS_W_S8 || MOD(SRC_TYPE) == SASS_W_S16;
    op->mode2 = MOD(SRC_TYPE2) == SASS_W_S8;
    op->mode3 = MOD(HIGH) == SASS_W_HI;
    op->run = MOD(MODE) == SASS_W_4A ? sass_run_idp4 : sass_run_idp2;
    return true;
}

/* RD, PD, A, B [, C], IMM [, P] */
bool sass_lower_lea(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool high = MOD(HIGH) == SASS_W_HI, extended = MOD(CARRY_IN) == SASS_W_X;
    bool has_c = high && MOD(SIGN) != SASS_W_SX32;
    const struct sass_operand *a = O(2);
    op->d = sass_lower_dest(l, O(0));
    op->pd = sass_lower_pred_dest(O(1));
    op->a = sass_lower_row(l, a, 1);
    op->mode = a->flags & SASS_NEG ? 1 : a->flags & SASS_NOT ? 2 : 0;
    sass_lower_source(l, 1, O(3), SASS_INTEGER);
    if (op->prep[1] == SASS_PREP_INEG) {
        op->prep[1] = SASS_PREP_INOT;
        op->mode2 = 1;
    }
    if (has_c)
        sass_lower_source(l, 2, O(4), SASS_INTEGER);
    op->is_signed = high && !has_c;
    op->imm = O(has_c ? 5 : 4)->value;
    op->mode3 = extended;
    if (extended)
        op->ps = sass_lower_pred(O(has_c ? 6 : 5));
    if (!high && op->mode2 && !op->mode && !extended && op->pd == SASS_PRED_SINK)
        op->mode = 0, op->prep[1] = SASS_PREP_INEG, op->mode2 = 0;
    op->run = high ? sass_run_lea_high : sass_run_lea;
    return true;
}

/* PD, RD, A, B, C, IMM, P */
bool sass_lower_lop3(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->pd = sass_lower_pred_dest(O(0));
    op->d = sass_lower_dest(l, O(1));
    for (unsigned k = 0; k < 3; k++)
        sass_lower_source(l, k, O(2 + k), SASS_INTEGER);
    op->mode = (uint8_t)O(5)->value;
    op->ps = sass_lower_pred(O(6));
    op->mode2 = MOD(BOOL) == SASS_W_PAND;
    op->run = op->pd == SASS_PRED_SINK ? sass_run_lop3 : sass_run_lop3_pred;
    return true;
}

/* PD, PD, P, P, P, IMM, IMM */
bool sass_lower_plop3(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->pd = sass_lower_pred_dest(O(0));
    op->pd2 = sass_lower_pred_dest(O(1));
    op->ps = sass_lower_pred(O(2));
    op->ps2 = sass_lower_pred(O(3));
    op->ps3 = sass_lower_pred(O(4));
    op->mode = (uint8_t)O(5)->value;
    op->mode2 = (uint8_t)O(6)->value;
    op->run = sass_run_plop3;
    return true;
}

/* RD, A, B, C: the plain shifts of one word have handlers of their own. */
bool sass_lower_shf(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    uint16_t type = MOD(TYPE);
    op->d = sass_lower_dest(l, O(0));
    for (unsigned k = 0; k < 3; k++)
        sass_lower_source(l, k, O(1 + k), SASS_INTEGER);
    op->mode = MOD(DIRECTION) == SASS_W_R;
    op->mode2 = MOD(HIGH) == SASS_W_HI;
    op->mode3 = MOD(WRAP) == SASS_W_W;
    op->width = type == SASS_W_S64 || type == SASS_W_U64 ? 64 : 32;
    op->is_signed = type == SASS_W_S64 || type == SASS_W_S32;
    bool narrow = op->width == 32 && !op->mode3;
    if (narrow && !op->mode && !op->mode2)
        op->run = sass_run_shl;
    else if (narrow && op->mode && op->mode2)
        op->run = op->is_signed ? sass_run_shr_s : sass_run_shr_u;
    else
        op->run = sass_run_shf;
    return true;
}

static uint8_t bool_of(uint16_t word)
{
    return word == SASS_W_OR ? SASS_BOOL_OR : word == SASS_W_XOR ? SASS_BOOL_XOR : SASS_BOOL_AND;
}

/* PD, PD, A, B, P [, P] */
bool sass_lower_isetp(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->pd = sass_lower_pred_dest(O(0));
    op->pd2 = sass_lower_pred_dest(O(1));
    sass_lower_source(l, 0, O(2), SASS_INTEGER);
    sass_lower_source(l, 1, O(3), SASS_INTEGER);
    op->ps = sass_lower_pred(O(4));
    op->mode2 = bool_of(MOD(BOOL));
    if (MOD(SIGN) == SASS_W_U64 || MOD(SIGN) == SASS_W_S64)
        return sass_lower_refuse(l, "64-bit comparisons in one instruction are not known");
    op->is_signed = MOD(SIGN) != SASS_W_U32;
    op->mode3 = MOD(CARRY_IN) == SASS_W_EX;
    if (op->mode3)
        op->ps2 = sass_lower_pred(O(5));
    switch (MOD(CMP)) {
    case SASS_W_LT:
        op->mode = SASS_CMP_LESS;
        break;
    case SASS_W_EQ:
        op->mode = SASS_CMP_EQUAL;
        break;
    case SASS_W_LE:
        op->mode = SASS_CMP_LESS | SASS_CMP_EQUAL;
        break;
    case SASS_W_GT:
        op->mode = SASS_CMP_GREATER;
        break;
    case SASS_W_NE:
        op->mode = SASS_CMP_LESS | SASS_CMP_GREATER;
        break;
    case SASS_W_GE:
        op->mode = SASS_CMP_GREATER | SASS_CMP_EQUAL;
        break;
    case SASS_W_T:
        op->mode = SASS_CMP_LESS | SASS_CMP_EQUAL | SASS_CMP_GREATER;
        break;
    default:
        op->mode = 0;
    }
    op->run = sass_run_isetp;
    return true;
}

bool sass_lower_prmt(struct sass_lowering *l)
{
    static const uint16_t modes[] = {SASS_W_NONE, SASS_W_F4E, SASS_W_B4E, SASS_W_RC8,
                                     SASS_W_ECL,  SASS_W_ECR, SASS_W_RC16};
    struct sass_exec *op = l->op;
    op->d = sass_lower_dest(l, O(0));
    for (unsigned k = 0; k < 3; k++)
        sass_lower_source(l, k, O(1 + k), SASS_INTEGER);
    for (uint8_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (modes[k] == MOD(MODE))
            op->mode = k;
    op->run = sass_run_prmt;
    return true;
}

/* RD [, PD], B */
bool sass_lower_one_source(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool flo = l->in->op == SASS_FLO || l->in->op == SASS_UFLO;
    op->d = sass_lower_dest(l, O(0));
    if (flo)
        op->pd = sass_lower_pred_dest(O(1));
    sass_lower_source(l, 1, O(flo ? 2 : 1), SASS_INTEGER);
    op->is_signed = MOD(SIGN) != SASS_W_U32;
    op->mode = MOD(MODE) == SASS_W_SH;
    switch (l->in->op) {
    case SASS_IABS:
        op->run = sass_run_iabs;
        break;
    case SASS_POPC:
    case SASS_UPOPC:
        op->run = sass_run_popc;
        break;
    case SASS_BREV:
    case SASS_UBREV:
        op->run = sass_run_brev;
        break;
    default:
        op->run = sass_run_flo;
    }
    return true;
}

bool sass_lower_two_sources(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->d = sass_lower_dest(l, O(0));
    sass_lower_source(l, 0, O(1), SASS_INTEGER);
    sass_lower_source(l, 1, O(2), SASS_INTEGER);
    op->is_signed = MOD(SIGN) != SASS_W_U32;
    op->mode3 = MOD(WRAP) == SASS_W_W;
    op->run = l->in->op == SASS_VIADD                             ? sass_run_iadd
              : l->in->op == SASS_SGXT || l->in->op == SASS_USGXT ? sass_run_sgxt
                                                                  : sass_run_bmsk;
    return true;
}

/* RD, A, B [, C], P */
bool sass_lower_minmax(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    unsigned sources = l->in->op == SASS_IMNMX || l->in->op == SASS_VIMNMX ? 2 : 3;
    uint16_t type = l->in->op == SASS_IMNMX ? MOD(SIGN) : MOD(TYPE);
    bool halves = type == SASS_W_U16x2 || type == SASS_W_S16x2;
    if (O(1)->kind == SASS_PRED) /* two more results on some architectures */
        return sass_lower_refuse(l, "VIMNMX with predicates is not known");
    op->d = sass_lower_dest(l, O(0));
    for (unsigned k = 0; k < sources; k++)
        sass_lower_source(l, k, O(1 + k), SASS_INTEGER);
    op->ps = sass_lower_pred(O(1 + sources));
    op->is_signed = type != SASS_W_U32 && type != SASS_W_U16x2;
    op->mode = MOD(RELU) == SASS_W_RELU;
    if (halves && (sources == 3 || op->mode))
        return sass_lower_refuse(l, "this form for pairs of 16 bits is not known");
    op->run = halves                        ? sass_run_imnmx16
              : sources == 2                ? sass_run_imnmx
              : l->in->op == SASS_VIADDMNMX ? sass_run_iaddmnmx
                                            : sass_run_imnmx3;
    return true;
}

/* RD, A, B, P */
bool sass_lower_sel(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool is_float = l->in->op == SASS_FSEL;
    if (MOD(SIZE) == SASS_W_64)
        return sass_lower_refuse(l, "64-bit selection is not known");
    op->d = sass_lower_dest(l, O(0));
    sass_lower_source(l, 0, O(1), is_float ? SASS_FLOAT : SASS_INTEGER);
    sass_lower_source(l, 1, O(2), is_float ? SASS_FLOAT : SASS_INTEGER);
    op->ps = sass_lower_pred(O(3));
    op->ftz = MOD(FTZ) == SASS_W_FTZ;
    op->run = is_float ? sass_run_fsel : sass_run_sel;
    return true;
}

/* RD, B */
bool sass_lower_mov(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->words = MOD(SIZE) == SASS_W_64 ? 2 : 1;
    op->d = sass_lower_dest(l, O(0));
    op->b = sass_lower_row(l, O(1), op->words);
    op->run = sass_run_mov;
    return true;
}

static uint8_t byte_of(uint16_t word)
{
    return word == SASS_W_B1 ? 1 : word == SASS_W_B2 ? 2 : word == SASS_W_B3 ? 3 : 0;
}

/* P2R: RD, PR, A, IMM. R2P: PR, A, B. */
bool sass_lower_predicates(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->mode2 = l->in->op == SASS_UP2UR;
    if (l->in->op == SASS_R2P) {
        op->run = sass_run_r2p;
        op->mode = byte_of(O(1)->suffix);
        sass_lower_source(l, 0, O(1), SASS_INTEGER);
        sass_lower_source(l, 1, O(2), SASS_INTEGER);
        return true;
    }
    op->run = sass_run_p2r;
    op->mode = byte_of(MOD(MODE));
    op->d = sass_lower_dest(l, O(0));
    sass_lower_source(l, 0, O(2), SASS_INTEGER);
    sass_lower_source(l, 1, O(3), SASS_INTEGER);
    return true;
}
