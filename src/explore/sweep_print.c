/* sweep_print.c - results of a sweep as text, CSV and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/sweep.h>

#include "base/text.h"
#include "explore/goals.h"

struct printing {
    const struct strata_sweep_results *r;
    const struct strata_sweep_print_options *opt;
    struct strata_text text;
    size_t *order; /* points, best first */
    size_t n_order;
    size_t *column; /* metrics */
    size_t n_columns;
};

/* ---- what is shown ---- */

struct place {
    uint32_t rank;
    size_t index;
};

static int by_rank(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    uint32_t i = x->rank ? x->rank : UINT32_MAX, j = y->rank ? y->rank : UINT32_MAX;
    if (i != j)
        return i < j ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool choose_points(struct printing *p)
{
    const struct strata_sweep_results *r = p->r;
    struct place *place = calloc(r->n_points + 1, sizeof *place);
    p->order = calloc(r->n_points + 1, sizeof *p->order);
    size_t n = 0;
    for (size_t i = 0; place && i < r->n_points; i++)
        if (!p->opt->front_only || r->point[i].on_front)
            place[n++] = (struct place){r->rank_goal.metric ? r->point[i].rank : 0, i};
    if (place)
        qsort(place, n, sizeof *place, by_rank);
    for (size_t i = 0; place && p->order && i < n && (!p->opt->top || i < p->opt->top); i++)
        p->order[p->n_order++] = place[i].index;
    bool good = place && p->order;
    free(place);
    return good;
}

static void add_column(struct printing *p, const char *metric)
{
    for (size_t i = 0; i < p->r->n_metrics; i++) {
        bool there = strcmp(p->r->metric[i], metric) != 0;
        for (size_t k = 0; k < p->n_columns; k++)
            there |= p->column[k] == i;
        if (!there)
            p->column[p->n_columns++] = i;
    }
}

static bool choose_columns(struct printing *p, bool all)
{
    static const char *const usual[] = {
        "sm__cycles_elapsed.max", "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
        "lts__t_sector_srcunit_tex_op_read_hit_rate.pct", "dram__sectors_read.sum"};
    p->column = calloc(p->r->n_metrics + 1, sizeof *p->column);
    if (!p->column)
        return false;
    if (p->r->rank_goal.metric)
        add_column(p, p->r->rank_goal.metric);
    for (size_t i = 0; i < p->r->n_front_goals; i++)
        add_column(p, p->r->front_goal[i].metric);
    for (size_t i = 0; i < p->opt->n_metrics; i++)
        add_column(p, p->opt->metric[i]);
    for (size_t i = 0; !p->opt->n_metrics && !all && i < sizeof usual / sizeof usual[0]; i++)
        add_column(p, usual[i]);
    for (size_t i = 0; !p->opt->n_metrics && all && i < p->r->n_metrics; i++)
        add_column(p, p->r->metric[i]);
    return true;
}

/* ---- text ---- */

static void put_legend(struct printing *p)
{
    const struct strata_sweep_results *r = p->r;
    for (size_t k = 0; k < p->n_columns; k++) {
        const char *name = r->metric[p->column[k]];
        const struct strata_metric *m = strata_metric_find(name);
        strata_text_printf(&p->text, "  %c  %s", (int)('A' + k % 26), name);
        if (m && *m->unit)
            strata_text_printf(&p->text, ", %s", m->unit);
        if (r->n_launches > 1)
            strata_text_put(&p->text, goal_takes_mean(name) ? ", mean of the launches"
                                                            : ", sum of the launches");
        if (r->rank_goal.metric && !strcmp(r->rank_goal.metric, name))
            strata_text_put(&p->text, r->rank_goal.maximise ? "; ranked, most first"
                                                            : "; ranked, least first");
        strata_text_put(&p->text, "\n");
    }
}

static void put_text_point(struct printing *p, const struct strata_sweep_entry *e)
{
    const struct strata_sweep_results *r = p->r;
    if (r->rank_goal.metric && e->rank)
        strata_text_printf(&p->text, "%5u ", e->rank);
    else if (r->rank_goal.metric)
        strata_text_put(&p->text, "    - ");
    if (r->n_front_goals)
        strata_text_put(&p->text, e->on_front ? "front " : "      ");
    for (size_t k = 0; k < p->n_columns && !e->failed; k++) {
        double v = e->value[p->column[k]];
        if (isnan(v))
            strata_text_printf(&p->text, " %12s", "-");
        else
            strata_text_printf(&p->text, " %12.*f", v == nearbyint(v) ? 0 : 3, v);
    }
    if (e->failed)
        strata_text_printf(&p->text, " %-*s", p->n_columns ? (int)p->n_columns * 13 - 1 : 6,
                           "failed");
    strata_text_printf(&p->text, "  %s\n", *e->settings ? e->settings : "(the GPU as it is)");
    if (e->failed)
        strata_text_printf(&p->text, "       %s\n", e->error);
}

static void put_text(struct printing *p)
{
    const struct strata_sweep_results *r = p->r;
    strata_text_printf(&p->text, "%s%s%s on %s: %zu points, %zu launch%s; %zu done, %zu failed\n",
                       r->model, r->variant ? ":" : "", r->variant ? r->variant : "", r->gpu,
                       r->n_points, r->n_launches, r->n_launches == 1 ? "" : "es",
                       r->n_points - r->n_failed, r->n_failed);
    put_legend(p);
    if (r->rank_goal.metric)
        strata_text_put(&p->text, " rank ");
    if (r->n_front_goals)
        strata_text_put(&p->text, "front ");
    for (size_t k = 0; k < p->n_columns; k++)
        strata_text_printf(&p->text, " %12c", (int)('A' + k % 26));
    strata_text_put(&p->text, "  settings\n");
    for (size_t i = 0; i < p->n_order; i++)
        put_text_point(p, &r->point[p->order[i]]);
}

/* ---- CSV ---- */

static void put_csv_head(struct printing *p)
{
    strata_text_put(&p->text, "point,config_hash,status,rank,front");
    if (p->opt->each_launch)
        strata_text_put(&p->text, ",program,trace,id");
    for (size_t k = 0; k < p->r->n_keys; k++) {
        strata_text_put(&p->text, ",");
        strata_text_put_csv_field(&p->text, p->r->key[k]);
    }
    for (size_t k = 0; k < p->n_columns; k++) {
        strata_text_put(&p->text, ",");
        strata_text_put_csv_field(&p->text, p->r->metric[p->column[k]]);
    }
    strata_text_put(&p->text, ",error\n");
}

/* launch SIZE_MAX: all together. */
static void put_csv_row(struct printing *p, size_t i, size_t launch)
{
    const struct strata_sweep_results *r = p->r;
    const struct strata_sweep_entry *e = &r->point[i];
    strata_text_printf(&p->text, "%zu,%s,%s,", i + 1, e->config_hash,
                       e->failed ? "failed" : "done");
    if (e->rank)
        strata_text_printf(&p->text, "%u", e->rank);
    strata_text_put(&p->text, !r->n_front_goals ? "," : e->on_front ? ",yes" : ",no");
    if (launch != SIZE_MAX) {
        strata_text_put(&p->text, ",");
        strata_text_put_csv_field(&p->text, r->launch[launch].program);
        strata_text_put(&p->text, ",");
        strata_text_put_csv_field(&p->text, r->launch[launch].trace);
        strata_text_printf(&p->text, ",%llu", (unsigned long long)r->launch[launch].id);
    }
    for (size_t k = 0; k < r->n_keys; k++) {
        strata_text_put(&p->text, ",");
        if (e->setting[k])
            strata_text_put_csv_field(&p->text, e->setting[k]);
    }
    for (size_t k = 0; k < p->n_columns; k++) {
        double v = launch == SIZE_MAX ? e->value[p->column[k]]
                                      : e->launch_value[launch * r->n_metrics + p->column[k]];
        strata_text_put(&p->text, ",");
        if (!isnan(v))
            strata_text_put_number(&p->text, v);
    }
    strata_text_put(&p->text, ",");
    if (e->failed)
        strata_text_put_csv_field(&p->text, e->error);
    strata_text_put(&p->text, "\n");
}

static void put_csv(struct printing *p)
{
    put_csv_head(p);
    for (size_t i = 0; i < p->n_order; i++)
        if (!p->opt->each_launch)
            put_csv_row(p, p->order[i], SIZE_MAX);
        else
            for (size_t l = 0; l < p->r->n_launches; l++)
                put_csv_row(p, p->order[i], l);
}

/* ---- JSON ---- */

static void put_json_words(struct strata_text *t, const char *name, const char *words)
{
    strata_text_printf(t, "\"%s\": ", name);
    strata_text_put_json_string(t, words);
}

static void put_json_goal(struct strata_text *t, const struct strata_sweep_goal *g)
{
    strata_text_put(t, "{");
    put_json_words(t, "metric", g->metric);
    strata_text_printf(t, ", \"goal\": \"%s\"}", g->maximise ? "max" : "min");
}

static void put_json_head(struct printing *p)
{
    const struct strata_sweep_results *r = p->r;
    struct strata_text *t = &p->text;
    strata_text_put(t, "{\"schema\": \"" STRATA_SWEEP_SCHEMA "\", ");
    put_json_words(t, "tool", r->tool);
    strata_text_put(t, ", ");
    put_json_words(t, "gpu", r->gpu);
    strata_text_put(t, ", ");
    put_json_words(t, "model", r->model);
    if (r->variant) {
        strata_text_put(t, ", ");
        put_json_words(t, "variant", r->variant);
    }
    strata_text_printf(t,
                       ", \"seed\": %llu, \"trace_hash\": \"%s\",\n \"n_points\": %zu, "
                       "\"n_failed\": %zu, \"keys\": [",
                       (unsigned long long)r->seed, r->trace_hash, r->n_points, r->n_failed);
    for (size_t k = 0; k < r->n_keys; k++) {
        strata_text_put(t, k ? ", " : "");
        strata_text_put_json_string(t, r->key[k]);
    }
    strata_text_put(t, "]");
    if (r->rank_goal.metric) {
        strata_text_put(t, ",\n \"rank\": ");
        put_json_goal(t, &r->rank_goal);
    }
    for (size_t i = 0; i < r->n_front_goals; i++) {
        strata_text_put(t, i ? ", " : ",\n \"pareto\": [");
        put_json_goal(t, &r->front_goal[i]);
    }
    strata_text_put(t, r->n_front_goals ? "],\n \"launches\": [" : ",\n \"launches\": [");
    for (size_t l = 0; l < r->n_launches; l++) {
        strata_text_put(t, l ? ",\n  {" : "{");
        put_json_words(t, "program", r->launch[l].program);
        strata_text_put(t, ", ");
        put_json_words(t, "trace", r->launch[l].trace);
        strata_text_printf(t, ", \"id\": %llu, ", (unsigned long long)r->launch[l].id);
        put_json_words(t, "kernel", r->launch[l].kernel);
        strata_text_printf(t, ", \"trace_hash\": \"%s\"}", r->launch[l].trace_hash);
    }
}

static void put_json_metrics(struct printing *p, const double *value)
{
    const char *separator = "";
    strata_text_put(&p->text, "{");
    for (size_t k = 0; k < p->n_columns; k++) {
        if (isnan(value[p->column[k]]))
            continue;
        strata_text_printf(&p->text, "%s\"%s\": ", separator, p->r->metric[p->column[k]]);
        strata_text_put_number(&p->text, value[p->column[k]]);
        separator = ", ";
    }
    strata_text_put(&p->text, "}");
}

static void put_json_point(struct printing *p, size_t i)
{
    const struct strata_sweep_results *r = p->r;
    const struct strata_sweep_entry *e = &r->point[i];
    struct strata_text *t = &p->text;
    const char *separator = "";
    strata_text_printf(t, "{\"point\": %zu, \"config_hash\": \"%s\", \"settings\": {", i + 1,
                       e->config_hash);
    for (size_t k = 0; k < r->n_keys; k++) {
        if (!e->setting[k])
            continue;
        strata_text_put(t, separator);
        put_json_words(t, r->key[k], e->setting[k]);
        separator = ", ";
    }
    strata_text_printf(t, "}, \"status\": \"%s\"", e->failed ? "failed" : "done");
    if (e->rank)
        strata_text_printf(t, ", \"rank\": %u", e->rank);
    if (r->n_front_goals)
        strata_text_printf(t, ", \"front\": %s", e->on_front ? "true" : "false");
    if (e->failed) {
        strata_text_put(t, ", ");
        put_json_words(t, "error", e->error);
    }
    strata_text_put(t, ", \"metrics\": ");
    put_json_metrics(p, e->value);
    for (size_t l = 0; p->opt->each_launch && l < r->n_launches; l++) {
        strata_text_put(t, l ? ", " : ", \"launches\": [");
        put_json_metrics(p, e->launch_value + l * r->n_metrics);
        strata_text_put(t, l + 1 == r->n_launches ? "]" : "");
    }
    strata_text_put(t, "}");
}

static void put_json(struct printing *p)
{
    put_json_head(p);
    strata_text_put(&p->text, "],\n \"points\": [");
    for (size_t i = 0; i < p->n_order; i++) {
        strata_text_put(&p->text, i ? ",\n  " : "");
        put_json_point(p, p->order[i]);
    }
    strata_text_put(&p->text, "]}\n");
}

strata_status strata_sweep_print(const struct strata_sweep_results *r, enum strata_format format,
                                 const struct strata_sweep_print_options *opt, char **text,
                                 size_t *length, struct strata_error *err)
{
    struct printing p = {.r = r, .opt = opt};
    bool good = choose_points(&p) && choose_columns(&p, format != STRATA_FORMAT_TEXT);
    if (good && format == STRATA_FORMAT_JSON)
        put_json(&p);
    else if (good && format == STRATA_FORMAT_CSV)
        put_csv(&p);
    else if (good)
        put_text(&p);
    free(p.order);
    free(p.column);
    *text = p.text.data;
    *length = p.text.length;
    if (good && !p.text.out_of_memory)
        return STRATA_OK;
    strata_text_release(&p.text);
    *text = NULL;
    return strata_no_memory(err, NULL, "to print the sweep");
}
