/* variance.c - what differs between lanes: numbers of threads and lanes, answers of atomics, what
 * is computed or loaded by way of these, and what is written more than once on ways that lanes take
 * apart. A load of one address by all lanes gives one value. */
#include "ptx/variance.h"

#include <stdlib.h>
#include <string.h>

struct variance {
    const struct ptx_function *f;
    const struct ptx_cfg *cfg;
    const struct ptx_names *names;
    bool entry;
    bool *varies;      /* by register */
    uint8_t *n_writes; /* by register, no more than 2 */
    bool *apart;       /* by block: some lanes may be elsewhere */
    uint32_t *stack;   /* of blocks */
    bool any, changed, here_apart;
};

static void count_write(void *user, uint32_t reg)
{
    uint8_t *n = &((struct variance *)user)->n_writes[reg];
    *n = (uint8_t)(*n < 2 ? *n + 1 : 2);
}

static void ask(void *user, uint32_t reg)
{
    struct variance *v = user;
    v->any |= v->varies[reg];
}

static void mark(void *user, uint32_t reg)
{
    struct variance *v = user;
    bool found = v->any || (v->here_apart && v->n_writes[reg] > 1);
    v->changed |= found && !v->varies[reg];
    v->varies[reg] |= found;
}

static bool is_lane_number(const struct variance *v, const struct ptx_operand *o)
{
    const char *name = o->kind == PTX_OPERAND_SREG ? v->names->text[o->u.name] : "";
    return !strncmp(name, "%tid", 4) || !strncmp(name, "%lane", 5);
}

static bool starts(const struct variance *v, const struct ptx_op *op)
{
    if (op->mnemonic == PTX_OP_mov)
        return op->n_operands > 1 && is_lane_number(v, &op->operands[1]);
    return op->mnemonic == PTX_OP_atom || op->mnemonic == PTX_OP_match ||
           (op->mnemonic == PTX_OP_ld &&
            (ptx_op_has(op, PTX_M_LOCAL) || (ptx_op_has(op, PTX_M_PARAM) && !v->entry)));
}

/* All lanes get one answer whatever they bring. */
static bool ends(struct variance *v, const struct ptx_op *op)
{
    if (op->mnemonic == PTX_OP_vote || op->mnemonic == PTX_OP_redux ||
        op->mnemonic == PTX_OP_activemask)
        return true;
    if (op->mnemonic != PTX_OP_shfl || !ptx_op_has(op, PTX_M_IDX) || op->n_operands < 3)
        return false;
    const struct ptx_operand *lane = &op->operands[2];
    return lane->kind == PTX_OPERAND_INT ||
           (lane->kind == PTX_OPERAND_REG && !v->varies[lane->u.reg]);
}

static void visit_ops(struct variance *v)
{
    for (uint32_t i = 0; i < v->f->n_ops; i++) {
        const struct ptx_op *op = &v->f->ops[i];
        v->any = starts(v, op);
        if (!ends(v, op))
            ptx_op_visit(op, ask, NULL, v);
        if (op->guard != PTX_NO_REG && op->mnemonic != PTX_OP_bra)
            v->any |= v->varies[op->guard];
        v->here_apart = v->apart[v->cfg->block_of[i]];
        ptx_op_visit(op, NULL, mark, v);
    }
}

/* All blocks between a branch that lanes take apart and where they meet again. */
static void part_from(struct variance *v, uint32_t block)
{
    const struct ptx_cfg *c = v->cfg;
    uint32_t n = 0, meet = c->join[block];
    v->stack[n++] = block;
    while (n) {
        uint32_t b = v->stack[--n];
        for (uint32_t k = c->succ_first[b]; k < c->succ_first[b + 1]; k++) {
            uint32_t next = c->succ[k];
            if (next >= c->n_blocks || next == meet || v->apart[next])
                continue;
            v->apart[next] = true;
            v->changed = true;
            v->stack[n++] = next;
        }
    }
}

static void visit_branches(struct variance *v)
{
    for (uint32_t b = 0; b < v->cfg->n_blocks; b++) {
        uint32_t end = v->cfg->first[b + 1];
        const struct ptx_op *op = end > v->cfg->first[b] ? &v->f->ops[end - 1] : NULL;
        if (op && (op->mnemonic == PTX_OP_bra || op->mnemonic == PTX_OP_brx) &&
            op->guard != PTX_NO_REG && v->varies[op->guard])
            part_from(v, b);
    }
}

bool ptx_variance_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                       const struct ptx_names *names, bool entry, bool *varies)
{
    /* Loops carry it back; where the rounds do not reach an end, anything may differ. */
    enum { ROUNDS = 64 };
    struct variance v = {.f = f, .cfg = cfg, .names = names, .entry = entry, .varies = varies};
    v.n_writes = calloc(f->n_regs + 1, sizeof *v.n_writes);
    v.apart = calloc(cfg->n_blocks + 1, sizeof *v.apart);
    v.stack = calloc(cfg->n_blocks + 1, sizeof *v.stack);
    bool ok = v.n_writes && v.apart && v.stack;
    for (size_t i = 0; ok && i < f->n_ops; i++)
        ptx_op_visit(&f->ops[i], NULL, count_write, &v);
    v.changed = true;
    for (unsigned round = 0; ok && v.changed && round < ROUNDS; round++) {
        v.changed = false;
        visit_ops(&v);
        visit_branches(&v);
    }
    if (ok && v.changed)
        memset(varies, true, f->n_regs * sizeof *varies);
    free(v.n_writes);
    free(v.apart);
    free(v.stack);
    return ok;
}
