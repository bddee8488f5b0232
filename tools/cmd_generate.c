/* cmd_generate.c - strata generate: synthetic traces. */
#include <stdio.h>
#include <string.h>

#include <strata/generate.h>

#include "cmd.h"
#include "interrupt.h"
#include "options.h"

struct generate_arguments {
    const char *output, *to;
    uint64_t level;
    bool kinds, quiet;
};

static void show_kinds(void)
{
    size_t n;
    const struct strata_generate_kind *const *kind = strata_generate_kinds(&n);
    for (size_t i = 0; i < n; i++) {
        printf("%s%s: %s\n", i ? "\n" : "", kind[i]->name, kind[i]->summary);
        for (size_t k = 0; k < STRATA_GENERATE_MAX_PARAMETERS && kind[i]->parameter[k].name; k++)
            printf("  %-11s %-10llu %s\n", kind[i]->parameter[k].name,
                   (unsigned long long)kind[i]->parameter[k].preset, kind[i]->parameter[k].help);
    }
}

static strata_status write_blocks(struct strata_reader *reader, struct strata_writer *writer,
                                  uint64_t *instructions, struct strata_error *err)
{
    struct strata_block *block;
    strata_status status;
    while ((status = strata_reader_next(reader, &block, err)) == STRATA_OK) {
        for (uint32_t w = 0; w < block->n_warps; w++)
            *instructions += block->warp_instructions[w];
        status = strata_writer_block(writer, block, err);
        strata_block_destroy(block);
        if (status != STRATA_OK)
            return status;
    }
    return status == STRATA_END ? STRATA_OK : status;
}

static strata_status write_launch(struct strata_trace *trace, uint32_t launch,
                                  struct strata_writer *writer, uint64_t *instructions,
                                  struct strata_error *err)
{
    struct strata_reader *reader;
    strata_status status = strata_reader_open(trace, launch, &reader, err);
    if (status != STRATA_OK)
        return status;
    status = strata_writer_begin_launch(writer, strata_reader_launch(reader),
                                        strata_reader_code(reader), err);
    if (status == STRATA_OK)
        status = write_blocks(reader, writer, instructions, err);
    if (status == STRATA_OK)
        status = strata_writer_end_launch(writer, err);
    strata_reader_close(reader);
    return status;
}

static strata_status write_trace(struct strata_trace *trace, struct strata_writer *writer,
                                 uint64_t *instructions, struct strata_error *err)
{
    strata_status status = STRATA_OK;
    for (size_t i = 0; status == STRATA_OK && i < strata_trace_event_count(trace); i++) {
        const struct strata_event *e = strata_trace_event(trace, i);
        status = e->kind == STRATA_EVENT_LAUNCH
                     ? write_launch(trace, e->launch, writer, instructions, err)
                     : strata_writer_memcpy(writer, e->kind, e->address, e->bytes, err);
    }
    return status;
}

static strata_status generate(const struct generate_arguments *a, const char *kind,
                              const char *const *settings, struct strata_error *err)
{
    struct strata_trace *trace;
    struct strata_writer *writer = NULL;
    struct strata_writer_options options = {.format = a->to, .compression_level = (int)a->level};
    bool to_stdout = !strcmp(a->output, "-");
    if (to_stdout && !a->to)
        options.format = "strata";
    uint64_t instructions = 0;
    strata_status status = strata_generate(kind, settings, &trace, err);
    if (status != STRATA_OK)
        return status;
    interrupt_hold();
    status = strata_writer_create(a->output, &options, &writer, err);
    interrupt_release(status == STRATA_OK ? strata_writer_temporary(writer) : NULL);
    if (status == STRATA_OK)
        status = write_trace(trace, writer, &instructions, err);
    if (status == STRATA_OK)
        status = strata_writer_finish(writer, err);
    else
        strata_writer_abort(writer);
    if (status == STRATA_OK && !a->quiet && !to_stdout) {
        const struct strata_launch *l = strata_trace_launch(trace, 0);
        printf("%s: %llu blocks of %u threads, %llu warp instructions\n", a->output,
               (unsigned long long)strata_launch_blocks(l), strata_launch_threads_per_block(l),
               (unsigned long long)instructions);
    }
    strata_trace_close(trace);
    return status;
}

static strata_status generate_from_words(void *context, char **words, int n_words,
                                         struct strata_error *err)
{
    const struct generate_arguments *a = context;
    if (!n_words)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "generate needs a kind of trace; `strata generate --kinds` lists them.");
    if (!a->output)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "generate needs a name to write: -o OUT.strata.");
    words[n_words] = NULL; /* words after the last are parsed options */
    return generate(a, words[0], (const char *const *)(words + 1), err);
}

int cmd_generate(int argc, char **argv)
{
    struct generate_arguments a = {0};
    const struct option options[] = {
        {'o', "output", OPTION_STRING, &a.output, "OUT",
         "a .strata file, or a folder in Accel-Sim's format; - is standard output"},
        {0, "to", OPTION_STRING, &a.to, "FORMAT",
         "strata or accelsim (default: by the name of OUT)"},
        {0, "level", OPTION_UINT, &a.level, "N", "compression level, 1 (fast) to 19 (small)"},
        {0, "kinds", OPTION_FLAG, &a.kinds, NULL,
         "list the kinds with their parameters and defaults"},
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no summary"},
    };
    const struct option_rule rules[] = {
        IN_RANGE(a.level, 0, 100, "--level takes a number from 1 to 19."),
    };
    const struct command_syntax syntax = {
        .name = "generate",
        .arguments = "KIND [key=value...] -o OUT",
        .summary = "Writes a synthetic trace: a kernel whose memory behaviour is known.",
        .text = "Values are whole numbers; 64Ki, 1M and the like are understood. The same values "
                "give the same\n"
                "trace. `strata generate --kinds` lists what there is.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .most_words = ANY_NUMBER,
        .list_asked = &a.kinds,
        .list = show_kinds,
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = generate_from_words,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}
