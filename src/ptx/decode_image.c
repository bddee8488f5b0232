/* decode_image.c - decoding a whole kernel: the functions it reaches, shared memory, frames. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/device_calls.h"
#include "ptx/decode.h"
#include "ptx/rare_code.h"
#include "ptx/unrolled.h"
#include "ptx/whole_loops.h"

/* ---- which functions belong to the image ---- */

static bool reach(struct ptx_image *image, struct ptx_function *f)
{
    if (!f->has_body || image->function_of_id[f->id])
        return true;
    if (!ARRAY_RESERVE(image->functions, image->n_functions, image->cap_functions, 1))
        return false;
    image->functions[image->n_functions] = (struct ptx_code_function){.ast = f};
    image->function_of_id[f->id] = (uint32_t)++image->n_functions;
    return true;
}

static bool is_indirect_call(const struct ptx_op *op)
{
    if (op->mnemonic != PTX_OP_call)
        return false;
    for (unsigned i = 0; i < op->n_operands; i++)
        if (op->operands[i].kind == PTX_OPERAND_FUNC)
            return false;
    return true;
}

typedef bool operand_visitor(void *user, const struct ptx_operand *o);

static bool visit_operands(const struct ptx_operand *o, unsigned n, operand_visitor *visit,
                           void *user)
{
    for (unsigned i = 0; i < n; i++) {
        if (!visit(user, &o[i]))
            return false;
        bool nested = o[i].kind == PTX_OPERAND_VECTOR || o[i].kind == PTX_OPERAND_LIST ||
                      o[i].kind == PTX_OPERAND_ADDRESS || o[i].kind == PTX_OPERAND_PAIR;
        if (nested && !visit_operands(o[i].u.children, o[i].n_children, visit, user))
            return false;
    }
    return true;
}

static bool reach_operand(void *user, const struct ptx_operand *o)
{
    /* The address of a kernel is taken to launch it, not to call it. */
    return o->kind != PTX_OPERAND_FUNC || o->u.func->same->is_entry || reach(user, o->u.func->same);
}

static bool reach_all(struct ptx_decoder *d)
{
    struct ptx_image *image = d->image;
    if (!reach(image, image->entry))
        return ptx_dec_no_memory(d);
    for (size_t i = 0; i < image->n_functions; i++) {
        const struct ptx_function *f = image->functions[i].ast;
        for (size_t k = 0; k < f->n_ops; k++) {
            const struct ptx_op *op = &f->ops[k];
            if (!visit_operands(op->operands, op->n_operands, reach_operand, image))
                return ptx_dec_no_memory(d);
            image->has_indirect_calls |= is_indirect_call(op);
        }
        for (size_t k = 0; image->has_indirect_calls && k < d->m->n_functions; k++)
            if (d->m->functions[k]->address_taken && !reach(image, d->m->functions[k]))
                return ptx_dec_no_memory(d);
    }
    return true;
}

/* ---- shared memory ---- */

struct shared_layout {
    struct ptx_image *image;
    uint32_t align; /* of the dynamic part */
    bool place_dynamic;
    uint64_t total;
};

#define NOT_PLACED UINT64_MAX

static bool place_shared(void *user, const struct ptx_operand *o)
{
    struct shared_layout *l = user;
    if (o->kind != PTX_OPERAND_VAR || o->u.var->same->space != PTX_M_SHARED)
        return true;
    struct ptx_var *var = o->u.var->same->same;
    bool dynamic = var->is_extern || var->unsized;
    if (dynamic && !l->place_dynamic) {
        var->offset = NOT_PLACED;
        l->image->uses_dynamic_shared = true;
        if (var->align > l->align)
            l->align = var->align;
    } else if (dynamic) {
        var->offset = l->image->base.shared_bytes;
    } else if (!l->place_dynamic && var->offset == NOT_PLACED) {
        l->total = round_up(l->total, var->align);
        var->offset = l->total;
        l->total += var->bytes;
    }
    return true;
}

static bool unplace_shared(void *user, const struct ptx_operand *o)
{
    (void)user;
    if (o->kind == PTX_OPERAND_VAR && o->u.var->same->space == PTX_M_SHARED)
        o->u.var->same->same->offset = NOT_PLACED;
    return true;
}

static void each_operand(struct ptx_image *image, operand_visitor *visit, void *user)
{
    for (size_t i = 0; i < image->n_functions; i++) {
        const struct ptx_function *f = image->functions[i].ast;
        for (size_t k = 0; k < f->n_ops; k++)
            visit_operands(f->ops[k].operands, f->ops[k].n_operands, visit, user);
    }
}

/* The system's part comes first; kernels that do not ask for it are not given any. */
static bool reserve_shared(void *user, const struct ptx_operand *o)
{
    struct ptx_decoder *d = user;
    if (o->kind == PTX_OPERAND_SREG &&
        !strncmp(d->m->ast.names.text[o->u.name], "%reserved_smem_", 15))
        d->image->shared_reserved_bytes = EMU_SHARED_RESERVED_BYTES;
    return true;
}

/* Variables in the order of their first use, the dynamic array behind them. */
static bool layout_shared(struct ptx_decoder *d)
{
    struct shared_layout l = {.image = d->image, .align = 16};
    each_operand(d->image, unplace_shared, NULL);
    each_operand(d->image, reserve_shared, d);
    l.total = d->image->shared_reserved_bytes;
    each_operand(d->image, place_shared, &l);
    if (l.total > 1u << 30)
        return ptx_dec_fail(d, STRATA_ELIMIT, "it declares more than 1 GiB of shared memory");
    d->image->base.shared_bytes = (uint32_t)l.total;
    if (d->image->uses_dynamic_shared)
        d->image->base.shared_bytes = (uint32_t)round_up(l.total, l.align);
    l.place_dynamic = true;
    each_operand(d->image, place_shared, &l);
    return true;
}

/* ---- one function ---- */

static bool decode_op(struct ptx_decoder *d)
{
    switch (d->op->mnemonic) {
    case PTX_OP_and:
    case PTX_OP_or:
    case PTX_OP_xor:
    case PTX_OP_not:
    case PTX_OP_cnot:
    case PTX_OP_shl:
    case PTX_OP_shr:
    case PTX_OP_shf:
    case PTX_OP_bfe:
    case PTX_OP_bfi:
    case PTX_OP_bfind:
    case PTX_OP_bmsk:
    case PTX_OP_brev:
    case PTX_OP_clz:
    case PTX_OP_popc:
    case PTX_OP_prmt:
    case PTX_OP_lop3:
    case PTX_OP_dp4a:
    case PTX_OP_dp2a:
    case PTX_OP_fns:
    case PTX_OP_szext:
    case PTX_OP_setp:
    case PTX_OP_set:
    case PTX_OP_selp:
    case PTX_OP_slct:
    case PTX_OP_testp:
        return ptx_decode_logic(d);
    case PTX_OP_mov:
    case PTX_OP_cvt:
    case PTX_OP_cvta:
    case PTX_OP_isspacep:
    case PTX_OP_activemask:
        return ptx_decode_move(d);
    case PTX_OP_mapa:
    case PTX_OP_getctarank:
    case PTX_OP_mbarrier:
    case PTX_OP_tensormap:
        return ptx_decode_async(d);
    case PTX_OP_wgmma:
        return ptx_decode_wgmma(d);
    case PTX_OP_multimem:
        return ptx_dec_unsupported(d, "memory of several GPUs");
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_cp:
    case PTX_OP_prefetch:
    case PTX_OP_prefetchu:
    case PTX_OP_membar:
    case PTX_OP_fence:
    case PTX_OP_discard:
    case PTX_OP_applypriority:
    case PTX_OP_createpolicy:
        return ptx_decode_memory(d);
    case PTX_OP_bra:
    case PTX_OP_brx:
    case PTX_OP_call:
    case PTX_OP_ret:
    case PTX_OP_exit:
    case PTX_OP_trap:
    case PTX_OP_brkpt:
    case PTX_OP_bar:
    case PTX_OP_barrier:
    case PTX_OP_nanosleep:
    case PTX_OP_pmevent:
    case PTX_OP_griddepcontrol:
    case PTX_OP_setmaxnreg:
        return ptx_decode_flow(d);
    case PTX_OP_shfl:
    case PTX_OP_vote:
    case PTX_OP_match:
    case PTX_OP_redux:
    case PTX_OP_elect:
        return ptx_decode_warp(d);
    case PTX_OP_wmma:
    case PTX_OP_mma:
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix:
    case PTX_OP_movmatrix:
        return ptx_decode_matrix(d);
    case PTX_OP_tex:
    case PTX_OP_tld4:
    case PTX_OP_txq:
        return ptx_decode_texture(d);
    default:
        return ptx_decode_arith(d);
    }
}

static bool check_modifiers(struct ptx_decoder *d)
{
    for (unsigned i = 0; i < d->op->n_modifiers; i++)
        if (!(d->taken >> i & 1))
            return ptx_dec_fail(
                d, STRATA_EUNSUPPORTED,
                "instruction \"%s\" is not supported: modifier \".%s\" is unknown here",
                d->op->text, ptx_modifier_name(d->op->modifier[i]));
    return true;
}

static void count_read(void *user, uint32_t reg)
{
    struct ptx_decoder *d = user;
    d->reg_reads[reg]++;
}

/* ---- frames ----
 *
 * PTX never uses a register twice, so a frame with a place for each would be large and cold. Two
 * registers of one size share a place if the stretches of text they live in do not touch. That
 * holds for diverged lanes too: writes are masked, and each lane by itself is a thread of this
 * text. */

/* Registers of one size, in the order they begin (or end) to live. */
struct by_op {
    uint32_t *start; /* by op: first place in `reg`; n_ops + 1 entries */
    uint32_t *reg;
};

static bool sort_by_op(const struct ptx_function *f, const uint32_t *op_of, unsigned lanes,
                       struct by_op *out)
{
    uint32_t n_ops = (uint32_t)f->n_ops;
    out->start = calloc(n_ops + 2, sizeof *out->start);
    out->reg = malloc((f->n_regs + 1) * sizeof *out->reg);
    if (!out->start || !out->reg)
        return false;
    for (uint32_t r = 0; r < f->n_regs; r++)
        if (ptx_lane_bytes(f->reg_type[r]) == lanes)
            out->start[op_of[r] + 2]++;
    for (uint32_t i = 1; i < n_ops + 2; i++)
        out->start[i] += out->start[i - 1];
    for (uint32_t r = 0; r < f->n_regs; r++)
        if (ptx_lane_bytes(f->reg_type[r]) == lanes)
            out->reg[out->start[op_of[r] + 1]++] = r;
    return true;
}

static bool share_places(struct ptx_decoder *d, const struct ptx_liveness *live, unsigned lanes,
                         uint64_t *bytes)
{
    const struct ptx_function *f = d->f;
    struct by_op begins = {0}, ends = {0};
    uint32_t *free_refs = malloc((f->n_regs + 1) * sizeof *free_refs), n_free = 0;
    bool ok = free_refs && sort_by_op(f, live->first, lanes, &begins) &&
              sort_by_op(f, live->last, lanes, &ends);
    for (uint32_t op = 0; ok && op < f->n_ops; op++) {
        for (uint32_t i = begins.start[op]; i < begins.start[op + 1]; i++) {
            uint32_t *ref = &d->reg_ref[begins.reg[i]];
            if (n_free) {
                *ref = free_refs[--n_free];
                continue;
            }
            *ref = PTX_REF(PTX_BANK_REG, *bytes);
            *bytes += lanes * EMU_LANES;
        }
        for (uint32_t i = ends.start[op]; i < ends.start[op + 1]; i++)
            free_refs[n_free++] = d->reg_ref[ends.reg[i]];
    }
    free(free_refs);
    free(begins.start);
    free(begins.reg);
    free(ends.start);
    free(ends.reg);
    return ok;
}

static void own_places(struct ptx_decoder *d, unsigned lanes, uint64_t *bytes)
{
    for (uint32_t i = 0; i < d->f->n_regs; i++) {
        if (ptx_lane_bytes(d->f->reg_type[i]) != lanes)
            continue;
        d->reg_ref[i] = PTX_REF(PTX_BANK_REG, *bytes);
        *bytes += lanes ? lanes * EMU_LANES : 4;
    }
}

/* Predicates first, then lanes of 4 and of 8 bytes. */
static bool layout_registers(struct ptx_decoder *d)
{
    const struct ptx_function *f = d->f;
    struct ptx_liveness live;
    d->reg_ref = malloc((f->n_regs + 1) * sizeof *d->reg_ref);
    d->reg_reads = calloc(f->n_regs + 1, sizeof *d->reg_reads);
    if (!d->reg_ref || !d->reg_reads)
        return ptx_dec_no_memory(d);
    d->carry_ref = PTX_REF(PTX_BANK_REG, 0);
    uint64_t bytes = 4;
    own_places(d, 0, &bytes);
    bool known = ptx_liveness_find(f, d->cfg, d->forms.same, &live), ok = true;
    d->live_registers = known ? live.most : 255;
    for (unsigned lanes = 4; ok && lanes <= 8; lanes += 4) {
        bytes = round_up(bytes, 64);
        if (known)
            ok = share_places(d, &live, lanes, &bytes);
        else
            own_places(d, lanes, &bytes);
    }
    d->alive = live.at_begin;
    live.at_begin = NULL;
    ptx_liveness_release(&live);
    if (!ok)
        return ptx_dec_no_memory(d);
    if (bytes > 1u << 28)
        return ptx_dec_fail(d, STRATA_ELIMIT, "it uses too many registers");
    d->frame_bytes = (uint32_t)bytes;
    for (size_t i = 0; i < f->n_ops; i++)
        ptx_op_visit(&f->ops[i], count_read, NULL, d);
    for (unsigned class = 0; class < 3; class ++)
        for (unsigned i = 0; i < PTX_MAX_TEMPS; i++)
            d->temps[class][i] = PTX_NO_REF;
    return true;
}

static bool decode_ops(struct ptx_decoder *d)
{
    for (uint32_t i = 0; i < d->f->n_ops; i++) {
        d->op = &d->f->ops[i];
        d->op_index = i;
        d->taken = 0;
        d->n_widening = 0;
        d->n_temps[0] = d->n_temps[1] = d->n_temps[2] = 0;
        d->op_pc[i] = (uint32_t)d->image->n_code;
        if (!decode_op(d) || !check_modifiers(d))
            return false;
    }
    return true;
}

/* The one place where a function ends: lanes that return meet here. It stands for the last ret. */
static bool put_return(struct ptx_decoder *d)
{
    d->op_pc[d->f->n_ops] = (uint32_t)d->image->n_code;
    d->op = NULL;
    for (size_t i = d->f->n_ops; i-- > 0 && !d->op;)
        if (d->f->ops[i].mnemonic == PTX_OP_ret && d->f->ops[i].guard == PTX_NO_REG)
            d->op = &d->f->ops[i], d->op_index = (uint32_t)i;
    struct ptx_inst in = ptx_dec_inst(d, NULL, PTX_RETURN);
    return d->op ? ptx_dec_put_main(d, &in) : ptx_dec_put(d, &in);
}

/* Targets are op numbers while a function is being decoded. */
static void patch_branches(struct ptx_decoder *d, size_t first)
{
    uint32_t n_ops = (uint32_t)d->f->n_ops;
    for (size_t i = first; i < d->image->n_code; i++) {
        struct ptx_inst *in = &d->image->code[i];
        if (in->flow != PTX_BRANCH && in->flow != PTX_BRANCH_INDEXED)
            continue;
        uint32_t block = d->cfg->join[d->cfg->block_of[in->join]];
        in->join = d->op_pc[block < d->cfg->n_blocks ? d->cfg->first[block] : n_ops];
        if (in->flow == PTX_BRANCH) {
            in->target = d->op_pc[in->target];
            continue;
        }
        const uint32_t *ops = in->extra;
        uint32_t *targets = ptx_dec_allocate(d, (size_t)in->imm * sizeof *targets);
        for (int64_t k = 0; targets && k < in->imm; k++)
            targets[k] = d->op_pc[ops[k]];
        in->extra = targets;
    }
}

static bool describe_params(struct ptx_decoder *d, const struct ptx_var *vars,
                            struct ptx_copy **out, uint32_t *n)
{
    for (const struct ptx_var *v = vars; v; v = v->next)
        ++*n;
    *out = ptx_dec_allocate(d, (*n + 1) * sizeof **out);
    if (!*out)
        return false;
    uint32_t i = 0;
    for (const struct ptx_var *v = vars; v; v = v->next)
        (*out)[i++] =
            (struct ptx_copy){(uint32_t)v->offset, (uint32_t)v->offset, (uint32_t)v->bytes};
    return true;
}

/* What ptxas keeps for itself, and what it uses where loops are unrolled: of the 24 such kernels of
 * the example suite 19 have 28 to 34 registers (13.0, sm_90), with which all warps of an SM still
 * fit.
 */
enum { OWN_REGISTERS = 4, UNROLLED_REGISTERS = 32 - OWN_REGISTERS };

static bool decode_function(struct ptx_decoder *d, uint32_t index)
{
    struct ptx_cfg cfg;
    size_t first = d->image->n_code;
    d->f = d->image->functions[index].ast;
    d->function_index = index;
    d->op = NULL;
    if (!ptx_whole_loops_unroll(&d->m->ast.pool, &d->m->ast.names, d->image->functions[index].ast))
        return ptx_dec_no_memory(d);
    d->op_pc = malloc((d->f->n_ops + 1) * sizeof *d->op_pc);
    if (!d->op_pc || !ptx_cfg_build(d->f, &cfg)) {
        free(d->op_pc);
        return ptx_dec_no_memory(d);
    }
    d->cfg = &cfg;
    bool ok =
        ptx_forms_find(d->f, &cfg, &d->m->ast.names, index == 0, &d->forms) || ptx_dec_no_memory(d);
    ok = ok && layout_registers(d) && decode_ops(d) && put_return(d);
    if (ok)
        patch_branches(d, first);
    if (ok && d->live_registers < UNROLLED_REGISTERS && ptx_has_unrolled_loop(d->f, &cfg))
        d->live_registers = UNROLLED_REGISTERS;
    if (index == 0 || d->live_registers > d->image->registers_estimate)
        d->image->registers_estimate = d->live_registers;
    struct ptx_code_function *f = &d->image->functions[index];
    f->first = (uint32_t)first;
    f->n = (uint32_t)(d->image->n_code - first);
    f->frame_bytes = (d->frame_bytes + 63) & ~63u;
    f->local_bytes = d->f->local_bytes;
    d->reg_base += d->f->n_regs;
    d->image->n_ops += (uint32_t)d->f->n_ops;
    ok = ok && d->status == STRATA_OK;
    if (ok && index)
        ok = describe_params(d, d->f->params, &f->params, &f->n_params) &&
             describe_params(d, d->f->returns, &f->returns, &f->n_returns);
    ptx_cfg_release(&cfg);
    ptx_forms_release(&d->forms);
    free(d->op_pc);
    free(d->alive);
    free(d->reg_ref);
    free(d->reg_reads);
    d->alive = NULL;
    d->reg_ref = d->reg_reads = d->op_pc = NULL;
    return ok;
}

/* ---- how deep calls go ---- */

struct depth {
    struct ptx_image *image;
    uint32_t *bytes; /* by function, 0 = not known */
    uint8_t *open;
};

static uint32_t call_depth(struct depth *s, uint32_t function)
{
    const struct ptx_code_function *f = &s->image->functions[function];
    uint32_t deepest = 0;
    if (s->bytes[function])
        return s->bytes[function];
    if (s->open[function]) {
        s->image->base.recursive = true;
        return 0;
    }
    s->open[function] = 1;
    for (uint32_t i = f->first; i < f->first + f->n; i++) {
        const struct ptx_inst *in = &s->image->code[i];
        if (in->flow != PTX_CALL || ((const struct ptx_call *)in->extra)->builtin)
            continue;
        bool indirect = in->target == EMU_NO_INDEX;
        for (uint32_t g = indirect ? 1 : in->target; g < s->image->n_functions; g++) {
            if (!indirect || s->image->functions[g].ast->address_taken) {
                uint32_t depth = call_depth(s, g);
                deepest = depth > deepest ? depth : deepest;
            }
            if (!indirect)
                break;
        }
    }
    s->open[function] = 0;
    s->bytes[function] = f->local_bytes + deepest;
    return s->bytes[function];
}

static bool measure_stack(struct ptx_decoder *d)
{
    struct depth s = {d->image, calloc(d->image->n_functions, sizeof *s.bytes),
                      calloc(d->image->n_functions, 1)};
    bool ok = s.bytes && s.open;
    if (ok)
        d->image->base.stack_bytes = call_depth(&s, 0);
    free(s.bytes);
    free(s.open);
    return ok || ptx_dec_no_memory(d);
}

/* ---- the image ---- */

/* ptxas gives out registers in eights and keeps a few for itself. */
static uint32_t rounded_estimate(uint32_t live)
{
    uint32_t n = (live + OWN_REGISTERS + 7) & ~7u;
    return n < 16 ? 16 : n > 255 ? 255 : n;
}

strata_status ptx_decode(struct ptx_module *m, struct ptx_function *entry, struct ptx_image *image,
                         struct strata_error *err)
{
    struct ptx_decoder d = {.m = m, .image = image, .err = err, .f = entry};
    image->entry = entry;
    image->base.name = m->ast.names.text[entry->name];
    image->base.file = entry->unit->name;
    image->n_ids = (uint32_t)m->n_functions;
    image->function_of_id = calloc(m->n_functions + 1, sizeof *image->function_of_id);
    bool ok = image->function_of_id ? true : ptx_dec_no_memory(&d);
    ok = ok && reach_all(&d) && layout_shared(&d);
    for (uint32_t i = 0; ok && i < image->n_functions; i++)
        ok = decode_function(&d, i);
    ok = ok && measure_stack(&d);
    if (ok && !ptx_rare_describe(image))
        ok = ptx_dec_no_memory(&d);
    if (ok && image->calls_driver && !emu_calls_describe(&image->base, STRATA_ISA_PTX))
        ptx_dec_no_memory(&d);
    image->registers_estimate = rounded_estimate(image->registers_estimate);
    free(d.constant_slots);
    free(d.constants);
    return d.status;
}

void ptx_image_release(struct ptx_image *image)
{
    for (size_t i = 0; i < image->base.n_statics; i++)
        ; /* opcode texts belong to the module's pool */
    emu_image_release_record(&image->base);
    free(image->code);
    free(image->functions);
    free(image->function_of_id);
    free(image->constants);
    free(image->base.statics);
    memset(image, 0, sizeof *image);
}
