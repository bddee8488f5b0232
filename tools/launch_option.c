/* launch_option.c - opens traces and chooses launches. */
#include "launch_option.h"

#include <stdio.h>
#include <string.h>

#include <strata/filter.h>

#include "stdin_trace.h"

strata_status load_launches(const struct launch_arguments *a, char **paths, int n_paths,
                            struct strata_launch_set *set, struct strata_error *err)
{
    struct strata_filter *filter;
    struct strata_trace_options options;
    strata_trace_options_init(&options);
    options.accelsim_compat = a->accelsim_compat;
    strata_status status = strata_filter_create(a->kernel_name, a->skip, a->count, &filter, err);
    for (int i = 0; status == STRATA_OK && i < n_paths; i++) {
        const char *path = paths[i];
        if (!strcmp(path, "-"))
            status = stdin_trace(&path, err);
        if (status == STRATA_OK)
            status = strata_launch_set_add(set, path, &options, strata_filter_choose, filter, err);
    }
    if (status == STRATA_OK)
        status = strata_filter_check(filter, n_paths == 1 ? paths[0] : NULL, err);
    if (status == STRATA_OK && !set->n_launches)
        status = strata_fail(err, STRATA_EFORMAT, paths[0], 0, 0, "there is no launch in it.");
    strata_filter_destroy(filter);
    return status;
}

void show_reader_warnings(const struct strata_reader *reader)
{
    const struct strata_launch *l = strata_reader_launch(reader);
    for (size_t i = 0; i < strata_reader_warning_count(reader); i++)
        fprintf(stderr, "strata: %s/%s: %s\n", l->program, l->trace,
                strata_reader_warning(reader, i));
}

uint64_t launch_set_instructions(const struct strata_launch_set *set, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const struct strata_launch *l =
            strata_trace_launch(set->launch[i].trace, set->launch[i].index);
        if (!l->warp_instructions)
            return 0;
        sum += l->warp_instructions;
    }
    return sum;
}
