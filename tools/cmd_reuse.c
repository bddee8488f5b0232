/* cmd_reuse.c - strata reuse: reuse-distance profiles and miss-ratio curves of every launch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/kernel_name.h>
#include <strata/reuse.h>

#include "cmd.h"
#include "gpu_option.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "options.h"
#include "output.h"
#include "print.h"
#include "progress.h"

struct reuse_arguments {
    const char *gpu, *scope, *unit, *engine, *output;
    enum format format;
    struct launch_arguments launches;
    struct option_list set;
    uint64_t seed, jobs;
    double rate;
    bool loads, quiet, sweep, timed;
};

static const char *const scopes[] = {"thread", "warp", "sm", "gpu", NULL};
static const char *const units[] = {"line", "sector", NULL};
static const char *const engines[] = {"exact", "parallel", "sampled", NULL};

static strata_status choose(const char *option, const char *word, const char *const *names,
                            uint32_t *out, struct strata_error *err)
{
    char known[128] = "";
    for (uint32_t i = 0; names[i]; i++) {
        if (!strcmp(names[i], word)) {
            *out = i;
            return STRATA_OK;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 names[i]);
    }
    return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                       "--%s does not know \"%s\"; it takes one of %s.", option, word, known);
}

/* ---- printing ---- */

struct printer {
    FILE *out;
    enum format format;
    const struct reuse_arguments *a;
    size_t n;
};

static void print_text(const struct printer *pr, const struct strata_launch *l,
                       const struct strata_reuse_profile *p)
{
    FILE *f = pr->out;
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(l->program, l->trace, l->id, l->kernel, name);
    fprintf(f, "%s  launch %llu\n", name, (unsigned long long)l->id);
    fprintf(f, "  %s of %llu streams (%s scope): %llu accesses, %.0f first\n", pr->a->unit,
            (unsigned long long)p->streams, pr->a->scope, (unsigned long long)p->accesses, p->cold);
    fprintf(f, "  %24s %14s %8s\n", "distance", "accesses", "share");
    for (size_t i = 0; i < p->n_buckets; i++) {
        char range[48];
        snprintf(range, sizeof range, p->bucket[i].from == p->bucket[i].to ? "%llu" : "%llu..%llu",
                 (unsigned long long)p->bucket[i].from, (unsigned long long)p->bucket[i].to);
        fprintf(f, "  %24s %14.0f %7.2f%%\n", range, p->bucket[i].count,
                p->accesses ? 100 * p->bucket[i].count / (double)p->accesses : 0);
    }
    fprintf(f, "  %24s %14.0f %7.2f%%\n", "first", p->cold,
            p->accesses ? 100 * p->cold / (double)p->accesses : 0);
    fprintf(f, "  %24s %14s\n", "cache of", "misses");
    for (size_t i = 0; i < p->n_points; i++) {
        fprintf(f, "  %24llu %13.3f%%", (unsigned long long)p->point[i].size,
                100 * p->point[i].miss_ratio);
        if (p->point[i].bound > 0)
            fprintf(f, " +- %.3f", 100 * p->point[i].bound);
        fputc('\n', f);
    }
}

static void csv_row(const struct printer *pr, const struct strata_launch *l, const char *metric,
                    uint64_t at, double value, double bound)
{
    print_csv_field(pr->out, l->program);
    fputc(',', pr->out);
    print_csv_field(pr->out, l->trace);
    fprintf(pr->out, ",%llu,", (unsigned long long)l->id);
    print_csv_field(pr->out, l->kernel);
    fprintf(pr->out, ",%s,%s,%s,%llu,%.10g,%.10g\n", pr->a->scope, pr->a->unit, metric,
            (unsigned long long)at, value, bound);
}

static void print_csv(const struct printer *pr, const struct strata_launch *l,
                      const struct strata_reuse_profile *p)
{
    if (!pr->n)
        fprintf(pr->out, "program,trace,id,kernel,scope,unit,what,at,value,bound\n");
    csv_row(pr, l, "accesses", 0, (double)p->accesses, 0);
    csv_row(pr, l, "first", 0, p->cold, 0);
    for (size_t i = 0; i < p->n_buckets; i++)
        csv_row(pr, l, "distance", p->bucket[i].from, p->bucket[i].count, 0);
    for (size_t i = 0; i < p->n_points; i++)
        csv_row(pr, l, "miss_ratio", p->point[i].size, p->point[i].miss_ratio, p->point[i].bound);
}

static void print_json(const struct printer *pr, const struct strata_launch *l,
                       const struct strata_reuse_profile *p)
{
    FILE *f = pr->out;
    fprintf(f, "%s\n    {\"program\": ", pr->n ? "," : "");
    print_json_string(f, l->program);
    fprintf(f, ", \"trace\": ");
    print_json_string(f, l->trace);
    fprintf(f, ", \"id\": %llu, \"kernel\": ", (unsigned long long)l->id);
    print_json_string(f, l->kernel);
    fprintf(
        f,
        ",\n     \"streams\": %llu, \"accesses\": %llu, \"first\": %.10g,\n     \"distances\": [",
        (unsigned long long)p->streams, (unsigned long long)p->accesses, p->cold);
    for (size_t i = 0; i < p->n_buckets; i++)
        fprintf(f, "%s{\"from\": %llu, \"to\": %llu, \"count\": %.10g}", i ? ", " : "",
                (unsigned long long)p->bucket[i].from, (unsigned long long)p->bucket[i].to,
                p->bucket[i].count);
    fprintf(f, "],\n     \"miss_ratios\": [");
    for (size_t i = 0; i < p->n_points; i++)
        fprintf(f, "%s{\"size\": %llu, \"miss_ratio\": %.10g, \"bound\": %.10g}", i ? ", " : "",
                (unsigned long long)p->point[i].size, p->point[i].miss_ratio, p->point[i].bound);
    fprintf(f, "]}");
}

static void print_profile(struct printer *pr, const struct strata_launch *l,
                          const struct strata_reuse_profile *p)
{
    if (pr->format == FORMAT_TEXT)
        print_text(pr, l, p);
    else if (pr->format == FORMAT_CSV)
        print_csv(pr, l, p);
    else
        print_json(pr, l, p);
    pr->n++;
}

/* ---- the sweep ---- */

static void sweep_number(FILE *f, enum format format, double misses, double accesses)
{
    if (accesses > 0)
        fprintf(f, format == FORMAT_TEXT ? " %9.3f%%" : "%.10g",
                (format == FORMAT_TEXT ? 100 : 1) * misses / accesses);
    else
        fputs(format == FORMAT_TEXT ? "          -" : format == FORMAT_JSON ? "null" : "", f);
}

static void sweep_text(FILE *f, const struct strata_sweep_point *p)
{
    fprintf(f, "  %-10s x%-5g %10llu", strata_sweep_parameter_name(p->parameter), p->factor,
            (unsigned long long)p->value);
    sweep_number(f, FORMAT_TEXT, p->misses, p->accesses);
    sweep_number(f, FORMAT_TEXT, p->timed_misses, p->timed_accesses);
    fputs(p->possible ? "\n" : "  not possible\n", f);
}

static void sweep_row(struct printer *pr, const struct strata_launch *l,
                      const struct strata_sweep_point *p, size_t i)
{
    FILE *f = pr->out;
    if (pr->format == FORMAT_CSV) {
        print_csv_field(f, l->program);
        fputc(',', f);
        print_csv_field(f, l->trace);
        fprintf(f, ",%llu,", (unsigned long long)l->id);
        print_csv_field(f, l->kernel);
        fprintf(f, ",%s,%g,%llu,", strata_sweep_parameter_name(p->parameter), p->factor,
                (unsigned long long)p->value);
        sweep_number(f, FORMAT_CSV, p->misses, p->accesses);
        fputc(',', f);
        sweep_number(f, FORMAT_CSV, p->timed_misses, p->timed_accesses);
        fputc('\n', f);
        return;
    }
    fprintf(f,
            "%s{\"parameter\": \"%s\", \"factor\": %g, \"value\": %llu, \"possible\": %s, "
            "\"miss_ratio\": ",
            i ? ", " : "", strata_sweep_parameter_name(p->parameter), p->factor,
            (unsigned long long)p->value, p->possible ? "true" : "false");
    sweep_number(f, FORMAT_JSON, p->misses, p->accesses);
    fputs(", \"timed_miss_ratio\": ", f);
    sweep_number(f, FORMAT_JSON, p->timed_misses, p->timed_accesses);
    fputc('}', f);
}

static void print_sweep(struct printer *pr, const struct strata_launch *l,
                        const struct strata_sweep_point *p)
{
    FILE *f = pr->out;
    if (pr->format == FORMAT_CSV && !pr->n)
        fprintf(f, "program,trace,id,kernel,parameter,factor,value,miss_ratio,timed_miss_ratio\n");
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(l->program, l->trace, l->id, l->kernel, name);
    if (pr->format == FORMAT_TEXT)
        fprintf(f, "%s  launch %llu\n  %-10s %-6s %10s %10s %10s\n", name,
                (unsigned long long)l->id, "L1", "times", "value", "misses", "timed");
    if (pr->format == FORMAT_JSON) {
        fprintf(f, "%s\n    {\"program\": ", pr->n ? "," : "");
        print_json_string(f, l->program);
        fprintf(f, ", \"trace\": ");
        print_json_string(f, l->trace);
        fprintf(f, ", \"id\": %llu, \"sweep\": [", (unsigned long long)l->id);
    }
    for (size_t i = 0; i < STRATA_SWEEP_POINTS; i++)
        if (pr->format == FORMAT_TEXT)
            sweep_text(f, &p[i]);
        else
            sweep_row(pr, l, &p[i], i);
    if (pr->format == FORMAT_JSON)
        fputs("]}", f);
    pr->n++;
}

/* ---- running ---- */

static strata_status run_launches(const struct reuse_arguments *a, const struct strata_gpu *gpu,
                                  const struct strata_launch_set *set,
                                  const struct strata_reuse_options *opt, struct printer *pr,
                                  struct strata_error *err)
{
    if (pr->format == FORMAT_JSON) {
        fprintf(pr->out, "{\"schema\": \"strata.reuse/1\", \"gpu\": ");
        print_json_string(pr->out, gpu->name);
        fprintf(pr->out,
                ", \"scope\": \"%s\", \"unit\": \"%s\", \"engine\": \"%s\", \"launches\": [",
                a->scope, a->unit, a->engine);
    }
    struct progress progress;
    progress_start(&progress, "launches",
                   a->quiet || !a->output); /* not between lines of the result */
    progress_weigh(&progress, launch_set_instructions(set, set->n_launches));
    for (size_t i = 0; i < set->n_launches; i++) {
        struct strata_reader *reader;
        struct strata_reuse_profile profile;
        progress_show(&progress, i, set->n_launches, launch_set_instructions(set, i));
        strata_status st =
            strata_reader_open(set->launch[i].trace, set->launch[i].index, &reader, err);
        if (st != STRATA_OK)
            return st;
        struct strata_sweep_point sweep[STRATA_SWEEP_POINTS];
        st = a->sweep ? strata_reuse_sweep(gpu, reader, a->seed, a->timed, sweep, err)
                      : strata_reuse_profile(gpu, reader, opt, &profile, err);
        if (st == STRATA_OK && !a->quiet)
            show_reader_warnings(reader);
        if (st == STRATA_OK && a->sweep)
            print_sweep(pr, strata_reader_launch(reader), sweep);
        else if (st == STRATA_OK)
            print_profile(pr, strata_reader_launch(reader), &profile);
        strata_reader_close(reader);
        if (st != STRATA_OK)
            return st;
    }
    progress_end(&progress);
    if (pr->format == FORMAT_JSON)
        fprintf(pr->out, "\n]}\n");
    return STRATA_OK;
}

static strata_status reuse(void *context, char **paths, int n_paths, struct strata_error *err)
{
    struct reuse_arguments *a = context;
    if (a->timed && !a->sweep)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--timed needs --sweep, whose points it computes a second time.");
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    struct strata_launch_set set = {0};
    struct strata_reuse_options opt;
    struct output out;
    strata_reuse_options_init(&opt);
    opt.seed = a->seed;
    opt.threads = (uint32_t)a->jobs;
    opt.sample_rate = a->rate;
    opt.loads_only = a->loads;
    strata_status st = gpu ? choose("scope", a->scope, scopes, &opt.scope, err)
                           : strata_no_memory(err, NULL, NULL);
    if (st == STRATA_OK)
        st = choose("unit", a->unit, units, &opt.unit, err);
    if (st == STRATA_OK)
        st = choose("engine", a->engine, engines, &opt.engine, err);
    if (st == STRATA_OK)
        st = load_gpu(a->gpu, &a->set, gpu, err);
    if (st == STRATA_OK)
        st = load_launches(&a->launches, paths, n_paths, &set, err);
    if (st == STRATA_OK && (st = output_open(&out, a->output, err)) == STRATA_OK) {
        struct printer pr = {.out = out.stream, .format = a->format, .a = a};
        st = run_launches(a, gpu, &set, &opt, &pr, err);
        if (st == STRATA_OK)
            st = output_commit(&out, err);
        else
            output_discard(&out);
    }
    strata_launch_set_release(&set);
    free(gpu);
    return st;
}

int cmd_reuse(int argc, char **argv)
{
    struct reuse_arguments a = {
        .scope = "sm", .unit = "line", .engine = "exact", .seed = 1, .jobs = 1, .rate = 0.1};
    const struct option options[] = {
        GPU_OPTION(a.gpu),
        SET_OPTION(a.set),
        {0, "scope", OPTION_STRING, &a.scope, "SCOPE",
         "whose accesses form a stream: thread, warp, sm (default) or gpu"},
        {0, "unit", OPTION_STRING, &a.unit, "UNIT", "line (default) or sector"},
        {0, "engine", OPTION_STRING, &a.engine, "ENGINE",
         "exact (default), parallel (the same on -j threads, scope gpu) or sampled"},
        {0, "rate", OPTION_DOUBLE, &a.rate, "SHARE",
         "share of the lines that are sampled (default 0.1)"},
        {0, "sweep", OPTION_FLAG, &a.sweep, NULL,
         "instead: misses of the L1 at 0.25 to 4 times its ways, size, line and MSHRs, loads only"},
        {0, "timed", OPTION_FLAG, &a.timed, NULL,
         "with --sweep: also by the extended model, one pass for each point"},
        {0, "loads", OPTION_FLAG, &a.loads, NULL, "loads only"},
        LAUNCH_OPTIONS(a.launches),
        {0, "seed", OPTION_UINT, &a.seed, "N", "seed of the choice of lines (default 1)"},
        {'j', "jobs", OPTION_UINT, &a.jobs, "N",
         "threads of the parallel engine (default 1); never changes a result"},
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no warnings"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.gpu, "reuse needs --gpu, whose lines and dispatcher count; `strata gpu list` "
                      "names them."),
        IN_RANGE(a.jobs, 1, 64, "-j takes a number from 1 to 64."),
    };
    const struct command_syntax syntax = {
        .name = "reuse",
        .arguments = "TRACE...",
        .summary = "Reuse distances of every launch: how often each occurs, and the misses of LRU "
                   "caches of any size.",
        .text = "Warps of an SM take turns, one access each, and so do SMs. A distance counts the "
                "other lines\n"
                "(or sectors) used since the last use of the same one.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = reuse,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
