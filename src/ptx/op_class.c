/* op_class.c - which class of the trace a PTX instruction is. */
#include "ptx/op_class.h"

#include <strata/trace.h>

/* The unit that does the arithmetic of a type. */
static unsigned arithmetic_class(const struct ptx_op *op)
{
    switch (ptx_op_type(op)) {
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
    bool commit = ptx_op_has(op, PTX_M_COMMIT_GROUP);
    bool wait = ptx_op_has(op, PTX_M_WAIT_GROUP) || ptx_op_has(op, PTX_M_WAIT_ALL);
    if (ptx_op_has(op, PTX_M_MBARRIER))
        return STRATA_OP_MBARRIER;
    if (ptx_op_has(op, PTX_M_BULK))
        return commit ? STRATA_OP_BULK_COMMIT : wait ? STRATA_OP_BULK_WAIT : STRATA_OP_BULK;
    return commit ? STRATA_OP_ASYNC_COMMIT : wait ? STRATA_OP_ASYNC_WAIT : STRATA_OP_MEM;
}

static unsigned wgmma_class(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_MMA_ASYNC)      ? STRATA_OP_WGMMA
           : ptx_op_has(op, PTX_M_COMMIT_GROUP) ? STRATA_OP_WGMMA_COMMIT
           : ptx_op_has(op, PTX_M_WAIT_GROUP)   ? STRATA_OP_WGMMA_WAIT
                                                : STRATA_OP_NOP;
}

static unsigned barrier_class(const struct ptx_op *op)
{
    if (ptx_op_has(op, PTX_M_WARP))
        return STRATA_OP_NOP;
    if (ptx_op_has(op, PTX_M_CLUSTER))
        return ptx_op_has(op, PTX_M_WAIT) ? STRATA_OP_CLUSTER_WAIT : STRATA_OP_CLUSTER_ARRIVE;
    return STRATA_OP_BARRIER;
}

bool ptx_tells_barrier(const struct ptx_op *op)
{
    return (op->mnemonic == PTX_OP_st || op->mnemonic == PTX_OP_red) &&
           ptx_op_has(op, PTX_M_COMPLETES_BYTES);
}

static unsigned multiply_class(const struct ptx_op *op)
{
    unsigned class = arithmetic_class(op);
    return class == STRATA_OP_INT ? STRATA_OP_IMAD : class;
}

/* Comparisons of floats are done where those of integers are. */
static unsigned compare_class(const struct ptx_op *op)
{
    unsigned class = arithmetic_class(op);
    return class == STRATA_OP_FP32 ? STRATA_OP_INT : class;
}

static unsigned function_class(const struct ptx_op *op)
{
    return ptx_op_type(op) == PTX_F64 ? STRATA_OP_FP64 : STRATA_OP_SFU;
}

static unsigned mbarrier_class(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_PENDING_COUNT) ? STRATA_OP_INT : STRATA_OP_MBARRIER;
}

static unsigned wmma_class(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_MMA) ? STRATA_OP_TENSOR : STRATA_OP_MEM;
}

static unsigned memory_class(const struct ptx_op *op)
{
    return ptx_tells_barrier(op) ? STRATA_OP_MBARRIER : STRATA_OP_MEM;
}

/* The class of a mnemonic, or what tells it of an instruction; those that are not here are
 * arithmetic of their type. */
static const struct {
    unsigned (*of)(const struct ptx_op *op);
    uint8_t class;
} classes[PTX_N_MNEMONICS] = {
#define IS(name, c)   [PTX_OP_##name] = {NULL, STRATA_OP_##c}
#define ASKS(name, f) [PTX_OP_##name] = {f, 0}
    ASKS(mbarrier, mbarrier_class),
    ASKS(wgmma, wgmma_class),
    IS(tensormap, NOP),
    IS(createpolicy, NOP),
    ASKS(mul, multiply_class),
    ASKS(mad, multiply_class),
    ASKS(mul24, multiply_class),
    ASKS(mad24, multiply_class),
    ASKS(madc, multiply_class),
    ASKS(dp4a, multiply_class),
    ASKS(dp2a, multiply_class),
    ASKS(sin, function_class),
    ASKS(cos, function_class),
    ASKS(ex2, function_class),
    ASKS(lg2, function_class),
    ASKS(rcp, function_class),
    ASKS(rsqrt, function_class),
    ASKS(sqrt, function_class),
    ASKS(tanh, function_class),
    ASKS(mov, move_class),
    ASKS(activemask, move_class),
    ASKS(cvt, convert_class),
    IS(popc, CONV),
    IS(brev, CONV),
    IS(bfind, CONV),
    IS(clz, CONV),
    IS(bra, BRANCH),
    IS(brx, BRANCH),
    IS(call, BRANCH),
    IS(exit, EXIT),
    IS(trap, EXIT),
    ASKS(bar, barrier_class),
    ASKS(barrier, barrier_class),
    IS(membar, MEMBAR),
    IS(fence, MEMBAR),
    IS(shfl, SHUFFLE),
    IS(movmatrix, SHUFFLE),
    IS(vote, VOTE),
    IS(match, VOTE),
    IS(redux, VOTE),
    IS(elect, VOTE),
    IS(mma, TENSOR),
    ASKS(wmma, wmma_class),
    ASKS(cp, copy_class),
    /* as machine code's */
    IS(nanosleep, BRANCH),
    IS(pmevent, NOP),
    IS(griddepcontrol, NOP),
    IS(setmaxnreg, NOP),
    IS(discard, NOP),
    IS(applypriority, NOP),
    IS(brkpt, NOP),
    IS(prefetchu, NOP),
    ASKS(st, memory_class),
    ASKS(red, memory_class),
    IS(ld, MEM),
    IS(ldu, MEM),
    IS(atom, MEM),
    IS(prefetch, MEM),
    IS(ldmatrix, MEM),
    IS(stmatrix, MEM),
    IS(tex, MEM),
    IS(tld4, MEM),
    ASKS(min, compare_class),
    ASKS(max, compare_class),
    ASKS(set, compare_class),
    ASKS(setp, compare_class),
    ASKS(selp, compare_class),
#undef IS
#undef ASKS
};

unsigned ptx_op_class(const struct ptx_op *op, bool entry)
{
    unsigned m = op->mnemonic;
    if (m == PTX_OP_ret)
        return entry ? STRATA_OP_EXIT : STRATA_OP_BRANCH;
    if (classes[m].of)
        return classes[m].of(op);
    return classes[m].class ? classes[m].class : arithmetic_class(op);
}
