/* cmd_convert.c - strata convert: traces from one format to another. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <strata/trace.h>

#include "cmd.h"
#include "cubin_controls.h"
#include "interrupt.h"
#include "memory_limit.h"
#include "launch_option.h"
#include "options.h"
#include "progress.h"

struct convert_arguments {
    struct launch_arguments launches;
    const char *to;
    struct option_list cubins;
    uint64_t level;
    bool quiet;
};

struct conversion {
    const struct convert_arguments *arguments;
    const struct strata_launch_set *set;
    struct strata_writer *writer;
    struct cubin_controls controls;
    struct progress progress;
    size_t n_done; /* launches */
    uint64_t n_instructions;
};

static strata_status copy_blocks(struct conversion *c, struct strata_reader *reader,
                                 struct strata_error *err)
{
    struct strata_block *block;
    strata_status status;
    while (!(status = strata_reader_next(reader, &block, err))) {
        for (uint32_t w = 0; w < block->n_warps; w++)
            c->n_instructions += block->warp_instructions[w];
        status = strata_writer_block(c->writer, block, err);
        strata_block_destroy(block);
        if (status)
            return status;
        progress_show(&c->progress, c->n_done, c->set->n_launches, c->n_instructions);
    }
    return status == STRATA_END ? STRATA_OK : status;
}

static strata_status copy_launch(struct conversion *c, struct strata_trace *trace, size_t index,
                                 struct strata_error *err)
{
    struct strata_reader *reader;
    strata_status status = strata_reader_open(trace, index, &reader, err);
    if (status)
        return status;
    struct strata_launch launch = *strata_reader_launch(reader);
    if (c->arguments->cubins.n)
        status = cubin_controls_launch(&c->controls, &launch, err);
    if (!status)
        status = strata_writer_begin_launch(c->writer, &launch, strata_reader_code(reader), err);
    if (!status)
        status = copy_blocks(c, reader, err);
    if (!status)
        status = strata_writer_end_launch(c->writer, err);
    if (!status && !c->arguments->quiet) {
        progress_end(&c->progress);
        show_reader_warnings(reader);
    }
    strata_reader_close(reader);
    c->n_done++;
    return status;
}

/* The set holds launches in the order of traces and launches, so the next one to copy is known. */
static bool is_chosen(const struct conversion *c, const struct strata_trace *trace, size_t index)
{
    const struct strata_launch_ref *next = &c->set->launch[c->n_done];
    return c->n_done < c->set->n_launches && next->trace == trace && next->index == index;
}

static strata_status copy_trace(struct conversion *c, struct strata_trace *trace,
                                struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; !status && i < strata_trace_event_count(trace); i++) {
        const struct strata_event *e = strata_trace_event(trace, i);
        if (e->kind != STRATA_EVENT_LAUNCH)
            status = strata_writer_memcpy(c->writer, e->kind, e->address, e->bytes, err);
        else if (is_chosen(c, trace, e->launch))
            status = copy_launch(c, trace, e->launch, err);
    }
    return status;
}

static void tell(const struct conversion *c, const char *out, uint64_t bytes)
{
    printf("%s: %zu launch%s, %llu warp instructions, %llu bytes", out, c->n_done,
           c->n_done == 1 ? "" : "es", (unsigned long long)c->n_instructions,
           (unsigned long long)bytes);
    if (c->n_instructions)
        printf(" (%.4f per warp instruction)", (double)bytes / (double)c->n_instructions);
    if (c->arguments->cubins.n)
        printf(", control codes for %zu of %zu launches", c->controls.n_found,
               c->controls.n_launches);
    printf("\n");
}

/* The size of a plain file, which includes the index that finishing wrote; else what was counted.
 */
static uint64_t file_bytes(const char *path, uint64_t counted)
{
    struct stat info;
    return !stat(path, &info) && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : counted;
}

/* Only the native format has a place for control codes. */
static strata_status open_controls(struct conversion *c, const char *out, const char *format,
                                   struct strata_error *err)
{
    size_t n = strlen(out);
    bool native = format ? !strcmp(format, "strata") : n >= 7 && !strcmp(out + n - 7, ".strata");
    if (!c->arguments->cubins.n)
        return STRATA_OK;
    if (!native)
        return strata_fail(
            err, STRATA_EUSAGE, out, 0, 0,
            "only native traces hold control codes; end the name in .strata or leave "
            "--cubin out.");
    return cubin_controls_open(&c->controls, &c->arguments->cubins, err);
}

static strata_status convert(void *context, char **words, int n_words, struct strata_error *err)
{
    const struct convert_arguments *a = context;
    const char *out = words[n_words - 1];
    char **paths = words;
    int n_paths = n_words - 1;
    struct strata_launch_set set = {0};
    struct conversion c = {.arguments = a, .set = &set};
    struct strata_writer_options options = {.format = a->to, .compression_level = (int)a->level};
    bool to_stdout = !strcmp(out, "-");
    if (to_stdout && !a->to)
        options.format = "strata";
    strata_status status = open_controls(&c, out, options.format, err);
    if (!status)
        status = load_launches(&a->launches, paths, n_paths, &set, err);
    if (!status) {
        interrupt_hold();
        status = strata_writer_create(out, &options, &c.writer, err);
        interrupt_release(status ? NULL : strata_writer_temporary(c.writer));
    }
    if (!status) {
        if (a->cubins.n)
            strata_writer_controls_from(c.writer, cubin_controls_of, &c.controls);
        progress_start(&c.progress, "launches", a->quiet);
        for (size_t i = 0; !status && i < set.n_traces; i++)
            status = copy_trace(&c, set.trace[i], err);
        progress_end(&c.progress);
    }
    if (!status && a->cubins.n)
        status = cubin_controls_check(&c.controls, err);
    uint64_t bytes = c.writer ? strata_writer_bytes(c.writer) : 0;
    if (status)
        strata_writer_abort(c.writer);
    else
        status = strata_writer_finish(c.writer, err);
    if (!status && !a->quiet && !to_stdout)
        tell(&c, out, file_bytes(out, bytes));
    strata_launch_set_release(&set);
    if (a->cubins.n)
        cubin_controls_close(&c.controls);
    return status;
}

int cmd_convert(int argc, char **argv)
{
    struct convert_arguments a = {0};
    const struct option options[] = {
        {0, "to", OPTION_STRING, &a.to, "FORMAT",
         "strata or accelsim (default: by the name of OUT)"},
        {0, "cubin", OPTION_LIST, &a.cubins, "FILE",
         "control codes for traces that lack them, from the machine code in FILE (cubin, fatbin or "
         "program); may be given several times"},
        {0, "level", OPTION_UINT, &a.level, "N", "compression level, 1 (fast) to 19 (small)"},
        LAUNCH_OPTIONS(a.launches),
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no warnings, no summary"},
    };
    const struct option_rule rules[] = {
        IN_RANGE(a.level, 0, 100, "--level takes a number from 1 to 19."),
    };
    const struct command_syntax syntax = {
        .name = "convert",
        .arguments = "TRACE... OUT",
        .summary = "Writes traces in another format, or some of their launches.",
        .text = "OUT ending in .strata is a native file, any other name a folder in Accel-Sim's "
                "format. OUT \"-\"\n"
                "is standard output. Several traces, or a folder of them, go into one file. OUT "
                "appears only when\n"
                "it is complete.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 2,
        .most_words = ANY_NUMBER,
        .needs = "a trace and a name to write",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = convert,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
