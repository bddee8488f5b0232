/* sim_report.c - the clocked model's answer in the profiler's words, and the model's entry. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/sim_state.h"
#include "sim/sim_engine.h"
#include "sm/launch_report.h"

static void add_sm(struct sim_sm_counters *sum, const struct sim_sm_counters *one)
{
    launch_counters_add(&sum->n, &one->n);
    sum->unknown_opcodes += one->unknown_opcodes;
    sum->texture_accesses += one->texture_accesses;
    sum->async_copies += one->async_copies;
    for (int s = 0; s < SM_N_STALLS; s++)
        sum->stall_cycles[s] += one->stall_cycles[s];
    sum->ld_inflight_hits += one->ld_inflight_hits;
    sum->reservation_failures += one->reservation_failures;
    sum->mshr_stall_cycles += one->mshr_stall_cycles;
    sum->requests += one->requests;
    sum->replies += one->replies;
    sum->lat_total += one->lat_total;
}

static void report_times(const struct sim_engine *e, const struct sim_sm_counters *c,
                         struct strata_result *r)
{
    uint64_t drain = sm_launch_drain(e->gpu, e->shared.launch);
    struct sm_times times = {.elapsed_cycles = (double)(e->end_time + drain),
                             .n_sms = e->n_sms,
                             .stall_cycles = c->stall_cycles};
    for (uint32_t s = 0; s < e->n_sms; s++)
        times.active_cycles += (double)e->sm[s].busy;
    sm_report_times(e->gpu, &times, &c->n, r);
    struct sm_async_totals async = {0};
    for (uint32_t s = 0; s < e->n_sms; s++)
        sm_async_totals_add(&async, &e->sm[s].async.totals);
    sm_report_async(&c->n, &times, &async, r);
}

static void report_l1(const struct strata_gpu *g, const struct sim_sm_counters *c,
                      struct strata_result *r)
{
    struct launch_counters n = c->n;
    n.ld_hits += g->l1.inflight_counts_as_hit ? c->ld_inflight_hits : 0;
    /* where asynchronous copies write in shared memory is in no trace */
    uint64_t counted = COUNTED_L1 | (c->async_copies ? 0 : COUNTED(shared_conflicts));
    launch_counters_report(&n, counted, SIM_SECTOR_BYTES, r);
}

/* Lines that come in though nobody runs them, among those of the first SM. */
static void note_unrun_lines(struct sim_engine *e)
{
    const struct sm_decoder *d = &e->shared.decoder;
    uint8_t *used = e->sm[0].fetch_used;
    for (uint32_t s = 1; s < e->n_sms; s++)
        for (uint32_t l = 0; l < FETCH_MAX_LINES; l++)
            used[l] |= e->sm[s].fetch_used[l];
    for (uint32_t i = d->n; i-- > 0;)
        if (fetch_comes_unrun(&e->shared.fetch, used, d->inst[i].fetch_line))
            used[d->inst[i].fetch_line % FETCH_MAX_LINES] = 1;
}

static struct code_lines count_code_lines(const struct sim_engine *e)
{
    struct code_lines lines = {.places = strata_launch_blocks(e->shared.launch)};
    for (uint32_t l = 0; l < FETCH_MAX_LINES; l++) {
        bool used = false;
        for (uint32_t s = 0; s < e->n_sms && !used; s++)
            used = e->sm[s].fetch_used[l];
        used = used && !e->shared.fetch.used[l]; /* those the L2 had are not brought in */
        lines.all += used;
        lines.far += used && fetch_is_far(&e->shared.fetch, l);
    }
    return lines;
}

/* Lines up to the highest that was executed. */
static uint32_t code_length(const struct sim_engine *e)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < e->n_sms; s++)
        for (uint32_t l = n; l < FETCH_MAX_LINES; l++)
            n = e->sm[s].fetch_used[l] ? l + 1 : n;
    return n;
}

/* Where the time of a load that left the SM went (figure 1 of paper 001); the memory side adds its
 * parts. */
static void report_latency(const struct sim_sm_counters *c, struct strata_result *r)
{
    double n = (double)c->n.lat_requests;
    strata_result_detail(r, "latency.requests", n);
    strata_result_detail(r, "latency.total_cycles", ratio_or_0((double)c->lat_total, n));
    strata_result_detail(r, "latency.mshr_cycles", ratio_or_0((double)c->n.lat_lsu, n));
}

static void report_detail(const struct sim_engine *e, const struct sim_sm_counters *c,
                          struct strata_result *r)
{
    report_latency(c, r);
    strata_result_detail(r, "l1.inflight_hit_sectors", (double)c->ld_inflight_hits);
    strata_result_detail(r, "l1.reservation_failures", (double)c->reservation_failures);
    strata_result_detail(r, "l1.mshr_stall_cycles", (double)c->mshr_stall_cycles);
    strata_result_detail(
        r, "time.launch_cycles",
        (double)(e->gpu->launch.launch_cycles + sm_launch_drain(e->gpu, e->shared.launch)));
    strata_result_detail(r, "time.kernel_cycles",
                         (double)e->end_time - e->gpu->launch.launch_cycles);
    strata_result_detail(r, "packets.requests", (double)c->requests);
    strata_result_detail(r, "packets.replies", (double)c->replies);
    if (!e->tlb.enabled)
        return;
    strata_result_detail(r, "tlb.first_level_misses", (double)c->n.tlb_misses);
    strata_result_detail(r, "tlb.page_walks", (double)e->tlb.walks);
}

void sim_report(const struct sim_engine *e, struct strata_result *r)
{
    struct sim_sm_counters sum = {0};
    for (uint32_t s = 0; s < e->n_sms; s++)
        add_sm(&sum, &e->sm[s].count);
    report_times(e, &sum, r);
    report_l1(e->gpu, &sum, r);
    uint64_t elapsed = e->end_time + sm_launch_drain(e->gpu, e->shared.launch);
    struct other_sectors other =
        sm_other_sectors(e->gpu, count_code_lines(e), e->state, e->gpu->l2.cache.sector_bytes);
    struct constants_used constants = e->sm[0].constants;
    for (uint32_t s = 1; s < e->n_sms; s++)
        constants_merge(&constants, &e->sm[s].constants);
    sm_add_constants(e->gpu, &constants, strata_launch_blocks(e->shared.launch),
                     e->gpu->l2.cache.sector_bytes, &other);
    sm_add_background(e->gpu, &(struct sm_times){.elapsed_cycles = (double)elapsed}, &other);
    sim_memside_report(e->memside, elapsed, other, r);
    sm_report_launch(e->shared.launch, &e->shared.occupancy, r);
    report_detail(e, &sum, r);
    sm_report_warnings(e->shared.launch, sum.unknown_opcodes, sum.texture_accesses, r);
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
        return strata_no_memory(err, NULL, "for the clocked model");
    strata_status st = sim_engine_init(e, gpu, reader, opt, err);
    if (st == STRATA_OK) {
        st = sim_engine_run(e, err);
        if (st == STRATA_OK) {
            note_unrun_lines(e);
            sim_report(e, out);
        }
        if (st == STRATA_OK)
            st = sim_state_end(e, opt->state, code_length(e), err);
        sim_engine_release(e);
    }
    free(e);
    return st;
}

const struct strata_model strata_model_sim = {
    .name = "sim",
    .summary = "clocked: SMs, caches, crossbar and DRAM cycle by cycle, for changing the hardware",
    .run = run_sim,
    .follows_bulk = true,
    .keeps_state = true,
};
