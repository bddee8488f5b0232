/* sample_warm.c - which launches are modelled where caches last from one to the next. */
#include <stdlib.h>
#include <string.h>

#include "application/sample_plan.h"
#include "base/bits.h"

enum {
    MOST_RUNS = 8,
    MOST_CONTEXT = 64,   /* launches before one that tell what its caches hold */
    LEAST_WARM_UP = 8,   /* launches after which caches are no longer as at the start */
    MOST_IN_BETWEEN = 2, /* that warm up before one in the middle, whose caches others filled */
    STARTS = 4           /* lengths of the start that are tried */
};

#define NOBODY UINT32_MAX

/* Of what may be modelled, this much goes to the launches at the start if the program does not
 * repeat itself. If it does, all of it: their caches need no warming up, so what they say of the
 * steady state is exact once it is reached, and a run that begins elsewhere can only come near to
 * it. */
#define SHARE_OF_START 0.6

static void make_symbols(const struct strata_sample *s, const struct strata_trace *trace,
                         uint64_t *symbol)
{
    uint64_t between = 0;
    const struct strata_event *e;
    for (size_t i = 0; (e = strata_trace_event(trace, i)); i++)
        if (e->kind != STRATA_EVENT_LAUNCH) {
            between = mix64(between + e->kind + mix64((e->address >> 16) + e->bytes * 65536));
        } else if (e->launch < s->n_launches) {
            symbol[e->launch] = mix64(between * 3 + s->alike[e->launch] + 1);
            between = 0;
        }
}

static bool comes_again(const uint64_t *symbol, size_t n, size_t from, size_t period)
{
    size_t k = 0;
    while (k < 2 * period && from + k + period < n && symbol[from + k] == symbol[from + k + period])
        k++;
    return k == 2 * period;
}

/* The smallest step after which launches come again, twice over, at two of three places: at one of
 * them a program may begin anew. */
static size_t find_period(const uint64_t *symbol, size_t n)
{
    for (size_t p = 1; p <= n / 8; p++) {
        int places = 0;
        for (size_t k = 1; k <= 3; k++)
            places += comes_again(symbol, n, k * n / 4, p);
        if (places >= 2)
            return p;
    }
    return 0;
}

/* Launches that follow others are told apart by the two before them, if that leaves many of each:
 * what they find in the caches is another's. */
enum { LAUNCHES_A_CONTEXT = 16 };

static strata_status split_by_context(struct warm_plan *w, const struct strata_sample *s,
                                      struct strata_error *err)
{
    const uint64_t *symbol = w->symbol;
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
        memcpy(w->apart, number, s->n_launches * sizeof *number);
        w->n_apart = n;
    }
    free(number);
    free(context);
    free(known);
    return room ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
}

strata_status sample_warm_init(struct warm_plan *w, const struct strata_sample *s,
                               const struct strata_trace *trace, struct strata_error *err)
{
    *w = (struct warm_plan){.symbol = calloc(s->n_launches + 1, sizeof *w->symbol),
                            .apart = calloc(s->n_launches + 1, sizeof *w->apart),
                            .begins = calloc(s->n_launches + 1, sizeof *w->begins),
                            .n_apart = s->n_groups};
    if (!w->symbol || !w->apart || !w->begins)
        return strata_no_memory(err, NULL, "for the sample");
    make_symbols(s, trace, w->symbol);
    w->period = find_period(w->symbol, s->n_launches);
    memcpy(w->apart, s->alike, s->n_launches * sizeof *w->apart);
    return split_by_context(w, s, err);
}

void sample_warm_release(struct warm_plan *w)
{
    free(w->symbol);
    free(w->apart);
    free(w->begins);
    memset(w, 0, sizeof *w);
}

/* ---- what is modelled ---- */

static uint64_t work_between(const struct strata_sample *s, size_t from, size_t to)
{
    uint64_t sum = 0;
    for (size_t i = from; i < to; i++)
        sum += s->profile[i].work;
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
static size_t start_length(const struct strata_sample *s, double limit)
{
    uint64_t sum = 0;
    size_t n = 0, whole = usable_from(s, 0);
    if (whole < s->n_launches)
        return whole;
    while (n < s->n_launches && (double)(sum + s->profile[n].work) <= limit)
        sum += s->profile[n++].work;
    return n ? n : 1;
}

static void add_run(struct strata_sample *s, struct warm_plan *w, size_t from, size_t round,
                    size_t n)
{
    for (size_t i = from; i < from + n; i++) {
        if (s->use[i] == STRATA_SAMPLE_LEFT_OUT)
            w->begins[i] = i && s->use[i - 1] ? w->begins[i - 1] : from;
        sample_use(s, i, i < from + round ? STRATA_SAMPLE_WARMS_UP : STRATA_SAMPLE_STANDS);
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

/* Runs in the middle of a program that does not repeat itself: as many launches as at the start,
 * after some that warm up, as many runs as what is left allows. */
static void add_runs(struct strata_sample *s, struct warm_plan *w, size_t start, double left)
{
    size_t rest = s->n_launches - start, n_run = start + LEAST_WARM_UP;
    if (w->period || rest < 2 * n_run)
        return;
    uint64_t cost = work_between(s, start + rest / 2, start + rest / 2 + n_run);
    size_t n = cost && left > 0 ? (size_t)(left / (double)cost) : 0;
    n = n > MOST_RUNS ? MOST_RUNS : n;
    n = n > rest / (2 * n_run) ? rest / (2 * n_run) : n;
    for (size_t k = 0; k < n; k++) {
        size_t from = start + (size_t)((double)(rest - n_run) * ((double)k + 0.5) / (double)n);
        add_run(s, w, from, LEAST_WARM_UP, n_run);
    }
}

/* Where a run to launch i begins: after one that is modelled, or so many before it. */
static size_t run_begin(const struct strata_sample *s, size_t warm_up, size_t i, uint64_t *work)
{
    size_t from = i;
    *work = s->use[i] ? 0 : s->profile[i].work;
    while (from && i - from < warm_up && s->usable[from - 1]) {
        from--;
        *work += s->use[from] ? 0 : s->profile[from].work;
    }
    return from;
}

/* The launch of a group before which least has to be modelled anew; of several the one nearest to
 * the middle of them. Not the first ones of the program. */
static size_t find_cheapest(const struct strata_sample *s, const struct sample_order *o,
                            uint32_t rank, size_t warm_up, size_t start)
{
    uint64_t least = UINT64_MAX, work;
    uint32_t first = o->first[rank], n = o->first[rank + 1] - first, nearest = n;
    size_t best = SIZE_MAX;
    for (uint32_t k = 0; k < n; k++) {
        size_t i = o->launch[first + k];
        uint32_t off = k > n / 2 ? k - n / 2 : n / 2 - k;
        if (!s->usable[i] || i < start)
            continue;
        run_begin(s, warm_up, i, &work);
        if (best != SIZE_MAX && (work > least || (work == least && off >= nearest)))
            continue;
        best = i;
        least = work;
        nearest = off;
    }
    return best;
}

/* A launch soon after the start finds caches that hold little yet, unless one of its group has run
 * before: its code and arrays are there then. */
static void note_settled(struct strata_sample *s, const struct sample_order *o, uint32_t rank)
{
    bool seen = false;
    for (uint32_t k = o->first[rank]; k < o->first[rank + 1]; k++) {
        size_t i = o->launch[k];
        s->settled[i] = s->use[i] && (i >= LEAST_WARM_UP || seen);
        seen |= s->use[i] != STRATA_SAMPLE_LEFT_OUT;
    }
}

/* Whether a launch of the group is modelled whose caches have settled (w->early: or have not);
 * those that warm others up count if they are what is left. */
static bool is_met(struct strata_sample *s, const struct warm_plan *w, const struct sample_order *o,
                   uint32_t rank)
{
    size_t warms_up = SIZE_MAX;
    note_settled(s, o, rank);
    for (uint32_t k = o->first[rank]; k < o->first[rank + 1]; k++) {
        size_t i = o->launch[k];
        if (s->use[i] >= STRATA_SAMPLE_STANDS && (s->settled[i] || w->early))
            return true;
        if (s->use[i] == STRATA_SAMPLE_WARMS_UP && s->settled[i])
            warms_up = i;
    }
    if (warms_up != SIZE_MAX)
        sample_use(s, warms_up, STRATA_SAMPLE_STANDS);
    return warms_up != SIZE_MAX;
}

static bool is_alone(const struct sample_order *o, uint32_t k)
{
    uint32_t before = k, after = k + 1;
    while (before && o->family[before - 1] == o->family[k] && !o->knot[before - 1])
        before--;
    while (after < o->n_groups && o->family[after] == o->family[k] && !o->knot[after])
        after++;
    return !(before && o->family[before - 1] == o->family[k]) &&
           !(after < o->n_groups && o->family[after] == o->family[k]);
}

/* Knots that nothing answers for: a launch of each, after some before it. Those that are alone in
 * their family come first: no other can answer for them. */
static void add_missing(struct strata_sample *s, struct warm_plan *w, const struct sample_order *o,
                        size_t warm_up, size_t start)
{
    for (int others = 0; others < 2; others++)
        for (uint32_t k = 0; k < o->n_groups; k++) {
            if (!o->knot[k] || is_alone(o, k) == others)
                continue;
            uint64_t work;
            size_t i = is_met(s, w, o, k) ? SIZE_MAX : find_cheapest(s, o, k, warm_up, start);
            if (i == SIZE_MAX)
                continue;
            size_t begin = run_begin(s, warm_up, i, &work);
            add_run(s, w, begin, i - begin, i - begin + 1);
        }
    for (uint32_t k = 0; k < o->n_groups; k++)
        is_met(s, w, o, k);
}

/* Which launches are modelled; `limit`: how much of it at the start. Returns how many those are. */
static size_t mark_launches(struct strata_sample *s, struct warm_plan *w,
                            const struct sample_order *o, size_t warm_up, double limit, double may)
{
    size_t start = start_length(s, limit);
    bool in_part = usable_from(s, 0) < s->n_launches;
    sample_forget_plan(s);
    memset(w->begins, 0, s->n_launches * sizeof *w->begins);
    for (size_t i = 0; i < start; i++)
        sample_use(s, i, STRATA_SAMPLE_STANDS);
    if (in_part)
        add_recorded_runs(s, w, start);
    add_missing(s, w, o, warm_up, start);
    if (!in_part)
        add_runs(s, w, start, may - (double)sample_modelled_work(s));
    for (uint32_t k = 0; k < o->n_groups; k++)
        note_settled(s, o, k);
    return start;
}

/* ---- what stands for what ---- */

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
        bool this_settled = s->settled[j];
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

static strata_status find_warm_stand_ins(struct strata_sample *s, const struct warm_plan *w,
                                         const struct sample_order *o, struct strata_error *err)
{
    uint32_t *first = malloc(((size_t)o->n_groups + 1) * sizeof *first),
             *next = malloc((s->n_launches + 1) * sizeof *next);
    bool room = first && next;
    for (uint32_t k = 0; room && k < o->n_groups; k++)
        first[k] = NOBODY;
    for (size_t i = s->n_launches; room && i--;) {
        if (s->use[i] < STRATA_SAMPLE_STANDS)
            continue;
        next[i] = first[s->rank[i]];
        first[s->rank[i]] = (uint32_t)i;
    }
    for (size_t i = 0; room && i < s->n_launches; i++)
        if (s->use[i] < STRATA_SAMPLE_STANDS && first[s->rank[i]] != NOBODY)
            find_warm_stand_in(s, w, i, first[s->rank[i]], next);
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

strata_status sample_warm_plan(struct strata_sample *s, struct warm_plan *w,
                               const struct sample_order *o, bool *fits, struct strata_error *err)
{
    double may = s->share * (double)s->instructions, share = w->period ? 1 : SHARE_OF_START;
    size_t start = 0;
    *fits = false;
    for (size_t warm_up = MOST_IN_BETWEEN + 1; warm_up-- && !*fits;)
        for (int k = 0; k < STARTS && !*fits; k++) {
            start = mark_launches(s, w, o, warm_up, share * may * (STARTS - k) / STARTS, may);
            *fits = (double)sample_modelled_work(s) <= may;
        }
    memcpy(s->group, w->apart, s->n_launches * sizeof *s->group);
    s->n_groups = w->n_apart;
    strata_status status = find_warm_stand_ins(s, w, o, err);
    tell_start_apart(s, start);
    return status;
}
