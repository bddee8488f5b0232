/* The flow model: what it must do with kernels whose behaviour is known, and with each mechanism
 * off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <strata/generate.h>
#include <strata/gpu.h>
#include <strata/result.h>

#include "flow/flow_swaps.h"

static struct strata_gpu h200, gtx470, pascal;

static int load_gpus(void **state)
{
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/gpus", getenv("STRATA_SOURCE"));
    return strata_gpu_add_path(folder, NULL) || strata_gpu_load("h200", &h200, NULL) ||
           strata_gpu_load("gtx470", &gtx470, NULL) || strata_gpu_load("pascal-mdm", &pascal, NULL);
}

/* Runs a model over a generated kernel and returns one metric; `clock`: NULL, or told of issues. */
static double metric_and_issues(const struct strata_gpu *gpu, const char *model, const char *kind,
                                const char *const *settings, uint64_t seed, const char *metric,
                                const struct strata_clock_sink *clock)
{
    struct strata_trace *trace;
    struct strata_reader *reader;
    struct strata_error err;
    struct strata_result result;
    struct strata_model_options opt = {.seed = seed, .threads = 1, .clock = clock};
    if (strata_generate(kind, settings, &trace, &err))
        fail_msg("%s", err.message);
    assert_int_equal(strata_reader_open(trace, 0, &reader, &err), STRATA_OK);
    assert_int_equal(strata_result_init(&result, strata_trace_launch(trace, 0), &err), STRATA_OK);
    if (strata_model_find(model)->run(gpu, reader, &opt, &result, &err))
        fail_msg("%s", err.message);
    double value = -1;
    assert_true(strata_result_get(&result, metric, &value));
    strata_result_release(&result);
    strata_reader_close(reader);
    strata_trace_close(trace);
    return value;
}

static double metric_by(const struct strata_gpu *gpu, const char *model, const char *kind,
                        const char *const *settings, uint64_t seed, const char *metric)
{
    return metric_and_issues(gpu, model, kind, settings, seed, metric, NULL);
}

static double metric_of(const struct strata_gpu *gpu, const char *kind, const char *const *settings,
                        uint64_t seed, const char *metric)
{
    return metric_by(gpu, "flow", kind, settings, seed, metric);
}

#define LD  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
#define L2R "lts__t_sectors_srcunit_tex_op_read"

/* A swap that follows another of its warp fails if another group of warps has swapped the word in
 * between; what it found then is what it has read. */
static void a_swap_fails_if_its_word_was_changed_since(void **state)
{
    (void)state;
    struct flow_swaps s = {0};
    assert_true(flow_swaps_begin(&s, 4));
    assert_true(flow_swap_takes(&s, 0, 7, 4096, 100));
    assert_true(flow_swap_takes(&s, 1, 8, 4096, 110));  /* its first: it may have read just now */
    assert_false(flow_swap_takes(&s, 0, 7, 4096, 700)); /* 8 came in between */
    assert_true(flow_swap_takes(&s, 2, 7, 4096, 800));
    assert_true(flow_swap_takes(&s, 0, 7, 4096, 1300)); /* of its own group */
    assert_false(flow_swap_takes(&s, 1, 8, 4096, 1400));
    assert_true(flow_swap_takes(&s, 1, 8, 8192, 1500)); /* another word */
    assert_true(flow_swap_takes(&s, 1, 9, 4096, 1600)); /* another block is there now */
    flow_swap_reads(&s, 3, 10, 4096, 1650);
    assert_true(flow_swap_takes(&s, 3, 10, 4096, 1700)); /* nobody since it was loaded */
    flow_swap_reads(&s, 0, 11, 4096, 1690);
    assert_false(flow_swap_takes(&s, 0, 11, 4096, 1800)); /* 10 came in between */
    flow_swap_reads(&s, 2, 12, 8192, 1750);
    assert_true(flow_swap_takes(&s, 2, 12, 4096, 1850)); /* loaded another word */
    flow_swaps_release(&s);
}

static void a_stream_is_read_once_from_dram_and_never_hits(void **state)
{
    (void)state;
    const char *const s[] = {"elements=262144", NULL};
    double sectors = metric_of(&h200, "stream", s, 1, LD ".sum");
    assert_true(sectors > 0);
    assert_true(metric_of(&h200, "stream", s, 1, LD "_lookup_hit.sum") == 0);
    double dram = metric_of(&h200, "stream", s, 1, "dram__sectors_read.sum");
    /* besides the data: code and what every launch reads */
    assert_true(dram >= sectors && dram < sectors + 400);
}

static void a_broadcast_is_fetched_once_per_sm_at_most(void **state)
{
    (void)state;
    double returned =
        metric_of(&h200, "broadcast", NULL, 1, "l1tex__m_xbar2l1tex_read_sectors.sum");
    double served = metric_of(&h200, "broadcast", NULL, 1, L2R ".sum");
    assert_true(served <= returned);
}

static void without_the_coalescer_the_l2_serves_what_the_l1s_get(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    g.xbar.request_coalescer_window_cycles = 0;
    g.xbar.coalescer_return_cycles = 0;
    double returned = metric_of(&g, "matmul", NULL, 1, "l1tex__m_xbar2l1tex_read_sectors.sum");
    assert_true(returned > 0);
    assert_true(metric_of(&g, "matmul", NULL, 1, L2R ".sum") == returned);
    assert_true(metric_of(&h200, "matmul", NULL, 1, L2R ".sum") < returned);
}

static void without_partitions_nothing_crosses_the_link(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    g.l2.partitions = 1;
    assert_true(metric_of(&g, "stream", NULL, 1, "lts__t_sectors_srcunit_ltcfabric.sum") == 0);
    assert_true(metric_of(&h200, "stream", NULL, 1, "lts__t_sectors_srcunit_ltcfabric.sum") > 0);
}

/* Code and what comes with it: once from DRAM, once over the link, once for each cluster of SMs. */
static void clusters_of_sms_read_the_code_each_by_itself(void **state)
{
    (void)state;
    static const char read[] = "lts__t_sectors_op_read.sum", dram[] = "dram__sectors_read.sum";
    struct strata_gpu none = h200, more = h200;
    none.launch.code_readers = 0;
    more.launch.dram_sectors += 10;
    double before = metric_of(&none, "stream", NULL, 1, read),
           counted = metric_of(&h200, "stream", NULL, 1, read);
    assert_true(counted > before);
    assert_true(metric_of(&more, "stream", NULL, 1, read) == counted + 9 * 10);
    struct strata_gpu constants = h200;
    constants.launch.reader_sectors += 10;
    constants.launch.front_sectors += 1;
    assert_true(metric_of(&constants, "stream", NULL, 1, read) == counted + 9 * 10 + 1);
    assert_true(metric_of(&constants, "stream", NULL, 1, dram) ==
                metric_of(&h200, "stream", NULL, 1, dram));
    assert_true(metric_of(&none, "stream", NULL, 1, dram) ==
                metric_of(&h200, "stream", NULL, 1, dram));
}

/* What the card does by itself depends on the time of a launch alone, to the nearest whole number.
 */
static void the_card_moves_data_of_its_own_from_time_to_time(void **state)
{
    (void)state;
    static const char written[] = "dram__sectors_write.sum", time[] = "gpu__time_duration.sum";
    struct strata_gpu quiet = h200, busy = h200;
    double us = metric_of(&h200, "stream", NULL, 1, time) / 1000;
    quiet.launch.background_every_us = 0;
    double before = metric_of(&quiet, "stream", NULL, 1, written);
    assert_true(metric_of(&h200, "stream", NULL, 1, written) == before);
    busy.launch.background_every_us = us / 3.4;
    assert_true(metric_of(&busy, "stream", NULL, 1, written) ==
                before + 3.0 * h200.launch.background_dram_writes);
    busy.launch.background_every_us = us / 0.4;
    assert_true(metric_of(&busy, "stream", NULL, 1, written) == before);
    assert_true(metric_of(&busy, "stream", NULL, 1, time) / 1000 == us);
}

static void with_32_byte_fetches_a_miss_is_one_sector(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    g.l2.fetch_bytes = 32;
    const char *const s[] = {"elements=65536", "table=16MiB", NULL};
    double narrow = metric_of(&g, "gather", s, 1, "dram__sectors_read.sum");
    assert_true(narrow < metric_of(&h200, "gather", s, 1, "dram__sectors_read.sum"));
}

static void an_infinitely_fast_dram_is_not_slower(void **state)
{
    (void)state;
    struct strata_gpu g = h200;
    g.dram.access_cycles = 0;
    g.dram.row_miss_cycles = 0;
    g.dram.tREFI = 0;
    assert_true(metric_of(&g, "stream", NULL, 1, "sm__cycles_elapsed.max") <
                metric_of(&h200, "stream", NULL, 1, "sm__cycles_elapsed.max"));
}

/* Waiting for an MSHR and waiting for the DRAM are the same time, not one after the other: the
 * clocked model, in which nothing can be counted twice, agrees from four MSHRs to more than are
 * needed (by the mean over SMs: which SM gets the last block is chance). */
static void with_any_number_of_mshrs_a_gather_takes_what_the_clocked_model_says(void **state)
{
    (void)state;
    const char *const s[] = {"elements=65536", NULL};
    struct strata_gpu g = pascal;
    for (g.l1.mshrs = 4; g.l1.mshrs <= 256; g.l1.mshrs *= 8) {
        double flow = metric_by(&g, "flow", "gather", s, 1, "sm__cycles_active.avg");
        double sim = metric_by(&g, "sim", "gather", s, 1, "sm__cycles_active.avg");
        if (flow < 0.9 * sim || flow > 1.1 * sim)
            fail_msg("%u MSHRs: flow %g cycles, sim %g", g.l1.mshrs, flow, sim);
    }
}

/* 32 lines of one set of six ways, all in the L2 after the first round: six are under way at a
 * time, not 128. */
static void a_miss_that_reserves_its_line_waits_for_a_line_of_its_set(void **state)
{
    (void)state;
    const char *const s[] = {"stride=8192", "span=262144", "iterations=32",
                             "blocks=1",    "threads=64",  NULL};
    struct strata_gpu g = pascal;
    g.l1.cache.index_hash = STRATA_INDEX_LINEAR;
    double flow = metric_by(&g, "flow", "strided", s, 1, "sm__cycles_elapsed.max");
    double sim = metric_by(&g, "sim", "strided", s, 1, "sm__cycles_elapsed.max");
    g.l1.allocate = STRATA_ALLOC_ON_FILL;
    double free = metric_by(&g, "flow", "strided", s, 1, "sm__cycles_elapsed.max");
    if (flow < 0.8 * sim || flow > 1.2 * sim || flow < 2 * free)
        fail_msg("flow %g cycles, sim %g, flow without reservation %g", flow, sim, free);
}

static void the_policy_for_write_misses_decides_what_dram_reads(void **state)
{
    (void)state;
    const char *const s[] = {"width=64", NULL}, *const models[] = {"flow", "reuse", "sim"};
    for (unsigned i = 0; i < 3; i++) {
        struct strata_gpu g = h200;
        double read[3];
        for (g.l2.write_miss = 0; g.l2.write_miss < 3; g.l2.write_miss++)
            read[g.l2.write_miss] =
                metric_by(&g, models[i], "column-copy", s, 1, "dram__sectors_read.sum");
        double sectors = 256 * 64 * 4 / 32; /* written; each is fetched, and nothing else changes */
        if (read[STRATA_FETCH_ON_WRITE] != read[STRATA_WRITE_VALIDATE] + sectors)
            fail_msg("%s: %g sectors read, %g without fetches", models[i],
                     read[STRATA_FETCH_ON_WRITE], read[STRATA_WRITE_VALIDATE]);
        assert_true(read[STRATA_LAZY_FETCH_ON_READ] ==
                    read[STRATA_WRITE_VALIDATE]); /* nothing written is read */
    }
}

static double gather_by(const char *model, const char *metric)
{
    const char *const s[] = {"elements=16384", NULL};
    struct strata_gpu g = pascal;
    g.coalesce.rule = STRATA_COALESCE_SECTOR; /* by which reuse has all counters */
    return metric_by(&g, model, "gather", s, 1, metric);
}

/* Lines of 128 bytes without sectors, in all three models. */
static void sectors_have_32_bytes_where_caches_have_none(void **state)
{
    (void)state;
    static const char *const metrics[] = {
        L2R ".sum", "lts__t_sectors_op_write.sum", "l1tex__m_xbar2l1tex_read_sectors.sum",
        "l1tex__m_l1tex2xbar_write_sectors.sum", "dram__sectors_read.sum"};
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        double flow = gather_by("flow", metrics[i]), reuse = gather_by("reuse", metrics[i]),
               sim = gather_by("sim", metrics[i]);
        if (flow < 0.98 * sim || flow > 1.02 * sim || reuse < 0.98 * sim || reuse > 1.02 * sim)
            fail_msg("%s: flow %g, reuse %g, sim %g", metrics[i], flow, reuse, sim);
    }
}

static void a_dependent_chain_takes_its_latencies(void **state)
{
    (void)state;
    /* One warp, one load after another, all in DRAM once: cycles per load are near the sum of the
     * L2's and the DRAM's latencies (probe cold_latency: 558 near, 737 far, 690 on average). */
    const char *const s[] = {"bytes=16MiB", "stride=4224", "iterations=2048", NULL};
    double cycles = metric_of(&h200, "chase", s, 1, "sm__cycles_elapsed.max");
    double per_load = (cycles - 3000) / 2048;
    assert_true(per_load > 560 && per_load < 800);
}

static void a_tlb_of_few_pages_slows_a_chase_over_many(void **state)
{
    (void)state;
    struct strata_gpu flat = h200, g;
    const char *const s[] = {"bytes=256MiB", "stride=2097280", "iterations=1024", NULL};
    flat.l1.enabled = false; /* the few lines of the walk would stay in it */
    g = flat;
    g.tlb.enabled = true;
    g.tlb.page_bytes = 2 << 20;
    g.tlb.l1 = (struct strata_cache_config){
        .size_bytes = 16ull << 21, .line_bytes = 2 << 20, .sector_bytes = 2 << 20};
    g.tlb.l2 = (struct strata_cache_config){
        .size_bytes = 64ull << 21, .line_bytes = 2 << 20, .sector_bytes = 2 << 20};
    g.tlb.l1_miss_cycles = 100;
    g.tlb.l2_miss_cycles = 400;
    double without = metric_of(&flat, "chase", s, 1, "sm__cycles_elapsed.max");
    double with = metric_of(&g, "chase", s, 1, "sm__cycles_elapsed.max");
    assert_true(with > without + 1024 * 300.0);
    g.tlb.l1.size_bytes = g.tlb.l2.size_bytes =
        1024ull << 21; /* every page fits: only first touches miss */
    assert_true(metric_of(&g, "chase", s, 1, "sm__cycles_elapsed.max") < without + 200 * 600.0);
}

/* Every SM writes, and the port alone limits it: two SMs at one port take twice as
 * long. */
static void sms_of_a_pair_share_the_port_for_stores(void **state)
{
    (void)state;
    static const char *const models[] = {"flow", "sim"};
    const char *const s[] = {"elements=540672", "reads=0", NULL};
    for (unsigned i = 0; i < 2; i++) {
        struct strata_gpu own = h200, shared;
        own.xbar.request_bytes_per_cycle_per_sm = 2;
        own.xbar.port_sms = 1;
        shared = own;
        shared.xbar.port_sms = 2;
        double alone = metric_by(&own, models[i], "stream", s, 1, "sm__cycles_active.avg");
        double paired = metric_by(&shared, models[i], "stream", s, 1, "sm__cycles_active.avg");
        assert_true(paired > 1.7 * alone && paired < 2.1 * alone);
    }
}

enum { ISSUE_WARPS = 8, ISSUE_CYCLES = 1 << 16 };
struct issues {
    uint64_t last[ISSUE_WARPS];
    uint8_t taken[4][ISSUE_CYCLES]; /* by scheduler */
    uint64_t n, in_a_row;           /* all; those in the cycle after the warp's own last */
};

static void note_issue(void *context, uint64_t block, uint32_t warp, uint64_t cycle)
{
    struct issues *q = context;
    assert_true(block == 0 && warp < ISSUE_WARPS && cycle < ISSUE_CYCLES);
    assert_true(!q->n || !q->last[warp] || cycle > q->last[warp]);
    assert_int_equal(q->taken[warp % 4][cycle]++, 0);
    q->in_a_row += cycle == q->last[warp] + 1;
    q->last[warp] = cycle;
    q->n++;
}

/* A warp runs ahead of the clock only while its scheduler is its own: no scheduler issues twice in
 * a cycle, and a warp's instructions keep their order, however far it ran. */
static void a_warp_that_runs_ahead_takes_no_cycle_of_another(void **state)
{
    (void)state;
    static const char *const s[] = {"m=16", "n=16", "k=64", "tile=16", NULL}; /* two a scheduler */
    struct issues *q = calloc(1, sizeof *q);
    struct strata_clock_sink clock = {q, note_issue};
    assert_non_null(q);
    double n =
        metric_and_issues(&h200, "flow", "matmul-tiled", s, 1, "smsp__inst_executed.sum", &clock);
    assert_true(q->n == (uint64_t)n && q->in_a_row > 0);
    free(q);
}

struct leaving { /* when each warp first went on after more than half of a barrier's time */
    uint64_t last[ISSUE_WARPS], left[ISSUE_WARPS];
};
enum { BARRIER_WARP_CYCLES = 20000 };

static void note_leaving(void *context, uint64_t block, uint32_t warp, uint64_t cycle)
{
    struct leaving *q = context;
    assert_true(block == 0 && warp < ISSUE_WARPS);
    if (!q->left[warp] && q->last[warp] && cycle > q->last[warp] + BARRIER_WARP_CYCLES / 2)
        q->left[warp] = cycle;
    q->last[warp] = cycle;
}

/* turn_probe.cu: stores of four warps of one scheduler after a barrier meet as if each began two
 * stores after the one before; probe lat_bar: a barrier takes 1.95 cycles for each warp. */
static void warps_leave_a_barrier_one_after_another(void **state)
{
    (void)state;
    static const char *const s[] = {"m=16", "n=16", "k=64", "tile=16", NULL};
    struct strata_gpu g = h200;
    g.sm.barrier_warp_cycles = BARRIER_WARP_CYCLES;
    struct leaving q = {{0}, {0}};
    struct strata_clock_sink clock = {&q, note_leaving};
    metric_and_issues(&g, "flow", "matmul-tiled", s, 1, "smsp__inst_executed.sum", &clock);
    for (int w = 1; w < ISSUE_WARPS; w++)
        assert_in_range(q.left[w] - q.left[w - 1], BARRIER_WARP_CYCLES - 500,
                        BARRIER_WARP_CYCLES + 500);
}

struct begins { /* of the second block's warps */
    uint64_t at[ISSUE_WARPS];
};

static void note_begin(void *context, uint64_t block, uint32_t warp, uint64_t cycle)
{
    struct begins *q = context;
    assert_true(warp < ISSUE_WARPS);
    if (block == 1 && !q->at[warp])
        q->at[warp] = cycle;
}

/* waves_probe.cu: blocks of 32 warps that do nothing follow one another 66 cycles later than those
 * of one. */
static void warps_of_a_block_in_a_freed_place_begin_one_after_another(void **state)
{
    (void)state;
    enum { APART = 1000 };
    static const char *const s[] = {"m=32", "n=16", "k=64", "tile=16", NULL}; /* two blocks */
    struct strata_gpu g = h200;
    struct begins q = {{0}};
    struct strata_clock_sink clock = {&q, note_begin};
    g.sm.count = g.sm.max_blocks = 1;
    g.launch.next_warp_cycles = APART;
    metric_and_issues(&g, "flow", "matmul-tiled", s, 1, "smsp__inst_executed.sum", &clock);
    for (int w = 1; w < ISSUE_WARPS; w++)
        assert_in_range(q.at[w] - q.at[w - 1], APART - 100, APART + 100);
}

/* A block keeps its place until its stores have left the SM (waves_probe.cu, store); one that only
 * loads does not. */
static void blocks_keep_their_places_until_their_stores_have_left(void **state)
{
    (void)state;
    enum { LONG = 5000 };
    static const char *const stores[] = {"elements=540672", "reads=0", NULL}; /* two waves */
    static const char *const loads[] = {"bytes=1MiB", "iterations=64", "blocks=4", NULL};
    struct strata_gpu g = h200;
    g.l1.store_idle_cycles = g.l1.store_wait_cycles = LONG;
    double soon = metric_of(&h200, "stream", stores, 1, "sm__cycles_active.avg"),
           late = metric_of(&g, "stream", stores, 1, "sm__cycles_active.avg");
    assert_true(late > soon + 2 * (LONG - 200));
    assert_true(metric_of(&h200, "chase", loads, 1, "sm__cycles_active.avg") ==
                metric_of(&g, "chase", loads, 1, "sm__cycles_active.avg"));
}

/* branch_probe.cu, barrier: the blocks of an SM have one way out of their barriers, on which a
 * block follows another after sm.barrier_block. */
static void blocks_of_an_sm_leave_their_barriers_one_after_another(void **state)
{
    (void)state;
    static const char *const s[] = {"m=32", "n=16", "k=64", "tile=16", NULL}; /* two blocks */
    struct strata_gpu g = h200;
    double apart, together, behind;
    g.sm.barrier_warp_cycles = BARRIER_WARP_CYCLES;
    apart = metric_of(&g, "matmul-tiled", s, 1, "sm__cycles_elapsed.max");
    g.sm.count = 1;
    together = metric_of(&g, "matmul-tiled", s, 1, "sm__cycles_elapsed.max");
    g.sm.barrier_block_cycles = 1000;
    behind = metric_of(&g, "matmul-tiled", s, 1, "sm__cycles_elapsed.max");
    assert_true(together > 1.8 * apart && together < 2.1 * apart);
    assert_true(behind > together + 1000);
}

static void the_same_seed_gives_the_same_numbers_and_the_fermi_runs_too(void **state)
{
    (void)state;
    double a = metric_of(&h200, "stencil2d", NULL, 7, "sm__cycles_elapsed.max");
    assert_true(a == metric_of(&h200, "stencil2d", NULL, 7, "sm__cycles_elapsed.max"));
    assert_true(metric_of(&gtx470, "stencil2d", NULL, 7, "sm__cycles_elapsed.max") > 0);
    assert_true(metric_of(&gtx470, "column-copy", NULL, 7, LD ".sum") > 0);
}

/* What a launch says of itself when it is predicted from some of its waves, and whole. */
struct answer {
    double cycles, dram_read, instructions, half_width, waves;
};
static void predict_waves(const struct strata_gpu *gpu, const char *waves,
                          const char *const *settings, struct answer *out)
{
    struct strata_trace *trace;
    struct strata_reader *reader;
    struct strata_error err;
    struct strata_result r;
    const char *const words[] = {waves, NULL};
    struct strata_model_options opt = {.seed = 1, .threads = 1, .settings = waves ? words : NULL};
    assert_int_equal(strata_generate("stream", settings, &trace, &err), STRATA_OK);
    assert_int_equal(strata_reader_open(trace, 0, &reader, &err), STRATA_OK);
    assert_int_equal(strata_result_init(&r, strata_trace_launch(trace, 0), &err), STRATA_OK);
    if (strata_model_find("flow")->run(gpu, reader, &opt, &r, &err))
        fail_msg("%s", err.message);
    memset(out, 0, sizeof *out);
    assert_true(strata_result_get(&r, "sm__cycles_elapsed.max", &out->cycles));
    assert_true(strata_result_get(&r, "dram__sectors_read.sum", &out->dram_read));
    assert_true(strata_result_get(&r, "smsp__inst_executed.sum", &out->instructions));
    for (size_t i = 0; i < r.n_details; i++) {
        if (!strcmp(r.detail[i].path, "waves.half_width_pct"))
            out->half_width = r.detail[i].value / 100;
        if (!strcmp(r.detail[i].path, "waves.modelled"))
            out->waves = r.detail[i].value;
    }
    strata_result_release(&r);
    strata_reader_close(reader);
    strata_trace_close(trace);
}

static void a_long_launch_is_what_its_settled_waves_say(void **state)
{
    (void)state;
    const char *const elements[] = {"elements=524288", NULL};
    struct strata_gpu few = h200;
    struct answer whole, some;
    few.sm.count = 4; /* 2048 blocks are 64 waves */
    predict_waves(&few, NULL, elements, &whole);
    predict_waves(&few, "waves=8", elements, &some);
    assert_true(whole.waves == 0 && some.waves >= 10 && some.waves < 20);
    assert_true(some.half_width > 0.002 && some.half_width < 0.06);
    double off = some.cycles / whole.cycles - 1;
    assert_true(off < some.half_width && -off < some.half_width);
    assert_true(some.instructions == whole.instructions);
    assert_true(some.dram_read > 0.95 * whole.dram_read && some.dram_read < 1.05 * whole.dram_read);
}

/* Who asks after single instructions asks after all blocks. */
static void waves_are_refused_where_instructions_are_told(void **state)
{
    (void)state;
    const char *const elements[] = {"elements=4096", NULL}, *const words[] = {"waves=8", NULL};
    struct strata_clock_sink clock = {0};
    struct strata_model_options opt = {.seed = 1, .threads = 1, .settings = words, .clock = &clock};
    struct strata_trace *trace;
    struct strata_reader *reader;
    struct strata_error err;
    struct strata_result r;
    assert_int_equal(strata_generate("stream", elements, &trace, &err), STRATA_OK);
    assert_int_equal(strata_reader_open(trace, 0, &reader, &err), STRATA_OK);
    assert_int_equal(strata_result_init(&r, strata_trace_launch(trace, 0), &err), STRATA_OK);
    assert_int_equal(strata_model_find("flow")->run(&h200, reader, &opt, &r, &err),
                     STRATA_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "model.waves=8"));
    strata_result_release(&r);
    strata_reader_close(reader);
    strata_trace_close(trace);
}

/* An L2 that fills up, and begins to evict and to write back, only after half of the launch. */
static void a_launch_whose_l2_still_fills_has_not_settled(void **state)
{
    (void)state;
    const char *const elements[] = {"elements=524288", NULL};
    struct strata_gpu few = h200;
    struct answer whole, some;
    few.sm.count = 4;
    few.l2.cache.size_bytes = 3 << 20; /* of 4 MB that are touched */
    predict_waves(&few, NULL, elements, &whole);
    predict_waves(&few, "waves=8", elements, &some);
    assert_true(!some.waves || some.waves > 32);
    double off = some.cycles / whole.cycles - 1;
    assert_true(off <= some.half_width && -off <= some.half_width);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_swap_fails_if_its_word_was_changed_since),
        cmocka_unit_test(a_stream_is_read_once_from_dram_and_never_hits),
        cmocka_unit_test(a_broadcast_is_fetched_once_per_sm_at_most),
        cmocka_unit_test(without_the_coalescer_the_l2_serves_what_the_l1s_get),
        cmocka_unit_test(without_partitions_nothing_crosses_the_link),
        cmocka_unit_test(clusters_of_sms_read_the_code_each_by_itself),
        cmocka_unit_test(the_card_moves_data_of_its_own_from_time_to_time),
        cmocka_unit_test(with_32_byte_fetches_a_miss_is_one_sector),
        cmocka_unit_test(an_infinitely_fast_dram_is_not_slower),
        cmocka_unit_test(with_any_number_of_mshrs_a_gather_takes_what_the_clocked_model_says),
        cmocka_unit_test(a_miss_that_reserves_its_line_waits_for_a_line_of_its_set),
        cmocka_unit_test(the_policy_for_write_misses_decides_what_dram_reads),
        cmocka_unit_test(sectors_have_32_bytes_where_caches_have_none),
        cmocka_unit_test(a_dependent_chain_takes_its_latencies),
        cmocka_unit_test(a_tlb_of_few_pages_slows_a_chase_over_many),
        cmocka_unit_test(sms_of_a_pair_share_the_port_for_stores),
        cmocka_unit_test(a_warp_that_runs_ahead_takes_no_cycle_of_another),
        cmocka_unit_test(warps_leave_a_barrier_one_after_another),
        cmocka_unit_test(warps_of_a_block_in_a_freed_place_begin_one_after_another),
        cmocka_unit_test(blocks_keep_their_places_until_their_stores_have_left),
        cmocka_unit_test(blocks_of_an_sm_leave_their_barriers_one_after_another),
        cmocka_unit_test(a_long_launch_is_what_its_settled_waves_say),
        cmocka_unit_test(waves_are_refused_where_instructions_are_told),
        cmocka_unit_test(a_launch_whose_l2_still_fills_has_not_settled),
        cmocka_unit_test(the_same_seed_gives_the_same_numbers_and_the_fermi_runs_too),
    };
    return cmocka_run_group_tests(tests, load_gpus, NULL);
}
