/* cmd_check.c - strata check: is a trace legal? */
#include <stdio.h>

#include <strata/check.h>

#include "cmd.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "options.h"
#include "output.h"
#include "print.h"
#include "progress.h"

struct check_arguments {
    struct launch_arguments launches;
    enum format format;
    const char *output;
    bool quiet, rules;
};

struct checks {
    FILE *out;
    struct progress progress;
    enum format format;
    size_t n_findings, n_launches, n_bad; /* printed findings; launches; launches with errors */
};

/* "thread block 3, warp 1, instruction 17" */
static void print_place(FILE *f, const struct strata_finding *x)
{
    if (x->has_block)
        fprintf(f, "thread block %llu", (unsigned long long)x->block);
    if (x->has_warp)
        fprintf(f, ", warp %u", x->warp);
    if (x->has_instruction)
        fprintf(f, ", instruction %llu", (unsigned long long)x->instruction);
}

static void text_finding(const struct checks *c, const struct strata_launch *l,
                         const struct strata_rule *rule, const struct strata_finding *x)
{
    fprintf(c->out, "%s/%s: %s %s: %s Broken %llu time%s", l->program, l->trace,
            rule->is_error ? "error" : "note", rule->name, rule->sentence,
            (unsigned long long)x->count, x->count == 1 ? "" : "s");
    fprintf(c->out, x->has_block ? ", first in " : ": ");
    print_place(c->out, x);
    fprintf(c->out, "%s%s.\n", x->has_block ? ": " : "", x->detail);
}

static void csv_finding(struct checks *c, const struct strata_launch *l,
                        const struct strata_rule *rule, const struct strata_finding *x)
{
    print_csv_field(c->out, l->program);
    fputc(',', c->out);
    print_csv_field(c->out, l->trace);
    fprintf(c->out, ",%llu,%s,%s,%llu,", (unsigned long long)l->id, rule->name,
            rule->is_error ? "error" : "note", (unsigned long long)x->count);
    if (x->has_block)
        fprintf(c->out, "%llu", (unsigned long long)x->block);
    fputc(',', c->out);
    if (x->has_warp)
        fprintf(c->out, "%u", x->warp);
    fputc(',', c->out);
    if (x->has_instruction)
        fprintf(c->out, "%llu", (unsigned long long)x->instruction);
    fputc(',', c->out);
    print_csv_field(c->out, x->detail);
    fputc('\n', c->out);
}

static void json_finding(struct checks *c, const struct strata_launch *l,
                         const struct strata_rule *rule, const struct strata_finding *x)
{
    fprintf(c->out, "%s\n  {\"program\": ", c->n_findings ? "," : "");
    print_json_string(c->out, l->program);
    fprintf(c->out, ", \"trace\": ");
    print_json_string(c->out, l->trace);
    fprintf(c->out, ", \"id\": %llu, \"rule\": \"%s\", \"kind\": \"%s\", \"sentence\": ",
            (unsigned long long)l->id, rule->name, rule->is_error ? "error" : "note");
    print_json_string(c->out, rule->sentence);
    fprintf(c->out, ", \"count\": %llu", (unsigned long long)x->count);
    if (x->has_block)
        fprintf(c->out, ", \"block\": %llu", (unsigned long long)x->block);
    if (x->has_warp)
        fprintf(c->out, ", \"warp\": %u", x->warp);
    if (x->has_instruction)
        fprintf(c->out, ", \"instruction\": %llu", (unsigned long long)x->instruction);
    fprintf(c->out, ", \"detail\": ");
    print_json_string(c->out, x->detail);
    fprintf(c->out, "}");
}

static void print_report(struct checks *c, const struct strata_launch *l,
                         const struct strata_check_report *report)
{
    size_t n;
    const struct strata_rule *rules = strata_check_rules(&n);
    for (size_t r = 0; r < n; r++) {
        const struct strata_finding *x = &report->finding[r];
        if (!x->count)
            continue;
        progress_clear(&c->progress); /* findings go to the same terminal, perhaps */
        if (c->format == FORMAT_TEXT)
            text_finding(c, l, &rules[r], x);
        else if (c->format == FORMAT_CSV)
            csv_finding(c, l, &rules[r], x);
        else
            json_finding(c, l, &rules[r], x);
        c->n_findings++;
    }
}

static strata_status check_launch(struct checks *c, const struct strata_launch_ref *ref, bool quiet,
                                  struct strata_error *err)
{
    struct strata_reader *reader;
    struct strata_check_report report;
    strata_status status = strata_reader_open(ref->trace, ref->index, &reader, err);
    if (status)
        return status;
    status = strata_check_launch(reader, &report, err);
    if (!status) {
        print_report(c, strata_reader_launch(reader), &report);
        c->n_launches++;
        c->n_bad += report.n_errors > 0;
        if (!quiet && strata_reader_warning_count(reader)) {
            progress_clear(&c->progress);
            show_reader_warnings(reader);
        }
    }
    strata_reader_close(reader);
    return status;
}

static void begin(const struct checks *c)
{
    if (c->format == FORMAT_CSV)
        fprintf(c->out, "program,trace,id,rule,kind,count,block,warp,instruction,detail\n");
    else if (c->format == FORMAT_JSON)
        fprintf(c->out, "{\"schema\": \"strata.check/1\", \"findings\": [");
}

static void end(const struct checks *c)
{
    if (c->format == FORMAT_JSON)
        fprintf(c->out, "%s], \"launches\": %zu, \"launches_with_errors\": %zu}\n",
                c->n_findings ? "\n" : "", c->n_launches, c->n_bad);
    else if (c->format == FORMAT_TEXT)
        fprintf(c->out, "%zu of %zu launches are in order.\n", c->n_launches - c->n_bad,
                c->n_launches);
}

static strata_status check(void *context, char **paths, int n_paths, struct strata_error *err)
{
    const struct check_arguments *a = context;
    struct strata_launch_set set = {0};
    struct output out;
    struct checks c = {.format = a->format};
    strata_status status = load_launches(&a->launches, paths, n_paths, &set, err);
    if (!status)
        status = output_open(&out, a->output, err);
    if (status) {
        strata_launch_set_release(&set);
        return status;
    }
    c.out = out.stream;
    begin(&c);
    progress_start(&c.progress, "launches", a->quiet);
    for (size_t k = 0; !status && k < set.n_launches; k++) {
        status = check_launch(&c, &set.launch[k], a->quiet, err);
        progress_show(&c.progress, k + 1, set.n_launches, 0);
    }
    progress_end(&c.progress);
    if (!status)
        end(&c);
    if (status)
        output_discard(&out);
    else
        status = output_commit(&out, err);
    strata_launch_set_release(&set);
    if (!status && c.n_bad)
        status = strata_fail(err, STRATA_EMISMATCH, n_paths == 1 ? paths[0] : NULL, 0, 0,
                             "%zu of %zu launches break a rule that every real execution obeys.",
                             c.n_bad, c.n_launches);
    return status;
}

static void print_rules(void)
{
    size_t n;
    const struct strata_rule *rules = strata_check_rules(&n);
    for (size_t i = 0; i < n; i++)
        printf("%-20s %-5s  %s\n", rules[i].name, rules[i].is_error ? "error" : "note",
               rules[i].sentence);
}

int cmd_check(int argc, char **argv)
{
    struct check_arguments a = {0};
    const struct option options[] = {
        {0, "rules", OPTION_FLAG, &a.rules, NULL, "list the rules and stop"},
        LAUNCH_OPTIONS(a.launches),
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no warnings"},
    };
    const struct command_syntax syntax = {
        .name = "check",
        .arguments = "TRACE...",
        .summary = "Checks a trace against the rules that every real execution obeys.",
        .text = "Exit code 1 if a launch breaks a rule of kind error, 3 if a trace cannot be read.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace",
        .list_asked = &a.rules,
        .list = print_rules,
        .run = check,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
