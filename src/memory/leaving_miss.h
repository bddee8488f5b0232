/* leaving_miss.h - misses of one line that follow each other leave an SM as one request.
 *
 * Warps of a block that each read a sector of one line ask the L2 for the line once:
 * pairs_probe.cu, device/probe/results/h200-pairs.csv: 8 MB of bytes, a sector a warp, are 134,415
 * requests for 262,144 sectors with blocks of two warps, 70,839 with four, which start together on
 * the four schedulers. A sector that comes with the other half of its fetch is then no hit. Where
 * loads queue up behind loads their order is no longer that of the warps: 115,561 requests with
 * blocks of eight warps, 140,541 with 32, and nearly one a sector where each warp has several
 * loads. Two warps that read 20 cycles apart never join. Nor do, for the most part, the reads with
 * which an SM begins, until the first of them is answered: of 256 KB 40 to 44 % of the reads hit
 * with any block size. They do join where a launch has so few blocks that warps which a GPC starts
 * by turns, one a cycle, are not too far apart: skipped_probe.cu, begin: of 8 warps a block 2, 8 of
 * 16, 6 to 13 of 24, 19 of 32 and 60 of 64 first reads are requests with 1, 2, 3, 4 and 8 blocks.
 */
#ifndef STRATA_MEMORY_LEAVING_MISS_H
#define STRATA_MEMORY_LEAVING_MISS_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>

struct leaving_miss {     /* an SM's last request for a line */
    uint64_t line, until; /* misses before then join it */
    uint32_t sectors;     /* it asks for */
    uint32_t fetched;     /* of them and their neighbours: what the L2 did not have */
    uint32_t behind;      /* cycles of loads that were in front of the load under way */
    uint64_t loads_until; /* the unit has loads in front of it until then */
    uint64_t answered;    /* when the SM's first read came back; 0: not yet */
};
/* An SM of a launch of so many blocks begins. */
static inline void leaving_miss_begin(struct leaving_miss *l, const struct strata_gpu *gpu,
                                      uint64_t blocks)
{
    l->answered = blocks < gpu->l1.miss_join_cycles;
}
/* A load that takes so many cycles of the unit comes to it at t. */
static inline void leaving_miss_load(struct leaving_miss *l, uint64_t t, uint32_t cycles)
{
    l->behind = l->loads_until > t ? (uint32_t)(l->loads_until - t) : 0;
    l->loads_until = t + l->behind + cycles;
}
static inline bool leaving_miss_takes(const struct leaving_miss *l, uint64_t line, uint32_t sectors,
                                      uint64_t t)
{
    return t < l->until && l->line == line && !(l->sectors & sectors);
}
/* A request leaves at t; `alone`: it can take no more sectors (a texture over pitched memory). */
static inline void leaving_miss_open(struct leaving_miss *l, const struct strata_gpu *gpu,
                                     uint64_t line, bool alone, uint64_t t)
{
    uint32_t join = alone ? 0 : gpu->l1.miss_join_cycles;
    bool open = l->answered && t >= l->answered && 4 * l->behind <= join;
    l->line = line;
    l->until = open ? t + join : 0;
    l->sectors = l->fetched = 0;
}
static inline void leaving_miss_answered(struct leaving_miss *l, uint64_t t)
{
    if (!l->answered)
        l->answered = t;
}

#endif
