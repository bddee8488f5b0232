/* launch_profile.c - profiles and labels of the L1s of a launch, or of what reaches its L2. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "learn/features.h"
#include "learn/launch_profile.h"
#include "learn/set.h"
#include "learn/sim_labels.h"
#include "learn/trace_stream.h"

void strata_learn_profile_options_init(struct strata_learn_profile_options *opt)
{
    *opt = (struct strata_learn_profile_options){
        .sms = 8, .interval = 10000, .l1 = {.lines = 64, .ways = 8}, .timing = STRATA_LEARN_TIMING};
}

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the profile of a launch");
}

/* ---- one stream ---- */

static strata_status label_stream(const struct learn_stream *s,
                                  const struct strata_learn_profile_options *opt, size_t first,
                                  size_t n, struct strata_learn_sample *out,
                                  struct strata_error *err)
{
    struct strata_learn_counts *counts = calloc(n, sizeof *counts);
    strata_status st =
        counts && ARRAY_RESERVE(out->row, out->n_rows, out->cap_rows, n * opt->n_labels)
            ? STRATA_OK
            : no_memory(err);
    for (size_t k = 0; k < opt->n_labels && st == STRATA_OK; k++) {
        st = learn_label(s, &opt->label[k], &opt->timing, opt->interval, counts, err);
        for (size_t i = 0; i < n && st == STRATA_OK; i++)
            out->row[out->n_rows++] =
                (struct strata_learn_row){.interval = (uint32_t)(first + i),
                                          .cache = opt->label[k],
                                          .misses = (uint32_t)counts[i].misses,
                                          .merges = (uint32_t)counts[i].merges};
    }
    free(counts);
    return st;
}

static strata_status add_stream(const struct learn_sm_stream *sm,
                                const struct strata_learn_profile_options *opt,
                                struct strata_learn_sample *out, struct strata_error *err)
{
    size_t n = sm->n, spans = (n + opt->interval - 1) / opt->interval, first = out->n_intervals;
    struct learn_stream s = {0};
    struct learn_span *span = calloc(spans, sizeof *span);
    strata_status st =
        span && ARRAY_RESERVE(out->interval, out->n_intervals, out->cap_intervals, spans)
            ? STRATA_OK
            : no_memory(err);
    for (size_t i = 0; i < spans && st == STRATA_OK; i++) {
        size_t to = (i + 1) * opt->interval;
        span[i] = (struct learn_span){i * opt->interval, to < n ? to : n};
    }
    if (st == STRATA_OK)
        st = learn_stream_make(&s, sm->line, n, err);
    s.time = sm->time;
    if (st == STRATA_OK)
        st = learn_profile(&s, span, spans, opt->timing.latency_cycles, out->interval + first, err);
    if (st == STRATA_OK) {
        out->n_intervals += spans;
        if (opt->n_labels && !opt->labels_by_sim)
            st = label_stream(&s, opt, first, spans, out, err);
    }
    learn_stream_release(&s);
    free(span);
    return st;
}

/* ---- what reaches the L2 ---- */

static strata_status misses_of(const struct learn_sm_stream *sm,
                               const struct strata_learn_profile_options *opt, uint8_t **missed,
                               struct strata_error *err)
{
    struct learn_stream s = {0};
    struct strata_learn_counts all;
    *missed = malloc(sm->n + 1);
    strata_status st = *missed ? learn_stream_make(&s, sm->line, sm->n, err) : no_memory(err);
    s.time = sm->time;
    if (st == STRATA_OK)
        st = learn_label_misses(&s, &opt->l1, &opt->timing, sm->n, &all, *missed, err);
    learn_stream_release(&s);
    return st;
}

struct l2_access {
    uint64_t time, line;
};

static int by_time(const void *a, const void *b)
{
    const struct l2_access *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? -1 : 1)
                              : (x->line > y->line) - (x->line < y->line);
}

/* What misses in all L1s, in order of time; the L2 takes one a cycle. */
static strata_status merge_misses(const struct learn_sm_streams *sms, uint8_t *const *missed,
                                  struct learn_sm_stream *out, struct strata_error *err)
{
    size_t total = 0, at = 0;
    for (uint32_t k = 0; k < sms->n_sms; k++)
        for (size_t i = 0; i < sms->sm[k].n; i++)
            total += missed[k][i];
    struct l2_access *access = malloc((total + 1) * sizeof *access);
    out->line = malloc((total + 1) * sizeof *out->line);
    out->time = malloc((total + 1) * sizeof *out->time);
    if (!access || !out->line || !out->time) {
        free(access);
        return no_memory(err);
    }
    for (uint32_t k = 0; k < sms->n_sms; k++)
        for (size_t i = 0; i < sms->sm[k].n; i++)
            if (missed[k][i])
                access[at++] = (struct l2_access){sms->sm[k].time[i], sms->sm[k].line[i]};
    qsort(access, total, sizeof *access, by_time);
    for (size_t i = 0; i < total; i++) {
        out->line[i] = access[i].line;
        out->time[i] =
            i && out->time[i - 1] >= access[i].time ? out->time[i - 1] + 1 : access[i].time;
    }
    out->n = total;
    free(access);
    return STRATA_OK;
}

static strata_status add_l2(const struct learn_sm_streams *sms,
                            const struct strata_learn_profile_options *opt,
                            struct strata_learn_sample *out, struct strata_error *err)
{
    uint8_t **missed = calloc(sms->n_sms, sizeof *missed);
    struct learn_sm_stream all = {0};
    strata_status st = missed ? STRATA_OK : no_memory(err);
    for (uint32_t k = 0; k < sms->n_sms && st == STRATA_OK; k++)
        if (sms->sm[k].n)
            st = misses_of(&sms->sm[k], opt, &missed[k], err);
    if (st == STRATA_OK)
        st = merge_misses(sms, missed, &all, err);
    if (st == STRATA_OK && all.n)
        st = add_stream(&all, opt, out, err);
    for (uint32_t k = 0; missed && k < sms->n_sms; k++)
        free(missed[k]);
    free(missed);
    free(all.line);
    free(all.time);
    return st;
}

/* ---- a launch ---- */

strata_status learn_launch_streams(const struct strata_gpu *gpu, struct strata_reader *reader,
                                   const struct strata_learn_profile_options *opt,
                                   struct learn_sm_streams *sms, struct strata_error *err)
{
    uint32_t most = opt->l2 ? 0 : opt->sms;
    size_t kept = 0;
    strata_status st = learn_streams_read(sms, gpu, reader, opt->sectors, most, err);
    for (uint32_t k = 0; st == STRATA_OK && k < sms->n_sms; k++)
        kept += sms->sm[k].n;
    if (st != STRATA_OK || kept || !sms->accesses)
        return st;
    struct strata_reader *again; /* only SMs that were left out have loads */
    learn_streams_release(sms);
    st = strata_reader_reopen(reader, &again, err);
    if (st != STRATA_OK)
        return st;
    st = learn_streams_read(sms, gpu, again, opt->sectors, 0, err);
    strata_reader_close(again);
    return st;
}

strata_status learn_profile_streams(const struct learn_sm_streams *sms,
                                    const struct strata_learn_profile_options *opt,
                                    struct strata_learn_sample *out, struct strata_error *err)
{
    strata_status st = STRATA_OK;
    if (opt->l2)
        return add_l2(sms, opt, out, err);
    for (uint32_t k = 0; st == STRATA_OK && k < sms->n_sms; k++)
        if (sms->sm[k].n)
            st = add_stream(&sms->sm[k], opt, out, err);
    return st;
}

strata_status strata_learn_profile(const struct strata_gpu *gpu, struct strata_reader *reader,
                                   const struct strata_learn_profile_options *opt,
                                   struct strata_learn_set *set, struct strata_error *err)
{
    const struct strata_launch *l = strata_reader_launch(reader);
    struct learn_sm_streams sms = {0};
    char *name = NULL;
    if (opt->interval < 16 || opt->interval > 10000000)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "An interval has 16 to 10000000 accesses, not %u.", opt->interval);
    if (opt->labels_by_sim && (opt->l2 || opt->sectors))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "The clocked model labels L1s of whole lines; leave out --l2 and "
                           "--sectors, or take labels of the timed L1.");
    if (asprintf(&name, "%s/%s", l->program, l->trace) < 0)
        return no_memory(err);
    struct strata_learn_sample *out = learn_set_add(set, name);
    free(name);
    set->real = true;
    strata_status st = out ? learn_launch_streams(gpu, reader, opt, &sms, err) : no_memory(err);
    if (st == STRATA_OK)
        st = learn_profile_streams(&sms, opt, out, err);
    if (st == STRATA_OK && opt->labels_by_sim)
        st = learn_label_by_sim(gpu, reader, opt, out, err);
    learn_streams_release(&sms);
    return st;
}
