/* whole_loops.c - read off what ptxas 13.0 makes of loops for sm_90 (scripts/ptx-loops).
 *
 * A loop whose number of rounds the code tells is written out as a whole where that stays short or
 * saves enough: 388 instructions in all, or, with more, where the ops of a round that are left
 * times those of all rounds are no more than 8,400 for each op of a round that is gone then, since
 * it computes with numbers alone (the counter's step and comparison are; half a one for the
 * branch). Accesses to memory count twice, 64 bits once. Measured, largest bodies of products and
 * sums that were written out: 194, 97, 57, 37, 24, 17, 11 for 2, 4, 8, 16, 32, 64, 128 rounds; with
 * 4, 16, 64 ops of the counter beside them 82, 138, 269 for 8 rounds, 37, 66, 129 for 32 (the rule:
 * 194, 97, 51, 36, 25, 18, 12; 82, 139, 264; 41, 69, 132). For many rounds there is another limit,
 * 1,250 ops in all for each that is gone: bodies of one, two, three ops were written out 2,000,
 * 1,000, 800 times, of two and three not 1,500 and 1,000 times. Code of thousands of instructions
 * comes to be this way, which the SM then waits for. */
#include "ptx/whole_loops.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/invariants.h"
#include "ptx/known_values.h"
#include "ptx/plain_branches.h"
#include "ptx/unrolled.h"

enum {
    MOST_AT_ONCE = 388,
    FOR_EACH_GONE = 8400,
    MOST_FOR_GONE = 1250,
    MOST_ROUNDS = 4096,
    MOST_OPS = 1 << 16 /* of a function, then it is left as it is */
};

/* ---- how many rounds ---- */

struct asked {
    uint32_t reg, n;
};

static void ask(void *user, uint32_t reg)
{
    struct asked *a = user;
    a->n += a->reg == reg;
}

static uint32_t writes_of(const struct ptx_function *f, uint32_t from, uint32_t to, uint32_t reg)
{
    struct asked a = {reg, 0};
    for (uint32_t i = from; i < to; i++)
        ptx_op_visit(&f->ops[i], NULL, ask, &a);
    return a.n;
}

/* A loop around this one that begins between its first value and its first op. */
static bool comes_again(const struct ptx_loop *l, uint32_t first_value)
{
    for (uint32_t i = l->last + 1; i < l->f->n_ops; i++) {
        const struct ptx_op *op = &l->f->ops[i];
        for (unsigned k = 0; op->mnemonic == PTX_OP_bra && k < op->n_operands; k++)
            if (op->operands[k].kind == PTX_OPERAND_LABEL &&
                op->operands[k].u.label > first_value && op->operands[k].u.label <= l->first)
                return true;
    }
    return false;
}

/* A number, or the address of a variable in constant memory, which is one. */
static bool is_number_or_base(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_INT ||
           (o->kind == PTX_OPERAND_VAR && o->u.var->same->space == PTX_M_CONST);
}

/* Whether a register has a number of the code where the loop begins and is stepped in it once. */
static bool begins_with(const struct ptx_loop *l, uint32_t reg, const struct ptx_operand **first)
{
    struct ptx_operand o = {.kind = PTX_OPERAND_REG, .u.reg = reg};
    if (!ptx_loop_steps(l, &o) || writes_of(l->f, l->first, l->last, reg) != 1)
        return false;
    for (uint32_t i = l->first; i-- > 0;) {
        const struct ptx_op *op = &l->f->ops[i];
        if (!writes_of(l->f, i, i + 1, reg))
            continue;
        *first = &op->operands[1];
        return op->mnemonic == PTX_OP_mov && op->n_operands == 2 && op->guard == PTX_NO_REG &&
               is_number_or_base(*first) && !comes_again(l, i) &&
               writes_of(l->f, 0, (uint32_t)l->f->n_ops, reg) == 2;
    }
    return false;
}

static uint32_t count_rounds(const struct ptx_loop *l)
{
    const struct ptx_op *branch = &l->f->ops[l->last], *compare, *step;
    const struct ptx_operand *begin;
    uint64_t value[2], taken, stepped, number;
    if (!ptx_loop_is_counted(l))
        return 0;
    compare = ptx_loop_writer(l, branch->guard);
    if (compare->operands[1].kind != PTX_OPERAND_REG ||
        compare->operands[2].kind != PTX_OPERAND_INT || compare->guard != PTX_NO_REG ||
        writes_of(l->f, l->first, l->last, branch->guard) != 1 ||
        !begins_with(l, compare->operands[1].u.reg, &begin) || begin->kind != PTX_OPERAND_INT)
        return 0;
    number = begin->value;
    step = ptx_loop_writer(l, compare->operands[1].u.reg);
    value[1] = compare->operands[2].value;
    for (uint32_t rounds = 1; rounds <= MOST_ROUNDS; rounds++) {
        uint64_t sum[2] = {number, step->operands[2].value};
        if (!ptx_known_result(step, sum, &stepped))
            return 0;
        value[0] = step < compare ? stepped : number;
        if (!ptx_known_result(compare, value, &taken))
            return 0;
        if (!taken == !branch->guard_negated)
            return rounds;
        number = stepped;
    }
    return 0;
}

/* ---- whether ptxas writes it out ---- */

struct measured {
    uint32_t left, gone; /* ops of a round */
    bool fixed;
};

struct body {
    struct ptx_loop l;
    bool *known;       /* by register: a number in each round */
    uint8_t *n_writes; /* by register, no more than 3 */
    bool any;          /* a register that is read is none */
    struct measured m;
};

static void ask_unknown(void *user, uint32_t reg)
{
    struct body *b = user;
    b->any |= !b->known[reg];
}

static void make_known(void *user, uint32_t reg)
{
    ((struct body *)user)->known[reg] = true;
}

/* Divisions and roots that call, and what renaming does not follow. */
static bool keeps_rolled(const struct ptx_op *op)
{
    const struct ptx_form_part *parts = ptx_measured_form(op->text);
    uint32_t n = 0;
    if (op->mnemonic == PTX_OP_wgmma)
        return true;
    for (; parts && parts->n; parts++) {
        n += parts->n;
        if (parts->opclass == STRATA_OP_BRANCH && n > 3)
            return true;
    }
    return false;
}

static bool costs_nothing(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_mov || op->mnemonic == PTX_OP_cvta || op->mnemonic == PTX_OP_cvt;
}

static bool is_access(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_ld || op->mnemonic == PTX_OP_st || op->mnemonic == PTX_OP_atom ||
           op->mnemonic == PTX_OP_red;
}

static bool may_be_gone(const struct ptx_op *op)
{
    return op->guard == PTX_NO_REG &&
           (is_access(op) ? op->mnemonic == PTX_OP_ld && ptx_op_has(op, PTX_M_CONST)
                          : ptx_type_kind(ptx_op_type(op)) != 'f') &&
           ptx_op_destinations(op) == 1 && op->n_operands > 1 &&
           op->operands[1].kind != PTX_OPERAND_SREG;
}

static void measure_op(struct body *b, uint32_t i)
{
    const struct ptx_op *op = &b->l.f->ops[i];
    bool inner = op->mnemonic == PTX_OP_bra && op->n_operands == 1 &&
                 op->operands[0].kind == PTX_OPERAND_LABEL && op->operands[0].u.label <= i;
    b->m.fixed |= op->rolled || inner || ptx_loop_leaves(&b->l, op) || keeps_rolled(op);
    b->any = !may_be_gone(op);
    ptx_op_visit(op, ask_unknown, NULL, b);
    if (!b->any && op->mnemonic != PTX_OP_ld)
        ptx_op_visit(op, NULL, make_known, b);
    b->m.gone += op->was_computed || (!b->any && !costs_nothing(op));
    if (costs_nothing(op))
        return;
    b->m.left += b->any ? (is_access(op) ? 2 : 1) : 0;
}

/* Counters are known, and with them what is computed of them. */
static void find_counters(struct body *b, const struct ptx_loop *l)
{
    const struct ptx_operand *begin;
    for (uint32_t i = l->first; i < l->last; i++) {
        const struct ptx_op *op = &l->f->ops[i];
        if (op->mnemonic == PTX_OP_add && op->n_operands == 3 &&
            op->operands[0].kind == PTX_OPERAND_REG && b->n_writes[op->operands[0].u.reg] == 2 &&
            begins_with(l, op->operands[0].u.reg, &begin))
            b->known[op->operands[0].u.reg] = true;
    }
}

static void count_write(void *user, uint32_t reg)
{
    uint8_t *n = &((struct body *)user)->n_writes[reg];
    *n = (uint8_t)(*n < 3 ? *n + 1 : 3);
}

static void find_bases(struct body *b)
{
    const struct ptx_function *f = b->l.f;
    for (uint32_t i = 0; i < f->n_ops; i++)
        ptx_op_visit(&f->ops[i], NULL, count_write, b);
    for (uint32_t i = 0; i < f->n_ops; i++) {
        const struct ptx_op *op = &f->ops[i];
        if (op->mnemonic == PTX_OP_mov && op->n_operands == 2 &&
            op->operands[0].kind == PTX_OPERAND_REG && is_number_or_base(&op->operands[1]) &&
            b->n_writes[op->operands[0].u.reg] == 1)
            b->known[op->operands[0].u.reg] = true;
    }
}

/* Loops around this one that tell their rounds are taken to be written out, too: their counters
 * are known, and what is computed of them on the way to it. */
static void find_outer_counters(struct body *b)
{
    const struct ptx_function *f = b->l.f;
    for (uint32_t i = b->l.last + 1; i < f->n_ops; i++) {
        struct ptx_loop outer;
        if (!ptx_loop_closed_by(f, i, &outer) || outer.first > b->l.first || !count_rounds(&outer))
            continue;
        find_counters(b, &outer);
        for (uint32_t k = outer.first; k < b->l.first; k++)
            measure_op(b, k);
    }
    b->m = (struct measured){0};
}

static bool is_worth_it(const struct measured *m, uint32_t rounds)
{
    uint64_t all = (uint64_t)m->left * rounds;
    return all <= MOST_AT_ONCE || (2 * all * m->left <= FOR_EACH_GONE * (2ull * m->gone + 1) &&
                                   all <= MOST_FOR_GONE * (uint64_t)m->gone);
}

/* Nobody jumps into it from elsewhere. */
static bool is_entered_at_its_head(const struct ptx_loop *l)
{
    for (uint32_t i = 0; i < l->f->n_ops; i++) {
        const struct ptx_op *op = &l->f->ops[i];
        if ((i >= l->first && i <= l->last) || op->mnemonic == PTX_OP_brx)
            continue;
        for (unsigned k = 0; k < op->n_operands; k++)
            if (op->operands[k].kind == PTX_OPERAND_LABEL && op->operands[k].u.label > l->first &&
                op->operands[k].u.label <= l->last)
                return false;
    }
    return true;
}

static bool has_tables(const struct ptx_function *f)
{
    for (size_t i = 0; i < f->n_ops; i++)
        if (f->ops[i].mnemonic == PTX_OP_brx)
            return true;
    return false;
}

/* The rounds of a loop that is to be written out, 0: it is left. */
static uint32_t rounds_to_write(const struct ptx_loop *l)
{
    uint32_t rounds = count_rounds(l);
    uint64_t ops = (uint64_t)(l->last - l->first) * rounds;
    if (!rounds || ops + l->f->n_ops > MOST_OPS || !is_entered_at_its_head(l))
        return 0;
    struct body b = {.l = *l,
                     .known = calloc(l->f->n_regs + 1, sizeof *b.known),
                     .n_writes = calloc(l->f->n_regs + 1, sizeof *b.n_writes)};
    if (!b.known || !b.n_writes) {
        free(b.known);
        free(b.n_writes);
        return 0;
    }
    find_bases(&b);
    find_outer_counters(&b);
    find_counters(&b, l);
    for (uint32_t i = l->first; i < l->last; i++)
        measure_op(&b, i);
    free(b.known);
    free(b.n_writes);
    return !b.m.fixed && is_worth_it(&b.m, rounds) ? rounds : 0;
}

/* ---- writing it out ---- */

struct writer {
    struct ptx_pool *pool;
    struct ptx_function *f;
    struct ptx_loop l;
    uint32_t rounds, round;
    uint32_t *name;   /* by register: what the round has called it so far */
    uint8_t *renamed; /* by register: a result of one round has a name of its own */
    uint32_t n_old;   /* registers */
    struct ptx_op *out;
    uint32_t n_out;
    bool ok;
};

static uint32_t length(const struct writer *w)
{
    return w->l.last - w->l.first; /* without the branch */
}

static uint32_t new_label(const struct writer *w, uint32_t label, bool inside)
{
    if (label <= w->l.first && !inside)
        return label;
    if (label <= w->l.last)
        return label + (inside ? w->round * length(w) : 0);
    return label - (length(w) + 1) + w->rounds * length(w);
}

/* Results of a round are its own, but those of the last one have the names that what follows
 * reads. */
static uint32_t new_name(struct writer *w, uint32_t reg)
{
    struct ptx_function *f = w->f;
    if (!w->renamed[reg] || w->round + 1 == w->rounds)
        return reg;
    if (f->n_regs == f->cap_regs) {
        uint32_t cap = f->cap_regs * 2 + 64;
        uint8_t *moved = realloc(f->reg_type, cap);
        w->ok = w->ok && moved;
        if (!moved)
            return reg;
        f->reg_type = moved;
        f->cap_regs = cap;
    }
    f->reg_type[f->n_regs] = f->reg_type[reg];
    return f->n_regs++;
}

enum part { SOURCES, RESULTS };

static void rename_operand(struct writer *w, struct ptx_operand *o, enum part part, bool is_result)
{
    if (o->kind == PTX_OPERAND_REG && is_result == (part == RESULTS)) {
        if (is_result)
            w->name[o->u.reg] = new_name(w, o->u.reg);
        o->u.reg = w->name[o->u.reg];
    }
    if (o->kind == PTX_OPERAND_LABEL && part == SOURCES)
        o->u.label = new_label(w, o->u.label, true);
    if (o->kind != PTX_OPERAND_VECTOR && o->kind != PTX_OPERAND_LIST &&
        o->kind != PTX_OPERAND_PAIR && o->kind != PTX_OPERAND_ADDRESS)
        return;
    if (part == SOURCES) {
        struct ptx_operand *own =
            ptx_pool_allocate(w->pool, (o->n_children + 1u) * sizeof *o->u.children);
        if (!(w->ok = w->ok && own))
            return;
        memcpy(own, o->u.children, o->n_children * sizeof *own);
        o->u.children = own;
    }
    for (unsigned k = 0; k < o->n_children; k++)
        rename_operand(w, &o->u.children[k], part, is_result && o->kind != PTX_OPERAND_ADDRESS);
}

static void write_op(struct writer *w, const struct ptx_op *op)
{
    struct ptx_op *to = &w->out[w->n_out++];
    unsigned n_results = ptx_op_destinations(op);
    *to = *op;
    to->rolled = false;
    to->operands = ptx_pool_allocate(w->pool, (op->n_operands + 1u) * sizeof *to->operands);
    if (!(w->ok = w->ok && to->operands))
        return;
    memcpy(to->operands, op->operands, op->n_operands * sizeof *to->operands);
    if (to->guard != PTX_NO_REG)
        to->guard = w->name[to->guard];
    for (int part = SOURCES; part <= RESULTS; part++)
        for (unsigned k = 0; w->ok && k < op->n_operands; k++)
            rename_operand(w, &to->operands[k], (enum part)part, k < n_results);
}

static void move_labels(const struct writer *w, struct ptx_op *op)
{
    for (unsigned k = 0; k < op->n_operands; k++)
        if (op->operands[k].kind == PTX_OPERAND_LABEL)
            op->operands[k].u.label = new_label(w, op->operands[k].u.label, false);
}

/* ---- results with names of their own ---- */

struct names {
    struct writer *w;
    uint32_t *block; /* by register: 1 + that in which it is written */
    uint32_t here;
    bool straight, guarded;
};

static void see_write(void *user, uint32_t reg)
{
    struct names *n = user;
    bool again = n->block[reg];
    n->block[reg] = n->here;
    if (n->guarded || (again && !n->straight))
        n->w->renamed[reg] = 0;
}

/* Read in another block than it is written in, or before. */
static void see_read(void *user, uint32_t reg)
{
    struct names *n = user;
    if (!n->straight && n->block[reg] != n->here)
        n->w->renamed[reg] = 0;
}

static bool is_branch_to(const struct ptx_op *op, uint32_t target)
{
    return op->mnemonic == PTX_OP_bra && op->n_operands == 1 &&
           op->operands[0].kind == PTX_OPERAND_LABEL && op->operands[0].u.label == target;
}

/* In straight code all results that are sure to be written; else those that no other block reads.
 */
static bool find_names(struct writer *w)
{
    const struct ptx_function *f = w->f;
    struct names n = {.w = w, .block = calloc(f->n_regs + 1, sizeof *n.block), .here = 1};
    n.straight = true;
    if (!n.block)
        return false;
    for (uint32_t i = w->l.first; i < w->l.last; i++)
        n.straight = n.straight && f->ops[i].mnemonic != PTX_OP_bra;
    memset(w->renamed, 1, w->n_old);
    for (uint32_t i = w->l.first; i < w->l.last; i++) {
        n.guarded = f->ops[i].guard != PTX_NO_REG;
        for (uint32_t k = w->l.first; !n.straight && k < i; k++)
            n.here += is_branch_to(&f->ops[k], i);
        ptx_op_visit(&f->ops[i], see_read, NULL, &n);
        ptx_op_visit(&f->ops[i], NULL, see_write, &n);
        n.here += f->ops[i].mnemonic == PTX_OP_bra;
    }
    free(n.block);
    return true;
}

static void write_out(struct writer *w)
{
    struct ptx_function *f = w->f;
    uint32_t n_old = (uint32_t)f->n_ops;
    for (uint32_t i = 0; i < w->l.first; i++)
        w->out[w->n_out++] = f->ops[i];
    for (w->round = 0; w->ok && w->round < w->rounds; w->round++)
        for (uint32_t i = w->l.first; w->ok && i < w->l.last; i++)
            write_op(w, &f->ops[i]);
    for (uint32_t i = w->l.last + 1; i < n_old; i++)
        w->out[w->n_out++] = f->ops[i];
    for (uint32_t i = 0; w->ok && i < w->n_out; i++)
        if (i < w->l.first || i >= w->l.first + w->rounds * length(w))
            move_labels(w, &w->out[i]);
}

static bool unroll(struct ptx_pool *pool, struct ptx_function *f, const struct ptx_loop *l,
                   uint32_t rounds)
{
    struct writer w = {.pool = pool, .f = f, .l = *l, .rounds = rounds, .n_old = f->n_regs};
    size_t n = f->n_ops + (size_t)rounds * (l->last - l->first);
    w.name = malloc((w.n_old + 1) * sizeof *w.name);
    w.renamed = calloc(w.n_old + 1, sizeof *w.renamed);
    w.out = malloc(n * sizeof *w.out);
    w.ok = w.name && w.renamed && w.out && find_names(&w);
    for (uint32_t r = 0; w.ok && r < w.n_old; r++)
        w.name[r] = r;
    if (w.ok)
        write_out(&w);
    if (w.ok) {
        free(f->ops);
        f->ops = w.out;
        f->n_ops = w.n_out;
        f->cap_ops = n;
    } else
        free(w.out);
    free(w.name);
    free(w.renamed);
    return w.ok;
}

bool ptx_whole_loops_unroll(struct ptx_pool *pool, const struct ptx_names *names,
                            struct ptx_function *f)
{
    if (has_tables(f))
        return true;
    if (!ptx_branches_make_plain(f) || !ptx_known_values_place(pool, f))
        return false;
    for (uint32_t i = 0; i < f->n_ops; i++) {
        struct ptx_loop l;
        uint32_t rounds = ptx_loop_closed_by(f, i, &l) ? rounds_to_write(&l) : 0;
        if (!rounds)
            continue;
        if (!ptx_invariants_leave(f, names, &l) || !unroll(pool, f, &l, rounds) ||
            !ptx_known_values_place(pool, f))
            return false;
        i = l.first; /* a loop around it may be next */
    }
    return ptx_invariants_leave_all(f, names);
}
