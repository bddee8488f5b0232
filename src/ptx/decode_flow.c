/* decode_flow.c - branches, calls, barriers, and the end of threads. */
#include <string.h>

#include "ptx/decode.h"

/* ---- branches ---- */

static bool decode_bra(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, NULL, PTX_BRANCH);
    const struct ptx_operand *o = ptx_dec_operand(d, 0);
    ptx_dec_has(d, PTX_M_UNI);
    if (o->kind != PTX_OPERAND_LABEL)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"bra\" to a label that is not there");
    in.target = o->u.label;
    in.join = d->op_index;
    return ptx_dec_put_main(d, &in);
}

/* brx.idx %r, table; */
static bool decode_brx(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, NULL, PTX_BRANCH_INDEXED);
    const struct ptx_operand *table = ptx_dec_operand(d, 1);
    ptx_dec_has(d, PTX_M_UNI);
    ptx_dec_has(d, PTX_M_IDX);
    if (table->kind != PTX_OPERAND_TARGETS)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"brx\" without a table of labels");
    uint32_t *ops = ptx_dec_allocate(d, (table->n_children + 1) * sizeof *ops);
    if (!ops)
        return false;
    for (unsigned i = 0; i < table->n_children; i++) {
        if (table->u.children[i].kind != PTX_OPERAND_LABEL)
            return ptx_dec_fail(d, STRATA_EFORMAT, "\"brx\" to a label that is not there");
        ops[i] = table->u.children[i].u.label;
    }
    in.extra = ops;
    in.imm = table->n_children;
    in.join = d->op_index;
    return ptx_dec_source_n(d, 0, PTX_U32, &in.a) && ptx_dec_put_main(d, &in);
}

/* All lanes return at the end of the function: an unguarded ret is a silent jump there, and the
 * end is what is recorded; a guarded one is an instruction of its own. */
static bool decode_ret(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, NULL, PTX_BRANCH);
    ptx_dec_has(d, PTX_M_UNI);
    in.target = (uint32_t)d->f->n_ops;
    in.join = d->op_index;
    return d->op->guard == PTX_NO_REG ? ptx_dec_put(d, &in) : ptx_dec_put_main(d, &in);
}

static void run_trap(struct ptx_warp *w, const struct ptx_inst *in, uint32_t mask)
{
    emu_fail(&w->base, &in->site, (unsigned)__builtin_ctz(mask), STRATA_EFORMAT,
             "it executed a trap");
}

/* ---- calls ---- */

struct call_parts {
    const struct ptx_operand *results, *target, *args, *proto;
};

/* call (results), target, (args), prototype; every part but the target may be absent. */
static bool split_call(struct ptx_decoder *d, struct call_parts *parts)
{
    memset(parts, 0, sizeof *parts);
    for (unsigned i = 0; i < d->op->n_operands; i++) {
        const struct ptx_operand *o = ptx_dec_operand(d, i);
        if (o->kind == PTX_OPERAND_LIST && !parts->target)
            parts->results = o;
        else if (o->kind == PTX_OPERAND_LIST)
            parts->args = o;
        else if (!parts->target)
            parts->target = o;
        else
            parts->proto = o;
    }
    return parts->target ? true : ptx_dec_fail(d, STRATA_EFORMAT, "a call without a target");
}

static bool describe_passing(struct ptx_decoder *d, const struct ptx_operand *list,
                             struct ptx_copy **out, uint32_t *n)
{
    *n = list ? list->n_children : 0;
    *out = ptx_dec_allocate(d, (*n + 1) * sizeof **out);
    if (!*out)
        return false;
    for (uint32_t i = 0; i < *n; i++) {
        const struct ptx_operand *o = &list->u.children[i];
        if (o->kind != PTX_OPERAND_VAR || o->u.var->space != PTX_M_PARAM ||
            o->u.var->is_kernel_param)
            return ptx_dec_unsupported(d, "it passes something else than .param variables");
        uint32_t offset = (uint32_t)o->u.var->offset;
        (*out)[i] = (struct ptx_copy){offset, offset, (uint32_t)o->u.var->bytes};
    }
    return true;
}

static bool decode_call(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, NULL, PTX_CALL);
    struct ptx_call *call = ptx_dec_allocate(d, sizeof *call);
    struct call_parts parts;
    ptx_dec_has(d, PTX_M_UNI);
    if (!call || !split_call(d, &parts))
        return false;
    if (!describe_passing(d, parts.results, &call->results, &call->n_results) ||
        !describe_passing(d, parts.args, &call->args, &call->n_args))
        return false;
    in.extra = call;
    in.join = d->op_index;
    if (parts.target->kind == PTX_OPERAND_FUNC) {
        const struct ptx_function *f = parts.target->u.func->same;
        const char *name = d->m->ast.names.text[f->name];
        if (f->has_body) {
            in.target = d->image->function_of_id[f->id] - 1;
        } else {
            call->builtin = ptx_builtin(name);
            in.run = ptx_run_builtin;
            d->image->calls_driver |= call->builtin && ptx_builtin_is_driver(call->builtin);
            if (call->builtin && ptx_builtin_allocates(call->builtin))
                d->image->base.talks_between_blocks = true;
            if (!call->builtin)
                return ptx_dec_fail(d, STRATA_EUNSUPPORTED,
                                    "it calls \"%s\", which is neither in the module nor provided",
                                    name);
        }
    } else if (!ptx_dec_source(d, parts.target, PTX_U64, &in.a)) {
        return false;
    }
    return ptx_dec_put_main(d, &in);
}

/* ---- barriers ---- */

static bool decode_warp_barrier(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_nothing, PTX_SYNC_STEP);
    ptx_dec_has(d, PTX_M_SYNC);
    in.n = 0; /* lanes may wait at different places for the same barrier */
    return ptx_dec_expect_operands(d, 1, 1) && ptx_dec_source_n(d, 0, PTX_U32, &in.e) &&
           ptx_dec_put_main(d, &in);
}

static bool decode_bar(struct ptx_decoder *d)
{
    static const uint8_t operations[] = {PTX_M_AND, PTX_M_OR, PTX_M_POPC, PTX_NONE};
    struct ptx_inst in = ptx_dec_inst(d, NULL, PTX_BARRIER);
    unsigned n = d->op->n_operands, first = 0;
    ptx_dec_has(d, PTX_M_CTA);
    ptx_dec_has(d, PTX_M_ALIGNED);
    if (ptx_dec_has(d, PTX_M_WARP))
        return decode_warp_barrier(d);
    if (ptx_dec_has(d, PTX_M_CLUSTER))
        return ptx_decode_async(d);
    bool red = ptx_dec_has(d, PTX_M_RED), arrive = ptx_dec_has(d, PTX_M_ARRIVE);
    ptx_dec_has(d, PTX_M_SYNC);
    in.n = arrive;
    if (red) { /* bar.red.op.type d, a[, b], p */
        in.op = (uint8_t)ptx_dec_one_of(d, operations);
        unsigned type = ptx_dec_type(d, 0);
        if (!in.op || !ptx_dec_expect_operands(d, 3, 4) || !ptx_dec_dest_n(d, 0, type, &in.d) ||
            !ptx_dec_source_n(d, n - 1, PTX_PRED, &in.c))
            return d->status == STRATA_OK ? ptx_dec_unsupported(d, "unknown reduction") : false;
        first = 1;
        n--;
    }
    if (n < first + 1 || n > first + 2)
        return ptx_dec_expect_operands(d, 1, 2);
    if (!ptx_dec_source_n(d, first, PTX_U32, &in.a))
        return false;
    if (n == first + 2 && !ptx_dec_source_n(d, first + 1, PTX_U32, &in.b))
        return false;
    return ptx_dec_put_main(d, &in);
}

/* ---- the rest ---- */

static bool decode_nothing(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_nothing, PTX_STEP);
    for (unsigned i = 0; i < d->op->n_modifiers; i++)
        d->taken |= 1u << i;
    return ptx_dec_put_main(d, &in);
}

bool ptx_decode_flow(struct ptx_decoder *d)
{
    struct ptx_inst in;
    switch (d->op->mnemonic) {
    case PTX_OP_bra:
        return decode_bra(d);
    case PTX_OP_brx:
        return decode_brx(d);
    case PTX_OP_call:
        return decode_call(d);
    case PTX_OP_ret:
        return decode_ret(d);
    case PTX_OP_exit:
        in = ptx_dec_inst(d, NULL, PTX_EXIT);
        return ptx_dec_put_main(d, &in);
    case PTX_OP_trap:
        in = ptx_dec_inst(d, run_trap, PTX_SPECIAL);
        return ptx_dec_put_main(d, &in);
    case PTX_OP_bar:
    case PTX_OP_barrier:
        return decode_bar(d);
    default:
        return decode_nothing(d); /* nanosleep, brkpt, pmevent, ... */
    }
}
