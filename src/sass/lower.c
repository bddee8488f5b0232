/* lower.c - operands of decoded instructions as rows and predicates, and which lowerer takes an
 * opcode. */
#include "sass/lower.h"
#include "sass/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- memory of an image ---- */

struct sass_pool_chunk {
    struct sass_pool_chunk *next;
};

void sass_pool_release(struct sass_pool_chunk *pool)
{
    while (pool) {
        struct sass_pool_chunk *next = pool->next;
        free(pool);
        pool = next;
    }
}

void *sass_lower_allocate(struct sass_lowering *l, size_t bytes)
{
    struct sass_pool_chunk *chunk = calloc(1, sizeof *chunk + bytes);
    if (!chunk) {
        l->no_memory = true;
        return NULL;
    }
    chunk->next = *l->pool;
    *l->pool = chunk;
    return chunk + 1;
}

bool sass_lower_refuse(struct sass_lowering *l, const char *why)
{
    l->refusal = why;
    return false;
}

/* ---- constants ---- */

static uint32_t constant_row(struct sass_lowering *l, struct sass_constant wanted)
{
    struct sass_image *image = l->image;
    for (size_t i = 0; i < image->n_constants; i++) {
        const struct sass_constant *c = &image->constants[i];
        if (c->bank == wanted.bank && c->words >= wanted.words && c->offset == wanted.offset &&
            c->value == wanted.value)
            return SASS_REF_CONST | c->row * SASS_ROW_BYTES;
    }
    if (!ARRAY_RESERVE(image->constants, image->n_constants, image->cap_constants, 1)) {
        l->no_memory = true;
        return 0;
    }
    wanted.row = image->n_constant_rows;
    image->n_constant_rows += wanted.words;
    image->constants[image->n_constants++] = wanted;
    return SASS_REF_CONST | wanted.row * SASS_ROW_BYTES;
}

uint32_t sass_lower_constant(struct sass_lowering *l, uint64_t value, unsigned words)
{
    if (!value)
        return l->zero_row;
    return constant_row(
        l, (struct sass_constant){.bank = SASS_IMMEDIATE, .words = (uint8_t)words, .value = value});
}

uint32_t sass_lower_bank(struct sass_lowering *l, unsigned bank, uint32_t offset, unsigned words)
{
    return constant_row(l, (struct sass_constant){
                               .bank = (uint8_t)bank, .words = (uint8_t)words, .offset = offset});
}

/* ---- operands ---- */

static uint32_t uniform_row(struct sass_lowering *l, uint8_t reg)
{
    if (reg == SASS_URZ)
        return l->zero_row;
    if (reg >= SASS_ROWS_UNIFORM - 8) {
        l->refusal = "it uses more uniform registers than are known";
        return l->zero_row;
    }
    return l->uniform_row + reg * SASS_ROW_BYTES;
}

uint32_t sass_lower_row(struct sass_lowering *l, const struct sass_operand *o, unsigned words)
{
    switch (o->kind) {
    case SASS_REG:
        return o->reg == SASS_RZ ? l->zero_row : o->reg * SASS_ROW_BYTES;
    case SASS_UREG:
        return uniform_row(l, o->reg);
    case SASS_IMM:
    case SASS_IMM_F64:
        return sass_lower_constant(l, words > 1 ? (uint64_t)o->value : (uint32_t)o->value, words);
    case SASS_IMM_F16:
    case SASS_IMM_F32:
        return sass_lower_constant(l, (uint32_t)o->value, words);
    case SASS_CONST:
        if (o->reg == SASS_RZ)
            return sass_lower_bank(l, o->bank, (uint32_t)o->value, words);
        l->refusal = "a constant with an index in a register as operand is not known";
        return l->zero_row;
    default:
        l->refusal = "one of its operands is of a kind that is not known";
        return l->zero_row;
    }
}

uint32_t sass_lower_dest(struct sass_lowering *l, const struct sass_operand *o)
{
    if (o->kind == SASS_UREG)
        return o->reg == SASS_URZ ? l->sink_row : uniform_row(l, o->reg);
    return o->reg == SASS_RZ ? l->sink_row : o->reg * SASS_ROW_BYTES;
}

static uint8_t prep_of(const struct sass_operand *o, enum sass_operand_type type)
{
    bool neg = o->flags & SASS_NEG, abs = o->flags & SASS_ABS;
    if (o->flags & SASS_NOT)
        return SASS_PREP_INOT;
    if (type == SASS_INTEGER)
        return neg ? SASS_PREP_INEG : SASS_PREP_NONE;
    uint8_t first = type == SASS_FLOAT ? SASS_PREP_FNEG : SASS_PREP_DNEG;
    return neg && abs ? first + 2 : abs ? first + 1 : neg ? first : SASS_PREP_NONE;
}

void sass_lower_source(struct sass_lowering *l, unsigned operand, const struct sass_operand *o,
                       enum sass_operand_type type)
{
    uint32_t row = sass_lower_row(l, o, type == SASS_DOUBLE ? 2 : 1);
    l->op->prep[operand] = prep_of(o, type);
    *(operand == 0 ? &l->op->a : operand == 1 ? &l->op->b : &l->op->c) = row;
}

uint8_t sass_lower_pred(const struct sass_operand *o)
{
    unsigned index = o->reg + (o->kind == SASS_UPRED ? SASS_PRED_UNIFORM : 0u);
    return (uint8_t)(index | (o->flags & SASS_NOT ? SASS_PRED_NOT : 0u));
}

uint8_t sass_lower_pred_dest(const struct sass_operand *o)
{
    if (o->reg == SASS_PT)
        return SASS_PRED_SINK;
    return (uint8_t)(o->reg + (o->kind == SASS_UPRED ? SASS_PRED_UNIFORM : 0u));
}

uint8_t sass_lower_rounding(uint16_t word)
{
    switch (word) {
    case SASS_W_RM:
    case SASS_W_FLOOR:
        return SASS_ROUND_DOWN;
    case SASS_W_RP:
    case SASS_W_CEIL:
        return SASS_ROUND_UP;
    case SASS_W_RZ:
    case SASS_W_TRUNC:
        return SASS_ROUND_ZERO;
    default:
        return SASS_ROUND_NEAREST;
    }
}

/* ---- opcodes ---- */

static const struct opcode {
    uint16_t op;
    bool uniform;
    sass_lowerer *lower;
} opcodes[] = {
    {SASS_IADD3, false, sass_lower_iadd3},
    {SASS_UIADD3, true, sass_lower_iadd3},
    {SASS_VIADD, false, sass_lower_two_sources},
    {SASS_IMAD, false, sass_lower_imad},
    {SASS_UIMAD, true, sass_lower_imad},
    {SASS_IDP, false, sass_lower_idp},
    {SASS_VABSDIFF, false, sass_lower_idp},
    {SASS_VABSDIFF4, false, sass_lower_idp},
    {SASS_LEA, false, sass_lower_lea},
    {SASS_ULEA, true, sass_lower_lea},
    {SASS_LOP3, false, sass_lower_lop3},
    {SASS_ULOP3, true, sass_lower_lop3},
    {SASS_PLOP3, false, sass_lower_plop3},
    {SASS_UPLOP3, true, sass_lower_plop3},
    {SASS_SHF, false, sass_lower_shf},
    {SASS_USHF, true, sass_lower_shf},
    {SASS_ISETP, false, sass_lower_isetp},
    {SASS_UISETP, true, sass_lower_isetp},
    {SASS_PRMT, false, sass_lower_prmt},
    {SASS_UPRMT, true, sass_lower_prmt},
    {SASS_IABS, false, sass_lower_one_source},
    {SASS_POPC, false, sass_lower_one_source},
    {SASS_UPOPC, true, sass_lower_one_source},
    {SASS_BREV, false, sass_lower_one_source},
    {SASS_UBREV, true, sass_lower_one_source},
    {SASS_FLO, false, sass_lower_one_source},
    {SASS_UFLO, true, sass_lower_one_source},
    {SASS_SGXT, false, sass_lower_two_sources},
    {SASS_USGXT, true, sass_lower_two_sources},
    {SASS_BMSK, false, sass_lower_two_sources},
    {SASS_UBMSK, true, sass_lower_two_sources},
    {SASS_IMNMX, false, sass_lower_minmax},
    {SASS_VIMNMX, false, sass_lower_minmax},
    {SASS_VIMNMX3, false, sass_lower_minmax},
    {SASS_VIADDMNMX, false, sass_lower_minmax},
    {SASS_SEL, false, sass_lower_sel},
    {SASS_USEL, true, sass_lower_sel},
    {SASS_FSEL, false, sass_lower_sel},
    {SASS_MOV, false, sass_lower_mov},
    {SASS_UMOV, true, sass_lower_mov},
    {SASS_P2R, false, sass_lower_predicates},
    {SASS_R2P, false, sass_lower_predicates},
    {SASS_UP2UR, true, sass_lower_predicates},
    {SASS_FADD, false, sass_lower_float},
    {SASS_FMUL, false, sass_lower_float},
    {SASS_FFMA, false, sass_lower_float},
    {SASS_FMNMX, false, sass_lower_float},
    {SASS_FSWZADD, false, sass_lower_float},
    {SASS_FSETP, false, sass_lower_fsetp},
    {SASS_FSET, false, sass_lower_fsetp},
    {SASS_FCHK, false, sass_lower_fsetp},
    {SASS_DSETP, false, sass_lower_fsetp},
    {SASS_MUFU, false, sass_lower_mufu},
    {SASS_DADD, false, sass_lower_double},
    {SASS_DMUL, false, sass_lower_double},
    {SASS_DFMA, false, sass_lower_double},
    {SASS_HADD2, false, sass_lower_half},
    {SASS_HMUL2, false, sass_lower_half},
    {SASS_HFMA2, false, sass_lower_half},
    {SASS_HMNMX2, false, sass_lower_half},
    {SASS_VHMNMX, false, sass_lower_half},
    {SASS_HSETP2, false, sass_lower_half},
    {SASS_HSET2, false, sass_lower_half},
    {SASS_F2F, false, sass_lower_convert},
    {SASS_F2I, false, sass_lower_convert},
    {SASS_I2F, false, sass_lower_convert},
    {SASS_I2FP, false, sass_lower_convert},
    {SASS_FRND, false, sass_lower_convert},
    {SASS_F2FP, false, sass_lower_convert},
    {SASS_I2I, false, sass_lower_convert},
    {SASS_LDG, false, sass_lower_load},
    {SASS_LD, false, sass_lower_load},
    {SASS_LDS, false, sass_lower_load},
    {SASS_LDL, false, sass_lower_load},
    {SASS_STG, false, sass_lower_store},
    {SASS_ST, false, sass_lower_store},
    {SASS_STS, false, sass_lower_store},
    {SASS_STL, false, sass_lower_store},
    {SASS_ATOM, false, sass_lower_atomic},
    {SASS_ATOMG, false, sass_lower_atomic},
    {SASS_ATOMS, false, sass_lower_atomic},
    {SASS_RED, false, sass_lower_atomic},
    {SASS_REDG, false, sass_lower_atomic},
    {SASS_LDGSTS, false, sass_lower_ldgsts},
    {SASS_LDC, false, sass_lower_ldc},
    {SASS_ULDC, true, sass_lower_ldc},
    {SASS_LDSM, false, sass_lower_ldsm},
    {SASS_STSM, false, sass_lower_ldsm},
    {SASS_CCTL, false, sass_lower_prefetch},
    {SASS_QSPC, false, sass_lower_prefetch},
    {SASS_BRA, false, sass_lower_flow},
    {SASS_BRX, false, sass_lower_flow},
    {SASS_BRXU, false, sass_lower_flow},
    {SASS_JMXU, false, sass_lower_flow},
    {SASS_JMP, false, sass_lower_flow},
    {SASS_JMX, false, sass_lower_flow},
    {SASS_CALL, false, sass_lower_flow},
    {SASS_RET, false, sass_lower_flow},
    {SASS_EXIT, false, sass_lower_flow},
    {SASS_KILL, false, sass_lower_flow},
    {SASS_BSSY, false, sass_lower_flow},
    {SASS_BSYNC, false, sass_lower_flow},
    {SASS_BREAK, false, sass_lower_flow},
    {SASS_WARPSYNC, false, sass_lower_flow},
    {SASS_ENDCOLLECTIVE, false, sass_lower_flow},
    {SASS_YIELD, false, sass_lower_flow},
    {SASS_NANOSLEEP, false, sass_lower_flow},
    {SASS_BPT, false, sass_lower_flow},
    {SASS_BAR, false, sass_lower_barrier},
    {SASS_B2R, false, sass_lower_barrier},
    {SASS_BMOV, false, sass_lower_bmov},
    {SASS_SHFL, false, sass_lower_warp},
    {SASS_VOTE, false, sass_lower_warp},
    {SASS_VOTEU, false, sass_lower_warp},
    {SASS_MATCH, false, sass_lower_warp},
    {SASS_REDUX, false, sass_lower_warp},
    {SASS_R2UR, false, sass_lower_warp},
    {SASS_MOVM, false, sass_lower_warp},
    {SASS_S2R, false, sass_lower_special},
    {SASS_S2UR, true, sass_lower_special},
    {SASS_CS2R, false, sass_lower_special},
    {SASS_LEPC, false, sass_lower_special},
    {SASS_HMMA, false, sass_lower_mma},
    {SASS_IMMA, false, sass_lower_mma},
    {SASS_QMMA, false, sass_lower_mma},
    {SASS_BMMA, false, sass_lower_mma},
    {SASS_DMMA, false, sass_lower_mma},
    {SASS_TEX, false, sass_lower_texture},
    {SASS_TLD, false, sass_lower_texture},
    {SASS_NOP, false, sass_lower_nothing},
    {SASS_DEPBAR, false, sass_lower_nothing},
    {SASS_LDGDEPBAR, false, sass_lower_nothing},
    {SASS_MEMBAR, false, sass_lower_nothing},
    {SASS_FENCE, false, sass_lower_nothing},
    {SASS_ERRBAR, false, sass_lower_nothing},
    {SASS_CGAERRBAR, false, sass_lower_nothing},
    {SASS_PMTRIG, false, sass_lower_nothing},
    {SASS_HGMMA, false, sass_lower_gmma},
    {SASS_IGMMA, false, sass_lower_gmma},
    {SASS_BGMMA, false, sass_lower_gmma},
    {SASS_QGMMA, false, sass_lower_gmma},
    {SASS_WARPGROUP, false, sass_lower_warpgroup},
    {SASS_SYNCS, false, sass_lower_syncs},
    {SASS_ARRIVES, false, sass_lower_syncs},
    {SASS_UTMALDG, false, sass_lower_bulk},
    {SASS_UTMASTG, false, sass_lower_bulk},
    {SASS_UTMAREDG, false, sass_lower_bulk},
    {SASS_UTMAPF, false, sass_lower_bulk},
    {SASS_UBLKCP, false, sass_lower_bulk},
    {SASS_UBLKRED, false, sass_lower_bulk},
    {SASS_UBLKPF, false, sass_lower_bulk},
    {SASS_STAS, false, sass_lower_store_async},
    {SASS_REDAS, false, sass_lower_store_async},
    {SASS_UTMACCTL, false, sass_lower_nothing},
    {SASS_UTMACMDFLUSH, false, sass_lower_nothing},
    {SASS_UCGABAR_ARV, false, sass_lower_cluster},
    {SASS_UCGABAR_WAIT, false, sass_lower_cluster},
    {SASS_USETMAXREG, true, sass_lower_elect},
    {SASS_ELECT, false, sass_lower_elect},
    {SASS_ACQBULK, false, sass_lower_nothing},
    {SASS_PREEXIT, false, sass_lower_nothing},
};

bool sass_lower_nothing(struct sass_lowering *l)
{
    l->op->run = sass_run_nothing;
    return true;
}

static void set_guard(struct sass_lowering *l)
{
    const struct sass_inst *in = l->in;
    l->op->guard = (uint8_t)(in->guard + (in->guard_uniform ? SASS_PRED_UNIFORM : 0u));
    if (in->guard_not)
        l->op->guard |= SASS_PRED_NOT;
    if (in->guard == SASS_PT && !in->guard_not)
        l->op->guard = SASS_PRED_TRUE;
}

static const struct opcode *find_opcode(unsigned op)
{
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (opcodes[i].op == op)
            return &opcodes[i];
    return NULL;
}

bool sass_is_executed(unsigned op)
{
    return find_opcode(op);
}

bool sass_lower(struct sass_lowering *l)
{
    struct sass_exec *op = l->op;
    op->a = op->b = op->c = l->zero_row;
    op->d = l->sink_row;
    op->pd = op->pd2 = SASS_PRED_SINK;
    op->ps = op->ps2 = op->ps3 = SASS_PRED_TRUE;
    op->words = 1;
    op->opcode = l->in->op;
    set_guard(l);
    l->refusal = NULL;
    const struct opcode *found = find_opcode(l->in->op);
    if (!found)
        return sass_lower_refuse(l, "it is not one of those that can be executed");
    op->uniform = found->uniform;
    return found->lower(l) && !l->refusal && !l->no_memory;
}
