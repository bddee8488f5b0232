/* contention.c - many warps on an SM, MSHRs and queues (paper 001, section 3), and the CPI stack.
 */
#include <math.h>
#include <string.h>

#include "interval/model.h"

static double stall_on(const struct interval *i, const struct interval_machine *m)
{
    if (i->cause != INTERVAL_CAUSE_MEMORY)
        return i->stall_cycles;
    double change = (1 - i->p1) * m->l1_change_cycles +
                    i->p1 * (m->l2_change_cycles + i->p2 * m->dram_change_cycles);
    return fmax(0, i->stall_cycles + change);
}

struct interval interval_on(const struct interval *i, const struct interval_machine *m)
{
    struct interval o = *i;
    o.stall_cycles = stall_on(i, m);
    if (m->mean_requests) {
        o.read_misses = i->mean_read;
        o.write_requests = i->mean_write;
        o.l2_read_misses = i->mean_l2_read;
        o.l2_write_misses = i->mean_l2_write;
    }
    return o;
}

static struct interval_single sum_on(const struct interval *list, size_t n,
                                     const struct interval_machine *m)
{
    struct interval_single s = {0};
    for (size_t i = 0; i < n; i++) {
        s.instructions += list[i].n * list[i].count;
        s.stall_cycles += stall_on(&list[i], m) * list[i].count;
        s.n_intervals += list[i].count;
    }
    s.base_cycles = s.instructions / m->issue_per_cycle;
    double cycles = s.base_cycles + s.stall_cycles;
    s.probability = cycles > 0 ? s.instructions / cycles : 0;
    return s;
}

struct interval_single interval_sum(const struct interval *list, size_t n, double issue_per_cycle)
{
    struct interval_machine m = {.issue_per_cycle = issue_per_cycle};
    return sum_on(list, n, &m);
}

/* Every instruction of an interval but the last is followed by one of each other warp; behind the
 * last one the stall hides them. */
static double not_hidden_round_robin(const struct interval *list, size_t n,
                                     const struct interval_machine *m,
                                     const struct interval_single *s)
{
    double others = m->warps_per_scheduler - 1, sum = 0, issue = m->issue_per_cycle;
    for (size_t i = 0; i < n; i++)
        sum += list[i].count *
               (others * (list[i].n - 1) + fmax(0, others / issue - stall_on(&list[i], m)));
    double rate =
        m->gpumech_rate ? s->probability : fmin(s->probability * m->warps_per_scheduler, issue);
    return rate * sum;
}

/* During a stall each other warp is ready with some probability, and then issues an interval of
 * average length. */
static double not_hidden_greedy(const struct interval *list, size_t n,
                                const struct interval_machine *m, const struct interval_single *s)
{
    double others = m->warps - 1, sum = 0;
    double average = s->n_intervals > 0 ? s->instructions / s->n_intervals : 0;
    for (size_t i = 0; i < n; i++) {
        double stall = stall_on(&list[i], m);
        double ready = stall > 0 ? fmin(1, s->probability * stall) : 1;
        sum += list[i].count * fmax(0, ready * others * average - m->issue_per_cycle * stall);
    }
    return sum;
}

double interval_not_hidden(const struct interval *list, size_t n, const struct interval_machine *m)
{
    struct interval_single s = sum_on(list, n, m);
    return m->greedy ? not_hidden_greedy(list, n, m, &s) : not_hidden_round_robin(list, n, m, &s);
}

bool interval_divergent(const struct interval *i, const struct interval_machine *m)
{
    return m->mshrs > 0 && i->read_misses * m->warps > m->mshrs;
}

double interval_latency(const struct interval_machine *m)
{
    return m->l2_cycles + m->l2_miss_ratio * m->dram_extra_cycles;
}

/* Equation 4: read misses in flight are bounded by the MSHRs, writes are not. */
static double in_flight(const struct interval *i, const struct interval_machine *m)
{
    double reads = i->read_misses * m->warps;
    return (m->mshrs > 0 ? fmin(reads, m->mshrs) : reads) + i->write_requests * m->warps;
}

static double service_cycles(const struct interval_machine *m, double gbytes)
{
    return gbytes > 0 ? m->clock_ghz * m->line_bytes / gbytes : 0;
}

/* Equations 2, 3 and 5 with a share of the requests in front of an average one. */
static struct interval_queue queue(const struct interval *i, const struct interval_machine *m,
                                   double share)
{
    double requests = m->sms * in_flight(i, m) * share;
    return (struct interval_queue){requests * service_cycles(m, m->noc_gbytes),
                                   requests * m->l2_miss_ratio * service_cycles(m, m->dram_gbytes)};
}

struct interval_queue interval_queue_half(const struct interval *i,
                                          const struct interval_machine *m)
{
    return queue(i, m, 0.5);
}

struct interval_queue interval_queue_mdm(const struct interval *i, const struct interval_machine *m)
{
    return queue(i, m, interval_divergent(i, m) ? 1 : 0.5);
}

/* GPUMech: DRAM alone, M/D/1 below saturation. */
double interval_queue_gpumech(const struct interval *i, const struct interval_machine *m)
{
    if (i->l2_read_misses + i->l2_write_misses < 1 || m->dram_gbytes <= 0)
        return 0;
    double reads = i->l2_read_misses * m->warps, service = service_cycles(m, m->dram_gbytes);
    double requests =
        ((m->mshrs > 0 ? fmin(reads, m->mshrs) : reads) + i->l2_write_misses * m->warps) * m->sms;
    double cycles = i->n / m->issue_per_cycle + i->stall_cycles, load = requests * service / cycles;
    if (load > 1)
        return service * requests / 2;
    double moment = m->md1_in_ns ? service / m->clock_ghz : service;
    return requests / cycles * moment * moment / (2 * (1 - load));
}

/* GPUMech: the average request waits for half of the batches. */
double interval_mshr_average(const struct interval *i, const struct interval_machine *m,
                             double latency)
{
    if (!interval_divergent(i, m))
        return 0;
    double requests = i->read_misses * m->warps, full = floor(requests / m->mshrs),
           rest = requests - full * m->mshrs;
    double mean = (m->mshrs * full * (full + 1) / 2 + rest * (full + 1)) / requests;
    return latency * mean - latency;
}

/* Equation 8: batch after batch; the last one is the queue's. */
double interval_mshr_batches(const struct interval *i, const struct interval_machine *m,
                             double latency)
{
    if (!interval_divergent(i, m))
        return 0;
    double batches = i->read_misses * m->warps / m->mshrs;
    return ((m->fractional_batches ? batches : ceil(batches)) - 1) * latency;
}

/* The refinement of a later model: saturated only if the queue is longer than the latency it hides
 * behind, writes queue once and not with every batch, and of a write-back L2 only read misses go to
 * DRAM at once. */
static struct interval_wait refined(const struct interval *i, const struct interval_machine *m)
{
    struct interval reads = *i, writes = *i;
    reads.write_requests = 0;
    writes.read_misses = 0;
    double all = m->sms * in_flight(i, m) * service_cycles(m, m->noc_gbytes);
    bool saturated = interval_divergent(i, m) && all > m->l2_cycles + m->dram_extra_cycles;
    struct interval_queue r = queue(&reads, m, saturated ? 1 : 0.5),
                          w = queue(&writes, m, saturated ? 1 : 0.5);
    double miss = i->read_misses > 0 ? fmin(1, i->l2_read_misses / i->read_misses) : 0;
    r.dram_cycles = m->l2_miss_ratio > 0 ? r.dram_cycles / m->l2_miss_ratio * miss : 0;
    double latency = m->l2_cycles + miss * m->dram_extra_cycles + r.noc_cycles + r.dram_cycles;
    return (struct interval_wait){interval_mshr_batches(i, m, latency), r.noc_cycles + w.noc_cycles,
                                  r.dram_cycles};
}

/* The table of paper 001, section 5: which queue, which MSHR term, which latency inside it. */
struct interval_wait interval_contention(const struct interval *i, const struct interval_machine *m,
                                         enum strata_interval_variant variant)
{
    double latency = interval_latency(m);
    if (variant == STRATA_INTERVAL_GPUMECH)
        return (struct interval_wait){interval_mshr_average(i, m, latency), 0,
                                      interval_queue_gpumech(i, m)};
    if (variant == STRATA_INTERVAL_GCOM)
        return refined(i, m);
    bool full_queue = variant == STRATA_INTERVAL_MDM || variant == STRATA_INTERVAL_MDM_QUEUE;
    bool batches = variant == STRATA_INTERVAL_MDM || variant == STRATA_INTERVAL_MDM_MSHR;
    struct interval_queue q = full_queue ? interval_queue_mdm(i, m) : interval_queue_half(i, m);
    latency += q.noc_cycles + q.dram_cycles; /* equation 7 */
    double mshr =
        batches ? interval_mshr_batches(i, m, latency) : interval_mshr_average(i, m, latency);
    return (struct interval_wait){mshr, q.noc_cycles, q.dram_cycles};
}

/* A stall for memory belongs to the levels by their shares of the load's latency. */
static void split_stall(const struct interval *i, const struct interval_machine *m,
                        double l1_cycles, struct strata_interval_stack *out)
{
    double stall = i->stall_cycles * i->count;
    if (i->cause != INTERVAL_CAUSE_MEMORY) {
        out->compute_dependence += stall;
        return;
    }
    double l1 = (1 - i->p1) * l1_cycles, l2 = i->p1 * m->l2_cycles,
           dram = i->p1 * i->p2 * m->dram_extra_cycles;
    double all = l1 + l2 + dram;
    out->l1 += all > 0 ? stall * l1 / all : stall;
    out->l2 += all > 0 ? stall * l2 / all : 0;
    out->dram += all > 0 ? stall * dram / all : 0;
}

void interval_stack(const struct interval *list, size_t n, const struct interval_machine *m,
                    enum strata_interval_variant variant, double l1_cycles,
                    struct strata_interval_stack *out)
{
    memset(out, 0, sizeof *out);
    out->base = sum_on(list, n, m).base_cycles;
    out->other_warps = interval_not_hidden(list, n, m) / m->issue_per_cycle;
    for (size_t i = 0; i < n; i++) {
        struct interval here = interval_on(&list[i], m);
        struct interval_wait w = interval_contention(&here, m, variant);
        split_stall(&here, m, l1_cycles, out);
        out->mshr += w.mshr_cycles * list[i].count;
        out->noc_queue += w.noc_cycles * list[i].count;
        out->dram_queue += w.dram_cycles * list[i].count;
    }
    out->total_cycles = out->base + out->other_warps + out->compute_dependence + out->l1 + out->l2 +
                        out->dram + out->mshr + out->noc_queue + out->dram_queue + out->idle;
}
