/* stall_counts.h - the stall counts that an assembler gives to instructions in an order it has
 * found: distances that a warp keeps whatever its scheduler does. */
#ifndef STRATA_SM_STALL_COUNTS_H
#define STRATA_SM_STALL_COUNTS_H

#include "sm/sm_inst.h"

/* Cycles from what computes a predicate to what is executed under it. */
#define SM_GUARD_CYCLES 13

/* Whether an instruction of PTX has a predicate for its result. */
bool sm_makes_predicate(const struct strata_inst *i);
/* Whether `user` is executed under a predicate that it reads and `maker` computes, rather than
 * computing with it. */
bool sm_is_guarded_by(const struct strata_inst *user, const struct strata_inst *maker);

/* Cycles from `maker` to `user`, which reads its result: a predicate's, or the way from one pipe of
 * the arithmetic to another unit. 0: the result's latency is all. */
uint32_t sm_result_distance(const struct strata_inst *maker, const struct sm_inst *maker_op,
                            const struct strata_inst *user, const struct sm_inst *user_op);

/* One instruction of the order. */
struct sm_placed {
    const struct strata_inst *inst;
    struct sm_inst *op;
};
/* Writes the stall counts of n instructions into their ops' control codes, which stay unknown
 * otherwise. */
void sm_stall_counts_find(const struct sm_placed *placed, uint32_t n);

#endif
