/* stall_counts.c - read off the machine code that ptxas 13.0 makes of the example suite for sm_90.
 *
 * Of pairs of instructions in straight code without a wait between them:
 * - what goes to the load/store unit is 4 cycles after what went there last (1,450 of 1,454 pairs,
 *   whatever the two are and what stands between them);
 * - an instruction under a predicate is 13 cycles after the one that computes it (415 of 439, the
 *   others more), branches and all others alike; one that reads it as an operand comes after 4;
 * - behind a branch that is not taken come 5 cycles. */
#include "sm/stall_counts.h"

#include <string.h>

enum { ACCESS_CYCLES = 4, BRANCH_CYCLES = 5, MOST = 15 };

/* By the names of PTX. */
static bool makes_predicate(const struct strata_inst *i)
{
    return !strncmp(i->opcode, "setp", 4) || strstr(i->opcode, ".pred");
}

static bool computes_with_predicate(const struct strata_inst *i)
{
    return !strncmp(i->opcode, "selp", 4) || makes_predicate(i);
}

bool sm_is_guarded_by(const struct strata_inst *user, const struct strata_inst *maker)
{
    return makes_predicate(maker) && !computes_with_predicate(user);
}

static bool reads_result(const struct sm_inst *user, const struct sm_inst *maker)
{
    for (unsigned k = 0; k < user->n_read; k++)
        for (unsigned j = 0; j < maker->n_write; j++)
            if (user->read[k] == maker->write[j])
                return true;
    return false;
}

/* The cycles that instruction k still has to wait for its predicate, if it comes right after the
 * one before it. */
static uint32_t guard_wait(const struct sm_placed *placed, uint32_t k)
{
    uint32_t since = 0;
    for (uint32_t i = k; i-- > 0 && since < SM_GUARD_CYCLES;) {
        since += placed[i].op->control.stall;
        if (since < SM_GUARD_CYCLES && sm_is_guarded_by(placed[k].inst, placed[i].inst) &&
            reads_result(placed[k].op, placed[i].op))
            return SM_GUARD_CYCLES - since;
    }
    return 0;
}

void sm_stall_counts_find(const struct sm_placed *placed, uint32_t n)
{
    uint32_t since = ACCESS_CYCLES; /* the last access */
    for (uint32_t k = 0; k < n; k++) {
        struct sm_inst *op = placed[k].op;
        bool access = op->pipe == SM_PIPE_LSU;
        uint32_t wait = access && since < ACCESS_CYCLES ? ACCESS_CYCLES - since : 0;
        uint32_t guard = guard_wait(placed, k);
        wait = guard > wait ? guard : wait;
        if (k) {
            uint32_t stall = placed[k - 1].op->control.stall + wait;
            placed[k - 1].op->control.stall = (uint8_t)(stall < MOST ? stall : MOST);
        }
        op->control.stall = op->is_branch ? BRANCH_CYCLES : 1;
        since = (access ? 0 : since + wait) + op->control.stall;
    }
}
