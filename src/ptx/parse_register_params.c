/* parse_register_params.c - functions whose parameters and results are registers.
 *
 * `.func (.reg .b32 r) f(.reg .b32 x)` is the form of code without a calling convention. A register
 * that is passed becomes a .param variable of its own, written before and read behind the way: at a
 * call, at the beginning of the function and where it returns. An assembler does the same. */
#include "ptx/parse.h"

#include <string.h>

#include "base/array.h"

/* ---- instructions that move a register ---- */

static unsigned bits_type(unsigned type)
{
    switch (ptx_type_bytes(type)) {
    case 1:
        return PTX_B8;
    case 2:
        return PTX_B16;
    case 4:
        return PTX_B32;
    default:
        return PTX_B64;
    }
}

static struct ptx_op *add_op(struct ptx_parser *p, const struct ptx_op *like)
{
    struct ptx_function *f = p->function;
    if (!ARRAY_RESERVE(f->ops, f->n_ops, f->cap_ops, 1)) {
        ptx_no_memory(p);
        return NULL;
    }
    f->ops[f->n_ops] = *like;
    return &f->ops[f->n_ops++];
}

/* ld.param value,[var] or st.param [var],value, under the guard of the instruction `at`. */
static bool add_move(struct ptx_parser *p, const struct ptx_op *at, bool load,
                     const struct ptx_var *var, const struct ptx_operand *value)
{
    static const char *const text[2][4] = {
        {"st.param.b8", "st.param.b16", "st.param.b32", "st.param.b64"},
        {"ld.param.b8", "ld.param.b16", "ld.param.b32", "ld.param.b64"}};
    unsigned type = bits_type(var->type), size = type == PTX_B8    ? 0
                                                 : type == PTX_B16 ? 1
                                                 : type == PTX_B32 ? 2
                                                                   : 3;
    struct ptx_operand *place = ptx_pool_allocate(&p->ast->pool, 3 * sizeof *place);
    if (!place)
        return ptx_no_memory(p);
    place[0] = (struct ptx_operand){.kind = PTX_OPERAND_ADDRESS, .n_children = 1};
    place[2] = (struct ptx_operand){.kind = PTX_OPERAND_VAR, .u.var = var};
    place[0].line = place[2].line = at->line;
    place[0].u.children = &place[2];
    place[1] = *value;
    if (load) {
        struct ptx_operand address = place[0];
        place[0] = *value;
        place[1] = address;
    }
    struct ptx_op *op = add_op(p, at);
    if (!op)
        return false;
    op->mnemonic = load ? PTX_OP_ld : PTX_OP_st;
    op->n_modifiers = 2;
    op->modifier[0] = PTX_M_PARAM;
    op->modifier[1] = (uint16_t)type;
    op->text = text[load][size];
    op->n_operands = 2;
    op->operands = place;
    return true;
}

/* ---- the function ---- */

bool ptx_register_param(struct ptx_parser *p, struct ptx_var *var)
{
    uint32_t first;
    if (p->function->is_entry && !p->function->has_body)
        return ptx_error(p, STRATA_EFORMAT, "a kernel has no register parameters (.reg)");
    if (ptx_type_bytes(var->type) != var->bytes || var->bytes > 8)
        return ptx_error(p, STRATA_EUNSUPPORTED,
                         "register parameters are numbers of up to 64 bits, not lists of them");
    if (!ptx_add_registers(p, var->type, 1, &first))
        return false;
    struct ptx_decl *decl = ptx_declare(p, PTX_DECL_REG, var->name);
    if (!decl)
        return false;
    decl->first = first;
    decl->n = 1;
    var->is_register = true;
    var->reg = first;
    return true;
}

static bool move_all(struct ptx_parser *p, const struct ptx_op *at, bool load,
                     const struct ptx_var *vars)
{
    bool ok = true;
    for (const struct ptx_var *v = vars; v && ok; v = v->next) {
        struct ptx_operand reg = {.kind = PTX_OPERAND_REG, .line = at->line, .u.reg = v->reg};
        ok = !v->is_register || add_move(p, at, load, v, &reg);
    }
    return ok;
}

bool ptx_take_register_params(struct ptx_parser *p)
{
    struct ptx_op at = {.line = p->token.line, .column = p->token.column, .guard = PTX_NO_REG};
    return move_all(p, &at, true, p->function->params);
}

bool ptx_give_register_results(struct ptx_parser *p, const struct ptx_op *ret)
{
    return p->function->is_entry || move_all(p, ret, false, p->function->returns);
}

bool ptx_end_register_results(struct ptx_parser *p)
{
    struct ptx_function *f = p->function;
    const struct ptx_op *last = f->n_ops ? &f->ops[f->n_ops - 1] : NULL;
    struct ptx_op at = {.line = p->token.line, .column = p->token.column, .guard = PTX_NO_REG};
    if (last && last->mnemonic == PTX_OP_ret && last->guard == PTX_NO_REG)
        return true;
    return ptx_give_register_results(p, &at);
}

/* ---- calls ---- */

static const struct ptx_function *callee(const struct ptx_parser *p, const struct ptx_op *call)
{
    for (unsigned i = 0; i < call->n_operands; i++) {
        const struct ptx_operand *o = &call->operands[i];
        if (o->kind != PTX_OPERAND_NAME)
            continue;
        for (const struct ptx_function *f = p->unit->functions; f; f = f->next)
            if (f->name == o->u.name)
                return f;
        return NULL;
    }
    return NULL;
}

/* The type a register or number is passed as; PTX_NONE: nobody tells. */
static unsigned type_of(const struct ptx_parser *p, const struct ptx_operand *o,
                        const struct ptx_var *declared)
{
    if (declared && ptx_type_bytes(declared->type) == declared->bytes)
        return declared->type;
    return o->kind == PTX_OPERAND_REG ? p->function->reg_type[o->u.reg] : PTX_NONE;
}

static struct ptx_var *hidden_variable(struct ptx_parser *p, unsigned type)
{
    struct ptx_function *f = p->function;
    struct ptx_var *var = ptx_pool_allocate(&p->ast->pool, sizeof *var);
    if (!var) {
        ptx_no_memory(p);
        return NULL;
    }
    uint32_t bytes = ptx_type_bytes(type);
    *var = (struct ptx_var){.name = f->name, /* nobody can call it by that */
                            .space = PTX_M_PARAM,
                            .type = (uint8_t)type,
                            .unit = p->unit,
                            .bytes = bytes,
                            .align = bytes,
                            .line = p->token.line,
                            .owner = f};
    var->same = var;
    if (!f->vars_end)
        f->vars_end = &f->vars;
    *f->vars_end = var;
    f->vars_end = &var->next;
    return var;
}

/* One list of a call: what is no variable becomes one. `values`: the operands as they were. */
static bool pass_list(struct ptx_parser *p, const struct ptx_op *call, struct ptx_operand *list,
                      const struct ptx_var *declared, struct ptx_operand *values, bool results)
{
    for (unsigned i = 0; i < list->n_children; i++) {
        struct ptx_operand *o = &list->u.children[i];
        values[i] = *o;
        bool is_value = o->kind == PTX_OPERAND_REG || o->kind == PTX_OPERAND_INT ||
                        o->kind == PTX_OPERAND_F32 || o->kind == PTX_OPERAND_F64 ||
                        o->kind == PTX_OPERAND_SINK;
        unsigned type = is_value ? type_of(p, o, declared) : PTX_NONE;
        declared = declared ? declared->next : NULL;
        if (!is_value || o->kind == PTX_OPERAND_VAR)
            continue;
        if (!type || type == PTX_PRED || ptx_type_bytes(type) > 8)
            return ptx_error(p, STRATA_EUNSUPPORTED,
                             "a call passes something that is neither a .param variable nor a "
                             "number of up to 64 bits");
        struct ptx_var *var = hidden_variable(p, type);
        if (!var || (!results && !add_move(p, call, false, var, &values[i])))
            return false;
        *o = (struct ptx_operand){.kind = PTX_OPERAND_VAR, .line = call->line, .u.var = var};
    }
    return true;
}

static bool take_results(struct ptx_parser *p, const struct ptx_op *call,
                         const struct ptx_operand *list, const struct ptx_operand *values)
{
    for (unsigned i = 0; i < list->n_children; i++)
        if (values[i].kind == PTX_OPERAND_REG &&
            !add_move(p, call, true, list->u.children[i].u.var, &values[i]))
            return false;
    return true;
}

bool ptx_add_call(struct ptx_parser *p, const struct ptx_op *op)
{
    struct ptx_op call = *op;
    struct ptx_operand *results = NULL, *args = NULL, *values[2] = {NULL, NULL};
    const struct ptx_function *f = callee(p, op);
    bool target = false;
    for (unsigned i = 0; i < call.n_operands; i++) {
        struct ptx_operand *o = &call.operands[i];
        if (o->kind != PTX_OPERAND_LIST)
            target = true;
        else if (!target)
            results = o;
        else
            args = o;
    }
    for (unsigned k = 0; k < 2; k++) {
        struct ptx_operand *list = k ? args : results;
        if (!list)
            continue;
        values[k] = ptx_pool_allocate(&p->ast->pool, (list->n_children + 1u) * sizeof *values[k]);
        if (!values[k])
            return ptx_no_memory(p);
        const struct ptx_var *declared = !f ? NULL : k ? f->params : f->returns;
        if (!pass_list(p, &call, list, declared, values[k], !k))
            return false;
    }
    return add_op(p, &call) && (!results || take_results(p, &call, results, values[0]));
}
