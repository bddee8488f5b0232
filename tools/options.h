/* options.h - one table per command describes its options; parsing, --help, man pages and shell
 * completion all walk it. */
#ifndef STRATA_TOOLS_OPTIONS_H
#define STRATA_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/status.h>

#include "print.h"

enum option_kind {
    OPTION_FLAG,   /* bool *: set to true */
    OPTION_STRING, /* const char ** */
    OPTION_UINT,   /* uint64_t *: decimal, with optional size suffix (KiB, MB, k, ...) */
    OPTION_DOUBLE, /* double * */
    OPTION_LIST,   /* struct option_list *: may be given several times; freed by run_command */
    OPTION_FORMAT, /* enum format *: text, csv or json */
    OPTION_MEMORY, /* no target: limits the process (memory_limit.h) */
};

struct option_list {
    const char **item;
    size_t n;
};

struct option {
    char letter;      /* 0: none */
    const char *name; /* without the dashes */
    enum option_kind kind;
    void *target;
    const char *argument; /* "FILE", NULL for flags */
    const char *help;
};

/* Rows that commands share word for word; `value` is where it goes. */
/* clang-format off */
#define GPU_OPTION(value)                                                                          \
    {'g', "gpu", OPTION_STRING, &(value), "GPU",                                                   \
     "name of a GPU (`strata gpu list`) or path of its file"}
#define SET_OPTION(value)                                                                          \
    {0, "set", OPTION_LIST, &(value), "KEY=VALUE", "change one number of the GPU"}
#define SEED_OPTION(value)                                                                         \
    {0, "seed", OPTION_UINT, &(value), "N", "seed of all random numbers (default 1)"}
#define OUTPUT_OPTION(value)                                                                       \
    {'o', "output", OPTION_STRING, &(value), "FILE", "write there instead of standard output"}
/* clang-format on */

/* What has to hold of the options of a command, checked in order before it runs. */
struct option_rule {
    enum { OPTION_IS_NEEDED, OPTION_HAS_RANGE } kind;
    const void *target;   /* needed: const char **; range: uint64_t * */
    uint64_t least, most; /* of a range */
    const char *sentence; /* what is told otherwise */
};
#define NEEDED(target, sentence)                                                                   \
    {                                                                                              \
        OPTION_IS_NEEDED, &(target), 0, 0, sentence                                                \
    }
#define IN_RANGE(target, least, most, sentence)                                                    \
    {                                                                                              \
        OPTION_HAS_RANGE, &(target), least, most, sentence                                         \
    }
#define JOBS_RULE(target) IN_RANGE(target, 1, 1024, "-j takes a number from 1 to 1024.")
#define SEED_RULE(target) IN_RANGE(target, 0, INT64_MAX, "--seed takes a number below 2^63.")
#define ANY_NUMBER        INT32_MAX

struct command_syntax {
    const char *name;      /* "predict" */
    const char *arguments; /* "TRACE..." */
    const char *summary;   /* one sentence */
    const char *text;      /* a paragraph for --help and the man page, may be NULL */
    const struct option *options;
    size_t n_options;
    /* How many words besides options there may be, and what is told if there are fewer: either what
     * the command needs ("a trace") or a request of its own ("name two GPUs."). */
    int least_words, most_words;
    const char *needs, *asks;
    /* What its words name, for a hint where they name something else: results (predictions and the
     * like) or programs; traces otherwise. */
    bool takes_results, takes_programs;
    /* A flag that asks for a list instead of the work, and what prints it; may be NULL. */
    const bool *list_asked;
    void (*list)(void);
    const struct option_rule *rules;
    size_t n_rules;
    /* Does the work with what the options' targets hold. */
    strata_status (*run)(void *context, char **words, int n_words, struct strata_error *err);
    void *context;
};

/* All that commands have in common: parses the options, checks words and rules, runs, frees the
 * lists of options and reports an error. Returns the exit code. */
int run_command(const struct command_syntax *syntax, int argc, char **argv);

void print_help(const struct command_syntax *syntax);
/* If not NULL, --help calls this instead of printing: man pages and completion read the same
 * tables. */
extern void (*describe_command)(const struct command_syntax *syntax);
/* "96KiB", "50MB", "1k": binary suffixes with i, decimal without. False if malformed. */
bool parse_size(const char *text, uint64_t *out);

#endif
