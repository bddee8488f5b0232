/* ptx_waiting.c - which ops ask in a loop until another block, or another warp, has answered; see
 * emulator/waiting.h. */
#include <string.h>

#include "emulator/waiting.h"
#include "ptx/decode.h"

struct code {
    const struct ptx_function *f;
    const struct ptx_names *names;
    bool shared; /* it asks in shared memory: a store there is work */
};

static void see_read(void *user, uint32_t reg)
{
    emu_step_reads(user, reg);
}

static void see_write(void *user, uint32_t reg)
{
    emu_step_writes(user, reg);
}

static bool is_shared(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_SHARED) || ptx_op_has(op, PTX_M_SHARED_CTA);
}

static bool is_of_thread(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_LOCAL) || ptx_op_has(op, PTX_M_PARAM);
}

static bool reads_clock(const struct code *c, const struct ptx_op *op)
{
    for (unsigned i = 0; i < op->n_operands; i++) {
        const struct ptx_operand *o = &op->operands[i];
        const char *name = o->kind == PTX_OPERAND_SREG ? c->names->text[o->u.name] : "";
        if (!strncmp(name, "%clock", 6) || !strncmp(name, "%globaltimer", 12))
            return true;
    }
    return false;
}

static enum emu_step_kind kind_of(const struct code *c, const struct ptx_op *op)
{
    switch (op->mnemonic) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        return ptx_op_has(op, PTX_M_PARAM) || ptx_op_has(op, PTX_M_CONST) ? EMU_STEP_PLAIN
                                                                          : EMU_STEP_READS;
    case PTX_OP_st:
        return is_of_thread(op) || (is_shared(op) && !c->shared) ? EMU_STEP_PLAIN : EMU_STEP_WORKS;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        return ptx_op_has(op, PTX_M_WARP) ? EMU_STEP_PLAIN : EMU_STEP_WORKS;
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_multimem:
    case PTX_OP_cp:
    case PTX_OP_mbarrier:
    case PTX_OP_tensormap:
    case PTX_OP_wgmma:
    case PTX_OP_brx:
    case PTX_OP_call:
    case PTX_OP_trap:
        return EMU_STEP_WORKS;
    default:
        return reads_clock(c, op) ? EMU_STEP_READS : EMU_STEP_PLAIN;
    }
}

/* Where a branch or an end leads to. */
static void follow(const struct ptx_op *op, struct emu_step *out)
{
    bool ends = op->mnemonic == PTX_OP_ret || op->mnemonic == PTX_OP_exit;
    if (!ends && op->mnemonic != PTX_OP_bra)
        return;
    if (!ends && (!op->n_operands || op->operands[0].kind != PTX_OPERAND_LABEL)) {
        out->kind = EMU_STEP_WORKS;
        return;
    }
    out->parts = out->guarded;
    out->to[1] = out->guarded ? out->to[0] : EMU_NOWHERE;
    out->to[0] = ends ? EMU_NOWHERE : op->operands[0].u.label;
}

static void step(const void *user, uint32_t at, struct emu_step *out)
{
    const struct code *c = user;
    if (at >= c->f->n_ops) {
        out->kind = EMU_STEP_WORKS;
        return;
    }
    const struct ptx_op *op = &c->f->ops[at];
    out->kind = (uint8_t)kind_of(c, op);
    out->guarded = op->guard != PTX_NO_REG;
    ptx_op_visit(op, see_read, see_write, out);
    follow(op, out);
}

static bool swaps(const struct ptx_op *op)
{
    return op->mnemonic == PTX_OP_atom && ptx_op_has(op, PTX_M_CAS);
}

bool ptx_dec_waits(struct ptx_decoder *d)
{
    struct code c = {d->f, &d->m->ast.names, false};
    struct emu_code code = {&c, step, false};
    if (is_shared(d->op) || is_of_thread(d->op) ||
        !(emu_code_waits_at(&code, d->op_index) ||
          (swaps(d->op) && emu_code_retries_at(&code, d->op_index))))
        return false;
    d->image->base.blocks_wait = d->image->base.loops_wait = true;
    return true;
}

bool ptx_dec_spins(struct ptx_decoder *d)
{
    struct code c = {d->f, &d->m->ast.names, true};
    struct emu_code code = {&c, step, true};
    if (!is_shared(d->op) || !emu_code_waits_at(&code, d->op_index))
        return false;
    d->image->base.warps_wait = true;
    return true;
}
