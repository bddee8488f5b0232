/* progress.c - the progress line, and the thread that keeps it alive while one piece of work takes
 * long. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* "45 s left", "12 min left", "3 h 20 min left"; before there is anything to judge by, the time so
 * far. */
static void show_left(double taken, size_t n_done, size_t n_all)
{
    double left = n_done ? taken / (double)n_done * (double)(n_all - n_done) : taken;
    const char *word = n_done ? "left" : "so far";
    if (n_done >= n_all && n_all)
        return;
    if (left < 100)
        fprintf(stderr, ", %.0f s %s", left, word);
    else if (left < 6000)
        fprintf(stderr, ", %.0f min %s", left / 60, word);
    else
        fprintf(stderr, ", %d h %02d min %s", (int)(left / 3600), (int)(left / 60) % 60, word);
}

/* With the lock. */
static void draw(struct progress *p, double now)
{
    double taken = now - p->start_seconds;
    p->shown_seconds = now;
    if (p->n_all)
        fprintf(stderr, "\r\033[K%zu of %zu %s", p->n_done, p->n_all, p->what);
    else
        fprintf(stderr, "\r\033[K%s", p->what);
    if (p->warp_instructions && taken > 0)
        fprintf(stderr, ", %.2f M warp instructions/s", (double)p->warp_instructions / taken / 1e6);
    show_left(taken, p->n_done, p->n_all);
    fflush(stderr);
}

/* Once a second, if nothing else was shown meanwhile. */
static void *tick(void *context)
{
    struct progress *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->ended) {
        struct timespec next;
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_sec++;
        pthread_cond_timedwait(&p->end, &p->lock, &next);
        double now = now_seconds();
        if (!p->ended && now - p->shown_seconds > 0.9)
            draw(p, now);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void progress_start(struct progress *p, const char *what, bool quiet)
{
    *p = (struct progress){.enabled = !quiet && isatty(STDERR_FILENO), .what = what};
    p->start_seconds = now_seconds();
    p->shown_seconds = p->start_seconds;
    if (!p->enabled)
        return;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->end, NULL);
    p->ticks = !pthread_create(&p->ticker, NULL, tick, p);
}

void progress_show(struct progress *p, size_t n_done, size_t n_all, uint64_t warp_instructions)
{
    if (!p->enabled)
        return;
    pthread_mutex_lock(&p->lock);
    p->n_done = n_done;
    p->n_all = n_all;
    p->warp_instructions = warp_instructions;
    double now = now_seconds();
    if (now - p->shown_seconds >= 0.1 || n_done == 1 || n_done >= n_all)
        draw(p, now);
    pthread_mutex_unlock(&p->lock);
}

double progress_seconds(const struct progress *p)
{
    return now_seconds() - p->start_seconds;
}

void progress_clear(struct progress *p)
{
    if (p->enabled)
        fputs("\r\033[K", stderr);
}

void progress_end(struct progress *p)
{
    if (p->enabled) {
        pthread_mutex_lock(&p->lock);
        p->ended = true;
        pthread_cond_signal(&p->end);
        pthread_mutex_unlock(&p->lock);
        if (p->ticks)
            pthread_join(p->ticker, NULL);
        pthread_cond_destroy(&p->end);
        pthread_mutex_destroy(&p->lock);
    }
    progress_clear(p);
    p->enabled = false;
}
