/* report.c - the clocked model's answer in the profiler's words, and the model's entry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/engine.h"
#include "sm/launch_report.h"

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* All counters of an SM are sums of uint64_t, one behind the other. */
static void add_counters(struct sim_sm_counters *sum, const struct sim_sm_counters *one)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)one;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static void report_l1(const struct strata_gpu *g, const struct sim_sm_counters *c,
                      struct strata_result *r)
{
    uint64_t hits = c->ld_hits + (g->l1.inflight_counts_as_hit ? c->ld_inflight_hits : 0);
    strata_result_set(r, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", (double)c->ld_requests);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", (double)c->ld_sectors);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", (double)hits);
    strata_result_set(r, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
                      (double)(c->ld_sectors - hits));
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
    if (!c->async_copies) /* where those write in shared memory is in no trace */
        strata_result_set(r, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
                          (double)c->shared_conflicts);
    strata_result_set(r, "l1tex__m_xbar2l1tex_read_sectors.sum", (double)c->to_l1_sectors);
    strata_result_set(r, "l1tex__m_l1tex2xbar_write_sectors.sum", (double)c->from_l1_sectors);
}

static void report_stalls(const struct sim_sm_counters *c, struct strata_result *r)
{
    for (int s = 1; s < SM_N_STALLS; s++) {
        char name[128];
        snprintf(name, sizeof name, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                 sm_stall_name(s));
        strata_result_set(r, name, ratio((double)c->stall_cycles[s], (double)c->instructions));
    }
}

static void report_time(const struct sim_engine *e, const struct sim_sm_counters *c,
                        struct strata_result *r)
{
    double cycles = (double)(e->end_time + e->gpu->launch.drain_cycles), active = 0,
           warp_cycles = 0;
    for (uint32_t s = 0; s < e->n_sms; s++)
        active += (double)e->sm[s].busy;
    for (int s = 0; s < SM_N_STALLS; s++)
        warp_cycles += (double)c->stall_cycles[s];
    strata_result_set(r, "gpu__time_duration.sum", cycles * 1000.0 / e->gpu->sm.clock_mhz);
    strata_result_set(r, "sm__cycles_elapsed.max", cycles);
    strata_result_set(r, "sm__cycles_active.avg", active / e->n_sms);
    strata_result_set(r, "smsp__inst_executed.sum", (double)c->instructions);
    strata_result_set(r, "smsp__inst_executed_op_global_ld.sum", (double)c->global_ld);
    strata_result_set(r, "smsp__inst_executed_op_global_st.sum", (double)c->global_st);
    strata_result_set(r, "smsp__inst_executed_op_shared_ld.sum", (double)c->shared_ld);
    strata_result_set(r, "smsp__inst_executed_op_shared_st.sum", (double)c->shared_st);
    strata_result_set(r, "smsp__issue_active.avg.pct_of_peak_sustained_active",
                      100 * ratio((double)c->instructions, active * e->gpu->sm.schedulers));
    strata_result_set(r, "sm__warps_active.avg.pct_of_peak_sustained_active",
                      100 * ratio(warp_cycles, active * e->gpu->sm.max_warps));
    report_stalls(c, r);
}

/* Besides the kernel's data, DRAM is read for its code (docs/flow.md, probe straight). */
static void add_code_reads(const struct sim_engine *e, struct strata_result *r)
{
    double data, lines = 0;
    if (!strata_result_get(r, "dram__sectors_read.sum", &data))
        return;
    for (uint32_t l = 0; l < FETCH_MAX_LINES; l++) {
        bool used = false;
        for (uint32_t s = 0; s < e->n_sms && !used; s++)
            used = e->sm[s].fetch_used[l];
        lines += used;
    }
    double code = lines * e->gpu->sm.fetch_line_bytes / e->gpu->l2.cache.sector_bytes;
    strata_result_set(r, "dram__sectors_read.sum", data + code);
}

/* Where the time of a load that left the SM went (figure 1 of paper 001); the memory side adds its
 * parts. */
static void report_latency(const struct sim_sm_counters *c, struct strata_result *r)
{
    double n = (double)c->lat_requests;
    strata_result_detail(r, "latency.requests", n);
    strata_result_detail(r, "latency.total_cycles", ratio((double)c->lat_total, n));
    strata_result_detail(r, "latency.mshr_cycles", ratio((double)c->lat_lsu, n));
}

static void report_detail(const struct sim_engine *e, const struct sim_sm_counters *c,
                          struct strata_result *r)
{
    report_latency(c, r);
    strata_result_detail(r, "l1.inflight_hit_sectors", (double)c->ld_inflight_hits);
    strata_result_detail(r, "l1.reservation_failures", (double)c->reservation_failures);
    strata_result_detail(r, "l1.mshr_stall_cycles", (double)c->mshr_stall_cycles);
    strata_result_detail(r, "time.launch_cycles",
                         e->gpu->launch.launch_cycles + e->gpu->launch.drain_cycles);
    strata_result_detail(r, "time.kernel_cycles",
                         (double)e->end_time - e->gpu->launch.launch_cycles);
    strata_result_detail(r, "packets.requests", (double)c->requests);
    strata_result_detail(r, "packets.replies", (double)c->replies);
    if (!e->tlb.enabled)
        return;
    strata_result_detail(r, "tlb.first_level_misses", (double)c->tlb_misses);
    strata_result_detail(r, "tlb.page_walks", (double)e->tlb.walks);
}

static void report_warnings(const struct sim_engine *e, const struct sim_sm_counters *c,
                            struct strata_result *r)
{
    if (c->unknown_opcodes)
        strata_result_warn(r,
                           "%llu warp instructions have an opcode this build does not know; they "
                           "were timed as integer arithmetic.",
                           (unsigned long long)c->unknown_opcodes);
    if (c->texture_accesses)
        strata_result_warn(r, "%llu texture accesses were treated as global loads.",
                           (unsigned long long)c->texture_accesses);
    if (e->shared.launch->sampled_blocks)
        strata_result_warn(r,
                           "Only %llu of the launch's blocks were recorded; counts are those of "
                           "the recorded blocks.",
                           (unsigned long long)e->shared.launch->sampled_blocks);
}

void sim_report(const struct sim_engine *e, struct strata_result *r)
{
    struct sim_sm_counters sum = {0};
    for (uint32_t s = 0; s < e->n_sms; s++)
        add_counters(&sum, &e->sm[s].count);
    report_time(e, &sum, r);
    report_l1(e->gpu, &sum, r);
    sim_memside_report(e->memside, e->end_time + e->gpu->launch.drain_cycles, r);
    add_code_reads(e, r);
    sm_report_launch(e->shared.launch, &e->shared.occupancy, r);
    report_detail(e, &sum, r);
    report_warnings(e, &sum, r);
}

static strata_status run_sim(const struct strata_gpu *gpu, struct strata_reader *reader,
                             const struct strata_model_options *opt, struct strata_result *out,
                             struct strata_error *err)
{
    if (opt->settings && *opt->settings)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "The clocked model does not understand \"%s\"; it has no settings "
                           "besides the GPU file's.",
                           *opt->settings);
    struct sim_engine *e = malloc(sizeof *e);
    if (!e)
        return strata_fail(err, STRATA_ENOMEM, NULL, 0, 0,
                           "There is no memory left for the clocked model.");
    strata_status st = sim_engine_init(e, gpu, reader, opt, err);
    if (st == STRATA_OK) {
        st = sim_engine_run(e, err);
        if (st == STRATA_OK)
            sim_report(e, out);
        sim_engine_release(e);
    }
    free(e);
    return st;
}

const struct strata_model strata_model_sim = {
    .name = "sim",
    .summary = "clocked: SMs, caches, crossbar and DRAM cycle by cycle, for changing the hardware",
    .run = run_sim,
};
