/* launch_report.c - shape and occupancy of a launch in the profiler's words. */
#include "sm/launch_report.h"

void sm_report_launch(const struct strata_launch *l, const struct strata_occupancy *o,
                      struct strata_result *r)
{
    strata_result_set(r, "launch__grid_size", (double)strata_launch_blocks(l));
    strata_result_set(r, "launch__block_size", strata_launch_threads_per_block(l));
    strata_result_set(r, "launch__registers_per_thread", l->registers_per_thread);
    strata_result_set(r, "launch__shared_mem_config_size", (double)o->shared_config_bytes);
    strata_result_set(r, "launch__occupancy_limit_registers", o->limit_registers);
    strata_result_set(r, "launch__occupancy_limit_shared_mem", o->limit_shared_mem);
    strata_result_set(r, "launch__occupancy_limit_warps", o->limit_warps);
    strata_result_set(r, "launch__occupancy_limit_blocks", o->limit_blocks);
    strata_result_set(r, "launch__waves_per_multiprocessor", o->waves);
}
