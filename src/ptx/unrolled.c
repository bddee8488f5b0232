/* unrolled.c - found in PTX as sm/schedule.c finds them in a trace.
 *
 * What ptxas 13.0 does for sm_90 was read off loops of 1 to 64 loads, stores and sums, compiled one
 * by one. A loop that counts by a constant becomes four rounds in one where its body is small: 21
 * instructions, 22 and 4 for each load of shared memory, or, with loads of global or local memory,
 * 50 less one for each of them (the last that were unrolled: 43 sums with 1 load, 34 with 4, 22
 * with 8, 1 with 15). With a number of rounds that the code tells, all where ptx/whole_loops.c
 * has it so, else as many as fit in 300 instructions, if these are four: a body of 72 four times,
 * one of 80 once. Branches within it change nothing; a
 * second exit, a call, a division that calls or .pragma "nounroll" prevent it. */
#include "ptx/unrolled.h"

#include <strata/trace.h>

struct asked {
    uint32_t reg;
    bool found;
};

static void ask(void *user, uint32_t reg)
{
    struct asked *a = user;
    a->found |= reg == a->reg;
}

bool ptx_loop_closed_by(const struct ptx_function *f, uint32_t i, struct ptx_loop *out)
{
    const struct ptx_op *branch = &f->ops[i];
    if (branch->mnemonic != PTX_OP_bra || branch->guard == PTX_NO_REG || branch->n_operands != 1 ||
        branch->operands[0].kind != PTX_OPERAND_LABEL || branch->operands[0].u.label > i)
        return false;
    *out = (struct ptx_loop){f, branch->operands[0].u.label, i};
    return true;
}

/* Where op i jumps to, if back; else UINT32_MAX. */
static uint32_t jumps_back_to(const struct ptx_function *f, uint32_t i)
{
    const struct ptx_op *op = &f->ops[i];
    bool branches = op->mnemonic == PTX_OP_bra && op->n_operands == 1 &&
                    op->operands[0].kind == PTX_OPERAND_LABEL;
    return branches && op->operands[0].u.label <= i ? op->operands[0].u.label : UINT32_MAX;
}

bool ptx_innermost_loop_around(const struct ptx_function *f, uint32_t i, struct ptx_loop *out)
{
    uint32_t last = i;
    while (last < f->n_ops && jumps_back_to(f, last) > i)
        last++;
    if (last == f->n_ops)
        return false;
    *out = (struct ptx_loop){f, jumps_back_to(f, last), last};
    for (uint32_t k = out->first; k < last; k++)
        if (jumps_back_to(f, k) != UINT32_MAX)
            return false;
    return true;
}

const struct ptx_op *ptx_loop_writer(const struct ptx_loop *l, uint32_t reg)
{
    for (uint32_t i = l->last + 1; i-- > l->first;) {
        struct asked a = {reg, false};
        ptx_op_visit(&l->f->ops[i], NULL, ask, &a);
        if (a.found)
            return &l->f->ops[i];
    }
    return NULL;
}

bool ptx_loop_steps(const struct ptx_loop *l, const struct ptx_operand *o)
{
    const struct ptx_op *op = o->kind == PTX_OPERAND_REG ? ptx_loop_writer(l, o->u.reg) : NULL;
    return op && op->mnemonic == PTX_OP_add && op->n_operands == 3 &&
           op->operands[1].kind == PTX_OPERAND_REG && op->operands[1].u.reg == o->u.reg &&
           op->operands[2].kind == PTX_OPERAND_INT;
}

bool ptx_loop_is_counted(const struct ptx_loop *l)
{
    const struct ptx_op *branch = &l->f->ops[l->last];
    const struct ptx_op *compare = ptx_loop_writer(l, branch->guard);
    return compare && compare->mnemonic == PTX_OP_setp && compare->n_operands == 3 &&
           (ptx_loop_steps(l, &compare->operands[1]) || ptx_loop_steps(l, &compare->operands[2]));
}

static bool loads(const struct ptx_loop *l)
{
    for (uint32_t i = l->first; i < l->last; i++)
        if (l->f->ops[i].mnemonic == PTX_OP_ld && !ptx_op_has(&l->f->ops[i], PTX_M_PARAM))
            return true;
    return false;
}

bool ptx_has_unrolled_loop(const struct ptx_function *f, const struct ptx_cfg *cfg)
{
    for (uint32_t b = 0; b < cfg->n_blocks; b++) {
        struct ptx_loop l = {f, cfg->first[b], cfg->first[b + 1] - 1};
        const struct ptx_op *branch = &f->ops[l.last];
        if (branch->mnemonic == PTX_OP_bra && branch->guard != PTX_NO_REG &&
            branch->n_operands == 1 && branch->operands[0].kind == PTX_OPERAND_LABEL &&
            branch->operands[0].u.label == l.first && loads(&l) && ptx_loop_is_counted(&l))
            return true;
    }
    return false;
}

/* ---- how often ---- */

enum {
    MOST_PLAIN = 21,
    MOST_SHARED = 22,
    FOR_SHARED_LOAD = 4,
    MOST_LOADING = 50,
    MOST_TOLD = 300,
    FEW_ROUNDS = 4
};

struct body {
    uint32_t size, shared_loads, loads;
    bool fixed; /* something in it keeps it from being unrolled */
};

static void add_load(struct body *b, const struct ptx_op *op)
{
    if (op->mnemonic != PTX_OP_ld || ptx_op_has(op, PTX_M_PARAM) || ptx_op_has(op, PTX_M_CONST))
        return;
    bool shared = ptx_op_has(op, PTX_M_SHARED);
    b->shared_loads += shared;
    b->loads += !shared;
}

/* Two halves of 64 bits count once. */
static void add_size(struct body *b, const struct ptx_form_part *parts)
{
    uint32_t n = 0;
    for (; parts && parts->n; parts++) {
        n += parts->n;
        b->fixed |= parts->opclass == STRATA_OP_BRANCH && n > 3;
    }
    b->size += n > 2 ? n : 1;
}

bool ptx_loop_leaves(const struct ptx_loop *l, const struct ptx_op *op)
{
    if (op->mnemonic != PTX_OP_bra)
        return op->mnemonic == PTX_OP_call || op->mnemonic == PTX_OP_ret ||
               op->mnemonic == PTX_OP_exit || op->mnemonic == PTX_OP_brx;
    return op->n_operands != 1 || op->operands[0].kind != PTX_OPERAND_LABEL ||
           op->operands[0].u.label <= l->first || op->operands[0].u.label > l->last;
}

static struct body measure(const struct ptx_loop *l, const struct ptx_forms *forms)
{
    const struct ptx_op *branch = &l->f->ops[l->last];
    struct body b = {
        .fixed = l->f->ops[l->first].rolled, .size = branch->left.ops, .loads = branch->left.loads};
    for (uint32_t i = l->first; i <= l->last; i++) {
        const struct ptx_op *op = &l->f->ops[i];
        add_load(&b, op);
        if (!forms->folded[i] || op->mnemonic == PTX_OP_ld)
            add_size(&b, forms->parts[i]);
        b.fixed |= i < l->last && ptx_loop_leaves(l, op);
    }
    return b;
}

/* Whether a register counts from a number of the code: written there and in the loop alone. */
static bool begins_with_number(const struct ptx_loop *l, const struct ptx_operand *counter)
{
    bool number = false;
    uint32_t n = 0;
    if (!ptx_loop_steps(l, counter))
        return false;
    for (uint32_t i = 0; i < l->f->n_ops; i++) {
        const struct ptx_op *op = &l->f->ops[i];
        struct asked a = {counter->u.reg, false};
        ptx_op_visit(op, NULL, ask, &a);
        n += a.found;
        number |= a.found && op->mnemonic == PTX_OP_mov && op->operands[1].kind == PTX_OPERAND_INT;
    }
    return number && n == 2;
}

static bool tells_its_rounds(const struct ptx_loop *l)
{
    const struct ptx_op *compare = ptx_loop_writer(l, l->f->ops[l->last].guard);
    return compare->operands[2].kind == PTX_OPERAND_INT &&
           begins_with_number(l, &compare->operands[1]);
}

/* Of rounds whose number is known, but too many to be written out. */
static unsigned told_rounds(uint32_t size)
{
    unsigned n = size ? MOST_TOLD / size : 1;
    return n < FEW_ROUNDS ? 1 : n < STRATA_ALL_ROUNDS ? n : STRATA_ALL_ROUNDS - 1;
}

unsigned ptx_unrolled_rounds(const struct ptx_function *f, const struct ptx_forms *forms,
                             uint32_t i)
{
    struct ptx_loop l;
    if (!ptx_loop_closed_by(f, i, &l))
        return 0;
    struct body b = measure(&l, forms);
    if (b.fixed || !ptx_loop_is_counted(&l))
        return 1;
    if (tells_its_rounds(&l))
        return told_rounds(b.size + b.loads + b.shared_loads);
    uint32_t most = b.shared_loads ? MOST_SHARED + FOR_SHARED_LOAD * b.shared_loads : MOST_PLAIN;
    if (b.loads || most > MOST_LOADING)
        most = MOST_LOADING > b.loads ? MOST_LOADING - b.loads : 0;
    return b.size <= most ? FEW_ROUNDS : 1;
}

void ptx_unrolled_enter(const struct ptx_function *f, struct ptx_forms *out)
{
    for (uint32_t i = 0; i < f->n_ops; i++) {
        if (ptx_unrolled_rounds(f, out, i) != FEW_ROUNDS)
            continue;
        uint32_t at = f->ops[i].operands[0].u.label;
        while (at && out->folded[at - 1])
            at--;
        if (at && f->ops[at - 1].mnemonic != PTX_OP_ret)
            out->enters[at - 1] = i + 1;
    }
}
