/* hostile_program.c - a program that does, in the order asked for, what programs do to the process
 * they run in, and launches a kernel after each step.
 *   hostile_program STEP,STEP,... LOG
 * A line is added to LOG for every launch that came back, so that the tester can count. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cuda/check.h"

static CUmodule module;
static bool is_ready;
static const char *log_path;
static char **arguments;
extern char **environ;

static void launch(void)
{
    if (!is_ready) {
        start();
        MUST(cuModuleLoadData(&module, ptx));
        is_ready = true;
    }
    MUST(cuCtxSetCurrent(context));
    run_axpb(kernel(module, "axpb"), NULL);
    int fd = open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "launch\n", 7) != 7)
        printf("the log cannot be written\n");
    close(fd);
}

/* This program again, for these steps. */
static void become(char *steps)
{
    char *words[] = {arguments[0], steps, arguments[2], NULL};
    execv("/proc/self/exe", words);
}

/* ---- processes ---- */

static void in_child(void (*what)(void))
{
    pid_t child = fork();
    if (!child) {
        what();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void leave(void)
{
    exit(0);
}

static void use_gpu_of_parent(void)
{
    cuInit(0);
    cuCtxSynchronize();
    exit(0);
}

static void become_another(void)
{
    become((char[]){"none"});
}

static void fork_exit(void)
{
    in_child(leave);
}

static void fork_gpu(void)
{
    in_child(use_gpu_of_parent);
}

static void fork_exec(void)
{
    in_child(become_another);
}

static void fork_twice(void)
{
    in_child(fork_exit);
}

static void vfork_exec(void)
{
    pid_t child = vfork();
    if (!child) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
}

static void spawn_self(void)
{
    pid_t child;
    char *words[] = {arguments[0], (char[]){"none"}, arguments[2], NULL};
    if (!posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ))
        waitpid(child, NULL, 0);
}

static void shell(void)
{
    FILE *p = popen("cat /dev/null; exit 0", "r");
    if (p)
        pclose(p);
    if (system("exit 3") < 0)
        printf("no shell\n");
}

static void exec_nothing(void)
{
    execl("/no/such/program", "x", (char *)NULL);
}

static void new_session(void)
{
    setsid();
    signal(SIGCHLD, SIG_DFL);
}

/* ---- files ---- */

static void close_all(void)
{
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
}

static void close_standard(void)
{
    for (int fd = 0; fd < 3; fd++)
        close(fd);
}

/* Files of the program's own get every number there is, also the recorder's. */
static void take_numbers(void)
{
    int fd = open("/dev/null", O_RDWR);
    for (int to = 64; to < 1024 && fd >= 0; to++)
        dup2(fd, to);
}

static void change_folder(void)
{
    if (chdir("/"))
        printf("no /\n");
}

static void close_mask(void)
{
    umask(0777);
}

static void few_files(void)
{
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){20, 20});
}

/* ---- signals ---- */

static volatile sig_atomic_t caught;
static sigjmp_buf back;

static void on_signal(int number)
{
    caught = number;
}

static void jump_back(int number)
{
    siglongjmp(back, number);
}

/* Calls that a signal cuts short, once a millisecond. */
static void alarms(void)
{
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
    for (int i = 0; i < 10; i++)
        launch();
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

static void block_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void own_handlers(void)
{
    signal(SIGTERM, on_signal);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, on_signal);
    raise(SIGTERM);
    raise(SIGHUP);
}

static void jump_from_fault(void)
{
    signal(SIGSEGV, jump_back);
    if (!sigsetjmp(back, 1))
        raise(SIGSEGV);
    signal(SIGSEGV, SIG_DFL);
}

static void launch_in_handler_of(int number)
{
    (void)number;
    launch();
}

static void launch_in_handler(void)
{
    signal(SIGUSR1, launch_in_handler_of);
    raise(SIGUSR1);
}

/* ---- threads and callbacks ---- */

static void *launch_in_thread(void *unused)
{
    launch();
    return unused;
}

static void threads(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, launch_in_thread, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}

static jmp_buf out_of_callback;

static void jump_out(void *unused)
{
    (void)unused;
    longjmp(out_of_callback, 1);
}

static void jump_from_callback(void)
{
    launch();
    if (!setjmp(out_of_callback))
        cuLaunchHostFunc(NULL, jump_out, NULL);
}

static void load_and_unload(void)
{
    for (int i = 0; i < 5; i++) {
        void *library = dlopen("libcuda.so.1", RTLD_NOW);
        if (library)
            dlclose(library);
    }
}

static void launch_at_exit(void)
{
    atexit(launch);
}

static void context_again(void)
{
    launch();
    cuModuleUnload(module);
    cuDevicePrimaryCtxReset(0);
    is_ready = false;
}

static void kernel_fails(void)
{
    CUmodule m;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
    if (cuModuleLoadData(&m, "this is no PTX") == CUDA_SUCCESS)
        printf("a module of nothing\n");
}

static void nothing(void)
{
}

/* ---- ends ---- */

static void *exit_now(void *unused)
{
    (void)unused;
    exit(9);
}

static void exit_in_callback_of(void *unused)
{
    exit_now(unused);
}

static void exit_in_callback(void)
{
    launch();
    cuLaunchHostFunc(NULL, exit_in_callback_of, NULL);
    cuStreamSynchronize(NULL);
    sleep(20); /* a callback may come later */
}

static void exit_in_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, exit_now, NULL);
    sleep(20);
}

static void end_main_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, launch_in_thread, NULL);
    pthread_exit(NULL);
}

static void exit_five(void)
{
    exit(5);
}

static void leave_at_once(void)
{
    _exit(7);
}

static void leave_quickly(void)
{
    quick_exit(3);
}

static void terminate(void)
{
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
}

static void kill_self(void)
{
    raise(SIGKILL);
}

static void fault(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static void exec_true(void)
{
    execl("/bin/true", "true", (char *)NULL);
}

/* The parent leaves; what goes on has no terminal, no folder and no files of its own. */
static void become_daemon(void)
{
    if (fork())
        _exit(0);
    setsid();
    change_folder();
    usleep(300000); /* the tester's command is over by then */
    become_another();
}

static const struct {
    const char *name;
    void (*run)(void);
} step[] = {
    {"none", nothing},
    {"fork-exit", fork_exit},
    {"fork-gpu", fork_gpu},
    {"fork-exec", fork_exec},
    {"fork-twice", fork_twice},
    {"vfork-exec", vfork_exec},
    {"spawn-self", spawn_self},
    {"shell", shell},
    {"exec-nothing", exec_nothing},
    {"new-session", new_session},
    {"close-all", close_all},
    {"close-standard", close_standard},
    {"take-numbers", take_numbers},
    {"change-folder", change_folder},
    {"close-mask", close_mask},
    {"few-files", few_files},
    {"alarms", alarms},
    {"block-signals", block_signals},
    {"own-handlers", own_handlers},
    {"jump-from-fault", jump_from_fault},
    {"launch-in-handler", launch_in_handler},
    {"threads", threads},
    {"jump-from-callback", jump_from_callback},
    {"load-and-unload", load_and_unload},
    {"launch-at-exit", launch_at_exit},
    {"context-again", context_again},
    {"kernel-fails", kernel_fails},
    {"exit-in-callback", exit_in_callback},
    {"exit-in-thread", exit_in_thread},
    {"end-main-thread", end_main_thread},
    {"exit-five", exit_five},
    {"leave-at-once", leave_at_once},
    {"leave-quickly", leave_quickly},
    {"terminate", terminate},
    {"kill-self", kill_self},
    {"fault", fault},
    {"abort", abort},
    {"exec-true", exec_true},
    {"become-daemon", become_daemon},
};

/* "exec-self": the program begins again with the steps that are left. */
static void take_step(const char *name, char *rest)
{
    if (!strcmp(name, "exec-self") && *rest)
        become(rest);
    for (size_t i = 0; i < sizeof step / sizeof step[0]; i++)
        if (!strcmp(name, step[i].name))
            step[i].run();
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    arguments = argv;
    log_path = argv[2];
    for (char *name = argv[1], *rest; *name; name = rest) {
        rest = name + strcspn(name, ",");
        if (*rest)
            *rest++ = 0;
        take_step(name, rest);
        launch();
    }
    return 0;
}
