/* state.c - the lock, errors, configuration from the environment, and the device's clock. */
#include "cudart/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_UNSUPPORTED 4

struct config config = {.report_fd = -1};
struct strata_arena *arena;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_ready;
static pid_t owner;
static int poisoned;
static double clock_us;
static _Thread_local int last_error;

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
    config.instruction_limit = number_from("STRATA_TRACE_INSTRUCTION_LIMIT");
    config.interleave = number_from("STRATA_TRACE_INTERLEAVE");
    config.registers = (uint32_t)number_from("STRATA_TRACE_REGS");
    config.threads = (uint32_t)number_from("STRATA_TRACE_THREADS");
    config.memcheck = number_from("STRATA_TRACE_MEMCHECK") != 0;
    config.quiet = number_from("STRATA_TRACE_QUIET") != 0;
    if (getenv("STRATA_TRACE_FD"))
        config.report_fd = (int)number_from("STRATA_TRACE_FD");
}

static volatile sig_atomic_t interrupted;

/* The first Ctrl-C ends the program at the next block or call, with what was recorded so far; a
 * second one ends it at once. */
static void on_interrupt(int number)
{
    interrupted = number;
    signal(number, SIG_DFL);
}

/* A program that handles the signal itself keeps its handler. */
static void catch_interrupts(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old, mine = {.sa_handler = on_interrupt};
        if (!sigaction(numbers[i], NULL, &old) && old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &mine, NULL);
    }
}

void runtime_check_interrupt(void)
{
    if (!interrupted)
        return;
    fflush(NULL);
    runtime_report("interrupted");
    record_finish();
    _exit(128 + interrupted);
}

static void start(void)
{
    struct strata_error err;
    is_ready = true;
    owner = getpid();
    read_config();
    if (strata_arena_create(0, &arena, &err) != STRATA_OK)
        runtime_die(&err);
    device_init();
    runtime_report("hello %ld %s", (long)owner, program_name());
    record_init();
    if (config.record)
        catch_interrupts();
}

void runtime_enter(void)
{
    pthread_mutex_lock(&lock);
    if (!is_ready)
        start();
    runtime_check_interrupt();
}

int runtime_leave(int status)
{
    if (poisoned && status == OK)
        status = poisoned;
    if (status != OK && status != NOT_READY)
        last_error = status;
    pthread_mutex_unlock(&lock);
    return status;
}

void runtime_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void runtime_lock(void)
{
    pthread_mutex_lock(&lock);
}

void runtime_poison(int status)
{
    poisoned = status;
}

int runtime_poisoned(void)
{
    return poisoned;
}

void runtime_report(const char *format, ...)
{
    if (config.report_fd < 0)
        return;
    char line[2048];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n > sizeof line - 2)
        n = sizeof line - 2;
    for (int i = 0; i < n; i++)
        if (line[i] == '\n')
            line[i] = ' ';
    line[n++] = '\n';
    ssize_t written = write(config.report_fd, line, (size_t)n); /* below PIPE_BUF: in one piece */
    (void)written;
}

void runtime_complain(const char *format, ...)
{
    char text[1600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fflush(stdout); /* the program's own output so far belongs above the message */
    fprintf(stderr, "strata: %s\n", text);
    runtime_report("complaint %s", text);
}

void runtime_die(const struct strata_error *err)
{
    char text[1400];
    strata_error_text(err, text, sizeof text);
    runtime_complain("%s", text);
    runtime_report("fatal");
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
 * library. A forked child must not finish its parent's trace. */
__attribute__((destructor)) static void finish(void)
{
    if (is_ready && owner == getpid())
        record_finish();
}

API(cudaGetLastError, void)
{
    ENTER();
    int status = poisoned ? poisoned : last_error;
    runtime_leave(OK);
    last_error = OK;
    return status;
}

API(cudaPeekAtLastError, void)
{
    ENTER();
    int status = poisoned ? poisoned : last_error;
    runtime_unlock();
    return status;
}
