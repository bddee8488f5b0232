/* goals.c - ranking of points, and the points no other one beats in everything. */
#include "explore/goals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/sweep.h>

#include "base/array.h"

static bool has_any(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strstr(name, *words))
            return true;
    return false;
}

bool goal_takes_mean(const char *metric)
{
    static const char *const words[] = {".pct",      "_pct",  ".avg",     ".ratio",
                                        "per_cycle", "_per_", "hit_rate", NULL};
    const struct strata_metric *m = strata_metric_find(metric);
    return (m && (!strcmp(m->unit, "%") || strchr(m->unit, '/'))) || has_any(metric, words);
}

bool goal_maximises(const char *metric)
{
    static const char *const words[] = {"hit_rate",   "lookup_hit",   "ipc",        "per_cycle",
                                        "throughput", "warps_active", "per_second", NULL};
    return has_any(metric, words);
}

void strata_sweep_results_release(struct strata_sweep_results *r)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        free(r->metric[i]);
    for (size_t i = 0; i < r->n_launches; i++) {
        free(r->launch[i].program);
        free(r->launch[i].trace);
        free(r->launch[i].kernel);
    }
    for (size_t i = 0; i < r->n_points; i++) {
        for (size_t k = 0; r->point[i].setting && k < r->n_keys; k++)
            free(r->point[i].setting[k]);
        free(r->point[i].setting);
        free(r->point[i].settings);
        free(r->point[i].error);
        free(r->point[i].value);
        free(r->point[i].launch_value);
    }
    for (size_t i = 0; i < r->n_front_goals; i++)
        free(r->front_goal[i].metric);
    for (size_t i = 0; i < r->n_keys; i++)
        free(r->key[i]);
    free(r->key);
    free(r->front_goal);
    free(r->rank_goal.metric);
    free(r->metric);
    free(r->launch);
    free(r->point);
    free(r->tool);
    free(r->gpu);
    free(r->model);
    free(r->variant);
    memset(r, 0, sizeof *r);
}

/* ---- goals ---- */

static strata_status parse_goal(const struct strata_sweep_results *r, const char *words,
                                size_t length, struct strata_sweep_goal *out, size_t *column,
                                struct strata_error *err)
{
    const char *colon = memchr(words, ':', length);
    size_t n = colon ? (size_t)(colon - words) : length, rest = colon ? length - n - 1 : 0;
    bool min = rest == 3 && !strncmp(colon + 1, "min", 3),
         max = rest == 3 && !strncmp(colon + 1, "max", 3);
    if (colon && !min && !max)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "a goal is METRIC, METRIC:min or METRIC:max, not \"%.*s\".", (int)length,
                           words);
    char name[256];
    snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : (int)sizeof name - 1, words);
    const char *metric = strata_metric_full_name(name); /* "cycles" */
    for (*column = 0; *column < r->n_metrics; ++*column)
        if (!strcmp(r->metric[*column], metric))
            break;
    if (*column == r->n_metrics)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "no point of this sweep knows the metric \"%.*s\"; `strata sweep "
                           "--format csv` names those known.",
                           (int)n, words);
    out->metric = strdup(r->metric[*column]);
    out->maximise = colon ? max : goal_maximises(r->metric[*column]);
    return out->metric ? STRATA_OK : strata_no_memory(err, NULL, "for a goal");
}

/* So that less is always better; NaN: not known. */
static double cost(const struct strata_sweep_entry *p, size_t column, bool maximise)
{
    return p->failed ? NAN : maximise ? -p->value[column] : p->value[column];
}

/* ---- ranking ---- */

struct ranked {
    double cost;
    size_t index;
};

static int by_cost(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

strata_status strata_sweep_rank(struct strata_sweep_results *r, const char *goal,
                                struct strata_error *err)
{
    struct strata_sweep_goal parsed;
    size_t column, n = 0;
    strata_status status = parse_goal(r, goal, strlen(goal), &parsed, &column, err);
    if (status != STRATA_OK)
        return status;
    free(r->rank_goal.metric);
    r->rank_goal = parsed;
    struct ranked *list = calloc(r->n_points + 1, sizeof *list);
    if (!list)
        return strata_no_memory(err, NULL, "for the ranking");
    for (size_t i = 0; i < r->n_points; i++) {
        r->point[i].rank = 0;
        list[n] = (struct ranked){cost(&r->point[i], column, parsed.maximise), i};
        n += !isnan(list[n].cost);
    }
    qsort(list, n, sizeof *list, by_cost);
    /* Equal points share a rank. */
    for (size_t i = 0; i < n; i++)
        r->point[list[i].index].rank = i && list[i].cost == list[i - 1].cost
                                           ? r->point[list[i - 1].index].rank
                                           : (uint32_t)(i + 1);
    free(list);
    return STRATA_OK;
}

/* ---- the front ---- */

/* a is at least as good as b in all goals and better in one. */
static bool dominates(const double *a, const double *b, size_t n)
{
    bool better = false;
    for (size_t g = 0; g < n; g++) {
        if (!(a[g] <= b[g]))
            return false;
        better |= a[g] < b[g];
    }
    return better;
}

static strata_status mark_front(struct strata_sweep_results *r, const size_t *column,
                                struct strata_error *err)
{
    size_t n = r->n_front_goals;
    double *all = calloc(r->n_points * n + 1, sizeof *all);
    if (!all)
        return strata_no_memory(err, NULL, "for the front");
    for (size_t i = 0; i < r->n_points; i++) {
        bool known = true;
        for (size_t g = 0; g < n; g++) {
            all[i * n + g] = cost(&r->point[i], column[g], r->front_goal[g].maximise);
            known &= !isnan(all[i * n + g]);
        }
        r->point[i].on_front = known;
    }
    for (size_t i = 0; i < r->n_points; i++)
        for (size_t j = 0; r->point[i].on_front && j < r->n_points; j++)
            r->point[i].on_front = !dominates(&all[j * n], &all[i * n], n);
    free(all);
    return STRATA_OK;
}

strata_status strata_sweep_front(struct strata_sweep_results *r, const char *goals,
                                 struct strata_error *err)
{
    enum { MOST = 16 };
    size_t column[MOST];
    strata_status status = STRATA_OK;
    for (size_t i = 0; i < r->n_front_goals; i++)
        free(r->front_goal[i].metric);
    free(r->front_goal);
    r->n_front_goals = 0;
    r->front_goal = calloc(MOST, sizeof *r->front_goal);
    if (!r->front_goal)
        return strata_no_memory(err, NULL, "for the front");
    for (const char *at = goals; status == STRATA_OK; at++) {
        size_t n = strcspn(at, ",");
        if (r->n_front_goals == MOST)
            return strata_fail(err, STRATA_ELIMIT, NULL, 0, 0, "--pareto takes at most %d metrics.",
                               MOST);
        status =
            parse_goal(r, at, n, &r->front_goal[r->n_front_goals], &column[r->n_front_goals], err);
        r->n_front_goals += status == STRATA_OK;
        at += n;
        if (!*at)
            break;
    }
    if (status == STRATA_OK && r->n_front_goals < 2)
        status = strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                             "--pareto takes at least two metrics, METRIC,METRIC.");
    return status == STRATA_OK ? mark_front(r, column, err) : status;
}
