/* cmd_hotspots.c - strata hotspots: which instructions cause the traffic. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/predict.h>

#include "cmd.h"
#include "hierarchy_pass.h"
#include "launch_option.h"
#include "options.h"
#include "output.h"
#include "print.h"
#include "progress.h"

struct hotspot_arguments {
    const char *gpu, *by, *output;
    enum format format;
    struct launch_arguments launches;
    struct option_list set;
    uint64_t seed, top;
    bool quiet;
};

/* One instruction, or all of one source line. */
struct site {
    const struct strata_inst *inst; /* the first of a line */
    uint64_t executions, lanes, sectors, load_sectors, l1_hits, l2_reads, l2_hits, dram_reads,
        bank_conflicts;
};

struct sites {
    struct site *site; /* by index of the instruction */
    size_t n, cap;
    bool out_of_memory;
};

static void on_access(void *context, const struct strata_site_access *a)
{
    struct sites *s = context;
    if (a->inst_index >= s->cap) { /* a text trace tells its instructions as they come */
        size_t cap = ((size_t)a->inst_index + 1) * 2;
        struct site *grown = realloc(s->site, cap * sizeof *grown);
        s->out_of_memory |= !grown;
        if (!grown)
            return;
        memset(grown + s->cap, 0, (cap - s->cap) * sizeof *grown);
        s->site = grown;
        s->cap = cap;
    }
    if (a->inst_index >= s->n)
        s->n = (size_t)a->inst_index + 1;
    struct site *x = &s->site[a->inst_index];
    x->inst = a->inst;
    x->executions++;
    x->lanes += a->lanes;
    x->sectors += a->sectors;
    x->load_sectors += a->inst->memop != STRATA_MEM_STORE ? a->sectors : 0;
    x->l1_hits += a->l1_hits;
    x->l2_reads += a->l2_reads;
    x->l2_hits += a->l2_hits;
    x->dram_reads += a->dram_reads;
    x->bank_conflicts += a->bank_conflicts;
}

static void merge(struct site *into, struct site *x)
{
    into->executions += x->executions;
    into->lanes += x->lanes;
    into->sectors += x->sectors;
    into->load_sectors += x->load_sectors;
    into->l1_hits += x->l1_hits;
    into->l2_reads += x->l2_reads;
    into->l2_hits += x->l2_hits;
    into->dram_reads += x->dram_reads;
    into->bank_conflicts += x->bank_conflicts;
    x->inst = NULL;
}

static void merge_lines(struct sites *s)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = i + 1; s->site[i].inst && k < s->n; k++)
            if (s->site[k].inst && s->site[k].inst->source_line == s->site[i].inst->source_line)
                merge(&s->site[i], &s->site[k]);
}

/* The dearest first: DRAM, then the L2, then the L1, then bank conflicts, then the program's order.
 */
static int by_cost(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    const uint64_t left[] = {x->dram_reads, x->l2_reads, x->sectors, x->bank_conflicts},
                   right[] = {y->dram_reads, y->l2_reads, y->sectors, y->bank_conflicts};
    for (size_t i = 0; i < 4; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? 1 : -1;
    return x->inst->pc < y->inst->pc ? -1 : x->inst->pc > y->inst->pc;
}

static void drop_unused(struct sites *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->n; i++)
        if (s->site[i].inst)
            s->site[kept++] = s->site[i];
    s->n = kept;
    if (kept)
        qsort(s->site, kept, sizeof *s->site, by_cost);
}

static bool has_lines(const struct sites *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->site[i].inst && s->site[i].inst->source_line)
            return true;
    return false;
}

/* ---- printing ---- */

struct printer {
    FILE *out;
    enum format format;
    bool by_line;
    uint64_t top;
    size_t n_launches;
};

static void print_share(FILE *f, uint64_t part, uint64_t whole, int width)
{
    if (whole)
        fprintf(f, "%*.1f", width, 100.0 * (double)part / (double)whole);
    else
        fprintf(f, "%*s", width, "-");
}

static void print_text(struct printer *p, const struct strata_launch *l, const struct sites *s)
{
    uint64_t dram = 0;
    for (size_t i = 0; i < s->n; i++)
        dram += s->site[i].dram_reads;
    fprintf(p->out, "%s%s/%s  %s\n", p->n_launches ? "\n" : "", l->program, l->trace, l->kernel);
    fprintf(p->out, "%8s %8s  %-24s %10s %6s %8s %7s %11s %7s %11s %6s %9s\n", "line", "pc",
            "instruction", "executed", "lanes", "sectors", "L1 hit", "L2 reads", "L2 hit",
            "DRAM reads", "share", "bank");
    fprintf(p->out, "%8s %8s  %-24s %10s %6s %8s %7s %11s %7s %11s %6s %9s\n", "", "", "", "",
            "each", "each", "%", "sectors", "%", "sectors", "%", "conflicts");
    for (size_t i = 0; i < s->n && (!p->top || i < p->top); i++) {
        const struct site *x = &s->site[i];
        char line[16] = "-";
        if (x->inst->source_line)
            snprintf(line, sizeof line, "%u", x->inst->source_line);
        fprintf(p->out, "%8s %8llx  %-24.24s %10llu %6.1f %8.2f", line,
                (unsigned long long)x->inst->pc, x->inst->opcode, (unsigned long long)x->executions,
                (double)x->lanes / (double)x->executions,
                (double)x->sectors / (double)x->executions);
        print_share(p->out, x->l1_hits, x->load_sectors, 8);
        fprintf(p->out, " %11llu", (unsigned long long)x->l2_reads);
        print_share(p->out, x->l2_hits, x->l2_reads, 8);
        fprintf(p->out, " %11llu", (unsigned long long)x->dram_reads);
        print_share(p->out, x->dram_reads, dram, 7);
        fprintf(p->out, " %9llu\n", (unsigned long long)x->bank_conflicts);
    }
}

static void print_numbers(FILE *f, const struct site *x, const char *format, const char *separator)
{
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"executed", x->executions},
                   {"lanes", x->lanes},
                   {"l1_sectors", x->sectors},
                   {"l1_load_sectors", x->load_sectors},
                   {"l1_hits", x->l1_hits},
                   {"l2_reads", x->l2_reads},
                   {"l2_hits", x->l2_hits},
                   {"dram_reads", x->dram_reads},
                   {"bank_conflicts", x->bank_conflicts}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fprintf(f, "%s", i ? separator : "");
        if (*format)
            fprintf(f, format, numbers[i].name);
        fprintf(f, "%llu", (unsigned long long)numbers[i].value);
    }
}

static void print_csv(struct printer *p, const struct strata_launch *l, const struct sites *s)
{
    if (!p->n_launches)
        fputs("program,trace,id,kernel,line,pc,instruction,executed,lanes,l1_sectors,l1_load_"
              "sectors,l1_hits,l2_"
              "reads,"
              "l2_hits,dram_reads,bank_conflicts\n",
              p->out);
    for (size_t i = 0; i < s->n && (!p->top || i < p->top); i++) {
        const struct site *x = &s->site[i];
        print_csv_field(p->out, l->program);
        fputc(',', p->out);
        print_csv_field(p->out, l->trace);
        fprintf(p->out, ",%llu,", (unsigned long long)l->id);
        print_csv_field(p->out, l->kernel);
        if (x->inst->source_line)
            fprintf(p->out, ",%u", x->inst->source_line);
        else
            fputc(',', p->out);
        fprintf(p->out, ",0x%llx,", (unsigned long long)x->inst->pc);
        print_csv_field(p->out, x->inst->opcode);
        fputc(',', p->out);
        print_numbers(p->out, x, "", ",");
        fputc('\n', p->out);
    }
}

static void print_json(struct printer *p, const struct strata_launch *l, const struct sites *s)
{
    fprintf(p->out, "%s\n {\"program\": ", p->n_launches ? "," : "");
    print_json_string(p->out, l->program);
    fputs(", \"trace\": ", p->out);
    print_json_string(p->out, l->trace);
    fprintf(p->out, ", \"id\": %llu, \"kernel\": ", (unsigned long long)l->id);
    print_json_string(p->out, l->kernel);
    fputs(", \"sites\": [", p->out);
    for (size_t i = 0; i < s->n && (!p->top || i < p->top); i++) {
        const struct site *x = &s->site[i];
        fprintf(p->out, "%s\n  {", i ? "," : "");
        if (x->inst->source_line)
            fprintf(p->out, "\"line\": %u, ", x->inst->source_line);
        fprintf(p->out, "\"pc\": %llu, \"instruction\": ", (unsigned long long)x->inst->pc);
        print_json_string(p->out, x->inst->opcode);
        fputs(", ", p->out);
        print_numbers(p->out, x, "\"%s\": ", ", ");
        fputc('}', p->out);
    }
    fputs("]}", p->out);
}

/* ---- running ---- */

static strata_status run_launch(const struct hotspot_arguments *a, const struct strata_gpu *gpu,
                                const struct strata_launch_ref *ref, struct printer *p,
                                struct strata_error *err)
{
    static void (*const print[])(struct printer *, const struct strata_launch *,
                                 const struct sites *) = {print_text, print_csv, print_json};
    const struct strata_launch *launch = strata_trace_launch(ref->trace, ref->index);
    struct sites sites = {0};
    const struct strata_site_sink sink = {&sites, on_access};
    struct strata_reader *reader = NULL;
    strata_status status = strata_reader_open(ref->trace, ref->index, &reader, err);
    if (status == STRATA_OK)
        status = pass_run(gpu, reader,
                          (struct strata_model_options){.seed = a->seed, .sites = &sink}, err);
    if (status == STRATA_OK && sites.out_of_memory)
        status = strata_fail(err, STRATA_ENOMEM, launch->trace, 0, 0,
                             "there is no memory left for the launch's instructions.");
    if (status == STRATA_OK && p->by_line && sites.n && !has_lines(&sites))
        status =
            strata_fail(err, STRATA_EUNSUPPORTED, launch->trace, 0, 0,
                        "the trace knows no source lines; build with -lineinfo and trace again, or "
                        "leave out --by line.");
    if (status == STRATA_OK) {
        if (p->by_line)
            merge_lines(&sites);
        drop_unused(&sites);
        print[p->format](p, launch, &sites);
        p->n_launches++;
    }
    if (reader) /* the instructions printed are its */
        strata_reader_close(reader);
    free(sites.site);
    return status;
}

static strata_status run_all(const struct hotspot_arguments *a, enum format format,
                             const struct strata_gpu *gpu, const struct strata_launch_set *set,
                             struct strata_error *err)
{
    struct output out;
    struct progress progress;
    strata_status status = output_open(&out, a->output, err);
    if (status != STRATA_OK)
        return status;
    struct printer p = {
        .out = out.stream, .format = format, .by_line = !strcmp(a->by, "line"), .top = a->top};
    if (format == FORMAT_JSON) {
        fputs("{\"schema\": \"strata.hotspots/1\", \"gpu\": ", out.stream);
        print_json_string(out.stream, gpu->name);
        fputs(", \"launches\": [", out.stream);
    }
    progress_start(&progress, "launches", a->quiet || !a->output);
    for (size_t i = 0; status == STRATA_OK && i < set->n_launches; i++) {
        status = run_launch(a, gpu, &set->launch[i], &p, err);
        progress_show(&progress, i + 1, set->n_launches, 0);
    }
    progress_end(&progress);
    if (format == FORMAT_JSON)
        fputs("]}\n", out.stream);
    if (status == STRATA_OK)
        return output_commit(&out, err);
    output_discard(&out);
    return status;
}

static strata_status hotspots(void *context, char **paths, int n_paths, struct strata_error *err)
{
    const struct hotspot_arguments *a = context;
    if (strcmp(a->by, "pc") && strcmp(a->by, "line"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "--by takes pc or line, not \"%.80s\".",
                           a->by);
    struct pass_inputs in;
    strata_status status =
        pass_load(&in, a->output, a->gpu, &a->set, &a->launches, paths, n_paths, err);
    if (status == STRATA_OK)
        status = run_all(a, a->format, in.gpu, &in.set, err);
    pass_release(&in);
    return status;
}

int cmd_hotspots(int argc, char **argv)
{
    struct hotspot_arguments a = {.by = "pc", .seed = 1};
    const struct option options[] = {
        {'g', "gpu", OPTION_STRING, &a.gpu, "GPU",
         "name of a GPU (`strata gpu list`) or path of its file"},
        {0, "set", OPTION_LIST, &a.set, "KEY=VALUE", "change one number of the GPU"},
        {0, "by", OPTION_STRING, &a.by, "WHAT",
         "pc: each instruction (default); line: each source line"},
        {0, "top", OPTION_UINT, &a.top, "N", "print only the first N of each launch"},
        LAUNCH_OPTIONS(a.launches),
        {0, "seed", OPTION_UINT, &a.seed, "N", "seed of all random numbers (default 1)"},
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        {'o', "output", OPTION_STRING, &a.output, "FILE", "write there instead of standard output"},
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.gpu, "hotspots needs a trace and --gpu; see `strata hotspots --help`."),
    };
    const struct command_syntax syntax = {
        .name = "hotspots",
        .arguments = "TRACE... --gpu GPU",
        .summary = "Tells which instructions, or source lines, cause a launch's traffic.",
        .text = "Each instruction that accesses memory: how often it ran, the lanes and sectors of "
                "each time, and what\n"
                "its loads found in the L1, the L2 and DRAM, by the caches of the reuse model. "
                "Dearest first. What\n"
                "stores cause below the L1 is not told, because they wait and merge before they go "
                "there.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace and --gpu",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = hotspots,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
