/* trace_run.c - starts the program with the stand-in runtime, follows its reports over a pipe, and
 * gives the finished trace its name. The environment variables are described in docs/trace.md. */
#include "trace_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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
#include <strata/files.h>

#include "cmd.h"
#include "ptxas.h"
#include "trace_follow.h"

extern char **environ;

/* ---- finding things ---- */

char **split_program(int *argc, char **argv)
{
    for (int i = 1; i < *argc; i++)
        if (!strcmp(argv[i], "--")) {
            *argc = i;
            return argv + i + 1;
        }
    for (int i = 1; i < *argc; i++)
        if (strchr(argv[i], '/') && argv[i][0] != '-' && !access(argv[i], X_OK)) {
            *argc = i;
            return argv + i;
        }
    return NULL;
}

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

/* What the clocks of kernels go by. */
static const char *const timing_keys[] = {"sm.schedulers",
                                          "sm.min_issue_gap",
                                          "sm.latency.int",
                                          "sm.latency.imad",
                                          "sm.latency.fp32",
                                          "sm.latency.fp64",
                                          "sm.latency.fp16",
                                          "sm.latency.sfu",
                                          "sm.latency.conv",
                                          "sm.latency.tensor",
                                          "sm.latency.uniform",
                                          "sm.latency.sreg",
                                          "sm.latency.sreg_uniform",
                                          "sm.latency.const",
                                          "sm.latency.shuffle",
                                          "sm.latency.vote",
                                          "sm.latency.branch",
                                          "sm.latency.return",
                                          "sm.latency.converge",
                                          "sm.latency.redux",
                                          "sm.latency.match",
                                          "sm.latency.barrier",
                                          "sm.latency.fence",
                                          "shared.latency",
                                          "l1.hit",
                                          "l2.hit",
                                          "l2.far_extra",
                                          "xbar.host_atomic"};

/* "key=value;" for each; NULL: there is no memory. */
static char *timing_text(const struct strata_gpu *g)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < sizeof timing_keys / sizeof *timing_keys; i++)
        fprintf(out, ";%s=%.0f", timing_keys[i],
                strata_gpu_number(g, strata_gpu_find_key(timing_keys[i]), 0));
    fclose(out);
    return text;
}

/* By the keys of its file: driver_device.c of the stand-in reads them. */
static void set_device(struct variables *v, const char *name, const struct strata_gpu *g)
{
    char *timing = g ? timing_text(g) : NULL;
    v->failed |= g && !timing;
    if (!timing)
        return;
    set_variable(
        v, "STRATA_TRACE_DEVICE",
        "name=%s;sm_version=%u;sm.count=%u;sm.clock=%u;sm.max_threads=%u;sm.max_blocks=%u;"
        "sm.registers=%u;sm.register_alloc_unit=%u;l2.size=%llu;"
        "l2.persisting_max=%llu;l2.window_max=%llu;shared.per_sm=%llu;"
        "shared.per_block=%llu;shared.per_block_optin=%llu;shared.per_block_reserved=%u;"
        "dram.capacity=%llu;dram.channels=%u;dram.bus=%u;dram.clock=%u;dram.data_rate=%u%s",
        name, g->sm_version, g->sm.count, g->sm.clock_mhz, g->sm.max_threads, g->sm.max_blocks,
        g->sm.registers, g->sm.register_alloc_unit, (unsigned long long)g->l2.cache.size_bytes,
        (unsigned long long)g->l2.persisting_max_bytes, (unsigned long long)g->l2.window_max_bytes,
        (unsigned long long)g->shared.per_sm_bytes, (unsigned long long)g->shared.per_block_bytes,
        (unsigned long long)g->shared.per_block_optin_bytes, g->shared.per_block_reserved_bytes,
        (unsigned long long)g->dram.capacity_bytes, g->dram.channels, g->dram.bus_bytes,
        g->dram.clock_mhz, g->dram.data_rate, timing);
    free(timing);
}

static void prepend(struct variables *v, const char *name, const char *first)
{
    const char *old = getenv(name);
    set_variable(v, name, "%s%s%s", first, old && *old ? ":" : "", old ? old : "");
}

/* A library of Strata's: in one folder where installed, each in its own in the build folder. */
static bool find_library(const char *runtime, const char *built_in, const char *name,
                         char out[PATH_MAX])
{
    return (snprintf(out, PATH_MAX, "%s/%s", runtime, name) < PATH_MAX && !access(out, R_OK)) ||
           (snprintf(out, PATH_MAX, "%s/../%s/%s", runtime, built_in, name) < PATH_MAX &&
            !access(out, R_OK));
}

/* LD_PRELOAD comes before a search path (RPATH) inside a program or library: what is loaded already
 * is not searched for. LD_LIBRARY_PATH serves processes that clear it. */
static void set_libraries(struct variables *v, const char *runtime)
{
    static const char *const libraries[][2] = {
        {"preload", "libstrata-preload.so"}, {"cuda", "libcuda.so.1"},
        {"cudart", "libcudart.so.13"},       {"cudart", "libcudart.so.12"},
        {"cudart", "libcudart.so.11.0"},     {"nvml", "libnvidia-ml.so.1"}};
    char preload[6 * PATH_MAX] = "", path[PATH_MAX], folder[PATH_MAX];
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        if (find_library(runtime, libraries[i][0], libraries[i][1], path)) {
            strcat(preload, preload[0] ? ":" : "");
            strcat(preload, path);
        }
    prepend(v, "LD_PRELOAD", preload);
    snprintf(folder, sizeof folder, "%s", runtime);
    if (find_library(runtime, "cuda", "libcuda.so.1", path)) {
        *strrchr(path, '/') = 0;
        if (strcmp(path, runtime))
            snprintf(folder, sizeof folder, "%.*s:%.*s", PATH_MAX / 2 - 2, runtime,
                     PATH_MAX / 2 - 2, path);
    }
    prepend(v, "LD_LIBRARY_PATH", folder);
}

static void set_environment(struct variables *v, const struct trace_request *r, const char *runtime,
                            const char *temporary, const char *pipe)
{
    char injection[PATH_MAX], ptxas[PATH_MAX];
    copy_environment(v);
    set_libraries(v, runtime);
    if (!r->no_record)
        set_variable(v, "STRATA_TRACE_OUT", "%s", temporary);
    set_variable(v, "STRATA_TRACE_PIPE", "%s", pipe);
    if (r->nvtx_include && find_library(runtime, "cuda", "libcuda.so.1", injection)) {
        set_variable(v, "STRATA_TRACE_NVTX", "%s", r->nvtx_include);
        set_variable(v, "NVTX_INJECTION64_PATH", "%s", injection);
    }
    if (r->kernel_name)
        set_variable(v, "STRATA_TRACE_KERNEL_NAME", "%s", r->kernel_name);
    if (r->code)
        set_variable(v, "STRATA_TRACE_CODE", "%s", r->code);
    if (r->compile && find_ptxas(ptxas, r->quiet))
        set_variable(v, "STRATA_TRACE_PTXAS", "%s", ptxas);
    set_number(v, "STRATA_TRACE_LAUNCH_SKIP", r->launch_skip);
    set_number(v, "STRATA_TRACE_LAUNCH_COUNT", r->launch_count);
    set_number(v, "STRATA_TRACE_KILL", r->kill);
    set_number(v, "STRATA_TRACE_LIMIT", r->limit_bytes);
    set_number(v, "STRATA_TRACE_SAMPLE_BLOCKS", r->sample_blocks);
    set_number(v, "STRATA_TRACE_SAMPLE", r->sample_millionths);
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

/* ---- afterwards ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Files that no process finished are: they hold the launches that had ended. One without any
 * leaves. */
static strata_status finish_files(struct follow *f, struct strata_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->n_files; i++) {
        uint64_t launches = 1;
        if (f->file[i].unfinished) {
            strata_status status = strata_trace_mend(f->file[i].path, &launches, err);
            if (status != STRATA_OK)
                return status;
        }
        struct traced_file moved = f->file[kept];
        f->file[kept] = f->file[i];
        f->file[i] = moved;
        kept += launches != 0;
    }
    for (size_t i = kept; i < f->n_files; i++)
        free(f->file[i].path);
    f->n_files = kept;
    return STRATA_OK;
}

/* The first process's trace gets the name asked for, further ones -2, -3, ... before the suffix. */
static strata_status rename_files(struct follow *f, const char *output, struct strata_error *err)
{
    for (size_t i = 0; i < f->n_files; i++) {
        char *name = NULL;
        size_t stem = strlen(output);
        if (stem > 7 && !strcmp(output + stem - 7, ".strata"))
            stem -= 7;
        int n = i ? asprintf(&name, "%.*s-%zu%s", (int)stem, output, i + 1, output + stem)
                  : asprintf(&name, "%s", output);
        if (n < 0)
            return strata_no_memory(err, output, "for the trace's name");
        int failed = rename(f->file[i].path, name);
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
    struct counts all = follow_counts(f);
    if (r->no_record || !f->n_processes)
        return STRATA_OK;
    if (WIFSIGNALED(status) && !f->n_ended && !f->n_files)
        return strata_fail(err, STRATA_EFORMAT, program, 0, 0,
                           "the program was stopped by signal %d (%s) before a launch had ended; "
                           "no trace was kept.",
                           WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (f->fatal || (f->refused && !all.traced))
        return strata_fail(err, STRATA_EUNSUPPORTED, program, 0, 0,
                           "the program cannot be run as it is (see above); no trace was kept.");
    if (f->write_failed)
        return strata_fail(err, STRATA_EIO, program, 0, 0,
                           "the trace could not be written (see above).");
    if (all.seen && !all.traced && f->limit)
        return strata_fail(err, STRATA_ELIMIT, program, 0, 0,
                           "the trace reached its limit of %llu bytes before the first launch was "
                           "recorded; raise it with --limit.",
                           (unsigned long long)r->limit_bytes);
    if (all.seen && !all.traced)
        return strata_fail(err, STRATA_EFORMAT, program, 0, 0,
                           "none of the %llu launch%s passed the filters; no trace was kept. "
                           "Kernel names are compared "
                           "with --kernel-name without namespaces and parameters%s.",
                           all.seen, all.seen == 1 ? "" : "es",
                           r->nvtx_include ? ", ranges of --nvtx-include letter by letter" : "");
    return STRATA_OK;
}

/* A program that ends well without a launch is no error: its own code is passed on. */
static bool say_nothing_traced(const struct follow *f, const struct trace_request *r,
                               const char *program)
{
    if (follow_counts(f).seen)
        return false;
    if (!r->quiet)
        fprintf(stderr, "strata trace: %s %s, so nothing was traced.\n", program,
                f->n_processes ? "launched no kernel" : "did not use CUDA");
    return true;
}

static void summarise(const struct follow *f, const struct trace_request *r, const char *output,
                      int status)
{
    if (r->quiet)
        return;
    char where[PATH_MAX + 8] = "\n";
    if (!r->no_record)
        snprintf(where, sizeof where, " in %s\n", output);
    follow_print(f, where);
    if (f->limit) {
        char limit[32];
        print_bytes(limit, sizeof limit, r->limit_bytes);
        fprintf(stderr,
                "strata trace: the trace reached its limit of %s; what came later ran without "
                "being recorded, and %llu "
                "launch%s cut short; raise it with --limit, or record less with --launch-count or "
                "--sample-blocks.\n",
                limit, follow_counts(f).cut, follow_counts(f).cut == 1 ? " was" : "es were");
    }
    if (f->killed)
        fprintf(stderr, "strata trace: the program was ended (--kill) when the launches asked for "
                        "were recorded.\n");
    if (f->interrupted)
        fprintf(
            stderr,
            "strata trace: the program was interrupted; the trace holds what it ran until then.\n");
    if (WIFSIGNALED(status))
        fprintf(stderr,
                "strata trace: the program was stopped by signal %d (%s); the trace holds the "
                "launches that had ended by then.\n",
                WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (f->n_files > 1)
        fprintf(stderr,
                "strata trace: %zu programs used CUDA; the further traces are beside the first, "
                "numbered.\n",
                f->n_files);
    if (f->code[0])
        fprintf(stderr, "strata trace: %s\n", f->code);
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

static strata_status spawn(const char *program, char **argv, char **environment, bool drop_output,
                           pid_t *pid, struct strata_error *err)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    sigset_t usual; /* we ignore these; the program must not */
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&actions);
    if (drop_output)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    int why = posix_spawn(pid, program, &actions, &attributes, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
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

/* The program may change its folder; the trace stays where it was asked for, under a name that
 * nobody can guess; each process adds its number. False: no memory. */
static bool temporary_name(const char *output, char out[PATH_MAX + 40])
{
    char folder[PATH_MAX], full[PATH_MAX], wanted[PATH_MAX + 8];
    snprintf(folder, sizeof folder, "%s", output);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    if (!realpath(slash ? folder : ".", full))
        snprintf(full, sizeof full, ".");
    snprintf(wanted, sizeof wanted, "%.*s/%.200s", PATH_MAX - 220, full, base_of(output));
    char *name = strata_temporary_name(wanted);
    snprintf(out, PATH_MAX + 40, "%s", name ? name : "");
    free(name);
    return *out;
}

static strata_status prepare(const struct trace_request *r, char **argv, char runtime[PATH_MAX],
                             char program[PATH_MAX], char output[PATH_MAX],
                             struct strata_error *err)
{
    struct strata_cuda_program inspected = {0};
    strata_status status = find_runtime(runtime, err);
    if (status == STRATA_OK)
        status = find_program(argv[0], program, err);
    if (status == STRATA_OK)
        status = strata_cuda_program_inspect(program, &inspected, err);
    if (status == STRATA_OK)
        status = strata_cuda_program_check(&inspected, program, err);
    if (r->output)
        snprintf(output, PATH_MAX, "%s", r->output);
    else
        snprintf(output, PATH_MAX, "%.*s.strata", (int)(PATH_MAX - 10), base_of(argv[0]));
    if (status == STRATA_OK && !r->no_record)
        status = check_output(output, err);
    if (status == STRATA_OK && inspected.gpu_library[0] && !r->quiet)
        fprintf(
            stderr,
            "strata trace: %s needs %s, which works with a GPU only: calls into it will fail.\n",
            program, inspected.gpu_library);
    return status;
}

strata_status trace_run(const struct trace_request *r, char **argv, int *exit_code,
                        struct strata_error *err)
{
    char runtime[PATH_MAX], program[PATH_MAX], output[PATH_MAX], temporary[PATH_MAX + 40];
    struct variables environment = {0};
    struct follow f = {.on_terminal = !r->quiet && isatty(STDERR_FILENO), .fd = -1};
    int wait_status = 0;
    pid_t pid = -1;
    strata_status status = prepare(r, argv, runtime, program, output, err);
    if (status != STRATA_OK)
        return status;
    if (!temporary_name(output, temporary))
        return strata_no_memory(err, output, "for its name");
    if (!follow_open(&f))
        return strata_fail(err, STRATA_EIO, program, 0, 0, "no pipe to the program: %s.",
                           strerror(errno));
    set_environment(&environment, r, runtime, temporary, f.pipe);
    /* Host memory a kernel may use (cudaHostRegister) lies at the same addresses in every run then.
     */
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    /* Ctrl-C goes to the program, which ends; we stay to say what became of the trace. */
    signal(SIGINT, SIG_IGN);
    status = environment.failed ? strata_no_memory(err, program, "to start it")
                                : spawn(program, argv, environment.item, r->drop_output, &pid, err);
    bool nothing = false;
    if (status == STRATA_OK) {
        wait_status = follow_until_end(&f, pid);
        status = judge(&f, r, program, wait_status, err);
        *exit_code =
            status != STRATA_OK && (f.fatal || f.refused) ? 0 : exit_code_of(&f, wait_status);
        if (f.on_terminal)
            fprintf(stderr, "\r\033[K");
        nothing = status == STRATA_OK && say_nothing_traced(&f, r, program);
    }
    free_environment(&environment);
    if (status == STRATA_OK && !r->no_record && !nothing)
        status = finish_files(&f, err);
    if (status == STRATA_OK && !r->no_record && !nothing)
        status = rename_files(&f, output, err);
    remove_leftovers(temporary);
    if (status == STRATA_OK && !nothing)
        summarise(&f, r, output, wait_status);
    follow_close(&f);
    return status;
}
