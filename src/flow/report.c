/* report.c - the flow model's answer in the profiler's words. */
#include "flow/engine.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "sm/launch_report.h"

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void report_l1(const struct launch_counters *c, struct strata_result *r)
{
    strata_result_set(r, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", (double)c->ld_requests);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", (double)c->ld_sectors);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                      (double)c->ld_hits);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
                      (double)(c->ld_sectors - c->ld_hits));
    strata_result_set(r, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", (double)c->st_requests);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", (double)c->st_sectors);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
                      (double)c->st_hits);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                      (double)c->atom_sectors);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", (double)c->red_sectors);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                      (double)c->local_ld_sectors);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                      (double)c->local_st_sectors);
    strata_result_set(r, "l1tex__m_xbar2l1tex_read_sectors.sum", (double)c->to_l1_bytes / 32);
    strata_result_set(r, "l1tex__m_l1tex2xbar_write_sectors.sum", (double)c->from_l1_bytes / 32);
}

static double l2_sectors(const struct flow_engine *e, uint64_t n)
{
    return (double)n * e->gpu->l2.cache.sector_bytes / PACKET_SECTOR_BYTES;
}

/* Besides the kernel's data, DRAM is read for its code and, once a launch, for what the front end
 * and the driver need (probe empty: 80 sectors; probe straight: 4 per 128 bytes of code). */
static double dram_read(const struct flow_engine *e)
{
    double code = (double)e->fetch_all.n_used * e->gpu->sm.fetch_line_bytes / 32;
    return l2_sectors(e, e->memory.count.dram_read) + code + e->gpu->launch.dram_sectors;
}

static void report_l2(const struct flow_engine *e, struct strata_result *r)
{
    const struct launch_counters *c = &e->memory.count;
    strata_result_set(r, "lts__t_requests_srcunit_tex.sum", (double)c->l2_requests);
    strata_result_set(r, "lts__t_sectors_op_read.sum", l2_sectors(e, c->l2_read));
    strata_result_set(r, "lts__t_sectors_op_write.sum", l2_sectors(e, c->l2_write));
    strata_result_set(r, "lts__t_sectors_op_read_lookup_hit.sum", l2_sectors(e, c->l2_read_hit));
    strata_result_set(r, "lts__t_sectors_op_read_lookup_miss.sum", l2_sectors(e, c->l2_read_miss));
    strata_result_set(r, "lts__t_sectors_op_write_lookup_hit.sum", l2_sectors(e, c->l2_write_hit));
    strata_result_set(r, "lts__t_sectors_srcunit_tex_op_read.sum", l2_sectors(e, c->l2_tex_read));
    strata_result_set(r, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
                      l2_sectors(e, c->l2_tex_read_hit));
    strata_result_set(r, "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
                      l2_sectors(e, c->l2_tex_read_miss));
    strata_result_set(r, "lts__t_sectors_srcunit_tex_op_write.sum", l2_sectors(e, c->l2_tex_write));
    strata_result_set(r, "lts__t_sectors_srcunit_ltcfabric.sum", l2_sectors(e, c->fabric));
    strata_result_set(r, "lts__t_sectors_srcunit_ltcfabric_op_read.sum",
                      l2_sectors(e, c->fabric_read));
    strata_result_set(r, "dram__sectors_read.sum", dram_read(e));
    strata_result_set(r, "dram__sectors_write.sum", l2_sectors(e, c->dram_write));
}

static void report_time(const struct flow_engine *e, struct strata_result *r)
{
    double cycles = (double)(e->end_time + e->gpu->launch.drain_cycles), active = 0;
    for (uint32_t s = 0; s < e->memory.n_sms; s++)
        active += (double)e->sm_busy[s];
    strata_result_set(r, "gpu__time_duration.sum", cycles * 1000.0 / e->gpu->sm.clock_mhz);
    strata_result_set(r, "sm__cycles_elapsed.max", cycles);
    strata_result_set(r, "sm__cycles_active.avg", active / e->memory.n_sms);
    strata_result_set(r, "smsp__inst_executed.sum", (double)e->instructions);
    strata_result_set(r, "smsp__inst_executed_op_global_ld.sum", (double)e->global_ld);
    strata_result_set(r, "smsp__inst_executed_op_global_st.sum", (double)e->global_st);
    strata_result_set(r, "smsp__inst_executed_op_shared_ld.sum", (double)e->shared_ld);
    strata_result_set(r, "smsp__inst_executed_op_shared_st.sum", (double)e->shared_st);
    double slots = active * e->gpu->sm.schedulers;
    strata_result_set(r, "smsp__issue_active.avg.pct_of_peak_sustained_active",
                      100 * ratio((double)e->instructions, slots));
    double warp_cycles = 0;
    for (int s = 0; s < SM_N_STALLS; s++)
        warp_cycles += (double)e->stall_cycles[s];
    strata_result_set(r, "sm__warps_active.avg.pct_of_peak_sustained_active",
                      100 * ratio(warp_cycles, active * e->gpu->sm.max_warps));
    for (int s = 1; s < SM_N_STALLS; s++) {
        char name[128];
        snprintf(name, sizeof name, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                 sm_stall_name(s));
        strata_result_set(r, name, ratio((double)e->stall_cycles[s], (double)e->instructions));
    }
}

static void report_detail(const struct flow_engine *e, struct strata_result *r)
{
    const struct launch_counters *c = &e->memory.count;
    double n = (double)c->lat_requests;
    strata_result_detail(r, "latency.requests", n);
    strata_result_detail(r, "latency.lsu_cycles", ratio((double)c->lat_lsu, n));
    strata_result_detail(r, "latency.l2_and_crossbar_cycles", ratio((double)c->lat_xbar, n));
    strata_result_detail(r, "latency.l2_queue_cycles", ratio((double)c->lat_l2, n));
    strata_result_detail(r, "latency.partition_link_cycles", ratio((double)c->lat_fabric, n));
    strata_result_detail(r, "latency.dram_cycles", ratio((double)c->lat_dram, n));
    strata_result_detail(r, "time.launch_cycles",
                         e->gpu->launch.launch_cycles + e->gpu->launch.drain_cycles);
    strata_result_detail(r, "time.kernel_cycles",
                         (double)e->end_time - e->gpu->launch.launch_cycles);
    strata_result_detail(r, "coalescer.merged_sectors", l2_sectors(e, c->merged_sectors));
    strata_result_detail(r, "dram.row_misses", (double)c->row_misses);
    if (e->gpu->tlb.enabled)
        strata_result_detail(r, "tlb.misses", (double)c->tlb_misses);
    strata_result_detail(r, "l2.atomic_packets", (double)c->l2_atomic);
}

static void report_warnings(const struct flow_engine *e, struct strata_result *r)
{
    if (e->unknown_opcodes)
        strata_result_warn(r,
                           "%llu warp instructions have an opcode this build does not know; they "
                           "were timed as integer arithmetic.",
                           (unsigned long long)e->unknown_opcodes);
    if (e->texture_accesses)
        strata_result_warn(r, "%llu texture accesses were treated as global loads.",
                           (unsigned long long)e->texture_accesses);
    if (e->launch->sampled_blocks)
        strata_result_warn(r,
                           "Only %llu of the launch's blocks were recorded; counts are those of "
                           "the recorded blocks.",
                           (unsigned long long)e->launch->sampled_blocks);
    for (size_t i = 0; i < strata_reader_warning_count(e->reader); i++)
        strata_result_warn(r, "%s", strata_reader_warning(e->reader, i));
}

void flow_report(const struct flow_engine *e, struct strata_result *r)
{
    report_time(e, r);
    report_l1(&e->memory.count, r);
    report_l2(e, r);
    sm_report_launch(e->launch, &e->occupancy, r);
    report_detail(e, r);
    report_warnings(e, r);
}

/* The settings of the model: model.KEY=VALUE on the command line. */
static strata_status read_settings(const struct strata_model_options *opt, struct flow_assembler *a,
                                   struct strata_error *err)
{
    *a = (struct flow_assembler){.schedule = true, .unroll = 4};
    for (const char *const *w = opt->settings; w && *w; w++) {
        unsigned rounds = 0;
        char more;
        if (!strcmp(*w, "schedule=on") || !strcmp(*w, "schedule=off"))
            a->schedule = !strcmp(*w, "schedule=on");
        else if (sscanf(*w, "unroll=%u%c", &rounds, &more) == 1 && rounds >= 1 && rounds <= 64)
            a->unroll = rounds;
        else
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                               "The flow model does not understand \"%s\"; it has "
                               "model.schedule=on or off and model.unroll=1 to 64.",
                               *w);
    }
    return STRATA_OK;
}

static strata_status run_flow(const struct strata_gpu *gpu, struct strata_reader *reader,
                              const struct strata_model_options *opt, struct strata_result *out,
                              struct strata_error *err)
{
    struct flow_engine e;
    struct flow_assembler assembler;
    strata_status st = read_settings(opt, &assembler, err);
    if (st == STRATA_OK)
        st = flow_engine_init(&e, gpu, reader, opt->seed, &assembler, err);
    if (st != STRATA_OK)
        return st;
    st = flow_engine_run(&e);
    if (st == STRATA_OK)
        flow_report(&e, out);
    flow_engine_release(&e);
    return st;
}

const struct strata_model strata_model_flow = {
    .name = "flow",
    .summary = "all counters and cycles in one pass; every part answers with a time (the default)",
    .run = run_flow,
};
