/* sample.c - which launches of a program are modelled, and which of them stands for each other. */
#include <stdlib.h>
#include <string.h>

#include <strata/sample.h>

#include "application/sample_groups.h"
#include "base/bits.h"

enum {
    MOST_RUNS = 8,
    MOST_PICKS = 64,   /* of a group, cold */
    MOST_CONTEXT = 64, /* launches before one that tell what its caches hold */
    LEAST_WARM_UP = 8  /* before one that stands for those alike, if no round is known */
};

#define NOBODY UINT32_MAX

/* Of what may be modelled, this much goes to the launches at the start if the program does not
 * repeat itself. If it does, all of it: their caches need no warming up, so what they say of the
 * steady state is exact once it is reached, and a run that begins cold can only come near to it. */
#define SHARE_OF_START 0.6

static void use(struct strata_sample *s, size_t i, enum strata_sample_use how)
{
    if (how > s->use[i])
        s->use[i] = (uint8_t)how;
}

/* ---- cold ---- */

/* One of launches that do the very same, else two, or four of a group that finer groups make up;
 * then so many that all groups have the same share (Neyman's allocation where the spread is not
 * known beforehand). */
static size_t picks_of(const struct strata_sample *s, const struct launch_profile *profile,
                       const uint32_t *launch, size_t n)
{
    bool same = true, fine = true;
    for (size_t k = 1; k < n; k++) {
        same &= profile[launch[k]].content == profile[launch[0]].content;
        fine &= s->fine[launch[k]] == s->fine[launch[0]];
    }
    size_t least = !fine ? SAMPLE_EVIDENCE : same ? 1 : 2;
    size_t picks = same && fine ? 1 : (size_t)(s->share * (double)n);
    picks = picks < least ? least : picks > MOST_PICKS ? MOST_PICKS : picks;
    return picks > n ? n : picks;
}

static int by_number(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* The usable launches of a group, one fine group after another. */
static size_t launches_of(const struct strata_sample *s, uint32_t g, uint64_t *order,
                          uint32_t *launch)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_launches; i++)
        if (s->group[i] == g && s->usable[i])
            order[n++] = (uint64_t)s->fine[i] << 32 | i;
    qsort(order, n, sizeof *order, by_number);
    for (size_t k = 0; k < n; k++)
        launch[k] = (uint32_t)order[k];
    return n;
}

/* Evenly spread over a group's launches; where it is made up of finer groups, from the first of
 * them to the last. */
static strata_status plan_cold(struct strata_sample *s, const struct launch_profile *profile,
                               struct strata_error *err)
{
    uint32_t *launch = malloc((s->n_launches + 1) * sizeof *launch);
    uint64_t *order = malloc((s->n_launches + 1) * sizeof *order);
    bool room = launch && order;
    for (uint32_t g = 0; room && g < s->n_groups; g++) {
        size_t n = launches_of(s, g, order, launch), picks = picks_of(s, profile, launch, n);
        bool fine = !n || s->fine[launch[0]] == s->fine[launch[n - 1]];
        for (size_t k = 0; k < picks; k++) {
            size_t at = fine ? (2 * k + 1) * n / (2 * picks) : k * (n - 1) / (picks - 1);
            use(s, launch[at], STRATA_SAMPLE_STANDS);
            s->settled[launch[at]] = 1;
        }
    }
    free(launch);
    free(order);
    return room ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
}

/* ---- caches that last ---- */

struct warm_plan {
    uint64_t *symbol; /* of each launch: its group, and the copies and fills before it */
    uint32_t n_alike; /* groups whatever ran before a launch */
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

static uint64_t modelled_work(const struct strata_sample *s, const struct launch_profile *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->n_launches; i++)
        sum += s->use[i] != STRATA_SAMPLE_LEFT_OUT ? p[i].work : 0;
    return sum;
}

static size_t usable_from(const struct strata_sample *s, size_t i)
{
    size_t end = i;
    while (end < s->n_launches && s->usable[end])
        end++;
    return end - i;
}

/* Launches at the start that are modelled: of a trace of a sample those that are there. */
static size_t start_length(const struct strata_sample *s, const struct launch_profile *p,
                           double limit)
{
    uint64_t sum = 0;
    size_t n = 0, whole = usable_from(s, 0);
    if (whole < s->n_launches)
        return whole;
    while (n < s->n_launches && (double)(sum + p[n].work) <= limit)
        sum += p[n++].work;
    return n ? n : 1;
}

static void add_run(struct strata_sample *s, struct warm_plan *w, size_t from, size_t round,
                    size_t n)
{
    for (size_t i = from; i < from + n; i++) {
        use(s, i, i < from + round ? STRATA_SAMPLE_WARMS_UP : STRATA_SAMPLE_STANDS);
        w->begins[i] = from;
    }
}

/* The runs that a trace of a sample has; the first half of each warms up. */
static void add_recorded_runs(struct strata_sample *s, struct warm_plan *w, size_t start)
{
    for (size_t i = start, n; i < s->n_launches; i += n ? n : 1) {
        n = usable_from(s, i);
        if (n > 1)
            add_run(s, w, i, n / 2, n);
    }
}

/* Runs in the middle of a program that does not repeat itself: as many launches as at the start
 * that warm up, and as many that stand, as many runs as what is left allows. */
static void add_runs(struct strata_sample *s, const struct launch_profile *p, struct warm_plan *w,
                     size_t start, double left)
{
    size_t rest = s->n_launches - start, round = start;
    if (w->period || rest < 4 * round)
        return;
    uint64_t cost = work_between(p, start + rest / 2, start + rest / 2 + 2 * round);
    size_t n = cost && left > 0 ? (size_t)(left / (double)cost) : 0;
    n = n > MOST_RUNS ? MOST_RUNS : n;
    n = n > rest / (4 * round) ? rest / (4 * round) : n;
    for (size_t k = 0; k < n; k++) {
        size_t from = start + (size_t)((double)(rest - 2 * round) * ((double)k + 0.5) / (double)n);
        add_run(s, w, from, round, 2 * round);
    }
}

/* Launches alike that nothing stands for: one in the middle of its launches, after a round before
 * it. */
static void add_missing(struct strata_sample *s, struct warm_plan *w, size_t start)
{
    size_t round = w->period ? w->period : start < LEAST_WARM_UP ? start : LEAST_WARM_UP;
    for (uint32_t g = 0; g < w->n_alike; g++) {
        size_t n = 0, met = 0, seen = 0;
        for (size_t i = 0; i < s->n_launches; i++) {
            n += s->alike[i] == g && s->usable[i];
            met += s->alike[i] == g && s->use[i] >= STRATA_SAMPLE_STANDS;
        }
        for (size_t i = 0; n && !met && i < s->n_launches; i++) {
            if (s->alike[i] != g || !s->usable[i] || seen++ != n / 2)
                continue;
            size_t from = i;
            while (from && i - from < round && s->usable[from - 1])
                from--;
            for (size_t k = from; k <= i; k++) {
                if (s->use[k] == STRATA_SAMPLE_LEFT_OUT)
                    w->begins[k] = k && s->use[k - 1] ? w->begins[k - 1] : from;
                use(s, k, k < i ? STRATA_SAMPLE_WARMS_UP : STRATA_SAMPLE_STANDS);
            }
        }
    }
}

/* A launch soon after its run's begin finds caches that hold little yet. */
static bool is_settled(const struct warm_plan *w, size_t i)
{
    return i - w->begins[i] >= LEAST_WARM_UP;
}

/* Of those alike a modelled launch that is settled, if there is one and this one is; of these the
 * one before which most launches are the same, up to a round of the program; of several the
 * nearest. next: the modelled launches alike, one after another. */
static void find_warm_stand_in(struct strata_sample *s, const struct warm_plan *w, size_t i,
                               uint32_t first, const uint32_t *next)
{
    size_t most = w->period && w->period < MOST_CONTEXT ? w->period : MOST_CONTEXT;
    size_t best = i, longest = 0, nearest = SIZE_MAX;
    bool settled = false;
    for (uint32_t j = first; j != NOBODY; j = next[j]) {
        size_t distance = i > j ? i - j : j - i, same = like_context(w, i, j, most);
        bool this_settled = i < LEAST_WARM_UP || is_settled(w, j);
        bool nearer = same > longest || (same == longest && distance < nearest);
        if (nearest != SIZE_MAX && (this_settled == settled ? !nearer : settled))
            continue;
        best = j;
        settled = this_settled;
        longest = same;
        nearest = distance;
    }
    s->stands_for[i] = (uint32_t)best;
    s->unsure[i] = best != i && longest < most;
    s->group[i] = s->group[best]; /* whose spread tells how sure its answer is */
}

/* The modelled launch nearest to one, of those that share its number in `like`; SIZE_MAX: none. */
static size_t nearest_modelled(const struct strata_sample *s, const uint32_t *like, size_t i)
{
    for (size_t d = 0; d < s->n_launches; d++) {
        if (d <= i && like[i - d] == like[i] && s->use[i - d] >= STRATA_SAMPLE_STANDS)
            return i - d;
        if (i + d < s->n_launches && like[i + d] == like[i] &&
            s->use[i + d] >= STRATA_SAMPLE_STANDS)
            return i + d;
    }
    return SIZE_MAX;
}

/* Nothing like it was recorded whole: the nearest of its kernel and shape stands for it. */
static strata_status stand_in_of_kind(struct strata_sample *s, size_t i, struct strata_error *err)
{
    size_t j = nearest_modelled(s, s->kind, i);
    if (j == SIZE_MAX)
        return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                           "launch %zu of the trace is recorded in part and no whole one of its "
                           "kernel is to be modelled; trace the program with a larger --sample.",
                           i + 1);
    s->stands_for[i] = (uint32_t)j;
    s->unsure[i] = 1;
    s->group[i] = s->group[j];
    return STRATA_OK;
}

static strata_status find_warm_stand_ins(struct strata_sample *s, const struct warm_plan *w,
                                         struct strata_error *err)
{
    uint32_t *first = malloc(((size_t)w->n_alike + 1) * sizeof *first),
             *next = malloc((s->n_launches + 1) * sizeof *next);
    for (uint32_t g = 0; first && g < w->n_alike; g++)
        first[g] = NOBODY;
    for (size_t i = s->n_launches; first && next && i--;) {
        if (s->use[i] < STRATA_SAMPLE_STANDS)
            continue;
        next[i] = first[s->alike[i]];
        first[s->alike[i]] = (uint32_t)i;
    }
    strata_status status =
        first && next ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
    for (size_t i = 0; status == STRATA_OK && i < s->n_launches; i++)
        if (s->use[i] >= STRATA_SAMPLE_STANDS)
            s->stands_for[i] = (uint32_t)i;
        else if (first[s->alike[i]] != NOBODY)
            find_warm_stand_in(s, w, i, first[s->alike[i]], next);
        else
            status = stand_in_of_kind(s, i, err);
    free(first);
    free(next);
    return status;
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

/* Which launches are modelled; `limit`: how much of it at the start. Returns how many those are. */
static size_t mark_launches(struct strata_sample *s, const struct launch_profile *p,
                            struct warm_plan *w, double limit, double may)
{
    size_t start = start_length(s, p, limit);
    bool in_part = usable_from(s, 0) < s->n_launches;
    for (size_t i = 0; i < start; i++)
        use(s, i, STRATA_SAMPLE_STANDS);
    if (in_part)
        add_recorded_runs(s, w, start);
    add_missing(s, w, start);
    if (!in_part)
        add_runs(s, p, w, start, may - (double)modelled_work(s, p));
    return start;
}

static strata_status plan_warm(struct strata_sample *s, const struct strata_trace *trace,
                               const struct launch_profile *p, struct strata_error *err)
{
    struct warm_plan w = {.symbol = calloc(s->n_launches + 1, sizeof *w.symbol),
                          .begins = calloc(s->n_launches + 1, sizeof *w.begins),
                          .n_alike = s->n_groups};
    strata_status status =
        w.symbol && w.begins ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
    if (status == STRATA_OK) {
        make_symbols(s, trace, w.symbol);
        w.period = find_period(w.symbol, s->n_launches);
        status = split_by_context(s, w.symbol, err);
    }
    if (status == STRATA_OK) {
        double may = s->share * (double)s->instructions;
        size_t start = mark_launches(s, p, &w, w.period ? may : SHARE_OF_START * may, may);
        status = find_warm_stand_ins(s, &w, err);
        if (status == STRATA_OK)
            tell_start_apart(s, start);
        for (size_t i = 0; i < s->n_launches; i++)
            s->settled[i] = s->use[i] >= STRATA_SAMPLE_STANDS && is_settled(&w, i);
    }
    free(w.symbol);
    free(w.begins);
    return status;
}

/* ---- all ---- */

static strata_status find_cold_stand_ins(struct strata_sample *s, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < s->n_launches && status == STRATA_OK; i++) {
        size_t best = nearest_modelled(s, s->group, i);
        if (best != SIZE_MAX)
            s->stands_for[i] = (uint32_t)best;
        else
            status = stand_in_of_kind(s, i, err);
    }
    return status;
}

static void forget_plan(struct strata_sample *s)
{
    memset(s->use, 0, s->n_launches * sizeof *s->use);
    memset(s->unsure, 0, s->n_launches * sizeof *s->unsure);
    memset(s->settled, 0, s->n_launches * sizeof *s->settled);
    memset(s->stands_for, 0, s->n_launches * sizeof *s->stands_for);
    s->n_groups = 0;
    s->instructions = s->modelled = 0;
}

static strata_status plan_at(struct strata_sample *s, struct strata_trace *trace,
                             const struct launch_profile *profile, int coarseness,
                             struct strata_error *err)
{
    forget_plan(s);
    strata_status status = sample_find_groups(s, trace, profile, coarseness, err);
    if (status != STRATA_OK)
        return status;
    s->coarseness = coarseness;
    memcpy(s->alike, s->group, s->n_launches * sizeof *s->alike);
    if (!coarseness)
        memcpy(s->fine, s->group, s->n_launches * sizeof *s->fine);
    status = s->keep_caches ? plan_warm(s, trace, profile, err) : plan_cold(s, profile, err);
    if (status == STRATA_OK && !s->keep_caches)
        status = find_cold_stand_ins(s, err);
    s->modelled = modelled_work(s, profile);
    return status;
}

/* Where more than twice what is asked for would be modelled, groups are made coarser until no more
 * is, or while that halves what is modelled. */
static strata_status plan(struct strata_sample *s, struct strata_trace *trace,
                          const struct launch_profile *profile, int coarsest,
                          struct strata_error *err)
{
    int best = 0, last = 0;
    strata_status status = plan_at(s, trace, profile, 0, err);
    uint64_t least = s->modelled, may = (uint64_t)(s->share * (double)s->instructions);
    coarsest = least > 2 * may ? coarsest : 0;
    while (status == STRATA_OK && least > may && last < coarsest) {
        status = plan_at(s, trace, profile, ++last, err);
        if (s->modelled <= may || s->modelled <= least / 2) {
            best = last;
            least = s->modelled;
        }
    }
    return status == STRATA_OK && best != last ? plan_at(s, trace, profile, best, err) : status;
}

static strata_status plan_from_profiles(struct strata_sample *s, struct strata_trace *trace,
                                        int coarsest, struct strata_error *err)
{
    struct launch_profile *profile = calloc(s->n_launches + 1, sizeof *profile);
    strata_status status = profile ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
    for (size_t i = 0; i < s->n_launches && status == STRATA_OK; i++)
        status = launch_profile_take(trace, i, &profile[i], err);
    if (status == STRATA_OK && s->n_launches)
        status = plan(s, trace, profile, coarsest, err);
    free(profile);
    return status;
}

static bool make_room(struct strata_sample *s)
{
    size_t n = s->n_launches + 1;
    s->group = calloc(n, sizeof *s->group);
    s->alike = calloc(n, sizeof *s->alike);
    s->fine = calloc(n, sizeof *s->fine);
    s->settled = calloc(n, sizeof *s->settled);
    s->use = calloc(n, sizeof *s->use);
    s->unsure = calloc(n, sizeof *s->unsure);
    s->kind = calloc(n, sizeof *s->kind);
    s->usable = calloc(n, sizeof *s->usable);
    s->stands_for = calloc(n, sizeof *s->stands_for);
    return s->group && s->alike && s->fine && s->settled && s->use && s->unsure && s->kind &&
           s->usable && s->stands_for;
}

strata_status strata_sample_plan(struct strata_sample *s, struct strata_trace *trace, double share,
                                 bool keep_caches, struct strata_error *err)
{
    *s = (struct strata_sample){
        .n_launches = strata_trace_launch_count(trace), .share = share, .keep_caches = keep_caches};
    strata_status status = make_room(s) ? plan_from_profiles(s, trace, SAMPLE_COARSEST, err)
                                        : strata_no_memory(err, NULL, "for the sample");
    if (status != STRATA_OK)
        strata_sample_release(s);
    return status;
}

strata_status strata_sample_refine(struct strata_sample *s, struct strata_trace *trace,
                                   struct strata_error *err)
{
    uint64_t before = s->modelled;
    strata_status status = plan_from_profiles(s, trace, 0, err);
    s->modelled += before;
    return status;
}

void strata_sample_release(struct strata_sample *s)
{
    free(s->group);
    free(s->alike);
    free(s->fine);
    free(s->settled);
    free(s->use);
    free(s->unsure);
    free(s->kind);
    free(s->usable);
    free(s->stands_for);
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
