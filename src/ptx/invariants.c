/* invariants.c - read off what ptxas 13.0 makes of loops of a few ops for sm_90.
 *
 * What reads nothing that the loop writes is computed once, before it, if it is done in every
 * round: special registers, products, comparisons, divisions and roots that do not call, loads of
 * parameters and of what is read-only. All of that holds for loops with no other loop in them; what
 * such a loop has around the inner one stays there. nvcc leaves such ops in loops whose threads
 * have many registers, a product of matrices by blocks for instance, to have their results for less
 * long. ptxas moves plain loads, too, that nothing in the loop can write to; nvcc has done so
 * before, and who asks by such a load whether another block has answered would ask for ever. */
#include "ptx/invariants.h"

#include <stdlib.h>
#include <string.h>

#include <strata/trace.h>

#include "ptx/special.h"

struct leaving {
    struct ptx_function *f;
    const struct ptx_names *names;
    struct ptx_loop *l;
    uint8_t *n_writes; /* by register: how many ops write it, no more than 2 */
    bool *inside;      /* by register: it is written in the loop */
    bool *leaves;      /* by op of the loop */
    struct ptx_op *op; /* as they were */
    uint32_t *place;   /* by op of the loop: where it is then */
    bool any;
};

static bool is_branch(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_bra || op->mnemonic == PTX_OP_brx;
}

static bool is_branch_within(const struct ptx_op *op, const struct ptx_loop *l)
{
    return op->mnemonic == PTX_OP_bra && op->n_operands == 1 &&
           op->operands[0].kind == PTX_OPERAND_LABEL && op->operands[0].u.label >= l->first &&
           op->operands[0].u.label <= l->last;
}

/* No loop is in it, and nobody jumps into it but to its head. */
static bool is_innermost(const struct ptx_loop *l)
{
    for (uint32_t i = 0; i < l->f->n_ops; i++) {
        const struct ptx_op *op = &l->f->ops[i];
        bool inside = i >= l->first && i < l->last;
        if (op->mnemonic == PTX_OP_brx ||
            (inside && (op->mnemonic == PTX_OP_call ||
                        (is_branch_within(op, l) && op->operands[0].u.label <= i))) ||
            (!inside && i != l->last && is_branch_within(op, l) &&
             op->operands[0].u.label != l->first))
            return false;
    }
    return true;
}

/* ---- what leaves ---- */

/* Of parameters, constants and what is read-only. */
static bool is_constant_load(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_ld &&
           (ptx_op_has(op, PTX_M_PARAM) || ptx_op_has(op, PTX_M_CONST) || ptx_op_has(op, PTX_M_NC));
}

static bool calls(const struct ptx_op *op)
{
    const struct ptx_form_part *part = ptx_measured_form(op->text);
    uint32_t n = 0;
    bool branches = false;
    for (; part && part->n; part++) {
        n += part->n;
        branches |= part->opclass == STRATA_OP_BRANCH;
    }
    return branches && n > 3;
}

static bool reads_clock(const struct leaving *s, const struct ptx_op *op)
{
    uint32_t ref;
    bool wide;
    for (unsigned k = 1; k < op->n_operands; k++) {
        const struct ptx_operand *o = &op->operands[k];
        if (o->kind == PTX_OPERAND_SREG &&
            ptx_special_find(s->names->text[o->u.name], &ref, &wide) != PTX_SPECIAL_LANES)
            return true;
    }
    return false;
}

/* Its result hangs on its operands alone. */
static bool computes(const struct leaving *s, const struct ptx_op *op)
{
    switch (op->mnemonic) {
    case PTX_OP_ld:
        return is_constant_load(op);
    case PTX_OP_mov:
        return !reads_clock(s, op);
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_mad:
        return !ptx_op_has(op, PTX_M_CC);
    case PTX_OP_fma:
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_not:
    case PTX_OP_neg:
    case PTX_OP_abs:
    case PTX_OP_shl:
    case PTX_OP_shr:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_cvt:
    case PTX_OP_cvta:
    case PTX_OP_selp:
    case PTX_OP_setp:
    case PTX_OP_rem:
    case PTX_OP_div:
    case PTX_OP_rcp:
    case PTX_OP_sqrt:
    case PTX_OP_rsqrt:
    case PTX_OP_ex2:
    case PTX_OP_lg2:
    case PTX_OP_sin:
    case PTX_OP_cos:
        return !calls(op);
    default:
        return false;
    }
}

static void count_write(void *user, uint32_t reg)
{
    uint8_t *n = &((struct leaving *)user)->n_writes[reg];
    *n = (uint8_t)(*n < 2 ? *n + 1 : 2);
}

static void mark_inside(void *user, uint32_t reg)
{
    ((struct leaving *)user)->inside[reg] = true;
}

static void mark_outside(void *user, uint32_t reg)
{
    ((struct leaving *)user)->inside[reg] = false;
}

static void ask_inside(void *user, uint32_t reg)
{
    struct leaving *s = user;
    s->any |= s->inside[reg];
}

static void ask_written_again(void *user, uint32_t reg)
{
    struct leaving *s = user;
    s->any |= s->n_writes[reg] > 1;
}

static bool may_leave(struct leaving *s, const struct ptx_op *op)
{
    s->any = false;
    ptx_op_visit(op, ask_inside, ask_written_again, s);
    return !s->any && op->guard == PTX_NO_REG && ptx_op_destinations(op) && computes(s, op);
}

/* How many ops leave. What a branch may pass over is not done in every round. */
static uint32_t find_leaving(struct leaving *s)
{
    const struct ptx_loop *l = s->l;
    uint32_t over = l->first, n = 0;
    for (uint32_t i = 0; i < s->f->n_ops; i++)
        ptx_op_visit(&s->f->ops[i], NULL, count_write, s);
    for (uint32_t i = l->first; i < l->last; i++) {
        ptx_op_visit(&s->f->ops[i], NULL, mark_inside, s);
    }
    for (uint32_t i = l->first; i < l->last; i++) {
        const struct ptx_op *op = &s->f->ops[i];
        if (is_branch(op))
            over = is_branch_within(op, l) && op->operands[0].u.label > over
                       ? op->operands[0].u.label
                       : over;
        if (ptx_loop_leaves(l, op))
            break;
        if (i < over || !may_leave(s, op))
            continue;
        s->leaves[i - l->first] = true;
        ptx_op_visit(op, NULL, mark_outside, s);
        n++;
    }
    return n;
}

/* ---- moving ---- */

/* Whoever comes from outside passes what was moved, the loop's own branches do not. */
static void move_labels(struct leaving *s, uint32_t n)
{
    struct ptx_loop *l = s->l;
    for (uint32_t i = l->first + n; i <= l->last; i++) {
        struct ptx_op *op = &s->f->ops[i];
        if (is_branch_within(op, l))
            op->operands[0].u.label = s->place[op->operands[0].u.label - l->first];
    }
}

static void count_one(uint8_t *n, bool one)
{
    *n = (uint8_t)(*n < UINT8_MAX && one ? *n + 1 : *n);
}

/* ptxas asks whether a loop is short before anything leaves it. */
static void note_left(struct ptx_op *branch, const struct ptx_op *op)
{
    bool is_parameter = op->mnemonic == PTX_OP_ld && ptx_op_has(op, PTX_M_PARAM);
    count_one(&branch->left.loads, op->mnemonic == PTX_OP_ld && ptx_op_has(op, PTX_M_NC));
    count_one(&branch->left.ops, op->mnemonic != PTX_OP_mov && op->mnemonic != PTX_OP_cvta &&
                                     op->mnemonic != PTX_OP_cvt && !is_parameter);
}

static void move(struct leaving *s, uint32_t n)
{
    struct ptx_loop *l = s->l;
    struct ptx_op *ops = s->f->ops;
    uint32_t out = l->first, in = l->first + n;
    bool rolled = ops[l->first].rolled;
    memcpy(s->op, &ops[l->first], (l->last - l->first + 1) * sizeof *s->op);
    for (uint32_t i = 0; i <= l->last - l->first; i++) {
        s->place[i] = in;
        if (s->leaves[i])
            note_left(&s->op[l->last - l->first], &s->op[i]);
        ops[s->leaves[i] ? out++ : in++] = s->op[i];
    }
    ops[l->first].rolled = false;
    ops[l->first + n].rolled = rolled;
    move_labels(s, n);
    l->first += n;
}

bool ptx_invariants_leave(struct ptx_function *f, const struct ptx_names *names, struct ptx_loop *l)
{
    uint32_t n_ops = l->last - l->first + 1;
    if (!is_innermost(l))
        return true;
    struct leaving s = {.f = f,
                        .names = names,
                        .l = l,
                        .n_writes = calloc(f->n_regs + 1, sizeof *s.n_writes),
                        .inside = calloc(f->n_regs + 1, sizeof *s.inside),
                        .leaves = calloc(n_ops, sizeof *s.leaves),
                        .op = malloc(n_ops * sizeof *s.op),
                        .place = malloc(n_ops * sizeof *s.place)};
    bool ok = s.n_writes && s.inside && s.leaves && s.op && s.place;
    uint32_t n = ok ? find_leaving(&s) : 0;
    if (n)
        move(&s, n);
    free(s.n_writes);
    free(s.inside);
    free(s.leaves);
    free(s.op);
    free(s.place);
    return ok;
}

bool ptx_invariants_leave_all(struct ptx_function *f, const struct ptx_names *names)
{
    for (uint32_t i = 0; i < f->n_ops; i++) {
        struct ptx_loop l;
        if (ptx_loop_closed_by(f, i, &l) && !ptx_invariants_leave(f, names, &l))
            return false;
    }
    return true;
}
