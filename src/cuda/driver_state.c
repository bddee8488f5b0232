/* driver_state.c - the lock, configuration from the environment, reports to `strata trace`,
 * signals, forks and the device's clock. */
#include "cuda/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/descriptor.h"

#define EXIT_UNSUPPORTED 4
#define REPORT_WAIT_MS   1000 /* for a full pipe; then the line is dropped */

struct config config;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_started, is_initialised;
static bool is_forked; /* a child of a process that used CUDA: nothing works here, as on a GPU */
static double clock_us;
static struct descriptor pipe_to_trace = {.fd = -1};

static uint64_t number_from(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : 0;
}

static void read_config(void)
{
    config.output = getenv("STRATA_TRACE_OUT");
    config.record = config.output && config.output[0];
    config.kernel_filter = getenv("STRATA_TRACE_KERNEL_NAME");
    config.in_nvtx_range = getenv("STRATA_TRACE_NVTX") != NULL;
    config.launch_skip = number_from("STRATA_TRACE_LAUNCH_SKIP");
    config.launch_count = number_from("STRATA_TRACE_LAUNCH_COUNT");
    config.limit_bytes = number_from("STRATA_TRACE_LIMIT");
    config.sample_blocks = number_from("STRATA_TRACE_SAMPLE_BLOCKS");
    config.sample_millionths = number_from("STRATA_TRACE_SAMPLE");
    config.instruction_limit = number_from("STRATA_TRACE_INSTRUCTION_LIMIT");
    config.interleave = number_from("STRATA_TRACE_INTERLEAVE");
    config.registers = (uint32_t)number_from("STRATA_TRACE_REGS");
    config.threads = (uint32_t)number_from("STRATA_TRACE_THREADS");
    config.code = getenv("STRATA_TRACE_CODE");
    config.ptxas = getenv("STRATA_TRACE_PTXAS");
    config.memcheck = number_from("STRATA_TRACE_MEMCHECK") != 0;
    config.kill = number_from("STRATA_TRACE_KILL") != 0;
    config.quiet = number_from("STRATA_TRACE_QUIET") != 0;
    const char *named = getenv("STRATA_TRACE_PIPE");
    /* Both ends: no signal if `strata trace` is gone. If it was gone before, as for what a daemon
     * starts, nobody would give the trace its name. */
    if (named && named[0] && !descriptor_open(&pipe_to_trace, named, O_RDWR | O_NONBLOCK, 0))
        config.record = false;
}

/* ---- signals ---- */

static volatile sig_atomic_t interrupted;
/* Signals of each number that came, and that `strata trace` handed on. */
static volatile sig_atomic_t came[NSIG], handed_on[NSIG];

enum { BLOCK_WAIT_S = 2 }; /* for the end of a block, which may never come */

static void leave_launch(int number)
{
    (void)number;
    driver_report("interrupted");
    _exit(128 + interrupted);
}

/* One that is sent to the process group, as timeout(1) does, comes twice: by itself, and handed on
 * by `strata trace`, which queues it. Both are one. */
static bool comes_again(const siginfo_t *info)
{
    volatile sig_atomic_t *times = info->si_code == SI_QUEUE ? handed_on : came;
    times[info->si_signo]++;
    return times[info->si_signo] > 1;
}

/* The first signal ends the program, a second one at once. Inside a call it goes on to the next
 * block or call, so that the launch keeps what it ran, but not for long. Outside there is nothing
 * to wait for: what was recorded is on disk, and `strata trace` finishes the file. (No thread waits
 * to do that: it would keep a program alive that ends its threads one by one.) */
static void on_interrupt(int number, siginfo_t *info, void *unused)
{
    int kept = errno;
    (void)unused;
    interrupted = number;
    if (comes_again(info)) {
        signal(number, SIG_DFL);
        raise(number); /* when this handler returns */
        return;
    }
    if (!pthread_mutex_trylock(&lock)) {
        driver_report("interrupted");
        _exit(128 + number);
    }
    signal(SIGALRM, leave_launch);
    alarm(BLOCK_WAIT_S);
    errno = kept;
}

void driver_check_interrupt(void)
{
    if (interrupted)
        driver_end_program("interrupted", 128 + interrupted);
}

void driver_end_program(const char *word, int code)
{
    fflush(NULL);
    driver_report("%s", word);
    record_finish();
    _exit(code);
}

/* A program that handles a signal itself keeps its handler. */
static void catch_interrupts(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old,
            mine = {.sa_sigaction = on_interrupt, .sa_flags = SA_RESTART | SA_SIGINFO};
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &mine, NULL);
    }
}

/* ---- forks ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&lock);
}

/* The child must not write into its parent's trace. What the parent set up on the device is not the
 * child's: the real driver refuses too. */
static void after_fork_in_child(void)
{
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    lock = fresh;
    if (!is_started)
        return;
    is_forked = true;
    record_forget();
    descriptor_forget(&pipe_to_trace);
    interrupted = 0;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old;
        if (!sigaction(numbers[i], NULL, &old) && old.sa_sigaction == on_interrupt)
            signal(numbers[i], SIG_DFL);
    }
}

__attribute__((constructor)) static void prepare(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- entering and leaving ---- */

static void start(void)
{
    is_started = true;
    read_config();
    device_init();
    memory_start();
    driver_report("hello %ld %s", (long)getpid(), program_name());
    record_init();
    if (config.record)
        catch_interrupts();
}

static CUresult check_need(enum need need)
{
    if (need == NEED_NOTHING)
        return CUDA_SUCCESS;
    if (is_forked || !is_initialised)
        return CUDA_ERROR_NOT_INITIALIZED;
    if (need == NEED_INIT)
        return CUDA_SUCCESS;
    CUcontext c = context_current();
    return c ? c->failed : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult driver_enter(enum need need)
{
    pthread_mutex_lock(&lock);
    driver_check_interrupt();
    CUresult status = check_need(need);
    if (status != CUDA_SUCCESS)
        pthread_mutex_unlock(&lock);
    return status;
}

CUresult driver_leave(CUresult status)
{
    pthread_mutex_unlock(&lock);
    return status;
}

void driver_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void driver_lock(void)
{
    pthread_mutex_lock(&lock);
}

CUresult cuInit(unsigned flags)
{
    ENTER(NEED_NOTHING);
    if (flags)
        LEAVE(CUDA_ERROR_INVALID_VALUE);
    if (is_forked)
        LEAVE(CUDA_ERROR_NOT_INITIALIZED);
    if (!is_started)
        start();
    is_initialised = true;
    LEAVE(CUDA_SUCCESS);
}

/* ---- telling ---- */

void driver_report(const char *format, ...)
{
    char line[2048];
    if (!pipe_to_trace.path || !descriptor_check(&pipe_to_trace))
        return;
    int head = snprintf(line, sizeof line, "%ld ", (long)getpid());
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line + head, sizeof line - 1 - (size_t)head, format, args);
    va_end(args);
    if (n < 0)
        return;
    n += head;
    if ((size_t)n > sizeof line - 2)
        n = sizeof line - 2;
    for (int i = 0; i < n; i++)
        if (line[i] == '\n')
            line[i] = ' ';
    line[n++] = '\n';
    struct pollfd ready = {.fd = pipe_to_trace.fd, .events = POLLOUT};
    /* below PIPE_BUF: in one piece or not at all */
    while (write(pipe_to_trace.fd, line, (size_t)n) < 0 &&
           (errno == EINTR || (errno == EAGAIN && poll(&ready, 1, REPORT_WAIT_MS) > 0)))
        ;
}

void driver_complain(const char *format, ...)
{
    char text[1600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout); /* the program's own output so far belongs above the message */
    fprintf(stderr, "strata: %s\n", text);
    driver_report("complaint %s", text);
}

CUresult driver_refuse(const char *name, bool *told)
{
    if (!*told) {
        driver_complain("the program calls %s, which Strata does not support.", name);
        driver_report("unsupported %s", name);
        *told = true;
    }
    return CUDA_ERROR_NOT_SUPPORTED;
}

void driver_die(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    driver_complain("%s", text);
    driver_report("fatal");
    fflush(NULL);
    record_finish();
    _exit(EXIT_UNSUPPORTED);
}

double clock_now(void)
{
    return clock_us;
}

void clock_advance(double microseconds)
{
    clock_us += microseconds;
}

const char *program_name(void)
{
    return program_invocation_short_name;
}

/* Runs after the program's own exit handlers and destructors, since the program depends on this
 * library. */
__attribute__((destructor)) static void finish(void)
{
    if (!is_started || is_forked)
        return;
    pthread_mutex_lock(&lock); /* not while another thread ends the trace */
    driver_check_interrupt();  /* a signal may be why the program ends */
    record_finish();
    pthread_mutex_unlock(&lock);
}
