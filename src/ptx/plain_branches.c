/* plain_branches.c - a branch over a branch is one branch. */
#include "ptx/plain_branches.h"

#include <stdlib.h>

static bool is_branch(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_bra && op->n_operands == 1 &&
           op->operands[0].kind == PTX_OPERAND_LABEL;
}

/* Marks what somebody jumps to; false: by a table. */
static bool find_targets(const struct ptx_function *f, uint8_t *is_target)
{
    for (size_t i = 0; i < f->n_ops; i++) {
        const struct ptx_op *op = &f->ops[i];
        if (op->mnemonic == PTX_OP_brx)
            return false;
        for (unsigned k = 0; k < op->n_operands; k++)
            if (op->operands[k].kind == PTX_OPERAND_LABEL)
                is_target[op->operands[k].u.label] = 1;
    }
    return true;
}

static bool is_over_branch(const struct ptx_function *f, const uint8_t *is_target, size_t i)
{
    if (i + 2 >= f->n_ops)
        return false;
    const struct ptx_op *op = &f->ops[i];
    return is_branch(op) && op->guard != PTX_NO_REG && op->operands[0].u.label == i + 2 &&
           !is_target[i + 1] && is_branch(op + 1) && op[1].guard == PTX_NO_REG;
}

static void move_labels(struct ptx_function *f, const uint32_t *new_place)
{
    for (size_t i = 0; i < f->n_ops; i++)
        for (unsigned k = 0; k < f->ops[i].n_operands; k++) {
            struct ptx_operand *o = &f->ops[i].operands[k];
            if (o->kind == PTX_OPERAND_LABEL)
                o->u.label = new_place[o->u.label];
        }
}

static void turn_around(struct ptx_function *f, const uint8_t *is_target, uint32_t *new_place)
{
    uint32_t n = 0;
    for (size_t i = 0; i < f->n_ops; i++) {
        struct ptx_op *op = &f->ops[i];
        new_place[i] = n;
        f->ops[n] = *op;
        if (is_over_branch(f, is_target, i)) {
            f->ops[n].guard_negated = !op->guard_negated;
            f->ops[n].operands = op[1].operands;
            new_place[++i] = n;
        }
        n++;
    }
    new_place[f->n_ops] = n;
    f->n_ops = n;
    move_labels(f, new_place);
}

bool ptx_branches_make_plain(struct ptx_function *f)
{
    uint8_t *is_target = calloc(f->n_ops + 1, sizeof *is_target);
    uint32_t *new_place = malloc((f->n_ops + 1) * sizeof *new_place);
    bool ok = is_target && new_place;
    if (ok && find_targets(f, is_target))
        turn_around(f, is_target, new_place);
    free(is_target);
    free(new_place);
    return ok;
}
