/* sample.c - which launches of a program are modelled, and which of them stands for each other. */
#include <stdlib.h>
#include <string.h>

#include <strata/sample.h>

#include "application/sample_groups.h"
#include "base/bits.h"

enum {
    MOST_RUNS = 8,
    MOST_PICKS = 64,  /* of a group, cold */
    MOST_CONTEXT = 64 /* launches before one that tell what its caches hold */
};

#define NOBODY UINT32_MAX

/* Of what may be modelled, this much goes to the launches at the start: their caches need no
 * warming up, so what they say of the steady state is exact once it is reached. */
#define SHARE_OF_START 0.6

static void use(struct strata_sample *s, size_t i, enum strata_sample_use how)
{
    if (how > s->use[i])
        s->use[i] = (uint8_t)how;
}

/* ---- cold ---- */

/* One of launches that do the very same, else two; then so many that all groups have the same share
 * (Neyman's allocation where the spread is not known beforehand). */
static size_t picks_of(const struct strata_sample *s, const struct launch_profile *profile,
                       uint32_t g, double share, size_t *n)
{
    size_t first = SIZE_MAX;
    bool same = true;
    *n = 0;
    for (size_t i = 0; i < s->n_launches; i++) {
        if (s->group[i] != g)
            continue;
        first = first == SIZE_MAX ? i : first;
        same &= profile[i].content == profile[first].content;
        ++*n;
    }
    size_t picks = same ? 1 : (size_t)(share * (double)*n), least = same ? 1 : 2;
    picks = picks < least ? least : picks > MOST_PICKS ? MOST_PICKS : picks;
    return picks > *n ? *n : picks;
}

/* Evenly spread over a group's launches. */
static void plan_cold(struct strata_sample *s, const struct launch_profile *profile, double share)
{
    for (uint32_t g = 0; g < s->n_groups; g++) {
        size_t n, seen = 0, k = 0, picks = picks_of(s, profile, g, share, &n);
        for (size_t i = 0; i < s->n_launches; i++)
            if (s->group[i] == g && seen++ == (2 * k + 1) * n / (2 * picks) && k < picks) {
                use(s, i, STRATA_SAMPLE_STANDS);
                k++;
            }
    }
}

/* ---- caches that last ---- */

struct warm_plan {
    uint64_t *symbol; /* of each launch: its group, and the copies and fills before it */
    size_t *begins;   /* of each modelled launch: where its run begins, warming up included */
    size_t period;    /* launches after which the program repeats itself; 0: it does not */
};

static void make_symbols(const struct strata_sample *s, const struct strata_trace *trace,
                         uint64_t *symbol)
{
    uint64_t between = 0;
    const struct strata_event *e;
    for (size_t i = 0; (e = strata_trace_event(trace, i)); i++)
        if (e->kind != STRATA_EVENT_LAUNCH) {
            between = mix64(between + e->kind + mix64((e->address >> 16) + e->bytes * 65536));
        } else if (e->launch < s->n_launches) {
            symbol[e->launch] = mix64(between * 3 + s->group[e->launch] + 1);
            between = 0;
        }
}

/* The smallest step after which the launches in the middle come again, twice over. */
static size_t find_period(const uint64_t *symbol, size_t n)
{
    size_t middle = n / 2;
    for (size_t p = 1; p <= n / 8; p++) {
        size_t k = 0;
        while (k < 2 * p && symbol[middle + k] == symbol[middle + k + p])
            k++;
        if (k == 2 * p)
            return p;
    }
    return 0;
}

/* How many launches before i are as those before the modelled launch j, up to where j's run begins.
 */
static size_t like_context(const struct warm_plan *w, size_t i, size_t j, size_t most)
{
    size_t k = 0;
    while (k < most && k < i && k < j - w->begins[j] &&
           w->symbol[i - k - 1] == w->symbol[j - k - 1])
        k++;
    return k;
}

/* Launches that follow others are told apart by the two before them, if that leaves many of each:
 * what they find in the caches is another's. */
enum { LAUNCHES_A_CONTEXT = 16 };

static strata_status split_by_context(struct strata_sample *s, const uint64_t *symbol,
                                      struct strata_error *err)
{
    uint32_t *number = malloc((s->n_launches + 1) * sizeof *number), n = 0;
    uint64_t *context = malloc((s->n_launches + 1) * sizeof *context), *known = NULL;
    known = malloc((s->n_launches / LAUNCHES_A_CONTEXT + 2) * sizeof *known);
    bool few = true;
    for (size_t i = 0; number && context && known && few && i < s->n_launches; i++) {
        uint32_t k = 0;
        context[i] =
            mix64(symbol[i] + (i ? 3 * symbol[i - 1] : 0) + (i > 1 ? 7 * symbol[i - 2] : 0));
        while (k < n && known[k] != context[i])
            k++;
        few = k <= s->n_launches / LAUNCHES_A_CONTEXT;
        if (few && k == n)
            known[n++] = context[i];
        number[i] = k;
    }
    bool room = number && context && known;
    if (room && few) {
        memcpy(s->group, number, s->n_launches * sizeof *number);
        s->n_groups = n;
    }
    free(number);
    free(context);
    free(known);
    return room ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
}

static uint64_t work_between(const struct launch_profile *p, size_t from, size_t to)
{
    uint64_t sum = 0;
    for (size_t i = from; i < to; i++)
        sum += p[i].work;
    return sum;
}

/* Launches at the start that are modelled: a share of what may be, but two rounds of the program if
 * they can be had at all. */
static size_t start_length(const struct strata_sample *s, const struct launch_profile *p,
                           size_t period, double may)
{
    uint64_t two_rounds = work_between(p, 0, 2 * period), sum = 0;
    double limit = SHARE_OF_START * may;
    limit = (double)two_rounds > limit && (double)two_rounds <= may ? (double)two_rounds : limit;
    size_t n = 0;
    while (n < s->n_launches && (double)(sum + p[n].work) <= limit)
        sum += p[n++].work;
    return n ? n : 1;
}

/* Runs in the middle of the program: one round that warms up and one that stands, as many as what
 * is left allows. */
static void add_runs(struct strata_sample *s, const struct launch_profile *p, struct warm_plan *w,
                     size_t start, double left)
{
    size_t rest = s->n_launches - start, round = w->period ? w->period : start;
    if (rest < 4 * round)
        return;
    uint64_t cost = work_between(p, start + rest / 2, start + rest / 2 + 2 * round);
    size_t n = cost ? (size_t)(left / (double)cost) : 0;
    n = n > MOST_RUNS ? MOST_RUNS : n;
    n = n > rest / (4 * round) ? rest / (4 * round) : n;
    for (size_t k = 0; k < n; k++) {
        size_t from = start + (size_t)((double)(rest - 2 * round) * ((double)k + 0.5) / (double)n);
        for (size_t i = from; i < from + 2 * round; i++) {
            use(s, i, i < from + round ? STRATA_SAMPLE_WARMS_UP : STRATA_SAMPLE_STANDS);
            w->begins[i] = from;
        }
    }
}

/* A group that nothing stands for: one in the middle of its launches, after a round before it. */
static void add_missing(struct strata_sample *s, struct warm_plan *w, size_t start)
{
    size_t round = w->period ? w->period : start < MOST_CONTEXT ? start : MOST_CONTEXT;
    for (uint32_t g = 0; g < s->n_groups; g++) {
        size_t n = 0, met = 0, seen = 0;
        for (size_t i = 0; i < s->n_launches; i++) {
            n += s->group[i] == g;
            met += s->group[i] == g && s->use[i] >= STRATA_SAMPLE_STANDS;
        }
        for (size_t i = 0; n && !met && i < s->n_launches; i++) {
            if (s->group[i] != g || seen++ != n / 2)
                continue;
            size_t from = i > round ? i - round : 0;
            for (size_t k = from; k <= i; k++) {
                if (s->use[k] == STRATA_SAMPLE_LEFT_OUT)
                    w->begins[k] = k && s->use[k - 1] ? w->begins[k - 1] : from;
                use(s, k, k < i ? STRATA_SAMPLE_WARMS_UP : STRATA_SAMPLE_STANDS);
            }
        }
    }
}

/* Of its group the modelled launch before which most launches are the same, up to a round of the
 * program; of several the nearest. next: the modelled launches of a group, one after another. */
static void find_warm_stand_in(struct strata_sample *s, const struct warm_plan *w, size_t i,
                               uint32_t first, const uint32_t *next)
{
    size_t most = w->period && w->period < MOST_CONTEXT ? w->period : MOST_CONTEXT;
    size_t best = i, longest = 0, nearest = SIZE_MAX;
    for (uint32_t j = first; j != NOBODY; j = next[j]) {
        size_t distance = i > j ? i - j : j - i, same = like_context(w, i, j, most);
        if (nearest == SIZE_MAX || same > longest || (same == longest && distance < nearest)) {
            best = j;
            longest = same;
            nearest = distance;
        }
    }
    s->stands_for[i] = (uint32_t)best;
    s->unsure[i] = best != i && longest < most;
}

static strata_status find_warm_stand_ins(struct strata_sample *s, const struct warm_plan *w,
                                         struct strata_error *err)
{
    uint32_t *first = malloc(((size_t)s->n_groups + 1) * sizeof *first),
             *next = malloc((s->n_launches + 1) * sizeof *next);
    for (uint32_t g = 0; first && g < s->n_groups; g++)
        first[g] = NOBODY;
    for (size_t i = s->n_launches; first && next && i--;) {
        if (s->use[i] < STRATA_SAMPLE_STANDS)
            continue;
        next[i] = first[s->group[i]];
        first[s->group[i]] = (uint32_t)i;
    }
    for (size_t i = 0; first && next && i < s->n_launches; i++)
        if (s->use[i] < STRATA_SAMPLE_STANDS)
            find_warm_stand_in(s, w, i, first[s->group[i]], next);
        else
            s->stands_for[i] = (uint32_t)i;
    bool room = first && next;
    free(first);
    free(next);
    return room ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
}

/* Launches at the start that stand for no other are there for themselves: they found caches that
 * nothing had used. */
static void tell_start_apart(struct strata_sample *s, size_t start)
{
    for (size_t i = 0; i < start; i++)
        s->use[i] = STRATA_SAMPLE_ITSELF;
    for (size_t i = 0; i < s->n_launches; i++)
        if (s->stands_for[i] != i && s->stands_for[i] < start)
            s->use[s->stands_for[i]] = STRATA_SAMPLE_STANDS;
}

static strata_status plan_warm(struct strata_sample *s, const struct strata_trace *trace,
                               const struct launch_profile *p, double share,
                               struct strata_error *err)
{
    struct warm_plan w = {.symbol = calloc(s->n_launches + 1, sizeof *w.symbol),
                          .begins = calloc(s->n_launches + 1, sizeof *w.begins)};
    strata_status status =
        w.symbol && w.begins ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
    if (status == STRATA_OK) {
        make_symbols(s, trace, w.symbol);
        w.period = find_period(w.symbol, s->n_launches);
        status = split_by_context(s, w.symbol, err);
    }
    if (status == STRATA_OK) {
        double may = share * (double)s->instructions;
        size_t start = start_length(s, p, w.period, may);
        for (size_t i = 0; i < start; i++)
            use(s, i, STRATA_SAMPLE_STANDS);
        add_runs(s, p, &w, start, may - (double)work_between(p, 0, start));
        add_missing(s, &w, start);
        status = find_warm_stand_ins(s, &w, err);
        if (status == STRATA_OK)
            tell_start_apart(s, start);
    }
    free(w.symbol);
    free(w.begins);
    return status;
}

/* ---- all ---- */

/* Of its group the modelled launch that is nearest. */
static void find_cold_stand_ins(struct strata_sample *s)
{
    for (size_t i = 0; i < s->n_launches; i++) {
        size_t best = s->use[i] ? i : SIZE_MAX;
        for (size_t d = 1; best == SIZE_MAX && d < s->n_launches; d++) {
            if (d <= i && s->group[i - d] == s->group[i] && s->use[i - d])
                best = i - d;
            else if (i + d < s->n_launches && s->group[i + d] == s->group[i] && s->use[i + d])
                best = i + d;
        }
        s->stands_for[i] = (uint32_t)(best == SIZE_MAX ? i : best);
    }
}

static strata_status plan(struct strata_sample *s, struct strata_trace *trace,
                          struct launch_profile *profile, double share, bool keep_caches,
                          struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < s->n_launches && status == STRATA_OK; i++)
        status = launch_profile_take(trace, i, &profile[i], err);
    if (status == STRATA_OK)
        status = sample_find_groups(s, trace, profile, err);
    if (status != STRATA_OK || !s->n_launches)
        return status;
    if (keep_caches) {
        status = plan_warm(s, trace, profile, share, err);
    } else {
        plan_cold(s, profile, share);
        find_cold_stand_ins(s);
    }
    for (size_t i = 0; i < s->n_launches; i++)
        s->modelled += s->use[i] != STRATA_SAMPLE_LEFT_OUT ? profile[i].work : 0;
    return status;
}

strata_status strata_sample_plan(struct strata_sample *s, struct strata_trace *trace, double share,
                                 bool keep_caches, struct strata_error *err)
{
    memset(s, 0, sizeof *s);
    s->n_launches = strata_trace_launch_count(trace);
    struct launch_profile *profile = calloc(s->n_launches + 1, sizeof *profile);
    s->group = calloc(s->n_launches + 1, sizeof *s->group);
    s->use = calloc(s->n_launches + 1, sizeof *s->use);
    s->unsure = calloc(s->n_launches + 1, sizeof *s->unsure);
    s->stands_for = calloc(s->n_launches + 1, sizeof *s->stands_for);
    strata_status status = profile && s->group && s->use && s->unsure && s->stands_for
                               ? plan(s, trace, profile, share, keep_caches, err)
                               : strata_no_memory(err, NULL, "for the sample");
    free(profile);
    if (status != STRATA_OK)
        strata_sample_release(s);
    return status;
}

void strata_sample_release(struct strata_sample *s)
{
    free(s->group);
    free(s->use);
    free(s->unsure);
    free(s->stands_for);
    memset(s, 0, sizeof *s);
}

void strata_sample_choose(const struct strata_sample *s, struct strata_launch_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n_launches && i < s->n_launches; i++)
        if (s->use[i] != STRATA_SAMPLE_LEFT_OUT)
            set->launch[n++] = set->launch[i];
    set->n_launches = n;
}
