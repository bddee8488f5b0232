/* sample_expand.c - a prediction of all launches from that of a sample's. */
#include <math.h>
#include <stdlib.h>

#include <strata/sample.h>

#include "application/sample_order.h"

static strata_status like(struct strata_result *out, const struct strata_launch *launch,
                          const struct strata_result *from, struct strata_error *err)
{
    strata_status status = strata_result_init(out, launch, err);
    if (status != STRATA_OK)
        return status;
    for (size_t i = 0; i < from->n_counters; i++)
        strata_result_set(out, from->counter[i].name, from->counter[i].value);
    for (size_t i = 0; i < from->n_details; i++)
        if (from->detail[i].is_text)
            strata_result_detail_text(out, from->detail[i].path, from->detail[i].text);
        else
            strata_result_detail(out, from->detail[i].path, from->detail[i].value);
    strata_result_detail(out, "sample.as_launch", (double)from->id);
    return out->out_of_memory ? strata_no_memory(err, NULL, "for the sample") : STRATA_OK;
}

/* So much of the second's counters goes into what was the first's; what is counted stays whole. */
static void mix_in(struct strata_result *out, const struct strata_result *second, double part)
{
    for (size_t i = 0; i < out->n_counters; i++) {
        double value = out->counter[i].value, other;
        if (!strata_result_get(second, out->counter[i].name, &other))
            continue;
        bool whole = value == floor(value) && other == floor(other);
        value = sample_between(value, other, part);
        strata_result_set(out, out->counter[i].name, whole ? round(value) : value);
    }
}

/* Those that were modelled are copied too: their own result may stand for others further on. */
strata_status strata_sample_result(const struct strata_sample *s, const struct strata_trace *trace,
                                   const struct strata_result *const *from, size_t i,
                                   struct strata_result *out, struct strata_error *err)
{
    strata_status status = like(out, strata_trace_launch(trace, i), from[i], err);
    if (status == STRATA_OK && s->part[i] > 0)
        mix_in(out, from[s->other[i]], (double)s->part[i]);
    for (size_t k = 0; status == STRATA_OK && s->stands_for[i] == i && k < from[i]->n_warnings; k++)
        strata_result_warn(out, "%s", from[i]->warning[k]);
    return status;
}

strata_status strata_sample_times(const struct strata_sample *s, const struct strata_trace *trace,
                                  const struct strata_result *const *from,
                                  const struct strata_gpu *gpu, struct strata_launch_time *out,
                                  struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < s->n_launches && status == STRATA_OK; i++) {
        const struct strata_launch *launch = strata_trace_launch(trace, i);
        struct strata_launch_time *t = &out[i], second;
        double part = (double)s->part[i];
        status = strata_launch_time(gpu, launch, from[i], t, err);
        if (status != STRATA_OK || !(part > 0))
            continue;
        status = strata_launch_time(gpu, launch, from[s->other[i]], &second, err);
        if (status != STRATA_OK)
            break;
        t->alone_us = sample_between(t->alone_us, second.alone_us, part);
        t->sm_share = sample_between(t->sm_share, second.sm_share, part);
        t->issue = sample_between(t->issue, second.issue, part);
        t->l2 = sample_between(t->l2, second.l2, part);
        t->dram = sample_between(t->dram, second.dram, part);
    }
    return status;
}

strata_status strata_sample_expand(const struct strata_sample *s, const struct strata_trace *trace,
                                   struct strata_prediction *p, struct strata_error *err)
{
    const struct strata_result **from = calloc(s->n_launches + 1, sizeof *from);
    struct strata_result *all = calloc(s->n_launches + 1, sizeof *all);
    strata_status status = from && all ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
    size_t n = 0;
    if (status == STRATA_OK)
        strata_sample_results(s, p, from);
    for (; status == STRATA_OK && n < s->n_launches; n++)
        status = strata_sample_result(s, trace, from, n, &all[n], err);
    if (status == STRATA_OK) {
        for (size_t i = 0; i < p->n_results; i++)
            strata_result_release(&p->result[i]);
        p->n_results = 0;
        for (size_t i = 0; status == STRATA_OK && i < n; i++)
            status = strata_prediction_add_result(p, &all[i], err);
    }
    for (size_t i = 0; all && i < n; i++)
        strata_result_release(&all[i]);
    free(from);
    free(all);
    return status;
}
