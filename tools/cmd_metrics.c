/* cmd_metrics.c - strata metrics: name, unit and definition of every metric. */
#include <stdio.h>
#include <string.h>

#include <strata/result.h>

#include "cmd.h"
#include "options.h"
#include "output.h"
#include "print.h"

/* No word: all. Otherwise names that hold one of the words. */
static bool is_wanted(const struct strata_metric *m, char **words, int n_words)
{
    bool wanted = n_words == 0;
    for (int i = 0; i < n_words; i++)
        wanted |= strstr(m->name, words[i]) != NULL ||
                  !strcmp(m->name, strata_metric_full_name(words[i]));
    return wanted;
}

static void print_text(FILE *f, const struct strata_metric *m, size_t n_before)
{
    const char *word = strata_metric_short_name(m->name);
    fprintf(f, "%s%s%s%s%s\n    %s; %s\n    %s\n", n_before ? "\n" : "", m->name, word ? " (" : "",
            word ? word : "", word ? ")" : "", *m->unit ? m->unit : "no unit", m->aggregation,
            m->definition);
}

static void print_csv(FILE *f, const struct strata_metric *m, size_t n_before)
{
    const char *const fields[] = {m->name, m->unit, m->aggregation, m->definition};
    if (!n_before)
        fputs("metric,unit,aggregation,definition\n", f);
    for (size_t i = 0; i < 4; i++) {
        print_csv_field(f, fields[i]);
        fputc(i < 3 ? ',' : '\n', f);
    }
}

static void print_json(FILE *f, const struct strata_metric *m, size_t n_before)
{
    const char *const members[][2] = {{"metric", m->name},
                                      {"unit", m->unit},
                                      {"aggregation", m->aggregation},
                                      {"definition", m->definition}};
    fputs(n_before ? ",\n  {" : "\n  {", f);
    for (size_t i = 0; i < 4; i++) {
        fprintf(f, "%s\"%s\": ", i ? ", " : "", members[i][0]);
        print_json_string(f, members[i][1]);
    }
    fputc('}', f);
}

struct metrics_arguments {
    enum format format;
    const char *output;
};

static strata_status print_metrics(void *context, char **words, int n_words,
                                   struct strata_error *err)
{
    const struct metrics_arguments *a = context;
    static void (*const print[])(FILE *, const struct strata_metric *,
                                 size_t) = {print_text, print_csv, print_json};
    size_t n, n_printed = 0;
    const struct strata_metric *table = strata_metric_table(&n);
    struct output out;
    strata_status status = output_open(&out, a->output, err);
    if (status != STRATA_OK)
        return status;
    if (a->format == FORMAT_JSON)
        fputs("{\"schema\": \"strata.metrics/1\", \"metrics\": [", out.stream);
    for (size_t i = 0; i < n; i++)
        if (is_wanted(&table[i], words, n_words))
            print[a->format](out.stream, &table[i], n_printed++);
    if (a->format == FORMAT_JSON)
        fputs("]}\n", out.stream);
    if (n_printed)
        return output_commit(&out, err);
    output_discard(&out);
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "no metric's name holds \"%s\"; `strata metrics` lists all.", words[0]);
}

int cmd_metrics(int argc, char **argv)
{
    struct metrics_arguments a = {0};
    const struct option options[] = {
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
    };
    const struct command_syntax syntax = {
        .name = "metrics",
        .arguments = "[WORD...]",
        .summary =
            "Name, unit and definition of every metric, or of those whose names hold a WORD.",
        .text = "Names are Nsight Compute's, or begin with strata__ where it has none.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .most_words = ANY_NUMBER,
        .run = print_metrics,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
