/* inst_latency.h - cycles from the issue of an instruction to that of one that waits for its
 * result. */
#ifndef STRATA_TRACE_INST_LATENCY_H
#define STRATA_TRACE_INST_LATENCY_H

#include <stdbool.h>

#include <strata/gpu.h>
#include <strata/trace.h>

/* At least 1. Of memory, barriers and asynchronous work it is 1: when they answer is for whoever
 * follows them to say. */
uint32_t inst_latency_cycles(const struct strata_gpu *gpu, const struct strata_inst *inst);

/* Does it only order or start what others do? No unit of the SM executes it, and it has no result
 * to wait for. */
bool inst_only_orders(const struct strata_inst *inst);

#endif
