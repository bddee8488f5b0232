/* flow_waves.h - a long launch from its first waves (model.waves=N).
 *
 * A wave is as many blocks as all SMs hold at once. Once a launch has settled it is followed for N
 * waves more; then no block is handed out, and what the others would have added is taken from those
 * waves, in proportion to the warp instructions that are left. It has settled when the L2 and its
 * dirty lines are as full as they get, or will not be full before the launch ends: until then
 * evictions and writes to DRAM are still to come. Waves differ among themselves: their spread gives
 * the interval of the time. */
#ifndef STRATA_FLOW_WAVES_H
#define STRATA_FLOW_WAVES_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/result.h>

#include "result/launch_counters.h"
#include "sm/scoreboard.h"

struct flow_engine;

enum { FLOW_WAVES_LEAST = 4, FLOW_WAVES_MOST = 64 };

/* What had been done when the last block of a wave was handed out. */
struct flow_wave_mark {
    uint64_t time;
    struct launch_counters count;
    uint64_t stall_cycles[SM_N_STALLS];
    uint64_t lines, dirty, evictions; /* of the L2 */
};
struct flow_waves {
    uint32_t limit;    /* waves to be followed once the launch has settled, 0: all */
    uint64_t per_wave; /* blocks */
    uint64_t started;  /* blocks so far */
    uint32_t n_marks;  /* since it has settled */
    bool over;         /* blocks were left out */
    struct flow_wave_mark mark[FLOW_WAVES_MOST + 1];
};

/* Launches that are hardly longer than what would be modelled of them are modelled whole. */
void flow_waves_init(struct flow_engine *e, uint32_t limit);
/* A block was handed out at t; false: it was the last that is modelled. */
bool flow_waves_go_on(struct flow_engine *e, uint64_t t);
/* After the run: counts and times become those of all blocks. Returns half the width of the
 * interval of the time, in cycles. */
double flow_waves_expand(struct flow_engine *e);

#endif
