/* trace_follow.c - reads the reports of traced processes. Each line begins with the process's
 * number; docs/trace.md describes the words. */
#include "trace_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_MS 5 /* where the system cannot tell when a process ends */

bool follow_open(struct follow *f)
{
    const char *base = getenv("TMPDIR");
    f->fd = -1;
    if (!base || strlen(base) > 40)
        base = "/tmp";
    snprintf(f->folder, sizeof f->folder, "%s/strata-XXXXXX", base);
    if (!mkdtemp(f->folder)) {
        f->folder[0] = 0;
        return false;
    }
    snprintf(f->pipe, sizeof f->pipe, "%s/pipe", f->folder);
    /* Both ends: the pipe does not end when a process does. */
    if (!mkfifo(f->pipe, 0600))
        f->fd = open(f->pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (f->fd >= 0)
        return true;
    int why = errno;
    follow_close(f);
    errno = why;
    return false;
}

void follow_close(struct follow *f)
{
    if (f->fd >= 0)
        close(f->fd);
    f->fd = -1;
    if (f->folder[0]) {
        unlink(f->pipe);
        rmdir(f->folder);
    }
    f->folder[0] = 0;
    for (size_t i = 0; i < f->n_processes; i++)
        free(f->process[i].recording);
    free(f->process);
    f->process = NULL;
    f->n_processes = 0;
    for (size_t i = 0; i < f->n_files; i++)
        free(f->file[i].path);
    f->n_files = 0;
}

void print_bytes(char *out, size_t size, uint64_t bytes)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double x = (double)bytes;
    size_t u = 0;
    for (; x >= 1024 && u + 1 < sizeof unit / sizeof unit[0]; u++)
        x /= 1024;
    snprintf(out, size, u ? "%.1f %s" : "%.0f %s", x, unit[u]);
}

struct counts follow_counts(const struct follow *f)
{
    struct counts all = {0};
    for (size_t i = 0; i < f->n_processes; i++) {
        const struct counts *c = &f->process[i].counts;
        all.seen += c->seen;
        all.traced += c->traced;
        all.instructions_seen += c->instructions_seen;
        all.instructions_traced += c->instructions_traced;
        all.bytes += c->bytes;
        all.cut += c->cut;
    }
    return all;
}

void follow_print(const struct follow *f, const char *end)
{
    char bytes[32];
    struct counts c = follow_counts(f);
    print_bytes(bytes, sizeof bytes, c.bytes);
    double share = c.instructions_seen
                       ? 100.0 * (double)c.instructions_traced / (double)c.instructions_seen
                       : 0;
    fprintf(
        stderr,
        "strata trace: %llu launch%s seen, %llu traced, %.1f %% of %llu warp instructions, %s%s",
        c.seen, c.seen == 1 ? "" : "es", c.traced, share, c.instructions_seen, bytes, end);
}

/* ---- lines ---- */

/* The newest one of that number: a process that executed another program begins anew. */
static struct traced_process *process_of(struct follow *f, long pid)
{
    for (size_t i = f->n_processes; i-- > 0;)
        if (f->process[i].pid == pid)
            return &f->process[i];
    return NULL;
}

static void add_file(struct follow *f, char *path, bool unfinished)
{
    if (path && f->n_files < MAX_FILES)
        f->file[f->n_files++] = (struct traced_file){path, unfinished};
    else
        free(path);
}

/* The process ended without a word, or became another program. */
static void end_silently(struct follow *f, struct traced_process *p)
{
    if (p->recording && p->counts.traced)
        add_file(f, p->recording, true);
    else
        free(p->recording);
    p->recording = NULL;
}

static void take_hello(struct follow *f, long pid)
{
    struct traced_process *before = process_of(f, pid);
    if (before)
        end_silently(f, before);
    if (f->n_processes == f->cap_processes) {
        size_t cap = f->cap_processes ? 2 * f->cap_processes : 8;
        struct traced_process *grown = realloc(f->process, cap * sizeof *grown);
        if (!grown)
            return;
        f->process = grown;
        f->cap_processes = cap;
    }
    f->process[f->n_processes++] = (struct traced_process){.pid = pid};
}

static void take_progress(struct follow *f, struct traced_process *p, const char *numbers)
{
    struct counts n;
    if (!p || sscanf(numbers, "%llu %llu %llu %llu %llu %llu", &n.seen, &n.traced,
                     &n.instructions_seen, &n.instructions_traced, &n.bytes, &n.cut) != 6)
        return;
    p->counts = n;
    if (f->on_terminal)
        follow_print(f, "   \r");
}

static void take_finished(struct follow *f, struct traced_process *p, const char *rest)
{
    const char *path = strchr(rest, ' ');
    f->n_ended++;
    if (!p)
        return;
    p->counts.bytes = strtoull(rest, NULL, 10);
    if (path)
        add_file(f, strdup(path + 1), false);
    free(p->recording);
    p->recording = NULL;
}

static void take_recording(struct traced_process *p, const char *path)
{
    if (!p)
        return;
    free(p->recording);
    p->recording = strdup(path);
}

/* "sass why" or "ptx why", once for every module, and for kernels that differ from theirs. */
static void take_code(struct follow *f, const char *rest)
{
    const char *why = strchr(rest, ' ');
    bool sass = !strncmp(rest, "sass ", 5);
    bool other = f->code[0] && (strstr(f->code, sass ? "PTX ran" : "machine code ran") != NULL);
    if (other)
        snprintf(f->code, sizeof f->code,
                 "machine code ran for some kernels and PTX for others (see above, or force one "
                 "with --code).");
    else if (why)
        snprintf(f->code, sizeof f->code, "%s ran: %s.", sass ? "machine code" : "PTX", why + 1);
}

static void take_line(struct follow *f, const char *whole)
{
    char *line;
    long pid = strtol(whole, &line, 10);
    if (*line++ != ' ')
        return;
    if (!strncmp(line, "hello ", 6))
        take_hello(f, pid);
    else if (!strncmp(line, "progress ", 9))
        take_progress(f, process_of(f, pid), line + 9);
    else if (!strncmp(line, "finished ", 9))
        take_finished(f, process_of(f, pid), line + 9);
    else if (!strncmp(line, "recording ", 10))
        take_recording(process_of(f, pid), line + 10);
    else if (!strncmp(line, "code ", 5))
        take_code(f, line + 5);
    else if (!strncmp(line, "unsupported ", 12) && !f->unsupported[0])
        snprintf(f->unsupported, sizeof f->unsupported, "%s", line + 12);
    f->fatal |= !strcmp(line, "fatal");
    f->refused |= !strcmp(line, "refused");
    f->kernel_failed |= !strcmp(line, "kernel-failed");
    f->write_failed |= !strcmp(line, "write-failed");
    f->limit |= !strcmp(line, "limit");
    f->killed |= !strcmp(line, "killed");
    f->interrupted |= !strcmp(line, "interrupted");
}

/* False: nothing is there. */
static bool take_input(struct follow *f)
{
    ssize_t n = read(f->fd, f->line + f->n_line, sizeof f->line - 1 - f->n_line);
    if (n <= 0)
        return n < 0 && errno == EINTR;
    f->n_line += (size_t)n;
    char *start = f->line, *newline;
    while ((newline = memchr(start, '\n', (size_t)(f->line + f->n_line - start)))) {
        *newline = 0;
        take_line(f, start);
        start = newline + 1;
    }
    f->n_line = (size_t)(f->line + f->n_line - start);
    memmove(f->line, start, f->n_line);
    if (f->n_line == sizeof f->line - 1)
        f->n_line = 0; /* no line is that long: not ours */
    return true;
}

/* ---- waiting ---- */

static volatile sig_atomic_t child;

/* Queued, so that the program can tell it from one that came to its whole process group and so to
 * it as well (on_interrupt() of the stand-in). */
static void hand_on(int number)
{
    int kept = errno;
    if (child > 0 && sigqueue(child, number, (union sigval){0}))
        kill(child, number);
    errno = kept;
}

int follow_until_end(struct follow *f, pid_t pid)
{
    int status = 0;
    struct sigaction handing_on = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
    child = (sig_atomic_t)pid;
    sigaction(SIGTERM, &handing_on, NULL);
    sigaction(SIGHUP, &handing_on, NULL);
#ifdef SYS_pidfd_open
    int end = (int)syscall(SYS_pidfd_open, pid, 0);
#else
    int end = -1;
#endif
    for (bool ended = false; !ended;) {
        struct pollfd p[2] = {{.fd = f->fd, .events = POLLIN}, {.fd = end, .events = POLLIN}};
        poll(p, 2, end < 0 ? POLL_MS : -1);
        if (p[0].revents)
            take_input(f);
        ended = waitpid(pid, &status, WNOHANG) == pid;
    }
    child = 0;
    while (take_input(f))
        ;
    for (size_t i = 0; i < f->n_processes; i++)
        end_silently(f, &f->process[i]);
    if (end >= 0)
        close(end);
    return status;
}
