/* sim_state.h - what a launch of the clocked model finds in the L2, and leaves there.
 *
 * Between launches the lines lie in the partitions of src/memory, whose rules for copies and fills
 * are the only ones; a launch begins with its slices filled from there, oldest line first. */
#ifndef STRATA_SIM_SIM_STATE_H
#define STRATA_SIM_SIM_STATE_H

#include "sim/sim_engine.h"

/* Nothing is done without a state. After all parts of the engine are there. */
strata_status sim_state_begin(struct sim_engine *e, struct strata_memory_state *state,
                              uint64_t seed, struct strata_error *err);
strata_status sim_state_end(struct sim_engine *e, struct strata_memory_state *state,
                            uint32_t code_lines, struct strata_error *err);
void sim_state_release(struct sim_engine *e);

#endif
