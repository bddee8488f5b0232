/* trace_follow.h - what traced processes report to `strata trace`, over a pipe with a name. */
#ifndef STRATA_TOOLS_TRACE_FOLLOW_H
#define STRATA_TOOLS_TRACE_FOLLOW_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAX_FILES 256

struct counts {
    unsigned long long seen, traced, instructions_seen, instructions_traced, bytes, cut;
};

/* One process that uses CUDA. */
struct traced_process {
    long pid;
    struct counts counts;
    char *recording; /* path of the file it writes; NULL once it said what became of it */
};

/* One file that holds launches. A process that was killed, left by _exit or replaced itself did not
 * finish its own. */
struct traced_file {
    char *path;
    bool unfinished;
};

struct follow {
    struct traced_process *process;
    size_t n_processes, cap_processes;
    bool fatal, refused, kernel_failed, write_failed, limit, interrupted, killed;
    char unsupported[128];              /* the first call that is not supported */
    char code[200];                     /* which code ran, and why */
    struct traced_file file[MAX_FILES]; /* in the order in which the processes ended */
    size_t n_files;
    size_t n_ended; /* processes that ended in order, with a trace or without */
    bool on_terminal;
    char folder[64]; /* where the pipe is */
    char pipe[80];
    int fd;
    char line[4096];
    size_t n_line;
};

/* Makes the pipe; false: errno. */
bool follow_open(struct follow *f);
void follow_close(struct follow *f);
/* Until the program ended and the pipe is empty; processes it left behind are not waited for.
 * Returns its wait status. SIGTERM and SIGHUP are handed on to it. */
int follow_until_end(struct follow *f, pid_t pid);
struct counts follow_counts(const struct follow *f);
void follow_print(const struct follow *f, const char *end);
void print_bytes(char *out, size_t size, uint64_t bytes);

#endif
