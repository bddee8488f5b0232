/* known_values.c - one pass over the text. A register that one op alone writes has its value
 * wherever it is read; any other from there to the next place that is jumped to. */
#include "ptx/known_values.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/cfg.h"

enum { MOST_SOURCES = 3 };

struct value {
    const struct ptx_var *var; /* an address in constant memory; NULL: a number */
    uint64_t number;
    uint32_t since; /* stretch of the text in which it holds, 0: it is not known */
};

struct finder {
    struct ptx_pool *pool;
    struct ptx_function *f;
    struct value *value; /* by register */
    uint8_t *n_writes;   /* by register, no more than 2 */
    uint32_t *n_reads;   /* by register */
    bool *was_read;      /* by register: before any of it */
    bool *is_target;     /* by op */
    uint32_t stretch;
    bool ok;
};

/* ---- what is computed ---- */

static uint64_t in_bits(uint64_t x, unsigned type)
{
    return ptx_type_bytes(type) == 8 ? x : (uint32_t)x;
}

static int64_t as_signed(uint64_t x, unsigned type)
{
    return ptx_type_bytes(type) == 8 ? (int64_t)x : (int32_t)(uint32_t)x;
}

static bool is_word(unsigned type)
{
    return (ptx_type_bytes(type) == 4 || ptx_type_bytes(type) == 8) &&
           (ptx_type_kind(type) == 'b' || ptx_type_kind(type) == 'u' || ptx_type_kind(type) == 's');
}

static uint64_t shifted_right(unsigned type, uint64_t x, uint64_t by)
{
    unsigned bits = 8 * ptx_type_bytes(type);
    if (ptx_type_kind(type) != 's')
        return by < bits ? in_bits(x, type) >> by : 0;
    int64_t s = as_signed(x, type), all = s < 0 ? -1 : 0;
    by = by < bits ? by : bits - 1;
    return by ? (uint64_t)s >> by | (uint64_t)all << (64 - by) : (uint64_t)s;
}

static uint64_t product(const struct ptx_op *op, unsigned type, uint64_t a, uint64_t b)
{
    if (!ptx_op_has(op, PTX_M_WIDE))
        return in_bits(a * b, type);
    return ptx_type_kind(type) == 's' ? (uint64_t)(as_signed(a, type) * as_signed(b, type))
                                      : in_bits(a, type) * in_bits(b, type);
}

/* Comparisons by name: below, equal, above. */
static const struct {
    uint8_t name;
    bool is[3];
} comparison[] = {{PTX_M_EQ, {false, true, false}}, {PTX_M_NE, {true, false, true}},
                  {PTX_M_LT, {true, false, false}}, {PTX_M_LE, {true, true, false}},
                  {PTX_M_GT, {false, false, true}}, {PTX_M_GE, {false, true, true}}};

static bool compared(const struct ptx_op *op, unsigned type, const uint64_t v[], uint64_t *out)
{
    uint64_t a = in_bits(v[0], type), b = in_bits(v[1], type);
    bool below = ptx_type_kind(type) == 's' ? as_signed(a, type) < as_signed(b, type) : a < b;
    if (op->n_modifiers != 2)
        return false;
    for (size_t k = 0; k < sizeof comparison / sizeof *comparison; k++)
        if (op->modifier[0] == comparison[k].name) {
            *out = comparison[k].is[a == b ? 1 : below ? 0 : 2];
            return true;
        }
    return false;
}

/* cvt.TO.FROM between words of integers. */
static bool converted(const struct ptx_op *op, uint64_t x, uint64_t *out)
{
    if (op->n_modifiers != 2 || !is_word(op->modifier[0]) || !is_word(op->modifier[1]))
        return false;
    unsigned from = op->modifier[1];
    x = ptx_type_kind(from) == 's' ? (uint64_t)as_signed(x, from) : in_bits(x, from);
    *out = in_bits(x, op->modifier[0]);
    return true;
}

static bool has_only(const struct ptx_op *op, unsigned modifier)
{
    return op->n_modifiers == 1 || (op->n_modifiers == 2 && op->modifier[0] == modifier);
}

static bool computed(const struct ptx_op *op, unsigned type, const uint64_t v[], uint64_t *out)
{
    switch (op->mnemonic) {
    case PTX_OP_mov:
        *out = v[0];
        return true;
    case PTX_OP_add:
        *out = v[0] + v[1];
        return true;
    case PTX_OP_sub:
        *out = v[0] - v[1];
        return true;
    case PTX_OP_and:
        *out = v[0] & v[1];
        return true;
    case PTX_OP_or:
        *out = v[0] | v[1];
        return true;
    case PTX_OP_xor:
        *out = v[0] ^ v[1];
        return true;
    case PTX_OP_not:
        *out = ~v[0];
        return true;
    case PTX_OP_neg:
        *out = 0 - v[0];
        return true;
    case PTX_OP_shl:
        *out = (uint32_t)v[1] < 8 * ptx_type_bytes(type) ? v[0] << (uint32_t)v[1] : 0;
        return true;
    case PTX_OP_shr:
        *out = shifted_right(type, v[0], (uint32_t)v[1]);
        return true;
    default:
        return false;
    }
}

static bool product_is_known(const struct ptx_op *op, unsigned type)
{
    return op->n_modifiers == 2 && (op->modifier[0] == PTX_M_LO ||
                                    (op->modifier[0] == PTX_M_WIDE && ptx_type_bytes(type) == 4));
}

bool ptx_known_result(const struct ptx_op *op, const uint64_t value[], uint64_t *out)
{
    unsigned type = ptx_op_type(op);
    if (!is_word(type))
        return false;
    switch (op->mnemonic) {
    case PTX_OP_setp:
        return compared(op, type, value, out);
    case PTX_OP_cvt:
        return converted(op, value[0], out);
    case PTX_OP_mul:
    case PTX_OP_mad:
        if (!product_is_known(op, type))
            return false;
        *out = product(op, type, value[0], value[1]) + (op->mnemonic == PTX_OP_mad ? value[2] : 0);
        if (!ptx_op_has(op, PTX_M_WIDE))
            *out = in_bits(*out, type);
        return true;
    default:
        if (!has_only(op, PTX_NONE) || !computed(op, type, value, out))
            return false;
        *out = in_bits(*out, type);
        return true;
    }
}

/* ---- where it is known ---- */

static void count_write(void *user, uint32_t reg)
{
    uint8_t *n = &((struct finder *)user)->n_writes[reg];
    *n = (uint8_t)(*n < 2 ? *n + 1 : 2);
}

static void forget(void *user, uint32_t reg)
{
    ((struct finder *)user)->value[reg].since = 0;
}

static void mark_targets(struct finder *s, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_LABEL && o->u.label < s->f->n_ops)
        s->is_target[o->u.label] = true;
    for (unsigned k = 0; o->kind == PTX_OPERAND_TARGETS && k < o->n_children; k++)
        mark_targets(s, &o->u.children[k]);
}

static const struct value *known(const struct finder *s, const struct ptx_operand *o)
{
    if (o->kind != PTX_OPERAND_REG || o->negated)
        return NULL;
    const struct value *v = &s->value[o->u.reg];
    return v->since && (s->n_writes[o->u.reg] == 1 || v->since == s->stretch) ? v : NULL;
}

static bool known_number(const struct finder *s, const struct ptx_operand *o, uint64_t *out)
{
    const struct value *v = known(s, o);
    if (o->kind != PTX_OPERAND_INT && (!v || v->var))
        return false;
    *out = v ? v->number : o->value;
    return true;
}

static void set(struct finder *s, uint32_t reg, const struct ptx_var *var, uint64_t number)
{
    s->value[reg] = (struct value){.var = var, .number = number, .since = s->stretch};
}

/* ---- what is put there ---- */

static bool own_operands(struct finder *s, struct ptx_op *op)
{
    struct ptx_operand *copy = ptx_pool_allocate(s->pool, op->n_operands * sizeof *copy);
    if (!copy)
        return s->ok = false;
    memcpy(copy, op->operands, op->n_operands * sizeof *copy);
    op->operands = copy;
    return true;
}

static void become_move(struct finder *s, struct ptx_op *op, const struct ptx_operand *from)
{
    bool wide = ptx_type_bytes(s->f->reg_type[op->operands[0].u.reg]) == 8;
    struct ptx_operand source = *from;
    if (!own_operands(s, op))
        return;
    op->was_computed |= op->mnemonic != PTX_OP_mov;
    op->mnemonic = PTX_OP_mov;
    op->text = wide ? "mov.u64" : "mov.u32";
    op->n_modifiers = 1;
    op->modifier[0] = wide ? PTX_U64 : PTX_U32;
    op->n_operands = 2;
    op->operands[1] = source;
}

static bool takes_numbers(const struct ptx_op *op)
{
    switch (op->mnemonic) {
    case PTX_OP_add:
    case PTX_OP_sub:
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_shl:
    case PTX_OP_shr:
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_setp:
    case PTX_OP_selp:
    case PTX_OP_mov:
        return is_word(ptx_op_type(op)) && !ptx_op_has(op, PTX_M_CC);
    default:
        return false;
    }
}

static bool may_swap(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_add || op->mnemonic == PTX_OP_mul || op->mnemonic == PTX_OP_mad ||
           op->mnemonic == PTX_OP_and || op->mnemonic == PTX_OP_or || op->mnemonic == PTX_OP_xor ||
           op->mnemonic == PTX_OP_min || op->mnemonic == PTX_OP_max;
}

static struct ptx_operand as_operand(const struct value *v, const struct ptx_operand *like)
{
    struct ptx_operand o = *like;
    o.kind = v->var ? PTX_OPERAND_VAR : PTX_OPERAND_INT;
    o.value = v->number;
    if (v->var)
        o.u.var = v->var;
    return o;
}

/* Numbers stand behind registers where that is the same. */
static void put_numbers(struct finder *s, struct ptx_op *op)
{
    bool owned = false;
    for (unsigned k = 1; takes_numbers(op) && k < op->n_operands && k <= MOST_SOURCES; k++) {
        const struct value *v = known(s, &op->operands[k]);
        if (!v || (v->var && op->mnemonic != PTX_OP_mov) ||
            s->f->reg_type[op->operands[k].u.reg] == PTX_PRED)
            continue;
        if (!owned && !own_operands(s, op))
            return;
        owned = true;
        op->operands[k] = as_operand(v, &op->operands[k]);
    }
    if (owned && may_swap(op) && op->n_operands > 2 && op->operands[1].kind == PTX_OPERAND_INT &&
        op->operands[2].kind == PTX_OPERAND_REG) {
        struct ptx_operand first = op->operands[1];
        op->operands[1] = op->operands[2];
        op->operands[2] = first;
    }
}

/* The address of a load of constant memory. */
static void put_place(struct finder *s, struct ptx_op *op)
{
    if (op->mnemonic != PTX_OP_ld || !ptx_op_has(op, PTX_M_CONST) || op->n_operands != 2 ||
        op->operands[1].kind != PTX_OPERAND_ADDRESS || op->operands[1].n_children != 1)
        return;
    const struct ptx_operand *base = op->operands[1].u.children;
    const struct value *v = known(s, base);
    if (!v || !v->var || !own_operands(s, op))
        return;
    struct ptx_operand *place = ptx_pool_allocate(s->pool, sizeof *place);
    if (!place) {
        s->ok = false;
        return;
    }
    *place = as_operand(v, base);
    place->value += base->value;
    op->operands[1].u.children = place;
}

/* How long nanosleep sleeps, its only operand. */
static void put_duration(struct finder *s, struct ptx_op *op)
{
    const struct value *v = NULL;
    if (op->mnemonic == PTX_OP_nanosleep && op->n_operands == 1)
        v = known(s, &op->operands[0]);
    if (v && !v->var && own_operands(s, op))
        op->operands[0] = as_operand(v, &op->operands[0]);
}

/* A sum of an address in constant memory and a number. */
static bool finds_address(const struct finder *s, const struct ptx_op *op, struct value *out)
{
    uint64_t by = 0;
    const struct ptx_operand *o = op->operands;
    if (ptx_type_bytes(ptx_op_type(op)) != 8 || op->n_modifiers != 1)
        return false;
    if (op->mnemonic == PTX_OP_mov && op->n_operands == 2 && o[1].kind == PTX_OPERAND_VAR &&
        o[1].u.var->same->space == PTX_M_CONST) {
        *out = (struct value){.var = o[1].u.var, .number = o[1].value};
        return true;
    }
    bool moves = op->mnemonic == PTX_OP_mov && op->n_operands == 2;
    for (unsigned k = 1; (moves || op->mnemonic == PTX_OP_add) && k < op->n_operands; k++) {
        const struct value *v = known(s, &o[k]);
        if (!v || !v->var || (!moves && !known_number(s, &o[3 - k], &by)))
            continue;
        *out = (struct value){.var = v->var, .number = v->number + by};
        return true;
    }
    return false;
}

/* Sources of an op whose result may be known; 0 if it is none of these. */
static unsigned n_sources(const struct ptx_op *op)
{
    unsigned n = op->n_operands ? op->n_operands - 1u : 0;
    return op->guard == PTX_NO_REG && n && n <= MOST_SOURCES &&
                   op->operands[0].kind == PTX_OPERAND_REG
               ? n
               : 0;
}

/* selp of a predicate that is known. */
static bool choose(struct finder *s, struct ptx_op *op)
{
    uint64_t which;
    if (op->mnemonic != PTX_OP_selp || op->n_operands != 4 || !is_word(ptx_op_type(op)) ||
        !known_number(s, &op->operands[3], &which))
        return false;
    become_move(s, op, &op->operands[which ? 1 : 2]);
    return true;
}

static bool finds_number(struct finder *s, const struct ptx_op *op, uint64_t *out)
{
    uint64_t value[MOST_SOURCES] = {0};
    unsigned n = n_sources(op);
    if (!n || op->mnemonic == PTX_OP_selp)
        return false;
    for (unsigned k = 0; k < n; k++)
        if (!known_number(s, &op->operands[k + 1], &value[k]))
            return false;
    return ptx_known_result(op, value, out);
}

/* A predicate stays a comparison, of numbers. */
static void visit(struct finder *s, struct ptx_op *op)
{
    struct value address;
    uint64_t number;
    put_place(s, op);
    put_duration(s, op);
    if (n_sources(op))
        choose(s, op);
    put_numbers(s, op);
    bool is_address = n_sources(op) && finds_address(s, op, &address);
    bool is_number = !is_address && finds_number(s, op, &number);
    ptx_op_visit(op, NULL, forget, s);
    if (!is_address && !is_number)
        return;
    if (is_number && op->mnemonic != PTX_OP_setp)
        become_move(s, op, &(struct ptx_operand){.kind = PTX_OPERAND_INT, .value = number});
    set(s, op->operands[0].u.reg, is_address ? address.var : NULL,
        is_address ? address.number : number);
}

/* ---- what nobody reads any more ---- */

static void count_read(void *user, uint32_t reg)
{
    ((struct finder *)user)->n_reads[reg]++;
}

static void uncount_read(void *user, uint32_t reg)
{
    ((struct finder *)user)->n_reads[reg]--;
}

static bool is_pure(const struct ptx_op *op)
{
    if (!n_sources(op) || (!takes_numbers(op) && op->mnemonic != PTX_OP_cvt) ||
        !is_word(ptx_op_type(op)))
        return false;
    for (unsigned k = 1; k < op->n_operands; k++)
        if (op->operands[k].kind != PTX_OPERAND_REG && op->operands[k].kind != PTX_OPERAND_INT &&
            op->operands[k].kind != PTX_OPERAND_VAR)
            return false;
    return op->mnemonic != PTX_OP_setp;
}

static void mark_read(void *user, uint32_t reg)
{
    ((struct finder *)user)->was_read[reg] = true;
}

/* Addresses whose loads name their places now. */
static void drop_unread(struct finder *s)
{
    for (size_t i = 0; i < s->f->n_ops; i++)
        ptx_op_visit(&s->f->ops[i], count_read, NULL, s);
    for (size_t i = s->f->n_ops; s->ok && i-- > 0;) {
        struct ptx_op *op = &s->f->ops[i];
        if (!is_pure(op) || s->n_reads[op->operands[0].u.reg] ||
            !s->was_read[op->operands[0].u.reg])
            continue;
        ptx_op_visit(op, uncount_read, NULL, s);
        become_move(s, op, &(struct ptx_operand){.kind = PTX_OPERAND_INT});
    }
}

bool ptx_known_values_place(struct ptx_pool *pool, struct ptx_function *f)
{
    struct finder s = {.pool = pool,
                       .f = f,
                       .value = calloc(f->n_regs + 1, sizeof *s.value),
                       .n_writes = calloc(f->n_regs + 1, sizeof *s.n_writes),
                       .n_reads = calloc(f->n_regs + 1, sizeof *s.n_reads),
                       .was_read = calloc(f->n_regs + 1, sizeof *s.was_read),
                       .is_target = calloc(f->n_ops + 1, sizeof *s.is_target),
                       .stretch = 1};
    s.ok = s.value && s.n_writes && s.n_reads && s.was_read && s.is_target;
    for (size_t i = 0; s.ok && i < f->n_ops; i++) {
        ptx_op_visit(&f->ops[i], mark_read, count_write, &s);
        for (unsigned k = 0; k < f->ops[i].n_operands; k++)
            mark_targets(&s, &f->ops[i].operands[k]);
    }
    for (size_t i = 0; s.ok && i < f->n_ops; i++) {
        s.stretch += s.is_target[i];
        visit(&s, &f->ops[i]);
    }
    if (s.ok)
        drop_unread(&s);
    free(s.value);
    free(s.n_writes);
    free(s.n_reads);
    free(s.was_read);
    free(s.is_target);
    return s.ok;
}
