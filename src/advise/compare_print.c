/* compare_print.c - a comparison as text, CSV, JSON and Markdown. */
#include <math.h>
#include <string.h>

#include <strata/compare.h>

#include <strata/kernel_name.h>
#include "base/text.h"

static strata_status finish(struct strata_text *t, char **text, size_t *length,
                            struct strata_error *err)
{
    if (t->out_of_memory || !t->data) {
        strata_text_release(t);
        return strata_no_memory(err, NULL, "for the comparison");
    }
    *text = t->data;
    *length = t->length;
    return STRATA_OK;
}

static const struct strata_result *either(const struct strata_launch_change *l)
{
    return l->before ? l->before : l->after;
}

static void put_name(struct strata_text *t, const struct strata_launch_change *l)
{
    const struct strata_result *r = either(l);
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(r->program, r->trace, r->id, r->kernel, name);
    strata_text_put(t, name);
}

static size_t shown(const struct strata_launch_change *l, size_t top)
{
    return top && top < l->n_changes ? top : l->n_changes;
}

/* ---- text ---- */

/* Slower is red and faster green; what rounds to nothing is neither. */
static void put_change(struct strata_text *t, double change_pct)
{
    strata_text_style(t, change_pct > 0.05    ? STRATA_RED
                         : change_pct < -0.05 ? STRATA_GREEN
                                              : STRATA_PLAIN);
    strata_text_printf(t, "%+.1f %%", change_pct);
    strata_text_style(t, STRATA_PLAIN);
}

static void put_launch(struct strata_text *t, const struct strata_launch_change *l, size_t top)
{
    strata_text_style(t, STRATA_BOLD);
    put_name(t, l);
    strata_text_style(t, STRATA_PLAIN);
    if (!l->before || !l->after) {
        strata_text_printf(t, "  only in the %s prediction\n", l->before ? "first" : "second");
        return;
    }
    strata_text_put(t, "  ");
    strata_text_put_grouped(t, l->time_before_ns);
    strata_text_put(t, " -> ");
    strata_text_put_grouped(t, l->time_after_ns);
    strata_text_put(t, " ns  ");
    put_change(t, l->change_pct);
    strata_text_put(t, "\n");
    for (size_t i = 0; i < shown(l, top); i++) {
        const struct strata_change *c = &l->change[i];
        strata_text_printf(t, "    %-72s ", c->metric);
        strata_text_put_grouped(t, c->before);
        strata_text_put(t, " -> ");
        strata_text_put_grouped(t, c->after);
        if (isfinite(c->ratio))
            strata_text_printf(t, "  x %.3g", c->ratio);
        strata_text_put(t, "\n");
    }
}

/* ---- CSV and JSON ---- */

static void put_csv_launch(struct strata_text *t, const struct strata_launch_change *l, size_t top)
{
    const struct strata_result *r = either(l);
    for (size_t i = 0; l->before && l->after && i < shown(l, top); i++) {
        strata_text_put_csv_field(t, r->program);
        strata_text_put(t, ",");
        strata_text_put_csv_field(t, r->trace);
        strata_text_put(t, ",");
        strata_text_put_csv_field(t, r->kernel);
        strata_text_printf(t, ",%s,", l->change[i].metric);
        strata_text_put_number(t, l->change[i].before);
        strata_text_put(t, ",");
        strata_text_put_number(t, l->change[i].after);
        strata_text_put(t, ",");
        if (isfinite(l->change[i].ratio))
            strata_text_put_number(t, l->change[i].ratio);
        strata_text_put(t, "\n");
    }
}

static void put_json_number(struct strata_text *t, const char *name, double value)
{
    strata_text_printf(t, ", \"%s\": ", name);
    if (isfinite(value))
        strata_text_put_number(t, value);
    else
        strata_text_put(t, "null");
}

static void put_json_launch(struct strata_text *t, const struct strata_launch_change *l, size_t top)
{
    const struct strata_result *r = either(l);
    strata_text_put(t, "{\"program\": ");
    strata_text_put_json_string(t, r->program);
    strata_text_put(t, ", \"trace\": ");
    strata_text_put_json_string(t, r->trace);
    strata_text_put(t, ", \"kernel\": ");
    strata_text_put_json_string(t, r->kernel);
    if (l->before && l->after) {
        strata_text_put(t, ", \"with\": ");
        strata_text_put_json_string(t, l->after->trace);
    } else {
        strata_text_printf(t, ", \"only\": \"%s\"", l->before ? "before" : "after");
    }
    put_json_number(t, "time_before_ns", l->time_before_ns);
    put_json_number(t, "time_after_ns", l->time_after_ns);
    put_json_number(t, "change_pct", l->change_pct);
    strata_text_put(t, ", \"metrics\": [");
    for (size_t i = 0; i < shown(l, top); i++) {
        strata_text_printf(t, "%s\n   {\"metric\": \"%s\"", i ? "," : "", l->change[i].metric);
        put_json_number(t, "before", l->change[i].before);
        put_json_number(t, "after", l->change[i].after);
        put_json_number(t, "ratio", l->change[i].ratio);
        strata_text_put(t, "}");
    }
    strata_text_put(t, "]}");
}

strata_status strata_comparison_print(const struct strata_comparison *c, size_t top,
                                      enum strata_format format, char **text, size_t *length,
                                      struct strata_error *err)
{
    struct strata_text t = {.coloured = format == STRATA_FORMAT_TERMINAL};
    if (format == STRATA_FORMAT_JSON)
        strata_text_put(&t, "{\"schema\": \"strata.compare/1\", \"launches\": [");
    else if (format == STRATA_FORMAT_CSV)
        strata_text_put(&t, "program,trace,kernel,metric,before,after,ratio\n");
    else
        strata_text_printf(&t, "%zu launch%s compared, %.1f us -> %.1f us in all (%+.1f %%)\n",
                           c->n_paired, c->n_paired == 1 ? "" : "es", c->total_before_ns / 1e3,
                           c->total_after_ns / 1e3,
                           100 * (c->total_after_ns / c->total_before_ns - 1));
    for (size_t i = 0; i < c->n_launches; i++) {
        if (format == STRATA_FORMAT_JSON) {
            strata_text_put(&t, i ? ",\n  " : "\n  ");
            put_json_launch(&t, &c->launch[i], top);
        } else if (format == STRATA_FORMAT_CSV) {
            put_csv_launch(&t, &c->launch[i], top);
        } else {
            strata_text_put(&t, "\n");
            put_launch(&t, &c->launch[i], top);
        }
    }
    strata_text_put(&t, format == STRATA_FORMAT_JSON ? "]}\n" : "");
    return finish(&t, text, length, err);
}

/* ---- Markdown ---- */

/* The metric that explains it: the first that is no time itself. */
static const struct strata_change *reason(const struct strata_launch_change *l)
{
    for (size_t i = 0; i < l->n_changes; i++)
        if (strncmp(l->change[i].metric, "gpu__time", 9) &&
            strncmp(l->change[i].metric, "sm__cycles", 10))
            return &l->change[i];
    return NULL;
}

static void put_row(struct strata_text *t, const struct strata_launch_change *l,
                    const char *verdict)
{
    const struct strata_change *why = reason(l);
    strata_text_put(t, "| ");
    put_name(t, l);
    strata_text_printf(t, " | %.2f | %.2f | %+.1f %% | %s | ", l->time_before_ns / 1e3,
                       l->time_after_ns / 1e3, l->change_pct, verdict);
    if (why && isfinite(why->ratio))
        strata_text_printf(t, "`%s` x %.3g", why->metric, why->ratio);
    strata_text_put(t, " |\n");
}

strata_status strata_comparison_markdown(const struct strata_comparison *c, double limit_pct,
                                         size_t *n_slower, char **text, size_t *length,
                                         struct strata_error *err)
{
    struct strata_text t = {0};
    size_t n_alone = 0;
    *n_slower = 0;
    for (size_t i = 0; i < c->n_launches; i++) {
        *n_slower += c->launch[i].change_pct > limit_pct;
        n_alone += !c->launch[i].before || !c->launch[i].after;
    }
    strata_text_printf(&t, "### Predicted GPU time: %s\n\n",
                       *n_slower ? "slower than allowed" : "no launch got slower than allowed");
    strata_text_printf(
        &t,
        "%zu launch%s compared, %zu slower by more than %.3g %%; %.2f us before, %.2f us "
        "after in all (%+.1f %%).\n\n",
        c->n_paired, c->n_paired == 1 ? "" : "es", *n_slower, limit_pct, c->total_before_ns / 1e3,
        c->total_after_ns / 1e3, 100 * (c->total_after_ns / c->total_before_ns - 1));
    if (n_alone)
        strata_text_printf(&t, "%zu launch%s on one side only and %s not judged.\n\n", n_alone,
                           n_alone == 1 ? " stands" : "es stand", n_alone == 1 ? "is" : "are");
    strata_text_put(&t, "| launch | before, us | after, us | change | | most changed |\n"
                        "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < c->n_launches; i++)
        if (c->launch[i].before && c->launch[i].after)
            put_row(&t, &c->launch[i],
                    c->launch[i].change_pct > limit_pct    ? "**slower**"
                    : c->launch[i].change_pct < -limit_pct ? "faster"
                                                           : "");
    return finish(&t, text, length, err);
}
