/* flow_waits.h - for which instruction's result, or unit, each warp waits (strata_wait_sink).
 *
 * The engine calls these only if a sink is given: who wrote a register is of no interest to time.
 */
#ifndef STRATA_FLOW_WAITS_H
#define STRATA_FLOW_WAITS_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/result.h>

#include "sm/scoreboard.h"

struct flow_engine;
struct flow_waits;

/* NULL: no memory. */
struct flow_waits *flow_waits_create(const struct strata_wait_sink *sink, uint32_t n_warps);
void flow_waits_destroy(struct flow_waits *w); /* NULL is allowed */
/* A warp begins; false: no memory. */
bool flow_waits_start(struct flow_waits *w, uint32_t warp, uint32_t n_registers);
/* The next instruction's wait is known. */
void flow_waits_find(struct flow_waits *w, const struct flow_engine *e, uint32_t warp);
/* It issues at t, before anything of the warp is changed. */
void flow_waits_issue(struct flow_waits *w, const struct flow_engine *e, uint32_t warp, uint64_t t,
                      enum sm_stall held_by);
/* It has been executed. */
void flow_waits_took(struct flow_waits *w, const struct flow_engine *e, uint32_t warp);

#endif
