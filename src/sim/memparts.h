/* memparts.h - the parts of the memory side and what travels between them.
 *
 * Slices of the L2 and channels of the DRAM are parts: each owns its state, takes
 * messages from its mailbox in the order of their times and sends messages that
 * arrive after the window at the earliest. Within a window the parts are therefore
 * independent of one another. The crossbar and the request coalescer work between
 * windows, on one thread. Times are SM cycles unless a name says clocks. */
#ifndef STRATA_SIM_MEMPARTS_H
#define STRATA_SIM_MEMPARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <strata/gpu.h>
#include <strata/status.h>

#include "memory/access_window.h"
#include "memory/address_map.h"
#include "memory/l2_rules.h"
#include "memory/request_coalescer.h"
#include "memory/write_back.h"
#include "result/launch_counters.h"
#include "sim/dram.h"
#include "sim/message.h"
#include "sim/packet.h"

#define SIM_NONE       UINT32_MAX
#define SIM_LINE_BYTES 128u

/* A request from its arrival at the L2 until its reply leaves: one line of the host's cache, since
 * a few hundred thousand may be under way. */
struct sim_node {
    uint64_t left;    /* the SM */
    uint64_t arrival; /* at its slice */
    uint64_t line;    /* as the SM gave it, like all below */
    uint64_t out;     /* the latest answer of its parts */
    uint32_t token, sequence;
    uint32_t merged; /* requests that the coalescer answers with this one, or the next free one */
    uint32_t entry;  /* of the coalescer; SIM_NONE */
    uint16_t sm;
    struct l2_atomics atomics;
    uint8_t kind, sectors;
    bool bulk;
    uint8_t parts; /* lines of the L2 it asks for that have not answered */
};

struct sim_reply {
    uint64_t time; /* leaves the slice */
    uint32_t node;
    uint16_t l2_queue, l2, dram, dram_queue; /* cycles spent */
};

struct sim_counters {
    struct launch_counters n;
    uint64_t write_line_misses; /* writes that found no line: the first outcome of paper 004's
                                   figure 5 */
    uint64_t stall_cycles;      /* of the slice: no MSHR, or no room for a write-back */
    uint64_t fetch_sectors;     /* instructions */
    uint64_t evictions;
    uint64_t lat_dram_queue; /* as the latencies of n */
};

struct sim_waiter {
    uint64_t start;      /* when the slice served it */
    uint32_t next, node; /* node: SIM_NONE for a slice of another partition */
    uint32_t mshr;       /* of that slice */
    uint16_t from;
    uint16_t queued; /* cycles it waited for the slice */
    uint8_t need;    /* sectors it still waits for */
    uint8_t sectors, kind, packet_kind;
};

struct sim_mshr {
    uint64_t line;
    uint32_t slot;          /* where the line is; SIM_NONE: it was evicted meanwhile */
    uint32_t waiters, last; /* oldest first */
    uint32_t next;          /* free list or orphans */
    uint16_t n_waiters;
    uint16_t asker;  /* SM whose read began it; SIM_NO_SM: none */
    uint8_t pending; /* sectors under way */
};
#define SIM_NO_SM UINT16_MAX

/* The MSHR of a slot's line, + 1; 0: nothing is under way. It lies beside the tag, so that a
 * look-up touches one line of the host's cache. */
static inline uint32_t *sim_mshr_of(struct cache_slot *slot)
{
    return &slot->note;
}

struct sim_rates {
    struct l2_costs l2;
    uint32_t in_64ths_per_flit, bulk_64ths_per_flit;
    uint32_t total_65536ths_per_flit; /* the whole crossbar, each way */
    uint32_t request_way, slice_cycles, reply_way, link_way;
    uint64_t window;
    uint32_t slice_requests; /* that a slice can serve in a window */
};

struct sim_slice {
    struct cache tags;
    struct sim_mailbox mail;
    struct sim_queue { /* rings of what waits for the slice */
        struct sim_message *message;
        size_t head, n, cap;
    } from_sms, from_link;
    uint64_t free64;        /* busy until, in 64ths */
    uint64_t writes_wait64; /* what those of from_sms will take it */
    struct l2_atomic_mix atomics;
    uint64_t stalled_since; /* UINT64_MAX: it works */
    bool stalled;           /* the head of the SMs' queue waits for a fill */
    bool no_write_room;     /* its channels have too many writes waiting */
    struct sim_mshr *mshr;
    size_t n_mshr, cap_mshr;
    struct sim_waiter *waiter;
    size_t n_waiter, cap_waiter;
    uint32_t free_mshr, free_waiter, orphans,
        mshrs_used;          /* orphans: SIM_NONE, or 0 once there was one */
    uint32_t *orphan;        /* heads of their lists, by a hash of the line */
    struct write_back dirty; /* its share of what may wait to be written back */
    uint8_t *near_written;   /* of each slot: the last write was of an SM of this side, which makes
                                other sides' copies void between launches; NULL: not kept */
    uint32_t partition, index; /* index: over all partitions */
    struct sim_counters count;
    bool failed; /* no memory */
};

/* What parts send in a window; one per thread. */
struct sim_out {
    struct sim_memside *m;
    bool direct; /* one thread: messages go straight to their mailboxes */
    struct sim_reply *reply;
    size_t n_reply, cap_reply;
    struct sim_posted {
        struct sim_mailbox *to;
        struct sim_message message;
        uint32_t partition; /* it comes from */
    } * posted;
    size_t n_posted, cap_posted;
    struct sim_posted *link; /* crosses between partitions, before its bandwidth is taken */
    size_t n_link, cap_link;
    bool failed;
};
void sim_out_post(struct sim_out *o, struct sim_mailbox *to, const struct sim_message *message);
/* Leaves a partition for another at message->time. */
void sim_out_link(struct sim_out *o, uint32_t partition, struct sim_mailbox *to,
                  const struct sim_message *message);
void sim_out_reply(struct sim_out *o, const struct sim_reply *reply);

/* The request coalescers, with the times of the slices: seen from there a line stays open until a
 * fixed time after its data left the slice. `node` of an entry: who asked and is not answered yet.
 */
struct sim_coalescer {
    struct request_coalescer table;
    const struct strata_gpu *gpu;
    uint32_t after_out; /* stays open so long after the data left the slice */
    uint64_t merged_sectors;
};
strata_status sim_coalescer_init(struct sim_coalescer *c, const struct strata_gpu *gpu,
                                 const struct sim_rates *r, struct strata_error *err);
void sim_coalescer_release(struct sim_coalescer *c);
/* True if the request was merged with one under way or just answered; it is then answered with it,
 * or *reply_time (when its reply leaves) is set. `line` is one of 128 bytes. */
bool sim_coalescer_merge(struct sim_coalescer *c, struct sim_node *nodes, uint32_t node,
                         uint32_t group, uint64_t line, uint32_t sectors, uint64_t *reply_time);
/* The reply of a node leaves its slice at `out`. */
void sim_coalescer_answered(struct sim_coalescer *c, const struct sim_node *nodes, uint32_t node,
                            uint64_t out);

/* Sorting by a key of a few bits; equal keys stay in order. */
struct sim_key {
    uint64_t key;
    uint32_t index;
};
struct sim_sorter {
    struct sim_key *key, *other;
    size_t n, cap, cap_other;
};
bool sim_sorter_add(struct sim_sorter *s, uint64_t key, uint32_t index);
bool sim_sorter_sort(struct sim_sorter *s);
void sim_sorter_release(struct sim_sorter *s);

struct sim_inbound {
    uint64_t arrival; /* at the slice */
    struct sim_packet packet;
};
struct sim_xbar {
    struct sim_inbound *in; /* requests on their way to the slices */
    size_t n_in, cap_in;
    struct sim_reply *held; /* replies that leave slices later */
    size_t n_held, cap_held, cap_turn;
    struct sim_reply *turn;        /* scratch: those of this window */
    uint64_t first_in, first_held; /* the earliest of each; UINT64_MAX: none */
    uint64_t *in_free64;           /* per SM: its way from the crossbar is taken until then */
    uint32_t *waits; /* per SM: requests that wait for room in front of their slices */
    uint32_t *room;  /* per slice: requests that it still takes in this window */
    uint64_t out_total_free, in_total_free; /* all SMs together, 1/65536 cycles */
    struct sim_sorter sorter;
    struct sim_packet *arrived, *reply; /* replies in the order of leaving, and sorted by arrival */
    size_t n_reply, cap_reply, cap_arrived;
    uint64_t request_flits, reply_flits, lat_requests, lat_cycles;
};

struct sim_memside {
    struct strata_gpu gpu;
    struct sim_rates rate;
    struct address_map map;
    struct l2_rules rules;
    struct sim_slice *slice; /* partition by partition */
    struct dram_channel *channel;
    struct dram_timing timing;
    struct cache_pool tags; /* of all slices */
    struct access_window window;
    uint32_t n_slices, n_channels;
    struct sim_node *node;
    size_t n_nodes, cap_nodes;
    uint32_t free_node;
    uint16_t *partition_of_sm;
    uint16_t *group_of_sm;
    struct sim_xbar xbar;
    struct sim_coalescer coalescer;
    struct sim_out *out; /* one per thread */
    uint32_t n_out;
    struct sim_team *team; /* threads beside the caller's; NULL: none */
    uint32_t threads;
    uint64_t link_free64[ADDRESS_MAP_PARTITIONS];
    uint64_t slices_behind[ADDRESS_MAP_PARTITIONS]; /* see sim_memside_behind() */
    uint64_t now;
    uint64_t under_way; /* nodes not answered */
};

/* ---- memside.c ---- */
uint32_t sim_node_new(struct sim_memside *m);
void sim_node_free(struct sim_memside *m, uint32_t node);
struct sim_slice *sim_slice_of(struct sim_memside *m, uint32_t partition, uint64_t line);
struct dram_channel *sim_channel_of(struct sim_memside *m, uint32_t partition, uint64_t line);

/* ---- memteam.c ---- */
/* One part of a kind works on a window. */
typedef void sim_team_part(struct sim_out *o, uint32_t part, uint64_t begin, uint64_t end);
bool sim_team_resize(struct sim_memside *m, uint32_t threads);
void sim_team_destroy(struct sim_team *t);
void sim_team_run(struct sim_memside *m, sim_team_part *part, uint32_t n_parts, uint64_t begin,
                  uint64_t end);

/* ---- l2_slice.c ---- */
strata_status sim_slice_init(struct sim_memside *m, uint32_t index, uint64_t seed,
                             struct strata_error *err);
void sim_slice_release(struct sim_slice *s);
struct strata_cache_config sim_slice_config(const struct sim_memside *m);
void sim_slice_run(struct sim_out *o, struct sim_slice *s, uint64_t begin, uint64_t end);
static inline bool sim_slice_busy(const struct sim_slice *s)
{
    return s->from_sms.n || s->from_link.n;
}
/* A copy from the host put these sectors there. */
void sim_slice_preload(struct sim_memside *m, struct sim_slice *s, uint64_t line, uint32_t sectors);

/* ---- l2_lines.c: lines, write-back and what is under way ---- */
/* Slot of a line, or CACHE_NONE. */
uint32_t sim_l2_find(const struct sim_memside *m, const struct sim_slice *s, uint64_t line);
uint32_t sim_l2_slot(struct sim_out *o, struct sim_slice *s, uint64_t line, uint64_t t);
/* A read has hit the line of this slot. */
void sim_l2_clean_ahead(struct sim_out *o, struct sim_slice *s, uint32_t slot, uint64_t t);
/* A write has left parts of a line's sectors unknown, or found it so. */
void sim_l2_limit_in_part(struct sim_out *o, struct sim_slice *s, uint32_t slot, bool was_partial,
                          uint64_t t);
/* Sectors were written; was_partial: some of the line were there in part before. */
void sim_l2_mark_dirty(struct sim_out *o, struct sim_slice *s, uint32_t slot, uint32_t sectors,
                       bool was_partial, uint64_t t);
/* The MSHR of a slot's line, made if there is none. SIM_NONE: no memory. */
uint32_t sim_l2_mshr(struct sim_slice *s, uint32_t slot, uint64_t line);
/* Asks for sectors of a slot's line where they come from. */
void sim_l2_fetch(struct sim_out *o, struct sim_slice *s, uint32_t slot, uint64_t line,
                  uint32_t sectors, uint64_t t);
void sim_l2_wait(struct sim_slice *s, uint32_t mshr, const struct sim_waiter *w);
void sim_l2_mshr_free(struct sim_slice *s, uint32_t mshr);

/* ---- xbar.c ---- */
strata_status sim_xbar_init(struct sim_memside *m, struct strata_error *err);
void sim_xbar_release(struct sim_xbar *x);
strata_status sim_xbar_send(struct sim_memside *m, const struct sim_packet *p, size_t n,
                            struct strata_error *err);
/* Requests that reach their slices before `end` go to the mailboxes. */
bool sim_xbar_deliver(struct sim_memside *m, uint64_t begin, uint64_t end);
/* Replies that leave slices before `end` take their way to the SMs. */
bool sim_xbar_return(struct sim_memside *m, uint64_t begin, uint64_t end);
/* Sorts the replies gathered since the last call by (time, SM, sequence). */
bool sim_xbar_sort_replies(struct sim_xbar *x);
uint64_t sim_xbar_next(const struct sim_xbar *x);

static inline uint64_t sim_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
static inline uint16_t sim_saturate16(uint64_t x)
{
    return (uint16_t)(x > UINT16_MAX ? UINT16_MAX : x);
}

#endif
