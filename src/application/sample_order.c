/* sample_order.c - the groups of a family in the order of their work, and what lies between two. */
#include "application/sample_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "application/launch_digest.h"
#include "application/sample_groups.h"

#define NOBODY SIZE_MAX

/* A group, by its first launch. */
struct ordered {
    double sectors;
    uint64_t work;
    uint32_t family, group;
    size_t first;
};

static int compare(const void *x, const void *y)
{
    const struct ordered *a = x, *b = y;
    if (a->family != b->family)
        return a->family < b->family ? -1 : 1;
    if (a->work != b->work)
        return a->work < b->work ? -1 : 1;
    if (a->sectors != b->sectors)
        return a->sectors < b->sectors ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void put_in_order(struct sample_order *o, struct strata_sample *s, struct ordered *group,
                         uint32_t *rank)
{
    for (size_t i = s->n_launches; i--;)
        group[s->alike[i]] = (struct ordered){.sectors = s->profile[i].sectors,
                                              .work = s->profile[i].work,
                                              .family = s->family[i],
                                              .group = s->alike[i],
                                              .first = i};
    qsort(group, o->n_groups, sizeof *group, compare);
    for (uint32_t k = 0; k < o->n_groups; k++) {
        o->family[k] = group[k].family;
        rank[group[k].group] = k;
    }
    for (size_t i = 0; i < s->n_launches; i++)
        s->rank[i] = rank[s->alike[i]];
}

/* Counting sort of the launches by the rank of their group. */
static void list_launches(struct sample_order *o, const struct strata_sample *s)
{
    for (size_t i = 0; i < s->n_launches; i++) {
        o->first[s->rank[i] + 1]++;
        o->usable[s->rank[i]] += s->usable[i];
    }
    for (uint32_t k = 0; k < o->n_groups; k++)
        o->first[k + 1] += o->first[k];
    for (size_t i = 0; i < s->n_launches; i++)
        o->launch[o->first[s->rank[i]]++] = (uint32_t)i;
    for (uint32_t k = o->n_groups; k; k--)
        o->first[k] = o->first[k - 1];
    o->first[0] = 0;
}

/* ---- distance ---- */

static double apart(double x, double y)
{
    return log((x + 1) / (y + 1));
}

double sample_distance_alike(const struct strata_sample *s, size_t i, size_t j)
{
    const struct launch_profile *x = &s->profile[i], *y = &s->profile[j];
    double work = apart((double)x->work, (double)y->work), sectors = apart(x->sectors, y->sectors),
           blocks = apart((double)x->blocks, (double)y->blocks);
    return sqrt(work * work + sectors * sectors + blocks * blocks);
}

double sample_distance(const struct strata_sample *s, size_t i, size_t j)
{
    double d = sample_distance_alike(s, i, j);
    return d > SAMPLE_ALIKE ? d : SAMPLE_ALIKE;
}

/* ---- knots ---- */

/* The group that has the launch in the middle, of those from `begin` to `end` that can be modelled.
 */
static uint32_t middle_of(const struct sample_order *o, uint32_t begin, uint32_t end)
{
    uint32_t half = o->first[begin] + (o->first[end] - o->first[begin]) / 2, best = begin;
    for (uint32_t k = begin; k < end && (o->first[k] <= half || !o->usable[best]); k++)
        best = o->usable[k] ? k : best;
    return best;
}

/* Groups from `begin` to `end` between two knots, or beside one. */
struct gap {
    uint32_t begin, end, best;
    bool less, more; /* whether begin - 1 and end are knots */
    double gain;
};

static double group_work(const struct strata_sample *s, const struct sample_order *o, uint32_t k)
{
    return (double)s->profile[o->launch[o->first[k]]].work + 1;
}

/* How unsure the answer for group k is: the variance of a random walk there. */
static double variance_at(const struct strata_sample *s, const struct sample_order *o,
                          const struct gap *g, uint32_t k)
{
    size_t i = o->launch[o->first[k]];
    double x = g->less ? sample_distance(s, i, o->launch[o->first[g->begin - 1]]) : 0,
           y = g->more ? sample_distance(s, i, o->launch[o->first[g->end]]) : 0;
    return g->less && g->more ? x * y / (x + y) : x + y;
}

/* No launch is to take more of what may be modelled, if there are others of its family. */
#define MOST_OF_SHARE 0.5

/* The group of a gap that is most unsure is to be modelled, and what that lessens the variance of
 * the sum by, for the work that it takes. Time is taken to go with the root of the work, between
 * launches that all take as long and those that take as long as their work. */
static void weigh_gap(const struct strata_sample *s, const struct sample_order *o, struct gap *g)
{
    double sum = 0, most = -1, affordable = MOST_OF_SHARE * s->share * (double)s->instructions;
    g->best = g->begin;
    for (uint32_t k = g->begin; k < g->end; k++) {
        double n = o->first[k + 1] - o->first[k],
               unsure = n * sqrt(group_work(s, o, k) * variance_at(s, o, g, k));
        sum += unsure;
        if (o->usable[k] && unsure > most && group_work(s, o, k) <= affordable) {
            most = unsure;
            g->best = k;
        }
    }
    g->gain = most < 0 ? -1 : sum * sum / group_work(s, o, g->best);
}

enum { MOST_TURNS = 4096 };

/* Adds the parts of a gap that its best group leaves. */
static void split_gap(const struct strata_sample *s, const struct sample_order *o, struct gap *gap,
                      size_t *n, size_t at)
{
    struct gap old = gap[at];
    gap[at] = (struct gap){.begin = old.begin, .end = old.best, .less = old.less, .more = true};
    gap[*n] = (struct gap){.begin = old.best + 1, .end = old.end, .less = true, .more = old.more};
    weigh_gap(s, o, &gap[at]);
    weigh_gap(s, o, &gap[*n]);
    ++*n;
}

static size_t find_widest(const struct gap *gap, size_t n)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        best = gap[k].gain > gap[best].gain ? k : best;
    return best;
}

/* One of each family, then always the one that lessens most what is unsure. */
static bool give_turns(const struct strata_sample *s, struct sample_order *o)
{
    struct gap *gap = calloc((size_t)MOST_TURNS + 2 * (size_t)o->n_groups + 2, sizeof *gap);
    size_t n = 0;
    uint32_t turn = 0;
    for (uint32_t begin = 0, end; gap && begin < o->n_groups; begin = end) {
        end = begin + 1;
        while (end < o->n_groups && o->family[end] == o->family[begin])
            end++;
        gap[n] = (struct gap){.begin = begin, .end = end, .best = middle_of(o, begin, end)};
        o->turn[turn++] = gap[n].best;
        n++;
        split_gap(s, o, gap, &n, n - 1);
    }
    o->n_families = turn;
    for (uint32_t end = turn + MOST_TURNS; n && turn < end; turn++) {
        size_t widest = find_widest(gap, n);
        if (gap[widest].gain < 0)
            break;
        o->turn[turn] = gap[widest].best;
        split_gap(s, o, gap, &n, widest);
    }
    o->n_turns = turn;
    bool room = gap;
    free(gap);
    return room;
}

void sample_order_choose(struct sample_order *o, const struct strata_sample *s, double work)
{
    memset(o->knot, 0, o->n_groups);
    for (uint32_t k = 0; k < o->n_turns; k++) {
        double more = group_work(s, o, o->turn[k]);
        if (k >= o->n_families && more > work)
            continue;
        o->knot[o->turn[k]] = 1;
        work -= more;
    }
}

/* ---- order ---- */

strata_status sample_order_make(struct sample_order *o, struct strata_sample *s,
                                struct strata_error *err)
{
    size_t n = s->n_groups;
    *o = (struct sample_order){.n_groups = s->n_groups,
                               .launch = calloc(s->n_launches + 1, sizeof *o->launch),
                               .first = calloc(n + 2, sizeof *o->first),
                               .usable = calloc(n + 1, sizeof *o->usable),
                               .family = calloc(n + 1, sizeof *o->family),
                               .turn = calloc(n + 1, sizeof *o->turn),
                               .knot = calloc(n + 1, sizeof *o->knot)};
    struct ordered *group = calloc(n + 1, sizeof *group);
    uint32_t *rank = calloc(n + 1, sizeof *rank);
    bool room =
        o->launch && o->first && o->usable && o->family && o->turn && o->knot && group && rank;
    if (room) {
        put_in_order(o, s, group, rank);
        list_launches(o, s);
        memset(o->knot, 1, n);
        room = give_turns(s, o);
    }
    free(group);
    free(rank);
    return room ? STRATA_OK : strata_no_memory(err, NULL, "for the sample");
}

void sample_order_release(struct sample_order *o)
{
    free(o->launch);
    free(o->first);
    free(o->usable);
    free(o->family);
    free(o->turn);
    free(o->knot);
    memset(o, 0, sizeof *o);
}

/* ---- between knots ---- */

/* The launch that answers for a group: settled, if there is such a one. */
static size_t answer_of(const struct strata_sample *s, const struct sample_order *o, uint32_t rank)
{
    size_t best = NOBODY;
    for (uint32_t k = o->first[rank]; k < o->first[rank + 1]; k++) {
        size_t i = o->launch[k];
        if (s->use[i] >= STRATA_SAMPLE_STANDS &&
            (best == NOBODY || (s->settled[i] && !s->settled[best])))
            best = i;
    }
    return best;
}

double sample_share_of_second(const struct strata_sample *s, size_t i, size_t first, size_t second)
{
    double a = (double)s->profile[first].work, b = (double)s->profile[second].work,
           work = (double)s->profile[i].work;
    if (b > a * (1 + SAMPLE_ALIKE))
        return work <= a ? 0 : work >= b ? 1 : apart(work, a) / apart(b, a);
    double x = sample_distance(s, i, first), y = sample_distance(s, i, second);
    return x / (x + y);
}

double sample_between(double first, double second, double share)
{
    if (first > 0 && second > 0)
        return first * exp(share * log(second / first));
    return first + share * (second - first);
}

static void take(struct strata_sample *s, size_t i, size_t less, size_t more)
{
    size_t one = less != NOBODY ? less : more, two = more != NOBODY ? more : less;
    double x = sample_distance(s, i, one), y = sample_distance(s, i, two);
    double share = one == two ? 0 : sample_share_of_second(s, i, one, two);
    s->stands_for[i] = (uint32_t)(share <= 0.5 ? one : two);
    s->other[i] = (uint32_t)(share <= 0.5 ? two : one);
    s->part[i] = (float)(share <= 0.5 ? share : 1 - share);
    s->away[i] = (float)(one == two ? x : x * y / (x + y));
}

static strata_status cannot(size_t i, struct strata_error *err)
{
    return strata_fail(err, STRATA_EUNSUPPORTED, NULL, 0, 0,
                       "launch %zu of the trace is recorded in part and no whole one of its "
                       "kernel is to be modelled; trace the program with a larger --sample.",
                       i + 1);
}

/* more[k]: who answers for the next group of the family from k on that has an answer. */
static strata_status look_around(struct strata_sample *s, const struct sample_order *o,
                                 size_t *more, struct strata_error *err)
{
    size_t less = NOBODY;
    for (uint32_t k = o->n_groups; k--;) {
        bool ends = k + 1 == o->n_groups || o->family[k + 1] != o->family[k];
        more[k] = answer_of(s, o, k);
        more[k] = more[k] == NOBODY && !ends ? more[k + 1] : more[k];
    }
    for (uint32_t k = 0; k < o->n_groups; k++) {
        less = k && o->family[k - 1] != o->family[k] ? NOBODY : less;
        bool own = more[k] != NOBODY && s->rank[more[k]] == k;
        less = own ? more[k] : less;
        if (less == NOBODY && more[k] == NOBODY)
            return cannot(o->launch[o->first[k]], err);
        for (uint32_t m = o->first[k]; !own && m < o->first[k + 1]; m++)
            take(s, o->launch[m], less, more[k]);
    }
    return STRATA_OK;
}

strata_status sample_interpolate(struct strata_sample *s, const struct sample_order *o,
                                 struct strata_error *err)
{
    size_t *more = malloc(((size_t)o->n_groups + 1) * sizeof *more);
    strata_status status =
        more ? look_around(s, o, more, err) : strata_no_memory(err, NULL, "for the sample");
    free(more);
    return status;
}
