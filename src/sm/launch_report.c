/* launch_report.c - shape, occupancy and times of a launch in the profiler's words. */
#include "sm/launch_report.h"

#include <math.h>
#include <stdio.h>

#include "base/bits.h"
#include "sm/scoreboard.h"

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

uint64_t sm_drain_cycles(const struct strata_gpu *gpu, uint64_t blocks, uint32_t warps_per_block)
{
    double all = (double)gpu->sm.count, sms = fmin((double)blocks, all),
           warps = fmin((double)blocks * warps_per_block, all * gpu->sm.max_warps),
           more = gpu->launch.drain_sm_cycles * sms + gpu->launch.drain_warp_cycles * warps;
    return gpu->launch.drain_cycles + (uint64_t)(more + 0.5);
}

static void report_stalls(const uint64_t *stall_cycles, uint64_t instructions,
                          struct strata_result *r)
{
    for (int s = 1; s < SM_N_STALLS; s++) {
        char name[128];
        snprintf(name, sizeof name, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                 sm_stall_name(s));
        strata_result_set(r, name, ratio_or_0((double)stall_cycles[s], (double)instructions));
    }
}

/* GPUs from GA10x on have packed halves in the FMA pipe, whose counter then counts them, too. */
#define FIRST_WITH_HALVES_IN_FMA 86

/* The instructions of a pipe, and their share of those it could have begun in `scheduler_cycles`.
 * The profiler takes the shortest interval of a pipe for its peak: products of integers, which take
 * the FMA pipe twice as long, count once. */
static void report_pipe(const char *pipe, uint64_t instructions, uint32_t interval,
                        double scheduler_cycles, struct strata_result *r)
{
    char name[96];
    snprintf(name, sizeof name, "sm__inst_executed_pipe_%s.sum", pipe);
    strata_result_set(r, name, (double)instructions);
    snprintf(name, sizeof name, "sm__inst_executed_pipe_%s.avg.pct_of_peak_sustained_active", pipe);
    strata_result_set(
        r, name,
        100 * ratio_or_0((double)instructions * (interval ? interval : 1), scheduler_cycles));
}

static void report_pipes(const struct strata_gpu *gpu, const struct sm_times *t,
                         const struct launch_counters *c, struct strata_result *r)
{
    double cycles = t->active_cycles * gpu->sm.schedulers;
    bool in_fma = gpu->sm_version >= FIRST_WITH_HALVES_IN_FMA;
    report_pipe("fma", c->pipe_fma + (in_fma ? c->pipe_fp16 : 0), gpu->sm.interval_fp32_cycles,
                cycles, r);
    report_pipe("alu", c->pipe_alu, gpu->sm.interval_int_cycles, cycles, r);
    report_pipe("fp64", c->pipe_fp64, gpu->sm.interval_fp64_cycles, cycles, r);
    report_pipe(in_fma ? "fma_type_fp16" : "fp16", c->pipe_fp16, gpu->sm.interval_fp16_cycles,
                cycles, r);
    report_pipe("xu", c->pipe_xu, gpu->sm.interval_sfu_cycles, cycles, r);
    if (!c->tensor_cycles)
        report_pipe("tensor", c->tensor_instructions, gpu->sm.interval_tensor_cycles, cycles, r);
    if (c->tensor_cycles || c->tma_instructions)
        launch_counters_report(c, COUNTED(tensor_instructions) | COUNTED(tma_instructions),
                               SM_PROFILER_SECTOR_BYTES, r);
    /* a warpgroup's product takes the tensor cores much longer than an instruction's turn */
    if (!c->tensor_cycles)
        return;
    strata_result_set(r, "sm__pipe_tensor_cycles_active.sum", (double)c->tensor_cycles);
    strata_result_set(r, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
                      100 * ratio_or_0((double)c->tensor_cycles, cycles));
}

static double duration_us(const struct strata_gpu *gpu, const struct sm_times *t)
{
    double us = (t->elapsed_cycles - t->slow_cycles) / gpu->sm.clock_mhz;
    return t->slow_cycles > 0 ? us + t->slow_cycles / gpu->sm.tensor_clock_mhz : us;
}

void sm_report_times(const struct strata_gpu *gpu, const struct sm_times *t,
                     const struct launch_counters *counted, struct strata_result *r)
{
    /* Models also go over what machine code does not have, to know how far they are. */
    struct launch_counters issued = *counted, *c = &issued;
    c->instructions -= c->left_out;
    double warp_cycles = 0;
    for (int s = 0; s < SM_N_STALLS; s++)
        warp_cycles += (double)t->stall_cycles[s];
    strata_result_set(r, "gpu__time_duration.sum", duration_us(gpu, t) * 1000.0);
    strata_result_set(r, "sm__cycles_elapsed.max", t->elapsed_cycles);
    strata_result_set(r, "sm__cycles_active.avg", t->active_cycles / t->n_sms);
    launch_counters_report(c, COUNTED_INSTRUCTIONS | COUNTED_FLOPS, SM_PROFILER_SECTOR_BYTES, r);
    report_pipes(gpu, t, c, r);
    strata_result_set(
        r, "smsp__issue_active.avg.pct_of_peak_sustained_active",
        100 * ratio_or_0((double)c->instructions, t->active_cycles * gpu->sm.schedulers));
    strata_result_set(r, "sm__warps_active.avg.pct_of_peak_sustained_active",
                      100 * ratio_or_0(warp_cycles, t->active_cycles * gpu->sm.max_warps));
    report_stalls(t->stall_cycles, c->instructions, r);
}

/* Shares are of the time that warps are resident. */
void sm_report_async(const struct launch_counters *c, const struct sm_times *times,
                     const struct sm_async_totals *a, struct strata_result *r)
{
    double warp_cycles = 0;
    if (!c->tensor_cycles && !c->tma_instructions)
        return;
    for (int s = 0; s < SM_N_STALLS; s++)
        warp_cycles += (double)times->stall_cycles[s];
    const struct {
        const char *name;
        uint64_t cycles;
    } waits[] = {{"async.mbarrier_pct", a->mbarrier_cycles},
                 {"async.products_pct", a->products_cycles},
                 {"async.copies_pct", a->copies_cycles},
                 {"async.cluster_pct", a->cluster_cycles}};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        strata_result_detail(r, waits[i].name,
                             100 * ratio_or_0((double)waits[i].cycles, warp_cycles));
    strata_result_detail(r, "async.loads", (double)a->loads);
    strata_result_detail(r, "async.load_bytes", (double)a->load_bytes);
    strata_result_detail(r, "async.stores", (double)a->stores);
    strata_result_detail(r, "async.store_bytes", (double)a->store_bytes);
}

void sm_report_warnings(const struct strata_launch *l, uint64_t unknown_opcodes,
                        uint64_t texture_accesses, struct strata_result *r)
{
    if (unknown_opcodes)
        strata_result_warn(r,
                           "%llu warp instructions have an opcode this build does not know; they "
                           "were timed as integer arithmetic.",
                           (unsigned long long)unknown_opcodes);
    if (texture_accesses && !l->n_textures)
        strata_result_warn(r,
                           "The trace does not tell of the textures that %llu reads are of: they "
                           "were taken to lie in lines, 4 bytes a lane.",
                           (unsigned long long)texture_accesses);
    if (l->sampled_blocks)
        strata_result_warn(r,
                           "Only %llu of the launch's blocks were recorded; counts are those of "
                           "the recorded blocks.",
                           (unsigned long long)l->sampled_blocks);
}

/* Sectors that only GPCs with blocks ask for. */
static void add_where_it_runs(const struct strata_gpu *gpu, double n, uint64_t blocks,
                              struct other_sectors *o)
{
    double partitions = gpu->l2.partitions, readers = gpu->launch.code_readers;
    o->dram += n;
    if (readers < partitions)
        return;
    readers = (double)blocks < readers ? (double)blocks : readers;
    o->fabric += (partitions - 1) * n;
    o->l2 += (readers + partitions - 1) * n;
    o->l2_hits += (readers - 1) * n;
}

struct other_sectors sm_other_sectors(const struct strata_gpu *gpu, struct code_lines code,
                                      bool warm, uint32_t sector_bytes)
{
    struct other_sectors o = {0};
    if (warm && !code.all)
        return o;
    double readers = gpu->launch.code_readers, partitions = gpu->l2.partitions,
           line = (double)gpu->sm.fetch_line_bytes / sector_bytes;
    o.dram = (double)(code.all - code.far) * line + gpu->launch.dram_sectors;
    if (readers >= partitions) {
        double each = o.dram + gpu->launch.reader_sectors;
        o.fabric = (partitions - 1) * each;
        o.l2 = readers * each + o.fabric + gpu->launch.front_sectors;
        o.l2_hits = o.l2 - partitions * o.dram; /* the first reader of a partition misses */
    }
    add_where_it_runs(gpu, (double)code.far * line, code.places, &o);
    return o;
}

void sm_add_constants(const struct strata_gpu *gpu, const struct constants_used *c, uint64_t blocks,
                      uint32_t sector_bytes, struct other_sectors *o)
{
    double n = 0;
    for (uint32_t i = 0; i < CONSTANT_BLOCKS / 32; i++)
        n += popcount32(c->block[i]);
    if (o->dram)
        add_where_it_runs(gpu, n * gpu->sm.const_fetch_bytes / sector_bytes, blocks, o);
}

/* How often is not known of a launch, only how often it is to be expected. */
void sm_add_background(const struct strata_gpu *gpu, const struct sm_times *t,
                       struct other_sectors *o)
{
    double every = gpu->launch.background_every_us,
           times = every > 0 ? floor(duration_us(gpu, t) / every + 0.5) : 0;
    o->dram += times * gpu->launch.background_dram_reads;
    o->dram_writes += times * gpu->launch.background_dram_writes;
    o->l2 += times * gpu->launch.background_l2_reads;
    o->l2_hits += times * gpu->launch.background_l2_reads;
    o->l2_writes += times * gpu->launch.background_l2_writes;
}

strata_status sm_time_over(const struct strata_launch *launch, struct strata_error *err)
{
    return strata_fail(err, STRATA_ELIMIT, launch->trace, 0, 0,
                       "The launch takes more than %u million cycles, the most that a timed model "
                       "counts; take some of its blocks (strata trace --sample-blocks).",
                       SM_TIME_MOST / 1000000u);
}
