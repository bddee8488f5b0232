/* read_results.c - results of all points from the store, launches put together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "explore/goals.h"
#include "explore/results.h"

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

static strata_status no_memory(struct strata_error *err)
{
    return strata_no_memory(err, NULL, "for the results of the sweep");
}

/* ---- which metrics there are ---- */

struct reading {
    struct sweep_run *run;
    struct strata_sweep_results *out;
    size_t cap_metrics;
    struct strata_sweep_entry *point;
    double *row;   /* launch by metric, of the point being read */
    bool *by_mean; /* by metric */
    bool failed;
};

static size_t find_metric(const struct strata_sweep_results *r, const char *name)
{
    for (size_t i = 0; i < r->n_metrics; i++)
        if (!strcmp(r->metric[i], name))
            return i;
    return SIZE_MAX;
}

static void note_metric(void *context, int64_t launch, const char *name, double value)
{
    struct reading *s = context;
    (void)launch;
    (void)value;
    if (find_metric(s->out, name) != SIZE_MAX)
        return;
    char *copy = strdup(name);
    if (!copy || !ARRAY_RESERVE(s->out->metric, s->out->n_metrics, s->cap_metrics, 1)) {
        free(copy);
        s->failed = true;
        return;
    }
    s->out->metric[s->out->n_metrics++] = copy;
}

static size_t place_in_table(const char *name)
{
    size_t n;
    const struct strata_metric *table = strata_metric_table(&n), *m = strata_metric_find(name);
    return m ? (size_t)(m - table) : n;
}

static int by_table(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    size_t i = place_in_table(*x), j = place_in_table(*y);
    return i < j ? -1 : i > j ? 1 : strcmp(*x, *y);
}

/* ---- settings ---- */

static size_t find_key(const struct strata_sweep_results *r, const char *key)
{
    for (size_t i = 0; i < r->n_keys; i++)
        if (!strcmp(r->key[i], key))
            return i;
    return SIZE_MAX;
}

static strata_status note_key(struct strata_sweep_results *r, const char *key,
                              struct strata_error *err)
{
    if (find_key(r, key) != SIZE_MAX)
        return STRATA_OK;
    size_t cap = r->n_keys;
    if (!ARRAY_RESERVE(r->key, r->n_keys, cap, 1) || !(r->key[r->n_keys] = strdup(key)))
        return no_memory(err);
    r->n_keys++;
    return STRATA_OK;
}

static strata_status name_keys(const struct strata_sweep *plan, struct strata_sweep_results *r,
                               struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t l = 0; l < plan->n_lines; l++)
        for (size_t k = 0; status == STRATA_OK && k < plan->line[l].n; k++)
            status = note_key(r, plan->line[l].setting[k].key, err);
    for (size_t a = 0; status == STRATA_OK && a < plan->n_axes; a++)
        status = note_key(r, plan->axis[a].key, err);
    return status;
}

static strata_status read_settings(const struct strata_sweep *plan, size_t i,
                                   const struct strata_sweep_results *r,
                                   struct strata_sweep_entry *p, struct strata_error *err)
{
    size_t most = plan_most_settings(plan) + 1;
    struct sweep_settings all = {calloc(most, sizeof(char *)), calloc(most, sizeof(char *)), 0};
    p->setting = calloc(r->n_keys + 1, sizeof *p->setting);
    bool good = all.key && all.value && p->setting;
    if (good)
        plan_settings(plan, i, &all);
    for (size_t k = 0; good && k < all.n; k++) {
        char **value = &p->setting[find_key(r, all.key[k])];
        free(*value); /* the last of a line's values for one key holds */
        good = (*value = strdup(all.value[k]));
    }
    free(all.key);
    free(all.value);
    return good ? strata_sweep_settings(plan, i, &p->settings, err) : no_memory(err);
}

/* ---- values ---- */

static size_t launch_index(const struct sweep_run *r, int64_t id)
{
    for (size_t i = 0; i < r->set->n_launches; i++)
        if (r->launch_id[i] == id)
            return i;
    return SIZE_MAX;
}

static void note_value(void *context, int64_t launch, const char *name, double value)
{
    struct reading *s = context;
    size_t l = launch_index(s->run, launch), m = find_metric(s->out, name);
    if (l != SIZE_MAX && m != SIZE_MAX)
        s->row[l * s->out->n_metrics + m] = value;
}

static double together(const struct reading *s, size_t metric)
{
    double sum = 0;
    size_t n = 0;
    for (size_t l = 0; l < s->run->set->n_launches; l++) {
        double v = s->row[l * s->out->n_metrics + metric];
        if (isnan(v))
            continue;
        sum += v;
        n++;
    }
    return !n ? NAN : s->by_mean[metric] ? sum / (double)n : sum;
}

static strata_status read_point(struct reading *s, size_t i, struct strata_error *err)
{
    struct strata_sweep_entry *p = &s->out->point[i];
    size_t n = s->out->n_metrics, cells = s->run->set->n_launches * n;
    strata_status status = read_settings(s->run->plan, i, s->out, p, err);
    if (status == STRATA_OK)
        status = store_get_result(s->run->store, s->run->point_id[i], &p->error, err);
    if (status != STRATA_OK)
        return status;
    memcpy(p->config_hash, s->run->config_hash[i], sizeof p->config_hash);
    p->failed = p->error != NULL;
    s->out->n_failed += p->failed;
    for (size_t k = 0; k < cells; k++)
        s->row[k] = NAN;
    status = store_each_value(s->run->store, s->run->point_id[i], note_value, s, err);
    p->value = calloc(n + 1, sizeof *p->value);
    if (s->run->opt->keep_launch_values)
        p->launch_value = calloc(cells + 1, sizeof *p->launch_value);
    if (!p->value || (s->run->opt->keep_launch_values && !p->launch_value))
        return no_memory(err);
    for (size_t m = 0; m < n; m++)
        p->value[m] = together(s, m);
    if (p->launch_value)
        memcpy(p->launch_value, s->row, cells * sizeof *s->row);
    return status;
}

static strata_status read_all(struct reading *s, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < run_points(s->run); i++)
        status = store_each_value(s->run->store, s->run->point_id[i], note_metric, s, err);
    if (status != STRATA_OK || s->failed)
        return status != STRATA_OK ? status : no_memory(err);
    if (s->out->n_metrics)
        qsort(s->out->metric, s->out->n_metrics, sizeof *s->out->metric, by_table);
    s->row = calloc(s->run->set->n_launches * s->out->n_metrics + 1, sizeof *s->row);
    s->by_mean = calloc(s->out->n_metrics + 1, sizeof *s->by_mean);
    if (!s->row || !s->by_mean)
        return no_memory(err);
    for (size_t m = 0; m < s->out->n_metrics; m++)
        s->by_mean[m] = goal_takes_mean(s->out->metric[m]);
    /* Counted before it is read, so that what was read of it is freed with the rest. */
    while (status == STRATA_OK && s->out->n_points < run_points(s->run)) {
        s->out->n_points++;
        status = read_point(s, s->out->n_points - 1, err);
    }
    return status;
}

static strata_status name_launches(struct sweep_run *r, struct strata_sweep_results *out,
                                   struct strata_error *err)
{
    for (; out->n_launches < r->set->n_launches; out->n_launches++) {
        struct strata_sweep_launch *l = &out->launch[out->n_launches];
        const struct strata_launch_ref *ref = &r->set->launch[out->n_launches];
        const struct strata_launch *from = strata_trace_launch(ref->trace, ref->index);
        l->program = strdup(from->program);
        l->trace = strdup(from->trace);
        l->kernel = strdup(from->kernel);
        l->id = from->id;
        memcpy(l->trace_hash, r->launch_hash[out->n_launches], sizeof l->trace_hash);
        if (!l->program || !l->trace || !l->kernel)
            return no_memory(err);
    }
    return STRATA_OK;
}

strata_status results_read(struct sweep_run *r, struct strata_sweep_results *out,
                           struct strata_error *err)
{
    struct reading s = {.run = r, .out = out};
    const char *variant = r->opt->model_options.variant;
    out->tool = strdup("strata " STRATA_VERSION);
    out->gpu = strdup(r->plan->base.name);
    out->model = strdup(r->opt->model->name);
    out->variant = variant ? strdup(variant) : NULL;
    out->seed = r->opt->model_options.seed;
    memcpy(out->trace_hash, r->trace_hash, sizeof out->trace_hash);
    out->n_parts = r->n_parts;
    out->n_found = r->n_found;
    out->launch = calloc(r->set->n_launches + 1, sizeof *out->launch);
    out->point = calloc(run_points(r) + 1, sizeof *out->point);
    strata_status status = out->tool && out->gpu && out->model && (out->variant || !variant) &&
                                   out->launch && out->point
                               ? name_launches(r, out, err)
                               : no_memory(err);
    if (status == STRATA_OK)
        status = name_keys(r->plan, out, err);
    if (status == STRATA_OK)
        status = read_all(&s, err);
    free(s.row);
    free(s.by_mean);
    return status;
}
