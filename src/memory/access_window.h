/* access_window.h - which lines of a launch persist in the L2.
 *
 * Measured on an H200 (docs/timeline.md, device/probe/handover_probe.cu and survive_probe.cu):
 * lines that a launch uses within its window persist at their home; copies that the other partition
 * has of them are like others. */
#ifndef STRATA_MEMORY_ACCESS_WINDOW_H
#define STRATA_MEMORY_ACCESS_WINDOW_H

#include <strata/gpu.h>
#include <strata/trace.h>

#include "base/bits.h"
#include "cache/cache.h"

struct access_window {
    uint64_t base, bytes;  /* bytes 0: the launch leaves all lines as they are */
    uint32_t taken, parts; /* of `parts` lines so many, by a hash of their address */
    bool lets_go;          /* those of the window become like others */
};
/* For one launch. */
struct access_window access_window_of(const struct strata_gpu *gpu,
                                      const struct strata_launch *launch);
/* A launch begins: what is set aside of a part of the L2, after a reset before it. */
void access_window_begin(const struct strata_gpu *gpu, const struct strata_launch *launch,
                         struct cache *part);

/* The launch uses a line, which is in `slot` of its home. */
static inline void access_window_use(const struct access_window *w, struct cache *home,
                                     uint32_t slot, uint64_t line)
{
    if (line - w->base >= w->bytes || mix64(line) % w->parts >= w->taken)
        return;
    if (w->lets_go)
        cache_let_go(home, slot);
    else
        cache_persist(home, slot);
}

#endif
