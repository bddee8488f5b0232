/* ptx_link.c - resolving names across the texts of a module, placing variables, initialisers. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "ptx/module.h"

struct name_entry {
    struct ptx_var *var;
    struct ptx_function *function;
};

struct linker {
    struct ptx_module *m;
    struct strata_error *err;
    struct name_entry *unit;   /* by name: what the unit at hand declares */
    struct name_entry *global; /* by name: what all units may see */
    size_t n_names;
};

/* ---- tables of names ---- */

static void prefer_function(struct name_entry *entry, struct ptx_function *f)
{
    if (!entry->function || (!entry->function->has_body && f->has_body))
        entry->function = f;
}

static void prefer_var(struct name_entry *entry, struct ptx_var *var)
{
    if (!entry->var || (entry->var->is_extern && !var->is_extern))
        entry->var = var;
}

static void collect_global(struct linker *l, struct ptx_unit *unit)
{
    for (struct ptx_function *f = unit->functions; f; f = f->next)
        if (f->has_body && (f->is_visible || f->is_entry))
            prefer_function(&l->global[f->name], f);
    for (struct ptx_var *v = unit->vars; v; v = v->next)
        if (!v->is_extern && v->is_visible)
            prefer_var(&l->global[v->name], v);
}

static void collect_unit(struct linker *l, struct ptx_unit *unit)
{
    for (struct ptx_function *f = unit->functions; f; f = f->next)
        prefer_function(&l->unit[f->name], f);
    for (struct ptx_var *v = unit->vars; v; v = v->next)
        prefer_var(&l->unit[v->name], v);
}

static void forget_unit(struct linker *l, struct ptx_unit *unit)
{
    for (struct ptx_function *f = unit->functions; f; f = f->next)
        l->unit[f->name].function = NULL;
    for (struct ptx_var *v = unit->vars; v; v = v->next)
        l->unit[v->name].var = NULL;
}

/* Declarations and weak copies point to the one definition. */
static void find_definitions(struct linker *l, struct ptx_unit *unit)
{
    for (struct ptx_function *f = unit->functions; f; f = f->next) {
        struct ptx_function *local = l->unit[f->name].function,
                            *global = l->global[f->name].function;
        if (!f->has_body)
            f->same = local->has_body ? local : global ? global : f;
        else if (f->is_visible && global)
            f->same = global;
    }
    for (struct ptx_var *v = unit->vars; v; v = v->next) {
        struct ptx_var *local = l->unit[v->name].var, *global = l->global[v->name].var;
        if (v->space == PTX_M_SHARED && v->is_extern)
            continue; /* dynamic shared memory */
        if (v->is_extern)
            v->same = !local->is_extern ? local : global ? global : v;
        else if (v->is_visible && global)
            v->same = global;
    }
}

/* ---- operands ---- */

static bool resolve_operand(struct linker *l, struct ptx_function *f, const struct ptx_op *op,
                            struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_NAME) {
        struct name_entry *found = &l->unit[o->u.name];
        if (found->var) {
            o->kind = PTX_OPERAND_VAR;
            o->u.var = found->var;
        } else if (found->function) {
            o->kind = PTX_OPERAND_FUNC;
            o->u.func = found->function;
        } else {
            strata_fail(l->err, STRATA_EFORMAT, f->unit->name, o->line, o->column,
                        "kernel \"%s\": \"%s\" is not declared", l->m->ast.names.text[f->name],
                        l->m->ast.names.text[o->u.name]);
            return false;
        }
    }
    if (o->kind == PTX_OPERAND_FUNC && op->mnemonic != PTX_OP_call && !o->u.func->same->is_entry)
        o->u.func->same->address_taken = true;
    bool nested = o->kind == PTX_OPERAND_VECTOR || o->kind == PTX_OPERAND_LIST ||
                  o->kind == PTX_OPERAND_ADDRESS || o->kind == PTX_OPERAND_PAIR;
    for (unsigned i = 0; nested && i < o->n_children; i++)
        if (!resolve_operand(l, f, op, &o->u.children[i]))
            return false;
    return true;
}

static bool resolve_function(struct linker *l, struct ptx_function *f)
{
    for (size_t i = 0; i < f->n_ops; i++)
        for (unsigned k = 0; k < f->ops[i].n_operands; k++)
            if (!resolve_operand(l, f, &f->ops[i], &f->ops[i].operands[k]))
                return false;
    return true;
}

/* ---- local memory and parameters ---- */

static uint64_t place(struct ptx_var *vars, uint64_t at, bool kernel_params)
{
    for (struct ptx_var *v = vars; v; v = v->next) {
        if (v->space != PTX_M_LOCAL && v->space != PTX_M_PARAM)
            continue;
        at = round_up(at, v->align);
        v->offset = at;
        v->is_kernel_param = kernel_params;
        at += v->bytes;
    }
    return at;
}

static bool layout_function(struct linker *l, struct ptx_function *f)
{
    uint64_t params = f->is_entry ? place(f->params, 0, true) : 0;
    uint64_t bytes = f->is_entry ? 0 : place(f->params, 0, false);
    bytes = place(f->returns, bytes, false);
    bytes = round_up(place(f->vars, bytes, false), 16);
    if (bytes > 1u << 26 || params > 1u << 20) {
        strata_fail(l->err, STRATA_ELIMIT, f->unit->name, f->line, 0,
                    "function \"%s\" needs %llu bytes of local memory and %llu of parameters",
                    l->m->ast.names.text[f->name], (unsigned long long)bytes,
                    (unsigned long long)params);
        return false;
    }
    f->local_bytes = (uint32_t)bytes;
    f->param_bytes = (uint32_t)params;
    return true;
}

/* ---- module variables ---- */

static bool borrow_variable(const struct ptx_module *m, struct ptx_var *v)
{
    const struct strata_symbol *s =
        m->beside ? strata_module_symbol_find(m->beside, m->ast.names.text[v->name]) : NULL;
    if (!s || s->bytes != v->bytes)
        return false;
    v->offset = (uint64_t)(uintptr_t)s->address;
    v->is_borrowed = true;
    return true;
}

static bool place_variable(struct linker *l, struct ptx_var *v)
{
    struct ptx_module *m = l->m;
    if ((v->space != PTX_M_GLOBAL && v->space != PTX_M_CONST) || v->same != v || v->is_extern)
        return true;
    if (borrow_variable(m, v))
        return true;
    uint64_t bytes = v->bytes ? v->bytes : 1;
    void *memory =
        m->base.memory.allocate(m->base.memory.user, bytes, v->align < 16 ? 16 : v->align);
    if (!memory || !ARRAY_RESERVE(m->base.symbols, m->base.n_symbols, m->base.cap_symbols, 1)) {
        if (memory)
            m->base.memory.release(m->base.memory.user, memory);
        strata_fail(l->err, STRATA_ENOMEM, v->unit->name, v->line, 0,
                    "no device memory for variable \"%s\" of %llu bytes",
                    m->ast.names.text[v->name], (unsigned long long)bytes);
        return false;
    }
    memset(memory, 0, bytes);
    v->offset = (uint64_t)(uintptr_t)memory;
    m->base.symbols[m->base.n_symbols++] = (struct strata_symbol){
        .name = m->ast.names.text[v->name],
        .address = memory,
        .bytes = v->bytes,
        .is_const = v->space == PTX_M_CONST,
        .is_managed = v->is_managed,
    };
    return true;
}

static bool apply_value(struct linker *l, struct ptx_var *v, const struct ptx_init_value *value)
{
    uint64_t bits = value->value;
    if (value->symbol != PTX_NO_NAME) {
        struct name_entry *found = &l->unit[value->symbol];
        if (found->function) {
            found->function->same->address_taken = !found->function->same->is_entry;
            bits += STRATA_CODE_WINDOW + 16ull * found->function->same->id;
        } else if (found->var) {
            bits += found->var->same->offset;
        } else {
            strata_fail(l->err, STRATA_EFORMAT, v->unit->name, value->line, 0,
                        "the initialiser of \"%s\" names \"%s\", which is not declared",
                        l->m->ast.names.text[v->name], l->m->ast.names.text[value->symbol]);
            return false;
        }
        if (value->picks_bytes)
            bits >>= value->shift;
    }
    if (value->offset_bytes + value->bytes <= v->bytes)
        memcpy((uint8_t *)(uintptr_t)v->offset + value->offset_bytes, &bits, value->bytes);
    return true;
}

static bool apply_initialisers(struct linker *l, struct ptx_var *vars)
{
    for (struct ptx_var *v = vars; v; v = v->next) {
        if (v->same != v || !v->offset || v->is_borrowed)
            continue;
        for (const struct ptx_init_value *value = v->init; value; value = value->next)
            if (!apply_value(l, v, value))
                return false;
    }
    return true;
}

static bool place_unit(struct linker *l, struct ptx_unit *unit)
{
    for (struct ptx_var *v = unit->vars; v; v = v->next)
        if (!place_variable(l, v))
            return false;
    for (struct ptx_function *f = unit->functions; f; f = f->next)
        for (struct ptx_var *v = f->vars; v; v = v->next)
            if (!place_variable(l, v))
                return false;
    return true;
}

/* ---- all of it ---- */

static bool number_functions(struct linker *l)
{
    struct ptx_module *m = l->m;
    for (struct ptx_unit *u = m->ast.units; u; u = u->next)
        for (struct ptx_function *f = u->functions; f; f = f->next) {
            if (!ARRAY_RESERVE(m->functions, m->n_functions, m->cap_functions, 1))
                return false;
            f->id = (uint32_t)m->n_functions;
            /* Device libraries carry code for what the emulator does itself, for a driver of
             * theirs. */
            f->has_body &= !ptx_builtin(m->ast.names.text[f->name]);
            m->functions[m->n_functions++] = f;
        }
    return true;
}

static bool link_unit(struct linker *l, struct ptx_unit *unit)
{
    bool ok = true;
    collect_unit(l, unit);
    for (struct ptx_function *f = unit->functions; ok && f; f = f->next)
        ok = resolve_function(l, f) && layout_function(l, f);
    ok = ok && apply_initialisers(l, unit->vars);
    for (struct ptx_function *f = unit->functions; ok && f; f = f->next)
        ok = apply_initialisers(l, f->vars);
    forget_unit(l, unit);
    return ok;
}

static bool link_all(struct linker *l)
{
    bool ok = true;
    for (struct ptx_unit *u = l->m->ast.units; u; u = u->next)
        collect_global(l, u);
    for (struct ptx_unit *u = l->m->ast.units; u; u = u->next) {
        collect_unit(l, u);
        find_definitions(l, u);
        forget_unit(l, u);
    }
    for (struct ptx_unit *u = l->m->ast.units; ok && u; u = u->next)
        ok = place_unit(l, u);
    for (struct ptx_unit *u = l->m->ast.units; ok && u; u = u->next)
        ok = link_unit(l, u);
    return ok;
}

strata_status ptx_link(struct ptx_module *m, struct strata_error *err)
{
    struct strata_error local = {.status = STRATA_OK};
    struct linker l = {.m = m, .err = &local, .n_names = m->ast.names.n};
    l.unit = calloc(l.n_names + 1, sizeof *l.unit);
    l.global = calloc(l.n_names + 1, sizeof *l.global);
    bool ok = l.unit && l.global && number_functions(&l) && link_all(&l);
    free(l.unit);
    free(l.global);
    if (ok)
        return STRATA_OK;
    if (local.status == STRATA_OK)
        return strata_no_memory(err, NULL, "to link PTX");
    if (err)
        *err = local;
    return local.status;
}
