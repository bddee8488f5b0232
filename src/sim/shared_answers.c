/* shared_answers.c - when requests that merge are answered, by the clock of the slices.
 *
 * Which requests merge is memory/request_coalescer.h. The decision is taken where requests reach
 * the slices: seen from there a line stays open until a fixed time after its data left the slice.
 */
#include <string.h>

#include "base/bits.h"
#include "sim/memparts.h"

strata_status sim_coalescer_init(struct sim_coalescer *c, const struct strata_gpu *gpu,
                                 const struct sim_rates *r, struct strata_error *err)
{
    memset(c, 0, sizeof *c);
    uint32_t back = gpu->xbar.coalescer_return_cycles, ways = r->request_way + r->reply_way;
    c->gpu = gpu;
    c->after_out = back && back < ways ? ways - back : 0;
    strata_status st = request_coalescer_init(&c->table, gpu, err);
    for (size_t i = 0; c->table.open && i < (size_t)c->table.n_groups * c->table.size; i++)
        c->table.open[i].node = SIM_NONE;
    return st;
}

void sim_coalescer_release(struct sim_coalescer *c)
{
    request_coalescer_release(&c->table);
}

bool sim_coalescer_merge(struct sim_coalescer *c, struct sim_node *nodes, uint32_t node,
                         uint32_t group, uint64_t line, uint32_t sectors, uint64_t *reply_time)
{
    uint64_t t = nodes[node].arrival;
    struct open_request *e =
        request_coalescer_entry(&c->table, group, line, sectors, nodes[node].bulk);
    *reply_time = UINT64_MAX;
    enum request_fate fate = request_coalescer_meet(&c->table, e, line, sectors, false,
                                                    e->node != SIM_NONE || t < e->until);
    if (fate == REQUEST_MERGES) {
        c->merged_sectors += popcount32(sectors);
        if (e->node == SIM_NONE) {
            *reply_time = sim_later(e->arrival, t);
        } else {
            nodes[node].merged = nodes[e->node].merged;
            nodes[e->node].merged = node;
        }
        return true;
    }
    if (fate == REQUEST_ALONE)
        return false;
    if (e->node != SIM_NONE)
        nodes[e->node].entry = SIM_NONE;
    request_coalescer_open(e, c->gpu, line, sectors, t, node);
    nodes[node].entry = (uint32_t)(e - c->table.open);
    return false;
}

void sim_coalescer_answered(struct sim_coalescer *c, const struct sim_node *nodes, uint32_t node,
                            uint64_t out)
{
    uint32_t at = nodes[node].entry;
    if (at == SIM_NONE)
        return;
    c->table.open[at].node = SIM_NONE;
    request_coalescer_answered(&c->table.open[at], out, out + c->after_out);
}
