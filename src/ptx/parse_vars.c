/* parse_vars.c - declarations of variables and parameters, and initialisers. */
#include "ptx/parse.h"

#include <string.h>

#define MAX_DIMENSIONS 8
/* One variable of more than this is a damaged text, not a program. */
#define MAX_VARIABLE_BYTES ((uint64_t)1 << 40)

static bool skip_attribute(struct ptx_parser *p, struct ptx_var *model)
{
    if (!ptx_expect(p, '('))
        return false;
    while (!ptx_at_punct(p, ')')) {
        if (ptx_at_word(p, ".managed"))
            model->is_managed = true;
        if (p->token.kind == PTX_TOK_END || p->status != STRATA_OK)
            return ptx_expect(p, ')');
        ptx_next(p);
    }
    return ptx_expect(p, ')');
}

/* `.ptr .global .align 4` says what a pointer parameter points to; its alignment is not the
 * parameter's. */
static bool skip_pointer_hint(struct ptx_parser *p)
{
    static const char *const spaces[] = {".global", ".shared", ".local", ".const", ".generic"};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_accept_word(p, spaces[i]))
            break;
    int64_t align;
    return !ptx_accept_word(p, ".align") || ptx_expect_integer(p, &align);
}

static bool parse_align(struct ptx_parser *p, struct ptx_var *model)
{
    int64_t align;
    if (!ptx_expect_integer(p, &align))
        return false;
    if (align < 1 || align > 1 << 20 || (align & (align - 1)))
        return ptx_error(p, STRATA_EFORMAT, "an alignment is a power of two, not %lld",
                         (long long)align);
    model->align = (uint32_t)align;
    return true;
}

/* Everything between the state space and the name. */
static bool parse_var_type(struct ptx_parser *p, struct ptx_var *model, unsigned *vector)
{
    *vector = 1;
    while (p->status == STRATA_OK && p->token.kind == PTX_TOK_WORD && p->token.text[0] == '.') {
        unsigned modifier = ptx_modifier_find(p->token.text + 1, p->token.length - 1);
        if (ptx_is_type(modifier)) {
            model->type = (uint8_t)modifier;
        } else if (modifier == PTX_M_V2 || modifier == PTX_M_V4) {
            *vector = modifier == PTX_M_V2 ? 2 : 4;
        } else if (ptx_accept_word(p, ".align")) {
            if (!parse_align(p, model))
                return false;
            continue;
        } else if (ptx_accept_word(p, ".attribute")) {
            if (!skip_attribute(p, model))
                return false;
            continue;
        } else if (ptx_accept_word(p, ".ptr")) {
            if (!skip_pointer_hint(p))
                return false;
            continue;
        } else {
            return ptx_error(p, STRATA_EUNSUPPORTED,
                             "\"%.*s\" in a variable declaration is not supported",
                             (int)(p->token.length > 60 ? 60 : p->token.length), p->token.text);
        }
        ptx_next(p);
    }
    if (p->status == STRATA_OK && !ptx_type_bytes(model->type))
        return ptx_error(p, STRATA_EFORMAT, "a variable declaration lacks its type");
    return p->status == STRATA_OK;
}

struct dimensions {
    unsigned n;
    uint64_t size[MAX_DIMENSIONS];
};

static bool parse_dimensions(struct ptx_parser *p, struct ptx_var *var, struct dimensions *dims)
{
    dims->n = 0;
    while (ptx_accept(p, '[')) {
        if (dims->n == MAX_DIMENSIONS)
            return ptx_error(p, STRATA_ELIMIT, "an array has more than %d dimensions",
                             MAX_DIMENSIONS);
        int64_t size = 0;
        if (ptx_at_punct(p, ']')) {
            if (dims->n)
                return ptx_error(p, STRATA_EFORMAT, "only the first dimension may be left open");
            var->unsized = true;
        } else if (!ptx_expect_integer(p, &size)) {
            return false;
        }
        if (size < 0 || (uint64_t)size > MAX_VARIABLE_BYTES)
            return ptx_error(p, STRATA_EFORMAT, "an array of %lld elements is impossible",
                             (long long)size);
        dims->size[dims->n++] = (uint64_t)size;
        if (!ptx_expect(p, ']'))
            return false;
    }
    for (unsigned i = var->unsized ? 1 : 0; i < dims->n; i++) {
        if (dims->size[i] && var->bytes > MAX_VARIABLE_BYTES / dims->size[i])
            return ptx_error(p, STRATA_EFORMAT, "an array is larger than an address space");
        var->bytes *= dims->size[i];
    }
    return p->status == STRATA_OK;
}

/* ---- initialisers ---- */

struct initialiser {
    struct ptx_var *var;
    const struct dimensions *dims;
    uint32_t element_bytes;
    uint64_t end_bytes; /* highest byte given, for open arrays */
    struct ptx_init_value **tail;
};

static uint64_t number_bits(const struct ptx_parser *p, unsigned type)
{
    double d;
    float f;
    uint64_t value = p->token.value;
    uint32_t low = (uint32_t)value;
    if (type == PTX_F32 && p->token.kind == PTX_TOK_F64) {
        memcpy(&d, &value, sizeof d);
        f = (float)d;
        memcpy(&low, &f, sizeof f);
        return low;
    }
    if (type == PTX_F64 && p->token.kind == PTX_TOK_F32) {
        memcpy(&f, &low, sizeof f);
        d = f;
        memcpy(&value, &d, sizeof d);
    }
    return value;
}

static bool parse_symbol_value(struct ptx_parser *p, struct ptx_init_value *v)
{
    bool wrapped = ptx_at_word(p, "generic");
    if (wrapped) {
        ptx_next(p);
        if (!ptx_expect(p, '('))
            return false;
    }
    if (!ptx_expect_name(p, &v->symbol) || (wrapped && !ptx_expect(p, ')')))
        return false;
    while (ptx_at_punct(p, '+') || ptx_at_punct(p, '-')) {
        bool minus = ptx_accept(p, '-');
        int64_t n;
        if (!minus)
            ptx_accept(p, '+');
        if (!ptx_expect_integer(p, &n))
            return false;
        v->value += minus ? 0 - (uint64_t)n : (uint64_t)n;
    }
    return true;
}

static bool parse_init_value(struct ptx_parser *p, struct initialiser *in, uint64_t offset)
{
    struct ptx_init_value *v = ptx_pool_allocate(&p->ast->pool, sizeof *v);
    if (!v)
        return ptx_no_memory(p);
    v->offset_bytes = offset;
    v->symbol = PTX_NO_NAME;
    v->bytes = (uint8_t)in->element_bytes;
    v->line = p->token.line;
    bool negative = ptx_accept(p, '-');
    if (p->token.kind == PTX_TOK_WORD) {
        if (!parse_symbol_value(p, v))
            return false;
    } else if (p->token.kind == PTX_TOK_INTEGER || p->token.kind == PTX_TOK_F32 ||
               p->token.kind == PTX_TOK_F64) {
        v->value = number_bits(p, in->var->type);
        if (negative && p->token.kind == PTX_TOK_INTEGER)
            v->value = 0 - v->value;
        else if (negative)
            v->value ^= in->var->type == PTX_F32 ? 0x80000000ull : 0x8000000000000000ull;
        ptx_next(p);
        if (ptx_accept(p, '(')) { /* 0xFF00(symbol): one byte of an address */
            v->picks_bytes = true;
            v->shift = v->value ? (uint8_t)__builtin_ctzll(v->value) : 0;
            v->value = 0;
            if (!parse_symbol_value(p, v) || !ptx_expect(p, ')'))
                return false;
        }
    } else {
        return ptx_error(p, STRATA_EFORMAT, "an initialiser holds something that is no constant");
    }
    *in->tail = v;
    in->tail = &v->next;
    if (offset + in->element_bytes > in->end_bytes)
        in->end_bytes = offset + in->element_bytes;
    return p->status == STRATA_OK;
}

static bool parse_init_level(struct ptx_parser *p, struct initialiser *in, unsigned level,
                             uint64_t offset)
{
    uint64_t stride = in->element_bytes;
    for (unsigned i = level + 1; i < in->dims->n; i++)
        stride *= in->dims->size[i];
    if (!ptx_expect(p, '{'))
        return false;
    for (uint64_t i = 0; !ptx_at_punct(p, '}'); i++) {
        bool open = in->var->unsized && level == 0;
        if (!open && offset + in->element_bytes > in->var->bytes)
            return ptx_error(p, STRATA_EFORMAT, "an initialiser is longer than its variable");
        if (ptx_at_punct(p, '{')) {
            if (level + 1 >= MAX_DIMENSIONS || level + 1 >= in->dims->n)
                return ptx_error(p, STRATA_EFORMAT, "braces are nested deeper than the array");
            if (!parse_init_level(p, in, level + 1, offset))
                return false;
            offset += stride;
        } else {
            if (!parse_init_value(p, in, offset))
                return false;
            offset += in->element_bytes;
        }
        if (!ptx_accept(p, ','))
            break;
    }
    return ptx_expect(p, '}');
}

static bool parse_init(struct ptx_parser *p, struct ptx_var *var, const struct dimensions *dims)
{
    struct initialiser in = {var, dims, ptx_type_bytes(var->type), 0, &var->init};
    if (var->space != PTX_M_GLOBAL && var->space != PTX_M_CONST)
        return ptx_error(p, STRATA_EFORMAT, "only .global and .const variables have initialisers");
    if (in.element_bytes > 8)
        return ptx_error(p, STRATA_EUNSUPPORTED, ".b128 initialisers are not supported");
    bool ok = ptx_at_punct(p, '{') ? parse_init_level(p, &in, 0, 0) : parse_init_value(p, &in, 0);
    if (ok && var->unsized) {
        var->bytes = in.end_bytes;
        var->unsized = false;
    }
    return ok;
}

/* ---- declarations ---- */

static bool parse_one_var(struct ptx_parser *p, const struct ptx_var *model, unsigned vector,
                          struct ptx_var **out)
{
    struct ptx_var *var = ptx_pool_allocate(&p->ast->pool, sizeof *var);
    struct dimensions dims;
    if (!var)
        return ptx_no_memory(p);
    *var = *model;
    var->line = p->token.line;
    var->same = var;
    var->owner = p->function;
    var->bytes = (uint64_t)ptx_type_bytes(var->type) * vector;
    if (!var->align)
        var->align = (uint32_t)var->bytes;
    *out = var;
    /* In a call prototype a parameter is just `_`. */
    if (!ptx_expect_name(p, &var->name) || !parse_dimensions(p, var, &dims))
        return false;
    if (p->function && !ptx_at_punct(p, '=')) {
        struct ptx_decl *decl = ptx_declare(p, PTX_DECL_VAR, var->name);
        if (!decl)
            return false;
        decl->what = var;
    }
    if (ptx_accept(p, '='))
        return parse_init(p, var, &dims);
    return true;
}

bool ptx_parse_vars(struct ptx_parser *p, struct ptx_var ***list, struct ptx_var *model, bool many)
{
    unsigned vector;
    if (!parse_var_type(p, model, &vector))
        return false;
    do {
        struct ptx_var *var = NULL;
        if (!parse_one_var(p, model, vector, &var))
            return false;
        **list = var;
        *list = &var->next;
    } while (many && ptx_accept(p, ','));
    return true;
}

bool ptx_parse_params(struct ptx_parser *p, struct ptx_var **list)
{
    if (!ptx_expect(p, '('))
        return false;
    while (!ptx_at_punct(p, ')')) {
        struct ptx_var model = {.space = PTX_M_PARAM, .unit = p->unit}, **var = list;
        bool in_register = ptx_accept_word(p, ".reg");
        if (!in_register && !ptx_accept_word(p, ".param"))
            return ptx_error(p, STRATA_EFORMAT,
                             "a parameter list holds something else than .param and .reg");
        if (in_register && ptx_at_word(p, ".pred"))
            return ptx_error(p, STRATA_EUNSUPPORTED, "predicates as parameters are not supported");
        if (!ptx_parse_vars(p, &list, &model, false))
            return false;
        if (in_register && !ptx_register_param(p, *var))
            return false;
        if (!ptx_accept(p, ','))
            break;
    }
    return ptx_expect(p, ')');
}
