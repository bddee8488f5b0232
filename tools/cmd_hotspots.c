/* cmd_hotspots.c - strata hotspots: which instructions cause the traffic. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/kernel_name.h>
#include <strata/predict.h>
#include <strata/sites.h>

#include "cmd.h"
#include "hierarchy_pass.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "options.h"
#include "output.h"
#include "print.h"
#include "progress.h"
#include "source_text.h"

struct hotspot_arguments {
    const char *gpu, *by, *sort, *output, *source;
    enum format format;
    struct launch_arguments launches;
    struct option_list set;
    uint64_t seed, top;
    bool quiet;
};

/* ---- printing ---- */

struct printer {
    FILE *out;
    enum format format;
    bool by_line;
    uint64_t top;
    size_t n_launches;
    /* Of the launch being printed: */
    struct source_text source;
    const struct strata_code *code;
    uint64_t *cost, *executions; /* of each instruction of `code`, before lines are merged */
};

static void print_share(FILE *f, uint64_t part, uint64_t whole, int width)
{
    if (whole)
        fprintf(f, "%*.1f", width, 100.0 * (double)part / (double)whole);
    else
        fprintf(f, "%*s", width, "-");
}

/* "broken.cu:10", "-". */
static const char *place_of(const struct strata_launch *l, const struct strata_inst *i, char *out,
                            size_t size)
{
    const char *file = source_text_name(l->source_file);
    if (!i->source_line)
        snprintf(out, size, "-");
    else if (file && *file)
        snprintf(out, size, "%s:%u", file, i->source_line);
    else
        snprintf(out, size, "%u", i->source_line);
    return out;
}

static void print_site(struct printer *p, const struct strata_launch *l,
                       const struct strata_site *x, uint64_t all, uint64_t warp_cycles)
{
    char place[300], kind[40], text[100];
    double n = x->executions ? (double)x->executions : 1;
    print_share(p->out, strata_site_cost(x), all, 6);
    print_share(p->out, x->waited_cycles, warp_cycles, 7);
    fprintf(p->out, "  %-18s %8llx  %-17s ", place_of(l, x->inst, place, sizeof place),
            (unsigned long long)x->inst->pc, strata_site_kind(x, kind, sizeof kind));
    if (x->executions) /* only those of accesses are counted */
        fprintf(p->out, "%10llu %6.1f %8.2f %7.2f", (unsigned long long)x->executions,
                (double)x->lanes / n, (double)x->sectors / n, (double)x->ideal_sectors / n);
    else
        fprintf(p->out, "%10s %6s %8s %7s", "-", "-", "-", "-");
    print_share(p->out, x->l1_hits, x->load_sectors, 7);
    fprintf(p->out, " %10llu", (unsigned long long)(x->l2_reads + x->written_sectors));
    print_share(p->out, x->l2_hits, x->l2_reads, 7);
    fprintf(p->out, " %10llu %9llu %9llu", (unsigned long long)x->dram_reads,
            (unsigned long long)x->bank_conflicts, (unsigned long long)x->atomics);
    fprintf(p->out, "  %s", x->inst->opcode);
    if (*source_text_line(&p->source, x->inst->source_line, text, sizeof text))
        fprintf(p->out, "  | %s", text);
    print_inlined(p->out, x->inst->inlined);
    fputc('\n', p->out);
}

static void print_text(struct printer *p, const struct strata_launch *l,
                       const struct strata_sites *s)
{
    uint64_t all = 0;
    for (size_t i = 0; i < s->n; i++)
        all += strata_site_cost(&s->site[i]);
    char name[STRATA_LAUNCH_NAME_SIZE];
    strata_launch_name(l->program, l->trace, l->id, l->kernel, name);
    fprintf(p->out, "%s%s\n", p->n_launches ? "\n" : "", name);
    fprintf(p->out, "%6s %6s  %-18s %8s  %-17s %10s %6s %8s %7s %7s %10s %7s %10s %9s %9s\n",
            "cost", "waited", "place", "pc", "access", "executed", "lanes", "sectors", "ideal",
            "L1 hit", "L2 sectors", "L2 hit", "DRAM reads", "bank", "atomic");
    fprintf(p->out, "%6s %6s  %-18s %8s  %-17s %10s %6s %8s %7s %7s %10s %7s %10s %9s %9s\n", "%",
            "%", "", "", "", "", "each", "each", "each", "%", "both ways", "%", "sectors",
            "conflicts", "lanes");
    for (size_t i = 0; i < s->n && (!p->top || i < p->top); i++)
        print_site(p, l, &s->site[i], all, s->warp_cycles);
}

static void print_numbers(FILE *f, const struct strata_site *x, const char *format,
                          const char *separator)
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
                   {"bank_conflicts", x->bank_conflicts},
                   {"ideal_sectors", x->ideal_sectors},
                   {"written_sectors", x->written_sectors},
                   {"atomics", x->atomics},
                   {"cost", strata_site_cost(x)},
                   {"waited_cycles", x->waited_cycles}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        fprintf(f, "%s", i ? separator : "");
        if (*format)
            fprintf(f, format, numbers[i].name);
        fprintf(f, "%llu", (unsigned long long)numbers[i].value);
    }
}

static void print_csv(struct printer *p, const struct strata_launch *l,
                      const struct strata_sites *s)
{
    char kind[40];
    if (!p->n_launches)
        fputs("program,trace,id,kernel,line,pc,instruction,executed,lanes,l1_sectors,l1_load_"
              "sectors,l1_hits,l2_reads,l2_hits,dram_reads,bank_conflicts,ideal_sectors,written_"
              "sectors,atomics,cost,waited_cycles,access,file,inlined\n",
              p->out);
    for (size_t i = 0; i < s->n && (!p->top || i < p->top); i++) {
        const struct strata_site *x = &s->site[i];
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
        fprintf(p->out, ",%s,", strata_site_kind(x, kind, sizeof kind));
        print_csv_field(p->out, l->source_file ? l->source_file : "");
        fputc(',', p->out);
        print_csv_field(p->out, x->inst->inlined ? x->inst->inlined : "");
        fputc('\n', p->out);
    }
}

static void print_json_places(FILE *f, const struct strata_inst *inst)
{
    if (!inst->inlined)
        return;
    fputs("\"inlined\": ", f);
    print_json_inlined(f, inst->inlined);
    fputs(", ", f);
}

static void print_json_site(struct printer *p, const struct strata_site *x)
{
    char kind[40], text[200];
    fputc('{', p->out);
    if (x->inst->source_line)
        fprintf(p->out, "\"line\": %u, ", x->inst->source_line);
    if (*source_text_line(&p->source, x->inst->source_line, text, sizeof text)) {
        fputs("\"text\": ", p->out);
        print_json_string(p->out, text);
        fputs(", ", p->out);
    }
    print_json_places(p->out, x->inst);
    fprintf(p->out,
            "\"pc\": %llu, \"access\": \"%s\", \"instruction\": ", (unsigned long long)x->inst->pc,
            strata_site_kind(x, kind, sizeof kind));
    print_json_string(p->out, x->inst->opcode);
    fputs(", ", p->out);
    print_numbers(p->out, x, "\"%s\": ", ", ");
    fputc('}', p->out);
}

/* "LDG.E R4, R2": the operation and the registers it writes and reads, as the trace has them. */
static void print_instruction(FILE *f, const struct strata_inst *i, bool sass)
{
    char text[400];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", i->opcode);
    for (unsigned r = 0; r < (unsigned)i->n_dst + i->n_src && n < sizeof text; r++) {
        const char *before = r ? ", " : " ";
        if (sass && i->reg[r] == 255)
            n += (size_t)snprintf(text + n, sizeof text - n, "%sRZ", before);
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%u", before, sass ? "R" : "%r",
                                  i->reg[r]);
    }
    print_json_string(f, text);
}

static const char *isa_of(const struct strata_launch *l)
{
    if (l->isa == STRATA_ISA_SASS)
        return "SASS";
    return l->isa == STRATA_ISA_PTX ? "PTX" : "synthetic";
}

/* Every instruction of the kernel in its order: what a page shows beside the source. */
static void print_code(struct printer *p, const struct strata_launch *l)
{
    bool sass = l->isa == STRATA_ISA_SASS;
    fprintf(p->out, ", \"isa\": \"%s\", \"code\": [", isa_of(l));
    for (uint32_t i = 0; i < strata_code_count(p->code); i++) {
        const struct strata_inst *inst = strata_code_get(p->code, i);
        fprintf(p->out, "%s\n  {\"pc\": %llu, ", i ? "," : "", (unsigned long long)inst->pc);
        if (inst->source_line)
            fprintf(p->out, "\"line\": %u, ", inst->source_line);
        print_json_places(p->out, inst);
        if (p->executions[i])
            fprintf(p->out, "\"executed\": %llu, \"cost\": %llu, ",
                    (unsigned long long)p->executions[i], (unsigned long long)p->cost[i]);
        fputs("\"text\": ", p->out);
        print_instruction(p->out, inst, sass);
        fputc('}', p->out);
    }
    fputc(']', p->out);
}

static void print_json(struct printer *p, const struct strata_launch *l,
                       const struct strata_sites *s)
{
    fprintf(p->out, "%s\n {\"program\": ", p->n_launches ? "," : "");
    print_json_string(p->out, l->program);
    fputs(", \"trace\": ", p->out);
    print_json_string(p->out, l->trace);
    fprintf(p->out, ", \"id\": %llu, \"kernel\": ", (unsigned long long)l->id);
    print_json_string(p->out, l->kernel);
    if (l->source_file) {
        fputs(", \"file\": ", p->out);
        print_json_string(p->out, l->source_file);
    }
    if (p->source.data) {
        fputs(", \"source\": ", p->out);
        print_json_string(p->out, p->source.data);
    }
    if (s->warp_cycles)
        fprintf(p->out, ", \"warp_cycles\": %llu", (unsigned long long)s->warp_cycles);
    if (p->code)
        print_code(p, l);
    fputs(", \"sites\": [", p->out);
    for (size_t i = 0; i < s->n && (!p->top || i < p->top); i++) {
        fprintf(p->out, "%s\n  ", i ? "," : "");
        print_json_site(p, &s->site[i]);
    }
    fputs("]}", p->out);
}

/* ---- running ---- */

/* What each instruction costs, for the listing; false: no memory. */
static bool note_code(struct printer *p, const struct strata_reader *reader,
                      const struct strata_sites *sites)
{
    uint32_t n = strata_code_count(strata_reader_code(reader));
    p->cost = calloc(n + 1, sizeof *p->cost);
    p->executions = calloc(n + 1, sizeof *p->executions);
    if (!p->cost || !p->executions)
        return false;
    for (size_t i = 0; i < sites->n; i++) {
        p->cost[sites->site[i].index] = strata_site_cost(&sites->site[i]);
        p->executions[sites->site[i].index] = sites->site[i].executions;
    }
    p->code = strata_reader_code(reader);
    return true;
}

static void forget_code(struct printer *p)
{
    free(p->cost);
    free(p->executions);
    p->cost = p->executions = NULL;
    p->code = NULL;
}

/* What the flow model cannot run (a GPU of another kind of memory) has no waits. */
static strata_status add_waits(const struct hotspot_arguments *a, const struct strata_gpu *gpu,
                               const struct strata_launch_ref *ref,
                               const struct strata_reader *first, struct strata_sites *sites,
                               struct strata_error *err)
{
    struct strata_reader *reader = NULL;
    strata_status status = strata_reader_open(ref->trace, ref->index, &reader, err);
    if (status == STRATA_OK)
        status =
            strata_sites_add_waits(gpu, reader, strata_reader_code(first), a->seed, sites, err);
    if (reader)
        strata_reader_close(reader);
    return status == STRATA_EUNSUPPORTED ? STRATA_OK : status;
}

static strata_status run_launch(const struct hotspot_arguments *a, const struct strata_gpu *gpu,
                                const struct strata_launch_ref *ref, struct printer *p,
                                struct strata_error *err)
{
    static void (*const print[])(struct printer *, const struct strata_launch *,
                                 const struct strata_sites *) = {print_text, print_csv, print_json};
    const struct strata_launch *launch = strata_trace_launch(ref->trace, ref->index);
    struct strata_sites sites = {0};
    struct strata_reader *reader = NULL;
    strata_status status = strata_reader_open(ref->trace, ref->index, &reader, err);
    if (status == STRATA_OK)
        status = strata_sites_collect(gpu, reader, a->seed, &sites, err);
    if (status == STRATA_OK)
        status = add_waits(a, gpu, ref, reader, &sites, err);
    if (status == STRATA_OK)
        show_reader_warnings(reader);
    if (status == STRATA_OK && p->by_line && sites.n && !strata_sites_have_lines(&sites))
        status =
            strata_fail(err, STRATA_EUNSUPPORTED, launch->trace, 0, 0,
                        "the trace knows no source lines; build with -lineinfo and trace again, or "
                        "leave out --by line.");
    if (status == STRATA_OK && p->format == FORMAT_JSON && !note_code(p, reader, &sites))
        status = strata_no_memory(err, launch->trace, "to list its instructions");
    if (status == STRATA_OK) {
        if (p->by_line)
            strata_sites_merge_lines(&sites);
        if (!strcmp(a->sort, "waited"))
            strata_sites_sort_by_waits(&sites);
        else
            strata_sites_sort(&sites);
        source_text_load(&p->source, launch->source_file, a->source);
        print[p->format](p, launch, &sites);
        source_text_release(&p->source);
        p->n_launches++;
    }
    forget_code(p);
    if (reader) /* the instructions printed are its */
        strata_reader_close(reader);
    strata_sites_release(&sites);
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
    progress_weigh(&progress, launch_set_instructions(set, set->n_launches));
    for (size_t i = 0; status == STRATA_OK && i < set->n_launches; i++) {
        status = run_launch(a, gpu, &set->launch[i], &p, err);
        progress_show(&progress, i + 1, set->n_launches, launch_set_instructions(set, i + 1));
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
    if (strcmp(a->sort, "cost") && strcmp(a->sort, "waited"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--sort takes cost or waited, not \"%.80s\".", a->sort);
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
    struct hotspot_arguments a = {.by = "pc", .sort = "cost", .seed = 1};
    const struct option options[] = {
        GPU_OPTION(a.gpu),
        SET_OPTION(a.set),
        {0, "by", OPTION_STRING, &a.by, "WHAT",
         "pc: each instruction (default); line: each source line"},
        {0, "sort", OPTION_STRING, &a.sort, "WHAT",
         "cost: what causes the traffic first (default); waited: what warps wait for longest"},
        {0, "top", OPTION_UINT, &a.top, "N", "print only the first N of each launch"},
        {0, "source", OPTION_STRING, &a.source, "FOLDER",
         "where the source file lies now, to show its lines"},
        LAUNCH_OPTIONS(a.launches),
        SEED_OPTION(a.seed),
        {'f', "format", OPTION_FORMAT, &a.format, "FORMAT", "text (default), csv or json"},
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.gpu, "hotspots needs a trace and --gpu; see `strata hotspots --help`."),
    };
    const struct command_syntax syntax = {
        .name = "hotspots",
        .arguments = "TRACE... --gpu GPU",
        .summary = "Tells which instructions, or source lines, cause a launch's traffic.",
        .text =
            "Each instruction that accesses memory, or each source line and kind of access: how "
            "often it ran, the lanes\n"
            "and sectors of each time beside the fewest that would hold the same bytes, and what "
            "loads found in the L1,\n"
            "the L2 and DRAM by the caches of the reuse model. Dearest first: the cost is sectors "
            "that leave for the L2\n"
            "either way, those read from DRAM, lanes of atomics, and four for each bank conflict. "
            "Beside it the share of\n"
            "the warps' time that they wait for the instruction's result, its barrier or its unit, "
            "by the flow model;\n"
            "instructions without an access are listed if that is a per cent or more. Inlined code "
            "has the line of the\n"
            "kernel that called it.",
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
