/* trace_run.h - runs a CUDA program with Strata's runtime library in place of NVIDIA's. */
#ifndef STRATA_TOOLS_TRACE_RUN_H
#define STRATA_TOOLS_TRACE_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>

struct trace_request {
    const char *output;       /* NULL: <program>.strata in this folder */
    const char *nvtx_include; /* NULL: ranges do not matter */
    const char *kernel_name;  /* filters as in <strata/filter.h> */
    uint64_t launch_skip, launch_count;
    uint64_t registers, limit_bytes, sample_blocks, instruction_limit, jobs, interleave;
    const char *sample;         /* the share of the work to record; NULL: all */
    uint64_t sample_millionths; /* the same as a number */
    bool no_record, quiet, memcheck;
    bool kill;                    /* ends the program after launch_count */
    bool drop_output;             /* what the program prints on standard output */
    const char *code;             /* "auto", "sass" or "ptx"; NULL: auto */
    bool compile;                 /* PTX with ptxas, where there is one */
    const char *gpu_name;         /* NULL: the runtime's own default */
    const struct strata_gpu *gpu; /* NULL likewise */
};

/* Words after "--" are the program's, whatever they look like. Without it, a path to something
 * executable starts them; NULL if there is none. */
char **split_program(int *argc, char **argv);

/* Runs argv (NULL-terminated). *exit_code is what `strata trace` should end with: the program's
 * own code, or ours if something went wrong on our side. Failure: the program could not be
 * started or is one that cannot be served. */
strata_status trace_run(const struct trace_request *request, char **argv, int *exit_code,
                        struct strata_error *err);

#endif
