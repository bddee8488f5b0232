/* access_window.c - a launch's window, and what is set aside for it. */
#include "memory/access_window.h"

/* Where the GPU's file tells no steps a ratio is followed to so many parts. */
enum { FINE = 65536 };

struct access_window access_window_of(const struct strata_gpu *gpu,
                                      const struct strata_launch *launch)
{
    const struct strata_access_window *w = &launch->window;
    uint64_t line = gpu->l2.cache.line_bytes, first = w->base & ~(line - 1);
    uint32_t steps = gpu->l2.window_steps, parts = steps ? steps : FINE;
    if (!w->bytes || w->hit == STRATA_ACCESS_STREAMING || !(w->hit_ratio > 0) ||
        w->bytes > UINT64_MAX - w->base)
        return (struct access_window){.parts = 1};
    /* The next step above it: of a window of ratio 1/2 9 in 16 lines stay (probe survive). */
    uint32_t taken = (uint32_t)((double)w->hit_ratio * parts) + (steps != 0);
    return (struct access_window){.base = first,
                                  .bytes = w->base + w->bytes - first,
                                  .taken = taken < parts ? taken : parts,
                                  .parts = parts,
                                  .lets_go = w->hit == STRATA_ACCESS_NORMAL};
}

/* What is set aside of the L2, of 1. */
static double aside(const struct strata_gpu *gpu, const struct strata_launch *launch)
{
    uint64_t bytes = launch->persisting_bytes, most = gpu->l2.persisting_max_bytes;
    double share = (double)(bytes < most ? bytes : most) / (double)gpu->l2.cache.size_bytes;
    return share < 1 ? share : 1;
}

void access_window_begin(const struct strata_gpu *gpu, const struct strata_launch *launch,
                         struct cache *part)
{
    if (launch->persisting_reset)
        cache_let_all_go(part);
    cache_set_aside(part, aside(gpu, launch));
}
