/* intervals.c - cutting a warp's instructions into intervals, in order issue, one a cycle. */
#include <stdlib.h>
#include <string.h>

#include "interval/model.h"

strata_status interval_builder_init(struct interval_builder *b, enum interval_rule rule,
                                    uint32_t n_registers, struct strata_error *err)
{
    memset(b, 0, sizeof *b);
    b->rule = rule;
    b->n_registers = n_registers;
    b->ready_cycle = calloc(n_registers + 1u, sizeof *b->ready_cycle);
    b->producer = calloc(n_registers + 1u, sizeof *b->producer);
    if (b->ready_cycle && b->producer)
        return STRATA_OK;
    interval_builder_release(b);
    return strata_no_memory(err, NULL, "for %u registers", n_registers);
}

void interval_builder_release(struct interval_builder *b)
{
    free(b->ready_cycle);
    free(b->producer);
    free(b->list);
    free(b->cause_id);
    memset(b, 0, sizeof *b);
}

void interval_builder_reset(struct interval_builder *b)
{
    memset(b->ready_cycle, 0, b->n_registers * sizeof *b->ready_cycle);
    memset(b->producer, 0, b->n_registers * sizeof *b->producer);
    b->previous_cycle = b->sum_cycles = 0;
    memset(&b->current, 0, sizeof b->current);
    b->n = 0;
}

static strata_status close_interval(struct interval_builder *b, double stall, uint32_t cause_id,
                                    struct strata_error *err)
{
    if (b->n == b->cap) {
        size_t cap = b->cap ? b->cap * 2 : 64;
        struct interval *list = realloc(b->list, cap * sizeof *list);
        if (list)
            b->list = list;
        uint32_t *cause = realloc(b->cause_id, cap * sizeof *cause);
        if (cause)
            b->cause_id = cause;
        if (!list || !cause)
            return strata_no_memory(err, NULL, "for %zu intervals", cap);
        b->cap = cap;
    }
    b->current.stall_cycles = stall;
    b->current.count = 1;
    b->cause_id[b->n] = cause_id;
    b->list[b->n++] = b->current;
    memset(&b->current, 0, sizeof b->current);
    return STRATA_OK;
}

strata_status interval_issue(struct interval_builder *b, const uint16_t *read, unsigned n_read,
                             double earliest_cycle, uint32_t earliest_id, struct strata_error *err)
{
    double issue = b->previous_cycle + 1;
    uint32_t cause = 0;
    if (earliest_cycle > issue) {
        issue = earliest_cycle;
        cause = earliest_id;
    }
    for (unsigned k = 0; k < n_read; k++)
        if (read[k] < b->n_registers && b->ready_cycle[read[k]] > issue) {
            issue = b->ready_cycle[read[k]];
            cause = b->producer[read[k]];
        }
    double delta = issue - b->previous_cycle;
    bool ends =
        b->rule == INTERVAL_NORMATIVE || b->rule == INTERVAL_ANY_GAP ? delta > 1 : delta >= 10;
    b->sum_cycles += delta;
    strata_status st = STRATA_OK;
    if (ends) {
        /* The scripts count the issue cycle as part of the stall, and one adds every step to it. */
        double stall = b->rule == INTERVAL_NORMATIVE    ? delta - 1
                       : b->rule == INTERVAL_GAP_10_SUM ? b->sum_cycles
                                                        : delta;
        st = close_interval(b, stall, cause, err);
        b->sum_cycles = 0;
    }
    b->current.n++;
    b->previous_cycle = issue;
    return st;
}

void interval_write(struct interval_builder *b, const uint16_t *write, unsigned n_write,
                    double latency_cycles, uint32_t cause_id)
{
    double ready = b->previous_cycle + latency_cycles + (b->rule == INTERVAL_NORMATIVE ? 0 : 1);
    for (unsigned k = 0; k < n_write; k++)
        if (write[k] < b->n_registers) {
            b->ready_cycle[write[k]] = ready;
            b->producer[write[k]] = cause_id;
        }
}

void interval_take(struct interval_builder *b, uint16_t entry, double latency_cycles,
                   uint32_t cause_id)
{
    double before = entry < b->n_registers ? b->ready_cycle[entry] : 0;
    uint32_t producer = entry < b->n_registers ? b->producer[entry] : 0;
    interval_write(b, &entry, 1, latency_cycles, cause_id);
    if (entry < b->n_registers && b->ready_cycle[entry] < before) {
        b->ready_cycle[entry] = before;
        b->producer[entry] = producer;
    }
}

struct interval *interval_current(struct interval_builder *b)
{
    return &b->current;
}

strata_status interval_finish(struct interval_builder *b, struct strata_error *err)
{
    return close_interval(b, 0, 0, err);
}

static int compare(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    const double fx[] = {x->n,
                         x->stall_cycles,
                         x->cause,
                         x->read_misses,
                         x->write_requests,
                         x->l2_read_misses,
                         x->l2_write_misses,
                         x->p1,
                         x->p2};
    const double fy[] = {y->n,
                         y->stall_cycles,
                         y->cause,
                         y->read_misses,
                         y->write_requests,
                         y->l2_read_misses,
                         y->l2_write_misses,
                         y->p1,
                         y->p2};
    for (size_t i = 0; i < sizeof fx / sizeof fx[0]; i++)
        if (fx[i] != fy[i])
            return fx[i] < fy[i] ? -1 : 1;
    return 0;
}

size_t interval_join(struct interval *list, size_t n)
{
    size_t kept = 0;
    qsort(list, n, sizeof *list, compare);
    for (size_t i = 0; i < n; i++)
        if (kept && !compare(&list[kept - 1], &list[i]))
            list[kept - 1].count += list[i].count;
        else
            list[kept++] = list[i];
    return kept;
}
