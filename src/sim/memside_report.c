/* memside_report.c - what the memory side counted, in the profiler's words (as src/flow/report.c).
 */
#include "sim/memparts.h"
#include "sim/memside.h"

#define ADD(field) sum.field += c->field

static struct sim_counters add_up(const struct sim_memside *m)
{
    struct sim_counters sum = {0};
    for (uint32_t s = 0; s < m->n_slices; s++) {
        const struct sim_counters *c = &m->slice[s].count;
        ADD(requests), ADD(tex_read), ADD(tex_read_hit), ADD(tex_read_miss), ADD(tex_write);
        ADD(read), ADD(read_hit), ADD(read_miss), ADD(write), ADD(write_hit),
            ADD(write_line_misses);
        ADD(atomic), ADD(fabric), ADD(fabric_read), ADD(dram_read), ADD(dram_write);
        ADD(stall_cycles), ADD(fetch_sectors), ADD(evictions);
        ADD(lat_requests), ADD(lat_queue), ADD(lat_link), ADD(lat_dram), ADD(lat_dram_queue);
    }
    return sum;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void report_l2(const struct sim_counters *c, struct strata_result *r)
{
    strata_result_set(r, "lts__t_requests_srcunit_tex.sum", (double)c->requests);
    strata_result_set(r, "lts__t_sectors_op_read.sum", (double)c->read);
    strata_result_set(r, "lts__t_sectors_op_write.sum", (double)c->write);
    strata_result_set(r, "lts__t_sectors_op_read_lookup_hit.sum", (double)c->read_hit);
    strata_result_set(r, "lts__t_sectors_op_read_lookup_miss.sum", (double)c->read_miss);
    strata_result_set(r, "lts__t_sectors_op_write_lookup_hit.sum", (double)c->write_hit);
    strata_result_set(r, "lts__t_sectors_srcunit_tex_op_read.sum", (double)c->tex_read);
    strata_result_set(r, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
                      (double)c->tex_read_hit);
    strata_result_set(r, "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
                      (double)c->tex_read_miss);
    strata_result_set(r, "lts__t_sectors_srcunit_tex_op_write.sum", (double)c->tex_write);
    strata_result_set(r, "lts__t_sectors_srcunit_ltcfabric.sum", (double)c->fabric);
    strata_result_set(r, "lts__t_sectors_srcunit_ltcfabric_op_read.sum", (double)c->fabric_read);
}

static void report_dram(const struct sim_memside *m, const struct sim_counters *c, uint64_t elapsed,
                        struct strata_result *r)
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
    /* Once a launch the front end and the driver read some sectors besides (docs/flow.md, probe
     * empty). */
    strata_result_set(r, "dram__sectors_read.sum",
                      (double)c->dram_read + m->gpu.launch.dram_sectors);
    strata_result_set(r, "dram__sectors_write.sum", (double)c->dram_write);
    strata_result_detail(r, "dram.busy_pct", 100 * ratio((double)busy, clocks));
    strata_result_detail(r, "dram.requests", (double)requests);
    strata_result_detail(r, "dram.activates", (double)activates);
    strata_result_detail(r, "dram.row_hit_pct", 100 * ratio((double)hits, (double)requests));
    strata_result_detail(r, "dram.read_write_turns", (double)turns);
    strata_result_detail(r, "dram.refreshes", (double)refreshes);
}

void sim_memside_report(const struct sim_memside *m, uint64_t elapsed_cycles,
                        struct strata_result *out)
{
    struct sim_counters c = add_up(m);
    double n = (double)c.lat_requests;
    report_l2(&c, out);
    report_dram(m, &c, elapsed_cycles, out);
    strata_result_detail(out, "latency.crossbar_cycles",
                         ratio((double)m->xbar.lat_cycles, (double)m->xbar.lat_requests));
    strata_result_detail(out, "latency.l2_cycles", m->rate.slice_cycles);
    strata_result_detail(out, "latency.l2_queue_cycles", ratio((double)c.lat_queue, n));
    strata_result_detail(out, "latency.partition_link_cycles", ratio((double)c.lat_link, n));
    strata_result_detail(out, "latency.dram_cycles", ratio((double)c.lat_dram, n));
    strata_result_detail(out, "latency.dram_queue_cycles", ratio((double)c.lat_dram_queue, n));
    strata_result_detail(out, "coalescer.merged_sectors", (double)m->coalescer.merged_sectors);
    strata_result_detail(out, "l2.atomic_packets", (double)c.atomic);
    strata_result_detail(out, "l2.stall_cycles", (double)c.stall_cycles);
    strata_result_detail(out, "l2.write_line_misses", (double)c.write_line_misses);
    strata_result_detail(out, "l2.evictions", (double)c.evictions);
    strata_result_detail(out, "xbar.request_flits", (double)m->xbar.request_flits);
    strata_result_detail(out, "xbar.reply_flits", (double)m->xbar.reply_flits);
}
