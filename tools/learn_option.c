/* learn_option.c - profiles and models that the subcommands of strata learn work on. */
#include "learn_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_pair(const char *text, uint32_t *a, uint32_t *b)
{
    char rest;
    return text[0] >= '0' && text[0] <= '9' && sscanf(text, "%9u,%9u%c", a, b, &rest) == 2;
}

static strata_status set_options(const struct profile_arguments *a, bool labels,
                                 struct strata_learn_profile_options *opt, struct strata_error *err)
{
    size_t ranked;
    strata_learn_profile_options_init(opt);
    opt->sms = a->sms > 100000 ? 0 : (uint32_t)a->sms;
    opt->interval = a->interval > UINT32_MAX ? UINT32_MAX : (uint32_t)a->interval;
    opt->sectors = a->sectors;
    opt->l2 = a->l2;
    if (a->l1 && !parse_pair(a->l1, &opt->l1.lines, &opt->l1.ways))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--l1 takes lines and ways, such as 64,8; not \"%s\".", a->l1);
    if (a->labels && strcmp(a->labels, "sim") && strcmp(a->labels, "timed"))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--labels takes timed or sim, not \"%s\".", a->labels);
    opt->labels_by_sim = labels && a->labels && !strcmp(a->labels, "sim");
    if (labels)
        opt->label = strata_learn_caches(&opt->n_labels, &ranked);
    return strata_learn_cache_check(&opt->l1, err);
}

static strata_status profile_launches(const struct profile_arguments *a, char **paths, int n_paths,
                                      bool labels, struct strata_learn_set *set,
                                      struct strata_error *err)
{
    struct strata_learn_profile_options opt;
    struct strata_launch_set launches = {0};
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    strata_status st = gpu ? set_options(a, labels, &opt, err) : strata_no_memory(err, NULL, NULL);
    if (st == STRATA_OK && !a->gpu)
        st = strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                         "profiles of traces need --gpu, whose lines and dispatcher count; `strata "
                         "gpu list` names them.");
    if (st == STRATA_OK)
        st = load_gpu(a->gpu, &a->set, gpu, err);
    if (st == STRATA_OK)
        st = load_launches(&a->launches, paths, n_paths, &launches, err);
    for (size_t i = 0; i < launches.n_launches && st == STRATA_OK; i++) {
        struct strata_reader *reader;
        st = strata_reader_open(launches.launch[i].trace, launches.launch[i].index, &reader, err);
        if (st != STRATA_OK)
            break;
        st = strata_learn_profile(gpu, reader, &opt, set, err);
        if (st == STRATA_OK && !a->quiet)
            show_reader_warnings(reader);
        if (st == STRATA_OK && !a->quiet && !set->sample[set->n_samples - 1].n_intervals)
            fprintf(stderr, "strata: warning: %s has no loads that reach the cache.\n",
                    set->sample[set->n_samples - 1].name);
        strata_reader_close(reader);
    }
    strata_launch_set_release(&launches);
    free(gpu);
    return st;
}

static bool is_profile(const char *path)
{
    size_t n = strlen(path);
    return n > 6 && !strcmp(path + n - 6, ".learn");
}

strata_status profile_traces(const struct profile_arguments *a, char **paths, int n_paths,
                             bool labels, struct strata_learn_set *set, struct strata_error *err)
{
    int n_files = 0;
    strata_status st = STRATA_OK;
    for (int i = 0; i < n_paths; i++)
        n_files += is_profile(paths[i]);
    if (n_files && n_files < n_paths)
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "Give traces, or files of profiles (.learn), not both at once.");
    if (!n_files)
        return profile_launches(a, paths, n_paths, labels, set, err);
    for (int i = 0; i < n_paths && st == STRATA_OK; i++)
        st = strata_learn_set_load(paths[i], set, err);
    return st;
}

strata_status load_model(const char *name, struct strata_learn_model **out,
                         struct strata_error *err)
{
    bool file = strchr(name, '/') || strchr(name, '.');
    return file ? strata_learn_model_load(name, out, err)
                : strata_learn_model_builtin(name, out, err);
}
