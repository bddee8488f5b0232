/* evaluate.c - what a profile says for one GPU: the published variants, and the default with what
 * they leave out. */
#include <math.h>
#include <string.h>

#include "interval/interval_profile.h"
#include "sm/launch_report.h"

static const char *const names[STRATA_INTERVAL_N_VARIANTS] = {
    "gpumech", "gpumech+", "mdm-queue", "mdm-mshr", "mdm", "gcom", "default"};

bool strata_interval_variant_find(const char *name, enum strata_interval_variant *out)
{
    *out = STRATA_INTERVAL_DEFAULT;
    for (int v = 0; name && v < STRATA_INTERVAL_N_VARIANTS; v++)
        if (!strcmp(name, names[v])) {
            *out = (enum strata_interval_variant)v;
            return true;
        }
    return !name;
}

const char *strata_interval_variant_name(enum strata_interval_variant v)
{
    return (unsigned)v < STRATA_INTERVAL_N_VARIANTS ? names[v] : "?";
}

static double active_sms(const struct interval_launch *l, const struct strata_gpu *gpu)
{
    return fmax(1, fmin(gpu->sm.count, l->blocks));
}

static double resident_warps(const struct interval_launch *l, const struct strata_gpu *gpu)
{
    double blocks = fmin(l->blocks_per_sm, ceil(l->blocks / active_sms(l, gpu)));
    return fmax(1, blocks) * l->warps_per_block;
}

static double noc_gbytes(const struct strata_gpu *gpu)
{
    double per_sm = (double)gpu->xbar.response_bytes_per_cycle_per_sm * gpu->sm.count,
           all = gpu->xbar.total_bytes_per_cycle;
    double bytes = all > 0 && per_sm > 0 ? fmin(all, per_sm) : all > 0 ? all : per_sm;
    double l2 = (double)gpu->l2.bytes_per_cycle_per_slice * gpu->l2.slices;
    if (l2 > 0 && (bytes <= 0 || l2 < bytes))
        bytes = l2;
    return bytes * gpu->sm.clock_mhz / 1000.0;
}

static double dram_gbytes(const struct strata_gpu *gpu)
{
    double efficiency = gpu->dram.efficiency > 0 ? gpu->dram.efficiency : 1;
    return strata_gpu_dram_bytes_per_second(gpu) * 1e-9 * efficiency;
}

static struct interval_machine machine_of(const struct interval_launch *l,
                                          const struct strata_gpu *gpu,
                                          enum strata_interval_variant variant)
{
    double schedulers = gpu->sm.schedulers ? gpu->sm.schedulers : 1;
    struct interval_machine m = {
        .warps = resident_warps(l, gpu),
        .sms = active_sms(l, gpu),
        .issue_per_cycle = gpu->sm.issue_per_scheduler ? gpu->sm.issue_per_scheduler : 1,
        .clock_ghz = gpu->sm.clock_mhz / 1000.0,
        .noc_gbytes = noc_gbytes(gpu),
        .dram_gbytes = dram_gbytes(gpu),
        .line_bytes = gpu->l1.cache.line_bytes,
        .mshrs = gpu->l1.mshrs ? gpu->l1.mshrs : gpu->interval.mshrs,
        .l2_cycles = gpu_l2_cycles(gpu),
        .dram_extra_cycles = gpu_dram_cycles(gpu),
        .l2_miss_ratio = l->l2_miss_ratio,
        .greedy = gpu->sm.scheduler_policy == STRATA_SCHED_GTO ||
                  gpu->sm.scheduler_policy == STRATA_SCHED_GTY,
        .fractional_batches = l->scripts != 0,
        .md1_in_ns = l->scripts != 0,
    };
    m.warps_per_scheduler = ceil(m.warps / schedulers);
    m.l1_change_cycles = gpu->l1.hit_cycles - l->l1_cycles;
    m.l2_change_cycles = m.l2_cycles - l->l2_cycles;
    m.dram_change_cycles = m.dram_extra_cycles - l->dram_cycles;
    if (variant == STRATA_INTERVAL_GCOM) {
        m.mean_requests = true;
        m.line_bytes = l->sector_bytes;
    }
    return m;
}

/* ---- divergence ---- */

static void tell_divergence(const struct interval_launch *l, const struct interval_machine *m,
                            struct strata_interval_result *out)
{
    double divergent = 0, all = 0;
    out->mshrs = m->mshrs;
    for (size_t i = 0; i < l->n_intervals; i++) {
        double n = l->interval[i].n * l->interval[i].count,
               misses = l->interval[i].read_misses * m->warps;
        all += n;
        divergent += interval_divergent(&l->interval[i], m) ? n : 0;
        out->worst_misses = fmax(out->worst_misses, misses);
    }
    out->divergent = divergent > 0;
    out->divergent_share = all > 0 ? divergent / all : 0;
}

/* ---- the published variants ---- */

static void evaluate_published(const struct interval_launch *l, const struct strata_gpu *gpu,
                               const struct interval_machine *m,
                               enum strata_interval_variant variant,
                               struct strata_interval_result *out)
{
    interval_stack(l->interval, l->n_intervals, m, variant, gpu->l1.hit_cycles, &out->stack);
    double schedulers = gpu->sm.schedulers ? gpu->sm.schedulers : 1;
    double n = interval_sum(l->interval, l->n_intervals, m->issue_per_cycle).instructions;
    out->instructions_per_sm = m->warps * n;
    /* IPC is bounded by what the schedulers issue; the rest of the cycles is other warps' issue. */
    double least = out->instructions_per_sm / (schedulers * m->issue_per_cycle);
    struct strata_interval_stack *s = &out->stack;
    if (s->total_cycles < least) {
        s->other_warps += least - s->total_cycles;
        s->total_cycles = s->base + s->other_warps + s->compute_dependence + s->l1 + s->l2 +
                          s->dram + s->mshr + s->noc_queue + s->dram_queue + s->idle;
    }
    out->ipc_sm = out->instructions_per_sm / s->total_cycles;
    out->ipc_gpu = out->ipc_sm * m->sms; /* equation 1 */
    out->cycles = l->instructions / out->ipc_gpu;
}

/* ---- the default ---- */

/* Cycles of what all SMs or one SM's warps share, if it did nothing else. */
struct bounds {
    double latency, issue, unit, dram, l2, noc;
};

static double waves_of(const struct interval_launch *l, const struct strata_gpu *gpu,
                       unsigned parts)
{
    if (!(parts & STRATA_INTERVAL_WAVES))
        return fmax(1, l->blocks / gpu->sm.count / l->blocks_per_sm);
    return fmax(1, ceil(ceil(l->blocks / gpu->sm.count) / l->blocks_per_sm));
}

/* Until so many blocks have been handed out. */
static double dispatch_cycles(const struct strata_gpu *gpu, double blocks)
{
    return gpu->launch.blocks_per_cycle > 0 ? blocks / gpu->launch.blocks_per_cycle : 0;
}

/* The representative's own cycles, without queues. */
static double own_cycles(const struct interval_launch *l, const struct strata_gpu *gpu,
                         const struct interval_machine *m, unsigned parts,
                         struct strata_interval_stack *s)
{
    bool late = parts & STRATA_INTERVAL_LATE;
    interval_stack(late ? l->late_interval : l->interval,
                   late ? l->n_late_intervals : l->n_intervals, m, STRATA_INTERVAL_GPUMECH,
                   gpu->l1.hit_cycles, s);
    s->other_warps = s->mshr = s->noc_queue = s->dram_queue = 0;
    return s->base + s->compute_dependence + s->l1 + s->l2 + s->dram;
}

static void memory_bounds(const struct interval_launch *l, const struct strata_gpu *gpu,
                          const struct interval_machine *m, double unequal, unsigned parts,
                          struct bounds *b)
{
    /* Whole lines travel where sectors do not. */
    bool sectors = parts & STRATA_INTERVAL_SECTORS;
    double line =
        sectors
            ? 1
            : fmax(1, l->l2_requests * m->line_bytes / fmax(1, l->l2_sectors * l->sector_bytes));
    double bytes = l->sector_bytes * line, slices = gpu->l2.slices ? gpu->l2.slices : 1;
    if (gpu->xbar.response_bytes_per_cycle_per_sm)
        b->noc = l->l1_miss_sectors * bytes / (gpu->xbar.response_bytes_per_cycle_per_sm * m->sms) *
                 unequal;
    if (gpu->xbar.total_bytes_per_cycle)
        b->noc = fmax(b->noc, l->l2_sectors * bytes / gpu->xbar.total_bytes_per_cycle);
    double slice =
        gpu->l2.bytes_per_cycle_per_slice ? bytes / gpu->l2.bytes_per_cycle_per_slice : 0;
    b->l2 = fmax(l->l2_sectors * slice, l->l2_requests * gpu->l2.request_cycles) / slices +
            l->atomic_sectors * gpu->l2.atomic_cycles / slices;
    if (m->dram_gbytes > 0)
        b->dram = (l->dram_read_sectors + l->dram_write_sectors) * bytes /
                  (m->dram_gbytes / m->clock_ghz);
}

/* The slowest warp alone, with this GPU's latencies. */
static double longest_on(const struct interval_launch *l, const struct interval_machine *m,
                         unsigned parts)
{
    if (parts & STRATA_INTERVAL_LATE)
        return fmax(0, l->longest_late_cycles + l->longest_late_l1_waits * m->l1_change_cycles +
                           l->longest_late_l2_waits * m->l2_change_cycles +
                           l->longest_late_dram_waits * m->dram_change_cycles);
    return fmax(0, l->longest_cycles + l->longest_l1_waits * m->l1_change_cycles +
                       l->longest_l2_waits * m->l2_change_cycles +
                       l->longest_dram_waits * m->dram_change_cycles);
}

static struct bounds bounds_of(const struct interval_launch *l, const struct strata_gpu *gpu,
                               const struct interval_machine *m, unsigned parts)
{
    struct bounds b = {0};
    double schedulers = gpu->sm.schedulers ? gpu->sm.schedulers : 1, sms = m->sms;
    /* Unequal load: the busiest SM decides. */
    double unequal =
        parts & STRATA_INTERVAL_WAVES ? ceil(l->blocks / gpu->sm.count) * sms / l->blocks : 1;
    struct strata_interval_stack s;
    double one = own_cycles(l, gpu, m, parts, &s);
    double last = parts & STRATA_INTERVAL_SLOWEST ? fmax(one, longest_on(l, m, parts)) : one;
    /* The last wave ends with the slowest warp. */
    b.latency = one * (waves_of(l, gpu, parts) - 1) + last;
    if (parts & STRATA_INTERVAL_LAUNCH)
        b.latency += dispatch_cycles(gpu, fmin(l->blocks, l->blocks_per_sm * sms));
    b.issue = l->instructions / (sms * schedulers * m->issue_per_cycle) * unequal;
    for (int p = SM_PIPE_FMA; p < SM_N_PIPES; p++)
        if (p != SM_PIPE_LSU)
            b.issue = fmax(b.issue, l->pipe_cycles[p] / (sms * schedulers) * unequal);
    double drain =
        gpu->l1.store_cycles ? gpu->l1.store_drain_cycles / 4.0 * l->l2_write_sectors : 0;
    b.unit = (l->lsu_cycles + drain) / sms * unequal;
    memory_bounds(l, gpu, m, unequal, parts, &b);
    return b;
}

/* Queues overlap with computation: the largest bound decides, and those near it add a little. */
static double together(const struct bounds *b, unsigned parts)
{
    const double v[] = {b->latency, b->issue, b->unit, b->dram, b->l2, b->noc};
    double power = parts & STRATA_INTERVAL_OVERLAP ? 2 : 1;
    double most = 0, sum = 0;
    for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)
        most = fmax(most, v[i]);
    for (size_t i = 0; most > 0 && i < sizeof v / sizeof v[0]; i++)
        sum += pow(v[i] / most, power);
    return most * pow(sum, 1 / power);
}

static double launch_cycles(const struct interval_launch *l, const struct strata_gpu *gpu,
                            double running, unsigned parts)
{
    if (!(parts & STRATA_INTERVAL_LAUNCH))
        return 0;
    double dispatch = dispatch_cycles(gpu, l->blocks);
    double fetch = gpu->sm.fetch_cold_cycles + l->code_lines * gpu->sm.fetch_interval_cycles;
    double replace = (waves_of(l, gpu, parts) - 1) * gpu->launch.block_replace_cycles;
    return gpu->launch.launch_cycles + fetch + replace + fmax(0, dispatch - running) +
           (double)sm_drain_cycles(gpu, (uint64_t)l->blocks, (uint32_t)l->warps_per_block);
}

static void evaluate_default(const struct interval_launch *l, const struct strata_gpu *gpu,
                             const struct interval_machine *m, unsigned parts,
                             struct strata_interval_result *out)
{
    struct bounds b = bounds_of(l, gpu, m, parts);
    double running = together(&b, parts), fixed = launch_cycles(l, gpu, running, parts), scale;
    struct strata_interval_stack *s = &out->stack;
    double own = own_cycles(l, gpu, m, parts, s);
    /* The stack: the representative's own cycles as often as there are waves; what the shared units
     * add goes to them by their size. */
    double waves = waves_of(l, gpu, parts), rest = running - own * waves,
           shared = b.issue + b.unit + b.dram + b.l2 + b.noc;
    scale = shared > 0 ? rest / shared : 0;
    s->base *= waves;
    s->compute_dependence *= waves;
    s->l1 = s->l1 * waves + b.unit * scale;
    s->l2 *= waves;
    s->dram *= waves;
    s->other_warps = b.issue * scale;
    s->noc_queue = (b.l2 + b.noc) * scale;
    s->dram_queue = b.dram * scale;
    s->idle = fixed;
    s->total_cycles = s->base + s->other_warps + s->compute_dependence + s->l1 + s->l2 + s->dram +
                      s->mshr + s->noc_queue + s->dram_queue + s->idle;
    out->cycles = s->total_cycles;
    out->instructions_per_sm = l->instructions / m->sms;
    out->ipc_sm = out->instructions_per_sm / out->cycles;
    out->ipc_gpu = l->instructions / out->cycles;
}

const char *strata_interval_part_name(unsigned index)
{
    static const char *const part[] = {"late", "waves", "launch", "slowest", "overlap", "sectors"};
    return index < sizeof part / sizeof part[0] ? part[index] : NULL;
}

void strata_interval_evaluate(const struct strata_interval_profile *p, size_t i,
                              const struct strata_gpu *gpu, enum strata_interval_variant variant,
                              struct strata_interval_result *out)
{
    strata_interval_evaluate_parts(p, i, gpu, variant, STRATA_INTERVAL_ALL_PARTS, out);
}

void strata_interval_evaluate_parts(const struct strata_interval_profile *p, size_t i,
                                    const struct strata_gpu *gpu,
                                    enum strata_interval_variant variant, unsigned parts,
                                    struct strata_interval_result *out)
{
    const struct interval_launch *l = &p->launch[i];
    struct interval_machine m = machine_of(l, gpu, variant);
    memset(out, 0, sizeof *out);
    tell_divergence(l, &m, out);
    if (variant == STRATA_INTERVAL_DEFAULT)
        evaluate_default(l, gpu, &m, parts, out);
    else
        evaluate_published(l, gpu, &m, variant, out);
    out->instructions = l->instructions;
    out->cpi = out->stack.total_cycles / out->instructions_per_sm;
    out->time_ns = out->cycles * 1000.0 / gpu->sm.clock_mhz;
}
