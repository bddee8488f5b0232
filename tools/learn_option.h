/* learn_option.h - what the subcommands of strata learn share. */
#ifndef STRATA_TOOLS_LEARN_OPTION_H
#define STRATA_TOOLS_LEARN_OPTION_H

#include <strata/learn.h>

#include "gpu_option.h"
#include "launch_option.h"
#include "memory_limit.h"
#include "options.h"

/* How launches become profiles. */
struct profile_arguments {
    const char *gpu, *l1, *labels;
    struct option_list set;
    struct launch_arguments launches;
    uint64_t sms, interval;
    bool l2, sectors, no_labels, quiet;
};
#define PROFILE_ARGUMENTS                                                                          \
    {                                                                                              \
        .sms = 8, .interval = 10000                                                                \
    }
/* clang-format off */
#define PROFILE_OPTIONS(a)                                                                          \
    {'g', "gpu", OPTION_STRING, &(a).gpu, "GPU", "whose lines and dispatcher count; needed for traces"}, \
    {0, "set", OPTION_LIST, &(a).set, "KEY=VALUE", "change one number of the GPU"},                 \
    {0, "sms", OPTION_UINT, &(a).sms, "N", "profile at most N SMs of a launch, 0 for all (default 8)"}, \
    {0, "interval", OPTION_UINT, &(a).interval, "N", "accesses of an interval (default 10000)"},    \
    {0, "sectors", OPTION_FLAG, &(a).sectors, NULL, "sectors in place of lines"},                   \
    {0, "l2", OPTION_FLAG, &(a).l2, NULL, "what reaches the L2 in place of what the L1s see"},      \
    {0, "l1", OPTION_STRING, &(a).l1, "LINES,WAYS", "with --l2: the L1s in front of it (default 64,8)"}, \
    {0, "labels", OPTION_STRING, &(a).labels, "SOURCE", "the truth: timed (default), or sim, which takes a run for each cache"}, \
    {0, "no-labels", OPTION_FLAG, &(a).no_labels, NULL, "without what the timed L1 does"},          \
    LAUNCH_OPTIONS((a).launches),                                                                   \
    MEMORY_LIMIT_OPTION,                                                                            \
    {'q', "quiet", OPTION_FLAG, &(a).quiet, NULL, "no warnings"}
/* clang-format on */

/* "A,B", whole numbers. */
bool parse_pair(const char *text, uint32_t *a, uint32_t *b);
/* Profiles of the launches of some traces, or of files that `strata learn profile` wrote (.learn).
 */
strata_status profile_traces(const struct profile_arguments *a, char **paths, int n_paths,
                             bool labels, struct strata_learn_set *set, struct strata_error *err);
/* A built-in model by its name, or a file. */
strata_status load_model(const char *name, struct strata_learn_model **out,
                         struct strata_error *err);

int learn_evaluate(int argc, char **argv);
int learn_rank(int argc, char **argv);

#endif
