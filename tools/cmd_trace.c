/* cmd_trace.c - strata trace: runs a CUDA program, or a kernel of a PTX file, on the CPU and
 * records every warp instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <strata/filter.h>

#include "cmd.h"
#include "gpu_option.h"
#include "options.h"
#include "sample_option.h"
#include "trace_ptx.h"
#include "trace_run.h"

#define DEFAULT_LIMIT_BYTES ((uint64_t)2 << 30)

static const char help_text[] =
    "Runs an unmodified CUDA program without a GPU: libraries of Strata's take the place of the "
    "CUDA "
    "driver and\n"
    "runtime, and an emulator runs the machine code or PTX it carries. Build it with nvcc (add "
    "-lineinfo "
    "for "
    "source lines),\n"
    "or with strata-clang where there is no CUDA toolkit. Scripts and what they start are "
    "followed. "
    "The program's own\n"
    "output and exit code are passed on.\n\n"
    "With --ptx a kernel of a PTX file or cubin is launched without a host program: give --kernel, "
    "--grid, "
    "--block and one\n"
    "--arg per parameter: i32:N u32:N i64:N u64:N f32:X f64:X, or "
    "buffer:SIZE[=zero|index|random|@FILE], a device\n"
    "buffer of zeros (default), 32-bit indices, random floats in [0,1), or a file's bytes.\n\n"
    "Launch filters are those of Nsight Compute. docs/trace.md tells what is recorded and what is "
    "supported.";

static strata_status check_filter(const struct trace_request *r, struct strata_error *err)
{
    struct strata_filter *f;
    strata_status status =
        strata_filter_create(r->kernel_name, r->launch_skip, r->launch_count, &f, err);
    strata_filter_destroy(f);
    return status;
}

static strata_status check_sample(struct trace_request *r, const struct trace_launch *l,
                                  struct strata_error *err)
{
    double share;
    strata_status status = sample_share(r->sample, &share, err);
    if (status != STRATA_OK || !r->sample)
        return status;
    if (l->ptx || r->no_record || r->sample_blocks)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--sample chooses launches of a program to record whole; it does not go "
                           "with %s.",
                           l->ptx         ? "--ptx"
                           : r->no_record ? "--no-record"
                                          : "--sample-blocks");
    if (share < 1e-6)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--sample of a trace is a millionth (0.0001%%) at least, not \"%s\".",
                           r->sample);
    r->sample_millionths = (uint64_t)(share * 1e6 + 0.5);
    return STRATA_OK;
}

static strata_status check_request(const struct trace_request *r, const struct trace_launch *l,
                                   bool has_program, struct strata_error *err)
{
    if (!has_program && !l->ptx)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "trace needs a program after --, as in `strata trace -o app.strata -- "
                           "./app`, or --ptx.");
    if (has_program && l->ptx)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "give either a program or --ptx, not both.");
    if (r->kill && !r->launch_count)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--kill ends the program after --launch-count launches; give their "
                           "number too, as in `--launch-count 10 --kill`.");
    if (r->kill && (l->ptx || r->no_record))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--kill ends a program that is recorded; it does not go with %s.",
                           l->ptx ? "--ptx" : "--no-record");
    if (r->registers > 255)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "--regs takes a number from 1 to 255.");
    if (r->jobs > 1024)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0, "-j takes a number from 1 to 1024.");
    if (r->code && strcmp(r->code, "auto") && strcmp(r->code, "sass") && strcmp(r->code, "ptx"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--code takes auto, sass or ptx, not \"%s\".", r->code);
    if (r->compile && r->code && !strcmp(r->code, "ptx"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--compile runs machine code and --code ptx forbids it: leave out one.");
    if (r->interleave > UINT32_MAX)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--interleave takes a number of instructions below 2^32.");
    if (r->output && !r->no_record) {
        size_t n = strlen(r->output);
        if (n < 8 || strcmp(r->output + n - 7, ".strata"))
            return strata_fail(err, STRATA_EUSAGE, r->output, 0, 0,
                               "traces are written in Strata's own format: end the name in .strata "
                               "(`strata convert` "
                               "makes an Accel-Sim folder of it).");
    }
    return check_filter(r, err);
}

struct trace_arguments {
    struct trace_request request;
    struct trace_launch launch;
    struct option_list set;
    char **program;
    int code; /* the program's own */
};

static strata_status run_request(struct trace_arguments *a, struct strata_error *err)
{
    struct trace_request *r = &a->request;
    struct strata_gpu *gpu = NULL;
    strata_status status = check_request(r, &a->launch, a->program && a->program[0], err);
    if (status == STRATA_OK)
        status = check_sample(r, &a->launch, err);
    if (status == STRATA_OK && (r->gpu_name || a->set.n)) {
        gpu = calloc(1, sizeof *gpu);
        status = !gpu ? strata_no_memory(err, NULL, NULL)
                      : load_gpu(r->gpu_name ? r->gpu_name : "h200", &a->set, gpu, err);
        r->gpu = gpu;
        r->gpu_name = status == STRATA_OK ? gpu->name : NULL;
    }
    if (status == STRATA_OK)
        status =
            a->launch.ptx ? trace_ptx(&a->launch, r, err) : trace_run(r, a->program, &a->code, err);
    free(gpu);
    return status;
}

static strata_status trace(void *context, char **words, int n_words, struct strata_error *err)
{
    size_t length = n_words ? strlen(words[0]) : 0;
    if (length > 4 && !strcmp(words[0] + length - 4, ".ptx"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "write --ptx before PTX, as in `strata trace --ptx %s --kernel NAME "
                           "--grid N --block N --arg ... -o app.strata`.",
                           words[0]);
    if (n_words)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "write -- before the program, as in `strata trace -o app.strata -- %s`.",
                           words[0]);
    return run_request(context, err);
}

int cmd_trace(int argc, char **argv)
{
    struct trace_arguments a = {.request = {.limit_bytes = DEFAULT_LIMIT_BYTES},
                                .launch = {.grid = "1", .block = "1", .seed = 1}};
    struct trace_request *r = &a.request;
    struct trace_launch *l = &a.launch;
    const struct option options[] = {
        {'o', "output", OPTION_STRING, &r->output, "FILE", "the trace (default: PROGRAM.strata)"},
        {0, "nvtx-include", OPTION_STRING, &r->nvtx_include, "RANGE",
         "record only launches within this NVTX range; RANGE/ for push and pop alone"},
        {'k', "kernel-name", OPTION_STRING, &r->kernel_name, "NAME",
         "record only this kernel; regex:EXPRESSION too"},
        {'s', "launch-skip", OPTION_UINT, &r->launch_skip, "N",
         "do not record the first N launches that match"},
        {'c', "launch-count", OPTION_UINT, &r->launch_count, "N", "record at most N launches"},
        {0, "kill", OPTION_FLAG, &r->kill, NULL,
         "with --launch-count: end the program when they are recorded"},
        {0, "regs", OPTION_UINT, &r->registers, "N",
         "registers per thread, instead of the cubin's or an estimate"},
        {0, "limit", OPTION_UINT, &r->limit_bytes, "BYTES",
         "stop recording at this size (default 2GiB, 0: none)"},
        {0, "sample-blocks", OPTION_UINT, &r->sample_blocks, "N",
         "record N thread blocks of a launch, evenly spread"},
        {0, "sample", OPTION_STRING, &r->sample, "SHARE",
         "record whole only what `predict --sample` needs (1%), and a few blocks of all others"},
        {0, "instruction-limit", OPTION_UINT, &r->instruction_limit, "N",
         "stop a launch after N warp instructions"},
        {0, "interleave", OPTION_UINT, &r->interleave, "N",
         "let warps take turns every N instructions, a block on every SM at once; slow"},
        {0, "code", OPTION_STRING, &r->code, "KIND",
         "run machine code (sass), PTX (ptx), or as the driver would (auto, default): machine code "
         "for the GPU where there is some"},
        {0, "compile", OPTION_FLAG, &r->compile, NULL,
         "compile PTX for the GPU with ptxas, where installed, and run the machine code"},
        {'j', "jobs", OPTION_UINT, &r->jobs, "N",
         "threads (default: one per core); never changes a result"},
        {'g', "gpu", OPTION_STRING, &r->gpu_name, "GPU",
         "the device the program sees (default h200)"},
        SET_OPTION(a.set),
        {0, "no-record", OPTION_FLAG, &r->no_record, NULL, "only run the program"},
        {0, "memcheck", OPTION_FLAG, &r->memcheck, NULL,
         "keep allocations apart, to find accesses past their ends"},
        {0, "ptx", OPTION_STRING, &l->ptx, "FILE", "launch a kernel of this PTX file or cubin"},
        {0, "kernel", OPTION_STRING, &l->kernel, "NAME",
         "with --ptx: its name (default: the only one)"},
        {0, "grid", OPTION_STRING, &l->grid, "X,Y,Z", "with --ptx: thread blocks"},
        {0, "block", OPTION_STRING, &l->block, "X,Y,Z", "with --ptx: threads per block"},
        {0, "shared", OPTION_UINT, &l->shared_bytes, "BYTES", "with --ptx: dynamic shared memory"},
        {0, "arg", OPTION_LIST, &l->args, "VALUE", "with --ptx: one per parameter, in order"},
        {0, "seed", OPTION_UINT, &l->seed, "N", "with --ptx: seed of random buffers (default 1)"},
        {'q', "quiet", OPTION_FLAG, &r->quiet, NULL, "no progress, no summary"},
    };
    const struct command_syntax syntax = {
        .name = "trace",
        .arguments = "-- PROGRAM [ARGUMENT...]",
        .summary = "Runs a CUDA program on the CPU and records what its warps execute.",
        .text = help_text,
        .takes_programs = true,
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .most_words = ANY_NUMBER,
        .run = trace,
        .context = &a,
    };
    a.program = split_program(&argc, argv);
    int ours = run_command(&syntax, argc, argv);
    return a.code ? a.code : ours;
}
