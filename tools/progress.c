/* progress.c - the progress line. */
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

void progress_start(struct progress *p, const char *what, bool quiet)
{
    p->enabled = !quiet && isatty(STDERR_FILENO);
    p->what = what;
    p->start_seconds = now_seconds();
    p->shown_seconds = 0;
}

/* "45 s left", "12 min left", "3 h 20 min left"; nothing before there is anything to judge by. */
static void show_left(double taken, size_t n_done, size_t n_all)
{
    if (!n_done || n_done >= n_all)
        return;
    double left = taken / (double)n_done * (double)(n_all - n_done);
    if (left < 100)
        fprintf(stderr, ", %.0f s left", left);
    else if (left < 6000)
        fprintf(stderr, ", %.0f min left", left / 60);
    else
        fprintf(stderr, ", %d h %02d min left", (int)(left / 3600), (int)(left / 60) % 60);
}

void progress_show(struct progress *p, size_t n_done, size_t n_all, uint64_t warp_instructions)
{
    double now = now_seconds(), taken = now - p->start_seconds;
    if (!p->enabled || (now - p->shown_seconds < 0.1 && n_done < n_all))
        return;
    p->shown_seconds = now;
    fprintf(stderr, "\r\033[K%zu of %zu %s", n_done, n_all, p->what);
    if (warp_instructions && taken > 0)
        fprintf(stderr, ", %.2f M warp instructions/s", (double)warp_instructions / taken / 1e6);
    show_left(taken, n_done, n_all);
    fflush(stderr);
}

double progress_seconds(const struct progress *p)
{
    return now_seconds() - p->start_seconds;
}

void progress_end(struct progress *p)
{
    if (p->enabled)
        fputs("\r\033[K", stderr);
}
