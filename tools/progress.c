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

/* "45 s", "12 min", "3 h 20 min" */
static void show_seconds(double seconds, const char *word)
{
    if (seconds < 100)
        fprintf(stderr, ", %.0f s %s", seconds, word);
    else if (seconds < 6000)
        fprintf(stderr, ", %.0f min %s", seconds / 60, word);
    else
        fprintf(stderr, ", %d h %02d min %s", (int)(seconds / 3600), (int)(seconds / 60) % 60,
                word);
}

/* The share of the work that is done: by instructions where their number is known, so that one long
 * launch among short ones does not make all the others look long. */
static double share_done(const struct progress *p)
{
    double by_pieces = p->n_all ? (double)p->n_done / (double)p->n_all : 0;
    if (!p->all_warp_instructions || !p->warp_instructions)
        return by_pieces;
    double share = (double)p->warp_instructions / (double)p->all_warp_instructions;
    return share < 1 ? share : by_pieces;
}

/* Judged when a piece of work is done, and counted down from there: while the next one runs nothing
 * new is known. Before the first there is only the time so far. */
static void show_left(const struct progress *p, double now)
{
    if (p->n_done >= p->n_all && p->n_all)
        return;
    if (!p->n_done) {
        show_seconds(now - p->start_seconds, "so far");
        return;
    }
    double left = p->left_seconds - (now - p->judged_seconds);
    if (left >= 0)
        show_seconds(left, "left");
    else
        fputs(", longer than expected", stderr);
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
    show_left(p, now);
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

void progress_weigh(struct progress *p, uint64_t all_warp_instructions)
{
    p->all_warp_instructions = all_warp_instructions;
}

/* With the lock. What is left only falls: a judgement that it is more than was told waits until
 * that time is over. */
static void judge(struct progress *p, double now)
{
    double share = share_done(p);
    double told = p->left_seconds - (now - p->judged_seconds);
    double left = share > 0 ? (now - p->start_seconds) * (1 - share) / share : 0;
    p->left_seconds = told > 0 && left > told ? told : left;
    p->judged_seconds = now;
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
    judge(p, now);
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
