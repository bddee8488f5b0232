/* atomic_form.c - ptxas 13.0 for sm_90, read off what it makes of 85 small kernels: where all lanes
 * name one address, the warp's operands are counted (POPC of the lanes, if they bring one value) or
 * summed up (REDUX), and one lane does the atomic; who wants an answer gets it by a shuffle, and
 * adds what the lanes before it brought, which is nothing where nothing is added. Sums of different
 * operands that are answered are only made by whole warps. Comparisons, exchanges and floating
 * point stay as they are, and so do additions of one to shared memory, which has an instruction
 * that counts (ATOMS.POPC.INC).
 *
 * Shared memory has no instruction that adds floating-point numbers, nor one that adds or compares
 * 64 bits: ptxas makes a loop of LDS, the sum, ATOMS.CAST.SPIN, ISETP and BRA, which one lane of
 * each address leaves in a round; an address that is the same for all lanes is in a uniform
 * register, and each round moves it. */
#include "ptx/atomic_form.h"

#include <strata/trace.h>

static const struct ptx_form_part counted[] = {{STRATA_OP_VOTE, 1},
                                               {STRATA_OP_UNIFORM, 1},
                                               {STRATA_OP_SREG, 1},
                                               {STRATA_OP_INT, 1},
                                               {STRATA_OP_SFU, 1},
                                               {STRATA_OP_MEM, 1},
                                               {0, 0}},
                                  reduced[] = {{STRATA_OP_VOTE, 2}, {STRATA_OP_UNIFORM, 1},
                                               {STRATA_OP_SREG, 1}, {STRATA_OP_INT, 2},
                                               {STRATA_OP_MEM, 1},  {0, 0}},
                                  counted_answered[] = {{STRATA_OP_VOTE, 1},
                                                        {STRATA_OP_SREG, 2},
                                                        {STRATA_OP_SFU, 3},
                                                        {STRATA_OP_INT, 3},
                                                        {STRATA_OP_SHUFFLE, 1},
                                                        {STRATA_OP_MEM, 1},
                                                        {0, 0}},
                                  asked[] = {{STRATA_OP_VOTE, 1}, {STRATA_OP_SFU, 1},
                                             {STRATA_OP_INT, 1},  {STRATA_OP_SHUFFLE, 1},
                                             {STRATA_OP_MEM, 1},  {0, 0}},
                                  summed_answered[] = {{STRATA_OP_VOTE, 1},
                                                       {STRATA_OP_SREG, 1},
                                                       {STRATA_OP_INT, 14},
                                                       {STRATA_OP_SHUFFLE, 7},
                                                       {STRATA_OP_BRANCH, 1},
                                                       {STRATA_OP_MEM, 1},
                                                       {0, 0}},
                                  moved[] = {{STRATA_OP_IMAD, 1}, {0, 0}};

static bool operand_varies(const struct ptx_operand *o, const bool *varies)
{
    if (o->kind == PTX_OPERAND_REG)
        return varies[o->u.reg];
    for (unsigned k = 0; k < o->n_children; k++)
        if (operand_varies(&o->u.children[k], varies))
            return true;
    return false;
}

static bool is_number(const struct ptx_operand *o, uint64_t value)
{
    return o->kind == PTX_OPERAND_INT && o->value == value;
}

static bool is_reducible(const struct ptx_op *op)
{
    return ptx_op_has(op, PTX_M_ADD) || ptx_op_has(op, PTX_M_MIN) || ptx_op_has(op, PTX_M_MAX) ||
           ptx_op_has(op, PTX_M_AND) || ptx_op_has(op, PTX_M_OR) || ptx_op_has(op, PTX_M_XOR);
}

static bool spins(const struct ptx_op *op, unsigned type)
{
    bool compares = ptx_op_has(op, PTX_M_MIN) || ptx_op_has(op, PTX_M_MAX),
         wide = type == PTX_U64 || type == PTX_S64;
    return ptx_op_has(op, PTX_M_SHARED) && op->guard == PTX_NO_REG &&
           (ptx_op_has(op, PTX_M_ADD) ? wide || type == PTX_F32 || type == PTX_F64
                                      : wide && compares);
}

struct ptx_atomic_form ptx_atomic_form(const struct ptx_op *op, bool answered, const bool *varies)
{
    struct ptx_atomic_form plain = {EMU_ACTING_ALL, NULL};
    if (ptx_op_has(op, PTX_M_COMPLETES_BYTES)) /* REDAS, which every lane gives */
        return plain;
    unsigned first = op->mnemonic == PTX_OP_atom, type = ptx_op_type(op);
    unsigned bytes = ptx_type_bytes(type);
    if ((op->mnemonic != PTX_OP_atom && op->mnemonic != PTX_OP_red) || op->n_operands < first + 2)
        return plain;
    bool apart = operand_varies(&op->operands[first], varies);
    if (spins(op, type))
        return (struct ptx_atomic_form){EMU_ACTING_TURNS, apart ? NULL : moved};
    const struct ptx_operand *value = &op->operands[first + 1];
    if (ptx_type_kind(type) == 'f' || apart || value->kind == PTX_OPERAND_VECTOR)
        return plain;
    bool adds = ptx_op_has(op, PTX_M_ADD), same = !operand_varies(value, varies);
    if (ptx_op_has(op, PTX_M_SHARED) && (bytes == 8 || (adds && !answered && is_number(value, 1))))
        return plain;
    if (adds && answered && is_number(value, 0))
        return (struct ptx_atomic_form){EMU_ACTING_ONE, asked};
    if (adds && same)
        return (struct ptx_atomic_form){EMU_ACTING_ONE, answered ? counted_answered : counted};
    if (bytes != 4 || !is_reducible(op))
        return plain;
    if (!answered)
        return (struct ptx_atomic_form){EMU_ACTING_ONE, reduced};
    return adds ? (struct ptx_atomic_form){EMU_ACTING_ONE_OF_ALL, summed_answered} : plain;
}
