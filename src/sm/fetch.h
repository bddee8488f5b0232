/* fetch.h - arrival of instructions at one SM.
 *
 * Straight code that was never fetched arrives line by line at a fixed rate, as
 * a prefetcher streams it; a jump to a line that is not there pays a miss
 * (device/probe, group instructions: 4 KB of straight code costs about 9 cycles
 * more per 128-byte line the first time, and a cold L2 about 560 cycles once).
 *
 * A launch brings the beginning of its code in by itself, line after line, run or not
 * (device/probe/start_probe.cu, steps_probe.cu): a jump within it costs little once the line is
 * there, and waits for it before.
 *
 * Straight code beyond that comes more slowly, from the L2 as from DRAM
 * (device/probe/supply_probe.cu: a line every 17 cycles up to 64 KB and every 120 from there on, 60
 * if the L2 has it). That is the mean of lines whose home is near and far; where SMs of both sides
 * run the same code, those that are near bring each line in (106 a line on all SMs).
 *
 * A jump takes by where its line is: among the 20 or so that a scheduler has by itself, in the near
 * cache, in the middle one, in the L2 (supply_probe.cu: 11, 20, 72 and 289 cycles a hop).
 *
 * A loop longer than the caches of instructions streams again in every round
 * (device/probe/code_probe.cu): from the middle cache at the rate of the first pass, from the L2 at
 * a lower one. Both caches give up the line that came first, since a loop that is too long misses
 * all of its lines. */
#ifndef STRATA_SM_FETCH_H
#define STRATA_SM_FETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>

#include "memory/address_map.h"

#define FETCH_MAX_LINES 16384 /* 2 MB of code; beyond that, lines share entries */

struct fetch_gpu {                   /* one per launch: what any SM has fetched */
    uint64_t first[FETCH_MAX_LINES]; /* when a line first reached the L2, 0 = never */
    uint8_t used[FETCH_MAX_LINES];   /* executed by any warp, or in the L2 from before */
    uint32_t n_used;                 /* executed, and not there before */
    uint32_t n_far;                  /* of these, what the launch does not bring in by itself */
    uint32_t last_used;              /* the highest executed line */
    uint32_t interval, far_interval, stream_interval, miss, cold, ahead;
    struct address_map map; /* of the code, as if it began at a border of the homes */
    uint32_t line_bytes;
    uint32_t stream_side; /* what a streamed line takes less if its home is near, more if far */
    uint64_t begin;       /* of the launch's first block */
    uint64_t early_lines; /* that the launch brings in by itself, from begin on */
    uint32_t spare_lines; /* asked for behind one that is run, beyond those */
    uint32_t early_first, early;       /* until the first of them is there; a jump to another */
    uint32_t early_next;               /* an SM's further jumps of that kind */
    double early_line;                 /* from one of them to the next */
    uint32_t near_lines, middle_lines; /* what the SM's caches of instructions hold, 0 = all */
    uint32_t ways, middle_jump;
    uint32_t own_lines, own_jump, schedulers; /* what a scheduler has by itself */
};
struct fetch_order { /* lines of a cache, set by set, as they came */
    uint32_t *line, *next, sets, ways;
};
enum fetch_place { FETCH_NEVER = 0, FETCH_MIDDLE, FETCH_FAR }; /* of a line that is not near */
/* What an SM knows of a line, side by side: the lines of a loop are asked for again and again. */
struct fetch_known {
    uint64_t ready; /* when it is in the near cache, 0 = not there and not asked for */
    uint32_t jump;  /* what a jump to it took when it was asked for */
    uint16_t own;   /* schedulers that have it by themselves, a bit each */
    uint8_t place;  /* enum fetch_place */
    bool has_next;  /* the last line that is asked for with it has a `ready` */
};
struct fetch_sm {
    struct fetch_known *known;
    uint32_t ahead;   /* fetch_gpu.ahead */
    uint32_t n_known; /* lines of which `known` has been set: those from 0 on */
    uint32_t side;    /* the partition it is attached to */
    uint32_t n_asked;
    uint32_t *asked; /* lines brought into the L2 since the last fetch_publish */
    bool has_jumped; /* to a line that the launch had brought in */
    double apart;    /* cycles from one scheduler's first instruction to the next one's */
    uint64_t began;  /* when the first line of the launch's code was there */
    struct fetch_order near, middle;
    struct fetch_order own; /* a set for each scheduler */
};

void fetch_gpu_init(struct fetch_gpu *g, const struct strata_gpu *gpu);
/* The code has control codes: further jumps take what the probes say. Without them its stall counts
 * are not known, for some of which the time of jumps stands (rod_lud of the truth set: all but
 * fetching 1,900 cycles less than the profiler's stalls have). */
void fetch_gpu_controlled(struct fetch_gpu *g, const struct strata_gpu *gpu);
strata_status fetch_sm_init(struct fetch_sm *s, const struct fetch_gpu *g,
                            struct strata_error *err);
void fetch_sm_release(struct fetch_sm *s);
/* Says which SM of the GPU it is; else it is one of the first partition's. */
static inline void fetch_sm_place(struct fetch_sm *s, const struct fetch_gpu *g, uint32_t sm)
{
    s->side = g->stream_side ? address_map_partition(&g->map, sm) : 0;
}
/* So many SMs of its GPC begin with the launch. Each scheduler of each of them fetches what it
 * needs first, and the GPC serves them one after the other, the first schedulers of all SMs before
 * the second ones (warps_probe.cu, device/probe/results/h200-warps.txt). */
static inline void fetch_sm_begins(struct fetch_sm *s, const struct strata_gpu *gpu, uint32_t sms)
{
    s->apart = gpu->launch.schedulers_apart * sms;
}
/* Is it code that nobody brings in but who runs it? */
static inline bool fetch_is_far(const struct fetch_gpu *g, uint32_t line)
{
    return g->early_lines && line >= g->early_lines;
}
/* Notes that a line was executed; n_used counts the distinct ones, which the L2 had to bring in
 * (skipped_probe.cu, results/h200-skipped.csv: of the first 64 KB DRAM gives all, of code beyond
 * them the lines that are run and those asked for ahead, 6512, 3032, 2784, 2408 and 7888 sectors
 * in all, here 6560, 3072, 2820, 2456 and 7936 with eight lines ahead). */
static inline void fetch_note(struct fetch_gpu *g, uint32_t line)
{
    uint8_t *u = &g->used[line % FETCH_MAX_LINES];
    g->last_used = line > g->last_used ? line : g->last_used;
    g->n_used += !*u;
    g->n_far += !*u && fetch_is_far(g, line);
    *u = 1;
}
/* Does a line of the code come in though nobody runs it? Those of the beginning do, and further on
 * those right behind one that is run; `used` has these. Asked for the highest line first. */
static inline bool fetch_comes_unrun(const struct fetch_gpu *g, const uint8_t *used, uint32_t line)
{
    if (line < g->early_lines || line >= FETCH_MAX_LINES)
        return line < g->early_lines;
    for (uint32_t k = 1; k <= g->spare_lines && k <= line; k++)
        if (used[line - k])
            return true;
    return false;
}
/* All such lines of a launch's code, of which `n` instructions are known. */
struct sm_inst;
void fetch_note_unrun_lines(struct fetch_gpu *g, const struct sm_inst *inst, uint32_t n);
/* The L2 has the line from before: it is neither cold nor brought in. */
static inline void fetch_hold(struct fetch_gpu *g, uint32_t line)
{
    g->first[line % FETCH_MAX_LINES] = g->used[line % FETCH_MAX_LINES] = 1;
}
/* Lines up to the highest that was executed. */
static inline uint32_t fetch_lines(const struct fetch_gpu *g)
{
    return g->last_used < FETCH_MAX_LINES ? g->last_used + 1 : FETCH_MAX_LINES;
}
/* When the line is at the SM if it is needed at time t. Changes only what belongs to the SM. */
uint64_t fetch_line(const struct fetch_gpu *g, struct fetch_sm *s, uint32_t line, uint64_t t);
/* The same for a warp of one of the SM's schedulers that comes from another line (UINT32_MAX: it
 * begins): a jump need not wait for the lines it leaves out, and takes longer to a line that the
 * scheduler does not have by itself. */
uint64_t fetch_next(const struct fetch_gpu *g, struct fetch_sm *s, uint32_t scheduler,
                    uint32_t from, uint32_t line, uint64_t t);
/* Tells the other SMs which lines this one has brought into the L2. */
void fetch_publish(struct fetch_gpu *g, struct fetch_sm *s);

#endif
