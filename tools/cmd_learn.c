/* cmd_learn.c - strata learn generate|train|profile: what a learned model is made from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <strata/learn.h>

#include "cmd.h"
#include "memory_limit.h"
#include "learn_option.h"
#include "options.h"
#include "progress.h"

/* ---- generate ---- */

struct generate_arguments {
    const char *output, *trace, *sim;
    struct option_list set;
    uint64_t samples, sample, seed, jobs;
    bool grid_only, quiet;
};

static void show_cells(void *context, size_t n_done, size_t n_cells)
{
    progress_show(context, n_done, n_cells, 0);
}

static strata_status generate_trace(const struct generate_arguments *a, struct strata_error *err)
{
    uint32_t peaks, max_distance;
    if (!parse_pair(a->trace, &peaks, &max_distance))
        return strata_fail(err, STRATA_EUSAGE, NULL, 0, 0,
                           "--trace takes a cell of the grid, such as 4,128; not \"%s\".",
                           a->trace);
    return strata_learn_write_trace(peaks, max_distance, (uint32_t)a->sample, a->seed, a->output,
                                    err);
}

static strata_status generate_cells(const struct generate_arguments *a, struct strata_error *err)
{
    struct strata_learn_generate_options opt;
    struct progress progress;
    size_t made, kept;
    strata_learn_generate_options_init(&opt);
    opt.samples = a->samples > 1000000 ? 1000000 : (uint32_t)a->samples;
    opt.seed = a->seed;
    opt.threads = (uint32_t)a->jobs;
    opt.grid_only = a->grid_only;
    opt.progress = show_cells;
    opt.progress_context = &progress;
    struct strata_gpu *gpu = calloc(1, sizeof *gpu);
    strata_status st = gpu ? STRATA_OK : strata_no_memory(err, NULL, "for a GPU");
    if (st == STRATA_OK && a->sim)
        st = load_gpu(a->sim, &a->set, gpu, err);
    opt.sim = a->sim ? gpu : NULL;
    progress_start(&progress, "cells", a->quiet);
    if (st == STRATA_OK)
        st = strata_learn_generate(a->output, &opt, &made, &kept, err);
    progress_end(&progress);
    free(gpu);
    if (st == STRATA_OK && !a->quiet)
        printf("%s: %zu cells of %llu samples, %zu made, %zu kept\n", a->output, made + kept,
               (unsigned long long)a->samples, made, kept);
    return st;
}

static strata_status generate(void *context, char **words, int n_words, struct strata_error *err)
{
    const struct generate_arguments *a = context;
    (void)words, (void)n_words;
    return a->trace ? generate_trace(a, err) : generate_cells(a, err);
}

static int learn_generate(int argc, char **argv)
{
    struct generate_arguments a = {.samples = 50, .seed = 1, .jobs = 1};
    const struct option options[] = {
        {'o', "output", OPTION_STRING, &a.output, "FOLDER",
         "where the cells go, a file each; needed"},
        {0, "samples", OPTION_UINT, &a.samples, "N", "sequences a cell (default 50)"},
        {0, "grid-only", OPTION_FLAG, &a.grid_only, NULL,
         "the grid of N and MaxRD alone, without ordered patterns"},
        {0, "trace", OPTION_STRING, &a.trace, "N,MAXRD",
         "instead: one sample of that cell as a trace, written to the output"},
        {0, "sim", OPTION_STRING, &a.sim, "GPU",
         "labels by the clocked model on this GPU, in place of the timed L1"},
        {0, "set", OPTION_LIST, &a.set, "KEY=VALUE", "with --sim: change one number of the GPU"},
        {0, "sample", OPTION_UINT, &a.sample, "I", "with --trace: which sample (default 0)"},
        {0, "seed", OPTION_UINT, &a.seed, "N", "seed (default 1)"},
        {'j', "jobs", OPTION_UINT, &a.jobs, "N", "threads (default 1); never changes a result"},
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no summary"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.output, "learn generate needs -o, the folder that the cells go to."),
        IN_RANGE(a.jobs, 1, 64, "-j takes a number from 1 to 64."),
    };
    const struct command_syntax syntax = {
        .name = "learn generate",
        .arguments = "",
        .summary = "Training data: synthetic sequences, their reuse profiles, and what a timed L1 "
                   "does with them.",
        .text = "A run that was stopped goes on: cells that are there and were made with the same "
                "options are kept.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = generate,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}

/* ---- train ---- */

struct train_arguments {
    const char *output, *learner, *features;
    uint64_t epochs, samples, rows, seed, jobs;
    double dropout;
    bool quiet;
};

static void show_epoch(void *context, size_t epoch, size_t epochs, double loss)
{
    (void)loss;
    progress_show(context, epoch, epochs, 0);
}

static strata_status train(void *context, char **words, int n_words, struct strata_error *err)
{
    const struct train_arguments *a = context;
    const char *folder = words[0];
    (void)n_words;
    struct strata_learn_train_options opt;
    struct strata_learn_model *model = NULL;
    struct strata_learn_fit fit;
    struct progress progress;
    strata_learn_train_options_init(&opt);
    opt.learner = a->learner;
    opt.features = a->features;
    opt.epochs = a->epochs > 100000 ? 100000 : (uint32_t)a->epochs;
    opt.dropout = a->dropout;
    opt.samples = a->samples;
    opt.rows = a->rows;
    opt.seed = a->seed;
    opt.threads = (uint32_t)a->jobs;
    opt.progress = show_epoch;
    opt.progress_context = &progress;
    progress_start(&progress, "epochs", a->quiet);
    strata_status st = strata_learn_train(folder, &opt, &model, &fit, err);
    progress_end(&progress);
    if (st == STRATA_OK)
        st = strata_learn_model_save(model, a->output, err);
    if (st == STRATA_OK && !a->quiet)
        printf("%s: %s on %llu rows; of %llu rows held back, mean absolute error %.4f (miss rate), "
               "%.4f (merge rate)\n",
               a->output, a->learner, (unsigned long long)fit.train_rows,
               (unsigned long long)fit.test_rows, fit.miss_mae, fit.merge_mae);
    strata_learn_model_destroy(model);
    return st;
}

static int learn_train(int argc, char **argv)
{
    struct train_arguments a = {
        .learner = "mlp", .features = "timed", .epochs = 30, .seed = 1, .jobs = 1, .dropout = 0.5};
    const struct option options[] = {
        {'o', "output", OPTION_STRING, &a.output, "MODEL",
         "the file that the model goes to; needed"},
        {0, "learner", OPTION_STRING, &a.learner, "LEARNER", "mlp (default), svr, rf or gb"},
        {0, "features", OPTION_STRING, &a.features, "SET",
         "timed (default), open or paper: what the learner sees of a profile"},
        {0, "epochs", OPTION_UINT, &a.epochs, "N", "of the mlp (default 30)"},
        {0, "dropout", OPTION_DOUBLE, &a.dropout, "SHARE",
         "of the mlp's first layer (default 0.5)"},
        {0, "samples", OPTION_UINT, &a.samples, "N",
         "only the first N samples of each cell (default: all)"},
        {0, "rows", OPTION_UINT, &a.rows, "N",
         "train on at most so many rows (default: what suits the learner)"},
        {0, "seed", OPTION_UINT, &a.seed, "N", "seed (default 1)"},
        {'j', "jobs", OPTION_UINT, &a.jobs, "N", "threads (default 1); never changes a result"},
        MEMORY_LIMIT_OPTION,
        {'q', "quiet", OPTION_FLAG, &a.quiet, NULL, "no progress, no summary"},
    };
    const struct option_rule rules[] = {
        NEEDED(a.output, "learn train needs -o, the file that the model goes to."),
        IN_RANGE(a.jobs, 1, 64, "-j takes a number from 1 to 64."),
    };
    const struct command_syntax syntax = {
        .name = "learn train",
        .arguments = "FOLDER",
        .summary = "Trains a learner on the cells of a folder; a fifth of the sequences is held "
                   "back to test it.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = 1,
        .needs = "one folder of training data",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = train,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}

/* ---- profile ---- */

struct profile_request {
    struct profile_arguments profile;
    const char *output;
};

static strata_status profile(void *context, char **words, int n_words, struct strata_error *err)
{
    const struct profile_request *r = context;
    struct strata_learn_set set = {0};
    strata_status st =
        profile_traces(&r->profile, words, n_words, !r->profile.no_labels, &set, err);
    if (st == STRATA_OK)
        st = strata_learn_set_save(&set, r->output, err);
    strata_learn_set_release(&set);
    return st;
}

static int learn_profile(int argc, char **argv)
{
    struct profile_request a = {.profile = PROFILE_ARGUMENTS};
    const struct option options[] = {
        {'o', "output", OPTION_STRING, &a.output, "FILE",
         "where the profiles go (NAME.learn); needed"},
        PROFILE_OPTIONS(a.profile),
    };
    const struct option_rule rules[] = {
        NEEDED(a.output, "learn profile needs -o, the file that the profiles go to."),
    };
    const struct command_syntax syntax = {
        .name = "learn profile",
        .arguments = "TRACE...",
        .summary = "Reuse profiles of every launch in a file, with labels of the timed L1, for "
                   "evaluation and ranking.",
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .least_words = 1,
        .most_words = ANY_NUMBER,
        .needs = "a trace",
        .rules = rules,
        .n_rules = sizeof rules / sizeof rules[0],
        .run = profile,
        .context = &a,
    };
    return run_command(&syntax, argc, argv);
}

/* ---- which ---- */

static const struct command subcommands[] = {
    {"generate", "training data: synthetic sequences with labels", learn_generate},
    {"train", "a model from training data", learn_train},
    {"profile", "reuse profiles of launches, in a file", learn_profile},
    {"evaluate", "models against the timed L1, on launches they never saw", learn_evaluate},
    {"rank", "cache configurations of every launch, best first", learn_rank},
    {NULL, NULL, NULL},
};

static void learn_help(FILE *f)
{
    fputs("usage: strata learn SUBCOMMAND [options] ...\n\nThe learned model: cache behaviour from "
          "reuse profiles.\n\nsubcommands:\n",
          f);
    for (const struct command *c = subcommands; c->name; c++)
        fprintf(f, "  %-10s %s\n", c->name, c->summary);
    fputs("\n`strata learn SUBCOMMAND --help` tells more.\n", f);
}

int cmd_learn(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        learn_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : EXIT_DONE;
    }
    for (const struct command *c = subcommands; c->name; c++)
        if (!strcmp(c->name, argv[1]))
            return c->run(argc - 1, argv + 1);
    fprintf(stderr,
            "strata learn: there is no subcommand \"%s\"; it is generate, train, profile, evaluate "
            "or rank.\n",
            argv[1]);
    return EXIT_USAGE;
}
