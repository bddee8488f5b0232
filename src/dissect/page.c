/* page.c - the report: one page with the table of answers and the plots people know from the
 * papers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/dissect.h>

#include "dissect/clusters.h"
#include "dissect/plot.h"

static const char *const head =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>strata "
    "dissect</title>\n<style>\n"
    "body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:1180px;padding:0 "
    "1em;color:#222}\n"
    "table{border-collapse:collapse}td,th{text-align:left;padding:.15em .8em .15em "
    "0;border-bottom:1px solid #ddd;vertical-align:top}\n"
    ".open td{color:#888}svg{margin:.5em 1em 1em 0}svg text{font-size:11px;fill:#333}svg "
    ".title{font-size:13px;font-weight:600}\n"
    ".grid{stroke:#ddd}\n</style></head><body>\n";

static void put_escaped(struct strata_text *t, const char *words)
{
    for (; *words; words++)
        switch (*words) {
        case '<':
            strata_text_put(t, "&lt;");
            break;
        case '>':
            strata_text_put(t, "&gt;");
            break;
        case '&':
            strata_text_put(t, "&amp;");
            break;
        case '"':
            strata_text_put(t, "&quot;");
            break;
        default:
            strata_text_put_bytes(t, words, 1);
        }
}

static void put_cell(struct strata_text *t, const char *words)
{
    strata_text_put(t, "<td>");
    put_escaped(t, words);
    strata_text_put(t, "</td>");
}

static void put_table(struct strata_text *t, const struct strata_dissection *d)
{
    strata_text_put(t, "<h2>Answers</h2>\n<table><tr><th>what</th><th>value</th><th>unit</"
                       "th><th>confidence</th><th>rests on</th></tr>\n");
    for (size_t i = 0; i < d->n_facts; i++) {
        const struct strata_fact *x = &d->fact[i];
        char confidence[32] = "";
        if (x->finding.known)
            snprintf(confidence, sizeof confidence, "%.3f", x->finding.confidence);
        strata_text_put(t, x->finding.known ? "<tr>" : "<tr class=\"open\">");
        put_cell(t, x->name);
        put_cell(t, x->finding.known ? x->value : "undetermined");
        put_cell(t, x->unit);
        put_cell(t, confidence);
        put_cell(t, x->finding.rests_on);
        strata_text_put(t, "</tr>\n");
    }
    strata_text_put(t, "</table>\n");
}

/* ---- plots ---- */

static void name_plot(struct plot *p, const char *x, const char *y, bool log_x)
{
    memset(p, 0, sizeof *p);
    snprintf(p->x_label, sizeof p->x_label, "%s", x);
    snprintf(p->y_label, sizeof p->y_label, "%s", y);
    p->log_x = log_x;
}

/* Rows of one series: x and y columns, a curve for each value of `group` (NULL: one curve). */
static void add_rows(struct plot *p, const struct strata_series *s, const char *x, const char *y,
                     const char *group, const char *word)
{
    int cx = strata_series_column(s, x), cy = strata_series_column(s, y),
        cg = group ? strata_series_column(s, group) : -1;
    for (size_t r = 0; cx >= 0 && cy >= 0 && r < s->n_rows; r++) {
        char name[48];
        snprintf(name, sizeof name, cg >= 0 ? "%s%.6g" : "%s", word,
                 cg >= 0 ? strata_series_at(s, r, cg) : 0);
        plot_add(p, name, strata_series_at(s, r, cx), strata_series_at(s, r, cy));
    }
}

static void plot_averages(struct plot *p, const struct strata_series *s, struct strata_text *t)
{
    int stride = strata_series_column(s, "stride_bytes"),
        array = strata_series_column(s, "array_bytes");
    bool by_size = false;
    for (size_t r = 1; array >= 0 && stride >= 0 && r < s->n_rows; r++)
        by_size =
            by_size || (strata_series_at(s, r, array) != strata_series_at(s, 0, array) &&
                        strata_series_at(s, r, stride) == strata_series_at(s, 0, stride) && r == 1);
    name_plot(p, by_size ? "array, bytes" : "stride, bytes", "mean latency, cycles",
              !by_size || !strcmp(s->path, "l2"));
    snprintf(p->title, sizeof p->title, "Latency against %s, %s", by_size ? "size" : "stride",
             s->path);
    add_rows(p, s, by_size ? "array_bytes" : "stride_bytes", "latency",
             by_size ? "stride_bytes" : "array_bytes", by_size ? "stride " : "array ");
    plot_put(p, t);
}

/* Places that miss after the first round, against the size of the array: sets begin to miss one by
 * one. */
static void plot_misses(struct plot *p, const struct strata_probe_set *set, const char *path,
                        struct strata_text *t)
{
    const struct strata_series *list[512];
    struct clusters k;
    size_t n = 0;
    for (size_t i = 0; i < set->n_series && n < 512; i++)
        if ((!strcmp(set->series[i].experiment, "chase") ||
             !strcmp(set->series[i].experiment, "tlb")) &&
            !strcmp(set->series[i].path, path))
            list[n++] = &set->series[i];
    if (!n || !clusters_of_latencies(list, n, &k) || k.n < 2)
        return;
    double threshold =
        strcmp(path, "tlb") ? (k.high[0] + k.low[1]) / 2 : (k.high[k.n - 2] + k.low[k.n - 1]) / 2;
    name_plot(p, "array, bytes", "misses per round", false);
    snprintf(p->title, sizeof p->title, "Misses per round against size, %s", path);
    for (size_t i = 0; i < n; i++) {
        double array = strata_series_parameter(list[i], "array_bytes", 0),
               stride = strata_series_parameter(list[i], "stride_bytes", 1);
        int latency = strata_series_column(list[i], "latency");
        char name[48];
        size_t misses = 0;
        if (strata_series_parameter(list[i], "warmup", 0) < 1 || !(stride > 0) ||
            stride == strata_series_parameter(list[i], "element_bytes", 4))
            continue;
        for (size_t r = 0; latency >= 0 && r < list[i]->n_rows; r++)
            misses += strata_series_at(list[i], r, latency) > threshold;
        snprintf(name, sizeof name, "stride %.6g", stride);
        plot_add(p, name, array, (double)misses / ((double)list[i]->n_rows / (array / stride)));
    }
    plot_put(p, t);
}

static void plot_spectrum(struct plot *p, const struct strata_probe_set *set,
                          const struct strata_dissection *d, struct strata_text *t)
{
    (void)set;
    name_plot(p, "pattern P", "latency, cycles", false);
    snprintf(p->title, sizeof p->title, "Latency spectrum");
    for (size_t i = 0; i < d->n_facts; i++) {
        char path[32];
        int pattern;
        if (d->fact[i].finding.known &&
            sscanf(d->fact[i].name, "latency.%31[^.].P%d", path, &pattern) == 2)
            plot_add(p, path, pattern, atof(d->fact[i].value));
    }
    plot_put(p, t);
}

static void plot_series(struct plot *p, const struct strata_series *s, struct strata_text *t)
{
    static const struct {
        const char *experiment, *x, *y, *group, *word, *title, *x_label, *y_label;
    } kinds[] = {
        {"shared-conflict", "stride", "latency", NULL, "", "Shared memory: latency against stride",
         "stride, words", "latency, cycles"},
        {"shared-throughput", "warps", "bytes_per_cycle", "ilp", "ILP ",
         "Shared memory: throughput of an SM", "warps", "bytes per cycle"},
        {"mshr", "loads", "cycles", "warps", "warps ", "Independent loads in flight",
         "loads per warp", "cycles"},
        {"coalesce", "stride", "accesses", NULL, "", "Coalescer: accesses of a warp", "stride",
         "accesses"},
        {"load-throughput", "array_bytes", "bytes_per_cycle", NULL, "",
         "Loads: throughput against footprint", "bytes", "bytes per cycle"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strcmp(s->experiment, kinds[i].experiment)) {
            name_plot(p, kinds[i].x_label, kinds[i].y_label, !strcmp(kinds[i].x, "array_bytes"));
            snprintf(p->title, sizeof p->title, "%s%s", kinds[i].title,
                     strata_series_parameter(s, "bank_bytes", 4) == 8 ? " (8-byte banks)" : "");
            add_rows(p, s, kinds[i].x, kinds[i].y, kinds[i].group, kinds[i].word);
            plot_put(p, t);
        }
}

/* One plot for each ILP, as figure 12 of paper 002. */
static void plot_copies(struct plot *p, const struct strata_series *s, struct strata_text *t)
{
    int ilp = strata_series_column(s, "ilp"), blocks = strata_series_column(s, "blocks"),
        threads = strata_series_column(s, "threads"),
        rate = strata_series_column(s, "bytes_per_cycle");
    for (double wanted = 1; ilp >= 0 && blocks >= 0 && threads >= 0 && rate >= 0 && wanted <= 8;
         wanted *= 2) {
        name_plot(p, "blocks", "bytes per cycle", false);
        snprintf(p->title, sizeof p->title, "Copies of global memory, ILP %.0f", wanted);
        for (size_t r = 0; r < s->n_rows; r++) {
            char name[48];
            snprintf(name, sizeof name, "%.0f threads", strata_series_at(s, r, threads));
            if (strata_series_at(s, r, ilp) == wanted)
                plot_add(p, name, strata_series_at(s, r, blocks), strata_series_at(s, r, rate));
        }
        plot_put(p, t);
    }
}

static void put_plots(struct plot *p, const struct strata_dissection *d,
                      const struct strata_probe_set *set, struct strata_text *t)
{
    static const char *const paths[] = {"l1", "readonly", "texture", "tlb"};
    strata_text_put(t, "<h2>Plots</h2>\n");
    for (size_t i = 0; i < set->n_series; i++)
        if (!strcmp(set->series[i].experiment, "average") && set->series[i].n_rows > 2)
            plot_averages(p, &set->series[i], t);
    for (size_t i = 0; i < 4; i++)
        plot_misses(p, set, paths[i], t);
    plot_spectrum(p, set, d, t);
    for (size_t i = 0; i < set->n_series; i++) {
        plot_series(p, &set->series[i], t);
        if (!strcmp(set->series[i].experiment, "copy-throughput"))
            plot_copies(p, &set->series[i], t);
    }
}

strata_status strata_dissect_report(const struct strata_dissection *d,
                                    const struct strata_probe_set *set, char **text, size_t *length,
                                    struct strata_error *err)
{
    struct strata_text t = {0};
    struct plot *p = malloc(sizeof *p);
    if (p) {
        strata_text_put(&t, head);
        strata_text_put(&t, "<h1>");
        put_escaped(&t, *set->card ? set->card : set->target);
        strata_text_put(&t, "</h1>\n<p>");
        put_escaped(&t, set->target);
        strata_text_printf(&t, "; %zu series; SM clock %.0f MHz; driver ", set->n_series,
                           set->clock_mhz);
        put_escaped(&t, *set->driver ? set->driver : "none");
        strata_text_put(&t, "; ");
        put_escaped(&t, set->date);
        strata_text_put(&t, "</p>\n");
        put_table(&t, d);
        put_plots(p, d, set, &t);
        strata_text_put(&t, "</body></html>\n");
    }
    if (!p || t.out_of_memory) {
        free(p);
        strata_text_release(&t);
        return strata_no_memory(err, NULL, "for the page");
    }
    free(p);
    *text = t.data;
    *length = t.length;
    return STRATA_OK;
}
