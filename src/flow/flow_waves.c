/* flow_waves.c - see flow_waves.h. */
#include "flow/flow_waves.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "flow/flow_engine.h"

/* Part of the interval however alike the waves are: what comes after those that were modelled may
 * be unlike them. */
#define LEAST_HALF_WIDTH 0.01

void flow_waves_init(struct flow_engine *e, uint32_t limit)
{
    struct flow_waves *w = &e->waves_only;
    uint64_t blocks = strata_launch_blocks(e->launch);
    w->per_wave = (uint64_t)e->memory.n_sms * e->occupancy.blocks_per_sm;
    bool is_long = !e->launch->sampled_blocks && blocks > (limit + 1) * w->per_wave;
    w->limit = is_long ? limit : 0;
}

/* ---- whether the launch has settled ---- */

/* A level that grew within a wave, by part of what came in. Hashed sets fill unevenly: the first
 * are full long before the whole is (write_back.h: at two thirds). */
static bool is_settled(uint64_t before, uint64_t now, double went_out, double capacity,
                       double waves_left)
{
    double grew = now > before ? (double)(now - before) : 0;
    if (grew <= 0.02 * (grew + went_out))
        return true;
    return (double)now + 1.2 * grew * waves_left < 0.6 * capacity;
}

static void read_levels(const struct flow_engine *e, struct flow_wave_mark *m)
{
    m->lines = m->dirty = m->evictions = 0;
    for (uint32_t i = 0; i < e->memory.map.partitions; i++) {
        const struct hierarchy_partition *p = &e->memory.partition[i];
        for (uint32_t s = 0; s < p->l2.n_sets; s++)
            m->lines += p->l2.fill[s];
        m->dirty += p->dirty.all.lines;
        m->evictions += p->l2.evictions;
    }
}

static bool has_settled(const struct flow_engine *e, const struct flow_wave_mark *before,
                        const struct flow_wave_mark *now)
{
    enum { FIRST_WAVES = 2 }; /* in which blocks of all SMs still begin together */
    const struct flow_waves *w = &e->waves_only;
    const struct hierarchy_partition *p = &e->memory.partition[0];
    double parts = e->memory.map.partitions, lines = parts * p->l2.n_slots,
           most_dirty = p->dirty.all.limit ? parts * (double)p->dirty.all.limit : lines,
           written = (double)(now->count.dram_write - before->count.dram_write) /
                     e->memory.rules.line_sectors,
           left =
               ((double)strata_launch_blocks(e->launch) - (double)w->started) / (double)w->per_wave;
    return w->started > FIRST_WAVES * w->per_wave &&
           is_settled(before->lines, now->lines, (double)(now->evictions - before->evictions),
                      lines, left) &&
           is_settled(before->dirty, now->dirty, written, most_dirty, left);
}

bool flow_waves_go_on(struct flow_engine *e, uint64_t t)
{
    struct flow_waves *w = &e->waves_only;
    if (!w->limit || ++w->started % w->per_wave)
        return true;
    struct flow_wave_mark m = {.time = t, .count = e->memory.count};
    memcpy(m.stall_cycles, e->stall_cycles, sizeof m.stall_cycles);
    read_levels(e, &m);
    if (w->n_marks && !has_settled(e, &w->mark[w->n_marks - 1], &m))
        w->n_marks = 0;
    w->mark[w->n_marks++] = m;
    w->over = w->n_marks > w->limit && w->started < strata_launch_blocks(e->launch);
    return !w->over;
}

/* ---- the blocks that were left out ---- */

/* Warp instructions of the blocks that were not modelled; where the trace does not tell, by those
 * that were. */
static double work_left(const struct flow_engine *e)
{
    double done = (double)e->memory.count.instructions, all = (double)e->launch->warp_instructions;
    double blocks = (double)strata_launch_blocks(e->launch);
    if (all < done)
        all = done * blocks / (double)e->waves_only.started;
    return all - done;
}

static uint64_t grown(uint64_t end, uint64_t from, uint64_t to, double share)
{
    return end + (uint64_t)((double)(to - from) * share + 0.5);
}

/* Every count of the struct grows by its share of what came between two marks. */
static void expand_counts(struct flow_engine *e, const struct flow_wave_mark *from,
                          const struct flow_wave_mark *to, double share)
{
    uint64_t *count = (uint64_t *)&e->memory.count;
    const uint64_t *a = (const uint64_t *)&from->count, *b = (const uint64_t *)&to->count;
    size_t n = offsetof(struct launch_counters, other) / sizeof *count;
    for (size_t i = 0; i < n; i++)
        count[i] = grown(count[i], a[i], b[i], share);
    for (int s = 0; s < SM_N_STALLS; s++)
        e->stall_cycles[s] =
            grown(e->stall_cycles[s], from->stall_cycles[s], to->stall_cycles[s], share);
}

/* Copies and what warps wait for grow with the work. */
static void expand_async(struct sm_async_totals *a, double share)
{
    uint64_t *count = (uint64_t *)a;
    for (size_t i = 0; i < sizeof *a / sizeof *count; i++)
        count[i] = grown(count[i], 0, count[i], share);
}

/* Spread of the cycles a warp instruction over single waves: half the interval of their mean. */
static double unsure_of(const struct flow_wave_mark *mark, uint32_t n_waves)
{
    double sum = 0, squares = 0;
    for (uint32_t k = 0; k < n_waves; k++) {
        double work = (double)(mark[k + 1].count.instructions - mark[k].count.instructions);
        double cost = work > 0 ? (double)(mark[k + 1].time - mark[k].time) / work : 0;
        sum += cost;
        squares += cost * cost;
    }
    double variance = (squares - sum * sum / n_waves) / (n_waves - 1);
    return variance > 0 ? gsl_cdf_tdist_Pinv(0.975, n_waves - 1) * sqrt(variance / n_waves) : 0;
}

/* The last wave is seldom whole. Where SMs end their blocks together it takes as long as a whole
 * one, where they are spread its part of that: half the difference. */
static double unsure_of_last(const struct flow_engine *e, double wave_cycles)
{
    const struct flow_waves *w = &e->waves_only;
    uint64_t rest = strata_launch_blocks(e->launch) % w->per_wave;
    return rest ? (1 - (double)rest / (double)w->per_wave) / 2 * wave_cycles : 0;
}

double flow_waves_expand(struct flow_engine *e)
{
    struct flow_waves *w = &e->waves_only;
    if (!w->over)
        return 0;
    const struct flow_wave_mark *from = &w->mark[0], *to = &w->mark[w->limit];
    uint64_t done = e->memory.count.instructions;
    double left = work_left(e),
           between = (double)(to->count.instructions - from->count.instructions);
    if (!(between > 0))
        return 0;
    double time = (double)(to->time - from->time) * left / between;
    expand_counts(e, from, to, left / between);
    expand_async(&e->async, left / (double)done);
    e->end_time += (uint64_t)(time + 0.5);
    for (uint32_t s = 0; s < e->memory.n_sms; s++)
        e->sm_busy[s] += (uint64_t)(time + 0.5);
    return unsure_of(w->mark, w->limit) * left + LEAST_HALF_WIDTH * time +
           unsure_of_last(e, (double)(to->time - from->time) / w->limit);
}
