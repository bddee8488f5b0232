/* sm.h - one SM of the clocked model: everything it needs to run a window of time on its own.
 *
 * Warps whose next instruction has a known time lie in a small wheel; those that
 * wait for memory lie nowhere and are woken by what they wait for. A cycle in
 * which nothing is due is never looked at. An SM touches only its own state and
 * read-only state of the engine, so SMs run on any thread in any order. */
#ifndef STRATA_SIM_SM_H
#define STRATA_SIM_SM_H

#include <strata/coalesce.h>
#include <strata/place.h>
#include <strata/result.h>

#include "result/launch_counters.h"
#include "memory/access_counts.h"
#include "memory/leaving_miss.h"
#include "memory/leaving_stores.h"
#include "memory/load_store.h"
#include "memory/store_buffer.h"
#include "sim/l1.h"
#include "sim/packet.h"
#include "sim/sm_async.h"
#include "sim/tlb.h"
#include "sm/async_groups.h"
#include "sm/constants_used.h"
#include "sm/fetch.h"
#include "sm/scoreboard.h"
#include "sm/sm_inst.h"
#include "sm/wgmma_rules.h"
#include "sm/window.h"

#define SIM_WHEEL     256
#define SIM_MAX_SLOTS 64 /* of one scheduler */
#define SIM_LSU_OPS   128
#define SIM_LSU_LINES 1024
#define SIM_EPOCHS    512 /* more than warps that can wait at once */

struct sim_sm;

/* What all SMs share and none changes while a window runs. */
struct sim_shared {
    const struct strata_gpu *gpu;
    const struct strata_launch *launch;
    struct sm_decoder decoder;
    struct fetch_gpu fetch;
    struct strata_coalescer coalescer;
    struct cache_pool *l1_pool;
    struct strata_occupancy occupancy;
    uint32_t warps_per_block, slots_per_sm, schedulers;
    uint32_t out_64ths_per_flit; /* SM -> crossbar */
    uint32_t sector_bytes;
    bool ptx;
    const struct strata_clock_sink *clock; /* may be NULL */
    bool ordered; /* PTX: instructions issue in the order an assembler would give them */
};

struct sim_block {
    struct strata_block *data;
    uint32_t live_warps, waiting;
    uint32_t writes; /* not acknowledged yet: a block keeps its place until they are */
    uint64_t barrier_time, exit_time, left;
    uint64_t start;
    uint32_t first_warp;
    uint32_t barriers; /* head of its barriers in shared memory */
    uint32_t cluster_phases;
    uint64_t cluster_opened;
};

struct sim_warp {
    struct sm_wait wait;       /* of `next`; ready == SM_PENDING: memory has to answer first */
    uint64_t last_issue, base; /* base: the next instruction issues after it at the earliest */
    struct sm_scoreboard scoreboard;
    uint32_t fetch_line, register_cap;
    uint32_t generation; /* answers to a warp that has exited are dropped */
    uint8_t block, scheduler, slot;
    uint16_t wheel_next; /* index + 1: an SM may have 256 warps */
    bool has_next, at_barrier, parked, at_membar;
    struct strata_winst next;
    const struct sm_inst *op; /* the same, decoded */
    uint32_t next_line;       /* line of code it is fetched from */
    uint64_t local_base;
    uint32_t membar_epoch;
    uint32_t waits_at;      /* shared address of the barrier it sleeps at, STRATA_NO_SHARED: none */
    uint32_t cluster_phase; /* of its block when it arrived */
    uint32_t fence_number;  /* copies issued before its fence */
    bool at_fence;
    struct sm_async async;
    struct strata_cursor cursor;
    struct sm_window window; /* if instructions are put in order */
};

struct sim_scheduler {
    uint64_t ready_mask;
    uint64_t shared_port; /* when it may hand over its next access to shared memory */
    uint64_t held_until;  /* the last instruction keeps it from issuing (sm_inst.hold) */
    uint64_t wgmma_free;  /* its tensor core takes the next product */
    uint32_t wgmma_warp;  /* whose product it took last */
    struct wgmma_beside beside;
    uint64_t lsu_held; /* the last cycle in which the unit's queue was full */
    uint64_t pipe_free[SM_N_PIPES];
    uint32_t last_slot;
    uint8_t slot_pipe[SIM_MAX_SLOTS];
    uint64_t slot_age[SIM_MAX_SLOTS];
};

/* A memory instruction whose data is under way. */
struct sim_op {
    const struct sm_inst *inst;
    uint32_t generation;
    uint32_t remaining; /* parts that have not arrived; one more while the unit works on it */
    uint32_t group;     /* asynchronous copies: number of the group */
    uint64_t done;
    uint32_t later; /* than its last part its data is there */
    uint8_t warp;
    bool async;
    uint32_t copy; /* of the copy engine; SIM_NO_COPY */
    uint32_t next; /* free list */
};

/* A packet that has not been answered. The packet's token is its index. */
struct sim_flight {
    uint64_t line;
    uint32_t op;      /* around the L1, atomics: whom the answer is for; L1_NONE otherwise */
    uint32_t epoch;   /* writes: for barriers of memory */
    uint32_t blocks;  /* writes: whose they are, a bit for each place */
    uint32_t next;    /* free list, or those waiting for one page */
    uint64_t left;    /* when it left */
    uint64_t reached; /* when it could have left had the L1 refused nothing */
    uint8_t kind;     /* enum sim_packet_kind, or SIM_TRANSLATION */
    uint8_t sectors;  /* as the L1 counts them */
    uint8_t packet_sectors;
    uint8_t path;         /* enum load_path: where the data goes */
    uint8_t bulk_targets; /* of a line of a bulk copy: blocks it goes to; 0: it is none */
    bool used;
    bool joins;   /* a request of its line that is leaving (memory/leaving_miss.h) */
    bool texture; /* of the texture unit */
    struct l2_atomics atomics;
};

/* Not a packet: an L1 hit that waits for its page (tlb.before_l1). */
#define SIM_TRANSLATION SIM_N_PACKET_KINDS

enum sim_lsu_kind {
    SIM_LSU_LOAD = 0,
    SIM_LSU_STORE,
    SIM_LSU_ATOMIC,
    SIM_LSU_SHARED,
    SIM_LSU_OTHER
};

/* An instruction in the queue of the load/store unit. */
struct sim_lsu_op {
    uint64_t issued;
    uint64_t new_line; /* the last one whose tag was not there: its other sectors are no tag hits */
    uint64_t refused_before; /* cycles the unit had been refused when it was issued */
    const struct sm_inst *inst;
    uint32_t generation; /* of the warp when it issued */
    uint32_t op;
    uint32_t cycles;
    uint32_t wavefronts; /* passes over the banks */
    uint16_t n_lines, next_line;
    uint8_t kind, warp;
    uint8_t width_bytes;     /* a lane */
    uint8_t request_sectors; /* the most that a request asks for; 0: all of a line */
    uint32_t texture;        /* cycles of the texture unit; 0: not for it */
    enum load_path path;
    bool counts_hits, returns, begun;
};
struct sim_lsu_line {
    uint64_t line;
    struct line_bytes bytes; /* stores and atomics; loads once a sector was written in part */
    struct l2_atomics atomics;
    uint8_t sectors;        /* as the coalescer counts them */
    uint8_t packet_sectors; /* the same in sectors of 32 bytes */
};

struct sim_lsu {
    struct sim_lsu_op op[SIM_LSU_OPS];
    struct sim_lsu_line line[SIM_LSU_LINES];
    uint32_t op_head, op_tail, line_head, line_tail;
    struct load_store_unit unit;
    uint64_t queued_cycles; /* of the instructions in the queue */
    uint64_t miss_free, out_free64, texture_free, texture_miss_free;
    struct leaving_miss leaving;
    uint64_t stores_taken;   /* the slices have taken in all stores that wait for them */
    uint64_t out_taken64;    /* of the port, since SMs that share one were last made to */
    uint64_t port_free64;    /* the shared port; of the first SM that shares it */
    uint64_t refused_since;  /* UINT64_MAX: the L1 takes what it is given */
    uint64_t refused_cycles; /* of all times before */
    struct store_buffer stores;
    struct leaving_stores leaving_stores;
    bool wrote_part; /* a sector, in any store so far */
};

struct sim_sm_counters {
    struct launch_counters n; /* in-flight hits apart, as the GPU file says what they are */
    uint64_t unknown_opcodes, texture_accesses, async_copies;
    uint64_t stall_cycles[SM_N_STALLS];
    uint64_t ld_inflight_hits;
    uint64_t reservation_failures, mshr_stall_cycles;
    uint64_t requests, replies; /* packets sent and answered */
    uint64_t lat_total;
};

struct sim_exit {
    uint64_t time, left; /* its stores are written; its last warp has exited */
    uint32_t block;
};

struct sim_sm {
    const struct sim_shared *shared;
    uint32_t index;
    struct sm_scheduler *order; /* of the thread that runs the SM */
    uint64_t now;
    uint64_t due;    /* nothing happens here before; UINT64_MAX: never by itself */
    uint32_t rotate; /* which scheduler goes first: fair issue to the shared unit */
    struct sim_scheduler *scheduler;
    struct sim_warp *warp;   /* slots_per_sm */
    struct sim_block *block; /* blocks_per_sm */
    struct sim_lsu lsu;
    struct l1 l1;
    struct l1 side[LOAD_SIDES]; /* read-only data and textures, where they are apart */
    struct sim_tlb tlb;
    struct sim_async async;
    struct fetch_sm fetch;
    struct constant_cache constant_cache;
    uint64_t constant_held; /* cycles that the last load of constants holds its warp */
    struct constants_used constants;
    uint8_t *fetch_used; /* lines of code executed here */
    uint16_t wheel_head[SIM_WHEEL], wheel_tail[SIM_WHEEL];
    uint64_t wheel_used[SIM_WHEEL / 64];
    uint32_t in_wheel;
    uint64_t wheel_from; /* what is due earlier has been taken out */
    uint64_t next_age;
    struct sim_op *op;
    size_t n_ops, cap_ops;
    uint32_t free_op;
    struct sim_flight *flight;
    size_t n_flights, cap_flights;
    uint32_t free_flight, flying;
    uint32_t sequence;        /* of packets, in order of leaving */
    struct sim_packet *inbox; /* sorted by time from inbox_head on */
    size_t inbox_head, n_inbox, cap_inbox;
    struct sim_packet *outbox; /* any order */
    size_t n_outbox, cap_outbox;
    struct sim_exit *exit; /* blocks that ended in this window */
    uint32_t n_exits;
    uint32_t epoch; /* of writes; a memory barrier starts a new one */
    uint32_t oldest_epoch;
    uint32_t epoch_writes[SIM_EPOCHS];
    uint32_t membar_waiters; /* warps waiting for writes */
    uint64_t start, left, busy, last_ack, next_start;
    uint32_t warps_apart; /* cycles from one warp of a block that begins to the next */
    uint32_t resident;
    struct sim_sm_counters count;
    strata_status status;
    struct strata_error error;
};

static inline uint64_t sim_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- sm.c ---- */
strata_status sim_sm_init(struct sim_sm *s, const struct sim_shared *shared, uint32_t index,
                          uint64_t seed, struct strata_error *err);
void sim_sm_release(struct sim_sm *s);
/* Between windows, before the one that starts at `window`: puts a block into a free place of the
 * SM; its warps may issue from t on. Takes `data`. */
strata_status sim_sm_start(struct sim_sm *s, struct strata_block *data, uint64_t window, uint64_t t,
                           struct strata_error *err);
/* Runs until (not including) `end`. A failure is in s->status and s->error. */
void sim_sm_run(struct sim_sm *s, uint64_t end);
/* Adds a reply; it must not be older than what the SM has worked on. */
void sim_sm_deliver(struct sim_sm *s, const struct sim_packet *p);
void sim_schedule(struct sim_sm *s, uint32_t warp, uint64_t t);
/* Grows an array of the SM to hold one more; false: no memory, and the SM has failed. */
bool sim_sm_grow(struct sim_sm *s, void **array, size_t n, size_t *cap, size_t bytes);

/* ---- sm_issue.c ---- */
/* Reads the warp's next instruction. */
void sim_next_instruction(struct sim_sm *s, struct sim_warp *w);
/* Sets `wait` of a warp's next instruction. */
void sim_next_ready(struct sim_sm *s, uint32_t warp);
/* Something a warp waited for has happened: it goes on if nothing else is missing. */
void sim_wake(struct sim_sm *s, uint32_t warp);
/* Lets every scheduler that can issue do so at s->now; returns when the next might (UINT64_MAX:
 * none). */
uint64_t sim_issue_all(struct sim_sm *s);
uint32_t sim_op_new(struct sim_sm *s, uint32_t warp);
/* One part less is under way; after the last the warp gets its data at op->done. */
void sim_op_part(struct sim_sm *s, uint32_t op, uint64_t t);
/* Writes of these blocks (a bit for each place) have been acknowledged at t. */
void sim_blocks_written(struct sim_sm *s, uint32_t blocks, uint64_t t);

/* ---- lsu.c ---- */
/* Whether the unit's queue takes an instruction now; if not, *when is when it might. */
bool sim_lsu_room(const struct sim_sm *s, uint64_t *when);
/* Queues the warp's next instruction. */
void sim_lsu_issue(struct sim_sm *s, uint32_t warp, const struct sm_inst *i);
/* Works on what is due at s->now. */
void sim_lsu_run(struct sim_sm *s);
/* The next time something is due here (UINT64_MAX: nothing). */
uint64_t sim_lsu_next(const struct sim_sm *s);
void sim_lsu_reply(struct sim_sm *s, const struct sim_packet *p);
/* Translations that have arrived by s->now let their requests go. */
void sim_lsu_translated(struct sim_sm *s);

/* ---- lsu_send.c ---- */
uint32_t sim_flight_new(struct sim_sm *s, uint8_t kind, uint64_t line, uint32_t op, uint64_t t);
void sim_flight_free(struct sim_sm *s, uint32_t flight);
/* Packet of a flight to the outbox at time t; data: bytes and atomics of what is not a read. */
void sim_send(struct sim_sm *s, uint32_t flight, uint64_t t, const struct sim_lsu_line *data);
/* When so many flits that are ready at t begin to leave for the crossbar. */
uint64_t sim_take_port(struct sim_sm *s, uint32_t flits, uint64_t t);
void sim_store_put(struct sim_sm *s, const struct store_line *store, uint32_t block, uint64_t t);
/* Sends the lines that have waited long enough at t. */
void sim_stores_drain(struct sim_sm *s, uint64_t t);
void sim_stores_flush(struct sim_sm *s, uint64_t t);

/* ---- lsu_lines.c: what an instruction asks of the unit ---- */
/* Fills lines of the ring from lsu->line_tail on; returns their number. */
unsigned sim_lines(struct sim_sm *s, const struct sim_warp *w, struct sim_lsu_op *q);

#endif
