/* front.h - the memory front end: which accesses of a launch miss the L1 and the L2, by static
 * instruction and for chosen warps by executed instruction. No time: warps take turns. */
#ifndef STRATA_INTERVAL_FRONT_H
#define STRATA_INTERVAL_FRONT_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/coalesce.h>
#include <strata/gpu.h>
#include <strata/status.h>

#include "cache/cache.h"

enum front_op { FRONT_READ = 0, FRONT_READ_L2, FRONT_WRITE, FRONT_ATOMIC };

/* What the caches did with the requests of one static instruction. */
struct front_pc {
    /* Executions with a miss, also of data that another warp asked for in the same turn and that is
     * still on its way; with a miss of their own; with one at the L2. */
    uint64_t late, missed, l2_missed;
    uint64_t warps, warps_l1_miss, warps_l2_miss;
    uint64_t read_lines, write_lines, l2_read_lines,
        l2_write_lines; /* L1 read misses, writes, L2 misses */
    uint64_t read_sectors, write_sectors, l2_read_sectors, l2_write_sectors;
    uint64_t shared_passes; /* over the banks of shared memory */
};

/* One executed memory instruction: lines, at most 255 of each kind. */
struct front_record {
    uint8_t read, write, l2_read, l2_write;
};

struct front_total {
    uint64_t l1_lookups, l1_read_sectors, l1_read_miss_sectors; /* look-ups: lines */
    uint64_t l2_requests, l2_sectors, l2_misses; /* misses: requests that miss in part */
    uint64_t l2_read_sectors, l2_write_sectors, atomic_sectors;
    uint64_t dram_read_sectors, dram_write_sectors;
    uint64_t l2_lines_missed;
};

/* A request on its way to the L2. */
struct front_request {
    uint64_t line;
    struct front_record *
        *records;  /* its warp's list, which may move while it grows; NULL: none is kept */
    uint8_t *flag; /* of its warp and instruction */
    uint32_t pc, record;
    uint8_t sectors, op;
};
struct front_sm {
    struct cache l1;
    struct front_request *queue;
    uint32_t n, cap, next;
};

enum { FRONT_TOUCHED = 1, FRONT_L1_MISS = 2, FRONT_L2_MISS = 4 };

struct front {
    struct front_sm *sm;
    uint32_t n_sms;
    struct cache l2;
    bool l1_enabled, l1_allocates_writes;
    uint32_t l2_fetch_sectors;
    bool l2_fetches_on_write;
    /* Two habits of published scripts: both caches allocate on writes and a write that hits the L1
     * goes no further; line 0 is found in a set that is not full yet. */
    bool script_writes, script_zero;
    struct front_pc *pc;
    uint32_t n_pcs, cap_pcs;
    struct front_total total;
    uint64_t n_queued;
    uint64_t turn; /* set by the caller: accesses of one turn are as good as simultaneous */
};

strata_status front_init(struct front *f, const struct strata_cache_config *l1,
                         const struct strata_cache_config *l2, uint32_t n_sms, uint64_t seed,
                         struct strata_error *err);
void front_release(struct front *f);
strata_status front_grow_pcs(struct front *f, uint32_t n, struct strata_error *err);
/* The lines of one executed instruction, ascending. `flag` outlives the next front_merge. */
strata_status front_access(struct front *f, uint32_t sm, uint32_t pc, enum front_op op,
                           const struct strata_request *request, unsigned n, uint8_t *flag,
                           struct front_record **records, uint32_t record,
                           struct strata_error *err);
/* The L2 takes the waiting misses: one of each SM in turn. */
void front_merge(struct front *f);
/* Adds a warp's flags (one byte per static instruction) to the counts. */
void front_count_warp(struct front *f, const uint8_t *flag, uint32_t n);

#endif
