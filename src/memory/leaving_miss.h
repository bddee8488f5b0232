/* leaving_miss.h - misses of one line that follow each other leave an SM as one request.
 *
 * A request waits for l1.miss_join cycles and for its turn, one a cycle. A miss of the same line
 * that is looked up meanwhile takes it along to the end of the queue: queue_leave_probe.cu
 * (device/probe/results/h200-queue-leave.csv): of two loads 4 cycles apart all of 1 to 16 lines
 * leave together, of two 13 cycles apart the last 7 of 16 lines and none of 8, 17 cycles apart the
 * last 2; of four loads 8, 7 and 4 cycles apart of 1, 8 and 16 lines 3, 11 and 18 requests are
 * left. Tags are looked up four a cycle. Of 32 lines none leave together, however close the loads
 * are: the queue is full (l1.miss_queue), and each line is looked up when there is room for it.
 * leave_probe.cu (h200-leave.csv): up to eight warps that do so do not disturb one another. A
 * sector that comes with the other half of its fetch is then no hit.
 *
 * Where two warps of a scheduler are in step their loads take turns, so that those of one warp are
 * too far apart. When a launch begins they are: warps wait for the same code. two_loads_probe.cu
 * (h200-two-loads.csv): two loads 4 cycles apart leave as one in blocks of up to four warps, one
 * block an SM (32 of 64 requests of single warps, 128 of 256 of four), few or none do in blocks of
 * eight (384 to 512 of 512 requests) or with eight blocks an SM. Here warps of a scheduler fall
 * apart as they begin, so that no loads join until the first read of an SM is answered if it gets
 * more warps than it has schedulers.
 *
 * Warps that each read a sector of one line do the same where they are in step: pairs_probe.cu
 * (h200-pairs.csv): 8 MB of bytes, a sector a warp, are 134,415 requests for 262,144 sectors with
 * blocks of two warps, 70,839 with four, which start together on the four schedulers. Here warps
 * keep step longer than on the card, so that misses of different warps join only where loads did
 * not queue up behind loads (115,561 requests with blocks of eight warps, 140,541 with 32), and not
 * until the first read of their SM is answered: of 256 KB 40 to 44 % of the reads hit with any
 * block size. They do in launches of up to three blocks: skipped_probe.cu, begin: of 8 warps a
 * block 2, 8 of 16, 6 to 13 of 24, 19 of 32 and 60 of 64 first reads are requests with 1, 2, 3, 4
 * and 8 blocks. Where the schedulers begin one after the other as on the card, and each SM has one
 * block, the times tell (launch.schedulers_apart; warps_probe.cu, begin_probe.cu: h200-begin.csv),
 * behind other loads too where a scheduler has two warps at most (shifted_probe.cu, cross: reads of
 * the L2 22.6 -> 19.8 % off; with blocks of 32 warps 13 % of the reads of bytes would hit for 37).
 */
#ifndef STRATA_MEMORY_LEAVING_MISS_H
#define STRATA_MEMORY_LEAVING_MISS_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/trace.h>

#include "base/bits.h"

#define LEAVING_REQUESTS 32 /* a power of two; l1.miss_queue is less */
#define LEAVING_NO_LINE  UINT64_MAX

struct leaving_request {
    uint64_t leaves; /* then */
    uint16_t warp;   /* whose it is */
    uint8_t sectors; /* it asks for */
    uint8_t fetched; /* of them and their neighbours: what the L2 did not have */
    bool for_all;    /* misses of other warps join it, too */
    bool for_own;    /* those of its own do */
    /* What its GPC did with the first of its sectors: others may share their answer; they kept
     * others from sharing that of another request; so many of them were hits. */
    bool opens, spoils;
    bool spoils_side; /* they were the first of their line to differ from what its side had asked */
    uint8_t hits;
};
struct leaving_miss {     /* first what every load touches, in a line of the machine's cache */
    uint32_t last, warp;  /* the last request; the warp whose load is under way */
    uint64_t begin, unit; /* when its first line is looked up; the model's time of that */
    uint64_t tags_until;  /* lines of the loads before it are looked up until then */
    uint64_t loads_until; /* the unit has loads in front of it until then */
    uint32_t behind;      /* cycles of loads that were in front of the load under way */
    bool asked;           /* it has missed */
    bool apart;           /* no two warps of a scheduler begin in step */
    bool few;             /* a scheduler has two at most */
    bool timed;           /* schedulers begin when they do on the card, one block an SM */
    uint64_t answered;    /* when the SM's first read came back; 0: not yet */
    /* Of each of `line` a byte of its hash: most misses join none, and need not look at all. */
    uint8_t kind[LEAVING_REQUESTS];
    /* The SM's last requests, in the order in which they leave. */
    uint64_t line[LEAVING_REQUESTS];
    struct leaving_request request[LEAVING_REQUESTS];
};
static inline uint8_t leaving_kind(uint64_t line)
{
    return (uint8_t)(line * 0x9e3779b97f4a7c15ull >> 56);
}
static inline void leaving_miss_set_line(struct leaving_miss *l, uint32_t i, uint64_t line)
{
    l->kind[i] = leaving_kind(line);
    l->line[i] = line;
}
/* Whether a request of the line may be among them. */
static inline bool leaving_miss_may_have(const struct leaving_miss *l, uint64_t line)
{
    uint8_t kind = leaving_kind(line), found = 0;
    for (uint32_t i = 0; i < LEAVING_REQUESTS; i++) /* all: the compiler looks at many at once */
        found |= l->kind[i] == kind;
    return found;
}
/* An SM of a launch begins. */
static inline void leaving_miss_begin(struct leaving_miss *l, const struct strata_gpu *gpu,
                                      const struct strata_launch *launch)
{
    uint64_t blocks = strata_launch_blocks(launch),
             each = (blocks + gpu->sm.count - 1) / gpu->sm.count;
    l->answered = 2 * blocks < gpu->l1.miss_join_cycles;
    uint64_t warps = each * strata_launch_warps_per_block(launch);
    l->apart = warps <= gpu->sm.schedulers;
    l->few = warps <= 2 * gpu->sm.schedulers;
    for (uint32_t i = 0; i < LEAVING_REQUESTS; i++)
        l->kind[i] = leaving_kind(l->line[i]);
}
/* A load that takes so many cycles of the unit comes to it at t; `unit`: when the model begins with
 * its lines. */
static inline void leaving_miss_load(struct leaving_miss *l, uint32_t warp, uint64_t t,
                                     uint64_t unit, uint32_t cycles)
{
    l->behind = l->loads_until > t ? (uint32_t)(l->loads_until - t) : 0;
    l->loads_until = t + l->behind + cycles;
    l->begin = later_of(l->tags_until, t);
    l->unit = unit;
    l->warp = warp;
    l->asked = false;
}
/* All its lines were looked up, which took so many cycles; the data of one that hits is read at
 * once, of one that misses when it is there. */
static inline void leaving_miss_loaded(struct leaving_miss *l, uint32_t tag_cycles, uint32_t cycles)
{
    l->tags_until = later_of(l->tags_until, l->begin + (l->asked ? tag_cycles : cycles));
}
/* When the line is looked up that the model looks up at t. */
static inline uint64_t leaving_miss_tag(const struct leaving_miss *l, uint64_t t)
{
    return later_of(l->begin + (t - l->unit), l->tags_until);
}
static inline struct leaving_request *leaving_miss_last(struct leaving_miss *l)
{
    return &l->request[l->last];
}
/* A request goes to the end of those that wait, its line looked up at `tag`. */
static inline void leaving_miss_put(struct leaving_miss *l, const struct strata_gpu *gpu,
                                    uint64_t line, struct leaving_request r, uint64_t tag)
{
    r.leaves = later_of(tag + gpu->l1.miss_join_cycles, leaving_miss_last(l)->leaves + 1);
    l->last = (l->last + 1) % LEAVING_REQUESTS;
    leaving_miss_set_line(l, l->last, line);
    l->request[l->last] = r;
}
/* Whether a miss joins a request of its line that waits, which is the last one then. */
static inline bool leaving_miss_takes(struct leaving_miss *l, const struct strata_gpu *gpu,
                                      uint64_t line, uint32_t sectors, uint64_t t)
{
    if (!leaving_miss_may_have(l, line))
        return false;
    uint64_t tag = leaving_miss_tag(l, t);
    for (uint32_t k = 0, i = l->last; k < gpu->l1.miss_queue_lines && tag < l->request[i].leaves;
         k++, i = (i - 1) % LEAVING_REQUESTS) {
        struct leaving_request *r = &l->request[i];
        bool may = r->warp == l->warp ? r->for_own : r->for_all;
        if (l->line[i] != line || r->sectors & sectors || !may)
            continue;
        leaving_miss_set_line(l, i, LEAVING_NO_LINE);
        leaving_miss_put(l, gpu, line, *r, tag);
        return l->asked = true;
    }
    return false;
}
/* A request of its own; `alone`: it can take no more sectors (a texture over pitched memory). */
static inline void leaving_miss_open(struct leaving_miss *l, const struct strata_gpu *gpu,
                                     uint64_t line, bool alone, uint64_t t)
{
    uint32_t join = gpu->l1.miss_join_cycles, first = l->last + 1 - gpu->l1.miss_queue_lines;
    uint64_t tag = leaving_miss_tag(l, t), room = l->request[first % LEAVING_REQUESTS].leaves;
    bool answered = l->answered && t >= l->answered;
    struct leaving_request r = {.warp = l->warp,
                                .for_own = answered || l->apart,
                                .for_all = (4 * l->behind <= join || (!answered && l->few)) &&
                                           (answered || l->timed)};
    l->asked = true;
    if (room > tag)
        l->tags_until = tag = room;
    leaving_miss_put(l, gpu, alone || !join ? LEAVING_NO_LINE : line, r, tag);
}
/* Warps of a block leave a barrier, and their misses join from then on. beside_probe.cu, SHARED: of
 * 4,096 sectors that 512 blocks read behind one 85 hit, here 290, and 2,048 where misses join only
 * after the first answer. Where the barrier comes before all else (shifted_probe.cu, bytes-barrier)
 * they do not, as the unit is new to every scheduler. */
static inline void leaving_miss_in_step(struct leaving_miss *l, uint64_t t)
{
    if (!l->answered || t < l->answered)
        l->answered = t;
}
static inline void leaving_miss_answered(struct leaving_miss *l, uint64_t t)
{
    if (!l->answered)
        l->answered = t;
}

#endif
