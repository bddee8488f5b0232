/* unrolled.c - found in PTX as sm/schedule.c finds them in a trace. */
#include "ptx/unrolled.h"

struct loop {
    const struct ptx_function *f;
    uint32_t first, last; /* ops of its only block */
};

struct asked {
    uint32_t reg;
    bool found;
};

static void ask(void *user, uint32_t reg)
{
    struct asked *a = user;
    a->found |= reg == a->reg;
}

/* The op of the loop that writes a register last, or NULL. */
static const struct ptx_op *writer(const struct loop *l, uint32_t reg)
{
    for (uint32_t i = l->last + 1; i-- > l->first;) {
        struct asked a = {reg, false};
        ptx_op_visit(&l->f->ops[i], NULL, ask, &a);
        if (a.found)
            return &l->f->ops[i];
    }
    return NULL;
}

static bool steps_by_constant(const struct loop *l, const struct ptx_operand *o)
{
    const struct ptx_op *op = o->kind == PTX_OPERAND_REG ? writer(l, o->u.reg) : NULL;
    return op && op->mnemonic == PTX_OP_add && op->n_operands == 3 &&
           op->operands[1].kind == PTX_OPERAND_REG && op->operands[1].u.reg == o->u.reg &&
           op->operands[2].kind == PTX_OPERAND_INT;
}

static bool is_counted(const struct loop *l)
{
    const struct ptx_op *branch = &l->f->ops[l->last];
    const struct ptx_op *compare = writer(l, branch->guard);
    return compare && compare->mnemonic == PTX_OP_setp && compare->n_operands == 3 &&
           (steps_by_constant(l, &compare->operands[1]) ||
            steps_by_constant(l, &compare->operands[2]));
}

static bool loads(const struct loop *l)
{
    for (uint32_t i = l->first; i < l->last; i++)
        if (l->f->ops[i].mnemonic == PTX_OP_ld && !ptx_op_has(&l->f->ops[i], PTX_M_PARAM))
            return true;
    return false;
}

bool ptx_has_unrolled_loop(const struct ptx_function *f, const struct ptx_cfg *cfg)
{
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        struct loop l = {f, cfg->first[b], cfg->first[b + 1] - 1};
        const struct ptx_op *branch = &f->ops[l.last];
        if (branch->mnemonic == PTX_OP_bra && branch->guard != PTX_NO_REG &&
            branch->n_operands == 1 && branch->operands[0].kind == PTX_OPERAND_LABEL &&
            branch->operands[0].u.label == l.first && loads(&l) && is_counted(&l))
            return true;
    }
    return false;
}
