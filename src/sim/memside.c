/* memside.c - the memory side as a whole: rates, addresses, windows of time.
 *
 * In every window the requests that arrive are given to the slices, the slices work, the channels
 * work, and the replies that leave take their way back. Slices and channels send nothing that
 * arrives within the window, so within a step their order does not matter. */
#include "sim/memside.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/expect.h"
#include "sim/memparts.h"

/* ---- what the description says ---- */

static uint32_t at_least_one(uint32_t x)
{
    return x ? x : 1;
}

/* l2.hit is what an SM sees of a hit: both ways through the crossbar and the slice. Where the
 * description gives no crossbar of its own, the ways are a share of it each. */
static void split_latency(struct sim_rates *r, const struct strata_gpu *g)
{
    uint32_t hit = g->l2.hit_cycles, way = g->xbar.latency_cycles
                                               ? g->xbar.latency_cycles
                                               : (uint32_t)(hit * g->xbar.way_share);
    way = at_least_one(2 * way > hit ? hit / 2 : way);
    r->request_way = r->reply_way = way;
    r->slice_cycles = hit > 2 * way ? hit - 2 * way : 0;
    r->link_way = at_least_one(g->l2.far_extra_cycles / 2);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Nothing sent within a window arrives in it. An entry of the request coalescer stays open for a
 * while for certain; requests that come later must know the answer, which they do one window on. */
static uint64_t window_cycles(const struct sim_memside *m)
{
    const struct strata_gpu *g = &m->gpu;
    const struct dram_timing *t = &m->timing;
    uint64_t w = least(m->rate.request_way, m->rate.reply_way);
    w = least(w, t->after + (uint64_t)(t->tCL + t->burst) * t->sm_mhz / t->dram_mhz);
    if (m->map.partitions > 1)
        w = least(w, m->rate.link_way);
    uint32_t open = g->l2.hit_cycles > g->xbar.coalescer_return_cycles
                        ? g->l2.hit_cycles - g->xbar.coalescer_return_cycles
                        : 0;
    if (g->xbar.coalescer_return_cycles && open >= 16)
        w = least(w, open);
    return w ? w : 1;
}

static void init_rates(struct sim_memside *m)
{
    const struct strata_gpu *g = &m->gpu;
    struct sim_rates *r = &m->rate;
    double xbar_clock = g->xbar.clock_mhz ? (double)g->xbar.clock_mhz / g->sm.clock_mhz : 1;
    l2_costs_init(&r->l2, g, SIM_SECTOR_BYTES);
    r->in_64ths_per_flit =
        cost_64ths(g->xbar.flit_bytes, g->xbar.response_bytes_per_cycle_per_sm * xbar_clock);
    r->bulk_64ths_per_flit = cost_64ths(g->xbar.flit_bytes, g->sm.tma_bytes_per_cycle);
    r->total_65536ths_per_flit =
        g->xbar.total_bytes_per_cycle
            ? (uint32_t)(65536.0 * g->xbar.flit_bytes / g->xbar.total_bytes_per_cycle + 0.5)
            : 0;
    split_latency(r, g);
}

static strata_status init_map(struct sim_memside *m, struct strata_error *err)
{
    const struct strata_gpu *g = &m->gpu;
    uint32_t line = g->l2.cache.line_bytes;
    if (line > SIM_LINE_BYTES || line < SIM_SECTOR_BYTES || !is_power_of_two(line))
        return strata_fail(err, STRATA_EUNSUPPORTED, g->name, 0, 0,
                           "l2.line is %u bytes; the clocked model takes lines of 32, 64 or 128 "
                           "bytes (try --set l2.line=128).",
                           line);
    l2_rules_init(&m->rules, g, SIM_SECTOR_BYTES);
    strata_status st = address_map_init(&m->map, g, err);
    m->n_slices = m->map.slices * m->map.partitions;
    m->n_channels = m->map.channels * m->map.partitions;
    return st;
}

static void attach_sms(struct sim_memside *m)
{
    const struct strata_gpu *g = &m->gpu;
    for (uint32_t s = 0; s < g->sm.count; s++) {
        m->partition_of_sm[s] = (uint16_t)address_map_partition(&m->map, s);
        m->group_of_sm[s] = (uint16_t)request_coalescer_group(&m->coalescer.table, g, s);
    }
}

static strata_status init_parts(struct sim_memside *m, uint64_t seed, struct strata_error *err)
{
    const struct strata_gpu *g = &m->gpu;
    m->slice = calloc(m->n_slices, sizeof *m->slice);
    m->channel = calloc(m->n_channels, sizeof *m->channel);
    m->partition_of_sm = calloc(g->sm.count, sizeof *m->partition_of_sm);
    m->group_of_sm = calloc(g->sm.count, sizeof *m->group_of_sm);
    m->out = calloc(1, sizeof *m->out);
    if (!m->slice || !m->channel || !m->partition_of_sm || !m->group_of_sm || !m->out)
        return strata_no_memory(err, NULL, "for the modelled memory side");
    m->n_out = m->threads = 1;
    m->out[0] = (struct sim_out){.m = m, .direct = true};
    attach_sms(m);
    for (uint32_t c = 0; c < m->n_channels; c++)
        dram_channel_init(&m->channel[c], &m->timing,
                          (uint32_t)((uint64_t)m->timing.refresh_interval * c / m->n_channels));
    struct strata_cache_config config = sim_slice_config(m);
    strata_status st = cache_pool_create(&config, m->n_slices, &m->tags, err);
    for (uint32_t s = 0; s < m->n_slices && st == STRATA_OK; s++)
        st = sim_slice_init(m, s, seed, err);
    return st != STRATA_OK ? st : sim_xbar_init(m, err);
}

strata_status sim_memside_create(const struct strata_gpu *gpu, uint64_t seed,
                                 struct sim_memside **out, struct strata_error *err)
{
    struct sim_memside *m = calloc(1, sizeof *m);
    *out = NULL;
    if (!m)
        return strata_no_memory(err, NULL, "for the modelled memory side");
    m->gpu = *gpu;
    m->free_node = SIM_NONE;
    init_rates(m);
    strata_status st = dram_timing_init(&m->timing, gpu, err);
    if (st == STRATA_OK)
        st = init_map(m, err);
    if (st == STRATA_OK)
        st = sim_coalescer_init(&m->coalescer, &m->gpu, &m->rate, err);
    if (st == STRATA_OK)
        st = init_parts(m, seed, err);
    if (st != STRATA_OK) {
        sim_memside_destroy(m);
        return st;
    }
    m->rate.window = window_cycles(m);
    uint32_t least_64ths = l2_access_cost(&m->rate.l2, 1);
    m->rate.slice_requests = (uint32_t)(m->rate.window * 64 / (least_64ths ? least_64ths : 1)) + 1;
    *out = m;
    return STRATA_OK;
}

void sim_memside_window(struct sim_memside *m, const struct strata_launch *launch)
{
    m->window = access_window_of(&m->gpu, launch);
    for (uint32_t s = 0; s < m->n_slices; s++)
        access_window_begin(&m->gpu, launch, &m->slice[s].tags);
}

static void release_out(struct sim_out *o)
{
    free(o->reply);
    free(o->posted);
    free(o->link);
}

void sim_memside_destroy(struct sim_memside *m)
{
    if (!m)
        return;
    sim_team_destroy(m->team);
    for (uint32_t s = 0; m->slice && s < m->n_slices; s++)
        sim_slice_release(&m->slice[s]);
    for (uint32_t c = 0; m->channel && c < m->n_channels; c++)
        dram_channel_release(&m->channel[c]);
    for (uint32_t o = 0; o < m->n_out; o++)
        release_out(&m->out[o]);
    sim_xbar_release(&m->xbar);
    sim_coalescer_release(&m->coalescer);
    free(m->slice);
    cache_pool_release(&m->tags);
    free(m->channel);
    free(m->node);
    free(m->partition_of_sm);
    free(m->group_of_sm);
    free(m->out);
    free(m);
}

uint32_t sim_memside_waiting(const struct sim_memside *m, uint32_t sm)
{
    return m->xbar.waits[sm];
}

uint64_t sim_memside_behind(const struct sim_memside *m, uint32_t sm)
{
    return m->slices_behind[m->partition_of_sm[sm]];
}

uint64_t sim_memside_window_cycles(const struct sim_memside *m)
{
    return m->rate.window;
}

/* ---- nodes ---- */

uint32_t sim_node_new(struct sim_memside *m)
{
    uint32_t i = m->free_node;
    if (i != SIM_NONE) {
        m->free_node = m->node[i].merged;
        if (m->free_node != SIM_NONE)
            expect_write(&m->node[m->free_node]);
        return i;
    }
    if (m->n_nodes == m->cap_nodes && !ARRAY_RESERVE(m->node, m->n_nodes, m->cap_nodes, 1))
        return SIM_NONE;
    return (uint32_t)m->n_nodes++;
}

void sim_node_free(struct sim_memside *m, uint32_t node)
{
    m->node[node].merged = m->free_node;
    m->free_node = node;
}

/* ---- what parts send ---- */

static void keep_posted(struct sim_out *o, struct sim_posted **list, size_t *n, size_t *cap,
                        const struct sim_posted *p)
{
    if (*n == *cap && !ARRAY_RESERVE(*list, *n, *cap, 1)) {
        o->failed = true;
        return;
    }
    (*list)[(*n)++] = *p;
}

void sim_out_post(struct sim_out *o, struct sim_mailbox *to, const struct sim_message *message)
{
    if (o->direct)
        sim_mailbox_push(to, message);
    else
        keep_posted(o, &o->posted, &o->n_posted, &o->cap_posted,
                    &(struct sim_posted){.to = to, .message = *message});
}

void sim_out_link(struct sim_out *o, uint32_t partition, struct sim_mailbox *to,
                  const struct sim_message *message)
{
    struct sim_posted p = {.to = to, .message = *message, .partition = partition};
    if (o->m->rate.l2.link_sector) {
        keep_posted(o, &o->link, &o->n_link, &o->cap_link, &p);
        return;
    }
    p.message.time += o->m->rate.link_way;
    sim_out_post(o, to, &p.message);
}

void sim_out_reply(struct sim_out *o, const struct sim_reply *reply)
{
    if (o->n_reply == o->cap_reply && !ARRAY_RESERVE(o->reply, o->n_reply, o->cap_reply, 1)) {
        o->failed = true;
        return;
    }
    o->reply[o->n_reply++] = *reply;
}

/* All that crosses in one list, in the order of the parts. */
static bool join_links(struct sim_memside *m)
{
    struct sim_out *all = &m->out[0];
    for (uint32_t i = 1; i < m->n_out; i++) {
        for (size_t k = 0; k < m->out[i].n_link; k++)
            keep_posted(all, &all->link, &all->n_link, &all->cap_link, &m->out[i].link[k]);
        m->out[i].n_link = 0;
    }
    return !all->failed;
}

/* What crosses between partitions takes its turn on the link in the order of time. */
static bool cross_links(struct sim_memside *m, uint64_t begin)
{
    struct sim_sorter *sort = &m->xbar.sorter;
    struct sim_out *o = &m->out[0];
    sort->n = 0;
    if (!join_links(m))
        return false;
    for (size_t k = 0; k < o->n_link; k++)
        if (!sim_sorter_add(sort, o->link[k].message.time - least(begin, o->link[k].message.time),
                            (uint32_t)k))
            return false;
    if (!sim_sorter_sort(sort))
        return false;
    for (size_t k = 0; k < sort->n; k++) {
        struct sim_posted *p = &o->link[sort->key[k].index];
        uint32_t n = p->message.kind == SIM_MSG_LINK_READ ? 0 : popcount32(p->message.sectors);
        uint64_t *free64 = &m->link_free64[p->partition],
                 start64 = sim_later(*free64, p->message.time * 64);
        *free64 = start64 + (n ? l2_link_cost(&m->rate.l2, n) : 0);
        p->message.time = start64 / 64 + m->rate.link_way;
        sim_mailbox_push(p->to, &p->message);
    }
    o->n_link = 0;
    return true;
}

/* ---- windows ---- */

strata_status sim_memside_send(struct sim_memside *m, const struct sim_packet *request, size_t n,
                               struct strata_error *err)
{
    return sim_xbar_send(m, request, n, err);
}

static void read_done(void *context, const struct dram_request *r, uint64_t time)
{
    struct sim_out *o = context;
    const struct dram_timing *t = &o->m->timing;
    if (r->mshr == SIM_NONE)
        return; /* what a write-back needed of a line that is gone */
    uint64_t waited = time - r->asked;
    struct sim_message f = {
        .time = time,
        .mshr = r->mshr,
        .node = SIM_NONE,
        .kind = SIM_MSG_FILL,
        .sectors = r->sectors,
        .spent = {.waited = sim_saturate16(waited),
                  .queued = sim_saturate16(waited > t->unloaded ? waited - t->unloaded : 0)}};
    sim_out_post(o, &o->m->slice[r->from].mail, &f);
}

/* A slice takes no writes while the channels it writes to are too far behind. */
static void look_for_write_room(struct sim_memside *m)
{
    uint32_t per = m->map.slices / m->map.channels, room = m->gpu.dram.write_room;
    if (!room)
        return;
    for (uint32_t p = 0; p < m->map.partitions; p++) {
        struct dram_channel *c = &m->channel[p * m->map.channels];
        uint64_t all = 0;
        for (uint32_t i = 0; i < m->map.channels; i++)
            all += dram_channel_waiting_writes(&c[i]);
        for (uint32_t s = 0; s < m->map.slices; s++)
            m->slice[p * m->map.slices + s].no_write_room =
                m->map.coupled ? dram_channel_waiting_writes(&c[s / per]) > room
                               : all > (uint64_t)room * m->map.channels;
    }
}

/* What was measured is what all slices take in together (docs/flow-evidence.md, "Ways in"), so what
 * waits for them is added up too. */
static void add_up_waiting(struct sim_memside *m)
{
    for (uint32_t p = 0; p < m->map.partitions; p++) {
        uint64_t all64 = 0;
        for (uint32_t s = 0; s < m->map.slices; s++)
            all64 += m->slice[p * m->map.slices + s].writes_wait64;
        m->slices_behind[p] = all64 / 64 / m->map.slices;
    }
}

static void run_slice(struct sim_out *o, uint32_t i, uint64_t begin, uint64_t end)
{
    struct sim_slice *s = &o->m->slice[i];
    if (sim_slice_busy(s) || s->mail.first < end)
        sim_slice_run(o, s, begin, end);
}

static void run_channel(struct sim_out *o, uint32_t i, uint64_t begin, uint64_t end)
{
    struct dram_channel *c = &o->m->channel[i];
    if (dram_channel_busy(c) || c->mail.first < end)
        dram_channel_run(c, begin, end, read_done, o);
}

static bool run_window(struct sim_memside *m, uint64_t end)
{
    uint64_t begin = m->now;
    if (!sim_xbar_deliver(m, begin, end))
        return false;
    look_for_write_room(m);
    sim_team_run(m, run_slice, m->n_slices, begin, end);
    if (m->rate.l2.write_flit)
        add_up_waiting(m);
    if (m->rate.l2.link_sector && !cross_links(m, begin))
        return false;
    sim_team_run(m, run_channel, m->n_channels, begin, end);
    m->now = end;
    return sim_xbar_return(m, begin, end);
}

static bool any_failed(const struct sim_memside *m)
{
    bool failed = false;
    for (uint32_t o = 0; o < m->n_out; o++)
        failed |= m->out[o].failed;
    for (uint32_t s = 0; s < m->n_slices; s++)
        failed |= m->slice[s].failed | m->slice[s].mail.failed;
    for (uint32_t c = 0; c < m->n_channels; c++)
        failed |= m->channel[c].failed | m->channel[c].mail.failed;
    return failed;
}

strata_status sim_memside_run(struct sim_memside *m, uint64_t end, uint32_t threads,
                              const struct sim_packet **reply, size_t *n, struct strata_error *err)
{
    m->xbar.n_reply = 0;
    bool ok = sim_team_resize(m, threads < 1 ? 1 : threads > 64 ? 64 : threads);
    while (m->now < end && ok) {
        uint64_t next = sim_memside_next(m);
        if (next >= end) {
            m->now = end;
            break;
        }
        ok = run_window(m, least(end, m->now + m->rate.window));
    }
    if (!ok || any_failed(m) || !sim_xbar_sort_replies(&m->xbar))
        return strata_no_memory(err, NULL, "for requests under way in the modelled memory");
    *reply = m->xbar.reply;
    *n = m->xbar.n_reply;
    return STRATA_OK;
}

uint64_t sim_memside_next(const struct sim_memside *m)
{
    uint64_t next = sim_xbar_next(&m->xbar);
    for (uint32_t s = 0; s < m->n_slices; s++) {
        if (sim_slice_busy(&m->slice[s]))
            return m->now;
        next = least(next, m->slice[s].mail.first);
    }
    for (uint32_t c = 0; c < m->n_channels; c++) {
        if (dram_channel_busy(&m->channel[c]))
            return m->now;
        next = least(next, m->channel[c].mail.first);
    }
    return next;
}

void sim_memside_memcpy(struct sim_memside *m, uint64_t address, uint64_t bytes)
{
    if (!m->gpu.l2.fill_on_memcpy || !bytes)
        return;
    uint64_t line_bytes = m->gpu.l2.cache.line_bytes;
    for (uint64_t line = address & ~(line_bytes - 1); line < address + bytes; line += line_bytes) {
        uint32_t sectors = 0;
        for (uint32_t k = 0; k < m->rules.line_sectors; k++) {
            uint64_t at = line + k * SIM_SECTOR_BYTES;
            sectors |= (uint32_t)(at + SIM_SECTOR_BYTES > address && at < address + bytes) << k;
        }
        sim_slice_preload(m, sim_slice_of(m, address_map_home(&m->map, line), line), line, sectors);
    }
}

struct sim_slice *sim_slice_of(struct sim_memside *m, uint32_t partition, uint64_t line)
{
    return &m->slice[partition * m->map.slices + address_map_slice(&m->map, line)];
}

struct dram_channel *sim_channel_of(struct sim_memside *m, uint32_t partition, uint64_t line)
{
    return &m->channel[partition * m->map.channels + address_map_channel(&m->map, line)];
}
