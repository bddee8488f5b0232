/* cfg.c - basic blocks and immediate post-dominators.
 *
 * Post-dominators are taken over the paths that return: a branch to a trap or an exit must not keep
 * the other lanes from meeting again. The algorithm is the iterative one of Cooper, Harvey and
 * Kennedy, on the reversed graph. */
#include "ptx/cfg.h"

#include <stdlib.h>
#include <string.h>

static bool ends_block(const struct ptx_op *op)
{
    switch (op->mnemonic) {
    case PTX_OP_bra:
    case PTX_OP_brx:
    case PTX_OP_ret:
    case PTX_OP_exit:
    case PTX_OP_trap:
        return true;
    default:
        return false;
    }
}

/* Calls `visit` for every label an op may jump to. */
static void each_target(const struct ptx_op *op, void (*visit)(void *, uint32_t), void *user)
{
    if (op->mnemonic != PTX_OP_bra && op->mnemonic != PTX_OP_brx)
        return;
    for (unsigned i = 0; i < op->n_operands; i++) {
        const struct ptx_operand *o = &op->operands[i];
        if (o->kind == PTX_OPERAND_LABEL)
            visit(user, o->u.label);
        for (unsigned k = 0; o->kind == PTX_OPERAND_TARGETS && k < o->n_children; k++)
            if (o->u.children[k].kind == PTX_OPERAND_LABEL)
                visit(user, o->u.children[k].u.label);
    }
}

struct leaders {
    bool *is;
    uint32_t n;
};

static void mark_leader(void *user, uint32_t op)
{
    struct leaders *l = user;
    if (op < l->n)
        l->is[op] = true;
}

static void find_leaders(const struct ptx_function *f, struct leaders *l)
{
    if (l->n)
        l->is[0] = true;
    for (uint32_t i = 0; i < l->n; i++) {
        each_target(&f->ops[i], mark_leader, l);
        if (ends_block(&f->ops[i]))
            mark_leader(l, i + 1);
    }
}

struct edges {
    struct ptx_cfg *cfg;
    uint32_t n_ops, n, cap;
    uint32_t *to;
    bool ok;
};

static void add_edge(struct edges *e, uint32_t block)
{
    if (e->n == e->cap) {
        uint32_t cap = e->cap ? e->cap * 2 : 64;
        uint32_t *moved = realloc(e->to, cap * sizeof *moved);
        if (!moved) {
            e->ok = false;
            return;
        }
        e->to = moved;
        e->cap = cap;
    }
    e->to[e->n++] = block;
}

static void add_target(void *user, uint32_t op)
{
    struct edges *e = user;
    add_edge(e, op < e->n_ops ? e->cfg->block_of[op] : e->cfg->n_blocks);
}

static void add_successors(struct edges *e, const struct ptx_function *f, uint32_t block)
{
    const struct ptx_op *last = &f->ops[e->cfg->first[block + 1] - 1];
    bool guarded = last->guard != PTX_NO_REG;
    each_target(last, add_target, e);
    if (last->mnemonic == PTX_OP_ret)
        add_edge(e, e->cfg->n_blocks);
    if (guarded || !ends_block(last))
        add_edge(e, block + 1);
}

/* ---- post-dominators ---- */

struct reversed {
    uint32_t n; /* blocks + the exit */
    uint32_t *pred_first, *pred;
    uint32_t *order, *number; /* post-order of the reversed graph */
};

static bool reverse(const struct ptx_cfg *cfg, struct reversed *r)
{
    r->n = cfg->n_blocks + 1;
    uint32_t n_edges = cfg->succ_first[cfg->n_blocks];
    r->pred_first = calloc(r->n + 1, sizeof *r->pred_first);
    r->pred = malloc((n_edges + 1) * sizeof *r->pred);
    r->order = malloc(r->n * sizeof *r->order);
    r->number = malloc(r->n * sizeof *r->number);
    if (!r->pred_first || !r->pred || !r->order || !r->number)
        return false;
    for (uint32_t e = 0; e < n_edges; e++)
        r->pred_first[cfg->succ[e] + 1]++;
    for (uint32_t i = 0; i < r->n; i++)
        r->pred_first[i + 1] += r->pred_first[i];
    uint32_t *at = malloc(r->n * sizeof *at);
    if (!at)
        return false;
    memcpy(at, r->pred_first, r->n * sizeof *at);
    for (uint32_t b = 0; b < cfg->n_blocks; b++)
        for (uint32_t e = cfg->succ_first[b]; e < cfg->succ_first[b + 1]; e++)
            r->pred[at[cfg->succ[e]]++] = b;
    free(at);
    return true;
}

/* Depth first from the exit along reversed edges; *n_order counts what was reached. */
static bool post_order(struct reversed *r, uint32_t *n_order)
{
    uint32_t *stack = malloc(r->n * sizeof *stack), *next = malloc(r->n * sizeof *next), depth = 0;
    bool ok = stack && next;
    *n_order = 0;
    for (uint32_t i = 0; ok && i < r->n; i++)
        r->number[i] = UINT32_MAX;
    if (ok) {
        stack[0] = r->n - 1;
        next[0] = r->pred_first[r->n - 1];
        r->number[r->n - 1] = 0;
        depth = 1;
    }
    while (depth) {
        uint32_t block = stack[depth - 1];
        if (next[depth - 1] == r->pred_first[block + 1]) {
            r->number[block] = *n_order;
            r->order[(*n_order)++] = block;
            depth--;
            continue;
        }
        uint32_t p = r->pred[next[depth - 1]++];
        if (r->number[p] != UINT32_MAX)
            continue;
        r->number[p] = 0;
        stack[depth] = p;
        next[depth++] = r->pred_first[p];
    }
    free(stack);
    free(next);
    return ok;
}

static uint32_t meet(const struct reversed *r, const uint32_t *join, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (r->number[a] < r->number[b])
            a = join[a];
        while (r->number[b] < r->number[a])
            b = join[b];
    }
    return a;
}

static void find_joins(struct ptx_cfg *cfg, const struct reversed *r, uint32_t n_order)
{
    uint32_t *join = cfg->join, exit_block = r->n - 1;
    for (uint32_t i = 0; i < r->n; i++)
        join[i] = UINT32_MAX;
    join[exit_block] = exit_block;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = n_order; k-- > 0;) {
            uint32_t b = r->order[k], found = UINT32_MAX;
            if (b == exit_block)
                continue;
            for (uint32_t e = cfg->succ_first[b]; e < cfg->succ_first[b + 1]; e++) {
                uint32_t s = cfg->succ[e];
                if (join[s] != UINT32_MAX)
                    found = found == UINT32_MAX ? s : meet(r, join, found, s);
            }
            if (found != join[b]) {
                join[b] = found;
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < r->n; i++)
        if (join[i] == UINT32_MAX) /* never returns */
            join[i] = exit_block;
}

/* ---- building ---- */

static bool build_blocks(const struct ptx_function *f, struct ptx_cfg *out)
{
    struct leaders l = {calloc(f->n_ops + 1, 1), (uint32_t)f->n_ops};
    if (!l.is)
        return false;
    find_leaders(f, &l);
    uint32_t n = 0;
    for (uint32_t i = 0; i < l.n; i++)
        n += l.is[i];
    out->n_blocks = n;
    out->first = malloc((n + 1) * sizeof *out->first);
    out->block_of = malloc((l.n + 1) * sizeof *out->block_of);
    bool ok = out->first && out->block_of;
    for (uint32_t i = 0, b = 0; ok && i < l.n; i++) {
        if (l.is[i])
            out->first[b++] = i;
        out->block_of[i] = b - 1;
    }
    if (ok)
        out->first[n] = l.n;
    free(l.is);
    return ok;
}

void ptx_cfg_release(struct ptx_cfg *cfg)
{
    free(cfg->first);
    free(cfg->block_of);
    free(cfg->succ_first);
    free(cfg->succ);
    free(cfg->join);
    memset(cfg, 0, sizeof *cfg);
}

bool ptx_cfg_build(const struct ptx_function *f, struct ptx_cfg *out)
{
    struct edges e = {.cfg = out, .n_ops = (uint32_t)f->n_ops, .ok = true};
    struct reversed r = {0};
    uint32_t n_order;
    memset(out, 0, sizeof *out);
    if (!build_blocks(f, out)) {
        ptx_cfg_release(out);
        return false;
    }
    out->succ_first = malloc((out->n_blocks + 1) * sizeof *out->succ_first);
    out->join = malloc((out->n_blocks + 1) * sizeof *out->join);
    bool ok = out->succ_first && out->join;
    for (uint32_t b = 0; ok && b < out->n_blocks; b++) {
        out->succ_first[b] = e.n;
        add_successors(&e, f, b);
        ok = e.ok;
    }
    if (ok)
        out->succ_first[out->n_blocks] = e.n;
    out->succ = e.to;
    ok = ok && reverse(out, &r) && post_order(&r, &n_order);
    if (ok)
        find_joins(out, &r, n_order);
    free(r.pred_first);
    free(r.pred);
    free(r.order);
    free(r.number);
    if (!ok)
        ptx_cfg_release(out);
    return ok;
}
