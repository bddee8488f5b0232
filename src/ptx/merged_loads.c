/* merged_loads.c - what ptxas 13.0 does for sm_90 with a tile that a thread reads along a row:
 * `ld.shared.f32` of [r], [r+4], [r+8] and [r+12] become one LDS.128, of two neighbours LDS.64,
 * wherever they stand between two that write shared memory, if the first address is known to be a
 * multiple of the whole. That follows from where variables lie, and from products, shifts and sums:
 * lu_trailing of the example suite has 8 such loads for 32, matmul_tiled 28 for 112. Global memory
 * keeps its loads: where buffers begin is not known. */
#include "ptx/merged_loads.h"

#include <stdlib.h>
#include <string.h>

/* Low bits of a value that are known to be 0; more than four make no difference. */
enum { MOST_ZEROS = 4, MOST_BYTES = 16 };

struct aligner {
    const struct ptx_function *f;
    const struct ptx_cfg *cfg;
    struct ptx_forms *out;
    uint8_t *zeros;    /* by register */
    uint32_t *written; /* by register: how many ops write it */
    uint8_t of_op;     /* zeros of the result of the op being visited */
    bool changed;
    uint32_t asked; /* a register, and whether the op being visited writes it */
    bool found;
};

static unsigned at_most(unsigned zeros)
{
    return zeros < MOST_ZEROS ? zeros : MOST_ZEROS;
}

static unsigned zeros_of_number(uint64_t value)
{
    return value ? at_most((unsigned)__builtin_ctzll(value)) : MOST_ZEROS;
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned zeros_of(const struct aligner *a, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPERAND_REG:
        return a->zeros[o->u.reg];
    case PTX_OPERAND_INT:
        return zeros_of_number(o->value);
    case PTX_OPERAND_VAR:
        return o->u.var->same->space == PTX_M_SHARED
                   ? zeros_of_number(o->u.var->same->same->offset + o->value)
                   : 0;
    default:
        return 0;
    }
}

static unsigned zeros_of_result(const struct aligner *a, const struct ptx_op *op)
{
    const struct ptx_operand *o = op->operands;
    if (op->n_operands < 2 || ptx_type_kind(ptx_op_type(op)) == 'f' || ptx_op_has(op, PTX_M_HI))
        return 0;
    unsigned first = zeros_of(a, &o[1]), second = op->n_operands > 2 ? zeros_of(a, &o[2]) : 0;
    switch (op->mnemonic) {
    case PTX_OP_mov:
    case PTX_OP_cvta:
    case PTX_OP_cvt:
        return first;
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_or:
    case PTX_OP_xor:
        return smaller(first, second);
    case PTX_OP_and:
        return first > second ? first : second;
    case PTX_OP_selp:
        return smaller(first, second);
    case PTX_OP_mul:
        return at_most(first + second);
    case PTX_OP_mad:
        return op->n_operands < 4 ? 0 : smaller(at_most(first + second), zeros_of(a, &o[3]));
    case PTX_OP_shl:
        return o[2].kind == PTX_OPERAND_INT && o[2].value < 64
                   ? at_most(first + (unsigned)o[2].value)
                   : first;
    default:
        return 0;
    }
}

static void lower(void *user, uint32_t reg)
{
    struct aligner *a = user;
    if (a->zeros[reg] <= a->of_op)
        return;
    a->zeros[reg] = a->of_op;
    a->changed = true;
}

static void count_write(void *user, uint32_t reg)
{
    ((struct aligner *)user)->written[reg]++;
}

/* Of a register that several write, what all of them leave. */
static void find_zeros(struct aligner *a)
{
    memset(a->zeros, MOST_ZEROS, a->f->n_regs);
    for (size_t i = 0; i < a->f->n_ops; i++)
        ptx_op_visit(&a->f->ops[i], NULL, count_write, a);
    do {
        a->changed = false;
        for (size_t i = 0; i < a->f->n_ops; i++) {
            a->of_op = (uint8_t)zeros_of_result(a, &a->f->ops[i]);
            ptx_op_visit(&a->f->ops[i], NULL, lower, a);
        }
    } while (a->changed);
}

/* ---- loads ---- */

/* A plain load of one word, by a register and a constant. */
static bool is_word_load(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_ld && op->guard == PTX_NO_REG && op->n_modifiers == 2 &&
           ptx_op_has(op, PTX_M_SHARED) && ptx_type_bytes(ptx_op_type(op)) >= 4 &&
           op->n_operands == 2 && op->operands[0].kind == PTX_OPERAND_REG &&
           op->operands[1].kind == PTX_OPERAND_ADDRESS && op->operands[1].n_children == 1 &&
           op->operands[1].u.children[0].kind == PTX_OPERAND_REG;
}

static uint32_t base_of(const struct ptx_op *load)
{
    return load->operands[1].u.children[0].u.reg;
}

static uint64_t offset_of(const struct ptx_op *load)
{
    return load->operands[1].value + load->operands[1].u.children[0].value;
}

/* What loads are not moved over. */
static bool may_write_shared(const struct ptx_op *op)
{
    switch (op->mnemonic) {
    case PTX_OP_st:
        return !ptx_op_has(op, PTX_M_GLOBAL) && !ptx_op_has(op, PTX_M_LOCAL) &&
               !ptx_op_has(op, PTX_M_PARAM);
    case PTX_OP_ld:
        return ptx_op_has(op, PTX_M_VOLATILE);
    case PTX_OP_atom:
    case PTX_OP_red:
        return !ptx_op_has(op, PTX_M_GLOBAL);
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_membar:
    case PTX_OP_fence:
    case PTX_OP_call:
    case PTX_OP_cp:
    case PTX_OP_mbarrier:
    case PTX_OP_stmatrix:
        return true;
    default:
        return false;
    }
}

static void ask_written(void *user, uint32_t reg)
{
    struct aligner *a = user;
    a->found |= reg == a->asked;
}

static bool writes(struct aligner *a, const struct ptx_op *op, uint32_t reg)
{
    a->asked = reg;
    a->found = false;
    ptx_op_visit(op, NULL, ask_written, a);
    return a->found;
}

/* The op that loads the word `bytes` behind that of op i, or 0. */
static uint32_t neighbour(struct aligner *a, uint32_t i, unsigned bytes)
{
    const struct ptx_op *op = &a->f->ops[i];
    uint32_t end = a->cfg->first[a->cfg->block_of[i] + 1];
    for (uint32_t k = i; k < end; k++) {
        const struct ptx_op *x = &a->f->ops[k];
        if (k > i && !a->out->folded[k] && is_word_load(x) && base_of(x) == base_of(op) &&
            ptx_op_type(x) == ptx_op_type(op) && offset_of(x) == offset_of(op) + bytes)
            return a->written[x->operands[0].u.reg] == 1 ? k : 0;
        if (may_write_shared(x) || writes(a, x, base_of(op)))
            return 0;
    }
    return 0;
}

static bool is_multiple(const struct aligner *a, const struct ptx_op *load, unsigned bytes)
{
    unsigned zeros = smaller(a->zeros[base_of(load)], zeros_of_number(offset_of(load)));
    return 1u << zeros >= bytes;
}

static bool merge(struct aligner *a, uint32_t i, unsigned bytes)
{
    const struct ptx_op *op = &a->f->ops[i];
    unsigned word = ptx_type_bytes(ptx_op_type(op)), n = bytes / word;
    uint32_t other[MOST_BYTES / 4];
    if (n < 2 || !is_multiple(a, op, bytes))
        return false;
    for (unsigned k = 1; k < n; k++)
        if (!(other[k] = neighbour(a, i, k * word)))
            return false;
    for (unsigned k = 1; k < n; k++) {
        a->out->folded[other[k]] = 1;
        a->out->same[a->f->ops[other[k]].operands[0].u.reg] = op->operands[0].u.reg;
    }
    a->out->width[i] = (uint8_t)bytes;
    return true;
}

bool ptx_loads_merge(const struct ptx_function *f, const struct ptx_cfg *cfg, struct ptx_forms *out)
{
    struct aligner a = {.f = f, .cfg = cfg, .out = out};
    a.zeros = malloc(f->n_regs + 1);
    a.written = calloc(f->n_regs + 1, sizeof *a.written);
    bool ok = a.zeros && a.written;
    if (ok)
        find_zeros(&a);
    for (uint32_t i = 0; ok && i < f->n_ops; i++)
        if (!out->folded[i] && is_word_load(&f->ops[i]) && !merge(&a, i, MOST_BYTES))
            merge(&a, i, MOST_BYTES / 2);
    free(a.zeros);
    free(a.written);
    return ok;
}
