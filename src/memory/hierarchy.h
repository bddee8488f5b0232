/* hierarchy.h - the memory side of a GPU: every part answers with a time.
 *
 * Times are SM cycles since the start of the launch. Bandwidths are kept as the
 * time until which a resource is busy, in 64ths of a cycle, so that 24 bytes a
 * cycle lose nothing to rounding. Calls come in the order in which instructions
 * issue; nothing here looks into the future or ticks. A rate of 0 in the GPU's
 * description is no limit: a model without a clock of its own switches the limits
 * off and keeps the latencies, so that what is on its way can be told from what is
 * there. Not thread-safe per object. */
#ifndef STRATA_MEMORY_HIERARCHY_H
#define STRATA_MEMORY_HIERARCHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/coalesce.h>
#include <strata/gpu.h>
#include <strata/result.h>
#include <strata/status.h>
#include <strata/trace.h>

#include "memory/access_counts.h"
#include "memory/access_window.h"
#include "memory/address_map.h"
#include "memory/column_walk.h"
#include "memory/l1_rules.h"
#include "memory/late_writes.h"
#include "memory/leaving_miss.h"
#include "memory/leaving_stores.h"
#include "memory/load_store.h"
#include "memory/constant_cache.h"
#include "memory/request_coalescer.h"
#include "memory/store_buffer.h"
#include "memory/tlb_rules.h"
#include "memory/write_back.h"

/* What every access touches stands in few lines of the machine's cache: two of these, with the
 * L1's first, that of the stores, and what leaves of the misses. */
enum { HIERARCHY_LINE_BYTES = 64 };
struct hierarchy_sm {
    _Alignas(HIERARCHY_LINE_BYTES) struct load_store_unit unit;
    uint64_t miss_free;        /* next line request may leave */
    uint64_t mshr_wait_until;  /* the unit stands still until then: a line waits for an MSHR */
    uint32_t group, partition; /* of the request coalescers, of the L2 */
    uint64_t out_free64;       /* of the first SM of those that share a port: hierarchy_port */
    uint64_t in_free64;
    uint64_t *mshr_free; /* when each MSHR is free, as a heap: the first is free first; NULL if
                            unlimited */
    struct cache l1;
    _Alignas(HIERARCHY_LINE_BYTES) struct leaving_miss leaving;
    uint64_t store_taken; /* when the L2 takes the latest of its stores in */
    uint64_t store_done;  /* the last store has reached the L2 */
    struct store_buffer stores;
    struct leaving_stores leaving_stores; /* of these, what is not out of the L1 yet */
    uint64_t texture_free;         /* the texture unit, which reads wait for and loads do not */
    uint64_t texture_miss_free;    /* its next request may leave */
    struct cache tlb;              /* first-level TLB, where the description has one */
    struct cache side[LOAD_SIDES]; /* read-only data and textures, where they are apart */
    struct column_walk walk[COLUMN_WALKS];
    struct constant_cache constants;
};
_Static_assert(offsetof(struct hierarchy_sm, out_free64) == HIERARCHY_LINE_BYTES,
               "the first line is full");

/* Slots of an L2 that share a mark. */
enum { HIERARCHY_MARK_SLOTS = 16 };
struct hierarchy_partition {
    struct cache l2;
    struct late_writes late;
    uint8_t *timed; /* marks of the slots that this launch has used; NULL: nobody will ask */
    uint64_t *slice_free64;
    struct l2_atomic_mix *slice_atomics; /* of each slice */
    uint64_t *way_in_free64;             /* as many ways in as slices, taken by turns */
    uint64_t came_in;                    /* requests so far */
    uint64_t *channel_free64;            /* data bus of each channel */
    uint64_t *activate_free64;           /* when each channel may open its next row */
    uint64_t *bank_row;                  /* open row of each bank of each channel, + 1 */
    uint64_t fabric_free64;
    struct write_back dirty;
};

/* The way to memory of the host, which all SMs share (printing_probe.cu). */
enum { HOST_LINES = 16 };
struct host_port {
    uint64_t store_free64;
    uint32_t lanes;                              /* that have stored there */
    uint64_t line[HOST_LINES], free[HOST_LINES]; /* where atomics were last, and until when */
};

struct hierarchy {
    const struct strata_gpu *gpu;
    struct strata_coalescer coalescer;
    struct hierarchy_sm *sm;
    void *sm_memory; /* what these stand in, which begins anywhere */
    uint32_t n_sms;
    struct address_map map;
    struct l2_rules rules;
    struct l2_costs cost;
    struct cache_pool l1_pool;
    struct request_coalescer requests;
    struct hierarchy_partition partition[ADDRESS_MAP_PARTITIONS];
    uint32_t channel_64ths_per_sector, activate_64ths, write_activate_64ths;
    uint32_t out_64ths_per_packet, in_64ths_per_packet, xbar_64ths_per_packet;
    uint32_t bulk_64ths_per_packet;           /* into an SM, of bulk copies */
    uint64_t xbar_out_free64, xbar_in_free64; /* the crossbar as a whole, where that is a limit */
    uint32_t l1_packets;                      /* sectors of 32 bytes in one of the L1's */
    bool ptx;                                 /* the trace is of PTX, before the assembler's work */
    struct strata_gpu *slowed; /* as seen from SMs at their slower clock, once it is needed */
    uint64_t refresh_every, refresh_cycles; /* of one channel, in SM cycles; 0 = none */
    uint32_t refresh_groups;                /* of the channels of a partition */
    struct cache tlb2;                      /* second-level TLB, shared by all SMs */
    struct page_walks walks;
    uint64_t now;          /* time of issue: never goes back */
    uint32_t atomic_cost;  /* what the last atomics take their slice, in 64ths */
    uint64_t cleaned;      /* when DRAM has taken what the last store made leave */
    uint64_t atomic_taken; /* when an SM knows that their slice has taken them */
    uint32_t warp;         /* that issues, one of its SM's */
    uint64_t held;         /* cycles since then that the request under way has waited for an MSHR */
    const struct strata_dram_sink *dram; /* told of every access to DRAM; NULL: nobody is */
    uint64_t dram_told;                  /* the latest time told */
    struct launch_counters count;
    bool copied_to_shared; /* an asynchronous copy wrote where no trace tells */
    struct access_window window;
    struct host_port host;
    bool warm; /* launches before have left copies that a write makes void */
};

/* `state`: what launches before left, which is taken out of it; NULL: the launch begins cold. */
struct strata_memory_state;
strata_status hierarchy_init(struct hierarchy *m, const struct strata_gpu *gpu,
                             const struct strata_launch *launch, uint64_t l1_bytes, uint64_t seed,
                             struct strata_memory_state *state, struct strata_error *err);
void hierarchy_release(struct hierarchy *m);
/* At the end of a launch: what it leaves goes into the state, its n_lines lines of code among it.
 * Only hierarchy_release may follow. */
struct memory_code;
strata_status hierarchy_end(struct hierarchy *m, struct strata_memory_state *state,
                            const struct memory_code *code, uint32_t n_lines,
                            struct strata_error *err);
bool hierarchy_holds_code(const struct hierarchy *m, uint64_t code, uint32_t line);

/* One warp instruction on global, local or texture memory, issued at `t`. Returns when its data (a
 * load, an atomic with a result, an asynchronous copy) is there, or for a store when the load/store
 * unit has taken it. */
uint64_t hierarchy_access(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                          uint64_t local_base, uint64_t t);
/* Shared memory: bank conflicts only. Returns when the data is there. `port`: when the scheduler
 * that issued it may hand over its next access; NULL: not followed, by models without schedulers
 * and for code without control codes, whose time was fitted without it. */
uint64_t hierarchy_shared(struct hierarchy *m, uint32_t sm, const struct strata_winst *w,
                          uint64_t *port, uint64_t t);
/* The load/store unit is taken for `cycles` from t on at the earliest (shuffles). */
uint64_t hierarchy_unit_take(struct hierarchy *m, uint32_t sm, uint64_t t, uint32_t cycles);
/* Warps of a block of the SM leave a barrier at t: in step, if they have used the unit before
 * (leaving_miss.h). */
static inline void hierarchy_in_step(struct hierarchy *m, uint32_t sm, uint64_t t)
{
    struct hierarchy_sm *p = &m->sm[sm];
    if (p->unit.busy)
        leaving_miss_in_step(&p->leaving, t);
}
/* Lines of a bulk copy, which go around the L1. A load of sectors, seen by `targets` SMs; returns
 * when they reach this one. */
uint64_t hierarchy_bulk_load(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                             uint32_t targets, uint64_t t);
/* The same sectors for another SM of the cluster, on their way at t. */
uint64_t hierarchy_bulk_deliver(struct hierarchy *m, uint32_t sm, uint32_t sectors, uint64_t t);
/* A store or reduction of bytes [from, to) of a line; returns when it has left the SM. */
uint64_t hierarchy_bulk_store(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t from,
                              uint32_t to, bool reduces, uint64_t t);
/* All lines of a copy, asked for at t, for models that do not share the memory out line by line;
 * returns when the last has arrived, or has left. */
struct strata_bulk;
uint64_t hierarchy_bulk_copy(struct hierarchy *m, uint32_t sm, const struct strata_bulk *bulk,
                             uint64_t t);
/* Sectors of 32 bytes that bytes [from, to) of a line are in. */
uint32_t hierarchy_bulk_sectors(uint32_t from, uint32_t to);
/* All stores of an SM leave at t; returns when the last has reached the L2. */
uint64_t hierarchy_flush(struct hierarchy *m, uint32_t sm, uint64_t t);
/* When stores that the load/store unit was done with at `stored` will have left the SM, by what is
 * known now. */
uint64_t hierarchy_stores_left(const struct hierarchy *m, uint32_t sm, uint64_t stored);
/* hierarchy_flush() at the end of a launch. */
uint64_t hierarchy_drain(struct hierarchy *m, uint32_t sm);

/* ---- between the files of this folder ---- */

/* Sectors (of the L1's line) on behalf of SM `sm` at time t; returns when they reach the SM. bulk:
 * a copy engine asks. */
uint64_t hierarchy_l2_read(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                           bool bulk, uint64_t t);
/* The same with the request that is leaving the SM for this line (leaving_miss.h). */
uint64_t hierarchy_l2_join(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                           uint64_t t);
/* The same for several SMs of a cluster: it shares its answer with no other request. */
uint64_t hierarchy_l2_read_alone(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                                 uint64_t t);
/* Returns when the L2 takes it in. */
uint64_t hierarchy_l2_write(struct hierarchy *m, uint32_t sm, const struct store_line *s,
                            uint64_t t);
/* whole: of its sectors those of which every byte is written. */
uint64_t hierarchy_l2_atomic(struct hierarchy *m, uint32_t sm, uint64_t line, uint32_t sectors,
                             uint32_t whole, struct l2_atomics a, uint64_t t);
/* Is it the host's memory that an instruction is about, and known how long that takes? */
static inline bool hierarchy_is_host(const struct hierarchy *m, const struct strata_winst *w)
{
    return w->inst->hints & STRATA_HINT_HOST && m->gpu->xbar.host_store_cycles > 0;
}
uint64_t hierarchy_host_write(struct hierarchy *m, uint32_t sm, const struct store_line *s,
                              uint64_t t);
uint64_t hierarchy_host_read(struct hierarchy *m, uint32_t sectors, uint64_t t);
/* Sectors that the lanes which have stored there read from DRAM besides. */
uint64_t hierarchy_host_lane_reads(const struct hierarchy *m);
uint64_t hierarchy_host_atomic(struct hierarchy *m, uint32_t sm, uint64_t line, struct l2_atomics a,
                               uint64_t t);
/* The L2 will be asked for a line by an SM of a partition. */
void hierarchy_l2_expect(const struct hierarchy *m, uint32_t partition, uint64_t line);
/* Sectors of a line out of (or into) the DRAM of a partition; returns when the data is at the L2.
 */
uint64_t hierarchy_dram_read(struct hierarchy *m, uint32_t partition, uint64_t line,
                             uint32_t sectors, uint64_t t);
/* Goes out once what is read of its line has come, at `due`, or at t; returns when DRAM is done
 * with the writes that are due. */
uint64_t hierarchy_dram_write(struct hierarchy *m, uint32_t partition, uint64_t line,
                              uint32_t sectors, uint64_t due, uint64_t t);

/* The port by which stores and atomics of an SM leave: when it is free. */
static inline uint64_t *hierarchy_port(struct hierarchy *m, uint32_t sm)
{
    return &m->sm[sm - sm % m->gpu->xbar.port_sms].out_free64;
}
/* Applies the copies and fills since the last launch. */
void hierarchy_begin(struct hierarchy *m, struct strata_memory_state *state);
/* Sectors of a line are in a partition, without anybody's asking; `dirty`: and not in DRAM. */
void hierarchy_put_line(struct hierarchy *m, uint32_t part, uint64_t line, uint32_t sectors,
                        bool dirty);
/* A line was written at its home, and in the writer's partition: the copies of others are void. */
void hierarchy_void_copies(struct hierarchy *m, uint32_t home, uint32_t writer, uint64_t line);
/* Every resource is free, as when a launch begins. */
void hierarchy_forget_times(struct hierarchy *m);
/* From now on the SMs, whose cycles all times are in, run at another clock; L2 and DRAM do not. */
strata_status hierarchy_slow_clock(struct hierarchy *m, uint32_t mhz, struct strata_error *err);

/* Takes a resource for `cost` 64ths on behalf of something that reaches it at t; returns when its
 * turn begins. Requests reach a resource out of order (a far one is under way for longer than a
 * near one that issued later), so what waits is measured against the time of issue, m->now: a late
 * arrival does not close the resource to those that come before it. While a request waits for an
 * MSHR the queue it will join moves on: only what is left of it then makes it wait once more. */
static inline uint64_t hierarchy_take(struct hierarchy *m, uint64_t *free64, uint64_t t,
                                      uint32_t cost)
{
    if (!cost) /* no limit: nothing ever waits here */
        return t;
    uint64_t now64 = m->now * 64, begin = later_of(*free64, now64), wait = (begin - now64) / 64;
    *free64 = begin + cost;
    if (wait <= m->held)
        return t;
    t += wait - m->held;
    m->held = wait;
    return t;
}

#endif
