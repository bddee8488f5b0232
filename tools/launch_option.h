/* launch_option.h - the options that say which launches of which traces a command takes. */
#ifndef STRATA_TOOLS_LAUNCH_OPTION_H
#define STRATA_TOOLS_LAUNCH_OPTION_H

#include <strata/predict.h>

#include "options.h"

struct launch_arguments {
    const char *kernel_name;
    uint64_t skip, count;
    bool accelsim_compat;
};

/* Rows of a command's option table; `a` is a struct launch_arguments. */
/* clang-format off */
#define LAUNCH_OPTIONS(a)                                                                           \
    {'k', "kernel-name", OPTION_STRING, &(a).kernel_name, "NAME",                                   \
     "only kernels of that name, or regex:EXPRESSION"},                                             \
    {0, "launch-skip", OPTION_UINT, &(a).skip, "N",                                                 \
     "leave out the first N launches (of that name) of each trace"},                                \
    {'c', "launch-count", OPTION_UINT, &(a).count, "N",                                             \
     "take at most N launches (of that name) of each trace"},                                       \
    {0, "accelsim-compat", OPTION_FLAG, &(a).accelsim_compat, NULL,                                 \
     "read Accel-Sim text by the rules of its own parser"}
/* clang-format on */

/* Opens the traces and chooses. At least one launch is in the set on success; release the set in
 * any case. */
strata_status load_launches(const struct launch_arguments *a, char **paths, int n_paths,
                            struct strata_launch_set *set, struct strata_error *err);

/* Warp instructions of the first n launches: what progress is weighed by. 0 where a trace tells
 * them only when it is read. */
uint64_t launch_set_instructions(const struct strata_launch_set *set, size_t n);

/* Prints a reader's warnings to standard error. */
void show_reader_warnings(const struct strata_reader *reader);

#endif
