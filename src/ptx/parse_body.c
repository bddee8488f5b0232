/* parse_body.c - function bodies: scopes, registers, labels, instructions, operands. */
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A function with more registers than this is a damaged text. */
#define MAX_REGISTERS (1u << 22)
#define MAX_DEPTH     256
#define MAX_NESTING   4 /* ( [ { name } ] ) */

/* ---- scopes ---- */

static bool grow_visible(struct ptx_parser *p, uint32_t name)
{
    if (name < p->cap_visible)
        return true;
    size_t cap = p->ast->names.cap > name ? p->ast->names.cap : (size_t)name + 1;
    int64_t *moved = realloc(p->visible, cap * sizeof *moved);
    if (!moved)
        return false;
    for (size_t i = p->cap_visible; i < cap; i++)
        moved[i] = -1;
    p->visible = moved;
    p->cap_visible = cap;
    return true;
}

struct ptx_decl *ptx_lookup(struct ptx_parser *p, uint32_t name)
{
    if (name >= p->cap_visible || p->visible[name] < 0)
        return NULL;
    return &p->decls[p->visible[name]];
}

struct ptx_decl *ptx_declare(struct ptx_parser *p, unsigned kind, uint32_t name)
{
    if (!grow_visible(p, name) || !ARRAY_RESERVE(p->decls, p->n_decls, p->cap_decls, 1)) {
        ptx_no_memory(p);
        return NULL;
    }
    struct ptx_decl *decl = &p->decls[p->n_decls];
    *decl = (struct ptx_decl){
        .kind = (uint8_t)kind, .name = name, .depth = p->depth, .outer = p->visible[name]};
    p->visible[name] = (int64_t)p->n_decls++;
    return decl;
}

void ptx_scope_open(struct ptx_parser *p)
{
    p->depth++;
}

/* A label may be used before it is seen, and a name may mean different labels in different scopes
 * (inline assembly): when a scope ends, what was declared in it answers first. */
static bool resolve_pending(struct ptx_parser *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->n_pending; i++) {
        struct ptx_operand *pending = p->pending[i];
        struct ptx_decl *decl = ptx_lookup(p, pending->u.name);
        if (decl && decl->depth == p->depth && decl->kind == PTX_DECL_LABEL) {
            pending->kind = PTX_OPERAND_LABEL;
            pending->u.label = decl->first;
        } else if (decl && decl->depth == p->depth && decl->kind == PTX_DECL_PROTO) {
            pending->kind = PTX_OPERAND_PROTO;
            pending->u.proto = decl->what;
        } else if (p->depth > 1) {
            p->pending[kept++] = pending;
        } /* else a module-level name: the linker's */
    }
    p->n_pending = kept;
    return true;
}

bool ptx_scope_close(struct ptx_parser *p)
{
    resolve_pending(p);
    while (p->n_decls && p->decls[p->n_decls - 1].depth == p->depth) {
        struct ptx_decl *decl = &p->decls[--p->n_decls];
        p->visible[decl->name] = decl->outer;
    }
    p->depth--;
    return p->status == STRATA_OK;
}

/* ---- registers ---- */

bool ptx_add_registers(struct ptx_parser *p, unsigned type, uint32_t n, uint32_t *first)
{
    struct ptx_function *f = p->function;
    if (n > MAX_REGISTERS - f->n_regs)
        return ptx_error(p, STRATA_ELIMIT, "a function declares more than %u registers",
                         MAX_REGISTERS);
    if (f->n_regs + n > f->cap_regs) {
        uint32_t cap = f->n_regs + n + 64;
        uint8_t *moved = realloc(f->reg_type, cap);
        if (!moved)
            return ptx_no_memory(p);
        f->reg_type = moved;
        f->cap_regs = cap;
    }
    if (n)
        memset(f->reg_type + f->n_regs, (int)type, n);
    *first = f->n_regs;
    f->n_regs += n;
    return true;
}

/* .reg .b32 %r<100>, a, b; */
static bool parse_registers(struct ptx_parser *p)
{
    unsigned type = PTX_NONE;
    if (p->token.kind == PTX_TOK_WORD && p->token.text[0] == '.')
        type = ptx_modifier_find(p->token.text + 1, p->token.length - 1);
    if (type == PTX_M_V2 || type == PTX_M_V4)
        return ptx_error(p, STRATA_EUNSUPPORTED, "vector registers (.reg .v2) are not supported");
    if (!ptx_is_type(type))
        return ptx_error(p, STRATA_EFORMAT, ".reg lacks a type");
    if (type == PTX_B128)
        return ptx_error(p, STRATA_EUNSUPPORTED, "128-bit registers are not supported");
    ptx_next(p);
    do {
        uint32_t name, first = 0;
        int64_t n = 1;
        if (!ptx_expect_name(p, &name))
            return false;
        bool family = ptx_accept(p, '<');
        if (family && (!ptx_expect_integer(p, &n) || !ptx_expect(p, '>')))
            return false;
        if (n < 0 || n > MAX_REGISTERS)
            return ptx_error(p, STRATA_ELIMIT, "a function declares more than %u registers",
                             MAX_REGISTERS);
        struct ptx_decl *decl = ptx_declare(p, family ? PTX_DECL_FAMILY : PTX_DECL_REG, name);
        if (!decl || !ptx_add_registers(p, type, (uint32_t)n, &first))
            return false;
        decl->first = first;
        decl->n = (uint32_t)n;
    } while (ptx_accept(p, ','));
    return ptx_expect(p, ';');
}

/* %r12 is the 13th of the family %r. */
static uint32_t family_member(struct ptx_parser *p, const char *text, size_t length)
{
    size_t prefix = length;
    while (prefix && text[prefix - 1] >= '0' && text[prefix - 1] <= '9')
        prefix--;
    if (prefix == length || length - prefix > 9)
        return PTX_NO_REG;
    uint32_t number = 0;
    for (size_t i = prefix; i < length; i++)
        number = number * 10 + (uint32_t)(text[i] - '0');
    uint32_t name = ptx_name_find(&p->ast->names, text, prefix);
    struct ptx_decl *decl = name == PTX_NO_NAME ? NULL : ptx_lookup(p, name);
    while (decl && decl->kind != PTX_DECL_FAMILY) /* a register of that name hides no family */
        decl = decl->outer >= 0 ? &p->decls[decl->outer] : NULL;
    if (!decl || decl->kind != PTX_DECL_FAMILY || number >= decl->n)
        return PTX_NO_REG;
    return decl->first + number;
}

/* ---- operands ---- */

static bool add_pending(struct ptx_parser *p, struct ptx_operand *operand)
{
    if (!ARRAY_RESERVE(p->pending, p->n_pending, p->cap_pending, 1))
        return ptx_no_memory(p);
    p->pending[p->n_pending++] = operand;
    return true;
}

static bool parse_name_operand(struct ptx_parser *p, struct ptx_operand *out)
{
    const char *text = p->token.text;
    size_t length = p->token.length;
    if (length == 1 && text[0] == '_') {
        out->kind = PTX_OPERAND_SINK;
        ptx_next(p);
        return true;
    }
    uint32_t known = ptx_name_find(&p->ast->names, text, length);
    struct ptx_decl *decl = known == PTX_NO_NAME ? NULL : ptx_lookup(p, known);
    uint32_t reg = decl ? PTX_NO_REG : family_member(p, text, length);
    uint32_t name;
    if (reg != PTX_NO_REG) {
        out->kind = PTX_OPERAND_REG;
        out->u.reg = reg;
        ptx_next(p);
        return true;
    }
    if (!ptx_expect_name(p, &name))
        return false;
    if (!decl) {
        out->kind = text[0] == '%' ? PTX_OPERAND_SREG : PTX_OPERAND_NAME;
        out->u.name = name;
        return out->kind == PTX_OPERAND_SREG || add_pending(p, out);
    }
    switch (decl->kind) {
    case PTX_DECL_REG:
        out->kind = PTX_OPERAND_REG;
        out->u.reg = decl->first;
        break;
    case PTX_DECL_VAR:
        out->kind = PTX_OPERAND_VAR;
        out->u.var = decl->what;
        break;
    case PTX_DECL_PROTO:
        out->kind = PTX_OPERAND_PROTO;
        out->u.proto = decl->what;
        break;
    case PTX_DECL_TARGETS:
        out->kind = PTX_OPERAND_TARGETS;
        out->n_children = (uint16_t)((const struct ptx_targets *)decl->what)->n;
        out->u.children = ((const struct ptx_targets *)decl->what)->labels;
        break;
    case PTX_DECL_LABEL: /* an inner scope may still declare the same name: decide at its end */
        out->kind = PTX_OPERAND_NAME;
        out->u.name = name;
        return add_pending(p, out);
    default:
        return ptx_error(p, STRATA_EFORMAT, "a register family needs a number");
    }
    return true;
}

static bool parse_number_operand(struct ptx_parser *p, struct ptx_operand *out)
{
    bool negative = ptx_accept(p, '-');
    bool inverted = !negative && ptx_accept(p, '~');
    if (p->status != STRATA_OK)
        return false;
    out->value = p->token.value;
    switch (p->token.kind) {
    case PTX_TOK_INTEGER:
        out->kind = PTX_OPERAND_INT;
        out->value = negative ? 0 - out->value : inverted ? ~out->value : out->value;
        break;
    case PTX_TOK_F32:
        out->kind = PTX_OPERAND_F32;
        out->value ^= negative ? 0x80000000u : 0;
        break;
    case PTX_TOK_F64:
        out->kind = PTX_OPERAND_F64;
        out->value ^= negative ? 0x8000000000000000ull : 0;
        break;
    default:
        return ptx_error(p, STRATA_EFORMAT,
                         "an operand is neither a register, a name nor a number");
    }
    ptx_next(p);
    return p->status == STRATA_OK;
}

/* Children up to `closing`, separated by commas. */
static bool parse_children(struct ptx_parser *p, struct ptx_operand *out, char closing)
{
    struct ptx_operand local[256];
    size_t first_pending = p->n_pending;
    unsigned n = 0;
    while (!ptx_at_punct(p, closing)) {
        if (n == sizeof local / sizeof *local)
            return ptx_error(p, STRATA_ELIMIT, "a list of operands is longer than 256");
        if (++p->nesting > MAX_NESTING)
            return ptx_error(p, STRATA_ELIMIT, "operands are nested too deeply");
        bool ok = ptx_parse_operand(p, &local[n]);
        p->nesting--;
        if (!ok)
            return false;
        n++;
        if (!ptx_accept(p, ','))
            break;
    }
    if (!ptx_expect(p, closing))
        return false;
    out->n_children = (uint16_t)n;
    out->u.children = ptx_pool_allocate(&p->ast->pool, (n ? n : 1) * sizeof *local);
    if (!out->u.children)
        return ptx_no_memory(p);
    memcpy(out->u.children, local, n * sizeof *local);
    /* Labels waiting for their place hold pointers to the operands: follow the copy. */
    for (size_t i = first_pending; i < p->n_pending; i++)
        for (unsigned k = 0; k < n; k++)
            if (p->pending[i] == &local[k])
                p->pending[i] = &out->u.children[k];
    return true;
}

/* [base+offset] or [texture, {coordinates}]. */
static bool parse_address(struct ptx_parser *p, struct ptx_operand *out)
{
    out->kind = PTX_OPERAND_ADDRESS;
    if (!parse_children(p, out, ']'))
        return false;
    if (!out->n_children)
        return ptx_error(p, STRATA_EFORMAT, "an address is empty");
    return true;
}

static bool parse_simple_operand(struct ptx_parser *p, struct ptx_operand *out)
{
    memset(out, 0, sizeof *out);
    out->line = p->token.line;
    out->column = p->token.column;
    if (ptx_accept(p, '!'))
        out->negated = true;
    if (p->token.kind == PTX_TOK_WORD)
        return parse_name_operand(p, out);
    return parse_number_operand(p, out);
}

static bool parse_offset(struct ptx_parser *p, struct ptx_operand *out)
{
    while (ptx_at_punct(p, '+') || ptx_at_punct(p, '-')) {
        uint64_t n;
        ptx_accept(p, '+'); /* "+-4" is how nvcc writes a negative offset */
        if (!ptx_parse_constant(p, 6, 0, &n))
            return false;
        out->value += n;
    }
    return true;
}

/* d|p: two destinations. */
static bool parse_pair(struct ptx_parser *p, struct ptx_operand *out)
{
    struct ptx_operand *children = ptx_pool_allocate(&p->ast->pool, 2 * sizeof *children);
    if (!children)
        return ptx_no_memory(p);
    children[0] = *out;
    if (!parse_simple_operand(p, &children[1]))
        return false;
    out->kind = PTX_OPERAND_PAIR;
    out->n_children = 2;
    out->u.children = children;
    return true;
}

bool ptx_parse_operand(struct ptx_parser *p, struct ptx_operand *out)
{
    memset(out, 0, sizeof *out);
    out->line = p->token.line;
    out->column = p->token.column;
    if (ptx_accept(p, '[')) {
        return parse_address(p, out);
    }
    if (ptx_accept(p, '{')) {
        out->kind = PTX_OPERAND_VECTOR;
        return parse_children(p, out, '}');
    }
    if (ptx_at_punct(p, '(') && !p->in_call) { /* only calls have lists */
        out->kind = PTX_OPERAND_INT;
        return ptx_parse_constant(p, 1, 0, &out->value);
    }
    if (ptx_accept(p, '(')) {
        out->kind = PTX_OPERAND_LIST;
        return parse_children(p, out, ')');
    }
    if (!parse_simple_operand(p, out))
        return false;
    if (out->kind == PTX_OPERAND_INT)
        return ptx_continue_constant(p, 1, 0, &out->value);
    if (ptx_accept(p, '|'))
        return parse_pair(p, out);
    return parse_offset(p, out);
}

bool ptx_parse_operands(struct ptx_parser *p, struct ptx_op *op)
{
    struct ptx_operand list;
    memset(&list, 0, sizeof list);
    if (ptx_at_punct(p, ';'))
        return ptx_expect(p, ';');
    p->in_call = op->mnemonic == PTX_OP_call;
    if (!parse_children(p, &list, ';'))
        return false;
    if (list.n_children > 32)
        return ptx_error(p, STRATA_EFORMAT, "an instruction has more than 32 operands");
    op->n_operands = (uint8_t)list.n_children;
    op->operands = list.u.children;
    return true;
}

/* ---- instructions ---- */

static const char *function_name(const struct ptx_parser *p)
{
    return p->ast->names.text[p->function->name];
}

/* m64n128k16 and kin, of which there are too many for a table: the decoder reads the numbers. */
static bool is_shape(const char *text, size_t length)
{
    unsigned letters = 0;
    for (size_t i = 0; i < length; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (!digit && (letters == 3 || text[i] != "mnk"[letters] || i + 1 == length))
            return false;
        letters += !digit;
    }
    return letters == 3 && text[0] == 'm';
}

/* A fence's ".sync_restrict::shared::cta" names a space as others do. */
static unsigned find_modifier(unsigned mnemonic, const char *text, size_t length)
{
    static const char restricted[] = "sync_restrict::";
    size_t n = sizeof restricted - 1;
    if (mnemonic == PTX_OP_fence && length > n && !memcmp(text, restricted, n))
        return ptx_modifier_find(text + n, length - n);
    unsigned modifier = ptx_modifier_find(text, length);
    return modifier || !is_shape(text, length) ? modifier : PTX_M_SHAPE;
}

/* Splits "ld.volatile.global.u32" and looks every part up. */
static bool parse_opcode(struct ptx_parser *p, struct ptx_op *op)
{
    const char *text = p->token.text, *end = text + p->token.length;
    const char *dot = memchr(text, '.', p->token.length);
    op->text = ptx_pool_text(&p->ast->pool, text, p->token.length);
    if (!op->text)
        return ptx_no_memory(p);
    op->mnemonic = (uint8_t)ptx_mnemonic_find(text, (size_t)((dot ? dot : end) - text));
    if (!op->mnemonic)
        return ptx_error(p, STRATA_EUNSUPPORTED,
                         "kernel \"%s\": instruction \"%s\" is not supported by the emulator",
                         function_name(p), op->text);
    while (dot && dot < end) {
        const char *start = dot + 1;
        dot = memchr(start, '.', (size_t)(end - start));
        size_t length = (size_t)((dot ? dot : end) - start);
        unsigned modifier = find_modifier(op->mnemonic, start, length);
        if (!modifier || op->n_modifiers == PTX_MAX_MODIFIERS)
            return ptx_error(p, STRATA_EUNSUPPORTED,
                             "kernel \"%s\": instruction \"%s\" is not supported: unknown modifier "
                             "\".%.*s\"",
                             function_name(p), op->text, (int)(length > 40 ? 40 : length), start);
        op->modifier[op->n_modifiers++] = (uint16_t)modifier;
    }
    ptx_next(p);
    return p->status == STRATA_OK;
}

static bool parse_guard(struct ptx_parser *p, struct ptx_op *op)
{
    struct ptx_operand guard;
    op->guard = PTX_NO_REG;
    if (!ptx_accept(p, '@'))
        return true;
    if (!parse_simple_operand(p, &guard))
        return false;
    if (guard.kind != PTX_OPERAND_REG || p->function->reg_type[guard.u.reg] != PTX_PRED)
        return ptx_error(p, STRATA_EFORMAT, "a guard is not a predicate register");
    op->guard = guard.u.reg;
    op->guard_negated = guard.negated;
    return true;
}

static bool parse_instruction(struct ptx_parser *p)
{
    struct ptx_function *f = p->function;
    struct ptx_op op = {.line = p->token.line,
                        .column = p->token.column,
                        .source_line = p->source_line,
                        .source_file = p->source_file,
                        .inlined = p->place,
                        .rolled = p->rolled};
    p->rolled = false;
    if (!parse_guard(p, &op))
        return false;
    if (p->token.kind != PTX_TOK_WORD)
        return ptx_error(p, STRATA_EFORMAT,
                         "found something that is neither an instruction nor a "
                         "directive");
    if (!parse_opcode(p, &op) || !ptx_parse_operands(p, &op))
        return false;
    if (op.mnemonic == PTX_OP_call)
        return ptx_add_call(p, &op);
    if (op.mnemonic == PTX_OP_ret && !ptx_give_register_results(p, &op))
        return false;
    if (!ARRAY_RESERVE(f->ops, f->n_ops, f->cap_ops, 1))
        return ptx_no_memory(p);
    f->ops[f->n_ops++] = op;
    return true;
}

/* name : .callprototype (.param .b32 _) _ (.param .b64 _); */
static bool parse_prototype(struct ptx_parser *p, uint32_t name)
{
    struct ptx_proto *proto = ptx_pool_allocate(&p->ast->pool, sizeof *proto);
    struct ptx_decl *decl;
    if (!proto)
        return ptx_no_memory(p);
    proto->name = name;
    decl = ptx_declare(p, PTX_DECL_PROTO, name);
    if (!decl)
        return false;
    decl->what = proto;
    ptx_scope_open(p); /* the names of its parameters mean nothing */
    if (ptx_at_punct(p, '(') && !ptx_parse_params(p, &proto->returns))
        return false;
    uint32_t ignored;
    if (!ptx_expect_name(p, &ignored))
        return false;
    if (ptx_at_punct(p, '(') && !ptx_parse_params(p, &proto->params))
        return false;
    while (!ptx_at_punct(p, ';') && p->token.kind == PTX_TOK_WORD)
        ptx_next(p); /* .noreturn and kin */
    size_t kept = p->n_decls;
    while (kept && p->decls[kept - 1].depth == p->depth)
        kept--;
    for (size_t i = p->n_decls; i-- > kept;)
        p->visible[p->decls[i].name] = p->decls[i].outer;
    p->n_decls = kept;
    p->depth--;
    return ptx_expect(p, ';');
}

/* name: .branchtargets a, b, c; */
static bool parse_targets(struct ptx_parser *p, uint32_t name)
{
    struct ptx_targets *targets = ptx_pool_allocate(&p->ast->pool, sizeof *targets);
    struct ptx_operand list;
    memset(&list, 0, sizeof list);
    if (!targets)
        return ptx_no_memory(p);
    if (!parse_children(p, &list, ';'))
        return false;
    targets->name = name;
    targets->n = list.n_children;
    targets->labels = list.u.children;
    struct ptx_decl *decl = ptx_declare(p, PTX_DECL_TARGETS, name);
    if (!decl)
        return false;
    decl->what = targets;
    return true;
}

static bool parse_label(struct ptx_parser *p, uint32_t name)
{
    if (ptx_accept_word(p, ".callprototype"))
        return parse_prototype(p, name);
    if (ptx_accept_word(p, ".branchtargets"))
        return parse_targets(p, name);
    if (ptx_accept_word(p, ".calltargets")) {
        while (!ptx_at_punct(p, ';') && p->token.kind != PTX_TOK_END && p->status == STRATA_OK)
            ptx_next(p);
        return ptx_expect(p, ';');
    }
    struct ptx_decl *seen = ptx_lookup(p, name);
    if (seen && seen->depth == p->depth)
        return ptx_error(p, STRATA_EFORMAT, "\"%s\" is declared twice in one scope",
                         p->ast->names.text[name]);
    struct ptx_decl *decl = ptx_declare(p, PTX_DECL_LABEL, name);
    if (!decl)
        return false;
    decl->first = (uint32_t)p->function->n_ops;
    return true;
}

/* Is the word at hand followed by a single ':'? */
static bool at_label(const struct ptx_parser *p)
{
    struct ptx_lexer ahead = p->lexer;
    struct ptx_token next;
    if (p->token.kind != PTX_TOK_WORD || p->token.text[0] == '.')
        return false;
    ptx_lexer_next(&ahead, &next);
    return next.kind == PTX_TOK_PUNCT && next.punct == ':';
}

static bool parse_body_variable(struct ptx_parser *p, unsigned space)
{
    struct ptx_var model = {.space = (uint8_t)space, .unit = p->unit};
    if (!p->function->vars_end)
        p->function->vars_end = &p->function->vars;
    ptx_next(p);
    return ptx_parse_vars(p, &p->function->vars_end, &model, true) && ptx_expect(p, ';');
}

static bool parse_directive(struct ptx_parser *p)
{
    static const struct {
        const char *word;
        unsigned space;
    } spaces[] = {{".param", PTX_M_PARAM},
                  {".local", PTX_M_LOCAL},
                  {".shared", PTX_M_SHARED},
                  {".global", PTX_M_GLOBAL},
                  {".const", PTX_M_CONST}};
    if (ptx_accept_word(p, ".reg"))
        return parse_registers(p);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_at_word(p, spaces[i].word))
            return parse_body_variable(p, spaces[i].space);
    if (ptx_skip_directive(p))
        return p->status == STRATA_OK;
    return ptx_error(p, STRATA_EUNSUPPORTED, "kernel \"%s\": directive \"%.*s\" is not supported",
                     function_name(p), (int)(p->token.length > 60 ? 60 : p->token.length),
                     p->token.text);
}

static bool parse_statement(struct ptx_parser *p)
{
    uint32_t name;
    if (ptx_accept(p, ';'))
        return true;
    if (ptx_at_punct(p, '{')) {
        if (p->depth >= MAX_DEPTH)
            return ptx_error(p, STRATA_ELIMIT, "scopes are nested too deeply");
        ptx_next(p);
        ptx_scope_open(p);
        while (p->status == STRATA_OK && !ptx_at_punct(p, '}')) {
            if (p->token.kind == PTX_TOK_END)
                return ptx_expect(p, '}');
            parse_statement(p);
        }
        return ptx_scope_close(p) && ptx_expect(p, '}');
    }
    if (at_label(p))
        return ptx_expect_name(p, &name) && ptx_expect(p, ':') && parse_label(p, name);
    if (p->token.kind == PTX_TOK_WORD && p->token.text[0] == '.')
        return parse_directive(p);
    return parse_instruction(p);
}

/* ---- registers that are used ---- */

/* Renumbers the registers an operand names; `number` is by old register: new one + 1. */
static void renumber(struct ptx_function *f, struct ptx_operand *o, uint32_t *number, uint32_t *n)
{
    if (o->kind == PTX_OPERAND_REG) {
        if (!number[o->u.reg]) {
            number[o->u.reg] = ++*n;
        }
        o->u.reg = number[o->u.reg] - 1;
        return;
    }
    bool nested = o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_LIST ||
                  o->kind == PTX_OPERAND_ADDRESS || o->kind == PTX_OPERAND_PAIR;
    for (unsigned i = 0; nested && i < o->n_children; i++)
        renumber(f, &o->u.children[i], number, n);
}

/* Families are declared generously (%r<500>): what no instruction names is dropped. */
static bool drop_unused_registers(struct ptx_parser *p)
{
    struct ptx_function *f = p->function;
    uint32_t *number = calloc((size_t)f->n_regs + 1, sizeof *number), n = 0;
    uint8_t *type = malloc((size_t)f->n_regs + 1);
    if (!number || !type) {
        free(number);
        free(type);
        return ptx_no_memory(p);
    }
    for (size_t i = 0; i < f->n_ops; i++) {
        struct ptx_operand guard = {.kind = PTX_OPERAND_REG, .u.reg = f->ops[i].guard};
        if (f->ops[i].guard != PTX_NO_REG) {
            renumber(f, &guard, number, &n);
            f->ops[i].guard = guard.u.reg;
        }
        for (unsigned k = 0; k < f->ops[i].n_operands; k++)
            renumber(f, &f->ops[i].operands[k], number, &n);
    }
    for (uint32_t i = 0; i < f->n_regs; i++)
        if (number[i])
            type[number[i] - 1] = f->reg_type[i];
    free(f->reg_type);
    f->reg_type = type;
    f->cap_regs = f->n_regs + 1;
    f->n_regs = n;
    free(number);
    return true;
}

bool ptx_parse_body(struct ptx_parser *p)
{
    p->source_line = p->own_line = p->own_file = 0;
    p->place = NULL;
    return ptx_take_register_params(p) && parse_statement(p) && ptx_end_register_results(p) &&
           drop_unused_registers(p);
}
