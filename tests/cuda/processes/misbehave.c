/* misbehave.c - a program that does what programs do: forks, closes descriptors, changes its
 * folder, starts others, uses threads. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

static CUmodule module;

static void use_gpu(void)
{
    start();
    MUST(cuModuleLoadData(&module, ptx));
    run_axpb(kernel(module, "axpb"), NULL);
}

static void *in_thread(void *unused)
{
    (void)unused;
    MUST(cuCtxSetCurrent(context));
    for (int i = 0; i < 5; i++)
        run_axpb(kernel(module, "axpb"), NULL);
    return NULL;
}

static void with_threads(void)
{
    pthread_t thread[4];
    use_gpu();
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, in_thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}

/* The child of a process that used the GPU has none, and its end is its own. */
static void fork_after(void)
{
    use_gpu();
    fflush(stdout);
    if (!fork()) {
        SAY(cuInit(0));
        exit(0);
    }
    wait(NULL);
    run_axpb(kernel(module, "axpb"), NULL);
}

static void fork_before(void)
{
    pid_t child = fork();
    if (child)
        waitpid(child, NULL, 0);
    use_gpu();
    if (child)
        run_axpb(kernel(module, "axpb"), NULL);
}

/* As a daemon does: everything that is not its own is closed, and files get those numbers. */
static void close_all(void)
{
    use_gpu();
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    int mine[1000], n = 0;
    while (n < 1000 && (mine[n] = open("mine.txt", O_CREAT | O_RDWR | O_APPEND, 0600)) >= 0)
        n++;
    for (int i = 0; i < 100; i++)
        run_axpb(kernel(module, "axpb"), NULL);
    off_t length = lseek(mine[0], 0, SEEK_END);
    SHOW(length);
}

/* A program that becomes itself again, as one that restarts does; *rounds counts down. */
static void *use_gpu_in_thread(void *unused)
{
    use_gpu();
    return unused;
}

/* main() is gone, and the last thread's end launches once more. */
static void launch_after_the_last_thread(void)
{
    pthread_t thread;
    atexit(use_gpu);
    pthread_create(&thread, NULL, use_gpu_in_thread, NULL);
    pthread_exit(NULL);
}

/* The same, but the thread of main() is the last one. */
static void launch_after_main(void)
{
    pthread_t thread;
    atexit(use_gpu);
    pthread_create(&thread, NULL, use_gpu_in_thread, NULL);
    pthread_join(thread, NULL);
    pthread_exit(NULL);
}

/* A kernel that never ends. */
static void hang(void)
{
    CUmodule m;
    use_gpu();
    MUST(cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry hang()\n{\nagain:\nbra again;\n}\n"));
    printf("ready\n");
    fflush(stdout);
    MUST(cuLaunchKernel(kernel(m, "hang"), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
}

/* A kernel of blocks that take a while each. */
static void run_long(void)
{
    CUmodule m;
    use_gpu();
    MUST(cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n"
                              ".visible .entry count()\n{\n.reg .pred %p;\n.reg .b32 %r;\n"
                              "mov.u32 %r, 0;\nagain:\nadd.u32 %r, %r, 1;\n"
                              "setp.lt.u32 %p, %r, 300000;\n@%p bra again;\nret;\n}\n"));
    printf("ready\n");
    fflush(stdout);
    MUST(cuLaunchKernel(kernel(m, "count"), 200, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
}

static void execute_self(char **argv, char *rounds)
{
    use_gpu();
    if (execl("/no/such/program", "x", (char *)NULL) == 0 || *rounds == '0')
        return;
    run_axpb(kernel(module, "axpb"), NULL);
    --*rounds;
    execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "threads"))
        with_threads();
    else if (!strcmp(what, "fork-after"))
        fork_after();
    else if (!strcmp(what, "fork-before"))
        fork_before();
    else if (!strcmp(what, "close"))
        close_all();
    else if (!strcmp(what, "last-thread"))
        launch_after_the_last_thread();
    else if (!strcmp(what, "hang"))
        hang();
    else if (!strcmp(what, "long"))
        run_long();
    else if (!strcmp(what, "main-thread-last"))
        launch_after_main();
    else if (!strcmp(what, "exec") && argc > 2)
        execute_self(argv, argv[2]);
    else if (!strcmp(what, "_exit") || !strcmp(what, "kill")) {
        use_gpu();
        if (what[0] == 'k')
            raise(SIGKILL);
        _exit(5);
    } else if (!strcmp(what, "chdir")) {
        if (chdir("/"))
            return 1;
        use_gpu();
    } else if (!strcmp(what, "wait")) {
        use_gpu();
        printf("ready\n");
        fflush(stdout);
        sleep(60);
    } else if (!strcmp(what, "init"))
        start();
    return 0;
}
