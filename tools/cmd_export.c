/* cmd_export.c - strata export: what the L2 asks of DRAM, for simulators of DRAM. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/predict.h>

#include "cmd.h"
#include "hierarchy_pass.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "options.h"
#include "output.h"
#include "progress.h"

enum dram_format { RAMULATOR, DRAMSIM3, DRAM_CSV };
static const char *const dram_formats[] = {"ramulator", "dramsim3", "csv"};

struct export_arguments {
    const char *gpu, *dram, *output;
    struct launch_arguments launches;
    struct option_list set;
    uint64_t seed;
    bool quiet;
};

struct dram_export {
    FILE *out;
    enum dram_format format;
    uint32_t sector_bytes, burst_bytes;
    double clocks_per_cycle; /* DRAM clocks in a cycle of the SMs */
    uint64_t id, begin_cycle, last_cycle, n_reads, n_writes;
    const char *program;
};

static void print_burst(struct dram_export *x, uint64_t address, bool is_write, uint64_t cycle)
{
    switch (x->format) {
    case RAMULATOR:
        fprintf(x->out, "%s 0x%llx\n", is_write ? "ST" : "LD", (unsigned long long)address);
        break;
    case DRAMSIM3:
        fprintf(x->out, "0x%llx %s %llu\n", (unsigned long long)address,
                is_write ? "WRITE" : "READ",
                (unsigned long long)((double)cycle * x->clocks_per_cycle));
        break;
    case DRAM_CSV:
        fprintf(x->out, "%s,%llu,%llu,0x%llx,%u,%s\n", x->program, (unsigned long long)x->id,
                (unsigned long long)cycle, (unsigned long long)address, x->burst_bytes,
                is_write ? "write" : "read");
        break;
    }
    x->n_reads += !is_write;
    x->n_writes += is_write;
}

/* One line of the output is one burst: sectors that share it are not told twice. */
static void on_access(void *context, const struct strata_dram_access *a)
{
    struct dram_export *x = context;
    uint64_t told = UINT64_MAX;
    x->last_cycle = a->cycle;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t address =
            (a->address + (uint64_t)i * x->sector_bytes) / x->burst_bytes * x->burst_bytes;
        if (!(a->sectors >> i & 1) || address == told)
            continue;
        told = address;
        print_burst(x, address, a->is_write, x->begin_cycle + a->cycle);
    }
}

/* Launches follow each other: the clock goes on from one to the next, and caches begin empty. */
static strata_status export_launch(struct dram_export *x, const struct strata_launch_ref *ref,
                                   const struct strata_gpu *gpu, uint64_t seed,
                                   struct strata_error *err)
{
    const struct strata_launch *launch = strata_trace_launch(ref->trace, ref->index);
    const struct strata_dram_sink sink = {x, on_access};
    struct strata_reader *reader;
    x->program = launch->program;
    x->id = launch->id;
    x->last_cycle = 0;
    strata_status status = strata_reader_open(ref->trace, ref->index, &reader, err);
    if (status == STRATA_OK) {
        status =
            pass_run(gpu, reader, (struct strata_model_options){.seed = seed, .dram = &sink}, err);
        strata_reader_close(reader);
    }
    x->begin_cycle += x->last_cycle + 1;
    return status;
}

static strata_status export_all(const struct export_arguments *a, enum dram_format format,
                                const struct strata_gpu *gpu, const struct strata_launch_set *set,
                                struct strata_error *err)
{
    struct output out;
    struct progress progress;
    uint32_t burst = gpu->dram.bus_bytes * gpu->dram.burst_length;
    strata_status status = output_open(&out, a->output, err);
    if (status != STRATA_OK)
        return status;
    struct dram_export x = {
        .out = out.stream,
        .format = format,
        .sector_bytes = gpu->l2.cache.sector_bytes,
        .burst_bytes = burst > gpu->l2.cache.sector_bytes ? burst : gpu->l2.cache.sector_bytes,
        .clocks_per_cycle = (double)gpu->dram.clock_mhz / gpu->sm.clock_mhz};
    if (format == DRAM_CSV)
        fputs("program,id,cycle,address,bytes,operation\n", out.stream);
    progress_start(&progress, "launches", a->quiet || !a->output);
    for (size_t i = 0; status == STRATA_OK && i < set->n_launches; i++) {
        status = export_launch(&x, &set->launch[i], gpu, a->seed, err);
        progress_show(&progress, i + 1, set->n_launches, 0);
    }
    progress_end(&progress);
    if (status != STRATA_OK) {
        output_discard(&out);
        return status;
    }
    status = output_commit(&out, err);
    if (status == STRATA_OK && !a->quiet)
        fprintf(stderr, "strata: %zu launch%s, %llu reads and %llu writes of %u bytes.\n",
                set->n_launches, set->n_launches == 1 ? "" : "es", (unsigned long long)x.n_reads,
                (unsigned long long)x.n_writes, x.burst_bytes);
    return status;
}

static strata_status export_dram(void *context, char **paths, int n_paths, struct strata_error *err)
{
    const struct export_arguments *a = context;
    int format = 0;
    struct pass_inputs in;
    while (format <= DRAM_CSV && strcmp(a->dram, dram_formats[format]))
        format++;
    if (format > DRAM_CSV)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--dram does not know \"%s\"; it takes ramulator, dramsim3 or csv.",
                           a->dram);
    strata_status status =
        pass_load(&in, a->output, a->gpu, &a->set, &a->launches, paths, n_paths, err);
    if (status == STRATA_OK)
        status = export_all(a, (enum dram_format)format, in.gpu, &in.set, err);
    pass_release(&in);
    return status;
}

int cmd_export(int argc, char **argv)
{
    struct export_arguments a = {.dram = "ramulator", .seed = 1};
    const struct option options[] = {
        {0, "dram", OPTION_STRING, &a.dram, "FORMAT",
         "ramulator (LD and ST lines, the default), dramsim3 (with times), or csv"},
        GPU_OPTION(a.gpu),
        SET_OPTION(a.set),
        LAUNCH_OPTIONS(a.launches),
        SEED_OPTION(a.seed),
        OUTPUT_OPTION(a.output),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no summary"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.gpu, "export needs a trace and --gpu; see `strata export --help`."),
    };
    const struct command_syntax syntax = {
        .name = "export",
        .arguments = "TRACE... --gpu GPU",
        .summary = "Writes what the L2 asks of DRAM, as a trace for a simulator of DRAM.",
        .text = "The caches are those of the reuse model. A line is one burst; launches follow "
                "each other. Times are\n"
                "those of a model without a clock: good for order and density, not for latencies. "
                "Fetches of code\n"
                "are left out.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace and --gpu",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = export_dram,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
