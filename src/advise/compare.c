/* compare.c - pairs the launches of two predictions and orders what changed. */
#include <strata/compare.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include <strata/kernel_name.h>

#define TIME   "gpu__time_duration.sum"
#define CYCLES "sm__cycles_elapsed.max"

/* How much of a launch's time a metric can stand for: what is paid for in cycles before what only
 * describes it. Others count 1. */
static const struct {
    const char *start;
    double weight;
} weights[] = {{"gpu__time", 1000},
               {"sm__cycles_elapsed", 900},
               {"dram__bytes.", 40},
               {"dram__", 20},
               {"l1tex__data_bank_conflicts", 30},
               {"lts__t_sectors_srcunit_tex", 25},
               {"lts__", 10},
               {"l1tex__t_sectors", 20},
               {"smsp__inst_executed.sum", 20},
               {"smsp__average_warps_issue_stalled", 5},
               {"sm__warps_active", 10},
               {"launch__shared_mem_config_size", 1},
               {"launch__", 8},
               {"gpc__", 0}};

static double weight_of(const char *metric)
{
    if (strstr(metric, ".per_second")) /* a count and the time say it already */
        return 0;
    for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++)
        if (!strncmp(metric, weights[i].start, strlen(weights[i].start)))
            return weights[i].weight;
    return 1;
}

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the comparison");
}

/* ---- pairing ---- */

struct side {
    const struct strata_result **result;
    bool *used;
    size_t n;
};

static bool is_chosen(const struct strata_result *r, const char *words)
{
    char name[512];
    if (!words)
        return true;
    snprintf(name, sizeof name, "%s/%s", r->program, r->trace);
    return strstr(name, words) || strstr(r->kernel, words);
}

static bool gather(const struct strata_predictions *set, const char *words, struct side *s)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++)
        n += set->item[i].n_results;
    s->result = calloc(n + 1, sizeof *s->result);
    s->used = calloc(n + 1, sizeof *s->used);
    if (!s->result || !s->used)
        return false;
    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < set->item[i].n_results; k++)
            if (is_chosen(&set->item[i].result[k], words))
                s->result[s->n++] = &set->item[i].result[k];
    return true;
}

static bool same_dim(struct strata_dim3 a, struct strata_dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_kernel(const struct strata_result *a, const struct strata_result *b, bool shape)
{
    char x[256], y[256];
    strata_kernel_base_name(a->kernel, x, sizeof x);
    strata_kernel_base_name(b->kernel, y, sizeof y);
    return !strcmp(x, y) &&
           (!shape || (same_dim(a->grid, b->grid) && same_dim(a->block, b->block)));
}

static const struct strata_result *partner(struct side *s, const struct strata_result *of,
                                           bool shape)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->used[i] && same_kernel(s->result[i], of, shape)) {
            s->used[i] = true;
            return s->result[i];
        }
    return NULL;
}

/* ---- changes ---- */

static double time_of(const struct strata_result *r, bool *is_time)
{
    double value = NAN;
    *is_time = r && strata_result_get(r, TIME, &value);
    if (r && !*is_time && !strata_result_get(r, CYCLES, &value))
        value = NAN;
    return value;
}

/* More of what keeps work from the levels below, hits and resident warps, makes a launch faster. */
static bool is_good(const char *metric)
{
    return strstr(metric, "hit") || !strncmp(metric, "sm__warps_active", 16) ||
           !strncmp(metric, "launch__occupancy", 17);
}

/* The largest value of either side in the same unit: a count explains the more of the time the
 * larger it is beside others like it. Metrics of time are of themselves. */
static double largest_like(const struct strata_launch_change *l, const char *unit)
{
    double most = 0;
    for (size_t i = 0; i < l->n_changes; i++) {
        const struct strata_metric *m = strata_metric_find(l->change[i].metric);
        if (m && !strcmp(m->unit, unit))
            most = fmax(most, fmax(l->change[i].before, l->change[i].after));
    }
    return most;
}

/* How much of the change of the time a metric may explain: its own change, by what the metric
 * stands for and by its size; a quarter of that if it went the way that makes a launch faster when
 * this one got slower, or the other way round. */
static double explains(const struct strata_launch_change *l, const struct strata_change *c)
{
    const struct strata_metric *m = strata_metric_find(c->metric);
    double most = m ? largest_like(l, m->unit) : 0, size = fmax(c->before, c->after);
    double change = isfinite(c->ratio) && c->ratio > 0 ? fmin(fabs(log(c->ratio)), 3) : 3;
    bool slower = l->change_pct > 0, more = c->after > c->before;
    bool against =
        isfinite(l->change_pct) && l->change_pct != 0 && (more != is_good(c->metric)) != slower;
    return weight_of(c->metric) * change * (most > 0 ? size / most : 1) * (against ? 0.25 : 1);
}

static int by_share(const void *x, const void *y)
{
    const struct strata_change *a = x, *b = y;
    return a->explains > b->explains   ? -1
           : a->explains < b->explains ? 1
                                       : strcmp(a->metric, b->metric);
}

static bool fill_changes(struct strata_launch_change *l)
{
    for (size_t i = 0; i < l->before->n_counters; i++) {
        const struct strata_counter *c = &l->before->counter[i];
        double after;
        if (!strata_result_get(l->after, c->name, &after) || after == c->value ||
            weight_of(c->name) == 0)
            continue;
        if (!ARRAY_RESERVE(l->change, l->n_changes, l->cap_changes, 1))
            return false;
        l->change[l->n_changes++] =
            (struct strata_change){.metric = c->name,
                                   .before = c->value,
                                   .after = after,
                                   .ratio = c->value != 0 ? after / c->value : NAN};
    }
    for (size_t i = 0; i < l->n_changes; i++)
        l->change[i].explains = explains(l, &l->change[i]);
    if (l->n_changes)
        qsort(l->change, l->n_changes, sizeof *l->change, by_share);
    return true;
}

static bool add_launch(struct strata_comparison *c, const struct strata_result *before,
                       const struct strata_result *after)
{
    bool known_before, known_after;
    if (!ARRAY_RESERVE(c->launch, c->n_launches, c->cap_launches, 1))
        return false;
    struct strata_launch_change *l = &c->launch[c->n_launches++];
    *l = (struct strata_launch_change){.before = before, .after = after};
    l->time_before_ns = time_of(before, &known_before);
    l->time_after_ns = time_of(after, &known_after);
    l->change_pct = 100 * (l->time_after_ns / l->time_before_ns - 1);
    if (!before || !after)
        return true;
    c->n_paired++;
    if (isfinite(l->change_pct)) {
        c->total_before_ns += l->time_before_ns;
        c->total_after_ns += l->time_after_ns;
    }
    return fill_changes(l);
}

/* The largest change of time in nanoseconds first: what matters to the program. */
static int by_time(const void *x, const void *y)
{
    const struct strata_launch_change *a = x, *b = y;
    bool pa = a->before && a->after, pb = b->before && b->after;
    double left = fabs(a->time_after_ns - a->time_before_ns),
           right = fabs(b->time_after_ns - b->time_before_ns);
    if (pa != pb)
        return pa ? -1 : 1;
    if (!(left == right) && isfinite(left) && isfinite(right))
        return left > right ? -1 : 1;
    const struct strata_result *l = a->before ? a->before : a->after,
                               *r = b->before ? b->before : b->after;
    return l->id < r->id ? -1 : l->id > r->id;
}

static bool pair_all(struct side *before, struct side *after, struct strata_comparison *out)
{
    bool ok = true;
    bool one_each = before->n == 1 && after->n == 1; /* chosen by hand: whatever their names */
    const struct strata_result **match = calloc(before->n + 1, sizeof *match);
    for (int shape = 1; match && shape >= 0; shape--)
        for (size_t i = 0; i < before->n; i++)
            if (!match[i])
                match[i] = one_each ? after->result[0] : partner(after, before->result[i], shape);
    if (match && one_each)
        after->used[0] = true;
    for (size_t i = 0; match && ok && i < before->n; i++)
        ok = add_launch(out, before->result[i], match[i]);
    for (size_t i = 0; match && ok && i < after->n; i++)
        if (!after->used[i])
            ok = add_launch(out, NULL, after->result[i]);
    ok &= match != NULL;
    free(match);
    return ok;
}

strata_status strata_compare(const struct strata_predictions *before,
                             const struct strata_predictions *after,
                             const struct strata_compare_options *opt,
                             struct strata_comparison *out, struct strata_error *err)
{
    struct side a = {0}, b = {0};
    strata_status status = STRATA_OK;
    memset(out, 0, sizeof *out);
    if (!gather(before, opt->launch_before, &a) || !gather(after, opt->launch_after, &b) ||
        !pair_all(&a, &b, out))
        status = no_memory(err);
    if (status == STRATA_OK && !out->n_paired)
        status =
            strata_fail(err, STRATA_EFORMAT, NULL, 0, 0,
                        "no launch of one side has a partner on the other: kernels are paired by "
                        "name; choose one of each with --launch and --with-launch.");
    if (status == STRATA_OK)
        qsort(out->launch, out->n_launches, sizeof *out->launch, by_time);
    free(a.result);
    free(a.used);
    free(b.result);
    free(b.used);
    if (status != STRATA_OK)
        strata_comparison_release(out);
    return status;
}

void strata_comparison_release(struct strata_comparison *c)
{
    for (size_t i = 0; i < c->n_launches; i++)
        free(c->launch[i].change);
    free(c->launch);
    memset(c, 0, sizeof *c);
}
