/* advise_print.c - advice as text, CSV and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strata/advise.h>
#include <strata/trace.h>

#include <strata/kernel_name.h>
#include "base/text.h"

static void put_time(struct strata_text *t, double ns)
{
    if (ns < 1e4)
        strata_text_printf(t, "%.2f us", ns / 1e3);
    else if (ns < 1e6)
        strata_text_printf(t, "%.1f us", ns / 1e3);
    else
        strata_text_printf(t, "%.2f ms", ns / 1e6);
}

/* ---- text ---- */

/* Behind the line where code was inlined, the places it comes from, by their last names. */
static void put_inlined(struct strata_text *t, const char *inlined)
{
    struct strata_inlined x;
    while (strata_inlined_next(&inlined, &x)) {
        strata_text_put(t, STRATA_INLINED_ARROW);
        strata_text_put_bytes(t, x.name, x.name_length);
    }
}

/* "broken.cu:14", or "line 14" of an unknown file. */
static void put_place(struct strata_text *t, const char *file, uint32_t line)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (file)
        strata_text_printf(t, "     %s:%u", slash ? slash + 1 : file, line);
    else
        strata_text_printf(t, "     line %u", line);
}

static void put_lines(struct strata_text *t, const struct strata_finding *f, const char *file)
{
    for (size_t i = 0; i < f->n_lines; i++) {
        const struct strata_finding_line *l = &f->line[i];
        if (l->line)
            put_place(t, file, l->line);
        else
            strata_text_printf(t, "     pc 0x%llx", (unsigned long long)l->pc);
        put_inlined(t, l->inlined);
        strata_text_printf(t, "  %s: %s (%.0f %%)\n", l->instruction, l->words, 100 * l->share);
    }
}

static void put_evidence(struct strata_text *t, const struct strata_finding *f)
{
    for (size_t i = 0; i < f->n_evidence; i++) {
        strata_text_put(t, "     ");
        strata_text_put_grouped(t, f->evidence[i].value);
        strata_text_printf(t, "%s%s  %s\n", *f->evidence[i].unit ? " " : "", f->evidence[i].unit,
                           f->evidence[i].name);
    }
}

static void put_finding(struct strata_text *t, size_t number, const struct strata_finding *f,
                        const struct strata_advice *a)
{
    strata_text_printf(t, "\n  %zu. ", number);
    strata_text_style(t, STRATA_BOLD);
    strata_text_put(t, f->title);
    strata_text_style(t, STRATA_PLAIN);
    strata_text_printf(t, " [%s]\n     ", f->rule);
    strata_text_style(t, STRATA_GREEN);
    strata_text_printf(t, "up to %.0f %% less time", f->gain_pct);
    strata_text_style(t, STRATA_PLAIN);
    strata_text_put(t, ": ");
    put_time(t, a->time_ns);
    strata_text_put(t, " would be ");
    put_time(t, f->time_ns);
    strata_text_printf(t, " with %s\n", f->how);
    put_lines(t, f, a->source_file);
    strata_text_printf(t, "     remedy: %s\n     confidence: %s, %s\n", f->remedy,
                       strata_confidence_name(f->confidence), f->why_so_sure);
    strata_text_style(t, STRATA_QUIET);
    put_evidence(t, f);
    strata_text_style(t, STRATA_PLAIN);
}

static void put_busy_pipes(struct strata_text *t, const struct strata_speed_of_light *s)
{
    const struct {
        const char *name;
        double pct;
    } pipes[] = {{"FMA", s->fma},   {"ALU", s->alu}, {"FP64", s->fp64},
                 {"FP16", s->fp16}, {"XU", s->xu},   {"tensor", s->tensor}};
    for (size_t i = 0; i < sizeof pipes / sizeof pipes[0]; i++)
        if (pipes[i].pct >= 0.5)
            strata_text_printf(t, ", %s pipe %.0f", pipes[i].name, pipes[i].pct);
    strata_text_put(t, "\n");
}

static void put_launch(struct strata_text *t, const struct strata_advice *a)
{
    const struct strata_result *r = &a->result;
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(r->program, r->trace, r->id, r->kernel, name);
    strata_text_style(t, STRATA_BOLD);
    strata_text_put(t, name);
    strata_text_style(t, STRATA_PLAIN);
    strata_text_printf(t, "  %ux%ux%u blocks of %ux%ux%u  ", r->grid.x, r->grid.y, r->grid.z,
                       r->block.x, r->block.y, r->block.z);
    put_time(t, a->time_ns);
    strata_text_put(t, "\n  limited by: ");
    strata_text_style(t, STRATA_YELLOW);
    strata_text_put(t, strata_limiter_name(a->limiter));
    strata_text_style(t, STRATA_PLAIN);
    if (!a->n_findings)
        strata_text_put(t, "; nothing that the rules look for would gain much");
    strata_text_printf(
        t,
        "\n  %% of peak: issue %.0f, load/store %.0f, L1 %.0f, L2 %.0f, crossbar %.0f, "
        "DRAM %.0f",
        a->peak.issue, a->peak.lsu, a->peak.l1, a->peak.l2, a->peak.crossbar, a->peak.dram);
    put_busy_pipes(t, &a->peak);
    for (size_t i = 0; i < a->n_findings; i++)
        put_finding(t, i + 1, &a->finding[i], a);
}

/* ---- CSV ---- */

static void put_csv(struct strata_text *t, const struct strata_advice *a)
{
    for (size_t i = 0; i < a->n_findings; i++) {
        const struct strata_finding *f = &a->finding[i];
        const char *const fields[] = {a->result.program, a->result.trace, a->result.kernel};
        for (size_t k = 0; k < 3; k++) {
            strata_text_put_csv_field(t, fields[k]);
            strata_text_put(t, ",");
        }
        strata_text_put_number(t, a->time_ns);
        strata_text_printf(t, ",%s,%zu,%s,%s,", strata_limiter_name(a->limiter), i + 1, f->rule,
                           strata_limiter_name(f->limiter));
        strata_text_put_number(t, f->time_ns);
        strata_text_printf(t, ",%.2f,%s,", f->gain_pct, strata_confidence_name(f->confidence));
        if (f->n_lines && f->line[0].line)
            strata_text_printf(t, "%u", f->line[0].line);
        strata_text_put(t, "\n");
    }
}

/* ---- JSON ---- */

static void put_member(struct strata_text *t, const char *name, const char *words)
{
    strata_text_printf(t, "\"%s\": ", name);
    strata_text_put_json_string(t, words);
}

static void put_json_inlined(struct strata_text *t, const char *inlined)
{
    struct strata_inlined x;
    const char *comma = ", \"inlined\": [";
    for (; strata_inlined_next(&inlined, &x); comma = ", ") {
        char *words = strndup(x.place, x.place_length);
        strata_text_put(t, comma);
        strata_text_put_json_string(t, words ? words : "");
        t->out_of_memory |= !words;
        free(words);
    }
    if (comma[2] != '"')
        strata_text_put(t, "]");
}

static void put_json_finding(struct strata_text *t, const struct strata_finding *f)
{
    strata_text_put(t, "{");
    put_member(t, "rule", f->rule);
    strata_text_put(t, ", ");
    put_member(t, "limiter", strata_limiter_name(f->limiter));
    strata_text_printf(t, ", \"cause\": %s, ", f->is_cause ? "true" : "false");
    put_member(t, "title", f->title);
    strata_text_put(t, ", ");
    put_member(t, "remedy", f->remedy);
    strata_text_put(t, ", ");
    put_member(t, "ideal", f->how);
    strata_text_put(t, ", \"time_ns\": ");
    strata_text_put_number(t, f->time_ns);
    strata_text_put(t, ", \"gain_pct\": ");
    strata_text_put_number(t, f->gain_pct);
    strata_text_put(t, ", ");
    put_member(t, "confidence", strata_confidence_name(f->confidence));
    strata_text_put(t, ", ");
    put_member(t, "why", f->why_so_sure ? f->why_so_sure : "");
    strata_text_put(t, ",\n    \"evidence\": [");
    for (size_t i = 0; i < f->n_evidence; i++) {
        strata_text_put(t, i ? ", {" : "{");
        put_member(t, "name", f->evidence[i].name);
        strata_text_put(t, ", \"value\": ");
        strata_text_put_number(t, f->evidence[i].value);
        strata_text_put(t, ", ");
        put_member(t, "unit", f->evidence[i].unit);
        strata_text_put(t, "}");
    }
    strata_text_put(t, "],\n    \"lines\": [");
    for (size_t i = 0; i < f->n_lines; i++) {
        strata_text_printf(t, "%s{\"line\": %u, \"pc\": %llu, ", i ? ", " : "", f->line[i].line,
                           (unsigned long long)f->line[i].pc);
        put_member(t, "instruction", f->line[i].instruction);
        strata_text_put(t, ", \"share\": ");
        strata_text_put_number(t, f->line[i].share);
        strata_text_put(t, ", ");
        put_member(t, "words", f->line[i].words);
        put_json_inlined(t, f->line[i].inlined);
        strata_text_put(t, "}");
    }
    strata_text_put(t, "]}");
}

static void put_peaks(struct strata_text *t, const struct strata_speed_of_light *s)
{
    const struct {
        const char *name;
        double pct;
    } units[] = {
        {"issue", s->issue},       {"lsu", s->lsu},   {"l1", s->l1},   {"l2", s->l2},
        {"crossbar", s->crossbar}, {"dram", s->dram}, {"fma", s->fma}, {"alu", s->alu},
        {"fp64", s->fp64},         {"fp16", s->fp16}, {"xu", s->xu},   {"tensor", s->tensor}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (units[i].pct >= 0) {
            strata_text_printf(t, "%s\"%s\": ", separator, units[i].name);
            strata_text_put_number(t, units[i].pct);
            separator = ", ";
        }
}

static void put_json(struct strata_text *t, const struct strata_advice *a)
{
    const struct strata_result *r = &a->result;
    strata_text_put(t, "{");
    put_member(t, "program", r->program);
    strata_text_put(t, ", ");
    put_member(t, "trace", r->trace);
    strata_text_printf(t, ", \"id\": %llu, ", (unsigned long long)r->id);
    put_member(t, "kernel", r->kernel);
    if (a->source_file) {
        strata_text_put(t, ", ");
        put_member(t, "file", a->source_file);
    }
    strata_text_printf(t, ", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"time_ns\": ",
                       r->grid.x, r->grid.y, r->grid.z, r->block.x, r->block.y, r->block.z);
    strata_text_put_number(t, a->time_ns);
    strata_text_put(t, ", ");
    put_member(t, "limiter", strata_limiter_name(a->limiter));
    strata_text_put(t, ", \"peak_pct\": {");
    put_peaks(t, &a->peak);
    strata_text_put(t, "},\n   \"findings\": [");
    for (size_t i = 0; i < a->n_findings; i++) {
        strata_text_put(t, i ? ",\n   " : "\n   ");
        put_json_finding(t, &a->finding[i]);
    }
    strata_text_put(t, "]}");
}

strata_status strata_advice_print(const struct strata_advice *list, size_t n, const char *gpu,
                                  enum strata_format format, char **text, size_t *length,
                                  struct strata_error *err)
{
    struct strata_text t = {.coloured = format == STRATA_FORMAT_TERMINAL};
    if (format == STRATA_FORMAT_JSON) {
        strata_text_put(&t, "{\"schema\": \"strata.advise/1\", \"model\": \"flow\", \"gpu\": ");
        strata_text_put_json_string(&t, gpu);
        strata_text_put(&t, ", \"launches\": [");
    } else if (format == STRATA_FORMAT_CSV) {
        strata_text_put(&t, "program,trace,kernel,time_ns,limiter,number,rule,rule_limiter,"
                            "ideal_time_ns,gain_pct,confidence,line\n");
    }
    for (size_t i = 0; i < n; i++) {
        if (format == STRATA_FORMAT_JSON) {
            strata_text_put(&t, i ? ",\n  " : "\n  ");
            put_json(&t, &list[i]);
        } else if (format == STRATA_FORMAT_CSV) {
            put_csv(&t, &list[i]);
        } else {
            strata_text_put(&t, i ? "\n" : "");
            put_launch(&t, &list[i]);
        }
    }
    if (format == STRATA_FORMAT_JSON)
        strata_text_put(&t, "]}\n");
    if (t.out_of_memory || !t.data) {
        strata_text_release(&t);
        return strata_no_memory(err, NULL, "for advice");
    }
    *text = t.data;
    *length = t.length;
    return STRATA_OK;
}
