/* launch_report.h - what every model with SMs says of a launch in the same words. */
#ifndef STRATA_SM_LAUNCH_REPORT_H
#define STRATA_SM_LAUNCH_REPORT_H

#include <strata/place.h>
#include <strata/result.h>
#include <strata/trace.h>

#include "sm/async_totals.h"
#include "sm/constants_used.h"
#include "result/launch_counters.h"
#include "sm/sm_inst.h"

/* The launch__ metrics. */
void sm_report_launch(const struct strata_launch *l, const struct strata_occupancy *o,
                      struct strata_result *r);

/* From the last exit of a launch of so many blocks to the end of the measured time: the more SMs
 * and warps there were, the longer it takes (short_probe.cu, dram_probe.cu, timeline). */
uint64_t sm_drain_cycles(const struct strata_gpu *gpu, uint64_t blocks, uint32_t warps_per_block);
static inline uint64_t sm_launch_drain(const struct strata_gpu *gpu, const struct strata_launch *l)
{
    return sm_drain_cycles(gpu, strata_launch_blocks(l), strata_launch_warps_per_block(l));
}

/* Where the time of a launch went. */
struct sm_times {
    double elapsed_cycles; /* launch cost included */
    double slow_cycles;    /* of them at sm.tensor_clock */
    double active_cycles;  /* with a warp on the SM, summed over SMs */
    uint32_t n_sms;
    const uint64_t *stall_cycles; /* SM_N_STALLS sums over warps */
};
/* Time, instructions, issue, occupancy and stalls. */
void sm_report_times(const struct strata_gpu *gpu, const struct sm_times *t,
                     const struct launch_counters *c, struct strata_result *r);
/* What warps wait for at asynchronous work and what is copied, where there is any. */
void sm_report_async(const struct launch_counters *c, const struct sm_times *times,
                     const struct sm_async_totals *a, struct strata_result *r);

/* What the trace holds that a timed model took for something else, or not at all. */
void sm_report_warnings(const struct strata_launch *l, uint64_t unknown_opcodes,
                        uint64_t texture_accesses, struct strata_result *r);

#define SM_PROFILER_SECTOR_BYTES 32u
/* Besides the kernel's data, DRAM is read for its code and, once a launch, for what the front end
 * and the driver need (probe empty: 80 sectors; probe straight: 4 per 128 bytes of code).
 * The L2 is asked for them by each of launch.code_readers, and by the other partition once, and
 * for constants and the like that it holds already (launch.reader_sectors, launch.front_sectors).
 * Code that the launch does not bring in by itself is asked for where it runs (printing_probe.cu:
 * 640 sectors of printf are 1180 reads for a block, 6000 for 16 blocks and more).
 * warm: as long as the code is still in the L2, so is what the front end needs. */
struct code_lines {
    uint64_t all, far; /* far: of these, what does not come by itself */
    uint64_t places;   /* GPCs that ran it, or blocks of the launch where these are not known */
};
struct other_sectors sm_other_sectors(const struct strata_gpu *gpu, struct code_lines code,
                                      bool warm, uint32_t sector_bytes);
/* Adds the constants that the blocks of a launch have named, unless the L2 has them as it has the
 * code. */
void sm_add_constants(const struct strata_gpu *gpu, const struct constants_used *c, uint64_t blocks,
                      uint32_t sector_bytes, struct other_sectors *o);
/* Adds what the card does by itself in the time of a launch (launch.background_every;
 * spin_probe.cu: a thread that waits has 8,192 sectors written to DRAM every 14 ms, whoever runs).
 */
void sm_add_background(const struct strata_gpu *gpu, const struct sm_times *t,
                       struct other_sectors *o);

#endif
