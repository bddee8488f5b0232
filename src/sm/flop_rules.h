/* flop_rules.h - floating-point operations of an instruction, as Nsight Compute counts them.
 *
 * The profiler counts lanes that executed an addition, a multiplication or a fused one of each
 * width; what divisions and square roots are made of counts by its own instructions, so from PTX,
 * where they are one, they count nothing. Packed halves count once a lane, as HADD2 does, also
 * where PTX names one half: the machine has no other instruction. */
#ifndef STRATA_SM_FLOP_RULES_H
#define STRATA_SM_FLOP_RULES_H

#include <strata/trace.h>

#include "base/bits.h"
#include "result/launch_counters.h"

struct flop_rule {
    uint8_t counter;     /* enum launch_counter; 0: no floating-point operation */
    uint32_t warp_flops; /* of tensor instructions: operations of the whole warp */
};
/* isa: enum strata_isa of the launch. */
struct flop_rule flop_rule_of(const struct strata_inst *i, uint32_t isa);

/* One execution by the lanes of `mask`. */
static inline void count_flops(struct launch_counters *c, struct flop_rule rule, uint32_t mask)
{
    if (rule.counter)
        *launch_counter_at(c, rule.counter) += rule.warp_flops ? rule.warp_flops : popcount32(mask);
}

#endif
