/* parameter_loads.c - read off what ptxas 13.0 makes of the example suite for sm_90.
 *
 * An address among the parameters is loaded in the block that first uses it, often behind the
 * branch around all work, and not again; one that a loop is the first to use before that loop, if
 * it has no other in it (of a loop around another nothing is moved out). What a product is added to
 * (IMAD.WIDE) or what is an address itself is loaded to registers by LDC, all else by ULDC to
 * uniform ones. */
#include "ptx/parameter_loads.h"

#include <stdlib.h>

#include <strata/trace.h>

#include "ptx/unrolled.h"

static bool is_parameter(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_ld && ptx_op_has(op, PTX_M_PARAM) && op->guard == PTX_NO_REG &&
           op->n_operands == 2 && op->operands[0].kind == PTX_OPERAND_REG &&
           ptx_type_bytes(ptx_op_type(op)) == 8;
}

struct asked {
    const struct ptx_forms *forms;
    uint32_t reg;
    bool found;
};

static void ask(void *user, uint32_t reg)
{
    struct asked *a = user;
    a->found |= a->forms->same[reg] == a->reg;
}

static bool reads(const struct ptx_forms *forms, const struct ptx_op *op, uint32_t reg)
{
    struct asked a = {forms, reg, false};
    ptx_op_visit(op, ask, NULL, &a);
    return a.found;
}

static bool written_again(const struct ptx_function *f, const struct ptx_forms *forms, uint32_t i)
{
    struct asked a = {forms, f->ops[i].operands[0].u.reg, false};
    for (uint32_t k = 0; k < f->n_ops; k++)
        if (k != i && !forms->folded[k])
            ptx_op_visit(&f->ops[k], NULL, ask, &a);
    return a.found;
}

/* The first op behind op i that has a record and reads its result, or 0. */
static uint32_t first_reader(const struct ptx_function *f, const struct ptx_forms *forms,
                             uint32_t i)
{
    for (uint32_t k = i + 1; k < f->n_ops; k++)
        if (!forms->folded[k] && reads(forms, &f->ops[k], f->ops[i].operands[0].u.reg))
            return k;
    return 0;
}

/* The beginning of the innermost loop around op i, if that does not begin before `least`, or op i.
 */
static uint32_t before_loop(const struct ptx_function *f, uint32_t i, uint32_t least)
{
    struct ptx_loop l;
    return ptx_innermost_loop_around(f, i, &l) && l.first > least ? l.first : i;
}

static bool is_address_or_product(const struct ptx_forms *forms, const struct ptx_op *op,
                                  uint32_t at)
{
    const struct ptx_form_part *parts = forms->parts[at];
    return op->mnemonic == PTX_OP_ld || op->mnemonic == PTX_OP_st || op->mnemonic == PTX_OP_atom ||
           op->mnemonic == PTX_OP_red ||
           (parts && parts[0].opclass == STRATA_OP_IMAD && !parts[1].n);
}

static void place(const struct ptx_function *f, const struct ptx_cfg *cfg, struct ptx_forms *out,
                  uint32_t i)
{
    uint32_t reader = first_reader(f, out, i);
    out->folded[i] = 1;
    if (!reader)
        return;
    uint32_t at = before_loop(f, reader, i);
    if (at != reader) /* the last op before the loop that has a record */
        do
            at--;
        while (at > i && out->folded[at]);
    if (cfg->block_of[at] == cfg->block_of[i]) {
        out->folded[i] = 0;
        return;
    }
    out->load[out->n_loads] = (struct ptx_parameter_load){
        .reg = f->ops[i].operands[0].u.reg,
        .opclass = is_address_or_product(out, &f->ops[reader], reader) ? STRATA_OP_CONST
                                                                       : STRATA_OP_UNIFORM,
        .next = out->loads_before[at]};
    out->loads_before[at] = ++out->n_loads;
}

bool ptx_parameters_place(const struct ptx_function *f, const struct ptx_cfg *cfg,
                          struct ptx_forms *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_ops; i++)
        n += is_parameter(&f->ops[i]);
    out->load = malloc((n + 1) * sizeof *out->load);
    for (uint32_t i = 0; out->load && i < f->n_ops; i++)
        if (is_parameter(&f->ops[i]) && !out->folded[i] && !written_again(f, out, i))
            place(f, cfg, out, i);
    return out->load;
}
