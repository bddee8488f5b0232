/* liveness.c - which registers an instruction touches, and how many live at once. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "ptx/unrolled.h"

/* ---- registers of an op ---- */

unsigned ptx_op_destinations(const struct ptx_op *op)
{
    switch (op->mnemonic) {
    case PTX_OP_st:
    case PTX_OP_stmatrix:
    case PTX_OP_red:
    case PTX_OP_bra:
    case PTX_OP_brx:
    case PTX_OP_call:
    case PTX_OP_ret:
    case PTX_OP_exit:
    case PTX_OP_trap:
    case PTX_OP_brkpt:
    case PTX_OP_membar:
    case PTX_OP_fence:
    case PTX_OP_nanosleep:
    case PTX_OP_prefetch:
    case PTX_OP_prefetchu:
    case PTX_OP_pmevent:
    case PTX_OP_discard:
    case PTX_OP_applypriority:
    case PTX_OP_griddepcontrol:
    case PTX_OP_setmaxnreg:
    case PTX_OP_cp:
        return 0;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        return ptx_op_has(op, PTX_M_RED) ? 1 : 0;
    case PTX_OP_tensormap:
        return 0;
    case PTX_OP_mbarrier:
        return ptx_op_has(op, PTX_M_INIT) || ptx_op_has(op, PTX_M_INVAL) ||
                       (!ptx_op_has(op, PTX_M_ARRIVE) && !ptx_op_has(op, PTX_M_ARRIVE_DROP) &&
                        (ptx_op_has(op, PTX_M_EXPECT_TX) || ptx_op_has(op, PTX_M_COMPLETE_TX)))
                   ? 0
                   : 1;
    case PTX_OP_wgmma:
        return ptx_op_has(op, PTX_M_MMA_ASYNC) ? 1 : 0;
    case PTX_OP_wmma:
        return ptx_op_has(op, PTX_M_STORE) ? 0 : 1;
    default:
        return 1;
    }
}

static void visit_operand(const struct ptx_operand *o, ptx_reg_visitor *direct,
                          ptx_reg_visitor *in_address, void *user)
{
    switch (o->kind) {
    case PTX_OPERAND_REG:
        if (direct)
            direct(user, o->u.reg);
        break;
    case PTX_OPERAND_VECTOR:
    case PTX_OPERAND_LIST:
    case PTX_OPERAND_PAIR:
        for (unsigned i = 0; i < o->n_children; i++)
            visit_operand(&o->u.children[i], direct, in_address, user);
        break;
    case PTX_OPERAND_ADDRESS:
        for (unsigned i = 0; i < o->n_children; i++)
            visit_operand(&o->u.children[i], in_address, in_address, user);
        break;
    default:
        break;
    }
}

void ptx_op_visit(const struct ptx_op *op, ptx_reg_visitor *reads, ptx_reg_visitor *writes,
                  void *user)
{
    unsigned n_dst = ptx_op_destinations(op);
    if (reads && op->guard != PTX_NO_REG)
        reads(user, op->guard);
    for (unsigned i = 0; i < op->n_operands; i++)
        visit_operand(&op->operands[i], i < n_dst ? writes : reads, reads, user);
    if (op->mnemonic == PTX_OP_wgmma && n_dst && op->n_operands) /* it adds to what is there */
        visit_operand(&op->operands[0], reads, reads, user);
}

/* ---- liveness ---- */

/* 256 MiB in each of four sets: a function beyond it does without. */
#define MAX_SET_WORDS ((size_t)1 << 25)

struct live {
    const struct ptx_function *f;
    const struct ptx_cfg *cfg;
    size_t words; /* of one set */
    uint64_t *in, *out, *gen, *kill;
    uint64_t *now;
    bool *constant; /* by register: a parameter of a kernel */
    bool *written;  /* by register, so far */
    uint32_t count, most;
};

static unsigned weight(const struct live *l, uint32_t reg)
{
    unsigned type = l->f->reg_type[reg];
    return type == PTX_PRED || l->constant[reg] ? 0 : ptx_type_bytes(type) == 8 ? 2 : 1;
}

/* ---- constants ---- */

static bool reads_constant(const struct live *l, const struct ptx_op *op)
{
    if (op->mnemonic == PTX_OP_ld)
        return ptx_op_has(op, PTX_M_PARAM);
    return (op->mnemonic == PTX_OP_cvta || op->mnemonic == PTX_OP_mov) && op->n_operands == 2 &&
           op->operands[1].kind == PTX_OPERAND_REG && l->constant[op->operands[1].u.reg];
}

static void is_written(void *user, uint32_t reg)
{
    ((struct live *)user)->written[reg] = true;
}
static void is_variable(void *user, uint32_t reg)
{
    ((struct live *)user)->constant[reg] = false;
}

/* Parameters of a kernel lie in constant memory, and instructions read them there or by uniform
 * registers (ptxas 13.0 for sm_90): they take no register however long they live. PTX has them in
 * registers from its first lines on. What is written again is a variable. */
static void find_constants(struct live *l)
{
    for (size_t i = 0; l->f->is_entry && i < l->f->n_ops; i++) {
        const struct ptx_op *op = &l->f->ops[i];
        bool plain = op->n_operands && op->operands[0].kind == PTX_OPERAND_REG &&
                     op->guard == PTX_NO_REG && reads_constant(l, op);
        if (plain && !l->written[op->operands[0].u.reg])
            l->constant[op->operands[0].u.reg] = true;
        else
            ptx_op_visit(op, NULL, is_variable, l);
        ptx_op_visit(op, NULL, is_written, l);
    }
}

struct block_sets {
    uint64_t *gen, *kill;
};

static void add_use(void *user, uint32_t reg)
{
    struct block_sets *s = user;
    if (!(s->kill[reg / 64] >> (reg % 64) & 1))
        s->gen[reg / 64] |= 1ull << (reg % 64);
}
static void add_def(void *user, uint32_t reg)
{
    struct block_sets *s = user;
    s->kill[reg / 64] |= 1ull << (reg % 64);
}

static void block_sets(struct live *l, uint32_t block)
{
    struct block_sets s = {l->gen + block * l->words, l->kill + block * l->words};
    for (uint32_t i = l->cfg->first[block]; i < l->cfg->first[block + 1]; i++) {
        const struct ptx_op *op = &l->f->ops[i];
        ptx_op_visit(op, add_use, NULL, &s);
        if (op->guard == PTX_NO_REG) /* a guarded write may leave the old value */
            ptx_op_visit(op, NULL, add_def, &s);
    }
}

static bool update(struct live *l, uint32_t block)
{
    uint64_t *out = l->out + block * l->words, *in = l->in + block * l->words;
    const uint64_t *gen = l->gen + block * l->words, *kill = l->kill + block * l->words;
    bool changed = false;
    for (uint32_t e = l->cfg->succ_first[block]; e < l->cfg->succ_first[block + 1]; e++) {
        if (l->cfg->succ[e] == l->cfg->n_blocks)
            continue;
        const uint64_t *next = l->in + l->cfg->succ[e] * l->words;
        for (size_t k = 0; k < l->words; k++)
            out[k] |= next[k];
    }
    for (size_t k = 0; k < l->words; k++) {
        uint64_t value = gen[k] | (out[k] & ~kill[k]);
        changed |= value != in[k];
        in[k] = value;
    }
    return changed;
}

static void now_add(void *user, uint32_t reg)
{
    struct live *l = user;
    uint64_t bit = 1ull << (reg % 64);
    if (l->now[reg / 64] & bit)
        return;
    l->now[reg / 64] |= bit;
    l->count += weight(l, reg);
}
static void now_remove(void *user, uint32_t reg)
{
    struct live *l = user;
    uint64_t bit = 1ull << (reg % 64);
    if (!(l->now[reg / 64] & bit))
        return;
    l->now[reg / 64] &= ~bit;
    l->count -= weight(l, reg);
}

/* Walks a block backwards from what lives at its end. */
static void count_block(struct live *l, uint32_t block)
{
    memset(l->now, 0, l->words * sizeof *l->now);
    l->count = 0;
    for (uint32_t reg = 0; reg < l->f->n_regs; reg++)
        if (l->out[block * l->words + reg / 64] >> (reg % 64) & 1)
            now_add(l, reg);
    for (uint32_t i = l->cfg->first[block + 1]; i-- > l->cfg->first[block];) {
        const struct ptx_op *op = &l->f->ops[i];
        ptx_op_visit(op, NULL, now_add, l);
        if (l->count > l->most)
            l->most = l->count;
        if (op->guard == PTX_NO_REG)
            ptx_op_visit(op, NULL, now_remove, l);
        ptx_op_visit(op, now_add, NULL, l);
        if (l->count > l->most)
            l->most = l->count;
    }
}

/* ---- registers of machine code where a loop begins ---- */

/* The op that a branch leads to, or UINT32_MAX. */
static uint32_t target(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_bra && op->n_operands == 1 &&
                   op->operands[0].kind == PTX_OPERAND_LABEL
               ? op->operands[0].u.label
               : UINT32_MAX;
}

static void count_once(struct live *l, uint32_t reg, unsigned words)
{
    uint64_t bit = 1ull << (reg % 64);
    l->count += l->now[reg / 64] & bit ? 0 : words;
    l->now[reg / 64] |= bit;
}

/* Parameters that a loop reads are loaded before it, if it has no other in it. */
static void count_parameter(void *user, uint32_t reg)
{
    struct live *l = user;
    if (l->constant[reg])
        count_once(l, reg, ptx_type_bytes(l->f->reg_type[reg]) == 8 ? 2 : 1);
}

/* Values that others hold take no registers of their own. In most unrolled loops of ptxas 13.0 that
 * were compared by eye what is counted lies within three registers of its code, six below and five
 * above at most. */
static uint32_t count_begin(struct live *l, const uint32_t *same, uint32_t block)
{
    struct ptx_loop loop;
    memset(l->now, 0, l->words * sizeof *l->now);
    l->count = 0;
    for (uint32_t reg = 0; reg < l->f->n_regs; reg++)
        if (l->in[block * l->words + reg / 64] >> (reg % 64) & 1 && !l->constant[same[reg]])
            count_once(l, same[reg], weight(l, same[reg]));
    if (!ptx_innermost_loop_around(l->f, l->cfg->first[block], &loop))
        return l->count;
    for (uint32_t i = loop.first; i < loop.last; i++)
        ptx_op_visit(&l->f->ops[i], count_parameter, NULL, l);
    return l->count;
}

static void count_loops(struct live *l, const uint32_t *same, struct ptx_liveness *out)
{
    for (uint32_t i = 0; i < l->f->n_ops; i++) {
        uint32_t to = target(&l->f->ops[i]), block = to <= i ? l->cfg->block_of[to] : 0;
        if (to <= i && !out->at_begin[block])
            out->at_begin[block] = count_begin(l, same, block);
    }
}

/* ---- the ops a register lives over, as one stretch of the text ---- */

struct stretches {
    struct ptx_liveness *out;
    uint32_t op;
};

static void extend(void *user, uint32_t reg)
{
    struct stretches *s = user;
    if (s->op < s->out->first[reg])
        s->out->first[reg] = s->op;
    if (s->op > s->out->last[reg] || s->out->last[reg] == UINT32_MAX)
        s->out->last[reg] = s->op;
}

static void extend_set(struct stretches *s, const uint64_t *set, size_t words, uint32_t op)
{
    s->op = op;
    for (size_t k = 0; k < words; k++)
        for (uint64_t rest = set[k]; rest; rest &= rest - 1)
            extend(s, (uint32_t)(k * 64) + (uint32_t)__builtin_ctzll(rest));
}

static void find_stretches(const struct live *l, struct ptx_liveness *out)
{
    struct stretches s = {out, 0};
    for (uint32_t i = 0; i < l->f->n_regs; i++)
        out->first[i] = out->last[i] = UINT32_MAX;
    for (uint32_t i = 0; i < l->f->n_ops; i++) {
        s.op = i;
        ptx_op_visit(&l->f->ops[i], extend, extend, &s);
    }
    for (uint32_t b = 0; b < l->cfg->n_blocks; b++) {
        extend_set(&s, l->in + b * l->words, l->words, l->cfg->first[b]);
        extend_set(&s, l->out + b * l->words, l->words, l->cfg->first[b + 1] - 1);
    }
}

/* ---- all of it ---- */

static void solve(struct live *l)
{
    for (uint32_t b = 0; b < l->cfg->n_blocks; b++)
        block_sets(l, b);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = l->cfg->n_blocks; b-- > 0;)
            changed |= update(l, b);
    }
    for (uint32_t b = 0; b < l->cfg->n_blocks; b++)
        count_block(l, b);
}

bool ptx_liveness_find(const struct ptx_function *f, const struct ptx_cfg *cfg,
                       const uint32_t *same, struct ptx_liveness *out)
{
    struct live l = {.f = f, .cfg = cfg, .words = f->n_regs / 64 + 1};
    size_t total = l.words * cfg->n_blocks;
    memset(out, 0, sizeof *out);
    if (total > MAX_SET_WORDS)
        return false;
    l.in = calloc(total + 1, sizeof *l.in);
    l.out = calloc(total + 1, sizeof *l.out);
    l.gen = calloc(total + 1, sizeof *l.gen);
    l.kill = calloc(total + 1, sizeof *l.kill);
    l.now = calloc(l.words, sizeof *l.now);
    l.constant = calloc(f->n_regs + 1, sizeof *l.constant);
    l.written = calloc(f->n_regs + 1, sizeof *l.written);
    out->first = malloc((f->n_regs + 1) * sizeof *out->first);
    out->last = malloc((f->n_regs + 1) * sizeof *out->last);
    out->at_begin = calloc(cfg->n_blocks + 1, sizeof *out->at_begin);
    bool ok = l.in && l.out && l.gen && l.kill && l.now && l.constant && l.written && out->first &&
              out->last && out->at_begin;
    if (ok) {
        find_constants(&l);
        solve(&l);
        find_stretches(&l, out);
        count_loops(&l, same, out);
        out->most = l.most;
    }
    free(l.in);
    free(l.out);
    free(l.gen);
    free(l.kill);
    free(l.now);
    free(l.constant);
    free(l.written);
    return ok;
}

void ptx_liveness_release(struct ptx_liveness *l)
{
    free(l->first);
    free(l->last);
    free(l->at_begin);
    memset(l, 0, sizeof *l);
}
