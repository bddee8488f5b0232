/* main.c - the strata command: finds the subcommand and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

static const struct command commands[] = {
    {"trace", "run a CUDA program on the CPU and record what its warps execute", cmd_trace},
    {"convert", "a trace in another format, or some of its launches", cmd_convert},
    {"generate", "a synthetic trace", cmd_generate},
    {"info", "what is in a trace", cmd_info},
    {"check", "is a trace legal?", cmd_check},
    {"predict", "counters of every launch of a trace, by one of the models", cmd_predict},
    {"reuse", "reuse distances of a trace, and miss-ratio curves", cmd_reuse},
    {"learn", "the learned model: generate, train, profile, evaluate, rank", cmd_learn},
    {"correlate", "predictions against measured counters", cmd_correlate},
    {"report", "predictions and their errors as one HTML page", cmd_report},
    {"gpu", "what is known about a GPU: list, show, check, diff, keys, import", cmd_gpu},
    {"doctor", "what will work on this machine, and how to get the rest", cmd_doctor},
    {NULL, NULL, NULL},
};

int report_error(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    fprintf(stderr, "strata: %s\n", text);
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
    for (const struct command *c = commands; c->name; c++)
        printf("  %-10s %s\n", c->name, c->summary);
    puts("\n`strata COMMAND --help` tells more.");
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a write error with a message, not a death */
    if (argc < 2 || !strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return help();
    if (!strcmp(argv[1], "--version")) {
        puts("strata " STRATA_VERSION);
        return EXIT_DONE;
    }
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(c->name, argv[1]))
            return c->run(argc - 1, argv + 1);
    fprintf(stderr, "strata: there is no command \"%s\"; `strata help` lists them.\n", argv[1]);
    return EXIT_USAGE;
}
