/* long_constants.c - read off what ptxas 13.0 makes of polynomials for sm_90.
 *
 * An instruction of double precision has room for the upper word of a number. One whose lower word
 * is not 0 comes in two moves, mostly to uniform registers: exp has 14 of them for its 18 sums and
 * products. It stays for all that is only reached behind it, but not over the beginning of a loop
 * or over a division that may call: three calls of exp in a row share their numbers, those in
 * branches of their own, in rounds of a loop or with a quotient between them do not. */
#include "ptx/long_constants.h"

#include <stdlib.h>

#include <strata/trace.h>

enum { NUMBERS = 64, WORDS = 2, MOST_MOVES = 32 };

struct finder {
    const struct ptx_function *f;
    const struct ptx_cfg *cfg;
    uint64_t *number;  /* by register: what the only op that writes it moves there, or 0 */
    uint8_t *n_writes; /* by register, no more than 2 */
    uint64_t *there;   /* by block: numbers that are there when it begins, as bits */
    uint64_t known[NUMBERS];
    unsigned n_known;
};

static void count_write(void *user, uint32_t reg)
{
    uint8_t *n = &((struct finder *)user)->n_writes[reg];
    *n = (uint8_t)(*n < 2 ? *n + 1 : 2);
}

static void find_moved(struct finder *s)
{
    for (size_t i = 0; i < s->f->n_ops; i++) {
        const struct ptx_op *op = &s->f->ops[i];
        ptx_op_visit(op, NULL, count_write, s);
        if (op->mnemonic == PTX_OP_mov && op->n_operands == 2 &&
            op->operands[0].kind == PTX_OPERAND_REG && op->operands[1].kind == PTX_OPERAND_F64)
            s->number[op->operands[0].u.reg] = op->operands[1].value;
    }
}

static bool computes(const struct ptx_op *op)
{
    switch (op->mnemonic) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_fma:
    case PTX_OP_mad:
    case PTX_OP_div:
    case PTX_OP_setp:
        return ptx_op_type(op) == PTX_F64;
    default:
        return false;
    }
}

/* A sign is the instruction's. */
static uint64_t number_of(const struct finder *s, const struct ptx_operand *o)
{
    uint64_t bits = o->kind == PTX_OPERAND_F64                                 ? o->value
                    : o->kind == PTX_OPERAND_REG && s->n_writes[o->u.reg] == 1 ? s->number[o->u.reg]
                                                                               : 0;
    return bits & ~(1ull << 63);
}

/* Its bit; 0: there are too many of them. */
static uint64_t bit_of(struct finder *s, uint64_t number)
{
    unsigned k = 0;
    while (k < s->n_known && s->known[k] != number)
        k++;
    if (k == NUMBERS)
        return 0;
    s->known[k] = number;
    s->n_known += k == s->n_known;
    return 1ull << k;
}

static unsigned moves_before(struct finder *s, const struct ptx_op *op, uint64_t *there)
{
    unsigned n = 0;
    for (unsigned k = 1; computes(op) && k < op->n_operands; k++) {
        uint64_t number = number_of(s, &op->operands[k]),
                 bit = (uint32_t)number ? bit_of(s, number) : 0;
        n += (uint32_t)number && !(*there & bit) ? WORDS : 0;
        *there |= bit;
    }
    return n;
}

/* Nothing is there where a kernel or a loop begins, elsewhere what all ways bring along. */
static void begin_blocks(struct finder *s)
{
    const struct ptx_cfg *c = s->cfg;
    for (uint32_t b = 1; b < c->n_blocks; b++)
        s->there[b] = UINT64_MAX;
    for (uint32_t b = 0; b < c->n_blocks; b++)
        for (uint32_t k = c->succ_first[b]; k < c->succ_first[b + 1]; k++)
            if (c->succ[k] <= b)
                s->there[c->succ[k]] = 0;
}

static bool may_call(const struct ptx_op *op, const struct ptx_form_part *parts)
{
    if (op->mnemonic == PTX_OP_call)
        return true;
    for (; op->mnemonic != PTX_OP_bra && parts && parts->n; parts++)
        if (parts->opclass == STRATA_OP_BRANCH)
            return true;
    return false;
}

static void visit_block(struct finder *s, uint32_t b, struct ptx_forms *out)
{
    const struct ptx_cfg *c = s->cfg;
    uint64_t there = s->there[b];
    unsigned n = 0; /* also of ops that the next one takes along */
    for (uint32_t i = c->first[b]; i < c->first[b + 1]; i++) {
        n += moves_before(s, &s->f->ops[i], &there);
        out->moves[i] = (uint8_t)(out->folded[i] ? 0 : n < MOST_MOVES ? n : MOST_MOVES);
        n = out->folded[i] ? n : 0;
        there = may_call(&s->f->ops[i], out->parts[i]) ? 0 : there;
    }
    for (uint32_t k = c->succ_first[b]; k < c->succ_first[b + 1]; k++)
        if (c->succ[k] < c->n_blocks)
            s->there[c->succ[k]] &= there;
}

bool ptx_long_constants_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                             struct ptx_forms *out)
{
    struct finder s = {.f = f,
                       .cfg = cfg,
                       .number = calloc(f->n_regs + 1, sizeof *s.number),
                       .n_writes = calloc(f->n_regs + 1, sizeof *s.n_writes),
                       .there = calloc(cfg->n_blocks + 1, sizeof *s.there)};
    bool ok = s.number && s.n_writes && s.there;
    if (ok) {
        find_moved(&s);
        begin_blocks(&s);
    }
    for (uint32_t b = 0; ok && b < cfg->n_blocks; b++)
        visit_block(&s, b, out);
    free(s.number);
    free(s.n_writes);
    free(s.there);
    return ok;
}
