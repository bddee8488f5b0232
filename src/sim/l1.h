/* l1.h - the L1 data cache of the clocked model, streaming or reserving.
 *
 * Streaming (paper 004, section III-C and figure 6): tags and MSHRs are one table;
 * sectors under way live there, and merge whoever asks again, however few lines
 * the data array has. With allocate on fill a line takes its place when data
 * arrives, so nothing is ever refused for want of one.
 *
 * Reserving (Fermi as scaled in paper 004, Table II): a miss reserves a line of its set
 * and an MSHR at once; if either is missing, or too many already wait, the
 * access is refused and the unit tries again: a reservation failure. */
#ifndef STRATA_SIM_L1_H
#define STRATA_SIM_L1_H

#include "memory/l1_rules.h"

#define L1_NONE UINT32_MAX

/* One of the operations that wait for sectors of a line. */
struct l1_waiter {
    uint32_t op, next;
    uint8_t sectors;
};

/* A row of the table: a line with sectors under way. */
struct l1_entry {
    uint64_t line;
    uint32_t waiter, next; /* next: of the same hash, or of the free list */
    uint32_t n_waiters;
    uint8_t pending;                     /* sectors under way */
    uint8_t stale;                       /* those of which nothing that is under way will be kept */
    uint16_t dropped[CACHE_MAX_SECTORS]; /* answers under way that will not be kept */
};

struct l1 {
    const struct strata_gpu *gpu;
    bool reserves, on_fill;
    struct cache data;
    struct l1_entry *entry;
    uint32_t *hash;
    uint32_t hash_mask;
    struct l1_waiter *waiter;
    uint32_t n_entries, cap_entries, free_entry, n_used;
    uint32_t n_waiters, cap_waiters, free_waiter;
};

struct l1_answer {
    uint8_t hit, inflight, miss; /* sectors; those of `miss` are to be asked for */
    bool tag_hit;                /* the line was known, whatever of its sectors was there */
    bool refused;                /* nothing was done: try again when something has arrived */
    bool failed;                 /* no memory left */
};

/* `pool` (may be NULL) has the memory of the data array, and outlives it. */
strata_status l1_init(struct l1 *c, const struct strata_gpu *gpu, struct cache_pool *pool,
                      uint64_t l1_bytes, uint64_t seed, struct strata_error *err);
/* A cache beside it (memory/l1_rules.h): data takes its place when it arrives, nothing is refused
 * but for want of an MSHR. */
strata_status l1_init_side(struct l1 *c, const struct strata_gpu *gpu, enum load_path path,
                           uint64_t seed, struct strata_error *err);
void l1_release(struct l1 *c);

/* What a load asks of a line. */
struct l1_access {
    uint64_t line;
    const struct line_bytes *read; /* looked at where sectors are there in part */
    uint8_t sectors;
};
/* A load at t. If any sector is not there, `op` is told by l1_fill. */
struct l1_answer l1_load(struct l1 *c, const struct l1_access *a, uint32_t op, uint64_t t);
/* A store at t, as l1_write of memory/l1_rules.h has it; returns the sectors that count as hits. */
uint32_t l1_store(struct l1 *c, uint64_t line, uint32_t sectors, const struct line_bytes *bytes,
                  uint64_t t);
/* Nothing of a line is there any more, nor will be kept of what is under way to it. */
void l1_begin_anew(struct l1 *c, uint64_t line);
/* Sectors have arrived at t; calls `done` for each operation that has all it waited for. */
void l1_fill(struct l1 *c, uint64_t line, uint8_t sectors, uint64_t t,
             void (*done)(void *who, uint32_t op), void *who);

/* A line will be looked up: first the rows that lead to it are wanted, then what they point at,
 * then who waits. Changes nothing but how long the look-up takes. */
void l1_expect_rows(const struct l1 *c, uint64_t line);
void l1_expect_entry(const struct l1 *c, uint64_t line);
void l1_expect_waiter(const struct l1 *c, uint64_t line);
/* The operation that most likely waits for a line; L1_NONE. */
uint32_t l1_first_waiter(const struct l1 *c, uint64_t line);

/* ---- between the files ---- */
struct l1_answer l1_reserving_load(struct l1 *c, const struct l1_access *a, uint32_t op,
                                   uint64_t t);
struct l1_answer l1_streaming_load(struct l1 *c, const struct l1_access *a, uint32_t op,
                                   uint64_t t);
struct l1_entry *l1_find(struct l1 *c, uint64_t line);
struct l1_entry *l1_add(struct l1 *c, uint64_t line);
bool l1_wait(struct l1 *c, struct l1_entry *e, uint32_t op, uint8_t sectors);

#endif
