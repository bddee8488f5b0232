/* memside.h - everything beyond the SMs: crossbar, request coalescer, L2 slices, DRAM. */
#ifndef STRATA_SIM_MEMSIDE_H
#define STRATA_SIM_MEMSIDE_H

#include <stddef.h>
#include <strata/gpu.h>
#include <strata/result.h>
#include <strata/status.h>

#include "result/launch_counters.h"
#include "sim/packet.h"

struct sim_memside;

strata_status sim_memside_create(const struct strata_gpu *gpu, uint64_t seed,
                                 struct sim_memside **out, struct strata_error *err);
void sim_memside_destroy(struct sim_memside *m);

/* The longest window this memory side allows: no reply arrives sooner after its request left, and
 * nothing sent within a window is seen by the other side within it. At least 1. */
uint64_t sim_memside_window_cycles(const struct sim_memside *m);

/* Hands over the requests that left the SMs in one window, sorted by (time, sm, sequence). */
strata_status sim_memside_send(struct sim_memside *m, const struct sim_packet *request, size_t n,
                               struct strata_error *err);

/* Works until (not including) `end`. The replies that reach SMs at or after `end` and that are
 * settled by now are in *reply, sorted by (time, sm, sequence of sending), valid until the next
 * call. */
strata_status sim_memside_run(struct sim_memside *m, uint64_t end, uint32_t threads,
                              const struct sim_packet **reply, size_t *n, struct strata_error *err);

/* The next time something happens here by itself; UINT64_MAX: nothing is under way. Lets the engine
 * jump over time in which everybody waits. */
uint64_t sim_memside_next(const struct sim_memside *m);

/* What the launch asks of the L2's persisting lines. */
void sim_memside_window(struct sim_memside *m, const struct strata_launch *launch);
/* Requests of an SM that wait in the crossbar because queues in front of slices are full
 * (xbar.queue). */
uint32_t sim_memside_waiting(const struct sim_memside *m, uint32_t sm);
/* Cycles until the slices on the SM's side have taken in the stores that wait for them, where flits
 * of stores take time (l2.write_flit); 0 elsewhere. */
uint64_t sim_memside_behind(const struct sim_memside *m, uint32_t sm);
/* A copy from the host filled [address, address + bytes) (l2.fill_on_memcpy). */
void sim_memside_memcpy(struct sim_memside *m, uint64_t address, uint64_t bytes);

/* After the last window: writes back nothing, adds the lts, dram, fabric and latency metrics. */
void sim_memside_report(const struct sim_memside *m, uint64_t elapsed_cycles,
                        struct other_sectors other, struct strata_result *out);

#endif
