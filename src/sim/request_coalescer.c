/* request_coalescer.c - SMs of one group that ask for the same sectors share the answer.
 *
 * On the H200 a GPC merges equal requests until the data is xbar.coalescer_return cycles from the
 * SM (docs/flow.md, probe merge). The decision is taken where requests reach the slices: seen from
 * there a line stays open until a fixed time after its data left the slice. Entries are found by a
 * hash of line and sectors; a request for another line takes the entry over. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "sim/memparts.h"

static uint32_t count_groups(const struct strata_gpu *g)
{
    uint32_t n = g->launch.gpcs ? g->launch.gpcs : 1;
    for (uint32_t s = 0; s < g->launch.n_gpc_of_sm; s++)
        if (g->launch.gpc_of_sm[s] >= n)
            n = g->launch.gpc_of_sm[s] + 1;
    if (g->xbar.request_coalescer_scope)
        n = (uint32_t)ceil_div(g->sm.count, g->xbar.request_coalescer_scope);
    return n;
}

strata_status sim_coalescer_init(struct sim_coalescer *c, const struct strata_gpu *gpu,
                                 const struct sim_rates *r, struct strata_error *err)
{
    memset(c, 0, sizeof *c);
    uint32_t back = gpu->xbar.coalescer_return_cycles, ways = r->request_way + r->reply_way;
    c->window = gpu->xbar.request_coalescer_window_cycles;
    c->requests = gpu->xbar.request_coalescer_requests;
    if (!c->window && !back)
        return STRATA_OK;
    c->size = gpu->xbar.request_coalescer_lines ? 1 : 8192;
    while (c->size < gpu->xbar.request_coalescer_lines)
        c->size *= 2;
    c->after_out = back && back < ways ? ways - back : 0;
    c->groups = count_groups(gpu);
    c->line = calloc((size_t)c->groups * c->size, sizeof *c->line);
    if (!c->line)
        return strata_no_memory(err, NULL, "for the modelled request coalescers");
    for (size_t i = 0; i < (size_t)c->groups * c->size; i++)
        c->line[i].node = SIM_NONE;
    return STRATA_OK;
}

void sim_coalescer_release(struct sim_coalescer *c)
{
    free(c->line);
    memset(c, 0, sizeof *c);
}

bool sim_coalescer_merge(struct sim_coalescer *c, struct sim_node *nodes, uint32_t node,
                         uint32_t group, uint64_t line, uint32_t sectors, uint64_t *reply_time)
{
    uint64_t t = nodes[node].arrival;
    size_t at =
        (size_t)group * c->size + ((mix64((line >> 7) * 16 + sectors) >> 20) & (c->size - 1));
    struct sim_open_line *e = &c->line[at];
    *reply_time = UINT64_MAX;
    /* Only equal requests merge: neighbours whose halos overlap in part of a line never do. */
    if (e->line == line && e->sectors == sectors && e->room &&
        (e->node != SIM_NONE || t < e->open_until)) {
        e->room--;
        c->merged_sectors += popcount32(sectors);
        if (e->node == SIM_NONE) {
            *reply_time = sim_later(e->out, t);
        } else {
            nodes[node].merged = nodes[e->node].merged;
            nodes[e->node].merged = node;
        }
        return true;
    }
    if (e->node != SIM_NONE)
        nodes[e->node].entry = SIM_NONE;
    *e = (struct sim_open_line){.line = line,
                                .sectors = (uint8_t)sectors,
                                .node = node,
                                .open_until = t + c->window,
                                .room = c->requests ? c->requests - 1 : UINT32_MAX};
    nodes[node].entry = (uint32_t)at;
    return false;
}

void sim_coalescer_answered(struct sim_coalescer *c, const struct sim_node *nodes, uint32_t node,
                            uint64_t out)
{
    uint32_t at = nodes[node].entry;
    if (at == SIM_NONE)
        return;
    struct sim_open_line *e = &c->line[at];
    e->node = SIM_NONE;
    e->out = out;
    e->open_until = sim_later(e->open_until, out + c->after_out);
}
