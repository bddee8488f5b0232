/* decode_mem.c - loads, stores, atomics, copies, fences. */
#include "ptx/decode.h"

static const uint8_t spaces[] = {
    PTX_M_GLOBAL,     PTX_M_SHARED,         PTX_M_LOCAL,       PTX_M_CONST,      PTX_M_PARAM,
    PTX_M_SHARED_CTA, PTX_M_SHARED_CLUSTER, PTX_M_PARAM_ENTRY, PTX_M_PARAM_FUNC, PTX_NONE};

static unsigned memory_space(struct ptx_decoder *d)
{
    unsigned space = ptx_dec_one_of(d, spaces);
    return space == PTX_M_SHARED_CTA || space == PTX_M_SHARED_CLUSTER ? PTX_M_SHARED
           : space == PTX_M_PARAM_ENTRY || space == PTX_M_PARAM_FUNC  ? PTX_M_PARAM
                                                                      : space;
}

/* Hints and orderings: they matter to the trace (see decode_static.c), not to one warp's result. */
void ptx_dec_take_hints(struct ptx_decoder *d)
{
    static const uint8_t hints[] = {
        PTX_M_CA,
        PTX_M_CG,
        PTX_M_CS,
        PTX_M_LU,
        PTX_M_CV,
        PTX_M_WB,
        PTX_M_WT,
        PTX_M_NC,
        PTX_M_VOLATILE,
        PTX_M_RELAXED,
        PTX_M_ACQUIRE,
        PTX_M_RELEASE,
        PTX_M_ACQ_REL,
        PTX_M_WEAK,
        PTX_M_SC,
        PTX_M_MMIO,
        PTX_M_CTA,
        PTX_M_CLUSTER,
        PTX_M_GPU,
        PTX_M_SYS,
        PTX_M_GL,
        PTX_M_UNIFIED,
        PTX_M_L1_EVICT_NORMAL,
        PTX_M_L1_EVICT_UNCHANGED,
        PTX_M_L1_EVICT_FIRST,
        PTX_M_L1_EVICT_LAST,
        PTX_M_L1_NO_ALLOCATE,
        PTX_M_L2_64B,
        PTX_M_L2_128B,
        PTX_M_L2_256B,
        PTX_M_L2_CACHE_HINT,
        PTX_M_L2_EVICT_FIRST,
        PTX_M_L2_EVICT_LAST,
        PTX_M_L2_EVICT_NORMAL,
    };
    for (size_t i = 0; i < sizeof hints; i++)
        ptx_dec_has(d, hints[i]);
}

/* Reads another block may be expected to change under a running kernel. */
static bool may_poll(struct ptx_decoder *d)
{
    return ptx_dec_has(d, PTX_M_VOLATILE) || ptx_dec_has(d, PTX_M_RELAXED) ||
           ptx_dec_has(d, PTX_M_ACQUIRE) || ptx_dec_has(d, PTX_M_CV) || ptx_dec_has(d, PTX_M_CG) ||
           ptx_dec_has(d, PTX_M_MMIO);
}

static bool vector_length(struct ptx_decoder *d, unsigned type, unsigned *n)
{
    *n = ptx_dec_has(d, PTX_M_V8)   ? 8
         : ptx_dec_has(d, PTX_M_V4) ? 4
         : ptx_dec_has(d, PTX_M_V2) ? 2
                                    : 1;
    if (!type || type == PTX_PRED || type == PTX_B128)
        return ptx_dec_unsupported(d, "this type cannot be loaded or stored");
    if (*n * ptx_type_bytes(type) > 32)
        return ptx_dec_unsupported(d, "an access of more than 32 bytes");
    return true;
}

/* The widest register among the data operands decides the lanes. */
static unsigned data_lanes(struct ptx_decoder *d, const struct ptx_operand *o)
{
    unsigned lanes = 0;
    if (o->kind != PTX_OPERAND_VECTOR)
        return ptx_dec_operand_lanes(d, o);
    for (unsigned i = 0; i < o->n_children; i++) {
        unsigned have = ptx_dec_operand_lanes(d, &o->u.children[i]);
        if (have && lanes && have != lanes)
            return 0;
        lanes = have ? have : lanes;
    }
    return lanes;
}

static bool data_elements(struct ptx_decoder *d, const struct ptx_operand *o, struct ptx_inst *in,
                          unsigned type, bool is_dest, uint32_t *single)
{
    unsigned lanes = data_lanes(d, o);
    if (!lanes)
        lanes = ptx_lane_bytes(type);
    if (lanes == 4 && ptx_type_bytes(type) == 8)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\": a data register is too narrow",
                            d->op->text);
    unsigned as = lanes == 8 ? PTX_U64 : PTX_U32;
    const uint32_t *refs;
    if (lanes == 8)
        in->flags |= PTX_INST_WIDE_DST;
    /* A number keeps the bits of its own type. */
    if (!is_dest && o->kind != PTX_OPERAND_REG && o->kind != PTX_OPERAND_VECTOR)
        as = ptx_lane_bytes(type) == 8 ? PTX_U64 : type;
    if (!is_dest && ptx_type_kind(type) == 'f' && lanes == ptx_lane_bytes(type))
        as = type;
    if (!ptx_dec_elements(d, o, as, in->n, is_dest, &refs))
        return false;
    *single = refs[0];
    in->extra = refs;
    return true;
}

static bool finish_access(struct ptx_decoder *d, struct ptx_inst *in, bool param)
{
    if (param && in->space != PTX_M_PARAM)
        in->flags |= PTX_INST_NO_RECORD_ADDRESS;
    if (in->space == PTX_M_PARAM)
        in->flags |= PTX_INST_NO_RECORD_ADDRESS;
    /* A constant by its name is an operand of machine code; one that lanes name is loaded. */
    if (in->space == PTX_M_CONST && ptx_dec_operand(d, 1)->u.children[0].kind != PTX_OPERAND_REG)
        in->flags |= PTX_INST_NO_RECORD_ADDRESS;
    return ptx_dec_put_main(d, in);
}

static bool decode_ld(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_load, PTX_MEMORY);
    unsigned type = ptx_dec_type(d, 0), n;
    bool polls = may_poll(d);
    in.space = (uint8_t)memory_space(d);
    bool param = in.space == PTX_M_PARAM;
    ptx_dec_take_hints(d);
    if (!ptx_dec_expect_operands(d, 2, 3) || !vector_length(d, type, &n))
        return false;
    in.width = (uint8_t)ptx_type_bytes(type);
    in.n = (uint8_t)n;
    in.is_signed = ptx_type_kind(type) == 's';
    if (polls) {
        in.flags |= PTX_INST_POLL;
        in.site.waits = !ptx_dec_has(d, PTX_M_CTA) && ptx_dec_waits(d);
        in.site.spins = ptx_dec_spins(d);
    }
    return ptx_dec_address(d, ptx_dec_operand(d, 1), &in) &&
           data_elements(d, ptx_dec_operand(d, 0), &in, type, true, &in.d) &&
           finish_access(d, &in, param);
}

static bool decode_st(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_store, PTX_MEMORY);
    in.flags = PTX_INST_WRITES;
    unsigned type = ptx_dec_type(d, 0), n;
    in.space = (uint8_t)memory_space(d);
    bool param = in.space == PTX_M_PARAM;
    ptx_dec_take_hints(d);
    if (!ptx_dec_expect_operands(d, 2, 3) || !vector_length(d, type, &n))
        return false;
    in.width = (uint8_t)ptx_type_bytes(type);
    in.n = (uint8_t)n;
    if (!ptx_dec_address(d, ptx_dec_operand(d, 0), &in))
        return false;
    if (in.space == PTX_M_PARAM || in.space == PTX_M_CONST)
        return ptx_dec_fail(d, STRATA_EFORMAT, "\"%s\" writes to read-only memory", d->op->text);
    return data_elements(d, ptx_dec_operand(d, 1), &in, type, false, &in.b) &&
           finish_access(d, &in, param);
}

/* ---- atomics ---- */

static bool atomic_type_fits(unsigned op, unsigned type)
{
    unsigned bytes = ptx_type_bytes(type);
    bool is_float = ptx_type_kind(type) == 'f';
    switch (op) {
    case PTX_M_ADD:
        return is_float || bytes == 4 || bytes == 8;
    case PTX_M_MIN:
    case PTX_M_MAX:
        return (is_float && bytes <= 4) || (!is_float && bytes >= 4);
    case PTX_M_INC:
    case PTX_M_DEC:
        return type == PTX_U32;
    case PTX_M_AND:
    case PTX_M_OR:
    case PTX_M_XOR:
    case PTX_M_EXCH:
        return bytes == 4 || bytes == 8;
    case PTX_M_CAS:
        return bytes == 2 || bytes == 4 || bytes == 8;
    default:
        return false;
    }
}

/* Nobody reads the result: ptxas emits a reduction then, and so does the trace. */
static bool result_is_unused(const struct ptx_decoder *d, const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_SINK ||
           (o->kind == PTX_OPERAND_REG && d->reg_reads[o->u.reg] == 0);
}

static unsigned atomic_operation(unsigned modifier)
{
    switch (modifier) {
    case PTX_M_ADD:
        return EMU_ATOM_ADD;
    case PTX_M_MIN:
        return EMU_ATOM_MIN;
    case PTX_M_MAX:
        return EMU_ATOM_MAX;
    case PTX_M_INC:
        return EMU_ATOM_INC;
    case PTX_M_DEC:
        return EMU_ATOM_DEC;
    case PTX_M_AND:
        return EMU_ATOM_AND;
    case PTX_M_OR:
        return EMU_ATOM_OR;
    case PTX_M_XOR:
        return EMU_ATOM_XOR;
    case PTX_M_EXCH:
        return EMU_ATOM_EXCH;
    default:
        return EMU_ATOM_CAS;
    }
}

static unsigned atomic_type(unsigned type)
{
    switch (type) {
    case PTX_F16:
        return EMU_F16;
    case PTX_BF16:
        return EMU_BF16;
    case PTX_F16X2:
        return EMU_F16X2;
    case PTX_BF16X2:
        return EMU_BF16X2;
    case PTX_F32:
        return EMU_F32;
    case PTX_F64:
        return EMU_F64;
    case PTX_S32:
        return EMU_S32;
    case PTX_S64:
        return EMU_S64;
    default:
        return ptx_type_bytes(type) == 8 ? EMU_U64 : ptx_type_bytes(type) == 2 ? EMU_U16 : EMU_U32;
    }
}

static const uint8_t operations[] = {PTX_M_ADD,  PTX_M_MIN, PTX_M_MAX, PTX_M_INC,
                                     PTX_M_DEC,  PTX_M_AND, PTX_M_OR,  PTX_M_XOR,
                                     PTX_M_EXCH, PTX_M_CAS, PTX_NONE};

bool ptx_dec_reduction(struct ptx_decoder *d, unsigned type, uint8_t *op, uint8_t *emu_type)
{
    unsigned modifier = ptx_dec_one_of(d, operations);
    ptx_dec_has(d, PTX_M_NOFTZ);
    if (!modifier || !type || !atomic_type_fits(modifier, type))
        return ptx_dec_unsupported(d, "this operation does not exist for this type");
    *op = (uint8_t)atomic_operation(modifier);
    *emu_type = (uint8_t)atomic_type(type);
    return true;
}

/* Vectors of Hopper's: .v2 and .v4 of f32, f16x2 and bf16x2, .v2 to .v8 of f16 and bf16. */
static bool decode_atomic_vector(struct ptx_decoder *d, struct ptx_inst *in, unsigned type,
                                 unsigned first)
{
    struct ptx_atomic_vector *v = ptx_dec_allocate(d, sizeof *v);
    unsigned bytes = in->n * ptx_type_bytes(type);
    bool fits = ptx_type_kind(type) == 'f' && bytes <= 16 && type != PTX_F64 &&
                (in->op == PTX_M_ADD || type != PTX_F32) &&
                (in->space == PTX_M_GLOBAL || in->space == PTX_NONE);
    if (!v)
        return false;
    if (!fits)
        return ptx_dec_unsupported(d, "this operation does not exist for this vector");
    if (!ptx_dec_elements(d, ptx_dec_operand(d, first + 1), type, in->n, false, &v->value))
        return false;
    if (first) {
        if (!ptx_dec_elements(d, ptx_dec_operand(d, 0), type, in->n, true, &v->old))
            return false;
        in->d = v->old[0];
    }
    in->extra = v;
    in->run = ptx_run_atomic_vector;
    /* what it does is not kept for later */
    d->image->base.talks_between_blocks = true;
    return true;
}

/* An addition of nothing only asks. */
static bool adds_nothing(const struct ptx_inst *in, const struct ptx_operand *value)
{
    uint64_t added = 1;
    return in->op == EMU_ATOM_ADD && ptx_dec_immediate(value, &added) && !added;
}

static void note_waiting(struct ptx_decoder *d, struct ptx_inst *in,
                         const struct ptx_operand *value)
{
    bool asks = in->d != PTX_NO_REF && in->n == 1 && in->space != PTX_M_SHARED &&
                in->space != PTX_M_LOCAL,
         takes = in->op == EMU_ATOM_CAS || in->op == EMU_ATOM_EXCH;
    in->site.waits = asks && takes && ptx_dec_waits(d);
    d->image->base.blocks_wait |= asks && adds_nothing(in, value);
}

/* in->op and in->is_signed: operation and type as src/emulator names them. */
static bool decode_atomic(struct ptx_decoder *d)
{
    bool red = d->op->mnemonic == PTX_OP_red;
    unsigned first = red ? 0 : 1, type = ptx_dec_type(d, 0);
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_atomic, PTX_MEMORY);
    in.op = (uint8_t)ptx_dec_one_of(d, operations);
    in.space = (uint8_t)memory_space(d);
    ptx_dec_has(d, PTX_M_NOFTZ);
    ptx_dec_has(d, PTX_M_FTZ);
    ptx_dec_take_hints(d);
    if (!in.op || !atomic_type_fits(in.op, type) || in.space == PTX_M_CONST ||
        in.space == PTX_M_PARAM)
        return ptx_dec_unsupported(d, "this operation does not exist for this type");
    bool cas = in.op == PTX_M_CAS;
    unsigned n;
    if (!ptx_dec_expect_operands(d, first + (cas ? 3u : 2u), first + (cas ? 4u : 3u)) ||
        !vector_length(d, type, &n))
        return false;
    in.width = (uint8_t)ptx_type_bytes(type);
    in.n = (uint8_t)n;
    in.is_signed = (uint8_t)atomic_type(type);
    if (!ptx_dec_address(d, ptx_dec_operand(d, first), &in))
        return false;
    if (n > 1 && !decode_atomic_vector(d, &in, type, first))
        return false;
    if (n == 1 && (!ptx_dec_source_n(d, first + 1, type, &in.b) ||
                   (cas && !ptx_dec_source_n(d, first + 2, type, &in.c))))
        return false;
    if (n == 1 && !red && !result_is_unused(d, ptx_dec_operand(d, 0)) &&
        !ptx_dec_dest_n(d, 0, type, &in.d))
        return false;
    /* A result depends on the order of the blocks; a reduction can be applied later. */
    bool ordered = in.d != PTX_NO_REF || cas || in.op == PTX_M_EXCH;
    if (ordered && in.space != PTX_M_SHARED && in.space != PTX_M_LOCAL)
        d->image->base.talks_between_blocks = true;
    in.op = (uint8_t)atomic_operation(in.op);
    note_waiting(d, &in, ptx_dec_operand(d, first + 1));
    in.flags |= PTX_INST_WRITES;
    return ptx_dec_put_main(d, &in);
}

/* ---- cp.async ---- */

static bool decode_copy(struct ptx_decoder *d)
{
    if (ptx_dec_has(d, PTX_M_BULK) || ptx_dec_has(d, PTX_M_MBARRIER))
        return ptx_decode_async(d);
    if (!ptx_dec_has(d, PTX_M_ASYNC))
        return ptx_dec_unsupported(d, "only asynchronous copies");
    if (ptx_dec_has(d, PTX_M_COMMIT_GROUP) || ptx_dec_has(d, PTX_M_WAIT_GROUP) ||
        ptx_dec_has(d, PTX_M_WAIT_ALL)) {
        struct ptx_inst in = ptx_dec_inst(d, ptx_run_nothing, PTX_STEP);
        return ptx_dec_put_main(d, &in);
    }
    struct ptx_inst to = {.space = PTX_M_SHARED},
                    in = ptx_dec_inst(d, ptx_run_copy_async, PTX_MEMORY);
    uint64_t bytes;
    ptx_dec_has(d, PTX_M_SHARED);
    ptx_dec_has(d, PTX_M_SHARED_CTA);
    ptx_dec_has(d, PTX_M_SHARED_CLUSTER);
    ptx_dec_has(d, PTX_M_GLOBAL);
    ptx_dec_take_hints(d);
    if (!ptx_dec_expect_operands(d, 3, 5))
        return false;
    if (!ptx_dec_immediate(ptx_dec_operand(d, 2), &bytes) ||
        (bytes != 4 && bytes != 8 && bytes != 16))
        return ptx_dec_fail(d, STRATA_EFORMAT, "cp.async copies 4, 8 or 16 bytes");
    in.space = PTX_M_GLOBAL;
    in.width = (uint8_t)bytes;
    if (!ptx_dec_address(d, ptx_dec_operand(d, 0), &to) ||
        !ptx_dec_address(d, ptx_dec_operand(d, 1), &in))
        return false;
    in.b = to.a;
    in.op = to.flags & PTX_INST_ADDRESS32;
    in.extra = (const void *)(uintptr_t)to.imm;
    const struct ptx_operand *size = ptx_dec_operand(d, 3);
    if (size->kind && ptx_dec_operand_lanes(d, size) != 8 &&
        !ptx_dec_source(d, size, PTX_U32, &in.c))
        return false;
    return ptx_dec_put_main(d, &in);
}

/* ---- prefetches and fences ---- */

static bool decode_prefetch(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_prefetch, PTX_MEMORY);
    ptx_dec_has(d, PTX_M_LEVEL_L1);
    ptx_dec_has(d, PTX_M_LEVEL_L2);
    ptx_dec_take_hints(d);
    in.space = (uint8_t)memory_space(d);
    bool map = ptx_dec_has(d, PTX_M_TENSORMAP);
    if (d->op->mnemonic != PTX_OP_prefetch || in.space == PTX_M_LOCAL || map) {
        in = ptx_dec_inst(d, ptx_run_nothing, PTX_STEP);
        return ptx_dec_put_main(d, &in);
    }
    in.space = PTX_M_GLOBAL;
    in.width = 1;
    if (!ptx_dec_expect_operands(d, 1, 1) || !ptx_dec_address(d, ptx_dec_operand(d, 0), &in))
        return false;
    if (in.flags & PTX_INST_ADDRESS32)
        return ptx_dec_unsupported(d, "a 32-bit address");
    return ptx_dec_put_main(d, &in);
}

static bool decode_fence(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_run_nothing, PTX_STEP);
    static const uint8_t proxies[] = {PTX_M_PROXY,         PTX_M_ALIAS,     PTX_M_ASYNC,
                                      PTX_M_ASYNC_GENERIC, PTX_M_TENSORMAP, PTX_M_TENSORMAP_GENERIC,
                                      PTX_M_MBARRIER_INIT, PTX_M_GLOBAL,    PTX_M_SHARED_CTA,
                                      PTX_M_SHARED_CLUSTER};
    ptx_dec_take_hints(d);
    for (size_t i = 0; i < sizeof proxies; i++)
        ptx_dec_has(d, proxies[i]);
    return ptx_dec_expect_operands(d, 0, 2) && ptx_dec_put_main(d, &in);
}

/* createpolicy: what it makes is a hint to the L2 alone. */
static bool decode_policy(struct ptx_decoder *d)
{
    struct ptx_inst in = ptx_dec_inst(d, ptx_mov_handler(8), PTX_STEP);
    for (unsigned i = 0; i < d->op->n_modifiers; i++)
        d->taken |= 1u << i;
    return ptx_dec_constant(d, PTX_U64, 0, &in.a) && ptx_dec_dest_n(d, 0, PTX_U64, &in.d) &&
           ptx_dec_put_main(d, &in);
}

bool ptx_decode_memory(struct ptx_decoder *d)
{
    if ((d->op->mnemonic == PTX_OP_st || d->op->mnemonic == PTX_OP_red) &&
        ptx_dec_has(d, PTX_M_ASYNC))
        return ptx_decode_async(d);
    switch (d->op->mnemonic) {
    case PTX_OP_ld:
    case PTX_OP_ldu:
        return decode_ld(d);
    case PTX_OP_st:
        return decode_st(d);
    case PTX_OP_atom:
    case PTX_OP_red:
        return decode_atomic(d);
    case PTX_OP_cp:
        return decode_copy(d);
    case PTX_OP_prefetch:
    case PTX_OP_prefetchu:
    case PTX_OP_discard:
    case PTX_OP_applypriority:
        return decode_prefetch(d);
    case PTX_OP_membar:
    case PTX_OP_fence:
        return decode_fence(d);
    default:
        return decode_policy(d);
    }
}
