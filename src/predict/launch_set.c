/* launch_set.c - the launches of traces given by file, folder, or folder of folders. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <strata/predict.h>

#include "base/array.h"

static strata_status no_memory(const char *path, struct strata_error *err)
{
    return strata_no_memory(err, path, "for this trace");
}

static strata_status add_trace(struct strata_launch_set *set, const char *path,
                               const struct strata_trace_options *opt, strata_launch_choice choose,
                               void *context, struct strata_error *err)
{
    if (!ARRAY_RESERVE(set->trace, set->n_traces, set->cap_traces, 1))
        return no_memory(path, err);
    struct strata_trace *trace;
    strata_status status = strata_trace_open(path, opt, &trace, err);
    if (status != STRATA_OK)
        return status;
    set->trace[set->n_traces++] = trace;
    size_t n = strata_trace_launch_count(trace);
    if (!ARRAY_RESERVE(set->launch, set->n_launches, set->cap_launches, n))
        return no_memory(path, err);
    for (size_t i = 0; i < n; i++)
        if (!choose || choose(context, strata_trace_launch(trace, i), i))
            set->launch[set->n_launches++] = (struct strata_launch_ref){trace, i};
    return STRATA_OK;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool exists_in(const char *folder, const char *name)
{
    char *path = NULL;
    struct stat info;
    bool found = asprintf(&path, "%s/%s", folder, name) >= 0 && !stat(path, &info);
    free(path);
    return found;
}

static bool is_trace_folder(const char *path)
{
    return is_folder(path) && (exists_in(path, "kernelslist.g") || exists_in(path, "kernelslist"));
}

static bool is_native_file(const char *path)
{
    size_t n = strlen(path);
    return n > 7 && !strcmp(path + n - 7, ".strata") && !is_folder(path);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* By bytes, so that the order of launches does not depend on the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds the traces inside a folder; *n_found tells how many there were. */
static strata_status add_inside(struct strata_launch_set *set, const char *folder,
                                const struct strata_trace_options *opt, strata_launch_choice choose,
                                void *context, size_t *n_found, struct strata_error *err)
{
    struct dirent **entry = NULL;
    strata_status status = STRATA_OK;
    int n = scandir(folder, &entry, not_hidden, by_bytes);
    *n_found = 0;
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        if (status == STRATA_OK && asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0)
            status = no_memory(folder, err);
        else if (status == STRATA_OK && (is_trace_folder(path) || is_native_file(path))) {
            ++*n_found;
            status = add_trace(set, path, opt, choose, context, err);
        }
        free(path);
        free(entry[i]);
    }
    free(entry);
    return status;
}

strata_status strata_launch_set_add(struct strata_launch_set *set, const char *path,
                                    const struct strata_trace_options *opt,
                                    strata_launch_choice choose, void *context,
                                    struct strata_error *err)
{
    struct strata_trace_options defaults;
    strata_trace_options_init(&defaults);
    if (!opt)
        opt = &defaults;
    if (is_folder(path) && !is_trace_folder(path)) {
        size_t n_found;
        strata_status status = add_inside(set, path, opt, choose, context, &n_found, err);
        if (n_found || status != STRATA_OK)
            return status;
    }
    return add_trace(set, path, opt, choose, context, err);
}

void strata_launch_set_release(struct strata_launch_set *set)
{
    for (size_t i = 0; i < set->n_traces; i++)
        strata_trace_close(set->trace[i]);
    free(set->trace);
    free(set->launch);
    memset(set, 0, sizeof *set);
}
