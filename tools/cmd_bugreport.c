/* cmd_bugreport.c - strata bugreport: all that someone else needs to look at a problem, as one
 * text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/gpu.h>
#include <strata/status.h>

#include "cmd.h"
#include "gpu_option.h"
#include "options.h"
#include "output.h"

#ifndef STRATA_VERSION
#define STRATA_VERSION "unknown"
#endif

extern char **environ;

enum { TAIL_BYTES = 8000 }; /* of what a command prints */

struct tail {
    char text[2 * TAIL_BYTES];
    size_t n;
    bool cut;
};

/* Keeps the last TAIL_BYTES or a little more. */
static void tail_add(struct tail *t, const char *bytes, size_t n)
{
    if (t->n + n > sizeof t->text) {
        memmove(t->text, t->text + t->n - TAIL_BYTES, TAIL_BYTES);
        t->n = TAIL_BYTES;
        t->cut = true;
    }
    memcpy(t->text + t->n, bytes, n);
    t->n += n;
}

/* Runs this program with other arguments; both of its outputs go to the tail. Returns the wait
 * status, or -1 with errno. */
static int run_self(char **words, struct tail *t)
{
    int ends[2], status = -1;
    char chunk[TAIL_BYTES / 2];
    if (pipe(ends))
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv("/proc/self/exe", words);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t n; child > 0 && (n = read(ends[0], chunk, sizeof chunk)) > 0;)
        tail_add(t, chunk, (size_t)n);
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static void print_tail(FILE *f, const struct tail *t)
{
    if (t->cut)
        fputs("(the beginning is left out)\n", f);
    fwrite(t->text, 1, t->n, f);
    if (t->n && t->text[t->n - 1] != '\n')
        fputc('\n', f);
}

static void print_machine(FILE *f)
{
    struct utsname u;
    fprintf(f, "strata %s, built by %s\n", STRATA_VERSION,
#ifdef __VERSION__
            __VERSION__
#else
            "an unknown compiler"
#endif
    );
    if (!uname(&u))
        fprintf(f, "%s %s %s %s\n", u.sysname, u.release, u.version, u.machine);
    for (char **e = environ; *e; e++)
        if (!strncmp(*e, "STRATA", 6) || !strncmp(*e, "OMP_", 4) || !strncmp(*e, "LC_ALL=", 7))
            fprintf(f, "%s\n", *e);
}

static void print_doctor(FILE *f)
{
    static char name[] = "strata", doctor[] = "doctor";
    struct tail t = {0};
    fputs("\n## strata doctor\n\n", f);
    run_self((char *[]){name, doctor, NULL}, &t);
    print_tail(f, &t);
}

/* Files that the words name, so that a missing or a cut one shows. */
static void print_files(FILE *f, char **words)
{
    for (struct stat st; *words; words++)
        if (!stat(*words, &st))
            fprintf(f, "%s: %s of %lld bytes\n", *words,
                    S_ISDIR(st.st_mode) ? "a folder" : "a file", (long long)st.st_size);
}

static void print_command(FILE *f, char **words, int n)
{
    static char name[] = "strata";
    char **with_name = calloc((size_t)n + 2, sizeof *with_name);
    struct tail t = {0};
    if (!with_name)
        return;
    with_name[0] = name;
    memcpy(with_name + 1, words, (size_t)n * sizeof *words);
    fputs("\n## The command\n\n$ strata", f);
    for (int i = 0; i < n; i++)
        fprintf(f, " %s", words[i]);
    fputs("\n\n", f);
    print_files(f, with_name + 1);
    fflush(f);
    int status = run_self(with_name, &t);
    fputs("\nprinted:\n\n", f);
    print_tail(f, &t);
    if (status < 0)
        fprintf(f, "\nand could not be run: %s\n", strerror(errno));
    else if (WIFSIGNALED(status))
        fprintf(f, "\nand was ended by signal %d (%s)\n", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    else
        fprintf(f, "\nand ended with exit code %d\n", WEXITSTATUS(status));
    free(with_name);
}

static strata_status write_report(const char *path, char **words, int n, struct strata_error *err)
{
    struct output out;
    strata_status status = output_open(&out, path, err);
    if (status != STRATA_OK)
        return status;
    print_machine(out.stream);
    print_doctor(out.stream);
    if (n)
        print_command(out.stream, words, n);
    return output_commit(&out, err);
}

static strata_status bugreport(void *context, char **words, int n_words, struct strata_error *err)
{
    const char *const *output = context;
    int first = n_words && !strcmp(words[0], "strata") ? 1 : 0; /* pasted with the name in front */
    return write_report(*output, words + first, n_words - first, err);
}

int cmd_bugreport(int argc, char **argv)
{
    const char *output = NULL;
    const struct option options[] = {
        OUTPUT_OPTION(output),
    };
    const struct command_syntax syntax = {
        .name = "bugreport",
        .arguments = "[-- COMMAND ARGUMENT...]",
        .summary = "Collects what someone else needs to look at a problem, as one text to attach.",
        .text = "Versions, the machine, what `strata doctor` says and, with a COMMAND that went "
                "wrong, what it\n"
                "prints when it is run again, how it ends, and the sizes of the files it names. "
                "Nothing is sent\n"
                "anywhere. Read it before you pass it on: it holds paths of this machine.",
        .takes_programs = true,
        .options = options,
        .n_options = sizeof options / sizeof options[0],
        .most_words = ANY_NUMBER,
        .run = bugreport,
        .context = &output,
    };
    return run_command(&syntax, argc, argv);
}
