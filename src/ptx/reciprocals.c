/* reciprocals.c - ptxas 13.0 for sm_90 finds the reciprocal of a divisor of 32 bits once for all
 * divisions by it, and before a loop that leaves the divisor as it is and divides in every round;
 * what is left is as long as in the tables here, which with the reciprocal make that of a whole
 * division (scripts/ptx-expansion). */
#include "ptx/reciprocals.h"

#include <stdlib.h>

#include <strata/trace.h>

static const struct ptx_form_part with_product[] = {{STRATA_OP_IMAD, 1}, {0, 0}},
                                  quotient[] = {{STRATA_OP_INT, 6}, {STRATA_OP_IMAD, 3}, {0, 0}},
                                  rest_of[] = {{STRATA_OP_INT, 5}, {STRATA_OP_IMAD, 3}, {0, 0}},
                                  signed_quotient[] = {{STRATA_OP_INT, 10},
                                                       {STRATA_OP_IMAD, 3},
                                                       {0, 0}},
                                  signed_rest_of[] = {{STRATA_OP_INT, 8},
                                                      {STRATA_OP_IMAD, 3},
                                                      {0, 0}},
                                  reciprocal[] = {{STRATA_OP_FP16, 1},
                                                  {STRATA_OP_CONV, 1},
                                                  {STRATA_OP_SFU, 1},
                                                  {STRATA_OP_INT, 3},
                                                  {STRATA_OP_CONV, 1},
                                                  {STRATA_OP_IMAD, 3},
                                                  {0, 0}},
                                  signed_reciprocal[] = {{STRATA_OP_INT, 1},  {STRATA_OP_FP16, 1},
                                                         {STRATA_OP_CONV, 1}, {STRATA_OP_SFU, 1},
                                                         {STRATA_OP_INT, 3},  {STRATA_OP_CONV, 1},
                                                         {STRATA_OP_IMAD, 6}, {0, 0}};

struct writes {
    uint32_t n, at; /* at: the last op that writes the register */
};

struct finder {
    const struct ptx_function *f;
    const struct ptx_cfg *cfg;
    struct writes *reg;
    uint32_t at;
};

static void count_write(void *user, uint32_t reg)
{
    struct finder *s = user;
    s->reg[reg].n++;
    s->reg[reg].at = s->at;
}

static bool same_operand(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == b->kind &&
           (a->kind == PTX_OPERAND_REG ? a->u.reg == b->u.reg : a->value == b->value);
}

static bool is_division(const struct ptx_op *op)
{
    return (op->mnemonic == PTX_OP_rem || op->mnemonic == PTX_OP_div) && op->n_operands == 3 &&
           ptx_type_kind(ptx_op_type(op)) != 'f';
}

static bool is_signed(const struct ptx_op *op)
{
    return ptx_type_kind(ptx_op_type(op)) == 's';
}

static bool divides_by(const struct ptx_op *op, const struct ptx_op *like)
{
    return is_division(op) && ptx_op_type(op) == ptx_op_type(like) &&
           same_operand(&op->operands[2], &like->operands[2]);
}

/* A quotient and a remainder of the same numbers, near each other, are found together. */
static bool follows_division(const struct finder *s, uint32_t i)
{
    enum { NEAR = 16 };
    const struct ptx_op *op = &s->f->ops[i];
    const uint32_t *block_of = s->cfg->block_of;
    for (uint32_t k = i; k-- > 0 && i - k <= NEAR && block_of[k] == block_of[i];)
        if (divides_by(&s->f->ops[k], op) &&
            same_operand(&s->f->ops[k].operands[1], &op->operands[1]))
            return true;
    return false;
}

/* The op that a branch leads to, or PTX_NO_REG. */
static uint32_t target_of(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_bra && op->n_operands == 1 &&
                   op->operands[0].kind == PTX_OPERAND_LABEL
               ? op->operands[0].u.label
               : PTX_NO_REG;
}

/* Whether rounds of a loop may leave op i out. */
static bool is_left_out(const struct finder *s, uint32_t first, uint32_t i, uint32_t last)
{
    for (uint32_t k = first; k < i; k++) {
        uint32_t to = target_of(&s->f->ops[k]);
        if (to != PTX_NO_REG && to > i && to <= last)
            return true;
    }
    return false;
}

/* The beginning of the outermost loop around op i of which all rounds come to it and that begins
 * behind `least`, or PTX_NO_REG. */
static uint32_t before_loops(const struct finder *s, uint32_t i, uint32_t least)
{
    uint32_t outermost = PTX_NO_REG;
    for (uint32_t k = i; k < s->f->n_ops; k++) {
        uint32_t first = target_of(&s->f->ops[k]);
        if (first <= i && first < outermost && least < first && !is_left_out(s, first, i, k))
            outermost = first;
    }
    return outermost;
}

static bool follows_divisor(const struct finder *s, uint32_t i)
{
    for (uint32_t k = i; k-- > 0 && s->cfg->block_of[k] == s->cfg->block_of[i];)
        if (divides_by(&s->f->ops[k], &s->f->ops[i]))
            return true;
    return false;
}

static const struct ptx_form_part *rest_form(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_div ? (is_signed(op) ? signed_quotient : quotient)
                                      : (is_signed(op) ? signed_rest_of : rest_of);
}

/* Whether an earlier division by the same divisor has its reciprocal before the same loop. */
static bool is_found_there(const struct finder *s, const struct ptx_forms *out, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (out->next_reciprocal[k] == out->next_reciprocal[i] &&
            divides_by(&s->f->ops[k], &s->f->ops[i]))
            return true;
    return false;
}

/* next_reciprocal of the division holds the beginning of the loop until it is placed. */
static void find_division(const struct finder *s, struct ptx_forms *out, uint32_t i)
{
    const struct ptx_op *op = &s->f->ops[i];
    const struct ptx_operand *by = &op->operands[2];
    bool fixed = ptx_type_bytes(ptx_op_type(op)) == 4 && by->kind == PTX_OPERAND_REG &&
                 s->reg[by->u.reg].n == 1;
    if (follows_division(s, i)) {
        out->parts[i] = with_product;
        return;
    }
    uint32_t at = fixed ? before_loops(s, i, s->reg[by->u.reg].at) : PTX_NO_REG;
    if (at == PTX_NO_REG) {
        out->parts[i] = fixed && follows_divisor(s, i) ? rest_form(op) : NULL;
        return;
    }
    out->parts[i] = rest_form(op);
    out->next_reciprocal[i] = at;
    if (is_found_there(s, out, i))
        out->next_reciprocal[i] = 0;
}

bool ptx_divisions_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                        struct ptx_forms *out)
{
    struct finder s = {.f = f, .cfg = cfg, .reg = calloc(f->n_regs + 1, sizeof *s.reg)};
    for (; s.reg && s.at < f->n_ops; s.at++)
        ptx_op_visit(&f->ops[s.at], NULL, count_write, &s);
    for (uint32_t i = 0; s.reg && i < f->n_ops; i++)
        if (is_division(&f->ops[i]))
            find_division(&s, out, i);
    free(s.reg);
    return s.reg;
}

void ptx_reciprocals_place(const struct ptx_function *f, struct ptx_forms *out)
{
    for (uint32_t i = (uint32_t)f->n_ops; i-- > 0;) {
        uint32_t at = out->next_reciprocal[i];
        if (!at)
            continue;
        do
            at--;
        while (at && out->folded[at]); /* the last op before the loop that has a record */
        out->next_reciprocal[i] = out->reciprocal_of[at];
        out->reciprocal_of[at] = i + 1;
    }
}

const struct ptx_form_part *ptx_reciprocal_form(const struct ptx_op *division)
{
    return is_signed(division) ? signed_reciprocal : reciprocal;
}
