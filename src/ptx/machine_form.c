/* machine_form.c - the table of measured forms, and what is taken along by what. */
#include "ptx/machine_form.h"

#include <stdlib.h>
#include <string.h>

#include <strata/trace.h>

#include "ptx/atomic_form.h"
#include "ptx/long_constants.h"
#include "ptx/merged_loads.h"
#include "ptx/parameter_loads.h"
#include "ptx/reciprocals.h"
#include "ptx/unrolled.h"
#include "ptx/variance.h"

static const struct {
    const char *text;
    struct ptx_form_part part[PTX_FORM_PARTS];
} measured[] = {
#include "ptx/expansion_table.h"
};

static const struct ptx_form_part
    multiply_add[] = {{STRATA_OP_IMAD, 1}, {0, 0}},
    /* products of 64 bits, with what is added to them */
    long_product[] = {{STRATA_OP_INT, 1}, {STRATA_OP_IMAD, 3}, {0, 0}},
    product_by_number[] = {{STRATA_OP_INT, 1}, {STRATA_OP_IMAD, 2}, {0, 0}},
    /* a number that is added comes in two moves */
    product_and_number[] = {{STRATA_OP_INT, 2}, {STRATA_OP_IMAD, 3}, {0, 0}},
    one_half[] = {{STRATA_OP_INT, 1}, {0, 0}}, both_halves[] = {{STRATA_OP_INT, 2}, {0, 0}},
    two_moves[] = {{STRATA_OP_IMAD, 2}, {0, 0}}, uniform_load[] = {{STRATA_OP_UNIFORM, 1}, {0, 0}},
    constant_load[] = {{STRATA_OP_CONST, 1}, {0, 0}},
    shared_base[] = {{STRATA_OP_SREG, 1}, {STRATA_OP_UNIFORM, 2}, {0, 0}},
    /* BSSY and BSYNC around what lanes may leave out */
    reconverging[] = {{STRATA_OP_INT, 2}, {STRATA_OP_BRANCH, 1}, {0, 0}};

/* ---- who reads a register ---- */

enum use {
    USE_ADD64 = 1,
    USE_ADD32 = 2,
    USE_LOGIC = 4,
    USE_OTHER = 8,
    USE_LOGIC64 = 16,
    USE_SUM = 32,
    USE_LIMIT = 64,
    USE_TEST = 128,
    USE_STORED = 256
};

/* Of a comparison that takes another op along, and of the latter; of an op whose one operand more
 * has been taken by what another computes; of a move of zero that the one before it makes, too. */
enum taken { TAKES = 1, IS_TAKEN = 2, HAS_JOINED = 4, IS_SECOND_ZERO = 8 };

struct reg_facts {
    uint32_t n_writes, n_reads;
    uint32_t written_at; /* the op that writes it last */
    uint32_t read_at;    /* and the one that reads it last */
    uint16_t uses;       /* enum use of all that read it */
    bool joined;  /* its op has taken another along, or was: once is all an instruction can */
    bool product; /* of a multiplication that was folded: who reads it multiplies */
    const struct ptx_form_part *long_product; /* likewise of 64 bits: what who reads it becomes */
    bool compared;                            /* the result of a comparison */
    bool half;         /* logic that was folded: a half of 64 bits is left of it */
    bool of_constants; /* computed of words of constant memory whose places the code tells */
    bool is_home;      /* of a register with several values that begins with this one's */
};

struct finder {
    const struct ptx_function *f;
    const struct ptx_cfg *cfg;
    const struct ptx_names *names;
    bool entry, has_shared_base;
    uint32_t zero_block; /* 1 + that in which an odd number of registers has been made zero, or 0 */
    struct ptx_forms *out;
    struct reg_facts *reg;
    uint8_t *taken;                           /* by op: enum taken */
    bool *varies;                             /* by register: between the lanes of a warp */
    uint32_t at;                              /* the op being visited */
    uint16_t use;                             /* of it */
    uint32_t asked;                           /* a register */
    bool any, all;                            /* a register it reads is as asked for */
    const struct ptx_form_part *long_product; /* of a register it reads */
};

static bool is_add(const struct ptx_op *op, unsigned bytes)
{
    unsigned type = ptx_op_type(op);
    return (op->mnemonic == PTX_OP_add || op->mnemonic == PTX_OP_sub) &&
           ptx_type_kind(type) != 'f' && ptx_type_bytes(type) == bytes && !ptx_op_has(op, PTX_M_CC);
}

static bool is_logic(const struct ptx_op *op, unsigned bytes)
{
    bool logic = op->mnemonic == PTX_OP_and || op->mnemonic == PTX_OP_or ||
                 op->mnemonic == PTX_OP_xor || op->mnemonic == PTX_OP_not;
    return logic && ptx_type_bytes(ptx_op_type(op)) == bytes &&
           (bytes || ptx_op_type(op) == PTX_PRED);
}

static bool has_rounding(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_RN) || ptx_op_has(op, PTX_M_RZ) || ptx_op_has(op, PTX_M_RM) ||
           ptx_op_has(op, PTX_M_RP) || ptx_op_has(op, PTX_M_SAT);
}

/* Sums and products of floating-point numbers whose rounding the code leaves open. */
static bool is_open_sum(const struct ptx_op *op)
{
    return (op->mnemonic == PTX_OP_add || op->mnemonic == PTX_OP_sub) &&
           ptx_type_kind(ptx_op_type(op)) == 'f' && ptx_type_bytes(ptx_op_type(op)) >= 4 &&
           !has_rounding(op);
}

/* The larger or smaller of two numbers. */
static bool is_limit(const struct ptx_op *op)
{
    unsigned type = ptx_op_type(op);
    return (op->mnemonic == PTX_OP_min || op->mnemonic == PTX_OP_max) && op->n_modifiers == 1 &&
           (type == PTX_S32 || type == PTX_U32);
}

/* Whether a number is zero. */
static bool is_test(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_setp && op->n_operands == 3 && op->n_modifiers == 2 &&
           (ptx_op_has(op, PTX_M_EQ) || ptx_op_has(op, PTX_M_NE)) &&
           ptx_type_kind(ptx_op_type(op)) != 'f' && ptx_type_bytes(ptx_op_type(op)) >= 4 &&
           op->operands[2].kind == PTX_OPERAND_INT && !op->operands[2].value;
}

static bool is_stored(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_st || op->mnemonic == PTX_OP_atom || op->mnemonic == PTX_OP_red;
}

static uint16_t use_of(const struct ptx_op *op)
{
    if (is_stored(op))
        return USE_STORED;
    if (op->guard != PTX_NO_REG)
        return USE_OTHER;
    return is_open_sum(op)   ? USE_SUM
           : is_add(op, 8)   ? USE_ADD64
           : is_add(op, 4)   ? USE_ADD32
           : is_logic(op, 4) ? USE_LOGIC
           : is_logic(op, 8) ? USE_LOGIC64
           : is_limit(op)    ? USE_LIMIT
           : is_test(op)     ? USE_TEST
                             : USE_OTHER;
}

static void count_read(void *user, uint32_t reg)
{
    struct finder *s = user;
    s->reg[reg].n_reads++;
    s->reg[reg].read_at = s->at;
    s->reg[reg].uses |= s->use;
}

static void count_write(void *user, uint32_t reg)
{
    struct finder *s = user;
    s->reg[reg].n_writes++;
    s->reg[reg].written_at = s->at;
}

static void mark_compared(void *user, uint32_t reg)
{
    ((struct finder *)user)->reg[reg].compared = true;
}

static void find_uses(struct finder *s)
{
    for (size_t i = 0; i < s->f->n_ops; i++) {
        s->at = (uint32_t)i;
        s->use = use_of(&s->f->ops[i]);
        ptx_op_visit(&s->f->ops[i], count_read, count_write, s);
        if (s->f->ops[i].mnemonic == PTX_OP_setp)
            ptx_op_visit(&s->f->ops[i], NULL, mark_compared, s);
    }
}

static const char *special_name(const struct finder *s, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_SREG ? s->names->text[o->u.name] : "";
}

/* ---- what is folded ---- */

static bool is_register(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_REG;
}

/* The op's value is known by the register that it reads first; who reads it reads the other one
 * too. */
static void fold(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    s->out->folded[i] = 1;
    if (!op->n_operands || !is_register(&op->operands[0]) || s->taken[i] & IS_SECOND_ZERO)
        return;
    uint32_t to = op->operands[0].u.reg, n = 0;
    for (unsigned k = 1; k < op->n_operands && n < 2; k++) {
        if (!is_register(&op->operands[k]))
            continue;
        uint32_t from = op->operands[k].u.reg;
        if (!n++) {
            s->out->same[to] = s->out->same[from];
            s->out->also[to] = s->out->also[from];
        } else if (s->out->also[to] == PTX_NO_REG)
            s->out->also[to] = s->out->same[from];
    }
}

static void ask_register(void *user, uint32_t reg)
{
    struct finder *s = user;
    s->any |= reg == s->asked;
}

static void ask_joined(void *user, uint32_t reg)
{
    struct finder *s = user;
    s->any |= s->reg[reg].joined;
}

/* An op that the only one to read its result takes along, if neither has taken another. */
static bool joins(struct finder *s, const struct ptx_op *op, uint16_t uses)
{
    if (!is_register(&op->operands[0]))
        return false;
    struct reg_facts *to = &s->reg[op->operands[0].u.reg];
    s->any = false;
    ptx_op_visit(op, ask_joined, NULL, s);
    if (to->n_writes != 1 || to->n_reads != 1 || to->uses != uses || s->any ||
        s->taken[to->read_at] & HAS_JOINED)
        return false;
    s->taken[to->read_at] |= HAS_JOINED;
    to->joined = true;
    return true;
}

/* LOP3 has a predicate, too: whether anything is left. */
static bool joins_test(struct finder *s, const struct ptx_op *op, unsigned bytes)
{
    if (!is_logic(op, bytes) || !is_register(&op->operands[0]))
        return false;
    struct reg_facts *to = &s->reg[op->operands[0].u.reg];
    uint64_t number = op->n_operands == 3 ? op->operands[2].value : 0;
    to->half = op->mnemonic == PTX_OP_and && op->n_operands == 3 &&
               op->operands[2].kind == PTX_OPERAND_INT && (!(number >> 32) || !(uint32_t)number);
    return to->n_writes == 1 && to->n_reads == 1 && to->uses == USE_TEST;
}

/* An op that all who read its result take along. */
static bool joins_all(struct finder *s, const struct ptx_op *op, uint16_t uses)
{
    const struct ptx_operand *to = op->operands;
    return is_register(to) && s->reg[to->u.reg].n_writes == 1 && s->reg[to->u.reg].uses == uses;
}

/* A number is an operand of all that computes with it. What is stored is in a register, though: one
 * move for each (ptxas 13.0 on 4 to 60 stores of numbers), none for zero; and so is what has
 * another value elsewhere, a sum before its loop. */
static bool needs_register(const struct finder *s, const struct ptx_op *op)
{
    const struct ptx_operand *from = &op->operands[1];
    if (!is_register(&op->operands[0]) || ptx_op_type(op) == PTX_PRED ||
        (from->kind != PTX_OPERAND_INT && from->kind != PTX_OPERAND_F32 &&
         from->kind != PTX_OPERAND_F64))
        return false;
    const struct reg_facts *to = &s->reg[op->operands[0].u.reg];
    return to->n_writes > 1 || (from->value && to->uses & USE_STORED);
}

static bool is_parameter(const struct finder *s, const struct reg_facts *r)
{
    const struct ptx_op *by = &s->f->ops[r->written_at];
    return r->n_writes == 1 && by->mnemonic == PTX_OP_ld && ptx_op_has(by, PTX_M_PARAM);
}

/* What a move gives, if it is a number; else NULL. */
static const struct ptx_operand *number_of_move(const struct ptx_op *op)
{
    const struct ptx_operand *from = &op->operands[1];
    return op->mnemonic == PTX_OP_mov && op->n_operands == 2 && op->guard == PTX_NO_REG &&
                   (from->kind == PTX_OPERAND_INT || from->kind == PTX_OPERAND_F32 ||
                    from->kind == PTX_OPERAND_F64)
               ? from
               : NULL;
}

/* The number that a register holds at op i, by the only op that writes it or the last one of the
 * block; else NULL. */
static const struct ptx_operand *number_in(const struct finder *s, uint32_t i, uint32_t reg)
{
    if (s->reg[reg].n_writes == 1)
        return number_of_move(&s->f->ops[s->reg[reg].written_at]);
    for (uint32_t k = i; k-- > s->cfg->first[s->cfg->block_of[i]];) {
        const struct ptx_op *op = &s->f->ops[k];
        if (op->mnemonic == PTX_OP_mov && is_register(&op->operands[0]) &&
            op->operands[0].u.reg == reg)
            return number_of_move(op);
    }
    return NULL;
}

/* A loop that comes by op i, but not by op `since`. */
static bool comes_again(const struct finder *s, uint32_t i, uint32_t since)
{
    for (uint32_t k = i; k < s->f->n_ops; k++) {
        const struct ptx_op *op = &s->f->ops[k];
        if (op->mnemonic == PTX_OP_bra && op->n_operands == 1 &&
            op->operands[0].kind == PTX_OPERAND_LABEL && op->operands[0].u.label <= i &&
            op->operands[0].u.label > since)
            return true;
    }
    return false;
}

/* A register with other values elsewhere shares that of the one it begins with, if nobody needs
 * this any more: no number, no parameter, nothing that changes itself or that a loop begins with
 * again, and only one does so. The 64 sums of a product of matrices by blocks, all of which begin
 * with one zero, are 64 registers. */
static bool is_own_copy(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    const struct ptx_operand *to = op->operands, *from = to + 1;
    if (!is_register(to) || !is_register(from) || s->reg[to->u.reg].n_writes < 2 ||
        ptx_op_type(op) == PTX_PRED)
        return false;
    struct reg_facts *home = &s->reg[s->out->same[from->u.reg]];
    bool own = home->is_home || home->n_writes > 1 || number_in(s, i, from->u.reg) ||
               is_parameter(s, home) || comes_again(s, i, home->written_at);
    home->is_home = true;
    return own;
}

static bool moves_zero(const struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    const struct ptx_operand *number =
        is_register(&op->operands[1]) ? number_in(s, i, op->operands[1].u.reg) : number_of_move(op);
    return number && !number->value;
}

/* Moves are IMAD.MOV, one for 32 bits; CS2R makes two neighbours zero. True: the one before it made
 * this one. */
static bool find_moves(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    bool wide = ptx_type_bytes(ptx_op_type(op)) == 8, zero = moves_zero(s, i);
    uint32_t block = s->cfg->block_of[i] + 1;
    if (zero && !wide) {
        bool second = s->zero_block == block;
        s->zero_block = second ? 0 : block;
        s->taken[i] |= second ? IS_SECOND_ZERO : 0;
        if (second)
            return true;
    }
    s->out->parts[i] = wide && !zero ? two_moves : multiply_add;
    return false;
}

static bool fold_move(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    const struct ptx_operand *from = &op->operands[1];
    const char *special = special_name(s, from);
    if (!strncmp(special, "%ntid", 5) || !strncmp(special, "%nctaid", 7))
        s->out->parts[i] = constant_load;
    if (from->kind == PTX_OPERAND_SREG)
        return false;
    if (needs_register(s, op) || is_own_copy(s, i))
        return find_moves(s, i);
    if (from->kind == PTX_OPERAND_VAR && from->u.var->space == PTX_M_SHARED) {
        s->out->parts[i] = shared_base;
        bool again = s->has_shared_base;
        s->has_shared_base = true;
        return again;
    }
    bool halves = ptx_type_bytes(ptx_op_type(op)) < 8 &&
                  (from->kind == PTX_OPERAND_VECTOR || op->operands[0].kind == PTX_OPERAND_VECTOR);
    return from->kind != PTX_OPERAND_VAR && from->kind != PTX_OPERAND_FUNC && !halves;
}

/* Between integers: wider without a sign is a zero beside it, narrower is a part of it. */
static bool fold_convert(const struct ptx_op *op)
{
    unsigned to = PTX_NONE, from = PTX_NONE;
    for (unsigned k = 0; k < op->n_modifiers; k++)
        if (ptx_is_type(op->modifier[k]))
            to == PTX_NONE ? (to = op->modifier[k]) : (from = op->modifier[k]);
    if (from == PTX_NONE || ptx_type_kind(to) == 'f' || ptx_type_kind(from) == 'f')
        return false;
    unsigned wide = ptx_type_bytes(to), narrow = ptx_type_bytes(from);
    return wide == narrow ||
           (wide > narrow ? ptx_type_kind(from) == 'u' && narrow >= 2 : wide >= 2);
}

/* FFMA, FMUL and FADD limit their result to 0 and 1 themselves. */
static bool fold_limit_to_one(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    if (!ptx_op_has(op, PTX_M_SAT) || ptx_op_type(op) != PTX_F32 || !is_register(&op->operands[1]))
        return false;
    const struct reg_facts *from = &s->reg[op->operands[1].u.reg];
    const struct ptx_op *by = &s->f->ops[from->written_at];
    return from->n_writes == 1 && from->n_reads == 1 && by->guard == PTX_NO_REG &&
           s->cfg->block_of[from->written_at] == s->cfg->block_of[i] &&
           ptx_op_type(by) == PTX_F32 &&
           (by->mnemonic == PTX_OP_fma || by->mnemonic == PTX_OP_mul ||
            by->mnemonic == PTX_OP_add || by->mnemonic == PTX_OP_sub);
}

static bool is_number(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_INT;
}

static bool is_long_product(const struct ptx_op *op)
{
    return (op->mnemonic == PTX_OP_mul || op->mnemonic == PTX_OP_mad) && ptx_op_has(op, PTX_M_LO) &&
           ptx_type_bytes(ptx_op_type(op)) == 8;
}

static const struct ptx_form_part *long_product_form(const struct ptx_op *op)
{
    return is_number(&op->operands[1]) || is_number(&op->operands[2]) ? product_by_number
                                                                      : long_product;
}

/* The sum takes a product of 64 bits along in its own wide multiplication. */
static bool fold_long_product(struct finder *s, const struct ptx_op *op)
{
    if (!is_long_product(op) || !joins(s, op, USE_ADD64))
        return false;
    s->reg[op->operands[0].u.reg].long_product = long_product_form(op);
    return true;
}

/* A sum takes a product along as FFMA or DFMA, where neither has to be rounded by itself. */
static bool fold_open_product(struct finder *s, const struct ptx_op *op)
{
    return ptx_type_kind(ptx_op_type(op)) == 'f' && ptx_type_bytes(ptx_op_type(op)) >= 4 &&
           !has_rounding(op) && joins(s, op, USE_SUM);
}

static bool fold_product(struct finder *s, const struct ptx_op *op)
{
    if (ptx_type_kind(ptx_op_type(op)) == 'f')
        return fold_open_product(s, op);
    bool wide = ptx_op_has(op, PTX_M_WIDE) && joins_all(s, op, USE_ADD64);
    bool low =
        ptx_op_has(op, PTX_M_LO) && ptx_type_bytes(ptx_op_type(op)) == 4 && joins(s, op, USE_ADD32);
    if (wide || low)
        s->reg[op->operands[0].u.reg].product = true;
    return wide || low || fold_long_product(s, op);
}

static bool fold_shift(struct finder *s, const struct ptx_op *op)
{
    bool constant = op->n_operands == 3 && op->operands[2].kind == PTX_OPERAND_INT;
    unsigned bytes = ptx_type_bytes(ptx_op_type(op));
    return constant &&
           (bytes == 8 ? joins_all(s, op, USE_ADD64) : bytes == 4 && joins(s, op, USE_ADD32));
}

static void ask_comparison(void *user, uint32_t reg)
{
    struct finder *s = user;
    s->any |= s->reg[reg].compared && s->reg[reg].n_writes == 1 && s->reg[reg].n_reads == 1;
}

/* A comparison takes one more predicate along. */
static bool takes_comparison(struct finder *s, const struct ptx_op *op)
{
    s->any = false;
    ptx_op_visit(op, ask_comparison, NULL, s);
    return s->any;
}

/* VIADDMNMX adds before it compares, VIMNMX3 compares three: either takes one op along, a sum or
 * another comparison of its kind. */
static bool fold_into_limit(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    if (!is_register(&op->operands[0]))
        return false;
    uint32_t reg = op->operands[0].u.reg;
    for (uint32_t k = i + 1; k < s->f->n_ops && s->cfg->block_of[k] == s->cfg->block_of[i]; k++) {
        s->asked = reg;
        s->any = false;
        ptx_op_visit(&s->f->ops[k], ask_register, NULL, s);
        if (!s->any)
            continue;
        bool may = !(s->taken[k] & TAKES) &&
                   (!is_limit(op) || (op->mnemonic == s->f->ops[k].mnemonic &&
                                      ptx_op_type(op) == ptx_op_type(&s->f->ops[k]))) &&
                   joins(s, op, USE_LIMIT);
        s->taken[k] |= may ? TAKES : 0;
        s->taken[i] |= may ? IS_TAKEN : 0;
        return may;
    }
    return false;
}

/* A load of constant memory whose place the code tells: ULDC. */
static bool has_fixed_place(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_ld && ptx_op_has(op, PTX_M_CONST) &&
           op->operands[1].kind == PTX_OPERAND_ADDRESS &&
           op->operands[1].u.children[0].kind == PTX_OPERAND_VAR && op->guard == PTX_NO_REG;
}

static void ask_constants(void *user, uint32_t reg)
{
    struct finder *s = user;
    s->any |= s->reg[reg].of_constants;
    s->all &= s->reg[reg].of_constants;
}

/* Integers of 32 bits that are computed of such words alone: UIADD3, ULOP3, UIMAD and the like. */
static bool is_of_constants(struct finder *s, const struct ptx_op *op)
{
    s->any = false;
    s->all = is_add(op, 4) || is_logic(op, 4) ||
             (op->mnemonic == PTX_OP_mul && ptx_op_has(op, PTX_M_LO)) || op->mnemonic == PTX_OP_mov;
    ptx_op_visit(op, ask_constants, NULL, s);
    return s->any && s->all && ptx_type_bytes(ptx_op_type(op)) == 4;
}

static void note_constants(struct finder *s, const struct ptx_op *op)
{
    bool found = has_fixed_place(op) ? ptx_type_kind(ptx_op_type(op)) != 'f'
                                     : op->guard == PTX_NO_REG && is_of_constants(s, op);
    if (found && is_register(&op->operands[0]) && s->reg[op->operands[0].u.reg].n_writes == 1)
        s->reg[op->operands[0].u.reg].of_constants = true;
}

static bool is_folded(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    if (op->guard != PTX_NO_REG || op->n_operands < 2)
        return false;
    switch (op->mnemonic) {
    case PTX_OP_cvta:
        return true;
    case PTX_OP_mov:
        return fold_move(s, i);
    case PTX_OP_cvt:
        return fold_convert(op) || fold_limit_to_one(s, i);
    case PTX_OP_ld: /* words of parameters come through the uniform registers */
        if ((s->entry && ptx_op_has(op, PTX_M_PARAM) && ptx_type_bytes(ptx_op_type(op)) <= 4) ||
            has_fixed_place(op))
            s->out->parts[i] = uniform_load;
        return false;
    case PTX_OP_mul:
        return fold_product(s, op);
    case PTX_OP_shl:
        return fold_shift(s, op);
    case PTX_OP_setp: /* of numbers */
        return op->n_operands == 3 && is_number(&op->operands[1]) && is_number(&op->operands[2]);
    case PTX_OP_neg: /* signs of operands */
    case PTX_OP_abs:
        return ptx_type_kind(ptx_op_type(op)) == 'f' && ptx_type_bytes(ptx_op_type(op)) >= 4;
    case PTX_OP_add:
        return is_add(op, 4) && (joins(s, op, USE_ADD32) || fold_into_limit(s, i));
    case PTX_OP_sub:
        return is_add(op, 4) && fold_into_limit(s, i);
    case PTX_OP_min:
    case PTX_OP_max:
        return is_limit(op) && fold_into_limit(s, i);
    default:
        return (is_logic(op, 0) && takes_comparison(s, op)) || joins_test(s, op, 4) ||
               joins_test(s, op, 8) || (is_logic(op, 4) && joins(s, op, USE_LOGIC)) ||
               (is_logic(op, 8) && joins(s, op, USE_LOGIC64));
    }
}

/* ---- branches ---- */

static bool can_be_predicated(const struct ptx_op *op)
{
    return op->mnemonic != PTX_OP_atom && op->mnemonic != PTX_OP_shfl &&
           op->mnemonic != PTX_OP_vote && op->mnemonic != PTX_OP_div &&
           op->mnemonic != PTX_OP_rem && op->mnemonic != PTX_OP_bra && op->mnemonic != PTX_OP_ret &&
           op->mnemonic != PTX_OP_exit && op->mnemonic != PTX_OP_call &&
           op->mnemonic != PTX_OP_bar && op->mnemonic != PTX_OP_barrier &&
           op->mnemonic != PTX_OP_brx;
}

/* A branch over one short block becomes the predicate of its instructions. */
static bool is_predicated(const struct finder *s, uint32_t i, uint32_t target)
{
    enum { MOST = 8 };
    uint32_t next = s->cfg->block_of[i] + 1, n = 0;
    if (s->cfg->block_of[target] != next + 1)
        return false;
    for (uint32_t k = s->cfg->first[next]; k < s->cfg->first[next + 1]; k++) {
        if (!can_be_predicated(&s->f->ops[k]))
            return false;
        n += !s->out->folded[k] || s->taken[k] & IS_TAKEN; /* which comes later */
    }
    return n <= MOST;
}

static void find_branch_form(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    if (op->mnemonic != PTX_OP_bra || op->guard == PTX_NO_REG || op->n_operands != 1 ||
        op->operands[0].kind != PTX_OPERAND_LABEL)
        return;
    uint32_t target = op->operands[0].u.label;
    if (target <= i || target >= s->f->n_ops)
        return;
    const struct ptx_op *at = &s->f->ops[target];
    if (at->mnemonic == PTX_OP_ret || at->mnemonic == PTX_OP_exit)
        return; /* lanes exit there */
    if (is_predicated(s, i, target)) {
        s->out->folded[i] = 1;
        for (uint32_t k = i + 1; k < target; k++)
            s->out->guard[k] = op->guard;
    } else if (s->varies[op->guard])
        s->out->parts[i] = reconverging;
}

/* ---- all of it ---- */

static void ask_product(void *user, uint32_t reg)
{
    struct finder *s = user;
    s->any |= s->reg[reg].product;
    if (s->reg[reg].long_product)
        s->long_product = s->reg[reg].long_product;
}

/* A number of which a half changes nothing, or leaves nothing of a half. */
static bool spares_a_half(const struct ptx_op *op, uint64_t number)
{
    uint32_t high = (uint32_t)(number >> 32), low = (uint32_t)number;
    bool zero = !high || !low, ones = !~high || !~low;
    return zero || (ones && op->mnemonic == PTX_OP_and);
}

/* Below zero or not: the upper word tells. */
static bool is_sign_test(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_setp && op->n_operands == 3 && ptx_op_type(op) == PTX_S64 &&
           (ptx_op_has(op, PTX_M_LT) || ptx_op_has(op, PTX_M_GE)) && is_number(&op->operands[2]) &&
           !op->operands[2].value;
}

/* Forms of 64 bits that hang on the operands. */
static const struct ptx_form_part *long_form(const struct finder *s, const struct ptx_op *op)
{
    if (is_test(op) && ptx_type_bytes(ptx_op_type(op)) == 8 && is_register(&op->operands[1]) &&
        s->reg[op->operands[1].u.reg].half)
        return one_half;
    if (is_sign_test(op))
        return one_half;
    if (is_long_product(op))
        return long_product_form(op);
    if (is_logic(op, 8) && op->n_operands == 3 && is_number(&op->operands[2]) &&
        spares_a_half(op, op->operands[2].value))
        return one_half;
    bool bits = ptx_type_bytes(ptx_op_type(op)) == 8 && ptx_type_kind(ptx_op_type(op)) == 'b';
    return op->mnemonic == PTX_OP_setp && bits ? both_halves : NULL;
}

const struct ptx_form_part *ptx_measured_form(const char *text)
{
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        if (!strcmp(measured[i].text, text))
            return measured[i].part;
    return NULL;
}

static bool is_answered(const struct finder *s, const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_atom &&
           (!is_register(&op->operands[0]) ? op->operands[0].kind != PTX_OPERAND_SINK
                                           : s->reg[op->operands[0].u.reg].n_reads > 0);
}

static void find_atomic_form(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    struct ptx_atomic_form form =
        ptx_atomic_form(op, op->n_operands && is_answered(s, op), s->varies);
    s->out->acting[i] = (uint8_t)form.acting;
    if (form.parts)
        s->out->parts[i] = form.parts;
}

static void find_form(struct finder *s, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    find_atomic_form(s, i);
    note_constants(s, op);
    if (s->out->folded[i]) /* a load that another takes along */
        return;
    if (is_folded(s, i)) {
        fold(s, i);
        return;
    }
    if (s->out->parts[i])
        return;
    if (is_of_constants(s, op)) {
        s->out->parts[i] = uniform_load;
        return;
    }
    s->any = false;
    s->long_product = NULL;
    if (is_add(op, 8) || is_add(op, 4))
        ptx_op_visit(op, ask_product, NULL, s);
    const struct ptx_form_part *own = !s->long_product              ? long_form(s, op)
                                      : is_number(&op->operands[2]) ? product_and_number
                                                                    : s->long_product;
    s->out->parts[i] = s->any ? multiply_add : own ? own : ptx_measured_form(op->text);
}

bool ptx_forms_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                    const struct ptx_names *names, bool entry, struct ptx_forms *out)
{
    struct finder s = {.f = f, .cfg = cfg, .names = names, .entry = entry, .out = out};
    memset(out, 0, sizeof *out);
    out->folded = calloc(f->n_ops + 1, sizeof *out->folded);
    out->parts = calloc(f->n_ops + 1, sizeof *out->parts);
    out->same = malloc((f->n_regs + 1) * sizeof *out->same);
    out->also = malloc((f->n_regs + 1) * sizeof *out->also);
    out->guard = malloc((f->n_ops + 1) * sizeof *out->guard);
    out->acting = calloc(f->n_ops + 1, sizeof *out->acting);
    out->width = calloc(f->n_ops + 1, sizeof *out->width);
    out->moves = calloc(f->n_ops + 1, sizeof *out->moves);
    out->enters = calloc(f->n_ops + 1, sizeof *out->enters);
    out->reciprocal_of = calloc(f->n_ops + 1, sizeof *out->reciprocal_of);
    out->next_reciprocal = calloc(f->n_ops + 1, sizeof *out->next_reciprocal);
    out->loads_before = calloc(f->n_ops + 1, sizeof *out->loads_before);
    s.reg = calloc(f->n_regs + 1, sizeof *s.reg);
    s.varies = calloc(f->n_regs + 1, sizeof *s.varies);
    s.taken = calloc(f->n_ops + 1, sizeof *s.taken);
    bool ok = out->guard && out->also && out->folded && out->parts && out->same && out->acting &&
              out->width && out->moves && out->enters && out->loads_before && out->reciprocal_of &&
              out->next_reciprocal && s.reg && s.varies && s.taken &&
              ptx_variance_find(f, cfg, names, entry, s.varies);
    if (ok) {
        for (uint32_t r = 0; r < f->n_regs; r++)
            out->same[r] = r, out->also[r] = PTX_NO_REG;
        for (uint32_t i = 0; i < f->n_ops; i++)
            out->guard[i] = PTX_NO_REG;
        find_uses(&s);
        ok = ptx_loads_merge(f, cfg, out) && ptx_divisions_find(f, cfg, out);
        for (uint32_t i = 0; i < f->n_ops; i++)
            find_form(&s, i);
        for (uint32_t i = 0; i < f->n_ops; i++)
            find_branch_form(&s, i);
        ptx_reciprocals_place(f, out);
        ok = ok && (!entry || ptx_parameters_place(f, cfg, out)) &&
             ptx_long_constants_find(f, cfg, out);
        ptx_unrolled_enter(f, out);
    }
    free(s.reg);
    free(s.varies);
    free(s.taken);
    return ok;
}

void ptx_forms_release(struct ptx_forms *forms)
{
    free(forms->folded);
    free(forms->parts);
    free(forms->guard);
    free(forms->acting);
    free(forms->width);
    free(forms->moves);
    free(forms->enters);
    free(forms->loads_before);
    free(forms->reciprocal_of);
    free(forms->next_reciprocal);
    free(forms->load);
    free(forms->same);
    free(forms->also);
    memset(forms, 0, sizeof *forms);
}
