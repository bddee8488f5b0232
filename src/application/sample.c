/* sample.c - which launches of a program are modelled, and which of them stands for each other. */
#include <stdlib.h>
#include <string.h>

#include <strata/sample.h>

#include "application/sample_groups.h"
#include "application/sample_plan.h"

enum {
    MOST_PICKS = 64, /* of a group, cold */
    TRIES = 32       /* shares of what may be modelled for one launch of each group */
};

void sample_use(struct strata_sample *s, size_t i, enum strata_sample_use how)
{
    if (how > s->use[i])
        s->use[i] = (uint8_t)how;
}

uint64_t sample_modelled_work(const struct strata_sample *s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->n_launches; i++)
        sum += s->use[i] != STRATA_SAMPLE_LEFT_OUT ? s->profile[i].work : 0;
    return sum;
}

void sample_forget_plan(struct strata_sample *s)
{
    memcpy(s->group, s->alike, s->n_launches * sizeof *s->group);
    memset(s->use, 0, s->n_launches * sizeof *s->use);
    memset(s->unsure, 0, s->n_launches * sizeof *s->unsure);
    memset(s->settled, 0, s->n_launches * sizeof *s->settled);
    memset(s->part, 0, s->n_launches * sizeof *s->part);
    memset(s->away, 0, s->n_launches * sizeof *s->away);
    for (size_t i = 0; i < s->n_launches; i++)
        s->stands_for[i] = s->other[i] = (uint32_t)i;
}

/* ---- cold ---- */

/* One of launches that do the very same, else two; then so many that all groups have the same share
 * (Neyman's allocation where the spread is not known beforehand). One where that is too much. */
static size_t picks_of(const struct strata_sample *s, const uint32_t *launch, size_t n, bool one)
{
    bool same = one;
    for (size_t k = 1; k < n && (same || k == 1); k++)
        same = one || s->profile[launch[k]].content == s->profile[launch[0]].content;
    size_t least = same || n == 1 ? 1 : 2, picks = same ? 1 : (size_t)(s->share * (double)n);
    picks = picks < least ? least : picks > MOST_PICKS ? MOST_PICKS : picks;
    return picks > n ? n : picks;
}

/* Evenly spread over those of a group's launches that can be modelled. */
static void pick_of_group(struct strata_sample *s, const struct sample_order *o, uint32_t rank,
                          bool one, uint32_t *usable)
{
    size_t n = 0;
    for (uint32_t k = o->first[rank]; k < o->first[rank + 1]; k++)
        if (s->usable[o->launch[k]])
            usable[n++] = o->launch[k];
    size_t picks = n ? picks_of(s, usable, n, one) : 0;
    for (size_t k = 0; k < picks; k++) {
        size_t i = usable[(2 * k + 1) * n / (2 * picks)];
        sample_use(s, i, STRATA_SAMPLE_STANDS);
        s->settled[i] = 1;
    }
}

/* The modelled launch of a group that is nearest stands for each of its others. */
static void stand_in_of_group(struct strata_sample *s, const uint32_t *launch, size_t n)
{
    size_t before = SIZE_MAX, next = 0;
    for (size_t k = 0; k < n; k++) {
        size_t i = launch[k];
        before = s->use[i] ? i : before;
        while (next < n && (next < k || !s->use[launch[next]]))
            next++;
        size_t after = next < n ? launch[next] : SIZE_MAX;
        if (before != SIZE_MAX || after != SIZE_MAX)
            s->stands_for[i] = (uint32_t)(before == SIZE_MAX                             ? after
                                          : after == SIZE_MAX || i - before <= after - i ? before
                                                                                         : after);
    }
}

static strata_status plan_cold(struct strata_sample *s, const struct sample_order *o, bool one,
                               struct strata_error *err)
{
    uint32_t *usable = malloc((s->n_launches + 1) * sizeof *usable);
    if (!usable)
        return strata_no_memory(err, NULL, "for the sample");
    for (uint32_t k = 0; k < o->n_groups; k++)
        if (o->knot[k])
            pick_of_group(s, o, k, one, usable);
    for (uint32_t k = 0; k < o->n_groups; k++)
        stand_in_of_group(s, &o->launch[o->first[k]], o->first[k + 1] - o->first[k]);
    free(usable);
    return STRATA_OK;
}

/* ---- all ---- */

static strata_status plan_knots(struct strata_sample *s, struct warm_plan *w,
                                const struct sample_order *o, bool one, bool *fits,
                                struct strata_error *err)
{
    sample_forget_plan(s);
    strata_status status = w ? sample_warm_plan(s, w, o, fits, err) : plan_cold(s, o, one, err);
    s->modelled = sample_modelled_work(s);
    *fits = (w ? *fits : true) && (double)s->modelled <= s->share * (double)s->instructions;
    return status;
}

/* Launches before which caches have not settled answer for others: less is to be modelled. */
static strata_status plan_early(struct strata_sample *s, struct warm_plan *w,
                                const struct sample_order *o, bool *fits, struct strata_error *err)
{
    w->early = true;
    strata_status status = plan_knots(s, w, o, true, fits, err);
    w->early = false;
    return status;
}

/* Where more than is asked for would be modelled, caches need not have settled; then fewer groups
 * are modelled, until no more is than that or there is one of each family. What a trace has that is
 * a sample itself is modelled whatever it is. */
static strata_status plan(struct strata_sample *s, struct warm_plan *w, struct sample_order *o,
                          struct strata_error *err)
{
    bool whole = true, fits = false;
    for (size_t i = 0; i < s->n_launches; i++)
        whole &= s->usable[i];
    strata_status status = plan_knots(s, w, o, false, &fits, err);
    if (status == STRATA_OK && w && whole && !fits)
        status = plan_early(s, w, o, &fits, err);
    for (int left = TRIES; status == STRATA_OK && whole && !fits && left >= 0; left--) {
        sample_order_choose(o, s, s->share * (double)s->instructions * left / TRIES);
        status = plan_knots(s, w, o, true, &fits, err);
    }
    return status == STRATA_OK ? sample_interpolate(s, o, err) : status;
}

static strata_status plan_groups(struct strata_sample *s, const struct strata_trace *trace,
                                 struct strata_error *err)
{
    struct sample_order o = {0};
    struct warm_plan w = {0};
    strata_status status = sample_order_make(&o, s, err);
    if (status == STRATA_OK && s->keep_caches)
        status = sample_warm_init(&w, s, trace, err);
    if (status == STRATA_OK)
        status = plan(s, s->keep_caches ? &w : NULL, &o, err);
    sample_warm_release(&w);
    sample_order_release(&o);
    return status;
}

static strata_status take_profiles(struct strata_sample *s, struct strata_trace *trace,
                                   struct strata_error *err)
{
    bool whole = true;
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < s->n_launches; i++)
        whole &= !strata_trace_launch(trace, i)->sampled_blocks;
    for (size_t i = 0; i < s->n_launches && status == STRATA_OK; i++)
        status = launch_profile_take(trace, i, whole, &s->profile[i], err);
    return status;
}

static bool make_room(struct strata_sample *s)
{
    size_t n = s->n_launches + 1;
    s->group = calloc(n, sizeof *s->group);
    s->alike = calloc(n, sizeof *s->alike);
    s->rank = calloc(n, sizeof *s->rank);
    s->kind = calloc(n, sizeof *s->kind);
    s->family = calloc(n, sizeof *s->family);
    s->settled = calloc(n, sizeof *s->settled);
    s->usable = calloc(n, sizeof *s->usable);
    s->use = calloc(n, sizeof *s->use);
    s->stands_for = calloc(n, sizeof *s->stands_for);
    s->unsure = calloc(n, sizeof *s->unsure);
    s->other = calloc(n, sizeof *s->other);
    s->part = calloc(n, sizeof *s->part);
    s->away = calloc(n, sizeof *s->away);
    s->profile = calloc(n, sizeof *s->profile);
    return s->group && s->alike && s->rank && s->kind && s->family && s->settled && s->usable &&
           s->use && s->stands_for && s->unsure && s->other && s->part && s->away && s->profile;
}

strata_status strata_sample_plan(struct strata_sample *s, struct strata_trace *trace, double share,
                                 bool keep_caches, struct strata_error *err)
{
    *s = (struct strata_sample){
        .n_launches = strata_trace_launch_count(trace), .share = share, .keep_caches = keep_caches};
    strata_status status =
        make_room(s) ? take_profiles(s, trace, err) : strata_no_memory(err, NULL, "for the sample");
    if (status == STRATA_OK)
        status = sample_find_groups(s, trace, err);
    if (status == STRATA_OK) {
        memcpy(s->alike, s->group, s->n_launches * sizeof *s->alike);
        status = plan_groups(s, trace, err);
    }
    if (status != STRATA_OK)
        strata_sample_release(s);
    return status;
}

void strata_sample_release(struct strata_sample *s)
{
    free(s->group);
    free(s->alike);
    free(s->rank);
    free(s->kind);
    free(s->family);
    free(s->settled);
    free(s->usable);
    free(s->use);
    free(s->stands_for);
    free(s->unsure);
    free(s->other);
    free(s->part);
    free(s->away);
    free(s->profile);
    memset(s, 0, sizeof *s);
}

void strata_sample_choose(const struct strata_sample *s, struct strata_launch_set *set)
{
    struct strata_trace *trace = set->trace[0];
    set->n_launches = 0;
    for (size_t i = 0; i < s->n_launches; i++)
        if (s->use[i] != STRATA_SAMPLE_LEFT_OUT)
            set->launch[set->n_launches++] = (struct strata_launch_ref){trace, i};
}
