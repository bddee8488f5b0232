/* memory.h - the memory side of the flow model: every part answers with a time.
 *
 * Times are SM cycles since the start of the launch. Bandwidths are kept as the
 * time until which a resource is busy, in 64ths of a cycle, so that 24 bytes a
 * cycle lose nothing to rounding. Calls come in the order in which instructions
 * issue; nothing here looks into the future or ticks. */
#ifndef STRATA_FLOW_MEMORY_H
#define STRATA_FLOW_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <strata/coalesce.h>
#include <strata/gpu.h>
#include <strata/status.h>
#include <strata/trace.h>

#include "cache/memside.h"
#include "result/launch_counters.h"

#define FLOW_STORE_LINES 64

struct flow_store_line {
    uint64_t line;
    uint64_t last; /* time of the last store to it */
    uint64_t idle; /* idle cycles of the unit up to then */
    uint8_t sectors;
    uint8_t bytes[CACHE_MAX_SECTORS]; /* written so far, at most a sector */
};

struct flow_sm_port {
    struct cache l1;
    uint64_t lsu_free;    /* the load/store unit is taken until then */
    uint64_t lsu_busy;    /* cycles the unit has worked so far */
    uint32_t drain_debt4; /* quarter cycles the unit still owes to stores that left */
    uint64_t miss_free;   /* next line request may leave */
    uint64_t out_free64, in_free64;
    uint64_t store_done;      /* the last store has reached the L2 */
    uint64_t *mshr_free;      /* when each MSHR is free, as a heap: the first is free first; NULL if
                                 unlimited */
    uint64_t mshr_wait_until; /* the unit stands still until then: a line waits for an MSHR */
    struct flow_store_line store[FLOW_STORE_LINES];
    uint32_t n_stores;
    uint32_t gpc, partition;
    struct cache tlb; /* first-level TLB, where the description has one */
};

struct flow_partition {
    struct cache l2;
    uint64_t *slice_free64;
    uint64_t *atomic_word;     /* address of the last atomic of each slice */
    uint64_t *channel_free64;  /* data bus of each channel */
    uint64_t *activate_free64; /* when each channel may open its next row */
    uint64_t *bank_row;        /* open row of each bank of each channel, + 1 */
    uint64_t fabric_free64;
    struct memside_dirty dirty;
};

struct flow_memory {
    const struct strata_gpu *gpu;
    struct strata_coalescer coalescer;
    struct flow_sm_port *sm;
    uint32_t n_sms;
    struct memside side;
    struct cache_pool l1_pool;
    struct memside_coalescer requests;
    struct flow_partition partition[MEMSIDE_MAX_PARTITIONS];
    uint32_t slices, channels; /* of a partition */
    uint32_t slice_64ths_per_sector, channel_64ths_per_sector, fabric_64ths_per_sector;
    uint32_t slice_64ths_per_request, slice_64ths_per_partial, activate_64ths, atomic_hot_64ths;
    uint32_t out_64ths_per_sector, in_64ths_per_sector, xbar_64ths_per_sector, atomic_64ths;
    uint64_t xbar_out_free64, xbar_in_free64; /* the crossbar as a whole, where that is a limit */
    uint32_t l1_sectors;                      /* per line */
    bool ptx;                                 /* the trace is of PTX, before the assembler's work */
    uint64_t refresh_every, refresh_cycles;   /* of one channel, in SM cycles; 0 = none */
    struct cache tlb2;                        /* second-level TLB, shared by all SMs */
    uint64_t now;                             /* time of issue: never goes back */
    uint64_t held; /* cycles since then that the request under way has waited for an MSHR */
    struct launch_counters count;
};

strata_status flow_memory_init(struct flow_memory *m, const struct strata_gpu *gpu,
                               const struct strata_launch *launch, uint64_t l1_bytes, uint64_t seed,
                               struct strata_error *err);
void flow_memory_release(struct flow_memory *m);

/* One warp instruction on global, local or texture memory, issued at `t`. Returns when its data (a
 * load, an atomic with a result, an asynchronous copy) is there, or for a store when the load/store
 * unit has taken it. */
uint64_t flow_access(struct flow_memory *m, uint32_t sm, const struct strata_winst *w,
                     uint64_t local_base, uint64_t t);
/* Shared memory: bank conflicts only. Returns when the data is there. */
uint64_t flow_shared(struct flow_memory *m, uint32_t sm, const struct strata_winst *w, uint64_t t);
/* The load/store unit is taken for `cycles` from t on at the earliest (shuffles). */
uint64_t flow_lsu_take(struct flow_memory *m, uint32_t sm, uint64_t t, uint32_t cycles);
/* All stores of an SM leave; returns when the last has reached the L2. */
uint64_t flow_drain(struct flow_memory *m, uint32_t sm);

/* ---- between the files of this folder ---- */

/* Sectors (of the L1's line) on behalf of SM `sm` at time t; returns when they reach the SM. */
uint64_t flow_l2_read(struct flow_memory *m, uint32_t sm, uint64_t line, uint32_t sectors,
                      uint64_t t);
void flow_l2_write(struct flow_memory *m, uint32_t sm, uint64_t line, uint32_t sectors,
                   uint32_t full, uint64_t t);
uint64_t flow_l2_atomic(struct flow_memory *m, uint32_t sm, uint64_t line, uint64_t word,
                        uint32_t sectors, uint32_t packets, uint64_t t);
/* Sectors of a line out of (or into) the DRAM of a partition; returns when the data is at the L2.
 */
uint64_t flow_dram_read(struct flow_memory *m, uint32_t partition, uint64_t line,
                        uint32_t n_sectors, uint64_t t);
void flow_dram_write(struct flow_memory *m, uint32_t partition, uint64_t line, uint32_t n_sectors,
                     uint64_t t);

static inline uint64_t flow_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
/* Takes a resource for `cost` 64ths on behalf of something that reaches it at t; returns when its
 * turn begins. Requests reach a resource out of order (a far one is under way for longer than a
 * near one that issued later), so what waits is measured against the time of issue, m->now: a late
 * arrival does not close the resource to those that come before it. While a request waits for an
 * MSHR the queue it will join moves on: only what is left of it then makes it wait once more. */
static inline uint64_t flow_take(const struct flow_memory *m, uint64_t *free64, uint64_t t,
                                 uint32_t cost)
{
    uint64_t now64 = m->now * 64, begin = flow_max(*free64, now64), wait = (begin - now64) / 64;
    *free64 = begin + cost;
    return t + (wait > m->held ? wait - m->held : 0);
}

#endif
