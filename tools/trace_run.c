/* trace_run.c - starts the program with the stand-in runtime, follows its reports over a pipe, and
 * gives the finished trace its name. The environment variables are described in docs/trace.md. */
#include "trace_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strata/fatbin.h>

#include "cmd.h"

#define MAX_FINISHED 64
#define DRAIN_MS     200 /* after the program ended, for what is still in the pipe */

extern char **environ;

struct counts {
    unsigned long long seen, traced, instructions_seen, instructions_traced, bytes, cut;
};

/* What came over the pipe so far. */
struct follow {
    struct counts now, before; /* of the current process; of those before it */
    uint32_t processes;        /* that used the runtime */
    bool fatal, kernel_failed, write_failed, limit, interrupted;
    char unsupported[128]; /* the first call that is not supported */
    char *finished[MAX_FINISHED];
    size_t n_finished;
    bool on_terminal;
    char line[4096];
    size_t n_line;
};

/* ---- finding things ---- */

static bool folder_has_runtime(const char *folder)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/libcudart.so.12", folder) < (int)sizeof path &&
           !access(path, R_OK);
}

/* Beside this executable in the build folder, or where it was installed. */
static strata_status find_runtime(char out[PATH_MAX], struct strata_error *err)
{
    static const char *const places[] = {"../src/cudart", STRATA_LIBDIR_FROM_BIN};
    const char *named = getenv("STRATA_CUDART_DIR");
    char self[PATH_MAX], folder[PATH_MAX];
    if (named && folder_has_runtime(named) && realpath(named, out))
        return STRATA_OK;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = 0;
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++)
        if (snprintf(folder, sizeof folder, "%s/%s", self, places[i]) < (int)sizeof folder &&
            folder_has_runtime(folder) && realpath(folder, out))
            return STRATA_OK;
    if (folder_has_runtime(STRATA_LIBDIR) && realpath(STRATA_LIBDIR, out))
        return STRATA_OK;
    return strata_fail(
        err, STRATA_EUNSUPPORTED, NULL, 0, 0,
        "Strata's libcudart was not found beside the strata command; install Strata whole, or name "
        "the folder in STRATA_CUDART_DIR.");
}

/* As execvp would: names without a slash are looked up in PATH. */
static strata_status find_program(const char *name, char out[PATH_MAX], struct strata_error *err)
{
    if (strchr(name, '/')) {
        snprintf(out, PATH_MAX, "%s", name);
        if (!access(out, F_OK))
            return STRATA_OK;
        return strata_fail(err, STRATA_EIO, name, 0, 0, "there is no such program: %s.",
                           strerror(errno));
    }
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        if (snprintf(out, PATH_MAX, "%.*s/%s", (int)n, p, name) < PATH_MAX && !access(out, X_OK))
            return STRATA_OK;
        p += n + (p[n] == ':');
    }
    return strata_fail(err, STRATA_EIO, name, 0, 0,
                       "there is no such program in PATH; write ./%s if it is in this folder.",
                       name);
}

/* ---- the program's environment ---- */

struct variables {
    char **item;
    size_t n;
    bool failed;
};

static void set_variable(struct variables *v, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void set_variable(struct variables *v, const char *name, const char *format, ...)
{
    char *value = NULL, *word = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&value, format, args) < 0)
        value = NULL;
    va_end(args);
    if (!value || asprintf(&word, "%s=%s", name, value) < 0)
        word = NULL;
    free(value);
    v->failed |= !word;
    size_t length = strlen(name);
    for (size_t i = 0; word && i < v->n; i++)
        if (!strncmp(v->item[i], name, length) && v->item[i][length] == '=') {
            free(v->item[i]);
            v->item[i] = word;
            return;
        }
    char **grown = word ? realloc(v->item, (v->n + 2) * sizeof *grown) : NULL;
    v->failed |= !grown;
    if (!grown) {
        free(word);
        return;
    }
    v->item = grown;
    v->item[v->n++] = word;
    v->item[v->n] = NULL;
}

static void set_number(struct variables *v, const char *name, uint64_t value)
{
    if (value)
        set_variable(v, name, "%llu", (unsigned long long)value);
}

static void copy_environment(struct variables *v)
{
    for (char **e = environ; *e; e++) {
        char *equals = strchr(*e, '=');
        if (!equals || !strncmp(*e, "STRATA_TRACE_", 13)) /* of an outer trace, not ours */
            continue;
        char *name = strndup(*e, (size_t)(equals - *e));
        v->failed |= !name;
        if (name)
            set_variable(v, name, "%s", equals + 1);
        free(name);
    }
}

static void set_device(struct variables *v, const char *name, const struct strata_gpu *g)
{
    if (!g)
        return;
    set_variable(
        v, "STRATA_TRACE_DEVICE",
        "name=%s;sm_version=%u;sm_count=%u;clock_khz=%u;max_threads_per_sm=%u;max_blocks_per_sm=%u;"
        "registers_per_sm=%u;register_alloc_unit=%u;l2_bytes=%llu;shared_per_sm=%llu;"
        "shared_per_block=%llu;shared_per_block_optin=%llu;shared_reserved=%u",
        name, g->sm_version, g->sm.count, g->sm.clock_mhz * 1000, g->sm.max_threads,
        g->sm.max_blocks, g->sm.registers, g->sm.register_alloc_unit,
        (unsigned long long)g->l2.cache.size_bytes, (unsigned long long)g->shared.per_sm_bytes,
        (unsigned long long)g->shared.per_block_bytes,
        (unsigned long long)(g->shared.per_block_optin_bytes ? g->shared.per_block_optin_bytes
                                                             : g->shared.per_block_bytes),
        g->shared.per_block_reserved_bytes);
}

static void prepend(struct variables *v, const char *name, const char *first)
{
    const char *old = getenv(name);
    set_variable(v, name, "%s%s%s", first, old && *old ? ":" : "", old ? old : "");
}

/* LD_LIBRARY_PATH serves programs without RPATH; LD_PRELOAD comes before an RPATH too. */
static void set_environment(struct variables *v, const struct trace_request *r, const char *runtime,
                            const struct strata_cuda_program *program, const char *temporary,
                            int fd)
{
    char preload[PATH_MAX + 64];
    copy_environment(v);
    prepend(v, "LD_LIBRARY_PATH", runtime);
    if (program->cudart[0]) {
        snprintf(preload, sizeof preload, "%s/%s", runtime, program->cudart);
        prepend(v, "LD_PRELOAD", preload);
    }
    if (!r->no_record)
        set_variable(v, "STRATA_TRACE_OUT", "%s", temporary);
    set_variable(v, "STRATA_TRACE_FD", "%d", fd);
    if (r->nvtx_include) {
        set_variable(v, "STRATA_TRACE_NVTX", "%s", r->nvtx_include);
        set_variable(v, "NVTX_INJECTION64_PATH", "%s/%s", runtime,
                     program->cudart[0] ? program->cudart : "libcudart.so.12");
    }
    if (r->kernel_name)
        set_variable(v, "STRATA_TRACE_KERNEL_NAME", "%s", r->kernel_name);
    set_number(v, "STRATA_TRACE_LAUNCH_SKIP", r->launch_skip);
    set_number(v, "STRATA_TRACE_LAUNCH_COUNT", r->launch_count);
    set_number(v, "STRATA_TRACE_LIMIT", r->limit_bytes);
    set_number(v, "STRATA_TRACE_SAMPLE_BLOCKS", r->sample_blocks);
    set_number(v, "STRATA_TRACE_INSTRUCTION_LIMIT", r->instruction_limit);
    set_number(v, "STRATA_TRACE_INTERLEAVE", r->interleave);
    set_number(v, "STRATA_TRACE_REGS", r->registers);
    set_number(v, "STRATA_TRACE_THREADS", r->jobs);
    set_number(v, "STRATA_TRACE_MEMCHECK", r->memcheck);
    set_device(v, r->gpu_name, r->gpu);
}

static void free_environment(struct variables *v)
{
    for (size_t i = 0; i < v->n; i++)
        free(v->item[i]);
    free(v->item);
}

/* ---- following ---- */

static void print_bytes(char *out, size_t size, uint64_t bytes)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double x = (double)bytes;
    size_t u = 0;
    for (; x >= 1024 && u + 1 < sizeof unit / sizeof unit[0]; u++)
        x /= 1024;
    snprintf(out, size, u ? "%.1f %s" : "%.0f %s", x, unit[u]);
}

static struct counts add_counts(struct counts a, struct counts b)
{
    return (struct counts){a.seen + b.seen,
                           a.traced + b.traced,
                           a.instructions_seen + b.instructions_seen,
                           a.instructions_traced + b.instructions_traced,
                           a.bytes + b.bytes,
                           a.cut + b.cut};
}

static void print_state(const struct follow *f, const char *end)
{
    char bytes[32];
    struct counts c = add_counts(f->before, f->now);
    print_bytes(bytes, sizeof bytes, c.bytes);
    double share = c.instructions_seen
                       ? 100.0 * (double)c.instructions_traced / (double)c.instructions_seen
                       : 0;
    fprintf(
        stderr,
        "strata trace: %llu launch%s seen, %llu traced, %.1f %% of %llu warp instructions, %s%s",
        c.seen, c.seen == 1 ? "" : "es", c.traced, share, c.instructions_seen, bytes, end);
}

static void take_progress(struct follow *f, const char *numbers)
{
    struct counts n;
    if (sscanf(numbers, "%llu %llu %llu %llu %llu %llu", &n.seen, &n.traced, &n.instructions_seen,
               &n.instructions_traced, &n.bytes, &n.cut) != 6)
        return;
    f->now = n;
    if (f->on_terminal)
        print_state(f, "   \r");
}

/* Processes are taken to use the GPU one after the other; if not, only the figures shown are off.
 */
static void take_hello(struct follow *f)
{
    f->processes++;
    f->before = add_counts(f->before, f->now);
    memset(&f->now, 0, sizeof f->now);
}

static void take_line(struct follow *f, const char *line)
{
    if (!strncmp(line, "hello ", 6))
        take_hello(f);
    else if (!strncmp(line, "progress ", 9))
        take_progress(f, line + 9);
    else if (!strcmp(line, "fatal"))
        f->fatal = true;
    else if (!strcmp(line, "kernel-failed"))
        f->kernel_failed = true;
    else if (!strcmp(line, "write-failed"))
        f->write_failed = true;
    else if (!strcmp(line, "limit"))
        f->limit = true;
    else if (!strcmp(line, "interrupted"))
        f->interrupted = true;
    else if (!strncmp(line, "unsupported ", 12) && !f->unsupported[0])
        snprintf(f->unsupported, sizeof f->unsupported, "%s", line + 12);
    else if (!strncmp(line, "finished ", 9)) {
        const char *path = strchr(line + 9, ' ');
        f->now.bytes = strtoull(line + 9, NULL, 10);
        if (path && f->n_finished < MAX_FINISHED && (f->finished[f->n_finished] = strdup(path + 1)))
            f->n_finished++;
    }
}

/* False at the end of the pipe. */
static bool take_input(struct follow *f, int fd)
{
    ssize_t n = read(fd, f->line + f->n_line, sizeof f->line - 1 - f->n_line);
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

/* Until the program ended and the pipe is empty; processes it left behind are not waited for. */
static int follow_until_end(struct follow *f, pid_t pid, int fd)
{
    int status = 0;
    bool ended = false;
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, ended ? DRAIN_MS : 50);
        if (n > 0 && !take_input(f, fd))
            break;
        if (n <= 0 && ended)
            break;
        if (!ended && waitpid(pid, &status, WNOHANG) == pid)
            ended = true;
    }
    if (!ended)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    return status;
}

/* ---- afterwards ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The first process's trace gets the name asked for, further ones -2, -3, ... before the suffix. */
static strata_status rename_finished(struct follow *f, const char *output, struct strata_error *err)
{
    for (size_t i = 0; i < f->n_finished; i++) {
        char *name = NULL;
        size_t stem = strlen(output);
        if (stem > 7 && !strcmp(output + stem - 7, ".strata"))
            stem -= 7;
        int n = i ? asprintf(&name, "%.*s-%zu%s", (int)stem, output, i + 1, output + stem)
                  : asprintf(&name, "%s", output);
        if (n < 0)
            return strata_fail(err, STRATA_ENOMEM, output, 0, 0,
                               "there is no memory for the trace's name.");
        int failed = rename(f->finished[i], name);
        if (failed)
            strata_fail(err, STRATA_EIO, name, 0, 0, "the trace cannot be given its name: %s.",
                        strerror(errno));
        free(name);
        if (failed)
            return STRATA_EIO;
    }
    return STRATA_OK;
}

/* Every process writes to the temporary name plus its own suffix; what is still there is left over
 * from one that died or whose trace is not wanted. */
static void remove_leftovers(const char *temporary)
{
    char folder[PATH_MAX + 40], path[2 * PATH_MAX];
    snprintf(folder, sizeof folder, "%s", temporary);
    char *slash = strrchr(folder, '/');
    const char *base = base_of(temporary);
    if (slash)
        slash[slash == folder] = 0;
    DIR *d = opendir(slash ? folder : ".");
    for (struct dirent *e; d && (e = readdir(d));)
        if (!strncmp(e->d_name, base, strlen(base))) {
            snprintf(path, sizeof path, "%s/%s", slash ? folder : ".", e->d_name);
            unlink(path);
        }
    if (d)
        closedir(d);
}

/* Reasons to keep no trace, in the order in which they explain the most. */
static strata_status judge(const struct follow *f, const struct trace_request *r,
                           const char *program, int status, struct strata_error *err)
{
    if (!f->processes)
        return strata_fail(err, STRATA_EUNSUPPORTED, program, 0, 0,
                           "the program ended without using the CUDA runtime, so there is nothing "
                           "to record; if it "
                           "should use CUDA, link it with `nvcc -cudart shared`.");
    if (r->no_record)
        return STRATA_OK;
    if (WIFSIGNALED(status) && !f->n_finished)
        return strata_fail(err, STRATA_EFORMAT, program, 0, 0,
                           "the program was stopped by signal %d (%s); no trace was kept.",
                           WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (f->fatal)
        return strata_fail(err, STRATA_EUNSUPPORTED, program, 0, 0,
                           "the program cannot be run as it is (see above); no trace was kept.");
    if (!f->n_finished && !f->write_failed)
        return strata_fail(err, STRATA_EFORMAT, program, 0, 0,
                           "the program ended by _exit or replaced itself, so its trace was not "
                           "finished and not kept; "
                           "let it end by return or exit().");
    if (f->write_failed)
        return strata_fail(err, STRATA_EIO, program, 0, 0,
                           "the trace could not be written (see above).");
    struct counts all = add_counts(f->before, f->now);
    if (!all.seen)
        return strata_fail(err, STRATA_EFORMAT, program, 0, 0,
                           "the program launched no kernel; no trace was kept.");
    if (!all.traced)
        return strata_fail(err, STRATA_EFORMAT, program, 0, 0,
                           "none of the %llu launch%s passed the filters; no trace was kept. "
                           "Kernel names are compared "
                           "with --kernel-name without namespaces and parameters%s.",
                           all.seen, all.seen == 1 ? "" : "es",
                           r->nvtx_include ? ", ranges of --nvtx-include letter by letter" : "");
    return STRATA_OK;
}

static void summarise(const struct follow *f, const struct trace_request *r, const char *output)
{
    if (r->quiet)
        return;
    char where[PATH_MAX + 8] = "\n";
    if (!r->no_record)
        snprintf(where, sizeof where, " in %s\n", output);
    print_state(f, where);
    if (f->limit) {
        char limit[32];
        print_bytes(limit, sizeof limit, r->limit_bytes);
        fprintf(stderr,
                "strata trace: the trace reached its limit of %s; what came later ran without "
                "being recorded, and %llu "
                "launch%s cut short; raise it with --limit, or record less with --launch-count or "
                "--sample-blocks.\n",
                limit, f->before.cut + f->now.cut,
                f->before.cut + f->now.cut == 1 ? " was" : "es were");
    }
    if (f->interrupted)
        fprintf(
            stderr,
            "strata trace: the program was interrupted; the trace holds what it ran until then.\n");
    if (f->n_finished > 1)
        fprintf(stderr,
                "strata trace: %zu processes used CUDA; the further traces are beside the first, "
                "numbered.\n",
                f->n_finished);
    if (f->unsupported[0])
        fprintf(stderr,
                "strata trace: the program called %s, which is not supported; what depends on it "
                "is missing.\n",
                f->unsupported);
}

static int exit_code_of(const struct follow *f, int status)
{
    if (WIFSIGNALED(status))
        return 128 + WTERMSIG(status);
    if (WEXITSTATUS(status))
        return WEXITSTATUS(status);
    return f->kernel_failed ? EXIT_INPUT : EXIT_DONE;
}

static strata_status spawn(const char *program, char **argv, char **environment, pid_t *pid,
                           struct strata_error *err)
{
    posix_spawnattr_t attributes;
    sigset_t usual; /* we ignore these; the program must not */
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int why = posix_spawn(pid, program, NULL, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    if (!why)
        return STRATA_OK;
    return strata_fail(err, STRATA_EIO, program, 0, 0, "the program cannot be started: %s%s.",
                       strerror(why), why == EACCES ? " (is it executable? chmod +x)" : "");
}

static strata_status check_output(const char *output, struct strata_error *err)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", output);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    if (!access(slash ? (folder[0] ? folder : "/") : ".", W_OK))
        return STRATA_OK;
    return strata_fail(err, STRATA_EIO, output, 0, 0,
                       "the trace cannot be written there: %s; choose another place with -o.",
                       strerror(errno));
}

strata_status trace_run(const struct trace_request *r, char **argv, int *exit_code,
                        struct strata_error *err)
{
    char runtime[PATH_MAX], program[PATH_MAX], output[PATH_MAX], temporary[PATH_MAX + 40];
    struct strata_cuda_program inspected;
    struct variables environment = {0};
    struct follow f = {.on_terminal = !r->quiet && isatty(STDERR_FILENO)};
    int fd[2] = {-1, -1}, wait_status = 0;
    pid_t pid = -1;
    strata_status status = find_runtime(runtime, err);
    if (status == STRATA_OK)
        status = find_program(argv[0], program, err);
    if (status == STRATA_OK)
        status = strata_cuda_program_inspect(program, &inspected, err);
    if (status == STRATA_OK)
        status = strata_cuda_program_check(&inspected, program, err);
    if (r->output)
        snprintf(output, sizeof output, "%s", r->output);
    else
        snprintf(output, sizeof output, "%.*s.strata", (int)(PATH_MAX - 10), base_of(argv[0]));
    if (status == STRATA_OK && !r->no_record)
        status = check_output(output, err);
    if (status != STRATA_OK)
        return status;
    if (inspected.gpu_library[0] && !r->quiet)
        fprintf(
            stderr,
            "strata trace: %s needs %s, which works with a GPU only: calls into it will fail.\n",
            program, inspected.gpu_library);
    snprintf(temporary, sizeof temporary, "%s.part.%ld", output, (long)getpid());
    if (pipe2(fd, O_CLOEXEC) || fcntl(fd[1], F_SETFD, 0))
        return strata_fail(err, STRATA_EIO, program, 0, 0, "no pipe to the program: %s.",
                           strerror(errno));
    set_environment(&environment, r, runtime, &inspected, temporary, fd[1]);
    /* Host memory a kernel may use (cudaHostRegister) lies at the same addresses in every run then.
     */
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    /* Ctrl-C goes to the program, which ends; we stay to say what became of the trace. */
    signal(SIGINT, SIG_IGN);
    status = environment.failed
                 ? strata_fail(err, STRATA_ENOMEM, program, 0, 0, "there is no memory to start it.")
                 : spawn(program, argv, environment.item, &pid, err);
    close(fd[1]);
    if (status == STRATA_OK) {
        wait_status = follow_until_end(&f, pid, fd[0]);
        status = judge(&f, r, program, wait_status, err);
        *exit_code = exit_code_of(&f, wait_status);
    }
    close(fd[0]);
    free_environment(&environment);
    if (f.on_terminal)
        fprintf(stderr, "\r\033[K");
    if (status == STRATA_OK && !r->no_record)
        status = rename_finished(&f, output, err);
    remove_leftovers(temporary);
    if (status == STRATA_OK)
        summarise(&f, r, output);
    for (size_t i = 0; i < f.n_finished; i++)
        free(f.finished[i]);
    return status;
}
