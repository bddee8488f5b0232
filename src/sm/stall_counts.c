/* stall_counts.c - read off the machine code that ptxas 13.0 makes of the example suite for sm_90.
 *
 * Of pairs of instructions in straight code without a wait between them:
 * - what goes to the load/store unit is 4 cycles after what went there last (1,450 of 1,454 pairs,
 *   whatever the two are and what stands between them);
 * - an instruction under a predicate is 13 cycles after the one that computes it (415 of 439, the
 *   others more), branches and all others alike; one that reads it as an operand comes after 4;
 * - what another unit reads of the pipes for integers and for products is there a cycle later than
 *   what the same pipe reads, 5 cycles: integers to products 127 of 154 pairs and back 200 of 206,
 *   to shared memory, global memory and shuffles 300 of 301 (the same pipe: 4 in 1,000 of 1,400,
 * the others for other reasons); special functions take products after 4;
 * - loads of constants are 8 cycles apart (79 of 81 pairs) and come 7 after reads of special
 *   registers (26 of 34);
 * - behind a branch that is not taken come 5 cycles. */
#include "sm/stall_counts.h"

#include <string.h>

enum {
    ACCESS_CYCLES = 4,
    BRANCH_CYCLES = 5,
    OTHER_UNIT_CYCLES = 5,
    CONSTANT_CYCLES = 8,
    CONSTANT_AFTER_SPECIAL_CYCLES = 7,
    MOST = 15
};

/* By the names of PTX. */
bool sm_makes_predicate(const struct strata_inst *i)
{
    return !strncmp(i->opcode, "setp", 4) || strstr(i->opcode, ".pred");
}

static bool computes_with_predicate(const struct strata_inst *i)
{
    return !strncmp(i->opcode, "selp", 4) || sm_makes_predicate(i);
}

bool sm_is_guarded_by(const struct strata_inst *user, const struct strata_inst *maker)
{
    return sm_makes_predicate(maker) && !computes_with_predicate(user);
}

static bool reads_result(const struct sm_inst *user, const struct sm_inst *maker)
{
    for (unsigned k = 0; k < user->n_read; k++)
        for (unsigned j = 0; j < maker->n_write; j++)
            if (user->read[k] == maker->write[j])
                return true;
    return false;
}

static bool is_arithmetic(uint8_t pipe)
{
    return pipe == SM_PIPE_ALU || pipe == SM_PIPE_FMA;
}

uint32_t sm_result_distance(const struct strata_inst *maker, const struct sm_inst *maker_op,
                            const struct strata_inst *user, const struct sm_inst *user_op)
{
    if (sm_is_guarded_by(user, maker))
        return SM_GUARD_CYCLES;
    bool other = user_op->pipe != maker_op->pipe &&
                 (is_arithmetic(user_op->pipe) || user_op->pipe == SM_PIPE_LSU);
    return is_arithmetic(maker_op->pipe) && other ? OTHER_UNIT_CYCLES : 0;
}

/* Constants behind constants and special registers, whoever reads them. */
static uint32_t constant_distance(const struct strata_inst *first, const struct strata_inst *second)
{
    if (second->opclass != STRATA_OP_CONST)
        return 0;
    return first->opclass == STRATA_OP_CONST  ? CONSTANT_CYCLES
           : first->opclass == STRATA_OP_SREG ? CONSTANT_AFTER_SPECIAL_CYCLES
                                              : 0;
}

/* The cycles that instruction k still has to wait for those before it, if it comes right after the
 * last of them. */
static uint32_t wait_for_earlier(const struct sm_placed *placed, uint32_t k)
{
    const struct sm_placed *user = &placed[k];
    uint32_t since = 0, wait = 0;
    for (uint32_t i = k; i-- > 0 && since < SM_GUARD_CYCLES;) {
        const struct sm_placed *x = &placed[i];
        since += x->op->control.stall;
        uint32_t apart = constant_distance(x->inst, user->inst);
        if (reads_result(user->op, x->op)) {
            uint32_t result = sm_result_distance(x->inst, x->op, user->inst, user->op);
            apart = result > apart ? result : apart;
        }
        if (apart > since + wait)
            wait = apart - since;
    }
    return wait;
}

void sm_stall_counts_find(const struct sm_placed *placed, uint32_t n)
{
    uint32_t since = ACCESS_CYCLES; /* the last access */
    for (uint32_t k = 0; k < n; k++) {
        struct sm_inst *op = placed[k].op;
        bool access = op->pipe == SM_PIPE_LSU;
        uint32_t wait = access && since < ACCESS_CYCLES ? ACCESS_CYCLES - since : 0;
        uint32_t earlier = wait_for_earlier(placed, k);
        wait = earlier > wait ? earlier : wait;
        if (k) {
            uint32_t stall = placed[k - 1].op->control.stall + wait;
            placed[k - 1].op->control.stall = (uint8_t)(stall < MOST ? stall : MOST);
        }
        if (!op->control.known) /* the driver's functions have theirs */
            op->control.stall = op->is_branch ? BRANCH_CYCLES : 1;
        since = (access ? 0 : since + wait) + op->control.stall;
    }
}
