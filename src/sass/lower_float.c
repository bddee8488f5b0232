/* lower_float.c - lowering of floating-point instructions and conversions. */
#include "emulator/convert.h"
#include "sass/lower.h"

#define O(n)      sass_operand_get(l, n)
#define MOD(kind) sass_mod_get(l, SASS_M_##kind)

static uint8_t scale_of(uint16_t word)
{
    switch (word) {
    case SASS_W_D8:
        return 8 - 3;
    case SASS_W_D4:
        return 8 - 2;
    case SASS_W_D2:
        return 8 - 1;
    case SASS_W_M2:
        return 8 + 1;
    case SASS_W_M4:
        return 8 + 2;
    case SASS_W_M8:
        return 8 + 3;
    default:
        return 0;
    }
}

/* RD, A, B [, C] [, P] */
bool sass_lower_float(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->d = sass_lower_dest(l, O(0));
    op->ftz = MOD(FTZ) == SASS_W_FTZ || MOD(DNZ) == SASS_W_FTZ || MOD(DNZ) == SASS_W_FMZ;
    op->sat = MOD(SAT) == SASS_W_SAT;
    op->rounding = sass_lower_rounding(MOD(ROUND));
    sass_lower_source(l, 0, O(1), SASS_FLOAT);
    sass_lower_source(l, 1, O(2), SASS_FLOAT);
    switch (l->in->op) {
    case SASS_FADD:
        op->mode = SASS_FLOAT_ADD;
        op->run = sass_run_fadd;
        return true;
    case SASS_FMUL:
        op->mode = SASS_FLOAT_MUL;
        op->mode2 = MOD(DNZ) == SASS_W_FMZ;
        op->mode3 = scale_of(MOD(SCALE));
        op->run = sass_run_fmul;
        return true;
    case SASS_FFMA:
        op->mode = SASS_FLOAT_FMA;
        op->mode2 = MOD(DNZ) == SASS_W_FMZ;
        sass_lower_source(l, 2, O(3), SASS_FLOAT);
        op->run = sass_run_ffma;
        return true;
    case SASS_FMNMX:
        op->mode = MOD(NAN) == SASS_W_NAN;
        op->mode2 = MOD(XORSIGN) == SASS_W_XORSIGN;
        op->ps = sass_lower_pred(O(3));
        op->run = sass_run_fmnmx;
        return true;
    default:
        op->imm = O(3)->value;
        op->run = sass_run_fswzadd;
        return true;
    }
}

static uint8_t comparison(uint16_t word)
{
    static const struct {
        uint16_t word;
        uint8_t wanted;
    } words[] = {
        {SASS_W_LT, SASS_CMP_LESS},
        {SASS_W_EQ, SASS_CMP_EQUAL},
        {SASS_W_LE, SASS_CMP_LESS | SASS_CMP_EQUAL},
        {SASS_W_GT, SASS_CMP_GREATER},
        {SASS_W_NE, SASS_CMP_LESS | SASS_CMP_GREATER},
        {SASS_W_GE, SASS_CMP_GREATER | SASS_CMP_EQUAL},
        {SASS_W_NUM, SASS_CMP_LESS | SASS_CMP_EQUAL | SASS_CMP_GREATER},
        {SASS_W_NAN, SASS_CMP_UNORDERED},
        {SASS_W_LTU, SASS_CMP_UNORDERED | SASS_CMP_LESS},
        {SASS_W_EQU, SASS_CMP_UNORDERED | SASS_CMP_EQUAL},
        {SASS_W_LEU, SASS_CMP_UNORDERED | SASS_CMP_LESS | SASS_CMP_EQUAL},
        {SASS_W_GTU, SASS_CMP_UNORDERED | SASS_CMP_GREATER},
        {SASS_W_NEU, SASS_CMP_UNORDERED | SASS_CMP_LESS | SASS_CMP_GREATER},
        {SASS_W_GEU, SASS_CMP_UNORDERED | SASS_CMP_GREATER | SASS_CMP_EQUAL},
        {SASS_W_T, SASS_CMP_UNORDERED | SASS_CMP_LESS | SASS_CMP_EQUAL | SASS_CMP_GREATER},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].word == word)
            return words[i].wanted;
    return 0;
}

static uint8_t bool_of(uint16_t word)
{
    return word == SASS_W_OR ? SASS_BOOL_OR : word == SASS_W_XOR ? SASS_BOOL_XOR : SASS_BOOL_AND;
}

/* PD, PD, A, B, P; FSET: RD, A, B, P; FCHK: PD, A, B */
bool sass_lower_fsetp(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    bool is_double = l->in->op == SASS_DSETP;
    unsigned first = l->in->op == SASS_FSETP || is_double ? 2 : 1;
    sass_lower_source(l, 0, O(first), is_double ? SASS_DOUBLE : SASS_FLOAT);
    sass_lower_source(l, 1, O(first + 1), is_double ? SASS_DOUBLE : SASS_FLOAT);
    op->mode = comparison(MOD(CMP));
    op->mode2 = bool_of(MOD(BOOL));
    op->ftz = MOD(FTZ) == SASS_W_FTZ;
    if (l->in->op == SASS_FCHK) {
        op->pd = sass_lower_pred_dest(O(0));
        op->run = sass_run_fchk;
        return true;
    }
    op->ps = sass_lower_pred(O(first + 2));
    if (l->in->op == SASS_FSET) {
        op->d = sass_lower_dest(l, O(0));
        op->mode3 = MOD(TYPE) == SASS_W_BF;
        op->run = sass_run_fset;
        return true;
    }
    op->pd = sass_lower_pred_dest(O(0));
    op->pd2 = sass_lower_pred_dest(O(1));
    if (is_double)
        op->mode3 = MOD(CMP) == SASS_W_MIN ? 1 : MOD(CMP) == SASS_W_MAX ? 2 : 0;
    op->run = is_double ? sass_run_dsetp : sass_run_fsetp;
    return true;
}

/* RD, B. Of a double only the upper word is an operand. */
bool sass_lower_mufu(struct sass_lowering *l)
{
    static const uint16_t functions[] = {SASS_W_COS,  SASS_W_SIN, SASS_W_EX2,    SASS_W_LG2,
                                         SASS_W_RCP,  SASS_W_RSQ, SASS_W_RCP64H, SASS_W_RSQ64H,
                                         SASS_W_SQRT, SASS_W_TANH};
    struct sass_exec *op = l->op;
    struct sass_operand b = *O(1);
    if (b.kind == SASS_IMM_F64) {
        b.kind = SASS_IMM_F32;
        b.value = (int64_t)((uint64_t)b.value >> 32);
    }
    op->d = sass_lower_dest(l, O(0));
    sass_lower_source(l, 1, &b, SASS_FLOAT);
    for (uint8_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (functions[k] == MOD(FUNCTION)) {
            op->mode = k;
            op->run = sass_run_mufu;
            return true;
        }
    return sass_lower_refuse(l, "its function is not known");
}

/* RD, A, B [, C] */
bool sass_lower_double(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->d = sass_lower_dest(l, O(0));
    op->rounding = sass_lower_rounding(MOD(ROUND));
    sass_lower_source(l, 0, O(1), SASS_DOUBLE);
    sass_lower_source(l, 1, O(2), SASS_DOUBLE);
    op->mode = l->in->op == SASS_DADD   ? SASS_FLOAT_ADD
               : l->in->op == SASS_DMUL ? SASS_FLOAT_MUL
                                        : SASS_FLOAT_FMA;
    if (l->in->op == SASS_DFMA)
        sass_lower_source(l, 2, O(3), SASS_DOUBLE);
    op->run = op->rounding             ? sass_run_double_any
              : l->in->op == SASS_DADD ? sass_run_dadd
              : l->in->op == SASS_DMUL ? sass_run_dmul
                                       : sass_run_dfma;
    return true;
}

/* ---- halves ---- */

static void half_source(struct sass_lowering *l, struct sass_half *h, unsigned k,
                        const struct sass_operand *o)
{
    struct sass_half_source *s = &h->source[k];
    *s = (struct sass_half_source){
        .low = 0, .high = 1, .negated = o->flags & SASS_NEG, .absolute = o->flags & SASS_ABS};
    if (o->suffix == SASS_W_H0_H0)
        s->high = 0;
    if (o->suffix == SASS_W_H1_H1)
        s->low = 1;
    s->is_f32 = o->suffix == SASS_W_F32;
    uint32_t row = sass_lower_row(l, o, 1);
    *(k == 0 ? &l->op->a : k == 1 ? &l->op->b : &l->op->c) = row;
}

/* RD, A, B [, C] [, P]; HSETP2: PD, PD, A, B, P */
bool sass_lower_half(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    struct sass_half *h = sass_lower_allocate(l, sizeof *h);
    bool setp = l->in->op == SASS_HSETP2, set = l->in->op == SASS_HSET2;
    unsigned first = setp ? 2 : 1,
             sources = 2 + (l->in->op == SASS_HFMA2 || l->in->op == SASS_VHMNMX);
    if (!h)
        return false;
    op->extra = h;
    h->bfloat = MOD(SRC_TYPE) == SASS_W_BF16_V2;
    h->relu = MOD(RELU) == SASS_W_RELU;
    h->f32_result = MOD(TYPE) == SASS_W_F32;
    h->propagate_nan = MOD(NAN) == SASS_W_NAN;
    op->ftz = MOD(FTZ) == SASS_W_FTZ;
    op->sat = MOD(SAT) == SASS_W_SAT;
    h->operation = l->in->op == SASS_HADD2    ? SASS_HALF_ADD
                   : l->in->op == SASS_HMUL2  ? SASS_HALF_MUL
                   : l->in->op == SASS_HFMA2  ? SASS_HALF_FMA
                   : l->in->op == SASS_VHMNMX ? SASS_HALF_MIN_MAX_3
                                              : SASS_HALF_MIN_MAX;
    for (unsigned k = 0; k < sources; k++)
        half_source(l, h, k, O(first + k));
    if (setp || set) {
        op->mode = comparison(MOD(CMP));
        op->mode2 = bool_of(MOD(BOOL));
        op->ps = sass_lower_pred(O(first + 2));
        op->mode3 = setp ? MOD(MODE) == SASS_W_H_AND : MOD(TYPE) == SASS_W_BF;
    }
    if (setp) {
        op->pd = sass_lower_pred_dest(O(0));
        op->pd2 = sass_lower_pred_dest(O(1));
        op->run = sass_run_hsetp2;
        return true;
    }
    op->d = sass_lower_dest(l, O(0));
    if (h->operation == SASS_HALF_MIN_MAX || h->operation == SASS_HALF_MIN_MAX_3)
        op->ps = sass_lower_pred(O(first + sources));
    /* -0 * 0 + c is how a compiler loads a constant */
    const struct sass_operand *a = O(1), *b = O(2);
    bool loads = sources == 3 && a->kind == SASS_REG && a->reg == SASS_RZ && b->kind == SASS_REG &&
                 b->reg == SASS_RZ && O(3)->kind == SASS_IMM_F16 && !op->ftz;
    op->run = set ? sass_run_hset2 : loads ? sass_run_half_const : sass_run_half;
    return true;
}

/* ---- conversions ---- */

static uint8_t number_of(uint16_t word, uint8_t usual)
{
    static const uint16_t words[] = {SASS_W_U8,  SASS_W_U16,  SASS_W_U32, SASS_W_U64, SASS_W_S8,
                                     SASS_W_S16, SASS_W_S32,  SASS_W_S64, SASS_W_F16, SASS_W_F32,
                                     SASS_W_F64, SASS_W_BF16, SASS_W_TF32};
    for (uint8_t k = 0; k < sizeof words / sizeof *words; k++)
        if (words[k] == word)
            return k;
    return usual;
}

/* Two bytes of b, its lower or upper half, become two halves. */
static bool lower_unpack(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->d = sass_lower_dest(l, O(0));
    sass_lower_source(l, 1, O(1), SASS_INTEGER);
    op->mode = MOD(SRC_TYPE) == SASS_W_E5M2;
    op->mode3 = MOD(RELU) == SASS_W_RELU;
    op->imm = O(1)->suffix == SASS_W_H1 ? 16 : 0;
    op->run = sass_run_unpack_bytes;
    return true;
}

/* RD, A, B, C: two numbers become bytes beside a half of c; RD, B, C: so do the halves of b. */
static bool lower_pack_bytes(struct sass_lowering *l, bool halves)
{
    struct sass_exec *op = l->op;
    unsigned b = halves ? 1 : 2;
    op->d = sass_lower_dest(l, O(0));
    if (!halves)
        sass_lower_source(l, 0, O(1), SASS_FLOAT);
    sass_lower_source(l, 1, O(b), halves ? SASS_INTEGER : SASS_FLOAT);
    sass_lower_source(l, 2, O(b + 1), SASS_INTEGER);
    op->mode = MOD(TYPE) == SASS_W_E5M2;
    op->mode2 = halves;
    op->mode3 = MOD(RELU) == SASS_W_RELU;
    op->imm = O(b + 1)->suffix == SASS_W_H1 ? 16 : 0;
    op->run = sass_run_pack_bytes;
    return true;
}

static bool lower_pack(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    if (MOD(MODE) == SASS_W_UNPACK_B)
        return lower_unpack(l);
    if (MOD(MODE) == SASS_W_PACK_AB_MERGE_C || MOD(MODE) == SASS_W_UNPACK_B_MERGE_C)
        return lower_pack_bytes(l, MOD(MODE) == SASS_W_UNPACK_B_MERGE_C);
    if (MOD(MODE) != SASS_W_PACK_AB || (MOD(TYPE) != SASS_W_F16 && MOD(TYPE) != SASS_W_BF16))
        return sass_lower_refuse(l, "this form of packing is not known");
    op->d = sass_lower_dest(l, O(0));
    sass_lower_source(l, 0, O(1), SASS_FLOAT);
    sass_lower_source(l, 1, O(2), SASS_FLOAT);
    op->mode = number_of(MOD(TYPE), EMU_NUM_F16);
    op->mode3 = MOD(RELU) == SASS_W_RELU;
    op->run = sass_run_f2fp;
    return true;
}

static uint8_t shift_bytes(uint16_t suffix)
{
    switch (suffix) {
    case SASS_W_B1:
        return 1;
    case SASS_W_B2:
    case SASS_W_H1:
        return 2;
    case SASS_W_B3:
        return 3;
    default:
        return 0;
    }
}

/* RD, B */
bool sass_lower_convert(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->rounding = sass_lower_rounding(MOD(ROUND));
    op->ftz = MOD(FTZ) == SASS_W_FTZ;
    op->sat = MOD(SAT) == SASS_W_SAT;
    if (l->in->op == SASS_F2FP)
        return lower_pack(l);
    bool from_int = l->in->op == SASS_I2F || l->in->op == SASS_I2FP || l->in->op == SASS_I2I;
    op->mode = number_of(MOD(TYPE), l->in->op == SASS_F2I ? EMU_NUM_S32 : EMU_NUM_F32);
    op->mode2 = number_of(MOD(SRC_TYPE), from_int ? EMU_NUM_S32 : EMU_NUM_F32);
    if (l->in->op == SASS_FRND)
        op->mode2 = op->mode;
    op->d = sass_lower_dest(l, O(0));
    enum sass_operand_type type = from_int                   ? SASS_INTEGER
                                  : op->mode2 == EMU_NUM_F64 ? SASS_DOUBLE
                                                             : SASS_FLOAT;
    if (op->mode2 == EMU_NUM_F16 && O(1)->flags & (SASS_NEG | SASS_ABS))
        return sass_lower_refuse(l, "a conversion of a half with a sign is not known");
    sass_lower_source(l, 1, O(1), type);
    if (from_int && emu_number_is_wide(op->mode2))
        op->b = sass_lower_row(l, O(1), 2);
    op->imm = shift_bytes(O(1)->suffix);
    op->mode3 = MOD(NAN) == SASS_W_NTZ;
    switch (l->in->op) {
    case SASS_F2I:
        op->run = sass_run_f2i;
        break;
    case SASS_I2F:
    case SASS_I2FP:
        op->run = sass_run_i2f;
        break;
    case SASS_FRND:
        op->run = sass_run_frnd;
        break;
    case SASS_I2I:
        op->run = sass_run_i2i;
        break;
    default:
        op->run = sass_run_f2f;
    }
    return true;
}
