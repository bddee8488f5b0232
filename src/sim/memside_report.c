/* memside_report.c - what the memory side counted, in the profiler's words (as src/flow/report.c).
 */
#include "sim/memparts.h"
#include "sim/memside.h"

static struct sim_counters add_up(const struct sim_memside *m)
{
    struct sim_counters sum = {0};
    for (uint32_t s = 0; s < m->n_slices; s++) {
        const struct sim_counters *c = &m->slice[s].count;
        launch_counters_add(&sum.n, &c->n);
        sum.write_line_misses += c->write_line_misses;
        sum.stall_cycles += c->stall_cycles;
        sum.evictions += c->evictions;
        sum.lat_dram_queue += c->lat_dram_queue;
    }
    return sum;
}

static void report_dram(const struct sim_memside *m, uint64_t elapsed, struct strata_result *r)
{
    uint64_t busy = 0, activates = 0, requests = 0, hits = 0, turns = 0, refreshes = 0;
    for (uint32_t i = 0; i < m->n_channels; i++) {
        const struct dram_counters *d = &m->channel[i].count;
        busy += d->busy_clocks;
        activates += d->activates;
        requests += d->requests;
        hits += d->row_hits;
        turns += d->turns;
        refreshes += d->refreshes;
    }
    double clocks = (double)elapsed * m->timing.dram_mhz / m->timing.sm_mhz * m->n_channels;
    strata_result_detail(r, "dram.busy_pct", 100 * ratio_or_0((double)busy, clocks));
    strata_result_detail(r, "dram.requests", (double)requests);
    strata_result_detail(r, "dram.activates", (double)activates);
    strata_result_detail(r, "dram.row_hit_pct", 100 * ratio_or_0((double)hits, (double)requests));
    strata_result_detail(r, "dram.read_write_turns", (double)turns);
    strata_result_detail(r, "dram.refreshes", (double)refreshes);
}

void sim_memside_report(const struct sim_memside *m, uint64_t elapsed_cycles,
                        struct other_sectors other, struct strata_result *out)
{
    struct sim_counters c = add_up(m);
    double n = (double)c.n.lat_requests;
    c.n.other = other;
    launch_counters_report(&c.n, COUNTED_L2 | COUNTED_DRAM, SIM_SECTOR_BYTES, out);
    report_dram(m, elapsed_cycles, out);
    strata_result_detail(out, "latency.crossbar_cycles",
                         ratio_or_0((double)m->xbar.lat_cycles, (double)m->xbar.lat_requests));
    strata_result_detail(out, "latency.l2_cycles", m->rate.slice_cycles);
    strata_result_detail(out, "latency.l2_queue_cycles", ratio_or_0((double)c.n.lat_l2, n));
    strata_result_detail(out, "latency.partition_link_cycles",
                         ratio_or_0((double)c.n.lat_fabric, n));
    strata_result_detail(out, "latency.dram_cycles", ratio_or_0((double)c.n.lat_dram, n));
    strata_result_detail(out, "latency.dram_queue_cycles", ratio_or_0((double)c.lat_dram_queue, n));
    strata_result_detail(out, "coalescer.merged_sectors", (double)m->coalescer.merged_sectors);
    strata_result_detail(out, "l2.atomic_packets", (double)c.n.l2_atomic);
    strata_result_detail(out, "l2.stall_cycles", (double)c.stall_cycles);
    strata_result_detail(out, "l2.write_line_misses", (double)c.write_line_misses);
    strata_result_detail(out, "l2.evictions", (double)c.evictions);
    strata_result_detail(out, "xbar.request_flits", (double)m->xbar.request_flits);
    strata_result_detail(out, "xbar.reply_flits", (double)m->xbar.reply_flits);
}
