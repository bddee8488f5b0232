/* flow_report.c - the flow model's answer in the profiler's words. */
#include "flow/flow_engine.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "flow/flow_waits.h"
#include "sm/launch_report.h"

static uint32_t gpcs_that_ran(const struct flow_engine *e)
{
    uint64_t ran = 0;
    for (uint32_t s = 0; s < e->memory.n_sms; s++)
        ran |= e->sm_busy[s] ? (uint64_t)1 << e->memory.sm[s].group % 64 : 0;
    return popcount32((uint32_t)ran) + popcount32((uint32_t)(ran >> 32));
}

static void report_counters(struct flow_engine *e, struct strata_result *r)
{
    double active = 0;
    for (uint32_t s = 0; s < e->memory.n_sms; s++)
        active += (double)e->sm_busy[s];
    double slow = e->slow_since < e->end_time ? (double)(e->end_time - e->slow_since) : 0;
    uint64_t drain = sm_launch_drain(e->gpu, e->launch);
    struct sm_times times = {.elapsed_cycles = (double)(e->end_time + drain),
                             .slow_cycles = slow,
                             .active_cycles = active,
                             .n_sms = e->memory.n_sms,
                             .stall_cycles = e->stall_cycles};
    fetch_note_unrun_lines(&e->fetch_all, e->decoder.inst, e->decoder.n);
    e->memory.count.other = sm_other_sectors(
        e->gpu, (struct code_lines){e->fetch_all.n_used, e->fetch_all.n_far, gpcs_that_ran(e)},
        e->state, SM_PROFILER_SECTOR_BYTES);
    sm_add_constants(e->gpu, &e->constants, strata_launch_blocks(e->launch),
                     SM_PROFILER_SECTOR_BYTES, &e->memory.count.other);
    e->memory.count.other.dram += (double)hierarchy_host_lane_reads(&e->memory);
    sm_add_background(e->gpu, &times, &e->memory.count.other);
    sm_report_times(e->gpu, &times, &e->memory.count, r);
    sm_report_async(&e->memory.count, &times, &e->async, r);
    uint64_t conflicts = e->memory.copied_to_shared ? 0 : COUNTED(shared_conflicts);
    launch_counters_report(&e->memory.count, COUNTED_L1 | COUNTED_L2 | COUNTED_DRAM | conflicts,
                           e->gpu->l2.cache.sector_bytes, r);
}

static void report_detail(const struct flow_engine *e, struct strata_result *r)
{
    const struct launch_counters *c = &e->memory.count;
    double n = (double)c->lat_requests;
    strata_result_detail(r, "latency.requests", n);
    strata_result_detail(r, "latency.lsu_cycles", ratio_or_0((double)c->lat_lsu, n));
    strata_result_detail(r, "latency.l2_and_crossbar_cycles", ratio_or_0((double)c->lat_xbar, n));
    strata_result_detail(r, "latency.l2_queue_cycles", ratio_or_0((double)c->lat_l2, n));
    strata_result_detail(r, "latency.partition_link_cycles", ratio_or_0((double)c->lat_fabric, n));
    strata_result_detail(r, "latency.dram_cycles", ratio_or_0((double)c->lat_dram, n));
    strata_result_detail(
        r, "time.launch_cycles",
        (double)(e->gpu->launch.launch_cycles + sm_launch_drain(e->gpu, e->launch)));
    strata_result_detail(r, "time.kernel_cycles",
                         (double)e->end_time - e->gpu->launch.launch_cycles);
    strata_result_detail(r, "coalescer.merged_sectors",
                         packet_sectors(c->merged_sectors, e->gpu->l2.cache.sector_bytes));
    strata_result_detail(r, "dram.row_misses", (double)c->row_misses);
    if (e->gpu->tlb.enabled)
        strata_result_detail(r, "tlb.misses", (double)c->tlb_misses);
    strata_result_detail(r, "l2.atomic_packets", (double)c->l2_atomic);
}

void flow_report(struct flow_engine *e, struct strata_result *r)
{
    report_counters(e, r);
    sm_report_launch(e->launch, &e->occupancy, r);
    report_detail(e, r);
    sm_report_warnings(e->launch, e->unknown_opcodes, e->texture_accesses, r);
}

/* The settings of the model: model.KEY=VALUE on the command line. */
static strata_status read_settings(const struct strata_model_options *opt, struct flow_assembler *a,
                                   uint32_t *waves, struct strata_error *err)
{
    *a = (struct flow_assembler){.schedule = true, .unroll = 4};
    for (const char *const *w = opt->settings; w && *w; w++) {
        unsigned rounds = 0, n = 0;
        char more;
        if (!strcmp(*w, "schedule=on") || !strcmp(*w, "schedule=off"))
            a->schedule = !strcmp(*w, "schedule=on");
        else if (sscanf(*w, "unroll=%u%c", &rounds, &more) == 1 && rounds >= 1 && rounds <= 64)
            a->unroll = rounds;
        else if (sscanf(*w, "waves=%u%c", &n, &more) == 1 && n >= FLOW_WAVES_LEAST &&
                 n <= FLOW_WAVES_MOST)
            *waves = n;
        else
            return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                               "The flow model does not understand \"%s\"; it has "
                               "model.schedule=on or off, model.unroll=1 to 64 and "
                               "model.waves=%d to %d.",
                               *w, FLOW_WAVES_LEAST, FLOW_WAVES_MOST);
    }
    return STRATA_OK;
}

/* What is told of single instructions, and what a launch leaves to the next, is of all its blocks.
 */
static strata_status check_waves(const struct strata_model_options *opt, uint32_t waves,
                                 struct strata_error *err)
{
    if (!waves || !(opt->state || opt->clock || opt->waits))
        return STRATA_OK;
    return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                       "model.waves=%u cannot be followed here: %s; leave it out.", waves,
                       opt->state ? "the next launch begins with what all blocks of this one leave "
                                    "in the caches"
                                  : "what single instructions wait for is asked of all blocks");
}

static void report_waves(struct flow_engine *e, double half_width, struct strata_result *r)
{
    const struct flow_waves *w = &e->waves_only;
    if (!w->over)
        return;
    strata_result_detail(r, "waves.modelled", (double)(w->started / w->per_wave));
    strata_result_detail(r, "waves.half_width_pct",
                         100 * ratio_or_0(half_width, (double)e->end_time));
}

static strata_status run_flow(const struct strata_gpu *gpu, struct strata_reader *reader,
                              const struct strata_model_options *opt, struct strata_result *out,
                              struct strata_error *err)
{
    struct flow_engine e;
    struct flow_assembler assembler;
    struct reader_ahead *ahead = NULL;
    uint32_t waves = 0;
    strata_status st = read_settings(opt, &assembler, &waves, err);
    if (st == STRATA_OK)
        st = check_waves(opt, waves, err);
    /* The first blocks are read while the GPU is set up. A launch that is followed in part is read
     * in part. */
    if (st == STRATA_OK && opt->threads > 1 && !waves)
        ahead = reader_ahead_create(reader);
    if (st == STRATA_OK)
        st = flow_engine_init(&e, gpu, reader, opt->seed, &assembler, opt->state, err);
    if (st != STRATA_OK) {
        reader_ahead_destroy(ahead);
        return st;
    }
    e.ahead = ahead;
    e.clock = opt->clock;
    if (waves)
        flow_waves_init(&e, waves);
    if (opt->waits && !(e.waits = flow_waits_create(opt->waits, e.n_warps)))
        st = strata_no_memory(err, NULL, "for what warps wait for");
    if (st == STRATA_OK)
        st = flow_engine_run(&e);
    if (st == STRATA_OK) {
        double half_width = flow_waves_expand(&e);
        flow_report(&e, out);
        report_waves(&e, half_width, out);
    }
    if (st == STRATA_OK && opt->state)
        st = hierarchy_end(&e.memory, opt->state, &e.code, fetch_lines(&e.fetch_all), err);
    flow_engine_release(&e);
    return st;
}

const struct strata_model strata_model_flow = {
    .name = "flow",
    .summary = "all counters and cycles in one pass; every part answers with a time (the default)",
    .run = run_flow,
    .follows_bulk = true,
    .keeps_state = true,
};
