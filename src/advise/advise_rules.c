/* advise_rules.c - the table of rules.
 *
 * Thresholds say when a second run is worth its time, not whether there is a finding: the run
 * decides that. They are shares of the launch itself, so that no size of program or GPU is special.
 */
#include "advise/advise_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define STALLED(why) "smsp__average_warps_issue_stalled_" why "_per_issue_active.ratio"

bool advise_get(const struct advise_facts *f, const char *metric, double *value)
{
    return strata_result_get(f->result, metric, value);
}

void advise_add_evidence(struct strata_finding *out, const char *name, double value,
                         const char *unit)
{
    if (!ARRAY_RESERVE(out->evidence, out->n_evidence, out->cap_evidence, 1))
        return;
    struct strata_evidence e = {strdup(name), value, strdup(unit)};
    if (e.name && e.unit) {
        out->evidence[out->n_evidence++] = e;
        return;
    }
    free(e.name);
    free(e.unit);
}

/* A counter of the result, under its own name. */
static void cite(const struct advise_facts *f, struct strata_finding *out, const char *metric)
{
    double value;
    const struct strata_metric *m = strata_metric_find(metric);
    if (advise_get(f, metric, &value))
        advise_add_evidence(out, metric, value, m ? m->unit : "");
}

static double detail(const struct advise_facts *f, const char *path)
{
    for (size_t i = 0; i < f->result->n_details; i++)
        if (!strcmp(f->result->detail[i].path, path))
            return f->result->detail[i].value;
    return 0;
}

/* Share of the warps' waiting that is for these reasons. */
static double waiting_for(const struct advise_facts *f, const char *const *reasons)
{
    static const char *const all[] = {
        STALLED("long_scoreboard"),    STALLED("short_scoreboard"), STALLED("lg_throttle"),
        STALLED("mio_throttle"),       STALLED("barrier"),          STALLED("wait"),
        STALLED("math_pipe_throttle"), STALLED("membar"),           STALLED("no_instruction"),
        STALLED("branch_resolving"),   STALLED("not_selected"),     NULL};
    double part = 0, sum = 0, value;
    for (size_t i = 0; all[i]; i++)
        sum += advise_get(f, all[i], &value) ? value : 0;
    for (size_t i = 0; reasons[i]; i++)
        part += advise_get(f, reasons[i], &value) ? value : 0;
    return sum > 0 ? part / sum : 0;
}

/* ---- sites ---- */

static bool is_atomic(const struct strata_site *x)
{
    return x->inst->memop == STRATA_MEM_ATOMIC || x->inst->memop == STRATA_MEM_REDUCTION;
}

static uint64_t scattered_load(const struct strata_site *x)
{
    bool reads = x->inst->memop == STRATA_MEM_LOAD || x->inst->memop == STRATA_MEM_ASYNC_COPY;
    return reads && x->inst->space == STRATA_SPACE_GLOBAL ? strata_site_beyond(x) : 0;
}

static uint64_t scattered_store(const struct strata_site *x)
{
    return x->inst->memop == STRATA_MEM_STORE && x->inst->space == STRATA_SPACE_GLOBAL
               ? strata_site_beyond(x)
               : 0;
}

static uint64_t conflicts(const struct strata_site *x)
{
    return is_atomic(x) ? 0 : x->bank_conflicts;
}

static uint64_t global_atomics(const struct strata_site *x)
{
    return is_atomic(x) && x->inst->space != STRATA_SPACE_SHARED ? x->atomics : 0;
}

static uint64_t l1_sectors(const struct strata_site *x)
{
    return x->sectors;
}

static uint64_t l2_sectors(const struct strata_site *x)
{
    return x->l2_reads + x->written_sectors;
}

/* Where the work is that more blocks would share. */
static uint64_t accesses(const struct strata_site *x)
{
    return x->lanes;
}

static uint64_t dram_sectors(const struct strata_site *x)
{
    return x->dram_reads;
}

static uint64_t late_loads(const struct strata_site *x)
{
    return x->l2_reads;
}

static uint64_t total(const struct strata_sites *s, uint64_t (*weight)(const struct strata_site *))
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += weight(&s->site[i]);
    return n;
}

static bool are_scattered(const struct advise_facts *f,
                          uint64_t (*weight)(const struct strata_site *),
                          struct strata_finding *out)
{
    double beyond = (double)total(f->sites, weight), all = (double)total(f->sites, l1_sectors);
    if (!(all > 0) || beyond / all < 0.1)
        return false;
    advise_add_evidence(out, "sectors beyond what the lanes' bytes fill", beyond, "sector");
    advise_add_evidence(out, "of all sectors at the L1", 100 * beyond / all, "%");
    return true;
}

static bool loads_are_scattered(const struct advise_facts *f, struct strata_finding *out)
{
    bool yes = are_scattered(f, scattered_load, out);
    if (yes)
        cite(f, out, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio");
    return yes;
}

static bool stores_are_scattered(const struct advise_facts *f, struct strata_finding *out)
{
    bool yes = are_scattered(f, scattered_store, out);
    if (yes)
        cite(f, out, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio");
    return yes;
}

static bool banks_conflict(const struct advise_facts *f, struct strata_finding *out)
{
    double n = (double)total(f->sites, conflicts), accesses = 0;
    for (size_t i = 0; i < f->sites->n; i++)
        if (f->sites->site[i].inst->space == STRATA_SPACE_SHARED)
            accesses += (double)f->sites->site[i].executions;
    if (!(accesses > 0) || n / accesses < 0.1)
        return false;
    advise_add_evidence(out, "bank conflicts of loads and stores", n, "conflict");
    advise_add_evidence(out, "shared-memory instructions", accesses, "inst");
    return true;
}

static bool has_global_atomics(const struct advise_facts *f, struct strata_finding *out)
{
    double lanes = (double)total(f->sites, global_atomics), instructions = 0;
    advise_get(f, "smsp__inst_executed.sum", &instructions);
    if (!(instructions > 0) || lanes / instructions < 0.05)
        return false;
    advise_add_evidence(out, "additions by atomics on global memory", lanes, "");
    cite(f, out, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum");
    cite(f, out, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum");
    advise_add_evidence(out, "packets at the L2", detail(f, "l2.atomic_packets"), "");
    return true;
}

/* ---- the launch ---- */

static double slots(const struct advise_facts *f)
{
    return (double)f->occupancy.blocks_per_sm * f->gpu->sm.count;
}

static bool has_few_blocks(const struct advise_facts *f, struct strata_finding *out)
{
    double blocks = (double)strata_launch_blocks(f->launch);
    if (blocks >= slots(f) || blocks >= 4.0 * f->gpu->sm.count)
        return false;
    advise_add_evidence(out, "launch__grid_size", blocks, "block");
    advise_add_evidence(out, "SMs", f->gpu->sm.count, "");
    advise_add_evidence(out, "blocks the GPU could hold at once", slots(f), "block");
    cite(f, out, "sm__warps_active.avg.pct_of_peak_sustained_active");
    return true;
}

/* Cycles in which SMs of the launch have no work though it still runs. */
static double idle_share(const struct advise_facts *f)
{
    double active, kernel = detail(f, "time.kernel_cycles");
    if (!advise_get(f, "sm__cycles_active.avg", &active) || !(kernel > 0))
        return 0;
    return active < kernel ? 1 - active / kernel : 0;
}

static bool has_a_tail(const struct advise_facts *f, struct strata_finding *out)
{
    double waves = f->occupancy.waves, whole = ceil(waves - 1e-9);
    if (waves < 1 || waves > 8 || whole / waves < 1.1 || idle_share(f) < 0.05)
        return false;
    cite(f, out, "launch__waves_per_multiprocessor");
    advise_add_evidence(out, "SMs without work while the launch runs", 100 * idle_share(f), "%");
    return true;
}

static bool is_unbalanced(const struct advise_facts *f, struct strata_finding *out)
{
    if (idle_share(f) < 0.2 || (double)strata_launch_blocks(f->launch) < f->gpu->sm.count)
        return false;
    advise_add_evidence(out, "SMs without work while the launch runs", 100 * idle_share(f), "%");
    cite(f, out, "launch__waves_per_multiprocessor");
    return true;
}

static bool pays_for_the_launch(const struct advise_facts *f, struct strata_finding *out)
{
    double cycles = detail(f, "time.launch_cycles");
    if (!(f->cycles > 0) || cycles / f->cycles < 0.2)
        return false;
    advise_add_evidence(out, "cycles before the first and after the last block", cycles, "cycle");
    cite(f, out, "sm__cycles_elapsed.max");
    return true;
}

static bool registers_limit(const struct advise_facts *f, struct strata_finding *out)
{
    const struct strata_occupancy *o = &f->occupancy;
    if (o->limit_registers > o->blocks_per_sm || o->limit_registers >= o->limit_warps ||
        strata_launch_blocks(f->launch) <= slots(f))
        return false;
    cite(f, out, "launch__registers_per_thread");
    cite(f, out, "launch__occupancy_limit_registers");
    cite(f, out, "launch__occupancy_limit_warps");
    return true;
}

static bool shared_memory_limits(const struct advise_facts *f, struct strata_finding *out)
{
    const struct strata_occupancy *o = &f->occupancy;
    if (o->limit_shared_mem > o->blocks_per_sm || o->limit_shared_mem >= o->limit_warps ||
        strata_launch_blocks(f->launch) <= slots(f))
        return false;
    advise_add_evidence(out, "shared memory of a block", (double)o->shared_per_block_bytes, "byte");
    cite(f, out, "launch__occupancy_limit_shared_mem");
    cite(f, out, "launch__occupancy_limit_warps");
    return true;
}

/* ---- units ---- */

static bool is_busy(double pct, double least, const char *name, struct strata_finding *out)
{
    if (pct < least)
        return false;
    advise_add_evidence(out, name, pct, "% of peak");
    return true;
}

static bool dram_is_busy(const struct advise_facts *f, struct strata_finding *out)
{
    if (!is_busy(f->peak.dram, 30, "DRAM bandwidth", out))
        return false;
    cite(f, out, "dram__bytes_read.sum");
    cite(f, out, "dram__bytes_write.sum");
    cite(f, out, "lts__t_sector_srcunit_tex_op_read_hit_rate.pct");
    return true;
}

static bool l2_is_busy(const struct advise_facts *f, struct strata_finding *out)
{
    if (!is_busy(f->peak.l2, 25, "L2 bandwidth", out))
        return false;
    cite(f, out, "lts__t_sectors_op_read.sum");
    cite(f, out, "lts__t_sectors_op_write.sum");
    cite(f, out, "lts__t_requests_srcunit_tex.sum");
    return true;
}

static bool crossbar_is_busy(const struct advise_facts *f, struct strata_finding *out)
{
    if (!is_busy(f->peak.crossbar, 40, "crossbar bandwidth", out))
        return false;
    cite(f, out, "l1tex__m_xbar2l1tex_read_bytes.sum");
    cite(f, out, "l1tex__m_l1tex2xbar_write_bytes.sum");
    return true;
}

static bool l1_is_busy(const struct advise_facts *f, struct strata_finding *out)
{
    if (!is_busy(f->peak.l1, 20, "L1 bandwidth", out))
        return false;
    cite(f, out, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
    cite(f, out, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
    return true;
}

static bool lsu_is_full(const struct advise_facts *f, struct strata_finding *out)
{
    static const char *const reasons[] = {STALLED("lg_throttle"), STALLED("mio_throttle"), NULL};
    double share = waiting_for(f, reasons);
    if (share < 0.15)
        return false;
    advise_add_evidence(out, "of the waiting is for room in the load/store queues", 100 * share,
                        "%");
    cite(f, out, reasons[0]);
    cite(f, out, reasons[1]);
    return true;
}

static bool waits_for_memory(const struct advise_facts *f, struct strata_finding *out)
{
    static const char *const reasons[] = {STALLED("long_scoreboard"), NULL};
    double share = waiting_for(f, reasons);
    if (share < 0.4)
        return false;
    advise_add_evidence(out, "of the waiting is for loads on their way", 100 * share, "%");
    cite(f, out, reasons[0]);
    cite(f, out, "sm__warps_active.avg.pct_of_peak_sustained_active");
    return true;
}

static bool issue_is_busy(const struct advise_facts *f, struct strata_finding *out)
{
    if (!is_busy(f->peak.issue, 40, "issue slots", out))
        return false;
    cite(f, out, "smsp__inst_executed.sum");
    return true;
}

static bool tensor_is_busy(const struct advise_facts *f, struct strata_finding *out)
{
    return is_busy(f->peak.tensor, 30, "tensor pipes", out);
}

/* ---- the table ---- */

static const char *const no_launch_cost[] = {"launch.start=0",          "launch.drain=0",
                                             "launch.drain_sm=0",       "launch.drain_warp=0",
                                             "launch.block_interval=0", "launch.block_replace=0",
                                             "sm.fetch_interval=0",     "sm.fetch_miss=0",
                                             "sm.fetch_cold=0",         NULL};
static const char *const fast_dram[] = {
    "dram.clock=100000", "dram.data_rate=16",   "dram.efficiency=1",
    "dram.row_miss=0",   "dram.tRRD=0",         "dram.tRFC=0",
    "dram.tREFI=0",      "dram.refresh_bank=0", NULL};
static const char *const fast_l2[] = {"l2.bytes_per_cycle_per_slice=0",
                                      "l2.request=0",
                                      "l2.partial_write=0",
                                      "l2.write_flit=0",
                                      "l2.fabric_bytes_per_cycle=0",
                                      NULL};
static const char *const fast_crossbar[] = {"xbar.request_bytes_per_cycle=0",
                                            "xbar.response_bytes_per_cycle=0",
                                            "xbar.total_bytes_per_cycle=0", NULL};
static const char *const fast_l1[] = {"l1.tags_per_cycle=64", "l1.miss_requests_per_cycle=0", NULL};
static const char *const fast_lsu[] = {
    "sm.lsu_queue=1000000",         "l1.store=0", "l1.store_drain=0", "l1.tags_per_cycle=64",
    "l1.miss_requests_per_cycle=0", NULL};
static const char *const no_latency[] = {"dram.access=0", "dram.row_miss=0", "l2.far_extra=0",
                                         "l2.hit=1",      "l1.hit=1",        NULL};
static const char *const fast_issue[] = {"sm.min_issue_gap=0",
                                         "sm.schedulers=16",
                                         "sm.interval.int=0",
                                         "sm.interval.imad=0",
                                         "sm.interval.fp32=0",
                                         "sm.interval.fp64=0",
                                         "sm.interval.fp16=0",
                                         "sm.interval.sfu=0",
                                         "sm.interval.conv=0",
                                         "sm.interval.uniform=0",
                                         NULL};
static const char *const fast_tensor[] = {"sm.interval.tensor=0", "sm.latency.tensor=0", NULL};
static const char *const many_registers[] = {"sm.registers=16777216", NULL};
static const char *const free_atomics[] = {"l2.atomic=0", "l2.atomic_whole=0", "l2.atomic_float=0",
                                           NULL};

static const struct advise_rule rules[] = {
    {{"few-blocks", "the grid is too small to give every SM work",
      "launch more blocks: let each do less of the loop over the data, or split the reduction",
      "the same instructions cut into as many blocks as the GPU holds", STRATA_LIMIT_PARALLELISM,
      true},
     has_few_blocks,
     accesses,
     NULL,
     REWRITE_SMALLER_BLOCKS,
     1},
    {{"uncoalesced-store", "lanes of a warp store far apart",
      "let neighbouring lanes write neighbouring addresses: swap the indices, or turn the data "
      "round in shared memory first",
      "the stores' bytes side by side, as many in all", STRATA_LIMIT_L2, true},
     stores_are_scattered,
     scattered_store,
     NULL,
     REWRITE_COALESCE,
     0},
    {{"uncoalesced-load", "lanes of a warp load from far apart",
      "let neighbouring lanes read neighbouring addresses: swap the indices, use a structure of "
      "arrays, or load a tile into shared memory side by side",
      "the loads' bytes side by side, as many in all", STRATA_LIMIT_L1, true},
     loads_are_scattered,
     scattered_load,
     NULL,
     REWRITE_COALESCE,
     0},
    {{"global-atomics", "atomics on global memory wait for one another",
      "collect in shared memory, or in registers over the warp, and add once a block",
      "a copy in shared memory for each block, added once at its end", STRATA_LIMIT_ATOMICS, true},
     has_global_atomics,
     global_atomics,
     NULL,
     REWRITE_SHARED_ATOMICS,
     0},
    {{"contended-atomics", "atomics keep the L2 busy",
      "spread them over more addresses, or add up over the warp first",
      "atomics that take the L2 no time", STRATA_LIMIT_ATOMICS, true},
     has_global_atomics,
     global_atomics,
     free_atomics,
     REWRITE_COALESCE,
     0},
    {{"bank-conflicts", "lanes of a warp meet in banks of shared memory",
      "pad the rows by one word, or exchange the roles of the indices",
      "one word a bank for every access", STRATA_LIMIT_BANKS, true},
     banks_conflict,
     conflicts,
     NULL,
     REWRITE_NO_CONFLICTS,
     0},
    {{"tail", "the last wave of blocks leaves most SMs without work",
      "choose a grid that fills whole waves, or smaller blocks",
      "the same instructions in blocks of a quarter the size", STRATA_LIMIT_TAIL, true},
     has_a_tail,
     NULL,
     NULL,
     REWRITE_SMALLER_BLOCKS,
     4},
    {{"imbalance", "some blocks take much longer than others",
      "split the long ones, or let blocks take their work from a queue",
      "the same instructions cut into pieces of equal length, as many at a time as now",
      STRATA_LIMIT_IMBALANCE, true},
     is_unbalanced,
     NULL,
     NULL,
     REWRITE_SMALLER_BLOCKS,
     4},
    {{"registers", "registers keep warps from being resident",
      "use fewer registers (-maxrregcount, __launch_bounds__), if that spills nothing",
      "registers without limit", STRATA_LIMIT_OCCUPANCY, true},
     registers_limit,
     NULL,
     many_registers,
     REWRITE_COALESCE,
     0},
    {{"shared-memory", "shared memory keeps blocks from being resident",
      "use a smaller tile, or reuse it", "shared memory without limit", STRATA_LIMIT_OCCUPANCY,
      true},
     shared_memory_limits,
     NULL,
     NULL,
     REWRITE_NO_SHARED_MEMORY,
     0},
    {{"launch-cost", "starting and ending the launch takes much of its time",
      "do more in one launch: fuse kernels, or use a graph",
      "a launch that starts and ends at once, code there already", STRATA_LIMIT_LAUNCH, true},
     pays_for_the_launch,
     NULL,
     no_launch_cost,
     REWRITE_COALESCE,
     0},
    {{"dram", "DRAM is busy",
      "move fewer bytes: reuse what is in the caches, use narrower types, fuse passes over the "
      "data",
      "DRAM without a limit of bandwidth", STRATA_LIMIT_DRAM, false},
     dram_is_busy,
     dram_sectors,
     fast_dram,
     REWRITE_COALESCE,
     0},
    {{"l2", "the L2 is busy", "keep more in shared memory or registers, and write whole sectors",
      "an L2 without a limit of bandwidth", STRATA_LIMIT_L2, false},
     l2_is_busy,
     l2_sectors,
     fast_l2,
     REWRITE_COALESCE,
     0},
    {{"crossbar", "the way between the SMs and the L2 is busy",
      "keep more in the SM: shared memory, registers, the L1",
      "a crossbar without a limit of bandwidth", STRATA_LIMIT_CROSSBAR, false},
     crossbar_is_busy,
     l2_sectors,
     fast_crossbar,
     REWRITE_COALESCE,
     0},
    {{"l1", "the L1 is busy",
      "touch fewer lines a request, and keep in registers what is read again",
      "an L1 without a limit of lines or requests", STRATA_LIMIT_L1, false},
     l1_is_busy,
     l1_sectors,
     fast_l1,
     REWRITE_COALESCE,
     0},
    {{"lsu", "the load/store units' queues are full",
      "make fewer, wider accesses (float4), and do not touch more lines than needed",
      "load/store units that take any amount of work", STRATA_LIMIT_LSU, false},
     lsu_is_full,
     l1_sectors,
     fast_lsu,
     REWRITE_COALESCE,
     0},
    {{"latency", "warps wait for loads on their way and there are too few to cover it",
      "load several elements ahead, unroll, use asynchronous copies, or raise occupancy",
      "memory that answers at once, at the same bandwidths", STRATA_LIMIT_LATENCY, false},
     waits_for_memory,
     late_loads,
     no_latency,
     REWRITE_COALESCE,
     0},
    {{"issue", "the schedulers are busy issuing",
      "execute fewer instructions: hoist, vectorise, use fused operations",
      "schedulers and pipes without a limit of rate", STRATA_LIMIT_ISSUE, false},
     issue_is_busy,
     NULL,
     fast_issue,
     REWRITE_COALESCE,
     0},
    {{"tensor", "the tensor cores are busy", "use a narrower type, or larger matrix instructions",
      "tensor cores that take no time", STRATA_LIMIT_TENSOR, false},
     tensor_is_busy,
     NULL,
     fast_tensor,
     REWRITE_COALESCE,
     0},
};

const struct advise_rule *advise_rules(size_t *n)
{
    *n = sizeof rules / sizeof rules[0];
    return rules;
}

size_t strata_advise_rule_count(void)
{
    return sizeof rules / sizeof rules[0];
}

struct strata_rule_text strata_advise_rule(size_t i)
{
    return rules[i].text;
}
