/* interrupt.c - a thread that tidies up when a signal ends the process.
 *
 * A signal handler may hardly do anything: the thread it interrupts can hold the allocator's lock.
 * So it only wakes this thread, which removes what is registered and ends the process by the same
 * signal. */
#include "interrupt.h"

#include <ftw.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PATHS = 8 }; /* outputs a command has open at a time */
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the paths */
static char *paths[MOST_PATHS];
static sem_t woken;
static volatile sig_atomic_t caught;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
    (void)st, (void)kind, (void)walk;
    remove(path);
    return 0;
}

void remove_tree(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Other threads are still at work and may put another file into a folder that is being emptied. */
static void remove_for_good(const char *path)
{
    for (int tries = 0; tries < 1000 && !access(path, F_OK); tries++)
        remove_tree(path);
}

static void *tidy_up(void *unused)
{
    while (sem_wait(&woken)) /* until it is the semaphore, and not a signal, that wakes us */
        ;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST_PATHS; i++)
        if (paths[i])
            remove_for_good(paths[i]);
    signal(caught, SIG_DFL);
    kill(getpid(), caught);
    return unused; /* the lock stays taken: nobody makes new files now */
}

static void on_signal(int number)
{
    caught = number;
    sem_post(&woken);
}

/* Without the thread signals keep their default: the process ends, and its temporary files stay. */
static void watch(void)
{
    static pthread_t thread;
    struct sigaction old;
    if (sem_init(&woken, 0, 0) || pthread_create(&thread, NULL, tidy_up, NULL))
        return;
    pthread_detach(thread);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL) /* nohup stays nohup */
            sigaction(signals[i],
                      &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
}

void interrupt_hold(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
    pthread_mutex_lock(&lock);
}

void interrupt_release(const char *path)
{
    for (size_t i = 0; path && i < MOST_PATHS; i++)
        if (!paths[i]) {
            paths[i] = strdup(path);
            break;
        }
    pthread_mutex_unlock(&lock);
}

void interrupt_removes(const char *path)
{
    if (!path)
        return;
    interrupt_hold();
    interrupt_release(path);
}

void interrupt_forgets(const char *path)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; path && i < MOST_PATHS; i++)
        if (paths[i] && !strcmp(paths[i], path)) {
            free(paths[i]);
            paths[i] = NULL;
        }
    pthread_mutex_unlock(&lock);
}
