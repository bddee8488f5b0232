/* decode_static.c - what the trace says of an instruction: class, space, hints, registers. */
#include <string.h>

#include "base/array.h"
#include "ptx/async.h"
#include "ptx/decode.h"
#include "emulator/record.h"

static bool has(const struct ptx_op *op, unsigned modifier)
{
    for (unsigned i = 0; i < op->n_modifiers; i++)
        if (op->modifier[i] == modifier)
            return true;
    return false;
}

static unsigned first_type(const struct ptx_op *op)
{
    for (unsigned i = 0; i < op->n_modifiers; i++)
        if (ptx_is_type(op->modifier[i]))
            return op->modifier[i];
    return PTX_NONE;
}

/* The unit that does the arithmetic of a type. */
static unsigned arithmetic_class(const struct ptx_op *op)
{
    switch (first_type(op)) {
    case PTX_F32:
        return STRATA_OP_FP32;
    case PTX_F64:
        return STRATA_OP_FP64;
    case PTX_F16:
    case PTX_BF16:
    case PTX_F16X2:
    case PTX_BF16X2:
        return STRATA_OP_FP16;
    default:
        return STRATA_OP_INT;
    }
}

static unsigned move_class(const struct ptx_op *op)
{
    for (unsigned i = 1; i < op->n_operands; i++)
        if (op->operands[i].kind == PTX_OPERAND_SREG)
            return STRATA_OP_SREG;
    return STRATA_OP_INT;
}

static unsigned convert_class(const struct ptx_op *op)
{
    for (unsigned i = 0; i < op->n_modifiers; i++)
        if (ptx_is_type(op->modifier[i]) && ptx_type_kind(op->modifier[i]) == 'f')
            return STRATA_OP_CONV;
    return STRATA_OP_INT;
}

/* cp: asynchronous copies by threads, bulk copies, and the groups of both. */
static unsigned copy_class(const struct ptx_op *op)
{
    bool commit = has(op, PTX_M_COMMIT_GROUP);
    bool wait = has(op, PTX_M_WAIT_GROUP) || has(op, PTX_M_WAIT_ALL);
    if (has(op, PTX_M_MBARRIER))
        return STRATA_OP_MBARRIER;
    if (has(op, PTX_M_BULK))
        return commit ? STRATA_OP_BULK_COMMIT : wait ? STRATA_OP_BULK_WAIT : STRATA_OP_BULK;
    return commit ? STRATA_OP_ASYNC_COMMIT : wait ? STRATA_OP_ASYNC_WAIT : STRATA_OP_MEM;
}

static unsigned wgmma_class(const struct ptx_op *op)
{
    return has(op, PTX_M_MMA_ASYNC)      ? STRATA_OP_WGMMA
           : has(op, PTX_M_COMMIT_GROUP) ? STRATA_OP_WGMMA_COMMIT
           : has(op, PTX_M_WAIT_GROUP)   ? STRATA_OP_WGMMA_WAIT
                                         : STRATA_OP_NOP;
}

static unsigned barrier_class(const struct ptx_op *op)
{
    if (has(op, PTX_M_WARP))
        return STRATA_OP_NOP;
    if (has(op, PTX_M_CLUSTER))
        return has(op, PTX_M_WAIT) ? STRATA_OP_CLUSTER_WAIT : STRATA_OP_CLUSTER_ARRIVE;
    return STRATA_OP_BARRIER;
}

static unsigned op_class(const struct ptx_op *op, bool entry)
{
    switch (op->mnemonic) {
    case PTX_OP_mbarrier:
        return has(op, PTX_M_PENDING_COUNT) ? STRATA_OP_INT : STRATA_OP_MBARRIER;
    case PTX_OP_wgmma:
        return wgmma_class(op);
    case PTX_OP_tensormap:
    case PTX_OP_createpolicy:
        return STRATA_OP_NOP;
    case PTX_OP_mul:
    case PTX_OP_mad:
    case PTX_OP_mul24:
    case PTX_OP_mad24:
    case PTX_OP_madc:
    case PTX_OP_dp4a:
    case PTX_OP_dp2a: {
        unsigned class = arithmetic_class(op);
        return class == STRATA_OP_INT ? STRATA_OP_IMAD : class;
    }
    case PTX_OP_sin:
    case PTX_OP_cos:
    case PTX_OP_ex2:
    case PTX_OP_lg2:
    case PTX_OP_rcp:
    case PTX_OP_rsqrt:
    case PTX_OP_sqrt:
    case PTX_OP_tanh:
        return first_type(op) == PTX_F64 ? STRATA_OP_FP64 : STRATA_OP_SFU;
    case PTX_OP_mov:
    case PTX_OP_activemask:
        return move_class(op);
    case PTX_OP_cvt:
        return convert_class(op);
    case PTX_OP_popc:
    case PTX_OP_brev:
    case PTX_OP_bfind:
    case PTX_OP_clz:
        return STRATA_OP_CONV;
    case PTX_OP_bra:
    case PTX_OP_brx:
    case PTX_OP_call:
        return STRATA_OP_BRANCH;
    case PTX_OP_ret:
        return entry ? STRATA_OP_EXIT : STRATA_OP_BRANCH;
    case PTX_OP_exit:
    case PTX_OP_trap:
        return STRATA_OP_EXIT;
    case PTX_OP_bar:
    case PTX_OP_barrier:
        return barrier_class(op);
    case PTX_OP_membar:
    case PTX_OP_fence:
        return STRATA_OP_MEMBAR;
    case PTX_OP_shfl:
    case PTX_OP_movmatrix:
        return STRATA_OP_SHUFFLE;
    case PTX_OP_vote:
    case PTX_OP_match:
    case PTX_OP_redux:
    case PTX_OP_elect:
        return STRATA_OP_VOTE;
    case PTX_OP_mma:
        return STRATA_OP_TENSOR;
    case PTX_OP_wmma:
        return has(op, PTX_M_MMA) ? STRATA_OP_TENSOR : STRATA_OP_MEM;
    case PTX_OP_cp:
        return copy_class(op);
    case PTX_OP_nanosleep:
    case PTX_OP_pmevent:
    case PTX_OP_griddepcontrol:
    case PTX_OP_setmaxnreg:
    case PTX_OP_discard:
    case PTX_OP_applypriority:
    case PTX_OP_brkpt:
    case PTX_OP_prefetchu:
        return STRATA_OP_NOP;
    case PTX_OP_ld:
    case PTX_OP_ldu:
    case PTX_OP_st:
    case PTX_OP_atom:
    case PTX_OP_red:
    case PTX_OP_prefetch:
    case PTX_OP_ldmatrix:
    case PTX_OP_stmatrix:
    case PTX_OP_tex:
    case PTX_OP_tld4:
        return STRATA_OP_MEM;
    case PTX_OP_min:
    case PTX_OP_max:
    case PTX_OP_set:
    case PTX_OP_setp:
    case PTX_OP_selp: {
        unsigned class = arithmetic_class(op);
        return class == STRATA_OP_FP32 ? STRATA_OP_INT : class;
    }
    default:
        return arithmetic_class(op);
    }
}

static unsigned memory_operation(const struct ptx_op *op, const struct ptx_inst *in)
{
    switch (op->mnemonic) {
    case PTX_OP_st:
    case PTX_OP_stmatrix:
        return STRATA_MEM_STORE;
    case PTX_OP_atom:
        return in->d == PTX_NO_REF ? STRATA_MEM_REDUCTION : STRATA_MEM_ATOMIC;
    case PTX_OP_red:
        return STRATA_MEM_REDUCTION;
    case PTX_OP_cp:
        return STRATA_MEM_ASYNC_COPY;
    case PTX_OP_prefetch:
        return STRATA_MEM_PREFETCH;
    case PTX_OP_wmma:
        return has(op, PTX_M_STORE) ? STRATA_MEM_STORE : STRATA_MEM_LOAD;
    default:
        return STRATA_MEM_LOAD;
    }
}

static unsigned record_space(unsigned space)
{
    switch (space) {
    case PTX_M_SHARED:
        return STRATA_SPACE_SHARED;
    case PTX_M_LOCAL:
        return STRATA_SPACE_LOCAL;
    case PTX_M_CONST:
        return STRATA_SPACE_CONST;
    default:
        return STRATA_SPACE_GLOBAL;
    }
}

static uint16_t cache_hints(const struct ptx_op *op)
{
    static const struct {
        uint8_t modifier;
        uint16_t hint;
    } table[] = {
        {PTX_M_CG, STRATA_HINT_BYPASS_L1},
        {PTX_M_CS, STRATA_HINT_EVICT_FIRST},
        {PTX_M_LU, STRATA_HINT_EVICT_FIRST},
        {PTX_M_CV, STRATA_HINT_VOLATILE},
        {PTX_M_WT, STRATA_HINT_WRITE_THROUGH},
        {PTX_M_NC, STRATA_HINT_READ_ONLY},
        {PTX_M_VOLATILE, STRATA_HINT_VOLATILE},
        {PTX_M_MMIO, STRATA_HINT_VOLATILE},
        {PTX_M_L1_EVICT_FIRST, STRATA_HINT_EVICT_FIRST},
        {PTX_M_L1_EVICT_LAST, STRATA_HINT_EVICT_LAST},
        {PTX_M_L1_NO_ALLOCATE, STRATA_HINT_NO_ALLOCATE},
        {PTX_M_L2_64B, STRATA_HINT_PREFETCH_64B},
        {PTX_M_L2_128B, STRATA_HINT_PREFETCH_128B},
        {PTX_M_L2_256B, STRATA_HINT_PREFETCH_256B},
    };
    uint16_t hints = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (has(op, table[i].modifier))
            hints |= table[i].hint;
    /* Loads that must see other SMs' writes do not stop at the L1. */
    bool strong = has(op, PTX_M_RELAXED) || has(op, PTX_M_ACQUIRE);
    if (strong && op->mnemonic == PTX_OP_ld && !has(op, PTX_M_CTA))
        hints |= has(op, PTX_M_SYS) ? STRATA_HINT_VOLATILE : STRATA_HINT_BYPASS_L1;
    return hints;
}

/* ---- registers ---- */

struct reg_list {
    struct strata_inst *inst;
    uint32_t base;
};

/* Numbers are dense over the kernel; 255 is left out, it means "none" in machine code. */
static uint16_t record_register(uint32_t number)
{
    number %= 65000;
    return (uint16_t)(number < 255 ? number : number + 1);
}

static void add_dst(void *user, uint32_t reg)
{
    struct reg_list *l = user;
    if (l->inst->n_dst < STRATA_MAX_DST)
        l->inst->reg[l->inst->n_dst++] = record_register(l->base + reg);
}

static void add_src(void *user, uint32_t reg)
{
    struct reg_list *l = user;
    if (l->inst->n_src < STRATA_MAX_SRC)
        l->inst->reg[l->inst->n_dst + l->inst->n_src++] = record_register(l->base + reg);
}

static int32_t wait_groups(const struct ptx_op *op)
{
    return has(op, PTX_M_WAIT_GROUP) && op->n_operands && op->operands[0].kind == PTX_OPERAND_INT
               ? (int32_t)op->operands[0].value
               : 0;
}

/* What imm says of an instruction, by its class. */
static int32_t static_number(const struct ptx_op *op, const struct ptx_inst *in, unsigned class)
{
    if (class == STRATA_OP_MBARRIER)
        return ((const struct ptx_barrier *)in->extra)->op;
    if (class == STRATA_OP_WGMMA)
        return emu_wgmma_number(&((const struct ptx_wgmma *)in->extra)->model, false);
    int32_t groups = wait_groups(op);
    return class == STRATA_OP_BULK_WAIT && has(op, PTX_M_READ) ? groups | STRATA_BULK_WAIT_READ
                                                               : groups;
}

static void describe_memory(const struct ptx_op *op, const struct ptx_inst *in,
                            struct strata_inst *s)
{
    unsigned bytes = (unsigned)in->width * in->n;
    if (in->space == PTX_M_PARAM || in->space == PTX_M_CONST) {
        s->opclass = STRATA_OP_CONST;
        s->space = STRATA_SPACE_CONST;
        s->memop = STRATA_MEM_LOAD;
        s->width_bytes = (uint8_t)bytes;
        return;
    }
    if (in->flags & PTX_INST_NO_RECORD_ADDRESS) { /* parameters of calls travel in registers */
        s->opclass = STRATA_OP_INT;
        return;
    }
    s->memop = (uint8_t)memory_operation(op, in);
    s->space = (uint8_t)(op->mnemonic == PTX_OP_tex || op->mnemonic == PTX_OP_tld4
                             ? STRATA_SPACE_TEXTURE
                             : record_space(in->space));
    s->width_bytes = (uint8_t)bytes;
    s->hints = cache_hints(op);
    if (in->space == PTX_NONE)
        s->hints |= STRATA_HINT_GENERIC;
}

static bool add(struct ptx_image *image, const struct strata_inst *s)
{
    if (!ARRAY_RESERVE(image->base.statics, image->base.n_statics, image->base.cap_statics, 1))
        return false;
    image->base.statics[image->base.n_statics++] = *s;
    return true;
}

uint32_t ptx_static_add(struct ptx_decoder *d, const struct ptx_inst *in)
{
    struct strata_inst s;
    struct reg_list regs = {&s, d->reg_base};
    uint32_t first = (uint32_t)d->image->base.n_statics;
    memset(&s, 0, sizeof s);
    s.pc = (uint64_t)d->image->n_code * 16;
    s.opcode = d->op->text;
    s.source_line = d->op->source_line;
    s.opclass = (uint8_t)op_class(d->op, d->function_index == 0);
    s.imm = static_number(d->op, in, s.opclass);
    ptx_op_visit(d->op, NULL, add_dst, &regs);
    ptx_op_visit(d->op, add_src, NULL, &regs);
    bool memory = s.opclass == STRATA_OP_MEM;
    if (s.opclass == STRATA_OP_BULK || s.opclass == STRATA_OP_MBARRIER)
        s.space = s.opclass == STRATA_OP_BULK ? STRATA_SPACE_GLOBAL : STRATA_SPACE_SHARED;
    if (memory)
        describe_memory(d->op, in, &s);
    if (!add(d->image, &s))
        return EMU_NO_INDEX;
    if (memory && s.opclass == STRATA_OP_MEM && in->space == PTX_NONE &&
        s.space == STRATA_SPACE_GLOBAL) {
        s.space = STRATA_SPACE_SHARED;
        if (!add(d->image, &s))
            return EMU_NO_INDEX;
        s.space = STRATA_SPACE_LOCAL;
        if (!add(d->image, &s))
            return EMU_NO_INDEX;
    }
    return first;
}
