/* pipe_choice.c - read off the machine code that ptxas 13.0 makes of the example suite for sm_90.
 *
 * Either pipe takes an instruction in two cycles, so ptxas lets them take turns: a sum is IADD3 or,
 * in the pipe for products, IMAD.IADD or VIADD, a shift to the left SHF or IMAD.SHL. Right behind
 * (stall count 1) an instruction of the pipe for integers 80 of 90 such go to the other, right
 * behind one of the pipe for products 68 of 79 to that for integers; 342 of 775 in all go to the
 * pipe for products. */
#include "sm/pipe_choice.h"

#include <string.h>

static bool has_both(const struct strata_inst *i)
{
    static const char *const names[] = {"add.s32", "add.u32", "sub.s32", "sub.u32", "shl.b32"};
    for (size_t k = 0; i->opclass == STRATA_OP_INT && k < sizeof names / sizeof *names; k++)
        if (!strcmp(i->opcode, names[k]))
            return true;
    return false;
}

static void make_product(const struct strata_gpu *gpu, struct sm_inst *op)
{
    op->pipe = SM_PIPE_FMA;
    op->pipe_counter = LAUNCH_COUNTER_pipe_fma;
    op->interval = gpu->sm.interval_imad_cycles ? gpu->sm.interval_imad_cycles : 1;
    op->latency = gpu->sm.latency_imad_cycles ? gpu->sm.latency_imad_cycles : 1;
}

void sm_pipes_choose(const struct strata_gpu *gpu, const struct sm_placed *placed, uint32_t n)
{
    uint8_t last = SM_PIPE_NONE;
    for (uint32_t k = 0; k < n; k++) {
        if (last == SM_PIPE_ALU && has_both(placed[k].inst))
            make_product(gpu, placed[k].op);
        uint8_t pipe = placed[k].op->pipe;
        last = pipe == SM_PIPE_ALU || pipe == SM_PIPE_FMA ? pipe : last;
    }
}
