/* main.c - the strata command: finds the subcommand and runs it. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "large_heap.h"
#include "memory_limit.h"
#include "manual.h"
#include "output.h"

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

const struct command strata_commands[] = {
    {"trace", "run a CUDA program on the CPU and record what its warps execute", cmd_trace},
    {"tune", "rank the configurations of a CUDA program by predicted time", cmd_tune},
    {"convert", "a trace in another format, or some of its launches", cmd_convert},
    {"generate", "a synthetic trace", cmd_generate},
    {"info", "what is in a trace", cmd_info},
    {"check", "is a trace legal?", cmd_check},
    {"predict", "counters of every launch of a trace, by one of the models", cmd_predict},
    {"reuse", "reuse distances of a trace, and miss-ratio curves", cmd_reuse},
    {"advise", "why a launch is slow, which lines make it so, and what to do", cmd_advise},
    {"hotspots", "which instructions cause a launch's traffic", cmd_hotspots},
    {"learn", "the learned model: generate, train, profile, evaluate, rank", cmd_learn},
    {"compare", "two predictions launch by launch, and what explains the time", cmd_compare},
    {"check-regression", "fails if a launch got slower than allowed", cmd_check_regression},
    {"correlate", "predictions against measured counters", cmd_correlate},
    {"sweep", "a model for many variations of a GPU, ranked", cmd_sweep},
    {"timeline", "the time of a whole program: launches and copies, gaps and overlap",
     cmd_timeline},
    {"report", "predictions and their errors as one HTML page", cmd_report},
    {"export", "what the L2 asks of DRAM, for simulators of DRAM", cmd_export},
    {"sass", "the machine code in a file, as text with control codes", cmd_sass},
    {"dissect", "what a GPU's memory is made of, from latencies", cmd_dissect},
    {"gpu", "what is known about a GPU: list, show, check, diff, keys, import", cmd_gpu},
    {"metrics", "name, unit and definition of every metric", cmd_metrics},
    {"doctor", "what will work on this machine, and how to get the rest", cmd_doctor},
    {"bugreport", "what someone else needs to look at a problem", cmd_bugreport},
    {"completion", "tab completion for bash, zsh or fish", cmd_completion},
    {NULL, NULL, NULL},
};

int process_rank;

/* The library's sentence says what there was no memory for; what to do about it is the same for
 * all. */
static void add_memory_remedy(char *text, size_t size)
{
    size_t n = strlen(text);
    if (n && text[n - 1] == '.' && !strchr(text, ';'))
        snprintf(
            text + n - 1, size - n + 1,
            "; take fewer launches (--launch-count), fewer threads (-j), or a machine with more "
            "memory.");
}

int report_error(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    if (err->status == STRATA_ENOMEM)
        add_memory_remedy(text, sizeof text);
    if (!process_rank)
        fprintf(stderr, "strata: %s\n", text);
    else if (err->status != STRATA_EUSAGE)
        fprintf(stderr, "strata: process %d: %s\n", process_rank, text);
    switch (err->status) {
    case STRATA_EMISMATCH:
        return EXIT_MISMATCH;
    case STRATA_EUSAGE:
        return EXIT_USAGE;
    case STRATA_EUNSUPPORTED:
        return EXIT_UNSUPPORTED;
    default:
        return EXIT_INPUT;
    }
}

static int help(void)
{
    puts("usage: strata COMMAND [options] ...\n\n"
         "Predicts what a GPU's memory hierarchy does with a program.\n\ncommands:");
    for (const struct command *c = strata_commands; c->name; c++)
        printf("  %-16s %s\n", c->name, c->summary);
    puts("\n`strata COMMAND --help` tells more.");
    return EXIT_DONE;
}

static const struct command *find_command(const char *name)
{
    const char *near = NULL;
    size_t least = 3;
    for (const struct command *c = strata_commands; c->name; c++) {
        size_t distance = strata_word_distance(name, c->name, least);
        if (!distance)
            return c;
        if (distance < least) {
            least = distance;
            near = c->name;
        }
    }
    fprintf(stderr, "strata: there is no command \"%s\"", name);
    fprintf(stderr,
            near ? " (did you mean \"%s\"?); `strata help` lists them.\n"
                 : "; `strata help` lists them.\n",
            near);
    return NULL;
}

/* strata help [COMMAND], strata help --man [COMMAND] */
static int help_about(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--man"))
        return print_manual(argc > 2 ? argv[2] : NULL);
    if (argc < 2)
        return help();
    const struct command *c = find_command(argv[1]);
    static char option[] = "--help";
    return c ? c->run(2, (char *[]){argv[1], option, NULL}) : EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return help();
    if (!strcmp(argv[1], "help"))
        return help_about(argc - 1, argv + 1);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        puts("strata " STRATA_VERSION);
        return EXIT_DONE;
    }
    const struct command *c = find_command(argv[1]);
    /* A traced program takes what it needs. */
    if (c && strcmp(c->name, "trace") && strcmp(c->name, "dissect"))
        limit_memory_by_default();
    return c ? c->run(argc - 1, argv + 1) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    large_heap_begin();
    signal(SIGPIPE, SIG_IGN); /* a pipe that closes must not leave half a file behind */
    int code = run(argc, argv);
    unlimit_memory();
    /* Help, lists and completion scripts go to standard output as they are made. */
    bool written = !fflush(stdout) && !ferror(stdout);
    int why = errno;
    if (!written)
        end_if_pipe_closed(why);
    if (code == EXIT_DONE && !written) {
        fprintf(stderr, "strata: standard output: the result could not be written: %s.\n",
                strerror(why));
        return EXIT_INPUT;
    }
    return code;
}
