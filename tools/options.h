/* options.h - one table per command describes its options; parsing, --help, man pages and shell
 * completion all walk it. */
#ifndef STRATA_TOOLS_OPTIONS_H
#define STRATA_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
    OPTION_FLAG,   /* bool *: set to true */
    OPTION_STRING, /* const char ** */
    OPTION_UINT,   /* uint64_t *: decimal, with optional size suffix (KiB, MB, k, ...) */
    OPTION_DOUBLE, /* double * */
    OPTION_LIST,   /* struct option_list *: may be given several times */
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

struct command_syntax {
    const char *name;      /* "predict" */
    const char *arguments; /* "TRACE..." */
    const char *summary;   /* one sentence */
    const char *text;      /* a paragraph for --help and the man page, may be NULL */
    const struct option *options;
    size_t n_options;
};

/* Parses options anywhere among the arguments ("--" ends them); leaves the others in argv[1..] and
 * their number in *n_args. Returns true to go on; false with *exit_code set after --help or an
 * error (already printed). */
bool parse_options(const struct command_syntax *syntax, int argc, char **argv, int *n_args,
                   int *exit_code);
void print_help(const struct command_syntax *syntax);
/* If not NULL, --help calls this instead of printing: man pages and completion read the same
 * tables. */
extern void (*describe_command)(const struct command_syntax *syntax);
/* "96KiB", "50MB", "1k": binary suffixes with i, decimal without. False if malformed. */
bool parse_size(const char *text, uint64_t *out);

#endif
